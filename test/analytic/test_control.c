/*
 * test_control.c - controllers of a pendulum against the discrete maps that they are.
 *
 * A rod of mass m and length l, hinged about y at its end, along +x at q = 0: gravity turns it by m g l/2 cos q, and
 *
 *   v1 = v0 + h (tau + m g l/2 cos q0) / I,    q1 = q0 + h v1,    I = m l^2 / 3
 *
 * is a step of semi-implicit Euler. tau is what the controller's law says, at samples, delayed, held and clipped.
 */
#include "check_near.h"
#include "controls.h"
#include "scenes.h"
#include "worlds.h"

#include <string.h>

#define MASS 2.0
#define LENGTH 0.5
#define G 9.81
#define INERTIA (MASS * LENGTH * LENGTH / 3.0)
#define H 1e-3

static const char *const hinge[] = {"hinge"};

typedef struct Rod {
    double q, v;
} Rod;

static RgModel *rod_model(void)
{
    return scene_pendulum(inertia_rod(MASS, vec(0, 0, 0), vec(LENGTH, 0, 0), 0.1), NULL);
}

static void rod_step(Rod *rod, double tau)
{
    rod->v += H * (tau + MASS * G * LENGTH / 2.0 * cos(rod->q)) / INERTIA;
    rod->q += H * rod->v;
}

static RgTrajectory *swing(void)
{
    const double position = 0.2, amplitude = 0.5, frequency = 3.0, phase = 0.4;
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = "sinusoid";
    def.naxes = 1;
    def.position = &position;
    def.amplitude = &amplitude;
    def.frequency = &frequency;
    def.phase = &phase;
    return trajectory_make(&def);
}

static double pd_law(double t, const Rod *rod, double kp, double kd)
{
    double q = 0.2 + 0.5 * sin(3.0 * t + 0.4), v = 1.5 * cos(3.0 * t + 0.4);
    return kp * (q - rod->q) + kd * (v - rod->v);
}

/* What a joint of the control was given. */
static double effort_of(const RgControl *control)
{
    return rg_control_joint(control, 0).effort;
}

static Rod rod_of(RgWorld *world)
{
    return (Rod){world_angle(world, "hinge"), world_rate(world, "hinge")};
}

/* Explicit PD, one sample a step: the law at every step in both forms, the map where the form's step is that map. */
static void check_pd(const RgModel *model, const RgTrajectory *trajectory, const char *form)
{
    RgWorld *world = world_of(model, form, "semi-implicit");
    ControlCase c;
    control_case(&c, world, "pd", hinge, 1);
    control_gains(&c, 40.0, NAN, 3.0);
    c.controller.trajectory = trajectory;
    RgControl *control = control_make(&c);
    Rod rod = {0.0, 0.0};
    double error = 0.0, worst = 0.0;
    for (int i = 0; i < 2000; i++) {
        Rod before = rod_of(world);
        rod_step(&rod, pd_law(i * H, &rod, 40.0, 3.0));
        cr_assert(rg_control_step(control, H, NULL) == RG_OK);
        CHECK_NEAR(effort_of(control), pd_law(i * H, &before, 40.0, 3.0), 1e-11, "N m");
        double e = fabs(0.2 + 0.5 * sin(3.0 * (i + 1) * H + 0.4) - rod_of(world).q);
        error += e / 2000.0;
        worst = fmax(worst, e);
    }
    RgTracking tracking = rg_control_tracking(control);
    cr_expect_eq(tracking.samples, 2000);
    cr_expect_eq(tracking.saturated, 0);
    CHECK_NEAR(tracking.mean_error, error, 1e-12, "rad");
    CHECK_NEAR(tracking.largest_error, worst, 1e-12, "rad");
    if (form == both_forms[0]) {
        CHECK_NEAR(world_angle(world, "hinge"), rod.q, 1e-11, "rad");
        CHECK_NEAR(world_rate(world, "hinge"), rod.v, 1e-10, "rad/s");
    }
    rg_control_destroy(control);
    rg_world_destroy(world);
}

Test(control, pd_is_its_map)
{
    RgModel *model = rod_model();
    RgTrajectory *trajectory = swing();
    check_pd(model, trajectory, both_forms[0]);
    check_pd(model, trajectory, both_forms[1]);
    rg_trajectory_destroy(trajectory);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ samples, delay, hold */

/* Law at samples every `every` steps, acting `late` steps after, 0 before the first; the rod's own map beside it. */
static void check_timing(double rate, double delay, int every, int late)
{
    RgModel *model = rod_model();
    RgTrajectory *trajectory = swing();
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    ControlCase c;
    control_case(&c, world, "pd", hinge, 1);
    control_gains(&c, 8.0, NAN, 0.5);
    c.controller.trajectory = trajectory;
    c.control.rate = rate;
    c.control.delay = delay;
    RgControl *control = control_make(&c);
    Rod rod = {0.0, 0.0};
    double queue[4096] = {0.0}, tau = 0.0;
    for (int i = 0; i < 1000; i++) {
        if (i % every == 0)
            queue[i] = pd_law(i * H, &rod, 8.0, 0.5);
        if (i >= late && (i - late) % every == 0)
            tau = queue[i - late];
        rod_step(&rod, tau);
        cr_assert(rg_control_step(control, H, NULL) == RG_OK);
        CHECK_NEAR(effort_of(control), tau, 1e-10, "N m");
        CHECK_NEAR(rg_world_time(world), (i + 1) * H, 1e-12, "s");
    }
    cr_expect_eq(rg_control_tracking(control).samples, (1000 + every - 1) / every);
    CHECK_NEAR(world_angle(world, "hinge"), rod.q, 1e-10, "rad");
    control_end(control, world, model);
    rg_trajectory_destroy(trajectory);
}

Test(control, delay_is_exactly_so_many_samples)
{
    check_timing(0.0, 0.0, 1, 0);
    check_timing(0.0, 3.0 * H, 1, 3);
    check_timing(1000.0, 5.0 * H, 1, 5);
    check_timing(1000.0, 64.0 * H, 1, 64);
}

Test(control, zero_order_hold_at_100_hz)
{
    check_timing(100.0, 0.0, 10, 0);
    check_timing(100.0, 4.0 * H, 10, 4);
    check_timing(100.0, 20.0 * H, 10, 20);
    check_timing(100.0, 33.0 * H, 10, 33);
}

/* A step is cut where samples and delayed commands fall: one of 10 ms under 1 kHz is ten of 1 ms, to round-off. */
Test(control, long_steps_are_cut_at_samples)
{
    RgModel *model = rod_model();
    RgTrajectory *trajectory = swing();
    double end[2];
    for (int coarse = 0; coarse < 2; coarse++) {
        RgWorld *world = world_of(model, "minimal", "semi-implicit");
        ControlCase c;
        control_case(&c, world, "pd", hinge, 1);
        control_gains(&c, 40.0, NAN, 3.0);
        c.controller.trajectory = trajectory;
        c.control.rate = 1000.0;
        c.control.delay = 2.0 * H;
        RgControl *control = control_make(&c);
        control_run(control, coarse ? 50 : 500, coarse ? 10.0 * H : H);
        cr_expect_eq(rg_control_tracking(control).samples, 500);
        end[coarse] = world_angle(world, "hinge");
        RgStepReport report;
        cr_assert(rg_control_step(control, 10.0 * H, &report) == RG_OK);
        cr_expect_geq(report.evaluations, 10);
        rg_control_destroy(control);
        rg_world_destroy(world);
    }
    CHECK_NEAR(end[1], end[0], 1e-11, "rad");
    rg_trajectory_destroy(trajectory);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ integral, limits */

/* A load that nobody knows of: PD stays off by load / kp, PID does not, and not for long after it was out of effort. */
Test(control, pid_removes_a_constant_load)
{
    RgModel *model = rod_model();
    const double zero = 0.0;
    RgTrajectory *hold = trajectory_hold(&zero, 1);
    double off[2];
    for (int pid = 0; pid < 2; pid++) {
        RgWorld *world = world_of(model, "minimal", "semi-implicit");
        ControlCase c;
        control_case(&c, world, pid ? "pid" : "pd", hinge, 1);
        control_gains(&c, 60.0, pid ? 200.0 : NAN, 5.0);
        c.controller.trajectory = hold;
        RgControl *control = control_make(&c);
        control_run(control, 8000, H);
        off[pid] = world_angle(world, "hinge");
        rg_control_destroy(control);
        rg_world_destroy(world);
    }

    /* kp q = m g l/2 cos q */
    double q = 0.0;
    for (int i = 0; i < 100; i++)
        q = MASS * G * LENGTH / 2.0 * cos(q) / 60.0;
    CHECK_NEAR(off[0], q, 1e-9, "rad");
    CHECK_NEAR(off[1], 0.0, 1e-9, "rad");
    rg_trajectory_destroy(hold);
    rg_model_destroy(model);
}

/* Held far away with all its effort for 2 s, then let go: back calculation overshoots by little. */
Test(control, integral_does_not_wind_up)
{
    RgModel *model = rod_model();
    const double zero = 0.0;
    RgTrajectory *hold = trajectory_hold(&zero, 1);
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    rg_world_set_gravity(world, vec(0.0, 0.0, 0.0));
    ControlCase c;
    control_case(&c, world, "pid", hinge, 1);
    control_gains(&c, 60.0, 200.0, 5.0);
    c.joints[0].limits.max_effort = 2.0;
    c.controller.trajectory = hold;
    RgControl *control = control_make(&c);
    const double start = 0.5;
    for (int i = 0; i < 2000; i++) {
        rg_world_set_joint_position(world, rg_model_find_joint(model, "hinge"), &start);
        rg_world_set_joint_rate(world, rg_model_find_joint(model, "hinge"), &zero);
        control_run(control, 1, H);
    }
    double lowest = 0.0;
    for (int i = 0; i < 6000; i++) {
        control_run(control, 1, H);
        lowest = fmin(lowest, world_angle(world, "hinge"));
        cr_assert_leq(fabs(effort_of(control)), 2.0);
    }
    CHECK_NEAR(world_angle(world, "hinge"), 0.0, 1e-8, "rad");
    cr_expect_gt(lowest, -0.15, "overshot by %g rad", -lowest);
    RgTracking tracking = rg_control_tracking(control);
    cr_expect_geq(tracking.saturated, 2000);
    CHECK_NEAR(tracking.saturated_time, (double)tracking.saturated * H, 1e-9, "s");
    CHECK_NEAR(tracking.largest_effort, 2.0, 0.0, "N m");
    control_end(control, world, model);
    rg_trajectory_destroy(hold);
}

/* ------------------------------------------------------------------ steps in parts */

static void count_event(const RgEvent *event, void *context)
{
    (void)event;
    ++*(int *)context;
}

/* A step in ten parts beside a ball in a damping field, which is grabbed in the second of two steps: the report has the
   work of the field and of the grab in all parts. */
Test(control, work_of_fields_and_attachments_is_that_of_all_parts)
{
    RgBuilder *b = scene_begin("ball and rod");
    RgLinkId rod = link_add(b, "rod", inertia_rod(MASS, vec(0, 0, 0), vec(LENGTH, 0, 0), 0.1));
    RgJointDef joint = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, rod, vec(0, 0, 3), vec(0, 1, 0));
    joint_add(b, &joint);
    RgLinkId ball = link_add_at(b, "ball", inertia_box(1.0, vec(0, 0, 0), vec(0.1, 0.1, 0.1)), place_at(2.0, 0.0, 0.0));
    RgModel *model = scene_end(b);
    RgTrajectory *trajectory = swing();
    RgFieldDef field = rg_field_def_default();
    field.size[0] = field.size[1] = field.size[2] = 100.0;
    field.linear = 5.0;
    RgWorldDef def = world_def(model, "minimal", "semi-implicit");
    def.fields = &field;
    def.nfields = 1;
    def.max_attachments = 1;
    RgWorld *world = world_make(&def);
    RgAttachmentDef grip = rg_attachment_def_default();
    grip.joint.child = ball;
    grip.attach.cause = RG_ATTACH_time;
    grip.attach.time = 0.0135;
    cr_assert(rg_world_add_attachment(world, &grip, NULL).i > 0);
    ControlCase c;
    control_case(&c, world, "pd", hinge, 1);
    control_gains(&c, 8.0, NAN, 0.5);
    c.controller.trajectory = trajectory;
    c.control.rate = 1000.0;
    RgControl *control = control_make(&c);
    for (int i = 0; i < 2; i++) {
        RgStepReport report;
        RgEnergySums before = rg_world_energy_sums(world);
        cr_assert(rg_control_step(control, 1e-2, &report) == RG_OK);
        RgEnergySums after = rg_world_energy_sums(world);
        cr_expect(report.fields < 0.0 && (i == 0) == (report.attached == 0.0));
        CHECK_NEAR(report.fields, after.fields - before.fields, 1e-12, "J");
        CHECK_NEAR(report.attached, after.attached - before.attached, 1e-12, "J");
    }
    control_end(control, world, model);
    rg_trajectory_destroy(trajectory);
}

/* A ball that falls beside a controlled rod: all events of a step in parts are told once, whichever part they fell
   in. */
Test(control, events_of_all_parts_are_told)
{
    RgBuilder *b = scene_begin("ball and rod");
    RgLinkId rod = link_add(b, "rod", inertia_rod(MASS, vec(0, 0, 0), vec(LENGTH, 0, 0), 0.1));
    RgJointDef joint = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, rod, vec(0, 0, 3), vec(0, 1, 0));
    joint_add(b, &joint);
    RgLinkId ball =
        link_add_at(b, "ball", inertia_box(1.0, vec(0, 0, 0), vec(0.1, 0.1, 0.1)), place_at(2.0, 0.0, 0.25));
    RgShapeDef sphere = rg_shape_def_default(), floor = rg_shape_def_default();
    sphere.type = RG_SHAPE_sphere;
    sphere.link = ball;
    sphere.size[0] = 0.1;
    floor.type = RG_SHAPE_halfspace;
    cr_assert(rg_builder_add_shape(b, &sphere).i > 0 && rg_builder_add_shape(b, &floor).i > 0);
    RgModel *model = scene_end(b);
    RgTrajectory *trajectory = swing();
    RgWorld *world = world_of(model, "minimal", "advance");
    int told = 0, listed = 0;
    rg_world_set_event_fn(world, count_event, &told);
    ControlCase c;
    control_case(&c, world, "pd", hinge, 1);
    control_gains(&c, 8.0, NAN, 0.5);
    c.controller.trajectory = trajectory;
    c.control.rate = 1000.0;
    RgControl *control = control_make(&c);
    for (int i = 0; i < 40; i++) {
        const RgEvent *events;
        control_run(control, 1, 1e-2);
        int n = rg_world_events(world, &events);
        for (int k = 1; k < n; k++)
            cr_expect(events[k].t >= events[k - 1].t);
        listed += n;
    }
    cr_expect_gt(told, 0);
    cr_expect_eq(listed, told);
    control_end(control, world, model);
    rg_trajectory_destroy(trajectory);
}

/* Gravity efforts carry the rod where it is wanted: it does not move at all. */
Test(control, gravity_efforts_carry_the_weight)
{
    RgModel *model = rod_model();
    const double place = 0.3;
    RgTrajectory *hold = trajectory_hold(&place, 1);
    const char *const kinds[] = {"pd", "pid", "implicit-pd"};
    for (int i = 0; i < 6; i++) {
        RgWorld *world = world_of(model, both_forms[i % 2], "semi-implicit");
        rg_world_set_joint_position(world, rg_model_find_joint(model, "hinge"), &place);
        ControlCase c;
        control_case(&c, world, kinds[i / 2], hinge, 1);
        control_gains(&c, 10.0, i / 2 == 1 ? 5.0 : NAN, 1.0);
        c.controller.trajectory = hold;
        c.controller.gravity = true;
        RgControl *control = control_make(&c);
        control_run(control, 500, H);
        CHECK_NEAR(world_angle(world, "hinge"), place, 1e-9, "rad");
        CHECK_NEAR(effort_of(control), -MASS * G * LENGTH / 2.0 * cos(place), 1e-6, "N m");
        rg_control_destroy(control);
        rg_world_destroy(world);
    }
    rg_trajectory_destroy(hold);
    rg_model_destroy(model);
}

/* The world's time is set on or back: samples in between are not made up for, and go on from there. */
Test(control, time_that_jumps)
{
    RgModel *model = rod_model();
    RgTrajectory *trajectory = swing();
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    ControlCase c;
    control_case(&c, world, "pd", hinge, 1);
    control_gains(&c, 8.0, NAN, 0.5);
    c.controller.trajectory = trajectory;
    c.control.rate = 100.0;
    c.control.delay = 5.0 * H;
    RgControl *control = control_make(&c);
    const double times[] = {0.0, 1000.0, 0.25, 0.0};
    for (int i = 0; i < 4; i++) {
        int64_t before = rg_control_tracking(control).samples;
        rg_world_set_time(world, times[i]);
        control_run(control, 100, H);
        int64_t taken = rg_control_tracking(control).samples - before;
        cr_expect(taken == 10 || taken == 11, "%d samples in 0.1 s from %g s on", (int)taken, times[i]);
    }
    control_end(control, world, model);
    rg_trajectory_destroy(trajectory);
}

/* ------------------------------------------------------------------ light joints with springs and dampers */

/* h D / I is some 30, h^2 K / I some 0.03. */
static RgModel *light_model(double damping, double stiffness)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.damping = damping;
    axis.stiffness = stiffness;
    return scene_pendulum(inertia_box(0.03, vec(0.03, 0.0, 0.0), vec(0.02, 0.02, 0.02)), &axis);
}

/* Largest error of the rate at the ends of steps, and mean one of the angle in the second half of 2 s. */
static Rod follow_lightly(const RgModel *model, const char *form, const char *stepper, double kp)
{
    RgTrajectory *trajectory = swing();
    RgWorld *world = world_of(model, form, stepper);
    ControlCase c;
    control_case(&c, world, "computed-torque", hinge, 1);
    if (kp > 0.0)
        control_gains(&c, kp, NAN, 2.0 * sqrt(kp));
    c.controller.trajectory = trajectory;
    RgControl *control = control_make(&c);
    Rod error = {0.0, 0.0};
    for (int i = 1; i <= 2000; i++) {
        cr_assert(rg_control_step(control, H, NULL) == RG_OK);
        Rod rod = rod_of(world);
        error.v = fmax(error.v, fabs(rod.v - 1.5 * cos(3.0 * i * H + 0.4)));
        if (i > 1000)
            error.q += fabs(rod.q - (0.2 + 0.5 * sin(3.0 * i * H + 0.4))) / 1000.0;
    }
    rg_control_destroy(control);
    rg_world_destroy(world);
    rg_trajectory_destroy(trajectory);
    return error;
}

/* Dampers at the end of the step are fed as they act there: without gains every step ends at the wanted rate. */
Test(control, computed_torque_feeds_dampers_as_they_are_stepped)
{
    RgModel *model = light_model(1.0, 1.0);
    CHECK_NEAR(follow_lightly(model, "minimal", "semi-implicit", 0.0).v, 0.0, 1e-9, "rad/s");
    /* Steps of the maximal form differ by turns of second order. */
    CHECK_NEAR(follow_lightly(model, "maximal", "semi-implicit", 0.0).v, 0.0, 5e-6, "rad/s");
    rg_model_destroy(model);
}

/* With gains the joint follows as the same joint without spring and damper does, to 1e-3 of the amplitude. */
Test(control, light_joints_follow_as_bare_ones)
{
    static const char *const steppers[] = {
        "semi-implicit", "semi-implicit-000", "advance", "rigid-001", "reference", "rigid", "auto"};
    RgModel *bare = light_model(0.0, 0.0), *damped = light_model(1.0, 1.0), *rigid = light_model(1.0, 0.0);
    for (int s = 0; s < (int)(sizeof steppers / sizeof steppers[0]); s++)
        for (int f = 0; f < 2; f++) {
            double without = follow_lightly(bare, both_forms[f], steppers[s], 100.0).q;
            /* Stiff steps of "rigid" take springs half way: not known to the law. */
            const RgModel *model = strcmp(steppers[s], "rigid") == 0 ? rigid : damped;
            double with = follow_lightly(model, both_forms[f], steppers[s], 100.0).q;
            cr_expect(fabs(with - without) < 0.5e-3, "%s, %s: mean error %g, bare %g rad", steppers[s], both_forms[f],
                      with, without);
        }
    rg_model_destroy(bare);
    rg_model_destroy(damped);
    rg_model_destroy(rigid);
}
