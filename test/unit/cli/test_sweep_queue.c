/*
 * test_sweep_queue.c - every run is done once, whatever holders come to: a random play of giving, finishing and losing,
 * against a plain list of what must be.
 */
#include "sweep/sweep.h"

#include <criterion/criterion.h>

#include <stdlib.h>

Test(sweep_queue, in_order)
{
    RgPool pool = {NULL};
    RgRunQueue queue;
    rg_run_queue_begin(&queue, &pool, 3);
    cr_assert_eq(rg_run_queue_give(&queue, 7), 0);
    cr_assert_eq(rg_run_queue_give(&queue, 8), 1);
    cr_assert_eq(rg_run_queue_holder(&queue, 1), 8);
    cr_assert_eq(rg_run_queue_holder(&queue, 2), RG_SWEEP_NO_HOLDER);
    rg_run_queue_back(&queue, 0, false);
    cr_assert_eq(rg_run_queue_give(&queue, 8), 0, "what comes back goes first");
    cr_assert_eq(rg_run_queue_give(&queue, 8), 2);
    cr_assert_eq(rg_run_queue_give(&queue, 8), -1);
    cr_assert(rg_run_queue_done(&queue, 0));
    cr_assert_not(rg_run_queue_done(&queue, 0), "twice");
    cr_assert_not(rg_run_queue_done(&queue, 3), "no such run");
    rg_pool_free(&pool);
}

/* A line of a holder that was given up may still come: the run is then not given out again. */
Test(sweep_queue, late_lines_count)
{
    RgPool pool = {NULL};
    RgRunQueue queue;
    rg_run_queue_begin(&queue, &pool, 2);
    rg_run_queue_give(&queue, 1);
    rg_run_queue_back(&queue, 0, true);
    cr_assert(rg_run_queue_done(&queue, 0));
    cr_assert_eq(rg_run_queue_give(&queue, 2), 1);
    cr_assert_eq(rg_run_queue_give(&queue, 2), -1);
    rg_pool_free(&pool);
}

Test(sweep_queue, hopeless_after_so_many_losses)
{
    RgPool pool = {NULL};
    RgRunQueue queue;
    rg_run_queue_begin(&queue, &pool, 1);
    for (int i = 0; i < RG_SWEEP_TRIES; i++) {
        cr_assert_not(rg_run_queue_is_hopeless(&queue, 0));
        cr_assert_eq(rg_run_queue_give(&queue, 1), 0);
        rg_run_queue_back(&queue, 0, true);
    }
    cr_assert(rg_run_queue_is_hopeless(&queue, 0));
    rg_pool_free(&pool);
}

Test(sweep_queue, random_play)
{
    enum { RUNS = 200, PLAYS = 50 };
    for (unsigned seed = 1; seed <= PLAYS; seed++) {
        RgPool pool = {NULL};
        RgRunQueue queue;
        int given[RUNS] = {0}, done[RUNS] = {0};
        rg_run_queue_begin(&queue, &pool, RUNS);
        srand(seed);
        for (int move = 0; queue.done < RUNS && move < 100000; move++) {
            long long run = rand() % 3 > 0 ? rg_run_queue_give(&queue, rand() % 8) : -1;
            if (run >= 0) {
                cr_assert(!given[run] && !done[run], "run %lld was given out twice", run);
                given[run] = 1;
            }
            long long other = rand() % RUNS;
            if (given[other] && rand() % 2) {
                rg_run_queue_back(&queue, other, false);
                given[other] = 0;
            } else if (given[other]) {
                cr_assert(rg_run_queue_done(&queue, other));
                given[other] = 0;
                done[other] = 1;
            }
        }
        cr_assert_eq(queue.done, RUNS);
        rg_pool_free(&pool);
    }
}
