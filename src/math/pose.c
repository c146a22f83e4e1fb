/* pose.c - the public functions on poses. */
#include "math/pose.h"

RgPose rg_pose_identity(void)
{
    return pose_identity();
}

RgPose rg_pose_from_rpy(RgVec3 p, RgVec3 rpy)
{
    return (RgPose){m3_from_rpy(rpy.x, rpy.y, rpy.z), p};
}

RgPose rg_pose_from_quat(RgVec3 p, RgQuat q)
{
    return (RgPose){q_matrix(q_normalise(q)), p};
}

RgQuat rg_pose_quat(const RgPose *X)
{
    return q_from_matrix(X->R);
}

RgPose rg_pose_mul(const RgPose *X_AB, const RgPose *X_BC)
{
    return pose_mul(*X_AB, *X_BC);
}

RgPose rg_pose_inverse(const RgPose *X_AB)
{
    return pose_inverse(*X_AB);
}

RgVec3 rg_pose_apply(const RgPose *X_AB, RgVec3 x_B)
{
    return pose_apply(*X_AB, x_B);
}
