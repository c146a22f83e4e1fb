/*
 * check_told.c - who is told to touch at each time, by the events alone.
 *
 *               touch              slip, roll                break
 *   apart  -------------->  sticks ---------> slips, rolls -------->  apart
 *                                  <---------
 *                                     stick
 *
 * An event that does not fit what was told before is wrong: a touch of what touches, an impact, slip, roll, stick or
 * break of what does not, a stick of what sticks. The end of an outer step says how many pairs touch and how many
 * limits push; events must come to the same. So an event that was left out shows at the next one of the same pair, or
 * at the end of the outer step.
 *
 * Pairs that were told to touch before the certificate begins stand behind its start; limits are only counted there.
 */
#include "verify/check.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

#define LIMIT (-1) /* in the place of shape a */

static bool is_before(const RgToldPair *p, int a, int b)
{
    return p->a != a ? p->a < a : p->b < b;
}

/* Where the pair is, or would be. */
static int32_t place_of(const RgToldSet *set, int a, int b)
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

static RgToldPair *find(const RgToldSet *set, int a, int b)
{
    int32_t at = place_of(set, a, b);
    return at < set->count && set->pairs[at].a == a && set->pairs[at].b == b ? &set->pairs[at] : NULL;
}

static bool make_room(RgCheck *c, RgToldSet *set, int32_t count)
{
    if (count <= set->room)
        return true;
    int32_t room = count > 32 ? 2 * count : 64;
    RgToldPair *more = rg_realloc(&c->allocator, set->pairs, (size_t)set->room, (size_t)room, sizeof *more);
    if (more == NULL) {
        rg_certificate_fail(&c->text, RG_ERR_MEMORY, "out of memory");
        return false;
    }
    set->pairs = more;
    set->room = room;
    return true;
}

static void insert(RgCheck *c, RgToldSet *set, RgToldPair pair)
{
    if (!make_room(c, set, set->count + 1))
        return;
    int32_t at = place_of(set, pair.a, pair.b);
    memmove(&set->pairs[at + 1], &set->pairs[at], (size_t)(set->count - at) * sizeof *set->pairs);
    set->pairs[at] = pair;
    set->count++;
}

static void drop(RgToldSet *set, const RgToldPair *pair)
{
    int32_t at = (int32_t)(pair - set->pairs);
    set->count--;
    memmove(&set->pairs[at], &set->pairs[at + 1], (size_t)(set->count - at) * sizeof *set->pairs);
}

void rg_told_free(RgCheck *c)
{
    rg_free(&c->allocator, c->told.pairs);
    rg_free(&c->allocator, c->told_before.pairs);
}

bool rg_told_start(RgCheck *c)
{
    for (int32_t i = 0; i < c->head.told_counts[0]; i++)
        insert(c, &c->told, (RgToldPair){c->head.told[i].first, c->head.told[i].last, -1});
    c->first_limits = c->head.limits;
    return !c->text.failed;
}

void rg_told_count(const RgToldSet *set, int *pairs, int *limits)
{
    *pairs = *limits = 0;
    for (int32_t i = 0; i < set->count; i++) {
        *pairs += set->pairs[i].a != LIMIT;
        *limits += set->pairs[i].a == LIMIT ? set->pairs[i].motion : 0;
    }
}

/* ------------------------------------------------------------------ one event */

static const char *follow_limit(RgCheck *c, const RgToldEvent *e)
{
    int key = 8 * e->joint + e->dof;
    RgToldPair *limit = find(&c->told, LIMIT, key);
    if (e->kind == RG_TOLD_LIMIT && limit == NULL)
        insert(c, &c->told, (RgToldPair){LIMIT, key, 1});
    else if (e->kind == RG_TOLD_LIMIT && limit->motion > 1)
        return "a third stop of one joint";
    else if (e->kind == RG_TOLD_LIMIT)
        limit->motion++;
    else if (limit == NULL && c->first_limits == 0)
        return "a joint leaves a stop that it was not told to be at";
    else if (limit == NULL)
        c->first_limits--;
    else if (--limit->motion == 0)
        drop(&c->told, limit);
    return NULL;
}

/* What is wrong with the event after those before it; NULL: nothing. */
static const char *follow(RgCheck *c, const RgToldEvent *e)
{
    if (e->kind == RG_TOLD_LIMIT || e->kind == RG_TOLD_LEAVE)
        return follow_limit(c, e);
    if (e->kind == RG_TOLD_MANIFOLD || e->kind == RG_TOLD_SATURATE || e->kind == RG_TOLD_RECOVER)
        return NULL;
    RgToldPair *pair = find(&c->told, e->shape_a, e->shape_b);
    if (e->kind == RG_TOLD_TOUCH) {
        if (pair != NULL)
            return "what touches already is told to touch";
        insert(c, &c->told, (RgToldPair){e->shape_a, e->shape_b, RG_TOLD_STICK});
        return NULL;
    }
    if (pair == NULL)
        return e->kind == RG_TOLD_IMPACT  ? "an impact of what is not told to touch"
               : e->kind == RG_TOLD_BREAK ? "what is not told to touch is told to part"
                                          : "what is not told to touch is told to slip, stick or roll";
    if (e->kind == RG_TOLD_BREAK)
        drop(&c->told, pair);
    else if (e->kind != RG_TOLD_IMPACT && pair->motion == (int)e->kind)
        return "what slips, sticks or rolls already is told to do so";
    else if (e->kind == RG_TOLD_ROLL && pair->motion == RG_TOLD_SLIP)
        return "what slips is told to roll, and not to stick before";
    else if (e->kind != RG_TOLD_IMPACT)
        pair->motion = (int)e->kind;
    return NULL;
}

void rg_told_follow(RgCheck *c)
{
    if (!make_room(c, &c->told_before, c->told.count))
        return;
    if (c->told.count > 0)
        memcpy(c->told_before.pairs, c->told.pairs, (size_t)c->told.count * sizeof *c->told.pairs);
    c->told_before.count = c->told.count;
    double last = -(double)INFINITY;
    for (int32_t i = 0; i < c->events.count && !c->text.failed; i++) {
        const RgToldEvent *e = &c->events.events[i];
        const char *wrong = e->t < last ? "events are not in the order of their times" : follow(c, e);
        last = e->t;
        if (wrong == NULL)
            continue;
        c->report->false_events++;
        rg_check_tell(c, e->line, e->t, wrong);
    }
}

bool rg_told_at(const RgCheck *c, int a, int b, double t)
{
    bool told = find(&c->told_before, a, b) != NULL;
    for (int32_t i = 0; i < c->events.count; i++) {
        const RgToldEvent *e = &c->events.events[i];
        if (e->shape_a != a || e->shape_b != b || (e->kind != RG_TOLD_TOUCH && e->kind != RG_TOLD_BREAK))
            continue;
        if (e->t > t && !rg_check_same_time(e->t, t))
            break;
        /* What touches up to t, or from then on, does so there. */
        if (rg_check_same_time(e->t, t))
            return true;
        told = e->kind == RG_TOLD_TOUCH;
    }
    return told;
}
