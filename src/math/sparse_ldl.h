/*
 * sparse_ldl.h - A = L D L' of sparse symmetric positive semi-definite matrices with a fixed pattern.
 *
 * Analyse once, factor for every new set of numbers, solve any number of times. Rows are eliminated in the caller's
 * order.
 */
#ifndef RIGOR_SPARSE_LDL_H
#define RIGOR_SPARSE_LDL_H

#include "base/arena.h"

typedef struct RgSparseLdl {
    int n;
    int *a_start, *a_columns; /* lower triangle of A by rows: n + 1 starts; columns, the diagonal last */
    int *l_start, *l_columns; /* the same for L, without the diagonal */
    int *l_from; /* for l_columns[p] = j in row k: entry of row j of L at or after the first column of row k */
    int groups, *group_start; /* groups of rows that are eliminated together */
    double *l;                /* entries of L */
    double *inverse_d;        /* n: 1 / d, 0 for a dependent row */
    double *work;             /* one line of lanes per column; zero between calls */
} RgSparseLdl;

/*
 * Finds the pattern of L. Row i of the lower triangle of A has its columns at columns[row_start[i]] to
 * columns[row_start[i + 1] - 1], ascending, the last of them i. Copies the pattern; allocates from the arena.
 * RG_ERR_ARGUMENT: an invalid pattern. RG_ERR_MEMORY: out of memory, or L has more than 2^31 - 1 entries.
 */
RgStatus rg_sparse_ldl_analyse(RgArena *arena, int n, const int *row_start, const int *columns, RgSparseLdl *out);

/*
 * Factors A with the given values, in the order of the pattern's columns. A row k with d_k <= drop * a_kk depends on
 * earlier rows: its part of every solution is 0. Returns the number of dependent rows.
 */
int rg_sparse_ldl_factor(RgSparseLdl *ldl, const double *values, double drop);

/* x <- A^-1 x. */
void rg_sparse_ldl_solve(const RgSparseLdl *ldl, double *x);

/* Weak rows: those with d_k < least_k that are not dependent. Their number; and x <- A^-1 b', b' being the right-hand side
   b = x without its own part (L y = b) in the weak rows. */
int rg_sparse_ldl_weak(const RgSparseLdl *ldl, const double *least);
void rg_sparse_ldl_solve_strong(const RgSparseLdl *ldl, const double *least, double *x);

/* Whether the row was dependent in the last factorisation. */
bool rg_sparse_ldl_dependent(const RgSparseLdl *ldl, int row);

#endif
