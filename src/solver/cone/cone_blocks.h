/*
 * cone_blocks.h - contacts alone: w = W r + q over contacts of three rows (normal, tangent, tangent),
 *
 *   r in K(mu) = {|r_t| <= mu r_n},   w + mu |w_t| e_n in K*,   perpendicular           (De Saxce's form)
 *
 * which is Coulomb's law: w_n >= 0, r_n >= 0, one of them 0; sticking with w_t = 0, or sliding with r_t = -mu r_n w_t /
 * |w_t|. W is sparse, of 3 x 3 blocks, x'Wx >= 0; it need not be symmetric (turning bodies, implicit forces) nor
 * regular.
 */
#ifndef RIGOR_CONE_BLOCKS_H
#define RIGOR_CONE_BLOCKS_H

#include "solver/solve_report.h"

typedef struct RgConeBlocks {
    int n;               /* contacts */
    const int *start;    /* n + 1: blocks of each row of them */
    const int *column;   /* ascending within a row; the diagonal block is among them */
    const double *block; /* 9 each, row-major */
    const double *q;     /* 3 n */
    const double *mu;    /* n */
    double *r;           /* 3 n: first guess, then the solution */
    double *w;           /* 3 n: takes W r + q */
} RgConeBlocks;

/* |r - P(r - w - mu |w_t| e_n)| / |q|, P onto K(mu), for the w of r, which is filled in. q = 0: not divided. */
double rg_cone_blocks_residual(const RgConeBlocks *problem);

/* To options->tolerance by that residual; max_iterations counts sweeps and steps together. RG_ERR_MEMORY: r is as it
   was. */
RgStatus rg_cone_blocks_solve(RgArena *arena, RgConeBlocks *problem, const RgExactOptions *options,
                              RgSolveReport *report);

#endif
