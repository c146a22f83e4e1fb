/*
 * dense_ldl.c - A = L D L' by rows of the upper half, four pivots at a time.
 *
 *   a_ij <- a_ij - (u_ki / d_k) u_kj       k before i, j from i on,   u = D L'
 *
 * The rows of four pivots are finished first; every later row then takes all four in one go, in the order of one
 * after the other: the same bits as without blocks. Nothing is summed across a row, so that a row may be done by
 * two or by four numbers at a time. Products with a matrix have eight sums a row, in an order of their own.
 * Cost n^3 / 6 products. Failure: a pivot that is not positive.
 */
#include "math/dense_ldl.h"

#include "math/pair_simd.h"

#include <stddef.h>

/* Row i takes pivot row k. */
RG_KERNEL void take_one(double *a, size_t n, size_t k, size_t i, double per)
{
    const double *restrict pivot = a + k * n;
    double *restrict row = a + i * n, factor = pivot[i] * per;
    for (size_t j = i; j < n; j++)
        row[j] -= factor * pivot[j];
}

RG_KERNEL void take_four(double *a, size_t n, size_t k, size_t i, const double per[4])
{
    const double *restrict p0 = a + k * n, *restrict p1 = p0 + n, *restrict p2 = p1 + n,
                           *restrict p3 = p2 + n;
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
                take_one(a, n, k + p, i, per[p]);
        }
        for (size_t i = k + 4; i < n; i++)
            take_four(a, n, k, i, per);
    }
    for (; k < n; k++) {
        double pivot = a[k * n + k];
        if (!(pivot > 0.0))
            return false;
        for (size_t i = k + 1; i < n; i++)
            take_one(a, n, k, i, 1.0 / pivot);
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

/* Eight sums, for rows of any length. */
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

RG_KERNEL void times(const double *M, size_t rows, size_t columns, const double *x, const double *c,
                     double *y)
{
    for (size_t i = 0; i < rows; i++)
        y[i] = dot(M + i * columns, x, columns) + c[i];
}

static void times_plain(const double *M, size_t rows, size_t columns, const double *x, const double *c,
                        double *y)
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
