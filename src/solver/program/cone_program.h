/*
 * cone_program.h - convex programs over cones, dense:
 *
 *   minimise  1/2 x'Hx + c'x    subject to    G x + s = h,   s in K
 *   K = R>=0 (the first l rows), then second-order cones { s_0 >= |(s_1, s_2, ...)| }, one after the other
 *   dual:  maximise  -1/2 x'Hx - h'z    subject to    Hx + G'z + c = 0,   z in K
 *
 * H is symmetric and positive semi-definite. Numbers near one are best: what is told as solved is so relative to the
 * larger of 1 and the largest numbers met.
 */
#ifndef RIGOR_CONE_PROGRAM_H
#define RIGOR_CONE_PROGRAM_H

#include "base/arena.h"

typedef struct RgConeProgram {
    int n, m;        /* unknowns, rows of G */
    int l;           /* rows of G in R>=0 */
    int ncones;      /* second-order cones behind them */
    int *cone;       /* ncones: rows of each, at least 1; their sum is m - l */
    const double *H; /* n x n; NULL: 0 */
    double *c;       /* n */
    double *G;       /* m x n, row-major */
    double *h;       /* m */
    double *x;       /* n: the solution, or the direction of a proof (RgConeOutcome) */
    double *s, *z;   /* m */
} RgConeProgram;

typedef enum RgConeOutcome {
    RG_CONE_SOLVED,
    RG_CONE_INFEASIBLE, /* z proves it: G'z = 0, z in K, h'z = -1; x and s are 0 */
    RG_CONE_UNBOUNDED,  /* x, s prove it: Hx = 0, Gx + s = 0, s in K, c'x = -1; z is 0 */
    RG_CONE_ITERATIONS  /* none of them within the tolerance: the best point met, its residuals told */
} RgConeOutcome;

typedef struct RgConeProgramOptions {
    double tolerance; /* of residuals and gap, and of the proofs */
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

/* A program of n unknowns, l rows in R>=0 and cones of three rows, all zero; H is NULL. False: no memory. */
bool rg_cone_program_take(RgArena *arena, int n, int l, int cones, RgConeProgram *out);

/* Memory for programs up to these sizes; NULL: none, or sizes below 0. */
RgConeWork *rg_cone_work_take(RgArena *arena, int n, int m);

static inline RgConeProgramOptions rg_cone_program_defaults(void)
{
    return (RgConeProgramOptions){.tolerance = 1e-9, .max_iterations = 100};
}

/* RG_ERR_ARGUMENT: a number is not finite, or sizes do not fit; nothing was written. */
RgStatus rg_cone_program_solve(RgConeWork *work, const RgConeProgram *program, const RgConeProgramOptions *options,
                               RgConeProgramReport *report);

/*
 * The same from a point x inside all cones, which is given. Every iteration stays
 * inside and lowers the objective, so that the end after any number of them is a point that keeps its
 * constraints and is no worse than the last. ITERATIONS: stopped by the count, or where round-off allows no
 * lower objective. RG_ERR_ARGUMENT also: x is not inside.
 */
RgStatus rg_cone_program_descend(RgConeWork *work, const RgConeProgram *program, const RgConeProgramOptions *options,
                                 RgConeProgramReport *report);

#endif
