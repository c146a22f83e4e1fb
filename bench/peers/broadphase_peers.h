/* broadphase_peers.h - the broad phase part of rigor-bench-collision, and what both parts need. */
#ifndef BENCH_PEERS_BROADPHASE_PEERS_H
#define BENCH_PEERS_BROADPHASE_PEERS_H

#include <cstdio>
#include <cstdlib>
#include <ctime>

/* Seconds of processor time of this process. */
inline double now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

inline void expect(bool good, const char *what)
{
    if (good)
        return;
    std::fprintf(stderr, "rigor-bench-collision: %s failed\n", what);
    std::exit(1);
}

/* Prints the table; quick: fewer frames. */
void broadphase_table(bool quick);

#endif
