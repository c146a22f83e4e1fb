/*
 * auto_located.c - located inner steps (located.h) with error control.
 *
 * In contact: step doubling. An inner step of h and two of h/2 from the same state, without proofs and reports, end d
 * apart in position and e apart in speed (auto_error.c). With V the larger speed of both ends, and A h the speed that
 * the step adds, the step is accepted if
 *
 *   d  <=  accuracy (h V + h A h / 2) + NEGLIGIBLE gap sqrt(m)
 *   e  <=  accuracy (A h + STEADY V) + NEGLIGIBLE RG_LOCATED_REST sqrt(m)
 *
 * So the sum of the errors of all steps is at most this part of the distance, and of the change of speed, of all steps.
 * If a new contact closes at the end of the step only d counts: speeds before and after an impact cannot be compared.
 * The step is of second order, so d/(h V) and e/(A h) grow as h^2.
 *
 * A cheaper estimate comes first: the two half updates add (U - u0) and (u1 - U). With w = |u1 - 2 U + u0| =
 * h/2 |a1 - a0| the position error is about h w / 3, and the speed error less than w / 3. If these are below
 * CHEAP_ENOUGH of the tolerance, the two steps of half the length are not made.
 *
 * In flight the integrator has its own error control (flight.c). The proven path is a cubic between the ends of the
 * step, so the step is accepted if the position half way lies on it to the same tolerance, or if no shape is nearer
 * than the deviation.
 *
 * Plain steps (auto_plain.c) are cheaper where many bodies rattle: if more than POINTS_FEW points touch and the outer
 * step has more than EVENTS_MOST events that are less than EVENTS_APART apart on average (plain steps of the default
 * accuracy have about this length, and cost about the same), or if more than POINTS_MOST points touch.
 */
#include "stepper/auto.h"

#include <string.h>

/* Part of the tolerance: if the estimate by the half updates is below it, no steps of half the length are made. */
#define CHEAP_ENOUGH 0.3

/* Parts of the gap and of RG_LOCATED_REST: errors below these are always accepted, also of bodies at rest. */
#define NEGLIGIBLE 1e-3
/* Part of the steady speed by which the speed tolerance is larger, for steps that add little speed. */
#define STEADY 0.05

/* Thresholds of the change to plain steps, see above: events, s, contact points. */
#define EVENTS_MOST 8
#define EVENTS_APART 1e-3
#define POINTS_FEW 24
#define POINTS_MOST 256

/* m: largest overlap left by plain steps that located steps remove; larger ones are an error. */
#define LEFT_OVER 1e-4

/* Limit of inner steps in an outer one: a safeguard against endless loops. Then plain steps complete it. */
#define MOST_STEPS 1000000

static RgStatus integrate_flight(void *context, const RgState *begin, double h, RgState *end)
{
    RgAutoLocated *a = context;
    a->flight->h_next = fmin(a->flight->h_next, h);
    return rg_flight_integrate(a->flight, begin, h, a->scope->scene != NULL, end);
}

bool rg_auto_located_alloc(RgArena *arena, RgStepScope *scope, RgFlight *flight, RgAutoLocated *out)
{
    *out = (RgAutoLocated){.scope = scope, .flight = flight, .size = rg_auto_size(scope->model)};
    for (int i = 0; i < 2; i++)
        out->places[i] = RG_ARENA_ALLOC(arena, RgAutoPlace, scope->model->nbodies);
    out->u = RG_ARENA_ALLOC(arena, double, scope->form->nu);
    out->difference = RG_ARENA_ALLOC(arena, double, scope->form->nu);
    for (int i = 0; i < scope->model->nbodies; i++)
        out->mass += scope->model->bodies[i].inertia.mass;
    bool taken =
        !arena->failed && rg_located_alloc(arena, scope, &out->steps) && rg_located_alloc(arena, scope, &out->halves);
    out->steps.smooth = (RgSmoothMotion){integrate_flight, out};
    out->halves.unproven = true;
    return taken;
}

RgStatus rg_auto_located_check(RgAutoLocated *a, RgError *error)
{
    RgStatus status = rg_located_check(&a->steps, error);
    return status == RG_OK ? rg_located_check(&a->halves, error) : status;
}

void rg_auto_located_release(RgAutoLocated *a)
{
    rg_located_release(&a->steps);
    rg_located_release(&a->halves);
}

/* ------------------------------------------------------------------ errors */

/* Motion in a step, which tolerances refer to: way: h V + h A h / 2; speed: A h; steady: V. */
typedef struct Scale {
    double way, speed, steady;
} Scale;

/* Requires the form's kinematics at the end of the step. lands: uses the velocity before impacts. */
static Scale measure_motion(RgAutoLocated *a, double h, bool lands)
{
    const RgForm *form = a->scope->form;
    const RgLocated *l = &a->steps;
    const double *begin = l->states.begin.u, *end = lands ? l->path.u[1] : l->states.end.u;
    for (int k = 0; k < form->nu; k++)
        a->difference[k] = end[k] - begin[k];
    double steady = fmax(rg_auto_speed(form, begin), rg_auto_speed(form, end));
    double added = rg_auto_speed(form, a->difference);
    return (Scale){h * (steady + 0.5 * added), added, steady};
}

/* Distance of places[0] and places[1] as a part of the tolerance. */
static double place_error(const RgAutoLocated *a, const Scale *scale)
{
    const RgAdaptOptions *adapt = &a->scope->adapt;
    double apart = rg_auto_distance(a->scope->model, a->places[0], a->places[1]);
    return apart / (adapt->accuracy * scale->way + NEGLIGIBLE * adapt->gap * sqrt(a->mass));
}

/* Two steps of h/2 from the start of the step of h. */
static RgStatus make_halves(RgAutoLocated *a, double h)
{
    RgLocated *l = &a->halves;
    RgStatus status = RG_OK;
    rg_state_copy(a->scope->form, &a->steps.states.begin, &l->states.begin);
    l->states.last = a->steps.states.last;
    for (int i = 0; i < 2 && status == RG_OK; i++) {
        RgTrial trial;
        l->gap = a->steps.gap;
        status = rg_located_find_contacts(l, 0.5 * h);
        if (status == RG_OK)
            status = rg_located_trial(l, 0.5 * h, &trial);
        l->states.end.t = l->states.begin.t + 0.5 * h;
        rg_located_accept(l);
    }
    return status;
}

/* kg^(1/2) m/s: tolerance of the speed at the end. */
static double speed_allowed(const RgAutoLocated *a, const Scale *scale)
{
    return a->scope->adapt.accuracy * (scale->speed + STEADY * scale->steady) +
           NEGLIGIBLE * RG_LOCATED_REST * sqrt(a->mass);
}

/* Error estimate by the difference of the accelerations of both halves, as a part of the tolerance. Requires the form's
   kinematics at the end. */
static double error_by_updates(RgAutoLocated *a, double h)
{
    const RgForm *form = a->scope->form;
    const RgAdaptOptions *adapt = &a->scope->adapt;
    const RgLocatedStates *states = &a->steps.states;
    Scale scale = measure_motion(a, h, false);
    for (int k = 0; k < form->nu; k++)
        a->difference[k] = states->end.u[k] - 2.0 * states->mid.u[k] + states->begin.u[k];
    double speed = rg_auto_speed(form, a->difference) / 3.0;
    double place = h * speed / (adapt->accuracy * scale.way + NEGLIGIBLE * adapt->gap * sqrt(a->mass));
    return fmax(place, speed / speed_allowed(a, &scale));
}

/* Error as a part of the tolerance, by two steps of half the length. */
static RgStatus error_by_halves(RgAutoLocated *a, double h, bool lands, double *error)
{
    RgForm *form = a->scope->form;
    RgStatus status = make_halves(a, h);
    if (status != RG_OK)
        return status;
    const RgState *two = &a->halves.states.begin, *one = &a->steps.states.end;
    form->kind->kinematics(form, two->x, two->u);
    rg_auto_places(form, a->places[1]);
    form->kind->kinematics(form, one->x, one->u);
    rg_auto_places(form, a->places[0]);
    Scale scale = measure_motion(a, h, lands);
    *error = place_error(a, &scale);
    if (lands)
        return RG_OK;
    for (int k = 0; k < form->nu; k++)
        a->difference[k] = one->u[k] - two->u[k];
    *error = fmax(*error, rg_auto_speed(form, a->difference) / speed_allowed(a, &scale));
    return RG_OK;
}

/* m: largest deviation of any body's points from its path half way; the distance of its points from the centre of mass
   is estimated by twice the radius of gyration. */
static double deviation_from_path(const RgAutoLocated *a)
{
    const RgModel *m = a->scope->model;
    double most = 0.0;
    for (int i = 0; i < m->nbodies; i++) {
        const RgInertia *inertia = &m->bodies[i].inertia;
        double reach = 2.0 * sqrt((inertia->I.xx + inertia->I.yy + inertia->I.zz) / inertia->mass);
        double turn2 = 0.0;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) {
                double d = a->places[0][i].R.m[r][c] - a->places[1][i].R.m[r][c];
                turn2 += d * d;
            }
        double off = v3_norm(v3_sub(a->places[0][i].centre, a->places[1][i].centre));
        most = fmax(most, off + reach * sqrt(turn2));
    }
    return most;
}

/* Deviation of the proven path from the flight half way, as a part of the tolerance. 4 if the flight took several
   integrator steps: there is no state half way, and the step is repeated shorter. */
static double path_error(RgAutoLocated *a, double h, const RgTrial *trial)
{
    RgForm *form = a->scope->form;
    const RgLocated *l = &a->steps;
    if (l->path.proofs == NULL || trial->proof.pairs == 0)
        return 0.0;
    if (!a->flight->whole)
        return 4.0;
    form->kind->kinematics(form, a->flight->x_mid, l->states.end.u);
    rg_auto_places(form, a->places[0]);
    for (int i = 0; i < form->model->nbodies; i++) {
        RgPose X = rg_body_path_pose(&l->path.bodies[i], 0.5 * h);
        a->places[1][i] = (RgAutoPlace){pose_apply(X, form->model->bodies[i].inertia.com), X.R};
    }
    Scale scale = measure_motion(a, h, true);
    return trial->proof.least > 2.0 * deviation_from_path(a) ? 0.0 : place_error(a, &scale);
}

/* ------------------------------------------------------------------ inner steps */

/* Progress of an outer step. */
typedef struct Progress {
    double end;    /* s: time at which it ends */
    double want;   /* s: length of the next inner step by error control */
    double before; /* error of the last inner step */
    int events;
    RgSolverWork work;
    const RgState *from; /* start of the outer step; NULL: its first inner step has been reported */
} Progress;

/* Rejects the inner step: restores the log and the velocities at its start. */
static void reject_step(RgAutoLocated *a, const RgStepLogMark *mark)
{
    rg_step_log_rewind(a->scope->log, mark);
    rg_step_log_rejected(a->scope->log, RG_CUT_error);
    a->scope->report->rejected++;
    memcpy(a->steps.states.begin.u, a->u, (size_t)a->scope->form->nu * sizeof *a->u);
}

/* Computes the error of the step just made, and the length of the next one. */
static RgStatus evaluate_error(RgAutoLocated *a, Progress *c, const RgSearch *search, const RgTrial *trial,
                               double *error)
{
    double wanted = c->want, next;
    RgStatus status = RG_OK;
    if (trial->flew) {
        *error = path_error(a, search->h, trial);
        next = a->flight->h_next;
        if (*error > 1.0)
            next = 0.8 * search->h / sqrt(sqrt(*error));
    } else {
        RgForm *form = a->scope->form;
        form->kind->kinematics(form, a->steps.states.end.x, a->steps.states.end.u);
        *error = trial->lands ? (double)INFINITY : error_by_updates(a, search->h);
        if (!(*error <= CHEAP_ENOUGH))
            status = error_by_halves(a, search->h, trial->lands, error);
        next = rg_auto_next_length(search->h, *error, c->before, 2);
    }
    if (status != RG_OK)
        return status;
    c->want = *error <= 1.0 && search->h < 0.5 * wanted ? fmax(wanted, next) : next;
    return isfinite(*error) ? RG_OK : RG_ERR_NOT_FINITE;
}

/* If shapes left overlapping by plain steps were separated before the first inner step, reports that as a step of
   length 0. */
static void report_push(RgAutoLocated *a, const RgState *from)
{
    RgForm *form = a->scope->form;
    const RgState *to = &a->steps.states.begin;
    RgBodyEnd *begin = a->halves.path.ends[0], *end = a->halves.path.ends[1];
    bool moved = false;
    if (a->scope->log->step_fn == NULL)
        return;
    form->kind->kinematics(form, from->x, from->u);
    rg_body_ends(form, from->u, begin);
    form->kind->kinematics(form, to->x, to->u);
    rg_body_ends(form, to->u, end);
    for (int i = 0; i < a->scope->model->nbodies; i++) {
        moved = moved || memcmp(&begin[i].X_WB, &end[i].X_WB, sizeof begin[i].X_WB) != 0;
        begin[i] = rg_body_end_at_rest(begin[i]);
        end[i] = rg_body_end_at_rest(end[i]);
    }
    RgInnerStep push = {.t = from->t,
                        .path = RG_PATH_CURVE,
                        .begin = begin,
                        .end = end,
                        .shape_a = -1,
                        .shape_b = -1,
                        .least_distance = (double)INFINITY};
    if (moved)
        rg_step_log_inner(a->scope->log, &push);
}

/* One inner step and its error. *taken: it is accepted; otherwise it is rejected. */
static RgStatus try_step(RgAutoLocated *a, Progress *c, bool *taken)
{
    RgStepScope *s = a->scope;
    RgLocated *l = &a->steps;
    RgState *begin = &l->states.begin;
    RgStepLogMark mark = rg_step_log_mark(s->log);
    double left = c->end - begin->t, most = fmin(fmin(left, s->adapt.h_max), c->want), error = 0.0;
    RgSearch search;
    RgTrial trial = {.proof = {.shape_a = -1}};
    memcpy(a->u, begin->u, (size_t)s->form->nu * sizeof *a->u);
    a->flight->h_next = c->want;
    RgStatus status = rg_located_inner(l, most, &search, &trial);
    if (status != RG_OK) {
        memcpy(begin->u, a->u, (size_t)s->form->nu * sizeof *a->u);
        return status;
    }
    bool at_end = search.h >= left * (1.0 - RG_LOCATED_ROUND_OFF);
    l->states.end.t = at_end ? c->end : begin->t + search.h;
    RgSolverWork work = l->work;
    if ((status = rg_located_report_events(l, &search)) != RG_OK)
        return status;
    if ((status = evaluate_error(a, c, &search, &trial, &error)) != RG_OK) {
        reject_step(a, &mark);
        return status;
    }
    *taken = error <= 1.0 || search.h <= 2.0 * s->adapt.h_min;
    if (!*taken) {
        reject_step(a, &mark);
        return RG_OK;
    }
    c->events += search.cut != RG_CUT_whole && search.cut != RG_CUT_turn;
    if (search.cut == RG_CUT_whole && !at_end)
        search.cut = RG_CUT_error;
    c->before = error;
    if (c->from != NULL)
        report_push(a, c->from);
    c->from = NULL;
    rg_located_report_step(l, &search, &trial);
    rg_work_add(&c->work, &work);
    rg_located_accept(l);
    return RG_OK;
}

/* Whether plain steps are cheaper. since: time since the start of the outer step, s. */
static bool plain_is_cheaper(const RgAutoLocated *a, const Progress *c, double since)
{
    int points = a->steps.contacts_begin.touch.view.npoints;
    return points > POINTS_MOST || (points > POINTS_FEW && c->events > EVENTS_MOST && since < c->events * EVENTS_APART);
}

/* Starts an outer step at s0, and removes small overlaps left by plain steps. */
static RgStatus start_outer_step(RgAutoLocated *a, const RgState *s0)
{
    RgStepScope *s = a->scope;
    const RgContactSet *set = &a->steps.contacts_begin;
    RgStatus status = rg_located_start(&a->steps, s0, s->adapt.separate);
    int32_t points = set->touch.view.npoints, at;
    if (s->scene != NULL && status != RG_OK && points > POINTS_FEW)
        return status;
    if (status == RG_OK && s->scene != NULL && points > POINTS_MOST)
        return RG_ERR_NOT_CONVERGED;
    if (status != RG_ERR_OVERLAP || s->adapt.separate || rg_contact_set_lowest(set, &at) < -LEFT_OVER)
        return status;
    return rg_located_start(&a->steps, s0, true);
}

/* Failures after which plain steps may continue. */
static bool can_continue(RgStatus status)
{
    return status == RG_ERR_NOT_CONVERGED || status == RG_ERR_OVERLAP;
}

RgStatus rg_auto_located_advance(RgAutoLocated *a, const RgState *s0, double t, double *h_next, RgState *s1)
{
    RgStepScope *s = a->scope;
    Progress c = {.end = t, .want = *h_next > 0.0 ? *h_next : t - s0->t, .before = 1.0, .from = s0};
    a->steps.nominal = t - s0->t;
    RgStatus status = start_outer_step(a, s0);
    bool enough = false;
    for (int i = 0; status == RG_OK && a->steps.states.begin.t < t && !enough; i++) {
        bool taken = false;
        status = i < MOST_STEPS ? try_step(a, &c, &taken) : RG_ERR_NOT_CONVERGED;
        enough = status == RG_OK && taken && plain_is_cheaper(a, &c, a->steps.states.begin.t - s0->t);
    }
    if (status != RG_OK && !can_continue(status))
        return status;
    *h_next = c.want;
    s->call.h = t - s0->t;
    s->report->offender[0] = '\0';
    s1->t = a->steps.states.begin.t;
    if (s1->t > s0->t)
        rg_located_finish(&a->steps, &c.work, s1);
    return RG_OK;
}
