/*
 * located_trot.c - paper 001's quadruped that trots on the spot on feet of 1,000 corners (scenes/gait.h), without slip.
 *
 * One period of the gait and the standing after it, 0.48 s as published. The robot's file is not part of this project.
 */
#include "gait.h"
#include "located.h"

#include <string.h>

#define STEP 1e-3
#define TIME 0.48
#define CORNERS 1000
#define OVERLAP 1e-12

static const LocatedColumn columns[] = {{"stepper", "stepper", false},
                                        {"solver", "solver", false},
                                        {"corners", "corners", true},
                                        {"steps", "steps", true},
                                        {"mean_step", "mean step", false},
                                        {"least_step", "least step", false},
                                        {"changes", "changes", true},
                                        {"between", "between s", false},
                                        {"least_between", "least betw.", false},
                                        {"least_proven", "least proven", false},
                                        {"least_seen", "least seen", false},
                                        {"height", "base at m", false},
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
    row[2] = cell(1000.0);
    row[4] = cell(7.2e-6);
    row[6] = cell(317.0);
    row[7] = cell(1.5e-3);
    row[8] = cell(1.3e-7);
    row[NCOLUMNS - 1] = cell_text("");
    located_row(out, row);
}

/* kept: the run, where its stepper locates events. */
static bool trot_row(LocatedOut *out, const RgModel *model, LocatedSetup setup, const LocatedOptions *o,
                     LocatedRun *kept)
{
    Gait *gait = gait_create(model);
    RgError error;
    setup.input = gait_input;
    setup.context = gait;
    RgWorld *world = gait != NULL ? located_world(model, &setup, &error) : NULL;
    if (world == NULL || gait_start(world) != RG_OK) {
        located_note(out, "%s, %s: %s", setup.stepper, setup.solver,
                     gait == NULL    ? "no such robot"
                     : world == NULL ? error.text
                                     : "the start is refused");
        rg_world_destroy(world);
        gait_destroy(gait);
        return false;
    }
    LocatedWatch watch = {.h = isnan(o->step) ? STEP : o->step,
                          .time = isnan(o->time) ? TIME : o->time,
                          .seconds = o->seconds,
                          .measures = true,
                          .verifies = o->verify};
    LocatedRun run = located_run(world, &watch);
    bool locates = rg_world_locates(world);
    located_row(out,
                (LocatedCell[]){
                    cell_text(located_stepper_name(&setup)), cell_text(setup.solver), cell(CORNERS),
                    cell((double)run.steps), cell(run.mean), cell(locates ? run.statistics.least : watch.h),
                    cell((double)located_changes(&run)->count), cell(located_between(&run)),
                    cell(isfinite(located_changes(&run)->least) ? located_changes(&run)->least : (double)NAN),
                    cell(locates ? run.statistics.least_distance : (double)NAN), cell(run.least_measured),
                    cell(rg_world_link_pose(world, gait->base).p.z), cell(run.cpu),
                    cell(run.is_verified ? run.verified.ok : (double)NAN),
                    cell(run.is_verified ? run.verified.min_distance : (double)NAN), cell_text(run.why)});
    if (locates)
        *kept = run;
    rg_world_destroy(world);
    gait_destroy(gait);
    return !located_is_strict(setup.stepper) || (run.why[0] == '\0' && run.least_measured >= -OVERLAP);
}

bool located_trot(LocatedOut *out, const LocatedOptions *o)
{
    static const char *const own_steppers[LOCATED_NAMES] = {"rigid", "auto", "semi-implicit"};
    static const char *const own_solvers[LOCATED_NAMES] = {"no-slip"};
    const char *const *steppers = o->steppers[0] != NULL ? o->steppers : own_steppers;
    const char *const *solvers = o->solvers[0] != NULL ? o->solvers : own_solvers;
    LocatedRun kept = {.steps = 0};
    bool good = true;
    located_table(out, "trot", "Trotting quadruped (paper 001, experiment C)", columns, NCOLUMNS);
    published_row(out);
    RgError error;
    RgModel *model = gait_model_create(o->robot, CORNERS, 1.0, &error);
    if (model == NULL) {
        located_note(out, "skipped: %s: %s", o->robot, error.text);
        return true;
    }
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
            good = trot_row(out, model, setup, o, &kept) && good;
        }
    }
    rg_model_destroy(model);
    if (o->histogram && kept.steps > 0)
        located_histogram(out, "trot_steps", "The last trot", &kept);
    return good;
}
