/*
 * block_factor.h - A = L L' of a sparse positive definite matrix of 6 x 6 blocks, one row and column for every node of
 * a graph.
 *
 * Nodes are eliminated by least degree (Tinney and Walker 1967). Analyse once for a graph, factor for every set of
 * numbers, solve as often as wanted.
 */
#ifndef RIGOR_BLOCK_FACTOR_H
#define RIGOR_BLOCK_FACTOR_H

#include "base/arena.h"
#include "math/block6.h"

typedef struct RgBlockFactor {
    int32_t n, words, room; /* nodes; words a set of them; blocks below the diagonal that there is room for */
    uint64_t *near;         /* n sets: nodes that touch, or will by fill */
    int32_t *order;         /* n: node at a place in the order of elimination */
    int32_t *place;         /* n: the other way round */
    int32_t *degree;        /* n; -1: eliminated */
    int32_t *start, *row;   /* n + 1: blocks of a column of L; their rows (places), ascending */
    RgBlock6 *diagonal;     /* n, by place */
    RgBlock6 *below;        /* transposed */
} RgBlockFactor;

/* Memory for count factors, whose n and room are given. False: none. */
bool rg_block_factors_take(RgArena *arena, RgBlockFactor *factors, int32_t count);

/* A new graph, without edges; an edge. */
void rg_block_factor_begin(RgBlockFactor *f);
void rg_block_factor_touch(RgBlockFactor *f, int32_t a, int32_t b);

/* Order and pattern. False: more fill than there is room for, or more than work products of two
   blocks. */
bool rg_block_factor_analyse(RgBlockFactor *f, int64_t work);

/* All numbers become zero. */
void rg_block_factor_clear(RgBlockFactor *f);

/* Block of two different places that touch, transposed: its rows are the columns of place i, i > j. */
RgSix *rg_block_factor_at(const RgBlockFactor *f, int32_t i, int32_t j);

/* False: not positive definite to the part lost of a diagonal. */
bool rg_block_factor(RgBlockFactor *f, double lost);

/* x (n, by place) becomes the solution, given the right side. */
void rg_block_solve(const RgBlockFactor *f, RgSix *x);

#endif
