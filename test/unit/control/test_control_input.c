/*
 * test_control_input.c - definitions of controls that are refused, and with what words; answers that are no answers.
 */
#include "check_near.h"
#include "controls.h"
#include "scenes.h"
#include "worlds.h"

#include <string.h>

/* An arm with a trajectory that holds its first two joints, and a definition to be spoilt. */
typedef struct Bench {
    RgModel *model;
    RgWorld *world;
    RgTrajectory *two;
    const char *names[2];
    ControlCase c;
} Bench;

static void bench_make(Bench *b, const char *kind)
{
    const double zeros[2] = {0.0, 0.0};
    b->model = scene_arm();
    b->world = world_of(b->model, "minimal", "semi-implicit");
    b->two = trajectory_hold(zeros, 2);
    for (int k = 0; k < 2; k++)
        b->names[k] = rg_model_joint(b->model, (RgJointId){k + 1}).name;
    control_case(&b->c, b->world, kind, b->names, 2);
    b->c.controller.trajectory = b->two;
}

static void bench_free(Bench *b)
{
    rg_world_destroy(b->world);
    rg_trajectory_destroy(b->two);
    rg_model_destroy(b->model);
}

static void refused(Bench *b, const char *words)
{
    RgError error = {.status = RG_OK};
    RgControl *control = rg_control_create(&b->c.control, &error);
    cr_expect_null(control, "not refused: %s", words);
    cr_expect(error.status != RG_OK);
    cr_expect(strstr(error.text, words) != NULL, "'%s' is not in '%s'", words, error.text);
    rg_control_destroy(control);
}

static void accepted(Bench *b)
{
    RgControl *control = control_make(&b->c);
    rg_control_destroy(control);
}

Test(control_input, kinds_and_joints)
{
    Bench b;
    bench_make(&b, "implicit_pd");
    control_gains(&b.c, 1.0, NAN, 1.0);
    refused(&b, "no controller called 'implicit_pd'; did you mean 'implicit-pd'?");
    b.c.controller.kind = "walk the dog";
    refused(&b, "no controller called 'walk the dog'");
    b.c.controller.kind = "pd";
    accepted(&b);
    b.c.controller.cookie = 0;
    refused(&b, "rg_controller_def_default");
    b.c.controller.cookie = rg_controller_def_default().cookie;
    b.c.joints[1].joint.i = 99;
    refused(&b, "joint 2 of its list is none of the model");
    b.c.joints[1].joint = b.c.joints[0].joint;
    refused(&b, "has two controllers: 'pd' and 'pd'");
    b.c.joints[1].joint.i = 2;
    b.c.joints[1].dof = 1;
    refused(&b, "has no velocity 1");
    b.c.joints[1].dof = 0;
    b.c.controller.njoints = 1;
    refused(&b, "1 joints, but its trajectory has 2 axes");
    b.c.controller.njoints = 0;
    refused(&b, "has no joints");
    b.c.control.ncontrollers = 0;
    refused(&b, "no controllers");
    bench_free(&b);
}

Test(control_input, two_controllers_on_one_joint)
{
    Bench b;
    bench_make(&b, "pd");
    control_gains(&b.c, 1.0, NAN, 1.0);
    const double zero = 0.0;
    RgTrajectory *one = trajectory_hold(&zero, 1);
    RgControllerDef both[2] = {b.c.controller, b.c.controller};
    RgControlJoint last = b.c.joints[1];
    both[0].name = "arm";
    both[1].name = "wrist";
    both[1].joints = &last;
    both[1].njoints = 1;
    both[1].trajectory = one;
    b.c.control.controllers = both;
    b.c.control.ncontrollers = 2;
    refused(&b, "has two controllers: 'arm' and 'wrist'");
    last.joint.i = 3;
    accepted(&b);
    rg_trajectory_destroy(one);
    bench_free(&b);
}

Test(control_input, gains)
{
    Bench b;
    bench_make(&b, "pd");
    refused(&b, "kind 'pd' needs kp");
    control_gains(&b.c, 10.0, NAN, NAN);
    refused(&b, "kind 'pd' needs kd");
    control_gains(&b.c, 10.0, 1.0, 1.0);
    refused(&b, "kind 'pd' has no use for ki");
    control_gains(&b.c, 10.0, 0.0, 1.0);
    accepted(&b);
    control_gains(&b.c, -10.0, NAN, 1.0);
    refused(&b, "kp must be a finite number, 0 or more, not -10");
    control_gains(&b.c, 10.0, NAN, INFINITY);
    refused(&b, "kd must be a finite number");
    control_gains(&b.c, 0.0, NAN, 0.0);
    refused(&b, "all gains are 0");
    b.c.controller.kind = "pid";
    control_gains(&b.c, 10.0, NAN, 1.0);
    refused(&b, "kind 'pid' needs ki");
    b.c.controller.kind = "hard";
    refused(&b, "kind 'hard' has no use for kp");
    control_gains(&b.c, NAN, NAN, NAN);
    accepted(&b);
    b.c.controller.rate = -1.0;
    refused(&b, "rate must be 0 or more");
    b.c.controller.kind = "computed-torque";
    refused(&b, "has no use for rate");
    b.c.controller.rate = NAN;
    accepted(&b);
    control_gains(&b.c, 10.0, NAN, 2.0);
    accepted(&b);
    b.c.joints[1].kp = b.c.joints[1].kd = NAN;
    refused(&b, "gains of all joints or of none");
    bench_free(&b);
}

Test(control_input, what_a_kind_has_no_use_for)
{
    Bench b;
    bench_make(&b, "pd");
    control_gains(&b.c, 1.0, NAN, 1.0);
    b.c.controller.foot_kp = 100.0;
    refused(&b, "has no use for foot_kp");
    b.c.controller.foot_kp = NAN;
    b.c.controller.friction = 0.5;
    refused(&b, "has no use for friction");
    b.c.controller.friction = NAN;
    const RgFoot foot = {.link = {1}};
    b.c.controller.feet = &foot;
    b.c.controller.nfeet = 1;
    refused(&b, "has no use for feet");
    b.c.controller.nfeet = 0;
    b.c.controller.trajectory = NULL;
    refused(&b, "needs a trajectory");
    b.c.controller.trajectory = b.two;
    b.c.controller.kind = "hard";
    control_gains(&b.c, NAN, NAN, NAN);
    b.c.controller.gravity = true;
    refused(&b, "has no use for gravity efforts");
    b.c.controller.gravity = false;
    b.c.controller.kind = "callback";
    refused(&b, "kind 'callback' needs a function");
    bench_free(&b);
}

Test(control_input, limits_and_times)
{
    Bench b;
    bench_make(&b, "pd");
    control_gains(&b.c, 1.0, NAN, 1.0);
    b.c.joints[0].limits.max_effort = -1.0;
    refused(&b, "limits must not be negative");
    b.c.joints[0].limits = (RgMotorLimits){0.0, 2.0, 1.0};
    refused(&b, "a base velocity needs limits of effort and velocity");
    b.c.joints[0].limits = (RgMotorLimits){10.0, 2.0, 2.0};
    refused(&b, "base velocity 2 must be from 0 to below 2");
    b.c.joints[0].limits = (RgMotorLimits){10.0, 2.0, 0.0};
    accepted(&b);
    b.c.joints[0].limits = (RgMotorLimits){10.0, 2.0, NAN};
    refused(&b, "kind 'pd' has no use for a limit of velocity");
    b.c.joints[0].limits = (RgMotorLimits){10.0, INFINITY, NAN};
    accepted(&b);
    b.c.control.rate = NAN;
    refused(&b, "rate must be 0 or more");
    b.c.control.rate = 1000.0;
    b.c.control.delay = -1.0;
    refused(&b, "delay must be 0 or more");
    b.c.control.delay = 0.065;
    refused(&b, "65 samples at 1000 Hz; at most 64");
    b.c.control.delay = 0.064;
    accepted(&b);
    b.c.control.cookie = 0;
    refused(&b, "rg_control_def_default");
    bench_free(&b);
}

/* Joints that have no positions of their own to be compared with. */
Test(control_input, joints_that_cannot)
{
    RgModel *model = scene_four_bar();
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    const char *pin[] = {"pin"};
    const double zero = 0.0;
    RgTrajectory *hold = trajectory_hold(&zero, 1);
    Bench b = {.model = model, .world = world, .two = hold};
    control_case(&b.c, world, "pd", pin, 1);
    control_gains(&b.c, 1.0, NAN, 1.0);
    b.c.controller.trajectory = hold;
    refused(&b, "closes a loop");
    b.c.controller.kind = "implicit-pd";
    accepted(&b);

    /* The same of kinds with a posture of their own. */
    RgFoot feet[2] = {{.base = {1}, .link = {1}}, {.base = {1}, .link = {2}}};
    b.c.controller.kind = "balance";
    b.c.controller.trajectory = NULL;
    b.c.controller.feet = feet;
    b.c.controller.nfeet = 2;
    refused(&b, "closes a loop");
    bench_free(&b);
}

/* ------------------------------------------------------------------ answers that are none */

typedef struct Moody {
    int asked;
} Moody;

/* Good twice, then no number, then good again. */
static void moody(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    (void)state;
    Moody *self = context;
    input->tau[0] = self->asked == 2 ? (double)NAN : 1.0 + self->asked;
    input->tau[5] = 77.0; /* not its own */
    self->asked++;
}

Test(control_input, the_last_command_is_held_where_there_is_no_answer)
{
    Bench b;
    bench_make(&b, "callback");
    Moody self = {0};
    b.c.controller.callback = moody;
    b.c.controller.callback_context = &self;
    b.c.controller.trajectory = NULL;
    b.c.controller.njoints = 1;
    const double mine = 0.25;
    cr_assert(rg_world_set_joint_effort(b.world, (RgJointId){6}, &mine) == RG_OK);
    RgControl *control = control_make(&b.c);
    const double expected[] = {1.0, 2.0, 2.0, 4.0};
    for (int i = 0; i < 4; i++) {
        control_run(control, 1, 1e-3);
        cr_expect(rg_control_joint(control, 0).effort == expected[i], "%d", i);
        cr_expect(rg_world_input_effort(b.world)[0] == expected[i]);
        cr_expect(rg_world_input_effort(b.world)[5] == mine, "the effort of another joint was changed");
    }
    cr_expect_eq(rg_control_tracking(control).failed, 1);
    rg_control_reset(control);
    cr_expect(rg_world_input_effort(b.world)[0] == 0.0 && rg_world_input_effort(b.world)[5] == mine);
    cr_expect_eq(rg_control_tracking(control).samples, 0);
    cr_expect(rg_control_step(control, NAN, NULL) == RG_ERR_ARGUMENT);
    rg_control_destroy(control);
    bench_free(&b);
}

/* Steps of 1 ms that a control with such a delay makes, 1,000 at most; the last report. */
static int steps_with(double delay, RgStepReport *report)
{
    Bench b;
    bench_make(&b, "pd");
    control_gains(&b.c, 1.0, NAN, 1.0);
    b.c.control.delay = delay;
    RgControl *control = control_make(&b.c);
    int steps = 0;
    while (steps < 1000 && rg_control_step(control, 1e-3, report) == RG_OK)
        steps++;
    if (steps < 1000)
        cr_expect(rg_control_step(control, 0.2, NULL) == RG_ERR_ARGUMENT);
    rg_control_destroy(control);
    bench_free(&b);
    return steps;
}

/* More samples under way than there is room for, which only the length of the steps shows: a delay of so many steps has
   room, one of more has not once the first command is still under way that many steps later. */
Test(control_input, too_many_samples_under_way)
{
    RgStepReport report = {.status = RG_OK};
    cr_expect_eq(steps_with(1e-3 * RG_DELAYS_MAX, &report), 1000);
    cr_expect_eq(steps_with(1e-3 * (RG_DELAYS_MAX + 1), &report), RG_DELAYS_MAX + 1);
    cr_expect_eq(steps_with(0.1, &report), RG_DELAYS_MAX + 1);
    cr_expect(report.status == RG_ERR_ARGUMENT && strstr(report.offender, "delay") != NULL, "'%s'", report.offender);
}

/* ------------------------------------------------------------------ motors */

Test(control_input, torque_speed_curve)
{
    Bench b;
    bench_make(&b, "pd");
    control_gains(&b.c, 1000.0, NAN, 0.0);
    b.c.joints[0].limits = (RgMotorLimits){10.0, 4.0, 1.0};
    b.c.joints[1].limits = (RgMotorLimits){10.0, 4.0, 0.0};
    const double speeds[] = {0.0, 0.5, 1.0, 2.5, 3.7, 4.0, 6.0};
    const double flat[] = {10.0, 10.0, 10.0, 5.0, 1.0, 0.0, 0.0}, line[] = {10.0, 8.75, 7.5, 3.75, 0.75, 0.0, 0.0};
    for (int drives = 0; drives < 2; drives++) {
        b.c.controller.kind = drives ? "hard" : "pd"; /* hard: aims at up to 4 rad/s, so that slower joints want all */
        if (drives)
            control_gains(&b.c, NAN, NAN, NAN);
        RgControl *control = control_make(&b.c);
        for (int i = 0; i < 4 * (drives ? 5 : 7); i++) {
            int k = i / 4, sign = i & 1 ? -1 : 1, brakes = (i & 2) != 0;
            double q[6] = {0.0}, v[6] = {0.0};
            v[0] = v[1] = sign * speeds[k];
            q[0] = q[1] = (brakes ? sign : -sign) * 1.0; /* asks for 1000 N m towards 0 */
            cr_assert(rg_world_set_state(b.world, q, v) == RG_OK);
            rg_control_reset(control);
            control_run(control, 1, 1e-5);
            double most[2] = {brakes ? -sign * 10.0 : sign * flat[k], brakes ? -sign * 10.0 : sign * line[k]};
            CHECK_NEAR(rg_control_joint(control, 0).effort, most[0], 1e-9, "N m");
            CHECK_NEAR(rg_control_joint(control, 1).effort, most[1], 1e-9, "N m");
            cr_expect(rg_control_joint(control, 0).saturated);
            if (!drives)
                CHECK_REL(fabs(rg_control_joint(control, 0).asked), 1000.0, 0.01, "N m");
        }
        rg_control_destroy(control);
    }
    bench_free(&b);
}

/* A drive wants nothing faster than its speed limit, soft or hard; a soft one's joint may swing about what is
   wanted. */
Test(control_input, drives_keep_speed_limits)
{
    for (int hard = 0; hard < 2; hard++) {
        Bench b;
        bench_make(&b, hard ? "hard" : "implicit-pd");
        rg_world_set_gravity(b.world, (RgVec3){0.0, 0.0, 0.0});
        const double far[2] = {1.5, -1.0};
        RgTrajectory *trajectory = trajectory_hold(far, 2);
        b.c.controller.trajectory = trajectory;
        if (!hard)
            control_gains(&b.c, 1e6, NAN, 1e4);
        for (int k = 0; k < 2; k++)
            b.c.joints[k].limits = (RgMotorLimits){0.0, 0.8, NAN};
        b.c.control.rate = 100.0;
        RgControl *control = control_make(&b.c);
        double fastest = 0.0, slowed = 0.0;
        for (int i = 0; i < 3000; i++) {
            control_run(control, 1, 1e-3);
            for (int k = 0; k < 2; k++)
                fastest = fmax(fastest, fabs(rg_control_joint(control, k).velocity));
        }
        slowed = rg_control_joint(control, 0).saturated_time;
        CHECK_NEAR(slowed, 1.5 / 0.8, 0.02, "s"); /* all the way but the end */
        cr_expect(!rg_control_joint(control, 0).saturated);
        cr_expect(fastest < (hard ? 0.8 + 1e-9 : 0.9) && fastest > 0.79, "%g rad/s", fastest);
        CHECK_NEAR(rg_control_joint(control, 0).position, 1.5, 1e-3, "rad");
        CHECK_NEAR(rg_control_joint(control, 1).position, -1.0, 1e-3, "rad");
        rg_control_destroy(control);
        rg_trajectory_destroy(trajectory);
        bench_free(&b);
    }
}
