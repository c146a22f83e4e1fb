/*
 * test_profile_lu.c - L U within a profile against elimination of the whole matrix, one row after the other, bit for
 * bit; solutions against the product with their matrix; pivots that vanish.
 */
#include "check_near.h"
#include "draw.h"
#include "math/profile_lu.h"

#include <string.h>

#define MOST 40

/* Unsymmetric values in a symmetric pattern, the diagonal dominant; what is outside the profile must not be read. */
static void draw_matrix(Draw *d, RgProfileLu *lu, double *whole)
{
    int32_t n = lu->n;
    for (int32_t i = 0; i < n; i++)
        lu->start[i] = (int32_t)draw_between(d, 0.0, (double)i + 0.999);
    rg_profile_lu_close(lu);
    memset(whole, 0, (size_t)(n * n) * sizeof *whole);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = lu->start[i]; j <= i; j++) {
            whole[i * n + j] = draw_between(d, -1.0, 1.0);
            whole[j * n + i] = draw_between(d, -1.0, 1.0);
        }
    for (int32_t i = 0; i < n; i++) {
        whole[i * n + i] = 2.0 * n;
        for (int32_t j = 0; j < n; j++)
            lu->a[i * n + j] = j >= lu->start[i] && j <= lu->end[i] ? whole[i * n + j] : (double)NAN;
    }
}

/* One row after the other. */
static void eliminate(int32_t n, double *A)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t k = 0; k < i; k++) {
            A[i * n + k] /= A[k * n + k];
            for (int32_t j = k + 1; j < n; j++)
                A[i * n + j] -= A[i * n + k] * A[k * n + j];
        }
}

Test(profile_lu, factor_has_the_bits_of_one_row_after_the_other)
{
    static double a[MOST * MOST], whole[MOST * MOST], plain[MOST * MOST];
    int32_t start[MOST], end[MOST];
    Draw d = draw_seed(1);
    for (int32_t n = 1; n <= MOST; n++) {
        RgProfileLu lu = {n, start, end, a};
        double x[MOST], b[MOST];
        draw_matrix(&d, &lu, whole);
        memcpy(plain, whole, sizeof plain);
        eliminate(n, plain);
        cr_assert(rg_profile_lu_factor(&lu, 1e-14));
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++)
                cr_expect(j >= start[i] && j <= end[i] ? a[i * n + j] == plain[i * n + j] : plain[i * n + j] == 0.0,
                          "n %d row %d column %d", n, i, j);
            x[i] = b[i] = draw_between(&d, -1.0, 1.0);
        }
        rg_profile_lu_solve(&lu, x);
        for (int32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (int32_t j = 0; j < n; j++)
                sum += whole[i * n + j] * x[j];
            CHECK_NEAR(sum, b[i], 1e-14, "1");
        }
    }
}

/* The last two rows say the same: the last pivot is nothing. */
Test(profile_lu, a_pivot_that_is_round_off_is_refused)
{
    double a[9] = {4.0, 1.0, 1.0, 1.0, 3.0, 3.0, 1.0, 3.0, 3.0};
    int32_t start[3] = {0, 0, 0}, end[3];
    RgProfileLu lu = {3, start, end, a};
    CHECK_NEAR(rg_profile_lu_close(&lu), 4.0, 1e-15, "products"); /* of rows 1 and 2: 1 * 2 + 2 * 1 */
    cr_expect(!rg_profile_lu_factor(&lu, 1e-14));
}
