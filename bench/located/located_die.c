/*
 * located_die.c - the thrown die of paper 001 (scenes/located_thrown.h), beside its published row.
 *
 * A run ends when the kinetic energy has been below 1e-10 J for half a second, or after 10 s. A change of the manifold is one
 * of what touches; times between changes are counted in pieces of at most the nominal step, as the paper does.
 *
 * "least proven" is what the stepper says of all times, "least seen" what rg_world_distances finds at the ends of nominal
 * steps, "dense" the same in a second run with steps of 1/20 of it.
 */
#include "located.h"
#include "located_thrown.h"
#include "vectors.h"

#include <string.h>

#define DENSE 20
#define OVERLAP 1e-12 /* m that the least distance may be below 0 */

/* What one row is about. */
typedef struct DieCase {
    const char *law; /* of friction, as the table calls it */
    double mu;
    LocatedSetup setup;
} DieCase;

static RgWorld *die_world(const RgModel *model, const DieCase *c, RgError *error)
{
    RgWorld *world = located_world(model, &c->setup, error);
    if (world != NULL)
        thrown_die_start(world);
    return world;
}

/* ------------------------------------------------------------------ rows */

static const LocatedColumn columns[] = {{"stepper", "stepper", false},
                                        {"friction", "friction", false},
                                        {"solver", "solver", false},
                                        {"gap", "gap m", false},
                                        {"event_time", "events s", false},
                                        {"h", "step", false},
                                        {"steps", "steps", true},
                                        {"mean_step", "mean step", false},
                                        {"least_step", "least step", false},
                                        {"changes", "changes", true},
                                        {"between", "between s", false},
                                        {"least_between", "least betw.", false},
                                        {"least_proven", "least proven", false},
                                        {"least_seen", "least seen", false},
                                        {"least_dense", "dense m", false},
                                        {"energy_rise", "rise J", false},
                                        {"rest", "rest at s", false},
                                        {"face", "face", true},
                                        {"angle", "off it rad", false},
                                        {"cpu", "CPU s", false},
                                        {"verified", "verified", true},
                                        {"least_verified", "at any time", false},
                                        {"remark", "remark", false}};
#define NCOLUMNS (int)(sizeof columns / sizeof columns[0])

static void published_row(LocatedOut *out)
{
    LocatedCell row[NCOLUMNS];
    for (int i = 0; i < NCOLUMNS; i++)
        row[i] = cell((double)NAN);
    row[0] = cell_text("paper 001, published");
    row[1] = cell_text("no-slip");
    row[3] = cell(1e-6);
    row[5] = cell(0.01);
    row[7] = cell(2.7e-5);
    row[9] = cell(102.0);
    row[10] = cell(5.3e-3);
    row[11] = cell(1.0e-6);
    row[13] = cell(1.0e-8);
    row[NCOLUMNS - 1] = cell_text("");
    located_row(out, row);
}

static void missing_row(LocatedOut *out, const DieCase *c, const char *why)
{
    LocatedCell row[NCOLUMNS];
    for (int i = 0; i < NCOLUMNS; i++)
        row[i] = cell((double)NAN);
    row[0] = cell_text(located_stepper_name(&c->setup));
    row[1] = cell_text(c->law);
    row[2] = cell_text(c->setup.solver);
    row[NCOLUMNS - 1] = cell_text(why);
    located_row(out, row);
}

static double finite_or_nan(double x)
{
    return isfinite(x) ? x : (double)NAN;
}

/* A second run, short steps: the least distance at their ends. */
static double dense_least(const RgModel *model, const DieCase *c, const LocatedWatch *watch)
{
    RgWorld *world = die_world(model, c, NULL);
    if (world == NULL)
        return (double)NAN;
    LocatedWatch often = *watch;
    often.h = watch->h / DENSE;
    LocatedRun run = located_run(world, &often);
    rg_world_destroy(world);
    return run.why[0] == '\0' ? finite_or_nan(run.least_measured) : (double)NAN;
}

/* Runs a case and prints its row. false: a locating stepper was refused or overlaps. */
static bool run_case(LocatedOut *out, const DieCase *c, const LocatedOptions *o, LocatedRun *kept)
{
    RgError error;
    RgModel *model = thrown_die_model(c->mu);
    RgWorld *world = die_world(model, c, &error);
    if (world == NULL) {
        missing_row(out, c, error.text);
        rg_model_destroy(model);
        return false;
    }
    LocatedWatch watch = {.h = isnan(o->step) ? THROWN_STEP : o->step,
                          .time = isnan(o->time) ? THROWN_TIME : o->time,
                          .rest_energy = THROWN_REST,
                          .seconds = o->seconds,
                          .measures = true,
                          .verifies = o->verify};
    LocatedRun run = located_run(world, &watch);
    double dense = o->quick ? (double)NAN : dense_least(model, c, &watch), angle;
    int face = thrown_die_face(world, &angle);
    bool locates = rg_world_locates(world);
    RgAdaptOptions defaults = rg_adapt_options_default();
    located_row(out, (LocatedCell[]){cell_text(located_stepper_name(&c->setup)),
                                     cell_text(c->law),
                                     cell_text(c->setup.solver),
                                     cell(!locates              ? (double)NAN
                                          : isnan(c->setup.gap) ? defaults.gap
                                                                : c->setup.gap),
                                     cell(!locates                     ? (double)NAN
                                          : isnan(c->setup.event_time) ? defaults.event_time
                                                                       : c->setup.event_time),
                                     cell(watch.h),
                                     cell((double)run.steps),
                                     cell(run.mean),
                                     cell(locates ? run.statistics.least : watch.h),
                                     cell((double)located_changes(&run)->count),
                                     cell(located_between(&run)),
                                     cell(finite_or_nan(located_changes(&run)->least)),
                                     cell(locates ? run.statistics.least_distance : (double)NAN),
                                     cell(run.least_measured),
                                     cell(dense),
                                     cell(run.energy_rise),
                                     cell(run.rest),
                                     cell(face),
                                     cell(angle),
                                     cell(run.cpu),
                                     cell(run.is_verified ? run.verified.ok : (double)NAN),
                                     cell(run.is_verified ? run.verified.min_distance : (double)NAN),
                                     cell_text(run.why)});
    rg_world_destroy(world);
    rg_model_destroy(model);
    *kept = run;
    bool overlaps = run.least_measured < -OVERLAP || dense < -OVERLAP;
    return !located_is_strict(c->setup.stepper) || (run.why[0] == '\0' && !overlaps);
}

/* ------------------------------------------------------------------ tables */

static const struct {
    const char *law, *solver;
    double mu;
} laws[] = {{"no-slip", "no-slip", 1.0},
            {"cone", "cone", 1.0},
            {"pyramid", "lemke", 1.0},
            {"pyramid", "dantzig", 1.0}};
#define NLAWS (int)(sizeof laws / sizeof laws[0])

static bool wanted(const char *const *names, const char *name)
{
    for (int i = 0; i < LOCATED_NAMES && names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return names[0] == NULL;
}

static DieCase die_case(int law, const char *stepper, double gap, double event_time)
{
    DieCase c = {laws[law].law, laws[law].mu, located_setup(stepper, laws[law].solver)};
    c.setup.gravity = vec(0.0, -9.81, 0.0);
    c.setup.gap = gap;
    c.setup.event_time = event_time;
    return c;
}

/* All friction laws and gaps of one stepper. */
static bool stepper_rows(LocatedOut *out, const char *stepper, const LocatedOptions *o)
{
    static const double gaps[] = {1e-6, 1e-7, 1e-8};
    bool good = true;
    if (!located_has_stepper(stepper)) {
        located_note(out, "%s: not in this build", stepper);
        return true;
    }
    bool has_gap = strcmp(stepper, "semi-implicit") != 0 && strcmp(stepper, "rk4") != 0;
    int ngaps = !isnan(o->gap) || !has_gap || o->quick ? 1 : 3;
    for (int law = 0; law < NLAWS; law++)
        for (int i = 0; i < ngaps; i++) {
            LocatedRun run;
            DieCase c = die_case(law, stepper, isnan(o->gap) ? gaps[i] : o->gap, o->event_time);
            c.setup.coords = o->coords;
            if (wanted(o->solvers, c.setup.solver))
                good = run_case(out, &c, o, &run) && good;
        }
    return good;
}

/* Paper 001's own bounds: thousands of steps, so one gap. */
static bool paper_rows(LocatedOut *out, const LocatedOptions *o)
{
    bool good = true;
    for (int law = 0; law < (o->quick ? 1 : 2); law++) {
        LocatedRun run;
        DieCase c = die_case(law, "rigid-001", 1e-6, (double)NAN);
        if (wanted(o->solvers, c.setup.solver))
            good = run_case(out, &c, o, &run) && good;
    }
    return good;
}

/* Whether the count of changes settles as events are told apart better, and steps are shorter: what rocks to rest changes
   ever faster (Zeno), and shorter steps follow it longer. */
static bool converging_rows(LocatedOut *out, const LocatedOptions *o)
{
    static const struct {
        double event_time, step;
    } ways[] = {{1e-3, 0.01},  {1e-4, 0.01},  {1e-5, 0.01}, {1e-6, 0.01},
                {1e-6, 0.003}, {1e-6, 0.001}, {1e-6, 3e-4}, {1e-6, 1e-4}};
    located_table(out, "die_events", "The same as events are told apart better, and in shorter steps (rigid)",
                  columns, NCOLUMNS);
    bool good = true;
    for (int i = 0; i < 16; i++) {
        LocatedRun run;
        DieCase c = die_case(i / 8, "rigid", isnan(o->gap) ? 1e-7 : o->gap, ways[i % 8].event_time);
        c.setup.coords = o->coords;
        LocatedOptions own = *o;
        own.step = ways[i % 8].step;
        own.quick = true;
        if (!o->quick || i % 8 < 6)
            good = run_case(out, &c, &own, &run) && good;
    }
    return good;
}

bool located_die(LocatedOut *out, const LocatedOptions *o)
{
    static const char *const all[] = {"rigid", "auto", "advance", "c2a", "semi-implicit", "rk4"};
    bool good = true;
    located_table(out, "die", "Thrown die, mu 1 (paper 001, experiment A); s, m, J, rad", columns, NCOLUMNS);
    published_row(out);
    for (int i = 0; i < 6; i++)
        if (wanted(o->steppers, all[i]))
            good = stepper_rows(out, all[i], o) && good;
    if (!wanted(o->steppers, "rigid") || !located_has_stepper("rigid"))
        return good;
    good = paper_rows(out, o) && good;
    good = converging_rows(out, o) && good;
    if (o->histogram) {
        LocatedRun run;
        DieCase c = die_case(0, "rigid", isnan(o->gap) ? 1e-6 : o->gap, o->event_time);
        located_table(out, "die_again", "The run of the histogram", columns, NCOLUMNS);
        good = run_case(out, &c, o, &run) && good;
        located_histogram(out, "die_steps", "The die", &run);
    }
    return good;
}
