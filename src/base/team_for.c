/*
 * team_for.c - jobs on all processors by OpenMP; one after the other where there is none.
 *
 *   caller                              thread k
 *   release                             acquire
 *   parallel: jobs in turns      ->     work(job, k) until none is left
 *   wait for all                 <-     release
 *   acquire
 *
 * Why OpenMP here and crews of our own in parallel_for.c: see team_for.h.
 *
 * ThreadSanitizer does not see how OpenMP's library waits, and would take every hand-over for a race. So it is told:
 * what the caller did comes before the jobs, the jobs before what the caller does next. Nothing is told of jobs among
 * each other: a race between two of them is still found.
 *
 * Failure cases: threads that cannot be had are done without. Within another parallel region of the caller's OpenMP
 * makes no threads, unless it was told to nest. At the end of a team threads wait for each other with their processors
 * in hand for a while: where others want these and jobs are short, OMP_WAIT_POLICY=passive in the environment is
 * faster. A child made by fork after its parent's first team must not make one: GNU's library waits there for threads
 * that have stayed behind.
 */
#include "base/team_for.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

#if defined(__SANITIZE_THREAD__)
#define UNSEEN __attribute__((no_sanitize("thread")))
void __tsan_acquire(void *at);
void __tsan_release(void *at);
#define TSAN_ACQUIRE(at) __tsan_acquire(at)
#define TSAN_RELEASE(at) __tsan_release(at)
#else
#define UNSEEN
#define TSAN_ACQUIRE(at) (void)(at)
#define TSAN_RELEASE(at) (void)(at)
#endif

int rg_team_threads(int wanted)
{
#if defined(_OPENMP)
    int threads = wanted > 0 ? wanted : omp_get_max_threads();
    int most = omp_get_thread_limit();
    return threads < most ? threads : most;
#else
    (void)wanted;
    return 1;
#endif
}

#if defined(_OPENMP)

/* The threads' part: nothing is in it but the pragmas and the calls. */
UNSEEN static void run_team(int32_t count, int threads, RgJobFn *work, void *context)
{
    char begun, done;
    TSAN_RELEASE(&begun);
#pragma omp parallel num_threads(threads)
    {
        TSAN_ACQUIRE(&begun);
#pragma omp for schedule(dynamic) nowait
        for (int32_t job = 0; job < count; job++)
            work(context, job, omp_get_thread_num());
        TSAN_RELEASE(&done);
    }
    TSAN_ACQUIRE(&done);
}

#endif

void rg_team_for(int32_t count, int threads, RgJobFn *work, void *context)
{
#if defined(_OPENMP)
    if (threads > 1 && count > 1) {
        run_team(count, threads < count ? threads : count, work, context);
        return;
    }
#endif
    (void)threads;
    for (int32_t job = 0; job < count; job++)
        work(context, job, 0);
}
