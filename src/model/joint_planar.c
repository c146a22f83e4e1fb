/*
 * joint_planar.c - motion in the x-y plane of F. q = (x, y, angle), v = dq/dt.
 *
 *   S = [0 0 z; R'x R'y 0],   dS/dt v = (0, -w x R'(x', y', 0))
 */
#include "model/joint_table.h"

static void motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S)
{
    (void)g;
    double s, c;
    rg_sincos(q[2], &s, &c);
    X_FB->R = m3_rotate_z(m3_identity(), s, c);
    X_FB->p = v3(q[0], q[1], 0.0);
    S[0] = (RgMotion){{0.0, 0.0, 0.0}, {c, -s, 0.0}};
    S[1] = (RgMotion){{0.0, 0.0, 0.0}, {s, c, 0.0}};
    S[2] = (RgMotion){{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
}

static RgMotion bias(const RgJointGeometry *g, const double *q, const double *v)
{
    (void)g;
    double s, c;
    rg_sincos(q[2], &s, &c);
    RgVec3 rate = v3(c * v[0] + s * v[1], c * v[1] - s * v[0], 0.0);
    return (RgMotion){{0.0, 0.0, 0.0}, v3_neg(v3_cross(v3(0.0, 0.0, v[2]), rate))};
}

static void neutral(double *q)
{
    q[0] = q[1] = q[2] = 0.0;
}

static void integrate(const double *q, const double *step, double *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = q[i] + step[i];
}

static void difference(const double *q0, const double *q1, double *step)
{
    for (int i = 0; i < 3; i++)
        step[i] = q1[i] - q0[i];
}

static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    (void)g;
    q[0] = X_FB.p.x;
    q[1] = X_FB.p.y;
    q[2] = rg_joint_angle_z(X_FB.R, near_q[2]);
}

const RgJointKind rg_joint_planar = {
    .name = "planar",
    .nq = 3,
    .nv = 3,
    .has_axis = true,
    .is_length = {true, true, false},
    .bias = bias,
    RG_JOINT_FUNCTIONS,
};
