/*
 * blocks_convex.h - contacts over blocks with De Saxce's shifts held: a convex problem where W is symmetric, round an
 * answer that is not one yet (cone_convex.h is the same over rows).
 */
#ifndef RIGOR_BLOCKS_CONVEX_H
#define RIGOR_BLOCKS_CONVEX_H

#include "math/anderson.h"
#include "solver/cone/block_lu.h"
#include "solver/cone/cone_blocks.h"

typedef struct RgBlocksConvex {
    const RgConeBlocks *p;
    const double *mean; /* n: of the diagonal blocks, D */
    RgBlockLu *lu;      /* planned */
    double a;
    double *centre;   /* 3 n: r_k */
    double *shift;    /* n */
    RgAnderson chain; /* of shifts */
    double *x, *dx, *u, *du,
        *r;         /* 3 n: change of r that makes the velocities, its step, velocities, their step, r(u) */
    double *spare;  /* 3 n */
    int iterations; /* out */
} RgBlocksConvex;

/* Memory; p and mean are given. False: none. */
bool rg_blocks_convex_take(RgArena *arena, RgBlocksConvex *c);

/* Round r, by shifts that follow from its velocities w and the chain of them; r becomes the answer. False: steps ran
   out, or a system was singular. */
bool rg_blocks_convex_solve(RgBlocksConvex *c, double *r, const double *w, int most);

#endif
