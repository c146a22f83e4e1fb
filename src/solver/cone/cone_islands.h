/* cone_islands.h - applies a solver of coupled rows to every island of a problem. */
#ifndef RIGOR_CONE_ISLANDS_H
#define RIGOR_CONE_ISLANDS_H

#include "solver/problem.h"
#include "solver/solve_report.h"

typedef struct RgConeIslandSolve {
    const void *context; /* the same for all islands, which may be solved in parallel */
    /* Solves one island; sets converged, outcome and iterations. False: no memory. */
    bool (*solve_island)(const void *context, RgArena *arena, RgProblem *island, RgSolveReport *report);
} RgConeIslandSolve;

/* Computes impulses and velocities of all islands. report gets the worst outcome, the largest number of iterations and
   the number of islands. False: no memory. */
bool rg_cone_islands_solve(const RgConeIslandSolve *solve, RgArena *arena, RgProblem *p, RgSolveReport *report);

#endif
