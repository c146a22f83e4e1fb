/* ur10_arm.c - the arm of paper 002 under one kind of control, run once. */
#define _POSIX_C_SOURCE 200809L
#include "ur10_arm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FINGER 100.0 /* N */
#define SPEED_BOUND 1e3
#define ERROR_BOUND 10.0

const double ur10_amplitude[UR10_JOINTS] = {2.5, 0.25, 2.5, 2.5, 2.5, 2.5};
const double ur10_frequency[UR10_JOINTS] = {1.0, 2.0, 2.0 / 3.0, 1.0 / 7.0, 2.0 / 11.0, 3.0 / 13.0};
const Ur10Gains ur10_example = {{300.0, 300.0, 60.0, 15.0, 15.0, 15.0}, {120.0, 120.0, 24.0, 6.0, 6.0, 6.0}};

const Ur10Gains ur10_careful = {{9000.0, 9000.0, 1800.0, 450.0, 450.0, 450.0},
                                {3370.37, 345.379, 346.718, 2.51505, 13.7377, 0.2}};

static const char *const plain_names[UR10_JOINTS] = {"shoulder_pan_joint", "shoulder_lift_joint",
                                                     "elbow_joint",        "wrist_1_joint",
                                                     "wrist_2_joint",      "wrist_3_joint"};
/* The child's side of each gear body; the links turn by (1 + ratio) times its angle. */
static const char *const geared_names[UR10_JOINTS] = {"shoulder_gear_joint", "arm_gear_joint",
                                                      "forearm_gear_joint",  "w1_gear_joint",
                                                      "w2_gear_joint",       "w3_gear_joint"};
static const double geared_scale[UR10_JOINTS] = {2.5, 2.5, 2.5, -0.5, 2.5, 2.5};

Ur10Arm ur10_arm_load(const char *path, bool geared)
{
    static const char *const fingers[2] = {"l_finger_actuator", "r_finger_actuator"};
    Ur10Arm arm = {0};
    RgReadOptions options = rg_read_options_default();
    options.base = RG_BASE_FIXED;
    arm.model = rg_model_load(path, &options, NULL, &arm.error);
    for (int i = 0; arm.model != NULL && i < UR10_JOINTS + 2; i++) {
        const char *name = i >= UR10_JOINTS ? fingers[i - UR10_JOINTS]
                           : geared         ? geared_names[i]
                                            : plain_names[i];
        RgJointId joint = rg_model_find_joint(arm.model, name);
        if (i < UR10_JOINTS) {
            arm.joints[i] = joint;
            arm.scale[i] = geared ? geared_scale[i] : 1.0;
        } else {
            arm.fingers[i - UR10_JOINTS] = joint;
        }
        if (joint.i == 0) {
            snprintf(arm.error.text, sizeof arm.error.text, "no joint '%s'", name);
            ur10_arm_free(&arm);
        }
    }
    return arm;
}

void ur10_arm_free(Ur10Arm *arm)
{
    rg_model_destroy(arm->model);
    arm->model = NULL;
}

static RgTrajectory *trajectory_of(const Ur10Arm *arm, RgError *error)
{
    double amplitude[UR10_JOINTS];
    RgTrajectoryDef def = rg_trajectory_def_default();
    for (int i = 0; i < UR10_JOINTS; i++)
        amplitude[i] = ur10_amplitude[i] / arm->scale[i];
    def.kind = "sinusoid";
    def.naxes = UR10_JOINTS;
    def.amplitude = amplitude;
    def.frequency = ur10_frequency;
    return rg_trajectory_create(&def, error);
}

/* Gains of the links' angles become those of the joints; without gains they follow from the step (or there are none). */
static void set_gains(const Ur10Arm *arm, const Ur10Method *method, double step, RgControlJoint *joints)
{
    double kd = 1.0 / step, kp = fmin(method->rate, kd) * kd;
    for (int i = 0; i < UR10_JOINTS; i++) {
        double square = arm->scale[i] * arm->scale[i];
        joints[i] = rg_control_joint_default();
        joints[i].joint = arm->joints[i];
        joints[i].limits.max_effort = joints[i].limits.max_velocity = INFINITY;
        if (method->gains != NULL) {
            joints[i].kp = square * method->gains->kp[i];
            joints[i].kd = square * method->gains->kd[i];
        } else if (strcmp(method->kind, "computed-torque") == 0 && kp > 0.0) {
            joints[i].kp = kp;
            joints[i].kd = kd;
        }
    }
}

static RgControl *control_of(const Ur10Arm *arm, const Ur10Method *method, double step, RgWorld *world,
                             const RgTrajectory *trajectory)
{
    RgControlJoint joints[UR10_JOINTS];
    RgControllerDef controller = rg_controller_def_default();
    RgControlDef def = rg_control_def_default();
    RgError error = {0};
    set_gains(arm, method, step, joints);
    controller.kind = method->kind;
    controller.njoints = UR10_JOINTS;
    controller.joints = joints;
    controller.trajectory = trajectory;
    if (strcmp(method->kind, "hard") == 0)
        controller.rate = method->rate;
    def.world = world;
    def.ncontrollers = 1;
    def.controllers = &controller;
    RgControl *control = rg_control_create(&def, &error);
    if (control == NULL)
        fprintf(stderr, "rigor-bench-control: %s: %s\n", method->name, error.text);
    return control;
}

/* On the trajectory at t = 0, gripper closing. */
static void start(const Ur10Arm *arm, RgWorld *world)
{
    const double closing[2] = {FINGER, -FINGER};
    bool *held = calloc((size_t)rg_model_info(arm->model).nv, sizeof *held);
    if (held == NULL)
        abort();
    for (int i = 0; i < UR10_JOINTS; i++) {
        double rate = ur10_amplitude[i] * ur10_frequency[i] / arm->scale[i];
        rg_world_set_joint_rate(world, arm->joints[i], &rate);
        held[rg_model_joint(arm->model, arm->joints[i]).v_index] = true;
    }
    rg_world_assemble_holding(world, held, held, NULL);
    free(held);
    for (int i = 0; i < 2; i++)
        rg_world_set_joint_effort(world, arm->fingers[i], &closing[i]);
}

static double cpu_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool is_slow(RgWorld *world, int nv)
{
    const double *v = rg_world_v(world);
    for (int i = 0; i < nv; i++)
        if (!(fabs(v[i]) <= SPEED_BOUND))
            return false;
    return true;
}

static void follow(const Ur10Arm *arm, RgWorld *world, RgControl *control, double step, double time,
                   Ur10Run *out)
{
    int nv = rg_model_info(arm->model).nv;
    long steps = lround(ceil(time / step - 1e-9));
    double begin = cpu_now();
    out->stable = true;
    for (long k = 1; k <= steps && out->stable; k++) {
        double h = k == steps ? fmin(step, time - rg_world_time(world)) : step;
        out->stable = rg_control_step(control, h, NULL) == RG_OK && is_slow(world, nv);
    }
    out->cpu = cpu_now() - begin;
    for (int i = 0; i < UR10_JOINTS; i++) {
        RgJointTracking joint = rg_control_joint(control, i);
        double scale = fabs(arm->scale[i]);
        out->mean_error += scale * joint.mean_error / UR10_JOINTS;
        out->largest_error = fmax(out->largest_error, scale * joint.largest_error);
    }
    out->stable = out->stable && out->mean_error <= ERROR_BOUND;
}

Ur10Run ur10_run(const Ur10Arm *arm, const Ur10Method *method, const char *coords, double step, double time)
{
    Ur10Run out = {0};
    RgError error = {0};
    RgWorldDef def = rg_world_def_default();
    def.model = arm->model;
    def.contact = false;
    if (coords != NULL)
        def.coords = coords;
    RgWorld *world = rg_world_create(&def, &error);
    RgTrajectory *trajectory = trajectory_of(arm, &error);
    if (world != NULL && trajectory != NULL) {
        start(arm, world);
        RgControl *control = control_of(arm, method, step, world, trajectory);
        if (control != NULL)
            follow(arm, world, control, step, time, &out);
        rg_control_destroy(control);
    }
    rg_trajectory_destroy(trajectory);
    rg_world_destroy(world);
    return out;
}
