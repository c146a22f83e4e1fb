/*
 * cone_blocks.h - a contact problem given by its matrix: w = W r + q over contacts of three rows each (normal, tangent,
 * tangent),
 *
 *   r in K(mu) = {|r_t| <= mu r_n},   w + mu |w_t| e_n in K*,   perpendicular           (De Saxce's form)
 *
 * This is Coulomb's law: w_n >= 0, r_n >= 0, one of them 0; sticking with w_t = 0, or sliding with r_t = -mu r_n w_t /
 * |w_t|. W is sparse, of 3 x 3 blocks, with x'Wx >= 0. It need not be symmetric (rotating bodies, implicit forces) nor
 * regular.
 */
#ifndef RIGOR_CONE_BLOCKS_H
#define RIGOR_CONE_BLOCKS_H

#include "solver/solve_report.h"

typedef struct RgConeBlocks {
    int n;               /* contacts */
    const int *start;    /* n + 1: first block of each block row */
    const int *column;   /* block columns, ascending within a row; the diagonal block is among them */
    const double *block; /* 9 each, row-major */
    const double *q;     /* 3 n */
    const double *mu;    /* n */
    double *r;           /* 3 n: initial guess, then the solution */
    double *w;           /* 3 n: W r + q on return */
} RgConeBlocks;

/* |r - P(r - w - mu |w_t| e_n)| / |q|, P the projection onto K(mu), with w = W r + q, which is stored. q = 0: not
   divided. */
double rg_cone_blocks_residual(const RgConeBlocks *problem);

/* Solves until that residual is at most options->tolerance. max_iterations counts sweeps and Newton steps together.
   RG_ERR_MEMORY: r is unchanged. */
RgStatus rg_cone_blocks_solve(RgArena *arena, RgConeBlocks *problem, const RgExactOptions *options,
                              RgSolveReport *report);

#endif
