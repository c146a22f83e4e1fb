/*
 * test_quadruped_drives.c - experiment 002-B: a quadruped trots on the spot with its joints driven inside the solve, at
 * steps of 1 to 100 ms: upright, its feet do not skate, friction stays in its cone and efforts within their limits.
 * Skating comes back with the flawed order, targets and normals before friction.
 */
#include "check_near.h"
#include "quadruped.h"

#include <criterion/criterion.h>
#include <math.h>

#define EXACT 1e-8

static const double steps[5] = {1e-3, 4e-3, 1e-2, 5e-2, 0.1};
static const QuadMotion trot = {.kind = QUAD_TROT};
static const QuadMethod implicit = {"implicit PD", "implicit-pd", 100.0, 1.0, INFINITY, false, false};

static QuadRobot papers_robot(double mu)
{
    QuadRobot robot;
    RgError error;
    cr_assert(quad_robot_create(&robot, "models/links.sdf", mu, &error), "%s", error.text);
    return robot;
}

static QuadResult run(QuadSetup setup)
{
    QuadResult result;
    RgError error;
    cr_assert(quad_run(&setup, &result, &error), "%s", error.text);
    return result;
}

static QuadSetup trotting(QuadRobot *robot, double h)
{
    return (QuadSetup){.robot = robot,
                       .motion = trot,
                       .method = implicit,
                       .solver = "cone",
                       .coords = "minimal",
                       .h = h,
                       .time = 2.0,
                       .mu = 1.0};
}

static void check_sound(const QuadResult *q, double h)
{
    cr_assert(isnan(q->fell) && isnan(q->blew), "step %g s: fell %g, blew up %g", h, q->fell, q->blew);
    cr_assert_leq(q->cone, EXACT, "step %g s: friction beyond its cone by %g", h, q->cone);
    cr_assert_leq(q->beyond, EXACT, "step %g s: effort beyond its limit by %g", h, q->beyond);
    cr_assert_lt(q->overlap, 1e-6, "step %g s: overlap %g m", h, q->overlap);
}

/* mm a foot and cycle: what the convex form gave in an earlier trial, and 30 % on it; no foot that stands slips at all.
   The better of Coulomb's and the associated law counts. */
Test(quadruped_drives, the_papers_robot_does_not_skate)
{
    static const double wanted[5] = {0.0, 0.15, 0.26, 1.1, 0.2};
    QuadRobot robot = papers_robot(1.0);
    for (int i = 0; i < 5; i++) {
        QuadSetup setup = trotting(&robot, steps[i]);
        QuadResult coulomb = run(setup);
        setup.solver = "cone-convex";
        QuadResult convex = run(setup);
        check_sound(&coulomb, steps[i]);
        check_sound(&convex, steps[i]);
        double slip = fmin(coulomb.slip, convex.slip);
        cr_assert_leq(slip, fmax(1.3 * wanted[i], 0.02), "step %g s: %g mm", steps[i], slip);
        cr_assert_lt(coulomb.stood, 1e-6, "step %g s: %g mm", steps[i], coulomb.stood);
    }
    quad_robot_destroy(&robot);
}

/* Paper 002's gains and motion: efforts that plan contact forces hold the joints as well in the maximal form, whose own step
   they predict. Later, runs part: which foot slips when it lands hangs on round-off. */
Test(quadruped_drives, inverse_dynamics_errs_alike_in_both_forms)
{
    QuadRobot robot = papers_robot(1.0);
    for (int i = 0; i < 4; i++) {
        double h = 5e-4 * (1 << i), error[2];
        for (int form = 0; form < 2; form++) {
            QuadSetup setup = trotting(&robot, h);
            setup.motion = (QuadMotion){.kind = QUAD_SINUSOID, .amplitude = 0.2};
            setup.method = (QuadMethod){"ID control", "inverse-dynamics", 1e4, 200.0, INFINITY, false, false};
            setup.coords = form == 0 ? "minimal" : "maximal";
            setup.contact_erp = 0.2;
            setup.time = 1.0;
            QuadResult q = run(setup);
            check_sound(&q, h);
            error[form] = q.error;
        }
        cr_log_info("step %g s: %.3g rad minimal, %.3g maximal", h, error[0], error[1]);
        cr_expect_lt(error[1], 1.5 * error[0], "step %g s: %g and %g rad", h, error[0], error[1]);
    }
    quad_robot_destroy(&robot);
}

/* Targets and normals first: no friction impulse is left that keeps the joint rates, and the feet skate. */
Test(quadruped_drives, the_flawed_order_skates)
{
    QuadRobot robot = papers_robot(0.0);
    QuadSetup setup = trotting(&robot, 4e-3);
    setup.method = (QuadMethod){"flawed order", "hard", 0.0, 0.0, INFINITY, true, false};
    setup.mu = 0.0;
    QuadResult q = run(setup);
    cr_assert_gt(q.slip, 10.0 * 1.3 * 0.15, "%g mm", q.slip);
    cr_assert_eq(quad_friction_freedom(&robot), 0);
    quad_robot_destroy(&robot);
}

/* Hard rows with 7.3 N m at 4 ms: the limit is met, and never passed. */
Test(quadruped_drives, efforts_within_their_limits)
{
    QuadRobot robot = papers_robot(1.0);
    QuadSetup setup = trotting(&robot, 4e-3);
    setup.method = (QuadMethod){"hard rows", "hard", 0.0, 0.0, 7.3, false, false};
    QuadResult q = run(setup);
    check_sound(&q, setup.h);
    cr_assert(q.saturated > 0 && q.missed > 0, "%d at their limit, %d missed", q.saturated, q.missed);
    CHECK_NEAR(q.peak, 7.3, EXACT, "N m");
    quad_robot_destroy(&robot);
}

/* Our own robot, every step, and both forms at one. */
Test(quadruped_drives, our_robot_trots_at_every_step)
{
    QuadRobot robot;
    RgError error;
    cr_assert(quad_robot_create(&robot, "models/quadruped.sdf", 1.0, &error), "%s", error.text);
    for (int i = 0; i < 5; i++) {
        QuadSetup setup = trotting(&robot, steps[i]);
        setup.method.kp = 3000.0;
        setup.method.kd = 30.0;
        QuadResult q = run(setup);
        check_sound(&q, steps[i]);
        cr_assert_lt(q.tilt, 5.0, "step %g s: %g degrees", steps[i], q.tilt);
        cr_assert_lt(q.slip, 0.5, "step %g s: %g mm", steps[i], q.slip);
        if (i != 2)
            continue;
        setup.coords = "maximal";
        QuadResult m = run(setup);
        check_sound(&m, steps[i]);
        CHECK_NEAR(m.error, q.error, 1e-4, "rad");
        CHECK_NEAR(m.base.z, q.base.z, 1e-4, "m");
    }
    quad_robot_destroy(&robot);
}

/* Commanded 0.2 m/s ahead and 0.5 rad/s about the vertical it goes along the circle of 0.4 m that these make: after 3 s
   it is at (v/w sin wt, v/w (1 - cos wt)), less what its legs give under its weight. */
Test(quadruped_drives, it_walks_where_it_is_told)
{
    QuadRobot robot;
    RgError error;
    cr_assert(quad_robot_create(&robot, "models/quadruped.sdf", 1.0, &error), "%s", error.text);
    QuadSetup setup = trotting(&robot, 4e-3);
    setup.method.kp = 3000.0;
    setup.method.kd = 30.0;
    setup.time = 3.0;
    setup.motion.velocity = (RgVec3){0.2, 0.0, 0.0};
    QuadResult straight = run(setup);
    check_sound(&straight, setup.h);
    CHECK_NEAR(straight.base.x, 0.6, 0.06, "m");
    CHECK_NEAR(straight.base.y, 0.0, 0.03, "m");
    setup.motion.yaw_rate = 0.5;
    QuadResult turning = run(setup);
    check_sound(&turning, setup.h);
    CHECK_NEAR(turning.base.x, 0.4 * sin(1.5), 0.06, "m");
    CHECK_NEAR(turning.base.y, 0.4 * (1.0 - cos(1.5)), 0.06, "m");
    quad_robot_destroy(&robot);
}

/* Efforts that know the contacts, found before each step and held: no drive in the solve. */
Test(quadruped_drives, inverse_dynamics_trots)
{
    static const QuadMethod methods[2] = {
        {"inverse dynamics", "inverse-dynamics", 2500.0, 100.0, INFINITY, false, false},
        {"no slip", "no-slip", 2500.0, 100.0, INFINITY, false, false}};
    QuadRobot robot;
    RgError error;
    cr_assert(quad_robot_create(&robot, "models/quadruped.sdf", 1.0, &error), "%s", error.text);
    for (int m = 0; m < 2; m++)
        for (double h = 1e-3; h < 5e-3; h *= 4.0) {
            QuadSetup setup = trotting(&robot, h);
            setup.method = methods[m];
            if (m == 1 && h > 2e-3)
                continue; /* it holds to 2 ms */
            QuadResult q = run(setup);
            cr_assert(isnan(q.fell) && isnan(q.blew), "%s, step %g s", methods[m].name, h);
            cr_assert(q.tilt < 2.0 && q.slip < 1.0 && q.error < 6e-3 && q.peak < 100.0 && q.failed == 0,
                      "%s, step %g s: tilt %g degrees, slip %g mm, error %g rad, %g N m, %d held", methods[m].name, h,
                      q.tilt, q.slip, q.error, q.peak, q.failed);
        }
    quad_robot_destroy(&robot);
}
