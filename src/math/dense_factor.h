/*
 * dense_factor.h - factors of dense matrices, by rows, in memory of the caller. Kernels of our own: the same bits
 * everywhere.
 *
 *   L D L'         symmetric, positive definite                     rg_dense_ldl_factor, _solve (<rigor/math.h>)
 *   L D L'         the same, nearly singular: pivoted, regularised  rg_pivoted_ldl_*
 *   L L'           symmetric semidefinite, pivoted, rank            rg_pivoted_cholesky
 *   L U            general, complete or partial pivoting, rank      rg_lu_*
 *   inverse        of blocks of up to six rows                      rg_small_*, rg_invert3
 *
 * Beside it: rows that come and go (grow_ldl.h), sparse matrices (sparse_ldl.h), 6 x 6 blocks in registers (block6.h).
 */
#ifndef RIGOR_DENSE_FACTOR_H
#define RIGOR_DENSE_FACTOR_H

#include <rigor/math.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* ------------------------------------------------------------------ products */

/* Four sums beside each other, in an order of their own. */
static inline double rg_dot(int n, const double *a, const double *b)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int k = 0;
    for (; k + 3 < n; k += 4)
        for (int lane = 0; lane < 4; lane++)
            sum[lane] += a[k + lane] * b[k + lane];
    for (; k < n; k++)
        sum[0] += a[k] * b[k];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* y = M x + c, M of rows x columns; c NULL: 0. */
void rg_dense_times(const double *M, int rows, int columns, const double *x, const double *c, double *y);

/* ------------------------------------------------------------------ positive definite, nearly singular */

/* P A P' = L D L', the largest pivot first, so that entries of very different sizes do not drown each other. A pivot
   below least[k] (n, above 0, for each row) is raised to it: never fails. least comes out in the order of the pivots;
   order (n): row of A in each place. */
void rg_pivoted_ldl_factor(double *a, int n, double *least, int *order);

/* x <- A^-1 x. work: n. */
void rg_pivoted_ldl_solve(const double *a, int n, const int *order, double *x, double *work);

/* ------------------------------------------------------------------ semidefinite */

/* A (n x n, symmetric, positive semidefinite) = L L'; L (n x n, zero at first) gets as many columns as the rank that is
   returned. It ends when no diagonal that is left is above tolerance times the largest of A. spare: n. */
int rg_pivoted_cholesky(const double *A, int n, double tolerance, double *L, double *spare);

/* Largest |A - L L'| over the largest |A|; 0 if A is zero. */
double rg_cholesky_residue(const double *A, int n, const double *L, int rank);

/* ------------------------------------------------------------------ general */

typedef struct RgLu {
    int n, rank;
    double *a;    /* n x n: the matrix, then its factors */
    int *row;     /* n: place k holds row row[k] of the matrix */
    int *column;  /* n */
    double *work; /* n */
} RgLu;

/* Doubles and ints that a matrix of n rows needs. */
static inline size_t rg_lu_doubles(int n)
{
    return (size_t)n * ((size_t)n + 1);
}

static inline size_t rg_lu_ints(int n)
{
    return 2 * (size_t)n;
}

/* Gives the parts their places in the two runs of memory. */
void rg_lu_place(RgLu *lu, int n, double *doubles, int *ints);

/* Complete pivoting; pivots below tolerance times the largest entry count as zero and end it. */
void rg_lu_factor(RgLu *lu, double tolerance);

/* Partial pivoting: rows alone are exchanged. False: singular. */
bool rg_lu_factor_partial(RgLu *lu);

/* x: a solution of the rows that the rank reaches; unknowns beyond it are 0. b and x may be the same. */
void rg_lu_solve(const RgLu *lu, const double *b, double *x);

/* ------------------------------------------------------------------ inverses of small blocks */

#define RG_SMALL_ROWS 6

/* A <- A^-1 (n x n), rows exchanged. False: a pivot is below the part lost of the largest entry. */
bool rg_small_invert(double *A, int n, double lost);

/* A <- A^-1, A symmetric and semidefinite. A row whose pivot is below the part lost of its diagonal depends on those
   before it: its row and column become zero. */
void rg_small_invert_semidefinite(double *A, int n, double lost);

/* 3 x 3 by the adjoint; false: singular. */
static inline bool rg_invert3(const double W[9], double out[9])
{
    double c0 = W[4] * W[8] - W[5] * W[7], c1 = W[5] * W[6] - W[3] * W[8], c2 = W[3] * W[7] - W[4] * W[6];
    double det = W[0] * c0 + W[1] * c1 + W[2] * c2, size = fabs(W[0]) + fabs(W[4]) + fabs(W[8]);
    if (!(fabs(det) > 1e-13 * size * size * size))
        return false;
    double per = 1.0 / det;
    double adjoint[9] = {c0, W[2] * W[7] - W[1] * W[8], W[1] * W[5] - W[2] * W[4],
                         c1, W[0] * W[8] - W[2] * W[6], W[2] * W[3] - W[0] * W[5],
                         c2, W[1] * W[6] - W[0] * W[7], W[0] * W[4] - W[1] * W[3]};
    for (int k = 0; k < 9; k++)
        out[k] = per * adjoint[k];
    return true;
}

#endif
