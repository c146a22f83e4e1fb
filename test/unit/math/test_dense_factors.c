/*
 * test_dense_factors.c - dense factors and products against the textbook: L D L' bit for bit against one pivot after the
 * other, L U against the product with its matrix, ranks against those that were drawn.
 */
#include "check_near.h"
#include "draw.h"
#include "math/dense_ldl.h"
#include "math/dense_lu.h"

#include <string.h>

#define MOST 70

/* G G' of n x rank numbers. */
static void draw_gram(Draw *d, int n, int rank, double *A)
{
    static double G[MOST][MOST];
    for (int i = 0; i < n; i++)
        for (int k = 0; k < rank; k++)
            G[i][k] = draw_between(d, -1.0, 1.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = 0.0;
            for (int k = 0; k < rank; k++)
                A[i * n + j] += G[i][k] * G[j][k];
        }
}

/* One pivot after the other. */
static void eliminate(int n, double *B)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double factor = B[k * n + i] * (1.0 / B[k * n + k]);
            for (int j = i; j < n; j++)
                B[i * n + j] -= factor * B[k * n + j];
        }
}

Test(dense_factors, ldl_has_the_bits_of_one_pivot_after_the_other)
{
    static double A[MOST * MOST], B[MOST * MOST];
    Draw d = draw_seed(1);
    for (int n = 1; n <= MOST; n++) {
        draw_gram(&d, n, n, A);
        for (int i = 0; i < n; i++)
            A[i * n + i] += 0.1;
        memcpy(B, A, sizeof A);
        eliminate(n, B);
        double x[MOST], y[MOST], b[MOST], zero[MOST] = {0.0}, whole[MOST * MOST];
        memcpy(whole, A, sizeof whole);
        cr_assert(rg_dense_ldl_factor(A, n));
        for (int i = 0; i < n; i++) {
            cr_expect(memcmp(A + i * n + i, B + i * n + i, (size_t)(n - i) * sizeof *A) == 0, "n %d row %d",
                      n, i);
            x[i] = b[i] = draw_between(&d, -1.0, 1.0);
        }
        rg_dense_ldl_solve(A, n, x);
        rg_dense_times(whole, n, n, x, zero, y);
        CHECK_NEAR_ALL(y, b, (size_t)n, 1e-11, "1");
    }
    double indefinite[4] = {1.0, 2.0, 2.0, 1.0};
    cr_expect(!rg_dense_ldl_factor(indefinite, 2));
}

Test(dense_factors, products_as_by_hand)
{
    static double M[MOST * MOST];
    Draw d = draw_seed(2);
    for (int n = 0; n <= MOST; n += 7) {
        double x[MOST], c[MOST], y[MOST];
        for (int e = 0; e < n * n; e++)
            M[e] = (double)(draw_below(&d, 2001) - 1000); /* whole numbers: sums are exact in any order */
        for (int i = 0; i < n; i++) {
            x[i] = (double)(draw_below(&d, 2001) - 1000);
            c[i] = (double)draw_below(&d, 100);
        }
        rg_dense_times(M, n, n, x, c, y);
        for (int i = 0; i < n; i++) {
            double sum = c[i];
            for (int j = 0; j < n; j++)
                sum += M[i * n + j] * x[j];
            cr_expect(sum == y[i], "n %d row %d", n, i);
        }
    }
}

Test(dense_factors, lu_finds_the_rank_and_a_solution)
{
    static double memory[MOST * (MOST + 1)], A[MOST * MOST];
    int ints[2 * MOST];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Draw d = draw_seed(seed);
        int n = 1 + draw_below(&d, MOST), rank = 1 + draw_below(&d, n);
        draw_gram(&d, n, rank, A);
        RgLu lu;
        rg_lu_place(&lu, n, memory, ints);
        memcpy(lu.a, A, (size_t)(n * n) * sizeof *A);
        rg_lu_factor(&lu, 1e-11);
        cr_expect(lu.rank == rank, "seed %d: rank %d of %d", (int)seed, lu.rank, rank);
        double x[MOST], b[MOST];
        for (int i = 0; i < n; i++) /* a right side that is in reach */
            b[i] = A[i * n] - A[i * n + n - 1];
        rg_lu_solve(&lu, b, x);
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += A[i * n + j] * x[j];
            CHECK_NEAR(sum, b[i], 1e-7, "1");
        }
    }
}
