/*
 * 001-C: a quadruped trots on the spot on feet that are hulls of 1,000 corners: changes of what touches, and steps.
 *
 *   the paper's rule   trot_paper.c: algorithm 1 as the archived program has it, for this robot
 *   rigid-001          the same bounds in the library, made safe
 *   rigid              ours: events located along curved paths; every run's certificate is checked
 *
 * One period of the gait and the standing after it: 0.48 s, the published changes times the published mean time between
 * them.
 */
#include "trot_paper.h"

#include "step_bins.h"
#include "vectors.h"

#define CORNERS 1000
#define GAP 1e-6
#define TIME 0.48
#define NOMINAL 0.01 /* s: of the paper's other experiments */
#define STEP 1e-3    /* s, of steppers of the library: the foot controller is stiff */

/* ------------------------------------------------------------------ figures */

typedef struct Seen {
    LabFigure *distance;
    LabFilm *film;
    double next;
    int64_t bins[RG_STEP_BINS];
} Seen;

static void see(double t, double h, double distance, void *context)
{
    Seen *seen = context;
    seen->bins[step_bin(h)]++;
    if (t < seen->next)
        return;
    lab_point(seen->distance, t, fmax(distance, 1e-9));
    seen->next = t + 1e-3;
}

static void see_world(RgWorld *world, void *context)
{
    Seen *seen = context;
    RgShapeDistance pairs[16];
    int count = 0;
    double least = (double)INFINITY;
    rg_world_distances(world, 0.5, pairs, 16, &count, NULL);
    for (int i = 0; i < count && i < 16; i++)
        least = fmin(least, pairs[i].distance.distance);
    if (seen->distance != NULL && isfinite(least))
        lab_point(seen->distance, rg_world_time(world), fmax(least, 1e-9));
    lab_film_step(seen->film, world);
}

/* ------------------------------------------------------------------ the paper's rule */

static void measure_paper(Lab *lab, const RgModel *model, LabFigure *distance, LabFigure *steps)
{
    const TrotRule rule = {.gap = GAP, .h_min = 1e-6, .h_max = NOMINAL, .time = TIME};
    Seen seen = {.distance = distance};
    lab_curve(distance, LAB_LINES, "the paper's rule");
    TrotRun run = trot_by_paper(model, &rule, see, &seen);
    double mean = run.end / (double)run.steps, between = located_mean_between(&run.changes);
    lab_measured(lab, "changes", (double)run.changes.count);
    lab_measured(lab, "mean time between changes", between);
    lab_measured(lab, "mean step", mean);
    lab_measured(lab, "least time between changes", run.changes.least);
    lab_measured(lab, "mean step / least time between changes", mean / run.changes.least);
    lab_measured(lab, "mean time between changes / mean step", between / mean);
    lab_measured(lab, "least distance", run.least_distance);
    lab_measured(lab, "height of the base at the end", run.height);
    step_bins_draw(steps, seen.bins, "the paper's rule");
    lab_say(lab, "The paper's rule: %lld steps, up to %d corners at once, %lld impacts that pivoting did not solve.",
            (long long)run.steps, run.most, (long long)run.unsolved);
    for (int i = 0; i < 5; i++) {
        TrotRule other = rule;
        other.h_min = i < 2 ? (const double[]){1e-8, 1e-7}[i] : rule.h_min;
        other.h_max = i == 2 ? 1e-3 : i == 3 ? 5e-3 : NOMINAL;
        other.gap = i == 4 ? 1e-7 : GAP;
        run = trot_by_paper(model, &other, NULL, NULL);
        lab_say(lab,
                "The paper's rule with least step %g s, nominal step %g s, gap %g m: %lld changes, mean step "
                "%.2g s, mean time between "
                "changes %.2g s, least %.2g s, least distance %.2g m.",
                other.h_min, other.h_max, other.gap, (long long)run.changes.count, run.end / (double)run.steps,
                located_mean_between(&run.changes), run.changes.least, run.least_distance);
    }
}

/* ------------------------------------------------------------------ steppers of the library */

typedef struct Trot {
    const char *stepper, *coords;
    bool draws, verifies;
} Trot;

static LocatedRun trot(Lab *lab, const RgModel *model, const Trot *how, LabFigure *distance, LabFigure *steps)
{
    LocatedRun run = {.mean = (double)NAN, .least_measured = (double)NAN};
    RgError error;
    Gait *gait = gait_create(model);
    LocatedSetup setup = located_setup(how->stepper, "no-slip");
    setup.coords = how->coords;
    setup.gap = GAP;
    setup.input = gait_input;
    setup.context = gait;
    RgWorld *world = gait != NULL ? located_world(model, &setup, &error) : NULL;
    if (world == NULL || gait_start(world) != RG_OK) {
        lab_fail(lab, "the robot's world cannot be made: %s",
                 gait != NULL && world == NULL ? error.text : "joints are missing");
    } else {
        Seen seen = {.distance = how->draws ? distance : NULL};
        if (how->draws) {
            lab_curve(distance, LAB_LINES, "%s", how->stepper);
            seen.film = lab_film(lab, "trot", "trot on feet of 1,000 corners, stepper rigid", world, 240.0);
        }
        run = located_run(world, &(LocatedWatch){.h = STEP,
                                                 .time = TIME,
                                                 .seconds = 600.0,
                                                 .measures = true,
                                                 .verifies = how->verifies,
                                                 .look = see_world,
                                                 .look_context = &seen});
        if (run.why[0] != '\0')
            lab_say(lab, "%s, %s: %s", how->stepper, how->coords, run.why);
        lab_film_end(seen.film);
        if (how->draws)
            step_bins_draw(steps, run.statistics.bins, how->stepper);
        lab_say(lab,
                "%s, %s: %lld steps, %lld changes, least time between them %.2g s, base at %.4f m, %.2g s of "
                "processor time.",
                how->stepper, how->coords, (long long)run.steps, (long long)located_changes(&run)->count,
                located_changes(&run)->least, rg_world_link_pose(world, gait->base).p.z, run.cpu);
    }
    rg_world_destroy(world);
    gait_destroy(gait);
    return run;
}

static void measure_located(Lab *lab, const RgModel *model, LabFigure *distance, LabFigure *steps)
{
    static const char *const forms[] = {"minimal", "maximal"};
    static const char *const rows[][5] = {
        {"mean step, rigid", "mean time between changes / mean step, rigid", "least distance verified, rigid",
         "every step verified, rigid", "least distance seen, rigid"},
        {"mean step, rigid, maximal", "mean time between changes / mean step, rigid, maximal",
         "least distance verified, rigid, maximal", "every step verified, rigid, maximal",
         "least distance seen, rigid, maximal"}};
    for (int form = 0; form < 2; form++) {
        LocatedRun run = trot(lab, model, &(Trot){"rigid", forms[form], form == 0, true}, distance, steps);
        bool verified = run.is_verified && run.verified.ok && run.why[0] == '\0';
        lab_measured(lab, rows[form][0], run.mean);
        lab_measured(lab, rows[form][1], located_between(&run) / run.mean);
        lab_measured(lab, rows[form][2], verified ? run.verified.min_distance : (double)NAN);
        lab_holds(lab, rows[form][3], verified);
        lab_measured(lab, rows[form][4], run.least_measured);
        lab_progress(lab, 0.1 + 0.05 * form);
    }
}

static void run(Lab *lab)
{
    LabFigure *distance =
        lab_figure(lab, &(LabFigureDef){"distance", "Trot: least distance of the four feet to the ground", "t (s)",
                                        "distance (m)", .log_y = true});
    LabFigure *steps = lab_figure(lab, &(LabFigureDef){"steps", "Trot: lengths of integration steps, 5 bins a decade",
                                                       "step (s)", "number of steps", .log_x = true, .log_y = true});
    RgError error;
    RgModel *model = gait_model_create(lab_model(lab, "links.sdf"), CORNERS, 1.0, &error);
    if (model == NULL) {
        lab_fail(lab, "links.sdf: %s", error.text);
        return;
    }
    measure_paper(lab, model, distance, steps);
    lab_progress(lab, 0.05);
    measure_located(lab, model, distance, steps);
    if (!lab_quick(lab)) {
        LocatedRun safe = trot(lab, model, &(Trot){"rigid-001", "minimal", false, false}, distance, steps);
        lab_measured(lab, "mean step, bounds made safe", safe.mean);
        lab_measured(lab, "changes at the ends of nominal steps, bounds made safe",
                     (double)located_changes(&safe)->count);
        lab_measured(lab, "least distance seen, bounds made safe", safe.least_measured);
        step_bins_draw(steps, safe.statistics.bins, "rigid-001");
    }
    rg_model_destroy(model);
}

const Experiment experiment_trot_corners = {
    "001-C-trot", "trot on feet of 1,000 corners: changes of contact, steps, no overlap (paper 001, section 6.3)", 25.0,
    4.0, run};
