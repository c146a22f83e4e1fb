/* joint_cylindrical.c - rotation about z and independent slide along z. q = (angle, slide). */
#include "model/joint_table.h"

static void motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S)
{
    (void)g;
    double s, c;
    rg_sincos(q[0], &s, &c);
    X_FB->R = m3_rotate_z(m3_identity(), s, c);
    X_FB->p = v3(0.0, 0.0, q[1]);
    S[0] = (RgMotion){{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}};
    S[1] = (RgMotion){{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}};
}

static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    (void)g;
    q[0] = rg_joint_angle_z(X_FB.R, near_q[0]);
    q[1] = X_FB.p.z;
}

const RgJointKind rg_joint_cylindrical = {
    .name = "cylindrical",
    .is_length = {false, true},
    RG_JOINT_TWO,
};
