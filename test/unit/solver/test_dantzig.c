/*
 * test_dantzig.c - principal pivoting against trying all cases and against Lemke's method: bounds, equalities,
 * redundant rows, friction, conflicts; the factor whose rows come and go against one made anew.
 */
#include "lcp_fixture.h"
#include "math/grow_ldl.h"
#include "solver/pivot/dantzig.h"

typedef RgStatus Solve(RgArena *, RgDenseLcp *, const RgExactOptions *, RgDantzigReport *);

static RgDantzigReport run(LcpCase *c, Solve *solve)
{
    RgExactOptions o = rg_exact_options_default();
    RgDantzigReport report;
    rg_arena_reset(&c->arena);
    cr_assert(solve(&c->arena, &c->lcp, &o, &report) == RG_OK);
    return report;
}

/* ------------------------------------------------------------------ the factor */

Test(dantzig, rows_of_the_factor_come_and_go)
{
    Draw d = draw_seed(4);
    LcpCase *c = lcp_begin(40);
    lcp_gram(c, &d, 40, 0.01);
    static double memory[40 * 42];
    RgGrowLdl ldl;
    rg_grow_ldl_place(&ldl, 40, memory);
    int in[40], count = 0;
    for (int step = 0; step < 2000; step++) {
        if (count > 0 && (count == 40 || draw_chance(&d, 0.45))) {
            int k = draw_below(&d, count);
            rg_grow_ldl_remove(&ldl, k);
            memmove(in + k, in + k + 1, (size_t)(--count - k) * sizeof *in);
            continue;
        }
        double row[40];
        int i = draw_below(&d, 40);
        bool there = false;
        for (int k = 0; k < count; k++) {
            row[k] = *lcp_at(c, i, in[k]);
            there = there || in[k] == i;
        }
        bool taken = rg_grow_ldl_add(&ldl, row, *lcp_at(c, i, i), 1e-9);
        cr_assert(taken != there, "step %d", step);
        if (taken)
            in[count++] = i;
        cr_assert(ldl.n == count);
    }
    double x[40], b[40];
    for (int k = 0; k < count; k++)
        x[k] = b[k] = draw_between(&d, -1.0, 1.0);
    rg_grow_ldl_solve(&ldl, x);
    for (int k = 0; k < count; k++) {
        double sum = 0.0;
        for (int j = 0; j < count; j++)
            sum += *lcp_at(c, in[k], in[j]) * x[j];
        CHECK_NEAR(sum, b[k], 1e-8, "1");
    }
    lcp_end(c);
}

/* ------------------------------------------------------------------ fixed bounds */

static void draw_box(LcpCase *c, Draw *d)
{
    for (int i = 0; i < c->lcp.n; i++) {
        c->low[i] = draw_chance(d, 0.3) ? -INFINITY : draw_between(d, -1.0, 0.2);
        c->high[i] = draw_chance(d, 0.3) ? INFINITY : fmax(c->low[i], draw_between(d, -0.2, 1.0));
        if (draw_chance(d, 0.1) && isfinite(c->high[i]))
            c->low[i] = c->high[i];
        if (draw_chance(d, 0.1))
            c->low[i] = -INFINITY, c->high[i] = INFINITY;
        c->q[i] = draw_between(d, -1.0, 1.0);
    }
}

Test(dantzig, bounds_as_by_trying_all_cases)
{
    for (uint64_t seed = 1; seed <= 600; seed++) {
        Draw d = draw_seed(seed);
        LcpCase *c = lcp_begin(1 + draw_below(&d, 6));
        lcp_gram(c, &d, c->lcp.n, 0.05);
        draw_box(c, &d);
        double z[LCP_ROWS];
        cr_assert(lcp_enumerate(c), "seed %d", (int)seed);
        memcpy(z, c->z, sizeof z);
        for (int k = 0; k < 2; k++) {
            RgDantzigReport r = run(c, k == 0 ? rg_dantzig_box : rg_dantzig_solve);
            cr_expect(r.outcome == RG_SOLVE_SOLVED, "seed %d: %s %g", (int)seed, rg_solve_outcome_name(r.outcome),
                      r.residual.natural);
            CHECK_NEAR_ALL(c->z, z, (size_t)c->lcp.n, 1e-8, "1");
        }
        lcp_end(c);
    }
}

/* Of any rank, solvable or not: the same w as Lemke's where that finds a solution, and no solution where it finds
   none. */
Test(dantzig, redundant_rows_as_by_lemke)
{
    int solved = 0, none = 0, fast = 0;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        Draw d = draw_seed(seed);
        int n = 2 + draw_below(&d, 30), rank = 1 + draw_below(&d, n);
        LcpCase *c = lcp_begin(n);
        lcp_gram(c, &d, rank, 0.0);
        draw_box(c, &d);
        double x[LCP_ROWS], w[LCP_ROWS];
        for (int j = 0; j < n; j++)
            x[j] = draw_between(&d, -1.0, 1.0);
        for (int i = 0; i < n && draw_chance(&d, 0.99); i++) {
            c->q[i] = 0.0;
            for (int j = 0; j < n; j++)
                c->q[i] += *lcp_at(c, i, j) * x[j];
        }
        RgLemkeReport lemke = lcp_lemke(c);
        memcpy(w, c->w, sizeof w);
        for (int k = 0; k < 2; k++) {
            memset(c->z, 0, sizeof c->z);
            RgDantzigReport r = run(c, k == 0 ? rg_dantzig_box : rg_dantzig_solve);
            cr_expect((r.outcome == RG_SOLVE_SOLVED) == (lemke.outcome == RG_SOLVE_SOLVED),
                      "seed %d way %d n %d rank %d: %s %g pivots %d, lemke %s %g", (int)seed, k, n, rank,
                      rg_solve_outcome_name(r.outcome), r.residual.natural, r.pivots,
                      rg_solve_outcome_name(lemke.outcome), lemke.residual.natural);
            if (lemke.outcome == RG_SOLVE_SOLVED)
                CHECK_NEAR_ALL(c->w, w, (size_t)n, 1e-7, "1");
            fast += k == 1 && r.fast;
        }
        solved += lemke.outcome == RG_SOLVE_SOLVED;
        none += lemke.outcome == RG_SOLVE_RAY;
        lcp_end(c);
    }
    cr_expect(solved > 800 && none > 20 && fast > 800, "%d solved, %d not, %d fast", solved, none, fast);
}

/* ------------------------------------------------------------------ friction */

static LcpCase *draw_friction(uint64_t seed, double most_mu)
{
    Draw d = draw_seed(seed);
    int points = 1 + draw_below(&d, 12), n = 3 * points, nu = 6 * (1 + draw_below(&d, 4));
    LcpCase *c = lcp_begin(n);
    lcp_gram(c, &d, nu, 0.0);
    c->lcp.normal = c->normal;
    double x[LCP_ROWS];
    for (int j = 0; j < n; j++)
        x[j] = draw_between(&d, -1.0, 0.2);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c->q[i] += *lcp_at(c, i, j) * x[j];
        if (i % 3 == 0)
            continue;
        c->normal[i] = i - i % 3;
        c->high[i] = draw_chance(&d, 0.1) ? 0.0 : draw_between(&d, 0.0, most_mu);
    }
    return c;
}

static void try_friction(double mu, int least)
{
    int solved = 0, fast = 0, lemke = 0, rounds = 0, solved_by_lemke = 0;
    for (uint64_t seed = 1; seed <= 500; seed++) {
        LcpCase *c = draw_friction(seed, mu);
        RgDantzigReport r = run(c, rg_dantzig_solve);
        solved += r.outcome == RG_SOLVE_SOLVED;
        fast += r.fast;
        rounds += r.rounds;
        solved_by_lemke += r.solved_by_lemke;
        cr_expect(r.outcome == RG_SOLVE_SOLVED || r.outcome == RG_SOLVE_ITERATIONS);
        lemke += lcp_lemke(c).outcome == RG_SOLVE_SOLVED;
        lcp_end(c);
    }
    cr_expect(solved >= least, "mu %g: %d solved of 500, %d fast, %d rounds, %d lent; lemke %d", mu, solved, fast,
              rounds, solved_by_lemke, lemke);
}

Test(dantzig, friction_settles)
{
    try_friction(0.3, 500);
    try_friction(1.0, 500);
    try_friction(10.0, 500);
    try_friction(100.0, 500);
}

/* Two equalities that contradict each other: said, and all else is solved. */
Test(dantzig, conflicts_are_reported)
{
    Draw d = draw_seed(3);
    LcpCase *c = lcp_begin(8);
    lcp_gram(c, &d, 8, 0.1);
    for (int j = 0; j < 8; j++) /* row and column 1 as 0 */
        *lcp_at(c, 1, j) = *lcp_at(c, 0, j);
    for (int j = 0; j < 8; j++)
        *lcp_at(c, j, 1) = *lcp_at(c, j, 0);
    for (int i = 0; i < 8; i++) {
        c->q[i] = draw_between(&d, -1.0, 1.0);
        c->low[i] = i < 2 ? -INFINITY : 0.0;
    }
    c->q[1] = c->q[0] + 0.25;
    for (int k = 0; k < 2; k++) {
        RgDantzigReport r = run(c, k == 0 ? rg_dantzig_box : rg_dantzig_solve);
        cr_expect(r.outcome == RG_SOLVE_INFEASIBLE && r.conflicts == 1, "%s", rg_solve_outcome_name(r.outcome));
        CHECK_NEAR(fabs(c->w[0]) + fabs(c->w[1]), 0.25, 1e-12, "1");
        for (int i = 2; i < 8; i++)
            CHECK_NEAR(fmin(c->z[i], c->w[i]), 0.0, 1e-12, "1");
    }
    c->q[1] = c->q[0];
    RgDantzigReport r = run(c, rg_dantzig_solve);
    cr_expect(r.outcome == RG_SOLVE_SOLVED && r.redundant == 1 && c->z[1] == 0.0);
    c->M[3] = NAN;
    r = run(c, rg_dantzig_solve);
    cr_expect(r.outcome == RG_SOLVE_SINGULAR && c->z[0] == 0.0);
    lcp_end(c);
}
