/*
 * parallel_for.h - a crew of threads for one job after another: the same work on many items.
 *
 * A crew belongs to one captain, the thread that hands out jobs and works with the others. Without a crew (NULL) he does
 * them alone.
 *
 * Items are cut into chunks of a fixed size; which thread takes which chunk is left open. What a chunk computes may
 * depend on its items alone, not on the thread or on other chunks: then the results have the same bits for any number
 * of threads. thread is a number for scratch memory of its own. Nothing is allocated in a job; work must not take from an
 * arena that others use.
 *
 * Beside team_for.h (OpenMP, for whole runs): a crew is handed a job in a few hundred nanoseconds, as parts of one step need it.
 */
#ifndef RIGOR_PARALLEL_FOR_H
#define RIGOR_PARALLEL_FOR_H

#include <rigor/base.h>

/* More are not used. */
#define RG_MOST_THREADS 64

typedef struct RgCrew RgCrew;

/* So many threads, the captain among them; fewer where the system has no more. NULL: he is alone. */
RgCrew *rg_crew_create(int threads, const RgAllocator *allocator);
void rg_crew_destroy(RgCrew *crew);

/* 1 ... RG_MOST_THREADS. */
int rg_crew_size(const RgCrew *crew);

/* Items first ... end - 1 by one thread, 0 <= thread < the size of the crew. */
typedef void RgRangeFn(void *context, int32_t first, int32_t end, int thread);

/* Items 0 ... count - 1. One thread, or a single chunk: the call is made here. */
void rg_parallel_for(RgCrew *crew, int32_t count, int32_t chunk, RgRangeFn *work, void *context);

#endif
