/*
 * parallel_for.h - a thread pool: runs one function on many items in parallel.
 *
 * A pool (RgCrew) belongs to one thread, its caller, which submits jobs and works on them together with the workers.
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

typedef struct RgCrew RgCrew;

/* A pool of the given number of threads, including the caller; fewer if the system cannot create them. NULL: the caller
   alone. */
RgCrew *rg_crew_create(int threads, const RgAllocator *allocator);
void rg_crew_destroy(RgCrew *crew);

/* Number of threads, 1 ... RG_MOST_THREADS. */
int rg_crew_size(const RgCrew *crew);

/* Whether every thread of the pool has a processor, so that threads may wait for each other by spinning. */
bool rg_crew_spins(const RgCrew *crew);

/* One short wait of a spin loop for another thread of the pool; checks: number of unsuccessful checks so far. */
void rg_crew_wait(const RgCrew *crew, int checks);

/* Bracket a step, whose jobs follow each other closely: workers spin between jobs instead of sleeping. crew may be
   NULL. */
void rg_crew_begin_step(RgCrew *crew);
void rg_crew_end_step(RgCrew *crew);

/* Processes items first ... end - 1; thread: 0 ... size of the pool - 1. */
typedef void RgRangeFn(void *context, int32_t first, int32_t end, int thread);

/* Processes chunk k of the items. */
static inline void rg_do_chunk(int32_t k, int32_t count, int32_t chunk, RgRangeFn *work, void *context, int thread)
{
    int32_t first = k * chunk, end = count - first < chunk ? count : first + chunk;
    work(context, first, end, thread);
}

/* rg_parallel_for with at least two chunks, by the whole pool. */
void rg_parallel_for_crew(RgCrew *crew, int32_t count, int32_t chunk, RgRangeFn *work, void *context);

/* Processes items 0 ... count - 1. Without a pool, or with a single chunk, the calling thread does all the work. */
static inline void rg_parallel_for(RgCrew *crew, int32_t count, int32_t chunk, RgRangeFn *work, void *context)
{
    if (count <= 0)
        return;
    chunk = chunk < 1 ? 1 : chunk;
    int32_t chunks = (count - 1) / chunk + 1;
    if (crew != NULL && chunks > 1) {
        rg_parallel_for_crew(crew, count, chunk, work, context);
        return;
    }
    for (int32_t k = 0; k < chunks; k++)
        rg_do_chunk(k, count, chunk, work, context, 0);
}

#endif
