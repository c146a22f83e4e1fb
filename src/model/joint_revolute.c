/* joint_revolute.c - rotation about z. q: angle in rad, with whole turns counted. */
#include "model/joint_table.h"

const RgJointKind rg_joint_revolute = {
    .name = "revolute",
    .nq = 1,
    .nv = 1,
    .helical = true,
    .has_axis = true,
    .motion = rg_joint_helical_motion,
    .neutral = rg_joint_neutral_zero1,
    .integrate = rg_joint_integrate1,
    .difference = rg_joint_difference1,
    .fit = rg_joint_fit_angle,
};
