/* foot_reach.h - rates of a chain's joints that give a point of its last link a velocity. */
#ifndef RIGOR_FOOT_REACH_H
#define RIGOR_FOOT_REACH_H

#include <rigor/control.h>

/* At q (after rg_foot_reach, or anywhere): rates of the joints between base and foot for the point's velocity against
   the base, base axes; the smallest ones, damped where the chain is singular. Only the chain's entries of v are written. */
RgStatus rg_foot_rates(RgDynamics *dynamics, const RgFoot *foot, const double *q, RgVec3 velocity, double *v);

#endif
