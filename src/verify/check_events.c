/*
 * check_events.c - checks events: each must be of a pair that may touch, at the end of a step, and agree with the
 * geometry there.
 *
 * In a certificate events follow the steps of their outer step. They are read in advance when an outer step begins, so
 * that each step can be compared with the events at its end:
 *
 *   touch, impact   the two shapes are within REACH gaps of each other, and so is the point; the normal is a unit
 *                   vector; the value is the closing speed at the end of the step:
 *                   speed at the point <= value <= largest speed of any points within the gap (approach.h)
 *   all others      at the end of some step; their order per pair is checked in check_reported.c
 *
 * The time of events within plain steps cannot be checked.
 */
#include "verify/approach.h"
#include "verify/check.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* Largest multiple of the gap at which shapes may touch: steppers enlarge the gap up to this factor if no step is
   proven (MOST_GROWTH in located_step.c). */
#define REACH 1024.0

/* Tolerance of speeds: relative, and m/s. */
#define VALUE_PART 2e-3
#define VALUE_LEAST 1e-6

/* m/s^2, times h: at constant rates forces act at the ends of steps, and the speed may be given before or after them.
   About twice gravity. */
#define UNCOUNTED_ACCELERATION 20.0

/* Tolerance of equal times: relative, and s. */
#define SAME_TIME 1e-12

bool rg_check_same_time(double a, double b)
{
    return fabs(a - b) <= SAME_TIME * fmax(1.0, fmax(fabs(a), fabs(b)));
}

/* ------------------------------------------------------------------ reading */

/* Other kinds of events are in no certificate: worlds with joints made at run time have none, steppers that locate
   events know no damping fields, and unfinished solves are found by watching (record/events.c). */
static RgReportedKind kind_of(RgWord word)
{
    static const char *const names[RG_REPORTED_KINDS] = {
        [RG_REPORTED_TOUCH] = "touch",       [RG_REPORTED_BREAK] = "break",     [RG_REPORTED_STICK] = "stick",
        [RG_REPORTED_SLIP] = "slip",         [RG_REPORTED_ROLL] = "roll",       [RG_REPORTED_IMPACT] = "impact",
        [RG_REPORTED_LIMIT] = "limit",       [RG_REPORTED_LEAVE] = "leave",     [RG_REPORTED_MANIFOLD] = "manifold",
        [RG_REPORTED_SATURATE] = "saturate", [RG_REPORTED_RECOVER] = "recover",
    };
    int kind = 0;
    while (kind < RG_REPORTED_KINDS && !rg_word_is(word, names[kind]))
        kind++;
    return (RgReportedKind)kind;
}

static bool is_of_joint(const RgReportedEvent *e)
{
    return e->kind == RG_REPORTED_LIMIT || e->kind == RG_REPORTED_LEAVE || e->kind == RG_REPORTED_SATURATE ||
           e->kind == RG_REPORTED_RECOVER;
}

static RgReportedEvent *add_event(RgCheck *c)
{
    RgReportedEvents *all = &c->events;
    if (all->count == all->room) {
        int32_t room = all->room > 0 ? 2 * all->room : 64;
        RgReportedEvent *more = rg_realloc(&c->allocator, all->events, (size_t)all->room, (size_t)room, sizeof *more);
        if (more == NULL) {
            rg_certificate_fail(&c->text, RG_ERR_MEMORY, "out of memory");
            return NULL;
        }
        all->events = more;
        all->room = room;
    }
    return &all->events[all->count++];
}

/* The shapes or the joint of an event must be given, and the shapes may touch. Sorts the shapes: a < b. */
static void check_participants(RgCheck *c, RgReportedEvent *e, const int link[2], const int shape[2])
{
    RgCertificateText *t = &c->text;
    if (t->failed)
        return;
    if (is_of_joint(e)) {
        if (e->joint < 0 || e->dof < 0)
            rg_certificate_fail(t, RG_ERR_SYNTAX, "an event of a joint does not say of which");
        return;
    }
    if (shape[0] < 0 || shape[1] < 0 || shape[0] == shape[1]) {
        rg_certificate_fail(t, RG_ERR_SYNTAX, "an event of two shapes does not say of which");
        return;
    }
    bool turned = shape[0] > shape[1];
    e->shape_a = shape[turned];
    e->shape_b = shape[!turned];
    e->normal = turned ? v3_neg(e->normal) : e->normal;
    for (int i = 0; i < 2; i++)
        if (c->head.shapes[shape[i]].link != link[i]) {
            c->report->false_events++;
            rg_check_fault(c, t->line, e->t, "an event names a link that its shape is not of");
        }
    if (rg_check_may_touch(c, e->shape_a, e->shape_b))
        return;
    c->report->false_events++;
    rg_check_fault(c, t->line, e->t, "an event is told of two shapes that may not touch");
}

/* Reads the rest of an event's line. */
static void read_event(RgCheck *c)
{
    RgCertificateText *t = &c->text;
    RgReportedEvent e = {.line = t->line};
    e.t = rg_certificate_number(t, "time");
    RgWord kind = rg_certificate_word(t, "kind of event");
    e.kind = kind_of(kind);
    if (!t->failed && e.kind == RG_REPORTED_KINDS)
        rg_certificate_fail(t, RG_ERR_SYNTAX, "kind of event: unknown '%.*s'",
                            (int)(kind.length < 40 ? kind.length : 40), kind.start);
    e.uncertainty = rg_certificate_number(t, "uncertainty of the time");
    int link[2], shape[2];
    for (int i = 0; i < 2; i++)
        link[i] = rg_certificate_whole(t, "link", -1, INT32_MAX);
    for (int i = 0; i < 2; i++)
        shape[i] = rg_certificate_whole(t, "shape", -1, c->head.nshapes - 1);
    e.point = rg_certificate_vector(t, "point");
    e.normal = rg_certificate_vector(t, "normal");
    e.value = rg_certificate_number(t, "value");
    double impulse = rg_certificate_number(t, "impulse");
    if (!t->failed && (e.uncertainty < 0.0 || impulse < 0.0)) {
        c->report->false_events++;
        rg_check_fault(c, t->line, e.t, "an event has an uncertainty or an impulse below 0");
    }
    e.joint = rg_certificate_whole(t, "joint", -1, (1 << 28) - 1);
    e.dof = rg_certificate_whole(t, "velocity of the joint", -1, 5);
    check_participants(c, &e, link, shape);
    e.confirmed = e.kind != RG_REPORTED_TOUCH && e.kind != RG_REPORTED_IMPACT;
    RgReportedEvent *slot = t->failed ? NULL : add_event(c);
    if (slot != NULL)
        *slot = e;
}

void rg_check_events_ahead(RgCheck *c, const char *line)
{
    RgCertificateText here = c->text;
    RgReportedEvents old = c->events_before;
    c->events_before = c->events;
    c->events = old;
    c->events.count = 0;
    c->ahead = true;
    for (int number = here.line; line < here.end && !c->text.failed; number++) {
        const char *newline = memchr(line, '\n', (size_t)(here.end - line));
        const char *end = newline != NULL ? newline : here.end;
        RgCertificateText *t = &c->text;
        *t = (RgCertificateText){here.file, line, end, here.end, number, here.error, false};
        RgWord word = rg_word_next(&t->at, t->line_end);
        if (rg_word_is(word, "taken"))
            break;
        if (rg_word_is(word, "event"))
            read_event(c);
        line = end + (end < here.end);
    }
    if (c->text.failed)
        return;
    c->text = here;
    rg_reported_apply(c);
}

/* ------------------------------------------------------------------ comparison */

static RgPlacedPiece placed_at_end(const RgCheck *c, const RgPiece *piece)
{
    int body = c->head.shapes[piece->shape].body;
    if (body < 0)
        return (RgPlacedPiece){piece, m3_identity(), v3_zero()};
    const RgPose *X = &c->bodies[body].pose[RG_CLEARANCE_SAMPLES];
    return (RgPlacedPiece){piece, X->R, X->p};
}

static RgTwistField field_of(const RgCheck *c, int shape)
{
    int body = c->head.shapes[shape].body;
    if (body < 0)
        return (RgTwistField){v3_zero(), v3_zero()};
    const RgBodyPlace *at = &c->bodies[body].at;
    return rg_twist_field(at->centre, at->velocity, at->w);
}

/* m: distance of a point to the nearest piece of a shape. */
static double distance_to_shape(const RgCheck *c, int shape, RgVec3 x)
{
    const RgCertificateShape *s = &c->head.shapes[shape];
    RgPiece point = {.kind = RG_PIECE_HULL, .ncorners = 1, .corner = &(RgVec3){0.0, 0.0, 0.0}};
    RgPlacedPiece at = {&point, m3_identity(), x};
    double least = (double)INFINITY;
    for (int32_t i = s->first_piece; i < s->first_piece + s->npieces; i++) {
        RgPlacedPiece piece = placed_at_end(c, &c->head.pieces[i]);
        least = fmin(least, rg_separation(&piece, &at).distance);
    }
    return least;
}

/* Largest closing speed of any two pieces within reach (m). */
static RgApproach find_fastest(const RgCheck *c, const RgReportedEvent *e, double reach, const RgTwistField *between)
{
    const RgCertificateShape *A = &c->head.shapes[e->shape_a], *B = &c->head.shapes[e->shape_b];
    RgApproach best = {.distance = (double)INFINITY, .closing = -(double)INFINITY};
    for (int32_t i = A->first_piece; i < A->first_piece + A->npieces; i++)
        for (int32_t k = B->first_piece; k < B->first_piece + B->npieces; k++) {
            RgPlacedPiece a = placed_at_end(c, &c->head.pieces[i]), b = placed_at_end(c, &c->head.pieces[k]);
            if (a.piece->kind == RG_PIECE_HALFSPACE && b.piece->kind == RG_PIECE_HALFSPACE)
                continue;
            RgApproach one = rg_approach(&a, &b, reach, between);
            double distance = fmin(best.distance, one.distance);
            if (one.closing > best.closing)
                best = one;
            best.distance = distance;
        }
    return best;
}

/* The disagreement of a touch or impact with the geometry at the end of this step; NULL: none. */
static const char *compare_with_geometry(const RgCheck *c, const RgReportedEvent *e)
{
    double gap = c->head.gap, reach = REACH * gap;
    if (!(fabs(v3_norm(e->normal) - 1.0) <= 1e-9))
        return "an event's normal is not a unit vector";
    RgTwistField between = rg_twist_field_between(field_of(c, e->shape_a), field_of(c, e->shape_b));
    RgApproach near = find_fastest(c, e, gap * (1.0 + 1e-6), &between);
    if (!(near.closing > -(double)INFINITY))
        near = find_fastest(c, e, reach, &between);
    if (!(near.distance <= reach))
        return "two shapes are told to meet that are not near each other";
    if (!(fabs(distance_to_shape(c, e->shape_a, e->point)) <= 2.0 * reach) ||
        !(fabs(distance_to_shape(c, e->shape_b, e->point)) <= 2.0 * reach))
        return "two shapes are told to meet at a point where they are not";
    double there = -v3_dot(e->normal, rg_twist_field_at(&between, e->point));
    double most = fmax(fmax(near.closing, there), 0.0), slack = VALUE_LEAST + VALUE_PART * most;
    if (!c->claim.curve)
        slack += 2.0 * gap / c->step.h + UNCOUNTED_ACCELERATION * c->step.h;
    if (!(e->value >= there - slack && e->value <= most + slack))
        return "two shapes meet at another speed than is told";
    return NULL;
}

void rg_check_events_at_end(RgCheck *c)
{
    bool plain = c->record == RG_RECORD_PLAIN;
    for (int32_t i = 0; i < c->events.count; i++) {
        RgReportedEvent *e = &c->events.events[i];
        bool at_end = rg_check_same_time(e->t, c->t), at_begin = rg_check_same_time(e->t, c->step_t);
        bool within = plain && e->t >= c->step_t && e->t <= c->t;
        e->placed = e->placed || at_end || at_begin || within;
        if (plain && (within || at_begin || at_end))
            e->confirmed = true;
        if (e->confirmed || !at_end || c->record != RG_RECORD_STEP)
            continue;
        const char *wrong = compare_with_geometry(c, e);
        e->confirmed = wrong == NULL;
        e->why = wrong;
    }
}

void rg_check_read_taken(RgCheck *c, int64_t steps, int64_t events)
{
    RgCertificateText *t = &c->text;
    int said = rg_certificate_whole(t, "number of steps", 0, INT32_MAX);
    int reported = rg_certificate_whole(t, "number of events", 0, INT32_MAX);
    int touching = rg_certificate_whole(t, "number of pairs that touch", 0, INT32_MAX);
    int pushing = rg_certificate_whole(t, "number of limits that push", 0, INT32_MAX);
    if (!t->failed && (said != steps || reported != events))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "other numbers of steps and events than came before");
    if (t->failed)
        return;
    int pairs, limits;
    rg_reported_count(&c->reported, &pairs, &limits);
    if (pairs != touching || limits + c->first_limits != pushing) {
        c->report->false_events++;
        rg_check_fault(c, t->line, c->t, "events come to another number of touching pairs, or stops, than is told");
    }
    for (int32_t i = 0; i < c->events.count; i++) {
        const RgReportedEvent *e = &c->events.events[i];
        if (e->confirmed && e->placed)
            continue;
        c->report->false_events++;
        rg_check_fault(c, e->line, e->t, e->why != NULL ? e->why : "an event is told for a time at which no step ends");
    }
}
