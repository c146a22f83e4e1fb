/*
 * test_dissipation.c - exponential dissipation: after every step v becomes (1 - lambda) v, and the report
 * says what energy that took.
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#define LAMBDA 0.1

/* Without gravity a box keeps its velocity but for the scaling: v_n = (1 - lambda)^n v_0. */
Test(dissipation, scales_velocity_after_every_step)
{
    RgModel *model = scene_box();
    for (int i = 0; i < 2 * rg_stepper_count(); i++) {
        const double v[6] = {0.0, 0.0, 3.0, 1.0, -2.0, 0.5};
        RgWorldDef def = world_def(model, both_forms[i % 2], rg_stepper_name(i / 2));
        def.gravity = vec(0.0, 0.0, 0.0);
        def.dissipation = LAMBDA;
        RgWorld *world = world_make(&def);
        rg_world_set_state(world, NULL, v);
        double left = 1.0;
        for (int n = 0; n < 20; n++) {
            double before = world_energy(world);
            RgStepReport report = {0};
            cr_assert(rg_world_step(world, 1e-3, &report) == RG_OK);
            left *= 1.0 - LAMBDA;
            CHECK_REL(report.dissipated, before - world_energy(world), 1e-9, "J");
        }
        for (int k = 0; k < 6; k++)
            CHECK_NEAR(rg_world_v(world)[k], left * v[k], 1e-12, "rad/s or m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* lambda = 1 stops everything at the end of each step, lambda = 0 nothing. */
Test(dissipation, ends_of_the_range)
{
    RgModel *model = scene_arm();
    for (int i = 0; i < 4; i++) {
        RgWorldDef def = world_def(model, both_forms[i % 2], "semi-implicit");
        def.dissipation = i < 2 ? 1.0 : 0.0;
        RgWorld *world = world_make(&def);
        RgStepReport report = {0};
        cr_assert(rg_world_step(world, 1e-2, &report) == RG_OK);
        double speed = check_largest(rg_world_v(world), 6);
        cr_expect(i < 2 ? speed == 0.0 : speed > 0.01, "lambda %g: speed %g", def.dissipation, speed);
        cr_expect(i < 2 ? report.dissipated > 0.0 : report.dissipated == 0.0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(dissipation, impossible_values_are_refused)
{
    static const double values[4] = {-0.1, 1.5, (double)NAN, (double)INFINITY};
    RgModel *model = scene_box();
    for (int i = 0; i < 4; i++) {
        RgWorldDef def = world_def(model, "minimal", "rk4");
        def.dissipation = values[i];
        RgError error = {0};
        cr_expect(rg_world_create(&def, &error) == NULL && error.status != RG_OK, "lambda %g was taken", values[i]);
    }
    rg_model_destroy(model);
}
