/*
 * 001-A: a thrown die: number of contact changes, number of steps, overlaps.
 *
 *   the paper's rule   die_paper.c: algorithm 1 as the archived program has it
 *   rigid-001          the same bounds in the library, made safe for any bodies
 *   rigid              ours: events located along curved paths
 *
 * Checks: the certificate of `rigid`, by other code; distances measured independently at 20 times as many times; the
 * same list of changes at steps of 10, 3 and 1 ms; both coordinate forms.
 */
#include "die_paper.h"
#include "experiment.h"

#include "located_thrown.h"
#include "step_bins.h"
#include "vectors.h"

#define GAP 1e-6
#define GROUND (-5e-6)

/* ------------------------------------------------------------------ figures */

/* What is drawn of a run: heights over time, and a histogram of the lengths of steps. */
typedef struct Seen {
    LabFigure *distance;
    double next; /* s: time of the next point; every step is far too many */
    int64_t bins[RG_STEP_BINS];
    LabFilm *film;
} Seen;

static void see(Seen *seen, double t, double distance)
{
    if (seen->distance == NULL || t < seen->next)
        return;
    lab_point(seen->distance, t, fmax(distance, 1e-10));
    seen->next = t + 2e-3;
}

static void see_paper(double t, double h, double distance, const DieState *state, void *context)
{
    (void)state;
    Seen *seen = context;
    seen->bins[step_bin(h)]++;
    see(seen, t, distance);
}

static void see_world(RgWorld *world, void *context)
{
    Seen *seen = context;
    RgShapeDistance pair;
    int count;
    if (rg_world_distances(world, (double)INFINITY, &pair, 1, &count, NULL) == RG_OK && count == 1)
        see(seen, rg_world_time(world), pair.distance.distance);
    lab_film_step(seen->film, world);
}

/* ------------------------------------------------------------------ the paper's rule */

static DieState die_start(RgWorld *world)
{
    RgMotion twist = rg_world_link_twist(world, (RgLinkId){1});
    return (DieState){rg_world_link_pose(world, (RgLinkId){1}), twist.w, twist.v};
}

/* How far the nearest face's normal is from vertical, rad. */
static double off_face(const DieState *s)
{
    double off = (double)INFINITY;
    for (int i = 0; i < 3; i++)
        off = fmin(off, hypot(s->X.R.m[1][(i + 1) % 3], s->X.R.m[1][(i + 2) % 3]));
    return off;
}

static void measure_paper(Lab *lab, RgWorld *world, LabFigure *distance, LabFigure *steps)
{
    const DieState start = die_start(world);
    const DieRule rule = {.gap = GAP, .h_min = 1e-6, .h_max = THROWN_STEP, .time = THROWN_TIME, .rest = THROWN_REST};
    Seen seen = {.distance = distance};
    lab_curve(distance, LAB_LINES, "the paper's rule");
    DieRun run = die_by_paper(&start, GROUND, &rule, see_paper, &seen);
    double mean = run.end / (double)run.steps, between = located_mean_between(&run.changes);
    lab_measured(lab, "changes", (double)run.changes.count);
    lab_measured(lab, "least distance", run.least_distance);
    lab_measured(lab, "mean time between changes", between);
    lab_measured(lab, "mean step", mean);
    lab_measured(lab, "least time between changes", run.changes.least);
    lab_measured(lab, "mean step / least time between changes", mean / run.changes.least);
    lab_measured(lab, "mean time between changes / mean step", between / mean);
    lab_holds(lab, "comes to rest on a face", !isnan(run.rest) && off_face(&run.state) < 1e-4);
    step_bins_draw(steps, seen.bins, "the paper's rule");
    lab_say(lab, "The paper's rule: %lld steps, at rest after %.3f s, %.1e rad off its face.", (long long)run.steps,
            run.rest, off_face(&run.state));

    /* What depends on its two tolerances, and whether it is safe. */
    for (int i = 0; i < 6; i++) {
        DieRule other = rule;
        other.h_min = (const double[]){1e-8, 1e-7, 1e-5}[i % 3];
        other.gap = i < 3 ? GAP : 1e-7;
        run = die_by_paper(&start, GROUND, &other, NULL, NULL);
        lab_say(lab,
                "The paper's rule with least step %g s and gap %g m: %lld changes, mean step %.2g s, mean "
                "time between changes "
                "%.2g s, least %.2g s, least distance %.2g m.",
                other.h_min, other.gap, (long long)run.changes.count, run.end / (double)run.steps,
                located_mean_between(&run.changes), run.changes.least, run.least_distance);
    }
}

/* ------------------------------------------------------------------ steppers of the library */

typedef struct Throw001 {
    const char *stepper, *coords, *name; /* name: of the curve; NULL: none */
    double h;
    bool verifies;
    const char *film;
    const char *solver; /* NULL: no-slip */
    double gap;         /* 0: the paper's */
} Throw001;

typedef struct Thrown {
    LocatedRun run;
    int face;
    double angle;
} Thrown;

static RgWorld *die_world(Lab *lab, const RgModel *model, const Throw001 *how)
{
    LocatedSetup setup = located_setup(how->stepper, how->solver != NULL ? how->solver : "no-slip");
    setup.coords = how->coords;
    setup.gap = how->gap > 0.0 ? how->gap : GAP;
    setup.gravity = vec(0.0, -9.81, 0.0);
    RgError error;
    RgWorld *world = located_world(model, &setup, &error);
    if (world == NULL)
        lab_fail(lab, "the die's world cannot be made: %s", error.text);
    else
        thrown_die_start(world);
    return world;
}

static Thrown throw_die(Lab *lab, const RgModel *model, const Throw001 *how, LabFigure *distance, LabFigure *steps)
{
    Thrown out = {.face = 0};
    RgWorld *world = die_world(lab, model, how);
    if (world == NULL)
        return out;
    Seen seen = {.distance = how->name != NULL ? distance : NULL};
    if (how->film != NULL)
        seen.film = lab_film(lab, how->film, "thrown die, stepper rigid, nominal steps of 10 ms", world, 0.0);
    if (how->name != NULL)
        lab_curve(distance, LAB_LINES, "%s", how->name);
    out.run = located_run(world, &(LocatedWatch){.h = how->h,
                                                 .time = THROWN_TIME,
                                                 .rest_energy = THROWN_REST,
                                                 .seconds = 300.0,
                                                 .measures = true,
                                                 .verifies = how->verifies,
                                                 .look = see_world,
                                                 .look_context = &seen});
    if (out.run.why[0] != '\0')
        lab_say(lab, "%s, %s: %s", how->stepper, how->coords, out.run.why);
    out.face = thrown_die_face(world, &out.angle);
    if (how->name != NULL)
        step_bins_draw(steps, out.run.statistics.bins, how->name);
    lab_film_end(seen.film);
    rg_world_destroy(world);
    return out;
}

static void measure_safe(Lab *lab, const RgModel *model, LabFigure *distance, LabFigure *steps)
{
    Thrown t = throw_die(
        lab, model, &(Throw001){.stepper = "rigid-001", .coords = "minimal", .name = "rigid-001", .h = THROWN_STEP},
        distance, steps);
    lab_measured(lab, "mean step, bounds made safe", t.run.mean);
    lab_measured(lab, "least distance proven, bounds made safe", t.run.statistics.least_distance);
    lab_holds(lab, "comes to rest on a face, bounds made safe", !isnan(t.run.rest) && t.angle < 1e-4);
    lab_say(lab, "rigid-001: %lld steps, at rest after %.3f s, %lld changes.", (long long)t.run.steps, t.run.rest,
            (long long)located_changes(&t.run)->count);
}

static void measure_located(Lab *lab, const RgModel *model, LabFigure *distance, LabFigure *steps)
{
    static const char *const forms[] = {"minimal", "maximal"};
    static const char *const rows[][6] = {
        {"mean step, rigid", "mean time between changes / mean step, rigid", "least distance verified, rigid",
         "every step verified, rigid", "comes to rest on a face, rigid", "same changes at 10, 3 and 1 ms, rigid"},
        {"mean step, rigid, maximal", "mean time between changes / mean step, rigid, maximal",
         "least distance verified, rigid, maximal", "every step verified, rigid, maximal",
         "comes to rest on a face, rigid, maximal", "same changes at 10, 3 and 1 ms, rigid, maximal"}};
    for (int form = 0; form < 2; form++) {
        Throw001 how = {.stepper = "rigid",
                        .coords = forms[form],
                        .name = form == 0 ? "rigid" : NULL,
                        .h = THROWN_STEP,
                        .verifies = true,
                        .film = form == 0 ? "die" : NULL};
        Thrown t = throw_die(lab, model, &how, distance, steps);
        bool verified = t.run.is_verified && t.run.verified.ok && t.run.why[0] == '\0';
        lab_measured(lab, rows[form][0], t.run.mean);
        lab_measured(lab, rows[form][1], located_between(&t.run) / t.run.mean);
        lab_measured(lab, rows[form][2], verified ? t.run.verified.min_distance : (double)NAN);
        lab_holds(lab, rows[form][3], verified);
        lab_holds(lab, rows[form][4], !isnan(t.run.rest) && t.angle < 1e-4);
        int64_t changes = located_changes(&t.run)->count;
        lab_say(lab,
                "rigid, %s: %lld steps, at rest after %.3f s on face %d, %lld changes, least time between "
                "them %.2g s.",
                forms[form], (long long)t.run.steps, t.run.rest, t.face, (long long)changes,
                located_changes(&t.run)->least);
        bool same = true;
        for (int i = 0; i < 2; i++) {
            Throw001 finer = {.stepper = "rigid", .coords = forms[form], .h = i == 0 ? 3e-3 : 1e-3};
            Thrown f = throw_die(lab, model, &finer, distance, steps);
            same = same && located_changes(&f.run)->count == changes && f.face == t.face;
        }
        lab_holds(lab, rows[form][5], same);
    }
    /* Independent measurement, 20 times as often. */
    Thrown dense = throw_die(lab, model, &(Throw001){.stepper = "rigid", .coords = "minimal", .h = THROWN_STEP / 20.0},
                             distance, steps);
    lab_measured(lab, "least distance seen at 20 times as many times, rigid", dense.run.least_measured);
}

/* Other laws of friction and other gaps; and how deep fixed steps let the die in. */
static void measure_laws(Lab *lab, const RgModel *model)
{
    static const char *const laws[] = {"no-slip", "cone", "lemke", "dantzig"};
    static const double gaps[] = {1e-6, 1e-7, 1e-8};
    bool good = true;
    for (int i = 0; i < 12; i++) {
        Throw001 how = {.stepper = "rigid",
                        .coords = "minimal",
                        .h = THROWN_STEP,
                        .verifies = true,
                        .solver = laws[i / 3],
                        .gap = gaps[i % 3]};
        Thrown t = throw_die(lab, model, &how, NULL, NULL);
        good = good && t.run.is_verified && t.run.verified.ok && t.run.why[0] == '\0' && !isnan(t.run.rest);
        lab_say(lab,
                "rigid, %s, gap %g m: %lld steps of %.2g s, %lld changes, least distance verified %.2g m, "
                "energy rises by %.1e J in a step at most.",
                how.solver, how.gap, (long long)t.run.steps, t.run.mean, (long long)located_changes(&t.run)->count,
                t.run.verified.min_distance, t.run.energy_rise);
    }
    lab_holds(lab, "four laws of friction at three gaps: all verified and at rest, rigid", good);
    double deepest = (double)INFINITY;
    for (int i = 0; i < 8; i++) {
        Throw001 how = {
            .stepper = i < 4 ? "semi-implicit" : "rk4", .coords = "minimal", .h = THROWN_STEP, .solver = laws[i % 4]};
        deepest = fmin(deepest, throw_die(lab, model, &how, NULL, NULL).run.least_measured);
    }
    lab_measured(lab, "overlap of plain steps of 10 ms, worst of eight", -deepest);
}

static void run(Lab *lab)
{
    LabFigure *distance = lab_figure(
        lab, &(LabFigureDef){"distance", "Thrown die: distance to the ground", "t (s)", "distance (m)", .log_y = true});
    LabFigure *steps =
        lab_figure(lab, &(LabFigureDef){"steps", "Thrown die: lengths of integration steps, 5 bins a decade",
                                        "step (s)", "number of steps", .log_x = true, .log_y = true});
    RgModel *model = thrown_die_model(1.0);
    RgWorld *world = die_world(lab, model, &(Throw001){.stepper = "rigid", .coords = "minimal", .h = THROWN_STEP});
    if (world != NULL)
        measure_paper(lab, world, distance, steps);
    rg_world_destroy(world);
    lab_progress(lab, 0.1);
    measure_located(lab, model, distance, steps);
    measure_laws(lab, model);
    lab_progress(lab, 0.3);
    measure_safe(lab, model, distance, steps);
    rg_model_destroy(model);
}

const Experiment experiment_thrown_die = {
    "001-A-die", "thrown die: changes of contact, steps, no overlap (paper 001, section 6.1)", 4.0, 4.0, run};
