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
        RgPgsOptions o = rg_pgs_options_for(def.solver);
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

/* A hard drive is there at once, or shrinks the way by its rate; and its effort is what that takes. Solver quick takes it for
   softer than that by 1e-10 of its response: velocities here change by 20 m/s. */
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
            CHECK_NEAR(report_of(world, joint).effort, MASS * (v - before) / H - PULL, quick ? 1e-5 : 1e-6,
                       "N");
        }
        const RgGaveWay *gave;
        cr_expect_eq(rg_world_gave_way(world, &gave), 0);
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
        const RgGaveWay *gave = NULL;
        for (int k = 0; k < 10; k++) {
            v += H * (PULL - 4.0) / MASS;
            x += H * v;
            step(world);
            CHECK_NEAR(world_rate(world, "slide"), v, 0.1 * effort_tolerance(world), "m/s");
            RgDriveReport report = report_of(world, joint);
            CHECK_NEAR(report.effort, -4.0, effort_tolerance(world), "N");
            cr_expect(report.saturated);
        }
        int n = rg_world_gave_way(world, &gave);
        cr_assert_eq(n, i + 1, "%d gave way", n);
        cr_expect(gave[i].kind == RG_GAVE_EFFORT && gave[i].joint.i == joint.i && gave[i].dof == 0);
        CHECK_NEAR(gave[i].amount, 4.0, effort_tolerance(world), "N");
        if (i == 1)
            CHECK_NEAR(gave[0].amount, fabs(v - (-5.0 - (x - H * v)) / H), 1e-6, "m/s");
        cr_expect(gave[0].kind == (i == 1 ? RG_GAVE_TARGET : RG_GAVE_EFFORT));
    }
}

Test(drives, bounds_are_kept_and_told)
{
    with_all("semi-implicit", check_bound);
}
