/*
 * 003-pioneer-line: 0.1 N m on each wheel of the Pioneer for 20 s (paper 003, section 5.4, Figure 4).
 *
 *   closed form, rolling: acceleration 2 tau / r / (m + 2 I_w / r^2 + I_c / r_c^2) = 0.6349 m/s^2, 126.98 m in 20 s
 *
 * Its centre of mass lies behind its axle. So, driven forwards, a turn grows with the way x (Chaplygin's sleigh the
 * wrong way round), and driven backwards, castor first, it dies away at the same rate:
 *
 *   I dw/dt = (+-S v - c) w,   S = sum m_i d_i,  I = moment of inertia about the axle's middle,  c = 4 (width / 2)^2 / creep
 *
 * d_i the distances behind the axle; the castor, a ball that rolls, counts as 7/5 of its mass; wheels add their I_w /
 * r^2 at the ends of the axle; c: each wheel stands on the two ends of a line, which creep against each other in a
 * turn. No method can keep the line forwards: round-off is enough to leave it after some ten metres.
 */
#include "pioneer.h"

#include <math.h>
#include <stdlib.h>

#define H 1e-3
#define TORQUE 0.1
#define TIME 20.0
#define SAMPLES 401
#define SEEDS 4

static const char *const row_aside[2][ODE_METHODS] = {
    {"lateral error, quick (pgs), 10 iterations", "lateral error, world (dantzig)",
     "lateral error, robust (max-dissipation), 10 iterations", "lateral error, our quick, 10 iterations",
     "lateral error, our cone"},
    {"lateral error, quick (pgs), 100 iterations", NULL, "lateral error, robust (max-dissipation), 100 iterations",
     "lateral error, our quick, 100 iterations", NULL}};

static double largest_aside(const PioneerPath *path)
{
    double most = 0.0;
    for (int i = 0; i < path->count; i++)
        most = fmax(most, fabs(path->places[i].aside));
    return path->count > 0 ? most : (double)NAN;
}

static double way(const PioneerPath *path)
{
    return path->count > 0 ? fabs(path->places[path->count - 1].along) : (double)NAN;
}

/* One of Figure 4's pictures; out: what each method was off by. */
static void figure_4(Lab *lab, const RgModel *model, int which, double out[ODE_METHODS])
{
    static const int iterations[2] = {10, 100};
    static const LabFigureDef figures[2] = {
        {.name = "fig4a", .title = "Figure 4 (a): straight ahead, 10 iterations", .x = "x (m)", .y = "y (m)"},
        {.name = "fig4b", .title = "Figure 4 (b): straight ahead, 100 iterations", .x = "x (m)", .y = "y (m)"}};
    static const char *const row_way[ODE_METHODS] = {"way in 20 s, quick (pgs)", "way in 20 s, world (dantzig)",
                                                     "way in 20 s, robust (max-dissipation)", "way in 20 s, our quick",
                                                     "way in 20 s, our cone"};
    LabFigure *figure = lab_figure(lab, &figures[which]);
    for (int m = 0; m < ODE_METHODS; m++) {
        if (m == ODE_ROBUST && which == 1 && lab_quick(lab))
            continue;
        PioneerDef def = {.model = model,
                          .coords = "maximal",
                          .by = {.method = m, .iterations = iterations[which], .h = H},
                          .left = -TORQUE,
                          .right = -TORQUE,
                          .time = TIME,
                          .film = which == 1 && m == ODE_CONE ? "line" : NULL,
                          .film_rate = 30.0,
                          .title = "0.1 N m on each wheel, castor first; our cone"};
        PioneerPath path = pioneer_drive(lab, &def, SAMPLES);
        out[m] = largest_aside(&path);
        if (row_aside[which][m])
            lab_measured(lab, row_aside[which][m], out[m]);
        /* By the largest number of iterations that was run. */
        if (which == 1 || (m == ODE_ROBUST && lab_quick(lab)))
            lab_measured(lab, row_way[m], way(&path));
        lab_curve(figure, LAB_LINES, "%s", ode_label(m));
        pioneer_draw(figure, &path);
        free(path.places);
        lab_progress(lab, (which * ODE_METHODS + m + 1) / (2.0 * ODE_METHODS + 3.0));
    }
}

/* What the wheels' two points each resist to a turn by the creep of 0.01 m/s per N, N m s; S; I. */
#define SCRUB (4 * 0.025 * 0.025 / 0.01)
#define S_BEHIND 0.410
#define I_AXLE 0.1737

/* How much a turn grew on its way over two decades and more of small ones, forwards: its logarithm over the closed
   form's. */
static double growth(const PioneerPath *path)
{
    int first = -1, last = -1;
    for (int i = 0; i < path->count; i++) {
        double rate = fabs(path->places[i].rate);
        first = first < 0 && path->places[i].along > 0.5 ? i : first;
        last = rate < 1e-2 ? i : last;
    }
    if (first < 0 || last <= first || fabs(path->places[last].rate) < 100.0 * fabs(path->places[first].rate))
        return (double)NAN;
    const PioneerPlace *a = &path->places[first], *b = &path->places[last];
    double expected = (S_BEHIND * (b->along - a->along) - SCRUB * (b->t - a->t)) / I_AXLE;
    return log(fabs(b->rate / a->rate)) / expected;
}

static void forwards(Lab *lab, const RgModel *model)
{
    LabFigure *figure = lab_figure(lab, &(LabFigureDef){"forwards", "driven forwards, with a first turn of 1e-7 rad/s",
                                                        "way (m)", "rate of turning (rad/s)", .log_y = true});
    for (int form = 0; form < 2; form++) {
        static const char *const forms[2] = {"maximal", "minimal"};
        PioneerDef def = {.model = model,
                          .coords = forms[form],
                          .by = {.method = ODE_CONE, .h = H},
                          .left = TORQUE,
                          .right = TORQUE,
                          .yaw_rate = 1e-7,
                          .time = 6.0};
        PioneerPath path = pioneer_drive(lab, &def, SAMPLES);
        lab_curve(figure, LAB_LINES, "our cone, %s", forms[form]);
        for (int i = 1; i < path.count; i++)
            lab_point(figure, path.places[i].along, fabs(path.places[i].rate));
        lab_measured(lab,
                     form == 0 ? "growth of a turn forwards, over the closed form"
                               : "growth of a turn forwards, over the closed form, minimal",
                     growth(&path));
        free(path.places);
    }
}

/* By the engine's own contacts: the largest lateral error over SEEDS of its shuffles. */
static void by_own_contacts(Lab *lab, const RgModel *model, int iterations, const char *row)
{
    double most = 0.0;
    for (int seed = 0; seed < SEEDS; seed++) {
        PioneerDef def = {.model = model,
                          .coords = "maximal",
                          .by = {.iterations = iterations, .h = H, .overlaps = true, .seed = seed},
                          .left = -TORQUE,
                          .right = -TORQUE,
                          .time = TIME};
        PioneerPath path = pioneer_drive(lab, &def, SAMPLES);
        most = fmax(most, largest_aside(&path));
        free(path.places);
    }
    lab_measured(lab, row, most);
}

/* The same in the other form, and by the robust method with the compressive limit as printed. */
static void further(Lab *lab, const RgModel *model)
{
    PioneerDef def = {.model = model,
                      .coords = "minimal",
                      .by = {.method = ODE_CONE, .h = H},
                      .left = -TORQUE,
                      .right = -TORQUE,
                      .time = TIME};
    PioneerPath path = pioneer_drive(lab, &def, SAMPLES);
    lab_measured(lab, "way in 20 s, our cone, minimal", way(&path));
    lab_measured(lab, "lateral error, our cone, minimal", largest_aside(&path));
    free(path.places);
    if (lab_quick(lab))
        return;
    def.coords = "maximal";
    def.by = (OdeMethod){.method = ODE_ROBUST, .iterations = 100, .h = H, .tight = true};
    path = pioneer_drive(lab, &def, SAMPLES);
    lab_measured(lab, "way lost by robust with normal impulses of phase 1 alone", 126.98 - way(&path));
    free(path.places);
}

static void run(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "pioneer.sdf", NULL);
    if (!model)
        return;
    double aside[2][ODE_METHODS];
    for (int which = 0; which < 2; which++)
        figure_4(lab, model, which, aside[which]);
    for (int which = 0; which < (lab_quick(lab) ? 1 : 2); which++)
        lab_measured(lab,
                     which == 0 ? "robust's lateral error over the others', 10 iterations"
                                : "robust's lateral error over the others', 100 iterations",
                     aside[which][ODE_ROBUST] / fmax(aside[which][ODE_PGS], aside[which][ODE_DANTZIG]));
    by_own_contacts(lab, model, 10, "lateral error, quick (pgs), the engine's contacts, 10 iterations");
    by_own_contacts(lab, model, 20, "lateral error, quick (pgs), the engine's contacts, 20 iterations");
    forwards(lab, model);
    further(lab, model);
    rg_model_destroy(model);
}

const Experiment experiment_pioneer_line = {
    "003-pioneer-line", "a Pioneer drives straight ahead for 20 s (paper 003, section 5.4, Figure 4)", 14.0, 9.0, run};
