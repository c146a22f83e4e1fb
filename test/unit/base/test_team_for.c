/*
 * test_team_for.c - every job is done once, whatever the threads; numbers of threads are their own; the caller sees
 * what all wrote.
 */
#include "base/alloc.h"
#include "base/alloc_shared.h"
#include "base/team_for.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { JOBS = 1000, MOST = 8 };

typedef struct Board {
    int threads;
    int seen[JOBS];
    int by[MOST];            /* jobs of each thread: its own memory */
    atomic_int inside[MOST]; /* who has that number just now */
    atomic_int clashes;
} Board;

static void tick(void *context, int32_t job, int thread)
{
    Board *b = context;
    cr_assert(thread >= 0 && thread < b->threads);
    atomic_fetch_add(&b->clashes, atomic_fetch_add(&b->inside[thread], 1) != 0);
    b->seen[job] += 1 + job;
    b->by[thread]++;
    atomic_fetch_sub(&b->inside[thread], 1);
}

Test(team_for, every_job_once)
{
    for (int threads = 1; threads <= MOST; threads++)
        for (int count = 0; count <= JOBS; count += count < 4 ? 1 : 249) {
            static Board b;
            b = (Board){.threads = threads};
            rg_team_for(count, threads, tick, &b);
            int sum = 0;
            for (int i = 0; i < JOBS; i++)
                cr_assert_eq(b.seen[i], i < count ? 1 + i : 0, "%d threads, job %d", threads, i);
            for (int k = 0; k < MOST; k++)
                sum += b.by[k];
            cr_assert_eq(sum, count);
            cr_assert_eq(atomic_load(&b.clashes), 0, "two jobs had the same thread number at once");
        }
}

/* What was written in one team is seen by the next, whoever wrote it. */
static void pass_on(void *context, int32_t job, int thread)
{
    int *x = context;
    (void)thread;
    x[job] = x[JOBS + job] + 1;
}

static void pass_back(void *context, int32_t job, int thread)
{
    int *x = context;
    (void)thread;
    x[JOBS + job] = x[JOBS - 1 - job];
}

Test(team_for, one_after_the_other)
{
    static int x[2 * JOBS];
    for (int round = 0; round < 100; round++) {
        rg_team_for(JOBS, 3, pass_on, x);
        rg_team_for(JOBS, 4, pass_back, x);
    }
    for (int i = 0; i < JOBS; i++)
        cr_assert_eq(x[i], 100);
}

Test(team_for, number_of_threads)
{
    cr_expect(rg_team_threads(0) >= 1);
#if defined(RIGOR_OPENMP)
    cr_expect_eq(rg_team_threads(3), 3);
#else
    cr_expect_eq(rg_team_threads(3), 1);
#endif
    cr_expect_eq(rg_team_threads(1), 1);
}

/* ------------------------------------------------------------------ the user's allocator, one thread at a time */

typedef struct Hooks {
    atomic_int inside;
    atomic_int clashes;
    long blocks; /* by one thread at a time: no atomic needed */
} Hooks;

static void *take(size_t bytes, void *context)
{
    Hooks *h = context;
    atomic_fetch_add(&h->clashes, atomic_fetch_add(&h->inside, 1) != 0);
    h->blocks++;
    void *block = malloc(bytes);
    atomic_fetch_sub(&h->inside, 1);
    return block;
}

static void give_back(void *block, void *context)
{
    Hooks *h = context;
    atomic_fetch_add(&h->clashes, atomic_fetch_add(&h->inside, 1) != 0);
    h->blocks--;
    free(block);
    atomic_fetch_sub(&h->inside, 1);
}

static void churn(void *context, int32_t job, int thread)
{
    const RgAllocator *allocator = context;
    (void)thread;
    void *block = rg_alloc(allocator, (size_t)job + 1, 8);
    cr_assert(block != NULL);
    rg_free(allocator, block);
}

Test(alloc_shared, hooks_are_called_by_one_thread_at_a_time)
{
    Hooks hooks = {.blocks = 0};
    RgAllocator user = {take, give_back, &hooks};
    RgSharedAllocator shared;
    cr_assert(rg_shared_allocator_init(&shared, &user));
    RgAllocator allocator = rg_shared_allocator(&shared);
    rg_team_for(JOBS, 4, churn, &allocator);
    cr_expect_eq(hooks.blocks, 0);
    cr_expect_eq(atomic_load(&hooks.clashes), 0);
    rg_shared_allocator_end(&shared);

    /* No hooks: malloc and free. */
    user = (RgAllocator){0};
    cr_assert(rg_shared_allocator_init(&shared, &user));
    allocator = rg_shared_allocator(&shared);
    cr_expect(allocator.alloc == NULL && allocator.release == NULL);
    rg_team_for(JOBS, 4, churn, &allocator);
    rg_shared_allocator_end(&shared);
}
