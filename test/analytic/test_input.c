/*
 * test_input.c - the input function: when it is called, and what it is given.
 *
 * A block on a slider is pushed by the force t^3. Its velocity t^4 / 4m follows exactly from Simpson's rule,
 * which is what rk4 is
 * for a force of time alone; Euler's method gives the left sum.
 */
#include "check_near.h"
#include "scenes.h"
#include "worlds.h"

#define MASS 2.0

static void push(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    int *calls = context;
    (*calls)++;
    input->tau[0] += state->t * state->t * state->t;
}

static RgModel *slider(void)
{
    RgBuilder *b = scene_begin("slider");
    RgLinkId block = link_add(b, "block", inertia_box(MASS, vec(0.0, 0.0, 0.0), vec(0.1, 0.1, 0.1)));
    RgJointDef slide =
        joint_at(RG_JOINT_prismatic, "slide", (RgLinkId){0}, block, vec(0.0, 0.0, 0.0), vec(1.0, 0.0, 0.0));
    joint_add(b, &slide);
    return scene_end(b);
}

static double run(const RgModel *model, const char *coords, const char *stepper, int *calls)
{
    RgWorldDef def = world_def(model, coords, stepper);
    def.input = push;
    def.input_context = calls;
    RgWorld *world = world_make(&def);
    world_run(world, 50, 0.02);
    double v = world_rate(world, "slide");
    rg_world_destroy(world);
    return v;
}

Test(input, force_of_time_is_taken_at_the_stages)
{
    RgModel *model = slider();
    double left = 0.0;
    for (int n = 0; n < 50; n++)
        left += 0.02 * pow(0.02 * n, 3.0) / MASS;
    for (int i = 0; i < 2; i++) {
        int calls = 0;
        CHECK_NEAR(run(model, both_forms[i], "rk4", &calls), 0.25 / MASS, 1e-14, "m/s");
        cr_expect(calls == 4 * 50, "%d calls in 50 steps of rk4", calls);
        CHECK_NEAR(run(model, both_forms[i], "reference", &calls), 0.25 / MASS, 1e-13, "m/s");
        calls = 0;
        CHECK_NEAR(run(model, both_forms[i], "euler", &calls), left, 1e-14, "m/s");
        CHECK_NEAR(run(model, both_forms[i], "semi-implicit", &calls), left, 1e-14, "m/s");
        cr_expect(calls == 2 * 50, "%d calls in 50 steps of euler and semi-implicit", calls);
    }
    rg_model_destroy(model);
}

/* The function sees joint coordinates in both forms, and the constant effort is there before it writes. */
static void expect_seen(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    int *seen = context;
    RgJointInfo joint = rg_model_joint(model, (RgJointId){1});
    *seen += fabs(state->q[joint.q_index] - 0.5) < 1e-12 && fabs(state->v[joint.v_index] + 1.0) < 1e-12 &&
             input->tau[joint.v_index] == 7.0 && input->wrenches[0].f.z == -3.0;
    input->tau[joint.v_index] = 0.0;
}

Test(input, sees_state_and_constant_inputs)
{
    RgModel *model = slider();
    for (int i = 0; i < 2; i++) {
        const double q = 0.5, v = -1.0, tau = 7.0;
        double a;
        int seen = 0;
        RgWorldDef def = world_def(model, both_forms[i], "euler");
        def.input = expect_seen;
        def.input_context = &seen;
        RgWorld *world = world_make(&def);
        rg_world_set_state(world, &q, &v);
        rg_world_set_joint_effort(world, (RgJointId){1}, &tau);
        rg_world_set_link_wrench(world, (RgLinkId){1}, (RgForce){{0.0, 0.0, 0.0}, {0.0, 0.0, -3.0}});
        cr_assert(rg_world_acceleration(world, &a) == RG_OK);
        cr_expect(seen >= 1, "%s: the input function saw other numbers", both_forms[i]);
        CHECK_NEAR(a, 0.0, 1e-14, "m/s^2");

        /* What the function wrote was for that evaluation alone. */
        seen = 0;
        rg_world_acceleration(world, &a);
        cr_expect(seen >= 1, "%s: the constant effort was lost", both_forms[i]);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
