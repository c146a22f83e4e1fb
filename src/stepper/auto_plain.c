/*
 * auto_plain.c - plain steps with error control, without location of events.
 *
 * Step doubling: one semi-implicit step of h and two of h/2 (stepper_semi_implicit.c, first order) from the same state
 * end d apart (auto_error.c). With V = root of 2 T and S the size of the bodies the step is accepted if
 *
 *   d  <=  accuracy (h V + SIZE_PART S)
 *
 * and the end of the two halves is the next state. Velocities do not count: if a contact closes within the step they
 * differ by the whole impact, for any h, while positions differ by h times that. The term SIZE_PART S accepts such a
 * step: an impact of speed v needs h v <= accuracy SIZE_PART S.
 *
 * No step is shorter than h_min, nor than LEAST_PART of the outer one; steps of that length are accepted with any
 * error. If the world has shapes that can touch, these steps are reported as plain: no claim is made about the motion
 * in them.
 */
#include "stepper/auto.h"
#include "stepper/contact_events.h"

#include <string.h>

/* Part of the bodies' size by which the tolerance is larger, so that steps with impacts are accepted, see above. */
#define SIZE_PART 0.1

/* Parts of the outer step: the shortest inner step, and the first one if no length is known from before. */
#define LEAST_PART 1e-4
#define FIRST_PART 0.1

/* m/s: a contact that closes faster is reported as an impact. */
#define IMPACT_SPEED 0.05

bool rg_plain_alloc(RgArena *arena, RgStepScope *scope, RgPlain *out)
{
    int nbodies = scope->model->nbodies;
    *out = (RgPlain){
        .scope = scope, .method = rg_stepper_at(rg_stepper_find("semi-implicit")), .size = rg_auto_size(scope->model)};
    rg_state_alloc(arena, scope->form, &out->whole);
    rg_state_alloc(arena, scope->form, &out->half);
    rg_state_alloc(arena, scope->form, &out->halves);
    rg_state_alloc(arena, scope->form, &out->begin);
    for (int i = 0; i < 2; i++) {
        out->places[i] = RG_ARENA_ALLOC(arena, RgAutoPlace, nbodies);
        out->ends[i] = RG_ARENA_ALLOC(arena, RgBodyEnd, nbodies);
    }
    return !arena->failed;
}

void rg_plain_release(RgPlain *p)
{
    RgState *states[] = {&p->whole, &p->half, &p->halves, &p->begin};
    for (int i = 0; i < 4; i++)
        rg_state_release(p->scope, states[i]);
}

/* Events of contacts and limits by the solve of a step, which is at its start. Requires the form's kinematics there. */
static RgStatus report_events(RgPlain *p, const RgState *s0, double h, RgState *s1)
{
    RgStepScope *s = p->scope;
    if (s->contact == NULL)
        return RG_OK;
    RgContactEventsAsk ask = {.last = &s0->memory,
                              .u = s0->u,
                              .begin = s0->t,
                              .t = s0->t,
                              .uncertainty = h,
                              .since = h,
                              .impact_speed = IMPACT_SPEED,
                              .near = s->contact->setup.law.near_gap};
    if (s->contact->result.h > 0.0)
        return rg_contact_events_find(s, &ask, s1);
    rg_contact_events_end_all(s, &ask, s1);
    return RG_OK;
}

/* One plain step. reports: whether its events are reported. */
static RgStatus make_step(RgPlain *p, const RgState *s0, double h, bool reports, RgState *s1)
{
    RgStepScope *s = p->scope;
    s->call.h = h;
    s->call.joints_kept = false;
    s->report->work = (RgSolverWork){.total = 0.0};
    RgStatus status = p->method->step(s, s0, h, s1);
    if (status == RG_OK && reports)
        status = report_events(p, s0, h, s1);
    if (status == RG_OK)
        status = rg_stage_stabilise(s, s1);
    if (status == RG_OK)
        s->form->kind->settle(s->form, s1->x);
    s1->t = s0->t + h;
    return status;
}

/* One step of h (whole), and two of h/2 (half, halves). *error: their distance as a part of the tolerance. */
static RgStatus try_both(RgPlain *p, const RgState *s0, double h, double *error)
{
    RgStepScope *s = p->scope;
    RgForm *form = s->form;
    RgStatus status = make_step(p, s0, h, false, &p->whole);
    if (status == RG_OK)
        status = make_step(p, s0, 0.5 * h, true, &p->half);
    p->work = s->report->work;
    if (status == RG_OK)
        status = make_step(p, &p->half, 0.5 * h, true, &p->halves);
    rg_work_add(&p->work, &s->report->work);
    if (status != RG_OK)
        return status;
    form->kind->kinematics(form, p->whole.x, p->whole.u);
    rg_auto_places(form, p->places[0]);
    form->kind->kinematics(form, p->halves.x, p->halves.u);
    rg_auto_places(form, p->places[1]);
    double speed = fmax(rg_auto_speed(form, s0->u), rg_auto_speed(form, p->halves.u));
    double allowed = s->adapt.accuracy * (h * speed + SIZE_PART * p->size);
    double apart = rg_auto_distance(s->model, p->places[0], p->places[1]);
    *error = allowed > 0.0 ? apart / allowed : 0.0;
    return isfinite(*error) ? RG_OK : RG_ERR_NOT_FINITE;
}

void rg_plain_report(RgPlain *p, const RgState *from, const RgState *to, double h, RgCut cut)
{
    RgStepScope *s = p->scope;
    const RgState *states[2] = {from, to};
    for (int i = 0; i < 2 && s->log->step_fn != NULL; i++) {
        s->form->kind->kinematics(s->form, states[i]->x, states[i]->u);
        rg_body_ends(s->form, states[i]->u, p->ends[i]);
    }
    RgInnerStep step = {.t = from->t,
                        .h = h,
                        .path = RG_PATH_CURVE,
                        .plain = s->scene != NULL,
                        .begin = p->ends[0],
                        .end = p->ends[1],
                        .cut = cut,
                        .shape_a = -1,
                        .shape_b = -1,
                        .least_distance = (double)INFINITY};
    rg_step_log_inner(s->log, &step);
    s->report->substeps++;
}

RgStatus rg_plain_advance(RgPlain *p, const RgState *s0, double t, double *h_next, RgState *s1)
{
    RgStepScope *s = p->scope;
    double outer = t - s0->t, least = fmax(s->adapt.h_min, LEAST_PART * outer), before = 1.0;
    double h = *h_next > 0.0 ? *h_next : FIRST_PART * outer;
    const RgState *from = s0;
    RgSolverWork work = {.total = 0.0};
    RgStatus status = RG_OK;
    while (from->t < t) {
        double left = t - from->t, error;
        double most = fmin(left, s->adapt.h_max), length = fmin(fmax(h, least), most);
        if (left - length < RG_LOCATED_ROUND_OFF * outer)
            length = left;
        RgStepLogMark mark = rg_step_log_mark(s->log);
        if ((status = try_both(p, from, length, &error)) != RG_OK)
            return status;
        double next = rg_auto_next_length(length, error, before, 1);
        if (error > 1.0 && length > least) {
            rg_step_log_rewind(s->log, &mark);
            rg_step_log_rejected(s->log, RG_CUT_error);
            s->report->rejected++;
            h = fmin(next, 0.5 * length);
            continue;
        }
        rg_work_add(&work, &p->work);
        rg_plain_report(p, from, &p->halves, length,
                        error > 1.0     ? RG_CUT_least
                        : length < left ? RG_CUT_error
                                        : RG_CUT_whole);
        h = length < 0.5 * h ? fmax(h, next) : next;
        before = error;
        p->halves.t = length == left ? t : from->t + length;
        RgState old = p->begin;
        p->begin = p->halves;
        p->halves = old;
        from = &p->begin;
    }
    *h_next = h;
    s->call.h = outer;
    s->report->work = work;
    s->report->contact_work = work.total;
    if (from == s0)
        rg_state_copy(s->form, s0, s1);
    else
        rg_state_transfer(s->form, &p->begin, s1);
    return RG_OK;
}
