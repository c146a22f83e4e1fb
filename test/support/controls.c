/* controls.c - trajectories, controllers and controls for the tests. */
#include "controls.h"

#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>

void control_case(ControlCase *out, RgWorld *world, const char *kind, const char *const *names, int n)
{
    cr_assert_leq(n, CONTROLS_JOINTS);
    for (int k = 0; k < n; k++) {
        out->joints[k] = rg_control_joint_default();
        out->joints[k].joint = rg_model_find_joint(rg_world_model(world), names[k]);
        cr_assert_gt(out->joints[k].joint.i, 0, "no joint '%s'", names[k]);
    }
    out->controller = rg_controller_def_default();
    out->controller.kind = kind;
    out->controller.njoints = n;
    out->controller.joints = out->joints;
    out->control = rg_control_def_default();
    out->control.world = world;
    out->control.ncontrollers = 1;
    out->control.controllers = &out->controller;
}

void control_unlimited(ControlCase *out)
{
    for (int k = 0; k < out->controller.njoints; k++)
        out->joints[k].limits.max_effort = (double)INFINITY;
}

void control_gains(ControlCase *out, double kp, double ki, double kd)
{
    for (int k = 0; k < out->controller.njoints; k++) {
        out->joints[k].kp = kp;
        out->joints[k].ki = ki;
        out->joints[k].kd = kd;
    }
}

RgControl *control_make(const ControlCase *made)
{
    RgError error = {.status = RG_OK};
    RgControl *control = rg_control_create(&made->control, &error);
    cr_assert_not_null(control, "%s", error.text);
    return control;
}

void control_end(RgControl *control, RgWorld *world, RgModel *model)
{
    rg_control_destroy(control);
    world_end(world, model);
}

RgTrajectory *trajectory_make(const RgTrajectoryDef *def)
{
    RgError error = {.status = RG_OK};
    RgTrajectory *trajectory = rg_trajectory_create(def, &error);
    cr_assert_not_null(trajectory, "%s", error.text);
    return trajectory;
}

RgTrajectory *trajectory_sinusoid(const double *amplitude, const double *frequency, int n)
{
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "sinusoid";
    def.naxes = n;
    def.amplitude = amplitude;
    def.frequency = frequency;
    return trajectory_make(&def);
}

RgTrajectory *trajectory_hold(const double *position, int n)
{
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.naxes = n;
    def.position = position;
    return trajectory_make(&def);
}

void control_run(RgControl *control, int steps, double h)
{
    for (int i = 0; i < steps; i++) {
        RgStatus status = rg_control_step(control, h, NULL);
        cr_assert(status == RG_OK, "step %d: %s", i, rg_status_text(status));
    }
}
