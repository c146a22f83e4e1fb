/* pose.h - rigid poses. X_AC = pose_mul(X_AB, X_BC). */
#ifndef RIGOR_POSE_H
#define RIGOR_POSE_H

#include "math/quat.h"

static inline RgPose pose_identity(void)
{
    return (RgPose){m3_identity(), {0.0, 0.0, 0.0}};
}

static inline RgPose pose_at(RgVec3 p)
{
    return (RgPose){m3_identity(), p};
}

/* Whether all numbers are finite: 0 times a number that is not finite is NaN. */
static inline bool pose_finite(RgPose X)
{
    double sum = 0.0 * X.p.x + 0.0 * X.p.y + 0.0 * X.p.z;
    for (int i = 0; i < 3; i++)
        sum += 0.0 * X.R.m[i][0] + 0.0 * X.R.m[i][1] + 0.0 * X.R.m[i][2];
    return sum == 0.0;
}

static inline RgVec3 pose_apply(RgPose X, RgVec3 x)
{
    return v3_add(m3_apply(X.R, x), X.p);
}

static inline RgPose pose_mul(RgPose A, RgPose B)
{
    return (RgPose){m3_mul(A.R, B.R), pose_apply(A, B.p)};
}

static inline RgPose pose_inverse(RgPose X)
{
    return (RgPose){m3_transpose(X.R), v3_neg(m3_apply_t(X.R, X.p))};
}

/* A^-1 B */
static inline RgPose pose_relative(RgPose A, RgPose B)
{
    return (RgPose){m3_mul_t(A.R, B.R), m3_apply_t(A.R, v3_sub(B.p, A.p))};
}

/* Rotation by roll, pitch, yaw about the fixed x, y, z axes, as in URDF and SDF: R = Rz(yaw) Ry(pitch) Rx(roll). */
static inline RgMat3 m3_from_rpy(double roll, double pitch, double yaw)
{
    double sr, cr, sp, cp, sy, cy;
    rg_sincos(roll, &sr, &cr);
    rg_sincos(pitch, &sp, &cp);
    rg_sincos(yaw, &sy, &cy);
    return (RgMat3){{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                     {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                     {-sp, cp * sr, cp * cr}}};
}

#endif
