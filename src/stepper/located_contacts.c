/*
 * located_contacts.c - contact points of a configuration: search, rates, drift; contacts at the start of a step.
 *
 * Drift b: the rate of the velocity of B against A at a contact at constant u, in world axes. Its part along the
 * normal, which also turns, is replaced by the second derivative of the gap. By central differences:
 *
 *   b = (v(x + e u) - v(x - e u)) / 2 e      e = DRIFT_STEP h
 *
 * Contacts that close at the start are solved as impacts. Contacts that open are released, except micro bounces
 * (located_release.c).
 */
#include "stepper/located.h"

#include <string.h>

/* Part of the step to either side over which differences are formed. Trades truncation against round-off. */
#define DRIFT_STEP 1e-3

/* ------------------------------------------------------------------ rates of a contact */

double rg_gap_opening(const RgForm *form, const RgGap *gap, const double *u)
{
    RgMotion V[2] = {mv_zero(), mv_zero()};
    RgPose A = kin_pose(form->kin, gap->body_a), B = kin_pose(form->kin, gap->body_b);
    if (gap->body_a >= 0)
        rg_form_twist(form, gap->body_a, u, &V[0]);
    if (gap->body_b >= 0)
        rg_form_twist(form, gap->body_b, u, &V[1]);
    return rg_gap_rate(gap, &A, &V[0], &B, &V[1]);
}

RgVec3 rg_gap_velocity(const RgForm *form, const RgGap *gap, const double *u, RgVec3 *normal)
{
    RgPose X[2] = {kin_pose(form->kin, gap->body_a), kin_pose(form->kin, gap->body_b)};
    RgGapAt at = rg_gap_at(gap, &X[0], &X[1]);
    RgVec3 v = v3_zero(), point = v3_scale(0.5, v3_add(at.point_a, at.point_b));
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? gap->body_a : gap->body_b;
        RgMotion V;
        if (body < 0)
            continue;
        rg_form_twist(form, body, u, &V);
        v = v3_axpy(side == 0 ? -1.0 : 1.0, mv_shift(V, v3_sub(point, X[side].p)).v, v);
    }
    *normal = at.normal;
    return v;
}

double rg_gap_slip(const RgForm *form, const RgGap *gap, const double *u)
{
    RgVec3 normal, v = rg_gap_velocity(form, gap, u, &normal);
    return v3_norm(v3_axpy(-v3_dot(normal, v), normal, v));
}

/* ------------------------------------------------------------------ lookup */

RgGapKey rg_gap_key(const RgGap *gap)
{
    return (RgGapKey){gap->shape_a, gap->shape_b, gap->id};
}

static bool same_key(RgGapKey a, RgGapKey b)
{
    return a.id == b.id && a.shape_a == b.shape_a && a.shape_b == b.shape_b;
}

int32_t rg_contact_set_find(const RgContactSet *set, RgGapKey key)
{
    for (int32_t i = 0; i < set->touch.view.npoints; i++)
        if (same_key(rg_gap_key(&set->touch.gaps[i]), key))
            return i;
    return -1;
}

bool rg_was_contact(const RgPreviousContacts *previous, RgGapKey key)
{
    for (int i = 0; i < previous->count; i++)
        if (same_key(previous->list[i].key, key))
            return true;
    return false;
}

const RgPersistentContact *rg_persistent_contact(const RgPersistentContacts *set, RgGapKey key)
{
    for (int i = 0; i < set->count; i++)
        if (same_key(rg_gap_key(&set->gap_constraints[i].gap), key))
            return &set->list[i];
    return NULL;
}

/* ------------------------------------------------------------------ memory */

void rg_contact_set_free(RgContactSet *set, const RgAllocator *allocator)
{
    rg_touch_set_free(&set->touch);
    rg_free(allocator, set->drift);
}

/* Allocates one block for all arrays of a set. False: out of memory. */
static bool reserve_arrays(RgContactSet *set, const RgAllocator *allocator)
{
    if (set->touch.view.npoints <= set->room)
        return true;
    size_t room = 2 * (size_t)set->touch.view.npoints;
    size_t size = sizeof *set->drift + sizeof *set->target + sizeof *set->separation + sizeof *set->keep +
                  sizeof *set->micro_bounce;
    void *block = rg_alloc(allocator, room, size);
    if (block == NULL)
        return false;
    rg_free(allocator, set->drift);
    set->drift = block;
    set->target = set->drift + room;
    set->separation = (RgSeparation *)(void *)(set->target + room);
    set->keep = (bool *)(void *)(set->separation + room);
    set->micro_bounce = set->keep + room;
    set->room = (int)room;
    return true;
}

bool rg_persistent_reserve(RgPersistentContacts *set, const RgAllocator *allocator, int needed)
{
    size_t used = (size_t)set->count, room = 2 * (size_t)needed;
    if (needed <= set->room)
        return true;
    RgGapConstraint *constraints = rg_realloc(allocator, set->gap_constraints, used, room, sizeof *constraints);
    set->gap_constraints = constraints != NULL ? constraints : set->gap_constraints;
    RgPersistentContact *list = rg_realloc(allocator, set->list, used, room, sizeof *list);
    set->list = list != NULL ? list : set->list;
    bool ok = constraints != NULL && list != NULL;
    set->room = ok ? (int)room : set->room;
    return ok;
}

bool rg_previous_contacts_note(RgPreviousContacts *previous, const RgTouchSet *touch, const RgAllocator *allocator)
{
    int count = touch->view.npoints;
    previous->count = 0;
    if (count > previous->room) {
        RgPreviousContact *more = rg_alloc(allocator, 2 * (size_t)count, sizeof *more);
        if (more == NULL)
            return false;
        rg_free(allocator, previous->list);
        *previous = (RgPreviousContacts){.list = more, .room = 2 * count};
    }
    for (int32_t i = 0; i < count; i++)
        previous->list[previous->count++] = (RgPreviousContact){.key = rg_gap_key(&touch->gaps[i])};
    return true;
}

/* ------------------------------------------------------------------ sets */

RgStatus rg_contact_set_placed(RgStepScope *s, double gap, RgContactSet *out)
{
    RgStatus status = rg_touch_set_find(&out->touch, s->scene, gap);
    return status == RG_OK && !reserve_arrays(out, &s->log->allocator) ? RG_ERR_MEMORY : status;
}

RgStatus rg_contact_set_search(RgStepScope *s, const RgState *at, double gap, RgContactSet *out)
{
    s->form->kind->kinematics(s->form, at->x, at->u);
    RgStatus status = rg_contact_scene_place(s->scene, s->form->kin);
    return status == RG_OK ? rg_contact_set_placed(s, gap, out) : status;
}

double rg_contact_set_lowest(const RgContactSet *set, int32_t *at)
{
    double least = INFINITY;
    for (int32_t i = 0; i < set->touch.view.npoints; i++)
        if (set->touch.view.points[i].gap < least) {
            least = set->touch.view.points[i].gap;
            *at = i;
        }
    return least;
}

void rg_contact_set_filter(RgContactSet *set)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        if (!set->keep[i])
            continue;
        set->micro_bounce[kept] = set->micro_bounce[i];
        set->drift[kept++] = set->drift[i];
    }
    rg_touch_set_filter(&set->touch, set->keep, 0.0);
}

void rg_contact_set_no_drift(RgContactSet *set)
{
    for (int32_t i = 0; i < set->touch.view.npoints; i++)
        set->drift[i] = set->target[i] = v3_zero();
}

/* Adds the velocities at the contacts after e seconds at u, times the sign of e, to the drift; the rates of the gaps to
   target.x. */
static void add_velocities_after(RgStepScope *s, const RgState *at, double e, RgContactSet *set)
{
    RgForm *form = s->form;
    double *move = s->scratch.memory[0], sign = e > 0.0 ? 1.0 : -1.0;
    for (int k = 0; k < form->nu; k++)
        move[k] = e * at->u[k];
    form->kind->integrate(form, at->x, move, s->scratch.x);
    form->kind->kinematics(form, s->scratch.x, at->u);
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        const RgGap *gap = &set->touch.gaps[i];
        RgVec3 normal, v = rg_gap_velocity(form, gap, at->u, &normal);
        set->drift[i] = v3_axpy(sign, v, set->drift[i]);
        set->target[i].x += sign * rg_gap_opening(form, gap, at->u);
    }
}

void rg_contact_set_drift(RgStepScope *s, const RgState *at, double h, RgContactSet *set)
{
    double e = DRIFT_STEP * h;
    rg_contact_set_no_drift(set);
    add_velocities_after(s, at, e, set);
    add_velocities_after(s, at, -e, set);

    /* Along the normal: the second derivative of the gap. */
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        RgVec3 normal = set->touch.view.points[i].normal, drift = v3_scale(0.5 / e, set->drift[i]);
        set->drift[i] = v3_axpy(0.5 / e * set->target[i].x - v3_dot(normal, drift), normal, drift);
    }
    s->form->kind->kinematics(s->form, at->x, at->u);
}

/* ------------------------------------------------------------------ at the start */

/* m/s: least and largest rate of all gaps at begin.u. */
static void find_gap_rates(const RgLocated *l, double *least, double *most)
{
    const RgTouchSet *touch = &l->contacts_begin.touch;
    *least = INFINITY;
    *most = -INFINITY;
    for (int32_t i = 0; i < touch->view.npoints; i++) {
        double rate = rg_gap_opening(l->scope->form, &touch->gaps[i], l->states.begin.u);
        *least = fmin(*least, rate);
        *most = fmax(*most, rate);
    }
}

/* Impact solve at the start: closing contacts stop or bounce. */
static RgStatus solve_impact(RgLocated *l)
{
    RgState at, *mid = &l->states.mid;
    rg_contact_set_no_drift(&l->contacts_begin);
    RgVelocityUpdate update = rg_located_update_begin(l, RG_LOCATED_IMPACT, &at);
    RgStatus status = rg_located_solve(l, &update, mid);
    if (status == RG_OK)
        memcpy(l->states.begin.u, mid->u, (size_t)l->scope->form->nu * sizeof *mid->u);
    return status;
}

RgStatus rg_located_find_contacts(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    RgContactSet *set = &l->contacts_begin;
    const RgState *begin = &l->states.begin;
    l->previous_contacts.count = 0;
    s->call.located = l->gap;
    if (s->scene == NULL) {
        s->form->kind->kinematics(s->form, begin->x, begin->u);
        return RG_OK;
    }
    RgStatus status = rg_contact_set_search(s, begin, l->gap, set);
    if (status != RG_OK || set->touch.view.npoints == 0)
        return status;
    if (!rg_previous_contacts_note(&l->previous_contacts, &set->touch, &s->log->allocator))
        return RG_ERR_MEMORY;
    rg_touch_set_filter(&set->touch, NULL, 0.0);

    double least, most;
    find_gap_rates(l, &least, &most);
    if (least < -RG_LOCATED_REST) {
        if ((status = solve_impact(l)) != RG_OK)
            return status;
        find_gap_rates(l, &least, &most);
    }
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        bool opens = rg_gap_opening(s->form, &set->touch.gaps[i], begin->u) > RG_LOCATED_REST;
        l->previous_contacts.list[i].opens = opens;
        set->micro_bounce[i] = false;
    }
    rg_contact_set_drift(s, begin, h, set);
    return most > RG_LOCATED_REST ? rg_located_release_opening(l, h) : RG_OK;
}
