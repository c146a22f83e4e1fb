/*
 * parallel_for.h - a pool of threads for one job after another: the same work on many items.
 *
 * A pool (RgCrew) belongs to one thread, its caller, which hands out jobs and works with the others. Without a pool
 * (NULL) it does them alone.
 *
 * Items are cut into chunks of a fixed size; which thread takes which chunk is left open. What a chunk computes may
 * depend on its items alone, not on the thread or on other chunks: then the results have the same bits for any number
 * of threads. thread is a number for scratch memory of its own. Nothing is allocated in a job; work must not take from
 * an arena that others use, and hands out no jobs itself.
 *
 * Beside team_for.h (OpenMP, for whole runs): a pool is handed a job in a few hundred nanoseconds, as parts of one step
 * need it.
 */
#ifndef RIGOR_PARALLEL_FOR_H
#define RIGOR_PARALLEL_FOR_H

#include <rigor/base.h>

/* More are not used. */
#define RG_MOST_THREADS 64

typedef struct RgCrew RgCrew;

/* So many threads, the caller among them; fewer where the system has no more. NULL: it is alone. */
RgCrew *rg_crew_create(int threads, const RgAllocator *allocator);
void rg_crew_destroy(RgCrew *crew);

/* 1 ... RG_MOST_THREADS. */
int rg_crew_size(const RgCrew *crew);

/* Whether there is a processor for each of its threads, so that one may wait for another without giving its own
   away. */
bool rg_crew_spins(const RgCrew *crew);

/* A short wait for another thread of the pool; checks: how often what is missing was checked in vain. */
void rg_crew_wait(const RgCrew *crew, int checks);

/* Around a step, whose jobs follow each other closely: threads that wait for one stay awake. May be NULL. */
void rg_crew_begin_step(RgCrew *crew);
void rg_crew_end_step(RgCrew *crew);

/* Items first ... end - 1 by one thread, 0 <= thread < the size of the pool. */
typedef void RgRangeFn(void *context, int32_t first, int32_t end, int thread);

/* Chunk k of the items. */
static inline void rg_do_chunk(int32_t k, int32_t count, int32_t chunk, RgRangeFn *work, void *context, int thread)
{
    int32_t first = k * chunk, end = count - first < chunk ? count : first + chunk;
    work(context, first, end, thread);
}

/* The same by the whole pool; two chunks or more. */
void rg_parallel_for_crew(RgCrew *crew, int32_t count, int32_t chunk, RgRangeFn *work, void *context);

/* Items 0 ... count - 1. One thread, or a single chunk: the calls are made here. */
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
