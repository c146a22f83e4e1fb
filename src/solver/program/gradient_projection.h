/* gradient_projection.h - a convex quadratic function over a box. */
#ifndef RIGOR_GRADIENT_PROJECTION_H
#define RIGOR_GRADIENT_PROJECTION_H

#include "base/arena.h"

/* Lowest 1/2 z'Az + z'q with low <= z <= high; A symmetric, positive semi-definite, its diagonal above 0 where row i may
   move. */
typedef struct RgBoxProgram {
    int n;
    const double *A; /* n x n */
    const double *q, *low, *high;
    double *z; /* first guess, then the solution */
} RgBoxProgram;

typedef struct RgBoxReport {
    bool solved;     /* residual is below the tolerance */
    int iterations;  /* projected gradients and subspaces */
    double residual; /* largest |z - P(z - w / A_ii)| A_ii, w = Az + q */
} RgBoxReport;

/* Ends below tolerance, at the latest after the iterations. False: no memory. */
bool rg_gradient_projection(RgArena *arena, const RgBoxProgram *box, double tolerance, int iterations,
                            RgBoxReport *report);

#endif
