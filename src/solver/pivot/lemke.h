/* lemke.h - Lemke's method for linear complementarity with bounds, equalities and friction rows. */
#ifndef RIGOR_LEMKE_H
#define RIGOR_LEMKE_H

#include "solver/pivot/dense_lcp.h"

#include <rigor/solver.h>

typedef struct RgLemkeReport {
    RgSolveOutcome outcome;
    int pivots;            /* of all rungs together */
    int rung;              /* that gave the answer: 0: the problem itself; from 1 on see lemke.c */
    double regularisation; /* that the rung added to the diagonal, relative to rows and columns of size 1 */
    int dependent;         /* equalities and free variables that depend on others */
    RgLcpResidual residual;
} RgLemkeReport;

/* z: the solution; if none was found, of all rungs' ends the one with the least residual. Outcome RG_SOLVE_SINGULAR:
   numbers of the problem are not finite, z and w are 0 then. Tolerance counts for residual.natural, relative to
   the largest |q|, or plain, whichever is met. max_iterations 0: as many pivots for each rung as the size wants.
   RG_ERR_MEMORY: nothing was done. The arena is not reset. */
RgStatus rg_lemke_solve(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgLemkeReport *report);

#endif
