/*
 * cone_blocks.h - contacts with Coulomb's friction and nothing else, over a sparse matrix of 3 x 3 blocks.
 *
 *   w = W r + q,   each contact of three rows (normal, tangent, tangent):
 *   r in K(mu) = {|r_t| <= mu r_n},   w + mu |w_t| e_n in the dual of K(mu),   perpendicular to r
 *
 * The term mu |w_t| is De Saxce's: with it the law is Coulomb's, sliding along the surface.
 */
#ifndef RIGOR_CONE_BLOCKS_H
#define RIGOR_CONE_BLOCKS_H

typedef struct RgConeBlocks {
    int n;               /* contacts */
    const int *start;    /* n + 1: blocks of each row */
    const int *column;   /* ascending within a row; the diagonal block is among them */
    const double *block; /* 9 each, row-major */
    const double *q;     /* 3 n */
    const double *mu;    /* n */
    double *r;           /* 3 n: first guess, then the solution */
    double *w;           /* 3 n */
} RgConeBlocks;

#endif
