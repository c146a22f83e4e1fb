/*
 * located_throws.c - random throws (scenes/located_thrown.h): what comes to rest, at what cost, and what fails.
 *
 * A run ends when the kinetic energy has been below 1e-10 J for half a second, or after 10 s. A throw fails if a step
 * is refused, shapes overlap, its certificate does not hold (--verify), energy rises by more than a thousandth of it in
 * a step, or it does not come to rest; on a slope that is no failure. Every failure is told with the options that run
 * it again alone.
 */
#include "located.h"
#include "located_thrown.h"

#include <stdlib.h>
#include <string.h>

#define OVERLAP 1e-12 /* m */
#define GAIN 1e-3     /* largest rise of the energy in a step, as a part of that of the start */
#define TOLD 20       /* failures that are listed */

/* ------------------------------------------------------------------ one throw */

typedef struct Thrown {
    LocatedRun run;
    double energy;    /* J at the start */
    char failure[96]; /* empty: none */
} Thrown;

static Thrown throw_here(const Throw *t, const LocatedSetup *setup, const LocatedOptions *o)
{
    Thrown thrown = {.energy = (double)NAN};
    RgModel *model = thrown_model(t);
    RgError error;
    RgWorld *world = located_world(model, setup, &error);
    if (world == NULL) {
        snprintf(thrown.failure, sizeof thrown.failure, "%.90s", error.text);
        rg_model_destroy(model);
        return thrown;
    }
    thrown_start(t, world);
    RgMomentum m;
    rg_world_momentum(world, &m);
    thrown.energy = m.kinetic + m.potential;
    LocatedWatch watch = {.h = isnan(o->step) ? THROWN_STEP : o->step,
                          .time = isnan(o->time) ? THROWN_TIME : o->time,
                          .rest_energy = THROWN_REST,
                          .seconds = o->seconds,
                          .measures = true,
                          .verifies = o->verify};
    LocatedRun *run = &thrown.run;
    *run = located_run(world, &watch);
    if (run->why[0] != '\0')
        snprintf(thrown.failure, sizeof thrown.failure, "%.90s", run->why);
    else if (run->least_measured < -OVERLAP)
        snprintf(thrown.failure, sizeof thrown.failure, "overlaps by %.3g m", -run->least_measured);
    else if (run->energy_rise > GAIN * thrown.energy)
        snprintf(thrown.failure, sizeof thrown.failure, "gains %.3g J of %.3g in a step", run->energy_rise,
                 thrown.energy);
    else if (isnan(run->rest) && thrown_must_rest(t))
        snprintf(thrown.failure, sizeof thrown.failure, "still moves after %g s", run->end);
    rg_world_destroy(world);
    rg_model_destroy(model);
    return thrown;
}

typedef struct ThrowJob {
    const Throw *t;
    const LocatedSetup *setup;
    const LocatedOptions *o;
} ThrowJob;

static void throw_job(void *context, void *data)
{
    const ThrowJob *job = context;
    *(Thrown *)data = throw_here(job->t, job->setup, job->o);
}

/* In a process of its own. */
static Thrown throw_once(const Throw *t, const LocatedSetup *setup, const LocatedOptions *o)
{
    Thrown thrown;
    ThrowJob job = {t, setup, o};
    LocatedResult result = {&thrown, sizeof thrown, (unsigned)(o->seconds * (o->verify ? 4.0 : 2.0)) + 1};
    if (located_apart(throw_job, &job, &result))
        return thrown;
    thrown = (Thrown){.energy = (double)NAN, .run = {.rest = (double)NAN, .least_measured = (double)INFINITY}};
    snprintf(thrown.failure, sizeof thrown.failure, "ended after %u s of processor time, or crashed", result.seconds);
    return thrown;
}

/* ------------------------------------------------------------------ tables */

static const LocatedColumn columns[] = {
    {"throw", "throw", false},           {"stepper", "      stepper", false},
    {"solver", "solver", false},         {"throws", "throws", true},
    {"at_rest", "at rest", true},        {"failed", "failed", true},
    {"steps", "steps mean", false},      {"steps_median", "median", true},
    {"steps_most", "most", true},        {"mean_step", "mean step", false},
    {"changes", "changes", false},       {"least_proven", "least proven", false},
    {"least_seen", "least seen", false}, {"energy_rise", "rise J", false},
    {"rest", "rest mean s", false},      {"cpu", "CPU s", false},
    {"verified", "verified", true},      {"missed", "missed", true},
    {"unproven", "unproven", true},      {"verified_least", "least at any time", false},
    {"verify_cpu", "its CPU s", false}};
#define NCOLUMNS (int)(sizeof columns / sizeof columns[0])

/* Sums over the throws of a row. */
typedef struct Totals {
    int throws, at_rest, failed;
    double *steps; /* of each */
    double steps_sum, time, changes, rest, cpu;
    double least_proven, least_seen, rise;
    double verified, missed, unproven, least_verified, verify_cpu;
} Totals;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void add_throw(Totals *s, const Thrown *thrown)
{
    const LocatedRun *run = &thrown->run;
    s->steps[s->throws++] = (double)run->steps;
    s->failed += thrown->failure[0] != '\0';
    s->steps_sum += (double)run->steps;
    s->time += run->mean * (double)run->steps;
    s->changes += (double)located_changes(run)->count;
    s->cpu += run->cpu;
    if (!isnan(run->rest)) {
        s->at_rest++;
        s->rest += run->rest;
    }
    s->least_proven =
        fmin(s->least_proven, run->statistics.steps > 0 ? run->statistics.least_distance : (double)INFINITY);
    s->least_seen = fmin(s->least_seen, run->least_measured);
    s->rise = fmax(s->rise, run->energy_rise);
    s->verify_cpu += run->verify_cpu;
    if (run->is_verified) {
        s->verified += run->verified.ok;
        s->missed += (double)run->verified.missed;
        s->unproven += (double)run->verified.unproven;
        s->least_verified = fmin(s->least_verified, run->verified.min_distance);
    }
}

static void print_totals(LocatedOut *out, const char *name, const LocatedSetup *setup, Totals *s)
{
    qsort(s->steps, (size_t)s->throws, sizeof *s->steps, by_size);
    double n = s->throws;
    located_row(out, (LocatedCell[]){cell_text(name),
                                     cell_text(located_stepper_name(setup)),
                                     cell_text(setup->solver),
                                     cell(n),
                                     cell(s->at_rest),
                                     cell(s->failed),
                                     cell(s->steps_sum / n),
                                     cell(s->steps[s->throws / 2]),
                                     cell(s->steps[s->throws - 1]),
                                     cell(s->time / s->steps_sum),
                                     cell(s->changes / n),
                                     cell(isfinite(s->least_proven) ? s->least_proven : (double)NAN),
                                     cell(s->least_seen),
                                     cell(s->rise),
                                     cell(s->at_rest > 0 ? s->rest / s->at_rest : (double)NAN),
                                     cell(s->cpu / n),
                                     cell(s->verified),
                                     cell(s->missed),
                                     cell(s->unproven),
                                     cell(isfinite(s->least_verified) ? s->least_verified : (double)NAN),
                                     cell(s->verify_cpu / n)});
}

/* Throws of one kind; failures are listed below the row. */
static bool throw_row(LocatedOut *out, Throw t, const LocatedSetup *setup, const LocatedOptions *o)
{
    char name[40];
    snprintf(name, sizeof name, "%s, %s", thrown_kinds[t.kind], thrown_grounds[t.onto]);
    int count = o->only ? 1 : o->count > 0 ? o->count : o->quick ? 5 : 100;
    Totals s = {.least_proven = (double)INFINITY, .least_seen = (double)INFINITY, .least_verified = (double)INFINITY};
    LocatedRun last;
    struct {
        uint64_t seed;
        char failure[96];
    } told[TOLD];
    s.steps = malloc((size_t)count * sizeof *s.steps);
    if (s.steps == NULL)
        abort();
    for (int i = 0; i < count; i++) {
        t.seed = o->seed + (uint64_t)i;
        Thrown thrown = throw_once(&t, setup, o);
        if (thrown.failure[0] != '\0' && s.failed < TOLD) {
            told[s.failed].seed = t.seed;
            memcpy(told[s.failed].failure, thrown.failure, sizeof thrown.failure);
        }
        add_throw(&s, &thrown);
        last = thrown.run;
    }
    print_totals(out, name, setup, &s);
    for (int i = 0; i < s.failed && i < TOLD && located_is_strict(setup->stepper); i++)
        located_note(out, "  throws --kind %s --onto %s --stepper %s --solver %s --only %llu: %s", thrown_kinds[t.kind],
                     thrown_grounds[t.onto], setup->stepper, setup->solver, (unsigned long long)told[i].seed,
                     told[i].failure);
    if (o->only && o->histogram)
        located_histogram(out, "throw", name, &last);
    free(s.steps);
    return s.failed == 0;
}

static bool all_throws(LocatedOut *out, const LocatedSetup *setup, const LocatedOptions *o)
{
    bool good = true;
    for (int onto = 0; onto < THROWN_GROUNDS; onto++)
        for (int kind = 0; kind < THROWN_KINDS; kind++) {
            bool asked = (o->kind == NULL || strcmp(o->kind, "all") == 0 || strcmp(o->kind, thrown_kinds[kind]) == 0) &&
                         (o->onto == NULL || strcmp(o->onto, "all") == 0 || strcmp(o->onto, thrown_grounds[onto]) == 0);
            if (asked)
                good = throw_row(out, (Throw){kind, onto, 0}, setup, o) && good;
        }
    return good;
}

bool located_throws(LocatedOut *out, const LocatedOptions *o)
{
    static const char *const own_steppers[LOCATED_NAMES] = {"rigid"}, *const own_solvers[LOCATED_NAMES] = {"cone",
                                                                                                           "no-slip"};
    const char *const *steppers = o->steppers[0] != NULL ? o->steppers : own_steppers;
    const char *const *solvers = o->solvers[0] != NULL ? o->solvers : own_solvers;
    bool good = true;
    located_table(out, "throws", "Random throws", columns, NCOLUMNS);
    for (int i = 0; i < LOCATED_NAMES && steppers[i] != NULL; i++) {
        if (!located_has_stepper(steppers[i])) {
            located_note(out, "%s: not in this build", steppers[i]);
            continue;
        }
        for (int k = 0; k < LOCATED_NAMES && solvers[k] != NULL; k++) {
            LocatedSetup setup = located_setup(steppers[i], solvers[k]);
            setup.coords = o->coords;
            setup.gap = o->gap;
            setup.event_time = o->event_time;
            bool fine = all_throws(out, &setup, o);
            good = (fine || !located_is_strict(steppers[i])) && good;
        }
    }
    return good;
}
