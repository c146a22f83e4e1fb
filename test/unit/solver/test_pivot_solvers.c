/*
 * test_pivot_solvers.c - dantzig, lemke, no-slip and viscous over rows: against each other, against sweeps to
 * convergence, against closed forms.
 */
#include "rows_fixture.h"
#include "solver/pivot/dantzig.h"
#include "solver/row_islands.h"

/* From no impulses at all. */
static RgSolveReport solve_by(ProblemCase *c, const char *name, const RgExactOptions *exact)
{
    problem_reset(c);
    RgSolveReport report = rows_solve_on(c, name, exact);
    CHECK_NEAR(problem_mismatch(c), 0.0, 1e-9, "m/s");
    return report;
}

/* Random points, limits and joints; every kind of hardship by turns. */
static ProblemCase *draw_problem(uint64_t seed, double mu, bool cone)
{
    Draw d = draw_seed(seed);
    int bodies = 1 + draw_below(&d, 5);
    ProblemCase *c = problem_begin(bodies, &d);
    for (int b = 1; b < bodies; b += 2)
        for (int k = 0; k < 2; k++)
            problem_row(c, &d, b - 1, b, RG_ROW_BILATERAL);
    if (draw_chance(&d, 0.5)) {
        int i = problem_row(c, &d, 0, -1, RG_ROW_BOUNDED);
        c->low[i] = -0.1;
        c->high[i] = draw_chance(&d, 0.5) ? 0.1 : INFINITY;
    }
    int points = 1 + draw_below(&d, 2 * bodies);
    for (int k = 0; k < points; k++) {
        int a = draw_below(&d, bodies), b = draw_chance(&d, 0.5) && a + 1 < bodies ? a + 1 : -1;
        problem_point(c, &d, a, b, draw_chance(&d, 0.1) ? 0.0 : draw_between(&d, 0.0, mu), cone);
    }
    /* Light and heavy bodies: columns scaled. */
    if (draw_chance(&d, 0.3))
        for (int e = 0; e < c->start[c->p.n]; e++)
            c->values[e] *= c->columns[e] < 6 ? 1e-3 : 1.0;
    return c;
}

/* Targets that velocities can meet, so that rows may outnumber the freedoms: those of rest, or of some other s. */
static void make_feasible(ProblemCase *c, uint64_t seed, bool rest)
{
    Draw d = draw_seed(seed + 77777);
    double s[PROBLEM_UNKNOWNS];
    for (int k = 0; k < c->p.nu; k++)
        s[k] = rest ? 0.0 : draw_between(&d, -1.0, 1.0);
    for (int i = 0; i < c->p.n; i++)
        c->target[i] = c->row_class[i] == RG_ROW_FRICTION ? 0.0 : rg_problem_row_times(&c->p, i, s);
}

/* Without friction the velocities are unique: all agree. */
Test(pivot_solvers, velocities_agree_without_friction)
{
    int solved = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        ProblemCase *c = draw_problem(seed, 0.0, false);
        make_feasible(c, seed, false);
        double s[PROBLEM_UNKNOWNS];
        RgSolveReport r = solve_by(c, "dantzig", NULL);
        memcpy(s, c->s, sizeof s);
        cr_expect(r.converged && r.residual.velocity < 1e-9, "seed %d: dantzig %s %g", (int)seed,
                  rg_solve_outcome_name(r.outcome), r.residual.velocity);
        r = solve_by(c, "lemke", NULL);
        cr_expect(r.converged && r.residual.velocity < 1e-9, "seed %d: lemke %s %g", (int)seed,
                  rg_solve_outcome_name(r.outcome), r.residual.velocity);
        CHECK_NEAR_ALL(c->s, s, (size_t)c->p.nu, 1e-7, "m/s");
        r = solve_by(c, "pgs", NULL);
        if (r.residual.velocity < 1e-11) {
            solved++;
            CHECK_NEAR_ALL(c->s, s, (size_t)c->p.nu, 1e-5, "m/s");
        }
        free(c);
    }
    cr_expect(solved > 500, "%d by sweeps", solved);
}

/* With pyramids. Targets of rest: a solution exists (Stewart, Trinkle), and both find one. Other targets may be out of
   reach of large friction: then both say so. With little friction the velocities are unique, and agree. */
Test(pivot_solvers, pyramids_are_solved_or_said_not_to_be)
{
    const double most_mu[4] = {0.1, 0.8, 5.0, 100.0};
    int apart[4] = {0}, unsolved = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        bool rest = seed % 8 < 4;
        ProblemCase *c = draw_problem(seed, most_mu[seed % 4], false);
        make_feasible(c, seed, rest);
        double s[PROBLEM_UNKNOWNS], largest = 0.0;
        RgSolveReport first = solve_by(c, "dantzig", NULL);
        memcpy(s, c->s, sizeof s);
        RgSolveReport second = solve_by(c, "lemke", NULL);
        bool both = first.converged && second.converged;
        unsolved += !both;
        cr_expect(both || (!rest && most_mu[seed % 4] > 0.1), "seed %d: dantzig %s %g, lemke %s %g", (int)seed,
                  rg_solve_outcome_name(first.outcome), first.own, rg_solve_outcome_name(second.outcome), second.own);
        cr_expect(!first.converged || first.residual.velocity < 1e-8, "seed %d: %g", (int)seed,
                  first.residual.velocity);
        cr_expect(!second.converged || second.residual.velocity < 1e-8, "seed %d: %g", (int)seed,
                  second.residual.velocity);
        for (int k = 0; k < c->p.nu; k++)
            largest = fmax(largest, fabs(c->s[k] - s[k]));
        apart[seed % 4] += both && largest > 1e-6;
        free(c);
    }
    cr_expect(apart[0] == 0 && apart[1] < 10 && unsolved < 40, "apart %d %d %d %d, %d not solved", apart[0], apart[1],
              apart[2], apart[3], unsolved);
}

/* Polygons of more sides come nearer to the cone: the judge of the rows, who measures with it, finds less and less. */
Test(pivot_solvers, more_sides_are_nearer_to_the_cone)
{
    double sum[3] = {0.0, 0.0, 0.0};
    const int sides[3] = {4, 8, 16};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        ProblemCase *c = draw_problem(seed, 0.8, true);
        make_feasible(c, seed, true);
        for (int k = 0; k < 3; k++) {
            RgExactOptions o = rg_exact_options_default();
            o.sides = sides[k];
            RgSolveReport r = solve_by(c, "lemke", &o);
            cr_expect(r.converged && r.own < 1e-9, "seed %d: %s %g", (int)seed, rg_solve_outcome_name(r.outcome),
                      r.own);
            sum[k] += r.residual.velocity;
        }
        free(c);
    }
    cr_expect(sum[1] < 0.5 * sum[0] && sum[2] < 0.5 * sum[1], "%g %g %g", sum[0], sum[1], sum[2]);
}

/* No normal is driven in, and normals push only where they touch. Returns w of row i. */
static double check_normal(const ProblemCase *c, int i, int seed)
{
    double w = rg_problem_row_times(&c->p, i, c->s) - c->target[i];
    if (c->row_class[i] == RG_ROW_NORMAL)
        cr_expect(c->z[i] >= 0.0 && fabs(fmin(c->z[i] * rg_problem_diagonal(&c->p, i), w)) < 1e-8, "seed %d row %d",
                  seed, i);
    return w;
}

/* Contacts with a load do not slip; those without have no friction. Where friction lifts its own contact off, which rows
   of random coefficients do often, there is no such answer: such contacts slide without friction. */
Test(pivot_solvers, no_slip_holds_what_carries_a_load)
{
    int held = 0, open = 0, alternating = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        ProblemCase *c = draw_problem(seed, 1.0, seed % 2 == 0);
        make_feasible(c, seed, true);
        RgSolveReport r = solve_by(c, "no-slip", NULL);
        cr_expect(r.converged, "seed %d: %s", (int)seed, rg_solve_outcome_name(r.outcome));
        for (int i = 0; i < c->p.n; i++) {
            double w = check_normal(c, i, (int)seed);
            if (c->row_class[i] == RG_ROW_BILATERAL)
                CHECK_NEAR(w, 0.0, 1e-8, "m/s");
            if (c->row_class[i] != RG_ROW_FRICTION)
                continue;
            bool loaded = c->z[c->normal[i]] > 0.0;
            cr_expect(loaded || c->z[i] == 0.0, "seed %d row %d: %g N s without a load", (int)seed, i, c->z[i]);
            open += !loaded;
            held += loaded && fabs(w) < 1e-8;
            alternating += loaded && !(fabs(w) < 1e-8) && c->z[i] == 0.0;
            cr_expect(!loaded || fabs(w) < 1e-8 || c->z[i] == 0.0, "seed %d row %d: slips by %g", (int)seed, i, w);
        }
        free(c);
    }
    cr_log_info("%d held, %d open, %d that alternate", held, open, alternating);
    cr_expect(held > 1000 && open > 1000 && alternating < held / 2, "%d %d %d", held, open, alternating);
}

/* Whether the set of active contacts (bits, in the order of normals) is consistent: those with a load are in it, the
   others have no friction impulse. */
static bool is_consistent(const ProblemCase *c, const RgDenseLcp *rows, unsigned active, RgArena *arena)
{
    RgDenseLcp lcp = *rows;
    RgExactOptions o = rg_exact_options_default();
    RgDantzigReport r;
    RgArenaMark mark = rg_arena_mark(arena);
    int n = lcp.n, contact = -1;
    bool good = true;
    lcp.low = RG_ARENA_ALLOC(arena, double, n);
    lcp.high = RG_ARENA_ALLOC(arena, double, n);
    lcp.z = RG_ARENA_ALLOC(arena, double, n);
    lcp.w = RG_ARENA_ALLOC(arena, double, n);
    lcp.normal = NULL;
    for (int i = 0; i < n; i++) {
        bool friction = c->row_class[i] == RG_ROW_FRICTION;
        contact += c->row_class[i] == RG_ROW_NORMAL;
        lcp.low[i] = !friction ? rows->low[i] : active >> contact & 1 ? -(double)INFINITY : 0.0;
        lcp.high[i] = !friction ? rows->high[i] : active >> contact & 1 ? (double)INFINITY : 0.0;
    }
    cr_assert(rg_dantzig_solve(arena, &lcp, &o, &r) == RG_OK);
    contact = -1;
    for (int i = 0; i < n && r.outcome == RG_SOLVE_SOLVED; i++) {
        contact += c->row_class[i] == RG_ROW_NORMAL;
        bool in = active >> (contact > 0 ? contact : 0) & 1;
        if (c->row_class[i] == RG_ROW_NORMAL)
            good = good && (in || lcp.z[i] < 1e-9);
        if (c->row_class[i] == RG_ROW_FRICTION)
            good = good && (lcp.z[c->normal[i]] > 1e-9 || fabs(lcp.z[i]) < 1e-12);
    }
    rg_arena_rewind(arena, mark);
    return good && r.outcome == RG_SOLVE_SOLVED;
}

/* Contacts that slide though they carry a load: mostly where no set of active contacts is consistent, by trying all. */
Test(pivot_solvers, no_slip_slides_where_no_set_is_consistent)
{
    int alternate = 0, exists = 0, small = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        ProblemCase *c = draw_problem(seed, 1.0, seed % 2 == 0);
        make_feasible(c, seed, true);
        int contacts = 0;
        for (int i = 0; i < c->p.n; i++)
            contacts += c->row_class[i] == RG_ROW_NORMAL;
        solve_by(c, "no-slip", NULL);
        bool slips = false;
        for (int i = 0; i < c->p.n; i++)
            if (c->row_class[i] == RG_ROW_FRICTION)
                slips = slips || (c->z[c->normal[i]] > 1e-9 && fabs(rg_problem_row_times(&c->p, i, c->s)) > 1e-8);
        small += contacts <= 6;
        if (slips && contacts <= 6) {
            RgArena arena;
            RgDenseLcp rows;
            rg_arena_init(&arena, NULL);
            problem_reset(c);
            cr_assert(rg_dense_lcp_from_rows(&arena, &c->p, NULL, c->p.n, &rows));
            bool found = false;
            for (unsigned set = 0; set < 1u << contacts && !found; set++)
                found = is_consistent(c, &rows, set, &arena);
            alternate++;
            exists += found;
            rg_arena_free(&arena);
        }
        free(c);
    }
    cr_log_info("of %d problems %d alternate, %d of them have a consistent set", small, alternate, exists);
    cr_expect(small > 1500 && exists < small / 25 && exists < alternate / 5, "%d %d %d", small, alternate, exists);
}

/* Friction as the slip before contact asks where gaps close, none where they stay open. */
Test(pivot_solvers, viscous_friction_is_that_of_the_slip)
{
    int closed = 0, open = 0, alternating = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        ProblemCase *c = draw_problem(seed, 1.0, seed % 2 == 0);
        make_feasible(c, seed, true);
        RgExactOptions o = rg_exact_options_default();
        o.viscous = 0.1;
        RgSolveReport r = solve_by(c, "viscous", &o);
        cr_expect(r.converged, "seed %d: %s", (int)seed, rg_solve_outcome_name(r.outcome));
        for (int i = 0; i < c->p.n; i++) {
            check_normal(c, i, (int)seed);
            if (c->row_class[i] != RG_ROW_FRICTION)
                continue;
            double w = rg_problem_row_times(&c->p, c->normal[i], c->s) - c->target[c->normal[i]];
            double asked = -0.1 * rg_problem_row_times(&c->p, i, c->s_free);
            cr_expect(c->z[i] == 0.0 || (fabs(c->z[i] - asked) < 1e-12 && w < 1e-6), "seed %d row %d: %g N s of %g",
                      (int)seed, i, c->z[i], asked);
            closed += c->z[i] != 0.0;
            open += w > 1e-6;
            alternating += c->z[i] == 0.0 && w < 1e-9 && asked != 0.0;
        }
        free(c);
    }
    cr_log_info("%d closed, %d open, %d that alternate", closed, open, alternating);
    cr_expect(closed > 500 && open > 500 && alternating < closed / 20, "%d %d %d", closed, open, alternating);
}

/* From the solution the first round of pivots ends it. */
Test(pivot_solvers, dantzig_begins_where_it_is_told)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        ProblemCase *c = draw_problem(seed, 0.5, false);
        make_feasible(c, seed, true);
        solve_by(c, "dantzig", NULL);
        double z[PROBLEM_ROWS];
        memcpy(z, c->z, sizeof z);
        memcpy(c->s, c->s_free, sizeof c->s);
        RgArena arena;
        RgSolveReport r;
        RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
        rg_arena_init(&arena, NULL);
        cr_assert(rg_solver_find("dantzig")->solve_rows(&arena, &c->p, &o, &r) == RG_OK);
        cr_expect(r.converged && r.iterations <= 3 * c->p.n, "seed %d: %d pivots", (int)seed, r.iterations);
        rg_arena_free(&arena);
        free(c);
    }
}

/* Islands: rows that share no column, directly or not, are apart; numbers that are none spoil their own island. */
Test(pivot_solvers, islands_do_not_know_each_other)
{
    Draw d = draw_seed(9);
    ProblemCase *c = problem_begin(6, &d);
    problem_point(c, &d, 0, -1, 0.5, false);
    problem_point(c, &d, 4, 3, 0.5, false);
    problem_point(c, &d, 1, -1, 0.5, false);
    problem_row(c, &d, 0, 2, RG_ROW_BILATERAL);
    problem_row(c, &d, 3, 5, RG_ROW_BILATERAL);
    RgArena arena;
    RgRowIslands islands;
    rg_arena_init(&arena, NULL);
    cr_assert(rg_row_islands_find(&arena, &c->p, &islands));
    const int rows[11] = {0, 1, 2, 9, 3, 4, 5, 10, 6, 7, 8}, first[4] = {0, 4, 8, 11};
    cr_assert(islands.count == 3);
    cr_expect(memcmp(islands.rows, rows, sizeof rows) == 0 && memcmp(islands.first, first, sizeof first) == 0);
    rg_arena_free(&arena);
    double s[PROBLEM_UNKNOWNS];
    const char *names[2] = {"dantzig", "lemke"};
    for (int k = 0; k < 2; k++) {
        solve_by(c, names[k], NULL);
        memcpy(s, c->s, sizeof s);
        double held = c->target[4];
        c->target[4] = NAN;
        RgSolveReport r = solve_by(c, names[k], NULL);
        c->target[4] = held;
        cr_expect(r.outcome == RG_SOLVE_SINGULAR && !r.converged);
        CHECK_NEAR_ALL(c->s, s, 18, 1e-12, "m/s");
        CHECK_NEAR_ALL(c->s + 18, c->s_free + 18, 18, 1e-15, "m/s");
    }
    free(c);
}
