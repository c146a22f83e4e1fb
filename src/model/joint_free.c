/*
 * joint_free.c - no constraint. q = (quaternion of B in F, position of B in F), v = (angular velocity in B's axes,
 * dp/dt in F's axes).
 *
 *   S = [1 0; 0 R'],   dS/dt v = (0, -w x R' p')
 *
 * dp/dt is in F's axes so that it changes linearly in free fall, for any spin, and Euler's method conserves the linear
 * momentum.
 */
#include "model/joint_table.h"

static void motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S)
{
    (void)g;
    X_FB->R = q_matrix(q_load(q));
    X_FB->p = v3(q[4], q[5], q[6]);
    for (int i = 0; i < 3; i++) {
        S[i] = mv_zero();
        S[3 + i] = (RgMotion){{0.0, 0.0, 0.0}, {X_FB->R.m[i][0], X_FB->R.m[i][1], X_FB->R.m[i][2]}};
    }
    S[0].w.x = S[1].w.y = S[2].w.z = 1.0;
}

static RgMotion bias(const RgJointGeometry *g, const double *q, const double *v)
{
    (void)g;
    RgVec3 rate = m3_apply_t(q_matrix(q_load(q)), v3(v[3], v[4], v[5]));
    return (RgMotion){{0.0, 0.0, 0.0}, v3_neg(v3_cross(v3(v[0], v[1], v[2]), rate))};
}

static void neutral(double *q)
{
    q_store(q_identity(), q);
    q[4] = q[5] = q[6] = 0.0;
}

static void integrate(const double *q, const double *step, double *out)
{
    rg_joint_kind(RG_JOINT_spherical)->integrate(q, step, out);
    for (int i = 0; i < 3; i++)
        out[4 + i] = q[4 + i] + step[3 + i];
}

static void difference(const double *q0, const double *q1, double *step)
{
    rg_joint_kind(RG_JOINT_spherical)->difference(q0, q1, step);
    for (int i = 0; i < 3; i++)
        step[3 + i] = q1[4 + i] - q0[4 + i];
}

static void dexpinv(const double *u, const double *v, double *rate)
{
    rg_joint_kind(RG_JOINT_spherical)->dexpinv(u, v, rate);
    for (int i = 3; i < 6; i++)
        rate[i] = v[i];
}

static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    rg_joint_kind(RG_JOINT_spherical)->fit(g, X_FB, near_q, q);
    q[4] = X_FB.p.x;
    q[5] = X_FB.p.y;
    q[6] = X_FB.p.z;
}

const RgJointKind rg_joint_free = {
    .name = "free",
    .nq = 7,
    .nv = 6,
    .is_length = {false, false, false, true, true, true},
    .bias = bias,
    .dexpinv = dexpinv,
    RG_JOINT_FUNCTIONS,
};
