/*
 * cone_program.h - convex programs over cones, dense:
 *
 *   minimise  1/2 x'Hx + c'x    subject to    G x + s = h,   s in K
 *   K = R>=0 (the first l rows), then second-order cones { s_0 >= |(s_1, s_2, ...)| }, one after the other
 *   dual:  maximise  -1/2 x'Hx - h'z    subject to    Hx + G'z + c = 0,   z in K
 *
 * H is symmetric and positive semidefinite. Entries near one are best: residuals are relative to the larger of 1 and
 * the largest numbers involved.
 */
#ifndef RIGOR_CONE_PROGRAM_H
#define RIGOR_CONE_PROGRAM_H

#include "base/arena.h"

typedef struct RgConeProgram {
    int n, m;        /* unknowns, rows of G */
    int l;           /* rows of G in R>=0 */
    int ncones;      /* number of second-order cones after them */
    int *cone;       /* ncones: rows of each, at least 1; their sum is m - l */
    const double *H; /* n x n; NULL: 0 */
    double *c;       /* n */
    double *G;       /* m x n, row-major */
    double *h;       /* m */
    double *x;       /* n: the solution, or the direction that proves the outcome (RgConeOutcome) */
    double *s, *z;   /* m */
} RgConeProgram;

typedef enum RgConeOutcome {
    RG_CONE_SOLVED,
    RG_CONE_INFEASIBLE, /* z proves it: G'z = 0, z in K, h'z = -1; x and s are 0 */
    RG_CONE_UNBOUNDED,  /* x, s prove it: Hx = 0, Gx + s = 0, s in K, c'x = -1; z is 0 */
    RG_CONE_ITERATIONS  /* none of these to the tolerance: the best point and its residuals are reported */
} RgConeOutcome;

typedef struct RgConeProgramOptions {
    double tolerance; /* of residuals, gap, and proofs */
    int max_iterations;
} RgConeProgramOptions;

typedef struct RgConeProgramReport {
    RgConeOutcome outcome;
    int iterations;
    double objective; /* 1/2 x'Hx + c'x */
    double primal;    /* largest of |Gx + s - h|, relative */
    double dual;      /* largest of |Hx + G'z + c|, relative */
    double gap;       /* |x'Hx + c'x + h'z|, relative to the objectives */
} RgConeProgramReport;

typedef struct RgConeWork RgConeWork;

/* Allocates a program of n unknowns, l rows in R>=0 and second-order cones of three rows, all zero; H is NULL. False:
   no memory. */
bool rg_cone_program_alloc(RgArena *arena, int n, int l, int cones, RgConeProgram *out);

/* Allocates the work for programs up to these sizes; NULL: no memory, or a size below 0. */
RgConeWork *rg_cone_work_alloc(RgArena *arena, int n, int m);

static inline RgConeProgramOptions rg_cone_program_defaults(void)
{
    return (RgConeProgramOptions){.tolerance = 1e-9, .max_iterations = 100};
}

/* RG_ERR_ARGUMENT: an input is NaN or infinite, or sizes do not fit; nothing is written. */
RgStatus rg_cone_program_solve(RgConeWork *work, const RgConeProgram *program, const RgConeProgramOptions *options,
                               RgConeProgramReport *report);

/*
 * The same from a point x in the interior of all cones, which is given. Every iterate stays in the interior and lowers
 * the objective, so the result after any number of iterations satisfies the constraints and is no worse than the last
 * one. ITERATIONS: the limit is reached, or round-off allows no lower objective. RG_ERR_ARGUMENT also: x is not in the
 * interior.
 */
RgStatus rg_cone_program_descend(RgConeWork *work, const RgConeProgram *program, const RgConeProgramOptions *options,
                                 RgConeProgramReport *report);

#endif
