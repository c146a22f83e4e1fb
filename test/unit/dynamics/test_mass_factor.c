/* test_mass_factor.c - L'DL = M, M x = b, pivots that are not positive, and the bits of the plain loops at
   all widths. */
#include "scenes.h"
#include "tree_fixture.h"

#include <criterion/criterion.h>

/* Factor of a copy of the matrix. */
static RgMassFactor factor_of(TreeBench *b, const double *M)
{
    RgMassFactor f = {b->model, tree_numbers(b, b->nv * b->nv), (size_t)b->nv, tree_numbers(b, b->nv)};
    memcpy(f.L, M, (size_t)(b->nv * b->nv) * sizeof *M);
    return f;
}

/* (L'DL)_ij, L with ones on its diagonal. */
static double product(const RgMassFactor *f, int i, int j)
{
    int n = f->model->nv;
    double sum = 0.0;
    for (int k = i > j ? i : j; k < n; k++) {
        if (!is_ancestor(f->model, i, k) || !is_ancestor(f->model, j, k))
            continue;
        double L_ki = k == i ? 1.0 : f->L[k * n + i], L_kj = k == j ? 1.0 : f->L[k * n + j];
        sum += L_ki * L_kj / f->inverse_d[k];
    }
    return sum;
}

Test(mass_factor, product_is_the_matrix)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        int n = b.nv, bad;
        double *M = tree_mass(&b, NULL), *back = tree_numbers(&b, n * n);
        RgMassFactor f = factor_of(&b, M);
        cr_assert(rg_mass_factor_compute(&f, &bad));
        for (int k = 0; k < n * n; k++)
            back[k] = product(&f, k / n, k % n);
        CHECK_REL_ALL(back, M, n * n, 1e-12, "kg m^2");
        tree_bench_end(&b);
    }
}

Test(mass_factor, solves)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        int n = b.nv, bad;
        double *M = tree_mass(&b, NULL), *x = tree_numbers(&b, n), *back = tree_numbers(&b, n);
        RgMassFactor f = factor_of(&b, M);
        cr_assert(rg_mass_factor_compute(&f, &bad));
        memcpy(x, b.k.s.tau, (size_t)n * sizeof *x);
        rg_mass_factor_solve(&f, x);
        for (int k = 0; k < n * n; k++)
            back[k / n] += M[k] * x[k % n];
        CHECK_REL_ALL(back, b.k.s.tau, n, 1e-9, "N m");
        tree_bench_end(&b);
    }
}

/* Columns of a block: the branches of the last velocity and of the first, and unit forces along both. */
static void check_block(TreeBench *b, const RgMassFactor *f, const double *one)
{
    enum { COLUMNS = 20 };
    int n = b->nv, last = n - 1, *parent = b->model->dof_parent;
    int32_t *row = calloc((size_t)n, sizeof *row);
    RgHalfSpan *span = calloc((size_t)n, sizeof *span);
    double *X = tree_numbers(b, COLUMNS * n), *alone = tree_numbers(b, n), squares[COLUMNS] = {0.0};
    cr_assert(row != NULL && span != NULL);
    for (int k = 0; k < n; k++)
        row[k] = k;
    for (int j = last; j >= 0; j = parent[j]) {
        span[j] = (RgHalfSpan){0, COLUMNS};
        for (int c = 0; c < COLUMNS; c++)
            X[COLUMNS * row[j] + c] = (c + 1.0) * one[j];
    }
    RgHalfBlock block = {.stride = COLUMNS, .first = 0, .count = n, .row = row, .squares = squares};
    rg_mass_factor_half_solve_block(f, &block, span, X);

    /* One column after the other. */
    for (int c = 0; c < COLUMNS; c++) {
        memset(alone, 0, (size_t)n * sizeof *alone);
        for (int j = last; j >= 0; j = parent[j])
            alone[j] = (c + 1.0) * one[j];
        rg_mass_factor_half_solve(f, last, 0, alone);
        double sum = 0.0;
        for (int j = 0; j < n; j++)
            sum += alone[j] * alone[j] * f->inverse_d[j];
        CHECK_REL(squares[c], sum, 1e-12, "1/kg");
        for (int j = 0; j < n; j++)
            cr_expect(X[COLUMNS * row[j] + c] == alone[j] * sqrt(f->inverse_d[j]), "column %d, row %d", c, j);
    }
    free(row);
    free(span);
}

Test(mass_factor, halves_meet_in_the_inverse)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        int n = b.nv, bad;
        double *M = tree_mass(&b, NULL), *one = tree_numbers(&b, n);
        RgMassFactor f = factor_of(&b, M);
        cr_assert(rg_mass_factor_compute(&f, &bad));
        int k = n - 1;
        for (int j = k; j >= 0; j = b.model->dof_parent[j])
            one[j] = 1.0 + 0.1 * j;
        check_block(&b, &f, one);

        /* x . M^-1 x by a whole solve, and by two halves. */
        double *x = tree_numbers(&b, n), whole = 0.0, halves = 0.0;
        memcpy(x, one, (size_t)n * sizeof *x);
        rg_mass_factor_solve(&f, x);
        for (int j = 0; j < n; j++)
            whole += one[j] * x[j];
        rg_mass_factor_half_solve(&f, k, 0, one);
        for (int j = 0; j < n; j++)
            halves += one[j] * one[j] * f.inverse_d[j];
        CHECK_REL(halves, whole, 1e-10, "1/kg");

        /* The other half of the solve. */
        for (int j = 0; j < n; j++)
            one[j] *= sqrt(f.inverse_d[j]);
        rg_part_solve_half(&f, rg_tree_whole(b.model), one);
        CHECK_REL_ALL(one, x, n, 1e-10, "1/kg");
        tree_bench_end(&b);
    }
}

static void check_bits(TreeBench *b, const char *what, int number)
{
    size_t bytes = (size_t)b->nv * sizeof(double);
    int bad;
    double *M = tree_mass(b, NULL), *x = tree_numbers(b, b->nv), *y = tree_numbers(b, b->nv);
    RgMassFactor fast = factor_of(b, M), plain = factor_of(b, M);
    cr_assert(rg_mass_factor_compute(&fast, &bad) && rg_mass_factor_compute_plain(&plain, &bad));
    for (int k = 0; k < b->nv; k++) {
        size_t row = (size_t)k * (size_t)b->nv;
        cr_expect(same_bits(fast.L + row, plain.L + row, (size_t)k * sizeof(double)), "row %d of %s %d", k, what,
                  number);
    }
    cr_expect(same_bits(fast.inverse_d, plain.inverse_d, bytes), "D of %s %d", what, number);
    memcpy(x, b->k.s.tau, bytes);
    memcpy(y, b->k.s.tau, bytes);
    rg_mass_factor_solve(&fast, x);
    rg_mass_factor_solve_plain(&plain, y);
    cr_expect(same_bits(x, y, bytes), "solution of %s %d", what, number);
}

/* Trees have narrow runs; chains wide ones, and more rows than are taken at once. */
Test(mass_factor, has_the_bits_of_the_plain_loops)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        TreeBench b = tree_bench_drawn(seed);
        check_bits(&b, "tree", (int)seed);
        tree_bench_end(&b);
    }
    for (int n = 1; n <= 150; n += n < 72 ? 1 : 13) {
        TreeBench b = tree_bench(scene_chain(n), (uint64_t)n);
        check_bits(&b, "chain", n);
        tree_bench_end(&b);
    }
}

Test(mass_factor, names_the_velocity_without_inertia)
{
    TreeBench b = tree_bench(scene_quadruped(), 2);
    int bad = -1, n = b.nv;
    double *M = tree_mass(&b, NULL);
    M[10 * n + 10] = 0.0;
    RgMassFactor f = factor_of(&b, M), plain = factor_of(&b, M);
    cr_expect(!rg_mass_factor_compute(&f, &bad));
    cr_expect(bad == 10, "velocity %d", bad);
    cr_expect(!rg_mass_factor_compute_plain(&plain, &bad));
    cr_expect(bad == 10, "velocity %d", bad);
    M[10 * n + 10] = (double)NAN;
    f = factor_of(&b, M);
    cr_expect(!rg_mass_factor_compute(&f, &bad));
    tree_bench_end(&b);
}
