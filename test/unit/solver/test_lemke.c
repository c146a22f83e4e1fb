/*
 * test_lemke.c - Lemke's method against trying all cases: positive semidefinite, copositive, nonsymmetric matrices,
 * bounds, equalities, ties; problems with no solution; the problems of the literature in ../shared/problems.
 */
#include "lcp_fixture.h"

/* ------------------------------------------------------------------ drawn problems */

/* Positive definite and not symmetric: every problem has one solution. */
static void draw_positive(LcpCase *c, Draw *d)
{
    lcp_gram(c, d, c->lcp.n, 0.1);
    for (int i = 0; i < c->lcp.n; i++)
        for (int j = 0; j < i; j++) {
            double skew = draw_between(d, -1.0, 1.0);
            *lcp_at(c, i, j) += skew;
            *lcp_at(c, j, i) -= skew;
        }
    c->lcp.symmetric = false;
}

static void draw_bounds(LcpCase *c, Draw *d)
{
    for (int i = 0; i < c->lcp.n; i++) {
        c->low[i] = draw_chance(d, 0.3) ? -INFINITY : draw_between(d, -1.0, 0.2);
        c->high[i] = draw_chance(d, 0.3) ? INFINITY : fmax(c->low[i], draw_between(d, -0.2, 1.0));
        if (draw_chance(d, 0.1) && isfinite(c->high[i]))
            c->low[i] = c->high[i];
    }
}

/* One solution: lemke has it. */
Test(lemke, bounds_as_by_trying_all_cases)
{
    for (uint64_t seed = 1; seed <= 600; seed++) {
        Draw d = draw_seed(seed);
        LcpCase *c = lcp_begin(1 + draw_below(&d, 6));
        draw_positive(c, &d);
        draw_bounds(c, &d);
        for (int i = 0; i < c->lcp.n; i++)
            c->q[i] = draw_between(&d, -1.0, 1.0);
        double z[LCP_ROWS];
        cr_assert(lcp_enumerate(c), "seed %d", (int)seed);
        memcpy(z, c->z, sizeof z);
        RgLemkeReport r = lcp_lemke(c);
        cr_expect(r.outcome == RG_SOLVE_SOLVED && r.fallback_index == 0, "seed %d: %s, rung %d", (int)seed,
                  rg_solve_outcome_name(r.outcome), r.fallback_index);
        CHECK_NEAR_ALL(c->z, z, (size_t)c->lcp.n, 1e-9, "1");
        lcp_end(c);
    }
}

/* Semidefinite of any rank, right sides in reach or not: solved exactly where trying all cases finds a solution, else a
   ray. */
Test(lemke, semidefinite_solved_or_ray)
{
    int solved = 0, rays = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        Draw d = draw_seed(seed);
        int n = 2 + draw_below(&d, 6);
        LcpCase *c = lcp_begin(n);
        lcp_gram(c, &d, draw_below(&d, n), 0.0);
        for (int i = 0; i < n; i++)
            c->q[i] = draw_between(&d, -1.0, draw_chance(&d, 0.5) ? 1.5 : 0.2);
        bool exists = lcp_enumerate(c);
        RgLemkeReport r = lcp_lemke(c);
        cr_expect(r.outcome == (exists ? RG_SOLVE_SOLVED : RG_SOLVE_RAY), "seed %d: %s, residual %g", (int)seed,
                  rg_solve_outcome_name(r.outcome), r.residual.plain);
        solved += exists;
        rays += !exists;
        lcp_end(c);
    }
    cr_expect(solved > 150 && rays > 100, "%d solved, %d rays", solved, rays);
}

/* Small whole numbers: ties at nearly every pivot. Copositive (no entry negative, diagonal positive): solvable. */
Test(lemke, ties_do_not_cycle)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        Draw d = draw_seed(seed);
        int n = 2 + draw_below(&d, 20), most = 0;
        LcpCase *c = lcp_begin(n);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                *lcp_at(c, i, j) = i == j ? 1.0 : (double)draw_below(&d, 3);
            c->q[i] = (double)(draw_below(&d, 3) - 2);
        }
        RgLemkeReport r = lcp_lemke(c);
        cr_expect(r.outcome == RG_SOLVE_SOLVED, "seed %d: %s, residual %g", (int)seed, rg_solve_outcome_name(r.outcome),
                  r.residual.plain);
        most = r.pivots > most ? r.pivots : most;
        cr_expect(most < 12 * n, "seed %d: %d pivots for %d rows", (int)seed, most, n);
        lcp_end(c);
    }
}

/* Any matrix: what is called solved is, and where no case solves nothing is called so. */
Test(lemke, any_matrix_is_answered_truly)
{
    int solved = 0, missed = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        Draw d = draw_seed(seed);
        int n = 1 + draw_below(&d, 6);
        LcpCase *c = lcp_begin(n);
        bool whole = draw_chance(&d, 0.3);
        for (int e = 0; e < n * n; e++)
            c->M[e] = whole ? draw_below(&d, 5) - 2 : draw_between(&d, -1.0, 1.0);
        for (int i = 0; i < n; i++) {
            c->q[i] = whole ? draw_below(&d, 5) - 2 : draw_between(&d, -1.0, 1.0);
            if (draw_chance(&d, 0.3))
                c->low[i] = -INFINITY;
        }
        bool exists = lcp_enumerate(c);
        RgLemkeReport r = lcp_lemke(c);
        if (r.outcome == RG_SOLVE_SOLVED) {
            cr_expect(rg_dense_lcp_residual(&c->lcp).plain < 1e-9, "seed %d", (int)seed);
            solved++;
        } else {
            missed += exists;
            cr_expect(isfinite(r.residual.plain));
        }
        lcp_end(c);
    }
    cr_expect(solved > 300 && missed == 0, "%d solved, %d missed", solved, missed);
}

/* Masses from 1 to 1e12 between rows: the answer is that of the problem of size 1. */
Test(lemke, scales_do_not_matter)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        Draw d = draw_seed(seed);
        int n = 4 + draw_below(&d, 30);
        LcpCase *c = lcp_begin(n);
        double z[LCP_ROWS], scale[LCP_ROWS];
        lcp_gram(c, &d, n, 0.1);
        for (int i = 0; i < n; i++) {
            c->q[i] = draw_between(&d, -1.0, 1.0);
            c->high[i] = draw_chance(&d, 0.5) ? 0.3 : INFINITY;
        }
        cr_assert(lcp_lemke(c).outcome == RG_SOLVE_SOLVED);
        memcpy(z, c->z, sizeof z);
        for (int i = 0; i < n; i++)
            scale[i] = i % 3 == 0 ? 1e6 : i % 3 == 1 ? 1e-6 : 1.0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++)
                *lcp_at(c, i, j) *= scale[i] * scale[j];
            c->q[i] *= scale[i];
            c->high[i] /= scale[i];
        }
        cr_expect(lcp_lemke(c).outcome == RG_SOLVE_SOLVED, "seed %d", (int)seed);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(c->z[i] * scale[i], z[i], 1e-8, "1");
        lcp_end(c);
    }
}

/* ------------------------------------------------------------------ friction, refusals */

/* Normals with two friction rows each, coefficients from 0 to 100: the linked bounds hold to round-off. */
Test(lemke, friction_rows_are_solved_linked)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Draw d = draw_seed(seed);
        int points = 1 + draw_below(&d, 6), n = 3 * points;
        LcpCase *c = lcp_begin(n);
        bool full = draw_chance(&d, 0.7);
        lcp_gram(c, &d, full ? n : (n + 1) / 2, 0.0);
        c->lcp.normal = c->normal;
        for (int i = 0; i < n; i++) {
            c->q[i] = draw_between(&d, -1.0, 0.3);
            if (i % 3 == 0)
                continue;
            c->normal[i] = i - i % 3;
            c->high[i] = draw_chance(&d, 0.2) ? 0.0 : draw_chance(&d, 0.2) ? 100.0 : draw_between(&d, 0.0, 1.5);
        }
        /* With a low rank there may be no solution. */
        RgLemkeReport r = lcp_lemke(c);
        cr_expect(!full || r.outcome == RG_SOLVE_SOLVED, "seed %d: %s %g", (int)seed, rg_solve_outcome_name(r.outcome),
                  r.residual.plain);
        if (r.outcome == RG_SOLVE_SOLVED)
            cr_expect(r.residual.plain < 1e-9, "seed %d: %g", (int)seed, r.residual.plain);
        lcp_end(c);
    }
}

Test(lemke, numbers_that_are_none_are_refused)
{
    for (int k = 0; k < 6; k++) {
        LcpCase *c = lcp_begin(3);
        for (int i = 0; i < 3; i++) {
            *lcp_at(c, i, i) = 1.0;
            c->q[i] = -1.0;
            c->z[i] = 7.0;
        }
        if (k == 0)
            c->M[4] = NAN;
        if (k == 1)
            c->q[1] = INFINITY;
        if (k == 2)
            c->low[2] = 2.0, c->high[2] = 1.0;
        if (k == 3)
            c->high[0] = NAN;
        if (k == 4)
            c->lcp.normal = c->normal, c->normal[2] = 5;
        if (k == 5)
            c->lcp.n = 0;
        RgLemkeReport r = lcp_lemke(c);
        cr_expect(r.outcome == (k == 5 ? RG_SOLVE_SOLVED : RG_SOLVE_SINGULAR), "case %d", k);
        cr_expect(k == 5 || (c->z[0] == 0.0 && c->z[2] == 0.0));
        lcp_end(c);
    }
}

/* ------------------------------------------------------------------ the literature */

static void solve_file(const char *folder, const char *name, bool mixed)
{
    char path[512];
#ifdef RIGOR_SHARED_MODELS
    snprintf(path, sizeof path, "%s/../problems/%s/%s.dat", RIGOR_SHARED_MODELS, folder, name);
#else
    snprintf(path, sizeof path, "%s/%s.dat", folder, name);
#endif
    LcpCase *c = lcp_read(path, mixed);
    if (c == NULL)
        cr_skip("no %s", path);
    RgLemkeReport r = lcp_lemke(c);
    cr_expect(r.outcome == RG_SOLVE_SOLVED && r.fallback_index == 0, "%s: %s, rung %d", name,
              rg_solve_outcome_name(r.outcome), r.fallback_index);
    cr_expect(r.residual.plain < 1e-10 && r.residual.natural < 1e-10, "%s: %g", name, r.residual.plain);
    lcp_end(c);
}

Test(lemke, problems_of_the_literature)
{
    const char *names[] = {"CPS_1", "CPS_2", "CPS_4",  "Pang_isolated_sol", "deudeu", "exp_murty",
                           "mmc",   "ortiz", "trivial"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char name[64];
        snprintf(name, sizeof name, "lcp_%s", names[k]);
        solve_file("lcp", name, false);
    }
}

Test(lemke, circuits_with_equalities)
{
    const char *names[] = {"BuckFirstStep_mlcp", "PD_mlcp",   "RCD_mlcp",   "RLCD_mlcp",
                           "diodeBridge_mlcp",   "m2n1_mlcp", "relay2_mlcp"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        solve_file("mlcp", names[k], true);
}
