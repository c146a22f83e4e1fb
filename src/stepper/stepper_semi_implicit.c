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

static double implicit_step(const RgStepScope *c, double h)
{
    return c->implicit_damping ? h : 0.0;
}

static RgStatus velocity_first(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    RgStatus status = rg_stage_shake(c, s0, implicit_step(c, h), c->a);
    if (status != RG_OK)
        return status;
    for (int k = 0; k < c->form->nu; k++)
        s1->u[k] = s0->u[k] + h * c->a[k];
    rg_stage_still(c, s1);
    if ((status = rg_stage_contact(c, s0, h, s1)) != RG_OK)
        return status;
    rg_stage_move(c, s0, h, s1);
    return RG_OK;
}

static RgStatus position_first(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    double *move = c->memory[0];
    for (int k = 0; k < c->form->nu; k++)
        move[k] = h * s0->u[k];
    c->form->kind->integrate(c->form, s0->x, move, s1->x);
    RgState at = {.t = s0->t + h, .x = s1->x, .u = s0->u, .memory = s0->memory};
    RgStatus status = rg_stage_touching(c, &at, implicit_step(c, h), c->a);
    if (status != RG_OK)
        return status;
    for (int k = 0; k < c->form->nu; k++)
        s1->u[k] = s0->u[k] + h * c->a[k];
    if ((status = rg_stage_contact(c, &at, h, s1)) != RG_OK || !c->rows_kept || c->rows->moving == NULL)
        return status;

    /* Split impulse: what positions should move by beside the velocities. */
    for (int k = 0; k < c->form->nu; k++)
        move[k] = h * (c->rows->moving[k] - s1->u[k]);
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
