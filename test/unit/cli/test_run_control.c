/*
 * test_run_control.c - a run file with controllers does what a program in C does that says the same: every bit of state
 * and tracking, whatever the kind, with start, rate and delay; and a control made again begins again.
 */
#define _DEFAULT_SOURCE

#include "plan/plan_open.h"
#include "run/run_control.h"
#include "worlds.h"

#include "check_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { JOINTS = 6, STEPS = 400 };
#define STEP 1e-3

static const char *const names[JOINTS] = {"pan", "lift", "elbow", "roll", "pitch", "turn"};
static const double amplitude[JOINTS] = {0.8, 0.4, 0.6, 1.0, 0.6, 0.9}, frequency[JOINTS] = {1, 2, 2, 3, 4, 5},
                    phase[JOINTS] = {0.0, 0.3, 1.57, 0.0, 1.57, 0.2}, position[JOINTS] = {0, 0.5, 0.9, 0, 0.5, 0},
                    kp[JOINTS] = {200, 400, 200, 2, 10, 0.2}, kd[JOINTS] = {10, 20, 10, 0.1, 0.4, 0.01};

/* Numbers as a list of YAML, to the last bit. */
static void put_list(FILE *out, const char *key, const double *x)
{
    fprintf(out, "%s: [", key);
    for (int i = 0; i < JOINTS; i++)
        fprintf(out, "%s%.17g", i ? ", " : "", x[i]);
    fprintf(out, "]\n");
}

/* A run file of its own, removed by the caller; path: room for its name. */
static void write_file(const char *kind, char path[32])
{
    char here[1024];
    snprintf(path, 32, "/tmp/rigor-control-XXXXXX");
    int descriptor = mkstemp(path);
    FILE *out = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    cr_assert(out != NULL && getcwd(here, sizeof here) != NULL);
    fprintf(out,
            "models:\n  - file: %s/models/arm6.urdf\nduration: 1\n"
            "control:\n  rate: 500\n  delay: 0.002\n  start: true\n  controllers:\n"
            "    - kind: %s\n      joints: all\n      gravity: true\n      limits: {effort: 30, velocity: "
            "none}\n",
            here, kind);
    put_list(out, "      kp", kp);
    put_list(out, "      kd", kd);
    if (strcmp(kind, "pid") == 0)
        fprintf(out, "      ki: 3\n");
    fprintf(out, "      trajectory:\n        kind: sinusoid\n");
    put_list(out, "        position", position);
    put_list(out, "        amplitude", amplitude);
    put_list(out, "        frequency", frequency);
    put_list(out, "        phase", phase);
    fclose(out);
}

static void open_run(RgRun *run, const char *path)
{
    RgError error = {0};
    *run = (RgRun){.model = NULL};
    RgStatus status = rg_plan_open(&run->plan, path, &error);
    if (status == RG_OK)
        status = rg_run_start(run, &error);
    cr_assert_eq(status, RG_OK, "%s:%d: %s", error.file, error.line, error.text);
}

/* What came of it. */
typedef struct Outcome {
    uint64_t hash;
    RgTracking tracking;
    RgJointTracking last;
} Outcome;

static Outcome by_file(RgRun *run)
{
    for (int i = 0; i < STEPS; i++)
        cr_assert_eq(rg_run_step(run, STEP, NULL), RG_OK);
    return (Outcome){rg_world_hash(run->world), rg_control_tracking(run->control),
                     rg_control_joint(run->control, JOINTS - 1)};
}

/* The trajectory, and the joints where it begins. */
static RgTrajectory *begin(RgWorld *world)
{
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "sinusoid";
    def.naxes = JOINTS;
    def.position = position;
    def.amplitude = amplitude;
    def.frequency = frequency;
    def.phase = phase;
    RgTrajectory *trajectory = rg_trajectory_create(&def, NULL);
    RgReference at[JOINTS];
    rg_trajectory_at(trajectory, 0.0, at);
    for (int i = 0; i < JOINTS; i++) {
        RgJointId joint = rg_model_find_joint(rg_world_model(world), names[i]);
        rg_world_set_joint_position(world, joint, &at[i].position);
        rg_world_set_joint_rate(world, joint, &at[i].velocity);
    }
    return trajectory;
}

static RgControl *control_of(RgWorld *world, const char *kind, const RgTrajectory *trajectory)
{
    RgControlJoint joints[JOINTS];
    for (int i = 0; i < JOINTS; i++) {
        joints[i] = rg_control_joint_default();
        joints[i].joint = rg_model_find_joint(rg_world_model(world), names[i]);
        joints[i].kp = kp[i];
        joints[i].kd = kd[i];
        if (strcmp(kind, "pid") == 0)
            joints[i].ki = 3.0;
        joints[i].limits.max_effort = 30.0;
        joints[i].limits.max_velocity = (double)INFINITY;
    }
    RgControllerDef controller = rg_controller_def_default();
    controller.kind = kind;
    controller.njoints = JOINTS;
    controller.joints = joints;
    controller.trajectory = trajectory;
    controller.gravity = true;
    RgControlDef def = rg_control_def_default();
    def.world = world;
    def.rate = 500.0;
    def.delay = 0.002;
    def.ncontrollers = 1;
    def.controllers = &controller;
    return rg_control_create(&def, NULL);
}

static Outcome by_program(const char *kind)
{
    RgWorldDef def = rg_world_def_default();
    RgModel *model = rg_model_load("models/arm6.urdf", NULL, NULL, NULL);
    def.model = model;
    def.solver = "quick";
    RgWorld *world = rg_world_create(&def, NULL);
    RgTrajectory *trajectory = begin(world);
    RgControl *control = control_of(world, kind, trajectory);
    cr_assert(control != NULL);
    for (int i = 0; i < STEPS; i++)
        cr_assert_eq(rg_control_step(control, STEP, NULL), RG_OK);
    Outcome outcome = {rg_world_hash(world), rg_control_tracking(control), rg_control_joint(control, JOINTS - 1)};
    rg_control_destroy(control);
    rg_trajectory_destroy(trajectory);
    world_end(world, model);
    return outcome;
}

static void expect_same(const char *kind, const Outcome *a, const Outcome *b)
{
    cr_expect_eq(a->hash, b->hash, "%s: hash", kind);
    cr_expect_eq(a->tracking.samples, b->tracking.samples, "%s: samples", kind);
    CHECK_NEAR(a->tracking.mean_error, b->tracking.mean_error, 0.0, "rad");
    CHECK_NEAR(a->tracking.root_mean_square, b->tracking.root_mean_square, 0.0, "rad");
    CHECK_NEAR(a->tracking.largest_error, b->tracking.largest_error, 0.0, "rad");
    CHECK_NEAR(a->tracking.largest_effort, b->tracking.largest_effort, 0.0, "N m");
    CHECK_NEAR(a->tracking.saturated_time, b->tracking.saturated_time, 0.0, "s");
    CHECK_NEAR(a->last.wanted.position, b->last.wanted.position, 0.0, "rad");
    CHECK_NEAR(a->last.effort, b->last.effort, 0.0, "N m");
}

Test(run_control, same_as_a_program)
{
    static const char *const kinds[3] = {"pd", "pid", "implicit-pd"};
    for (int i = 0; i < 3; i++) {
        RgRun run;
        char path[32];
        write_file(kinds[i], path);
        open_run(&run, path);
        Outcome file = by_file(&run), program = by_program(kinds[i]);
        expect_same(kinds[i], &file, &program);
        cr_expect_eq(file.tracking.samples, STEPS / 2);
        cr_expect(file.tracking.saturated_time > 0.0, "%s: the limit of the effort is felt", kinds[i]);
        rg_run_free(&run);
        remove(path);
    }
}

/* Over a world in the state of the start a control made again does the same again. */
Test(run_control, made_again)
{
    RgRun run;
    RgError error = {0};
    char path[32];
    write_file("pid", path);
    open_run(&run, path);
    size_t size = rg_world_state_size(run.world);
    void *start = malloc(size);
    rg_world_state_save(run.world, start);
    Outcome first = by_file(&run);
    rg_run_drop_control(&run);
    cr_assert_eq(rg_world_state_load(run.world, start, size), RG_OK);
    cr_assert_eq(rg_run_make_control(&run, &error), RG_OK, "%s", error.text);
    Outcome second = by_file(&run);
    expect_same("pid again", &first, &second);
    free(start);
    rg_run_free(&run);
    remove(path);
}
