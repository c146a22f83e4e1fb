/*
 * located_stacks.c - 1, 2, 4 and 10 boxes on each other, set down 0.1 mm above what is below them, then left alone.
 *
 * After a second of settling everything is measured over the rest of the run: the steps that rest takes, what they
 * cost, and how far a box moves. Published: milliseconds a step of an intersection-free method with barriers.
 */
#include "located.h"
#include "vectors.h"

#include <string.h>

#define STEP 0.01
#define SETTLE 1.0
#define TIME 5.0
#define LIFT 1e-4 /* m between boxes at the start */
#define OVERLAP 1e-12
#define MOST 10

static const struct {
    int boxes;
    double published; /* ms a step; NaN: none */
} heights[] = {{1, 15.0}, {2, 51.0}, {4, 123.0}, {10, NAN}};

static const LocatedColumn columns[] = {{"stack", "stack", false},
                                        {"stepper", "      stepper", false},
                                        {"solver", "solver", false},
                                        {"steps", "steps", true},
                                        {"mean_step", "mean step", false},
                                        {"least_step", "least of all", false},
                                        {"cpu_ms", "CPU ms a step", false},
                                        {"published_ms", "published ms", false},
                                        {"least_proven", "least proven", false},
                                        {"least_seen", "least seen", false},
                                        {"sink", "height moves", false},
                                        {"shift", "shift m", false},
                                        {"kinetic", "kinetic J", false},
                                        {"remark", "remark", false}};
#define NCOLUMNS (int)(sizeof columns / sizeof columns[0])

static RgModel *stack_model(int boxes, double side)
{
    static const char *const names[MOST] = {"b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9"};
    RgBuilder *b = rg_builder_create(NULL, NULL);
    RgShapeDef box = located_box(side, side, side);
    box.surface.mu = box.surface.mu2 = 0.5;
    for (int i = 0; i < boxes; i++)
        located_add_body(b, names[i], &box, 1000.0, place_at(0.0, 0.0, (i + 0.5) * side + (i + 1) * LIFT));
    located_add_plane(b, vec(0.0, 0.0, 0.0), vec(0.0, 0.0, 1.0), 0.5);
    return located_finish(b);
}

/* Largest motion since the boxes were first looked at. */
typedef struct Drift {
    int boxes;
    bool begun;
    RgVec3 start[MOST];
    double sink, shift;
} Drift;

static void look_for_drift(RgWorld *world, void *context)
{
    Drift *d = context;
    for (int i = 0; i < d->boxes; i++) {
        RgVec3 p = rg_world_link_pose(world, (RgLinkId){i + 1}).p;
        if (!d->begun)
            d->start[i] = p;
        RgVec3 moved = vec_sub(p, d->start[i]);
        d->sink = fmax(d->sink, fabs(moved.z));
        d->shift = fmax(d->shift, sqrt(moved.x * moved.x + moved.y * moved.y));
    }
    d->begun = true;
}

static bool stack_row(LocatedOut *out, int which, double side, const LocatedSetup *setup, const LocatedOptions *o)
{
    char name[48];
    int boxes = heights[which].boxes;
    snprintf(name, sizeof name, "%d of %g m", boxes, side);
    RgError error;
    RgModel *model = stack_model(boxes, side);
    RgWorld *world = located_world(model, setup, &error);
    if (world == NULL) {
        located_note(out, "%s: %s", name, error.text);
        rg_model_destroy(model);
        return false;
    }
    LocatedWatch watch = {.h = isnan(o->step) ? STEP : o->step,
                          .time = SETTLE,
                          .seconds = o->seconds,
                          .measures = true,
                          .verifies = o->verify};
    LocatedRun settle = located_run(world, &watch), run = settle;
    Drift drift = {.boxes = boxes};
    if (settle.why[0] == '\0') {
        watch.time = isnan(o->time) ? TIME : o->time;
        watch.look = look_for_drift;
        watch.look_context = &drift;
        look_for_drift(world, &drift);
        run = located_run(world, &watch);
    }
    bool inner = run.statistics.steps > 0;
    double steps = inner ? (double)(run.statistics.steps - settle.statistics.steps) : (double)run.asked;
    double time = inner ? run.statistics.time - settle.statistics.time : (double)run.asked * watch.h;
    double least = fmin(settle.least_measured, run.least_measured);
    RgMomentum m;
    rg_world_momentum(world, &m);
    located_row(out, (LocatedCell[]){cell_text(name), cell_text(located_stepper_name(setup)), cell_text(setup->solver),
                                     cell(steps), cell(time / steps), cell(inner ? run.statistics.least : watch.h),
                                     cell(1e3 * run.cpu / steps), cell(heights[which].published),
                                     cell(inner ? run.statistics.least_distance : (double)NAN), cell(least),
                                     cell(drift.sink), cell(drift.shift), cell(m.kinetic), cell_text(run.why)});
    rg_world_destroy(world);
    rg_model_destroy(model);
    return !located_is_strict(setup->stepper) || (run.why[0] == '\0' && least >= -OVERLAP);
}

bool located_stacks(LocatedOut *out, const LocatedOptions *o)
{
    static const char *const own_steppers[LOCATED_NAMES] = {"rigid", "auto", "semi-implicit"};
    static const char *const own_solvers[LOCATED_NAMES] = {"quick", "cone", "dantzig", "no-slip"};
    static const double sides[] = {1.0, 0.1};
    const char *const *steppers = o->steppers[0] != NULL ? o->steppers : own_steppers;
    const char *const *solvers = o->solvers[0] != NULL ? o->solvers : own_solvers;
    bool good = true;
    located_table(out, "stacks", "Boxes at rest on each other", columns, NCOLUMNS);
    for (int i = 0; i < LOCATED_NAMES && steppers[i] != NULL; i++) {
        if (!located_has_stepper(steppers[i])) {
            located_note(out, "%s: not in this build", steppers[i]);
            continue;
        }
        for (int k = 0; k < LOCATED_NAMES && solvers[k] != NULL; k++)
            for (int n = 0; n < (o->quick ? 4 : 8); n++) {
                LocatedSetup setup = located_setup(steppers[i], solvers[k]);
                setup.coords = o->coords;
                setup.gap = o->gap;
                setup.event_time = o->event_time;
                good = stack_row(out, n % 4, sides[n / 4], &setup, o) && good;
            }
    }
    return good;
}
