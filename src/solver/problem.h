/*
 * problem.h - what a solver sees: numbers only.
 *
 * Bilateral problem, of n rows over nu unknowns:
 *   a = a_free + M^-1 J' z,    J a + C z = b
 *   (J Y + C) z = b - J a_free,  Y = M^-1 J'
 * J is sparse by rows; Y has either the same columns (M diagonal) or all of them.
 */
#ifndef RIGOR_PROBLEM_H
#define RIGOR_PROBLEM_H

#include "base/arena.h"

typedef struct RgBilateral {
    int n, nu;
    int *start;     /* n + 1 */
    int *columns;   /* of J, ascending within a row */
    double *values; /* of J */
    bool diagonal_mass;
    double *Y;          /* diagonal mass: in the places of values; else n x nu, row i is M^-1 J_i' */
    double *compliance; /* n */
    double *rhs;        /* n: b - J a_free */
    double *z;          /* n: the solution */
    int redundant;      /* rows that depend on others: their z is 0 */
    double residual;    /* largest of |A z - rhs| over the independent rows */
} RgBilateral;

typedef struct RgDirect RgDirect;

/* Memory of the direct solver for up to room rows with entries coefficients; NULL: none. */
RgDirect *rg_direct_take(RgArena *arena, int room, int entries, int nu);

/* Gives back the memory of the pattern, which is not the arena's. */
void rg_direct_free(RgDirect *direct);

/* Fills z, redundant, residual. RG_ERR_MEMORY: the pattern changed and there was no room for its analysis. */
RgStatus rg_direct_solve(RgDirect *direct, RgBilateral *problem);

/* x = another solution of A x = rhs with the last factor; in place. */
void rg_direct_again(RgDirect *direct, const RgBilateral *problem, double *x);

#endif
