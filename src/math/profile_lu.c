/* profile_lu.c - Gaussian elimination by rows within a profile (profile_lu.h). */
#include "math/profile_lu.h"

#include "math/dense_factor.h"
#include "math/pair_simd.h"

double rg_profile_lu_close(RgProfileLu *lu)
{
    double work = 0.0;
    for (int32_t i = 0; i < lu->n; i++)
        lu->end[i] = i;
    for (int32_t j = 0; j < lu->n; j++)
        lu->end[lu->start[j]] = j;
    for (int32_t i = 1; i < lu->n; i++)
        lu->end[i] = lu->end[i] > lu->end[i - 1] ? lu->end[i] : lu->end[i - 1];
    for (int32_t i = 0; i < lu->n; i++)
        work += (double)(i - lu->start[i]) * (double)(lu->end[i] - i + 1);
    return work;
}

/* row -= l * pivot row k, in columns k + 1 ... end. */
RG_KERNEL void subtract_row(double *restrict row, const double *restrict from, int32_t k, int32_t end, double l)
{
    for (int32_t j = k + 1; j <= end; j++)
        row[j] -= l * from[j];
}

/* The same for pivot rows k ... k + 3, n numbers apart, in columns k + 4 ... end. */
RG_KERNEL void subtract_four_rows(double *restrict row, const double *restrict from, size_t n, int32_t k, int32_t end,
                                  const double l[4])
{
    const double *a = from, *b = from + n, *c = from + 2 * n, *d = from + 3 * n;
    for (int32_t j = k + 4; j <= end; j++)
        row[j] = row[j] - l[0] * a[j] - l[1] * b[j] - l[2] * c[j] - l[3] * d[j];
}

RG_KERNEL bool factor(const RgProfileLu *lu, double tolerance)
{
    size_t n = (size_t)lu->n;
    for (int32_t i = 0; i < lu->n; i++) {
        double *row = lu->a + (size_t)i * n, diagonal = row[i];
        int32_t k = lu->start[i];
        for (; k + 4 <= i; k += 4) {
            const double *from = lu->a + (size_t)k * n;
            double l[4];
            int32_t shared_end = lu->end[k];
            for (int32_t p = 0; p < 4; p++) {
                const double *row_p = from + (size_t)p * n;
                l[p] = row[k + p] = row[k + p] / row_p[k + p];
                int32_t within = lu->end[k + p] < k + 3 ? lu->end[k + p] : k + 3;
                subtract_row(row, row_p, k + p, within, l[p]);
            }
            subtract_four_rows(row, from, n, k, shared_end, l);
            for (int32_t p = 1; p < 4; p++)
                subtract_row(row, from + (size_t)p * n, shared_end > k + 3 ? shared_end : k + 3, lu->end[k + p], l[p]);
        }
        for (; k < i; k++) {
            const double *from = lu->a + (size_t)k * n;
            double l = row[k] = row[k] / from[k];
            subtract_row(row, from, k, lu->end[k], l);
        }
        if (!(fabs(row[i]) > tolerance * fabs(diagonal)))
            return false;
    }
    return true;
}

static bool factor_plain(const RgProfileLu *lu, double tolerance)
{
    return factor(lu, tolerance);
}

RG_AVX2 static bool factor_avx2(const RgProfileLu *lu, double tolerance)
{
    return factor(lu, tolerance);
}

bool rg_profile_lu_factor(const RgProfileLu *lu, double tolerance)
{
    return rg_has_avx2() ? factor_avx2(lu, tolerance) : factor_plain(lu, tolerance);
}

void rg_profile_lu_solve(const RgProfileLu *lu, double *x)
{
    size_t n = (size_t)lu->n;
    for (int32_t i = 0; i < lu->n; i++)
        x[i] -= rg_dot(i - lu->start[i], lu->a + (size_t)i * n + lu->start[i], x + lu->start[i]);
    for (int32_t i = lu->n - 1; i >= 0; i--) {
        const double *row = lu->a + (size_t)i * n;
        x[i] = (x[i] - rg_dot(lu->end[i] - i, row + i + 1, x + i + 1)) / row[i];
    }
}
