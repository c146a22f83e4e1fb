/*
 * test_step_plan.c - plans of feet and centre of mass against the equation of the pendulum, feet against arcs,
 * pressures against sums.
 */
#include "check_near.h"

#include "control/foot_pressure.h"
#include "control/step_plan.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static RgWalk walk_of(double steps)
{
    return (RgWalk){.capture = 1.5,
                    .settle = 0.8,
                    .steps = steps,
                    .stride = 0.2,
                    .turn = 0.1,
                    .lift = 0.05,
                    .swing = 0.6,
                    .both = 0.3};
}

/* Two feet 0.2 m apart, heading 0.3 rad. */
static RgStepPlan make(RgArena *arena, const RgWalk *walk)
{
    RgStepPlan plan;
    RgStepPlanDef def;
    memset(&def, 0, sizeof def);
    def.walk = *walk;
    def.nfeet = 2;
    def.height = 0.9;
    def.gravity = 9.81;
    def.heading = 0.3;
    def.first[0] = (RgFoothold){-0.1 * sin(0.3), 0.1 * cos(0.3), 0.3};
    def.first[1] = (RgFoothold){0.1 * sin(0.3), -0.1 * cos(0.3), 0.3};
    cr_assert(rg_step_plan_alloc(arena, walk, &plan));
    rg_step_plan_compute(&plan, &def);
    return plan;
}

Test(step_plan, obeys_the_pendulum)
{
    RgArena arena;
    rg_arena_init(&arena, &(RgAllocator){0});
    RgWalk walk = walk_of(8.0);
    RgStepPlan plan = make(&arena, &walk);
    const double d = 0.005; /* s: its own grid */
    for (int i = 2; i < 1500; i++) {
        RgStepSample s[3];
        for (int k = 0; k < 3; k++)
            rg_step_plan_sample(&plan, (i + k - 1) * d, &s[k]);
        double ax = (s[0].cx - 2.0 * s[1].cx + s[2].cx) / (d * d), ay = (s[0].cy - 2.0 * s[1].cy + s[2].cy) / (d * d);
        CHECK_NEAR(s[1].cx - 0.9 / 9.81 * ax, s[1].px, 1e-8, "m");
        CHECK_NEAR(s[1].cy - 0.9 / 9.81 * ay, s[1].py, 1e-8, "m");
    }
    RgStepSample first, last, later;
    rg_step_plan_sample(&plan, 0.0, &first);
    rg_step_plan_sample(&plan, 9.0, &last);
    rg_step_plan_sample(&plan, 90.0, &later);
    CHECK_NEAR(hypot(first.cx, first.cy), 0.0, 0.03, "m"); /* it leans before the first step */
    CHECK_NEAR(hypot(last.vx, last.vy), 0.0, 0.05, "m/s");
    CHECK_NEAR(later.cx, later.px, 1e-12, "m");
    CHECK_NEAR(hypot(later.vx, later.vy), 0.0, 0.0, "m/s");
    rg_arena_free(&arena);
}

/* The support is at a foot that stands while the other swings, and both feet end level on the arc of the strides. */
Test(step_plan, feet_go_along_the_arc)
{
    RgArena arena;
    rg_arena_init(&arena, &(RgAllocator){0});
    RgWalk walk = walk_of(8.0);
    RgStepPlan plan = make(&arena, &walk);
    for (int k = 0; k < 8; k++) {
        RgStepSample s;
        rg_step_plan_sample(&plan, 0.8 + 0.9 * k + 0.3 + 0.3, &s);
        int swings = k % 2, stands = 1 - swings;
        cr_expect(!s.stands[swings] && s.stands[stands]);
        CHECK_NEAR(s.lift[swings], 0.05, 1e-12, "m");
        CHECK_NEAR(hypot(s.px - s.foot[stands].x, s.py - s.foot[stands].y), 0.0, 1e-12, "m");
    }
    RgStepSample end;
    rg_step_plan_sample(&plan, 20.0, &end);
    double x = 0.0, y = 0.0, yaw = 0.3; /* seven strides: the last step brings the other foot level */
    for (int k = 0; k < 7; k++) {
        x += 0.2 * cos(yaw + 0.05);
        y += 0.2 * sin(yaw + 0.05);
        yaw += 0.1;
    }
    for (int foot = 0; foot < 2; foot++) {
        double side = foot == 0 ? 0.1 : -0.1;
        CHECK_NEAR(end.foot[foot].x, x - side * sin(yaw), 1e-12, "m");
        CHECK_NEAR(end.foot[foot].y, y + side * cos(yaw), 1e-12, "m");
        CHECK_NEAR(end.foot[foot].yaw, yaw, 1e-12, "rad");
    }
    CHECK_NEAR(end.heading, yaw, 1e-12, "rad");
    rg_arena_free(&arena);
}

/* Moment of the wrenches about the origin: where they press, and what with. */
static void pressed(const RgLoadedFoot *feet, int n, double *x, double *y, double *weight)
{
    *x = *y = *weight = 0.0;
    for (int i = 0; i < n; i++) {
        const RgForce *f = &feet[i].wrench;
        *weight += f->f.z;
        *x -= f->n.y - feet[i].link.x * f->f.z;
        *y += f->n.x + feet[i].link.y * f->f.z;
    }
    *x /= *weight;
    *y /= *weight;
}

Test(foot_pressure, presses_where_it_is_told)
{
    RgLoadedFoot feet[4];
    for (int i = 0; i < 4; i++)
        feet[i] = (RgLoadedFoot){.at = {i & 1 ? 0.2 : -0.2, i & 2 ? 0.15 : -0.15, 0.0},
                                 .link = {i & 1 ? 0.17 : -0.23, i & 2 ? 0.16 : -0.14, 0.08},
                                 .heading = 0.4,
                                 .half = {0.1, 0.05},
                                 .stands = true};
    for (int standing = 15; standing > 0; standing--)
        for (int k = 0; k < 50; k++) {
            double px = 0.18 * cos(2.4 * k) * k / 50.0, py = 0.13 * sin(2.4 * k) * k / 50.0, x, y, weight;
            for (int i = 0; i < 4; i++)
                feet[i].stands = (standing >> i) & 1;
            rg_foot_pressures(feet, 4, px, py, 700.0);
            pressed(feet, 4, &x, &y, &weight);
            CHECK_NEAR(weight, 700.0, 1e-10, "N");
            for (int i = 0; i < 4; i++) {
                cr_expect_geq(feet[i].share, 0.0);
                cr_expect(feet[i].stands || feet[i].share == 0.0);
            }
            if (standing == 15) {
                CHECK_NEAR(x, px, 1e-10, "m");
                CHECK_NEAR(y, py, 1e-10, "m");
            }
        }
}

/* One foot: nearest point of its sole, of which it keeps a margin. */
Test(foot_pressure, stays_within_the_sole)
{
    RgLoadedFoot foot = {.half = {0.1, 0.05}, .stands = true};
    double x, y, weight;
    rg_foot_pressures(&foot, 1, 3.0, 0.02, 500.0);
    pressed(&foot, 1, &x, &y, &weight);
    CHECK_NEAR(x, 0.085, 1e-12, "m");
    CHECK_NEAR(y, 0.02, 1e-12, "m");
    rg_foot_pressures(&foot, 1, 0.05, -9.0, 500.0);
    pressed(&foot, 1, &x, &y, &weight);
    CHECK_NEAR(x, 0.05, 1e-12, "m");
    CHECK_NEAR(y, -0.0425, 1e-12, "m");
}
