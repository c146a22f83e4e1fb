/*
 * parallel_for.h - a thread pool: runs one function on many items in parallel.
 *
 * A pool (RgThreadPool) belongs to one thread, its caller, which submits jobs and works on them together with the workers.
 * NULL is a valid pool: the caller does all the work.
 *
 * The items of a job are divided into chunks of fixed size; the assignment of chunks to threads is not deterministic.
 * If the result of a chunk depends on its items only, not on the thread or on other chunks, results have the same bits
 * for any number of threads. The thread number passed to the function selects its scratch memory. Jobs do not allocate;
 * they must not allocate from an arena that other threads use, and must not submit jobs.
 *
 * Submission takes a few hundred nanoseconds, short enough for the parts of one step. team_for.h (OpenMP) is for whole
 * runs.
 */
#ifndef RIGOR_PARALLEL_FOR_H
#define RIGOR_PARALLEL_FOR_H

#include <rigor/base.h>

/* Largest number of threads of a pool; larger requests are clamped. */
#define RG_MOST_THREADS 64

typedef struct RgThreadPool RgThreadPool;

/* A pool of the given number of threads, including the caller; fewer if the system cannot create them. NULL: the caller
   alone. */
RgThreadPool *rg_thread_pool_create(int threads, const RgAllocator *allocator);
void rg_thread_pool_destroy(RgThreadPool *thread_pool);

/* Number of threads, 1 ... RG_MOST_THREADS. */
int rg_thread_pool_size(const RgThreadPool *thread_pool);

/* Whether every thread of the pool has a processor, so that threads may wait for each other by spinning. */
bool rg_thread_pool_spins(const RgThreadPool *thread_pool);

/* One short wait of a spin loop for another thread of the pool; checks: number of unsuccessful checks so far. */
void rg_thread_pool_wait(const RgThreadPool *thread_pool, int checks);

/* Bracket a step, whose jobs follow each other closely: workers spin between jobs instead of sleeping. thread pool may be
   NULL. */
void rg_thread_pool_begin_step(RgThreadPool *thread_pool);
void rg_thread_pool_end_step(RgThreadPool *thread_pool);

/* Processes items first ... end - 1; thread: 0 ... size of the pool - 1. */
typedef void RgRangeFn(void *context, int32_t first, int32_t end, int thread);

/* Processes chunk k of the items. */
static inline void rg_do_chunk(int32_t k, int32_t count, int32_t chunk, RgRangeFn *work, void *context, int thread)
{
    int32_t first = k * chunk, end = count - first < chunk ? count : first + chunk;
    work(context, first, end, thread);
}

/* rg_parallel_for with at least two chunks, by the whole pool. */
void rg_parallel_for_pool(RgThreadPool *thread_pool, int32_t count, int32_t chunk, RgRangeFn *work, void *context);

/* Processes items 0 ... count - 1. Without a pool, or with a single chunk, the calling thread does all the work. */
static inline void rg_parallel_for(RgThreadPool *thread_pool, int32_t count, int32_t chunk, RgRangeFn *work,
                                   void *context)
{
    if (count <= 0)
        return;
    chunk = chunk < 1 ? 1 : chunk;
    int32_t chunks = (count - 1) / chunk + 1;
    if (thread_pool != NULL && chunks > 1) {
        rg_parallel_for_pool(thread_pool, count, chunk, work, context);
        return;
    }
    for (int32_t k = 0; k < chunks; k++)
        rg_do_chunk(k, count, chunk, work, context, 0);
}

#endif
