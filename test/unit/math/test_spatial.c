/* test_spatial.c - poses, motions, forces and inertias: what must not depend on the frame, and what two
   bodies are together. */
#include "check_near.h"

#include "base/random.h"
#include "math/spatial.h"

static RgVec3 draw_vector(RgRandom *random)
{
    double x = rg_random_uniform(random, -1.0, 1.0), y = rg_random_uniform(random, -1.0, 1.0);
    return v3(x, y, rg_random_uniform(random, -1.0, 1.0));
}

static RgPose draw_pose(RgRandom *random)
{
    RgQuat q = q_exp(v3_scale(3.0, draw_vector(random)));
    return (RgPose){q_matrix(q), draw_vector(random)};
}

static RgMotion draw_motion(RgRandom *random)
{
    RgVec3 w = draw_vector(random);
    return (RgMotion){w, draw_vector(random)};
}

static RgForce draw_force(RgRandom *random)
{
    RgVec3 n = draw_vector(random);
    return (RgForce){n, draw_vector(random)};
}

/* Three masses on a stick frame: always a possible body. */
static RgInertia draw_inertia(RgRandom *random)
{
    RgVec3 a = draw_vector(random), b = draw_vector(random);
    RgInertia body = {rg_random_uniform(random, 0.1, 5.0), draw_vector(random), {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    body.I = s3_add(s3_add(s3_point_inertia(a), s3_point_inertia(b)), s3_point_inertia(draw_vector(random)));
    return body;
}

static double pose_distance(RgPose a, RgPose b)
{
    return fmax(check_worst(&a.R.m[0][0], &b.R.m[0][0], 9).error, v3_norm(v3_sub(a.p, b.p)));
}

static double motion_size(RgMotion a)
{
    return v3_norm(a.w) + v3_norm(a.v);
}

/* Of a body whose frame origin moves with V. */
static double kinetic_energy(RgInertia body, RgMotion V)
{
    RgMotion at_com = mv_shift(V, body.com);
    return 0.5 * body.mass * v3_norm2(at_com.v) + 0.5 * v3_dot(at_com.w, s3_apply(body.I, at_com.w));
}

Test(spatial, poses_form_a_group)
{
    RgRandom random = rg_random_seed(1);
    for (int i = 0; i < 500; i++) {
        RgPose A = draw_pose(&random), B = draw_pose(&random), C = draw_pose(&random);
        CHECK_NEAR(pose_distance(pose_mul(pose_mul(A, B), C), pose_mul(A, pose_mul(B, C))), 0.0, 5e-15, "m");
        CHECK_NEAR(pose_distance(pose_mul(A, pose_inverse(A)), pose_identity()), 0.0, 2e-15, "m");
        CHECK_NEAR(pose_distance(pose_relative(A, B), pose_mul(pose_inverse(A), B)), 0.0, 5e-15, "m");
        RgVec3 x = draw_vector(&random);
        RgVec3 difference = v3_sub(pose_apply(pose_mul(A, B), x), pose_apply(A, pose_apply(B, x)));
        CHECK_NEAR(v3_norm(difference), 0.0, 5e-15, "m");
    }
    CHECK_NEAR(pose_distance(pose_mul(pose_at(v3(1.0, 2.0, 3.0)), pose_at(v3(-1.0, -2.0, -3.0))), pose_identity()), 0.0,
               0.0, "m");
}

Test(spatial, roll_pitch_yaw_are_turns_about_the_fixed_axes)
{
    RgRandom random = rg_random_seed(2);
    for (int i = 0; i < 500; i++) {
        RgVec3 a = v3_scale(4.0, draw_vector(&random));
        RgMat3 x = q_matrix(q_exp(v3(a.x, 0.0, 0.0))), y = q_matrix(q_exp(v3(0.0, a.y, 0.0)));
        RgMat3 z = q_matrix(q_exp(v3(0.0, 0.0, a.z))), R = m3_from_rpy(a.x, a.y, a.z);
        RgMat3 twin = m3_mul(z, m3_mul(y, x));
        CHECK_NEAR_ALL(&R.m[0][0], &twin.m[0][0], 9, 2e-15, "");
    }
}

Test(spatial, power_does_not_depend_on_the_frame)
{
    RgRandom random = rg_random_seed(3);
    for (int i = 0; i < 500; i++) {
        RgMotion V = draw_motion(&random);
        RgForce F = draw_force(&random);
        RgVec3 r = draw_vector(&random);
        RgMat3 R = draw_pose(&random).R;
        double power = mv_dot(V, F);
        CHECK_NEAR(mv_dot(mv_shift(V, r), fv_shift(F, r)), power, 1e-14, "W");
        RgForce turned = {m3_apply(R, F.n), m3_apply(R, F.f)};
        CHECK_NEAR(mv_dot(mv_rotate(R, V), turned), power, 1e-14, "W");
        CHECK_NEAR(motion_size(mv_sub(mv_rotate_t(R, mv_rotate(R, V)), V)), 0.0, 4e-15, "m/s");
        CHECK_NEAR(motion_size(mv_sub(mv_shift(mv_shift(V, r), v3_neg(r)), V)), 0.0, 4e-15, "m/s");
    }
}

Test(spatial, motion_cross_is_a_lie_bracket)
{
    RgRandom random = rg_random_seed(4);
    for (int i = 0; i < 500; i++) {
        RgMotion a = draw_motion(&random), b = draw_motion(&random), c = draw_motion(&random);
        RgMotion jacobi =
            mv_add(mv_cross(a, mv_cross(b, c)), mv_add(mv_cross(b, mv_cross(c, a)), mv_cross(c, mv_cross(a, b))));
        CHECK_NEAR(motion_size(jacobi), 0.0, 2e-14, "");
        CHECK_NEAR(motion_size(mv_add(mv_cross(a, b), mv_cross(b, a))), 0.0, 1e-15, "");

        /* And it moves with the reference point. */
        RgVec3 r = draw_vector(&random);
        RgMotion moved = mv_cross(mv_shift(a, r), mv_shift(b, r));
        CHECK_NEAR(motion_size(mv_sub(moved, mv_shift(mv_cross(a, b), r))), 0.0, 1e-14, "");
    }
}

Test(spatial, sums_and_multiples)
{
    RgRandom random = rg_random_seed(5);
    RgMotion a = draw_motion(&random), b = draw_motion(&random);
    RgForce f = draw_force(&random), g = draw_force(&random);
    CHECK_NEAR(motion_size(mv_sub(mv_axpy(2.0, b, a), mv_add(a, mv_scale(2.0, b)))), 0.0, 0.0, "");
    RgForce zero = fv_sub(fv_axpy(2.0, g, f), fv_add(f, fv_scale(2.0, g)));
    CHECK_NEAR(v3_norm(zero.n) + v3_norm(zero.f), 0.0, 0.0, "");
    CHECK_NEAR(mv_dot(mv_add(a, b), fv_add(f, g)), mv_dot(a, f) + mv_dot(a, g) + mv_dot(b, f) + mv_dot(b, g), 1e-14,
               "W");
    cr_expect_eq(mv_dot(mv_zero(), f), 0.0);
    cr_expect_eq(mv_dot(a, fv_zero()), 0.0);
}

Test(spatial, welded_bodies_have_the_energy_of_both)
{
    RgRandom random = rg_random_seed(6);
    for (int i = 0; i < 500; i++) {
        RgInertia a = draw_inertia(&random), b = draw_inertia(&random), both = inertia_add(a, b);
        RgMotion V = draw_motion(&random);
        CHECK_REL(kinetic_energy(both, V), kinetic_energy(a, V) + kinetic_energy(b, V), 4e-15, "J");
        CHECK_NEAR(both.mass, a.mass + b.mass, 0.0, "kg");
    }
    /* A massless body leaves the other as it is, on either side; two of them make one. */
    RgInertia body = draw_inertia(&random), nothing = {0.0, {5.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    RgInertia left = inertia_add(nothing, body), right = inertia_add(body, nothing);
    CHECK_NEAR_ALL(&left.mass, &body.mass, 10, 2e-15, "");
    CHECK_NEAR_ALL(&right.mass, &body.mass, 10, 0.0, "");
    cr_expect_eq(inertia_add(nothing, nothing).mass, 0.0);
}

Test(spatial, energy_does_not_depend_on_the_frame_of_the_inertia)
{
    RgRandom random = rg_random_seed(7);
    for (int i = 0; i < 500; i++) {
        RgInertia in_B = draw_inertia(&random);
        RgPose X_AB = draw_pose(&random);
        RgMotion V_A = draw_motion(&random);

        /* The same motion, seen at B's origin along B's axes. */
        RgMotion V_B = mv_rotate_t(X_AB.R, mv_shift(V_A, X_AB.p));
        CHECK_REL(kinetic_energy(inertia_transform(X_AB, in_B), V_A), kinetic_energy(in_B, V_B), 1e-14, "J");
    }
}
