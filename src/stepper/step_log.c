/*
 * step_log.c - events, statistics, shortfalls and inner steps of an outer step.
 *
 * If an outer step is refused its statistics and events are discarded, and the inner-step callback is called with NULL:
 * it must discard the inner steps of this outer step.
 */
#include "stepper/step_log.h"

#include <math.h>
#include <string.h>

enum { ROOM_MIN = 16, BINS_A_DECADE = 5 };

const char *rg_event_name(RgEventKind kind)
{
    static const char *const names[] = {
#define RG_EVENT_NAME(name) #name,
        RG_EVENT_LIST(RG_EVENT_NAME)
#undef RG_EVENT_NAME
    };
    return (unsigned)kind < RG_EVENT_COUNT ? names[kind] : NULL;
}

const char *rg_cut_name(RgCut cut)
{
    static const char *const names[] = {
#define RG_CUT_NAME(name) #name,
        RG_CUT_LIST(RG_CUT_NAME)
#undef RG_CUT_NAME
    };
    return (unsigned)cut < RG_CUT_COUNT ? names[cut] : NULL;
}

void rg_step_log_init(RgStepLog *log, const RgAllocator *allocator)
{
    *log = (RgStepLog){.allocator = *allocator, .statistics.least_distance = INFINITY};
    log->before = log->statistics;
}

void rg_step_log_free(RgStepLog *log)
{
    rg_free(&log->allocator, log->events);
    rg_free(&log->allocator, log->gave);
    log->events = NULL;
    log->gave = NULL;
    log->nevents = log->room = log->nshortfalls = log->shortfall_room = 0;
}

void rg_step_log_begin(RgStepLog *log)
{
    if (!log->goes_on) {
        log->nevents = log->nshortfalls = 0;
        log->out_of_memory = false;
    }
    log->goes_on = false;
    log->first = log->nevents;
    log->before = log->statistics;
}

void rg_step_log_accept(RgStepLog *log)
{
    for (int i = log->first; i < log->nevents && log->event_fn != NULL; i++)
        log->event_fn(&log->events[i], log->event_context);
    if (log->accept_fn != NULL)
        log->accept_fn(log, log->step_context);
}

void rg_step_log_refuse(RgStepLog *log)
{
    log->nevents = log->nshortfalls = log->first = 0;
    log->statistics = log->before;
    if (log->step_fn != NULL)
        log->step_fn(NULL, log->step_context);
}

void rg_step_log_clear(RgStepLog *log)
{
    log->nevents = log->nshortfalls = log->first = 0;
}

RgStepLogMark rg_step_log_mark(const RgStepLog *log)
{
    RgStepLogMark mark = {.nevents = log->nevents,
                          .nshortfalls = log->nshortfalls,
                          .manifold_changes = log->statistics.manifold_changes,
                          .degenerate = log->statistics.degenerate};
    memcpy(mark.events, log->statistics.events, sizeof mark.events);
    return mark;
}

void rg_step_log_rewind(RgStepLog *log, const RgStepLogMark *mark)
{
    log->nevents = mark->nevents;
    log->nshortfalls = mark->nshortfalls;
    log->statistics.manifold_changes = mark->manifold_changes;
    log->statistics.degenerate = mark->degenerate;
    memcpy(log->statistics.events, mark->events, sizeof mark->events);
}

/* Doubles the room of a list with `count` entries of `size` bytes. NULL: out of memory; the list is unchanged. */
static void *grow_list(RgStepLog *log, void *list, int count, int *room, size_t size)
{
    int more = *room > 0 ? 2 * *room : ROOM_MIN;
    void *out = rg_realloc(&log->allocator, list, (size_t)count, (size_t)more, size);
    *room = out != NULL ? more : *room;
    log->out_of_memory = log->out_of_memory || out == NULL;
    return out;
}

bool rg_step_log_reserve(RgStepLog *log, int n)
{
    while (log->shortfall_room < n) {
        RgShortfall *more = grow_list(log, log->gave, log->nshortfalls, &log->shortfall_room, sizeof *more);
        if (more == NULL)
            return false;
        log->gave = more;
    }
    return true;
}

static bool reserve_event(RgStepLog *log)
{
    if (log->nevents < log->room)
        return true;
    RgEvent *more = grow_list(log, log->events, log->nevents, &log->room, sizeof *more);
    log->events = more != NULL ? more : log->events;
    return more != NULL;
}

void rg_step_log_event(RgStepLog *log, const RgEvent *event)
{
    log->statistics.events[event->kind]++;
    if (!reserve_event(log))
        return;
    int at = log->nevents++;
    while (at > log->first && log->events[at - 1].t > event->t) {
        log->events[at] = log->events[at - 1];
        at--;
    }
    log->events[at] = *event;
}

void rg_step_log_shortfall(RgStepLog *log, const RgShortfall *gave)
{
    if (rg_step_log_reserve(log, log->nshortfalls + 1))
        log->gave[log->nshortfalls++] = *gave;
}

/* Bin of a step length. The bounds are powers of 10^(1/5), computed by multiplication: unlike a logarithm this gives
   the same bits on every machine. */
static int bin_of(double h)
{
    static const double within[BINS_A_DECADE] = {1.0, 1.5848931924611136, 2.51188643150958, 3.9810717055349722,
                                                 6.309573444801933};
    double decade = 1e-10;
    for (int i = 0; i < RG_STEP_BINS; i++) {
        int k = i % BINS_A_DECADE;
        double end = decade * (k + 1 < BINS_A_DECADE ? within[k + 1] : 10.0);
        if (h < end)
            return i;
        if (k + 1 == BINS_A_DECADE)
            decade *= 10.0;
    }
    return RG_STEP_BINS - 1;
}

void rg_step_log_inner(RgStepLog *log, const RgInnerStep *step)
{
    RgStepStatistics *s = &log->statistics;
    if (!step->plain)
        s->least_distance = fmin(s->least_distance, step->least_distance);
    if (log->step_fn != NULL)
        log->step_fn(step, log->step_context);
    if (step->h == 0.0)
        return;
    s->least = s->steps == 0 ? step->h : fmin(s->least, step->h);
    s->most = fmax(s->most, step->h);
    s->time += step->h;
    s->steps++;
    s->plain += step->plain;
    s->plain_time += step->plain ? step->h : 0.0;
    s->bins[bin_of(step->h)]++;
    s->cut[step->cut]++;
}

void rg_step_log_rejected(RgStepLog *log, RgCut why)
{
    log->statistics.rejected[why]++;
}
