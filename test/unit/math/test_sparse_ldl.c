/*
 * test_sparse_ldl.c - L D L' of sparse matrices A = J J' + C.
 *
 * Twins: products A x computed from the dense matrix, and a textbook dense L D L' written here. Dependent
 * rows are
 * made by repeating or combining rows of J, so that their number is known.
 */
#include "check_near.h"

#include "base/random.h"
#include "math/sparse_ldl.h"

#include <stdlib.h>
#include <string.h>

/* A relative pivot that only a dependent row can have. */
#define DROP 1e-10

/* A dense symmetric matrix, its lower pattern by rows, and the numbers of that pattern. */
typedef struct Matrix {
    int n;
    double *dense;
    int *row_start, *columns;
    double *values;
} Matrix;

static void *take(size_t count, size_t size)
{
    void *block = calloc(count > 0 ? count : 1, size);
    cr_assert_not_null(block);
    return block;
}

/* The numbers that are not 0, and the diagonal. */
static Matrix matrix_from_dense(int n, const double *dense)
{
    size_t all = (size_t)n * (size_t)n;
    Matrix a = {n, take(all, sizeof(double)), take((size_t)n + 1, sizeof(int)), take(all, sizeof(int)),
                take(all, sizeof(double))};
    memcpy(a.dense, dense, all * sizeof(double));
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            if (dense[i * n + j] == 0.0 && i != j)
                continue;
            a.columns[count] = j;
            a.values[count++] = dense[i * n + j];
        }
        a.row_start[i + 1] = count;
    }
    return a;
}

/* J J' of m rows over width velocities. */
static Matrix matrix_from_rows(int m, int width, const double *J)
{
    double *dense = take((size_t)m * (size_t)m, sizeof(double));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            for (int k = 0; k < width; k++)
                dense[i * m + j] += J[i * width + k] * J[j * width + k];
    Matrix a = matrix_from_dense(m, dense);
    free(dense);
    return a;
}

static void matrix_free(Matrix *a)
{
    free(a->dense);
    free(a->row_start);
    free(a->columns);
    free(a->values);
}

static void multiply(const Matrix *a, const double *x, double *b)
{
    for (int i = 0; i < a->n; i++) {
        b[i] = 0.0;
        for (int j = 0; j < a->n; j++)
            b[i] += a->dense[i * a->n + j] * x[j];
    }
}

/* Factors and solves A y = A x for a drawn x; returns the number of dependent rows, and the largest |A y -
   A x|. */
static int solve_and_judge(const Matrix *a, RgRandom *random, double *worst)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgSparseLdl ldl;
    cr_assert_eq(rg_sparse_ldl_analyse(&arena, a->n, a->row_start, a->columns, &ldl), RG_OK);
    int dependent = rg_sparse_ldl_factor(&ldl, a->values, DROP);

    double *x = take((size_t)a->n, sizeof(double)), *b = take((size_t)a->n, sizeof(double));
    for (int i = 0; i < a->n; i++)
        x[i] = rg_random_uniform(random, -1.0, 1.0);
    multiply(a, x, b);
    memcpy(x, b, (size_t)a->n * sizeof(double));
    rg_sparse_ldl_solve(&ldl, x);
    for (int i = 0; i < a->n; i++)
        if (rg_sparse_ldl_dependent(&ldl, i))
            cr_expect_eq(x[i], 0.0, "dependent row %d has the multiplier %g", i, x[i]);
    double *product = take((size_t)a->n, sizeof(double));
    multiply(a, x, product);
    *worst = check_worst(product, b, (size_t)a->n).error;
    free(x);
    free(b);
    free(product);
    rg_arena_free(&arena);
    return dependent;
}

/* A chain: block k of rows touches the velocities of bodies k and k + 1, six each; so A is block
   tridiagonal. */
static double *chain_rows(int joints, int rows, RgRandom *random)
{
    int width = 6 * (joints + 1);
    double *J = take((size_t)(joints * rows) * (size_t)width, sizeof(double));
    for (int i = 0; i < joints * rows; i++)
        for (int k = 0; k < 12; k++)
            J[i * width + 6 * (i / rows) + k] = rg_random_uniform(random, -1.0, 1.0);
    return J;
}

/* The textbook: l_ij = (a_ij - sum l_ik d_k l_jk) / d_j. */
static void dense_ldl(int n, const double *a, double *l, double *d)
{
    for (int j = 0; j < n; j++) {
        d[j] = a[j * n + j];
        for (int k = 0; k < j; k++)
            d[j] -= l[j * n + k] * l[j * n + k] * d[k];
        for (int i = j + 1; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= l[i * n + k] * d[k] * l[j * n + k];
            l[i * n + j] = sum / d[j];
        }
    }
}

Test(sparse_ldl, chains_of_every_block_size_are_solved)
{
    RgRandom random = rg_random_seed(1);
    for (int rows = 1; rows <= 6; rows++) {
        double *J = chain_rows(40, rows, &random), worst;
        Matrix a = matrix_from_rows(40 * rows, 6 * 41, J);
        cr_expect_eq(solve_and_judge(&a, &random, &worst), 0);
        CHECK_NEAR(worst, 0.0, 1e-12, "");
        matrix_free(&a);
        free(J);
    }
}

Test(sparse_ldl, a_chain_makes_no_fill)
{
    /* Blocks of 5 rows: 10 inside a block, 25 between neighbours. */
    RgRandom random = rg_random_seed(2);
    double *J = chain_rows(100, 5, &random);
    Matrix a = matrix_from_rows(500, 606, J);
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgSparseLdl ldl;
    cr_assert_eq(rg_sparse_ldl_analyse(&arena, a.n, a.row_start, a.columns, &ldl), RG_OK);
    cr_expect_eq(ldl.l_start[500], 100 * 10 + 99 * 25);
    rg_arena_free(&arena);
    matrix_free(&a);
    free(J);
}

Test(sparse_ldl, a_dense_matrix_gives_the_factor_of_the_textbook)
{
    RgRandom random = rg_random_seed(3);
    for (int n = 1; n <= 40; n += 3) {
        double *J = take((size_t)(n * (n + 5)), sizeof(double));
        for (int i = 0; i < n * (n + 5); i++)
            J[i] = rg_random_uniform(&random, -1.0, 1.0);
        Matrix a = matrix_from_rows(n, n + 5, J);
        double *l = take((size_t)(n * n), sizeof(double)), *d = take((size_t)n, sizeof(double));
        dense_ldl(n, a.dense, l, d);

        RgArena arena;
        rg_arena_init(&arena, NULL);
        RgSparseLdl ldl;
        cr_assert_eq(rg_sparse_ldl_analyse(&arena, n, a.row_start, a.columns, &ldl), RG_OK);
        cr_expect_eq(rg_sparse_ldl_factor(&ldl, a.values, DROP), 0);
        for (int j = 0; j < n; j++) {
            CHECK_REL(1.0 / ldl.inverse_d[j], d[j], 1e-12, "");
            for (int p = ldl.l_start[j]; p < ldl.l_start[j + 1]; p++)
                CHECK_NEAR(ldl.l[p], l[j * n + ldl.l_columns[p]], 1e-12, "");
        }
        rg_arena_free(&arena);
        matrix_free(&a);
        free(l);
        free(d);
        free(J);
    }
}

enum { DRAWN_ROWS = 30, DRAWN_WIDTH = 60 };

/* Rows of five velocities each, but every fifth row a combination of two earlier ones; returns how many
   are combined. */
static int draw_rows(RgRandom *random, double J[DRAWN_ROWS][DRAWN_WIDTH])
{
    int combined = 0;
    for (int i = 0; i < DRAWN_ROWS; i++) {
        if (i % 5 == 4) {
            int first = i - 1 - rg_random_below(random, 4), second = rg_random_below(random, 4);
            for (int k = 0; k < DRAWN_WIDTH; k++)
                J[i][k] = J[first][k] - 2.0 * J[second][k];
            combined++;
            continue;
        }
        J[i][i] = 1.0;
        for (int k = 0; k < 4; k++)
            J[i][rg_random_below(random, DRAWN_WIDTH)] = rg_random_uniform(random, -1.0, 1.0);
    }
    return combined;
}

Test(sparse_ldl, random_sparse_rows_with_known_dependences)
{
    RgRandom random = rg_random_seed(4);
    for (int trial = 0; trial < 200; trial++) {
        double J[DRAWN_ROWS][DRAWN_WIDTH] = {{0}}, worst;
        int combined = draw_rows(&random, J);
        Matrix a = matrix_from_rows(DRAWN_ROWS, DRAWN_WIDTH, &J[0][0]);
        int dependent = solve_and_judge(&a, &random, &worst);
        cr_expect_eq(dependent, combined, "trial %d: %d dependent rows, expected %d", trial, dependent, combined);
        CHECK_NEAR(worst, 0.0, 1e-9, "");
        matrix_free(&a);
    }
}

Test(sparse_ldl, a_closed_chain_fills_its_last_rows_and_is_solved)
{
    /* The last joint touches the first body too. */
    RgRandom random = rg_random_seed(5);
    int joints = 30, rows = 5, width = 6 * (joints + 1);
    double *J = chain_rows(joints, rows, &random), worst;
    for (int i = (joints - 1) * rows; i < joints * rows; i++)
        for (int k = 0; k < 6; k++)
            J[i * width + k] = rg_random_uniform(&random, -1.0, 1.0);
    Matrix a = matrix_from_rows(joints * rows, width, J);
    cr_expect_eq(solve_and_judge(&a, &random, &worst), 0);
    CHECK_NEAR(worst, 0.0, 1e-11, "");
    matrix_free(&a);
    free(J);
}

Test(sparse_ldl, unlike_scales_do_not_look_dependent)
{
    /* diag(1e-12, 1, 1e12) with weak couplings: pivots are judged against their own diagonal. */
    double dense[9] = {1e-12, 1e-7, 0.0, 1e-7, 1.0, 1e5, 0.0, 1e5, 1e12};
    Matrix a = matrix_from_dense(3, dense);
    RgRandom random = rg_random_seed(6);
    double worst;
    cr_expect_eq(solve_and_judge(&a, &random, &worst), 0);
    CHECK_NEAR(worst, 0.0, 1e-3, "");
    matrix_free(&a);
}

Test(sparse_ldl, factoring_again_gives_the_same_bits)
{
    RgRandom random = rg_random_seed(7);
    double *J = chain_rows(20, 5, &random);
    Matrix a = matrix_from_rows(100, 126, J);
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgSparseLdl ldl;
    cr_assert_eq(rg_sparse_ldl_analyse(&arena, a.n, a.row_start, a.columns, &ldl), RG_OK);
    double first[100], second[100];
    for (int i = 0; i < 100; i++)
        first[i] = second[i] = rg_random_uniform(&random, -1.0, 1.0);
    rg_sparse_ldl_factor(&ldl, a.values, DROP);
    rg_sparse_ldl_solve(&ldl, first);
    rg_sparse_ldl_factor(&ldl, a.values, DROP);
    rg_sparse_ldl_solve(&ldl, second);
    cr_expect_arr_eq(first, second, sizeof first);
    rg_arena_free(&arena);
    matrix_free(&a);
    free(J);
}

Test(sparse_ldl, the_smallest_matrices)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgSparseLdl ldl;

    /* No rows. */
    int start0[1] = {0};
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, 0, start0, NULL, &ldl), RG_OK);
    cr_expect_eq(rg_sparse_ldl_factor(&ldl, NULL, DROP), 0);
    rg_sparse_ldl_solve(&ldl, NULL);

    /* One row, then one row of zero. */
    int start1[2] = {0, 1}, columns1[1] = {0};
    double value = 4.0, x = 2.0;
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, 1, start1, columns1, &ldl), RG_OK);
    cr_expect_eq(rg_sparse_ldl_factor(&ldl, &value, DROP), 0);
    rg_sparse_ldl_solve(&ldl, &x);
    cr_expect_eq(x, 0.5);
    value = 0.0;
    cr_expect_eq(rg_sparse_ldl_factor(&ldl, &value, DROP), 1);
    cr_expect(rg_sparse_ldl_dependent(&ldl, 0));
    rg_sparse_ldl_solve(&ldl, &x);
    cr_expect_eq(x, 0.0);
    rg_arena_free(&arena);
}

Test(sparse_ldl, a_number_that_is_not_finite_shows_in_the_solution)
{
    double dense[4] = {2.0, 1.0, 1.0, 2.0}, x[2] = {1.0, 1.0};
    Matrix a = matrix_from_dense(2, dense);
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgSparseLdl ldl;
    cr_assert_eq(rg_sparse_ldl_analyse(&arena, 2, a.row_start, a.columns, &ldl), RG_OK);
    a.values[1] = (double)NAN;
    cr_expect_eq(rg_sparse_ldl_factor(&ldl, a.values, DROP), 0);
    rg_sparse_ldl_solve(&ldl, x);
    cr_expect(!isfinite(x[0]) && !isfinite(x[1]));

    /* The next good numbers are not spoilt by it. */
    a.values[1] = 1.0;
    x[0] = x[1] = 3.0;
    rg_sparse_ldl_factor(&ldl, a.values, DROP);
    rg_sparse_ldl_solve(&ldl, x);
    CHECK_NEAR(x[0], 1.0, 1e-15, "");
    CHECK_NEAR(x[1], 1.0, 1e-15, "");
    rg_arena_free(&arena);
    matrix_free(&a);
}

Test(sparse_ldl, wrong_patterns_are_refused)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgSparseLdl ldl;
    int start[3] = {0, 1, 3};
    int no_diagonal[3] = {0, 0, 0}, descending[3] = {0, 1, 0}, upper[3] = {1, 0, 1}, negative[3] = {0, -1, 1};
    int empty_row[3] = {0, 0, 2}, good[3] = {0, 0, 1};
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, 2, start, no_diagonal, &ldl), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, 2, start, descending, &ldl), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, 2, start, upper, &ldl), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, 2, start, negative, &ldl), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, 2, empty_row, good, &ldl), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, -1, start, good, &ldl), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_sparse_ldl_analyse(&arena, 2, start, good, &ldl), RG_OK);
    rg_arena_free(&arena);
}

/* Memory that gives out after a number of blocks. */
static void *take_limited(size_t bytes, void *context)
{
    int *left = context;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void release_limited(void *block, void *context)
{
    (void)context;
    free(block);
}

Test(sparse_ldl, running_out_of_memory_is_said)
{
    RgRandom random = rg_random_seed(8);
    double *J = chain_rows(100, 5, &random);
    Matrix a = matrix_from_rows(500, 606, J);
    for (int blocks = 0;; blocks++) {
        int left = blocks;
        RgAllocator allocator = {take_limited, release_limited, &left};
        RgArena arena;
        rg_arena_init(&arena, &allocator);
        RgSparseLdl ldl;
        RgStatus status = rg_sparse_ldl_analyse(&arena, a.n, a.row_start, a.columns, &ldl);
        rg_arena_free(&arena);
        if (status == RG_OK) {
            cr_expect_gt(blocks, 1);
            break;
        }
        cr_assert_eq(status, RG_ERR_MEMORY);
    }
    matrix_free(&a);
    free(J);
}
