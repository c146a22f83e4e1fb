/*
 * adaptive.h - paper 001's experiment B: a chain that falls past the ground: steps without any contact.
 *
 * Those of paper 000 are run by `rigor reproduce`: experiments/000-*.
 */
#ifndef BENCH_ADAPTIVE_H
#define BENCH_ADAPTIVE_H

#include "located.h"

typedef struct AdaptiveOptions {
    bool quick;
} AdaptiveOptions;

/* False: something that must hold does not. */
bool adaptive_chain(LocatedOut *out, const AdaptiveOptions *options);

#endif
