/*
 * sweep_hand.c - which runs are to do, given out or done, and who has them.
 *
 * Runs are given out in their order; what comes back from who was lost goes first. A run whose holder was lost too
 * often is hopeless: it may be what kills them.
 */
#include "sweep/sweep.h"

#include <string.h>

enum { TO_DO, GIVEN, DONE };

void rg_hand_begin(RgHand *hand, RgPool *pool, long long runs)
{
    size_t n = (size_t)runs + 1;
    *hand = (RgHand){.runs = runs};
    hand->state = rg_pool_take(pool, n, sizeof *hand->state);
    hand->tries = rg_pool_take(pool, n, sizeof *hand->tries);
    hand->holder = rg_pool_take(pool, n, sizeof *hand->holder);
    hand->back = rg_pool_take(pool, n, sizeof *hand->back);
}

long long rg_hand_give(RgHand *hand, int holder)
{
    long long run = -1;
    while (hand->nback > 0 && run < 0) {
        long long last = hand->back[--hand->nback];
        run = hand->state[last] == TO_DO ? last : -1;
    }
    while (run < 0 && hand->next < hand->runs) {
        run = hand->state[hand->next] == TO_DO ? hand->next : -1;
        hand->next++;
    }
    if (run >= 0) {
        hand->state[run] = GIVEN;
        hand->holder[run] = holder;
    }
    return run;
}

bool rg_hand_done(RgHand *hand, long long run)
{
    if (run < 0 || run >= hand->runs || hand->state[run] == DONE)
        return false;
    hand->state[run] = DONE;
    hand->done++;
    return true;
}

void rg_hand_back(RgHand *hand, long long run, bool blame)
{
    if (run < 0 || run >= hand->runs || hand->state[run] != GIVEN)
        return;
    hand->state[run] = TO_DO;
    hand->holder[run] = RG_SWEEP_NOBODY;
    hand->tries[run] = (signed char)(hand->tries[run] + (blame ? 1 : 0));
    hand->back[hand->nback++] = run; /* a run is in here once: it must be given out before it comes back again */
}

bool rg_hand_is_hopeless(const RgHand *hand, long long run)
{
    return run >= 0 && run < hand->runs && hand->tries[run] >= RG_SWEEP_TRIES;
}

int rg_hand_holder(const RgHand *hand, long long run)
{
    return hand->state[run] == GIVEN ? hand->holder[run] : RG_SWEEP_NOBODY;
}
