/*
 * 003-pioneer-circle: 2.2 and 2.1 N m on the wheels of the Pioneer until it has turned 1.5 times (paper 003, section
 * 5.3, Figure 3).
 *
 * As printed, with the archived robot: tyres of mu = 0.5 hold at most 0.3 N m a wheel, so both wheels spin from the
 * first step on, both push with mu N whatever their torques, and the robot goes straight on. In closed form (moments
 * about the ground below its centre of mass, x_w = 0.1, x_c = -0.2 m):
 *
 *   F = mu N = (m + I_c / r_c^2) a,   (x_w - x_c) N = -x_c m g - tau + F r - (m z + I_c / r_c) a   =>   a = 1.09 m/s^2
 *
 * while the wheels go through 2,000 rad/s after 1.5 s. So a circle needs something that holds the wheels back. The
 * paper's own section 4 has it, viscous friction in the joints: with DAMPING k they run up to 11.0 and 10.5 rad/s, slip
 * while the robot follows, and then roll at v = 0.806 m/s on a circle. Its rate of turning w is where the moments about
 * the axle's middle are in balance (b half the track, S and c as in 003-pioneer-line, G = 2 / creep of a wheel's two
 * points, g = G / (G + k / r^2)):
 *
 *   g b (2.2 - 2.1) / r = (2 g k b^2 / r^2 + c - S v) w        =>   w = 0.1155 rad/s,  R = v / w = 6.98 m
 *
 * A cone does not know where x is: each path must be the same at a heading of 45 degrees.
 */
#include "pioneer.h"

#include <math.h>
#include <stdlib.h>

#define H 1e-3
#define LEFT 2.2
#define RIGHT 2.1
#define DAMPING 0.2 /* N m s/rad; with much less S v wins, and the robot swings round */
#define TURNS 1.5
#define SAMPLES 1101
#define MOST_TIME 110.0

static PioneerDef circle_of(const RgModel *model, int method, int iterations)
{
    return (PioneerDef){.model = model,
                        .coords = "maximal",
                        .by = {.method = method, .iterations = iterations, .h = H},
                        .left = LEFT,
                        .right = RIGHT,
                        .damping = DAMPING,
                        .time = MOST_TIME,
                        .turns = TURNS};
}

/* Radius of the circle through three places of the last turn, a third of it apart. */
static double radius_of(const PioneerPath *path)
{
    const PioneerPlace *at[3];
    int last = path->count - 1, found = 0;
    for (int i = last; i >= 0 && found < 3; i--)
        if (fabs(path->places[last].turned - path->places[i].turned) >= found * 2.0943951)
            at[found++] = &path->places[i];
    if (found < 3)
        return (double)NAN;
    double a = hypot(at[0]->along - at[1]->along, at[0]->aside - at[1]->aside);
    double b = hypot(at[1]->along - at[2]->along, at[1]->aside - at[2]->aside);
    double c = hypot(at[2]->along - at[0]->along, at[2]->aside - at[0]->aside);
    double s = 0.5 * (a + b + c);
    return a * b * c / (4.0 * sqrt(s * (s - a) * (s - b) * (s - c)));
}

/* ------------------------------------------------------------------ as printed */

static void as_printed(Lab *lab, const RgModel *model)
{
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"printed", "torques as printed: the wheels spin", "x (m)", .y = "y (m)"});
    for (int m = 0; m < ODE_METHODS; m++) {
        PioneerDef def = circle_of(model, m, 90);
        def.damping = 0.0;
        def.time = 1.0;
        PioneerPath path = pioneer_drive(lab, &def, SAMPLES);
        const PioneerPlace *end = &path.places[path.count > 0 ? path.count - 1 : 0];
        lab_curve(figure, LAB_LINES, "%s", ode_label(m));
        pioneer_draw(figure, &path);
        if (m == ODE_CONE) {
            lab_measured(lab, "acceleration with torques as printed", 2.0 * end->along / (end->t * end->t));
            lab_measured(lab, "turns within 1 s with torques as printed", fabs(end->turned) / 6.283185307179586);
            lab_say(lab, "As printed: after 1 s the wheels turn at %.0f rad/s, the robot moves at %.2g m/s.",
                    path.wheel_speed, 2.0 * end->along / end->t);
        }
        free(path.places);
    }
}

/* ------------------------------------------------------------------ circles */

static const int iterations_of[2] = {10, 90};

/* The circles of one of Figure 3's pictures. */
static void figure_3(Lab *lab, const RgModel *model, int which, PioneerPath paths[ODE_METHODS])
{
    static const LabFigureDef figures[2] = {{.name = "fig3a",
                                             .title = "Figure 3 (a): circles, 10 iterations",
                                             .x = "x (m)",
                                             .y = "y (m)",
                                             .same_scale = true},
                                            {.name = "fig3b",
                                             .title = "Figure 3 (b): circles, 90 iterations",
                                             .x = "x (m)",
                                             .y = "y (m)",
                                             .same_scale = true}};
    LabFigure *figure = lab_figure(lab, &figures[which]);
    for (int m = 0; m < ODE_METHODS; m++) {
        paths[m] = (PioneerPath){0};
        if (lab_quick(lab) && (which == 0 || m == ODE_ROBUST))
            continue;
        PioneerDef def = circle_of(model, m, iterations_of[which]);
        def.film = which == 1 && m == ODE_CONE ? "circle" : NULL;
        def.film_rate = 15.0;
        def.title = "2.2 and 2.1 N m, damped axles; our cone";
        paths[m] = pioneer_drive(lab, &def, SAMPLES);
        lab_curve(figure, LAB_LINES, "%s", ode_label(m));
        pioneer_draw(figure, &paths[m]);
        lab_progress(lab, (which * ODE_METHODS + m + 1) / (3.0 * ODE_METHODS));
    }
}

/* How far a method's path at 45 degrees is from that at 0, each along its own heading. */
static double turned_apart(Lab *lab, const RgModel *model, int method, const PioneerPath *at_0)
{
    PioneerDef def = circle_of(model, method, 90);
    def.heading = 0.7853981633974483;
    PioneerPath path = pioneer_drive(lab, &def, SAMPLES);
    double apart = pioneer_paths_apart(&path, at_0);
    free(path.places);
    return apart;
}

static void tell_circles(Lab *lab, PioneerPath paths[2][ODE_METHODS])
{
    static const char *const turns[ODE_METHODS] = {"1.5 turns after, quick (pgs)", "1.5 turns after, world (dantzig)",
                                                   "1.5 turns after, robust (max-dissipation)",
                                                   "1.5 turns after, our quick", "1.5 turns after, our cone"};
    static const char *const radii[ODE_METHODS] = {"radius, quick (pgs)", "radius, world (dantzig)",
                                                   "radius, robust (max-dissipation)", "radius, our quick",
                                                   "radius, our cone"};
    static const char *const apart[2][ODE_METHODS] = {{"path of quick (pgs), 10 iterations, apart from Coulomb's", NULL,
                                                       "path of robust, 10 iterations, apart from Coulomb's",
                                                       "path of our quick, 10 iterations, apart from Coulomb's"},
                                                      {"path of quick (pgs), 90 iterations, apart from Coulomb's",
                                                       "path of world (dantzig) apart from Coulomb's",
                                                       "path of robust, 90 iterations, apart from Coulomb's",
                                                       "path of our quick, 90 iterations, apart from Coulomb's"}};
    for (int m = 0; m < ODE_METHODS; m++) {
        const PioneerPath *path = &paths[1][m];
        if (path->count == 0)
            continue;
        lab_measured(lab, turns[m], path->turned ? path->ended : (double)NAN);
        lab_measured(lab, radii[m], radius_of(path));
        for (int which = 0; which < 2; which++)
            if (apart[which][m] && paths[which][m].count > 0)
                lab_measured(lab, apart[which][m], pioneer_paths_apart(&paths[which][m], &paths[1][ODE_CONE]));
    }
}

/* Quick by the engine's own contacts. */
static void by_own_contacts(Lab *lab, const RgModel *model)
{
    PioneerDef def = circle_of(model, ODE_PGS, 10);
    def.by.overlaps = true;
    PioneerPath path = pioneer_drive(lab, &def, SAMPLES);
    lab_measured(lab, "radius, quick (pgs), the engine's contacts, 10 iterations", radius_of(&path));
    lab_measured(lab, "1.5 turns after, quick (pgs), the engine's contacts, 10 iterations",
                 path.turned ? path.ended : (double)NAN);
    free(path.places);
}

static void run(Lab *lab)
{
    RgModel *model = lab_model_load(lab, "pioneer.sdf", NULL);
    if (!model)
        return;
    PioneerPath paths[2][ODE_METHODS];
    as_printed(lab, model);
    for (int which = 0; which < 2; which++)
        figure_3(lab, model, which, paths[which]);
    tell_circles(lab, paths);
    lab_measured(lab, "path at 45 degrees apart from that at 0, our cone",
                 turned_apart(lab, model, ODE_CONE, &paths[1][ODE_CONE]));
    if (!lab_quick(lab)) {
        lab_measured(lab, "path at 45 degrees apart from that at 0, world (dantzig)",
                     turned_apart(lab, model, ODE_DANTZIG, &paths[1][ODE_DANTZIG]));
        lab_measured(lab, "path at 45 degrees apart from that at 0, robust",
                     turned_apart(lab, model, ODE_ROBUST, &paths[1][ODE_ROBUST]));
    }
    by_own_contacts(lab, model);
    PioneerDef def = circle_of(model, ODE_CONE, 90);
    def.coords = "minimal";
    PioneerPath minimal = pioneer_drive(lab, &def, SAMPLES);
    lab_measured(lab, "path of our cone, minimal, apart from maximal",
                 pioneer_paths_apart(&minimal, &paths[1][ODE_CONE]));
    free(minimal.places);
    for (int which = 0; which < 2; which++)
        for (int m = 0; m < ODE_METHODS; m++)
            free(paths[which][m].places);
    rg_model_destroy(model);
}

const Experiment experiment_pioneer_circle = {
    "003-pioneer-circle", "a Pioneer drives in circles (paper 003, section 5.3, Figure 3)", 110.0, 22.0, run};
