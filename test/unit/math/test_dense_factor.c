/*
 * test_dense_factor.c - dense factors and products against the textbook: L D L' bit for bit against one pivot after the
 * other, L U and inverses against the product with their matrix, ranks against those that were drawn.
 */
#include "check_near.h"
#include "draw.h"
#include "math/block6.h"
#include "math/dense_factor.h"

#include <stdlib.h>
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

Test(dense_factor, ldl_has_the_bits_of_one_pivot_after_the_other)
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
            cr_expect(memcmp(A + i * n + i, B + i * n + i, (size_t)(n - i) * sizeof *A) == 0, "n %d row %d", n, i);
            x[i] = b[i] = draw_between(&d, -1.0, 1.0);
        }
        rg_dense_ldl_solve(A, n, x);
        rg_dense_times(whole, n, n, x, zero, y);
        CHECK_NEAR_ALL(y, b, (size_t)n, 1e-11, "1");
    }
    double indefinite[4] = {1.0, 2.0, 2.0, 1.0};
    cr_expect(!rg_dense_ldl_factor(indefinite, 2));
}

Test(dense_factor, products_as_by_hand)
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

Test(dense_factor, lu_finds_the_rank_and_a_solution)
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

/* The factor is that of the matrix with its diagonal raised as far as least asks for; the pivots fall. */
Test(dense_factor, pivoted_ldl_of_singular_matrices)
{
    static double A[MOST * MOST], B[MOST * MOST];
    Draw d = draw_seed(3);
    for (int n = 2; n <= 20; n++) {
        int rank = 1 + draw_below(&d, n - 1), order[MOST];
        double least[MOST], x[MOST], b[MOST], y[MOST], work[MOST];
        draw_gram(&d, n, rank, A);
        memcpy(B, A, sizeof A);
        for (int i = 0; i < n; i++) {
            least[i] = 1e-3;
            x[i] = b[i] = draw_between(&d, -1.0, 1.0);
        }
        rg_pivoted_ldl_factor(A, n, least, order);
        for (int k = 0; k < n; k++) {
            double *own = &B[order[k] * (n + 1)],
                   was = *own; /* D_k + sum of D_j L_kj^2 is the diagonal as it was raised */
            *own = A[k * n + k];
            for (int j = 0; j < k; j++)
                *own += A[j * n + k] * A[j * n + k] / A[j * n + j];
            cr_expect(A[k * n + k] >= 1e-3 && *own > was - 1e-10);
            cr_expect(k == 0 || A[k * n + k] <= A[(k - 1) * (n + 1)] * (1.0 + 1e-12));
        }
        rg_pivoted_ldl_solve(A, n, order, x, work);
        rg_dense_times(B, n, n, x, NULL, y);
        CHECK_NEAR_ALL(y, b, (size_t)n, 1e-9, "1");
    }
}

Test(dense_factor, partial_pivoting_solves_as_complete_pivoting)
{
    static double memory[2][MOST * (MOST + 1)];
    int ints[2][2 * MOST];
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Draw d = draw_seed(seed);
        int n = 1 + draw_below(&d, 30);
        RgLu lu[2];
        double x[2][MOST], b[MOST];
        for (int k = 0; k < 2; k++)
            rg_lu_place(&lu[k], n, memory[k], ints[k]);
        for (int e = 0; e < n * n; e++)
            lu[0].a[e] = lu[1].a[e] = draw_between(&d, -1.0, 1.0) + (e % (n + 1) == 0 ? 2.0 : 0.0);
        for (int i = 0; i < n; i++)
            b[i] = draw_between(&d, -1.0, 1.0);
        rg_lu_factor(&lu[0], 1e-13);
        cr_assert(rg_lu_factor_partial(&lu[1]) && lu[0].rank == n);
        for (int k = 0; k < 2; k++)
            rg_lu_solve(&lu[k], b, x[k]);
        CHECK_NEAR_ALL(x[0], x[1], (size_t)n, 1e-9, "1");
    }
    double singular[6] = {1.0, 2.0, 2.0, 4.0}; /* memory of two rows */
    RgLu lu;
    rg_lu_place(&lu, 2, singular, ints[0]);
    cr_expect(!rg_lu_factor_partial(&lu));
}

/* Largest |A B - 1|. */
static double miss(const double *A, const double *B, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n * n; i++) {
        double sum = i % (n + 1) == 0 ? -1.0 : 0.0;
        for (int k = 0; k < n; k++)
            sum += A[i / n * n + k] * B[k * n + i % n];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

Test(dense_factor, small_inverses)
{
    Draw d = draw_seed(4);
    for (int trial = 0; trial < 300; trial++) {
        int n = 1 + trial % RG_SMALL_ROWS;
        double A[36], B[36];
        for (int e = 0; e < n * n; e++)
            A[e] = B[e] = draw_between(&d, -1.0, 1.0) + (e % (n + 1) == 0 ? 3.0 : 0.0);
        cr_assert(rg_small_invert(B, n, 1e-12));
        cr_expect(miss(A, B, n) < 1e-12);
        if (n == 3) {
            cr_assert(rg_invert3(A, B));
            cr_expect(miss(A, B, n) < 1e-12);
        }
        draw_gram(&d, n, n, A);
        for (int e = 0; e < n * n; e++)
            B[e] = A[e] += e % (n + 1) == 0 ? 0.1 : 0.0;
        rg_small_invert_semidefinite(B, n, 1e-10);
        cr_expect(miss(A, B, n) < 1e-11);
    }
    double twice[4] = {2.0, 2.0, 2.0, 2.0}; /* the second row is the first: the first alone counts */
    rg_small_invert_semidefinite(twice, 2, 1e-10);
    CHECK_NEAR_ALL(twice, ((double[]){0.5, 0.0, 0.0, 0.0}), 4, 0.0, "1");
    double singular[9] = {1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 1.0, 0.0, 1.0}, out[9];
    cr_expect(!rg_invert3(singular, out) && !rg_small_invert(singular, 3, 1e-12));
}

Test(dense_factor, ldl_of_a_six_by_six_block)
{
    Draw d = draw_seed(5);
    for (int trial = 0; trial < 100; trial++) {
        double A[36], x[6], b[6];
        RgBlock6 S = {{0.0}}, whole = {{0.0}};
        draw_gram(&d, 6, 6, A);
        for (int e = 0; e < 36; e++)
            S[e / 6][e % 6] = whole[e / 6][e % 6] = A[e] += e % 7 == 0 ? 0.1 : 0.0;
        for (int i = 0; i < 6; i++) {
            b[i] = 0.0;
            for (int j = 0; j < 6; j++)
                b[i] += A[6 * i + j] * (j + 1.0);
        }
        memcpy(x, b, sizeof x);
        b6_ldl_factor(S, whole, 1e-12);
        b6_ldl_solve(S, x);
        CHECK_NEAR_ALL(x, ((double[]){1.0, 2.0, 3.0, 4.0, 5.0, 6.0}), 6, 1e-9, "1");
    }
}

/* ------------------------------------------------------------------ pivoted Cholesky */

enum { ROOM = 60 };

typedef struct Case {
    double A[ROOM * ROOM], L[ROOM * ROOM], spare[ROOM];
} Case;

/* A = B B', B: n x rank. */
static Case *make_case(uint64_t seed, int n, int rank)
{
    Case *c = calloc(1, sizeof *c);
    static double B[ROOM * ROOM];
    Draw d = draw_seed(seed);
    for (int i = 0; i < n * rank; i++)
        B[i] = draw_between(&d, -1.0, 1.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < rank; k++)
                c->A[i * n + j] += B[i * rank + k] * B[j * rank + k];
    return c;
}

/* Largest |A - L L'|, by hand. */
static double worst_entry(const Case *c, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n * n; i++) {
        double sum = -c->A[i];
        for (int k = 0; k < n; k++)
            sum += c->L[i / n * n + k] * c->L[i % n * n + k];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

Test(dense_factor, pivoted_cholesky_finds_rank_and_factor)
{
    for (int n = 1; n <= ROOM; n += 7)
        for (int rank = 0; rank <= n; rank += 3) {
            Case *c = make_case((uint64_t)(100 * n + rank), n, rank);
            int found = rg_pivoted_cholesky(c->A, n, 1e-13, c->L, c->spare);
            cr_expect_eq(found, rank, "n %d: rank %d, not %d", n, found, rank);
            cr_expect(worst_entry(c, n) < 1e-11, "n %d rank %d: %g", n, rank, worst_entry(c, n));
            cr_expect(rg_cholesky_residue(c->A, n, c->L, found) < 1e-12);
            free(c);
        }
}

Test(dense_factor, pivoted_cholesky_says_how_far_an_indefinite_matrix_is_from_a_factor)
{
    double A[4] = {1.0, 2.0, 2.0, 1.0}, L[4] = {0.0}, spare[2];
    int rank = rg_pivoted_cholesky(A, 2, 1e-13, L, spare);
    CHECK_NEAR(rg_cholesky_residue(A, 2, L, rank), 0.5, 1e-15, "1");
    double negative[1] = {-1.0}, none[1] = {0.0};
    cr_expect_eq(rg_pivoted_cholesky(negative, 1, 1e-13, none, spare), 0);
    CHECK_NEAR(rg_cholesky_residue(negative, 1, none, 0), 1.0, 0.0, "1");
}

/* A speck of noise in place of a zero eigenvalue does no harm to the rest. */
Test(dense_factor, pivoted_cholesky_stands_noise)
{
    Case *c = make_case(7, 30, 12);
    Draw d = draw_seed(8);
    for (int i = 0; i < 30; i++)
        for (int j = 0; j <= i; j++) {
            double noise = draw_between(&d, -1e-8, 1e-8);
            c->A[i * 30 + j] += noise;
            c->A[j * 30 + i] = c->A[i * 30 + j];
        }
    int rank = rg_pivoted_cholesky(c->A, 30, 1e-13, c->L, c->spare);
    cr_expect(rank >= 12 && rank < 30);
    cr_expect(rg_cholesky_residue(c->A, 30, c->L, rank) < 1e-7);
    free(c);
}
