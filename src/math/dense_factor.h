/*
 * dense_factor.h - factors of dense matrices, row-major, in memory of the caller; the same bits on every machine.
 *
 *   L D L'         symmetric positive definite                      rg_dense_ldl_factor, _solve (<rigor/math.h>)
 *   L D L'         the same, nearly singular: pivoted, regularised  rg_pivoted_ldl_*
 *   L L'           symmetric semidefinite, pivoted, with rank       rg_pivoted_cholesky
 *   L U            general, complete or partial pivoting, rank      rg_lu_*
 *   inverse        of blocks of up to six rows                      rg_small_*, rg_invert3
 *
 * See also grow_ldl.h (rows added and removed), sparse_ldl.h (sparse matrices), block6.h (6 x 6 blocks in registers).
 */
#ifndef RIGOR_DENSE_FACTOR_H
#define RIGOR_DENSE_FACTOR_H

#include <rigor/math.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/* ------------------------------------------------------------------ products */

/* Dot product with four partial sums in a fixed order. */
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

/* y = M x + c, M: rows x columns; c NULL: 0. */
void rg_dense_times(const double *M, int rows, int columns, const double *x, const double *c, double *y);

/* ------------------------------------------------------------------ positive definite, nearly singular */

/* P A P' = L D L' with the largest pivot first, so that small entries are not lost next to large ones. A pivot of row k
   below least[k] (n, above 0) is raised to it, so the factorisation always succeeds. On return least is permuted to the
   order of pivots; order (n): row of A at each position. */
void rg_pivoted_ldl_factor(double *a, int n, double *least, int *order);

/* x <- A^-1 x. work: n. */
void rg_pivoted_ldl_solve(const double *a, int n, const int *order, double *x, double *work);

/* ------------------------------------------------------------------ semidefinite */

/* A (n x n, symmetric positive semidefinite) = L L'. L (n x n, zero on entry) gets one column per rank; returns the
   rank. Ends when no remaining diagonal entry is above tolerance times the largest of A. spare: n. */
int rg_pivoted_cholesky(const double *A, int n, double tolerance, double *L, double *spare);

/* Largest |A - L L'| over the largest |A|; 0 if A is zero. */
double rg_cholesky_residue(const double *A, int n, const double *L, int rank);

/* ------------------------------------------------------------------ general */

typedef struct RgLu {
    int n, rank;
    double *a;    /* n x n: the matrix, then its factors */
    int *row;     /* n: position k holds row row[k] of the matrix */
    int *column;  /* n: the same for columns */
    double *work; /* n */
} RgLu;

/* Numbers of doubles and ints for a matrix of n rows. */
static inline size_t rg_lu_doubles(int n)
{
    return (size_t)n * ((size_t)n + 1);
}

static inline size_t rg_lu_ints(int n)
{
    return 2 * (size_t)n;
}

/* Places the arrays of lu in the given memory. */
void rg_lu_place(RgLu *lu, int n, double *doubles, int *ints);

/* Complete pivoting. Ends at pivots below tolerance times the largest entry, which count as zero. */
void rg_lu_factor(RgLu *lu, double tolerance);

/* Partial pivoting (row exchanges only). False: singular. */
bool rg_lu_factor_partial(RgLu *lu);

/* x: a solution of the first rank pivot rows; the other unknowns are 0. b and x may be the same array. */
void rg_lu_solve(const RgLu *lu, const double *b, double *x);

/* ------------------------------------------------------------------ inverses of small blocks */

#define RG_SMALL_ROWS 6 /* largest n below: the rows of a joint */

/* A <- A^-1 (n x n), with row exchanges. False: a pivot is at most tolerance times the largest entry. */
bool rg_small_invert(double *A, int n, double tolerance);

/* A <- A^-1 for symmetric semidefinite A. A row whose pivot is at most tolerance times its diagonal entry depends on
   the rows before it: its row and column of the result are zero. */
void rg_small_invert_semidefinite(double *A, int n, double tolerance);

/* 3 x 3 inverse by the adjugate; false: singular (the determinant is below 1e-13 of the diagonal sum cubed). */
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
