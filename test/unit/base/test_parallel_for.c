/*
 * test_parallel_for.c - every item is done once, whatever the threads; a job sees what all wrote in the one before.
 */
#include "base/parallel_for.h"

#include <criterion/criterion.h>
#include <string.h>
#include <threads.h>

#define ITEMS 1000

static void count_up(void *context, int32_t first, int32_t end, int thread)
{
    int *seen = context;
    cr_assert(thread >= 0 && thread < RG_MOST_THREADS);
    for (int32_t i = first; i < end; i++)
        seen[i] += 1 + i;
}

/* One job after another by the same pool; none at all, too. */
static void check_once(int threads, RgThreadPool *thread_pool)
{
    for (int chunk = 0; chunk <= 600; chunk += 37)
        for (int count = 0; count <= ITEMS; count += 125) {
            int seen[ITEMS] = {0};
            rg_parallel_for(thread_pool, count, chunk, count_up, seen);
            for (int i = 0; i < ITEMS; i++)
                cr_assert_eq(seen[i], i < count ? 1 + i : 0, "%d threads, chunk %d, item %d", threads, chunk, i);
        }
}

Test(parallel_for, every_item_once)
{
    RgAllocator allocator = (RgAllocator){0};
    for (int threads = 0; threads <= 8; threads++) {
        RgThreadPool *thread_pool = rg_thread_pool_create(threads, &allocator),
                     *idle = rg_thread_pool_create(threads, &allocator);
        check_once(threads, thread_pool);
        rg_thread_pool_destroy(idle);
        rg_thread_pool_destroy(thread_pool);
    }
}

/* A table in rounds: round k needs what all wrote in round k - 1. */
#define ROUNDS 200
typedef struct Table {
    int64_t row[ROUNDS][ITEMS];
    int round;
} Table;

static void fill_part(void *context, int32_t first, int32_t end, int thread)
{
    (void)thread;
    Table *t = context;
    const int64_t *last = t->round > 0 ? t->row[t->round - 1] : NULL;
    for (int32_t i = first; i < end; i++)
        t->row[t->round][i] = last == NULL ? i : (last[(i + 1) % ITEMS] + last[(i + 499) % ITEMS]) % 1000003;
}

static void fill_rounds(Table *t, RgThreadPool *thread_pool)
{
    for (t->round = 0; t->round < ROUNDS; t->round++)
        rg_parallel_for(thread_pool, ITEMS, 37, fill_part, t);
}

Test(parallel_for, a_job_sees_what_the_last_one_wrote)
{
    static Table alone, together;
    RgAllocator allocator = (RgAllocator){0};
    fill_rounds(&alone, NULL);
    for (int threads = 1; threads <= 8; threads++) {
        memset(&together, 0, sizeof together);
        RgThreadPool *thread_pool = rg_thread_pool_create(threads, &allocator);
        fill_rounds(&together, thread_pool);
        rg_thread_pool_destroy(thread_pool);
        cr_assert_eq(memcmp(&alone, &together, sizeof alone), 0, "%d threads", threads);
    }
}

Test(parallel_for, size)
{
    RgAllocator allocator = (RgAllocator){0};
    cr_assert_eq(rg_thread_pool_size(NULL), 1);
    cr_assert_null(rg_thread_pool_create(0, &allocator));
    cr_assert_null(rg_thread_pool_create(1, &allocator));
    RgThreadPool *thread_pool = rg_thread_pool_create(1000000, &allocator);
    cr_assert(rg_thread_pool_size(thread_pool) <= RG_MOST_THREADS);
    rg_thread_pool_destroy(thread_pool);
    rg_thread_pool_destroy(NULL);
}

/* Workers that have gone to sleep are there for the next job. */
Test(parallel_for, after_a_rest)
{
    RgAllocator allocator = (RgAllocator){0};
    RgThreadPool *thread_pool = rg_thread_pool_create(4, &allocator);
    for (int i = 0; i < 20; i++) {
        int seen[ITEMS] = {0};
        struct timespec pause = {0, 2000000};
        thrd_sleep(&pause, NULL);
        rg_parallel_for(thread_pool, ITEMS, 3, count_up, seen);
        for (int k = 0; k < ITEMS; k++)
            cr_assert_eq(seen[k], 1 + k);
    }
    rg_thread_pool_destroy(thread_pool);
}

/* Tiny jobs of few and of many chunks in turn: a thread that is late for one must not take part in the next with the
   fields of both. */
Test(parallel_for, jobs_in_quick_succession)
{
    RgAllocator allocator = (RgAllocator){0};
    for (int threads = 2; threads <= 4; threads++) {
        RgThreadPool *thread_pool = rg_thread_pool_create(threads, &allocator);
        rg_thread_pool_begin_step(thread_pool);
        int seen[40] = {0}, jobs = 60000;
        for (int i = 0; i < jobs; i++)
            rg_parallel_for(thread_pool, i % 2 == 0 ? 2 : 40, 1, count_up, seen);
        rg_thread_pool_end_step(thread_pool);
        rg_thread_pool_destroy(thread_pool);
        for (int k = 0; k < 40; k++)
            cr_assert_eq(seen[k], (k < 2 ? jobs : jobs / 2) * (1 + k), "%d threads, item %d", threads, k);
    }
}
