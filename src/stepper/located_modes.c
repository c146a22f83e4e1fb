/*
 * located_modes.c - who touches, who stays, who sticks; and what has become another way within a step.
 *
 * Contacts that open at the start of a step are let go, but for those whose flight is none (located_hops.c).
 *
 * Within a step something else may become another way than that shapes meet: a contact point passes from feature to
 * feature (a corner slides over an edge), a contact that was held is left, or what stuck slips and the other way round; or a
 * joint leaves its limit.
 * The rates of the two ends tell, since every one of these shows in velocities or in the set of points.
 *
 * Limits of joints: position q, gap g = q - lower or upper - q, on a cubic between the ends of the step.
 */
#include "stepper/located.h"

#include <string.h>

/* ------------------------------------------------------------------ rates of a contact */

double rg_located_rate(const RgLocated *l, const RgGap *gap, const double *u)
{
    const RgForm *form = l->scope->form;
    RgMotion V[2] = {mv_zero(), mv_zero()};
    RgPose A = kin_pose(form->kin, gap->body_a), B = kin_pose(form->kin, gap->body_b);
    if (gap->body_a >= 0)
        form->kind->twist(form, gap->body_a, u, &V[0]);
    if (gap->body_b >= 0)
        form->kind->twist(form, gap->body_b, u, &V[1]);
    return rg_gap_rate(gap, &A, &V[0], &B, &V[1]);
}

RgVec3 rg_located_velocity(const RgLocated *l, const RgGap *gap, const double *u, RgVec3 *normal)
{
    const RgForm *form = l->scope->form;
    RgPose X[2] = {kin_pose(form->kin, gap->body_a), kin_pose(form->kin, gap->body_b)};
    RgGapAt at = rg_gap_at(gap, &X[0], &X[1]);
    RgVec3 v = v3_zero(), point = v3_scale(0.5, v3_add(at.point_a, at.point_b));
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? gap->body_a : gap->body_b;
        RgMotion V;
        if (body < 0)
            continue;
        form->kind->twist(form, body, u, &V);
        v = v3_axpy(side == 0 ? -1.0 : 1.0, mv_shift(V, v3_sub(point, X[side].p)).v, v);
    }
    *normal = at.normal;
    return v;
}

double rg_located_slip(const RgLocated *l, const RgGap *gap, const double *u)
{
    RgVec3 normal, v = rg_located_velocity(l, gap, u, &normal);
    return v3_norm(v3_axpy(-v3_dot(normal, v), normal, v));
}

bool rg_located_opens(const RgLocated *l, int32_t point, const double *u)
{
    const RgContactPoint *p = &l->here.view.points[point];
    return rg_located_rate(l, &l->here.gaps[point], u) - v3_dot(p->normal, l->bends[0].wanted[point]) >
           RG_LOCATED_REST;
}

/* ------------------------------------------------------------------ at the start */

RgTouchKey rg_touch_key(const RgGap *gap)
{
    return (RgTouchKey){gap->shape_a, gap->shape_b, gap->id};
}

static bool same_key(RgTouchKey a, RgTouchKey b)
{
    return a.id == b.id && a.shape_a == b.shape_a && a.shape_b == b.shape_b;
}

static bool known_room(RgLocated *l, int needed)
{
    if (needed <= l->known_room)
        return true;
    const RgAllocator *allocator = &l->scope->log->allocator;
    RgTouchKey *known = rg_alloc(allocator, 2 * (size_t)needed, sizeof *known);
    bool *keep = rg_alloc(allocator, 6 * (size_t)needed, sizeof *keep);
    if (known == NULL || keep == NULL) {
        rg_free(allocator, known);
        rg_free(allocator, keep);
        return false;
    }
    rg_free(allocator, l->known);
    rg_free(allocator, l->keep);
    l->known = known;
    l->keep = keep;
    l->still = keep + 2 * (size_t)needed;
    l->hops = l->still + 2 * (size_t)needed;
    l->known_room = 2 * needed;
    return true;
}

/* Least and largest rate of all gaps at u. */
static void rates(const RgLocated *l, const double *u, double *least, double *most)
{
    *least = INFINITY;
    *most = -INFINITY;
    for (int32_t i = 0; i < l->here.view.npoints; i++) {
        double rate = rg_located_rate(l, &l->here.gaps[i], u);
        *least = fmin(*least, rate);
        *most = fmax(*most, rate);
    }
}

/* Everything that comes together where it touches is stopped, or bounces. */
static RgStatus strike(RgLocated *l)
{
    int n = l->scope->form->nu;
    RgState at = {.t = l->begin.t, .x = l->begin.x, .u = l->begin.u, .memory = *l->last};
    RgKick kick = rg_located_kick_here(l, &at, RG_LOCATED_IMPACT);
    if (!rg_located_straight(l, &l->here, &l->bends[0]))
        return RG_ERR_MEMORY;
    RgStatus status = rg_located_kick(l, &kick, &l->mid);
    if (status == RG_OK)
        memcpy(l->begin.u, l->mid.u, (size_t)n * sizeof *l->mid.u);
    return status;
}

void rg_located_drop(RgLocated *l)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < l->here.view.npoints; i++) {
        if (!l->keep[i])
            continue;
        l->hops[kept] = l->hops[i];
        l->bends[0].bend[kept++] = l->bends[0].bend[i];
    }
    rg_touch_set_filter(&l->here, l->keep, 0.0);
}

bool rg_located_let_leaving_go(RgLocated *l)
{
    bool any = false;
    for (int32_t i = 0; i < l->here.view.npoints; i++) {
        const RgLasting *one = rg_located_lasting(l, rg_touch_key(&l->here.gaps[i]));
        l->keep[i] = one == NULL || !one->left;
        any = any || !l->keep[i];
    }
    if (any)
        rg_located_drop(l);
    return any;
}

RgStatus rg_located_look(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    s->form->kind->kinematics(s->form, l->begin.x, l->begin.u);
    l->nknown = 0;
    if (s->contact != NULL)
        s->contact->setup.bounded->located = l->gap;
    if (s->scene == NULL)
        return RG_OK;
    RgStatus status = rg_contact_scene_place(s->scene, s->form->kin);
    if (status == RG_OK)
        status = rg_touch_set_find(&l->here, s->scene, l->gap);
    if (status != RG_OK || l->here.view.npoints == 0)
        return status;
    if (!known_room(l, l->here.view.npoints))
        return RG_ERR_MEMORY;
    for (int32_t i = 0; i < l->here.view.npoints; i++)
        l->known[l->nknown++] = rg_touch_key(&l->here.gaps[i]);
    rg_touch_set_filter(&l->here, NULL, 0.0);

    double least, most;
    rates(l, l->begin.u, &least, &most);
    if (least < -RG_LOCATED_REST) {
        if ((status = strike(l)) != RG_OK)
            return status;
        rates(l, l->begin.u, &least, &most);
    }
    for (int32_t i = 0; i < l->here.view.npoints; i++) {
        l->still[i] = rg_located_rate(l, &l->here.gaps[i], l->begin.u) <= RG_LOCATED_REST;
        l->hops[i] = false;
    }
    if (!rg_located_bend(l, &l->here, &l->begin, h, &l->bends[0]))
        return RG_ERR_MEMORY;
    return most > RG_LOCATED_REST ? rg_located_let_go(l, h) : RG_OK;
}

/* ------------------------------------------------------------------ at the end */

bool rg_located_knew(const RgLocated *l, RgTouchKey key)
{
    for (int i = 0; i < l->nknown; i++)
        if (same_key(l->known[i], key))
            return true;
    return false;
}

const RgLasting *rg_located_lasting(const RgLocated *l, RgTouchKey key)
{
    for (int i = 0; i < l->nwishes; i++)
        if (same_key(rg_touch_key(&l->wishes[i].gap), key))
            return &l->lasting[i];
    return NULL;
}

int32_t rg_located_where(const RgLocated *l, RgTouchKey key)
{
    for (int32_t i = 0; i < l->there.view.npoints; i++)
        if (same_key(rg_touch_key(&l->there.gaps[i]), key))
            return i;
    return -1;
}

static bool there_room(RgLocated *l, int needed)
{
    if (needed <= l->there_room)
        return true;
    const RgAllocator *allocator = &l->scope->log->allocator;
    bool *keep = rg_alloc(allocator, 2 * (size_t)needed, sizeof *keep);
    if (keep == NULL)
        return false;
    rg_free(allocator, l->keep_there);
    l->keep_there = keep;
    l->there_room = 2 * needed;
    return true;
}

RgStatus rg_located_leave_new(RgLocated *l, const double *u, bool *lands)
{
    int32_t count = l->scope->scene != NULL ? l->there.view.npoints : 0;
    *lands = false;
    if (!there_room(l, count))
        return RG_ERR_MEMORY;
    for (int32_t i = 0; i < count; i++) {
        const RgGap *gap = &l->there.gaps[i];
        l->keep_there[i] = rg_located_lasting(l, rg_touch_key(gap)) != NULL;
        if (!l->keep_there[i] && rg_located_rate(l, gap, u) < -RG_LOCATED_REST)
            *lands = true;
    }
    if (*lands)
        rg_touch_set_filter(&l->there, l->keep_there, 0.0);
    return RG_OK;
}

/* A change of features counts before one of friction, the first of its kind before others. */
static void tell_change(RgTry *out, RgCut change, double when, double size)
{
    if (out->changed && change != RG_CUT_manifold && change != out->change)
        return;
    bool again = out->changed && change == out->change;
    out->when = again ? fmin(out->when, when) : when;
    out->size = again ? fmax(out->size, size) : size;
    out->change = change;
    out->changed = true;
}

/* When a force that falls in a straight line is zero: it is that of a quarter of the step in the first half, but for what
   bends, which is that of its ends; so at the end it is as much less again. */
static double when_free(const RgLasting *one, double h)
{
    double fall = 2.0 * (one->pressure[0] - one->pressure[1]);
    return fall > 0.0 && one->pressure[1] > 0.0 ? h * one->pressure[0] / fall : NAN;
}

/* When a speed that falls in a straight line is zero, by what it was half way. */
static double when_still(const RgLasting *one, double h)
{
    double fall = 2.0 * (one->slip[0] - one->slip[1]);
    return one->slips && one->slip[1] > RG_LOCATED_SLIP && fall > 0.0 ? h * one->slip[0] / fall : NAN;
}

/* New points: those that come nearer land, others have passed from feature to feature. */
static void compare_new(const RgLocated *l, RgTry *out)
{
    bool fresh = false;
    for (int32_t i = 0; i < l->there.view.npoints; i++) {
        const RgGap *gap = &l->there.gaps[i];
        RgTouchKey key = rg_touch_key(gap);
        if (rg_located_lasting(l, key) != NULL)
            continue;
        if (rg_located_rate(l, gap, l->u_free) < -RG_LOCATED_REST)
            out->lands = true;
        else
            fresh = fresh || !rg_located_knew(l, key);
    }
    if (fresh && !out->lands)
        tell_change(out, RG_CUT_manifold, NAN, 0.0);
}

void rg_located_compare(RgLocated *l, double h, RgTry *out)
{
    const double *u = l->struck ? l->u_free : l->end.u;
    compare_new(l, out);
    for (int i = 0; i < l->nwishes; i++) {
        const RgGap *gap = &l->wishes[i].gap;
        RgLasting *one = &l->lasting[i];
        bool there = rg_located_where(l, rg_touch_key(gap)) >= 0;
        bool left = one->left || (there && rg_located_rate(l, gap, u) > RG_LOCATED_REST);
        if (!there || left)
            tell_change(out, RG_CUT_manifold, there ? when_free(one, h) : NAN, there ? one->lifted : 0.0);
        else if ((rg_located_slip(l, gap, u) > RG_LOCATED_SLIP) != one->slips)
            tell_change(out, RG_CUT_friction, when_still(one, h),
                        one->slips ? 0.0 : rg_located_slip(l, gap, u));
        one->left = left || (there && rg_located_rate(l, gap, l->end.u) > RG_LOCATED_REST);
    }
    if (l->scope->contact != NULL && !l->struck && rg_contact_events_leaves(l->scope, l->last, l->end.u))
        tell_change(out, RG_CUT_limit, NAN, 0.0);
}

/* ------------------------------------------------------------------ limits of joints */

void rg_located_axes(RgLocated *l, int at)
{
    const RgContactSolver *contact = l->scope->contact;
    if (contact == NULL)
        return;
    rg_constraints_observe(l->scope->constraints);
    for (int i = 0; i < contact->setup.bounded->naxes; i++) {
        if (!contact->setup.bounded->axes[i].plain)
            continue;
        l->q[at][i] = rg_axis_position(contact->setup.bounded, i);
        l->rate[at][i] = rg_axis_rate(contact->setup.bounded, i);
    }
}

/* The cubic through g0, g1 with rates r0, r1 at part s of the step h. */
static double cubic(const double g[2], const double r[2], double h, double s)
{
    double a = 1.0 - s, b = s;
    return g[0] * a * a * (1.0 + 2.0 * s) + g[1] * b * b * (3.0 - 2.0 * s) +
           h * s * a * (r[0] * a - r[1] * b);
}

/* First part of the step at which a gap falls to its floor; infinite: it does not. */
static double first_below(const double g[2], const double r[2], double h, double floor)
{
    enum { PARTS = 16, HALVINGS = 50 };
    for (int k = 1; k <= PARTS; k++) {
        double low = (k - 1) / (double)PARTS, high = k / (double)PARTS;
        if (cubic(g, r, h, high) >= floor)
            continue;
        for (int i = 0; i < HALVINGS; i++) {
            double middle = 0.5 * (low + high);
            if (cubic(g, r, h, middle) >= floor)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
    return INFINITY;
}

static double side_limit(const RgLocated *l, int axis, double sign, double bound, double h)
{
    if (!isfinite(bound))
        return INFINITY;
    double g[2], r[2];
    for (int at = 0; at < 2; at++) {
        g[at] = sign * (l->q[at][axis] - bound);
        r[at] = sign * l->rate[at][axis];
    }
    if (g[0] <= l->gap)
        return INFINITY;
    return h * first_below(g, r, h, 0.5 * l->scope->adapt.gap);
}

double rg_located_limit(const RgLocated *l, double h)
{
    const RgContactSolver *contact = l->scope->contact;
    double first = INFINITY;
    for (int i = 0; contact != NULL && contact->setup.bounded->position_limits && i < contact->setup.bounded->naxes;
         i++) {
        const RgAxis *axis = &contact->setup.bounded->axes[i];
        if (!axis->plain)
            continue;
        first = fmin(first, side_limit(l, i, 1.0, axis->def->lower, h));
        first = fmin(first, side_limit(l, i, -1.0, axis->def->upper, h));
    }
    return first;
}
