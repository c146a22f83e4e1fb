/*
 * link_motion.h - how far a link of a tree can move along a direction while the joints keep their rates.
 */
#ifndef RIGOR_LINK_MOTION_H
#define RIGOR_LINK_MOTION_H

#include "model/model.h"

#include <rigor/collision.h>

/* Two bounds on |d . (x(t) - x(0))|, m, over all points x of the ball and 0 <= t <= horizon. */
typedef struct RgLinkTravel {
    double path;         /* by the longest path of any point: 001 eqs. 11-14 */
    double arc;          /* by the velocity now and the largest acceleration */
    double acceleration; /* m/s^2: that of any point in that time, at most */
} RgLinkTravel;

/* The world's links have no travel. Infinite where a number is not finite. */
RgLinkTravel rg_link_travel(const RgModel *model, const double *q, const double *v, const RgLinkBall *ball, RgVec3 d,
                            double horizon);

#endif
