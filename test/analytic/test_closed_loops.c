/*
 * test_closed_loops.c - a four-bar linkage (planar: three of its five loop rows are redundant) and a Stewart platform, 10 s of motion
 * in both coordinate forms: same accelerations at the start and on the way, loop error below 1e-9, energy kept.
 */
#include "check_near.h"
#include "identities.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

/* Largest relative difference of accelerations between the forms at the state of a world. */
static double compare_forms(const RgModel *model, RgWorld *world)
{
    TestState s = random_state(model, 1);
    memcpy(s.q, rg_world_q(world), sizeof *s.q * (size_t)s.nq);
    memcpy(s.v, rg_world_v(world), sizeof *s.v * (size_t)s.nv);
    double error = forms_error(model, &s);
    test_state_destroy(&s);
    return error;
}

/* Runs 10 s by rk4; every half second the accelerations of the two forms are compared. */
static void run_loop(RgModel *model, double energy_tolerance)
{
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        cr_expect(rg_world_joint_error(world) < 1e-12, "not closed at the start: %g",
                  rg_world_joint_error(world));
        double first = world_energy(world), worst = 0.0, forms = compare_forms(model, world), scale = 0.0;
        for (int half = 0; half < 20; half++) {
            worst = fmax(worst, world_run(world, 500, 1e-3));
            forms = fmax(forms, compare_forms(model, world));
            RgMomentum m;
            rg_world_momentum(world, &m);
            scale = fmax(scale, m.kinetic);
        }
        cr_log_info("%s: loop error %.2g, forms %.2g, energy %.2g J", both_forms[i], worst, forms,
                    world_energy(world) - first);
        CHECK_NEAR(worst, 0.0, 1e-9, "m or rad");
        CHECK_NEAR(forms, 0.0, 1e-9, "relative");
        CHECK_NEAR(world_energy(world), first, energy_tolerance * scale, "J");
        cr_expect(scale > 0.1, "it did not move");
        rg_world_destroy(world);
    }
}

Test(closed_loops, four_bar, .timeout = 300)
{
    RgModel *model = scene_four_bar();
    run_loop(model, 1e-6);
    rg_model_destroy(model);
}

Test(closed_loops, stewart_platform, .timeout = 300)
{
    RgModel *model = scene_stewart();
    run_loop(model, 1e-6);
    rg_model_destroy(model);
}

/* Euler's methods leave a larger error in a step, which the projection must remove: loops stay closed with every stepper. */
Test(closed_loops, every_stepper_keeps_loops_closed, .timeout = 300)
{
    RgModel *models[2] = {scene_four_bar(), scene_stewart()};
    for (int i = 0; i < 4 * rg_stepper_count(); i++) {
        const char *stepper = rg_stepper_name(i / 4);
        RgWorld *world = world_of(models[i % 2], both_forms[i / 2 % 2], stepper);
        double worst = world_run(world, 300, 1e-3);
        cr_expect(worst < 1e-9, "%s, %s: loop error %g", stepper, both_forms[i / 2 % 2], worst);
        rg_world_destroy(world);
    }
    rg_model_destroy(models[0]);
    rg_model_destroy(models[1]);
}

/* Three of the five rows of the planar pin say what the hinges already do. */
Test(closed_loops, redundant_rows_are_reported)
{
    RgModel *model = scene_four_bar();
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        RgStepReport report = {0};
        cr_assert(rg_world_step(world, 1e-3, &report) == RG_OK);
        cr_expect(report.redundant_rows == 3, "%s: %d rows found redundant", both_forms[i],
                  report.redundant_rows);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A linkage pulled apart by 5 cm is put together again; what cannot be closed says so. */
Test(closed_loops, assemble_closes_an_open_loop)
{
    RgModel *model = scene_four_bar();
    for (int i = 0; i < 2; i++) {
        const double q[3] = {0.05, -0.03, 0.02};
        double left;
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        rg_world_set_state(world, q, NULL);
        cr_expect(rg_world_joint_error(world) > 1e-3, "the loop should be open");
        cr_expect(rg_world_assemble(world, &left) == RG_OK);
        CHECK_NEAR(left, 0.0, 1e-10, "m");
        CHECK_NEAR(rg_world_joint_error(world), 0.0, 1e-10, "m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
