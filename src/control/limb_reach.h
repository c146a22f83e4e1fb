/* limb_reach.h - inverse kinematics of a limb: joint positions for a pose of its end link. */
#ifndef RIGOR_LIMB_REACH_H
#define RIGOR_LIMB_REACH_H

#include <rigor/control.h>

#define RG_LIMB_JOINTS 16

/* The joints between base and end link, in order from the end; each has one velocity. */
typedef struct RgLimb {
    RgLinkId base, link;
    int n;
    int body[RG_LIMB_JOINTS], dof[RG_LIMB_JOINTS], q[RG_LIMB_JOINTS];
    double lower[RG_LIMB_JOINTS], upper[RG_LIMB_JOINTS];
} RgLimb;

/* RG_ERR_ARGUMENT: base is not between the root and the link, or there is no joint between; RG_ERR_UNSUPPORTED: a joint
   without exactly one axis, or more than RG_LIMB_JOINTS joints. */
RgStatus rg_limb_find(const RgModel *model, RgLinkId base, RgLinkId link, RgLimb *out);

/* Changes q (nq) at the limb's joints so that the link comes to pose X (base frame), or as near as possible. Returns
   the remaining error, m. */
double rg_limb_reach(RgDynamics *dynamics, const RgLimb *limb, const RgPose *X, double *q);

#endif
