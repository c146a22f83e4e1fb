/*
 * check_reported.c - follows the reported state of each pair through the events, independent of the geometry.
 *
 *               touch              slip, roll                break
 *   apart  -------------->  sticks ---------> slips, rolls -------->  apart
 *                                  <---------
 *                                     stick
 *
 * An event that does not fit the reported state is false: a touch of a touching pair; an impact, slip, roll, stick or
 * break of a pair that does not touch; a stick of a sticking pair. The end of an outer step gives the numbers of
 * touching pairs and active limits, which must agree with the events. So a missing event is found at the next event of
 * the same pair, or at the end of the outer step.
 *
 * Pairs reported as touching before the start of the certificate are listed after its start; of limits only the number
 * is given there.
 */
#include "verify/check.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define LIMIT_KEY (-1) /* RgReportedPair.a of joint limits */

static bool is_before(const RgReportedPair *p, int a, int b)
{
    return p->a != a ? p->a < a : p->b < b;
}

/* Index of a pair, or of the place to insert it. */
static int32_t find_index(const RgReportedSet *set, int a, int b)
{
    int32_t low = 0, high = set->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (is_before(&set->pairs[middle], a, b))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static RgReportedPair *find_pair(const RgReportedSet *set, int a, int b)
{
    int32_t at = find_index(set, a, b);
    return at < set->count && set->pairs[at].a == a && set->pairs[at].b == b ? &set->pairs[at] : NULL;
}

static bool reserve_pairs(RgCheck *c, RgReportedSet *set, int32_t count)
{
    if (count <= set->room)
        return true;
    int32_t room = count > 32 ? 2 * count : 64;
    RgReportedPair *more = rg_realloc(&c->allocator, set->pairs, (size_t)set->room, (size_t)room, sizeof *more);
    if (more == NULL) {
        rg_certificate_fail(&c->text, RG_ERR_MEMORY, "out of memory");
        return false;
    }
    set->pairs = more;
    set->room = room;
    return true;
}

static void insert_pair(RgCheck *c, RgReportedSet *set, RgReportedPair pair)
{
    if (!reserve_pairs(c, set, set->count + 1))
        return;
    int32_t at = find_index(set, pair.a, pair.b);
    memmove(&set->pairs[at + 1], &set->pairs[at], (size_t)(set->count - at) * sizeof *set->pairs);
    set->pairs[at] = pair;
    set->count++;
}

static void remove_pair(RgReportedSet *set, const RgReportedPair *pair)
{
    int32_t at = (int32_t)(pair - set->pairs);
    set->count--;
    memmove(&set->pairs[at], &set->pairs[at + 1], (size_t)(set->count - at) * sizeof *set->pairs);
}

void rg_reported_free(RgCheck *c)
{
    rg_free(&c->allocator, c->reported.pairs);
    rg_free(&c->allocator, c->reported_before.pairs);
}

bool rg_reported_start(RgCheck *c)
{
    for (int32_t i = 0; i < c->head.reported_counts[0]; i++)
        insert_pair(c, &c->reported, (RgReportedPair){c->head.reported[i].first, c->head.reported[i].last, -1});
    c->first_limits = c->head.limits;
    return !c->text.failed;
}

void rg_reported_count(const RgReportedSet *set, int *pairs, int *limits)
{
    *pairs = *limits = 0;
    for (int32_t i = 0; i < set->count; i++) {
        *pairs += set->pairs[i].a != LIMIT_KEY;
        *limits += set->pairs[i].a == LIMIT_KEY ? set->pairs[i].motion : 0;
    }
}

/* ------------------------------------------------------------------ one event */

static const char *apply_limit(RgCheck *c, const RgReportedEvent *e)
{
    int key = 8 * e->joint + e->dof;
    RgReportedPair *limit = find_pair(&c->reported, LIMIT_KEY, key);
    if (e->kind == RG_REPORTED_LIMIT && limit == NULL)
        insert_pair(c, &c->reported, (RgReportedPair){LIMIT_KEY, key, 1});
    else if (e->kind == RG_REPORTED_LIMIT && limit->motion > 1)
        return "a third stop of one joint";
    else if (e->kind == RG_REPORTED_LIMIT)
        limit->motion++;
    else if (limit == NULL && c->first_limits == 0)
        return "a joint leaves a stop that it was not told to be at";
    else if (limit == NULL)
        c->first_limits--;
    else if (--limit->motion == 0)
        remove_pair(&c->reported, limit);
    return NULL;
}

/* Applies an event to the reported state. Returns why it does not fit; NULL: it fits. */
static const char *apply_event(RgCheck *c, const RgReportedEvent *e)
{
    if (e->kind == RG_REPORTED_LIMIT || e->kind == RG_REPORTED_LEAVE)
        return apply_limit(c, e);
    if (e->kind == RG_REPORTED_MANIFOLD || e->kind == RG_REPORTED_SATURATE || e->kind == RG_REPORTED_RECOVER)
        return NULL;
    RgReportedPair *pair = find_pair(&c->reported, e->shape_a, e->shape_b);
    if (e->kind == RG_REPORTED_TOUCH) {
        if (pair != NULL)
            return "what touches already is told to touch";
        insert_pair(c, &c->reported, (RgReportedPair){e->shape_a, e->shape_b, RG_REPORTED_STICK});
        return NULL;
    }
    if (pair == NULL)
        return e->kind == RG_REPORTED_IMPACT  ? "an impact of what is not told to touch"
               : e->kind == RG_REPORTED_BREAK ? "what is not told to touch is told to part"
                                              : "what is not told to touch is told to slip, stick or roll";
    if (e->kind == RG_REPORTED_BREAK)
        remove_pair(&c->reported, pair);
    else if (e->kind != RG_REPORTED_IMPACT && pair->motion == (int)e->kind)
        return "what slips, sticks or rolls already is told to do so";
    else if (e->kind == RG_REPORTED_ROLL && pair->motion == RG_REPORTED_SLIP)
        return "what slips is told to roll, and not to stick before";
    else if (e->kind != RG_REPORTED_IMPACT)
        pair->motion = (int)e->kind;
    return NULL;
}

void rg_reported_apply(RgCheck *c)
{
    if (!reserve_pairs(c, &c->reported_before, c->reported.count))
        return;
    if (c->reported.count > 0)
        memcpy(c->reported_before.pairs, c->reported.pairs, (size_t)c->reported.count * sizeof *c->reported.pairs);
    c->reported_before.count = c->reported.count;
    double last = -(double)INFINITY;
    for (int32_t i = 0; i < c->events.count && !c->text.failed; i++) {
        const RgReportedEvent *e = &c->events.events[i];
        const char *wrong = e->t < last ? "events are not in the order of their times" : apply_event(c, e);
        last = e->t;
        if (wrong == NULL)
            continue;
        c->report->false_events++;
        rg_check_fault(c, e->line, e->t, wrong);
    }
}

bool rg_reported_at(const RgCheck *c, int a, int b, double t)
{
    bool reported = find_pair(&c->reported_before, a, b) != NULL;
    for (int32_t i = 0; i < c->events.count; i++) {
        const RgReportedEvent *e = &c->events.events[i];
        if (e->shape_a != a || e->shape_b != b || (e->kind != RG_REPORTED_TOUCH && e->kind != RG_REPORTED_BREAK))
            continue;
        if (e->t > t && !rg_check_same_time(e->t, t))
            break;
        /* At the time of a touch or break the pair counts as touching. */
        if (rg_check_same_time(e->t, t))
            return true;
        reported = e->kind == RG_REPORTED_TOUCH;
    }
    return reported;
}
