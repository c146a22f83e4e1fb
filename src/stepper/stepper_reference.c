/*
 * stepper_reference.c - smooth motion as exactly as wanted: Dormand-Prince 8(5,3) with error control
 * (math/ode.h) in local coordinates.
 *
 * The equation is that of stepper_rk4.c for (w, u). After every accepted inner step the position takes up w,
 * rows are put right, and w starts at zero again, so rotations never leave the group and w stays small. The
 * step asked for is met exactly; the size of the next inner step is part of the state, so a restored state
 * goes on with the same bits. Contacts act at the end of the step asked for, not of inner ones: strike.c.
 */
#include "math/ode.h"
#include "stepper/stepper_table.h"

#include <string.h>

/* Inner steps in one call after which something is wrong. */
#define MOST_STEPS 10000000

typedef struct Reference {
    RgOde ode;
    RgStepScope *scope;
    RgState base; /* where w = 0 */
    double *y;    /* 2 nu */
} Reference;

static RgStatus right_side(double t, const double *y, double *rate, void *context)
{
    Reference *r = context;
    RgStepScope *c = r->scope;
    int n = c->form->nu;
    c->form->kind->integrate(c->form, r->base.x, y, c->x_stage);
    c->form->kind->dexpinv(c->form, y, y + n, rate);
    return rg_stage_acceleration(c, t, c->x_stage, y + n, 0.0, rate + n);
}

static bool prepare(RgArena *arena, RgStepScope *c)
{
    Reference *r = RG_TAKE(arena, Reference, 1);
    if (r == NULL)
        return false;
    int n = c->form->nu;
    r->scope = c;
    r->base.x = RG_TAKE(arena, double, c->form->nx);
    r->base.u = RG_TAKE(arena, double, n);
    r->y = RG_TAKE(arena, double, 2 * n);
    c->stepper_data = r;
    if (n == 0)
        return !arena->failed;
    RgOdeDef def = {.n = 2 * n,
                    .rhs = right_side,
                    .context = r,
                    .rtol = c->adapt.tolerance,
                    .atol = c->adapt.tolerance,
                    .max_steps = MOST_STEPS};
    return rg_ode_init(arena, &def, &r->ode) == RG_OK && !arena->failed;
}

/* y = (0, u) */
static void zero_local(Reference *r, int n)
{
    memset(r->y, 0, (size_t)n * sizeof *r->y);
    memcpy(r->y + n, r->base.u, (size_t)n * sizeof *r->y);
}

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    Reference *r = c->stepper_data;
    int n = c->form->nu;
    double end = s0->t + h;
    memcpy(r->base.x, s0->x, (size_t)c->form->nx * sizeof *s0->x);
    memcpy(r->base.u, s0->u, (size_t)n * sizeof *s0->u);
    s1->h_next = s0->h_next;
    if (n > 0) {
        zero_local(r, n);
        RgStatus status = rg_ode_start(&r->ode, s0->t, r->y, s0->h_next);
        while (status == RG_OK && r->ode.t < end) {
            if ((status = rg_ode_step(&r->ode, end)) != RG_OK)
                break;
            c->form->kind->integrate(c->form, r->base.x, r->ode.y, r->base.x);
            memcpy(r->base.u, r->ode.y + n, (size_t)n * sizeof *r->base.u);
            if ((status = rg_stage_stabilise(c, &r->base)) != RG_OK)
                break;
            zero_local(r, n);
            status = rg_ode_restart(&r->ode, r->ode.t, r->y);
        }
        c->report->substeps = (int)r->ode.counts.accepted;
        c->report->rejected = (int)r->ode.counts.rejected;
        c->report->h = r->ode.h;
        if (status != RG_OK)
            return status;
        s1->h_next = r->ode.h;
    }
    memcpy(s1->x, r->base.x, (size_t)c->form->nx * sizeof *s1->x);
    memcpy(s1->u, r->base.u, (size_t)n * sizeof *s1->u);
    return rg_stage_strike(c, s0, h, s1);
}

const RgStepper rg_stepper_reference = {
    .name = "reference",
    .passive = RG_PASSIVE_FLOW,
    .summary = "Dormand-Prince 8(5,3) with error control: the yardstick for smooth motion",
    .prepare = prepare,
    .step = step};
