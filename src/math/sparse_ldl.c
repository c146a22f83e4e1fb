/*
 * sparse_ldl.c - up-looking sparse L D L' (Davis, Direct Methods for Sparse Linear Systems, 2006, ch. 4; elimination tree: Liu 1990).
 *
 * Pattern. The parent of column j in the elimination tree is the first row below j with l_ij != 0. Row k of L is nonzero exactly at the
 * nodes met on the ways up the tree from every j with a_kj != 0, j < k, until k.
 *
 * Numbers, row by row: with L1, D1 the part already there and a the row k of A left of the diagonal,
 *   L1 y = a        l_kj = y_j / d_j        d_k = a_kk - sum_j l_kj y_j
 * The columns of row k are visited in ascending order, so every sum has one fixed order.
 *
 * Dependent rows. d_k is the square of the part of constraint k that earlier ones do not span. When it is at most drop * a_kk, 1 / d_k is
 * set to 0: column k of L becomes 0, and so does x_k. For a consistent right side the rest of x solves the whole system (with multipliers
 * of the dependent rows 0); for an inconsistent one it solves the rows kept.
 *
 * Cost: sum over the columns of L of (its length)^2 / 2 multiplications. Failure: a number that is not finite makes the pivots after it, and
 * the solution, not finite; nothing else can fail once the pattern is known.
 */
#include "math/sparse_ldl.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

static bool pattern_valid(int n, const int *row_start, const int *columns)
{
    if (n < 0 || (n > 0 && row_start[0] != 0))
        return false;
    for (int i = 0; i < n; i++) {
        if (row_start[i + 1] <= row_start[i] || columns[row_start[i]] < 0 ||
            columns[row_start[i + 1] - 1] != i)
            return false;
        for (int p = row_start[i] + 1; p < row_start[i + 1]; p++)
            if (columns[p] <= columns[p - 1])
                return false;
    }
    return true;
}

/* A place for n numbers more than there are places for marks: the tree, and the row that last came by. */
typedef struct Tree {
    int *parent, *mark;
} Tree;

/*
 * Walks the pattern of row k, growing the tree on the way, and calls it with each column by counting it (rows NULL) or by writing k at
 * the end of the column's list.
 */
static void walk_row(const RgSparseLdl *ldl, Tree tree, int k, int *length, int *rows)
{
    tree.parent[k] = -1;
    tree.mark[k] = k;
    for (int p = ldl->a_start[k]; p < ldl->a_start[k + 1] - 1; p++) {
        for (int j = ldl->a_columns[p]; tree.mark[j] != k; j = tree.parent[j]) {
            if (tree.parent[j] < 0)
                tree.parent[j] = k;
            tree.mark[j] = k;
            if (rows != NULL)
                rows[ldl->column_start[j] + length[j]] = k;
            length[j]++;
        }
    }
}

/* Starts of lists from their lengths; false if there are too many numbers. The lengths become 0. */
static bool starts_from_lengths(int n, int *length, int *start)
{
    int64_t total = 0;
    for (int j = 0; j < n; j++) {
        start[j] = (int)total;
        total += length[j];
        length[j] = 0;
        if (total > INT_MAX)
            return false;
    }
    start[n] = (int)total;
    return true;
}

/* The rows' lists from the columns' lists: going through the columns in order makes them ascending. */
static void rows_from_columns(RgSparseLdl *ldl, int *length)
{
    int n = ldl->n;
    for (int q = 0; q < ldl->column_start[n]; q++)
        length[ldl->column_rows[q]]++;
    starts_from_lengths(n, length, ldl->row_start);
    for (int j = 0; j < n; j++) {
        for (int q = ldl->column_start[j]; q < ldl->column_start[j + 1]; q++) {
            int i = ldl->column_rows[q], p = ldl->row_start[i] + length[i]++;
            ldl->row_columns[p] = j;
            ldl->row_at[p] = q;
        }
    }
}

RgStatus rg_sparse_ldl_analyse(RgArena *arena, int n, const int *row_start, const int *columns,
                               RgSparseLdl *out)
{
    memset(out, 0, sizeof *out);
    if (!pattern_valid(n, row_start, columns))
        return RG_ERR_ARGUMENT;
    out->n = n;
    int a_count = n > 0 ? row_start[n] : 0;
    out->a_start = RG_TAKE(arena, int, n + 1);
    out->a_columns = RG_TAKE(arena, int, a_count);
    out->row_start = RG_TAKE(arena, int, n + 1);
    out->column_start = RG_TAKE(arena, int, n + 1);
    out->inverse_d = RG_TAKE(arena, double, n);
    out->work = RG_TAKE(arena, double, n);
    Tree tree = {RG_TAKE(arena, int, n), RG_TAKE(arena, int, n)};
    int *length = RG_TAKE(arena, int, n);
    if (arena->failed)
        return RG_ERR_MEMORY;
    if (n > 0) {
        memcpy(out->a_start, row_start, (size_t)(n + 1) * sizeof(int));
        memcpy(out->a_columns, columns, (size_t)a_count * sizeof(int));
    }

    /* Lengths of the columns of L, then their rows. */
    for (int k = 0; k < n; k++)
        walk_row(out, tree, k, length, NULL);
    if (!starts_from_lengths(n, length, out->column_start))
        return RG_ERR_MEMORY;
    int count = out->column_start[n];
    out->column_rows = RG_TAKE(arena, int, count);
    out->row_columns = RG_TAKE(arena, int, count);
    out->row_at = RG_TAKE(arena, int, count);
    out->values = RG_TAKE(arena, double, count);
    if (arena->failed)
        return RG_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        walk_row(out, tree, k, length, out->column_rows);

    memset(length, 0, (size_t)n * sizeof(int));
    rows_from_columns(out, length);
    return RG_OK;
}

static inline void subtract_run(int count, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < count; i++)
        y[i] -= a * x[i];
}

int rg_sparse_ldl_factor(RgSparseLdl *ldl, const double *values, double drop)
{
    double *y = ldl->work, *l = ldl->values;
    int dependent = 0;
    for (int k = 0; k < ldl->n; k++) {
        /* Row k of A. */
        int diagonal = ldl->a_start[k + 1] - 1;
        for (int p = ldl->a_start[k]; p < diagonal; p++)
            y[ldl->a_columns[p]] = values[p];
        double d = values[diagonal];

        /* L1 y = a by columns; each y_j is final when its turn comes, and is cleared for the next row. */
        for (int p = ldl->row_start[k]; p < ldl->row_start[k + 1]; p++) {
            int j = ldl->row_columns[p], at = ldl->row_at[p];
            double yj = y[j], lkj = yj * ldl->inverse_d[j];
            y[j] = 0.0;
            int start = ldl->column_start[j], count = at - start;
            if (count == k - j - 1)
                subtract_run(count, yj, l + start, y + j + 1);
            else
                for (int q = start; q < at; q++)
                    y[ldl->column_rows[q]] -= l[q] * yj;
            l[at] = lkj;
            d -= lkj * yj;
        }

        /* The pivot. */
        bool drops = d <= drop * values[diagonal];
        ldl->inverse_d[k] = drops ? 0.0 : 1.0 / d;
        dependent += drops;
    }
    return dependent;
}

void rg_sparse_ldl_solve(const RgSparseLdl *ldl, double *x)
{
    const double *l = ldl->values;
    for (int j = 0; j < ldl->n; j++)
        for (int q = ldl->column_start[j]; q < ldl->column_start[j + 1]; q++)
            x[ldl->column_rows[q]] -= l[q] * x[j];
    for (int j = ldl->n - 1; j >= 0; j--) {
        double xj = x[j] * ldl->inverse_d[j];
        for (int q = ldl->column_start[j]; q < ldl->column_start[j + 1]; q++)
            xj -= l[q] * x[ldl->column_rows[q]];
        x[j] = xj;
    }
}

bool rg_sparse_ldl_dependent(const RgSparseLdl *ldl, int row)
{
    return ldl->inverse_d[row] == 0.0;
}
