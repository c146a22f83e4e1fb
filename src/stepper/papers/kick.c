/*
 * kick.c - velocities at a configuration, from the stages that all steppers share.
 *
 * The collision stage is given the contacts (RgStepScope.given): all points within the gap, with a measured gap of zero,
 * so that solvers of every kind keep their velocities from approaching and correct nothing. What is farther away is kept
 * apart by the advancement of the stepper, down to steps of h_min. Points at a gap g that can be reached in that time are
 * given too: solvers of a step h bound the velocity by -g'/h, so g' = (g - gap/2) h/h_min bounds it by what may be closed
 * within h_min. With the default h_min these are no farther away than 1e-8 s of motion.
 *
 * With explicit_forces accelerations are those of (x0, u0), the paper's explicit variant.
 *
 * Bodies that move alone and turn about their centre of mass take w x I w by the midpoint rule (turning.c): they gain no
 * energy by it, however fast they turn. Steps of all others are kept short of a turn by the stepper.
 *
 * Sums of work are over all kicks that were kept; tries leave no trace.
 */
#include "stepper/papers/kick.h"

#include "stepper/contact_events.h"
#include "stepper/separate.h"

#include <stdio.h>
#include <string.h>

/* Gaps below this part of the gap are put right. */
#define SUNK 0.375
/* With those of the others that are within so many gaps. */
#define NEIGHBOURS 4.0
/* To within this part of it. */
#define PUT_RIGHT 0.01
/* m/s: what comes together slower is no impact. */
#define IMPACT_SPEED 1e-3

/* Place in the scope's memory of accelerations at the start of a step. */
enum { EXPLICIT = 2 };

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
    rg_free(&k->scope->log->allocator, k->seen);
    rg_free(&k->scope->log->allocator, k->held);
}

/* ------------------------------------------------------------------ what touches */

static bool make_room(RgKicker *k, int count)
{
    const RgAllocator *allocator = &k->scope->log->allocator;
    if (count <= k->room)
        return true;
    rg_free(allocator, k->wishes);
    rg_free(allocator, k->keep);
    rg_free(allocator, k->seen);
    k->wishes = rg_alloc(allocator, 2 * (size_t)count, sizeof *k->wishes);
    k->keep = rg_alloc(allocator, 2 * (size_t)count, sizeof *k->keep);
    k->seen = rg_alloc(allocator, 2 * (size_t)count, sizeof *k->seen);
    k->room = k->wishes != NULL && k->keep != NULL && k->seen != NULL ? 2 * count : 0;
    return k->room > 0;
}

/* m: the gap, and how far any two shapes can come towards each other within h_min. */
static double reach_of(const RgStepScope *c)
{
    double most = 0.0;
    for (int i = 0; i < c->model->nshapes; i++)
        most = fmax(most, v3_norm(c->scene->velocity[i]) + c->scene->spin[i]);
    return c->adapt.gap + 2.0 * c->adapt.h_min * most;
}

/* Everything within reach at x. */
static RgStatus find_touches(RgKicker *k, const double *x, const double *u)
{
    RgStepScope *c = k->scope;
    c->form->kind->kinematics(c->form, x, u);
    RgStatus status = rg_contact_scene_place(c->scene, c->form->kin);
    if (status == RG_OK)
        status = rg_touch_set_find(&k->touches, c->scene, reach_of(c));
    return status == RG_OK && !make_room(k, k->touches.view.npoints) ? RG_ERR_MEMORY : status;
}

/* What is left of the touches, with gaps as solvers shall take them in a step of h. */
static void give(RgKicker *k, double h)
{
    const RgAdaptOptions *adapt = &k->scope->adapt;
    for (int i = 0; i < k->touches.view.npoints; i++) {
        double gap = k->touches.view.points[i].gap;
        k->seen[i] = gap > adapt->gap ? (gap - 0.5 * adapt->gap) * (h / adapt->h_min) : 0.0;
    }
    rg_touch_set_see(&k->touches, k->seen);
}

/* Wishes of all that touches, their number; 0: no gap is too small. */
static int wishes_of(RgKicker *k)
{
    double least = INFINITY, gap = k->scope->adapt.gap;
    int count = 0;
    for (int i = 0; i < k->touches.view.npoints; i++) {
        double is = k->touches.view.points[i].gap;
        least = fmin(least, is);
        if (is <= NEIGHBOURS * gap)
            k->wishes[count++] = (RgGapConstraint){.gap = k->touches.gaps[i], .wanted = 0.5 * gap};
    }
    return least < SUNK * gap ? count : 0;
}

/* Touches at x, put right where they are too near. *moved: x is another. */
static RgStatus settle_gaps(RgKicker *k, double *x, const double *u)
{
    RgGapProjection projection;
    double gap = k->scope->adapt.gap;
    RgStatus status = find_touches(k, x, u);
    int count = status == RG_OK ? wishes_of(k) : 0;
    if (count == 0)
        return status;
    status = rg_project_gaps(k->projector, k->wishes, count, PUT_RIGHT * gap, x, &projection);
    if (status != RG_OK && status != RG_ERR_NOT_CONVERGED)
        return status;
    return find_touches(k, x, u);
}

/* ------------------------------------------------------------------ begin and end */

static const char *shape_name(const RgModel *m, int32_t shape)
{
    const RgShapeDef *def = &m->shapes[shape].def;
    if (def->name != NULL)
        return def->name;
    return def->link.i > 0 ? m->links[def->link.i - 1].def.name : "world";
}

/* A state that overlaps by more than the gap: refused, or a copy of it that does not. */
static RgStatus put_right(RgKicker *k, RgInnerStates *states, const RgState *s0)
{
    RgStepScope *c = k->scope;
    RgState *own = &states->own;
    double low = 0.0;
    int at = -1;
    RgStatus status = find_touches(k, s0->x, s0->u);
    for (int i = 0; i < k->touches.view.npoints && status == RG_OK; i++)
        if (k->touches.view.points[i].gap < low) {
            low = k->touches.view.points[i].gap;
            at = i;
        }
    if (status != RG_OK || !(low < -c->adapt.gap))
        return status;
    const RgGap *gap = &k->touches.gaps[at];
    snprintf(c->report->offender, sizeof c->report->offender, "'%.40s' and '%.40s' overlap by %.3g m",
             shape_name(c->model, gap->shape_a), shape_name(c->model, gap->shape_b), -low);
    if (!c->adapt.separate)
        return RG_ERR_OVERLAP;
    memcpy(own->x, s0->x, (size_t)c->form->nx * sizeof *own->x);
    memcpy(own->u, s0->u, (size_t)c->form->nu * sizeof *own->u);
    own->t = s0->t;
    rg_contact_memory_clear(&own->memory);
    status = rg_separate(c, k->projector, own, 0.5 * c->adapt.gap);
    if (status != RG_OK)
        return status == RG_ERR_NOT_CONVERGED ? RG_ERR_OVERLAP : status;
    c->report->offender[0] = '\0';
    states->now = own;
    return RG_OK;
}

RgStatus rg_kicker_begin(RgKicker *k, RgInnerStates *states, const RgState *s0, RgState *s1)
{
    k->work = (RgSolverWork){0};
    if (k->scope->contact != NULL)
        k->scope->contact->setup.bounded->located = k->scope->adapt.gap;
    rg_inner_states_begin(states, s0, s1);
    bool stepped_to = s0->memory.h > 0.0;
    return k->scope->scene == NULL || stepped_to ? RG_OK : put_right(k, states, s0);
}

void rg_kicker_end(RgKicker *k, RgInnerStates *states)
{
    k->scope->report->work = k->work;
    k->scope->report->contact_work = k->work.total;
    k->scope->input.sampled = false;
    rg_inner_states_end(states);
}

/* ------------------------------------------------------------------ tries */

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
    rg_touch_set_filter(&k->touches, k->keep, (double)NAN);
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
    c->call.h = h;
    c->report->work = (RgSolverWork){0};
    if (c->scene == NULL)
        return RG_OK;
    RgStatus status = trying ? find_touches(k, to->x, arrived) : settle_gaps(k, to->x, arrived);
    if (status == RG_OK && trying)
        take_held(k);
    if (status == RG_OK)
        give(k, h);
    return status;
}

/* Forces, given contacts and accelerations at a state. */
static RgStatus accelerate(RgKicker *k, const RgState *at, double h, double *a)
{
    RgStepScope *c = k->scope;
    RgDynamicsAsk ask = {
        .h = h, .share = 1.0, .free_joints = c->contact != NULL && rg_contact_takes_joints(c->contact)};
    rg_stage_kinematics(c, at->x, at->u);
    RgStatus status = rg_stage_forces(c, at->t, &ask);
    if (status == RG_OK)
        status = rg_stage_adopt(c, &k->touches.view, at);
    return status == RG_OK ? rg_stage_dynamics(c, &ask, a) : status;
}

static RgStatus kick(RgKicker *k, const RgState *from, double h, bool trying, RgState *to)
{
    RgStepScope *c = k->scope;
    RgStatus status = prepare(k, from->u, h, trying, to);
    if (status != RG_OK)
        return status;
    RgState at = {.t = from->t + h, .x = to->x, .u = from->u, .memory = from->memory};
    double *own = c->scratch.a, *a = c->adapt.explicit_forces ? c->scratch.memory[EXPLICIT] : own;
    if (c->adapt.explicit_forces)
        status = rg_stage_acceleration(c, from->t, from->x, from->u, &(RgDynamicsAsk){.share = 1.0}, a);
    if (status == RG_OK)
        status = accelerate(k, &at, c->implicit_damping && a == own ? h : 0.0, own);
    if (status == RG_OK)
        rg_stage_turning_centred(c, from->u, h, a);
    for (int i = 0; i < c->form->nu && status == RG_OK; i++)
        to->u[i] = from->u[i] + h * a[i];
    to->t = at.t;
    RgContactAsk ask = rg_stage_ask(c, &at, h);
    return status == RG_OK ? rg_stage_solve(c, &ask, to) : status;
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
        status = accelerate(k, &at, 0.0, c->scratch.a);
    RgContactAsk ask = rg_stage_ask(c, &at, h);
    ask.implicit = false;
    return status == RG_OK ? rg_stage_solve(c, &ask, to) : status;
}

/* Whether the points of a pair are others than before. */
static bool other_points(const RgContactMemory *a, const RgRememberedPair *was, const RgContactMemory *b,
                         const RgRememberedPair *is)
{
    if (was->shape_a != is->shape_a || was->shape_b != is->shape_b || was->npoints != is->npoints)
        return true;
    for (int32_t i = 0; i < is->npoints; i++) {
        bool known = false;
        for (int32_t j = 0; j < was->npoints && !known; j++)
            known = a->points[was->first_point + j].id == b->points[is->first_point + i].id;
        if (!known)
            return true;
    }
    return false;
}

static bool manifolds_changed(const RgContactMemory *was, const RgContactMemory *is)
{
    bool changed = was->npairs != is->npairs;
    for (int32_t k = 0; k < is->npairs && !changed; k++)
        changed = other_points(was, &was->pairs[k], is, &is->pairs[k]);
    return changed;
}

RgStatus rg_kick_keep(RgKicker *k, const RgState *from, double h, const double *arrived, RgState *to)
{
    RgStepScope *c = k->scope;
    rg_work_add(&k->work, &c->report->work);
    if (c->contact == NULL)
        return RG_OK;
    c->log->statistics.degenerate += c->scene != NULL ? k->touches.degenerate : 0;
    c->log->statistics.manifold_changes += manifolds_changed(&from->memory, &to->memory) ? 1 : 0;
    RgContactEventsAsk ask = {.last = &from->memory,
                          .u = arrived,
                          .t = from->t + h,
                          .since = h,
                          .begin = from->t,
                          .impact_speed = IMPACT_SPEED};
    return rg_contact_events_find(c, &ask, to);
}

RgStatus rg_kicker_go(RgKicker *k, RgInnerStates *states, const double *u, RgInnerStep *step)
{
    rg_inner_states_glide(states, u, step->h);
    RgStatus status = rg_kick(k, states->now, step->h, states->next);
    if (status == RG_OK)
        status = rg_kick_keep(k, states->now, step->h, u, states->next);
    if (status == RG_OK)
        status = rg_stage_stabilise(k->scope, states->next);
    if (status == RG_OK)
        rg_inner_states_keep(states, u, step);
    return status;
}

RgStatus rg_kicker_advance(const RgInnerSteps *steps, const RgState *s0, double h, RgState *s1)
{
    RgStatus status = rg_kicker_begin(steps->kicker, steps->states, s0, s1);
    double left = h;
    while (left > 0.0 && status == RG_OK) {
        double inner = left;
        status = steps->go(steps->kicker->scope, left, &inner);
        left = inner < left ? left - inner : 0.0;
    }
    rg_kicker_end(steps->kicker, steps->states);
    return status;
}
