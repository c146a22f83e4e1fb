/* dantzig.h - principal pivoting for symmetric complementarity with bounds, equalities and friction rows. */
#ifndef RIGOR_DANTZIG_H
#define RIGOR_DANTZIG_H

#include "solver/pivot/dense_lcp.h"

#include <rigor/solver.h>

typedef struct RgDantzigReport {
    RgSolveOutcome outcome;
    int pivots; /* block pivots and single ones together */
    int rounds; /* rounds of friction bounds, each with the normal impulses of the previous one; 0: none were needed */
    bool fast;  /* block pivots alone found the solution */
    bool solved_by_lemke; /* the rounds did not converge: the solution is that of Lemke's method */
    int redundant;        /* equalities that depend on others: their z is 0 */
    int conflicts;        /* number of redundant equalities or unbounded rows whose targets cannot be met */
    RgLcpResidual residual;
} RgDantzigReport;

/* M symmetric positive semidefinite. Solved: residual.natural is below the tolerance times the largest |q|. Conflicts
   give RG_SOLVE_INFEASIBLE; all other rows are solved nevertheless. RG_SOLVE_ITERATIONS: friction did not converge, z
   is the best of all rounds. RG_SOLVE_SINGULAR: the input is invalid (rg_dense_lcp_valid); z and w are 0.
   RG_ERR_MEMORY: z is unchanged. The arena is not reset. */
RgStatus rg_dantzig_solve(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgDantzigReport *report);

/* The same with fixed bounds: one row at a time from z = 0, friction rows within low and high as given, without block
   pivots. */
RgStatus rg_dantzig_box(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgDantzigReport *report);

#endif
