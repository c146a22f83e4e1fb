/*
 * located_throws.c - random throws: z up, starts as wild as those of paper 001's die.
 *
 *   cube     1 m, density 1                       plane        the ground
 *   tetra    edges of about 1.2 m, each its own   slope        the ground tilted by 10 degrees
 *   hull20   20 points of an ellipsoid            each-other   three bodies that fall on each other, and on the ground
 *   box      1 x 0.6 x 0.3 m
 *
 * Throw number n depends on n alone, so that it can be run again alone (--only n). It ends when the kinetic energy has been
 * below 1e-10 J for half a second, or after 10 s. On a slope a round hull may roll for ever: that is no failure.
 */
#include "draw.h"
#include "located_run.h"

#include <stdlib.h>
#include <string.h>

#define STEP 0.01
#define TIME 10.0
#define REST 1e-10
#define OVERLAP 1e-12 /* m */
#define GAIN 1e-3     /* largest rise of the energy in a step, as a part of that of the start */
#define TOLD 20       /* failures that are told one by one */
#define CORNERS 20

static const char *const kinds[] = {"cube", "tetra", "hull20", "box"};
static const char *const grounds[] = {"plane", "slope", "each-other"};

typedef struct Throw {
    int kind, onto;
    uint64_t seed;
} Throw;

/* ------------------------------------------------------------------ scenes */

/* points: room for CORNERS, which must live until the shape is added. */
static RgShapeDef draw_shape(Draw *d, int kind, double *points)
{
    static const double corner[4][3] = {
        {0.4, 0.4, 0.4}, {0.4, -0.4, -0.4}, {-0.4, 0.4, -0.4}, {-0.4, -0.4, 0.4}};
    if (kind == 0)
        return located_box(1.0, 1.0, 1.0);
    if (kind == 3)
        return located_box(1.0, 0.6, 0.3);
    if (kind == 1) {
        for (int i = 0; i < 12; i++)
            points[i] = corner[i / 3][i % 3] + draw_between(d, -0.1, 0.1);
        return located_hull(points, 4);
    }
    for (int i = 0; i < CORNERS; i++) {
        RgVec3 p = draw_direction(d);
        points[3 * i] = 0.5 * p.x;
        points[3 * i + 1] = 0.45 * p.y;
        points[3 * i + 2] = 0.4 * p.z;
    }
    return located_hull(points, CORNERS);
}

static RgPose draw_place(Draw *d, double side, double height)
{
    double q[4], size = 0.0;
    do {
        for (int i = 0; i < 4; i++)
            q[i] = draw_between(d, -1.0, 1.0);
        size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    } while (size < 0.01);
    RgVec3 p = vec(draw_between(d, -side, side), draw_between(d, -side, side),
                   height + draw_between(d, -side, side));
    return rg_pose_from_quat(p, (RgQuat){q[0], q[1], q[2], q[3]});
}

/* Bodies of the throw and, after them, how they are thrown. */
static RgModel *throw_model(const Throw *t, Draw *d)
{
    static const char *const names[] = {"a", "b", "c"};
    RgBuilder *b = rg_builder_create(NULL, NULL);
    bool pile = t->onto == 2;
    for (int i = 0; i < (pile ? 3 : 1); i++) {
        double points[3 * CORNERS];
        RgShapeDef shape = draw_shape(d, t->kind, points);
        shape.surface.mu = shape.surface.mu2 = 1.0;
        RgPose X = pile ? draw_place(d, 0.02, 1.1 + 1.9 * i) : draw_place(d, 1.0, 2.5);
        located_add_body(b, names[i], &shape, 1.0, X);
    }
    RgVec3 up = t->onto == 1 ? vec(0.17364817766693033, 0.0, 0.98480775301220806) : vec(0.0, 0.0, 1.0);
    located_add_plane(b, vec(0.0, 0.0, 0.0), up, 1.0);
    return located_finish(b);
}

static void throw_start(const Throw *t, Draw *d, RgWorld *world)
{
    bool pile = t->onto == 2;
    for (int i = 1; i <= (pile ? 3 : 1); i++) {
        RgVec3 w = draw_vec(d, pile ? 5.0 : 10.0), v = draw_vec(d, pile ? 0.5 : 10.0);
        located_set_twist(world, (RgLinkId){i}, w, v);
    }
}

/* ------------------------------------------------------------------ one throw */

typedef struct Thrown {
    LocatedRun run;
    double energy;    /* J at the start */
    char failure[96]; /* empty: none */
} Thrown;

static Thrown throw_once(const Throw *t, const LocatedSetup *setup, const LocatedOptions *o)
{
    Thrown thrown = {.energy = (double)NAN};
    Draw d = draw_seed(t->seed);
    RgModel *model = throw_model(t, &d);
    RgError error;
    RgWorld *world = located_world(model, setup, &error);
    if (world == NULL) {
        snprintf(thrown.failure, sizeof thrown.failure, "%.90s", error.text);
        rg_model_destroy(model);
        return thrown;
    }
    throw_start(t, &d, world);
    RgMomentum m;
    rg_world_momentum(world, &m);
    thrown.energy = m.kinetic + m.potential;
    LocatedWatch watch = {.h = isnan(o->step) ? STEP : o->step,
                          .time = isnan(o->time) ? TIME : o->time,
                          .rest_energy = REST,
                          .seconds = o->seconds,
                          .measures = true};
    LocatedRun *run = &thrown.run;
    *run = located_run(world, &watch);
    if (run->why[0] != '\0')
        snprintf(thrown.failure, sizeof thrown.failure, "%.90s", run->why);
    else if (run->least_measured < -OVERLAP)
        snprintf(thrown.failure, sizeof thrown.failure, "overlaps by %.3g m", -run->least_measured);
    else if (run->energy_rise > GAIN * thrown.energy)
        snprintf(thrown.failure, sizeof thrown.failure, "gains %.3g J of %.3g in a step", run->energy_rise,
                 thrown.energy);
    else if (isnan(run->rest) && t->onto != 1)
        snprintf(thrown.failure, sizeof thrown.failure, "still moves after %g s", run->end);
    rg_world_destroy(world);
    rg_model_destroy(model);
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
    {"rest", "rest mean s", false},      {"cpu", "CPU s", false}};
#define NCOLUMNS (int)(sizeof columns / sizeof columns[0])

/* Sums over the throws of a row. */
typedef struct Totals {
    int throws, at_rest, failed;
    double *steps; /* of each */
    double steps_sum, time, changes, rest, cpu;
    double least_proven, least_seen, rise;
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
    s->changes += (double)located_changes(run);
    s->cpu += run->cpu;
    if (!isnan(run->rest)) {
        s->at_rest++;
        s->rest += run->rest;
    }
    s->least_proven =
        fmin(s->least_proven, run->statistics.steps > 0 ? run->statistics.least_distance : (double)INFINITY);
    s->least_seen = fmin(s->least_seen, run->least_measured);
    s->rise = fmax(s->rise, run->energy_rise);
}

static void print_totals(LocatedOut *out, const char *name, const LocatedSetup *setup, Totals *s)
{
    qsort(s->steps, (size_t)s->throws, sizeof *s->steps, by_size);
    double n = s->throws;
    located_row(
        out, (LocatedCell[]){
                 cell_text(name), cell_text(located_stepper_name(setup)), cell_text(setup->solver), cell(n),
                 cell(s->at_rest), cell(s->failed), cell(s->steps_sum / n), cell(s->steps[s->throws / 2]),
                 cell(s->steps[s->throws - 1]), cell(s->time / s->steps_sum), cell(s->changes / n),
                 cell(isfinite(s->least_proven) ? s->least_proven : (double)NAN), cell(s->least_seen),
                 cell(s->rise), cell(s->at_rest > 0 ? s->rest / s->at_rest : (double)NAN), cell(s->cpu / n)});
}

/* Of others it is known that they overlap. */
static bool locating(const char *stepper)
{
    static const char *const names[] = {"advance", "c2a", "rigid", "auto"};
    for (int i = 0; i < 4; i++)
        if (strcmp(stepper, names[i]) == 0)
            return true;
    return false;
}

/* Throws of one kind; their failures are told below the row. */
static bool throw_row(LocatedOut *out, Throw t, const LocatedSetup *setup, const LocatedOptions *o)
{
    char name[40];
    snprintf(name, sizeof name, "%s, %s", kinds[t.kind], grounds[t.onto]);
    int count = o->only ? 1 : o->count > 0 ? o->count : o->quick ? 5 : 100;
    Totals s = {.least_proven = (double)INFINITY, .least_seen = (double)INFINITY};
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
    }
    print_totals(out, name, setup, &s);
    for (int i = 0; i < s.failed && i < TOLD && locating(setup->stepper); i++)
        located_note(out, "  throws --kind %s --onto %s --stepper %s --solver %s --only %llu: %s",
                     kinds[t.kind], grounds[t.onto], setup->stepper, setup->solver,
                     (unsigned long long)told[i].seed, told[i].failure);
    free(s.steps);
    return s.failed == 0;
}

static bool all_throws(LocatedOut *out, const LocatedSetup *setup, const LocatedOptions *o)
{
    bool good = true;
    for (int onto = 0; onto < 3; onto++)
        for (int kind = 0; kind < 4; kind++) {
            bool asked =
                (o->kind == NULL || strcmp(o->kind, "all") == 0 || strcmp(o->kind, kinds[kind]) == 0) &&
                (o->onto == NULL || strcmp(o->onto, "all") == 0 || strcmp(o->onto, grounds[onto]) == 0);
            if (asked)
                good = throw_row(out, (Throw){kind, onto, 0}, setup, o) && good;
        }
    return good;
}

bool located_throws(LocatedOut *out, const LocatedOptions *o)
{
    static const char *const own_steppers[LOCATED_NAMES] = {"rigid"}, *const own_solvers[LOCATED_NAMES] = {
                                                                          "cone", "no-slip"};
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
            good = (fine || !locating(steppers[i])) && good;
        }
    }
    return good;
}
