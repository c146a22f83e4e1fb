/*
 * located_report.c - reports of an inner step: the step, changes of manifolds, and events of pairs and limits
 * (contact_events.c).
 *
 * The manifold of a pair is the set of its touching features. Several changes of a pair at one time are one event. It
 * changes
 *
 *   at the end of a step     by new contacts, including those released at the start, and by persistent contacts that
 *                            separate
 *   at its start             by contacts that pressed until then, do not open, and are not kept
 *
 * Contacts that open at the start separated at the end of the previous step, and were reported then.
 */
#include "stepper/located.h"

/* m/s: contacts that close faster are reported as impacts. Chosen above RG_LOCATED_REST. */
#define IMPACT_SPEED 1e-4

void rg_located_report_step(RgLocated *l, const RgSearch *search, const RgTrial *trial)
{
    RgStepScope *s = l->scope;
    RgInnerStep step = {.t = l->states.begin.t,
                        .h = search->h,
                        .path = RG_PATH_CURVE,
                        .begin = l->path.ends[0],
                        .end = l->path.ends[1],
                        .cut = search->cut,
                        .shape_a = trial->proof.shape_a,
                        .shape_b = trial->proof.shape_b,
                        .bound = trial->proof.time,
                        .least_distance = trial->proof.least};
    rg_step_log_inner(s->log, &step);
    s->report->substeps++;
}

/* Whether a change of the pair's features at time t has been reported. */
static bool is_reported(const RgStepLog *log, RgGapKey key, double t)
{
    for (int i = log->nevents - 1; i >= 0 && log->events[i].t >= t; i--) {
        const RgEvent *e = &log->events[i];
        if (e->kind == RG_EVENT_manifold && e->t == t && e->shape_a.i == key.shape_a + 1 &&
            e->shape_b.i == key.shape_b + 1)
            return true;
    }
    return false;
}

/* Reports a change of a pair's features. point: the new contact; NULL: a contact has ended. */
static void report_manifold(RgLocated *l, RgGapKey key, const RgContactPoint *point, RgEvent event)
{
    RgStepLog *log = l->scope->log;
    if (is_reported(log, key, event.t))
        return;
    event.kind = RG_EVENT_manifold;
    event.link_a = rg_shape_link(l->scope->model, key.shape_a);
    event.link_b = rg_shape_link(l->scope->model, key.shape_b);
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

/* Whether a contact has an impulse in the memory. */
static bool pressed(const RgContactMemory *memory, RgGapKey key)
{
    const RgRememberedPoint *point = rg_contact_memory_point(memory, key.shape_a + 1, key.shape_b + 1, key.id);
    return point != NULL && v3_norm2(point->impulse) > 0.0;
}

/* Clears the impulses of separated contacts in the memory, so that the next step does not report them again. */
static void clear_separated_impulses(RgLocated *l)
{
    for (int i = 0; i < l->persistent.count; i++) {
        RgGapKey key = rg_gap_key(&l->persistent.gap_constraints[i].gap);
        if (l->persistent.list[i].left)
            rg_contact_memory_clear_impulse(&l->states.end.memory, key.shape_a + 1, key.shape_b + 1, key.id);
    }
}

/* Whether a point at the end is a new contact: it was not kept through the step, and either did not touch at the start
   or was released there and closes again. */
static bool is_new(const RgLocated *l, const RgGap *gap)
{
    RgGapKey key = rg_gap_key(gap);
    if (rg_persistent_contact(&l->persistent, key) != NULL)
        return false;
    return !rg_was_contact(&l->previous_contacts, key) ||
           rg_gap_opening(l->scope->form, gap, l->path.u[1]) < -RG_LOCATED_REST;
}

/* Reports all pairs whose set of touching features has changed. */
static void report_manifolds(RgLocated *l, double t, double uncertainty)
{
    const RgTouchSet *touch = &l->contacts_end.touch;
    double begin = l->states.begin.t;
    for (int i = 0; i < touch->view.npoints; i++)
        if (is_new(l, &touch->gaps[i]))
            report_manifold(l, rg_gap_key(&touch->gaps[i]), &touch->view.points[i],
                            (RgEvent){.t = t, .uncertainty = uncertainty});
    for (int i = 0; i < l->previous_contacts.count; i++) {
        const RgPreviousContact *was = &l->previous_contacts.list[i];
        const RgPersistentContact *kept = rg_persistent_contact(&l->persistent, was->key);
        if (kept != NULL ? rg_contact_set_find(&l->contacts_end, was->key) >= 0 && !kept->left
                         : was->opens || !pressed(l->states.last, was->key))
            continue;
        RgEvent event = {.t = kept != NULL ? t : begin,
                         .uncertainty = kept != NULL ? uncertainty : fmax(t - begin, uncertainty)};
        report_manifold(l, was->key, NULL, event);
    }
    l->scope->log->statistics.degenerate += touch->degenerate;
}

/* Separation of each point at the end. */
static const RgSeparation *find_separations(RgLocated *l)
{
    RgContactSet *set = &l->contacts_end;
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        RgGapKey key = rg_gap_key(&set->touch.gaps[i]);
        const RgPersistentContact *kept = rg_persistent_contact(&l->persistent, key);
        set->separation[i] = RG_SEPARATION_none;
        if (kept != NULL && kept->left)
            set->separation[i] = RG_SEPARATION_left;
        if (kept == NULL && rg_was_contact(&l->previous_contacts, key))
            set->separation[i] = RG_SEPARATION_released;
    }
    return set->separation;
}

RgStatus rg_located_report_events(RgLocated *l, const RgSearch *search)
{
    RgStepScope *s = l->scope;
    double t = l->states.end.t, uncertainty = search->high < INFINITY ? search->high - search->low : 0.0;
    if (s->scene != NULL)
        report_manifolds(l, t, uncertainty);
    if (s->contact == NULL)
        return RG_OK;
    RgContactEventsAsk ask = {.last = l->states.last,
                              .u = l->path.u[1],
                              .u_begin = l->states.begin.u,
                              .before = l->nominal,
                              .t = t,
                              .uncertainty = uncertainty,
                              .since = search->h,
                              .begin = l->states.begin.t,
                              .cut = search->cut,
                              .impact_speed = IMPACT_SPEED,
                              .separation = s->scene != NULL ? find_separations(l) : NULL};
    if (s->contact->result.h > 0.0) {
        RgStatus status = rg_contact_events_find(s, &ask, &l->states.end);
        clear_separated_impulses(l);
        return status;
    }
    rg_contact_events_end_all(s, &ask, &l->states.end);
    return RG_OK;
}
