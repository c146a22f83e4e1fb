/*
 * test_drives.c - drives by their closed forms, with every solver in both coordinate forms.
 *
 * A mass m on a slider along x under a constant force f. One step of semi-implicit Euler with a drive has
 *
 *   soft     v1 = (m v0 + h (f + kp e + kd v* + feed)) / (m + h kd + h^2 kp)      e = x* - x0, of the step's end
 *   bound    v1 = v0 + h (f +- most) / m
 *   hard     v1 = r e + (1 - r h) v*,   r = min(rate, 1/h)
 */
#include "check_near.h"
#include "scene_parts.h"
#include "worlds.h"

#include <string.h>

#define MASS 2.0
#define H 1e-2
#define PULL 3.0 /* N, along x */

static RgModel *slider(void)
{
    RgBuilder *b = scene_begin("slider");
    RgLinkId link = link_add(b, "mass", inertia_box(MASS, vec(0.0, 0.0, 0.0), vec(0.1, 0.1, 0.1)));
    RgJointDef joint = joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, link, vec(0, 0, 0), vec(1, 0, 0));
    joint_add(b, &joint);
    return scene_end(b);
}

typedef void SliderCheck(RgWorld *world, RgJointId joint);

/* Every solver and form; sweeps to round-off. */
static void with_all(const char *stepper, SliderCheck *check)
{
    RgModel *model = slider();
    RgJointId joint = rg_model_find_joint(model, "slide");
    for (int k = 0; k < 2 * rg_solver_count(); k++) {
        RgWorldDef def = world_def(model, both_forms[k % 2], stepper);
        def.solver = rg_solver_name(k / 2);
        RgPgsOptions o = rg_pgs_options_default();
        o.iterations = 400;
        def.gravity = vec(PULL / MASS, 0.0, 0.0);
        def.pgs = &o;
        RgWorld *world = world_make(&def);
        check(world, joint);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* N: interior points come as near to a bound as their tolerance lets them, all others meet it. */
static double effort_tolerance(RgWorld *world)
{
    const char *solver = rg_world_settings(world).solver;
    return strcmp(solver, "qp") == 0 || strcmp(solver, "max-dissipation") == 0 ? 1e-6 : 1e-8;
}

static RgDriveReport report_of(RgWorld *world, RgJointId joint)
{
    RgDriveReport report;
    cr_assert(rg_world_joint_drive(world, joint, 0, &report) == RG_OK);
    return report;
}

static void step(RgWorld *world)
{
    cr_assert(rg_world_step(world, H, NULL) == RG_OK);
}

/* A spring and damper taken at the end of the step, following a target that moves, whatever the gains. */
static void check_soft(RgWorld *world, RgJointId joint)
{
    const double kp[] = {100.0, 1e7, 0.0, 50.0}, kd[] = {10.0, 1e3, 20.0, 0.0};
    for (int i = 0; i < 4; i++) {
        RgDrive drive = {.position = 0.3,
                         .velocity = 0.2,
                         .time = 0.05,
                         .kp = kp[i],
                         .kd = kd[i],
                         .feed = -1.5,
                         .max_effort = (double)INFINITY};
        double x = 0.1, v = -0.4, effort = 0.0;
        rg_world_set_joint_position(world, joint, &x);
        rg_world_set_joint_rate(world, joint, &v);
        cr_assert(rg_world_set_joint_drive(world, joint, 0, &drive) == RG_OK);
        for (int k = 0; k < 40; k++) {
            double end = rg_world_time(world) + H, e = 0.3 + 0.2 * (end - 0.05) - x;
            double before = v;
            v = (MASS * v + H * (PULL + kp[i] * e + kd[i] * 0.2 - 1.5)) / (MASS + H * kd[i] + H * H * kp[i]);
            x += H * v;
            effort = MASS * (v - before) / H - PULL;
            step(world);
            CHECK_NEAR(world_rate(world, "slide"), v, 1e-9, "m/s");
            CHECK_NEAR(world_angle(world, "slide"), x, 1e-9, "m");
        }
        RgDriveReport report = report_of(world, joint);
        CHECK_NEAR(report.effort, effort, 1e-6, "N");
        CHECK_NEAR(report.position_error, 0.3 + 0.2 * (rg_world_time(world) - 0.05) - x, 1e-9, "m");
        CHECK_NEAR(report.velocity_error, 0.2 - v, 1e-9, "m/s");
        cr_expect(report.on && !report.saturated);
    }
}

Test(drives, soft_is_the_spring_and_damper_of_the_steps_end)
{
    with_all("semi-implicit", check_soft);
}

/* A hard drive is there at once, or shrinks the way by its rate; and its effort is what that takes. Solver quick takes
   it for softer than that by 1e-10 of its response: velocities here change by 20 m/s. */
static void check_hard(RgWorld *world, RgJointId joint)
{
    const double rate[] = {INFINITY, 20.0, 0.0};
    bool quick = strcmp(rg_world_settings(world).solver, "quick") == 0;
    for (int i = 0; i < 3; i++) {
        RgDrive drive = {.hard = true,
                         .position = 0.3,
                         .velocity = 0.2,
                         .rate = rate[i],
                         .time = rg_world_time(world),
                         .max_effort = (double)INFINITY};
        double x = 0.1, v = -0.4, r = fmin(rate[i], 1.0 / H);
        rg_world_set_joint_position(world, joint, &x);
        rg_world_set_joint_rate(world, joint, &v);
        cr_assert(rg_world_set_joint_drive(world, joint, 0, &drive) == RG_OK);
        for (int k = 1; k <= 20; k++) {
            double e = 0.3 + 0.2 * k * H - x, before = v;
            v = r * e + (1.0 - r * H) * 0.2;
            x += H * v;
            step(world);
            CHECK_NEAR(world_rate(world, "slide"), v, quick ? 1e-8 : 1e-9, "m/s");
            CHECK_NEAR(report_of(world, joint).effort, MASS * (v - before) / H - PULL, quick ? 1e-5 : 1e-6, "N");
        }
        const RgShortfall *gave;
        cr_expect_eq(rg_world_shortfalls(world, &gave), 0);
    }
}

Test(drives, hard_has_its_velocity)
{
    with_all("semi-implicit", check_hard);
}

/* What may give no more gives exactly that, and says so: target and effort. */
static void check_bound(RgWorld *world, RgJointId joint)
{
    for (int i = 0; i < 2; i++) {
        RgDrive drive = {.hard = i == 1,
                         .position = -5.0,
                         .velocity = 0.0,
                         .rate = (double)INFINITY,
                         .kp = 1e3,
                         .kd = 1.0,
                         .max_effort = 4.0};
        double x = 0.0, v = 0.0;
        rg_world_set_joint_position(world, joint, &x);
        rg_world_set_joint_rate(world, joint, &v);
        cr_assert(rg_world_set_joint_drive(world, joint, 0, &drive) == RG_OK);
        const RgShortfall *gave = NULL;
        for (int k = 0; k < 10; k++) {
            v += H * (PULL - 4.0) / MASS;
            x += H * v;
            step(world);
            CHECK_NEAR(world_rate(world, "slide"), v, 0.1 * effort_tolerance(world), "m/s");
            RgDriveReport report = report_of(world, joint);
            CHECK_NEAR(report.effort, -4.0, effort_tolerance(world), "N");
            cr_expect(report.saturated);
        }
        int n = rg_world_shortfalls(world, &gave);
        cr_assert_eq(n, i + 1, "%d gave way", n);
        cr_expect(gave[i].kind == RG_SHORTFALL_EFFORT && gave[i].joint.i == joint.i && gave[i].dof == 0);
        CHECK_NEAR(gave[i].amount, 4.0, effort_tolerance(world), "N");
        if (i == 1)
            CHECK_NEAR(gave[0].amount, fabs(v - (-5.0 - (x - H * v)) / H), 1e-6, "m/s");
        cr_expect(gave[0].kind == (i == 1 ? RG_SHORTFALL_TARGET : RG_SHORTFALL_EFFORT));
    }
}

Test(drives, bounds_are_kept_and_told)
{
    with_all("semi-implicit", check_bound);
}

/*
 * The limit that makes it worse (002, section III-A). A rod pushes a foot forwards and down at 45 degrees, and the foot
 * slides on a floor of friction 2: each newton along the rod brings cos 45 forwards and 2 sin 45 of friction backwards.
 * The foot is too slow for the target, so the drive gives all it may, and is slower for it than without:
 *
 * Along the rod it has the mass m of the foot, across it m + I / r^2, I of the hinge; normal force N, such that the
 * foot stays on the floor: (v1 - v0) = h (d d' / m + p p' / (m + I / r^2)) (tau d + (-mu N, N - m g)), d along the rod,
 * p across it, and velocity products of polar coordinates.
 */
#define HEIGHT 1.0
#define FOOT 1e-4
#define MU 2.0
#define STEP 1e-3
#define TURNING 0.01 /* kg m^2 */

static RgModel *pushing_rod(void)
{
    RgBuilder *b = scene_begin("rod");
    RgLinkId hinge = link_add(b, "hinge", inertia_diagonal(0.5, vec(0, 0, 0), vec(TURNING, TURNING, TURNING)));
    RgLinkId foot = link_add(b, "foot", inertia_diagonal(1.0, vec(0, 0, 0), vec(1e-6, 1e-6, 1e-6)));
    RgJointDef turn = joint_at(RG_JOINT_revolute, "turn", (RgLinkId){0}, hinge, vec(0, 0, HEIGHT), vec(0, 1, 0));
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", hinge, foot, vec(0, 0, 0), vec(1, 0, 0));
    joint_add(b, &turn);
    joint_add(b, &slide);
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_sphere;
    shape.link = foot;
    shape.size[0] = FOOT;
    shape.surface.mu = shape.surface.mu2 = MU;
    rg_builder_add_shape(b, &shape);
    shape.type = RG_SHAPE_halfspace;
    shape.link = (RgLinkId){0};
    rg_builder_add_shape(b, &shape);
    return scene_end(b);
}

/* How fast the rod lengthens after the step, by hand; with d = (1, -1) / sqrt 2, p = -(1, 1) / sqrt 2. */
static double pushed_by_hand(double effort)
{
    double half = sqrt(0.5), length = (HEIGHT - FOOT) / half;
    double along = 1.0, across = 1.0 / (1.0 + (TURNING + 1e-6) / (length * length));

    /* Velocity change along and across: a0 + a1 N, b0 + b1 N; up: -half (along) - half (across) = 0. */
    double turning = -half / length;
    double a0 = along * (effort + 9.81 * half + length * turning * turning), a1 = along * (-MU * half - half);
    double b0 = across * (9.81 * half - 2.0 * half * turning), b1 = across * (MU * half - half);
    double normal = -(a0 + b0) / (a1 + b1);
    return half + STEP * (a0 + a1 * normal);
}

/* One step from 1 m/s with a hard drive that wants the rod to lengthen by 2 m/s. Returns how fast it does. */
static double push_rod(const RgModel *model, const char *coords, const char *solver, double most, RgStepReport *report)
{
    double half = sqrt(0.5), angle = TEST_PI / 4.0, length = (HEIGHT - FOOT) / half;
    double turning = -half / length, lengthening = half;
    RgJointId turn = rg_model_find_joint(model, "turn"), slide = rg_model_find_joint(model, "slide");
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    RgWorld *world = world_make(&def);
    rg_world_set_joint_position(world, turn, &angle);
    rg_world_set_joint_position(world, slide, &length);
    rg_world_set_joint_rate(world, turn, &turning);
    rg_world_set_joint_rate(world, slide, &lengthening);
    RgDrive drive = {.hard = true, .velocity = 2.0, .max_effort = most};
    cr_assert(rg_world_set_joint_drive(world, slide, 0, &drive) == RG_OK);
    cr_assert(rg_world_step(world, STEP, report) == RG_OK, "%s: %s", solver, report->offender);
    double speed = world_rate(world, "slide");
    RgDriveReport driven;
    rg_world_joint_drive(world, slide, 0, &driven);
    cr_expect(isfinite(speed) && (!driven.on || fabs(driven.effort) <= most * (1.0 + 1e-9)));
    rg_world_destroy(world);
    return speed;
}

Test(drives, the_limit_that_makes_it_worse)
{
    static const char *const solvers[] = {"cone", "quick", "dantzig", "lemke"};
    RgModel *model = pushing_rod();
    for (int k = 0; k < 8; k++) {
        const char *coords = both_forms[k % 2], *solver = solvers[k / 2];
        RgStepReport report;
        double without = push_rod(model, coords, solver, 0.0, &report);
        double with = push_rod(model, coords, solver, 20.0, &report);
        cr_expect(with < without - 0.005, "%s: %g m/s, %g without", solver, with, without);
        cr_expect(report.missed_targets == 1 && report.saturated_efforts == 1 && report.slipping_pairs == 1, "%s",
                  solver);
        CHECK_NEAR(report.worst_target, 2.0 - with, 1e-2, "m/s");
        if (k == 0 || k == 2)
            CHECK_NEAR(with, pushed_by_hand(20.0), 2e-5, "m/s");
    }
    rg_model_destroy(model);
}

/* Without a limit no effort has that velocity, whatever the law of friction: every solver still ends, with numbers of
   this world. */
Test(drives, what_cannot_be_had_gives_way)
{
    RgModel *model = pushing_rod();
    for (int k = 0; k < 2 * rg_solver_count(); k++) {
        RgStepReport report;
        const char *solver = rg_solver_name(k / 2);
        double speed = push_rod(model, both_forms[k % 2], solver, INFINITY, &report);
        cr_expect(fabs(speed) < 20.0, "%s: %g m/s", solver, speed);
    }
    rg_model_destroy(model);
}

/* And goes on so: the foot is neither pressed through the floor nor flung away. */
Test(drives, what_cannot_be_had_stays_in_this_world)
{
    RgModel *model = pushing_rod();
    RgJointId turn = rg_model_find_joint(model, "turn"), slide = rg_model_find_joint(model, "slide");
    for (int k = 0; k < 2; k++) {
        double angle = TEST_PI / 4.0, length = (HEIGHT - FOOT) / sqrt(0.5);
        RgWorld *world = world_of(model, both_forms[k], "semi-implicit");
        rg_world_set_joint_position(world, turn, &angle);
        rg_world_set_joint_position(world, slide, &length);
        RgDrive drive = {.hard = true, .velocity = 2.0, .max_effort = (double)INFINITY};
        cr_assert(rg_world_set_joint_drive(world, slide, 0, &drive) == RG_OK);
        for (int i = 0; i < 300; i++) {
            world_run(world, 1, STEP);
            RgVec3 foot = rg_world_link_pose(world, rg_model_find_link(model, "foot")).p;
            cr_assert(fabs(foot.z) < 0.02 && fabs(foot.x - HEIGHT) < 0.3, "step %d: %g %g m", i, foot.x, foot.z);
        }
        const RgShortfall *gave;
        cr_expect(rg_world_shortfalls(world, &gave) > 0 && gave[0].kind == RG_SHORTFALL_TARGET);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ impacts */

/* A cart with a ball in front, on a rail towards a wall that it reaches at x = 0.1. */
static RgModel *cart_and_wall(void)
{
    RgBuilder *b = scene_begin("cart");
    RgLinkId cart = link_add(b, "cart", inertia_box(MASS, vec(0, 0, 0), vec(0.1, 0.1, 0.1)));
    RgJointDef slide = joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, cart, vec(0, 0, 0), vec(1, 0, 0));
    joint_add(b, &slide);
    RgShapeDef shape = rg_shape_def_default();
    shape.type = RG_SHAPE_sphere;
    shape.link = cart;
    shape.size[0] = 0.05;
    rg_builder_add_shape(b, &shape);
    shape.type = RG_SHAPE_box;
    shape.link = (RgLinkId){0};
    shape.size[0] = shape.size[1] = shape.size[2] = 1.0;
    shape.X_LS.p = vec(0.65, 0.0, 0.0);
    rg_builder_add_shape(b, &shape);
    return scene_end(b);
}

/* A drive has no impulse in no time: the wall takes the cart's momentum and not a bit more, and holds against the
   effort that the drive then gives. Without bound the drive wants what the wall forbids: the wall wins. (The last tenth
   of a millimetre is closed by a fiftieth a step.) */
Test(drives, an_impact_is_not_the_drives)
{
    static const char *const steppers[] = {"semi-implicit", "rk4", "advance", "c2a", "rigid", "auto"};
    RgModel *model = cart_and_wall();
    RgJointId slide = rg_model_find_joint(model, "slide");
    for (int k = 0; k < 24; k++) {
        const char *stepper = steppers[k % 6];
        bool soft = k / 12 == 1;
        double most = k / 6 % 2 == 0 ? 8.0 : INFINITY, x = 0.0, v = 1.0;
        RgWorldDef def = world_def(model, "minimal", stepper);
        def.gravity = vec(0, 0, 0);
        RgWorld *world = world_make(&def);
        rg_world_set_joint_rate(world, slide, &v);
        RgDrive drive = {.hard = !soft, .velocity = 1.0, .kd = 50.0, .max_effort = most};
        cr_assert(rg_world_set_joint_drive(world, slide, 0, &drive) == RG_OK);
        for (int i = 0; i < 40; i++) {
            RgStepReport report;
            cr_assert(rg_world_step(world, 5e-3, &report) == RG_OK);
            x = world_angle(world, "slide");
            v = world_rate(world, "slide");
            cr_expect(x < 0.1 + 1e-6 && fabs(v) < 1.0 + 1e-6, "%s: %g m, %g m/s", stepper, x, v);
        }
        CHECK_NEAR(x, 0.1, 2e-4, "m");
        CHECK_NEAR(v, 0.0, 5e-4, "m/s");
        const RgShortfall *gave;
        int n = 0, all = rg_world_shortfalls(world, &gave);
        for (int i = 0; i < all; i++) /* a drive of any effort contradicts the wall, and says so beside that */
            n += gave[i].kind != RG_SHORTFALL_CONTRADICTION && gave[i].kind != RG_SHORTFALL_AGAINST;
        cr_expect(n == all || most == (double)INFINITY, "%s %d: a conflict", stepper, k);
        double effort = report_of(world, slide).effort;
        if (most < INFINITY || soft)
            CHECK_NEAR(effort, fmin(most, soft ? 50.0 : most), 0.5, "N");
        cr_expect(n == (soft ? most < INFINITY : 1 + (most < INFINITY)), "%s %d: %d gave way", stepper, k, n);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A way to go is gone within the step that was asked for, never within the shorter ones that a stepper makes of it. */
Test(drives, hard_ones_take_the_whole_step)
{
    RgModel *model = slider();
    RgJointId slide = rg_model_find_joint(model, "slide");
    for (int k = 0; k < rg_stepper_count(); k++) {
        RgWorldDef def = world_def(model, "minimal", rg_stepper_name(k));
        RgAdaptOptions adapt = rg_adapt_options_default();
        adapt.h_max = H / 16.0;
        def.adapt = &adapt;
        RgWorld *world = world_make(&def);
        RgDrive drive = {.hard = true, .position = 0.2, .rate = (double)INFINITY, .max_effort = (double)INFINITY};
        cr_assert(rg_world_set_joint_drive(world, slide, 0, &drive) == RG_OK);
        for (int i = 0; i < 3; i++) {
            cr_assert(rg_world_step(world, H, NULL) == RG_OK);
            cr_expect(fabs(world_rate(world, "slide")) <= 0.2 / H * (1.0 + 1e-9), "%s: %g m/s", rg_stepper_name(k),
                      world_rate(world, "slide"));
        }
        world_run(world, 30, H);
        CHECK_NEAR(world_angle(world, "slide"), 0.2, 1e-3, "m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
