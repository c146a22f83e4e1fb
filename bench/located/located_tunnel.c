/*
 * located_tunnel.c - how many of the shots of located_shots.h each stepper misses, at nominal steps of 0.1, 0.01, 1 ms.
 *
 * A shot is missed if it is behind what it should have hit, or goes on unchanged after the time at which it truly
 * touches (located_shots.h); neither is the stepper's own word. Every stepper gets the same shots.
 */
#include "located.h"
#include "located_shots.h"

#include <string.h>

#define OVERLAP 1e-12 /* m */

static const char *const steppers[] = {"semi-implicit", "rk4", "advance", "c2a", "rigid", "auto"};
#define NSTEPPERS 6

static const LocatedColumn columns[] = {{"shots", "shots", false},
                                        {"h", "step s", false},
                                        {"count", "count", true},
                                        {"hits", "hits", true},
                                        {"semi_implicit", "semi-implicit", true},
                                        {"rk4", "rk4", true},
                                        {"advance", "advance", true},
                                        {"c2a", "c2a", true},
                                        {"rigid", "rigid", true},
                                        {"auto", "auto", true},
                                        {"false_stops", "false stops", true},
                                        {"refused", "refused", true},
                                        {"least_seen", "least seen", false},
                                        {"steps", "steps a shot", false},
                                        {"cpu", "CPU ms a shot", false}};
#define NCOLUMNS (int)(sizeof columns / sizeof columns[0])

/* One row: a kind of shot at one step. */
typedef struct Row {
    ShotKind kind;
    double speed, h;
    int hits, missed[NSTEPPERS];
    bool has[NSTEPPERS];
    int false_stops, refused; /* of steppers that promise to miss nothing, as all below */
    double least_seen, steps, cpu;
    int located;
    LocatedRun last; /* where one alone is looked at */
} Row;

static bool asked_for(const LocatedOptions *o, const char *stepper)
{
    for (int i = 0; i < LOCATED_NAMES && o->steppers[i] != NULL; i++)
        if (strcmp(o->steppers[i], stepper) == 0)
            return true;
    return o->steppers[0] == NULL;
}

/* Prints the options that repeat one shot. */
static void tell(LocatedOut *out, const Row *row, int stepper, uint64_t seed, const char *what)
{
    char speed[32] = "";
    if (row->kind <= SHOT_FREE)
        snprintf(speed, sizeof speed, " --speed %g", row->speed);
    located_note(out, "  tunnel --scene %s%s --stepper %s --step %g --only %llu: %s", shot_names[row->kind], speed,
                 steppers[stepper], row->h, (unsigned long long)seed, what);
}

/* One shot by one stepper, and its result. */
typedef struct ShotJob {
    const Shot *shot;
    const char *stepper;
    double h;
    const LocatedOptions *o;
} ShotJob;

typedef struct ShotResult {
    LocatedRun run;
    bool missed, stopped; /* stopped: by nothing */
} ShotResult;

static void shot_job(void *context, void *data)
{
    const ShotJob *job = context;
    const LocatedOptions *o = job->o;
    ShotResult *out = data;
    *out = (ShotResult){.run = {.least_measured = (double)INFINITY}};
    LocatedSetup setup = located_setup(job->stepper, o->solvers[0] != NULL ? o->solvers[0] : "cone");
    setup.coords = o->coords;
    setup.gap = o->gap;
    setup.event_time = o->event_time;
    setup.gravity = job->shot->gravity;
    RgError error;
    RgWorld *world = located_world(job->shot->model, &setup, &error);
    if (world == NULL) {
        snprintf(out->run.why, sizeof out->run.why, "%.150s", error.text);
        return;
    }
    shot_start(job->shot, world);
    ShotJudge judge = {.shot = job->shot, .t = (double)NAN};
    shot_look(world, &judge);
    LocatedWatch watch = {.h = job->h,
                          .time = job->shot->end,
                          .seconds = o->seconds,
                          .measures = true,
                          .verifies = o->verify,
                          .look = shot_look,
                          .look_context = &judge};
    out->run = located_run(world, &watch);
    out->missed = shot_missed(&judge, world) && rg_world_time(world) > job->shot->touch;
    out->stopped = shot_stopped_by_nothing(&judge, world);
    rg_world_destroy(world);
}

static void shoot(LocatedOut *out, Row *row, const Shot *shot, int stepper, uint64_t seed, const LocatedOptions *o)
{
    ShotResult r;
    bool strict = located_is_strict(steppers[stepper]);
    ShotJob job = {shot, steppers[stepper], row->h, o};
    LocatedResult result = {&r, sizeof r, (unsigned)(o->seconds * (o->verify ? 4.0 : 2.0)) + 1};
    if (!located_apart(shot_job, &job, &result)) {
        row->refused += strict;
        tell(out, row, stepper, seed, "does not come back, or crashes");
        return;
    }
    row->missed[stepper] += r.missed;
    if (!strict)
        return;
    row->located++;
    row->refused += r.run.why[0] != '\0';
    row->false_stops += r.stopped;
    row->least_seen = fmin(row->least_seen, r.run.least_measured);
    row->steps += (double)r.run.steps;
    row->cpu += r.run.cpu;
    if (r.run.why[0] != '\0' || r.missed || r.run.least_measured < -OVERLAP)
        tell(out, row, stepper, seed, r.run.why[0] != '\0' ? r.run.why : r.missed ? "missed" : "overlaps");
    if (o->histogram && o->only)
        row->last = r.run;
}

static bool print_row(LocatedOut *out, const Row *row, int count)
{
    char name[40];
    snprintf(name, sizeof name, "%s", shot_names[row->kind]);
    if (row->kind <= SHOT_FREE)
        snprintf(name, sizeof name, "%s %g m/s", shot_names[row->kind], row->speed);
    LocatedCell cells[NCOLUMNS] = {cell_text(name), cell(row->h), cell(count), cell(row->hits)};
    bool good = row->refused == 0 && row->false_stops == 0 && !(row->least_seen < -OVERLAP);
    for (int i = 0; i < NSTEPPERS; i++) {
        cells[4 + i] = cell(row->has[i] ? row->missed[i] : (double)NAN);
        good = good && (!located_is_strict(steppers[i]) || row->missed[i] == 0);
    }
    double n = row->located;
    cells[10] = cell(row->located > 0 ? row->false_stops : (double)NAN);
    cells[11] = cell(row->refused);
    cells[12] = cell(isfinite(row->least_seen) ? row->least_seen : (double)NAN);
    cells[13] = cell(row->located > 0 ? row->steps / n : (double)NAN);
    cells[14] = cell(row->located > 0 ? 1e3 * row->cpu / n : (double)NAN);
    located_row(out, cells);
    return good;
}

static bool shoot_row(LocatedOut *out, ShotKind kind, double speed, double h, const LocatedOptions *o)
{
    Row row = {.kind = kind, .speed = speed, .h = h, .least_seen = (double)INFINITY};
    int count = o->only ? 1 : o->count > 0 ? o->count : kind == SHOT_CHAIN ? (o->quick ? 1 : 3) : (o->quick ? 3 : 30);
    for (int i = 0; i < NSTEPPERS; i++)
        row.has[i] = asked_for(o, steppers[i]) && located_has_stepper(steppers[i]) &&
                     !(o->quick && kind == SHOT_CHAIN && strcmp(steppers[i], "c2a") == 0); /* half a minute */
    for (int i = 0; i < count; i++) {
        uint64_t seed = o->seed + (uint64_t)i;
        Draw d = draw_seed(seed);
        Shot shot = shot_create(kind, speed, h, &d);
        row.hits += !isnan(shot.touch);
        for (int k = 0; k < NSTEPPERS; k++)
            if (row.has[k])
                shoot(out, &row, &shot, k, seed, o);
        shot_destroy(&shot);
    }
    bool good = print_row(out, &row, count);
    if (row.last.steps > 0)
        located_histogram(out, "tunnel", shot_names[kind], &row.last);
    return good;
}

bool located_tunnel(LocatedOut *out, const LocatedOptions *o)
{
    static const double speeds[] = {10.0, 100.0, 1000.0, 10000.0}, steps[] = {0.1, 0.01, 0.001};
    bool good = true;
    located_table(out, "tunnel", "Fast against thin: missed by each stepper", columns, NCOLUMNS);
    for (int kind = 0; kind < SHOT_KINDS; kind++) {
        bool asked = o->scene == NULL || strcmp(o->scene, shot_names[kind]) == 0;
        int rows = !asked ? 0 : kind <= SHOT_FREE ? 12 : 3;
        for (int i = 0; i < rows; i++)
            if ((isnan(o->step) || o->step == steps[i % 3]) &&
                (isnan(o->speed) || kind > SHOT_FREE || o->speed == speeds[i / 3]))
                good = shoot_row(out, (ShotKind)kind, speeds[i / 3], steps[i % 3], o) && good;
    }
    for (int i = 0; i < NSTEPPERS; i++)
        if (!located_has_stepper(steppers[i]))
            located_note(out, "%s: not in this build", steppers[i]);
    return good;
}
