/*
 * block_factor.h - A = L L' of a sparse positive definite matrix of 6 x 6 blocks, one row and column for every node of
 * a graph.
 *
 * Find the order of elimination once for a graph, factor for every set of numbers, solve as often as wanted.
 */
#ifndef RIGOR_BLOCK_FACTOR_H
#define RIGOR_BLOCK_FACTOR_H

#include "base/arena.h"
#include "math/block6.h"
#include "solver/elimination.h"

typedef struct RgBlockFactor {
    RgElimination graph;
    RgBlock6 *diagonal; /* n, by place */
    RgBlock6 *below;    /* transposed, beside graph.row */
} RgBlockFactor;

/* Memory for count factors, whose graph.n and graph.room are given. False: none. */
bool rg_block_factors_take(RgArena *arena, RgBlockFactor *factors, int32_t count);

/* All numbers become zero. */
void rg_block_factor_clear(RgBlockFactor *f);

/* Block of two different places that touch, transposed: its rows are the columns of place i, i > j. */
RgSix *rg_block_factor_at(const RgBlockFactor *f, int32_t i, int32_t j);

/* False: not positive definite to the part lost of a diagonal. */
bool rg_block_factor(RgBlockFactor *f, double lost);

/* x (n, by place) becomes the solution, given the right side. */
void rg_block_solve(const RgBlockFactor *f, RgSix *x);

#endif
