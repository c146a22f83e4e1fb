/* joint_prismatic.c - slide along z. q: m. */
#include "model/joint_table.h"

static void fit(const RgJointGeometry *g, RgPose X_FB, const double *near_q, double *q)
{
    (void)g;
    (void)near_q;
    q[0] = X_FB.p.z;
}

const RgJointKind rg_joint_prismatic = {.name = "prismatic", RG_JOINT_HELICAL(fit), .is_length = {true}};
