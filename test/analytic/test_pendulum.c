/*
 * test_pendulum.c - a body of mass m on a hinge, its centre of mass at a distance l: closed forms.
 *
 *   (I + m l^2 + n^2 J) q'' = -m g l sin q         J: rotor behind a gear of ratio n
 *   period  T = 4 sqrt((I + m l^2) / m g l) K(sin(q0 / 2)),   K(k) = pi / (2 agm(1, sqrt(1 - k^2)))
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#define MASS 2.0
#define LENGTH 0.7
#define INERTIA 0.05
#define G 9.81

static RgModel *pendulum(const RgAxisDef *axis)
{
    return scene_pendulum(inertia_diagonal(MASS, vec(0.0, 0.0, -LENGTH), vec(0.06, INERTIA, 0.03)), axis);
}

/* Arithmetic-geometric mean. */
static double agm(double a, double b)
{
    for (int i = 0; i < 40; i++) {
        double mean = 0.5 * (a + b);
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

static double period(double amplitude)
{
    double inertia = INERTIA + MASS * LENGTH * LENGTH;
    return 4.0 * sqrt(inertia / (MASS * G * LENGTH)) * TEST_PI / (2.0 * agm(1.0, cos(0.5 * amplitude)));
}

/* Released at rest from an angle: at the bottom after a quarter of the period, back at rest after all of
   it. */
Test(pendulum, period_is_the_elliptic_integral)
{
    static const double amplitudes[3] = {0.1, 1.5, 3.0};
    RgModel *model = pendulum(NULL);
    for (int i = 0; i < 6; i++) {
        double q0 = amplitudes[i % 3], T = period(q0);
        RgWorld *world = world_of(model, both_forms[i / 3], "rk4");
        cr_assert(rg_world_set_state(world, &q0, NULL) == RG_OK);
        world_run(world, 1000, T / 4000.0);
        CHECK_NEAR(world_angle(world, "hinge"), 0.0, 1e-9, "rad");
        world_run(world, 3000, T / 4000.0);
        CHECK_NEAR(world_angle(world, "hinge"), q0, 1e-9, "rad");
        CHECK_NEAR(world_rate(world, "hinge"), 0.0, 1e-8, "rad/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(pendulum, reference_stepper_meets_the_period_to_its_tolerance)
{
    RgModel *model = pendulum(NULL);
    for (int i = 0; i < 2; i++) {
        double q0 = 2.5, T = period(q0);
        RgWorld *world = world_of(model, both_forms[i], "reference");
        rg_world_set_state(world, &q0, NULL);
        world_run(world, 10, T / 10.0);
        CHECK_NEAR(world_angle(world, "hinge"), q0, 1e-10, "rad");
        CHECK_NEAR(world_rate(world, "hinge"), 0.0, 1e-10, "rad/s");
        CHECK_NEAR(rg_world_time(world), T, 1e-14, "s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(pendulum, rotor_behind_a_gear_adds_its_inertia_times_ratio_squared)
{
    RgAxisDef axis = rg_axis_def_default();
    axis.rotor_inertia = 3e-4;
    axis.gear_ratio = -60.0;
    RgModel *model = pendulum(&axis);
    double inertia = INERTIA + MASS * LENGTH * LENGTH + 3e-4 * 3600.0;
    for (int i = 0; i < 2; i++) {
        double q0 = 0.8, v0 = 1.5, tau = 0.25, a;
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        rg_world_set_state(world, &q0, &v0);
        cr_assert(rg_world_set_joint_effort(world, rg_model_find_joint(model, "hinge"), &tau) == RG_OK);
        cr_assert(rg_world_acceleration(world, &a) == RG_OK);
        CHECK_REL(a, (tau - MASS * G * LENGTH * sin(q0)) / inertia, 1e-13, "rad/s^2");

        /* Its kinetic energy counts, too. */
        RgMomentum m;
        rg_world_momentum(world, &m);
        CHECK_REL(m.kinetic, 0.5 * inertia * v0 * v0, 1e-13, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Energy is what the closed form says at any angle: potential 0 at the height of the world's origin. */
Test(pendulum, energy_is_kinetic_and_height)
{
    RgModel *model = pendulum(NULL);
    for (int i = 0; i < 2; i++) {
        double q0 = 1.1, v0 = -0.6;
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        rg_world_set_state(world, &q0, &v0);
        RgMomentum m;
        rg_world_momentum(world, &m);
        CHECK_REL(m.potential, -MASS * G * LENGTH * cos(q0), 1e-14, "J");
        CHECK_REL(m.kinetic, 0.5 * (INERTIA + MASS * LENGTH * LENGTH) * v0 * v0, 1e-14, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
