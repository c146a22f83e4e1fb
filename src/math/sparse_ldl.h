/*
 * sparse_ldl.h - A = L D L' of a symmetric positive semi-definite sparse matrix whose pattern stays and whose
 * numbers change.
 *
 * Analyse once, factor at every new set of numbers, solve as often as wanted. Rows are eliminated in the
 * caller's order.
 */
#ifndef RIGOR_SPARSE_LDL_H
#define RIGOR_SPARSE_LDL_H

#include "base/arena.h"

typedef struct RgSparseLdl {
    int n;
    int *a_start, *a_columns; /* n + 1 and its last: lower triangle of A by rows, diagonal last */
    int *l_start, *l_columns; /* the same of L, without the diagonal */
    int *l_from;              /* beside l_columns[p] = j in row k: where row j of L reaches the first column of row k */
    int groups, *group_start; /* rows eliminated together */
    double *l;                /* numbers of L */
    double *inverse_d;        /* n: 1 / d, 0 for a dependent row */
    double *work;             /* one line for each column: zero between calls */
} RgSparseLdl;

/*
 * Finds the pattern of L. Row i of the lower triangle of A has its columns at columns[row_start[i]] to
 * columns[row_start[i + 1] - 1], ascending, the last of them i. The pattern is copied; all memory is the
 * arena's.
 * RG_ERR_ARGUMENT: a pattern not as described. RG_ERR_MEMORY: no memory, or L has more than 2^31 - 1 numbers.
 */
RgStatus rg_sparse_ldl_analyse(RgArena *arena, int n, const int *row_start, const int *columns, RgSparseLdl *out);

/*
 * Factors the numbers, given in the order of the pattern's columns. A row k with d_k <= drop * a_kk depends
 * on earlier
 * rows: it is left out, its part of every solution is 0. Returns how many such rows there are.
 */
int rg_sparse_ldl_factor(RgSparseLdl *ldl, const double *values, double drop);

/* x becomes the solution of A x = b, given b in x. */
void rg_sparse_ldl_solve(const RgSparseLdl *ldl, double *x);

/* Was the row left out by the last factorisation? */
bool rg_sparse_ldl_dependent(const RgSparseLdl *ldl, int row);

#endif
