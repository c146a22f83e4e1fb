/* joint_table.h - the joint kinds in the order of RG_JOINT_LIST. */
#ifndef RIGOR_JOINT_TABLE_H
#define RIGOR_JOINT_TABLE_H

#include "model/joint.h"

#define JOINT_DECLARE(name, nq, nv) extern const RgJointKind rg_joint_##name;
RG_JOINT_LIST(JOINT_DECLARE)
#undef JOINT_DECLARE

#endif
