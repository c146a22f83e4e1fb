/*
 * test_quick_problem.c - solver `quick` on rows: every kind of row, alone and together, gives the velocities of `cone`;
 * patches are taken whole or apart with the same result; what it cannot take is refused. (Friction along one tangent
 * alone does not come to an end by `cone`: `pgs` is the twin there.)
 */
#include "rows_fixture.h"
#include "solver/quick/quick_problem.h"

static RgRowOptions to_the_end(void)
{
    RgRowOptions o = {
        .pgs = rg_pgs_options_default(), .exact = rg_exact_options_default(), .quick = rg_quick_options_default()};
    o.exact.tolerance = 1e-12;
    o.pgs.iterations = 20000;
    o.pgs.tolerance = 1e-15;
    o.pgs.sor = 1.0;
    o.quick.max_sweeps = 20000;
    o.quick.tolerance = 1e-12;
    return o;
}

/* From zero; what rows miss in the end, m/s. */
static double solve(ProblemCase *c, const RgSolver *solver)
{
    static RgArena arena;
    RgRowOptions o = to_the_end();
    RgSolveReport report;
    problem_reset(c);
    cr_assert_eq(solver->solve_rows(&arena, &c->p, &o, &report), RG_OK, "%s", solver->name);
    CHECK_NEAR(problem_mismatch(c), 0.0, 1e-10, "m/s");
    return rg_problem_residual(&c->p, NULL, NULL).velocity;
}

/* Largest difference of velocities between quick and another; INFINITY: one of them did not come to the end. */
static double apart(ProblemCase *c, const RgSolver *twin)
{
    double s[PROBLEM_UNKNOWNS], most = 0.0;
    if (!(solve(c, twin) < 1e-9))
        return INFINITY;
    memcpy(s, c->s, sizeof s);
    if (!(solve(c, &rg_solver_quick) < 1e-8))
        return INFINITY;
    for (int k = 0; k < c->p.nu; k++)
        most = fmax(most, fabs(c->s[k] - s[k]));
    return most;
}

/* ------------------------------------------------------------------ every kind of row */

typedef enum Kind {
    BILATERAL,
    BOUNDED,
    LEAST,
    BOX,
    POINT,
    ELLIPSE,
    SEGMENT,
    PYRAMID,
    TORSION,
    ROLLING,
    SMOOTH,
    KINDS
} Kind;

/* One more friction row of normal n, or two of them that share a cone. */
static void add_friction(ProblemCase *c, Draw *d, int body, int n, double mu, bool two)
{
    for (int k = 0; k < (two ? 2 : 1); k++) {
        int i = problem_row(c, d, body, -1, RG_ROW_FRICTION);
        c->normal[i] = n;
        c->high[i] = mu;
        c->low[i] = -mu;
        c->target[i] = 0.0;
        c->cone[i] = two && k == 0;
    }
}

static void add_bounded(ProblemCase *c, Draw *d, int a, int b, Kind kind)
{
    int i = problem_row(c, d, a, b, kind == BOX ? RG_ROW_BOX : RG_ROW_BOUNDED);
    c->low[i] = kind == LEAST ? draw_between(d, 0.1, 0.3) : draw_between(d, -0.5, 0.0);
    c->high[i] = c->low[i] + draw_between(d, 0.2, 1.0);
}

static void add_contact(ProblemCase *c, Draw *d, int a, int b, Kind kind)
{
    double mu = draw_between(d, 0.02, 0.1);
    int n = c->p.n;
    if (kind == SMOOTH) {
        problem_row(c, d, a, b, RG_ROW_NORMAL);
        return;
    }
    problem_point(c, d, a, b, mu, kind != PYRAMID);
    c->high[n + 2] = kind == ELLIPSE ? 0.3 * mu : kind == SEGMENT ? 0.0 : mu;
    if (kind == TORSION)
        add_friction(c, d, a, n, 0.05, false);
    if (kind == ROLLING)
        add_friction(c, d, a, n, 0.05, true);
}

static ProblemCase *draw_kinds(uint64_t seed, Kind kind)
{
    Draw d = draw_seed(seed);
    int bodies = 1 + (int)(seed % 5);
    ProblemCase *c = problem_begin(bodies, &d);
    for (int b = 0; b < bodies; b++)
        for (int k = 0; k < 2; k++) {
            Kind own = kind == KINDS ? (Kind)draw_below(&d, KINDS) : k == 0 ? kind : POINT;
            own = own == SEGMENT && kind == KINDS ? POINT : own;
            int other = b + 1 < bodies && draw_chance(&d, 0.5) ? b + 1 : -1, first = c->p.n;
            if (own == BILATERAL)
                problem_row(c, &d, b, other, RG_ROW_BILATERAL);
            else if (own == BOUNDED || own == LEAST || own == BOX)
                add_bounded(c, &d, b, other, own);
            else
                add_contact(c, &d, b, other, own);
            for (int i = first; i < c->p.n && draw_chance(&d, 0.3); i++)
                c->compliance[i] = draw_between(&d, 0.0, 0.2);
        }
    return c;
}

Test(quick_problem, every_kind_of_row_as_cone_has_it)
{
    for (int kind = 0; kind <= KINDS; kind++) {
        int met = 0;
        for (uint64_t seed = 1; seed <= 100; seed++) {
            ProblemCase *c = draw_kinds(seed, (Kind)kind);
            double off = apart(c, kind == SEGMENT ? &rg_solver_pgs : &rg_solver_cone);
            met += isfinite(off);
            cr_expect(!(off > 1e-6) || isinf(off), "kind %d, seed %d: %g m/s apart", kind, (int)seed, off);
            free(c);
        }
        cr_expect_geq(met, 97, "kind %d: %d of 100", kind, met);
    }
}

/* Friction that shall reach a velocity: targets of tangents. */
Test(quick_problem, tangents_with_targets)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        ProblemCase *c = draw_kinds(seed, POINT);
        for (int i = 0; i < c->p.n; i++)
            c->target[i] = 0.1 * (i % 3) - 0.1;
        cr_expect_leq(apart(c, &rg_solver_cone), 1e-6, "seed %d", (int)seed);
        free(c);
    }
}

/* ------------------------------------------------------------------ patches */

/* Points of a plane along t1 or about a square, anywhere in the plane: one patch. Elsewhere, or without the word:
   points. */
Test(quick_problem, patches_whole_and_apart)
{
    static const double corner[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Draw d = draw_seed(seed);
        ProblemCase *c = problem_begin(2, &d);
        int points = 2 + (int)(seed % 3);
        problem_patch(c, &d, 0, -1, points);
        problem_patch(c, &d, 1, 0, points);
        for (int k = 0; k < 2 * points && seed % 4 != 0; k++) {
            RgRowPatch *patch = &c->patches[k / points];
            int i = k % points, row = patch->first + 3 * i;
            double x = patch->place[i][0] = 0.3 + 0.2 * corner[i][0],
                   y = patch->place[i][1] = 0.1 + (points > 2 ? 0.2 * corner[i][1] : 0.0);
            for (int e = 0; e < c->start[row + 1] - c->start[row]; e++) {
                c->values[c->start[row] + e] = patch->base[0][e] + y * patch->base[1][e] - x * patch->base[2][e];
                c->values[c->start[row + 1] + e] = patch->base[3][e] - y * patch->base[5][e];
                c->values[c->start[row + 2] + e] = patch->base[4][e] + x * patch->base[5][e];
            }
        }
        for (int i = 0; i < c->p.n; i++) {
            c->high[i] = c->row_class[i] == RG_ROW_FRICTION ? 0.05 : c->high[i];
            c->compliance[i] = seed % 5 == 0 ? 0.05 : 0.0;
        }
        double s[PROBLEM_UNKNOWNS], whole = solve(c, &rg_solver_quick);
        memcpy(s, c->s, sizeof s);
        c->p.npatches = 0;
        double alone = solve(c, &rg_solver_quick);
        cr_expect(whole < 1e-9 && alone < 1e-9, "seed %d: %g, %g m/s", (int)seed, whole, alone);
        CHECK_NEAR_ALL(c->s, s, (size_t)c->p.nu, 1e-6, "m/s");
        free(c);
    }
}

/* ------------------------------------------------------------------ refusals */

static const char *refusal(ProblemCase *c)
{
    RgArena arena;
    RgRowOptions o = to_the_end();
    RgSolveReport report;
    rg_arena_init(&arena, NULL);
    const char *why = rg_quick_rows_refuse(&arena, &c->p);
    RgStatus status = rg_quick_rows_solve(&arena, &c->p, &o, &report);
    cr_expect_eq(status, why != NULL ? RG_ERR_UNSUPPORTED : RG_OK);
    rg_arena_free(&arena);
    return why;
}

Test(quick_problem, refuses_in_words)
{
    ProblemCase *c = draw_kinds(4, ROLLING);
    problem_reset(c);
    cr_expect_null(refusal(c));
    for (int i = 0; i < c->p.n; i++)
        if (c->cone[i] && c->normal[i] == i - 3)
            c->high[i] *= 2.0;
    cr_expect(strstr(refusal(c), "two coefficients") != NULL);
    free(c);
    c = draw_kinds(4, POINT);
    problem_reset(c);
    c->high[0] = 3.0;
    cr_expect(strstr(refusal(c), "bounds of their own") != NULL);
    free(c);
}

/* One unknown, 5000 rows on it. */
Test(quick_problem, refuses_large_islands)
{
    enum { N = 5000 };
    RgArena arena;
    rg_arena_init(&arena, NULL);
    double s = 1.0, *none = RG_ARENA_ALLOC(&arena, double, N), *values = RG_ARENA_ALLOC(&arena, double, N);
    int *start = RG_ARENA_ALLOC(&arena, int, N + 1), *normal = RG_ARENA_ALLOC(&arena, int, N);
    for (int i = 0; i < N; i++) {
        values[i] = 1.0;
        start[i + 1] = i + 1;
        normal[i] = -1;
    }
    RgProblem p = {.n = N,
                   .nu = 1,
                   .start = start,
                   .columns = RG_ARENA_ALLOC(&arena, int, N),
                   .values = values,
                   .target = none,
                   .compliance = none,
                   .low = none,
                   .high = none,
                   .normal = normal,
                   .row_class = RG_ARENA_ALLOC(&arena, uint8_t, N),
                   .cone = RG_ARENA_ALLOC(&arena, bool, N),
                   .z = RG_ARENA_ALLOC(&arena, double, N),
                   .s = &s};
    RgArena work;
    rg_arena_init(&work, NULL);
    const char *why = rg_quick_rows_refuse(&work, &p);
    cr_assert(why != NULL && strstr(why, "too large") != NULL);
    rg_arena_free(&work);
    rg_arena_free(&arena);
}
