/*
 * gait_reference.c - references of the joints of legs whose feet follow a gait.
 *
 *   q*  joint positions for the foot goals (foot_reach.c), starting from the last q*
 *   v*  rates for the velocities of the goals:  J(q*) v* = x'
 *   a*  central difference of v* over 2 ACCELERATION_STEP, for kinds that use accelerations
 *
 * "Up" of the gait is against gravity, in the present axes of the first foot's base. For a goal out of reach q* is the
 * nearest found. Joints of the controller that are in no chain of a foot keep their initial positions.
 */
#include "control/gait_reference.h"
#include "control/foot_reach.h"

#include "dynamics/tree_dynamics.h"

#include <string.h>

#define ACCELERATION_STEP 1e-5 /* s; trades truncation error against round-off of the difference */

RgVec3 rg_gait_up(const RgController *c, const RgControlView *view)
{
    RgVec3 g = rg_world_settings(view->world).gravity;
    double size = v3_norm(g);
    RgVec3 up = size > 0.0 ? v3_scale(-1.0 / size, g) : v3(0.0, 0.0, 1.0);
    return m3_apply_t(rg_world_link_pose(view->world, c->feet[0].base).R, up);
}

void rg_gait_foot(const RgGait *gait, int foot, double t, RgVec3 up, RgVec3 *goal, RgVec3 *velocity)
{
    RgGait one = *gait;
    one.nfeet = 1;
    one.neutral = gait->neutral + foot;
    one.touchdown = gait->touchdown + foot;
    one.first = gait->first != NULL ? gait->first + foot : NULL;
    rg_gait_at(&one, t, up, goal, velocity, NULL);
}

/* Copies rates of a chain to the references of the controller's joints. */
static void copy_rates(const RgController *c, const RgFootChain *chain, const double *rates, RgReference *out)
{
    for (int i = 0; i < chain->n; i++)
        for (int k = 0; k < c->njoints; k++)
            if (c->dofs[k] == chain->dof[i])
                out[k].velocity = rates[i];
}

/* Positions and velocities at t; updates the guess to q*. */
static RgStatus solve_positions(RgController *c, const RgControlView *view, double t, RgVec3 up, RgReference *out)
{
    memset(out, 0, (size_t)c->njoints * sizeof *out);
    for (int i = 0; i < c->nfeet; i++) {
        RgVec3 goal, velocity;
        RgFootChain chain;
        double rates[RG_CHAIN_DOFS];
        rg_gait_foot(c->gait, i, t, up, &goal, &velocity);
        RgStatus status = rg_foot_reach(view->dynamics, &c->feet[i], goal, c->guess);
        if (status == RG_OK || status == RG_ERR_NOT_CONVERGED)
            status = rg_foot_chain(view->dynamics, &c->feet[i], c->guess, &chain);
        if (status != RG_OK)
            return status;
        rg_foot_rates(&chain, velocity, rates);
        copy_rates(c, &chain, rates, out);
    }
    const RgModel *m = view->model;
    for (int k = 0; k < c->njoints; k++) {
        if (c->dofs[k] < 0)
            continue;
        const RgBody *B = &m->bodies[m->dof_body[c->dofs[k]]];
        out[k].position = c->guess[B->q0 + c->dofs[k] - B->v0];
    }
    return RG_OK;
}

RgStatus rg_gait_reference(RgController *c, const RgControlView *view, double t, RgReference *out)
{
    int nq = view->model->nq;
    if (c->guess[nq] == 0.0) {
        memcpy(c->guess, view->q, (size_t)nq * sizeof *c->guess);
        c->guess[nq] = 1.0;
    }
    RgVec3 up = rg_gait_up(c, view);
    if (c->kind->uses & RG_USES_DRIVES)
        return solve_positions(c, view, t, up, out);

    /* Rates a little after and before t; c->rates holds the first until the difference is taken. */
    RgStatus status = solve_positions(c, view, t + ACCELERATION_STEP, up, out);
    for (int k = 0; k < c->njoints; k++)
        c->rates[k] = out[k].velocity;
    if (status == RG_OK)
        status = solve_positions(c, view, t - ACCELERATION_STEP, up, out);
    for (int k = 0; k < c->njoints; k++)
        c->rates[k] = (c->rates[k] - out[k].velocity) / (2.0 * ACCELERATION_STEP);
    if (status == RG_OK)
        status = solve_positions(c, view, t, up, out);
    for (int k = 0; k < c->njoints; k++)
        out[k].acceleration = c->rates[k];
    return status;
}
