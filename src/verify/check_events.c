/*
 * check_events.c - pairs that come within the gap must be told of.
 *
 * A pair that was beyond the gap and is nearer than half of it at the end of an outer step must have had a touch or an
 * impact since it came: by its shapes, or where an event does not know them by its links.
 */
#include "verify/check.h"

#include "base/alloc.h"

#include <stdio.h>

/* So near, as a part of the gap, a pair must be told of. */
#define NEAR_PART 0.5

static int32_t find(const RgCheck *c, int a, int b)
{
    for (int32_t i = 0; i < c->nclose; i++)
        if (c->close[i].shape_a == a && c->close[i].shape_b == b)
            return i;
    return -1;
}

static RgClosePair *add(RgCheck *c)
{
    if (c->nclose == c->close_room) {
        int32_t room = c->close_room > 0 ? 2 * c->close_room : 64;
        RgClosePair *more =
            rg_realloc(&c->allocator, c->close, (size_t)c->close_room, (size_t)room, sizeof *more);
        if (more == NULL) {
            rg_certificate_fail(&c->text, RG_ERR_MEMORY, "out of memory");
            return NULL;
        }
        c->close = more;
        c->close_room = room;
    }
    return &c->close[c->nclose++];
}

void rg_check_close(RgCheck *c, int shape_a, int shape_b, double begin, double end)
{
    int32_t i = find(c, shape_a, shape_b);
    if (end >= c->head.gap) {
        if (i >= 0)
            c->close[i] = c->close[--c->nclose];
        return;
    }
    RgClosePair *pair = i >= 0 ? &c->close[i] : add(c);
    if (pair != NULL && i < 0)
        *pair = (RgClosePair){shape_a, shape_b, end, c->step_t, c->step_line, begin < c->head.gap};
    if (pair != NULL)
        pair->distance = end;
}

static bool is_one_of(const RgWord word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (rg_word_is(word, names[i]))
            return true;
    return false;
}

/* An event tells of a pair by its shapes, or where they are not known by its links. */
static bool tells_of(const RgCheck *c, const RgClosePair *pair, const int link[2], const int shape[2])
{
    const RgCertificateShape *a = &c->head.shapes[pair->shape_a], *b = &c->head.shapes[pair->shape_b];
    if (shape[0] >= 0 && shape[1] >= 0)
        return (pair->shape_a == shape[0] && pair->shape_b == shape[1]) ||
               (pair->shape_a == shape[1] && pair->shape_b == shape[0]);
    return (a->link == link[0] && b->link == link[1]) || (a->link == link[1] && b->link == link[0]);
}

void rg_check_read_event(RgCheck *c)
{
    static const char *const kinds[] = {"touch", "break", "stick",    "slip",     "limit",  "impact",
                                        "roll",  "leave", "manifold", "saturate", "recover"};
    static const char *const contacts[] = {"touch", "impact"};
    RgCertificateText *t = &c->text;
    double when = rg_certificate_number(t, "time");
    RgWord kind = rg_certificate_word(t, "kind of event");
    if (!t->failed && !is_one_of(kind, kinds, sizeof kinds / sizeof kinds[0]))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "kind of event: unknown '%.*s'",
                            (int)(kind.length < 40 ? kind.length : 40), kind.start);
    double uncertainty = rg_certificate_number(t, "uncertainty of the time");
    int link[2], shape[2];
    for (int i = 0; i < 2; i++)
        link[i] = rg_certificate_whole(t, "link", -1, INT32_MAX);
    for (int i = 0; i < 2; i++)
        shape[i] = rg_certificate_whole(t, "shape", -1, c->head.nshapes - 1);
    rg_certificate_vector(t, "point");
    rg_certificate_vector(t, "normal");
    rg_certificate_number(t, "value");
    rg_certificate_number(t, "impulse");
    rg_certificate_whole(t, "joint", -1, INT32_MAX);
    rg_certificate_whole(t, "velocity of the joint", -1, 5);
    c->report->events++;
    for (int32_t i = 0; i < c->nclose && !t->failed && is_one_of(kind, contacts, 2); i++) {
        RgClosePair *pair = &c->close[i];
        pair->told =
            pair->told || (when >= pair->since - uncertainty - 1e-9 && tells_of(c, pair, link, shape));
    }
}

static void tell_untold(RgCheck *c, RgClosePair *pair)
{
    char words[300];
    snprintf(words, sizeof words,
             "shapes %d '%.60s' and %d '%.60s' come within the gap, and no event tells of it", pair->shape_a,
             c->head.shapes[pair->shape_a].name, pair->shape_b, c->head.shapes[pair->shape_b].name);
    rg_check_tell(c, pair->line, pair->since, words);
    c->report->untold++;
    pair->told = true;
}

void rg_check_read_taken(RgCheck *c, int64_t steps, int64_t events)
{
    RgCertificateText *t = &c->text;
    int said = rg_certificate_whole(t, "number of steps", 0, INT32_MAX);
    int told = rg_certificate_whole(t, "number of events", 0, INT32_MAX);
    if (!t->failed && (said != steps || told != events))
        rg_certificate_fail(t, RG_ERR_SYNTAX, "other numbers of steps and events than came before");
    for (int32_t i = 0; i < c->nclose; i++)
        if (!c->close[i].told && c->close[i].distance < NEAR_PART * c->head.gap)
            tell_untold(c, &c->close[i]);
}
