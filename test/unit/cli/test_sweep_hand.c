/*
 * test_sweep_hand.c - every run is done once, whatever holders come to: a random play of giving, finishing and losing,
 * against a plain list of what must be.
 */
#include "sweep/sweep.h"

#include <criterion/criterion.h>

#include <stdlib.h>

Test(sweep_hand, in_order)
{
    RgPool pool = {NULL};
    RgHand hand;
    rg_hand_begin(&hand, &pool, 3);
    cr_assert_eq(rg_hand_give(&hand, 7), 0);
    cr_assert_eq(rg_hand_give(&hand, 8), 1);
    cr_assert_eq(rg_hand_holder(&hand, 1), 8);
    cr_assert_eq(rg_hand_holder(&hand, 2), RG_SWEEP_NOBODY);
    rg_hand_back(&hand, 0, false);
    cr_assert_eq(rg_hand_give(&hand, 8), 0, "what comes back goes first");
    cr_assert_eq(rg_hand_give(&hand, 8), 2);
    cr_assert_eq(rg_hand_give(&hand, 8), -1);
    cr_assert(rg_hand_done(&hand, 0));
    cr_assert_not(rg_hand_done(&hand, 0), "twice");
    cr_assert_not(rg_hand_done(&hand, 3), "no such run");
    rg_pool_free(&pool);
}

/* A line of a holder that was given up may still come: the run is then not given out again. */
Test(sweep_hand, late_lines_count)
{
    RgPool pool = {NULL};
    RgHand hand;
    rg_hand_begin(&hand, &pool, 2);
    rg_hand_give(&hand, 1);
    rg_hand_back(&hand, 0, true);
    cr_assert(rg_hand_done(&hand, 0));
    cr_assert_eq(rg_hand_give(&hand, 2), 1);
    cr_assert_eq(rg_hand_give(&hand, 2), -1);
    rg_pool_free(&pool);
}

Test(sweep_hand, hopeless_after_so_many_losses)
{
    RgPool pool = {NULL};
    RgHand hand;
    rg_hand_begin(&hand, &pool, 1);
    for (int i = 0; i < RG_SWEEP_TRIES; i++) {
        cr_assert_not(rg_hand_is_hopeless(&hand, 0));
        cr_assert_eq(rg_hand_give(&hand, 1), 0);
        rg_hand_back(&hand, 0, true);
    }
    cr_assert(rg_hand_is_hopeless(&hand, 0));
    rg_pool_free(&pool);
}

Test(sweep_hand, random_play)
{
    enum { RUNS = 200, PLAYS = 50 };
    for (unsigned seed = 1; seed <= PLAYS; seed++) {
        RgPool pool = {NULL};
        RgHand hand;
        int given[RUNS] = {0}, done[RUNS] = {0};
        rg_hand_begin(&hand, &pool, RUNS);
        srand(seed);
        for (int move = 0; hand.done < RUNS && move < 100000; move++) {
            long long run = rand() % 3 > 0 ? rg_hand_give(&hand, rand() % 8) : -1;
            if (run >= 0) {
                cr_assert(!given[run] && !done[run], "run %lld was given out twice", run);
                given[run] = 1;
            }
            long long other = rand() % RUNS;
            if (given[other] && rand() % 2) {
                rg_hand_back(&hand, other, false);
                given[other] = 0;
            } else if (given[other]) {
                cr_assert(rg_hand_done(&hand, other));
                given[other] = 0;
                done[other] = 1;
            }
        }
        cr_assert_eq(hand.done, RUNS);
        rg_pool_free(&pool);
    }
}
