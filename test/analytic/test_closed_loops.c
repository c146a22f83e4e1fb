/*
 * test_closed_loops.c - a four-bar linkage (planar: three of its five loop rows are redundant) and a Stewart
 * platform, 10 s of motion
 * in both coordinate forms: same accelerations at the start and on the way, loop error below 1e-9, energy
 * kept.
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
        cr_expect(rg_world_joint_error(world) < 1e-12, "not closed at the start: %g", rg_world_joint_error(world));
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

Test(closed_loops, four_bar)
{
    RgModel *model = scene_four_bar();
    run_loop(model, 1e-6);
    rg_model_destroy(model);
}

Test(closed_loops, stewart_platform)
{
    RgModel *model = scene_stewart();
    run_loop(model, 1e-6);
    rg_model_destroy(model);
}

/* Euler's methods leave a larger error in a step, which the projection must remove: loops stay closed with
   every stepper. */
Test(closed_loops, every_stepper_keeps_loops_closed)
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
        cr_expect(report.redundant_rows == 3, "%s: %d rows found redundant", both_forms[i], report.redundant_rows);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Where coupler and rocker should meet: how far they are apart, from the poses of the links alone. */
static double pin_gap(RgWorld *world)
{
    const RgModel *model = rg_world_model(world);
    RgPose coupler = rg_world_link_pose(world, rg_model_find_link(model, "coupler"));
    RgPose rocker = rg_world_link_pose(world, rg_model_find_link(model, "rocker"));
    return vec_distance(place_point(coupler, vec(1.2, 0.0, 0.5)), place_point(rocker, vec(0.0, 0.0, 0.9)));
}

/* A linkage pulled apart is put together again; and the error reported is the gap that can be seen. */
Test(closed_loops, assemble_closes_an_open_loop)
{
    RgModel *model = scene_four_bar();
    for (int i = 0; i < 2; i++) {
        const double q[3] = {0.05, -0.03, 0.02};
        double left;
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        rg_world_set_state(world, q, NULL);
        double gap = pin_gap(world), error = rg_world_joint_error(world);
        cr_expect(gap > 1e-2, "the loop should be open");
        cr_expect(error <= 1.001 * gap && error >= 0.57 * gap, "gap %g m, reported %g", gap, error);
        cr_expect(rg_world_assemble(world, &left) == RG_OK);
        CHECK_NEAR(left, 0.0, 1e-10, "m");
        CHECK_NEAR(rg_world_joint_error(world), 0.0, 1e-10, "m");
        CHECK_NEAR(pin_gap(world), 0.0, 1e-10, "m");
        world_run(world, 500, 1e-3);
        CHECK_NEAR(pin_gap(world), 0.0, 1e-9, "m");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The four-bar again, with a spring and a damper on its loop joint. */
static RgModel *sprung_four_bar(double stiffness, double damping)
{
    RgBuilder *b = scene_begin("sprung linkage");
    RgVec3 O = {0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, AB = {0.3, 0.0, 0.4}, BC = {1.2, 0.0, 0.5}, DC = {0.0, 0.0, 0.9};
    RgLinkId crank = link_add(b, "crank", inertia_rod(0.5, O, AB, 0.02));
    RgLinkId coupler = link_add(b, "coupler", inertia_rod(1.3, O, BC, 0.02));
    RgLinkId rocker = link_add(b, "rocker", inertia_rod(0.9, O, DC, 0.02));
    RgJointDef joints[4] = {joint_at(RG_JOINT_revolute, "a", (RgLinkId){0}, crank, O, y),
                            joint_at(RG_JOINT_revolute, "b", crank, coupler, AB, y),
                            joint_at(RG_JOINT_revolute, "d", (RgLinkId){0}, rocker, vec(1.5, 0.0, 0.0), y),
                            joint_at(RG_JOINT_revolute, "pin", coupler, rocker, BC, y)};
    joints[3].X_CJ = place_at(DC.x, DC.y, DC.z);
    joints[3].may_close_loop = true;
    joints[3].dof[0].stiffness = stiffness;
    joints[3].dof[0].damping = damping;
    joints[3].dof[0].rest = 0.5;
    for (int i = 0; i < 4; i++)
        joint_add(b, &joints[i]);
    return scene_end(b);
}

/* The spring stores energy; together with the motion it stays what it was. */
Test(closed_loops, spring_on_the_loop_joint_keeps_energy)
{
    RgModel *model = sprung_four_bar(40.0, 0.0);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        double first = world_energy(world);
        world_run(world, 2000, 1e-3);
        CHECK_NEAR(world_energy(world), first, 1e-6, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* The damper takes d w^2 at every moment; summed by Simpson's rule that is the energy lost. */
Test(closed_loops, damper_on_the_loop_joint_takes_its_power)
{
    double d = 0.8;
    RgModel *model = sprung_four_bar(0.0, d);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        double first = world_energy(world), taken = 0.0;
        for (int step = 0; step <= 1000; step++) {
            double w = world_rate(world, "pin"), weight = step % 1000 == 0 ? 1.0 : step % 2 == 1 ? 4.0 : 2.0;
            taken += weight / 3.0 * 1e-3 * d * w * w;
            if (step < 1000)
                world_run(world, 1, 1e-3);
        }
        cr_expect(taken > 0.1, "the pin did not turn");
        CHECK_NEAR(first - world_energy(world), taken, 1e-7, "J");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Taken at the end of the step, such a damper may be of any strength: the linkage stands still. */
Test(closed_loops, huge_damper_on_the_loop_joint_is_stable)
{
    RgModel *model = sprung_four_bar(0.0, 1e9);
    for (int i = 0; i < 2; i++) {
        RgWorld *world = world_of(model, both_forms[i], "semi-implicit");
        world_run(world, 200, 0.01);
        cr_expect(check_largest(rg_world_v(world), 3) < 1e-6, "%s: it moves", both_forms[i]);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
