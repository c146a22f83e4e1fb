/*
 * passive_stops.c - joints without controller at their limits, as the limit's row treats them.
 *
 * Fingers that a constant effort presses together do not accelerate, although their effort alone would accelerate them;
 * a law for the accelerations of other joints has to take this into account. A limit acts on the gap g as in
 * constraint/row_limit.c,
 *
 *   v + h a >= v_min(g, h),   f >= 0 inwards,   complementary
 *
 * and the caller finds the active set (controller_computed_torque.c): joints that would violate a limit get
 * v + h a = v_min, and limits that would have to pull are deactivated. Ignored: limits with a stiffness (they are
 * springs), joints whose velocity is not the rate of their position, and loop joints. For a hold of several steps v_min
 * of the whole hold is used: exact for joints at their limit, of first order for those that reach it.
 */
#include "control/passive_stops.h"

#include "constraint/bounded_rows.h"
#include "model/model.h"
#include "sim/world_internal.h"

#include <math.h>

/* rad/s or m/s: velocity below which a joint counts as at rest, for the initial active set only. */
#define AT_REST 1e-6

static bool controls(const RgController *c, int dof)
{
    for (int k = 0; k < c->njoints; k++)
        if (c->dofs[k] == dof)
            return true;
    return false;
}

/* Whether velocity k of a body's joint has rigid position limits. */
static bool limited(const RgModel *m, const RgBody *B, int k)
{
    if (B->joint < 0 || B->kind->nq != B->kind->nv)
        return false;
    const RgAxisDef *axis = &m->joints[B->joint].def.dof[k];
    bool soft = axis->limit_stiffness > 0.0 && axis->limit_stiffness < (double)INFINITY;
    return !soft && (isfinite(axis->lower) || isfinite(axis->upper));
}

bool rg_passive_stops_alloc(RgArena *arena, const RgModel *model, const RgController *c, RgPassiveStops *out)
{
    *out = (RgPassiveStops){.stops = RG_ARENA_ALLOC(arena, RgPassiveStop, model->nv)};
    for (int i = 0; out->stops != NULL && i < model->nbodies; i++) {
        const RgBody *B = &model->bodies[i];
        for (int k = 0; k < B->nv; k++)
            if (limited(model, B, k) && !controls(c, B->v0 + k)) {
                const RgAxisDef *axis = &model->joints[B->joint].def.dof[k];
                out->stops[out->n++] = (RgPassiveStop){.dof = B->v0 + k, .q = B->q0 + k, .axis = axis};
            }
    }
    return !arena->failed;
}

/* Least velocity of gap g at the end of the hold. If the hold is one step, a limit out of reach has no row, and joints
   accelerated by a large impulse pass it; located steppers cut the step at the limit. */
static double least_velocity(const RgPassiveStop *stop, const RgControlView *view, double g, double v)
{
    const RgStepScope *scope = &view->world->scope;
    RgBoundedAsk hold = {.h = view->h, .located = scope->located};
    bool cut = hold.located > 0.0 || !view->one_step;
    bool acts = cut || g <= rg_limit_reach(&hold, v);
    return acts ? rg_limit_velocity(scope->contact->setup.bounded, &hold, stop->axis, g) : -(double)INFINITY;
}

/* Range (least, most) of velocities in which the limits are inactive. False: limits are not enforced. */
static bool inactive_range(const RgPassiveStop *stop, const RgControlView *view, double *least, double *most)
{
    double q = view->q[stop->q], v = view->v[stop->dof];
    *least = least_velocity(stop, view, q - stop->axis->lower, v);
    *most = -least_velocity(stop, view, stop->axis->upper - q, v);
    return view->world->scope.contact->setup.bounded->position_limits;
}

int rg_passive_stops_init(RgPassiveStops *stops, const RgControlView *view)
{
    int held = 0;
    for (int i = 0; i < stops->n; i++) {
        RgPassiveStop *stop = &stops->stops[i];
        double least, most, v = view->v[stop->dof], tau = view->tau[stop->dof];
        stop->side = 0;
        if (!inactive_range(stop, view, &least, &most))
            continue;
        stop->side = tau < 0.0 && v <= least + AT_REST ? 1 : tau > 0.0 && v >= most - AT_REST ? -1 : 0;
        stop->a = ((stop->side > 0 ? least : most) - v) / view->h;
        held += stop->side != 0;
    }
    return held;
}

bool rg_passive_stop_activate(RgPassiveStop *stop, const RgControlView *view, double acceleration, double slack)
{
    double least, most, v = view->v[stop->dof], next = v + view->h * acceleration;
    if (stop->side != 0 || !inactive_range(stop, view, &least, &most))
        return false;
    stop->side = next < least - slack ? 1 : next > most + slack ? -1 : 0;
    stop->a = ((stop->side > 0 ? least : most) - v) / view->h;
    return stop->side != 0;
}

bool rg_passive_stop_deactivate(RgPassiveStop *stop, double force)
{
    bool leaves = stop->side != 0 && stop->side * force < 0.0;
    if (leaves)
        stop->side = 0;
    return leaves;
}
