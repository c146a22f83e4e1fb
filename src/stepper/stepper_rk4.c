/*
 * stepper_rk4.c - the classical Runge-Kutta method of order 4 on the rotation group (Munthe-Kaas 1999).
 *
 * Within a step the position is x = x0 + w (the form's exponential map of the step w), so that
 *   w' = dexpinv_w(u),   u' = a(t, x0 + w, u)
 * is an ordinary differential equation for (w, u), to which the classical weights are applied. Rotations stay on the
 * group, and the order 4 holds for rotations too. Contacts at the end of the step: end_contacts.c.
 */
#include "stepper/stepper_table.h"

#include <string.h>

/* Indices into scratch.memory. */
enum { W, U, RATE_W, RATE_U, SUM_W, SUM_U };

/* Rates of (w, u) at time t. */
static RgStatus find_rates(RgStepScope *c, const RgState *s0, double t)
{
    double **m = c->scratch.memory, *x = c->scratch.x;
    c->form->kind->integrate(c->form, s0->x, m[W], x);
    c->form->kind->dexpinv(c->form, m[W], m[U], m[RATE_W]);
    return rg_stage_acceleration(c, t, x, m[U], &(RgDynamicsAsk){.share = 1.0}, m[RATE_U]);
}

RgStatus rg_stage_rk4(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    static const double node[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    int n = c->form->nu;
    double **m = c->scratch.memory;
    for (int i = RATE_W; i <= SUM_U; i++)
        memset(m[i], 0, (size_t)n * sizeof(double));
    for (int stage = 0; stage < 4; stage++) {
        for (int k = 0; k < n; k++) {
            m[W][k] = h * node[stage] * m[RATE_W][k];
            m[U][k] = s0->u[k] + h * node[stage] * m[RATE_U][k];
        }
        RgStatus status = find_rates(c, s0, s0->t + node[stage] * h);
        if (status != RG_OK)
            return status;
        for (int k = 0; k < n; k++) {
            m[SUM_W][k] += weight[stage] * m[RATE_W][k];
            m[SUM_U][k] += weight[stage] * m[RATE_U][k];
        }
    }
    for (int k = 0; k < n; k++) {
        m[W][k] = h * m[SUM_W][k];
        s1->u[k] = s0->u[k] + h * m[SUM_U][k];
    }
    c->form->kind->integrate(c->form, s0->x, m[W], s1->x);
    return RG_OK;
}

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    RgStatus status = rg_stage_rk4(c, s0, h, s1);
    return status == RG_OK ? rg_stage_end_contacts(c, s0, h, s1) : status;
}

const RgStepper rg_stepper_rk4 = {.name = "rk4",
                                  .passive = RG_PASSIVE_FLOW,
                                  .summary = "Runge-Kutta of order 4 on the rotation group: accurate smooth motion",
                                  .step = step};
