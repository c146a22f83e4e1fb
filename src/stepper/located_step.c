/*
 * located_step.c - the inner steps of an outer one: as long as they can be, and ending where something happens.
 *
 * A try of length h is taken whole if the paths of all pairs are proven apart (pair_path.c), no joint passes a limit,
 * and nothing else has become another way. If not:
 *
 *   not proven     the next try ends where the proof does: shapes are half the gap apart there, hence touch, and the
 *                  impact is in the second half of that step
 *   a limit        the next try ends where the joint's cubic reaches it
 *   another way    (a corner slid over an edge, a contact was left, stick became slip) bisection, helped by where forces or
 *                  speeds foretell it, until the change lies within event_time, which the step then ends behind. What
 *                  leaves within event_time of the start has left there: it is let go, and the step begins anew
 *
 * So an inner step ends at most event_time behind an event, and never behind a contact. Changes of friction are located
 * FRICTION_MOST times an outer step; then they are met where steps end.
 *
 * Where the proof does not go on at all, corners that are about to meet were not among the contacts: what is nearer than
 * a multiple of the gap is taken as touching until the step goes on.
 */
#include "stepper/located.h"

#include "base/status.h"
#include "contact/shape_pairs.h"
#include "stepper/separate.h"

#include <stdio.h>
#include <string.h>

/* Tries of one inner step, and inner steps of one outer step, after which something is wrong. */
#define MOST_TRIES 100
#define MOST_STEPS 1000000

/* Changes of friction located in an outer step. */
#define FRICTION_MOST 32

/* Tries of a search that follow what is foretold. */
#define MOST_GUESSES 8

/* Times by which the gap may grow where a step does not go on. */
#define MOST_GROWTH 1024.0

/* Turn of a body in an inner step, rad, at most: its path is a cubic; and where something touches, whose step is of second
   order only. */
#define MOST_TURN 1.0
#define MOST_TURN_TOUCHING 0.5

/* Part of the time asked for that an inner step makes at least for that reason; else the step is refused. */
#define LEAST_PART 1e-6

/* Part of a try: a proof that ends less than this before its end has nearly come to it. */
#define LITTLE 1e-2

/* ------------------------------------------------------------------ memory */

static bool take_state(RgArena *arena, const RgForm *form, RgState *state)
{
    state->x = RG_TAKE(arena, double, form->nx);
    state->u = RG_TAKE(arena, double, form->nu);
    return !arena->failed;
}

bool rg_located_take(RgArena *arena, RgStepScope *s, RgLocated *l)
{
    int nbodies = s->model->nbodies, nu = s->form->nu;
    *l = (RgLocated){.scope = s, .gap = s->adapt.gap};
    take_state(arena, s->form, &l->begin);
    take_state(arena, s->form, &l->mid);
    take_state(arena, s->form, &l->end);
    take_state(arena, s->form, &l->asked);
    l->u_free = RG_TAKE(arena, double, nu);
    for (int i = 0; i < 2; i++) {
        l->u_path[i] = RG_TAKE(arena, double, nu);
        l->ends[i] = RG_TAKE(arena, RgBodyEnd, nbodies);
    }
    l->paths = RG_TAKE(arena, RgBodyPath, nbodies);
    l->projector = rg_gap_projector_take(arena, s->form, s->constraints);
    return rg_springs_take(arena, s, &l->springs) && l->projector != NULL && !arena->failed &&
           rg_touch_set_init(&l->here, &arena->allocator) && rg_touch_set_init(&l->there, &arena->allocator);
}

/* What a shape is called: by its link, or by itself. */
static const char *shape_name(const RgModel *m, int32_t shape)
{
    const RgShapeDef *def = &m->shapes[shape].def;
    if (def->link.i > 0)
        return m->links[def->link.i - 1].def.name;
    return def->name != NULL && def->name[0] != '\0' ? def->name : "the world";
}

static bool take_axes(RgLocated *l, const RgAllocator *allocator, int naxes)
{
    l->axes = rg_alloc(allocator, 4 * (size_t)naxes + 1, sizeof *l->axes);
    if (l->axes == NULL)
        return false;
    for (int i = 0; i < 2; i++) {
        l->q[i] = l->axes + 2 * i * naxes;
        l->rate[i] = l->q[i] + naxes;
    }
    return true;
}

RgStatus rg_located_keeps_joints(const RgStepScope *s, RgError *error)
{
    if (!s->has_rows || s->contact == NULL || !rg_contact_takes_joints(s->contact) ||
        s->contact->setup.solver->exact)
        return RG_OK;
    return rg_fail(
        error, RG_ERR_UNSUPPORTED, NULL, 0,
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
        s->contact->setup.bounded->located = s->adapt.gap;
        if (!take_axes(l, allocator, s->contact->setup.bounded->naxes))
            return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    }
    l->stiff = s->implicit_damping && rg_springs_any(s->model);
    if (s->scene == NULL)
        return RG_OK;
    for (int i = 0; i < s->model->nshapes; i++)
        if (s->scene->geometry[i] != NULL && !rg_path_takes(s->scene->geometry[i]))
            return rg_fail(
                error, RG_ERR_UNSUPPORTED, NULL, 0,
                "contacts of shape '%s' cannot be located: its kind has no proof of distance along a path",
                shape_name(s->model, i));
    if ((status = rg_shape_pairs_check(s->scene, error)) != RG_OK)
        return status;
    l->proofs = rg_scene_path_create(s->scene, allocator);
    return l->proofs == NULL ? rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory") : RG_OK;
}

void rg_located_release(RgLocated *l)
{
    if (l == NULL || l->scope == NULL)
        return;
    const RgAllocator *allocator = &l->scope->log->allocator;
    rg_scene_path_destroy(l->proofs);
    rg_gap_projector_release(l->projector);
    rg_touch_set_free(&l->here);
    rg_touch_set_free(&l->there);
    rg_free(allocator, l->known);
    rg_free(allocator, l->keep);
    rg_free(allocator, l->keep_there);
    for (int i = 0; i < 2; i++) {
        rg_free(allocator, l->bends[i].bend);
        rg_free(allocator, l->bends[i].parting);
    }
    rg_free(allocator, l->wishes);
    rg_free(allocator, l->lasting);
    rg_free(allocator, l->axes);
    rg_contact_memory_free(&l->begin.memory, allocator);
    rg_contact_memory_free(&l->mid.memory, allocator);
    rg_contact_memory_free(&l->end.memory, allocator);
    rg_contact_memory_free(&l->asked.memory, allocator);
}

/* ------------------------------------------------------------------ one inner step */

/* Longest step in which nobody turns too far, at the present velocities. */
static double turn_limit(const RgLocated *l, double h)
{
    const RgKin *kin = l->scope->form->kin;
    double most = l->here.view.npoints > 0 ? MOST_TURN_TOUCHING : MOST_TURN;
    for (int i = 0; i < l->scope->model->nbodies; i++) {
        double w = v3_norm(kin->V[i].w);
        if (w * h > most)
            h = most / w;
    }
    return h;
}

/* No step is shorter but where it does not go on: nobody moves by more than a thousandth of the gap in it. */
static double least_step(const RgLocated *l)
{
    const RgStepScope *s = l->scope;
    double fastest = 0.0;
    for (int32_t i = 0; s->scene != NULL && i < s->model->nshapes; i++) {
        if (s->scene->geometry[i] != NULL)
            fastest = fmax(fastest, v3_norm(s->scene->velocity[i]) + s->scene->spin[i]);
    }
    return fastest > 0.0 ? fmin(s->adapt.h_min, 1e-3 * s->adapt.gap / fastest) : s->adapt.h_min;
}

/* Where a try and its end will meet, by the last two: no later than the end, and not before half of it. What is proven
   of heights that are not kept well enough is a share of the step, however long: there the two meet at 0, and steps are
   halved. */
static double foretell(const RgSearch *search, double end)
{
    double slope = (end - search->ended) / (search->h - search->tried);
    if (!(search->tried > 0.0 && slope > 0.0 && slope < 1.0))
        return end;
    return fmin(end, fmax(0.5 * end, (end - slope * search->h) / (1.0 - slope)));
}

/* A contact or limit lies before the end of the try. */
static bool shorten(RgSearch *search, const RgTry *try, const RgStepScope *s)
{
    double end = fmin(try->proven, try->limit);
    if (end >= search->h * (1.0 - RG_LOCATED_ROUND_OFF))
        return false;
    search->cut = try->turns                 ? RG_CUT_turn
                  : try->limit < try->proven ? RG_CUT_limit
                  : try->proof.touching      ? RG_CUT_height
                                             : RG_CUT_contact;
    rg_step_log_rejected(s->log, search->cut);
    search->final = search->cut != RG_CUT_turn && search->high == INFINITY;
    if (end < search->high)
        search->high = INFINITY;

    /* The shorter try has another path, on which the proof may end a little sooner again: it gives way more and more,
       and lands within the gap. */
    double over = search->h - end;
    bool little = over < LITTLE * search->h;
    search->back = little ? fmax(4.0 * search->back, 1.0) : 0.0;
    double next = search->cut != RG_CUT_turn ? foretell(search, end) : end;
    search->tried = search->h;
    search->ended = end;
    search->h = fmax(fmin(next, end - search->back * over), 0.5 * end);

    /* The path of a step within which a contact is left may dip soon, and that of a shorter one not at all. */
    if (search->cut == RG_CUT_height && try->changed)
        search->h = fmax(search->h, 0.5 * search->tried);
    return true;
}

/* The next try of a search between low and high: a little before the time foretold, then a little behind; in the middle,
   where nothing is foretold or it does not help. */
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

/* When what has changed was nothing yet: where the line through its sizes at this try and the last that was too long is zero;
   else what the try foretells. */
static double when_nothing(RgSearch *search, const RgTry *try)
{
    double when = try->when;
    bool both = search->size > try->size && try->size > 0.0 && search->size_of == try->change;
    if (both && search->size_at > search->h)
        when = search->h - try->size * (search->size_at - search->h) / (search->size - try->size);
    search->size = try->size;
    search->size_at = search->h;
    search->size_of = try->change;
    return when > search->low ? when : NAN;
}

/* Something has become another way: where? True: another try is wanted. */
static bool bisect(RgLocated *l, RgSearch *search, const RgTry *try)
{
    const RgStepScope *s = l->scope;
    bool counts = try->changed && (try->change != RG_CUT_friction ||
                                   (s->adapt.locate_friction && l->located < FRICTION_MOST));
    if (search->found || (!counts && (search->final || search->high == INFINITY)))
        return false;
    search->final = false;
    double when = NAN;
    if (counts) {
        /* Shortened below what was thought to be before the change: the change is before that too. */
        if (search->low >= search->h)
            search->low = 0.0;
        when = when_nothing(search, try);
        search->high = search->h;
        search->cut = try->change;
    } else {
        search->low = search->h;
    }
    if (search->high - search->low > s->adapt.event_time) {
        rg_step_log_rejected(s->log, search->cut);
        search->h = next_between(search, counts, when, s->adapt.event_time);
        return true;
    }
    l->located += try->change == RG_CUT_friction;
    search->final = search->found = true;
    if (counts)
        return false;
    search->h = search->high;
    return true;
}

static RgSearch start_search(double longest, double h)
{
    return (RgSearch){
        .h = longest, .high = INFINITY, .cut = longest < h ? RG_CUT_turn : RG_CUT_whole, .reach = NAN};
}

RgStatus rg_located_inner(RgLocated *l, double h, RgSearch *search, RgTry *try)
{
    RgStepScope *s = l->scope;
    l->work = (RgSolverWork){.total = 0.0};
    RgStatus status = rg_located_look(l, h);
    if (status != RG_OK)
        return status;
    RgSolverWork looked = l->work;
    double turned = turn_limit(l, h), least = least_step(l);
    if (turned < LEAST_PART * h)
        return RG_ERR_NOT_CONVERGED;
    *search = start_search(turned, h);
    for (int i = 0; i < MOST_TRIES; i++) {
        l->work = looked;
        if ((status = rg_located_try(l, search->h, try)) != RG_OK)
            return status;
        if (shorten(search, try, s)) {
            if (search->h >= least)
                continue;
            if (l->gap >= MOST_GROWTH * s->adapt.gap)
                return RG_ERR_NOT_CONVERGED;
            l->gap *= 4.0;
            status = rg_located_look(l, h);
            if (status != RG_OK)
                return status;
            *search = start_search(turned, h);
            continue;
        }
        if (bisect(l, search, try))
            continue;
        bool at_once = search->low == 0.0 && search->high <= s->adapt.event_time;
        if (!(at_once && try->change == RG_CUT_manifold && !try->lands && rg_located_let_leaving_go(l)))
            return RG_OK;
        rg_step_log_rejected(s->log, RG_CUT_manifold);
        *search = start_search(turned, h);
    }
    return RG_ERR_NOT_CONVERGED;
}

static RgStatus blame_pair(RgStepScope *s, const RgTry *try, RgStatus status)
{
    if (try->proof.shape_a >= 0)
        snprintf(s->report->offender, sizeof s->report->offender, "'%.50s' and '%.50s'",
                 shape_name(s->model, try->proof.shape_a), shape_name(s->model, try->proof.shape_b));
    return status;
}

/* ------------------------------------------------------------------ the outer step */

void rg_located_go_on(RgLocated *l)
{
    l->gap = l->scope->adapt.gap;
    RgState old = l->begin;
    l->begin = l->end;
    l->end = old;
    l->last = &l->begin.memory;
}

/* The lowest of all gaps at the start, as measured; infinite: none. */
static double lowest(const RgLocated *l, int32_t *at)
{
    double least = INFINITY;
    for (int32_t i = 0; i < l->here.view.npoints; i++)
        if (l->here.view.points[i].gap < least) {
            least = l->here.view.points[i].gap;
            *at = i;
        }
    return least;
}

static RgStatus refuse_overlap(RgStepScope *s, const RgGap *gap, double depth)
{
    snprintf(s->report->offender, sizeof s->report->offender, "'%.40s' and '%.40s' overlap by %.3g m",
             shape_name(s->model, gap->shape_a), shape_name(s->model, gap->shape_b), depth);
    return RG_ERR_OVERLAP;
}

/* Shapes that overlap at the start are refused, or parted; what touches closer than it should is lifted. */
static RgStatus put_right(RgLocated *l)
{
    RgStepScope *s = l->scope;
    double level = 0.5 * s->adapt.gap;
    int32_t at = 0;
    s->form->kind->kinematics(s->form, l->begin.x, l->begin.u);
    RgStatus status = rg_contact_scene_place(s->scene, s->form->kin);
    if (status == RG_OK)
        status = rg_touch_set_find(&l->here, s->scene, s->adapt.gap);
    double low = status == RG_OK ? lowest(l, &at) : INFINITY;
    if (low >= 0.05 * s->adapt.gap || status != RG_OK)
        return status;
    if (low < -s->adapt.gap && !s->adapt.separate)
        return refuse_overlap(s, &l->here.gaps[at], -low);
    status = rg_separate(s, l->projector, &l->begin, level);
    return status == RG_ERR_NOT_CONVERGED ? refuse_overlap(s, &l->here.gaps[at], -low) : status;
}

RgStatus rg_located_start(RgLocated *l, const RgState *s0)
{
    RgStepScope *s = l->scope;
    memcpy(l->begin.x, s0->x, (size_t)s->form->nx * sizeof *s0->x);
    memcpy(l->begin.u, s0->u, (size_t)s->form->nu * sizeof *s0->u);
    l->begin.t = s0->t;
    l->last = &s0->memory;
    l->gap = s->adapt.gap;
    l->located = 0;
    return s->scene != NULL ? put_right(l) : RG_OK;
}

void rg_located_finish(RgLocated *l, const RgSolverWork *work, RgState *s1)
{
    RgStepScope *s = l->scope;
    memcpy(s1->x, l->begin.x, (size_t)s->form->nx * sizeof *s1->x);
    memcpy(s1->u, l->begin.u, (size_t)s->form->nu * sizeof *s1->u);
    RgContactMemory memory = s1->memory;
    s1->memory = l->begin.memory;
    l->begin.memory = memory;
    s->report->work = *work;
    s->report->contact_work = work->total;
}

RgStatus rg_located_advance(RgLocated *l, const RgState *s0, double h, RgState *s1)
{
    RgStepScope *s = l->scope;
    double end = s0->t + h;
    l->nominal = h;
    RgStatus status = rg_located_start(l, s0);
    RgSolverWork work = {.total = 0.0};
    for (int i = 0; status == RG_OK && l->begin.t < end; i++) {
        RgSearch search;
        RgTry try = {.proof = {.shape_a = -1}};
        double left = end - l->begin.t, most = fmin(left, s->adapt.h_max);
        status = i < MOST_STEPS ? rg_located_inner(l, most, &search, &try) : RG_ERR_NOT_CONVERGED;
        if (status != RG_OK)
            return blame_pair(s, &try, status);
        l->end.t = search.h >= left * (1.0 - RG_LOCATED_ROUND_OFF) ? end : l->begin.t + search.h;
        rg_located_tell_step(l, &search, &try);
        rg_work_add(&work, &l->work);
        if ((status = rg_located_tell_events(l, &search)) != RG_OK)
            break;
        rg_located_go_on(l);
    }
    if (status == RG_OK)
        rg_located_finish(l, &work, s1);
    return status;
}
