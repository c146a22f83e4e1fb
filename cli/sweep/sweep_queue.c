/*
 * sweep_queue.c - the state of every run (open, assigned, done), and its holder.
 *
 * Runs are assigned in order, but runs of dead holders first. A run whose holders died RG_SWEEP_TRIES times is given up,
 * since it may be the cause.
 */
#include "sweep/sweep.h"

#include <string.h>

enum { TO_DO, GIVEN, DONE };

void rg_run_queue_begin(RgRunQueue *queue, RgPool *pool, long long runs)
{
    size_t n = (size_t)runs + 1;
    *queue = (RgRunQueue){.runs = runs};
    queue->state = rg_pool_take(pool, n, sizeof *queue->state);
    queue->tries = rg_pool_take(pool, n, sizeof *queue->tries);
    queue->holder = rg_pool_take(pool, n, sizeof *queue->holder);
    queue->back = rg_pool_take(pool, n, sizeof *queue->back);
}

long long rg_run_queue_give(RgRunQueue *queue, int holder)
{
    long long run = -1;
    while (queue->nback > 0 && run < 0) {
        long long last = queue->back[--queue->nback];
        run = queue->state[last] == TO_DO ? last : -1;
    }
    while (run < 0 && queue->next < queue->runs) {
        run = queue->state[queue->next] == TO_DO ? queue->next : -1;
        queue->next++;
    }
    if (run >= 0) {
        queue->state[run] = GIVEN;
        queue->holder[run] = holder;
    }
    return run;
}

bool rg_run_queue_done(RgRunQueue *queue, long long run)
{
    if (run < 0 || run >= queue->runs || queue->state[run] == DONE)
        return false;
    queue->state[run] = DONE;
    queue->done++;
    return true;
}

void rg_run_queue_back(RgRunQueue *queue, long long run, bool blame)
{
    if (run < 0 || run >= queue->runs || queue->state[run] != GIVEN)
        return;
    queue->state[run] = TO_DO;
    queue->holder[run] = RG_SWEEP_NO_HOLDER;
    queue->tries[run] = (signed char)(queue->tries[run] + (blame ? 1 : 0));
    queue->back[queue->nback++] = run; /* no overflow: a run is assigned before it can come back again */
}

bool rg_run_queue_is_hopeless(const RgRunQueue *queue, long long run)
{
    return run >= 0 && run < queue->runs && queue->tries[run] >= RG_SWEEP_TRIES;
}

int rg_run_queue_holder(const RgRunQueue *queue, long long run)
{
    return queue->state[run] == GIVEN ? queue->holder[run] : RG_SWEEP_NO_HOLDER;
}
