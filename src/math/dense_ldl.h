/* dense_ldl.h - L D L' of a dense symmetric matrix, products with a dense matrix: own kernels, the same bits everywhere. */
#ifndef RIGOR_DENSE_LDL_H
#define RIGOR_DENSE_LDL_H

#include <stdbool.h>

/* a: n x n by rows, of which only the upper half is read and written: D on the diagonal, D L' beside it. False: a pivot
   is not positive; what was done till then stands. */
bool rg_dense_ldl_factor(double *a, int n);

/* Solves in place with the factor. */
void rg_dense_ldl_solve(const double *a, int n, double *x);

/* y = M x + c, M of rows x columns by rows. */
void rg_dense_times(const double *M, int rows, int columns, const double *x, const double *c, double *y);

#endif
