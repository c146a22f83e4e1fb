/*
 * test_cone_program.c - convex programs over cones: closed forms, corners of polyhedra by brute force, proofs
 * checked as proofs, and the method that goes down at every step against the one that does not.
 */
#include "check_near.h"
#include "draw.h"
#include "solver/program/cone_program.h"

#include <stdlib.h>
#include <string.h>

#define MOST 64

typedef struct Case {
    RgConeProgram q;
    int cone[MOST];
    double H[MOST * MOST], c[MOST], G[MOST * MOST], h[MOST];
    double x[MOST], s[MOST], z[MOST];
    RgConeProgramReport report;
} Case;

static Case *begin(int n, int l)
{
    Case *c = calloc(1, sizeof *c);
    cr_assert(c != NULL && n <= MOST && l <= MOST);
    c->q = (RgConeProgram){.n = n, .m = l, .l = l, .cone = c->cone, .c = c->c};
    c->q.G = c->G;
    c->q.h = c->h;
    c->q.x = c->x;
    c->q.s = c->s;
    c->q.z = c->z;
    return c;
}

static void add_cone(Case *c, int rows)
{
    c->cone[c->q.ncones++] = rows;
    c->q.m += rows;
    cr_assert(c->q.m <= MOST);
}

static RgStatus run(Case *c, bool descend, int iterations)
{
    RgArena arena;
    RgConeProgramOptions o = rg_cone_program_defaults();
    o.max_iterations = iterations;
    rg_arena_init(&arena, NULL);
    RgConeWork *w = rg_cone_work_alloc(&arena, c->q.n, c->q.m);
    cr_assert(w != NULL);
    RgStatus status =
        descend ? rg_cone_program_descend(w, &c->q, &o, &c->report) : rg_cone_program_solve(w, &c->q, &o, &c->report);
    rg_arena_free(&arena);
    return status;
}

static void solve(Case *c, RgConeOutcome expected)
{
    cr_assert(run(c, false, 100) == RG_OK);
    cr_expect(c->report.outcome == expected, "outcome %d after %d iterations, residuals %g %g gap %g",
              (int)c->report.outcome, c->report.iterations, c->report.primal, c->report.dual, c->report.gap);
}

static double times(const double *M, int n, int i, const double *x)
{
    double sum = 0.0;
    for (int j = 0; j < n; j++)
        sum += M[i * n + j] * x[j];
    return sum;
}

static double triple(const double *a, const double *b, const double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Where three planes G_i x = h_i meet (Cramer's rule); false: nowhere. */
static bool corner(const Case *c, const int at[3], double x[3])
{
    double column[3][3], right[3];
    for (int r = 0; r < 9; r++)
        column[r % 3][r / 3] = c->G[3 * at[r / 3] + r % 3];
    for (int r = 0; r < 3; r++)
        right[r] = c->h[at[r]];
    double whole = triple(column[0], column[1], column[2]);
    if (fabs(whole) < 1e-9)
        return false;
    x[0] = triple(right, column[1], column[2]) / whole;
    x[1] = triple(column[0], right, column[2]) / whole;
    x[2] = triple(column[0], column[1], right) / whole;
    return true;
}

/* Lowest c'x over the corners of {Gx <= h}, n = 3. */
static double lowest_corner(const Case *c)
{
    double lowest = INFINITY;
    int m = c->q.m;
    for (int code = 0; code < m * m * m; code++) {
        int at[3] = {code / (m * m), code / m % m, code % m};
        double x[3];
        bool inside = at[0] < at[1] && at[1] < at[2] && corner(c, at, x);
        for (int e = 0; e < m && inside; e++)
            inside = times(c->G, 3, e, x) <= c->h[e] + 1e-9;
        if (inside)
            lowest = fmin(lowest, times(c->c, 3, 0, x));
    }
    return lowest;
}

Test(cone_program, linear_programs_against_all_corners)
{
    Draw d = draw_seed(3);
    for (int trial = 0; trial < 60; trial++) {
        Case *c = begin(3, 16);
        for (int i = 0; i < 16; i++) {
            for (int j = 0; j < 3; j++)
                c->G[3 * i + j] = i < 6 ? (i / 2 == j ? 1.0 - 2.0 * (i % 2) : 0.0) : draw_between(&d, -1.0, 1.0);
            c->h[i] = i < 6 ? 2.0 : draw_chance(&d, 0.3) ? 0.0 : draw_between(&d, 0.0, 1.0);
        }
        for (int j = 0; j < 3; j++)
            c->c[j] = draw_between(&d, -1.0, 1.0);
        solve(c, RG_CONE_SOLVED);
        CHECK_NEAR(c->report.objective, lowest_corner(c), 1e-8, "");
        free(c);
    }
}

/* Nearest point of the cone {x_0 >= |x_1|}: itself, the tip, or half way along the edge. */
Test(cone_program, projection_onto_a_cone)
{
    Draw d = draw_seed(4);
    for (int trial = 0; trial < 60; trial++) {
        int n = 2 + draw_below(&d, 5);
        Case *c = begin(n, 0);
        add_cone(c, n);
        c->q.H = c->H;
        double a[MOST], tail = 0.0, expected[MOST];
        for (int j = 0; j < n; j++) {
            a[j] = draw_between(&d, -3.0, 3.0);
            c->H[j * n + j] = 1.0;
            c->G[j * n + j] = -1.0;
            c->c[j] = -a[j];
            tail += j > 0 ? a[j] * a[j] : 0.0;
        }
        tail = sqrt(tail);
        double half = 0.5 * (a[0] + tail);
        for (int j = 0; j < n; j++)
            expected[j] = tail <= a[0] ? a[j] : tail <= -a[0] ? 0.0 : j == 0 ? half : half * a[j] / tail;
        solve(c, RG_CONE_SOLVED);
        CHECK_NEAR_ALL(c->x, expected, n, 1e-4, ""); /* root of the gap, where the edge is just met */
        double miss = 0.0, least = 0.0;
        for (int j = 0; j < n; j++) {
            miss += 0.5 * (c->x[j] - a[j]) * (c->x[j] - a[j]);
            least += 0.5 * (expected[j] - a[j]) * (expected[j] - a[j]);
        }
        CHECK_NEAR(miss, least, 1e-8, "");
        free(c);
    }
}

/* Points on a sphere, both ends of a diameter among them, and points inside: that sphere is the smallest ball. */
Test(cone_program, smallest_enclosing_ball)
{
    Draw d = draw_seed(5);
    Case *c = begin(4, 0);
    double centre[3] = {0.3, -1.2, 0.7}, radius = 1.7;
    for (int i = 0; i < 12; i++) {
        double v[3], length = 0.0, far = i < 6 ? 1.0 : draw_between(&d, 0.0, 0.9);
        for (int j = 0; j < 3; j++) {
            v[j] = i == 0 ? (j == 0 ? 1.0 : 0.0) : i == 1 ? (j == 0 ? -1.0 : 0.0) : draw_between(&d, -1.0, 1.0);
            length += v[j] * v[j];
        }
        add_cone(c, 4);
        c->G[4 * (4 * i) + 3] = -1.0;
        for (int j = 0; j < 3; j++) {
            c->G[4 * (4 * i + 1 + j) + j] = 1.0;
            c->h[4 * i + 1 + j] = centre[j] + radius * far * v[j] / sqrt(length);
        }
    }
    c->c[3] = 1.0;
    solve(c, RG_CONE_SOLVED);
    CHECK_NEAR(c->x[3], radius, 1e-8, "m");
    CHECK_NEAR_ALL(c->x, centre, 3, 1e-4, "m");
    free(c);
}

/* Cone x_0 >= |(x_1, x_2)| and the half space x_0 <= x_1 - 1 do not meet; z proves it. */
Test(cone_program, proves_that_nothing_is_allowed)
{
    Case *c = begin(3, 1);
    add_cone(c, 3);
    c->G[0] = 1.0;
    c->G[1] = -1.0;
    c->h[0] = -1.0;
    for (int j = 0; j < 3; j++)
        c->G[3 * (1 + j) + j] = -1.0;
    c->c[2] = 1.0;
    solve(c, RG_CONE_INFEASIBLE);
    double sum = 0.0;
    for (int j = 0; j < 3; j++) {
        double back = 0.0;
        for (int i = 0; i < 4; i++)
            back += c->G[3 * i + j] * c->z[i];
        CHECK_NEAR(back, 0.0, 1e-8, "");
    }
    for (int i = 0; i < 4; i++)
        sum += c->h[i] * c->z[i];
    CHECK_NEAR(sum, -1.0, 1e-12, "");
    cr_expect(c->z[0] > 0.0 && c->z[1] >= sqrt(c->z[2] * c->z[2] + c->z[3] * c->z[3]));
    free(c);
}

/* Along (1, 1, 0), which the curvature does not see, the objective falls for ever. */
Test(cone_program, proves_that_nothing_is_lowest)
{
    Case *c = begin(3, 0);
    add_cone(c, 3);
    c->q.H = c->H;
    c->H[8] = 2.0;
    for (int j = 0; j < 3; j++)
        c->G[3 * j + j] = -1.0;
    c->c[0] = 1.0;
    c->c[1] = -1.5;
    solve(c, RG_CONE_UNBOUNDED);
    CHECK_NEAR(times(c->c, 3, 0, c->x), -1.0, 1e-12, "");
    CHECK_NEAR(c->H[8] * c->x[2], 0.0, 1e-8, "");
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(times(c->G, 3, i, c->x) + c->s[i], 0.0, 1e-8, "");
    free(c);
}

Test(cone_program, refuses_what_is_no_number)
{
    Case *c = begin(2, 1);
    c->G[0] = NAN;
    cr_expect(run(c, false, 10) == RG_ERR_ARGUMENT);
    c->G[0] = 1.0;
    c->h[0] = INFINITY;
    cr_expect(run(c, false, 10) == RG_ERR_ARGUMENT);
    c->h[0] = -1.0; /* x = 0 is not inside */
    cr_expect(run(c, true, 10) == RG_ERR_ARGUMENT);
    free(c);
    c = begin(0, 0);
    solve(c, RG_CONE_SOLVED);
    free(c);
}

/* A random program with bounds and cones, strictly feasible at 0. */
static Case *random_inside(Draw *d, int n)
{
    Case *c = begin(n, 6);
    c->q.H = c->H;
    for (int k = 0; k < 3; k++)
        add_cone(c, 3);
    double B[3 * MOST];
    for (int k = 0; k < 3 * n; k++)
        B[k] = draw_between(d, -1.0, 1.0);
    for (int i = 0; i < n; i++) {
        c->c[i] = draw_between(d, -1.0, 1.0);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < 3; k++)
                c->H[i * n + j] += B[k * n + i] * B[k * n + j] + (i == j ? 0.01 : 0.0);
    }
    for (int i = 0; i < c->q.m; i++) {
        for (int j = 0; j < n; j++)
            c->G[i * n + j] = draw_between(d, -1.0, 1.0);
        c->h[i] = i < 6 || i % 3 == 0 ? draw_between(d, 0.5, 1.0) : draw_between(d, -0.2, 0.2);
    }
    return c;
}

/* After any number of iterations: inside, and lower than after fewer; in the end as low as the other method. */
Test(cone_program, goes_down_at_every_step)
{
    Draw d = draw_seed(6);
    for (int trial = 0; trial < 25; trial++) {
        Case *c = random_inside(&d, 3 + draw_below(&d, 9));
        solve(c, RG_CONE_SOLVED);
        double lowest = c->report.objective, last = 0.0;
        bool lower = false; /* can it still be? */
        for (int k = 0; k < 12; k++) {
            memset(c->x, 0, sizeof c->x);
            cr_assert(run(c, true, k) == RG_OK);
            cr_expect(lower ? c->report.objective < last : c->report.objective <= last);
            lower = c->report.outcome == RG_CONE_ITERATIONS && c->report.gap > 1e-8;
            cr_expect(c->report.objective >= lowest - 1e-8 * (1.0 + fabs(lowest)));
            last = c->report.objective;
            for (int i = 0; i < 6; i++)
                cr_expect(times(c->G, c->q.n, i, c->x) <= c->h[i]);
            for (int i = 6; i < c->q.m; i += 3)
                cr_expect(c->s[i] >= sqrt(c->s[i + 1] * c->s[i + 1] + c->s[i + 2] * c->s[i + 2]));
        }
        memset(c->x, 0, sizeof c->x);
        cr_assert(run(c, true, 100) == RG_OK);
        cr_expect(c->report.outcome == RG_CONE_SOLVED, "%d iterations, dual %g gap %g", c->report.iterations,
                  c->report.dual, c->report.gap);
        CHECK_NEAR(c->report.objective, lowest, 1e-8 * (1.0 + fabs(lowest)), "");
        free(c);
    }
}
