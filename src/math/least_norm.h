/* least_norm.h - the shortest vector that meets linear equations and inequalities, by their Gram matrix. */
#ifndef RIGOR_LEAST_NORM_H
#define RIGOR_LEAST_NORM_H

#include "math/grow_ldl.h"

/* min |s|^2  with  J_i s = wanted_i (equal) or >= wanted_i;  s = J' z. */
typedef struct RgLeastNorm {
    int n;
    double *G;      /* n x n, by rows: J J'; ones on the diagonal */
    double *wanted; /* n */
    bool *equal;    /* n */
    double *z;      /* n: multipliers, not negative where not equal */

    int nactive;
    int *active; /* n: rows that hold with equality, in the order of the factor */
    RgGrowLdl ldl;
    double *L;    /* n x n: while equations are put in order */
    double *left; /* n */
    double *step; /* n */
    bool *given_up;
} RgLeastNorm;

/* Memory for n rows. */
static inline size_t rg_least_norm_doubles(int n)
{
    return 2 * (size_t)n * (size_t)n + rg_grow_ldl_doubles(n) + 4 * (size_t)n;
}
void rg_least_norm_place(RgLeastNorm *p, int n, double *doubles, int *ints,
                         bool *bools); /* n ints, 2 n bools */

/* z from G, wanted, equal. Rows that depend on others get none. False: some row can not be met together with the
   others; z is that of the others. */
bool rg_least_norm_solve(RgLeastNorm *p);

#endif
