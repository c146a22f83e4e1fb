/*
 * test_solver_pgs.c - projected Gauss-Seidel against other ways to the same impulses: Gaussian elimination
 * where rows are bilateral, all cases of an LCP, the natural map elsewhere; the plain kernel against the
 * other; rows that are not packed against those that are.
 */
#include "problem_fixture.h"

/* Sweeps after which every problem here has come to rest. */
static RgPgsOptions exact_options(void)
{
    RgPgsOptions o = rg_pgs_options_default();
    o.iterations = 20000;
    o.tolerance = 1e-15;
    o.sor = 1.0;
    o.friction_sor = 1.0;
    return o;
}

/* A_ij of two rows. */
static double response(const ProblemCase *c, int i, int j)
{
    double x[PROBLEM_UNKNOWNS] = {0.0};
    rg_problem_apply_impulse(&c->p, j, 1.0, x);
    return rg_problem_row_times(&c->p, i, x) + (i == j ? c->compliance[i] : 0.0);
}

/* Gaussian elimination with pivoting of the chosen rows, all others zero. */
static void eliminate(const ProblemCase *c, const int *rows, int n, double *z)
{
    double A[16][17];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            A[i][j] = response(c, rows[i], rows[j]);
        A[i][n] = c->target[rows[i]] - rg_problem_row_times(&c->p, rows[i], c->s_free);
    }
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            best = fabs(A[i][k]) > fabs(A[best][k]) ? i : best;
        for (int j = 0; j <= n; j++) {
            double held = A[k][j];
            A[k][j] = A[best][j];
            A[best][j] = held;
        }
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0.0 : A[i][k] / A[k][k];
            for (int j = k; j <= n; j++)
                A[i][j] -= factor * A[k][j];
        }
    }
    memset(z, 0, sizeof(double) * (size_t)c->p.n);
    for (int k = 0; k < n; k++)
        z[rows[k]] = A[k][n] / A[k][k];
}

Test(solver_pgs, bilateral_rows_as_by_elimination)
{
    RgPgsOptions o = exact_options();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Draw d = draw_seed(seed);
        ProblemCase *c = problem_begin(4, &d);
        int rows[8];
        for (int k = 0; k < 8; k++)
            rows[k] = problem_row(c, &d, k % 4, k % 3 == 0 ? (k + 1) % 4 : -1, RG_ROW_BILATERAL);
        double z[PROBLEM_ROWS];
        eliminate(c, rows, 8, z);
        problem_solve(c, &o);
        CHECK_NEAR_ALL(c->z, z, c->p.n, 1e-9, "N s");
        CHECK_NEAR(problem_mismatch(c), 0.0, 1e-12, "m/s");
        free(c);
    }
}

/* A joint's rows at once: one sweep solves them, whatever the rows are; a row given twice takes its part and no
   more. */
Test(solver_pgs, rows_of_a_joint_at_once)
{
    RgPgsOptions o = exact_options();
    o.joint_blocks = true;
    o.iterations = 1;
    o.tolerance = 0.0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Draw d = draw_seed(seed);
        ProblemCase *c = problem_begin(2, &d);
        int rows[6], count = 1 + (int)(seed % 6);
        for (int k = 0; k < count; k++)
            rows[k] = problem_row(c, &d, 0, 1, RG_ROW_BILATERAL);
        double z[PROBLEM_ROWS];
        eliminate(c, rows, count, z);
        problem_solve(c, &o);
        CHECK_NEAR_ALL(c->z, z, c->p.n, 1e-9, "N s");
        free(c);
    }
    Draw d = draw_seed(7);
    ProblemCase *c = problem_begin(2, &d);
    problem_row(c, &d, 0, 1, RG_ROW_BILATERAL);
    problem_row(c, &d, 0, 1, RG_ROW_BILATERAL);
    c->compliance[0] = c->compliance[1] = 0.0;
    memcpy(c->values + c->start[1], c->values, 12 * sizeof *c->values);
    c->target[1] = c->target[0];
    RgSolveReport r = problem_solve(c, &o);
    cr_expect(r.residual.velocity < 1e-12, "%g m/s", r.residual.velocity);
    free(c);
}

/* Of all choices of rows that push, the one whose impulses and velocities have the right signs. */
static bool enumerate(const ProblemCase *c, double *z)
{
    int n = c->p.n;
    for (int choice = 0; choice < 1 << n; choice++) {
        int rows[16], count = 0;
        for (int i = 0; i < n; i++)
            if (choice >> i & 1)
                rows[count++] = i;
        eliminate(c, rows, count, z);
        bool right = true;
        double s[PROBLEM_UNKNOWNS];
        memcpy(s, c->s_free, sizeof s);
        for (int i = 0; i < n; i++)
            rg_problem_apply_impulse(&c->p, i, z[i], s);
        for (int i = 0; i < n && right; i++)
            right = z[i] >= -1e-12 && rg_problem_row_times(&c->p, i, s) >= c->target[i] - 1e-12;
        if (right)
            return true;
    }
    return false;
}

Test(solver_pgs, normals_as_by_trying_all_cases)
{
    RgPgsOptions o = exact_options();
    int active = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        Draw d = draw_seed(seed);
        ProblemCase *c = problem_begin(3, &d);
        for (int k = 0; k < 7; k++)
            problem_row(c, &d, k % 3, k % 2 == 0 ? (k + 1) % 3 : -1, RG_ROW_NORMAL);
        double z[PROBLEM_ROWS];
        cr_assert(enumerate(c, z));
        problem_solve(c, &o);
        CHECK_NEAR_ALL(c->z, z, c->p.n, 1e-9, "N s");
        for (int i = 0; i < c->p.n; i++)
            active += z[i] > 1e-6;
        free(c);
    }
    cr_expect(active > 50 && active < 160, "%d of 210 push", active);
}

/* With everything in it: the judge finds nothing to say. */
Test(solver_pgs, natural_map_vanishes)
{
    RgPgsOptions o = exact_options();
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ProblemCase *c = problem_random(seed, 12, seed % 2 == 0);
        RgSolveReport r = problem_solve(c, &o);
        cr_expect(r.residual.velocity < 1e-9, "seed %d: %g m/s at row %d after %d sweeps", (int)seed,
                  r.residual.velocity, r.residual.worst, r.iterations);
        CHECK_NEAR(problem_mismatch(c), 0.0, 1e-11, "m/s");
        free(c);
    }
}

/* The two kernels, and any option that changes the order of work. */
Test(solver_pgs, plain_kernel_gives_the_same_bits)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        RgContactLaw law;
        RgPgsOptions o;
        rg_pgs_preset(rg_pgs_preset_name((int)(seed % 3)), &law, &o);
        o.order = (RgPgsOrder)(seed % 4);
        ProblemCase *c = problem_random(seed, 20, seed % 2 == 0);
        double z[PROBLEM_ROWS], s[PROBLEM_UNKNOWNS];
        RgSolveReport fast = problem_solve(c, &o);
        memcpy(z, c->z, sizeof z);
        memcpy(s, c->s, sizeof s);
        problem_reset(c);
        o.plain = true;
        RgSolveReport plain = problem_solve(c, &o);
        cr_expect(memcmp(z, c->z, sizeof z) == 0 && memcmp(s, c->s, sizeof s) == 0, "seed %d", (int)seed);
        cr_expect(fast.change == plain.change && fast.iterations == plain.iterations);
        free(c);
    }
}

/* Patches of three and four points, beside smaller ones: the same sweeps whether taken by their base rows or row by
   row, and the same bits by both kernels. */
Test(solver_pgs, patches_by_their_base_rows)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Draw d = draw_seed(seed);
        ProblemCase *c = problem_begin(12, &d);
        for (int b = 0; b < 12; b++)
            problem_patch(c, &d, b, b < 11 && b % 3 > 0 ? b + 1 : -1, 1 + (int)((seed + (uint64_t)b) % 4));
        RgContactLaw law;
        RgPgsOptions o;
        rg_pgs_preset(seed % 2 == 0 ? "default" : "gazebo-vrc", &law, &o);
        o.order = (RgPgsOrder)(seed % 4);
        double z[2][PROBLEM_ROWS], s[2][PROBLEM_UNKNOWNS];
        int npatches = c->p.npatches;
        for (int k = 0; k < 3; k++) {
            problem_reset(c);
            o.plain = k == 1;
            c->p.npatches = k < 2 ? npatches : 0;
            problem_solve(c, &o);
            CHECK_NEAR(problem_mismatch(c), 0.0, 1e-12, "m/s");
            if (k < 2) {
                memcpy(z[k], c->z, sizeof z[k]);
                memcpy(s[k], c->s, sizeof s[k]);
            }
        }
        cr_expect(memcmp(z[0], z[1], sizeof z[0]) == 0 && memcmp(s[0], s[1], sizeof s[0]) == 0, "seed %d", (int)seed);
        CHECK_NEAR_ALL(z[0], c->z, (size_t)c->p.n, 1e-10, "N s");
        free(c);
    }
}

/* The same problem with no blocks goes through the other path, and one alone through both. */
Test(solver_pgs, rows_that_are_not_packed_agree)
{
    RgPgsOptions o = exact_options();
    for (uint64_t seed = 1; seed <= 20; seed++) {
        ProblemCase *c = problem_random(seed, 10, seed % 2 == 0);
        double s[PROBLEM_UNKNOWNS];
        problem_solve(c, &o);
        memcpy(s, c->s, sizeof s);
        for (int blocks = 0; blocks <= 5; blocks += 5) {
            problem_reset(c);
            c->p.nblocks = blocks;
            RgSolveReport r = problem_solve(c, &o);
            cr_expect(r.residual.velocity < 1e-9);
            CHECK_NEAR_ALL(c->s, s, c->p.nu, 1e-7, "m/s");
        }
        free(c);
    }
}

/* From the solution, nothing moves. */
Test(solver_pgs, warm_start_from_the_solution_stays)
{
    RgPgsOptions o = exact_options();
    ProblemCase *c = problem_random(3, 12, true);
    problem_solve(c, &o);
    double z[PROBLEM_ROWS];
    memcpy(z, c->z, sizeof z);
    memcpy(c->s, c->s_free, sizeof c->s);
    o.tolerance = 0.0;
    o.iterations = 1;
    RgSolveReport r = problem_solve(c, &o);
    cr_expect(r.change < 1e-12, "%g", r.change);
    CHECK_NEAR_ALL(c->z, z, c->p.n, 1e-12, "N s");
    free(c);
}

/* A body with more neighbours than there are colours. */
Test(solver_pgs, many_rows_on_one_body)
{
    RgPgsOptions o = exact_options();
    Draw d = draw_seed(5);
    ProblemCase *c = problem_begin(20, &d);
    for (int k = 0; k < 200; k++)
        c->compliance[problem_row(c, &d, 0, k % 4 == 0 ? -1 : 1 + k % 19, RG_ROW_NORMAL)] = 0.05;
    RgSolveReport r = problem_solve(c, &o);
    cr_expect(r.residual.velocity < 1e-8, "%g", r.residual.velocity);
    CHECK_NEAR(problem_mismatch(c), 0.0, 1e-11, "m/s");
    free(c);
}

/* 003, section 4: a damper inside the sweeps is the damper row, where it converges; a strong one is taken
   as a row. */
Test(solver_pgs, dampers_inside_the_sweeps)
{
    const double compliance[2] = {20.0, 1e-3};
    for (int strong = 0; strong < 2; strong++) {
        Draw d = draw_seed(7);
        ProblemCase *c = problem_begin(2, &d);
        int i = problem_row(c, &d, 0, 1, RG_ROW_BILATERAL);
        c->target[i] = 0.0;
        c->compliance[i] = compliance[strong];
        c->damper[i] = true;
        double expected = -rg_problem_row_times(&c->p, i, c->s_free) / rg_problem_diagonal(&c->p, i);
        RgPgsOptions o = exact_options();
        o.damping_in_sweeps = true;
        RgSolveReport r = problem_solve(c, &o);
        CHECK_REL(c->z[i], expected, 1e-10, "N s");
        cr_expect(r.not_in_sweeps == strong);
        free(c);
    }
}

/* Smoothing and extra friction sweeps move along the same way: the same rest, and s always belongs to z. */
Test(solver_pgs, smoothing_keeps_velocities_and_impulses_together)
{
    ProblemCase *c = problem_random(11, 12, false);
    RgContactLaw law;
    RgPgsOptions o;
    rg_pgs_preset("gazebo-vrc", &law, &o);
    o.smoothing = 0.3;
    o.smoothing_kind = RG_PGS_SMOOTH_CHANGE;
    o.iterations = 7;
    problem_solve(c, &o);
    CHECK_NEAR(problem_mismatch(c), 0.0, 1e-13, "m/s");
    o.iterations = 20000;
    RgSolveReport r = problem_solve((problem_reset(c), c), &o);
    cr_expect(r.residual.velocity < 1e-9, "%g", r.residual.velocity);
    free(c);
}

Test(solver_pgs, jacobi_rests_where_gauss_seidel_does)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgPgsOptions o = exact_options();
    for (int chunks = 1; chunks <= 5; chunks += 2) {
        ProblemCase *c = problem_random(13, 10, true);
        RgSolveReport r;
        o.chunks = chunks;
        o.sor = chunks == 1 ? 1.0 : 0.5;
        cr_assert(rg_pgs_jacobi_solve(&arena, &c->p, &o, &r) == RG_OK);
        cr_expect(r.residual.velocity < 1e-8, "%d chunks: %g m/s", chunks, r.residual.velocity);
        CHECK_NEAR(problem_mismatch(c), 0.0, 1e-10, "m/s");
        free(c);
    }
    rg_arena_free(&arena);
}

/* E(z) of pgs_jacobi.c. */
static double dual_energy(const ProblemCase *c)
{
    double E = 0.0;
    for (int k = 0; k < c->p.nu; k++)
        E += 0.5 * (c->s[k] - c->s_free[k]) * (c->s[k] - c->s_free[k]);
    for (int i = 0; i < c->p.n; i++)
        E += c->z[i] * (rg_problem_row_times(&c->p, i, c->s_free) - c->target[i] + 0.5 * c->compliance[i] * c->z[i]);
    return E;
}

/* Bounds of their own, sor to 1.95, any number of chunks, from anywhere: E falls in every sweep. */
Test(solver_pgs, jacobi_goes_downhill)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        ProblemCase *c = problem_random(seed, 1 + (int)(seed % 12), false);
        Draw d = draw_seed(seed);
        RgPgsOptions o = rg_pgs_options_default();
        RgSolveReport r;
        o.iterations = 1;
        o.sor = draw_between(&d, 0.3, 1.95);
        o.chunks = 1 + draw_below(&d, 16);
        for (int i = 0; i < c->p.n; i++) {
            c->row_class[i] = c->row_class[i] == RG_ROW_FRICTION ? RG_ROW_BOX : c->row_class[i];
            c->low[i] = c->row_class[i] == RG_ROW_BOX ? -c->high[i] : c->low[i];
            c->z[i] = fmax(c->low[i], fmin(draw_between(&d, -2.0, 2.0), c->high[i]));
            rg_problem_apply_impulse(&c->p, i, c->z[i], c->s);
        }
        double E = dual_energy(c), first = E;
        for (int sweep = 0; sweep < 20; sweep++) {
            memcpy(c->s, c->s_free, sizeof c->s);
            cr_assert(rg_pgs_jacobi_solve(&arena, &c->p, &o, &r) == RG_OK);
            double next = dual_energy(c);
            cr_expect(next <= E + 1e-12 * fabs(first), "seed %d, sweep %d: %g after %g", (int)seed, sweep, next, E);
            E = next;
        }
        cr_expect_lt(problem_mismatch(c), 1e-12);
        free(c);
    }
    rg_arena_free(&arena);
}

/* With friction, options as they come: what rows miss falls in a thousand problems, and goes on to fall in all but a
   few, in which one chunk (Gauss-Seidel) goes in a circle too. */
Test(solver_pgs, jacobi_does_not_diverge)
{
    RgArena arena;
    int circles = 0;
    rg_arena_init(&arena, NULL);
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        ProblemCase *c = problem_random(seed, 1 + (int)(seed % 16), seed % 2 == 0);
        RgPgsOptions o = rg_pgs_options_default();
        RgSolveReport r;
        double first = rg_problem_residual(&c->p, NULL, NULL).velocity;
        o.chunks = 1 + (int)(seed % 13);
        for (o.iterations = 50; o.iterations <= 2000; o.iterations *= 40) {
            problem_reset(c);
            cr_assert(rg_pgs_jacobi_solve(&arena, &c->p, &o, &r) == RG_OK);
            cr_expect(r.residual.velocity < 0.5 * first, "seed %d, %d chunks: %g after %g", (int)seed, o.chunks,
                      r.residual.velocity, first);
        }
        circles += r.residual.velocity > 1e-2 * first;
        free(c);
    }
    cr_expect_leq(circles, 5, "%d", circles);
    rg_arena_free(&arena);
}

Test(solver_pgs, options_are_checked)
{
    RgPgsOptions o = rg_pgs_options_default();
    const char *what = NULL;
    cr_expect(rg_pgs_options_check(&o, &what) == RG_OK);
    o.sor = 2.0;
    cr_expect(rg_pgs_options_check(&o, &what) == RG_ERR_ARGUMENT && what != NULL);
    o = (RgPgsOptions){.iterations = 5};
    cr_expect(rg_pgs_options_check(&o, NULL) == RG_ERR_ARGUMENT);
    RgContactLaw law = {.erp = 0.7};
    cr_expect(rg_pgs_preset("none such", &law, &o) == RG_ERR_NOT_FOUND && o.iterations == 5 && law.erp == 0.7);
    for (int i = 0; i < rg_pgs_preset_count(); i++)
        cr_expect(rg_pgs_preset(rg_pgs_preset_name(i), &law, &o) == RG_OK &&
                  rg_contact_law_check(&law, NULL) == RG_OK && rg_pgs_options_check(&o, NULL) == RG_OK);
}
