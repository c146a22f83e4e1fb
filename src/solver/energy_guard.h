/* energy_guard.h - impulses that add energy out of nothing are scaled back, island by island. */
#ifndef RIGOR_ENERGY_GUARD_H
#define RIGOR_ENERGY_GUARD_H

#include "solver/problem.h"

typedef struct RgGuardReport {
    int islands;   /* that were scaled back */
    double excess; /* J: energy that they would have added beyond the work of the targets */
} RgGuardReport;

/* z and s: an answer of any solver; s_free (nu): s*. memory: scratch is taken from it. False: no memory, nothing is
   changed. */
bool rg_energy_guard(RgArena *memory, RgProblem *problem, const double *s_free, RgGuardReport *report);

#endif
