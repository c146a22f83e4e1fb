/*
 * stepper_euler.c - explicit Euler: x1 = x0 + h u0, u1 = u0 + h a(x0, u0). First order; oscillations gain energy. Hard
 * rows as in SHAKE (bilateral.c). Contacts: end_contacts.c.
 */
#include "stepper/stepper_table.h"

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    double *a = c->scratch.a;
    RgDynamicsAsk ask = {.share = rg_shake_share(c)};
    RgStatus status = rg_stage_acceleration(c, s0->t, s0->x, s0->u, &ask, a);
    if (status != RG_OK)
        return status;
    double *move = c->scratch.memory[0];
    for (int k = 0; k < c->form->nu; k++) {
        move[k] = h * s0->u[k];
        s1->u[k] = s0->u[k] + h * a[k];
    }
    c->form->kind->integrate(c->form, s0->x, move, s1->x);
    return rg_stage_end_contacts(c, s0, h, s1);
}

const RgStepper rg_stepper_euler = {
    .name = "euler", .summary = "explicit Euler, first order: for comparison, gains energy", .step = step};
