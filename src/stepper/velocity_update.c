/*
 * velocity_update.c - one velocity update by the stages of a step: forces, given contacts, dynamics, solve.
 */
#include "stepper/velocity_update.h"

#include <string.h>

static RgJointTarget joint_target(const RgUpdateAsk *ask)
{
    return ask->joints_drift ? RG_JOINTS_DRIFT : ask->correct ? RG_JOINTS_CORRECT : RG_JOINTS_HOLD;
}

RgStatus rg_velocity_update(RgStepScope *s, const RgVelocityUpdate *update, double *u_free, RgState *out)
{
    const RgUpdateAsk *request = &update->contact;
    double h = request->h, *own = s->scratch.a, *a = update->acceleration != NULL ? update->acceleration : own;
    bool implicit = s->implicit_damping && !update->impact;
    RgDynamicsAsk dynamics = {.h = implicit && a == own ? h : 0.0,
                              .share = 1.0,
                              .free_joints = s->contact != NULL && rg_contact_has_joint_rows(s->contact),
                              .springs = request->springs};
    s->call.h = h;
    rg_stage_kinematics(s, update->at->x, update->at->u);
    RgStatus status = rg_stage_forces(s, update->at->t, &dynamics);
    if (status == RG_OK)
        status = rg_stage_adopt(s, request->contacts, update->at);
    if (status == RG_OK)
        status = rg_stage_dynamics(s, &dynamics, own);
    if (status == RG_OK && update->midpoint)
        rg_stage_gyroscopic_centred(s, update->from, h, a);
    for (int i = 0; i < s->form->nu && status == RG_OK && !update->impact; i++)
        out->u[i] = update->from[i] + h * a[i];
    if (status == RG_OK && u_free != NULL)
        memcpy(u_free, out->u, (size_t)s->form->nu * sizeof *u_free);
    RgContactAsk ask = rg_stage_ask(s, update->at, h);
    ask.velocities = request->target_velocities;
    ask.joints = joint_target(request);
    ask.implicit = implicit;
    ask.springs = request->springs;
    return status == RG_OK ? rg_stage_solve(s, &ask, out) : status;
}
