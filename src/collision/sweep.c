/*
 * sweep.c - pose of a geometry at time t that moves at constant velocity.
 *
 *   c(t) = c + t v      R(t) = E R,  E = exp(t w)      p(t) = c(t) + E (p - c) = p + t v + (E - 1)(p - c)
 *
 * At t = 0 the last form gives exactly the same bits as the given pose. Exact up to round-off at any angle.
 */
#include "collision/motion_bound.h"

static RgMat3 turn_matrix(const RgSweep *sweep, double t)
{
    return q_matrix(q_exp(v3_scale(t, sweep->V.w)));
}

RgPose rg_sweep_pose(const RgSweep *sweep, double t)
{
    RgMat3 E = turn_matrix(sweep, t);
    RgVec3 arm = v3_sub(sweep->X_WG.p, sweep->centre);
    RgVec3 moved = v3_axpy(t, sweep->V.v, v3_sub(m3_apply(E, arm), arm));
    return (RgPose){m3_mul(E, sweep->X_WG.R), v3_add(sweep->X_WG.p, moved)};
}

RgVec3 rg_sweep_centre(const RgSweep *sweep)
{
    return m3_apply_t(sweep->X_WG.R, v3_sub(sweep->centre, sweep->X_WG.p));
}

RgSweepRotation rg_sweep_rotation(const RgSweep *sweep, double t)
{
    RgMat3 E = turn_matrix(sweep, t);
    return (RgSweepRotation){m3_mul(E, sweep->X_WG.R), m3_apply(E, v3_sub(sweep->X_WG.p, sweep->centre))};
}

RgVec3 rg_sweep_separation(const RgSweep *a, const RgSweep *b, double t)
{
    return v3_axpy(t, v3_sub(b->V.v, a->V.v), v3_sub(b->centre, a->centre));
}

RgPose rg_sweep_relative_pose(const RgSweepRotation *a, const RgSweepRotation *b, RgVec3 apart)
{
    RgVec3 p = v3_add(apart, v3_sub(b->arm, a->arm));
    return (RgPose){m3_mul_t(a->R, b->R), m3_apply_t(a->R, p)};
}
