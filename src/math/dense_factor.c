/*
 * dense_factor.c - dense factors and products (dense_factor.h).
 *
 * L D L', by rows of the upper triangle, four pivots at a time:
 *
 *   a_ij <- a_ij - (u_ki / d_k) u_kj       k < i <= j,   u = D L'
 *
 * The rows of four pivots are finished first; then every later row is updated by all four in one pass, in the order of
 * single updates: the same bits as without blocking. There are no sums along a row, so rows can be processed with
 * vectors of any width. Matrix-vector products use eight partial sums per row in a fixed order. Cost n^3 / 6
 * multiplications. Failure: a pivot that is not positive.
 *
 * Pivoted Cholesky (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 10.3):
 *
 *   d_i = A_ii;   k = 0, 1, ...:  p = argmax d,   L_ik = (A_ip - sum_m<k L_im L_pm) / sqrt(d_p),   d_i -= L_ik^2
 *
 * Rows are not moved: L is lower triangular up to their order, with L_pk = sqrt(d_p) and zeros behind. Cost n rank^2. A
 * matrix that is not semidefinite has no such factor: entries larger than its diagonal allows are clamped, and
 * rg_cholesky_residue measures the error. Always succeeds; rank 0 for the zero matrix.
 *
 * L U, P A Q = L U: the pivot is the largest remaining entry (complete pivoting), or that of the first remaining column
 * (partial pivoting: Q = 1). A pivot below a part of the largest entry of A ends the factorisation: the remainder
 * counts as zero, and the rank is known. Ties: the first row, then the first column. Cost n^3 / 3 multiplications, with
 * complete pivoting as many comparisons. The factorisation stops at NaN entries.
 *
 * Inverses of small blocks: Gauss-Jordan elimination in place.
 */
#include "math/dense_factor.h"

#include "math/pair_simd.h"

#include <string.h>

/* ------------------------------------------------------------------ L D L' */

/* Subtracts pivot row k from row i. */
RG_KERNEL void subtract_pivot_row(double *a, size_t n, size_t k, size_t i, double per)
{
    const double *restrict pivot = a + k * n;
    double *restrict row = a + i * n, factor = pivot[i] * per;
    for (size_t j = i; j < n; j++)
        row[j] -= factor * pivot[j];
}

RG_KERNEL void subtract_four_pivot_rows(double *a, size_t n, size_t k, size_t i, const double per[4])
{
    const double *restrict p0 = a + k * n, *restrict p1 = p0 + n, *restrict p2 = p1 + n, *restrict p3 = p2 + n;
    double *restrict row = a + i * n;
    double f0 = p0[i] * per[0], f1 = p1[i] * per[1], f2 = p2[i] * per[2], f3 = p3[i] * per[3];
    for (size_t j = i; j < n; j++)
        row[j] = (((row[j] - f0 * p0[j]) - f1 * p1[j]) - f2 * p2[j]) - f3 * p3[j];
}

RG_KERNEL bool factor(double *a, size_t n)
{
    size_t k = 0;
    for (; k + 4 <= n; k += 4) {
        double per[4];
        for (size_t p = 0; p < 4; p++) {
            double pivot = a[(k + p) * n + k + p];
            if (!(pivot > 0.0))
                return false;
            per[p] = 1.0 / pivot;
            for (size_t i = k + p + 1; i < k + 4; i++)
                subtract_pivot_row(a, n, k + p, i, per[p]);
        }
        for (size_t i = k + 4; i < n; i++)
            subtract_four_pivot_rows(a, n, k, i, per);
    }
    for (; k < n; k++) {
        double pivot = a[k * n + k];
        if (!(pivot > 0.0))
            return false;
        for (size_t i = k + 1; i < n; i++)
            subtract_pivot_row(a, n, k, i, 1.0 / pivot);
    }
    return true;
}

static bool factor_plain(double *a, size_t n)
{
    return factor(a, n);
}

RG_AVX2 static bool factor_avx2(double *a, size_t n)
{
    return factor(a, n);
}

bool rg_dense_ldl_factor(double *a, int n)
{
    return rg_has_avx2() ? factor_avx2(a, (size_t)n) : factor_plain(a, (size_t)n);
}

/* Dot product with eight partial sums, for rows of any length. */
RG_KERNEL double dot(const double *restrict a, const double *restrict b, size_t n)
{
    double sum[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    size_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (size_t lane = 0; lane < 8; lane++)
            sum[lane] += a[k + lane] * b[k + lane];
    for (size_t lane = 0; k < n; k++, lane++)
        sum[lane] += a[k] * b[k];
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

RG_KERNEL void solve(const double *a, size_t n, double *restrict x)
{
    for (size_t k = 0; k < n; k++) {
        const double *restrict row = a + k * n;
        double y = x[k] / row[k];
        for (size_t j = k + 1; j < n; j++)
            x[j] -= row[j] * y;
        x[k] = y;
    }
    for (size_t k = n; k-- > 0;)
        x[k] -= dot(a + k * n + k + 1, x + k + 1, n - k - 1) / a[k * n + k];
}

static void solve_plain(const double *a, size_t n, double *x)
{
    solve(a, n, x);
}

RG_AVX2 static void solve_avx2(const double *a, size_t n, double *x)
{
    solve(a, n, x);
}

void rg_dense_ldl_solve(const double *a, int n, double *x)
{
    if (rg_has_avx2())
        solve_avx2(a, (size_t)n, x);
    else
        solve_plain(a, (size_t)n, x);
}

RG_KERNEL void times(const double *M, size_t rows, size_t columns, const double *x, const double *c, double *y)
{
    for (size_t i = 0; i < rows; i++)
        y[i] = dot(M + i * columns, x, columns) + (c != NULL ? c[i] : 0.0);
}

static void times_plain(const double *M, size_t rows, size_t columns, const double *x, const double *c, double *y)
{
    times(M, rows, columns, x, c, y);
}

RG_AVX2 static void times_avx2(const double *M, size_t rows, size_t columns, const double *x, const double *c,
                               double *y)
{
    times(M, rows, columns, x, c, y);
}

void rg_dense_times(const double *M, int rows, int columns, const double *x, const double *c, double *y)
{
    if (rg_has_avx2())
        times_avx2(M, (size_t)rows, (size_t)columns, x, c, y);
    else
        times_plain(M, (size_t)rows, (size_t)columns, x, c, y);
}

/* ------------------------------------------------------------------ pivoted L D L' */

static void swap(double *a, double *b)
{
    double previous = *a;
    *a = *b;
    *b = previous;
}

/* Swaps rows and columns k and j of the symmetric matrix in the upper triangle, k < j. */
static void swap_lines(double *a, size_t n, size_t k, size_t j)
{
    for (size_t e = 0; e < k; e++)
        swap(&a[e * n + k], &a[e * n + j]);
    for (size_t e = k + 1; e < j; e++)
        swap(&a[k * n + e], &a[e * n + j]);
    swap(&a[k * n + k], &a[j * n + j]);
    for (size_t e = j + 1; e < n; e++)
        swap(&a[k * n + e], &a[j * n + e]);
}

RG_KERNEL void factor_pivoted(double *a, size_t n, double *least, int *order)
{
    for (size_t k = 0; k < n; k++)
        order[k] = (int)k;
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t j = k + 1; j < n; j++)
            best = a[j * n + j] > a[best * n + best] ? j : best;
        if (best != k) {
            int previous = order[k];
            order[k] = order[best];
            order[best] = previous;
            swap(&least[k], &least[best]);
            swap_lines(a, n, k, best);
        }
        if (!(a[k * n + k] > least[k]))
            a[k * n + k] = least[k];
        double per = 1.0 / a[k * n + k];
        for (size_t i = k + 1; i < n; i++)
            if (a[k * n + i] != 0.0)
                subtract_pivot_row(a, n, k, i, per);
    }
}

static void factor_pivoted_plain(double *a, size_t n, double *least, int *order)
{
    factor_pivoted(a, n, least, order);
}

RG_AVX2 static void factor_pivoted_avx2(double *a, size_t n, double *least, int *order)
{
    factor_pivoted(a, n, least, order);
}

void rg_pivoted_ldl_factor(double *a, int n, double *least, int *order)
{
    if (rg_has_avx2())
        factor_pivoted_avx2(a, (size_t)n, least, order);
    else
        factor_pivoted_plain(a, (size_t)n, least, order);
}

void rg_pivoted_ldl_solve(const double *a, int n, const int *order, double *x, double *work)
{
    for (int k = 0; k < n; k++)
        work[k] = x[order[k]];
    rg_dense_ldl_solve(a, n, work);
    for (int k = 0; k < n; k++)
        x[order[k]] = work[k];
}

/* ------------------------------------------------------------------ pivoted Cholesky */

int rg_pivoted_cholesky(const double *A, int n, double tolerance, double *L, double *d)
{
    size_t stride = (size_t)n;
    double largest = 0.0;
    for (size_t i = 0; i < stride; i++) {
        d[i] = A[i * stride + i];
        largest = d[i] > largest ? d[i] : largest;
    }
    for (int k = 0; k < n; k++) {
        size_t p = 0;
        for (size_t i = 1; i < stride; i++)
            p = d[i] > d[p] ? i : p;
        if (!(d[p] > tolerance * largest))
            return k;
        double root = sqrt(d[p]);
        const double *pivot = L + p * stride;

        /* Rows that were pivots have d = 0 and are skipped. */
        d[p] = 0.0;
        for (size_t i = 0; i < stride; i++) {
            if (!(d[i] > 0.0))
                continue;
            double *row = L + i * stride;
            double x = (A[i * stride + p] - rg_dot(k, row, pivot)) / root, bound = sqrt(d[i]);
            row[k] = x > bound ? bound : x < -bound ? -bound : x;
            d[i] = fabs(x) < bound ? d[i] - x * x : 0.0;
        }
        L[p * stride + (size_t)k] = root;
    }
    return n;
}

double rg_cholesky_residue(const double *A, int n, const double *L, int rank)
{
    size_t stride = (size_t)n;
    double largest = 0.0, error = 0.0;
    for (size_t i = 0; i < stride; i++)
        for (size_t j = 0; j <= i; j++) {
            double a = A[i * stride + j];
            largest = fabs(a) > largest ? fabs(a) : largest;
            error = fmax(error, fabs(a - rg_dot(rank, L + i * stride, L + j * stride)));
        }
    return largest > 0.0 ? error / largest : 0.0;
}

/* ------------------------------------------------------------------ L U */

void rg_lu_place(RgLu *lu, int n, double *doubles, int *ints)
{
    *lu = (RgLu){.n = n, .a = doubles, .work = doubles + (size_t)n * (size_t)n, .row = ints, .column = ints + n};
}

/* Largest entry in rows k ... n - 1 and columns k ... end - 1. */
static double find_largest(const RgLu *lu, int k, int end, int *row, int *column)
{
    double largest = 0.0;
    *row = *column = k;
    for (int i = k; i < lu->n; i++) {
        const double *a = lu->a + (size_t)i * (size_t)lu->n;
        for (int j = k; j < end; j++)
            if (fabs(a[j]) > largest) {
                largest = fabs(a[j]);
                *row = i;
                *column = j;
            }
    }
    return largest;
}

static void swap_rows(RgLu *lu, int i, int k)
{
    double *a = lu->a + (size_t)i * (size_t)lu->n, *b = lu->a + (size_t)k * (size_t)lu->n;
    for (int j = 0; j < lu->n && i != k; j++) {
        swap(&a[j], &b[j]);
    }
    int previous = lu->row[i];
    lu->row[i] = lu->row[k];
    lu->row[k] = previous;
}

static void swap_columns(RgLu *lu, int j, int k)
{
    for (int i = 0; i < lu->n && j != k; i++) {
        double *a = lu->a + (size_t)i * (size_t)lu->n, previous = a[j];
        a[j] = a[k];
        a[k] = previous;
    }
    int previous = lu->column[j];
    lu->column[j] = lu->column[k];
    lu->column[k] = previous;
}

/* Eliminates column k from the rows below row k. */
static void eliminate(double *a, int n, int k)
{
    const double *restrict pivot = a + (size_t)k * (size_t)n;
    double per = 1.0 / pivot[k];
    for (int i = k + 1; i < n; i++) {
        double *restrict row = a + (size_t)i * (size_t)n, factor = row[k] * per;
        row[k] = factor;
        if (factor == 0.0)
            continue;
        for (int j = k + 1; j < n; j++)
            row[j] -= factor * pivot[j];
    }
}

static void factor_lu(RgLu *lu, double tolerance, bool complete)
{
    double least = 0.0;
    for (int k = 0; k < lu->n; k++)
        lu->row[k] = lu->column[k] = k;
    for (lu->rank = 0; lu->rank < lu->n; lu->rank++) {
        int k = lu->rank, row, column;
        double largest = find_largest(lu, k, complete ? lu->n : k + 1, &row, &column);
        if (k == 0)
            least = tolerance * largest;
        if (!(largest > least) || !isfinite(largest))
            return;
        swap_rows(lu, k, row);
        swap_columns(lu, k, column);
        eliminate(lu->a, lu->n, k);
    }
}

void rg_lu_factor(RgLu *lu, double tolerance)
{
    factor_lu(lu, tolerance, true);
}

bool rg_lu_factor_partial(RgLu *lu)
{
    factor_lu(lu, 0.0, false);
    return lu->rank == lu->n;
}

void rg_lu_solve(const RgLu *lu, const double *b, double *x)
{
    int n = lu->n, rank = lu->rank;
    double *y = lu->work;
    for (int i = 0; i < rank; i++) {
        const double *a = lu->a + (size_t)i * (size_t)n;
        double sum = b[lu->row[i]];
        for (int j = 0; j < i; j++)
            sum -= a[j] * y[j];
        y[i] = sum;
    }
    for (int i = rank - 1; i >= 0; i--) {
        const double *a = lu->a + (size_t)i * (size_t)n;
        double sum = y[i];
        for (int j = i + 1; j < rank; j++)
            sum -= a[j] * y[j];
        y[i] = sum / a[i];
    }
    for (int k = 0; k < n; k++)
        x[lu->column[k]] = k < rank ? y[k] : 0.0;
}

/* ------------------------------------------------------------------ small blocks */

static void swap_small_rows(double *A, int i, int j, int n)
{
    for (int k = 0; k < n; k++) {
        double x = A[i * n + k];
        A[i * n + k] = A[j * n + k];
        A[j * n + k] = x;
    }
}

bool rg_small_invert(double *A, int n, double tolerance)
{
    double inverse[RG_SMALL_ROWS * RG_SMALL_ROWS] = {0.0}, size = 0.0;
    for (int k = 0; k < n * n; k++)
        size = fmax(size, fabs(A[k]));
    for (int k = 0; k < n; k++)
        inverse[k * n + k] = 1.0;
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        if (!(fabs(A[best * n + k]) > tolerance * size))
            return false;
        if (best != k) {
            swap_small_rows(A, k, best, n);
            swap_small_rows(inverse, k, best, n);
        }
        double per = 1.0 / A[k * n + k];
        for (int j = 0; j < n; j++) {
            A[k * n + j] *= per;
            inverse[k * n + j] *= per;
        }
        for (int i = 0; i < n; i++) {
            double a = A[i * n + k];
            if (i == k || a == 0.0)
                continue;
            for (int j = 0; j < n; j++) {
                A[i * n + j] -= a * A[k * n + j];
                inverse[i * n + j] -= a * inverse[k * n + j];
            }
        }
    }
    memcpy(A, inverse, (size_t)n * (size_t)n * sizeof *A);
    return true;
}

void rg_small_invert_semidefinite(double *a, int n, double tolerance)
{
    double least[RG_SMALL_ROWS];
    for (int k = 0; k < n; k++)
        least[k] = tolerance * a[k * n + k];
    for (int k = 0; k < n; k++) {
        bool dependent = !(a[k * n + k] > least[k]);
        double per = dependent ? 0.0 : 1.0 / a[k * n + k];
        a[k * n + k] = dependent ? 0.0 : 1.0;
        for (int j = 0; j < n; j++)
            a[k * n + j] *= per;
        for (int i = 0; i < n; i++) {
            double part = a[i * n + k];
            if (i == k)
                continue;
            a[i * n + k] = 0.0;
            for (int j = 0; j < n; j++)
                a[i * n + j] -= part * a[k * n + j];
        }
    }
}
