/*
 * cone_convex.h - the convex problem near an answer that is not one yet: an outer step of solver `cone-convex`.
 */
#ifndef RIGOR_CONE_CONVEX_H
#define RIGOR_CONE_CONVEX_H

#include "solver/cone/cone_rows.h"

typedef struct RgConvex {
    RgConeRows *rows;
    double *centre;              /* n: z_k */
    double *radius;              /* n, of friction rows that share no circular cone: what bounds them */
    double accuracy, slope_most; /* slope of phi at the end, at most: over |z - z_k|_E, and itself; 0: round-off */
    double a;                    /* weight of the distance from z_k */
    double *u, *du;              /* n: w_k + J x, and what the step changes it by */
    double *soft;                /* n: E */
    double *x, *dx;              /* nu: change of s, its step */
    double *scratch;             /* 2 rows of columns of the widest group */
    int iterations;              /* out: steps */
} RgConvex;

/* Memory for all but rows, a; false: none. */
bool rg_convex_take(RgArena *arena, RgConvex *c);

/* p->z becomes the solution; centre and radius are given, p->s belongs to the centre and is lost. False: steps ran out,
   or a system was singular; z is what the last s makes of it. */
bool rg_convex_solve(RgConvex *c, int most);

#endif
