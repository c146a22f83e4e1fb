/*
 * test_energy_guard.c - no answer adds more energy than its targets give, whatever the solver and its options;
 * solutions are never touched.
 */
#include "random_bodies.h"
#include "rows_fixture.h"
#include "solver/energy_guard.h"
#include "solver/fallback_chain.h"

static double nearest(const RgProblem *p, int i)
{
    bool own = p->row_class[i] == RG_ROW_BOUNDED || p->row_class[i] == RG_ROW_BOX;
    return !own ? 0.0 : p->low[i] > 0.0 ? p->low[i] : p->high[i] < 0.0 ? p->high[i] : 0.0;
}

/* J: what the answer adds to the kinetic energy beyond what targets give, as energy_guard.c states it; over
   the energies that it is made of. */
static double excess(const RgProblem *p, const double *s_free)
{
    static double s0[1024];
    double T = 0.0, T0 = 0.0, work = 0.0, scale = 0.0;
    memcpy(s0, s_free, (size_t)p->nu * sizeof *s0);
    for (int i = 0; i < p->n; i++) {
        double z0 = nearest(p, i), x = p->z[i] - z0;
        rg_problem_apply_impulse(p, i, z0, s0);
        work += fmax(x * p->target[i], 0.0) - x * p->compliance[i] * (z0 + 0.5 * x);
        scale += fabs(x * p->target[i]);
    }
    for (int k = 0; k < p->nu; k++) {
        T += 0.5 * p->s[k] * p->s[k];
        T0 += 0.5 * s0[k] * s0[k];
    }
    return (T - T0 - work) / (T0 + scale + 1e-30);
}

static RgStatus run(RgProblem *p, const RgSolver *solver, const RgRowOptions *o, RgSolveReport *report)
{
    static RgArena memory, arena;
    *report = (RgSolveReport){.residual = {.worst = -1}};
    return rg_fallback_chain_solve(&memory, &arena, solver, p, o, report);
}

static RgRowOptions plain_options(void)
{
    return (RgRowOptions){.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
}

/* ------------------------------------------------------------------ solutions */

/* Ten thousand bodies in contact, friction to 100, mass ratios to 1e6: solved to 1e-8, nothing is scaled back. */
Test(energy_guard, solutions_are_left)
{
    static const char *const names[] = {"cone",    "dantzig", "lemke",           "cone-convex",
                                        "no-slip", "viscous", "max-dissipation", "qp"};
    int solved = 0;
    for (int seed = 0; seed < 10000; seed++) {
        const RgSolver *solver = rg_solver_find(names[seed / 12 % 8]);
        Bodies *b = bodies_draw((uint64_t)seed, (Shape)(seed % SHAPES), seed / SHAPES % 3);
        RgRowOptions o = plain_options();
        RgSolveReport report;
        o.exact.tolerance = 1e-8;
        bodies_restart(b);
        cr_assert_eq(run(&b->p, solver, &o, &report), RG_OK);
        solved += report.outcome == RG_SOLVE_SOLVED;
        if (report.outcome == RG_SOLVE_SOLVED)
            cr_expect(report.guarded == 0 && excess(&b->p, b->s_free) <= 1e-8, "%s, seed %d: %g of the energy",
                      solver->name, seed, excess(&b->p, b->s_free));
        free(b);
    }
    cr_expect_gt(solved, 9000);
}

/* Joints, limits, motors with least impulses, soft rows. */
static ProblemCase *draw_mixed(uint64_t seed)
{
    ProblemCase *c = problem_random(seed, 1 + (int)(seed % 8), seed % 3 != 0);
    Draw d = draw_seed(seed + 77);
    for (int i = 0; i < c->p.n; i++) {
        c->compliance[i] = draw_chance(&d, 0.2) ? draw_between(&d, 0.0, 0.5) : c->compliance[i];
        if (c->row_class[i] == RG_ROW_BOUNDED && draw_chance(&d, 0.3)) {
            c->low[i] = draw_between(&d, -0.5, 0.5);
            c->high[i] = c->low[i] + draw_between(&d, 0.0, 0.5);
        }
    }
    return c;
}

Test(energy_guard, solutions_of_mixed_rows_are_left)
{
    int solved = 0;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        ProblemCase *c = draw_mixed(seed);
        const RgSolver *solver = seed % 3 == 0 ? &rg_solver_dantzig : &rg_solver_cone;
        RgRowOptions o = plain_options();
        RgSolveReport report;
        problem_reset(c);
        cr_assert_eq(run(&c->p, solver, &o, &report), RG_OK);
        solved += report.outcome == RG_SOLVE_SOLVED;
        if (report.outcome == RG_SOLVE_SOLVED)
            cr_expect(report.guarded == 0 && excess(&c->p, c->s_free) <= 1e-12, "seed %d: %g", (int)seed,
                      excess(&c->p, c->s_free));
        free(c);
    }
    cr_expect_gt(solved, 1800, "%d", solved);
}

/* ------------------------------------------------------------------ hostile options */

/* Over-relaxation to 1.95, few sweeps, rows blind to each other, first guesses that are anything. */
static RgRowOptions hostile(Draw *d)
{
    RgRowOptions o = plain_options();
    o.pgs.iterations = 1 + draw_below(d, 60);
    o.pgs.sor = draw_between(d, 0.5, 1.95);
    o.pgs.friction_sor = draw_between(d, 0.2, 1.0);
    o.pgs.friction_sweeps = draw_below(d, 5);
    o.pgs.smoothing = draw_chance(d, 0.3) ? draw_between(d, 0.0, 0.9) : 0.0;
    o.pgs.order = (RgPgsOrder)draw_below(d, 4);
    o.pgs.chunks = 1 + draw_below(d, 12);
    o.pgs.mass_splitting = draw_chance(d, 0.3);
    o.exact.max_iterations = 1 + draw_below(d, 3);
    o.exact.fallback = draw_chance(d, 0.5);
    return o;
}

static void garbage(double *z, int n, Draw *d)
{
    double size = draw_power(d, -3.0, 6.0);
    for (int i = 0; i < n; i++)
        z[i] = draw_between(d, -size, size);
}

Test(energy_guard, hostile_options_add_nothing)
{
    static const char *const names[] = {"pgs", "pgs:jacobi", "cone", "dantzig", "lemke"};
    int guarded = 0, runs = 0;
    for (int seed = 0; seed < 20000; seed++) {
        Draw d = draw_seed((uint64_t)seed + 5);
        const RgSolver *solver = rg_solver_find(names[seed % 5]);
        Bodies *b = bodies_draw((uint64_t)seed, (Shape)(seed / 5 % SHAPES), seed / 20 % 3);
        RgRowOptions o = hostile(&d);
        RgSolveReport report;
        bodies_restart(b);
        garbage(b->z, b->p.n, &d);
        RgStatus status = run(&b->p, solver, &o, &report);
        if (status == RG_OK) {
            double more = excess(&b->p, b->s_free);
            cr_expect(more <= 1e-8, "%s, seed %d: %g of the energy", solver->name, seed, more);
            cr_expect(report.guarded == 0 || (!report.converged && report.outcome != RG_SOLVE_SOLVED));
        }
        guarded += report.guarded > 0;
        runs += status == RG_OK;
        free(b);
    }
    cr_expect(guarded > 100 && runs > 19000, "%d of %d", guarded, runs);
}

Test(energy_guard, hostile_options_with_mixed_rows)
{
    int guarded = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        Draw d = draw_seed(seed);
        ProblemCase *c = draw_mixed(seed);
        RgRowOptions o = hostile(&d);
        RgSolveReport report;
        problem_reset(c);
        garbage(c->z, c->p.n, &d);
        cr_assert_eq(run(&c->p, seed % 2 == 0 ? &rg_solver_pgs : &rg_solver_pgs_jacobi, &o, &report), RG_OK);
        double more = excess(&c->p, c->s_free);
        cr_expect(more <= 1e-8, "seed %d: %g of the energy", (int)seed, more);
        guarded += report.guarded > 0;
        free(c);
    }
    cr_expect_gt(guarded, 50, "%d", guarded);
}

/* ------------------------------------------------------------------ what it does */

/* Two contacts that have nothing to do with each other; the first pushes a thousand times too much. */
Test(energy_guard, scales_one_island_alone)
{
    RgArena memory;
    RgGuardReport found;
    Draw d = draw_seed(3);
    ProblemCase *c = problem_begin(2, &d);
    BodyRow at = {.m = 1.0, .I = 1.0};
    for (at.body = 0; at.body < 2; at.body++)
        rows_contact(c, at, 0.5, 0.5, true);
    const double falls[6] = {0.0, 0.0, -1.0, 0.0, 0.0, 0.0};
    for (int b = 0; b < 2; b++)
        rows_velocity(c, b, 1.0, 1.0, falls);
    problem_reset(c);
    c->z[0] = 1000.0;
    c->z[3] = 1.5; /* it bounces, with less than it came */
    for (int i = 0; i < 6; i++)
        rg_problem_apply_impulse(&c->p, i, c->z[i], c->s);
    rg_arena_init(&memory, NULL);
    cr_assert(rg_energy_guard(&memory, &c->p, c->s_free, &found));
    rg_arena_free(&memory);
    cr_expect_eq(found.islands, 1);
    CHECK_NEAR(found.excess, 0.5 * (999.0 * 999.0 - 1.0), 1e-6, "J");
    CHECK_NEAR(c->z[0], 1.0, 1e-12, "N s");
    CHECK_NEAR(c->s[2], 0.0, 1e-12, "m/s");
    CHECK_NEAR(c->z[3], 1.5, 0.0, "N s");
    CHECK_NEAR(c->s[8], 0.5, 1e-15, "m/s");
    free(c);
}

/* A motor that has to give at least 2 N s may make the body faster by that; what is beyond is scaled back to it. */
Test(energy_guard, least_impulses_stay)
{
    RgArena memory;
    RgGuardReport found;
    Draw d = draw_seed(3);
    const double none[6] = {0.0};
    for (int k = 0; k < 2; k++) {
        ProblemCase *c = problem_begin(1, &d);
        BodyRow along = {.m = 1.0, .I = 1.0, .along = {1.0, 0.0, 0.0}};
        int i = rows_add(c, &along, false, RG_ROW_BOUNDED);
        c->low[i] = 2.0;
        c->high[i] = 50.0;
        rows_velocity(c, 0, 1.0, 1.0, none);
        problem_reset(c);
        c->z[i] = k == 0 ? 2.0 : 40.0;
        rg_problem_apply_impulse(&c->p, i, c->z[i], c->s);
        rg_arena_init(&memory, NULL);
        cr_assert(rg_energy_guard(&memory, &c->p, c->s_free, &found));
        rg_arena_free(&memory);
        cr_expect_eq(found.islands, k);
        CHECK_NEAR(c->z[i], 2.0, 1e-15, "N s");
        CHECK_NEAR(c->s[0], 2.0, 1e-15, "m/s");
        free(c);
    }
}

/* What is no number becomes none. */
Test(energy_guard, takes_back_what_is_no_number)
{
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e200};
    RgArena memory;
    RgGuardReport found;
    rg_arena_init(&memory, NULL);
    for (int k = 0; k < 4; k++) {
        ProblemCase *c = problem_random(5, 4, true);
        problem_reset(c);
        c->z[2] = bad[k];
        rg_problem_apply_impulse(&c->p, 2, c->z[2], c->s);
        cr_assert(rg_energy_guard(&memory, &c->p, c->s_free, &found));
        cr_expect_geq(found.islands, 1);
        cr_expect_not(isnan(found.excess));
        for (int i = 0; i < c->p.nu; i++)
            cr_expect(isfinite(c->s[i]));
        cr_expect(isfinite(c->z[2]) && problem_mismatch(c) < 1e-12);
        free(c);
    }
    rg_arena_free(&memory);
}
