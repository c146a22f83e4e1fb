/*
 * test_modes.c - the predicted limit of explicit PD: against the closed form of one axis, against the powers of the
 * step matrix of many, and against runs of a pendulum and of an arm; mobility against the mass matrix and against
 * gears.
 */
#include "step_search/maxstep.h"
#include "study/modes.h"

#include "check_near.h"
#include "scenes.h"

#include <stdlib.h>
#include <string.h>

/* h = 4 / (d + sqrt(d^2 + 4 k)) for k = kp / m, d = kd / m. */
Test(modes, one_axis)
{
    static const double gains[5][3] = {
        {1.0, 1.0, 0.0}, {1e7, 0.0, 0.3}, {300.0, 120.0, 2.5}, {0.0, 6.0, 1e-3}, {15.0, 6.0, 5e-4}};
    for (int i = 0; i < 5; i++) {
        double m = gains[i][2] > 0.0 ? gains[i][2] : 1.0, mobility = 1.0 / m;
        double k = gains[i][0] / m, d = gains[i][1] / m;
        RgMode mode;
        cr_assert(rg_pd_mode(1, &mobility, &gains[i][0], &gains[i][1], 100.0, &mode));
        double limit = 4.0 / (d + sqrt(d * d + 4.0 * k));
        CHECK_NEAR(mode.limit / limit, 1.0, 1e-12, "");
        CHECK_NEAR(mode.frequency, sqrt(k), 1e-9 * sqrt(k), "rad/s");
        CHECK_NEAR(mode.decay, d, 1e-9 * d, "1/s");
        CHECK_NEAR(mode.inertia, m, 1e-12 * m, "kg m^2");
        CHECK_NEAR(mode.share, 1.0, 1e-12, "");
        cr_expect_eq(mode.axis, 0);
        cr_assert(rg_pd_mode(1, &mobility, &gains[i][0], &gains[i][1], 0.99 * limit, &mode));
        cr_expect(isinf(mode.limit), "nothing below");
    }
}

/* A pair of complex roots swings in size: what that leaves of the mean growth over 10,000 steps. */
#define AVERAGED 5e-4

/* Largest growth of the step's matrix itself, by repeated application to a state. */
static double growth(int n, const double *W, const double *kp, const double *kd, double h)
{
    enum { STEPS = 20000 };
    double e[8], v[8], f[8], size = 1.0, sum = 0.0;
    for (int i = 0; i < n; i++) {
        e[i] = 1.0 + 0.1 * i;
        v[i] = 0.3 - 0.2 * i;
    }
    for (int step = 0; step < STEPS; step++) {
        for (int i = 0; i < n; i++)
            f[i] = -kp[i] * e[i] - kd[i] * v[i];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                v[i] += h * W[i * n + j] * f[j];
        size = 0.0;
        for (int i = 0; i < n; i++) {
            e[i] += h * v[i];
            size = fmax(size, fmax(fabs(e[i]), h * fabs(v[i])));
        }
        for (int i = 0; i < n; i++) {
            e[i] /= size;
            v[i] /= size;
        }
        if (step >= STEPS / 2)
            sum += log(size);
    }
    return exp(sum / (STEPS / 2));
}

/* W = 0.1 + G G' of a random G. */
static void random_mobility(int n, double *W)
{
    double G[36];
    for (int i = 0; i < n * n; i++)
        G[i] = 2.0 * rand() / RAND_MAX - 1.0;
    for (int i = 0; i < n * n; i++) {
        W[i] = i / n == i % n ? 0.1 : 0.0;
        for (int k = 0; k < n; k++)
            W[i] += G[i / n * n + k] * G[i % n * n + k];
    }
}

/* Random mobilities and gains over decades: stable a little below the limit, unstable a little above. */
Test(modes, many_axes_against_powers)
{
    srand(3);
    for (int trial = 0; trial < 60; trial++) {
        int n = 2 + trial % 5;
        double W[36], kp[6], kd[6];
        random_mobility(n, W);
        for (int i = 0; i < n; i++) {
            kp[i] = pow(10.0, 4.0 * rand() / RAND_MAX);
            kd[i] = pow(10.0, 3.0 * rand() / RAND_MAX - 1.0);
        }
        RgMode mode;
        cr_assert(rg_pd_mode(n, W, kp, kd, 100.0, &mode));
        cr_expect_lt(growth(n, W, kp, kd, 0.98 * mode.limit), 1.0 + AVERAGED);
        cr_expect_gt(growth(n, W, kp, kd, 1.02 * mode.limit), 1.0 + AVERAGED, "trial %d", trial);
    }
}

/* Two axes that do not feel each other: the faster one has all of the mode. No mobility at all is refused. */
Test(modes, whose_it_is)
{
    const double W[4] = {1.0, 0.0, 0.0, 1000.0}, kp[2] = {100.0, 10.0}, kd[2] = {20.0, 0.5};
    const double none[4] = {1.0, 1.0, 1.0, 1.0};
    RgMode mode;
    cr_assert(rg_pd_mode(2, W, kp, kd, 10.0, &mode));
    cr_expect_eq(mode.axis, 1);
    CHECK_NEAR(mode.share, 1.0, 1e-9, "");
    CHECK_NEAR(mode.decay, 500.0, 1e-6, "1/s");
    CHECK_NEAR(mode.inertia, 1e-3, 1e-12, "kg m^2");
    cr_expect_not(rg_pd_mode(2, none, kp, kd, 10.0, &mode));
}

/* ------------------------------------------------------------------ models */

enum { AXES_MAX = 8 };

/* The axes of all joints of one axis, in order. */
static int list_axes(const RgModel *model, RgModeAxis *axes)
{
    int n = 0;
    for (int32_t i = 1; i <= rg_model_info(model).joints && n < AXES_MAX; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        if (joint.nv == 1)
            axes[n++] = (RgModeAxis){{i}, 0, joint.v_index};
    }
    return n;
}

/* Without couplings the mobility is the inverse of the mass matrix. */
Test(modes, mobility_of_an_arm)
{
    RgModel *model = scene_arm();
    RgModeAxis axes[AXES_MAX];
    RgError error = {0};
    int n = list_axes(model, axes);
    double q[AXES_MAX] = {0.3, -0.7, 1.1, 0.2, -0.4, 0.9}, M[AXES_MAX * AXES_MAX], W[AXES_MAX * AXES_MAX];
    RgMobility *mobility = rg_mobility_create(model, n, axes, &error);
    RgDynamics *dynamics = rg_dynamics_create(model, NULL);
    cr_assert(mobility && n == 6, "%s", error.text);
    cr_assert_eq(rg_mobility_at(mobility, q, W), RG_OK);
    cr_assert_eq(rg_mass_matrix(dynamics, q, M), RG_OK);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += M[i * n + k] * W[k * n + j];
            CHECK_NEAR(sum, i == j ? 1.0 : 0.0, 1e-9, "");
        }
    }
    rg_dynamics_destroy(dynamics);
    rg_mobility_destroy(mobility);
    rg_model_destroy(model);
}

/* A hinge with inertia I, turned with a second one of inertia J by q2 = r q1, feels I + r^2 J. */
Test(modes, mobility_through_a_gear)
{
    const double I = 0.5, J = 0.02, ratio = -7.0;
    RgBuilder *builder = rg_builder_create(NULL, NULL);
    RgCouplingDef gear = rg_coupling_def_default();
    for (int i = 0; i < 2; i++) {
        RgLinkDef link = rg_link_def_default();
        RgJointDef joint = rg_joint_def_default();
        double inertia = i ? J : I;
        link.name = i ? "motor" : "arm";
        link.inertia = (RgInertia){.mass = 1.0, .I = {.xx = inertia, .yy = inertia, .zz = inertia}};
        joint.name = i ? "in" : "out";
        joint.type = RG_JOINT_revolute;
        joint.child = rg_builder_add_link(builder, &link);
        joint.axis = (RgVec3){0.0, 0.0, 1.0};
        RgJointId id = rg_builder_add_joint(builder, &joint);
        if (i)
            gear.joint = id;
        else
            gear.reference = id;
    }
    gear.ratio = ratio;
    rg_builder_add_coupling(builder, &gear);
    RgError error = {0};
    RgModel *model = rg_builder_finish(builder, &error);
    cr_assert(model, "%s", error.text);
    RgModeAxis axis = {{1}, 0, rg_model_joint(model, (RgJointId){1}).v_index};
    RgMobility *mobility = rg_mobility_create(model, 1, &axis, &error);
    double q[2] = {0}, W;
    cr_assert(mobility, "%s", error.text);
    cr_assert_eq(rg_mobility_at(mobility, q, &W), RG_OK);
    CHECK_REL(W, 1.0 / (I + ratio * ratio * J), 1e-9, "1/(kg m^2)");
    rg_mobility_destroy(mobility);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ predicted and found */

typedef struct Hold {
    const RgModel *model;
    int n;
    RgModeAxis axes[AXES_MAX];
    double kp[AXES_MAX], kd[AXES_MAX], target[AXES_MAX];
} Hold;

static void hold_input(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    const Hold *hold = context;
    (void)model;
    for (int i = 0; i < hold->n; i++) {
        int v = hold->axes[i].v_index;
        input->tau[v] += hold->kp[i] * (hold->target[i] - state->q[v]) - hold->kd[i] * state->v[v];
    }
}

/* A thousand steps near the target without gravity: does the displacement shrink? */
static bool holds(double step, void *context)
{
    Hold *hold = context;
    RgWorldDef def = rg_world_def_default();
    RgError error = {0};
    double q[AXES_MAX], v[AXES_MAX] = {0}, error_left = 0.0;
    def.model = hold->model;
    def.gravity = (RgVec3){0.0, 0.0, 0.0};
    def.contact = false;
    def.input = hold_input;
    def.input_context = hold;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert(world, "%s", error.text);
    for (int i = 0; i < hold->n; i++)
        q[hold->axes[i].v_index] = hold->target[i] + 1e-4;
    cr_assert_eq(rg_world_set_state(world, q, v), RG_OK);
    RgStatus status = RG_OK;
    for (int k = 0; k < 2000 && status == RG_OK; k++)
        status = rg_world_step(world, step, NULL);
    for (int i = 0; i < hold->n; i++)
        error_left = fmax(error_left, fabs(rg_world_q(world)[hold->axes[i].v_index] - hold->target[i]));
    rg_world_destroy(world);
    return status == RG_OK && error_left < 1e-2;
}

static void predicted_is_found(Hold *hold)
{
    double W[AXES_MAX * AXES_MAX], q[AXES_MAX];
    RgError error = {0};
    RgMode mode;
    RgMobility *mobility = rg_mobility_create(hold->model, hold->n, hold->axes, &error);
    cr_assert(mobility, "%s", error.text);
    for (int i = 0; i < hold->n; i++)
        q[hold->axes[i].v_index] = hold->target[i];
    cr_assert_eq(rg_mobility_at(mobility, q, W), RG_OK);
    cr_assert(rg_pd_mode(hold->n, W, hold->kp, hold->kd, 10.0, &mode));
    RgStepSearch search = {.first = 1e-3, .least = 1e-6, .most = 10.0, .width = 0.005, .works = holds, .context = hold};
    RgStepLimit limit = rg_step_search(&search);
    cr_assert(limit.found);
    CHECK_REL(limit.step, mode.limit, 0.05, "s");
    rg_mobility_destroy(mobility);
}

Test(modes, pendulum_found_as_predicted)
{
    static const double gains[3][2] = {{300.0, 120.0}, {1e4, 1.0}, {5.0, 60.0}};
    RgAxisDef axis = rg_axis_def_default();
    RgInertia inertia = {.mass = 2.0, .com = {0.0, 0.0, -0.5}, .I = {.xx = 0.3, .yy = 0.4, .zz = 0.2}};
    Hold hold = {.model = scene_pendulum(inertia, &axis)};
    hold.n = list_axes(hold.model, hold.axes);
    hold.target[0] = 0.4;
    for (int i = 0; i < 3; i++) {
        hold.kp[0] = gains[i][0];
        hold.kd[0] = gains[i][1];
        predicted_is_found(&hold);
    }
    rg_model_destroy((RgModel *)hold.model);
}

/* The gains that the paper's example gave an arm of six joints. */
Test(modes, arm_found_as_predicted)
{
    static const double kp[6] = {300.0, 300.0, 60.0, 15.0, 15.0, 15.0}, q[6] = {0.3, -0.7, 1.1, 0.2, -0.4, 0.9};
    Hold hold = {.model = scene_arm()};
    hold.n = list_axes(hold.model, hold.axes);
    cr_assert_eq(hold.n, 6);
    for (int i = 0; i < 6; i++) {
        hold.kp[i] = kp[i];
        hold.kd[i] = 0.4 * kp[i];
        hold.target[i] = q[i];
    }
    predicted_is_found(&hold);
    for (int i = 0; i < 6; i++)
        hold.kd[i] = 0.01 * kp[i];
    predicted_is_found(&hold);
    rg_model_destroy((RgModel *)hold.model);
}
