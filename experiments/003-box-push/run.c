/*
 * 003-box-push: a cube of 1 m and 0.1 kg is pushed with 0.2 N until it slides at 1 m/s, then left alone (paper 003,
 * section 5.2, Figure 2).
 *
 *   closed form (Coulomb): 1 m/s after 1 / (F/m - mu g) = 0.980 s, at rest 1 / (mu g) = 1.020 s later
 *
 * No law of friction with |f_t| <= mu n can end this slide sooner by more than v_z / g: what the plane gives over the
 * time T is m (g T + v_z), v_z the speed at which the box leaves it at the end. Friction is at most mu times that.
 */
#include "bodies.h"
#include "ode_methods.h"

#include <math.h>

#define H 1e-3
#define G 9.8
#define MU 0.1
#define MASS 0.1
#define FORCE 0.2
#define STEPS 2600
#define LOSING 0.5 /* s, over which losses are compared */

typedef struct Push {
    double reached, stopped; /* s: when 1 m/s was reached; how long after it came to rest */
    double height;           /* m: of the centre at the end */
    double highest;          /* m */
} Push;

static RgModel *box_on_plane(Lab *lab)
{
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgSurfaceDef surface = bodies_surface(MU, 0.0);
    bodies_add_floor(b, &surface);
    bodies_add(b, &(BodyDef){.name = "box",
                             .type = RG_SHAPE_box,
                             .size = {1.0, 1.0, 1.0},
                             .mass = MASS,
                             .p = {0.0, 0.0, 0.5},
                             .surface = surface});
    return bodies_end(lab, b);
}

/* Pushes until 1 m/s, once. */
static void push(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    bool *pushing = context;
    *pushing = *pushing && state->v[3] < 1.0;
    input->wrenches[0].f.x = *pushing ? FORCE : 0.0;
}

static Push slide(Lab *lab, RgWorldDef def, const OdeMethod *by, LabFigure *figure)
{
    bool pushing = true;
    def.input = push;
    def.input_context = &pushing;
    RgWorld *world = ode_world(lab, def, by);
    LabFilm *film = world && figure && by->method == ODE_ROBUST && by->iterations == 100
                        ? lab_film(lab, "push", "box pushed to 1 m/s, robust, 100 iterations", world, 0.0)
                        : NULL;
    Push out = {.reached = (double)NAN, .stopped = (double)NAN};
    for (int i = 1; world && i <= STEPS && ode_step(lab, world, H, NULL); i++) {
        double t = i * H, v = rg_world_link_twist(world, (RgLinkId){1}).v.x;
        out.reached = isnan(out.reached) && v >= 1.0 ? t : out.reached;
        if (isnan(out.stopped) && t > out.reached && v < 1e-3)
            out.stopped = t - out.reached;
        out.height = rg_world_link_pose(world, (RgLinkId){1}).p.z;
        out.highest = fmax(out.highest, out.height);
        lab_film_step(film, world);
        if (figure)
            lab_point(figure, t, v);
    }
    lab_film_end(film);
    rg_world_destroy(world);
    return out;
}

/* ------------------------------------------------------------------ rows */

static const char *const row_stops[2][ODE_METHODS] = {
    {"slides for, quick (pgs), 10 iterations", "slides for, world (dantzig)",
     "slides for, robust (max-dissipation), 10 iterations", "slides for, our quick, 10 iterations",
     "slides for, our cone"},
    {"slides for, quick (pgs), 100 iterations", NULL, "slides for, robust (max-dissipation), 100 iterations",
     "slides for, our quick, 100 iterations", NULL}};

static void figure_2(Lab *lab, const RgWorldDef *def, Push pushes[2][ODE_METHODS])
{
    static const int iterations[2] = {10, 100};
    static const LabFigureDef defs[2] = {
        {.name = "fig2a", .title = "Figure 2 (a): box push, 10 iterations", .x = "t (s)", .y = "speed (m/s)"},
        {.name = "fig2b", .title = "Figure 2 (b): box push, 100 iterations", .x = "t (s)", .y = "speed (m/s)"}};
    double reach = 1.0 / (FORCE / MASS - MU * G), stop = reach + 1.0 / (MU * G);
    for (int k = 0; k < 2; k++) {
        LabFigure *figure = lab_figure(lab, &defs[k]);
        for (int m = 0; m < ODE_METHODS; m++) {
            lab_curve(figure, LAB_LINES, "%s", ode_label(m));
            pushes[k][m] =
                slide(lab, *def, &(OdeMethod){.method = m, .iterations = iterations[k], .h = H, .tight = true}, figure);
            if (row_stops[k][m])
                lab_measured(lab, row_stops[k][m], pushes[k][m].stopped);
        }
        lab_curve(figure, LAB_DASHED, "closed form");
        lab_point(figure, 0.0, 0.0);
        lab_point(figure, reach, 1.0);
        lab_point(figure, stop, 0.0);
    }
    lab_measured(lab, "reaches 1 m/s after, quick (pgs)", pushes[1][ODE_PGS].reached);
    lab_measured(lab, "reaches 1 m/s after, robust", pushes[1][ODE_ROBUST].reached);
}

/* J that the robust method takes from a box that begins at 1 m/s. */
static double energy_lost(Lab *lab, RgWorldDef def, int iterations)
{
    RgWorld *world =
        ode_world(lab, def, &(OdeMethod){.method = ODE_ROBUST, .iterations = iterations, .h = H, .tight = true});
    if (!world || rg_world_set_state(world, NULL, (double[6]){0.0, 0.0, 0.0, 1.0, 0.0, 0.0}) != RG_OK)
        return (double)NAN;
    for (int i = 0; i < (int)(LOSING / H) && ode_step(lab, world, H, NULL); i++)
        ;
    double v = rg_world_link_twist(world, (RgLinkId){1}).v.x;
    rg_world_destroy(world);
    return 0.5 * MASS * (1.0 - v * v);
}

/* What a count of the second phase's iterations takes away in half a second. */
static void more_iterations(Lab *lab, const RgWorldDef *def)
{
    static const int counts[] = {1, 2, 3, 4, 5, 6, 8, 10, 20, 50, 100};
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"iterations", "energy that robust takes in 0.5 s",
                                        "iterations of its second phase", "energy of motion lost (J)", .log_x = true});
    lab_curve(figure, LAB_LINES_POINTS, "robust (max-dissipation)");
    double last = -1.0, first = (double)NAN, worst = 0.0;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        double lost = energy_lost(lab, *def, counts[k]);
        lab_point(figure, counts[k], lost);
        first = k == 0 ? lost : first;
        worst = fmin(worst, lost - last);
        last = lost;
    }
    double v = 1.0 - MU * G * LOSING;
    lab_curve(figure, LAB_DASHED, "Coulomb");
    lab_point(figure, 1.0, 0.5 * MASS * (1.0 - v * v));
    lab_point(figure, 100.0, 0.5 * MASS * (1.0 - v * v));
    lab_measured(lab, "more iterations never remove less, by more than", -worst);
    lab_measured(lab, "energy removed by 100 iterations over that by 1", last / first);
}

/* The slack of the code in place of the paper's limit: larger normal impulses raise the cone, and the box hops. */
static double higher_cone(Lab *lab, const RgWorldDef *def)
{
    Push slack = slide(lab, *def, &(OdeMethod){.method = ODE_ROBUST, .iterations = 100, .h = H}, NULL);
    lab_measured(lab, "slides for, robust with the slack of its code", slack.stopped);
    lab_say(lab,
            "Where normal impulses may be larger than needed (by 0.1 N s, as in the code) the box hops, up "
            "to %.3g mm high, and "
            "slides for %.4f s: while it flies nothing brakes it.",
            1e3 * (slack.highest - 0.5), slack.stopped);
    return slack.stopped;
}

static void run(Lab *lab)
{
    RgModel *model = box_on_plane(lab);
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = "maximal";
    Push pushes[2][ODE_METHODS], minimal;
    figure_2(lab, &def, pushes);
    double others = fmin(pushes[1][ODE_PGS].stopped, pushes[1][ODE_DANTZIG].stopped);
    lab_measured(lab, "robust stops sooner with 100 than with 10 iterations",
                 pushes[0][ODE_ROBUST].stopped - pushes[1][ODE_ROBUST].stopped);
    more_iterations(lab, &def);
    lab_measured(lab, "robust stops sooner than quick and world, 100 iterations",
                 others - fmin(higher_cone(lab, &def), pushes[1][ODE_ROBUST].stopped));
    def.coords = "minimal";
    minimal = slide(lab, def, &(OdeMethod){.method = ODE_PGS, .iterations = 100, .h = H}, NULL);
    lab_measured(lab, "slides for, quick (pgs), 100 iterations, minimal", minimal.stopped);
    minimal = slide(lab, def, &(OdeMethod){.method = ODE_ROBUST, .iterations = 100, .h = H, .tight = true}, NULL);
    lab_measured(lab, "slides for, robust, 100 iterations, minimal", minimal.stopped);
    double rest = 0.0;
    for (int m = 0; m < ODE_METHODS; m++)
        rest = fmax(rest, fabs(pushes[1][m].height - 0.5));
    lab_measured(lab, "height at the end, worst of five off", rest);
    rg_model_destroy(model);
}

const Experiment experiment_box_push = {
    "003-box-push", "a box is pushed, slides and stops (paper 003, section 5.2, Figure 2)", 3.0, 3.0, run};
