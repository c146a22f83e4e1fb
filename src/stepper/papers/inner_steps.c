/*
 * inner_steps.c - inner steps at constant velocities, by the stages that all steppers share.
 *
 * Contacts of a velocity update are all points within the gap, with their gap set to zero, so that solvers of every
 * kind prevent approaching velocities and correct nothing. Points farther away are kept apart by the advancement of the
 * stepper, down to steps of h_min. Points at a gap g that can be reached within h_min are included: a solver bounds the
 * velocity of a step h by -g'/h, so g' = (g - gap/2) h/h_min bounds it by what may be closed within h_min. With the
 * default h_min these points are at most 1e-8 s of motion away.
 *
 * With explicit_forces accelerations are those of (x0, u0), the paper's explicit variant.
 *
 * For free bodies that turn about their centre of mass w x I w is evaluated by the midpoint rule (turning.c): they gain
 * no energy, however fast they turn. For all other bodies the stepper limits the rotation in a step.
 *
 * Contact memories are swapped between states, never copied.
 */
#include "stepper/papers/inner_steps.h"

#include "contact/shape_pairs.h"
#include "stepper/separate.h"

#include <stdio.h>
#include <string.h>

/* Parts of RgAdaptOptions.gap: if some gap is below SUNK, all gaps below NEIGHBOURS are constrained to at least 1/2,
   with tolerance CORRECTION_ERROR. */
#define SUNK 0.375
#define NEIGHBOURS 4.0
#define CORRECTION_ERROR 0.01
/* m/s: contacts that close slower are not reported as impacts. */
#define IMPACT_SPEED 1e-3

/* Index into scratch.memory of the accelerations at the start of a step. */
enum { EXPLICIT = 2 };

bool rg_inner_steps_alloc(RgArena *arena, RgStepScope *scope, RgInnerSteps *out)
{
    const RgModel *m = scope->model;
    *out = (RgInnerSteps){.scope = scope};
    rg_state_alloc(arena, scope->form, &out->own);
    for (int i = 0; i < 2; i++)
        out->ends[i] = RG_ARENA_ALLOC(arena, RgBodyEnd, m->nbodies);
    out->q = RG_ARENA_ALLOC(arena, double, m->nq);
    out->v = RG_ARENA_ALLOC(arena, double, m->nv);
    out->x_path = RG_ARENA_ALLOC(arena, double, scope->form->nx);
    out->u_path = RG_ARENA_ALLOC(arena, double, scope->form->nu);
    out->projector = rg_gap_projector_alloc(arena, scope->form, scope->constraints);
    return rg_advancement_alloc(arena, scope, &out->advancement) && out->projector != NULL && !arena->failed &&
           rg_touch_set_init(&out->contacts.touch, &scope->log->allocator);
}

bool rg_inner_steps_prepare(RgArena *arena, RgStepScope *scope)
{
    RgInnerSteps *steps = RG_ARENA_ALLOC(arena, RgInnerSteps, 1);
    scope->stepper_data = steps;
    return steps != NULL && rg_inner_steps_alloc(arena, scope, steps);
}

RgStatus rg_inner_steps_check(RgStepScope *scope, RgError *error)
{
    scope->located = scope->adapt.gap;
    return rg_shape_pairs_check(scope->scene, error);
}

void rg_inner_steps_release(RgStepScope *scope)
{
    RgInnerSteps *s = scope->stepper_data;
    if (s == NULL || s->scope == NULL)
        return;
    const RgAllocator *allocator = &scope->log->allocator;
    rg_state_release(scope, &s->own);
    rg_contact_set_free(&s->contacts, allocator);
    if (s->projector != NULL)
        rg_gap_projector_free(s->projector);
    rg_free(allocator, s->constraints.gap_constraints);
    rg_free(allocator, s->constraints.list);
    rg_free(allocator, s->held.list);
}

/* ------------------------------------------------------------------ contacts */

/* Finds all points within the gap plus the distance by which any two shapes can approach within h_min. */
static RgStatus find_contacts(RgInnerSteps *s, const double *x, const double *u)
{
    RgStepScope *c = s->scope;
    double most = 0.0;
    c->form->kind->kinematics(c->form, x, u);
    RgStatus status = rg_contact_scene_place(c->scene, c->form->kin);
    for (int i = 0; i < c->model->nshapes; i++)
        most = fmax(most, v3_norm(c->scene->velocity[i]) + c->scene->spin[i]);
    double reach = c->adapt.gap + 2.0 * c->adapt.h_min * most;
    return status == RG_OK ? rg_contact_set_placed(c, reach, &s->contacts) : status;
}

/* Sets the gaps g' that solvers use in a step of h, see above. */
static void set_solver_gaps(RgInnerSteps *s, double h)
{
    const RgAdaptOptions *adapt = &s->scope->adapt;
    RgTouchSet *touch = &s->contacts.touch;
    for (int i = 0; i < touch->view.npoints; i++) {
        double gap = touch->view.points[i].gap;
        rg_touch_set_override_gap(touch, i, gap > adapt->gap ? (gap - 0.5 * adapt->gap) * (h / adapt->h_min) : 0.0);
    }
}

/* Finds the contacts at x; if gaps are too small, x is corrected first. */
static RgStatus correct_gaps(RgInnerSteps *s, double *x, const double *u)
{
    const RgTouchSet *touch = &s->contacts.touch;
    double gap = s->scope->adapt.gap;
    int32_t at;
    int count = 0;
    RgGapProjection projection;
    RgStatus status = find_contacts(s, x, u);
    if (status != RG_OK || !(rg_contact_set_lowest(&s->contacts, &at) < SUNK * gap))
        return status;
    if (!rg_persistent_reserve(&s->constraints, &s->scope->log->allocator, touch->view.npoints))
        return RG_ERR_MEMORY;
    for (int i = 0; i < touch->view.npoints; i++)
        if (touch->view.points[i].gap <= NEIGHBOURS * gap)
            s->constraints.gap_constraints[count++] = rg_gap_at_least(touch->gaps[i], 0.5 * gap);
    status =
        rg_project_gaps(s->projector, s->constraints.gap_constraints, count, CORRECTION_ERROR * gap, x, &projection);
    return status == RG_OK || status == RG_ERR_NOT_CONVERGED ? find_contacts(s, x, u) : status;
}

static const char *shape_name(const RgModel *m, int32_t shape)
{
    const RgShapeDef *def = &m->shapes[shape].def;
    if (def->name != NULL)
        return def->name;
    return def->link.i > 0 ? m->links[def->link.i - 1].def.name : "world";
}

/* If shapes overlap by more than the gap, refuses the state, or continues from a copy in which they are separated. */
static RgStatus separate_start(RgInnerSteps *s, const RgState *s0)
{
    RgStepScope *c = s->scope;
    int32_t at = 0;
    RgStatus status = find_contacts(s, s0->x, s0->u);
    double low = status == RG_OK ? rg_contact_set_lowest(&s->contacts, &at) : 0.0;
    if (status != RG_OK || !(low < -c->adapt.gap))
        return status;
    const RgGap *gap = &s->contacts.touch.gaps[at];
    snprintf(c->report->offender, sizeof c->report->offender, "'%.40s' and '%.40s' overlap by %.3g m",
             shape_name(c->model, gap->shape_a), shape_name(c->model, gap->shape_b), -low);
    if (!c->adapt.separate)
        return RG_ERR_OVERLAP;
    rg_state_copy(c->form, s0, &s->own);
    rg_contact_memory_clear(&s->own.memory);
    status = rg_separate(c, s->projector, &s->own, 0.5 * c->adapt.gap);
    if (status != RG_OK)
        return status == RG_ERR_NOT_CONVERGED ? RG_ERR_OVERLAP : status;
    c->report->offender[0] = '\0';
    s->now = &s->own;
    return RG_OK;
}

/* ------------------------------------------------------------------ velocities */

RgStatus rg_inner_step_store_contacts(RgInnerSteps *s)
{
    s->held.count = 0;
    if (s->scope->scene == NULL)
        return RG_OK;
    RgStatus status = find_contacts(s, s->now->x, s->now->u);
    bool noted = status == RG_OK && rg_previous_contacts_note(&s->held, &s->contacts.touch, &s->scope->log->allocator);
    return status == RG_OK && !noted ? RG_ERR_MEMORY : status;
}

/* Finds the contacts at to->x: in trials the stored ones, otherwise all, with corrected gaps. */
static RgStatus prepare_contacts(RgInnerSteps *s, const double *arrived, double h, bool trial, RgState *to)
{
    RgContactSet *set = &s->contacts;
    s->scope->report->work = (RgSolverWork){0};
    if (s->scope->scene == NULL)
        return RG_OK;
    RgStatus status = trial ? find_contacts(s, to->x, arrived) : correct_gaps(s, to->x, arrived);
    if (status != RG_OK)
        return status;
    for (int32_t i = 0; i < set->touch.view.npoints && trial; i++)
        set->keep[i] = rg_was_contact(&s->held, rg_gap_key(&set->touch.gaps[i]));
    if (trial)
        rg_touch_set_filter(&set->touch, set->keep, (double)NAN);
    set_solver_gaps(s, h);
    return RG_OK;
}

/* Velocity update at to->x, h after from: with forces, or of the impulses alone (impact). */
static RgStatus update_velocity(RgInnerSteps *s, const RgState *from, RgVelocityUpdate ask, RgState *to)
{
    RgState at = {.t = from->t + ask.contact.h, .x = to->x, .u = (double *)ask.from, .memory = from->memory};
    ask.at = &at;
    ask.contact.contacts = &s->contacts.touch.view;
    ask.contact.correct = true;
    return rg_velocity_update(s->scope, &ask, NULL, to);
}

/* Velocities after h by forces and contacts at to->x. */
static RgStatus find_velocities(RgInnerSteps *s, const RgState *from, double h, bool trial, RgState *to)
{
    RgStepScope *c = s->scope;
    RgVelocityUpdate ask = {.from = from->u, .contact = {.h = h}, .midpoint = true};
    RgStatus status = prepare_contacts(s, from->u, h, trial, to);
    if (status == RG_OK && c->adapt.explicit_forces) {
        ask.acceleration = c->scratch.memory[EXPLICIT];
        status = rg_stage_acceleration(c, from->t, from->x, from->u, &(RgDynamicsAsk){.share = 1.0}, ask.acceleration);
    }
    to->t = from->t + h;
    return status == RG_OK ? update_velocity(s, from, ask, to) : status;
}

RgStatus rg_inner_step_try(RgInnerSteps *s, const RgState *from, double h, RgState *to)
{
    return find_velocities(s, from, h, true, to);
}

RgStatus rg_inner_step_impact(RgInnerSteps *s, double h, const double *arrived)
{
    RgVelocityUpdate ask = {.from = arrived, .contact = {.h = h}, .impact = true};
    if (s->scope->contact == NULL)
        return RG_OK;
    RgStatus status = prepare_contacts(s, arrived, h, false, s->next);
    return status == RG_OK ? update_velocity(s, s->now, ask, s->next) : status;
}

/* ------------------------------------------------------------------ accepted steps */

/* Whether the contact points of a pair have changed. */
static bool points_changed(const RgContactMemory *a, const RgRememberedPair *was, const RgContactMemory *b,
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
        changed = points_changed(was, &was->pairs[k], is, &is->pairs[k]);
    return changed;
}

/* Reports the events of the last velocity update, which is accepted. */
static RgStatus report_events(RgInnerSteps *s, double h, const double *arrived)
{
    RgStepScope *c = s->scope;
    rg_work_add(&s->work, &c->report->work);
    if (c->contact == NULL)
        return RG_OK;
    c->log->statistics.degenerate += c->scene != NULL ? s->contacts.touch.degenerate : 0;
    c->log->statistics.manifold_changes += manifolds_changed(&s->now->memory, &s->next->memory) ? 1 : 0;
    RgContactEventsAsk ask = {.last = &s->now->memory,
                              .u = arrived,
                              .t = s->now->t + h,
                              .since = h,
                              .begin = s->now->t,
                              .impact_speed = IMPACT_SPEED};
    return rg_contact_events_find(c, &ask, s->next);
}

/* Constant velocities that lead from x0 to x1 in h. */
static void velocities_between(const RgForm *form, const double *x0, const double *x1, double h, double *u)
{
    bool maximal = form->kind->joints_are_rows;
    for (int i = 0; i < form->model->nbodies; i++) {
        const RgBody *b = &form->model->bodies[i];
        const RgJointKind *kind = maximal ? rg_joint_kind(RG_JOINT_free) : b->kind;
        int q0 = maximal ? 7 * i : b->q0, v0 = maximal ? 6 * i : b->v0, nv = maximal ? 6 : b->nv;
        kind->difference(x0 + q0, x1 + q0, u + v0);
        for (int k = v0; k < v0 + nv; k++)
            u[k] /= h;
    }
}

/* Velocities of the reported path: u, or if positions were corrected the velocities that lead to them. */
static const double *path_velocities(RgInnerSteps *s, const double *u, double h)
{
    const RgForm *form = s->scope->form;
    int places = form->kind->joints_are_rows ? 7 * s->scope->model->nbodies : form->nx;
    for (int k = 0; k < form->nu; k++)
        s->u_path[k] = h * u[k];
    form->kind->integrate(form, s->now->x, s->u_path, s->x_path);
    if (memcmp(s->x_path, s->next->x, (size_t)places * sizeof *s->x_path) == 0)
        return u;
    memcpy(s->u_path, u, (size_t)form->nu * sizeof *u);
    velocities_between(form, s->now->x, s->next->x, h, s->u_path);
    return s->u_path;
}

static void report_path(RgInnerSteps *s, const double *u, RgInnerStep *step)
{
    RgForm *form = s->scope->form;
    u = path_velocities(s, u, step->h);
    form->kind->kinematics(form, s->now->x, u);
    rg_body_ends(form, NULL, s->ends[0]);
    memcpy(s->q, form->q, (size_t)form->model->nq * sizeof *s->q);
    memcpy(s->v, form->v, (size_t)form->model->nv * sizeof *s->v);
    form->kind->kinematics(form, s->next->x, u);
    rg_body_ends(form, NULL, s->ends[1]);
    step->q = s->q;
    step->v = s->v;
    step->begin = s->ends[0];
    step->end = s->ends[1];
}

RgStatus rg_inner_step_accept(RgInnerSteps *s, const double *u, const double *arrived, RgInnerStep *step)
{
    RgStepScope *c = s->scope;
    RgStatus status = report_events(s, step->h, arrived);
    if (status == RG_OK)
        status = rg_stage_stabilise(c, s->next);
    if (status != RG_OK)
        return status;
    step->path = RG_PATH_RATES;
    step->t = s->now->t;
    if (c->log->step_fn != NULL)
        report_path(s, u, step);
    rg_step_log_inner(c->log, step);
    c->report->substeps++;
    c->report->h = step->h;
    s->next->t = s->now->t + step->h;
    s->now = s->next;
    s->next = s->now == &s->own ? s->out : &s->own;
    return RG_OK;
}

/* ------------------------------------------------------------------ steps */

void rg_inner_step_move(RgInnerSteps *s, const double *u, double h)
{
    const RgForm *form = s->scope->form;
    double *move = s->scope->scratch.memory[0];
    for (int k = 0; k < form->nu; k++)
        move[k] = h * u[k];
    form->kind->integrate(form, s->now->x, move, s->next->x);
}

RgStatus rg_inner_steps_input(RgInnerSteps *s)
{
    const RgState *now = s->now;
    return s->scope->adapt.hold_input ? rg_stage_sample_input(s->scope, now->t, now->x, now->u) : RG_OK;
}

RgInnerStep rg_inner_step_of(const RgStepScope *c, const RgAdvance *safe, double most)
{
    bool least = safe->time < c->adapt.h_min && safe->time < most;
    return (RgInnerStep){.h = least ? fmin(c->adapt.h_min, most) : safe->time,
                         .cut = least ? RG_CUT_least : safe->cut,
                         .shape_a = safe->shape_a,
                         .shape_b = safe->shape_b,
                         .bound = safe->time,
                         .least_distance = safe->least};
}

RgStatus rg_inner_step_run(RgInnerSteps *s, RgInnerStep *step)
{
    const double *u = s->now->u;
    rg_inner_step_move(s, u, step->h);
    RgStatus status = find_velocities(s, s->now, step->h, false, s->next);
    return status == RG_OK ? rg_inner_step_accept(s, u, u, step) : status;
}

RgStatus rg_inner_steps_advance(RgStepScope *c, RgInnerStepRun *go, const RgState *s0, double h, RgState *s1)
{
    RgInnerSteps *s = c->stepper_data;
    s->work = (RgSolverWork){0};
    s->now = s0;
    s->next = s->out = s1;
    bool stepped_to = s0->memory.h > 0.0;
    RgStatus status = c->scene == NULL || stepped_to ? RG_OK : separate_start(s, s0);
    double left = h;
    while (left > 0.0 && status == RG_OK) {
        double inner = left;
        status = go(c, left, &inner);
        left = inner < left ? left - inner : 0.0;
    }
    c->report->work = s->work;
    c->report->contact_work = s->work.total;
    c->input.sampled = false;
    if (s->now == &s->own)
        rg_state_transfer(c->form, &s->own, s->out);
    return status;
}
