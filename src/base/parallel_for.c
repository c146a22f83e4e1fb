/*
 * parallel_for.c - threads by OpenMP; without it, everything is done by the caller.
 *
 * Inside a parallel region of the caller's own OpenMP gives one thread, unless it was told to nest.
 */
#include "base/parallel_for.h"

#ifdef _OPENMP
#include <omp.h>
#include <threads.h>
#endif

/* Looks at a barrier where every member has a processor: some microseconds. */
#define SPINS 500

int rg_thread_count(int asked)
{
#ifdef _OPENMP
    return asked < 1 ? 1 : asked > RG_MOST_THREADS ? RG_MOST_THREADS : asked;
#else
    (void)asked;
    return 1;
#endif
}

/* Chunk k of the items. */
static void do_chunk(int32_t k, int32_t count, int32_t chunk, RgRangeFn *work, void *context, int thread)
{
    int32_t first = k * chunk, end = count - first < chunk ? count : first + chunk;
    work(context, first, end, thread);
}

void rg_parallel_for(int threads, int32_t count, int32_t chunk, RgRangeFn *work, void *context)
{
    if (count <= 0)
        return;
    chunk = chunk < 1 ? 1 : chunk;
    int32_t chunks = (count - 1) / chunk + 1;
    threads = rg_thread_count(threads);
    threads = threads < chunks ? threads : (int)chunks;
    if (threads == 1) {
        for (int32_t k = 0; k < chunks; k++)
            do_chunk(k, count, chunk, work, context, 0);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int32_t k = 0; k < chunks; k++)
        do_chunk(k, count, chunk, work, context, omp_get_thread_num());
#endif
}

void rg_parallel_team(int threads, RgTeamFn *work, void *context)
{
    RgTeam team = {.size = 1};
    threads = rg_thread_count(threads);
    if (threads == 1) {
        work(context, &team, 0);
        return;
    }
#ifdef _OPENMP
#pragma omp parallel num_threads(threads)
    {
#pragma omp single
        {
            team.size = omp_get_num_threads();
            team.spins = team.size <= omp_get_num_procs() ? SPINS : 0;
        }
        work(context, &team, omp_get_thread_num());
    }
#endif
}

void rg_team_wait(RgTeam *team)
{
    if (team->size == 1)
        return;
    int round = atomic_load_explicit(&team->round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) == team->size - 1) {
        /* The last one opens. */
        atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&team->round, round + 1, memory_order_release);
        return;
    }
    int spins = 0;
    while (atomic_load_explicit(&team->round, memory_order_acquire) == round) {
#ifdef _OPENMP
        if (spins < team->spins)
            spins++;
        else
            thrd_yield();
#else
        (void)spins;
#endif
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}
