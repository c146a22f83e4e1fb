/*
 * maxstep.c - the largest step with which something works.
 *
 * 002 section IV: from 1 ms on the step is doubled until the run is unstable or 0.1 s is reached; then the last two are
 * bisected. Bisection halves the ratio, not the difference, so that it takes
 *
 *   ceil(log2(log(2) / log(1 + width)))    runs, whatever the scale: 4 for 5 %, 7 for 0.6 %.
 *
 * Stability is not monotone in general: a mode may hit its node, a limit cycle may stay within bounds. Bisection then
 * still ends at a place where what works meets what fails, and probes spread evenly in log(step) between the ends of
 * the search and the limit tell whether it is the only one they can see. A hole narrower than their spacing is missed.
 */
#include "step_search/maxstep.h"

#include <math.h>

typedef struct Search {
    const RgStepSearch *def;
    RgStepLimit limit;
} Search;

static bool ask(Search *s, double step)
{
    bool works = s->def->works(step, s->def->context);
    if (s->limit.ntries < RG_STEP_TRIES_MAX)
        s->limit.tries[s->limit.ntries++] = (RgStepTry){step, works};
    return works;
}

/* From a step that works upwards: doubled until one fails, the last one being `most` itself. */
static void climb(Search *s)
{
    RgStepLimit *limit = &s->limit;
    limit->fails = INFINITY;
    while (limit->step < s->def->most) {
        double next = fmin(2.0 * limit->step, s->def->most);
        if (!ask(s, next)) {
            limit->fails = next;
            return;
        }
        limit->step = next;
    }
}

/* From a step that fails downwards: halved until one works, the last one being `least` itself. */
static bool descend(Search *s)
{
    RgStepLimit *limit = &s->limit;
    while (limit->fails > s->def->least) {
        double next = fmax(0.5 * limit->fails, s->def->least);
        if (ask(s, next)) {
            limit->step = next;
            return true;
        }
        limit->fails = next;
    }
    return false;
}

static void bisect(Search *s)
{
    RgStepLimit *limit = &s->limit;
    while (limit->fails > limit->step * (1.0 + s->def->width)) {
        double middle = sqrt(limit->step * limit->fails);
        if (!(middle > limit->step && middle < limit->fails))
            return;
        if (ask(s, middle))
            limit->step = middle;
        else
            limit->fails = middle;
    }
}

/* n steps spread evenly in the logarithm, ends left out. */
static void probe(Search *s, double low, double high, int n)
{
    if (!(high > low * (1.0 + s->def->width)))
        return;
    for (int i = 1; i <= n; i++)
        ask(s, low * pow(high / low, (double)i / (n + 1)));
}

/* What worked above the limit, what failed below. */
static void count_exceptions(RgStepLimit *limit)
{
    limit->hole = limit->island = NAN;
    for (int i = 0; i < limit->ntries; i++) {
        const RgStepTry *t = &limit->tries[i];
        if (!t->works && t->step < limit->step) {
            limit->hole = limit->holes++ ? fmin(limit->hole, t->step) : t->step;
        } else if (t->works && t->step > limit->fails) {
            limit->island = limit->islands++ ? fmax(limit->island, t->step) : t->step;
        }
    }
}

RgStepLimit rg_step_search(const RgStepSearch *search)
{
    Search s = {.def = search};
    RgStepLimit *limit = &s.limit;
    limit->found = ask(&s, search->first);
    if (limit->found) {
        limit->step = search->first;
        climb(&s);
    } else {
        limit->fails = search->first;
        limit->found = descend(&s);
    }
    if (limit->found && isfinite(limit->fails))
        bisect(&s);

    /* Where nothing worked on the way down, something may have further up. */
    if (limit->found)
        probe(&s, fmin(search->first, limit->step), limit->step, search->probes);
    if (isfinite(limit->fails))
        probe(&s, limit->fails, search->most, search->probes);
    count_exceptions(limit);
    if (!limit->found)
        limit->step = NAN;
    return *limit;
}
