/* solve_clock.h - the CPU time of one solve: best of samples, each long enough for the clock. */
#ifndef BENCH_SOLVE_CLOCK_H
#define BENCH_SOLVE_CLOCK_H

#include <stdlib.h>
#include <time.h>

#define SAMPLE_SECONDS 200e-6
#define ENOUGH_SECONDS 40e-3
#define SAMPLES_MAX 200

static inline double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds of one run. */
static inline double best_seconds(void (*run)(void *context), void *context)
{
    double start = cpu_seconds();
    run(context);
    double once = cpu_seconds() - start, all = once, best = once;
    int runs = once < SAMPLE_SECONDS ? (int)(SAMPLE_SECONDS / (once > 1e-7 ? once : 1e-7)) + 1 : 1;
    for (int k = 0; k < SAMPLES_MAX && all < ENOUGH_SECONDS; k++) {
        start = cpu_seconds();
        for (int i = 0; i < runs; i++)
            run(context);
        double sample = cpu_seconds() - start;
        all += sample;
        best = sample / runs < best ? sample / runs : best;
    }
    return best;
}

#endif
