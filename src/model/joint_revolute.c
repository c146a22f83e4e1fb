/* joint_revolute.c - rotation about z. q: angle in rad, with whole turns counted. */
#include "model/joint_table.h"

const RgJointKind rg_joint_revolute = {.name = "revolute", RG_JOINT_HELICAL(rg_joint_fit_angle)};
