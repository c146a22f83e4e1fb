/*
 * test_tree_dynamics.c - textbook algorithms against each other on 1,000 random forests of all joint kinds.
 *
 *   RNEA(ABA(tau)) = tau        M e_j = RNEA(e_j) - RNEA(0)        M^-1 (tau - b) = ABA(tau)
 *
 * with springs, dampers and rotors in the model, and random wrenches on all links. Errors are relative as in
 * identities.h.
 */
#include "check_near.h"
#include "identities.h"
#include "scene_parts.h"

#include <stdlib.h>

#define TREES 1000
#define TOLERANCE 1e-9

/* Fails with the seed, so that one tree can be looked at alone. */
static void expect_small(uint64_t seed, DynamicsErrors e)
{
    cr_expect(e.status == RG_OK, "tree %u: %s", (unsigned)seed, rg_status_text(e.status));
    cr_expect(e.inverse <= TOLERANCE, "tree %u: RNEA(ABA) error %.3g", (unsigned)seed, e.inverse);
    cr_expect(e.columns <= TOLERANCE, "tree %u: CRBA against RNEA error %.3g", (unsigned)seed, e.columns);
    cr_expect(e.symmetric <= TOLERANCE, "tree %u: M not symmetric, %.3g", (unsigned)seed, e.symmetric);
    cr_expect(e.factor <= TOLERANCE, "tree %u: factor route against ABA error %.3g", (unsigned)seed, e.factor);
    cr_expect(e.solve <= TOLERANCE, "tree %u: M^-1 M error %.3g", (unsigned)seed, e.solve);
}

Test(tree_dynamics, algorithms_agree_on_random_trees)
{
    DynamicsErrors worst = {0};
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        DynamicsErrors e = dynamics_errors(model, seed);
        expect_small(seed, e);
        worst = dynamics_errors_worst(worst, e);
        rg_model_destroy(model);
    }
    cr_log_info("worst of %d trees: RNEA(ABA) %.2g, CRBA %.2g, factor %.2g, solve %.2g", TREES, worst.inverse,
                worst.columns, worst.factor, worst.solve);
}

/* Long trees lose no digits. */
Test(tree_dynamics, algorithms_agree_on_long_trees)
{
    for (uint64_t seed = 2001; seed <= 2020; seed++) {
        RandomTree options = {.seed = seed, .links = 40};
        RgModel *model = random_tree(&options);
        expect_small(seed, dynamics_errors(model, seed));
        rg_model_destroy(model);
    }
}

/* The drawing itself is checked: all kinds occur, as do floating roots, branches and rotors. */
Test(tree_dynamics, random_trees_hold_every_kind)
{
    int kinds[RG_JOINT_COUNT] = {0}, floating = 0, branches = 0, rotors = 0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        RgModelInfo info = rg_model_info(model);
        for (int i = 1; i <= info.joints; i++) {
            RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
            kinds[joint.type]++;
            branches += joint.parent.i > 0 && joint.child.i - joint.parent.i > 1;
            rotors += joint.nv > 0 && joint.dof[0].rotor_inertia > 0.0;
        }
        for (int i = 1; i <= info.links; i++)
            floating += rg_model_link(model, (RgLinkId){i}).floats;
        rg_model_destroy(model);
    }
    for (int i = 0; i < RG_JOINT_COUNT; i++)
        cr_expect(kinds[i] > 100, "only %d joints are %s", kinds[i], rg_joint_type_name((RgJointType)i));
    cr_expect(floating > 100 && branches > 100 && rotors > 100, "%d floating, %d branches, %d rotors", floating,
              branches, rotors);
}

/* Wrenches act through the Jacobian: RNEA without them less RNEA with them is the sum of J' f over links. */
Test(tree_dynamics, wrenches_act_through_jacobians)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        RgDynamics *dynamics = rg_dynamics_create(model, NULL);
        TestState s = random_state(model, seed);
        double *J = calloc(6 * (size_t)s.nv + 1, sizeof *J), *sum = calloc((size_t)s.nv + 1, sizeof *sum);
        double *with = calloc((size_t)s.nv + 1, sizeof *with);
        for (int link = 1; link <= s.links; link++) {
            cr_assert(rg_link_jacobian(dynamics, s.q, (RgLinkId){link}, J) == RG_OK);
            const RgForce *w = &s.wrenches[link - 1];
            const double f[6] = {w->n.x, w->n.y, w->n.z, w->f.x, w->f.y, w->f.z};
            for (int k = 0; k < 6 * s.nv; k++)
                sum[k % s.nv] += J[k] * f[k / s.nv];
        }
        rg_inverse_dynamics(dynamics, s.q, s.v, s.tau, NULL, s.a);
        rg_inverse_dynamics(dynamics, s.q, s.v, s.tau, s.wrenches, with);
        double scale = 1.0 + check_largest(s.a, (size_t)s.nv);
        for (int i = 0; i < s.nv; i++)
            CHECK_NEAR(s.a[i] - with[i], sum[i], 1e-11 * scale, "N m");
        free(J);
        free(sum);
        free(with);
        test_state_destroy(&s);
        rg_dynamics_destroy(dynamics);
        rg_model_destroy(model);
    }
}

/* Axes close to every coordinate direction, also to -z, leave rotations orthogonal and turn about the axis
   given. */
Test(tree_dynamics, axes_near_coordinate_directions)
{
    static const double tilts[6] = {0.0, 1e-9, 1e-7, 1e-6, 1e-4, 1e-2};
    static const RgVec3 along[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 36; i++) {
        RgVec3 axis = vec_add(along[i / 6], vec_scale(tilts[i % 6], vec(0.6, 0.48, 0.64)));
        RgBuilder *b = scene_begin("hinge");
        RgLinkId link = link_add(b, "link", inertia_box(1.0, vec(0.1, 0.2, 0.3), vec(0.1, 0.2, 0.3)));
        RgJointDef def = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, link, vec(0.0, 0.0, 0.0), axis);
        joint_add(b, &def);
        RgModel *model = scene_end(b);
        RgDynamics *dynamics = rg_dynamics_create(model, NULL);
        double q = 0.7, J[6];
        cr_assert(rg_forward_kinematics(dynamics, &q, NULL) == RG_OK);
        RgVec3 unit = vec_scale(1.0 / vec_norm(axis), axis);
        RgMat3 R = rg_link_pose(dynamics, link).R;
        CHECK_NEAR(mat_distance(mat_mul(R, mat_transpose(R)), mat_identity()), 0.0, 1e-14, "");
        CHECK_NEAR(mat_distance(R, mat_turn(unit, q)), 0.0, 1e-14, "");
        rg_link_jacobian(dynamics, &q, link, J);
        CHECK_NEAR(vec_distance(vec(J[0], J[1], J[2]), unit), 0.0, 1e-14, "rad/s");
        rg_dynamics_destroy(dynamics);
        rg_model_destroy(model);
    }
}
