/* dantzig.h - principal pivoting for symmetric complementarity with bounds, equalities and friction rows. */
#ifndef RIGOR_DANTZIG_H
#define RIGOR_DANTZIG_H

#include "solver/pivot/dense_lcp.h"

#include <rigor/solver.h>

typedef struct RgDantzigReport {
    RgSolveOutcome outcome;
    int pivots;    /* blocks of rows, then single ones */
    int rounds;    /* of friction bounds, each with the normal impulses of the one before; 0: none was needed */
    bool fast;     /* block pivots alone did it */
    bool lent;     /* friction did not settle: the answer is that of Lemke's method */
    int redundant; /* equalities that depend on others: their z is 0 */
    int conflicts; /* of these, or of rows without end: what they ask for cannot be met */
    RgLcpResidual residual;
} RgDantzigReport;

/* M symmetric positive semidefinite. Solved: residual.natural is below the tolerance times the largest |q|. Conflicts
   give RG_SOLVE_INFEASIBLE, all other rows are solved nevertheless. RG_SOLVE_ITERATIONS: friction did not settle, z
   is the best of all rounds. RG_SOLVE_SINGULAR: numbers of the problem are not finite; z and w are 0.
   RG_ERR_MEMORY: z is as it was. The arena is not reset. */
RgStatus rg_dantzig_solve(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgDantzigReport *report);

/* The same with fixed bounds, one row at a time from z = 0, friction rows within low and high as they stand; without
   the fast start. */
RgStatus rg_dantzig_box(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgDantzigReport *report);

#endif
