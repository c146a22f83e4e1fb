/*
 * test_link_jacobian.c - Jacobians, twists and velocities against central differences of poses, on random
 * forests of all joint
 * kinds. The derivative of a pose along velocity k is (X(q + h e_k) - X(q - h e_k)) / 2h, with an error of
 * order h^2.
 */
#include "check_near.h"
#include "tree_case.h"

#include <stdlib.h>
#include <string.h>

#define TREES 60
#define H 1e-5
#define TOLERANCE 1e-8 /* H^2 times third derivatives, and round-off 1e-16 / H */

/* Pose of a link after the step h * direction. */
static RgPose pose_after(TreeCase *t, const double *direction, double h, RgLinkId link)
{
    tree_case_move(t, direction, NULL, h);
    cr_assert(rg_forward_kinematics(t->dynamics, t->q, NULL) == RG_OK);
    return rg_link_pose(t->dynamics, link);
}

/* Twist of a link (world axes, at its origin) when the joints move along direction. */
static void difference_twist(TreeCase *t, const double *direction, RgLinkId link, double twist[6])
{
    RgPose next = pose_after(t, direction, H, link), last = pose_after(t, direction, -H, link);
    RgVec3 w = vec_scale(0.5 / H, mat_axial(mat_mul(next.R, mat_transpose(last.R))));
    RgVec3 v = vec_scale(0.5 / H, vec_sub(next.p, last.p));
    memcpy(twist, (double[6]){w.x, w.y, w.z, v.x, v.y, v.z}, 6 * sizeof *twist);
}

/* Every column of one link's Jacobian. */
static void check_columns(TreeCase *t, RgLinkId link, double *J)
{
    double *unit = tree_case_vector(t);
    cr_assert(rg_link_jacobian(t->dynamics, t->s.q, link, J) == RG_OK);
    for (int k = 0; k < t->s.nv; k++) {
        double twist[6], column[6];
        unit[k] = 1.0;
        difference_twist(t, unit, link, twist);
        unit[k] = 0.0;
        for (int row = 0; row < 6; row++)
            column[row] = J[row * t->s.nv + k];
        CHECK_NEAR_ALL(column, twist, 6, TOLERANCE, "rad/s or m/s");
    }
    free(unit);
}

Test(link_jacobian, columns_are_derivatives_of_poses)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        TreeCase t = tree_case(&options);
        double *J = calloc(6 * (size_t)t.s.nv + 1, sizeof *J);
        for (int link = 1; link <= t.s.links; link++)
            check_columns(&t, (RgLinkId){link}, J);
        free(J);
        tree_case_end(&t);
    }
}

Test(link_jacobian, twists_are_derivatives_of_poses_and_jacobian_times_velocity)
{
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        TreeCase t = tree_case(&options);
        double *J = calloc(6 * (size_t)t.s.nv + 1, sizeof *J);
        for (int link = 1; link <= t.s.links; link++) {
            double difference[6], product[6] = {0.0};
            difference_twist(&t, t.s.v, (RgLinkId){link}, difference);
            rg_link_jacobian(t.dynamics, t.s.q, (RgLinkId){link}, J);
            for (int k = 0; k < 6 * t.s.nv; k++)
                product[k / t.s.nv] += J[k] * t.s.v[k % t.s.nv];
            rg_forward_kinematics(t.dynamics, t.s.q, t.s.v);
            RgMotion V = rg_link_twist(t.dynamics, (RgLinkId){link});
            const double twist[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
            double scale = 1.0 + check_largest(twist, 6);
            CHECK_NEAR_ALL(twist, product, 6, 1e-12 * scale, "rad/s or m/s");
            CHECK_NEAR_ALL(twist, difference, 6, 1e3 * H * H * scale, "rad/s or m/s");
        }
        free(J);
        tree_case_end(&t);
    }
}

/* (q + s) - q = s, and moving there and back again leads home. */
Test(link_jacobian, steps_between_positions_are_inverse_to_each_other)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        RandomTree options = {.seed = seed};
        TreeCase t = tree_case(&options);
        double *back = tree_case_vector(&t);
        for (int i = 0; i < t.s.nv; i++)
            t.step[i] = 0.4 * t.s.v[i];
        rg_integrate_positions(t.model, t.s.q, t.step, t.q);
        rg_difference_positions(t.model, t.s.q, t.q, back);
        CHECK_NEAR_ALL(back, t.step, t.s.nv, 1e-13, "rad or m");
        for (int i = 0; i < t.s.nv; i++)
            t.step[i] = -t.step[i];
        rg_integrate_positions(t.model, t.q, t.step, t.q);
        rg_difference_positions(t.model, t.s.q, t.q, back);
        for (int i = 0; i < t.s.nv; i++)
            CHECK_NEAR(back[i], 0.0, 1e-13, "rad or m");
        free(back);
        tree_case_end(&t);
    }
}
