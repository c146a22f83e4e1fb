/*
 * test_stages.c - the stages that all steppers share: who is blamed when a number goes wrong, and what the
 * report counts.
 *
 *   dissipated    the kinetic energy that the scaling of velocities took away
 *   projected     the energy that the projection onto the constraints added
 *   joint_error   what is left of errors, whether or not anything was done about them
 */
#include "check_near.h"
#include "identities.h"
#include "scenes.h"
#include "sim/world_internal.h"
#include "worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A joint that carries nothing heavy cannot be accelerated: the step names it. */
Test(stages, a_joint_without_inertia_is_named)
{
    RgBuilder *b = scene_begin("massless");
    RgVec3 O = {0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    RgLinkId arm = link_add(b, "arm", inertia_rod(1.0, O, vec(1.0, 0.0, 0.0), 0.05)),
             tip = link_add(b, "tip", (RgInertia){0});
    RgJointDef hinge = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, arm, O, y);
    RgJointDef wrist = joint_at(RG_JOINT_revolute, "wrist", arm, tip, vec(1.0, 0.0, 0.0), y);
    joint_add(b, &hinge);
    joint_add(b, &wrist);
    RgModel *model = scene_end(b);
    for (int i = 0; i < rg_stepper_count(); i++) {
        RgWorld *world = world_of(model, "minimal", rg_stepper_name(i));
        uint64_t hash = rg_world_hash(world);
        RgStepReport report;
        double a[2];
        cr_expect(rg_world_step(world, 1e-3, &report) == RG_ERR_SINGULAR && report.status == RG_ERR_SINGULAR);
        cr_expect_str_eq(report.offender, "joint 'wrist'");
        cr_expect(rg_world_acceleration(world, a) == RG_ERR_SINGULAR && rg_world_hash(world) == hash);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A joint coordinate that is not a number: its joint is named, whichever it is, in both forms. */
Test(stages, a_position_that_is_not_finite_is_named)
{
    RgModel *model = scene_arm();
    for (int i = 0; i < 2 * model->nbodies; i++) {
        RgWorld *w = world_of(model, both_forms[i % 2], "semi-implicit");
        const RgBody *body = &model->bodies[i / 2];
        int poses = i % 2 == 0 ? 0 : 7 * model->nbodies;
        RgStepReport report = {.status = RG_OK};
        char expected[128];
        snprintf(expected, sizeof expected, "joint '%s'", rg_model_dof_name(model, body->v0));
        memcpy(w->next.x, w->state.x, (size_t)w->scope.form->nx * sizeof *w->next.x);
        memset(w->next.u, 0, (size_t)w->scope.form->nu * sizeof *w->next.u);
        w->next.x[poses + body->q0] = (double)NAN;
        w->scope.report = &report;
        rg_world_begin_step(w, 1e-3, false);
        cr_expect(rg_stage_finish(&w->scope, &w->next) == RG_ERR_NOT_FINITE);
        cr_expect_str_eq(report.offender, expected, "'%s', not '%s'", report.offender, expected);
        rg_world_destroy(w);
    }
    rg_model_destroy(model);
}

/* Writes a number that is none into one wrench. */
static void bad_wrench(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)state;
    (void)context;
    input->wrenches[rg_model_find_link(model, "forearm").i - 1].n.y = (double)NAN;
}

Test(stages, a_wrench_that_is_not_finite_is_named)
{
    RgModel *model = scene_arm();
    cr_assert(rg_model_find_link(model, "forearm").i != 0);
    for (int i = 0; i < 2 * rg_stepper_count(); i++) {
        RgWorldDef def = world_def(model, both_forms[i % 2], rg_stepper_name(i / 2));
        def.input = bad_wrench;
        RgWorld *world = world_make(&def);
        RgStepReport report;
        cr_expect(rg_world_step(world, 1e-3, &report) == RG_ERR_NOT_FINITE);
        cr_expect_str_eq(report.offender, "link 'forearm'");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Numbers that overflow on the way are found wherever they come out; the second joint is the one that runs
   away. */
Test(stages, overflow_is_refused_and_named)
{
    RgModel *model = scene_chain(3);
    for (int i = 0; i < 2 * rg_stepper_count(); i++) {
        RgWorld *world = world_of(model, both_forms[i % 2], rg_stepper_name(i / 2));
        const double v[3] = {0.0, 1e200, 0.0};
        cr_assert(rg_world_set_state(world, NULL, v) == RG_OK);
        uint64_t hash = rg_world_hash(world);
        RgStepReport report;
        RgStatus status = rg_world_step(world, 1e150, &report);
        cr_expect(status != RG_OK && status == report.status, "%s %s", both_forms[i % 2], rg_stepper_name(i / 2));
        cr_expect(report.offender[0] != '\0' || status != RG_ERR_NOT_FINITE, "%s %s: nobody is blamed",
                  both_forms[i % 2], rg_stepper_name(i / 2));
        cr_expect(rg_world_hash(world) == hash);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Positions that overflow while velocities stay finite: a loop's projection must not hide who it was. */
Test(stages, overflow_of_positions_is_named)
{
    RgModel *models[2] = {scene_four_bar(), scene_box()};
    for (int i = 0; i < 4; i++) {
        const RgModel *model = models[i / 2];
        RgWorldDef def = world_def(model, both_forms[i % 2], "euler");
        def.gravity = vec(0.0, 0.0, 0.0);
        RgWorld *world = world_make(&def);
        const double v[2][6] = {{1e100, 0.0, 0.0}, {0.0, 0.0, 0.0, 1e100, 0.0, 0.0}};
        cr_assert(rg_world_set_state(world, NULL, v[i / 2]) == RG_OK);
        RgStepReport report;
        RgStatus status = rg_world_step(world, 1e250, &report);
        cr_expect(status == RG_ERR_NOT_FINITE, "case %d: %s", i, rg_status_text(status));
        cr_expect(report.offender[0] != '\0', "case %d: nobody is blamed", i);
        rg_world_destroy(world);
    }
    rg_model_destroy(models[0]);
    rg_model_destroy(models[1]);
}

static double kinetic(RgWorld *world)
{
    RgMomentum m;
    cr_assert(rg_world_momentum(world, &m) == RG_OK);
    return m.kinetic;
}

/* The same step with and without lambda: the report's number is the difference of their kinetic energies.
   Rotors, springs and loops included. */
Test(stages, dissipation_is_accounted_for)
{
    RgModel *models[2] = {scene_all_joints(), scene_stewart()};
    for (int i = 0; i < 4 * rg_stepper_count(); i++) {
        const RgModel *model = models[i % 2];
        RgWorldDef def = world_def(model, both_forms[i / 2 % 2], rg_stepper_name(i / 4));
        RgWorld *plain = world_make(&def);
        def.dissipation = 0.3;
        RgWorld *damped = world_make(&def);
        size_t size = rg_world_state_size(plain);
        void *saved = malloc(size);
        cr_assert(rg_world_assemble(plain, NULL) == RG_OK);
        world_run(plain, 20, 1e-3);
        rg_world_state_save(plain, saved);
        cr_assert(rg_world_state_load(damped, saved, size) == RG_OK);
        RgStepReport report, undamped;
        cr_assert(rg_world_step(plain, 1e-3, &undamped) == RG_OK && undamped.dissipated == 0.0);
        cr_assert(rg_world_step(damped, 1e-3, &report) == RG_OK);
        cr_expect(kinetic(plain) > 1e-4, "it did not move");
        CHECK_REL(report.dissipated, kinetic(plain) - kinetic(damped), 1e-10, "J");
        CHECK_REL(kinetic(damped), 0.49 * kinetic(plain), 1e-10, "J");
        free(saved);
        rg_world_destroy(plain);
        rg_world_destroy(damped);
    }
    rg_model_destroy(models[0]);
    rg_model_destroy(models[1]);
}

/* The same step with and without projection: energy by hand, and the error of the one that was left
   open. */
Test(stages, projection_is_accounted_for)
{
    RgModel *models[2] = {scene_four_bar(), scene_stewart()};
    for (int i = 0; i < 4; i++) {
        RgWorldDef def = world_def(models[i % 2], both_forms[i / 2], "semi-implicit-000");
        RgWorld *closed = world_make(&def);
        def.stabilise = RG_STABILISE_NONE;
        RgWorld *open = world_make(&def);
        size_t size = rg_world_state_size(open);
        void *saved = malloc(size);
        world_run(closed, 50, 5e-3);
        rg_world_state_save(closed, saved);
        cr_assert(rg_world_state_load(open, saved, size) == RG_OK);
        RgStepReport report, left;
        cr_assert(rg_world_step(closed, 5e-3, &report) == RG_OK && rg_world_step(open, 5e-3, &left) == RG_OK);
        CHECK_NEAR(report.projected, world_energy(closed) - world_energy(open), 1e-10, "J");
        cr_expect(fabs(report.projected) > 1e-8 && left.projected == 0.0, "nothing was projected");
        CHECK_NEAR(report.joint_error, rg_world_joint_error(closed), 1e-13, "m or rad");
        CHECK_NEAR(left.joint_error, rg_world_joint_error(open), 1e-13, "m or rad");
        cr_expect(left.joint_error > 1e-6, "a method of first order cannot be that exact");
        free(saved);
        rg_world_destroy(closed);
        rg_world_destroy(open);
    }
    rg_model_destroy(models[0]);
    rg_model_destroy(models[1]);
}
