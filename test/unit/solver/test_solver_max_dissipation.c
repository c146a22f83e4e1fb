/*
 * test_solver_max_dissipation.c - the two phases of paper 003: closed forms, energy that only falls with more
 * iterations, contact that is kept at every end, optimality by its own conditions.
 */
#include "problem_fixture.h"
#include "solver/solver_table.h"

static RgSolveReport run_with_slack(ProblemCase *c, int iterations, double kappa, double slack)
{
    RgArena arena;
    RgSolveReport report;
    RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
    o.exact.max_iterations = iterations;
    o.exact.kappa = kappa;
    o.exact.kappa_slack = slack;
    rg_arena_init(&arena, NULL);
    problem_reset(c);
    cr_assert(rg_solver_max_dissipation.solve_rows(&arena, &c->p, &o, &report) == RG_OK);
    rg_arena_free(&arena);
    return report;
}

static RgSolveReport run(ProblemCase *c, int iterations, double kappa)
{
    return run_with_slack(c, iterations, kappa, 0.0);
}

static double kinetic(const ProblemCase *c)
{
    double sum = 0.0;
    for (int k = 0; k < c->p.nu; k++)
        sum += 0.5 * c->s[k] * c->s[k];
    return sum;
}

Test(max_dissipation, a_point_slides_or_sticks)
{
    ProblemCase *c = problem_sliding_point(0.5, 2.0);
    RgSolveReport report = run(c, 0, 1.0);
    cr_expect(report.converged && report.outcome == RG_SOLVE_SOLVED, "%d iterations", report.iterations);
    CHECK_NEAR_ALL(c->s, ((double[]){0.0, 0.9, 1.2}), 3, 1e-5, "m/s");
    CHECK_NEAR_ALL(c->z, ((double[]){1.0, -0.3, -0.4}), 3, 1e-5, "N s");
    cr_expect(c->s[0] >= 0.0 && c->z[1] * c->z[1] + c->z[2] * c->z[2] <= 0.25 * c->z[0] * c->z[0] * (1.0 + 1e-14));
    free(c);
    c = problem_sliding_point(0.5, 0.3);
    run(c, 0, 1.0);
    CHECK_NEAR_ALL(c->s, ((double[]){0.0, 0.0, 0.0}), 3, 1e-5, "m/s");
    free(c);
}

/* Friction that presses into the plane: z_n + a z_t = 1 closes the contact, so n = 1 / (1 - a mu) = 4/3 slides by
   Coulomb's law, a = mu = 1/2. The sum of normals, 1 without friction, may be kappa 1 + slack: friction is what that
   leaves, (1 - n) / a. */
Test(max_dissipation, kappa_and_slack_bound_the_normals)
{
    static const double cases[][3] = {
        {1.0, 0.0, 1.0}, {1.2, 0.0, 1.2}, {1.0, 0.1, 1.1}, {1.2, 0.1, 1.3}, {2.0, 0.0, 4.0 / 3.0}};
    ProblemCase *c = problem_sliding_point(0.5, 0.0);
    c->s_free[1] = 4.0;
    c->values[6] = 0.5;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        cr_expect(run_with_slack(c, 0, cases[k][0], cases[k][1]).converged);
        double n = cases[k][2];
        CHECK_NEAR_ALL(c->z, ((double[]){n, 2.0 * (1.0 - n), 0.0}), 3, 1e-5, "N s");
        CHECK_NEAR_ALL(c->s, ((double[]){0.0, 4.0 + 2.0 * (1.0 - n), 0.0}), 3, 1e-5, "m/s");
    }
    free(c);
    RgExactOptions o = rg_exact_options_default();
    o.kappa_slack = -0.1;
    cr_expect(rg_exact_options_check(&o, NULL) == RG_ERR_ARGUMENT);
    o.kappa_slack = NAN;
    cr_expect(rg_exact_options_check(&o, NULL) == RG_ERR_ARGUMENT);
}

/* What pushes either closes or has no impulse, nor has its friction: 1 m/s of gap is never crossed by a push. More
   kappa buys no impulse that lifts off. */
Test(max_dissipation, nothing_is_pushed_across_a_gap)
{
    int open = 0, closed = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ProblemCase *c = problem_random(seed, 2 + (int)seed % 7, true);
        cr_expect(run(c, 0, seed % 2 == 0 ? 1.0 : 3.0).converged, "seed %d", (int)seed);
        for (int i = 0; i < c->p.n; i++) {
            int k = c->row_class[i] == RG_ROW_FRICTION ? c->normal[i] : i;
            if (c->row_class[k] != RG_ROW_NORMAL)
                continue;
            double w = rg_problem_row_times(&c->p, k, c->s) + c->compliance[k] * c->z[k] - c->target[k];
            cr_expect(w <= 1e-5 || c->z[i] == 0.0, "seed %d, row %d: %g N s across %g m/s", (int)seed, i, c->z[i], w);
            open += w > 1e-5;
            closed += w <= 1e-5;
        }
        free(c);
    }
    cr_expect(open > 100 && closed > 100, "%d open, %d closed", open, closed);
}

/* A gap that is let through asks for nothing and gets nothing, however far off its target is. */
Test(max_dissipation, an_open_gap_brakes_nothing)
{
    ProblemCase *c = problem_sliding_point(0.5, 2.0);
    c->target[0] = -1e6;
    cr_expect(run(c, 0, 1.0).converged);
    CHECK_NEAR(c->z[0], 0.0, 1e-5, "N s");
    CHECK_NEAR(kinetic(c), 2.5, 1e-5, "J");
    free(c);
}

/* Bodies with joints, limits and contacts, nothing driven: E is the kinetic energy. */
static ProblemCase *at_rest_targets(uint64_t seed, int bodies)
{
    ProblemCase *c = problem_random(seed, bodies, true);
    for (int i = 0; i < c->p.n; i++) {
        c->target[i] = 0.0;
        c->compliance[i] = 0.0;
        if (c->row_class[i] == RG_ROW_BOUNDED) {
            c->low[i] = 0.0;
            c->high[i] = INFINITY;
        }
    }
    return c;
}

static double without_friction(ProblemCase *c)
{
    double mu[PROBLEM_ROWS];
    memcpy(mu, c->high, sizeof mu);
    for (int i = 0; i < c->p.n; i++)
        c->high[i] = c->row_class[i] == RG_ROW_FRICTION ? 0.0 : c->high[i];
    cr_expect(run(c, 0, 1.0).converged);
    memcpy(c->high, mu, sizeof mu);
    return kinetic(c);
}

/* Joints hold, nothing approaches, nothing pulls. */
static void check_kept(const ProblemCase *c)
{
    cr_expect(problem_mismatch(c) < 1e-12);
    for (int i = 0; i < c->p.n; i++) {
        double w = rg_problem_row_times(&c->p, i, c->s);
        if (c->row_class[i] == RG_ROW_BILATERAL)
            CHECK_NEAR(w, 0.0, 1e-9, "m/s");
        if (c->row_class[i] == RG_ROW_NORMAL || c->row_class[i] == RG_ROW_BOUNDED)
            cr_expect(w >= -1e-10 && c->z[i] >= 0.0, "row %d: w = %g", i, w);
    }
}

/* Energy falls with every iteration that is allowed, from phase 1's. */
Test(max_dissipation, an_early_end_only_removes_less_energy)
{
    int lower = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        ProblemCase *c = at_rest_targets(seed, 2 + (int)seed % 7);
        double first = without_friction(c), last = first;
        for (int k = 1; k <= 20; k++) {
            run(c, k, 1.0);
            cr_expect(kinetic(c) <= last * (1.0 + 1e-14), "seed %d, %d iterations: %.17g after %.17g", (int)seed, k,
                      kinetic(c), last);
            lower += kinetic(c) < last;
            last = kinetic(c);
            check_kept(c);
        }
        cr_expect(last < first);
        free(c);
    }
    cr_expect(lower > 60, "%d", lower);
}

/* Without friction both phases are the same linear complementarity problem: pgs to small residual agrees. */
Test(max_dissipation, phase_one_against_sweeps)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        ProblemCase *c = problem_random(seed, 6, true);
        for (int i = 0; i < c->p.n; i++)
            c->high[i] = c->row_class[i] == RG_ROW_FRICTION ? 0.0 : c->high[i];
        RgSolveReport report = run(c, 0, 1.0);
        cr_expect(report.converged && report.residual.velocity < 1e-9, "residual %g", report.residual.velocity);
        double s[PROBLEM_UNKNOWNS];
        memcpy(s, c->s, sizeof s);
        RgPgsOptions o = rg_pgs_options_default();
        o.iterations = 200000;
        o.tolerance = 1e-13;
        problem_reset(c);
        problem_solve(c, &o);
        CHECK_NEAR_ALL(s, c->s, c->p.nu, 1e-8, "m/s");
        free(c);
    }
}

Test(max_dissipation, nothing_to_do)
{
    Draw d = draw_seed(2);
    ProblemCase *c = problem_begin(1, &d);
    cr_expect(run(c, 0, 1.0).converged);
    problem_row(c, &d, 0, -1, RG_ROW_BILATERAL);
    cr_expect(run(c, 0, 1.0).converged);
    CHECK_NEAR(rg_problem_row_times(&c->p, 0, c->s), c->target[0], 1e-14, "m/s");
    free(c);
}

/* A row without bounds drives the point into the plane: proven to be impossible. A number that is none is told. */
Test(max_dissipation, tells_that_nothing_is_allowed)
{
    ProblemCase *c = problem_sliding_point(0.5, 1.0);
    Draw d = draw_seed(7);
    int i = problem_row(c, &d, 0, -1, RG_ROW_BILATERAL);
    for (int k = 0; k < 6; k++)
        c->values[c->start[i] + k] = k == 0 ? 1.0 : 0.0;
    c->target[i] = -0.5;
    RgSolveReport report = run(c, 0, 1.0);
    cr_expect(!report.converged && report.outcome == RG_SOLVE_INFEASIBLE, "outcome %d", (int)report.outcome);
    cr_expect(problem_mismatch(c) < 1e-14);
    c->target[i] = NAN;
    cr_expect(run(c, 0, 1.0).outcome == RG_SOLVE_SINGULAR);
    for (int k = 0; k < c->p.n; k++)
        cr_expect(isfinite(c->z[k]));
    free(c);
}
