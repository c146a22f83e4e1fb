/*
 * test_standing.c - robots that stand, are pushed, and walk, by the controllers `balance` and `walk`, in both forms.
 *
 * Law: a pendulum of length z whose point of support may move by s under its mass is held against a push that changes
 * its velocity by less than s w, w = sqrt(g/z), and falls beyond; so does the robot, near s = half the length of its
 * soles. What walks goes a stride a step, and its motors give no more than they may.
 */
#include "check_near.h"
#include "standing_robot.h"

#include <criterion/criterion.h>
#include <math.h>

static const char *const forms[] = {"minimal", "maximal"};
static const RgVec3 no_push = {0};

static RgWalk numbers(double steps, double stride)
{
    RgWalk walk = rg_controller_def_default().walk;
    if (steps > 0.0) {
        walk.steps = steps;
        walk.stride = stride;
    }
    return walk;
}

/* Efforts within the limits of the motors; mean error of the joints below `most`. */
static void check_tracking(const StandingRobot *robot, double most)
{
    RgTracking tracking = rg_control_tracking(robot->control);
    cr_expect_eq(tracking.failed, 0);
    cr_expect_lt(tracking.mean_error, most, "%g rad", tracking.mean_error);
    for (int i = 0; i < rg_control_joints(robot->control); i++) {
        RgJointTracking joint = rg_control_joint(robot->control, i);
        cr_expect_leq(joint.largest_effort, joint.max_effort * (1.0 + 1e-9), "joint %d: %g of %g", i,
                      joint.largest_effort, joint.max_effort);
    }
}

static void check_stand(RobotKind kind, const char *form, double h)
{
    StandingRobot robot;
    RgWalk walk = numbers(0.0, 0.0);
    standing_begin(&robot, kind, form, &walk, (RgAllocator){0});
    cr_assert(standing_run(&robot, (int)lround(2.0 / h), h, no_push), "%d %s", (int)kind, form);
    RgVec3 settled = standing_place(&robot);
    cr_assert(standing_run(&robot, (int)lround(8.0 / h), h, no_push), "%d %s", (int)kind, form);
    RgVec3 now = standing_place(&robot);
    CHECK_NEAR(hypot(now.x - settled.x, now.y - settled.y), 0.0, 1e-3, "m");
    CHECK_NEAR(now.z, settled.z, 1e-3, "m");
    CHECK_NEAR(standing_tilt(&robot), 0.0, 0.02, "rad");
    check_tracking(&robot, kind == ROBOT_DOG ? 8e-3 : 2e-3);
    standing_end(&robot);
}

Test(standing, stands_ten_seconds)
{
    for (int form = 0; form < 2; form++) {
        check_stand(ROBOT_ATLAS, forms[form], 5e-3);
        check_stand(ROBOT_HUMANOID, forms[form], 5e-3);
        check_stand(ROBOT_DOG, forms[form], 2e-3);
        check_stand(ROBOT_BIPED, forms[form], 5e-3);
    }
    check_stand(ROBOT_ATLAS, "minimal", 1e-3);
}

/* Whether Atlas stands four seconds after a push of 0.1 s; then it must be back over its feet. */
static bool survives(const char *form, RgVec3 impulse)
{
    const double h = 5e-3, time = 0.1;
    StandingRobot robot;
    RgWalk walk = numbers(0.0, 0.0);
    standing_begin(&robot, ROBOT_ATLAS, form, &walk, (RgAllocator){0});
    RgVec3 push = {impulse.x / time, impulse.y / time, 0.0};
    cr_assert(standing_run(&robot, (int)lround(1.5 / h), h, no_push));
    RgVec3 before = standing_place(&robot);
    bool stands =
        standing_run(&robot, (int)lround(time / h), h, push) && standing_run(&robot, (int)lround(4.0 / h), h, no_push);
    RgVec3 after = standing_place(&robot);
    if (stands) {
        CHECK_NEAR(hypot(after.x - before.x, after.y - before.y), 0.0, 0.05, "m");
        CHECK_NEAR(standing_tilt(&robot), 0.0, 0.03, "rad");
    }
    standing_end(&robot);
    return stands;
}

Test(standing, withstands_a_push)
{
    for (int form = 0; form < 2; form++)
        for (int side = 0; side < 4; side++) {
            double x = (side == 0) - (side == 1), y = (side == 2) - (side == 3);
            cr_expect(survives(forms[form], (RgVec3){35.0 * x, 35.0 * y, 0.0}), "%s, side %d", forms[form], side);
            cr_expect(!survives(forms[form], (RgVec3){90.0 * x, 90.0 * y, 0.0}), "%s, side %d: 90 N s", forms[form],
                      side);
        }
}

static void check_walk(RobotKind kind, const char *form, const RgWalk *walk, double h)
{
    StandingRobot robot;
    standing_begin(&robot, kind, form, walk, (RgAllocator){0});
    RgVec3 from = standing_place(&robot);
    double each = isnan(walk->swing) ? 1.1 : walk->swing + walk->both, time = 1.0 + walk->steps * each + 1.5;
    cr_assert(standing_run(&robot, (int)lround(time / h), h, no_push), "robot %d, %s, %g s: fell", (int)kind, form, h);

    /* The last step brings the other feet level: one stride less for each. */
    int level = kind == ROBOT_DOG ? 3 : 1;
    RgVec3 to = standing_place(&robot);
    double way = (walk->steps - level) * walk->stride;
    CHECK_NEAR(to.x - from.x, way, 0.25 * way, "m");
    CHECK_NEAR(to.y - from.y, 0.0, 0.15, "m");
    CHECK_NEAR(standing_tilt(&robot), 0.0, 0.05, "rad");
    check_tracking(&robot, kind == ROBOT_DOG ? 2e-2 : 8e-3);
    standing_end(&robot);
}

Test(standing, walks)
{
    RgWalk biped = numbers(12.0, 0.12), crawl = numbers(12.0, 0.03), short_steps = numbers(12.0, 0.08);
    for (int form = 0; form < 2; form++) {
        check_walk(ROBOT_ATLAS, forms[form], &biped, 5e-3);
        check_walk(ROBOT_HUMANOID, forms[form], &biped, 5e-3);
        check_walk(ROBOT_DOG, forms[form], &crawl, 2e-3);
        check_walk(ROBOT_BIPED, forms[form], &short_steps, 5e-3);
    }
    check_walk(ROBOT_ATLAS, "minimal", &biped, 1e-3);
}

/* Strides of 0.25 m, 0.7 s each. */
Test(standing, walks_briskly)
{
    RgWalk walk = numbers(12.0, 0.25);
    walk.swing = 0.5;
    walk.both = 0.2;
    for (int form = 0; form < 2; form++) {
        check_walk(ROBOT_ATLAS, forms[form], &walk, 5e-3);
        check_walk(ROBOT_HUMANOID, forms[form], &walk, 5e-3);
    }
}

/* Ten steps of 0.15 rad: it looks there then. */
Test(standing, turns)
{
    for (int form = 0; form < 2; form++) {
        StandingRobot robot;
        RgWalk walk = numbers(11.0, 0.0);
        walk.turn = 0.15;
        standing_begin(&robot, ROBOT_ATLAS, forms[form], &walk, (RgAllocator){0});
        cr_assert(standing_run(&robot, 2900, 5e-3, no_push));
        RgPose X = rg_world_link_pose(robot.world, robot.base);
        CHECK_NEAR(atan2(X.R.m[1][0], X.R.m[0][0]), 10.0 * 0.15, 0.2, "rad");
        standing_end(&robot);
    }
}
