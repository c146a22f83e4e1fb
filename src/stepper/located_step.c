/*
 * located_step.c - inner steps of an outer step: as long as possible, ending at events.
 *
 * A trial of length h is accepted if the paths of all pairs are proven apart (pair_path.c), no joint passes a limit,
 * and no contact mode changes. Otherwise:
 *
 *   not proven     the next trial ends where the proof ends: shapes are half the gap apart there, so they touch, and
 *                  their impact is in the second half of that step
 *   a limit        the next trial ends where the joint's cubic reaches it
 *   a change       (a corner slides over an edge, a contact separates, stick becomes slip) bisection, with predictions
 *                  from forces or speeds, until the change is known to within event_time; the step ends just after it.
 *                  A contact that separates within event_time of the start is released there, and the search restarts
 *
 * So an inner step ends at most event_time after an event, and never after a new contact. At most FRICTION_MOST changes
 * of friction are located per outer step; further ones take effect at the ends of steps.
 *
 * If no trial is proven, however short, corners about to meet are missing from the contacts: the gap within which
 * points count as contacts is enlarged by factors of 4 until the step succeeds.
 */
#include "stepper/located.h"

#include "base/status.h"
#include "contact/shape_pairs.h"
#include "stepper/separate.h"

#include <stdio.h>
#include <string.h>

/* Limits of the trials of an inner step, and of the inner steps of an outer one, against endless loops. Beyond them the
   step is refused. */
#define MOST_TRIES 100
#define MOST_STEPS 1000000

/* Limit of located changes of friction in an outer step; bounds the work where stick and slip alternate. */
#define FRICTION_MOST 32

/* Limit of trials of a search that follow a prediction; then bisection only. */
#define MOST_GUESSES 8

/* Largest factor by which the gap is enlarged if nothing is proven. */
#define MOST_GROWTH 1024.0

/* rad: largest rotation of a body in an inner step, whose path is a cubic; less in contact, where the step is of second
   order. */
#define MOST_TURN 1.0
#define MOST_TURN_TOUCHING 0.5

/* If rotation limits an inner step to less than this part of the requested time, the step is refused. */
#define LEAST_PART 1e-6

/* Part of a trial: a proof that ends less than this before the end of the trial counts as nearly complete. */
#define NEARLY_PROVEN 1e-2

/* ------------------------------------------------------------------ memory */

bool rg_located_alloc(RgArena *arena, RgStepScope *s, RgLocated *l)
{
    int nbodies = s->model->nbodies, nu = s->form->nu;
    *l = (RgLocated){.scope = s, .gap = s->adapt.gap};
    rg_state_alloc(arena, s->form, &l->states.begin);
    rg_state_alloc(arena, s->form, &l->states.mid);
    rg_state_alloc(arena, s->form, &l->states.end);
    rg_state_alloc(arena, s->form, &l->states.probe);
    l->states.u_free = RG_ARENA_ALLOC(arena, double, nu);
    for (int i = 0; i < 2; i++) {
        l->path.u[i] = RG_ARENA_ALLOC(arena, double, nu);
        l->path.ends[i] = RG_ARENA_ALLOC(arena, RgBodyEnd, nbodies);
    }
    l->path.bodies = RG_ARENA_ALLOC(arena, RgBodyPath, nbodies);
    l->projector = rg_gap_projector_alloc(arena, s->form, s->constraints);
    return rg_springs_alloc(arena, s, &l->springs) && l->projector != NULL && !arena->failed &&
           rg_touch_set_init(&l->contacts_begin.touch, &arena->allocator) &&
           rg_touch_set_init(&l->contacts_end.touch, &arena->allocator);
}

/* Name of a shape in messages: that of its link, or of a shape of the world its own. */
static const char *shape_name(const RgModel *m, int32_t shape)
{
    const RgShapeDef *def = &m->shapes[shape].def;
    if (def->link.i > 0)
        return m->links[def->link.i - 1].def.name;
    return def->name != NULL && def->name[0] != '\0' ? def->name : "the world";
}

static bool allocate_axes(RgLocatedPath *path, const RgAllocator *allocator, int naxes)
{
    path->axes = rg_alloc(allocator, 4 * (size_t)naxes + 1, sizeof *path->axes);
    for (int i = 0; i < 2 && path->axes != NULL; i++) {
        path->q[i] = path->axes + 2 * i * naxes;
        path->rate[i] = path->q[i] + naxes;
    }
    return path->axes != NULL;
}

RgStatus rg_located_keeps_joints(const RgStepScope *s, RgError *error)
{
    if ((!s->constraints->any_hard && s->model->slots == 0) || s->contact == NULL ||
        !rg_contact_has_joint_rows(s->contact) || s->contact->setup.solver->exact)
        return RG_OK;
    return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                   "solver '%s' stops before joints or loops hold, which located steps need: take quick or an exact "
                   "solver (cone), or joint coordinates",
                   s->contact->setup.solver->name);
}

RgStatus rg_located_check(RgLocated *l, RgError *error)
{
    RgStepScope *s = l->scope;
    RgStatus status = rg_located_keeps_joints(s, error);
    if (status != RG_OK)
        return status;
    const RgAllocator *allocator = &s->log->allocator;
    if (s->contact != NULL) {
        s->located = s->adapt.gap;
        if (!allocate_axes(&l->path, allocator, s->contact->setup.bounded->naxes))
            return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    }
    l->stiff = s->implicit_damping && rg_springs_any(s->model);
    if (s->scene == NULL)
        return RG_OK;
    for (int i = 0; i < s->model->nshapes; i++)
        if (s->scene->geometry[i] != NULL && !rg_path_supports(s->scene->geometry[i]))
            return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                           "contacts of shape '%s' cannot be located: its kind has no proof of distance along a path",
                           shape_name(s->model, i));
    if ((status = rg_shape_pairs_check(s->scene, error)) != RG_OK)
        return status;
    l->path.proofs = rg_scene_path_create(s->scene, allocator);
    return l->path.proofs == NULL ? rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory") : RG_OK;
}

void rg_located_release(RgLocated *l)
{
    if (l == NULL || l->scope == NULL)
        return;
    const RgAllocator *allocator = &l->scope->log->allocator;
    rg_scene_path_destroy(l->path.proofs);
    rg_gap_projector_free(l->projector);
    rg_contact_set_free(&l->contacts_begin, allocator);
    rg_contact_set_free(&l->contacts_end, allocator);
    rg_free(allocator, l->previous_contacts.list);
    rg_free(allocator, l->persistent.gap_constraints);
    rg_free(allocator, l->persistent.list);
    rg_free(allocator, l->path.axes);
    rg_state_release(l->scope, &l->states.begin);
    rg_state_release(l->scope, &l->states.mid);
    rg_state_release(l->scope, &l->states.end);
    rg_state_release(l->scope, &l->states.probe);
}

/* ------------------------------------------------------------------ one inner step */

/* s: longest step, at most h, in which no body turns too far at the present velocities. */
static double longest_by_turn(const RgLocated *l, double h)
{
    const RgKin *kin = l->scope->form->kin;
    double most = l->contacts_begin.touch.view.npoints > 0 ? MOST_TURN_TOUCHING : MOST_TURN;
    for (int i = 0; i < l->scope->model->nbodies; i++) {
        double w = v3_norm(kin->V[i].w);
        if (w * h > most)
            h = most / w;
    }
    return h;
}

/* s: length below which the search ends: no body moves by more than a thousandth of the gap in it, or h_min if that is
   shorter. */
static double shortest_trial(const RgStepScope *s)
{
    double fastest = 0.0;
    for (int32_t i = 0; s->scene != NULL && i < s->model->nshapes; i++) {
        if (s->scene->geometry[i] != NULL)
            fastest = fmax(fastest, v3_norm(s->scene->velocity[i]) + s->scene->spin[i]);
    }
    return fastest > 0.0 ? fmin(s->adapt.h_min, 1e-3 * s->adapt.gap / fastest) : s->adapt.h_min;
}

/* Predicts the length at which a trial is proven to its end, by a secant through the last two trials; limited to
   [end/2, end]. If gaps are not kept accurately enough a constant share of any step is proven: the secant then meets 0,
   and steps are halved. */
static double predict_end(const RgSearch *search, double end)
{
    double slope = (end - search->ended) / (search->h - search->tried);
    if (!(search->tried > 0.0 && slope > 0.0 && slope < 1.0))
        return end;
    return fmin(end, fmax(0.5 * end, (end - slope * search->h) / (1.0 - slope)));
}

/* Whether the proof or a limit ends before the trial does. If so, prepares the search for the next, shorter trial. */
static bool shorten_to_proof(RgSearch *search, const RgTrial *trial, const RgStepScope *s)
{
    double end = fmin(trial->proven, trial->limit);
    if (end >= search->h * (1.0 - RG_LOCATED_ROUND_OFF))
        return false;
    search->cut = trial->turns                   ? RG_CUT_turn
                  : trial->limit < trial->proven ? RG_CUT_limit
                  : trial->proof.touching        ? RG_CUT_height
                                                 : RG_CUT_contact;
    rg_step_log_rejected(s->log, search->cut);
    search->final = search->cut != RG_CUT_turn && search->high == INFINITY;
    if (end < search->high)
        search->high = INFINITY;

    /* A shorter trial has another path, on which the proof may again end slightly before the end. So trials are
       shortened by increasing factors, until one is proven that ends within the gap. */
    double over = search->h - end;
    bool nearly = over < NEARLY_PROVEN * search->h;
    search->back = nearly ? fmax(4.0 * search->back, 1.0) : 0.0;
    double next = search->cut != RG_CUT_turn ? predict_end(search, end) : end;
    search->tried = search->h;
    search->ended = end;
    search->h = fmax(fmin(next, end - search->back * over), 0.5 * end);

    /* If a contact separates within the step its path may come too near early; a shorter one may not. */
    if (search->cut == RG_CUT_height && trial->changed)
        search->h = fmax(search->h, 0.5 * search->tried);
    return true;
}

/* Length of the next trial between low and high: just before the predicted time, then just after; the middle if there
   is no prediction or it is outside. */
static double next_between(RgSearch *search, bool changed, double when, double event_time)
{
    double next = NAN;
    if (changed) {
        next = fmax(when - 0.5 * event_time, search->low + 0.95 * event_time);
        next = isnan(when) ? NAN : next;
        search->reach = isnan(when) ? NAN : 0.95 * event_time;
    } else {
        next = search->low + search->reach;
        search->reach *= 4.0;
    }
    bool helps = next > search->low && next < search->high && search->guesses++ < MOST_GUESSES;
    return helps ? next : 0.5 * (search->low + search->high);
}

/* s: time at which the change began: zero of the line through its sizes at this trial and at the last longer one;
   otherwise the trial's own estimate. NaN: not known. */
static double time_of_change(RgSearch *search, const RgTrial *trial)
{
    double when = trial->when;
    bool both = search->size > trial->size && trial->size > 0.0 && search->size_of == trial->change;
    if (both && search->size_at > search->h)
        when = search->h - trial->size * (search->size_at - search->h) / (search->size - trial->size);
    search->size = trial->size;
    search->size_at = search->h;
    search->size_of = trial->change;
    return when > search->low ? when : NAN;
}

/* Bisection for the time of a change. True: another trial is needed. */
static bool bisect_change(RgLocated *l, RgSearch *search, const RgTrial *trial)
{
    const RgStepScope *s = l->scope;
    bool counts = trial->changed && (trial->change != RG_CUT_friction ||
                                     (s->adapt.locate_friction && l->friction_changes < FRICTION_MOST));
    if (search->found || (!counts && (search->final || search->high == INFINITY)))
        return false;
    search->final = false;
    double when = NAN;
    if (counts) {
        /* The trial is shorter than the supposed lower bound: the change lies before that too. */
        if (search->low >= search->h)
            search->low = 0.0;
        when = time_of_change(search, trial);
        search->high = search->h;
        search->cut = trial->change;
    } else {
        search->low = search->h;
    }
    if (search->high - search->low > s->adapt.event_time) {
        rg_step_log_rejected(s->log, search->cut);
        search->h = next_between(search, counts, when, s->adapt.event_time);
        return true;
    }
    l->friction_changes += trial->change == RG_CUT_friction;
    search->final = search->found = true;
    if (counts)
        return false;
    search->h = search->high;
    return true;
}

static RgSearch start_search(double longest, double h)
{
    return (RgSearch){.h = longest, .high = INFINITY, .cut = longest < h ? RG_CUT_turn : RG_CUT_whole, .reach = NAN};
}

RgStatus rg_located_inner(RgLocated *l, double h, RgSearch *search, RgTrial *trial)
{
    RgStepScope *s = l->scope;
    l->work = (RgSolverWork){.total = 0.0};
    RgStatus status = rg_located_find_contacts(l, h);
    if (status != RG_OK)
        return status;
    RgSolverWork found = l->work;
    double turned = longest_by_turn(l, h), least = shortest_trial(s);
    if (turned < LEAST_PART * h)
        return RG_ERR_NOT_CONVERGED;
    *search = start_search(turned, h);
    for (int i = 0; i < MOST_TRIES; i++) {
        l->work = found;
        if ((status = rg_located_trial(l, search->h, trial)) != RG_OK)
            return status;
        if (shorten_to_proof(search, trial, s)) {
            if (search->h >= least)
                continue;
            if (l->gap >= MOST_GROWTH * s->adapt.gap)
                return RG_ERR_NOT_CONVERGED;
            l->gap *= 4.0;
            status = rg_located_find_contacts(l, h);
            if (status != RG_OK)
                return status;
            *search = start_search(turned, h);
            continue;
        }
        if (bisect_change(l, search, trial))
            continue;
        bool at_once = search->low == 0.0 && search->high <= s->adapt.event_time;
        if (!(at_once && trial->change == RG_CUT_manifold && !trial->lands && rg_located_release_left(l)))
            return RG_OK;
        rg_step_log_rejected(s->log, RG_CUT_manifold);
        *search = start_search(turned, h);
    }
    return RG_ERR_NOT_CONVERGED;
}

/* Writes the pair that limits the trial into the report; returns the status. */
static RgStatus name_pair(RgStepScope *s, const RgTrial *trial, RgStatus status)
{
    if (trial->proof.shape_a >= 0)
        snprintf(s->report->offender, sizeof s->report->offender, "'%.50s' and '%.50s'",
                 shape_name(s->model, trial->proof.shape_a), shape_name(s->model, trial->proof.shape_b));
    return status;
}

/* ------------------------------------------------------------------ the outer step */

void rg_located_accept(RgLocated *l)
{
    l->gap = l->scope->adapt.gap;
    RgState old = l->states.begin;
    l->states.begin = l->states.end;
    l->states.end = old;
    l->states.last = &l->states.begin.memory;
}

static RgStatus refuse_overlap(RgStepScope *s, const RgGap *gap, double depth)
{
    snprintf(s->report->offender, sizeof s->report->offender, "'%.40s' and '%.40s' overlap by %.3g m",
             shape_name(s->model, gap->shape_a), shape_name(s->model, gap->shape_b), depth);
    return RG_ERR_OVERLAP;
}

/* Refuses or separates shapes that overlap at the start; enlarges gaps that are too small. */
static RgStatus resolve_overlaps(RgLocated *l, bool separate)
{
    RgStepScope *s = l->scope;
    RgContactSet *set = &l->contacts_begin;
    int32_t at = 0;
    RgStatus status = rg_contact_set_search(s, &l->states.begin, s->adapt.gap, set);
    double low = status == RG_OK ? rg_contact_set_lowest(set, &at) : INFINITY;
    if (low >= 0.05 * s->adapt.gap || status != RG_OK)
        return status;
    if (low < -s->adapt.gap && !separate)
        return refuse_overlap(s, &set->touch.gaps[at], -low);
    status = rg_separate(s, l->projector, &l->states.begin, 0.5 * s->adapt.gap);
    return status == RG_ERR_NOT_CONVERGED ? refuse_overlap(s, &set->touch.gaps[at], -low) : status;
}

RgStatus rg_located_start(RgLocated *l, const RgState *s0, bool separate)
{
    rg_state_copy(l->scope->form, s0, &l->states.begin);
    l->states.last = &s0->memory;
    l->gap = l->scope->adapt.gap;
    l->friction_changes = 0;
    return l->scope->scene != NULL ? resolve_overlaps(l, separate) : RG_OK;
}

void rg_located_finish(RgLocated *l, const RgSolverWork *work, RgState *s1)
{
    rg_state_transfer(l->scope->form, &l->states.begin, s1);
    l->scope->report->work = *work;
    l->scope->report->contact_work = work->total;
}

RgStatus rg_located_advance(RgLocated *l, const RgState *s0, double h, RgState *s1)
{
    RgStepScope *s = l->scope;
    const RgState *begin = &l->states.begin;
    double end = s0->t + h;
    l->nominal = h;
    RgStatus status = rg_located_start(l, s0, s->adapt.separate);
    RgSolverWork work = {.total = 0.0};
    for (int i = 0; status == RG_OK && begin->t < end; i++) {
        RgSearch search;
        RgTrial trial = {.proof = {.shape_a = -1}};
        double left = end - begin->t, most = fmin(left, s->adapt.h_max);
        status = i < MOST_STEPS ? rg_located_inner(l, most, &search, &trial) : RG_ERR_NOT_CONVERGED;
        if (status != RG_OK)
            return name_pair(s, &trial, status);
        l->states.end.t = search.h >= left * (1.0 - RG_LOCATED_ROUND_OFF) ? end : begin->t + search.h;
        rg_located_report_step(l, &search, &trial);
        rg_work_add(&work, &l->work);
        if ((status = rg_located_report_events(l, &search)) != RG_OK)
            break;
        rg_located_accept(l);
    }
    if (status == RG_OK)
        rg_located_finish(l, &work, s1);
    return status;
}
