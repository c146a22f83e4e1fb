/*
 * cone_newton.h - one step of the proximal method on Coulomb's law, by Newton's method in velocities (cone_newton.c).
 */
#ifndef RIGOR_CONE_NEWTON_H
#define RIGOR_CONE_NEWTON_H

#include "solver/cone/cone_rows.h"

typedef struct RgConeNewton {
    RgConeRows *rows;
    double a;           /* weight of the distance from z_k: E = C + a A */
    double enough;      /* m/s: what rows may miss at the end; more where z has moved far */
    double *centre;     /* n: z_k */
    double *u, *du;     /* n: w_k + J x, and what the step changes it by */
    double *soft, *per; /* n: E, 1 / E */
    double *x, *dx;     /* nu: change of s, its step */
    double *F;          /* nu: x - J' (z - z_k) */
    double *scratch;    /* rows of columns of the widest group */
    double root_A;      /* largest sqrt(A_ii): F changes no row by more than root_A |F| */
    int most;           /* steps at most */
    int steps;          /* out */
} RgConeNewton;

/* Memory for all but rows, a, enough, most; the plan of the matrix. False: none. */
bool rg_cone_newton_take(RgConeNewton *c);

/* From the present z, to which p->s belongs: z becomes the answer, and p->s is left. False: no root was found; z is not
   to be used. */
bool rg_cone_newton_solve(RgConeNewton *c);

#endif
