/* foot_reach.h - kinematics of the chain from a base to a foot: Jacobian, and joint rates for a foot velocity. */
#ifndef RIGOR_FOOT_REACH_H
#define RIGOR_FOOT_REACH_H

#include <rigor/control.h>

#define RG_CHAIN_DOFS 64

/* The chain of joints between base and foot, in order from the foot. */
typedef struct RgFootChain {
    int n;
    int dof[RG_CHAIN_DOFS];       /* indices of their velocities in the model */
    RgVec3 column[RG_CHAIN_DOFS]; /* Jacobian: velocity of the foot for a unit rate, base axes */
    RgVec3 x;                     /* position of the foot, base frame */
} RgFootChain;

/* Checks that the chain exists. RG_ERR_ARGUMENT: the base is not between the root and the foot, or there is no joint
   between base and foot. RG_ERR_UNSUPPORTED: the chain has more than RG_CHAIN_DOFS velocities. */
RgStatus rg_foot_chain_check(const RgModel *model, const RgFoot *foot);

/* Computes the chain at q. Errors as rg_foot_chain_check; RG_ERR_NOT_FINITE: q, or the foot's point. */
RgStatus rg_foot_chain(RgDynamics *dynamics, const RgFoot *foot, const double *q, RgFootChain *out);

/* Least-norm rates (n) of the chain for a velocity of the foot relative to its base, base axes; damped near
   singularities. */
void rg_foot_rates(const RgFootChain *chain, RgVec3 velocity, double *rates);

#endif
