/*
 * link_motion.h - bound of the motion of a tree's link along a direction at constant joint rates.
 */
#ifndef RIGOR_LINK_MOTION_H
#define RIGOR_LINK_MOTION_H

#include "model/model.h"

#include <rigor/collision.h>

/* Two bounds on |d . (x(t) - x(0))|, m, over all points x of the ball and 0 <= t <= horizon. */
typedef struct RgLinkTravel {
    double path;         /* by the longest path of any point: 001 eqs. 11-14 */
    double arc;          /* by the velocity now and the largest acceleration */
    double acceleration; /* m/s^2: bound of the acceleration of any point within the horizon */
} RgLinkTravel;

/* Zero for links of the world. Infinite if a number is not finite. */
RgLinkTravel rg_link_travel(const RgModel *model, const double *q, const double *v, const RgLinkBall *ball, RgVec3 d,
                            double horizon);

#endif
