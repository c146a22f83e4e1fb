/*
 * parallel_for.h - the same work on many items, spread over threads.
 *
 * Items are cut into chunks of a fixed size; which thread takes which chunk is left open. What a chunk computes may
 * depend on its items alone, not on the thread or on other chunks: then the results have the same bits for any number
 * of threads. thread is a number for scratch memory of its own. Nothing is allocated here; work must not take from an
 * arena that others use.
 */
#ifndef RIGOR_PARALLEL_FOR_H
#define RIGOR_PARALLEL_FOR_H

#include <rigor/base.h>
#include <stdatomic.h>

/* More are not used. */
#define RG_MOST_THREADS 64

/* Threads that are of use when so many were asked for: 1 ... RG_MOST_THREADS; 1 where the library was built without
   them. */
int rg_thread_count(int asked);

/* Items first ... end - 1 by one thread, 0 <= thread < rg_thread_count(threads). */
typedef void RgRangeFn(void *context, int32_t first, int32_t end, int thread);

/* Items 0 ... count - 1. One thread, or a single chunk: the call is made here. */
void rg_parallel_for(int threads, int32_t count, int32_t chunk, RgRangeFn *work, void *context);

/* Threads that go through a work together and wait for each other. */
typedef struct RgTeam {
    int size;
    int spins; /* looks at a barrier before the processor is given to others */
    _Alignas(64) atomic_int arrived;
    _Alignas(64) atomic_int round;
} RgTeam;

/* member: 0 ... team->size - 1. The team may be smaller than what was asked for. */
typedef void RgTeamFn(void *context, RgTeam *team, int member);

void rg_parallel_team(int threads, RgTeamFn *work, void *context);

/* Returns when all members have called it; what they wrote before is then seen by all. */
void rg_team_wait(RgTeam *team);

/* The part of count items that is a member's own: [*first, *end), in order of the members. */
static inline void rg_team_share(const RgTeam *team, int member, int32_t count, int32_t *first, int32_t *end)
{
    *first = (int32_t)((int64_t)count * member / team->size);
    *end = (int32_t)((int64_t)count * (member + 1) / team->size);
}

#endif
