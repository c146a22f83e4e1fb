/*
 * kick.c - velocities at a configuration, from the stages that all steppers share.
 *
 * The collision stage is given the contacts (RgStepScope.given): all points within the gap, with a measured gap of zero,
 * so that solvers of every kind keep their velocities from approaching and correct nothing. What is farther away does
 * not act: the advancement of the stepper keeps it apart.
 *
 * Bodies that move alone and turn about their centre of mass take w x I w by the midpoint rule (turning.c): they gain no
 * energy by it, however fast they turn. Steps of all others are kept short of a turn by the stepper.
 *
 * Sums of work are over all kicks that were kept; tries leave no trace.
 */
#include "stepper/kick.h"

#include "stepper/contact_events.h"

/* Gaps below this part of the gap are put right. */
#define SUNK 0.375
/* To within this part of it. */
#define PUT_RIGHT 0.01
/* m/s: what comes together slower is no impact. */
#define IMPACT_SPEED 1e-3

bool rg_kicker_take(RgArena *arena, RgStepScope *scope, RgKicker *out)
{
    *out = (RgKicker){.scope = scope};
    out->projector = rg_gap_projector_take(arena, scope->form, scope->constraints);
    return out->projector != NULL && rg_touch_set_init(&out->touches, &scope->log->allocator);
}

void rg_kicker_release(RgKicker *k)
{
    if (k->scope == NULL)
        return;
    rg_touch_set_free(&k->touches);
    if (k->projector != NULL)
        rg_gap_projector_release(k->projector);
    rg_free(&k->scope->log->allocator, k->wishes);
    rg_free(&k->scope->log->allocator, k->keep);
    rg_free(&k->scope->log->allocator, k->held);
}

void rg_kicker_begin(RgKicker *k)
{
    k->work = (RgSolverWork){0};
    if (k->scope->contact != NULL)
        k->scope->contact->bounded->located = k->scope->adapt.gap;
}

void rg_kicker_end(RgKicker *k)
{
    k->scope->report->work = k->work;
    k->scope->given = NULL;
}

static void add_work(RgSolverWork *sum, const RgSolverWork *w)
{
    *sum = (RgSolverWork){.total = sum->total + w->total,
                          .forces = sum->forces + w->forces,
                          .erp = sum->erp + w->erp,
                          .restitution = sum->restitution + w->restitution,
                          .springs = sum->springs + w->springs,
                          .motors = sum->motors + w->motors,
                          .friction = sum->friction + w->friction,
                          .impacts = sum->impacts + w->impacts,
                          .rest = sum->rest + w->rest,
                          .inertia = sum->inertia + w->inertia,
                          .split = sum->split + w->split};
}

/* ------------------------------------------------------------------ what touches */

static bool make_room(RgKicker *k, int count)
{
    const RgAllocator *allocator = &k->scope->log->allocator;
    if (count <= k->room)
        return true;
    rg_free(allocator, k->wishes);
    rg_free(allocator, k->keep);
    k->wishes = rg_alloc(allocator, 2 * (size_t)count, sizeof *k->wishes);
    k->keep = rg_alloc(allocator, 2 * (size_t)count, sizeof *k->keep);
    k->room = k->wishes != NULL && k->keep != NULL ? 2 * count : 0;
    return k->room > 0;
}

/* Everything within the gap at x. */
static RgStatus find_touches(RgKicker *k, const double *x, const double *u)
{
    RgStepScope *c = k->scope;
    c->form->kind->kinematics(c->form, x, u);
    RgStatus status = rg_contact_scene_place(c->scene, c->form->kin);
    if (status == RG_OK)
        status = rg_touch_set_find(&k->touches, c->scene, c->adapt.gap);
    return status == RG_OK && !make_room(k, k->touches.view.npoints) ? RG_ERR_MEMORY : status;
}

/* All of them, as closed. */
static void take_as_closed(RgKicker *k)
{
    for (int i = 0; i < k->touches.view.npoints; i++)
        k->keep[i] = true;
    rg_touch_set_filter(&k->touches, k->keep, 0.0);
    k->scope->given = &k->touches.view;
}

/* Wishes of all that touches; whether any gap is too small. */
static bool too_near(RgKicker *k)
{
    double least = INFINITY, level = 0.5 * k->scope->adapt.gap;
    for (int i = 0; i < k->touches.view.npoints; i++) {
        least = fmin(least, k->touches.view.points[i].gap);
        k->wishes[i] = (RgGapWish){.gap = k->touches.gaps[i], .wanted = level};
    }
    return least < SUNK * k->scope->adapt.gap;
}

/* Touches at x, put right where they are too near. *moved: x is another. */
static RgStatus settle_gaps(RgKicker *k, double *x, const double *u)
{
    RgGapProjection projection;
    double gap = k->scope->adapt.gap;
    RgStatus status = find_touches(k, x, u);
    if (status != RG_OK || !too_near(k))
        return status;
    status =
        rg_project_gaps(k->projector, k->wishes, k->touches.view.npoints, PUT_RIGHT * gap, x, &projection);
    if (status != RG_OK && status != RG_ERR_NOT_CONVERGED)
        return status;
    return find_touches(k, x, u);
}

static bool before(const RgHeldPoint *a, const RgShapeContacts *b)
{
    return a->shape_a < b->shape_a.i || (a->shape_a == b->shape_a.i && a->shape_b < b->shape_b.i);
}

/* Whether a point of the pair is among those held from place `from` on. */
static bool is_held(const RgKicker *k, int from, const RgShapeContacts *pair, uint64_t id)
{
    for (int i = from; i < k->nheld; i++) {
        const RgHeldPoint *p = &k->held[i];
        if (p->shape_a != pair->shape_a.i || p->shape_b != pair->shape_b.i)
            return false;
        if (p->id == id)
            return true;
    }
    return false;
}

/* Only what was held; both lists are in the order of the shapes. */
static void take_held(RgKicker *k)
{
    const RgContactView *view = &k->touches.view;
    int at = 0;
    for (int p = 0; p < view->npairs; p++) {
        const RgShapeContacts *pair = &view->pairs[p];
        while (at < k->nheld && before(&k->held[at], pair))
            at++;
        for (int j = pair->first_manifold; j < pair->first_manifold + pair->nmanifolds; j++)
            for (int i = view->manifolds[j].first; i < view->manifolds[j].first + view->manifolds[j].count;
                 i++)
                k->keep[i] = is_held(k, at, pair, view->points[i].id);
    }
    rg_touch_set_filter(&k->touches, k->keep, 0.0);
    k->scope->given = &k->touches.view;
}

static bool make_held_room(RgKicker *k, int count)
{
    const RgAllocator *allocator = &k->scope->log->allocator;
    if (count <= k->held_room)
        return true;
    rg_free(allocator, k->held);
    k->held = rg_alloc(allocator, 2 * (size_t)count, sizeof *k->held);
    k->held_room = k->held != NULL ? 2 * count : 0;
    return k->held_room > 0;
}

RgStatus rg_kicker_hold(RgKicker *k, const double *x, const double *u)
{
    const RgContactView *view = &k->touches.view;
    k->nheld = 0;
    if (k->scope->scene == NULL)
        return RG_OK;
    RgStatus status = find_touches(k, x, u);
    if (status == RG_OK && !make_held_room(k, view->npoints))
        status = RG_ERR_MEMORY;
    for (int p = 0; p < view->npairs && status == RG_OK; p++) {
        const RgShapeContacts *pair = &view->pairs[p];
        for (int j = pair->first_manifold; j < pair->first_manifold + pair->nmanifolds; j++)
            for (int i = view->manifolds[j].first; i < view->manifolds[j].first + view->manifolds[j].count;
                 i++)
                k->held[k->nheld++] = (RgHeldPoint){pair->shape_a.i, pair->shape_b.i, view->points[i].id};
    }
    return status;
}

/* ------------------------------------------------------------------ velocities */

/* Contacts at to->x, given to the stages. */
static RgStatus prepare(RgKicker *k, const double *arrived, double h, bool trying, RgState *to)
{
    RgStepScope *c = k->scope;
    c->h = h;
    c->report->work = (RgSolverWork){0};
    if (c->scene == NULL)
        return RG_OK;
    RgStatus status = trying ? find_touches(k, to->x, arrived) : settle_gaps(k, to->x, arrived);
    if (status == RG_OK && trying)
        take_held(k);
    else if (status == RG_OK)
        take_as_closed(k);
    return status;
}

static RgStatus kick(RgKicker *k, const RgState *from, double h, bool trying, RgState *to)
{
    RgStepScope *c = k->scope;
    RgStatus status = prepare(k, from->u, h, trying, to);
    if (status != RG_OK)
        return status;
    RgState at = {.t = from->t + h, .x = to->x, .u = from->u, .memory = from->memory};
    status = rg_stage_touching(c, &at, c->implicit_damping ? h : 0.0, c->a);
    if (status == RG_OK)
        rg_stage_turning_centred(c, from->u, h, c->a);
    for (int i = 0; i < c->form->nu && status == RG_OK; i++)
        to->u[i] = from->u[i] + h * c->a[i];
    to->t = at.t;
    return status == RG_OK ? rg_stage_contact(c, &at, h, to) : status;
}

RgStatus rg_kick(RgKicker *k, const RgState *from, double h, RgState *to)
{
    return kick(k, from, h, false, to);
}

RgStatus rg_kick_try(RgKicker *k, const RgState *from, double h, RgState *to)
{
    return kick(k, from, h, true, to);
}

RgStatus rg_kick_impact(RgKicker *k, const RgState *from, double h, const double *arrived, RgState *to)
{
    RgStepScope *c = k->scope;
    RgState at = {.t = from->t + h, .x = to->x, .u = (double *)arrived, .memory = from->memory};
    if (c->contact == NULL)
        return RG_OK;
    RgStatus status = prepare(k, arrived, h, false, to);
    if (status == RG_OK)
        status = rg_stage_touching(c, &at, 0.0, c->a);
    return status == RG_OK ? rg_stage_impulses(c, &at, h, false, to) : status;
}

RgStatus rg_kick_keep(RgKicker *k, const RgState *from, double h, const double *arrived, RgState *to)
{
    RgStepScope *c = k->scope;
    add_work(&k->work, &c->report->work);
    if (c->contact == NULL)
        return RG_OK;
    c->log->statistics.degenerate += c->scene != NULL ? k->touches.degenerate : 0;
    RgContactLook look = {.last = &from->memory,
                          .u = arrived,
                          .t = from->t + h,
                          .since = h,
                          .begin = from->t,
                          .impact_speed = IMPACT_SPEED};
    return rg_contact_events_look(c, &look, to);
}
