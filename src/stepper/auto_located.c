/*
 * auto_located.c - located inner steps (located.h) whose length is chosen by their error.
 *
 * In contact. An inner step of h, and two of h/2 from the same state that prove and report nothing, end d apart in
 * place and e apart in speed (auto_error.c). With V the larger speed of both ends, and A h the speed that the step
 * adds, it is taken if
 *
 *   d  <=  accuracy (h V + h A h / 2) + FLOOR gap sqrt(m)            e  <=  accuracy (A h + STEADY V) + FLOOR REST sqrt(m)
 *
 * so the errors of all steps together are that part of the way, and of the change of speed, that they make together.
 * Where a contact is new at the end of the step only d counts: speeds before and after an impact cannot be compared.
 * The step is of second order, so d/(h V) and e/(A h) grow as h^2.
 *
 * Before that an estimate that costs nothing: the two half updates add (U - u0) and (u1 - U), and with w = |u1 - 2 U +
 * u0| = h/2 |a1 - a0| the error of place is about h w / 3, that of speed less than w / 3. Where that is surely enough
 * (SURE) the two steps of half the length are not made.
 *
 * In flight the method has error control of its own (flight.c). What is proven is a cubic between the ends of the step,
 * so the step is taken if the place half way is on it to the same measure, or if nothing is nearer than it is off.
 *
 * Where many bodies rattle plain steps are cheaper (auto_plain.c): where more than POINTS_FEW points touch and more
 * than EVENTS_MOST events of the outer step lie nearer together than EVENTS_APART on average (plain steps of the
 * default accuracy are about that long, and cost about the same), and where more than POINTS_MOST touch.
 */
#include "stepper/auto.h"

#include <string.h>

/* By the half updates: an error below this is not evaluated more closely. */
#define SURE 0.3

#define FLOOR 1e-3
#define STEADY 0.05

#define EVENTS_MOST 8
#define EVENTS_APART 1e-3 /* s */
#define POINTS_FEW 24
#define POINTS_MOST 256

/* m: overlap that plain steps may leave, and located ones remove. */
#define LEFT_OVER 1e-4

/* Most inner steps of an outer one; then it goes on by plain ones. */
#define MOST_STEPS 1000000

static RgStatus fly(void *context, const RgState *begin, double h, RgState *end)
{
    RgAutoLocated *a = context;
    a->flight->h_next = fmin(a->flight->h_next, h);
    return rg_flight_go(a->flight, begin, h, a->scope->scene != NULL, end);
}

bool rg_auto_located_take(RgArena *arena, RgStepScope *scope, RgFlight *flight, RgAutoLocated *out)
{
    *out = (RgAutoLocated){.scope = scope, .flight = flight, .size = rg_auto_size(scope->model)};
    for (int i = 0; i < 2; i++)
        out->places[i] = RG_TAKE(arena, RgAutoPlace, scope->model->nbodies);
    out->u = RG_TAKE(arena, double, scope->form->nu);
    out->difference = RG_TAKE(arena, double, scope->form->nu);
    for (int i = 0; i < scope->model->nbodies; i++)
        out->mass += scope->model->bodies[i].inertia.mass;
    bool taken =
        !arena->failed && rg_located_take(arena, scope, &out->steps) && rg_located_take(arena, scope, &out->halves);
    out->steps.smooth = (RgSmoothMotion){fly, out};
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

/* Way of a step: h V + h A h / 2; speed: A h. */
typedef struct Scale {
    double way, speed, steady;
} Scale;

/* form: kinematics at the end of the step. */
static Scale scale_of(RgAutoLocated *a, double h, bool lands)
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

static double place_error(const RgAutoLocated *a, const Scale *scale)
{
    const RgAdaptOptions *adapt = &a->scope->adapt;
    double apart = rg_auto_apart(a->scope->model, a->places[0], a->places[1]);
    return apart / (adapt->accuracy * scale->way + FLOOR * adapt->gap * sqrt(a->mass));
}

/* Two steps of h/2 from where the one began. */
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

/* m/s, kg^(1/2): what the speed at the end must be known to. */
static double speed_allowed(const RgAutoLocated *a, const Scale *scale)
{
    return a->scope->adapt.accuracy * (scale->speed + STEADY * scale->steady) + FLOOR * RG_LOCATED_REST * sqrt(a->mass);
}

/* Bound of the error, by the difference of the accelerations of both halves; form: kinematics at the end. */
static double error_by_updates(RgAutoLocated *a, double h)
{
    const RgForm *form = a->scope->form;
    const RgAdaptOptions *adapt = &a->scope->adapt;
    const RgLocatedStates *states = &a->steps.states;
    Scale scale = scale_of(a, h, false);
    for (int k = 0; k < form->nu; k++)
        a->difference[k] = states->end.u[k] - 2.0 * states->mid.u[k] + states->begin.u[k];
    double speed = rg_auto_speed(form, a->difference) / 3.0;
    double place = h * speed / (adapt->accuracy * scale.way + FLOOR * adapt->gap * sqrt(a->mass));
    return fmax(place, speed / speed_allowed(a, &scale));
}

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
    Scale scale = scale_of(a, h, lands);
    *error = place_error(a, &scale);
    if (lands)
        return RG_OK;
    for (int k = 0; k < form->nu; k++)
        a->difference[k] = one->u[k] - two->u[k];
    *error = fmax(*error, rg_auto_speed(form, a->difference) / speed_allowed(a, &scale));
    return RG_OK;
}

/* Largest distance of any body's points, about as far out as it is large, from its path half way. */
static double off_path(const RgAutoLocated *a)
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

/* Error of the proven path against the flight half way. */
static double error_of_path(RgAutoLocated *a, double h, const RgTrial *trial)
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
    Scale scale = scale_of(a, h, true);
    return trial->proof.least > 2.0 * off_path(a) ? 0.0 : place_error(a, &scale);
}

/* ------------------------------------------------------------------ inner steps */

/* Progress of an outer step. */
typedef struct Course {
    double end;    /* s: where it ends */
    double want;   /* s: length of the next inner step by error */
    double before; /* error of the last one */
    int events;
    RgSolverWork work;
    const RgState *from; /* of the outer step; NULL: its first inner step is reported */
} Course;

/* Rejects the inner step. */
static void take_back(RgAutoLocated *a, const RgStepLogMark *mark)
{
    rg_step_log_back(a->scope->log, mark);
    rg_step_log_rejected(a->scope->log, RG_CUT_error);
    a->scope->report->rejected++;
    memcpy(a->steps.states.begin.u, a->u, (size_t)a->scope->form->nu * sizeof *a->u);
}

/* The error of the step just made, and how long the next one may be. */
static RgStatus evaluate_error(RgAutoLocated *a, Course *c, const RgSearch *search, const RgTrial *trial, double *error)
{
    double wanted = c->want, next;
    RgStatus status = RG_OK;
    if (trial->flew) {
        *error = error_of_path(a, search->h, trial);
        next = a->flight->h_next;
        if (*error > 1.0)
            next = 0.8 * search->h / sqrt(sqrt(*error));
    } else {
        RgForm *form = a->scope->form;
        form->kind->kinematics(form, a->steps.states.end.x, a->steps.states.end.u);
        *error = trial->lands ? (double)INFINITY : error_by_updates(a, search->h);
        if (!(*error <= SURE))
            status = error_by_halves(a, search->h, trial->lands, error);
        next = rg_auto_next(search->h, *error, c->before, 2);
    }
    if (status != RG_OK)
        return status;
    c->want = *error <= 1.0 && search->h < 0.5 * wanted ? fmax(wanted, next) : next;
    return isfinite(*error) ? RG_OK : RG_ERR_NOT_FINITE;
}

/* Shapes that plain steps left overlapping were separated before the first inner step: reported as a step of no
   time. */
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

/* One inner step and its error. *taken: it is the present state; else it is rejected. */
static RgStatus go(RgAutoLocated *a, Course *c, bool *taken)
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
        take_back(a, &mark);
        return status;
    }
    *taken = error <= 1.0 || search.h <= 2.0 * s->adapt.h_min;
    if (!*taken) {
        take_back(a, &mark);
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

/* Whether plain steps are cheaper by now. */
static bool too_many(const RgAutoLocated *a, const Course *c, double since)
{
    int points = a->steps.contacts_begin.touch.view.npoints;
    return points > POINTS_MOST || (points > POINTS_FEW && c->events > EVENTS_MOST && since < c->events * EVENTS_APART);
}

/* Begins at s0; small overlaps that plain steps have left are removed. */
static RgStatus begin(RgAutoLocated *a, const RgState *s0)
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

/* Failures after which plain steps may go on. */
static bool may_go_on(RgStatus status)
{
    return status == RG_ERR_NOT_CONVERGED || status == RG_ERR_OVERLAP;
}

RgStatus rg_auto_located_advance(RgAutoLocated *a, const RgState *s0, double t, double *h_next, RgState *s1)
{
    RgStepScope *s = a->scope;
    Course c = {.end = t, .want = *h_next > 0.0 ? *h_next : t - s0->t, .before = 1.0, .from = s0};
    a->steps.nominal = t - s0->t;
    RgStatus status = begin(a, s0);
    bool enough = false;
    for (int i = 0; status == RG_OK && a->steps.states.begin.t < t && !enough; i++) {
        bool taken = false;
        status = i < MOST_STEPS ? go(a, &c, &taken) : RG_ERR_NOT_CONVERGED;
        enough = status == RG_OK && taken && too_many(a, &c, a->steps.states.begin.t - s0->t);
    }
    if (status != RG_OK && !may_go_on(status))
        return status;
    *h_next = c.want;
    s->call.h = t - s0->t;
    s->report->offender[0] = '\0';
    s1->t = a->steps.states.begin.t;
    if (s1->t > s0->t)
        rg_located_finish(&a->steps, &c.work, s1);
    return RG_OK;
}
