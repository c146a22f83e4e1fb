/* joint_continuous.c - a revolute joint without limits. q: angle in rad, with whole turns counted. */
#include "model/joint_table.h"

const RgJointKind rg_joint_continuous = {.name = "continuous", RG_JOINT_HELICAL(rg_joint_fit_angle)};
