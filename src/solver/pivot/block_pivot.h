/* block_pivot.h - block principal pivoting: many rows change their places at once. */
#ifndef RIGOR_BLOCK_PIVOT_H
#define RIGOR_BLOCK_PIVOT_H

#include "solver/pivot/dense_lcp.h"

typedef struct RgBlockPivot RgBlockPivot;

/* Eliminates the equalities. NULL: no memory. redundant: equalities that depend on others. */
RgBlockPivot *rg_block_pivot_take(RgArena *arena, RgDenseLcp *lcp, int *redundant);

typedef struct RgBlockPivotRun {
    double tolerance; /* relative to the largest |q| */
    int most;         /* rounds */
    /* n: friction rows stay within +-reach, whatever their normals do: a problem with fixed bounds, whose rounds always
       end. NULL: they follow their normals. */
    const double *reach;
    /* Above 0: rho, from z = 0, and no more: rows that ask for what cannot be met give way. 0: the solution. */
    double soft;
} RgBlockPivotRun;

/* From the places that z speaks of. True: z solves to the tolerance, but for redundant equalities. Counts rounds in
   pivots. False: z is what the last round left, within its bounds. */
bool rg_block_pivot_run(RgBlockPivot *g, const RgBlockPivotRun *run, int *pivots);

#endif
