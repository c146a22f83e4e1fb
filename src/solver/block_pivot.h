/* block_pivot.h - block principal pivoting: many rows change their places at once. */
#ifndef RIGOR_BLOCK_PIVOT_H
#define RIGOR_BLOCK_PIVOT_H

#include "solver/dense_lcp.h"

typedef struct RgBlockPivot RgBlockPivot;

/* Eliminates the equalities. NULL: no memory. redundant: equalities that depend on others. */
RgBlockPivot *rg_block_pivot_take(RgArena *arena, RgDenseLcp *lcp, int *redundant);

/* From the places that z speaks of. True: z solves to the tolerance, relative to the largest |q|, but for redundant
   equalities. At most so many rounds; counts them in pivots. False: z is what the last round left, within its
   bounds. */
bool rg_block_pivot_run(RgBlockPivot *g, double tolerance, int most, int *pivots);

#endif
