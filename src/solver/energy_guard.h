/* energy_guard.h - scales back impulses that add energy beyond the work of the targets, island by island. */
#ifndef RIGOR_ENERGY_GUARD_H
#define RIGOR_ENERGY_GUARD_H

#include "solver/problem.h"

typedef struct RgGuardReport {
    int islands;   /* islands whose impulses were scaled back */
    double excess; /* J: energy that their impulses would have added beyond the work of the targets */
} RgGuardReport;

/* z and s: a solution of any solver; s_free (nu): s*. Scratch is allocated from memory. False: no memory, nothing is
   changed. */
bool rg_energy_guard(RgArena *memory, RgProblem *problem, const double *s_free, RgGuardReport *report);

#endif
