/*
 * 003-pioneer-gripper: two paddles of 0.1 kg press a box of 0.01 kg with 500 N each (paper 003, section 5.5, Figure 5).
 *
 *   at rest: the box stays where it is; normal forces of the paddles 500 N each
 *
 * Two starts. Open, as the archived robot stands: the paddles are 72.5 mm off the box, and 500 N bring 0.1 kg to 50 m/s
 * within the first step of 10 ms; both strike the box low down in the second. Closed: the paddles begin at the box. In
 * the first step the methods that sweep begin without a guess; what reaches the box is the difference of two pushes of
 * 5 N s, on 0.01 kg, so that one part in 10,000 of them left undone throws it with 5 cm/s.
 */
#include "ode_methods.h"

#include <math.h>

#define FORCE 500.0
#define CLOSED 0.0725 /* m: of each slider, where a paddle touches the box */
#define TIME 5.0
#define SEEN 1.0  /* m: what the figures show */
#define AWAY 0.01 /* m: a box that has moved so far has moved away */

typedef struct Grasp {
    const RgModel *model;
    const char *coords;
    OdeMethod by;
    bool open;            /* as it stands in its file; else at the box */
    double time;          /* s */
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
            lab_point(grasp->figure[k], t, fabs(at[k]) < SEEN ? at[k] : (double)NAN);
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
    press(world, "left_slide", grasp->open ? 0.0 : CLOSED, FORCE);
    press(world, "right_slide", grasp->open ? 0.0 : -CLOSED, -FORCE);
    RgLinkId box = rg_model_find_link(grasp->model, "box"), left = rg_model_find_link(grasp->model, "left_paddle");
    RgVec3 start = rg_world_link_pose(world, box).p;
    LabFilm *film = grasp->film ? lab_film(lab, grasp->film, ode_label(grasp->by.method), world, 0.0) : NULL;
    int steps = (int)round(grasp->time / grasp->by.h);
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

/* Draws all methods from one start; out: what each did. */
static void draw_start(Lab *lab, const RgModel *model, bool open, Held out[ODE_METHODS])
{
    static const LabFigureDef defs[2][3] = {
        {{.name = "closed-x", .title = "grasped box, paddles begin closed: x", .x = "t (s)", .y = "x (m)"},
         {.name = "closed-y", .title = "grasped box, paddles begin closed: y", .x = "t (s)", .y = "y (m)"},
         {.name = "closed-z", .title = "grasped box, paddles begin closed: z", .x = "t (s)", .y = "z (m)"}},
        {{.name = "fig5a", .title = "Figure 5: position of the grasped box, x", .x = "t (s)", .y = "x (m)"},
         {.name = "fig5b", .title = "Figure 5: position of the grasped box, y", .x = "t (s)", .y = "y (m)"},
         {.name = "fig5c", .title = "Figure 5: position of the grasped box, z", .x = "t (s)", .y = "z (m)"}}};
    static const char *const films[2][ODE_METHODS] = {{[ODE_PGS] = "closed-pgs", [ODE_CONE] = "closed-cone"},
                                                      {[ODE_DANTZIG] = "open-dantzig"}};
    Grasp grasp = {.model = model, .coords = "maximal", .open = open, .time = TIME};
    for (int k = 0; k < 3; k++)
        grasp.figure[k] = lab_figure(lab, &defs[open][k]);
    for (int m = 0; m < ODE_METHODS; m++) {
        for (int k = 0; k < 3; k++)
            lab_curve(grasp.figure[k], LAB_LINES, "%s", ode_label(m));
        grasp.by = (OdeMethod){.method = m, .iterations = 10, .h = 0.01};
        grasp.film = films[open][m];
        out[m] = hold(lab, &grasp);
    }
}

/* As published: 10 ms, 10 iterations. */
static void figure_5(Lab *lab, const RgModel *model)
{
    static const char *const moved[ODE_PUBLISHED] = {"box moves away, quick (pgs)", "box moves away, world (dantzig)",
                                                     "box moves away, robust (max-dissipation)"};
    static const char *const closed[ODE_METHODS] = {NULL, "closed: box farthest from its place, world (dantzig)",
                                                    "closed: box farthest from its place, robust (max-dissipation)",
                                                    "closed: box farthest from its place, our quick, 10 sweeps",
                                                    "closed: box farthest from its place, our cone"};
    Held held[ODE_METHODS];
    draw_start(lab, model, true, held);
    for (int m = 0; m < ODE_PUBLISHED; m++)
        lab_holds(lab, moved[m], held[m].farthest > AWAY);
    lab_say(lab,
            "Paddles that begin open: farthest from its place %.3g m (quick), %.3g m (world), %.3g m "
            "(robust), %.3g m (our "
            "quick), %.3g m (our cone).",
            held[0].farthest, held[1].farthest, held[2].farthest, held[3].farthest, held[4].farthest);
    draw_start(lab, model, false, held);
    lab_holds(lab, "closed: box moves away, quick (pgs)", held[ODE_PGS].farthest > AWAY);
    for (int m = 1; m < ODE_METHODS; m++)
        lab_measured(lab, closed[m], held[m].farthest);
    lab_measured(lab, "closed: force of a paddle on the box, our cone", held[ODE_CONE].force);
    lab_say(lab,
            "Paddles that begin closed, quick (pgs): the box is thrown %.3g m away, joints come apart by up "
            "to %.3g m.",
            held[ODE_PGS].farthest, held[ODE_PGS].joint_error);
}

/* Minimal form; finer steps; and the step and iterations that the world file of the time had: 1 ms, 100. */
static void further(Lab *lab, const RgModel *model)
{
    Grasp grasp = {
        .model = model, .coords = "minimal", .time = TIME, .by = {.method = ODE_PGS, .iterations = 10, .h = 0.01}};
    lab_holds(lab, "closed: box moves away, quick (pgs), minimal", hold(lab, &grasp).farthest > AWAY);
    grasp.by.method = ODE_CONE;
    lab_measured(lab, "closed: box farthest from its place, our cone, minimal", hold(lab, &grasp).farthest);
    grasp.by = (OdeMethod){.method = ODE_QUICK, .iterations = 100, .h = 1e-3};
    lab_measured(lab, "closed: box farthest from its place, our quick, 1 ms, 100 sweeps, minimal",
                 hold(lab, &grasp).farthest);
    grasp.coords = "maximal";
    lab_measured(lab, "closed: box farthest from its place, our quick, 1 ms, 100 sweeps", hold(lab, &grasp).farthest);

    grasp =
        (Grasp){.model = model, .coords = "maximal", .open = true, .time = 0.5, .by = {.method = ODE_CONE, .h = 1e-4}};
    lab_measured(lab, "open, steps of 0.1 ms: box farthest from its place, our cone", hold(lab, &grasp).farthest);
    grasp.by = (OdeMethod){.method = ODE_DANTZIG, .h = 1e-4};
    lab_measured(lab, "open, steps of 0.1 ms: box farthest from its place, world (dantzig)",
                 hold(lab, &grasp).farthest);
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
    "003-pioneer-gripper", "a light box between paddles that press with 500 N (paper 003, section 5.5, Figure 5)", 4.5,
    4.5, run};
