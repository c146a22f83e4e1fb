/* cone_islands.h - a solver of rows that hang together, used on all islands of a problem. */
#ifndef RIGOR_CONE_ISLANDS_H
#define RIGOR_CONE_ISLANDS_H

#include "solver/problem.h"
#include "solver/solve_report.h"

typedef struct RgConeIslandSolve {
    const void *context; /* the same for all islands, which may be solved at once */
    /* Solves one; fills in converged, outcome, iterations. False: no memory. */
    bool (*one)(const void *context, RgArena *arena, RgProblem *island, RgSolveReport *report);
} RgConeIslandSolve;

/* Impulses and velocities of all; report gets the worst outcome, the most iterations, the number of islands. False: no
   memory. */
bool rg_cone_islands_solve(const RgConeIslandSolve *solve, RgArena *arena, RgProblem *p, RgSolveReport *report);

#endif
