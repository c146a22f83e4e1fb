/*
 * test_least_norm.c - of all forces with the same motion the least: against closed forms (a beam), against all sets of
 * supports that carry, and against other exact solutions of random problems, by the variational inequality z . (z' - z)
 * >= 0 that the nearest point of a convex set to 0 obeys. Velocities, residual and bounds are as they were.
 */
#include "rows_fixture.h"
#include "solver/cone/least_norm.h"

#define MASS 2.0
#define INERTIA 0.3
#define FALL 0.0981 /* m/s: what gravity does in a step */
#define MU 0.5
#define TOLERANCE 1e-10

static const char *const solvers[] = {"cone", "dantzig", "lemke"};

static RgSolveReport least_norm(ProblemCase *c)
{
    RgArena arena;
    RgSolveReport report = {0};
    rg_arena_init(&arena, NULL);
    double before = rg_problem_residual(&c->p, NULL, NULL).velocity;
    cr_assert(rg_least_norm(&arena, &c->p, TOLERANCE, &report));
    rg_arena_free(&arena);
    cr_expect(rg_problem_residual(&c->p, NULL, NULL).velocity <= fmax(before, TOLERANCE));
    cr_expect(rows_in_bounds(c));
    CHECK_NEAR(problem_mismatch(c), 0.0, 1e-12, "sqrt(kg) m/s");
    return report;
}

/* A body on supports along x, its centre over x = 0, that begins to move along x with v. */
static ProblemCase *moving_beam(const double *x, int n, double v)
{
    Draw d = draw_seed(1);
    ProblemCase *c = problem_begin(1, &d);
    rows_velocity(c, 0, MASS, INERTIA, (double[]){v, 0.0, -FALL, 0.0, 0.0, 0.0});
    for (int i = 0; i < n; i++)
        rows_contact(c, (BodyRow){.m = MASS, .I = INERTIA, .arm = {x[i], 0.0, 0.0}}, MU, MU, true);
    problem_reset(c);
    return c;
}

static ProblemCase *beam(const double *x, int n)
{
    return moving_beam(x, n, 0.0);
}

/* Least sum of squares with sum n = P, sum n x = 0 over the supports of a set; false: one of them would pull. */
static bool carried_by(const double *x, int n, int set, double *out)
{
    double s0 = 0.0, s1 = 0.0, s2 = 0.0;
    for (int i = 0; i < n; i++)
        if (set >> i & 1) {
            s0 += 1.0;
            s1 += x[i];
            s2 += x[i] * x[i];
        }
    double det = s0 * s2 - s1 * s1, P = MASS * FALL;
    for (int i = 0; i < n; i++) {
        out[i] = set >> i & 1 ? P * (s2 - s1 * x[i]) / det : 0.0;
        if (!(det > 0.0) || out[i] < 0.0)
            return false;
    }
    return true;
}

/* Of all sets that carry the least: active sets one by one. */
static void check_beam(const double *x, int n)
{
    double least = INFINITY, best[8], one[8];
    for (int set = 1; set < 1 << n; set++) {
        double sum = 0.0;
        if (!carried_by(x, n, set, one))
            continue;
        for (int i = 0; i < n; i++)
            sum += one[i] * one[i];
        if (sum < least)
            memcpy(best, one, sizeof best);
        least = fmin(sum, least);
    }
    for (int k = 0; k < 3; k++) {
        ProblemCase *c = beam(x, n);
        cr_expect_eq(rows_solve(c, solvers[k]).outcome, RG_SOLVE_SOLVED);
        RgSolveReport report = least_norm(c);
        cr_expect(report.indeterminate == 1 && report.as_solved == 0, "%s", solvers[k]);
        for (int i = 0; i < n; i++) {
            CHECK_NEAR(c->z[3 * i], best[i], 1e-12, "N s");
            CHECK_NEAR(hypot(c->z[3 * i + 1], c->z[3 * i + 2]), 0.0, 1e-12, "N s");
        }
        free(c);
    }
}

Test(least_norm, beams)
{
    check_beam((double[]){-0.4, 0.6}, 2);
    check_beam((double[]){-0.5, 0.0, 0.5}, 3);
    check_beam((double[]){-0.5, -0.25, 0.0, 0.25, 0.5}, 5);
    check_beam((double[]){-0.1, 0.2, 0.4, 0.9, 1.3}, 5); /* far supports carry nothing */
}

/* A target of any effort that the motion misses says nothing of what touches: an open support stays open, and the
   target keeps its impulse. */
Test(least_norm, missed_target)
{
    ProblemCase *c = beam((double[]){-0.5, 0.0, 0.5, 0.25}, 4);
    c->target[9] = -0.01; /* m/s: a gap */
    cr_expect_eq(rows_solve(c, "cone").outcome, RG_SOLVE_SOLVED);
    int i = rows_add(c, &(BodyRow){.m = MASS, .I = INERTIA, .along = {0.0, 0.0, 1.0}}, false, RG_ROW_BOUNDED);
    bool asks[PROBLEM_ROWS] = {0};
    asks[i] = true;
    c->target[i] = -0.05;
    c->low[i] = -INFINITY;
    c->high[i] = INFINITY;
    c->p.asks = asks;
    RgSolveReport report = least_norm(c);
    cr_expect(report.indeterminate == 1 && report.as_solved == 0);
    for (int k = 0; k < 4; k++)
        CHECK_NEAR(c->z[3 * k], k < 3 ? MASS * FALL / 3.0 : 0.0, 1e-12, "N s");
    CHECK_NEAR(c->z[i], 0.0, 0.0, "N s");
    free(c);
}

/* z . (z' - z), over |z'|: for every exact z' with the same velocities it is not below 0. */
static double slope_towards(const ProblemCase *c, const double *z, const double *other)
{
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < c->p.n; i++) {
        sum += z[i] * (other[i] - z[i]);
        size += other[i] * other[i];
    }
    return size > 0.0 ? sum / size : 0.0;
}

/* A plate on points at random places with friction, pushed about; its solutions from random first guesses. */
static bool check_plate(uint64_t seed, bool cone)
{
    Draw d = draw_seed(seed);
    double v[6], z[PROBLEM_ROWS], other[PROBLEM_ROWS];
    ProblemCase *c = problem_begin(1, &d);
    for (int k = 0; k < 6; k++)
        v[k] = draw_between(&d, -0.03, 0.03);
    v[2] = -FALL;
    rows_velocity(c, 0, MASS, INERTIA, v);
    int points = 4 + (int)(seed % 4);
    for (int i = 0; i < points; i++) {
        double x = draw_between(&d, -0.5, 0.5), y = draw_between(&d, -0.5, 0.5);
        rows_contact(c, (BodyRow){.m = MASS, .I = INERTIA, .arm = {x, y, -0.1}}, 0.7, 0.7, cone);
    }
    if (rows_solve(c, "cone").outcome != RG_SOLVE_SOLVED)
        return false;
    memcpy(other, c->z, sizeof other);
    RgSolveReport report = least_norm(c);
    memcpy(z, c->z, sizeof z);
    cr_expect(slope_towards(c, z, other) >= -1e-9, "seed %d", (int)seed);
    for (int k = 0; k < 5; k++) { /* the same velocities from other first guesses: another solution, the same least */
        double s[PROBLEM_UNKNOWNS];
        memcpy(s, c->s, sizeof s);
        for (int i = 0; i < c->p.n; i++)
            c->z[i] = draw_between(&d, 0.0, 0.1);
        bool solved = rows_solve_on(c, "cone", NULL).outcome == RG_SOLVE_SOLVED, same = solved;
        for (int i = 0; i < 6; i++)
            same = same && fabs(s[i] - c->s[i]) < 1e-10;
        if (same) {
            cr_expect(slope_towards(c, z, c->z) >= -1e-8, "seed %d", (int)seed);
            bool both = least_norm(c).as_solved == 0 && report.as_solved == 0;
            for (int i = 0; i < c->p.n && both; i++)
                CHECK_NEAR(c->z[i], z[i], 1e-8, "N s");
        }
        memcpy(c->s, s, sizeof s);
    }
    bool reached = report.as_solved == 0;
    free(c);
    return reached;
}

Test(least_norm, plates_on_points)
{
    int reached = 0;
    for (uint64_t seed = 1; seed <= 100; seed++)
        reached += check_plate(seed, seed % 2 == 0);
    cr_expect(reached >= 95, "%d of 100", reached);
}

/* Two parallel bars hold a body: rows without bounds share alike, and contacts go before them. */
Test(least_norm, joints_take_what_contacts_leave)
{
    ProblemCase *c = beam((double[]){-0.5, 0.5}, 2);
    BodyRow up = {.m = MASS, .I = INERTIA, .along = {0.0, 0.0, 1.0}};
    for (int k = 0; k < 2; k++)
        rows_add(c, &up, false, RG_ROW_BILATERAL);
    cr_expect_eq(rows_solve(c, "cone").outcome, RG_SOLVE_SOLVED);
    cr_expect_eq(least_norm(c).as_solved, 0);
    for (int i = 0; i < 6; i++)
        CHECK_NEAR(c->z[i], 0.0, 1e-10, "N s");
    for (int i = 6; i < 8; i++)
        CHECK_NEAR(c->z[i], 0.5 * MASS * FALL, 1e-10, "N s");
    free(c);
}

/* Soft normals tell their force. Their friction is hard: it is shared alike, but for what the cone of a known normal
   does not carry. */
Test(least_norm, friction_of_soft_contacts_is_shared)
{
    for (int k = 0; k < 3; k++) {
        ProblemCase *c = moving_beam((double[]){-0.5, 0.0, 0.5}, 3, -0.04);
        for (int i = 0; i < 3; i++)
            c->compliance[3 * i] = i == 1 ? 1.0 : 0.1;
        cr_expect_eq(rows_solve(c, solvers[k]).outcome, RG_SOLVE_SOLVED);
        double z[3] = {c->z[0], c->z[3], c->z[6]}, carried = MASS * 0.04, edge = MU * z[1];
        RgSolveReport report = least_norm(c);
        cr_expect(report.indeterminate == 1 && report.as_solved == 0, "%s", solvers[k]);
        cr_expect(edge < carried / 3.0 && 0.5 * (carried - edge) < MU * fmin(z[0], z[2]));
        for (int i = 0; i < 3; i++) {
            cr_expect_eq(c->z[3 * i], z[i]);
            CHECK_NEAR(c->z[3 * i + 1], i == 1 ? edge : 0.5 * (carried - edge), 1e-12, "N s");
            CHECK_NEAR(c->z[3 * i + 2], 0.0, 1e-12, "N s");
        }
        free(c);
    }
}

/* Soft friction tells its force, and the hard normal of the middle support is no less than that needs. */
Test(least_norm, normals_of_soft_friction_are_shared)
{
    ProblemCase *c = moving_beam((double[]){-0.5, 0.0, 0.5}, 3, -0.2);
    for (int i = 0; i < 9; i++)
        c->compliance[i] = i % 3 == 0 ? 0.0 : i / 3 == 1 ? 4.0 : 40.0;
    cr_expect_eq(rows_solve(c, "cone").outcome, RG_SOLVE_SOLVED);
    double middle = fabs(c->z[4]) / MU, rest = 0.5 * (MASS * FALL - middle), friction[3] = {c->z[1], c->z[4], c->z[7]};
    cr_expect(middle > MASS * FALL / 3.0 && middle < c->z[3] && fabs(friction[0]) < MU * rest);
    RgSolveReport report = least_norm(c);
    cr_expect(report.indeterminate == 1 && report.as_solved == 0);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(c->z[3 * i], i == 1 ? middle : rest, 1e-12, "N s");
        cr_expect_eq(c->z[3 * i + 1], friction[i]);
    }
    free(c);
}
