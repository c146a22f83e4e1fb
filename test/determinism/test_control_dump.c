/*
 * test_control_dump.c - a step that is written down under control is the step that the control makes, and writing it
 * changes nothing.
 *
 * Twin: the control makes the step, which leaves its efforts and drives in the world; the state from before is loaded
 * again, and the world itself writes the same step. Both files have the same bytes, for every kind in both forms.
 */
#define _POSIX_C_SOURCE 200809L
#include "quadruped.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define H 2e-3
#define MOST_BYTES (4 << 20)

static const char *const kinds[] = {"pd",      "pid",      "implicit-pd",      "hard",         "computed-torque",
                                    "foot-pd", "callback", "inverse-dynamics", "least-energy", "no-slip"};
enum { NKINDS = sizeof kinds / sizeof kinds[0] };

static void pull_back(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)context;
    for (int i = 6; i < rg_model_info(model).nv; i++)
        input->tau[i] = -10.0 * state->q[i + 1] - 0.2 * state->v[i];
}

static RgControl *make_control(const QuadRobot *robot, RgWorld *world, const char *kind)
{
    bool feet = strcmp(kind, "foot-pd") == 0, own = strcmp(kind, "callback") == 0, pid = strcmp(kind, "pid") == 0,
         none = feet || own || strcmp(kind, "hard") == 0, soft = pid || strcmp(kind, "pd") == 0;
    RgControlJoint joints[QUAD_JOINTS];
    for (int k = 0; k < QUAD_JOINTS; k++) {
        joints[k] = rg_control_joint_default();
        joints[k].joint = robot->joint[k];
        joints[k].kp = none ? (double)NAN : soft ? 40.0 : 900.0;
        joints[k].kd = none ? (double)NAN : soft ? 0.3 : 40.0;
        joints[k].ki = pid ? 1.0 : (double)NAN;
    }
    RgGait gait = quad_gait(robot, &(QuadMotion){.kind = QUAD_TROT});
    RgControllerDef def = rg_controller_def_default();
    def.kind = kind;
    def.njoints = QUAD_JOINTS;
    def.joints = joints;
    def.callback = own ? pull_back : NULL;
    def.gait = own ? NULL : &gait;
    def.nfeet = own ? 0 : QUAD_FEET;
    def.feet = own ? NULL : robot->foot;
    def.foot_kp = feet ? 3000.0 : def.foot_kp;
    def.foot_kd = feet ? 60.0 : def.foot_kd;
    RgControlDef all = rg_control_def_default();
    all.world = world;
    all.ncontrollers = 1;
    all.controllers = &def;
    RgError error = {0};
    RgControl *control = rg_control_create(&all, &error);
    cr_assert_not_null(control, "%s: %s", kind, error.text);
    return control;
}

/* The file's bytes; the file is gone then. */
static size_t take(const char *path, char *bytes)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file);
    size_t n = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    unlink(path);
    cr_assert(n > 0 && n < MOST_BYTES);
    return n;
}

static void check(QuadRobot *robot, const char *kind, const char *form)
{
    static char first[MOST_BYTES], second[MOST_BYTES];
    char path[64];
    snprintf(path, sizeof path, "/tmp/rigor-control-dump-%ld", (long)getpid());
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = robot->model;
    def.coords = form;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    cr_assert_eq(quad_start(robot, &(QuadMotion){.kind = QUAD_TROT}, 0.0, world), RG_OK);
    RgControl *control = make_control(robot, world, kind);
    for (int i = 0; i < 30; i++)
        cr_assert_eq(rg_control_step(control, H, NULL), RG_OK, "%s %s, step %d", kind, form, i);
    size_t size = rg_world_state_size(world), more = rg_control_state_size(control);
    unsigned char *state = malloc(size), *before = malloc(more), *after = malloc(more);
    rg_world_state_save(world, state);
    rg_control_state_save(control, before);

    cr_assert_eq(rg_control_dump_step(control, H, path, &error), RG_OK, "%s %s: %s", kind, form, error.text);
    size_t n = take(path, first);
    rg_control_state_save(control, after);
    cr_expect(memcmp(before, after, more) == 0, "%s %s: the control has changed", kind, form);
    cr_assert_eq(rg_control_step(control, H, NULL), RG_OK);
    uint64_t hash = rg_world_hash(world);

    /* The same step without a control: what it asked for is still set. */
    cr_assert_eq(rg_world_state_load(world, state, size), RG_OK);
    cr_assert_eq(rg_world_dump_step(world, H, path, &error), RG_OK, "%s", error.text);
    cr_expect(take(path, second) == n && memcmp(first, second, n) == 0, "%s %s: another step", kind, form);
    cr_assert_eq(rg_control_state_load(control, before, more), RG_OK);
    cr_assert_eq(rg_control_step(control, H, NULL), RG_OK);
    cr_expect_eq(rg_world_hash(world), hash, "%s %s: the step has changed", kind, form);
    free(state);
    free(before);
    free(after);
    rg_control_destroy(control);
    rg_world_destroy(world);
}

Test(control_dump, is_the_step_that_is_made)
{
    QuadRobot robot;
    RgError error = {0};
    cr_assert(quad_robot_create(&robot, "models/quadruped.sdf", 1.0, &error), "%s", error.text);
    for (int i = 0; i < NKINDS; i++) {
        check(&robot, kinds[i], "minimal");
        check(&robot, kinds[i], "maximal");
    }
    quad_robot_destroy(&robot);
}
