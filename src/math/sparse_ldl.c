/*
 * sparse_ldl.c - up-looking sparse L D L' (Davis, Direct Methods for Sparse Linear Systems, 2006, ch. 4;
 * elimination tree: Liu 1990).
 *
 * Pattern. The parent of column j in the elimination tree is the first row i > j with l_ij != 0. Row k of L is nonzero
 * exactly at the nodes on the paths up the tree from every j < k with a_kj != 0, until k.
 *
 * Numbers, row by row: with L1, D1 the part already computed and a the row k of A left of the diagonal,
 *   L1 y = a        l_kj = y_j / d_j        d_k = a_kk - sum_j l_kj y_j
 * y_j = a_kj - sum_i l_ji y_i runs over row j of L from the first column of row k on; columns outside row k hold
 * y_i = 0. Rows whose patterns continue each other (those of one joint, or of a dense matrix) are eliminated together,
 * one lane each: a row of L is read once for all of them, and the lanes are independent. All sums run in the order of
 * the columns, for any grouping.
 *
 * Dependent rows. d_k is the square of the part of constraint k that earlier ones do not span. If it is at most
 * drop * a_kk, 1 / d_k is set to 0: column k of L becomes 0, and so does x_k. For a consistent right-hand side the
 * other entries of x solve the whole system including the dependent rows; for an inconsistent one they solve the
 * independent rows.
 *
 * Cost: sum over the columns of L of (its length)^2 / 2 multiplications. Failure: a number that is not finite makes
 * later pivots and the solution not finite. After the analysis nothing else can fail.
 */
#include "math/sparse_ldl.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* Largest number of rows eliminated together: the rows of one joint. */
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

/* The elimination tree under construction, and the row lists of the columns. */
typedef struct Tree {
    int *parent, *mark; /* mark: last row whose walk visited the node */
    int *length;        /* of the lists */
    int *start, *rows;  /* start of each list; their entries (NULL: only count lengths) */
} Tree;

/* Walks the pattern of row k of L, and adds k to the list of each of its columns. */
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

/* Starts of n lists from their lengths, which are reset to 0; false: too many entries. */
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

/* Builds the rows of L from the column lists, in order of columns, so that their entries are ascending. */
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

/* Whether row k has the pattern of row k - 1 plus that row itself. */
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

    /* For each row of L that row k reads: where it reaches the first column of row k. */
    for (int k = 0; k < ldl->n; k++) {
        for (int p = ldl->l_start[k]; p < ldl->l_start[k + 1]; p++) {
            int j = ldl->l_columns[p], from = ldl->l_start[j];
            while (from < ldl->l_start[j + 1] && ldl->l_columns[from] < ldl->l_columns[ldl->l_start[k]])
                from++;
            ldl->l_from[p] = from;
        }
    }
}

/* Allocates the arrays that depend on n and the number of entries of A, and copies the pattern. */
static RgStatus alloc_rows(RgArena *arena, const int *row_start, const int *columns, RgSparseLdl *ldl, Tree *tree)
{
    size_t n = (size_t)ldl->n, a_count = n > 0 ? (size_t)row_start[n] : 0;
    ldl->a_start = RG_ARENA_ALLOC(arena, int, n + 1);
    ldl->a_columns = RG_ARENA_ALLOC(arena, int, a_count);
    ldl->l_start = RG_ARENA_ALLOC(arena, int, n + 1);
    ldl->group_start = RG_ARENA_ALLOC(arena, int, n + 1);
    ldl->inverse_d = RG_ARENA_ALLOC(arena, double, n);
    ldl->work = RG_ARENA_ALLOC(arena, double, n *LANES);
    tree->parent = RG_ARENA_ALLOC(arena, int, n);
    tree->mark = RG_ARENA_ALLOC(arena, int, n);
    tree->length = RG_ARENA_ALLOC(arena, int, n);
    tree->start = RG_ARENA_ALLOC(arena, int, n + 1);
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
    RgStatus status = alloc_rows(arena, row_start, columns, out, &tree);
    if (status != RG_OK)
        return status;

    /* First count the lengths of the columns of L, then list their rows. */
    for (int k = 0; k < n; k++)
        walk_row(out, &tree, k);
    if (!starts_from_lengths(n, tree.length, tree.start))
        return RG_ERR_MEMORY;
    size_t count = (size_t)tree.start[n];
    tree.rows = RG_ARENA_ALLOC(arena, int, count);
    out->l_columns = RG_ARENA_ALLOC(arena, int, count);
    out->l_from = RG_ARENA_ALLOC(arena, int, count);
    out->l = RG_ARENA_ALLOC(arena, double, count);
    if (arena->failed)
        return RG_ERR_MEMORY;
    for (int k = 0; k < n; k++)
        walk_row(out, &tree, k);

    memset(tree.length, 0, (size_t)n * sizeof(int));
    rows_from_columns(out, &tree);
    find_groups(out);
    return RG_OK;
}

/* y_j of every lane, from row j of L; lanes are 0 in its columns before `from`. */
static inline void solve_column(const RgSparseLdl *ldl, int j, int from, double *restrict y)
{
    double *lane = ldl->work + (size_t)j * LANES, sum[LANES];
    for (int i = 0; i < LANES; i++)
        sum[i] = lane[i];
    for (int q = from, end = ldl->l_start[j + 1]; q < end; q++) {
        const double *other = ldl->work + (size_t)ldl->l_columns[q] * LANES, l = ldl->l[q];
        for (int i = 0; i < LANES; i++)
            sum[i] -= l * other[i];
    }
    for (int i = 0; i < LANES; i++)
        y[i] = lane[i] = sum[i];
}

/* The same for a group with one row. */
static inline void solve_column_single(const RgSparseLdl *ldl, int j, int from, double *restrict y)
{
    double *lane = ldl->work + (size_t)j * LANES, sum = *lane;
    for (int q = from, end = ldl->l_start[j + 1]; q < end; q++)
        sum -= ldl->l[q] * ldl->work[(size_t)ldl->l_columns[q] * LANES];
    *y = *lane = sum;
}

/* Eliminates a group whose rows of A are scattered into work; returns the number of dependent rows. */
static int factor_group(RgSparseLdl *ldl, int first, int rows, const double *values, double drop)
{
    int start = ldl->l_start[first], count = ldl->l_start[first + 1] - start, dependent = 0;
    double y[LANES];

    /* Columns to the left of the group. */
    for (int p = 0; p < count; p++) {
        int j = ldl->l_columns[start + p];
        if (rows == 1)
            solve_column_single(ldl, j, ldl->l_from[start + p], y);
        else
            solve_column(ldl, j, ldl->l_from[start + p], y);
        for (int i = 0; i < rows; i++)
            ldl->l[ldl->l_start[first + i] + p] = y[i] * ldl->inverse_d[j];
    }

    /* The group's own columns: lane c of column c is the pivot. */
    for (int c = 0; c < rows; c++) {
        int k = first + c;
        if (rows == 1)
            solve_column_single(ldl, k, ldl->l_start[k], y);
        else
            solve_column(ldl, k, ldl->l_start[k], y);
        bool is_dependent = y[c] <= drop * values[ldl->a_start[k + 1] - 1];
        ldl->inverse_d[k] = is_dependent ? 0.0 : 1.0 / y[c];
        dependent += is_dependent;
        for (int i = c + 1; i < rows; i++)
            ldl->l[ldl->l_start[first + i] + count + c] = y[i] * ldl->inverse_d[k];
    }
    return dependent;
}

/* Scatters the rows of A of a group into work, one lane each. */
static void scatter_group(RgSparseLdl *ldl, int first, int rows, const double *values)
{
    for (int i = 0; i < rows; i++)
        for (int p = ldl->a_start[first + i]; p < ldl->a_start[first + i + 1]; p++)
            ldl->work[(size_t)ldl->a_columns[p] * LANES + (size_t)i] = values[p];
}

/* Clears the columns of work that a group used: those of its last row. */
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

/* L D L' x = b from y with L y = b. */
static void substitute_back(const RgSparseLdl *ldl, double *x)
{
    for (int k = 0; k < ldl->n; k++)
        x[k] *= ldl->inverse_d[k];
    for (int k = ldl->n - 1; k >= 0; k--)
        for (int p = ldl->l_start[k]; p < ldl->l_start[k + 1]; p++)
            x[ldl->l_columns[p]] -= ldl->l[p] * x[k];
}

/* Row k of L y = b, all earlier ones being solved. */
static double own_part(const RgSparseLdl *ldl, int k, const double *x)
{
    double sum = x[k];
    for (int p = ldl->l_start[k]; p < ldl->l_start[k + 1]; p++)
        sum -= ldl->l[p] * x[ldl->l_columns[p]];
    return sum;
}

void rg_sparse_ldl_solve(const RgSparseLdl *ldl, double *x)
{
    for (int k = 0; k < ldl->n; k++)
        x[k] = own_part(ldl, k, x);
    substitute_back(ldl, x);
}

int rg_sparse_ldl_weak(const RgSparseLdl *ldl, const double *least)
{
    int weak = 0;
    for (int k = 0; k < ldl->n; k++)
        weak += ldl->inverse_d[k] * least[k] > 1.0;
    return weak;
}

void rg_sparse_ldl_solve_strong(const RgSparseLdl *ldl, const double *least, double *x)
{
    for (int k = 0; k < ldl->n; k++)
        x[k] = ldl->inverse_d[k] * least[k] > 1.0 ? 0.0 : own_part(ldl, k, x);
    substitute_back(ldl, x);
}

bool rg_sparse_ldl_dependent(const RgSparseLdl *ldl, int row)
{
    return ldl->inverse_d[row] == 0.0;
}
