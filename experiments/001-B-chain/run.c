/*
 * 001-B: a chain of 100 m, let go from horizontal 0.1 mm more than its length above the ground. Nothing ever touches:
 * all steps shorter than the nominal one are the price of the bound.
 *
 *   the paper's rule   chain_fall.c: algorithm 1 with equations 11 to 14, on the library's forward dynamics
 *   rigid-001          the same bounds in the library
 *   rigid              ours: the motion of a whole step is proven apart
 *
 * The paper says 100 links of 1 m, its archived file has 20 of 5 m, and a stored log is of a run with that; both are
 * run.
 */
#include "chain_fall.h"

#include "located_run.h"
#include "vectors.h"

#include <stdio.h>

#define BINS 50
#define OUTER 0.01
#define LOG_BINS 11 /* of 1 ms, the last one for whole steps */

static const ChainDef chains[] = {{.links = 20, .length = 5.0, .width = 2.0},
                                  {.links = 100, .length = 1.0, .width = 2.0}};

/* Tells a row called "WHAT, NN links". */
static void tell(Lab *lab, const char *what, const ChainDef *def, double value)
{
    char row[96];
    snprintf(row, sizeof row, "%s, %d links", what, def->links);
    lab_measured(lab, row, value);
}

/* ------------------------------------------------------------------ the paper's rule */

typedef struct Seen {
    LabFigure *distance;
    int64_t bins[BINS], by_ms[LOG_BINS];
} Seen;

static void see(double t, double h, double distance, void *context)
{
    Seen *seen = context;
    int bin = (int)(h / OUTER * BINS);
    seen->bins[bin >= BINS ? BINS - 1 : bin]++;
    seen->by_ms[(int)(h * 1e3 * (1.0 + 1e-9))]++;
    lab_point(seen->distance, t, distance);
}

static void draw_histograms(LabFigure *fig3, LabFigure *log, const ChainDef *def, const Seen *seen)
{
    lab_curve(fig3, LAB_STEPS, "%d links of %g m", def->links, def->length);
    for (int i = 0; i <= BINS; i++)
        lab_point(fig3, i * OUTER / BINS, i < BINS ? (double)seen->bins[i] : 0.0);
    if (def->links != 20)
        return;
    static const double stored[LOG_BINS] = {75, 39, 16, 8, 6, 25, 7, 6, 13, 11, 450};
    lab_curve(log, LAB_LINES_POINTS, "ours, 20 links");
    for (int i = 0; i < LOG_BINS; i++)
        lab_point(log, i, (double)seen->by_ms[i]);
    lab_curve(log, LAB_DASHED, "stored log of the archive, 20 links");
    for (int i = 0; i < LOG_BINS; i++)
        lab_point(log, i, stored[i]);
}

static void measure_paper(Lab *lab, const ChainDef *def, const RgModel *model, LabFigure *figures[3])
{
    Seen seen = {.distance = figures[2]};
    lab_curve(figures[2], LAB_LINES, "%d links", def->links);
    ChainFall fall = chain_fall(def, model, see, &seen);
    tell(lab, "least step", def, fall.least_bound);
    tell(lab, "mean step", def, fall.mean);
    tell(lab, "part of steps at 0.01 s", def, fall.whole);
    tell(lab, "least distance", def, fall.least_distance);
    if (def->links == 20) {
        lab_measured(lab, "steps, 20 links", (double)fall.steps);
        lab_measured(lab, "distance in row 100", fall.at[0]);
        lab_measured(lab, "distance in row 200", fall.at[1]);
        lab_measured(lab, "distance in row 300", fall.at[2]);
        lab_measured(lab, "distance in row 400", fall.at[3]);
    }
    draw_histograms(figures[0], figures[1], def, &seen);
    lab_say(lab,
            "%d links, the paper's rule: %lld steps; the shortest that only ends at a multiple of 0.01 s has "
            "%.2g s.",
            def->links, (long long)fall.steps, fall.least);
}

/* ------------------------------------------------------------------ steppers of the library */

typedef struct Fall {
    const char *stepper, *coords, *film;
    bool verifies;
    LabFilm *of;
} Fall;

static void look(RgWorld *world, void *context)
{
    lab_film_step(((Fall *)context)->of, world);
}

static LocatedRun fall_in_world(Lab *lab, const RgModel *model, Fall *how)
{
    LocatedSetup setup = located_setup(how->stepper, "cone");
    setup.coords = how->coords;
    setup.gravity = vec(0.0, -9.81, 0.0);
    setup.gap = 1e-6;
    RgError error;
    LocatedRun run = {.mean = (double)NAN};
    RgWorld *world = located_world(model, &setup, &error);
    if (world == NULL) {
        lab_fail(lab, "the chain's world cannot be made: %s", error.text);
        return run;
    }
    const double quarter = 0.5 * TEST_PI;
    rg_world_set_joint_position(world, (RgJointId){1}, &quarter);
    if (how->film != NULL)
        how->of = lab_film(lab, how->film, "the chain falls past the ground", world, 30.0);
    run = located_run(
        world,
        &(LocatedWatch){
            .h = OUTER, .time = 5.0, .seconds = 600.0, .verifies = how->verifies, .look = look, .look_context = how});
    if (run.why[0] != '\0')
        lab_say(lab, "%s, %s: %s", how->stepper, how->coords, run.why);
    lab_film_end(how->of);
    rg_world_destroy(world);
    return run;
}

static double whole_part(const RgStepStatistics *s)
{
    /* Bin 40 begins at 0.01 s; round-off puts a whole step on either side of it, and no other is as long. */
    double whole = 0.0;
    for (int i = 40; i < RG_STEP_BINS; i++)
        whole += (double)s->bins[i];
    return whole / (double)s->steps;
}

static void measure_worlds(Lab *lab, const ChainDef *def, const RgModel *model)
{
    LocatedRun safe = fall_in_world(lab, model, &(Fall){.stepper = "rigid-001", .coords = "minimal"});
    tell(lab, "least step, rigid-001", def, safe.statistics.least);
    tell(lab, "mean step, rigid-001", def, safe.mean);
    tell(lab, "part of steps at 0.01 s, rigid-001", def, whole_part(&safe.statistics));
    LocatedRun free_bodies = fall_in_world(lab, model, &(Fall){.stepper = "rigid-001", .coords = "maximal"});
    tell(lab, "mean step, rigid-001, maximal", def, free_bodies.mean);
    int64_t touches = safe.statistics.events[RG_EVENT_touch] + free_bodies.statistics.events[RG_EVENT_touch];

    static const char *const forms[] = {"minimal", "maximal"};
    bool small = def->links == 20;
    for (int form = 0; form < (small || !lab_quick(lab) ? 2 : 1); form++) {
        Fall how = {.stepper = "rigid",
                    .coords = forms[form],
                    .film = form > 0 ? NULL
                            : small  ? "chain20"
                                     : "chain100",
                    .verifies = true};
        LocatedRun run = fall_in_world(lab, model, &how);
        bool verified = run.is_verified && run.verified.ok;
        tell(lab, form == 0 ? "mean step, rigid" : "mean step, rigid, maximal", def, run.mean);
        tell(lab, form == 0 ? "least distance verified, rigid" : "least distance verified, rigid, maximal", def,
             verified ? run.verified.min_distance : (double)NAN);
        touches += run.statistics.events[RG_EVENT_touch];
        lab_say(lab,
                "%d links, %s: rigid makes %lld steps in %.2g s of processor time, rigid-001 (minimal) %lld "
                "in %.2g s.",
                def->links, forms[form], (long long)run.steps, run.cpu, (long long)safe.steps, safe.cpu);
    }
    tell(lab, "contacts", def, (double)touches);
}

/* ------------------------------------------------------------------ trials */

static void measure_bound(Lab *lab)
{
    static const char *const rows[][4] = {
        {"trials beyond the bound, hinges", "trials beyond the bound as printed, hinges", "designed case, hinges"},
        {"trials beyond the bound, two sliding joints", "trials beyond the bound as printed, two sliding joints",
         "designed case, two sliding joints"}};
    int count = lab_quick(lab) ? 5000 : 100000;
    for (int slides = 0; slides < 2; slides++) {
        ChainDef def = {.links = 20, .length = 5.0, .width = 2.0, .slides = slides > 0};
        RgModel *model = chain_model(lab, &def);
        if (model == NULL)
            return;
        ChainTrials mended = chain_trials(&def, model, count, true), printed = chain_trials(&def, model, count, false);
        lab_measured(lab, rows[slides][0], mended.passed);
        lab_measured(lab, rows[slides][1], printed.passed);
        lab_measured(lab, rows[slides][2], chain_designed_case(&def, model, true));
        lab_say(lab,
                "%s: the nearest of %d random trials came to %.3f of the bound; the designed case to %.4f, "
                "and to %.4f of the bound as "
                "printed.",
                slides ? "Two sliding joints" : "Hinges", count, mended.most, chain_designed_case(&def, model, true),
                chain_designed_case(&def, model, false));
        rg_model_destroy(model);
    }
}

static void run(Lab *lab)
{
    LabFigure *figures[3] = {
        lab_figure(lab, &(LabFigureDef){"fig3", "Figure 3: integration steps of the falling chain, 50 bins", "step (s)",
                                        .y = "number of steps"}),
        lab_figure(lab, &(LabFigureDef){"log", "Steps of the chain of 20 links by whole milliseconds", "step (ms)",
                                        "number of steps", .log_y = true}),
        lab_figure(
            lab, &(LabFigureDef){"distance", "Distance of the last link to the ground", "t (s)", .y = "distance (m)"})};
    for (int i = 0; i < 2; i++) {
        RgModel *model = chain_model(lab, &chains[i]);
        if (model == NULL)
            return;
        measure_paper(lab, &chains[i], model, figures);
        measure_worlds(lab, &chains[i], model);
        rg_model_destroy(model);
        lab_progress(lab, i == 0 ? 0.15 : 0.8);
    }
    measure_bound(lab);
}

const Experiment experiment_falling_chain = {
    "001-B-chain", "chain that falls past the ground: steps without any contact (paper 001, section 6.2, Figure 3)",
    12.0, 6.0, run};
