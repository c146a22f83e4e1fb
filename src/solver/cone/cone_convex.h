/*
 * cone_convex.h - the convex subproblem of one outer step of solver `cone-convex`: the associated law with a proximal
 * term around the last point z_k (cone_convex.c).
 */
#ifndef RIGOR_CONE_CONVEX_H
#define RIGOR_CONE_CONVEX_H

#include "solver/cone/cone_rows.h"

typedef struct RgConvex {
    RgConeRows *rows;
    double *centre; /* n: z_k, the point around which the problem is posed */
    double *radius; /* n: radius of friction rows that share no circular cone */
    /* Converged: |grad phi| is at most accuracy |z - z_k|_E and at most max_gradient; 0: at most round-off. */
    double accuracy, max_gradient;
    double a;        /* weight of the proximal term: E = C + a A */
    double *u, *du;  /* n: w_k + J x, and its change by the step */
    double *E;       /* n: C + a A */
    double *x, *dx;  /* nu: change of s, and its step */
    double *scratch; /* 2 rows over the columns of the widest group */
    int iterations;  /* out: Newton steps */
} RgConvex;

/* Allocates the arrays; rows must be set. False: no memory. */
bool rg_convex_alloc(RgArena *arena, RgConvex *c);

/* p->z becomes the solution. centre, radius and a are given; p->s must belong to centre, and is overwritten. False:
   more than `most` steps, or a singular system; p->z is then that of the last velocities. */
bool rg_convex_solve(RgConvex *c, int most);

#endif
