/*
 * flight.c - smooth motion by Dormand-Prince 8(5,3) with error control (math/ode.h) in local coordinates.
 *
 * The equation is that of stepper_rk4.c for (w, u) with x = x0 + w. A flight has a given length; the integrator divides
 * it into several steps if its error control requires it. After each step w is added to the position, joints and loops
 * are projected, and w restarts at zero, so rotations stay on the group. After a flight of one step the position half
 * way is available by dense output, for comparison with a curve between the two ends.
 */
#include "stepper/flight.h"

#include <string.h>

static RgStatus right_side(double t, const double *y, double *rate, void *context)
{
    RgFlight *f = context;
    RgStepScope *c = f->scope;
    int n = c->form->nu;
    c->form->kind->integrate(c->form, f->base.x, y, c->scratch.x);
    c->form->kind->dexpinv(c->form, y, y + n, rate);
    RgStatus status = rg_stage_acceleration(c, t, c->scratch.x, y + n, &(RgDynamicsAsk){.share = 1.0}, rate + n);
    f->failure = status != RG_OK ? status : f->failure;
    return status;
}

bool rg_flight_alloc(RgArena *arena, RgStepScope *scope, double tolerance, int most_steps, RgFlight *out)
{
    int n = scope->form->nu, nx = scope->form->nx;
    *out = (RgFlight){.scope = scope};
    rg_state_alloc(arena, scope->form, &out->base);
    out->x_mid = RG_ARENA_ALLOC(arena, double, nx);
    out->y = RG_ARENA_ALLOC(arena, double, 2 * n);
    if (n == 0)
        return !arena->failed;
    RgOdeDef def = {
        .n = 2 * n, .rhs = right_side, .context = out, .rtol = tolerance, .atol = tolerance, .max_steps = most_steps};
    return rg_ode_init(arena, &def, &out->ode) == RG_OK && !arena->failed;
}

/* y = (0, u) */
static void zero_local(RgFlight *f, int n)
{
    memset(f->y, 0, (size_t)n * sizeof *f->y);
    memcpy(f->y + n, f->base.u, (size_t)n * sizeof *f->y);
}

/* Adds w to the position, and projects joints and loops. */
static RgStatus update_base(RgFlight *f, int n)
{
    RgStepScope *c = f->scope;
    c->form->kind->integrate(c->form, f->base.x, f->ode.y, f->base.x);
    memcpy(f->base.u, f->ode.y + n, (size_t)n * sizeof *f->base.u);
    c->call.joints_kept = false;
    return c->constraints->any_hard ? rg_stage_stabilise(c, &f->base) : RG_OK;
}

static RgStatus find_middle(RgFlight *f, double t)
{
    RgStepScope *c = f->scope;
    RgStatus status = rg_ode_dense(&f->ode, t, f->y);
    if (status == RG_OK)
        c->form->kind->integrate(c->form, f->base.x, f->y, f->x_mid);
    f->whole = status == RG_OK;
    return status;
}

RgStatus rg_flight_integrate(RgFlight *f, const RgState *s0, double h, bool middle, RgState *s1)
{
    RgStepScope *c = f->scope;
    int n = c->form->nu;
    double end = s0->t + h;
    f->failure = RG_OK;
    f->whole = n == 0;
    rg_state_copy(c->form, s0, &f->base);
    if (n > 0)
        zero_local(f, n);
    RgStatus status = n > 0 ? rg_ode_start(&f->ode, s0->t, f->y, f->h_next) : RG_OK;
    for (int i = 0; n > 0 && status == RG_OK && f->ode.t < end; i++) {
        if ((status = rg_ode_step(&f->ode, end)) != RG_OK)
            break;
        if (i == 0 && middle && f->ode.t == end)
            status = find_middle(f, s0->t + 0.5 * h);
        if (status == RG_OK)
            status = update_base(f, n);
        zero_local(f, n);
        if (status == RG_OK)
            status = rg_ode_restart(&f->ode, f->ode.t, f->y);
    }
    if (status == RG_ERR_NOT_CONVERGED && f->failure != RG_OK)
        status = f->failure;
    f->h_next = n > 0 ? f->ode.h : f->h_next;
    memcpy(s1->x, f->base.x, (size_t)c->form->nx * sizeof *s1->x);
    memcpy(s1->u, f->base.u, (size_t)n * sizeof *s1->u);
    return status;
}
