/*
 * test_world_motors.c - what a motor gives: the effort of statics while it holds, all it has while it cannot, and
 * the same after a saved state is loaded; where a servo goes, and how fast.
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#include <math.h>
#include <stdlib.h>

#define MASS 2.0
#define LENGTH 0.5
#define ANGLE 0.3
/* N m: what gravity pulls with at ANGLE. */
#define PULL (MASS * 9.81 * LENGTH * sin(ANGLE))

static RgModel *pendulum(void)
{
    return scene_pendulum(inertia_diagonal(MASS, vec(0.0, 0.0, -LENGTH), vec(0.01, 0.01, 0.01)), NULL);
}

static RgWorld *held_world(const RgModel *model, const char *coords, double max_effort)
{
    const double q = ANGLE;
    RgWorld *world = world_of(model, coords, "semi-implicit");
    cr_assert(rg_world_set_joint_position(world, (RgJointId){1}, &q) == RG_OK);
    cr_assert(rg_world_set_joint_motor(world, (RgJointId){1}, 0, 0.0, max_effort) == RG_OK);
    return world;
}

/* A motor that is strong enough gives what gravity asks for; one that is not gives all and lets go. */
Test(world_motors, effort_and_saturation)
{
    RgModel *model = pendulum();
    for (int i = 0; i < 4; i++) {
        bool weak = i >= 2;
        RgWorld *world = held_world(model, both_forms[i % 2], weak ? 0.5 * PULL : 2.0 * PULL);
        RgMotorReport motor;
        cr_assert(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor) == RG_OK);
        cr_expect(motor.on && motor.effort == 0.0 && !motor.saturated, "no step was made yet");
        world_run(world, 10, 1e-3);
        cr_assert(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor) == RG_OK);
        CHECK_NEAR(fabs(motor.effort), weak ? 0.5 * PULL : PULL, 1e-9 * PULL, "N m");
        cr_expect(motor.saturated == weak && motor.velocity == 0.0);
        cr_expect((fabs(world_rate(world, "hinge")) > 1e-3) == weak);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The effort belongs to the state: a loaded one has it, one that was set from outside has none. */
Test(world_motors, effort_is_part_of_the_state)
{
    RgModel *model = pendulum();
    RgWorld *one = held_world(model, "minimal", 2.0 * PULL), *two = held_world(model, "minimal", 2.0 * PULL);
    world_run(one, 5, 1e-3);
    char *saved = malloc(rg_world_state_size(one));
    rg_world_state_save(one, saved);
    cr_assert(rg_world_state_load(two, saved, rg_world_state_size(one)) == RG_OK);
    free(saved);
    RgMotorReport a, b;
    rg_world_joint_motor(one, (RgJointId){1}, 0, &a);
    rg_world_joint_motor(two, (RgJointId){1}, 0, &b);
    cr_expect(a.effort == b.effort && a.effort != 0.0);
    cr_assert(rg_world_set_state(one, rg_world_q(one), NULL) == RG_OK);
    rg_world_joint_motor(one, (RgJointId){1}, 0, &a);
    cr_expect(a.on && a.effort == 0.0 && !a.saturated);
    rg_world_destroy(one);
    world_end(two, model);
}

Test(world_motors, what_there_is_not)
{
    RgModel *model = pendulum();
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    RgMotorReport motor;
    cr_expect_eq(rg_world_joint_motor(world, (RgJointId){0}, 0, &motor), RG_ERR_NOT_FOUND);
    cr_expect_eq(rg_world_joint_motor(world, (RgJointId){2}, 0, &motor), RG_ERR_NOT_FOUND);
    cr_expect_eq(rg_world_joint_motor(world, (RgJointId){1}, 1, &motor), RG_ERR_NOT_FOUND);
    cr_expect(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor) == RG_OK && !motor.on);
    cr_expect_eq(rg_world_set_joint_motor(world, (RgJointId){1}, 0, NAN, 1.0), RG_ERR_NOT_FINITE);
    cr_expect_eq(rg_world_set_joint_motor(world, (RgJointId){1}, 0, 0.0, -1.0), RG_ERR_ARGUMENT);
    world_end(world, model);
}

static double angle_of(RgWorld *world)
{
    double q;
    cr_assert_eq(rg_world_joint_position(world, (RgJointId){1}, &q), RG_OK);
    return q;
}

static RgWorld *servo_world(const RgModel *model, const char *coords, const RgServo *servo)
{
    RgWorld *world = world_of(model, coords, "semi-implicit");
    cr_assert_eq(rg_world_set_joint_servo(world, (RgJointId){1}, 0, servo), RG_OK);
    return world;
}

/* The distance shrinks by 1 - rate h in a step, also against gravity, and not beyond 0 where rate h is above 1. In the
   maximal form a step turns by h v up to its own order only. */
Test(world_motors, servo_comes_nearer_by_its_rate)
{
    RgModel *model = pendulum();
    const double h = 1e-3, rates[] = {20.0, 300.0, 1e9, 20.0};
    for (int i = 0; i < 4; i++) {
        const char *form = i < 3 ? "minimal" : "maximal";
        double near = i < 3 ? 1e-12 : 1e-5, left = 0.8;
        RgServo servo = {.position = 0.8, .rate = rates[i], .max_velocity = INFINITY, .max_effort = 1e9};
        RgWorld *world = servo_world(model, form, &servo);
        RgMotorReport motor;
        for (int k = 0; k < 50; k++) {
            cr_assert_eq(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor), RG_OK);
            cr_expect(motor.on && motor.is_servo && motor.position == 0.8);
            CHECK_NEAR(motor.velocity, servo.rate * left, near * servo.rate, "rad/s");
            world_run(world, 1, h);
            left *= fmax(0.0, 1.0 - servo.rate * h);
            CHECK_NEAR(0.8 - angle_of(world), left, near, "rad");
        }
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* On the way it is no faster than it may be; there it gives what gravity asks for; too weak, it gives all it has. */
Test(world_motors, servo_in_its_bounds)
{
    RgModel *model = pendulum();
    for (int i = 0; i < 2; i++) {
        RgServo servo = {.position = ANGLE, .rate = 50.0, .max_velocity = 0.4, .max_effort = 1e4};
        RgWorld *world = servo_world(model, both_forms[i], &servo);
        world_run(world, 500, 1e-3);
        CHECK_NEAR(angle_of(world), 0.2, 1e-4, "rad");
        CHECK_NEAR(world_rate(world, "hinge"), 0.4, 1e-6, "rad/s");
        world_run(world, 1500, 1e-3);
        RgMotorReport motor;
        cr_assert_eq(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor), RG_OK);
        CHECK_NEAR(angle_of(world), ANGLE, 1e-6, "rad");
        CHECK_NEAR(fabs(motor.effort), PULL, 1e-5 * PULL, "N m");
        cr_expect_not(motor.saturated);
        servo.max_effort = 0.5 * PULL;
        cr_assert_eq(rg_world_set_joint_servo(world, (RgJointId){1}, 0, &servo), RG_OK);
        world_run(world, 20, 1e-3);
        cr_assert_eq(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor), RG_OK);
        cr_expect(motor.saturated && angle_of(world) < ANGLE);

        /* A motor in its place, and none. */
        cr_assert_eq(rg_world_set_joint_motor(world, (RgJointId){1}, 0, 0.0, 1.0), RG_OK);
        cr_assert_eq(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor), RG_OK);
        cr_expect(motor.on && !motor.is_servo);
        servo.max_effort = 0.0;
        cr_assert_eq(rg_world_set_joint_servo(world, (RgJointId){1}, 0, &servo), RG_OK);
        cr_expect(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor) == RG_OK && !motor.on);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(world_motors, servos_that_cannot_be)
{
    RgModel *model = pendulum();
    RgWorld *world = world_of(model, "minimal", "semi-implicit");
    const RgServo good = {.position = 0.0, .rate = 10.0, .max_velocity = 1.0, .max_effort = 1.0};
    RgServo bad[5] = {good, good, good, good, good};
    const RgStatus expected[5] = {RG_ERR_NOT_FINITE, RG_ERR_NOT_FINITE, RG_ERR_ARGUMENT, RG_ERR_ARGUMENT,
                                  RG_ERR_ARGUMENT};
    bad[0].position = INFINITY;
    bad[1].rate = NAN;
    bad[2].rate = 0.0;
    bad[3].max_velocity = 0.0;
    bad[4].max_effort = -1.0;
    for (int i = 0; i < 5; i++)
        cr_expect_eq(rg_world_set_joint_servo(world, (RgJointId){1}, 0, &bad[i]), expected[i], "%d", i);
    cr_expect_eq(rg_world_set_joint_servo(world, (RgJointId){2}, 0, &good), RG_ERR_NOT_FOUND);
    RgMotorReport motor;
    cr_expect(rg_world_joint_motor(world, (RgJointId){1}, 0, &motor) == RG_OK && !motor.on);
    world_end(world, model);
}
