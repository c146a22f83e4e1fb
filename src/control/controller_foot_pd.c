/*
 * controller_foot_pd.c - springs and dampers between feet and their goals, as efforts of the legs (Pacer; paper 000).
 *
 *   tau = sum over feet J' [foot_kp (x* - x) + foot_kd (x'* - x')]
 *
 * x, x*, J in the base's frame, with the base taken as fixed: x' = J v of the leg alone. Goals at the time of the
 * sample, from the gait. No gravity, no inertia: a foot under load is displaced by load / foot_kp below its goal.
 * Explicit, so unstable when h foot_kd exceeds about the effective mass of the foot (1.5 ms for the quadruped of paper
 * 000 at 30 N s/m). Joints of the chain that are not the controller's get no effort.
 */
#include "control/foot_reach.h"
#include "control/gait_reference.h"

#include "math/vec3.h"

/* Force at a foot, base axes. */
static RgVec3 foot_force(const RgController *c, const RgControlView *view, int foot, RgVec3 up,
                         const RgFootChain *chain)
{
    RgVec3 goal, wanted, velocity = v3_zero();
    rg_gait_foot(c->gait, foot, view->t, up, &goal, &wanted);
    for (int i = 0; i < chain->n; i++)
        velocity = v3_axpy(view->v[chain->dof[i]], chain->column[i], velocity);
    RgVec3 spring = v3_scale(c->foot_kp, v3_sub(goal, chain->x));
    return v3_axpy(c->foot_kd, v3_sub(wanted, velocity), spring);
}

/* Adds an effort to the joint with this velocity, if the controller has it. */
static void add_effort(const RgController *c, int dof, double effort, RgJointCommand *out)
{
    for (int k = 0; k < c->njoints; k++)
        if (c->dofs[k] == dof)
            out[k].effort += effort;
}

static RgStatus foot_pd_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    RgVec3 up = rg_gait_up(c, view);
    for (int k = 0; k < c->njoints; k++)
        out[k] = (RgJointCommand){.effort = 0.0};
    for (int foot = 0; foot < c->nfeet; foot++) {
        RgFootChain chain;
        RgStatus status = rg_foot_chain(view->dynamics, &c->feet[foot], view->q, &chain);
        if (status != RG_OK)
            return status;
        RgVec3 force = foot_force(c, view, foot, up, &chain);
        for (int i = 0; i < chain.n; i++)
            add_effort(c, chain.dof[i], v3_dot(chain.column[i], force), out);
    }
    return RG_OK;
}

const RgControllerKind rg_controller_foot_pd = {.name = "foot-pd",
                                                .summary =
                                                    "springs and dampers at the feet as efforts of the legs, explicit",
                                                .uses = RG_USES_GAIT | RG_USES_FEET | RG_USES_FOOT_GAINS,
                                                .command = foot_pd_command};
