/*
 * test_solver_qp.c - least kinetic energy over polygonal cones: closed forms, and the same program as a
 * complementarity problem by Lemke's method.
 */
#include "problem_fixture.h"
#include "solver/pivot/lemke.h"
#include "solver/program/energy_program.h"
#include "solver/solver_table.h"

static RgSolveReport run(ProblemCase *c, int sides)
{
    RgArena arena;
    RgSolveReport report;
    RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
    o.exact.sides = sides;
    rg_arena_init(&arena, NULL);
    problem_reset(c);
    cr_assert(rg_solver_qp.solve_rows(&arena, &c->p, &o, &report) == RG_OK);
    rg_arena_free(&arena);
    return report;
}

/* Box: (n - 1)^2 + (1.8 - mu n)^2 + (2.4 - mu n)^2 is least at n = (1 + 4.2 mu) / (1 + 2 mu^2). */
Test(qp, four_edges_are_a_box)
{
    ProblemCase *c = problem_sliding_point(0.5, 3.0);
    double n = 3.1 / 1.5;
    cr_expect(run(c, 4).converged);
    CHECK_NEAR_ALL(c->z, ((double[]){n, -0.5 * n, -0.5 * n}), 3, 1e-7, "N s");
    CHECK_NEAR(c->s[0], n - 1.0, 1e-7, "m/s");
    free(c);
}

/* The polygon is wider than the circle and lets more energy go; the more edges the less. */
Test(qp, more_edges_come_nearer_to_the_circle)
{
    ProblemCase *c = problem_sliding_point(0.5, 3.0);
    double circle = (1.0 + 0.5 * 3.0) / 1.25; /* (n - 1)^2 + (3 - mu n)^2 is least */
    double energy = 0.5 * ((circle - 1.0) * (circle - 1.0) + (3.0 - 0.5 * circle) * (3.0 - 0.5 * circle));
    for (int sides = 4; sides <= 16; sides += 4) {
        int last = sides / 2 - 1;
        double turn = 0.5 * 3.14159265358979 / last, wider = 1.0 / cos(0.5 * turn);
        cr_expect(run(c, sides).converged);
        double own = 0.5 * (c->s[0] * c->s[0] + c->s[1] * c->s[1] + c->s[2] * c->s[2]);
        double mu = 0.5 * wider, n = (1.0 + mu * 3.0) / (1.0 + mu * mu);
        double corner = 0.5 * ((n - 1.0) * (n - 1.0) + (3.0 - mu * n) * (3.0 - mu * n));
        cr_expect(own <= energy && own >= corner, "%d sides: %g, circle %g, corners %g", sides, own, energy,
                  corner);
        for (int j = 0; j < sides / 2; j++)
            cr_expect(cos(turn * j) * fabs(c->z[1]) + sin(turn * j) * fabs(c->z[2]) <= 0.5 * c->z[0] + 1e-8);
    }
    free(c);
}

/* w_x = Hx + c + G'y = 0 with x free, w_y = h - Gx >= 0 against y >= 0. */
static double energy_by_lemke(const ProblemCase *c, int sides)
{
    RgArena arena;
    RgEnergyProblem e;
    RgConeProgram q;
    RgDenseLcp lcp;
    RgLemkeReport report;
    RgExactOptions o = rg_exact_options_default();
    rg_arena_init(&arena, NULL);
    cr_assert(rg_energy_problem_make(&arena, &c->p, NULL, c->p.n, &e));
    cr_assert(rg_energy_program_make(&arena, &e, &c->p, &(RgEnergyShape){.edges = sides}, &q));
    cr_assert(q.ncones == 0 && rg_dense_lcp_take(&arena, q.n + q.m, false, &lcp));
    int all = q.n + q.m;
    for (int i = 0; i < all; i++) {
        lcp.q[i] = i < q.n ? q.c[i] : q.h[i - q.n];
        lcp.low[i] = i < q.n ? -INFINITY : 0.0;
        lcp.high[i] = INFINITY;
        for (int j = 0; j < q.n; j++)
            lcp.M[i * all + j] = i < q.n ? q.H[i * q.n + j] : -q.G[(i - q.n) * q.n + j];
        for (int j = 0; j < q.m && i < q.n; j++)
            lcp.M[i * all + q.n + j] = q.G[j * q.n + i];
    }
    lcp.symmetric = false;
    cr_assert(rg_lemke_solve(&arena, &lcp, &o, &report) == RG_OK);
    cr_expect(report.outcome == RG_SOLVE_SOLVED);
    for (int i = 0; i < e.n; i++)
        q.x[i] = lcp.z[i] * e.impulse;
    double energy = rg_energy_of(&e, q.x);
    rg_arena_free(&arena);
    return energy;
}

/* E(z) at what the solver left. */
static double energy_of(ProblemCase *c)
{
    RgArena arena;
    RgEnergyProblem e;
    double z[PROBLEM_ROWS], left[PROBLEM_ROWS];
    memcpy(z, c->z, sizeof z);
    problem_reset(c);
    rg_arena_init(&arena, NULL);
    cr_assert(rg_energy_problem_make(&arena, &c->p, NULL, c->p.n, &e));
    for (int i = 0; i < e.n; i++)
        left[i] = z[e.row[i]];
    double energy = rg_energy_of(&e, left);
    rg_arena_free(&arena);
    return energy;
}

Test(qp, against_lemke)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        ProblemCase *c = problem_random(seed, 2 + (int)seed % 4, true);
        int sides = seed % 2 == 0 ? 4 : 8;
        problem_reset(c);
        double expected = energy_by_lemke(c, sides);
        cr_expect(run(c, sides).converged);
        CHECK_NEAR(energy_of(c), expected, 1e-8, "J");
        free(c);
    }
}

/* A body held by a row without bounds cannot leave the plane as told. */
Test(qp, tells_that_nothing_is_allowed)
{
    ProblemCase *c = problem_sliding_point(0.5, 3.0);
    Draw d = draw_seed(7);
    int i = problem_row(c, &d, 0, -1, RG_ROW_BILATERAL);
    for (int k = 0; k < 6; k++)
        c->values[c->start[i] + k] = k == 0 ? 1.0 : 0.0;
    c->target[i] = -0.5;
    RgSolveReport report = run(c, 4);
    cr_expect(!report.converged && report.outcome == RG_SOLVE_INFEASIBLE);
    cr_expect(problem_mismatch(c) < 1e-14 && isfinite(c->s[0]));
    free(c);
}
