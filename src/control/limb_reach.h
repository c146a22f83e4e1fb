/* limb_reach.h - joint positions of a limb that put its end link at a pose. */
#ifndef RIGOR_LIMB_REACH_H
#define RIGOR_LIMB_REACH_H

#include <rigor/control.h>

#define RG_LIMB_JOINTS 16

/* The joints between base and end, from the end on; all have one velocity. */
typedef struct RgLimb {
    RgLinkId base, link;
    int n;
    int body[RG_LIMB_JOINTS], dof[RG_LIMB_JOINTS], q[RG_LIMB_JOINTS];
    double lower[RG_LIMB_JOINTS], upper[RG_LIMB_JOINTS];
} RgLimb;

/* RG_ERR_ARGUMENT: base is not on the way from the root to the link, or no joint lies between; RG_ERR_UNSUPPORTED: a
   joint of another kind than one axis, or more joints. */
RgStatus rg_limb_find(const RgModel *model, RgLinkId base, RgLinkId link, RgLimb *out);

/* q (nq) changes at the limb's joints so that the link comes to X (base frame), or as near as it can. What is left,
   m. */
double rg_limb_reach(RgDynamics *dynamics, const RgLimb *limb, const RgPose *X, double *q);

#endif
