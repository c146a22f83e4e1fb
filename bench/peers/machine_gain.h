/*
 * machine_gain.h - what several threads gain on this machine where nothing but arithmetic is done.
 */
#ifndef RIGOR_BENCH_MACHINE_GAIN_H
#define RIGOR_BENCH_MACHINE_GAIN_H

/* Work done in a time by so many threads, over that of one. Median of a few trials. */
double machine_gain(int threads);

#endif
