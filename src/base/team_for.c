/*
 * team_for.c - independent jobs on all processors by OpenMP; sequential without OpenMP.
 *
 *   caller                              thread k
 *   release                             acquire
 *   parallel: dynamic schedule   ->     work(job, k) until none is left
 *   wait for all                 <-     release
 *   acquire
 *
 * See team_for.h for the choice between OpenMP and the thread pool of parallel_for.c.
 *
 * ThreadSanitizer does not see the synchronisation inside the OpenMP library and would report every hand-over as a
 * race. The annotations state that the caller's writes precede the jobs, and the jobs precede the caller's later reads.
 * Jobs are not ordered among each other, so races between them are still found.
 *
 * Failure cases: if threads cannot be created there are fewer. Inside another OpenMP parallel region no threads are
 * created, unless nesting is enabled. At the end of a team threads spin for a while: if other programs need the
 * processors and jobs are short, OMP_WAIT_POLICY=passive in the environment is faster. A child made by fork after its
 * parent's first team must not start one: GNU's library would wait for threads that do not exist in the child.
 */
#include "base/team_for.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

#if defined(__SANITIZE_THREAD__)
#define NO_SANITIZE_THREAD __attribute__((no_sanitize("thread")))
void __tsan_acquire(void *at);
void __tsan_release(void *at);
#define TSAN_ACQUIRE(at) __tsan_acquire(at)
#define TSAN_RELEASE(at) __tsan_release(at)
#else
#define NO_SANITIZE_THREAD
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

/* The parallel region, in a function of its own without other memory accesses, since it is not instrumented. */
NO_SANITIZE_THREAD static void run_team(int32_t count, int threads, RgJobFn *work, void *context)
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
