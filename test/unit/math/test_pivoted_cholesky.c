/*
 * test_pivoted_cholesky.c - factors of singular matrices.
 *
 * Twin: A = B B' is made of a random B, so that its rank is known; the product of the factor is taken by hand.
 */
#include "check_near.h"
#include "draw.h"

#include "math/pivoted_cholesky.h"

#include <stdlib.h>

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

Test(pivoted_cholesky, finds_rank_and_factor)
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

Test(pivoted_cholesky, says_how_far_an_indefinite_matrix_is_from_a_factor)
{
    double A[4] = {1.0, 2.0, 2.0, 1.0}, L[4] = {0.0}, spare[2];
    int rank = rg_pivoted_cholesky(A, 2, 1e-13, L, spare);
    CHECK_NEAR(rg_cholesky_residue(A, 2, L, rank), 0.5, 1e-15, "1");
    double negative[1] = {-1.0}, none[1] = {0.0};
    cr_expect_eq(rg_pivoted_cholesky(negative, 1, 1e-13, none, spare), 0);
    CHECK_NEAR(rg_cholesky_residue(negative, 1, none, 0), 1.0, 0.0, "1");
}

/* A speck of noise in place of a zero eigenvalue does no harm to the rest. */
Test(pivoted_cholesky, stands_noise)
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
