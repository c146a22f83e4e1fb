/*
 * test_fallback_chain.c - falls: solvers that fail in every way, what is tried after them, and whose answer it is.
 */
#include "rows_fixture.h"
#include "solver/fallback_chain.h"

/* How the solver of a test goes about it. */
typedef enum Way { SOLVES, GIVES_UP, NEEDS_SOFTNESS, SPOILS, FAILS, NO_MEMORY, TOO_MODEST } Way;

static Way way;
static int calls, soft_calls;

static bool is_soft(const RgProblem *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->compliance[i] == 0.0)
            return false;
    return true;
}

static RgStatus solve_some_way(RgArena *arena, RgProblem *p, const RgRowOptions *o, RgSolveReport *report)
{
    bool soft = is_soft(p);
    calls++;
    soft_calls += soft;
    *report = (RgSolveReport){.outcome = RG_SOLVE_RAY, .residual = {.worst = -1}};
    if (way == NO_MEMORY)
        return RG_ERR_MEMORY;
    if (way == FAILS)
        return RG_ERR_NOT_CONVERGED;
    if (way == SPOILS) {
        p->z[0] = NAN;
        p->s[p->nu - 1] = INFINITY;
        report->outcome = RG_SOLVE_SOLVED;
        return RG_OK;
    }
    if (way == GIVES_UP || (way == NEEDS_SOFTNESS && !soft)) {
        memset(p->z, 0, (size_t)p->n * sizeof *p->z);
        report->residual = rg_problem_residual(p, NULL, NULL);
        return RG_OK;
    }
    RgStatus status = rg_solver_cone.solve_rows(arena, p, o, report);
    if (way == TOO_MODEST)
        report->outcome = RG_SOLVE_ITERATIONS;
    return status;
}

static const RgSolver some = {.name = "some", .summary = "fails", .solve_rows = solve_some_way, .exact = true};

static RgStatus climb(ProblemCase *c, const RgSolver *asked, const RgExactOptions *exact, RgSolveReport *report)
{
    RgArena memory, arena;
    RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = exact != NULL ? *exact : rg_exact_options_default()};
    double soft[PROBLEM_ROWS];
    rg_arena_init(&memory, NULL);
    rg_arena_init(&arena, NULL);
    memcpy(soft, c->compliance, sizeof soft);
    problem_reset(c);
    calls = soft_calls = 0;
    RgStatus status = rg_fallback_chain_solve(&memory, &arena, asked, &c->p, &o, report);
    rg_arena_free(&arena);
    rg_arena_free(&memory);
    cr_expect(memcmp(soft, c->compliance, sizeof soft) == 0); /* rows are as stiff as they were */
    cr_expect_not(c->p.skip_residual);
    if (status == RG_OK) {
        CHECK_NEAR(problem_mismatch(c), 0.0, 1e-11, "m/s");
        CHECK_NEAR(report->residual.velocity, rg_problem_residual(&c->p, NULL, NULL).velocity, 0.0, "m/s");
        cr_expect(rows_in_bounds(c));
    }
    return status;
}

/* cone: friction cones; pyramids otherwise. */
static ProblemCase *draw_problem(uint64_t seed, bool cone)
{
    Draw d = draw_seed(seed);
    ProblemCase *c = problem_begin(3, &d);
    problem_row(c, &d, 0, 1, RG_ROW_BILATERAL);
    for (int k = 0; k < 4; k++)
        problem_point(c, &d, k % 3, k == 3 ? 1 : -1, 0.2, cone);
    return c;
}

/* Each way of failing: how many more tries, by whom in the end. */
Test(fallback_chain, falls_are_told)
{
    const struct {
        Way way;
        int fallbacks, calls;
        const RgSolver *by;
    } expected[] = {{SOLVES, 0, 1, &some},
                    {GIVES_UP, 2, 2, &rg_solver_cone},
                    {NEEDS_SOFTNESS, 1, 2, &some},
                    {SPOILS, 2, 2, &rg_solver_cone},
                    {FAILS, 2, 2, &rg_solver_cone}};
    for (size_t k = 0; k < sizeof expected / sizeof expected[0]; k++) {
        ProblemCase *c = draw_problem(7 + k, true);
        RgSolveReport report;
        rows_solve(c, "cone");
        double s[PROBLEM_UNKNOWNS];
        memcpy(s, c->s, sizeof s);
        way = expected[k].way;
        cr_assert_eq(climb(c, &some, NULL, &report), RG_OK, "way %d", (int)way);
        cr_expect(report.fallbacks == expected[k].fallbacks && calls == expected[k].calls &&
                      report.by == expected[k].by,
                  "way %d: %d fallbacks, %d calls, by %s", (int)way, report.fallbacks, calls, report.by->name);
        cr_expect_eq(soft_calls, calls - 1, "way %d", (int)way);
        cr_expect_eq(report.outcome, RG_SOLVE_SOLVED);
        CHECK_NEAR_ALL(c->s, s, (size_t)c->p.nu, way == NEEDS_SOFTNESS ? 1e-6 : 1e-9, "m/s");
        free(c);
    }
}

/* No rung is content, but the first answer was good: it is kept. */
Test(fallback_chain, the_best_is_kept)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        ProblemCase *c = draw_problem(seed, true);
        RgSolveReport report;
        RgExactOptions o = rg_exact_options_default();
        o.tolerance = 1e-14;
        problem_reset(c);
        rows_solve_on(c, "cone", &o);
        double first = rg_problem_residual(&c->p, NULL, NULL).velocity;
        way = TOO_MODEST;
        cr_assert_eq(climb(c, &some, &o, &report), RG_OK);
        cr_expect(report.residual.velocity <= first, "seed %d: %g after %g", (int)seed, report.residual.velocity,
                  first);
        /* What missed next to nothing is not tried again, whatever it said of itself. */
        cr_expect(report.fallbacks <= 4 && report.by != NULL);
        free(c);
    }
}

Test(fallback_chain, goes_no_further_than_told)
{
    ProblemCase *c = draw_problem(3, true);
    RgSolveReport report;
    RgExactOptions o = rg_exact_options_default();
    way = NO_MEMORY;
    cr_expect_eq(climb(c, &some, NULL, &report), RG_ERR_MEMORY);
    cr_expect_eq(calls, 1);
    way = GIVES_UP;
    o.fallback = false;
    cr_expect_eq(climb(c, &some, &o, &report), RG_OK);
    cr_expect(calls == 1 && report.outcome == RG_SOLVE_RAY && report.fallbacks == 0);
    RgSolver rough = some; /* not exact: nothing to fall from */
    rough.exact = false;
    o.fallback = true;
    cr_expect_eq(climb(c, &rough, &o, &report), RG_OK);
    cr_expect(calls == 1 && report.fallbacks == 0);
    free(c);
}

/* Joints that contradict each other: no solver has an answer. It is told, and what is left is no more than without
   fallbacks. */
Test(fallback_chain, no_answer_at_all)
{
    const RgSolver *const solvers[] = {&rg_solver_cone, &rg_solver_dantzig, &rg_solver_lemke, &rg_solver_cone_convex};
    for (int k = 0; k < 4; k++) {
        ProblemCase *c = draw_problem(11, !solvers[k]->boxes && solvers[k] != &rg_solver_lemke);
        RgSolveReport report;
        Draw d = draw_seed(5);
        int a = problem_row(c, &d, 2, -1, RG_ROW_BILATERAL), b = problem_row(c, &d, 2, -1, RG_ROW_BILATERAL);
        memcpy(c->values + c->start[b], c->values + c->start[a], 6 * sizeof *c->values);
        c->target[a] = 0.1;
        c->target[b] = -0.1;
        rows_solve(c, solvers[k]->name);
        double first = rg_problem_residual(&c->p, NULL, NULL).velocity;
        cr_assert_eq(climb(c, solvers[k], NULL, &report), RG_OK);
        cr_expect(report.outcome != RG_SOLVE_SOLVED && report.fallbacks >= 1, "%s: %s after %d fallbacks",
                  solvers[k]->name, rg_solve_outcome_name(report.outcome), report.fallbacks);
        cr_expect(report.residual.velocity <= first * (1.0 + 1e-12), "%s: %g after %g", solvers[k]->name,
                  report.residual.velocity, first);
        cr_expect(report.residual.velocity < 1.0 && report.residual.velocity > 1e-3, "%s: %g", solvers[k]->name,
                  report.residual.velocity);
        free(c);
    }
}

/* A solver that is not let go on: the last rung sweeps, whatever iterations the others were allowed. */
Test(fallback_chain, one_iteration_is_too_few)
{
    const RgSolver *const solvers[] = {&rg_solver_cone, &rg_solver_dantzig, &rg_solver_lemke};
    int fell = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        ProblemCase *c = draw_problem(seed, seed % 3 == 0);
        RgExactOptions o = rg_exact_options_default();
        RgSolveReport report;
        o.max_iterations = 1;
        problem_reset(c);
        rows_solve_on(c, solvers[seed % 3]->name, &o);
        double first = rg_problem_residual(&c->p, NULL, NULL).velocity;
        cr_assert_eq(climb(c, solvers[seed % 3], &o, &report), RG_OK);
        cr_expect(report.residual.velocity <= first * (1.0 + 1e-12), "%s: %g after %g", solvers[seed % 3]->name,
                  report.residual.velocity, first);
        fell += report.fallbacks > 0;
        cr_expect(report.fallbacks > 0 || report.by == solvers[seed % 3]);
        free(c);
    }
    cr_expect(fell > 10, "%d", fell);
}
