/*
 * located_tell.c - what an inner step tells: itself, changes of what touches, and by contact_events.c what pairs and limits do.
 *
 * The manifold of a pair is the set of its features that touch. It changes, once for all features of a pair at a time,
 *
 *   at the end of a step     by what comes to touch there, whether it did at the start and was let go or not, and by what was
 *                            held and leaves
 *   at its start             by what pressed until then, does not open, and is held no more
 *
 * What opens at the start left at the end of the step before, and was told then.
 */
#include "stepper/located.h"

/* Speed, m/s, from which what comes together is told as an impact. */
#define IMPACT_SPEED 1e-4

void rg_located_tell_step(RgLocated *l, const RgSearch *search, const RgTry *try)
{
    RgStepScope *s = l->scope;
    RgInnerStep step = {.t = l->begin.t,
                        .h = search->h,
                        .path = RG_PATH_CURVE,
                        .begin = l->ends[0],
                        .end = l->ends[1],
                        .cut = search->cut,
                        .shape_a = try->proof.shape_a,
                        .shape_b = try->proof.shape_b,
                        .bound = try->proof.time,
                        .least_distance = try->proof.least};
    rg_step_log_inner(s->log, &step);
    s->report->substeps++;
}

/* Whether a change of the pair's features at that time is told already: it is one change. */
static bool told_manifold(const RgStepLog *log, RgTouchKey key, double t)
{
    for (int i = log->nevents - 1; i >= 0 && log->events[i].t >= t; i--) {
        const RgEvent *e = &log->events[i];
        if (e->kind == RG_EVENT_manifold && e->t == t && e->shape_a.i == key.shape_a + 1 &&
            e->shape_b.i == key.shape_b + 1)
            return true;
    }
    return false;
}

/* point: of the view there; NULL: the contact is there no more. */
static void tell_manifold(RgLocated *l, RgTouchKey key, const RgContactPoint *point, RgEvent event)
{
    RgStepLog *log = l->scope->log;
    const RgModel *m = l->scope->model;
    int link[2] = {m->shapes[key.shape_a].def.link.i, m->shapes[key.shape_b].def.link.i};
    if (told_manifold(log, key, event.t))
        return;
    event.kind = RG_EVENT_manifold;
    event.link_a = link[0] > 0 ? (uint32_t)link[0] - 1 : UINT32_MAX;
    event.link_b = link[1] > 0 ? (uint32_t)link[1] - 1 : UINT32_MAX;
    event.shape_a.i = key.shape_a + 1;
    event.shape_b.i = key.shape_b + 1;
    event.joint = event.dof = -1;
    if (point != NULL) {
        event.point = v3_scale(0.5, v3_add(point->point_a, point->point_b));
        event.normal = point->normal;
    }
    rg_step_log_event(log, &event);
    log->statistics.manifold_changes++;
}

/* The point of a memory; NULL: it is not there. */
static RgRememberedPoint *remembered(const RgContactMemory *memory, RgTouchKey key)
{
    int32_t at = 0;
    const RgRememberedPair *pair = rg_contact_memory_seek(memory, key.shape_a + 1, key.shape_b + 1, &at);
    for (int32_t i = 0; pair != NULL && i < pair->npoints; i++)
        if (memory->points[pair->first_point + i].id == key.id)
            return &memory->points[pair->first_point + i];
    return NULL;
}

static bool pressed(const RgContactMemory *memory, RgTouchKey key)
{
    const RgRememberedPoint *point = remembered(memory, key);
    return point != NULL && v3_norm2(point->impulse) > 0.0;
}

/* Contacts that have left press no more: so the next step does not tell of it again. */
static void forget_left(RgLocated *l)
{
    for (int i = 0; i < l->nwishes; i++) {
        RgRememberedPoint *point =
            l->lasting[i].left ? remembered(&l->end.memory, rg_touch_key(&l->wishes[i].gap)) : NULL;
        if (point != NULL)
            point->impulse = v3_zero();
    }
}

/* Whether a point of there has come to touch within the step: it was not held through it, and did not touch at the start or
   was let go then and is back. */
static bool has_come(const RgLocated *l, const RgGap *gap)
{
    RgTouchKey key = rg_touch_key(gap);
    if (rg_located_lasting(l, key) != NULL)
        return false;
    return !rg_located_knew(l, key) || rg_located_rate(l, gap, l->u_path[1]) < -RG_LOCATED_REST;
}

/* Pairs whose set of touching features is another at the end: two sorted walks would do; sets are small. What was let go
   has changed when the step began. */
static void tell_manifolds(RgLocated *l, double t, double uncertainty)
{
    for (int i = 0; i < l->there.view.npoints; i++)
        if (has_come(l, &l->there.gaps[i]))
            tell_manifold(l, rg_touch_key(&l->there.gaps[i]), &l->there.view.points[i],
                          (RgEvent){.t = t, .uncertainty = uncertainty});
    for (int i = 0; i < l->nknown; i++) {
        RgTouchKey key = l->known[i];
        const RgLasting *held = rg_located_lasting(l, key);
        if (held != NULL ? rg_located_where(l, key) >= 0 && !held->left
                         : !(l->still[i] && pressed(l->last, key)))
            continue;
        tell_manifold(
            l, key, NULL,
            (RgEvent){.t = held != NULL ? t : l->begin.t,
                      .uncertainty = held != NULL ? uncertainty : fmax(t - l->begin.t, uncertainty)});
    }
    l->scope->log->statistics.degenerate += l->there.degenerate;
}

/* What is known of the points at the end; NULL: no memory. */
static const RgParting *find_partings(RgLocated *l)
{
    if (!rg_located_straight(l, &l->there, &l->bends[1]))
        return NULL;
    for (int32_t i = 0; i < l->there.view.npoints; i++) {
        RgTouchKey key = rg_touch_key(&l->there.gaps[i]);
        const RgLasting *held = rg_located_lasting(l, key);
        l->bends[1].parting[i] = held != NULL              ? held->left ? RG_PARTING_left : RG_PARTING_none
                                 : rg_located_knew(l, key) ? RG_PARTING_gone
                                                           : RG_PARTING_none;
    }
    return l->bends[1].parting;
}

RgStatus rg_located_tell_events(RgLocated *l, const RgSearch *search)
{
    RgStepScope *s = l->scope;
    double t = l->end.t, uncertainty = search->high < INFINITY ? search->high - search->low : 0.0;
    if (s->scene != NULL)
        tell_manifolds(l, t, uncertainty);
    if (s->contact == NULL)
        return RG_OK;
    const RgParting *parting = s->scene != NULL ? find_partings(l) : NULL;
    if (s->scene != NULL && l->there.view.npoints > 0 && parting == NULL)
        return RG_ERR_MEMORY;
    RgContactLook look = {.last = l->last,
                          .u = l->u_path[1],
                          .u_begin = l->begin.u,
                          .before = l->nominal,
                          .t = t,
                          .uncertainty = uncertainty,
                          .since = search->h,
                          .begin = l->begin.t,
                          .cut = search->cut,
                          .impact_speed = IMPACT_SPEED,
                          .parting = parting};
    if (s->contact->result.h > 0.0) {
        RgStatus status = rg_contact_events_look(s, &look, &l->end);
        forget_left(l);
        return status;
    }
    rg_contact_events_none(s, &look, &l->end);
    return RG_OK;
}
