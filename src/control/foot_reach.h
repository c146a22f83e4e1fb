/* foot_reach.h - the chain of a foot at given positions: its Jacobian, and rates that give the foot a velocity. */
#ifndef RIGOR_FOOT_REACH_H
#define RIGOR_FOOT_REACH_H

#include <rigor/control.h>

#define RG_CHAIN_DOFS 64

/* The joints between base and foot, from the foot on. */
typedef struct RgFootChain {
    int n;
    int dof[RG_CHAIN_DOFS];       /* their velocities among the model's */
    RgVec3 column[RG_CHAIN_DOFS]; /* velocity of the foot for a unit rate of each, base axes */
    RgVec3 x;                     /* where the foot is, base frame */
} RgFootChain;

/* Whether there is such a chain. RG_ERR_ARGUMENT: the base is not on the way from the root to the foot, or no joint
   lies between the two. RG_ERR_UNSUPPORTED: a chain of more than RG_CHAIN_DOFS velocities. */
RgStatus rg_foot_chain_check(const RgModel *model, const RgFoot *foot);

/* At q. RG_ERR_ARGUMENT: the base is not between foot and world. RG_ERR_UNSUPPORTED: a longer chain. */
RgStatus rg_foot_chain(RgDynamics *dynamics, const RgFoot *foot, const double *q, RgFootChain *out);

/* The smallest rates (n) of the chain that give the foot this velocity against its base, base axes; damped where the
   chain is singular. */
void rg_foot_rates(const RgFootChain *chain, RgVec3 velocity, double *rates);

#endif
