/* block_pivot.h - block principal pivoting: all misplaced rows change their position at once. */
#ifndef RIGOR_BLOCK_PIVOT_H
#define RIGOR_BLOCK_PIVOT_H

#include "solver/pivot/dense_lcp.h"

typedef struct RgBlockPivot RgBlockPivot;

/* Allocates the work and eliminates the equalities. redundant: out, number of equalities that depend on others. NULL:
   no memory. */
RgBlockPivot *rg_block_pivot_alloc(RgArena *arena, RgDenseLcp *lcp, int *redundant);

typedef struct RgBlockPivotRun {
    double tolerance; /* relative to the largest |q| */
    int max_rounds;   /* limit of rounds */
    /* n: fixed bounds +-friction_bound of friction rows, independent of their normals: a problem with fixed bounds,
       whose rounds always end. NULL: bounds follow the normals. */
    const double *friction_bound;
    /* Above 0: rho, with z0 = 0, without removing its effect: rows with targets that cannot be met are violated in
       proportion to their impulse. 0: the exact solution. */
    double softness;
} RgBlockPivotRun;

/* Starts from the positions that z implies. True: z solves the problem to the tolerance, except redundant equalities.
   pivots is increased by the number of rounds. False: z is that of the last round, within its bounds. */
bool rg_block_pivot_run(RgBlockPivot *g, const RgBlockPivotRun *run, int *pivots);

#endif
