/*
 * cone_newton.h - one step of the proximal method on Coulomb's law, by Newton's method in the velocities
 * (cone_newton.c).
 */
#ifndef RIGOR_CONE_NEWTON_H
#define RIGOR_CONE_NEWTON_H

#include "solver/cone/cone_rows.h"

typedef struct RgConeNewton {
    RgConeRows *rows;
    double a;              /* proximal weight: E = C + a A */
    double enough;         /* m/s: residual of rows at which the iteration ends; larger where z has moved far */
    double *centre;        /* n: z_k, the point around which the problem is posed */
    double *u, *du;        /* n: w_k + J x, and its change by the step */
    double *E, *inverse_E; /* n: C + a A, and its inverse */
    double *x, *dx;        /* nu: change of s, and its step */
    double *F;             /* nu: x - J' (z - z_k) */
    double *scratch;       /* rows over the columns of the widest group */
    double root_A;         /* largest sqrt(A_ii): F changes no row by more than root_A |F| */
    int max_steps;         /* Newton steps at most */
    int steps;             /* out: Newton steps */
} RgConeNewton;

/* Allocates the arrays and plans the matrix; rows must be set. False: no memory. */
bool rg_cone_newton_alloc(RgConeNewton *c);

/* Starts from p->z, to which p->s must belong. p->z becomes the solution; p->s is unchanged. False: no root was found,
   and p->z is not usable. */
bool rg_cone_newton_solve(RgConeNewton *c);

#endif
