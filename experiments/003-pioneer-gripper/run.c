/*
 * 003-pioneer-gripper: two paddles of 0.1 kg press a box of 0.01 kg with 500 N each (paper 003, section 5.5, Figure 5).
 *
 *   at rest: the box stays where it is; normal forces of the paddles 500 N each; what the sliders give is what they get
 *
 * The paddles begin at the box, and the force is on from the first step on. In it the methods that sweep begin without a guess:
 * what reaches the box is the difference of two pushes of 5 N s, on 0.01 kg, so that one part in 10,000 of them left undone
 * throws it with 5 cm/s.
 */
#include "ode_methods.h"

#include <math.h>

#define FORCE 500.0
#define CLOSED 0.0725 /* m: of each slider, where a paddle touches the box */
#define TIME 5.0
#define AWAY 0.01 /* m: a box that has moved so far has moved away */

typedef struct Grasp {
    const RgModel *model;
    const char *coords;
    OdeMethod by;
    LabFigure *figure[3]; /* of x, y, z; NULL: none */
    const char *film;
} Grasp;

typedef struct Held {
    double farthest;    /* m from its place; huge where a step was refused */
    double force;       /* N, of the left paddle on the box at the end */
    double joint_error; /* m, worst */
} Held;

static void press(RgWorld *world, const char *slider, double way, double force)
{
    RgJointId joint = rg_model_find_joint(rg_world_model(world), slider);
    rg_world_set_joint_position(world, joint, &way);
    rg_world_set_joint_effort(world, joint, &force);
}

/* Normal force between the two links in the last step. */
static double force_between(RgWorld *world, RgLinkId a, RgLinkId b)
{
    const RgModel *model = rg_world_model(world);
    const RgContactForce *forces;
    int count = rg_world_contact_forces(world, &forces);
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        int x = rg_model_shape(model, forces[i].shape_a).link.i, y = rg_model_shape(model, forces[i].shape_b).link.i;
        const RgVec3 *f = &forces[i].force, *n = &forces[i].normal;
        if ((x == a.i && y == b.i) || (x == b.i && y == a.i))
            sum += f->x * n->x + f->y * n->y + f->z * n->z;
    }
    return sum;
}

static double away_from(RgVec3 p, RgVec3 from)
{
    return sqrt((p.x - from.x) * (p.x - from.x) + (p.y - from.y) * (p.y - from.y) + (p.z - from.z) * (p.z - from.z));
}

static void draw(const Grasp *grasp, double t, RgVec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; k++)
        if (grasp->figure[k])
            lab_point(grasp->figure[k], t, fabs(at[k]) < 10.0 ? at[k] : (double)NAN);
}

static Held hold(Lab *lab, const Grasp *grasp)
{
    Held held = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = grasp->model;
    def.coords = grasp->coords;
    RgWorld *world = ode_world(lab, def, &grasp->by);
    if (!world)
        return held;
    press(world, "left_slide", CLOSED, FORCE);
    press(world, "right_slide", -CLOSED, -FORCE);
    RgLinkId box = rg_model_find_link(grasp->model, "box"), left = rg_model_find_link(grasp->model, "left_paddle");
    RgVec3 start = rg_world_link_pose(world, box).p;
    LabFilm *film = grasp->film ? lab_film(lab, grasp->film, ode_label(grasp->by.method), world, 0.0) : NULL;
    int steps = (int)round(TIME / grasp->by.h);
    for (int i = 1; i <= steps; i++) {
        RgStepReport report;
        if (rg_world_step(world, grasp->by.h, &report) != RG_OK) { /* what flew off too fast */
            held.farthest = fmax(held.farthest, 1e3);
            break;
        }
        RgVec3 p = rg_world_link_pose(world, box).p;
        held.farthest = fmax(held.farthest, away_from(p, start));
        held.joint_error = fmax(held.joint_error, report.joint_error);
        lab_film_step(film, world);
        draw(grasp, i * grasp->by.h, p);
    }
    held.force = force_between(world, left, box);
    lab_film_end(film);
    rg_world_destroy(world);
    return held;
}

/* ------------------------------------------------------------------ rows */

static void figure_5(Lab *lab, const RgModel *model)
{
    static const LabFigureDef defs[3] = {
        {.name = "fig5a", .title = "Figure 5: position of the grasped box, x", .x = "t (s)", .y = "x (m)"},
        {.name = "fig5b", .title = "Figure 5: position of the grasped box, y", .x = "t (s)", .y = "y (m)"},
        {.name = "fig5c", .title = "Figure 5: position of the grasped box, z", .x = "t (s)", .y = "z (m)"}};
    static const char *const moved[ODE_PUBLISHED] = {"box moves away, quick (pgs)", "box moves away, world (dantzig)",
                                                     "box moves away, robust (max-dissipation)"};
    static const char *const farthest[ODE_METHODS] = {
        NULL, "box farthest from its place, world (dantzig)", "box farthest from its place, robust (max-dissipation)",
        "box farthest from its place, our quick, 10 sweeps", "box farthest from its place, our cone"};
    static const char *const films[ODE_METHODS] = {[ODE_PGS] = "pgs", [ODE_CONE] = "cone"};
    Grasp grasp = {.model = model, .coords = "maximal"};
    for (int k = 0; k < 3; k++)
        grasp.figure[k] = lab_figure(lab, &defs[k]);
    for (int m = 0; m < ODE_METHODS; m++) {
        for (int k = 0; k < 3; k++)
            lab_curve(grasp.figure[k], LAB_LINES, "%s", ode_label(m));
        grasp.by = (OdeMethod){.method = m, .iterations = 10, .h = 0.01};
        grasp.film = films[m];
        Held held = hold(lab, &grasp);
        if (m < ODE_PUBLISHED)
            lab_holds(lab, moved[m], held.farthest > AWAY);
        if (farthest[m])
            lab_measured(lab, farthest[m], held.farthest);
        if (m == ODE_CONE)
            lab_measured(lab, "force of a paddle on the box, our cone", held.force);
        if (m == ODE_PGS)
            lab_say(lab, "quick (pgs), 10 iterations: the box is thrown %.3g m away, and joints come apart by up to %.3g m.",
                    held.farthest, held.joint_error);
    }
}

/* Minimal form; and the step and iterations that the world file of the time had: 1 ms, 100. */
static void further(Lab *lab, const RgModel *model)
{
    Grasp grasp = {.model = model, .coords = "minimal", .by = {.method = ODE_PGS, .iterations = 10, .h = 0.01}};
    lab_holds(lab, "box moves away, quick (pgs), minimal", hold(lab, &grasp).farthest > AWAY);
    grasp.by.method = ODE_CONE;
    lab_measured(lab, "box farthest from its place, our cone, minimal", hold(lab, &grasp).farthest);
    grasp.by = (OdeMethod){.method = ODE_QUICK, .iterations = 100, .h = 1e-3};
    lab_measured(lab, "box farthest from its place, our quick, 1 ms, 100 sweeps, minimal", hold(lab, &grasp).farthest);
    grasp.coords = "maximal";
    lab_measured(lab, "box farthest from its place, our quick, 1 ms, 100 sweeps", hold(lab, &grasp).farthest);
    grasp.by.method = ODE_PGS;
    Held held = hold(lab, &grasp);
    lab_say(lab, "quick (pgs) with the 1 ms and 100 iterations of the world file: farthest %.3g m.", held.farthest);
}

static void run(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "pioneer_gripper.sdf", NULL);
    if (!model)
        return;
    figure_5(lab, model);
    lab_progress(lab, 0.5);
    further(lab, model);
    rg_model_destroy(model);
}

const Experiment experiment_pioneer_gripper = {
    .name = "003-pioneer-gripper",
    .title = "a light box between paddles that press with 500 N (paper 003, section 5.5, Figure 5)",
    .seconds = 4.0,
    .quick_seconds = 4.0,
    .run = run,
};
