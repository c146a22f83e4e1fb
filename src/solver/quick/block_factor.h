/*
 * block_factor.h - Cholesky factor A = L L' of a sparse positive definite matrix of 6 x 6 blocks, with one block row
 * and column for every node of a graph.
 *
 * The order of elimination is found once for a graph; the matrix is factored for each set of values.
 */
#ifndef RIGOR_BLOCK_FACTOR_H
#define RIGOR_BLOCK_FACTOR_H

#include "base/arena.h"
#include "math/block6.h"
#include "solver/elimination.h"

typedef struct RgBlockFactor {
    RgElimination graph;
    RgBlock6 *diagonal; /* n: diagonal blocks, by place */
    RgBlock6 *below;    /* blocks below the diagonal, transposed, parallel to graph.row */
} RgBlockFactor;

/* Allocates count factors whose graph.n and graph.room are set. False: no memory. */
bool rg_block_factors_alloc(RgArena *arena, RgBlockFactor *factors, int32_t count);

/* Sets all blocks to zero. */
void rg_block_factor_clear(RgBlockFactor *f);

/* Block (i, j), i > j, of two adjacent places, transposed: its rows are the columns of place i. */
RgBlock6Row *rg_block_factor_at(const RgBlockFactor *f, int32_t i, int32_t j);

/* Factors in place. False: not positive definite; pivots below the part `lost` of the diagonal count as zero. */
bool rg_block_factor(RgBlockFactor *f, double lost);

/* Solves in place: x (n, by place) is the right side on entry, the solution on return. */
void rg_block_solve(const RgBlockFactor *f, RgBlock6Row *x);

#endif
