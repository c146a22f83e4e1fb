/*
 * joint_universal.c - rotation by q1 about an axis a fixed in F, then by q2 about z of B.
 *
 *   R_FB = R(a, q1) Rz(q2)       S = [ Rz(q2)' a | z ]  (angular)       dS/dt v = -q2' q1' z x (Rz(q2)' a)
 *
 * The axes need not be orthogonal, but must not be parallel. fit rotates z about a towards the child's z, then about z;
 * it is undetermined if the child's z is parallel to a.
 */
#include "model/joint_table.h"

/* R(a, angle) x by Rodrigues' formula. */
static RgVec3 rotate(RgVec3 a, double angle, RgVec3 x)
{
    double s, c;
    rg_sincos(angle, &s, &c);
    RgVec3 along = v3_scale((1.0 - c) * v3_dot(a, x), a);
    return v3_add(along, v3_axpy(s, v3_cross(a, x), v3_scale(c, x)));
}

static RgMat3 rotation_matrix(RgVec3 a, double angle)
{
    return m3_from_columns(rotate(a, angle, v3(1.0, 0.0, 0.0)), rotate(a, angle, v3(0.0, 1.0, 0.0)),
                           rotate(a, angle, v3(0.0, 0.0, 1.0)));
}

static void motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S)
{
    double s, c;
    rg_sincos(q[1], &s, &c);
    X_FB->R = m3_rotate_z(rotation_matrix(g->axis1, q[0]), s, c);
    X_FB->p = v3_zero();
    S[0] = (RgMotion){m3_apply_t(m3_rotate_z(m3_identity(), s, c), g->axis1), {0.0, 0.0, 0.0}};
    S[1] = (RgMotion){{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
}

static RgMotion bias(const RgJointGeometry *g, const double *q, const double *v)
{
    double s, c;
    rg_sincos(q[1], &s, &c);
    RgVec3 a_B = m3_apply_t(m3_rotate_z(m3_identity(), s, c), g->axis1);
    return (RgMotion){v3_scale(-v[0] * v[1], v3_cross(v3(0.0, 0.0, 1.0), a_B)), {0.0, 0.0, 0.0}};
}

static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    /* Angle about a from z of F to z of B, both projected along a. */
    RgVec3 a = g->axis1, z = v3(0.0, 0.0, 1.0), zB = m3_column(X_FB.R, 2);
    RgVec3 from = v3_axpy(-v3_dot(a, z), a, z), to = v3_axpy(-v3_dot(a, zB), a, zB);
    double angle = atan2(v3_dot(a, v3_cross(from, to)), v3_dot(from, to));
    q[0] = angle + 2.0 * RG_PI * nearbyint((near_q[0] - angle) / (2.0 * RG_PI));
    q[1] = rg_joint_angle_z(m3_mul_t(rotation_matrix(a, q[0]), X_FB.R), near_q[1]);
}

const RgJointKind rg_joint_universal = {
    .name = "universal",
    .bias = bias,
    RG_JOINT_TWO,
};
