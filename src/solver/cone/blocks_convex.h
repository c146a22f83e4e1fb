/*
 * blocks_convex.h - convex subproblem of contacts over blocks: De Saxce's shifts mu |w_t| are held at fixed values
 * around a point that does not solve the problem yet. Convex where W is symmetric. cone_convex.h is the counterpart
 * over rows.
 */
#ifndef RIGOR_BLOCKS_CONVEX_H
#define RIGOR_BLOCKS_CONVEX_H

#include "math/anderson.h"
#include "solver/cone/block_lu.h"
#include "solver/cone/cone_blocks.h"

typedef struct RgBlocksConvex {
    const RgConeBlocks *p;
    const double *mean;       /* n: D, mean diagonal entry of each contact's block */
    RgBlockLu *lu;            /* planned by the caller */
    double a;                 /* proximal weight: E = a D */
    double *centre;           /* 3 n: r_k, the point around which the problem is posed */
    double *shift;            /* n: mu |w_t|, held fixed */
    RgAnderson shift_history; /* Anderson acceleration of the shifts */
    double *x, *dx;           /* 3 n: change of r that enters the velocities, and its step */
    double *u, *du;           /* 3 n: velocities, and their step */
    double *r;                /* 3 n: r(u) */
    double *spare;            /* 3 n: scratch */
    int iterations;           /* out: Newton steps */
} RgBlocksConvex;

/* Allocates the arrays; p and mean must be set. False: no memory. */
bool rg_blocks_convex_alloc(RgArena *arena, RgBlocksConvex *c);

/* Poses the problem around r with velocities w; the shifts follow from w and their earlier values by Anderson
   acceleration. r: overwritten with the last r(u), the solution if converged. False: more than `most` Newton steps, or
   a singular system. */
bool rg_blocks_convex_solve(RgBlocksConvex *c, double *r, const double *w, int most);

#endif
