/*
 * test_gait.c - goals of the feet of a gait: at rest in closed form, without jumps of place and velocity at any
 * command, feet that stand where the ground under a base with the commanded twist is, and once a period where they
 * were; feet that begin elsewhere wait there, and are in step once they were lifted.
 */
#include "check_near.h"
#include "math/vec3.h"

#include <rigor/control.h>

#include <criterion/criterion.h>

static const RgVec3 neutral[4] = {
    {0.15, 0.07, -0.16}, {0.15, -0.07, -0.16}, {-0.15, 0.07, -0.16}, {-0.15, -0.07, -0.16}};
static const double touchdown[4] = {0.25, 0.75, 0.75, 0.25};

static RgGait trot(RgVec3 velocity, double yaw_rate)
{
    return (RgGait){.period = 0.3,
                    .duty = 0.75,
                    .lift = 0.03,
                    .velocity = velocity,
                    .yaw_rate = yaw_rate,
                    .nfeet = 4,
                    .neutral = neutral,
                    .touchdown = touchdown};
}

typedef struct Feet {
    RgVec3 x[4], v[4];
    bool stance[4];
} Feet;

static Feet feet_at(const RgGait *gait, double t)
{
    Feet f;
    rg_gait_at(gait, t, v3(0.0, 0.0, 1.0), f.x, f.v, f.stance);
    return f;
}

/* On the spot the heights at thirds of the swing are 0, lift, lift, 0. Slopes m, -m there solve 4 m - m = 3 lift / d,
   so m = lift / d, and the apex is at lift + d m / 4 = 5/4 lift. */
Test(gait, on_the_spot_in_closed_form)
{
    RgGait gait = trot(v3_zero(), 0.0);
    double swing = 0.075, d = swing / 3.0;
    Feet lift = feet_at(&gait, 0.0), apex = feet_at(&gait, 0.5 * swing), third = feet_at(&gait, d),
         down = feet_at(&gait, swing);
    CHECK_NEAR(lift.x[0].z, -0.16, 1e-15, "m");
    CHECK_NEAR(third.x[0].z, -0.13, 1e-14, "m");
    CHECK_NEAR(third.v[0].z, 0.03 / d, 1e-12, "m/s");
    CHECK_NEAR(apex.x[0].z, -0.16 + 1.25 * 0.03, 1e-14, "m");
    CHECK_NEAR(apex.v[0].z, 0.0, 1e-12, "m/s");
    CHECK_NEAR(down.x[0].z, -0.16, 1e-14, "m");
    CHECK_NEAR(v3_norm(down.v[0]), 0.0, 1e-12, "m/s");
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(v3_norm(v3_sub(feet_at(&gait, 0.1).x[i], neutral[i])), 0.0, 0.0, "m");
}

Test(gait, who_stands_when)
{
    RgGait gait = trot(v3(0.2, 0.0, 0.0), 0.3);
    int swings = 0;
    bool before = true;
    for (int i = 0; i < 50000; i++) {
        double t = (i + 0.5) * 1e-4, phase = t / 0.3 - floor(t / 0.3);
        Feet f = feet_at(&gait, t);
        bool first = phase < 0.25, second = phase >= 0.5 && phase < 0.75;
        cr_assert(f.stance[0] == !first && f.stance[3] == !first && f.stance[1] == !second && f.stance[2] == !second,
                  "%g s", t);
        swings += before && !f.stance[1];
        before = f.stance[1];
    }
    cr_assert_eq(swings, 17); /* the last begins at 4.95 s */
}

/* Differences of the goals are their velocities, and velocities have no jumps, over three periods and all commands. */
Test(gait, places_and_velocities_without_jumps)
{
    const RgVec3 velocity[4] = {{0.0, 0.0, 0.0}, {0.4, 0.0, 0.0}, {-0.1, 0.2, 0.0}, {0.3, -0.1, 0.0}};
    const double yaw[4] = {0.0, 0.0, 1e-6, -0.8};
    double h = 1e-6;
    for (int c = 0; c < 4; c++) {
        RgGait gait = trot(velocity[c], yaw[c]);
        for (int i = 0; i < 9000; i++) {
            double t = i * 1e-4; /* ends of swings are among them */
            Feet a = feet_at(&gait, t - h), b = feet_at(&gait, t), e = feet_at(&gait, t + h);
            for (int k = 0; k < 4; k++) {
                RgVec3 rate = v3_scale(0.5 / h, v3_sub(e.x[k], a.x[k]));
                cr_assert_lt(v3_norm(v3_sub(rate, b.v[k])), 5e-4, "command %d, foot %d, %g s", c, k, t);
                cr_assert_lt(v3_norm(v3_sub(e.v[k], a.v[k])), 1e-3, "command %d, foot %d, %g s", c, k, t);
            }
        }
    }
}

/* The base walks its commanded twist, integrated here by small turns: feet that stand keep their place in the world. */
Test(gait, feet_that_stand_do_not_slip_over_the_ground)
{
    RgGait gait = trot(v3(0.3, -0.1, 0.0), 0.7);
    int n = 20000;
    double h = 0.3 / n, at[3] = {0.0, 0.0, 0.0}; /* x, y, heading */
    RgVec3 stood[4];
    bool before[4] = {false, false, false, false};
    for (int i = 0; i < n; i++) {
        Feet f = feet_at(&gait, i * h);
        double c = cos(at[2]), s = sin(at[2]);
        for (int k = 0; k < 4; k++) {
            RgVec3 world = v3(at[0] + c * f.x[k].x - s * f.x[k].y, at[1] + s * f.x[k].x + c * f.x[k].y, f.x[k].z);
            if (f.stance[k] && before[k])
                cr_assert_lt(v3_norm(v3_sub(world, stood[k])), 1e-9, "foot %d, %g s", k, i * h);
            else
                stood[k] = world;
            before[k] = f.stance[k];
        }
        double middle = at[2] + 0.35 * h; /* midpoint rule: error h^2 */
        at[0] += h * (0.3 * cos(middle) + 0.1 * sin(middle));
        at[1] += h * (0.3 * sin(middle) - 0.1 * cos(middle));
        at[2] += 0.7 * h;
    }
}

/* Touchdown half a period of the commanded velocity before the neutral place, and the same feet a period later. */
Test(gait, touchdown_and_period)
{
    RgGait gait = trot(v3(0.2, 0.1, 0.0), 0.0);
    Feet f = feet_at(&gait, 0.3 * (0.25 + 1e-13));
    CHECK_NEAR(f.x[0].x, 0.15 + 0.15 * 0.2, 1e-10, "m");
    CHECK_NEAR(f.x[0].y, 0.07 + 0.15 * 0.1, 1e-10, "m");
    for (int i = 0; i < 300; i++) {
        Feet a = feet_at(&gait, 1e-3 * i + 3e-4), b = feet_at(&gait, 1e-3 * i + 3e-4 + 0.3);
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(v3_norm(v3_sub(a.x[k], b.x[k])), 0.0, 1e-13, "m");
    }
}

/* Where feet begin elsewhere: each waits there at rest until its first swing, which joins that place to the gait
   without a jump of place or velocity; from then on all is as without. Also where a foot would be in mid-air at the
   start (touchdown 0.1). */
Test(gait, feet_wait_where_they_begin)
{
    const RgVec3 first[4] = {{0.16, 0.08, -0.17}, {0.14, -0.07, -0.17}, {-0.16, 0.07, -0.18}, {-0.15, -0.08, -0.15}};
    const double late[4] = {0.25, 0.75, 0.1, 0.25}, lifted[4] = {0.0, 0.5, 0.85, 0.0};
    RgGait plain = trot(v3(0.3, -0.1, 0.0), 0.7), gait = plain;
    plain.touchdown = gait.touchdown = late;
    gait.first = first;
    double h = 1e-5;
    for (int i = 0; i < 90000; i++) {
        double t = i * h;
        Feet a = feet_at(&gait, t), b = feet_at(&gait, t + h), there = feet_at(&plain, t);
        for (int k = 0; k < 4; k++) {
            double begun = t / 0.3 - lifted[k];
            if (begun < -1e-9)
                cr_assert(a.stance[k] && v3_norm(v3_sub(a.x[k], first[k])) == 0.0 && v3_norm(a.v[k]) == 0.0,
                          "foot %d at %g s", k, t);
            else if (begun > 1e-9 && begun < 0.25 - 1e-9)
                cr_assert(!a.stance[k], "foot %d at %g s", k, t);
            else if (begun > 0.25 + 1e-9)
                cr_assert(a.stance[k] == there.stance[k] && v3_norm(v3_sub(a.x[k], there.x[k])) == 0.0,
                          "foot %d at %g s", k, t);
            RgVec3 told = v3_scale(0.5 * h, v3_add(a.v[k], b.v[k]));
            cr_assert_lt(v3_norm(v3_sub(v3_sub(b.x[k], a.x[k]), told)), 2e-8, "foot %d at %g s", k, t);
        }
    }
}
