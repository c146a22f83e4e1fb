/*
 * test_oscillator.c - a mass on a slider with spring and damper.
 *
 *   x'' = -(k/m)(x - r) - (d/m) x',   w^2 = k/m,  z = d / 2m,  W = sqrt(w^2 - z^2)
 *   x(t) - r = e^(-z t) (A cos W t + B sin W t)
 *
 * The fixed steppers follow recurrences that are known exactly, so they are checked step by step, not by
 * their limit.
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#include <string.h>

#define MASS 1.5

/* Slides along x, so that gravity does nothing. */
static RgModel *oscillator(double stiffness, double damping, double rest)
{
    RgBuilder *b = scene_begin("oscillator");
    RgLinkId block = link_add(b, "block", inertia_box(MASS, vec(0.0, 0.0, 0.0), vec(0.1, 0.1, 0.1)));
    RgJointDef slide =
        joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, block, vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.0));
    slide.dof[0].stiffness = stiffness;
    slide.dof[0].damping = damping;
    slide.dof[0].rest = rest;
    joint_add(b, &slide);
    return scene_end(b);
}

Test(oscillator, spring_and_damper_follow_the_closed_form)
{
    double k = 60.0, rest = 0.2, x0 = 0.5, v0 = -1.0, t = 3.0;
    for (int i = 0; i < 4; i++) {
        double d = i % 2 == 0 ? 0.0 : 0.9;
        RgModel *model = oscillator(k, d, rest);
        RgWorld *world = world_of(model, both_forms[i / 2], "rk4");
        cr_assert(rg_world_set_state(world, &x0, &v0) == RG_OK);
        world_run(world, 3000, t / 3000.0);
        double z = d / (2.0 * MASS), W = sqrt(k / MASS - z * z), A = x0 - rest, B = (v0 + z * A) / W;
        double x = rest + exp(-z * t) * (A * cos(W * t) + B * sin(W * t));
        double v = exp(-z * t) * ((B * W - z * A) * cos(W * t) - (A * W + z * B) * sin(W * t));
        CHECK_NEAR(world_angle(world, "slide"), x, 1e-10, "m");
        CHECK_NEAR(world_rate(world, "slide"), v, 1e-9, "m/s");
        world_end(world, model);
    }
}

/* One step of each Euler's method on x'' = -(k/m)(x - r) - (d/m) v. */
static void euler_step(const char *stepper, double k, double d, double h, double x[2])
{
    double x0 = x[0], v0 = x[1];
    if (strcmp(stepper, "euler") == 0) {
        x[0] = x0 + h * v0;
        x[1] = v0 - h * (k * x0 + d * v0) / MASS;
    } else if (strcmp(stepper, "semi-implicit-000") == 0) {
        x[0] = x0 + h * v0;
        x[1] = v0 - h * (k * x[0] + d * v0) / MASS;
    } else {
        x[1] = v0 - h * (k * x0 + d * v0) / MASS;
        x[0] = x0 + h * x[1];
    }
}

Test(oscillator, euler_methods_follow_their_recurrences)
{
    static const char *const steppers[3] = {"euler", "semi-implicit", "semi-implicit-000"};
    double k = 60.0, d = 0.7, h = 2e-3;
    RgModel *model = oscillator(k, d, 0.0);
    for (int i = 0; i < 6; i++) {
        double x[2] = {0.5, -1.0};
        RgWorldDef def = world_def(model, both_forms[i / 3], steppers[i % 3]);
        def.implicit_damping = false;
        RgWorld *world = world_make(&def);
        rg_world_set_state(world, &x[0], &x[1]);
        for (int step = 0; step < 200; step++)
            euler_step(steppers[i % 3], k, d, h, x);
        world_run(world, 200, h);
        CHECK_NEAR(world_angle(world, "slide"), x[0], 1e-13, "m");
        CHECK_NEAR(world_rate(world, "slide"), x[1], 1e-12, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Spring and damper at the end of the step: v+ = (v - h (k/m) x) / (1 + h d/m + h^2 k/m), x+ = x + h v+. */
Test(oscillator, implicit_spring_and_damper_follow_their_recurrence)
{
    static const double gains[3][2] = {{60.0, 0.7}, {1e4, 0.0}, {1e9, 1e8}};
    for (int i = 0; i < 6; i++) {
        double k = gains[i % 3][0], d = gains[i % 3][1], h = 5e-3, x = 0.5, v = -1.0;
        RgModel *model = oscillator(k, d, 0.0);
        RgWorld *world = world_of(model, both_forms[i / 3], "semi-implicit");
        rg_world_set_state(world, &x, &v);
        for (int step = 0; step < 100; step++) {
            v = (v - h * k / MASS * x) / (1.0 + h * d / MASS + h * h * k / MASS);
            x += h * v;
        }
        world_run(world, 100, h);
        CHECK_NEAR(world_angle(world, "slide"), x, 1e-12, "m");
        CHECK_NEAR(world_rate(world, "slide"), v, 1e-11, "m/s");
        world_end(world, model);
    }
}

/* A chain whose dampers are a hundred million times too strong for an explicit step creeps, and never
   gains energy. */
Test(oscillator, huge_dampers_stay_stable_in_a_chain)
{
    for (int i = 0; i < 2; i++) {
        RgBuilder *b = scene_begin("stiff chain");
        RgLinkId parent = {0};
        for (int n = 0; n < 4; n++) {
            static const char *const names[4][2] = {{"a", "ja"}, {"b", "jb"}, {"c", "jc"}, {"d", "jd"}};
            RgLinkId child = link_add(b, names[n][0], inertia_rod(1.0, vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.0), 0.05));
            RgJointDef def = joint_at(RG_JOINT_revolute, names[n][1], parent, child, vec(n > 0 ? 1.0 : 0.0, 0.0, 0.0),
                                      vec(0.0, 1.0, 0.0));
            def.dof[0].damping = 1e8;
            joint_add(b, &def);
            parent = child;
        }
        RgModel *model = scene_end(b);
        RgWorld *world = world_of(model, both_forms[i], "semi-implicit");
        const double v[4] = {1.0, -2.0, 3.0, -4.0};
        rg_world_set_state(world, NULL, v);
        double before = world_energy(world);
        for (int step = 0; step < 100; step++) {
            world_run(world, 1, 0.01);
            double now = world_energy(world);
            cr_expect(now <= before + 1e-12, "energy rose from %g to %g J", before, now);
            before = now;
        }

        /* Creep: q' = gravity moment / damping, of order 1e-6 rad/s. */
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(rg_world_v(world)[k], 0.0, 1e-5, "rad/s");
        world_end(world, model);
    }
}

/* Gains far beyond what an explicit step can bear, on every kind of joint: the motion dies out, nothing
   blows up. */
Test(oscillator, huge_gains_stay_stable_on_every_joint_kind)
{
    for (int type = RG_JOINT_revolute; type < RG_JOINT_COUNT; type++)
        for (int i = 0; i < 2; i++) {
            RgBuilder *b = scene_begin("stiff");
            RgLinkId body = link_add(b, "body", inertia_box(1.0, vec(0.1, 0.0, -0.2), vec(0.1, 0.2, 0.3)));
            RgJointDef def =
                joint_at((RgJointType)type, "joint", (RgLinkId){0}, body, vec(0.0, 0.0, 0.0), vec(0.2, 1.0, 0.1));
            def.axis2 = vec(1.0, 0.0, 0.3);
            def.pitch = 0.2;
            for (int k = 0; k < 6; k++) {
                def.dof[k].stiffness = 1e7;
                def.dof[k].damping = 1e5;
            }
            joint_add(b, &def);
            RgModel *model = scene_end(b);
            RgWorld *world = world_of(model, both_forms[i], "semi-implicit");
            const double v[6] = {1.0, -1.0, 0.5, 1.0, -0.5, 0.25};
            rg_world_set_state(world, NULL, v);
            world_run(world, 300, 0.01);
            double speed = check_largest(rg_world_v(world), (size_t)rg_model_info(model).nv);
            cr_expect(speed < 1e-6, "%s, %s: speed %g", rg_joint_type_name((RgJointType)type), both_forms[i], speed);
            world_end(world, model);
        }
}
