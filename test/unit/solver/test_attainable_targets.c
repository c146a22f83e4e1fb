/*
 * test_attainable_targets.c - targets that contradict rows or each other: the nearest, against a program over cones and
 * closed forms; named rows; a proof; solvers that then solve; problems without contradiction are left alone.
 */
#include "counting.h"
#include "problem_fixture.h"
#include "solver/attainable_targets.h"
#include "solver/fallback_chain.h"
#include "solver/program/cone_program.h"

typedef struct AskedCase {
    ProblemCase *c;
    bool asks[PROBLEM_ROWS];
    double conflict[PROBLEM_ROWS];
    RgArena arena, memory;
} AskedCase;

static AskedCase *begin(ProblemCase *c)
{
    AskedCase *a = calloc(1, sizeof *a);
    a->c = c;
    c->p.asks = a->asks;
    c->p.conflict = a->conflict;
    rg_arena_init(&a->arena, NULL);
    rg_arena_init(&a->memory, NULL);
    return a;
}

static void end(AskedCase *a)
{
    rg_arena_free(&a->arena);
    rg_arena_free(&a->memory);
    free(a->c);
    free(a);
}

static int ask(AskedCase *a, Draw *d, int body, int other, double target)
{
    int i = problem_row(a->c, d, body, other, RG_ROW_BOUNDED);
    a->asks[i] = true;
    a->c->target[i] = target;
    return i;
}

static RgTargetsReport replace(AskedCase *a)
{
    RgSavedTargets held;
    RgTargetsReport report;
    problem_reset(a->c);
    rg_arena_reset(&a->memory);
    cr_assert(rg_targets_save(&a->memory, &a->c->p, a->c->s_free, &held));
    cr_assert(rg_targets_replace(&a->memory, &a->c->p, &held, &report));
    CHECK_NEAR_ALL(a->c->s, a->c->s_free, a->c->p.nu, 0.0, "m/s");
    return report;
}

/* One velocity: rows 2 v = 6 and 1 v = 1. In the metric 1 / A_ii both count v, 3 and 1: v = 2. */
Test(attainable_targets, two_that_contradict_each_other)
{
    Draw d = draw_seed(1);
    AskedCase *a = begin(problem_begin(1, &d));
    for (int i = 0; i < 2; i++)
        for (int k = ask(a, &d, 0, -1, i == 0 ? 6.0 : 1.0), e = 0; e < 6; e++)
            a->c->values[a->c->start[k] + e] = e > 0 ? 0.0 : i == 0 ? 2.0 : 1.0;
    RgTargetsReport report = replace(a);
    cr_expect(report.contradict && report.proven && report.islands == 1 && report.solves <= 6);
    CHECK_NEAR_ALL(a->c->target, ((double[]){4.0, 2.0}), 2, 1e-9, "m/s");
    CHECK_NEAR_ALL(a->conflict, ((double[]){1.0, 1.0}), 2, 1e-9, "");
    end(a);
}

/* Contact asks for v >= 0.5, the target for -2: the contact is above it, whatever its mass. */
Test(attainable_targets, contact_is_above_a_target)
{
    Draw d = draw_seed(2);
    AskedCase *a = begin(problem_begin(1, &d));
    int n = problem_row(a->c, &d, 0, -1, RG_ROW_NORMAL), t = ask(a, &d, 0, -1, -2.0 * 3.0),
        apart = ask(a, &d, 0, -1, 7.0);
    a->c->target[n] = 0.5;
    for (int e = 0; e < 6; e++) {
        a->c->values[a->c->start[n] + e] = e == 0;
        a->c->values[a->c->start[t] + e] = e == 0 ? 3.0 : 0.0;
        a->c->values[a->c->start[apart] + e] = e == 1;
    }
    RgTargetsReport report = replace(a);
    cr_expect(report.contradict && report.proven);
    CHECK_NEAR(a->c->target[t], 1.5, 1e-7, "m/s");
    CHECK_NEAR(a->c->target[apart], 7.0, 1e-7, "m/s");
    cr_expect(a->conflict[n] == 1.0 && a->conflict[t] > 0.99 && a->conflict[apart] == 0.0);
    end(a);
}

/* Bodies with contacts and many targets. */
static AskedCase *drawn(uint64_t seed, int bodies, int targets)
{
    Draw d = draw_seed(seed);
    AskedCase *a = begin(problem_begin(bodies, &d));
    for (int b = 0; b < bodies; b++)
        for (int k = 0; k < 2; k++)
            problem_point(a->c, &d, b, b + 1 < bodies ? b + 1 : -1, 0.3, true);
    for (int k = 0; k < targets; k++)
        ask(a, &d, draw_below(&d, bodies), -1, draw_between(&d, -2.0, 2.0));
    return a;
}

/* min 1/2 sum (P_i v - t_i)^2 / A_ii over N v >= n, by the interior-point method. */
static double least_miss(AskedCase *a, const double *asked)
{
    const RgProblem *p = &a->c->p;
    RgConeProgram q;
    RgConeProgramReport report;
    RgConeProgramOptions o = rg_cone_program_defaults();
    int n = p->nu, m = 0;
    for (int i = 0; i < p->n; i++)
        m += p->row_class[i] == RG_ROW_NORMAL;
    rg_arena_reset(&a->memory);
    double *H = RG_ARENA_ALLOC(&a->memory, double, (size_t)n *(size_t)n), constant = 0.0;
    cr_assert(rg_cone_program_alloc(&a->memory, n, m, 0, &q));
    q.H = H;
    for (int i = 0, row = 0; i < p->n; i++) {
        double full[PROBLEM_UNKNOWNS] = {0.0}, own = rg_problem_diagonal(p, i) - p->compliance[i];
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            full[p->columns[e]] = p->values[e];
        for (int k = 0; k < n && a->asks[i]; k++) {
            q.c[k] -= full[k] * asked[i] / own;
            for (int j = 0; j < n; j++)
                H[k * n + j] += full[k] * full[j] / own;
        }
        constant += a->asks[i] ? 0.5 * asked[i] * asked[i] / own : 0.0;
        if (p->row_class[i] != RG_ROW_NORMAL)
            continue;
        for (int k = 0; k < n; k++)
            q.G[row * n + k] = -full[k];
        q.h[row++] = -p->target[i];
    }
    RgConeWork *work = rg_cone_work_alloc(&a->memory, n, m);
    cr_assert(rg_cone_program_solve(work, &q, &o, &report) == RG_OK && report.outcome == RG_CONE_SOLVED);
    return report.objective + constant;
}

Test(attainable_targets, nearest_against_a_program_over_cones)
{
    int contradict = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        int bodies = 1 + (int)seed % 3;
        AskedCase *a = drawn(seed, bodies, 2 + (3 + (int)seed % 4) * bodies);
        double asked[PROBLEM_ROWS], miss = 0.0;
        memcpy(asked, a->c->target, sizeof asked);
        RgTargetsReport report = replace(a);
        contradict += report.contradict;
        cr_expect(!report.contradict || report.proven, "seed %d: no proof", (int)seed);
        for (int i = 0; i < a->c->p.n; i++) {
            double own = rg_problem_diagonal(&a->c->p, i) - a->c->compliance[i];
            miss += a->asks[i] ? 0.5 * pow(a->c->target[i] - asked[i], 2.0) / own : 0.0;
        }
        double least = least_miss(a, asked);
        cr_expect(report.contradict == (least > 1e-8), "seed %d: least miss %g", (int)seed, least);
        CHECK_NEAR(miss, least, 1e-7 * (1.0 + least), "J");
        end(a);
    }
    cr_expect(contradict >= 10 && contradict < 30, "%d of 30", contradict);
}

/* Every solver solves what is left, with impulses of some 10 times the size that the velocities need, 1e7 without; the
   caller's targets stay as they were. */
Test(attainable_targets, solvers_end_with_bounded_impulses)
{
    const RgSolver *solvers[] = {&rg_solver_cone, &rg_solver_dantzig, &rg_solver_lemke};
    RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
    for (uint64_t seed = 1; seed <= 36; seed++) {
        AskedCase *a = drawn(seed, 1 + (int)seed % 2, 8 + 5 * ((int)seed % 2));
        double asked[PROBLEM_ROWS], most = 100.0 * rg_targets_speed(&a->c->p, a->c->s_free);
        RgSolveReport report;
        memcpy(asked, a->c->target, sizeof asked);
        problem_reset(a->c);
        cr_assert(rg_fallback_chain_solve(&a->memory, &a->arena, solvers[seed % 3], &a->c->p, &o, &report) == RG_OK);
        cr_expect(report.contradictions > 0 && report.outcome == RG_SOLVE_SOLVED && report.fallbacks == 0,
                  "seed %d: %d contradictions, outcome %d, %d fallbacks", (int)seed, report.contradictions,
                  (int)report.outcome, report.fallbacks);
        for (int i = 0; i < a->c->p.n; i++) {
            double own = sqrt(rg_problem_diagonal(&a->c->p, i));
            cr_expect(!a->asks[i] || fabs(a->c->z[i]) * own < most, "seed %d: %g N s", (int)seed, a->c->z[i]);
            double w = rg_problem_row_times(&a->c->p, i, a->c->s) - a->c->target[i];
            cr_expect(a->c->row_class[i] != RG_ROW_NORMAL || w > -1e-6, "seed %d: contact at %g", (int)seed, w);
        }
        cr_expect(memcmp(asked, a->c->target, sizeof asked) == 0 && a->c->compliance[a->c->p.n - 1] == 0.0);
        end(a);
    }
}

/* Targets that can be met: nothing is changed, and the same bits come out as without the look at them. */
Test(attainable_targets, nothing_changes_without_contradiction)
{
    RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
    for (uint64_t seed = 1; seed <= 10; seed++) {
        AskedCase *a = drawn(seed, 3, 3);
        double z[PROBLEM_ROWS];
        RgSolveReport report;
        for (int look = 0; look < 2; look++) {
            a->c->p.asks = look == 1 ? a->asks : NULL;
            problem_reset(a->c);
            cr_assert(rg_fallback_chain_solve(&a->memory, &a->arena, &rg_solver_dantzig, &a->c->p, &o, &report) ==
                      RG_OK);
            cr_expect(report.contradictions == 0 && report.outcome == RG_SOLVE_SOLVED);
            if (look == 0)
                memcpy(z, a->c->z, sizeof z);
        }
        cr_expect(memcmp(z, a->c->z, sizeof z) == 0, "seed %d", (int)seed);
        end(a);
    }
}

/* A target that has no impulse makes no contact press: only contacts beside those of targets are in conflict. */
Test(attainable_targets, contacts_jam_by_the_impulses_of_targets)
{
    for (int pressed = 0; pressed < 2; pressed++) {
        Draw d = draw_seed(3);
        AskedCase *a = begin(problem_begin(1, &d));
        int n = problem_row(a->c, &d, 0, -1, RG_ROW_NORMAL), t = ask(a, &d, 0, -1, 1.0);
        RgSavedTargets held;
        cr_assert(rg_targets_save(&a->memory, &a->c->p, a->c->s_free, &held));
        a->c->z[n] = 1.0;
        a->c->z[t] = pressed;
        rg_targets_adopt_reached(&a->c->p, &held);
        cr_expect(pressed ? a->conflict[n] >= 0.1 : a->conflict[n] == 0.0, "%g", a->conflict[n]);
        cr_expect_eq(a->c->target[t], rg_problem_row_times(&a->c->p, t, a->c->s));
        end(a);
    }
}

/* Memory that is refused, at any place, is told. */
Test(attainable_targets, no_memory)
{
    bool enough = false;
    int told = 0;
    for (long fail_at = 1; !enough && fail_at < 100; fail_at++) {
        Counting counting = {0};
        RgAllocator allocator = counting_allocator(&counting);
        AskedCase *a = drawn(4, 2, 12);
        RgSavedTargets held;
        RgTargetsReport report;
        cr_assert(rg_targets_save(&a->memory, &a->c->p, a->c->s_free, &held));
        rg_arena_init(&a->arena, &allocator);
        counting.fail_at = fail_at;
        enough = rg_targets_replace(&a->arena, &a->c->p, &held, &report);
        told += !enough;
        cr_expect(enough == !a->arena.failed);
        end(a);
        cr_expect_eq(counting.blocks, 0);
    }
    cr_expect(enough && told > 0, "%d", told);
}
