/*
 * test_free_box.c - a box of 0.1 x 0.4 x 0.9 m in free flight, spun mostly about its middle axis: it tumbles
 * for 10 s.
 *
 *   p(t) = p0 + v0 t + g t^2 / 2       angular momentum in world axes: constant       energy: constant
 *
 * Published engines have relative errors of 6e-3 to 2 (angular momentum) and 1e-2 (energy) at a step of 1 ms.
 * Here both stay below
 * 1e-9 with rk4, in both coordinate forms. Energy error is relative to the kinetic energy of the start.
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

static const double spin[6] = {0.1, 5.0, 0.1, -2.0, 2.0, 8.0};

typedef struct Flight {
    double energy, angular, linear, position; /* largest errors on the way; relative, the last one in m */
} Flight;

/* Flies for 10 s and watches at each step. */
static Flight fly(const char *coords, const char *stepper)
{
    RgModel *model = scene_box();
    RgWorld *world = world_of(model, coords, stepper);
    cr_assert(rg_world_set_state(world, NULL, spin) == RG_OK);
    RgMomentum first, m;
    rg_world_momentum(world, &first);
    Flight worst = {0};
    for (int step = 1; step <= 10000; step++) {
        world_run(world, 1, 1e-3);
        double t = 1e-3 * step, change;
        rg_world_momentum(world, &m);
        change = m.kinetic + m.potential - first.kinetic - first.potential;
        worst.energy = fmax(worst.energy, fabs(change) / first.kinetic);
        worst.angular = fmax(worst.angular, vec_distance(m.angular, first.angular) / vec_norm(first.angular));
        RgVec3 fallen = vec(-2.0 * t, 2.0 * t, 8.0 * t - 0.5 * 9.81 * t * t);
        RgVec3 pushed = vec_add(first.linear, vec(0.0, 0.0, -10.0 * 9.81 * t));
        worst.position = fmax(worst.position, vec_distance(m.com, fallen));
        worst.linear = fmax(worst.linear, vec_distance(m.linear, pushed) / vec_norm(pushed));
    }
    world_end(world, model);
    return worst;
}

Test(free_box, rk4_keeps_momentum_and_energy_to_1e_9)
{
    for (int i = 0; i < 2; i++) {
        Flight worst = fly(both_forms[i], "rk4");
        cr_log_info("%s: energy %.2g, angular momentum %.2g, position %.2g m", both_forms[i], worst.energy,
                    worst.angular, worst.position);
        CHECK_NEAR(worst.energy, 0.0, 1e-9, "relative");
        CHECK_NEAR(worst.angular, 0.0, 1e-9, "relative");
        CHECK_NEAR(worst.linear, 0.0, 1e-12, "relative");
        CHECK_NEAR(worst.position, 0.0, 1e-9, "m");
    }
}

Test(free_box, reference_keeps_them_to_1e_10)
{
    for (int i = 0; i < 2; i++) {
        Flight worst = fly(both_forms[i], "reference");
        CHECK_NEAR(worst.energy, 0.0, 1e-10, "relative");
        CHECK_NEAR(worst.angular, 0.0, 1e-10, "relative");
        CHECK_NEAR(worst.position, 0.0, 1e-9, "m");
    }
}

/* Euler's methods fall short of the parabola by exactly h g t / 2, above or below it. */
Test(free_box, euler_methods_keep_the_linear_momentum_and_miss_by_half_a_step)
{
    static const char *const steppers[3] = {"euler", "semi-implicit", "semi-implicit-000"};
    for (int i = 0; i < 6; i++) {
        Flight worst = fly(both_forms[i / 3], steppers[i % 3]);
        CHECK_NEAR(worst.linear, 0.0, 1e-12, "relative");
        CHECK_NEAR(worst.position, 0.5 * 9.81 * 1e-3 * 10.0, 1e-9, "m");
        cr_expect(worst.angular < 0.2 && worst.energy < 0.2, "%s: angular momentum %g, energy %g", steppers[i % 3],
                  worst.angular, worst.energy);
    }
}

/* The quaternion stays on the sphere: the rotation matrix of the box is orthogonal after 10,000 steps. */
Test(free_box, rotation_stays_a_rotation)
{
    for (int i = 0; i < rg_stepper_count() * 2; i++) {
        RgModel *model = scene_box();
        RgWorld *world = world_of(model, both_forms[i % 2], rg_stepper_name(i / 2));
        rg_world_set_state(world, NULL, spin);
        world_run(world, 10000, 1e-3);
        RgMat3 R = rg_world_link_pose(world, (RgLinkId){1}).R;
        CHECK_NEAR(mat_distance(mat_mul(R, mat_transpose(R)), mat_identity()), 0.0, 1e-14, "");
        world_end(world, model);
    }
}
