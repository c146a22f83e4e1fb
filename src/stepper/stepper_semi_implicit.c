/*
 * stepper_semi_implicit.c - semi-implicit Euler in the two orders that the papers use. First order; in joint
 * coordinates, where M depends on q, energy drifts in proportion to h.
 *
 *   semi-implicit       (ODE, 003, 004)   u1 = u0 + h a(x0, u0),   x1 = x0 + h u1
 *   semi-implicit-000   (000)             x1 = x0 + h u0,          u1 = u0 + h a(x1, u0)
 *
 * Rows (loops, couplings, joints of the maximal form) are kept as SHAKE does in the first order of the two
 * (bilateral.c), at the new position in the second.
 *
 * Contacts are those of the old position in the first order, of the new one in the second: in both the new
 * velocity leads from where they were found.
 *
 * Joint springs and dampers act at the end of the step unless switched off, hence are stable for any gain.
 */
#include "stepper/stepper_table.h"

/* Springs and dampers at the end of the step; joints as rows where the solver takes them. */
static RgDynamicsAsk dynamics_ask(const RgStepScope *c, double h)
{
    return (RgDynamicsAsk){.h = c->implicit_damping ? h : 0.0,
                           .share = 1.0,
                           .free_joints = c->contact != NULL && rg_contact_takes_joints(c->contact)};
}

RgStatus rg_stage_free_velocity(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    double *a = c->scratch.a;
    RgDynamicsAsk ask = dynamics_ask(c, h);
    ask.share = rg_shake_share(c);
    ask.guard = true;
    rg_stage_kinematics(c, s0->x, s0->u);
    RgStatus status = rg_stage_forces(c, s0->t, &ask);
    if (status == RG_OK)
        status = rg_stage_collide(c, s0);
    if (status == RG_OK)
        status = rg_stage_dynamics(c, &ask, a);
    if (status != RG_OK)
        return status;
    rg_stage_turning(c, s0->u, c->call.h, a);
    rg_stage_velocity(c, s0, h, a, s1);
    return RG_OK;
}

static RgStatus velocity_first(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    RgStatus status = rg_stage_free_velocity(c, s0, h, s1);
    RgContactAsk ask = rg_stage_ask(c, s0, h);
    if (status == RG_OK)
        status = rg_stage_solve(c, &ask, s1);
    if (status == RG_OK)
        rg_stage_advance(c, s0, h, s1);
    return status;
}

static RgStatus position_first(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    double *move = c->scratch.memory[0], *a = c->scratch.a;
    for (int k = 0; k < c->form->nu; k++)
        move[k] = h * s0->u[k];
    c->form->kind->integrate(c->form, s0->x, move, s1->x);
    RgState at = {.t = s0->t + h, .x = s1->x, .u = s0->u, .memory = s0->memory};
    RgDynamicsAsk dynamics = dynamics_ask(c, h);
    rg_stage_kinematics(c, at.x, at.u);
    RgStatus status = rg_stage_forces(c, at.t, &dynamics);
    if (status == RG_OK)
        status = rg_stage_collide(c, &at);
    if (status == RG_OK)
        status = rg_stage_dynamics(c, &dynamics, a);
    if (status != RG_OK)
        return status;
    rg_stage_velocity(c, s0, h, a, s1);
    RgContactAsk ask = rg_stage_ask(c, &at, h);
    status = rg_stage_solve(c, &ask, s1);
    const double *moving = c->contact != NULL ? c->contact->result.moving : NULL;
    if (status != RG_OK || moving == NULL)
        return status;

    /* Split impulse: what positions should move by beside the velocities. */
    for (int k = 0; k < c->form->nu; k++)
        move[k] = h * (moving[k] - s1->u[k]);
    double before = rg_stage_measure(c, s1).potential;
    c->form->kind->integrate(c->form, s1->x, move, s1->x);
    c->report->work.split = rg_stage_measure(c, s1).potential - before;
    return RG_OK;
}

const RgStepper rg_stepper_semi_implicit = {
    .name = "semi-implicit",
    .passive = RG_PASSIVE_END,
    .summary = "semi-implicit Euler, new velocity moves the position (as ODE): fast, robust",
    .step = velocity_first};

const RgStepper rg_stepper_semi_implicit_000 = {
    .name = "semi-implicit-000",
    .passive = RG_PASSIVE_MOVED,
    .summary = "semi-implicit Euler, forces at the new position with the old velocity (paper 000)",
    .step = position_first};
