/* joint_prismatic.c - slide along z. q: m. */
#include "model/joint_table.h"

static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    (void)g;
    (void)near_q;
    q[0] = X_FB.p.z;
}

const RgJointKind rg_joint_prismatic = {
    .name = "prismatic",
    .nq = 1,
    .nv = 1,
    .helical = true,
    .has_axis = true,
    .is_length = {true},
    .motion = rg_joint_helical_motion,
    .neutral = rg_joint_neutral_zero1,
    .integrate = rg_joint_integrate1,
    .difference = rg_joint_difference1,
    .fit = fit,
};
