/*
 * test_refusal.c - what a world refuses: numbers that are not finite never enter its state, and the report
 * names who is to blame.
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

/* Which effort becomes what. */
typedef struct Poison {
    int dof;
    double value;
    bool now;
} Poison;

static void poison(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    (void)state;
    const Poison *p = context;
    if (p->now)
        input->tau[p->dof] = p->value;
}

/* Ten good steps, then one that must fail, name the joint and leave everything as it was; then the cause
   goes, and it runs on. */
static void expect_refused(const char *coords, const char *stepper, double value)
{
    RgModel *model = scene_arm();
    RgJointId joint = rg_model_find_joint(model, "wrist1_joint");
    Poison p = {rg_model_joint(model, joint).v_index, value, false};
    RgWorldDef def = world_def(model, coords, stepper);
    def.input = poison;
    def.input_context = &p;
    RgWorld *world = world_make(&def);
    size_t size = rg_world_state_size(world);
    void *before = malloc(size), *after = malloc(size);
    world_run(world, 10, 1e-3);
    rg_world_state_save(world, before);
    uint64_t hash = rg_world_hash(world);
    double t = rg_world_time(world);

    p.now = true;
    RgStepReport report = {0};
    RgStatus status = rg_world_step(world, 1e-3, &report);
    rg_world_state_save(world, after);
    cr_expect(status == RG_ERR_NOT_FINITE && report.status == status, "%s, %s: %s", coords, stepper,
              rg_status_text(status));
    cr_expect(strstr(report.offender, "wrist1") != NULL, "%s, %s: blamed '%s'", coords, stepper, report.offender);
    cr_expect(memcmp(before, after, size) == 0, "%s, %s: the state has changed", coords, stepper);
    cr_expect(rg_world_hash(world) == hash && rg_world_time(world) == t);

    p.now = false;
    world_run(world, 5, 1e-3);
    free(before);
    free(after);
    world_end(world, model);
}

Test(refusal, effort_that_is_not_finite)
{
    static const double values[3] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 2 * rg_stepper_count(); i++)
        for (int k = 0; k < 3; k++)
            expect_refused(both_forms[i % 2], rg_stepper_name(i / 2), values[k]);
}

/* A floating robot, at the very first step. */
Test(refusal, first_step_of_a_floating_robot)
{
    RgModel *model = scene_quadruped();
    for (int i = 0; i < 2 * rg_stepper_count(); i++) {
        Poison p = {7, (double)NAN, true};
        RgWorldDef def = world_def(model, both_forms[i % 2], rg_stepper_name(i / 2));
        def.input = poison;
        def.input_context = &p;
        RgWorld *world = world_make(&def);
        uint64_t hash = rg_world_hash(world);
        cr_expect(rg_world_step(world, 1e-3, NULL) == RG_ERR_NOT_FINITE);
        cr_expect(rg_world_hash(world) == hash && rg_world_time(world) == 0.0, "%s: the state has changed",
                  rg_stepper_name(i / 2));
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(refusal, states_steps_and_wrenches_that_are_not_finite)
{
    RgModel *model = scene_arm();
    for (int i = 0; i < 2; i++) {
        const double bad[6] = {0.0, (double)NAN, 0.0, 0.0, 0.0, 0.0}, huge[1] = {(double)INFINITY};
        RgWorld *world = world_of(model, both_forms[i], "rk4");
        uint64_t hash = rg_world_hash(world);
        RgJointId joint = rg_model_find_joint(model, "forearm_joint");
        cr_expect(rg_world_set_state(world, bad, NULL) != RG_OK);
        cr_expect(rg_world_set_state(world, NULL, bad) != RG_OK);
        cr_expect(rg_world_set_joint_position(world, joint, huge) != RG_OK);
        cr_expect(rg_world_set_joint_rate(world, joint, huge) != RG_OK);
        cr_expect(rg_world_step(world, (double)NAN, NULL) != RG_OK);
        cr_expect(rg_world_step(world, (double)INFINITY, NULL) != RG_OK);
        cr_expect(rg_world_hash(world) == hash, "%s: the state has changed", both_forms[i]);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Unknown names and a def without defaults are answered, not guessed. */
Test(refusal, impossible_defs)
{
    RgModel *model = scene_box();
    RgWorldDef defs[4] = {world_def(model, "polar", "rk4"),
                          world_def(model, "minimal", "leapfrog"),
                          world_def(NULL, "minimal", "rk4"),
                          {0}};
    for (int i = 0; i < 4; i++) {
        RgError error = {0};
        RgWorld *world = rg_world_create(&defs[i], &error);
        cr_expect(world == NULL && error.status != RG_OK && error.text[0] != '\0', "def %d was taken", i);
    }
    rg_model_destroy(model);
}
