/*
 * sparse_ldl.c - up-looking sparse L D L' (Davis, Direct Methods for Sparse Linear Systems, 2006, ch. 4;
 * elimination tree: Liu 1990).
 *
 * Pattern. The parent of column j in the elimination tree is the first row i > j with l_ij != 0. Row k of L
 * is nonzero exactly at the nodes met on the ways up the tree from every j < k with a_kj != 0, until k.
 *
 * Numbers, row by row: with L1, D1 the part already there and a the row k of A left of the diagonal,
 *   L1 y = a        l_kj = y_j / d_j        d_k = a_kk - sum_j l_kj y_j
 * y_j = a_kj - sum_i l_ji y_i runs over row j of L from the first column of row k on; columns that row k does
 * not have hold y_i = 0. Rows whose patterns continue each other (those of one joint, or of a dense matrix)
 * are eliminated together, one lane each: a row of L is read once for all of them, and the lanes do not wait
 * for one another. Every sum runs in the order of the columns, whatever the groups.
 *
 * Dependent rows. d_k is the square of the part of constraint k that earlier ones do not span. When it is at
 * most drop * a_kk, 1 / d_k is set to 0: column k of L becomes 0, and so does x_k. For a consistent right
 * side the rest of x solves the whole system, the dependent rows included; for an inconsistent one it solves
 * the rows kept.
 *
 * Cost: sum over the columns of L of (its length)^2 / 2 multiplications. Failure: a number that is not finite
 * makes the pivots after it, and the solution, not finite; nothing else can fail once the pattern is known.
 */
#include "math/sparse_ldl.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* Rows eliminated together at most: as many as a joint can have. */
#define LANES 6

static bool pattern_valid(int n, const int *row_start, const int *columns)
{
    if (n < 0 || (n > 0 && row_start[0] != 0))
        return false;
    for (int i = 0; i < n; i++) {
        int start = row_start[i], end = row_start[i + 1];
        if (end <= start || columns[start] < 0 || columns[end - 1] != i)
            return false;
        for (int p = start + 1; p < end; p++)
            if (columns[p] <= columns[p - 1])
                return false;
    }
    return true;
}

/* The elimination tree as it grows, and lists of the rows of each column. */
typedef struct Tree {
    int *parent, *mark; /* the mark is the last row that came by */
    int *length;        /* of the lists */
    int *start, *rows;  /* rows may be NULL: only the lengths are wanted */
} Tree;

/* Walks the pattern of row k of L, and adds k to the list of every column it has. */
static void walk_row(const RgSparseLdl *ldl, Tree *tree, int k)
{
    tree->parent[k] = -1;
    tree->mark[k] = k;
    for (int p = ldl->a_start[k]; p < ldl->a_start[k + 1] - 1; p++) {
        for (int j = ldl->a_columns[p]; tree->mark[j] != k; j = tree->parent[j]) {
            if (tree->parent[j] < 0)
                tree->parent[j] = k;
            tree->mark[j] = k;
            if (tree->rows != NULL)
                tree->rows[tree->start[j] + tree->length[j]] = k;
            tree->length[j]++;
        }
    }
}

/* Starts of n lists from their lengths, which become 0; false if there are too many items. */
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

/* The rows of L from the lists of the columns: going through the columns in order makes them ascending. */
static void rows_from_columns(RgSparseLdl *ldl, Tree *tree)
{
    for (int q = 0; q < tree->start[ldl->n]; q++)
        tree->length[tree->rows[q]]++;
    starts_from_lengths(ldl->n, tree->length, ldl->l_start);
    for (int j = 0; j < ldl->n; j++) {
        for (int q = tree->start[j]; q < tree->start[j + 1]; q++) {
            int i = tree->rows[q];
            ldl->l_columns[ldl->l_start[i] + tree->length[i]++] = j;
        }
    }
}

/* Does row k have the pattern of the row before, and that row itself? */
static bool continues_group(const RgSparseLdl *ldl, int k)
{
    int before = ldl->l_start[k - 1], start = ldl->l_start[k], length = ldl->l_start[k + 1] - start;
    if (length != start - before + 1 || ldl->l_columns[start + length - 1] != k - 1)
        return false;
    return memcmp(ldl->l_columns + before, ldl->l_columns + start, (size_t)(length - 1) * sizeof(int)) == 0;
}

static void find_groups(RgSparseLdl *ldl)
{
    for (int k = 0; k < ldl->n; k++)
        if (k == 0 || k - ldl->group_start[ldl->groups - 1] == LANES || !continues_group(ldl, k))
            ldl->group_start[ldl->groups++] = k;
    ldl->group_start[ldl->groups] = ldl->n;

    /* Where the rows of L that a row reads become nonzero for it. */
    for (int k = 0; k < ldl->n; k++) {
        for (int p = ldl->l_start[k]; p < ldl->l_start[k + 1]; p++) {
            int j = ldl->l_columns[p], from = ldl->l_start[j];
            while (from < ldl->l_start[j + 1] && ldl->l_columns[from] < ldl->l_columns[ldl->l_start[k]])
                from++;
            ldl->l_from[p] = from;
        }
    }
}

/* Memory for what depends on n and on the numbers of A; the pattern of A is copied. */
static RgStatus take_rows(RgArena *arena, const int *row_start, const int *columns, RgSparseLdl *ldl, Tree *tree)
{
    size_t n = (size_t)ldl->n, a_count = n > 0 ? (size_t)row_start[n] : 0;
    ldl->a_start = RG_TAKE(arena, int, n + 1);
    ldl->a_columns = RG_TAKE(arena, int, a_count);
    ldl->l_start = RG_TAKE(arena, int, n + 1);
    ldl->group_start = RG_TAKE(arena, int, n + 1);
    ldl->inverse_d = RG_TAKE(arena, double, n);
    ldl->work = RG_TAKE(arena, double, n *LANES);
    tree->parent = RG_TAKE(arena, int, n);
    tree->mark = RG_TAKE(arena, int, n);
    tree->length = RG_TAKE(arena, int, n);
    tree->start = RG_TAKE(arena, int, n + 1);
    if (arena->failed)
        return RG_ERR_MEMORY;
    if (n > 0) {
        memcpy(ldl->a_start, row_start, (n + 1) * sizeof(int));
        memcpy(ldl->a_columns, columns, a_count * sizeof(int));
    }
    return RG_OK;
}

RgStatus rg_sparse_ldl_analyse(RgArena *arena, int n, const int *row_start, const int *columns, RgSparseLdl *out)
{
    memset(out, 0, sizeof *out);
    if (!pattern_valid(n, row_start, columns))
        return RG_ERR_ARGUMENT;
    out->n = n;
    Tree tree = {0};
    RgStatus status = take_rows(arena, row_start, columns, out, &tree);
    if (status != RG_OK)
        return status;

    /* How long the columns of L are, then which rows they have. */
    for (int k = 0; k < n; k++)
        walk_row(out, &tree, k);
    if (!starts_from_lengths(n, tree.length, tree.start))
        return RG_ERR_MEMORY;
    size_t count = (size_t)tree.start[n];
    tree.rows = RG_TAKE(arena, int, count);
    out->l_columns = RG_TAKE(arena, int, count);
    out->l_from = RG_TAKE(arena, int, count);
    out->l = RG_TAKE(arena, double, count);
    if (arena->failed)
        return RG_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        walk_row(out, &tree, k);

    memset(tree.length, 0, (size_t)n * sizeof(int));
    rows_from_columns(out, &tree);
    find_groups(out);
    return RG_OK;
}

/* y_j of every lane, from row j of L; its columns before "from" are 0 in the lanes. */
static inline void solve_column(const RgSparseLdl *ldl, int j, int from, double *restrict y)
{
    double *place = ldl->work + (size_t)j * LANES, sum[LANES];
    for (int i = 0; i < LANES; i++)
        sum[i] = place[i];
    for (int q = from, end = ldl->l_start[j + 1]; q < end; q++) {
        const double *other = ldl->work + (size_t)ldl->l_columns[q] * LANES, l = ldl->l[q];
        for (int i = 0; i < LANES; i++)
            sum[i] -= l * other[i];
    }
    for (int i = 0; i < LANES; i++)
        y[i] = place[i] = sum[i];
}

/* The same for a group of one row. */
static inline void solve_column_alone(const RgSparseLdl *ldl, int j, int from, double *restrict y)
{
    double *place = ldl->work + (size_t)j * LANES, sum = *place;
    for (int q = from, end = ldl->l_start[j + 1]; q < end; q++)
        sum -= ldl->l[q] * ldl->work[(size_t)ldl->l_columns[q] * LANES];
    *y = *place = sum;
}

/* Eliminates a group whose rows of A are in place; returns the number of dependent rows. */
static int factor_group(RgSparseLdl *ldl, int first, int rows, const double *values, double drop)
{
    int start = ldl->l_start[first], count = ldl->l_start[first + 1] - start, dependent = 0;
    double y[LANES];

    /* Columns left of the group. */
    for (int p = 0; p < count; p++) {
        int j = ldl->l_columns[start + p];
        if (rows == 1)
            solve_column_alone(ldl, j, ldl->l_from[start + p], y);
        else
            solve_column(ldl, j, ldl->l_from[start + p], y);
        for (int i = 0; i < rows; i++)
            ldl->l[ldl->l_start[first + i] + p] = y[i] * ldl->inverse_d[j];
    }

    /* Its own columns: lane c of column c is the pivot. */
    for (int c = 0; c < rows; c++) {
        int k = first + c;
        if (rows == 1)
            solve_column_alone(ldl, k, ldl->l_start[k], y);
        else
            solve_column(ldl, k, ldl->l_start[k], y);
        bool drops = y[c] <= drop * values[ldl->a_start[k + 1] - 1];
        ldl->inverse_d[k] = drops ? 0.0 : 1.0 / y[c];
        dependent += drops;
        for (int i = c + 1; i < rows; i++)
            ldl->l[ldl->l_start[first + i] + count + c] = y[i] * ldl->inverse_d[k];
    }
    return dependent;
}

/* Puts the group's rows of A in place, one lane each. */
static void scatter_group(RgSparseLdl *ldl, int first, int rows, const double *values)
{
    for (int i = 0; i < rows; i++)
        for (int p = ldl->a_start[first + i]; p < ldl->a_start[first + i + 1]; p++)
            ldl->work[(size_t)ldl->a_columns[p] * LANES + (size_t)i] = values[p];
}

/* Zeroes the columns that a group used: those of its last row. */
static void clear_group(RgSparseLdl *ldl, int first, int rows)
{
    int last = first + rows - 1;
    for (int p = ldl->l_start[last]; p < ldl->l_start[last + 1]; p++)
        memset(ldl->work + (size_t)ldl->l_columns[p] * LANES, 0, LANES * sizeof(double));
    memset(ldl->work + (size_t)last * LANES, 0, LANES * sizeof(double));
}

int rg_sparse_ldl_factor(RgSparseLdl *ldl, const double *values, double drop)
{
    int dependent = 0;
    for (int group = 0; group < ldl->groups; group++) {
        int first = ldl->group_start[group], rows = ldl->group_start[group + 1] - first;
        scatter_group(ldl, first, rows, values);
        dependent += factor_group(ldl, first, rows, values, drop);
        clear_group(ldl, first, rows);
    }
    return dependent;
}

void rg_sparse_ldl_solve(const RgSparseLdl *ldl, double *x)
{
    /* L y = b, y := y / d, L' x = y. */
    for (int k = 0; k < ldl->n; k++) {
        double sum = x[k];
        for (int p = ldl->l_start[k]; p < ldl->l_start[k + 1]; p++)
            sum -= ldl->l[p] * x[ldl->l_columns[p]];
        x[k] = sum;
    }
    for (int k = 0; k < ldl->n; k++)
        x[k] *= ldl->inverse_d[k];
    for (int k = ldl->n - 1; k >= 0; k--)
        for (int p = ldl->l_start[k]; p < ldl->l_start[k + 1]; p++)
            x[ldl->l_columns[p]] -= ldl->l[p] * x[k];
}

bool rg_sparse_ldl_dependent(const RgSparseLdl *ldl, int row)
{
    return ldl->inverse_d[row] == 0.0;
}
