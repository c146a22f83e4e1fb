/* joint.c - the table of joint kinds, and functions shared by kinds with plain-vector positions. */
#include "model/joint.h"

#include "model/joint_table.h"

const RgJointKind *rg_joint_kind(RgJointType type)
{
    static const RgJointKind *const kinds[] = {
#define JOINT_ENTRY(name, nq, nv) &rg_joint_##name,
        RG_JOINT_LIST(JOINT_ENTRY)
#undef JOINT_ENTRY
    };
    return kinds[type];
}

void rg_joint_neutral_zero1(double *q)
{
    q[0] = 0.0;
}

void rg_joint_difference1(const double *q0, const double *q1, double *step)
{
    step[0] = q1[0] - q0[0];
}

void rg_joint_neutral_zero2(double *q)
{
    q[0] = q[1] = 0.0;
}

void rg_joint_integrate2(const double *q, const double *step, double *out)
{
    out[0] = q[0] + step[0];
    out[1] = q[1] + step[1];
}

void rg_joint_difference2(const double *q0, const double *q1, double *step)
{
    step[0] = q1[0] - q0[0];
    step[1] = q1[1] - q0[1];
}

void rg_joint_helical_motion(const RgJointGeometry *g, const double *q, RgPose *X_FB, RgMotion *S)
{
    double s, c;
    rg_sincos(g->turn * q[0], &s, &c);
    X_FB->R = m3_rotate_z(m3_identity(), s, c);
    X_FB->p = v3(0.0, 0.0, g->slide * q[0]);
    S[0] = (RgMotion){{0.0, 0.0, g->turn}, {0.0, 0.0, g->slide}};
}

double rg_joint_angle_z(RgMat3 R, double near_angle)
{
    double angle = atan2(R.m[1][0] - R.m[0][1], R.m[0][0] + R.m[1][1]);
    return angle + 2.0 * RG_PI * nearbyint((near_angle - angle) / (2.0 * RG_PI));
}

void rg_joint_fit_angle(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    (void)g;
    q[0] = rg_joint_angle_z(X_FB.R, near_q[0]);
}
