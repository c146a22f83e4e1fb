/* lemke.h - Lemke's method for linear complementarity with bounds, equalities and friction rows. */
#ifndef RIGOR_LEMKE_H
#define RIGOR_LEMKE_H

#include "solver/pivot/dense_lcp.h"

#include <rigor/solver.h>

typedef struct RgLemkeReport {
    RgSolveOutcome outcome;
    int pivots;            /* of all fallbacks together */
    int fallback_index;    /* fallback that gave the result; 0: the problem itself; from 1 on see lemke.c */
    double regularisation; /* added to the diagonal by that fallback, relative to rows and columns of size 1 */
    int dependent;         /* number of equalities and free variables that depend on others */
    RgLcpResidual residual;
} RgLemkeReport;

/* z: the solution; if none was found, the result of all fallbacks with the least residual. Outcome RG_SOLVE_SINGULAR:
   the input is invalid (rg_dense_lcp_valid), z and w are 0. The tolerance applies to residual.natural relative to the
   largest |q|, or to residual.plain; one of them is enough. max_iterations limits the pivots of each fallback; 0: a
   limit by size. RG_ERR_MEMORY: the problem is unchanged. The arena is not reset. */
RgStatus rg_lemke_solve(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgLemkeReport *report);

#endif
