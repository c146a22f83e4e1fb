/*
 * test_control_arm.c - whole arms under control: our own of models/, and the UR10 where its file lies beside the
 * project.
 *
 *   computed torque   without gains a step of semi-implicit Euler ends at the wanted velocities: v + h (v*(t + h) - v) / h,
 *                     whatever joints do that nobody controls, free or at their limits
 *   torque limits     an arm stretched out that is loaded beyond its limits gives what it has, sinks, and comes back
 *   gains of 1e7      at steps of 10 ms: inside the solve nothing happens, outside the arm flies apart
 */
#include "check_near.h"
#include "controls.h"
#include "scenes.h"
#include "worlds.h"

#include <string.h>

#ifndef RIGOR_SHARED_MODELS
#define RIGOR_SHARED_MODELS "no models"
#endif
#define UR10 RIGOR_SHARED_MODELS "/ur10_rosindustrial/ur10_robot.urdf"
#define ARM6 "models/arm6.urdf"
#define NJOINTS 6

static const char *const arm6_joints[NJOINTS] = {"pan", "lift", "elbow", "roll", "pitch", "turn"};
static const char *const ur10_joints[NJOINTS] = {"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                                 "wrist_1_joint",      "wrist_2_joint",       "wrist_3_joint"};

/* Without meshes. NULL: there is no such file. */
static RgModel *load(const char *path)
{
    RgReadOptions options = rg_read_options_default();
    options.skip_meshes = true;
    RgError error = {.status = RG_OK};
    RgModel *model = rg_model_load(path, &options, NULL, &error);
    cr_assert(model != NULL || error.status == RG_ERR_FILE, "%s", error.text);
    return model;
}

static RgModel *load_ur10(void)
{
    RgModel *model = load(UR10);
    if (model == NULL)
        cr_skip_test("no UR10 beside the project");
    return model;
}

/* No contact, no limits but those of the motors. */
static RgWorldDef arm_world(const RgModel *model, const char *form)
{
    RgWorldDef def = world_def(model, form, "semi-implicit");
    def.contact = false;
    def.position_limits = false;
    return def;
}

/* 002-A: q* = (A / w) sin(w t). */
static RgTrajectory *sinusoid_002(void)
{
    const double w[NJOINTS] = {1.0, 2.0, 2.0 / 3.0, 1.0 / 7.0, 2.0 / 11.0, 3.0 / 13.0};
    double amplitude[NJOINTS];
    for (int k = 0; k < NJOINTS; k++)
        amplitude[k] = k == 1 ? 0.25 : 2.5;
    return trajectory_sinusoid(amplitude, w, NJOINTS);
}

static void start_on(RgWorld *world, const RgTrajectory *trajectory, const char *const *names)
{
    RgReference wanted[NJOINTS];
    rg_trajectory_at(trajectory, 0.0, wanted);
    for (int k = 0; k < NJOINTS; k++) {
        RgJointId joint = rg_model_find_joint(rg_world_model(world), names[k]);
        rg_world_set_joint_position(world, joint, &wanted[k].position);
        rg_world_set_joint_rate(world, joint, &wanted[k].velocity);
    }
}

/* ------------------------------------------------------------------ computed torque */

/* Largest difference of the joints' velocities from what is wanted, over a run of 1 s with steps of h. */
static double worst_velocity(RgWorld *world, RgControl *control, double h)
{
    double worst = 0.0;
    for (int i = 0; i < (int)lround(1.0 / h); i++) {
        cr_assert(rg_control_step(control, h, NULL) == RG_OK);
        for (int k = 0; k < rg_control_joints(control); k++) {
            RgJointTracking joint = rg_control_joint(control, k);
            worst = fmax(worst, fabs(joint.velocity - joint.wanted.velocity));
        }
    }
    cr_expect_eq(rg_control_tracking(control).failed, 0);
    (void)world;
    return worst;
}

Test(control_arm, computed_torque_keeps_velocities_to_round_off)
{
    RgModel *model = load(ARM6);
    RgTrajectory *trajectory = sinusoid_002();
    RgWorldDef def = arm_world(model, "minimal");
    def.implicit_damping = false;
    RgWorld *world = world_make(&def);
    start_on(world, trajectory, arm6_joints);
    ControlCase c;
    control_case(&c, world, "computed-torque", arm6_joints, NJOINTS);
    c.controller.trajectory = trajectory;
    control_unlimited(&c);
    RgControl *control = control_make(&c);
    CHECK_NEAR(worst_velocity(world, control, 5e-3), 0.0, 1e-11, "rad/s");

    /* Positions follow to the order of the stepper. */
    CHECK_NEAR(rg_control_tracking(control).largest_error, 0.0, 5e-3, "rad");
    control_end(control, world, model);
    rg_trajectory_destroy(trajectory);
}

/* With gains the error is of first order in the step, as the stepper is. */
Test(control_arm, computed_torque_is_of_first_order)
{
    RgModel *model = load(ARM6);
    RgTrajectory *trajectory = sinusoid_002();
    for (int form = 0; form < 2; form++) {
        double error[3];
        for (int i = 0; i < 3; i++) {
            RgWorldDef def = arm_world(model, both_forms[form]);
            RgWorld *world = world_make(&def);
            start_on(world, trajectory, arm6_joints);
            ControlCase c;
            control_case(&c, world, "computed-torque", arm6_joints, NJOINTS);
            control_gains(&c, 100.0, NAN, 20.0);
            c.controller.trajectory = trajectory;
            for (int k = 0; k < NJOINTS; k++)
                c.joints[k].limits.max_effort = INFINITY;
            RgControl *control = control_make(&c);
            int steps = 250 << i;
            control_run(control, steps, 1.0 / steps);
            error[i] = rg_control_tracking(control).mean_error;
            rg_control_destroy(control);
            rg_world_destroy(world);
        }
        cr_expect(error[0] < 1e-2 && error[0] / error[1] > 1.9 && error[1] / error[2] > 1.9, "%s: %g %g %g",
                  both_forms[form], error[0], error[1], error[2]);
    }
    rg_trajectory_destroy(trajectory);
    rg_model_destroy(model);
}

/* A floating robot in the air, half of its joints nobody's: those that are controlled move as wanted all the same. */
Test(control_arm, computed_torque_leaves_others_free)
{
    RgModel *model = scene_quadruped();
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    RgWorld *world = world_make(&def);
    ControlCase c;
    const char *names[CONTROLS_JOINTS];
    int n = 0;
    RgModelInfo info = rg_model_info(model);
    for (int i = 1; i <= info.joints && n < 6; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        if (joint.nv == 1 && i % 2 == 1)
            names[n++] = joint.name;
    }
    cr_assert_geq(n, 5);
    double amplitude[CONTROLS_JOINTS], frequency[CONTROLS_JOINTS];
    for (int k = 0; k < n; k++) {
        amplitude[k] = 0.3;
        frequency[k] = 3.0 + k;
    }
    RgTrajectoryDef wave = rg_trajectory_def_default();
    wave.kind = "sinusoid";
    wave.naxes = n;
    wave.amplitude = amplitude;
    wave.frequency = frequency;
    RgTrajectory *trajectory = trajectory_make(&wave);
    control_case(&c, world, "computed-torque", names, n);
    c.controller.trajectory = trajectory;
    RgControl *control = control_make(&c);
    CHECK_NEAR(worst_velocity(world, control, 1e-3), 0.0, 1e-11, "rad/s");
    control_end(control, world, model);
    rg_trajectory_destroy(trajectory);
}

/* Fingers that nobody controls, pushed by so many N: at their limits, or between them and away again as the arm
   swings. */
static double worst_with_fingers(const RgModel *model, double push, double h)
{
    const double efforts[2] = {push, -push};
    RgTrajectory *trajectory = sinusoid_002();
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.contact = false;
    def.solver = "dantzig";
    RgWorld *world = world_make(&def);
    start_on(world, trajectory, ur10_joints);
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "l_finger_actuator"), &efforts[0]);
    rg_world_set_joint_effort(world, rg_model_find_joint(model, "r_finger_actuator"), &efforts[1]);
    ControlCase c;
    control_case(&c, world, "computed-torque", ur10_joints, NJOINTS);
    c.controller.trajectory = trajectory;
    control_unlimited(&c);
    RgControl *control = control_make(&c);
    double worst = worst_velocity(world, control, h);
    rg_control_destroy(control);
    rg_world_destroy(world);
    rg_trajectory_destroy(trajectory);
    return worst;
}

Test(control_arm, computed_torque_knows_joints_that_stand_at_their_limits)
{
    RgModel *model = load("models/ur10.sdf");
    cr_assert_not_null(model);
    static const double pushes[] = {100.0, 1.0, 0.2, 0.0}, steps[] = {0.05, 0.01, 1e-3};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(worst_with_fingers(model, pushes[i], steps[k]), 0.0, 1e-9, "rad/s");
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ every stepper */

/* Mean error of 1 s at steps of 5 ms, 0.3 rad at 3 rad/s on every joint. */
static double mean_error(const RgModel *model, const char *kind, const char *form, const char *stepper)
{
    RgWorldDef def = world_def(model, form, stepper);
    RgWorld *world = world_make(&def);
    double amplitude[NJOINTS], frequency[NJOINTS], speed[NJOINTS];
    const char *names[NJOINTS];
    for (int k = 0; k < NJOINTS; k++) {
        amplitude[k] = 0.3;
        frequency[k] = 3.0;
        speed[k] = 0.9;
        names[k] = rg_model_joint(model, (RgJointId){k + 1}).name;
    }
    rg_world_set_state(world, NULL, speed);
    RgTrajectoryDef wave = rg_trajectory_def_default();
    wave.kind = "sinusoid";
    wave.naxes = NJOINTS;
    wave.amplitude = amplitude;
    wave.frequency = frequency;
    RgTrajectory *trajectory = trajectory_make(&wave);
    ControlCase c;
    control_case(&c, world, kind, names, NJOINTS);
    c.controller.trajectory = trajectory;
    if (strcmp(kind, "implicit-pd") == 0)
        control_gains(&c, 1e5, NAN, 1e3);
    if (strcmp(kind, "computed-torque") == 0)
        control_gains(&c, 400.0, NAN, 40.0);
    RgControl *control = control_make(&c);
    control_run(control, 200, 5e-3);
    double error = rg_control_tracking(control).mean_error;
    rg_control_destroy(control);
    rg_world_destroy(world);
    rg_trajectory_destroy(trajectory);
    return error;
}

/* Targets move on through the inner steps of steppers that make some; efforts are held through them. */
Test(control_arm, every_stepper_in_both_forms)
{
    const char *const kinds[] = {"implicit-pd", "hard", "computed-torque"};
    const double most[] = {1e-3, 3e-4, 2e-3}; /* rad; seen: 5.9e-4, 1.4e-4, 1.4e-3 */
    RgModel *model = scene_arm();
    for (int i = 0; i < 6 * rg_stepper_count(); i++) {
        const char *stepper = rg_stepper_name(i / 6), *form = both_forms[i % 2];
        double error = mean_error(model, kinds[i / 2 % 3], form, stepper);
        cr_expect_lt(error, most[i / 2 % 3], "%s %s %s: %g rad", kinds[i / 2 % 3], stepper, form, error);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ limits of effort */

typedef struct Lift {
    const RgModel *model;
    const char *const *names;
    const char *tool;
    double load; /* N, at the tool, downwards */
    double stretched[NJOINTS];
} Lift;

/* Every effort within its limit; how many are at it. */
static int efforts_within(const RgControl *control)
{
    int saturated = 0;
    for (int k = 0; k < NJOINTS; k++) {
        RgJointTracking joint = rg_control_joint(control, k);
        cr_assert_leq(fabs(joint.effort), joint.max_effort + 1e-9, "joint %d: %.17g N m", k, joint.effort);
        cr_expect(joint.max_effort < 400.0);
        saturated += joint.saturated;
    }
    return saturated;
}

static double tool_height(RgWorld *world, const Lift *lift)
{
    return rg_world_link_pose(world, rg_model_find_link(lift->model, lift->tool)).p.z;
}

static void run_watched(RgControl *control, double seconds, int64_t *saturated)
{
    for (int i = 0; i < (int)lround(seconds / 1e-3); i++) {
        cr_assert(rg_control_step(control, 1e-3, NULL) == RG_OK);
        *saturated += efforts_within(control);
    }
}

static void check_lift(const Lift *lift, const char *form, const char *kind)
{
    RgWorldDef def = arm_world(lift->model, form);
    RgWorld *world = world_make(&def);
    RgTrajectory *hold = trajectory_hold(lift->stretched, NJOINTS);
    start_on(world, hold, lift->names);
    ControlCase c;
    control_case(&c, world, kind, lift->names, NJOINTS);
    c.controller.trajectory = hold;
    if (strcmp(kind, "hard") == 0) {
        c.controller.rate = 10.0;
    } else {
        control_gains(&c, 4000.0, NAN, 400.0);
        c.controller.gravity = true;
    }
    RgControl *control = control_make(&c);
    double start = tool_height(world, lift);

    /* It carries itself, */
    int64_t saturated = 0;
    run_watched(control, 0.3, &saturated);
    cr_expect_eq(saturated, 0);
    CHECK_NEAR(tool_height(world, lift), start, 1e-4, "m");

    /* but not the load: limits are reached, and it sinks; */
    RgLinkId tool = rg_model_find_link(lift->model, lift->tool);
    rg_world_set_link_wrench(world, tool, (RgForce){vec(0, 0, 0), vec(0, 0, -lift->load)});
    run_watched(control, 0.3, &saturated);
    cr_expect_geq(saturated, 200);
    cr_expect_lt(tool_height(world, lift), start - 0.05, "%s %s", kind, form);
    cr_expect_eq(rg_control_tracking(control).saturated, saturated);

    /* and rises again when that is gone. */
    rg_world_set_link_wrench(world, tool, (RgForce){vec(0, 0, 0), vec(0, 0, 0)});
    run_watched(control, 3.0, &saturated);
    CHECK_NEAR(tool_height(world, lift), start, 1e-4, "m");
    cr_expect_eq(efforts_within(control), 0);
    rg_control_destroy(control);
    rg_world_destroy(world);
    rg_trajectory_destroy(hold);
}

static void check_lifts(const Lift *lift)
{
    for (int i = 0; i < 4; i++)
        check_lift(lift, both_forms[i % 2], i < 2 ? "implicit-pd" : "hard");
}

Test(control_arm, arm_at_its_limits_sinks_and_comes_back)
{
    RgModel *model = load(ARM6);
    Lift lift = {.model = model,
                 .names = arm6_joints,
                 .tool = "tool",
                 .load = 250.0,
                 .stretched = {0.0, 1.5707963267948966, 0.0, 0.0, 0.0, 0.0}};
    check_lifts(&lift);
    rg_model_destroy(model);
}

Test(control_arm, ur10_at_its_limits_sinks_and_comes_back)
{
    RgModel *model = load_ur10();
    Lift lift = {.model = model, .names = ur10_joints, .tool = "wrist_3_link", .load = 350.0, .stretched = {0.0}};
    check_lifts(&lift);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ gains without end */

/* Mean error of 5 s at steps of 10 ms with kp 1e7; infinite: it flew apart. */
static double stiff_error(const RgModel *model, const char *const *names, const char *form, const char *kind)
{
    RgWorldDef def = arm_world(model, form);
    RgWorld *world = world_make(&def);
    RgTrajectory *trajectory = sinusoid_002();
    start_on(world, trajectory, names);
    ControlCase c;
    control_case(&c, world, kind, names, NJOINTS);
    control_gains(&c, 1e7, NAN, 1e5);
    c.controller.trajectory = trajectory;
    for (int k = 0; k < NJOINTS; k++)
        c.joints[k].limits = (RgMotorLimits){INFINITY, INFINITY, NAN};
    RgControl *control = control_make(&c);
    double error = 0.0;
    for (int i = 0; i < 500 && isfinite(error); i++) {
        bool whole = rg_control_step(control, 1e-2, NULL) == RG_OK;
        for (int k = 0; k < NJOINTS; k++)
            whole = whole && fabs(rg_control_joint(control, k).velocity) < 1e3;
        error = whole ? rg_control_tracking(control).mean_error : (double)INFINITY;
    }
    rg_control_destroy(control);
    rg_world_destroy(world);
    rg_trajectory_destroy(trajectory);
    return error;
}

static void check_stiff(const RgModel *model, const char *const *names)
{
    cr_expect(isinf(stiff_error(model, names, "minimal", "pd")), "explicit PD stands gains of 1e7 at 10 ms");
    for (int form = 0; form < 2; form++) {
        double error = stiff_error(model, names, both_forms[form], "implicit-pd");
        cr_expect_lt(error, 1e-4, "%s: %g rad", both_forms[form], error);
    }
}

Test(control_arm, gains_of_1e7_at_10_ms)
{
    RgModel *model = load(ARM6);
    check_stiff(model, arm6_joints);
    rg_model_destroy(model);
}

Test(control_arm, gains_of_1e7_at_10_ms_ur10)
{
    RgModel *model = load_ur10();
    check_stiff(model, ur10_joints);
    rg_model_destroy(model);
}
