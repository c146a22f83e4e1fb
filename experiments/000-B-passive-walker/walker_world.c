/*
 * walker_world.c - the walker as a world of the library: thin ellipsoids for feet, a half-space for the slope, contacts
 * located by the stepper `rigid` with the solver `cone`, friction 10, without any knowledge of legs or heelstrikes.
 *
 * Measured: the times between heelstrikes (events `impact`), the advance of the feet, whether every distance of the run
 * was above 0 (a certificate, checked by other code). The error of the first period is of second order in the step.
 *
 * The no-slip model of paper 000 also keeps unloaded contacts from sliding: it holds the trailing foot at the instant of
 * lift-off, which changes the gait. It is measured too.
 */
#include "walker.h"

#include "located_run.h"
#include "vectors.h"

#define MOST_STRIKES 256
#define FILMED 15.0 /* units of time: as many steps are enough to look at */

/* A run in a world and its results. */
typedef struct Walk {
    const char *coords, *solver;
    double h, time;
    bool verifies;
    const char *film; /* NULL: none */

    int strikes;
    double t[MOST_STRIKES], x[MOST_STRIKES]; /* of heelstrikes: when, and where the foot touches */
    bool verified;
    double least;  /* distance that the certificate proves */
    double energy; /* at the end */
    LabFilm *of;
} Walk;

static void take_strikes(RgWorld *world, void *context)
{
    Walk *walk = context;
    const RgEvent *events;
    int n = rg_world_events(world, &events);
    for (int i = 0; i < n; i++)
        if (events[i].kind == RG_EVENT_impact && walk->strikes < MOST_STRIKES) {
            walk->t[walk->strikes] = events[i].t;
            walk->x[walk->strikes++] = events[i].point.x;
        }
    if (rg_world_time(world) < FILMED)
        lab_film_step(walk->of, world);
}

static void walk_on(Lab *lab, const Walker *walker, Walk *walk)
{
    LocatedSetup setup = located_setup("rigid", walk->solver);
    setup.coords = walk->coords;
    setup.gravity = rg_model_hints(walker->model)->gravity;
    RgError error;
    RgWorld *world = located_world(walker->model, &setup, &error);
    if (world == NULL) {
        lab_fail(lab, "the walker's world cannot be made: %s", error.text);
        return;
    }
    WalkerState s = walker_fixed_point();
    double q[WALKER_NQ], v[WALKER_NV];
    walker_coordinates(&s, q, v);
    rg_world_set_state(world, q, v);
    if (walk->film != NULL)
        walk->of = lab_film(lab, walk->film, "the walker goes down the slope, stepper rigid", world, 0.0);
    LocatedRun run = located_run(world, &(LocatedWatch){.h = walk->h,
                                                        .time = walk->time,
                                                        .seconds = 600.0,
                                                        .verifies = walk->verifies,
                                                        .look = take_strikes,
                                                        .look_context = walk});
    if (run.why[0] != '\0')
        lab_say(lab, "%s, step %g: %s", walk->coords, walk->h, run.why);
    walk->verified = run.is_verified && run.verified.ok && run.why[0] == '\0';
    walk->least = run.is_verified ? run.verified.min_distance : (double)NAN;
    RgMomentum m;
    walk->energy = rg_world_momentum(world, &m) == RG_OK ? m.kinetic + m.potential : (double)NAN;
    lab_film_end(walk->of);
    rg_world_destroy(world);
}

static double period(const Walk *walk, int i)
{
    return i >= walk->strikes ? (double)NAN : i == 0 ? walk->t[0] : walk->t[i] - walk->t[i - 1];
}

/* Mean over the last `last` steps. */
static double mean_period(const Walk *walk, int last)
{
    int n = walk->strikes;
    return n > last ? (walk->t[n - 1] - walk->t[n - 1 - last]) / last : (double)NAN;
}

static double mean_advance(const Walk *walk, int last)
{
    int n = walk->strikes;
    return n > last ? (walk->x[n - 1] - walk->x[n - 1 - last]) / last : (double)NAN;
}

/* The error of the first period at two steps, one half of the other. */
static double order_of_error(Lab *lab, const Walker *walker, const char *coords, double truth)
{
    double error[2];
    for (int i = 0; i < 2; i++) {
        Walk walk = {.coords = coords, .solver = "cone", .h = i == 0 ? 0.01 : 0.005, .time = 1.1};
        walk_on(lab, walker, &walk);
        error[i] = fabs(period(&walk, 0) - truth);
    }
    return log2(error[0] / error[1]);
}

static void tell_no_slip(Lab *lab, const Walker *walker)
{
    Walk walk = {.coords = "minimal", .solver = "no-slip", .h = 0.0025, .time = 4.0};
    walk_on(lab, walker, &walk);
    lab_say(lab,
            "With the no-slip contact model the second and third period are %.4f and %.4f (the first, before any "
            "heelstrike, %.6f): it also keeps the trailing foot from sliding, which carries nothing and leaves.",
            period(&walk, 1), period(&walk, 2), period(&walk, 0));
}

void walker_in_worlds(Lab *lab, const Walker *walker)
{
    static const char *const forms[] = {"minimal", "maximal"}; /* the first is the paper's */
    static const char *const rows[][6] = {
        {"first period in a world", "order of its error", "period after many steps in a world",
         "advance per step in a world", "heelstrikes in a world", "walk proven free of overlap"},
        {"first period in a world, maximal", "order of its error, maximal",
         "period after many steps in a world, maximal", "advance per step in a world, maximal",
         "heelstrikes in a world, maximal", "walk proven free of overlap, maximal"}};
    const double truth = 1.007114036;
    LabFigure *figure =
        lab_figure(lab, &(LabFigureDef){"periods", "Time from heelstrike to heelstrike in worlds of the library",
                                        "step of the walk", .y = "period (sqrt(l/g))"});
    int wanted = lab_quick(lab) ? 20 : 100;
    for (int form = 0; form < 2; form++) {
        Walk walk = {.coords = forms[form],
                     .solver = "cone",
                     .h = 0.0025,
                     .time = (wanted + 0.5) * truth,
                     .verifies = true,
                     .film = form == 0 ? "walk" : NULL};
        walk_on(lab, walker, &walk);
        lab_curve(figure, LAB_LINES_POINTS, "%s, step 0.0025", forms[form]);
        for (int i = 0; i < walk.strikes && i < 40; i++)
            lab_point(figure, i + 1, period(&walk, i));
        lab_measured(lab, rows[form][0], period(&walk, 0));
        lab_measured(lab, rows[form][1], order_of_error(lab, walker, forms[form], truth));
        lab_measured(lab, rows[form][2], mean_period(&walk, 10));
        lab_measured(lab, rows[form][3], mean_advance(&walk, 10));
        lab_measured(lab, rows[form][4], (double)walk.strikes / wanted);
        lab_holds(lab, rows[form][5], walk.verified && walk.least > 0.0);
        lab_say(lab, "%s: %d heelstrikes in %g; least distance that the certificate proves %.3g.", forms[form],
                walk.strikes, walk.time, walk.least);
        lab_progress(lab, 0.5 + 0.25 * (form + 1));
    }
    lab_curve(figure, LAB_DASHED, "published 1.007114036");
    lab_point(figure, 1.0, truth);
    lab_point(figure, lab_quick(lab) ? 20.0 : 40.0, truth);
    tell_no_slip(lab, walker);
}
