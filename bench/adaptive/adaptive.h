/*
 * adaptive.h - the experiments of papers 000 and 001 that need no stepper but those of the papers.
 *
 *   failures      000-A: steps until a trotting robot fails, against the length of the step
 *   forms         000-C: error in kinetic energy of explicit and semi-implicit steps
 *   split         000-C: that error from the same states, by what the feet do and what is left out
 *   rule          000-C: that error with contacts as the paper has them, from several starts
 *   control       000-D: steps chosen by that error, walking and standing; error over a period of the gait
 *   dissipation   000-E: steps until failure, against exponential dissipation
 *   chain         001-B: a chain that falls past the ground: steps without any contact
 *
 * Each prints a table with what was published beside it.
 */
#ifndef BENCH_ADAPTIVE_H
#define BENCH_ADAPTIVE_H

#include "located.h"

typedef struct AdaptiveOptions {
    bool quick;
    const char *robot;           /* file of the quadruped */
    const char *solver, *coords; /* NULL: those of the experiment */
    int starts;                  /* of rule; 0: four */
} AdaptiveOptions;

/* False: something that must hold does not. */
bool adaptive_failures(LocatedOut *out, const AdaptiveOptions *options);
bool adaptive_forms(LocatedOut *out, const AdaptiveOptions *options);
bool adaptive_split(LocatedOut *out, const AdaptiveOptions *options);
bool adaptive_rule(LocatedOut *out, const AdaptiveOptions *options);
bool adaptive_control(LocatedOut *out, const AdaptiveOptions *options);
bool adaptive_dissipation(LocatedOut *out, const AdaptiveOptions *options);
bool adaptive_chain(LocatedOut *out, const AdaptiveOptions *options);

#endif
