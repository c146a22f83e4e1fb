/*
 * test_solver_cone.c - solver `cone` over rows: closed forms, every kind of row, the law once more by cases, sweeps to
 * convergence as a twin, and what has no answer.
 */
#include "counting.h"
#include "rows_fixture.h"

#define MU 0.4

static const double I0 = 0.3, M0 = 2.0;

/* Every solve: bounds are kept, s belongs to z, and nothing is other than a number. */
static RgSolveReport check_on(ProblemCase *c, const RgExactOptions *o)
{
    RgSolveReport report = rows_solve_on(c, "cone", o);
    double s[PROBLEM_UNKNOWNS];
    memcpy(s, c->s_free, sizeof s);
    for (int i = 0; i < c->p.n; i++)
        rg_problem_apply_impulse(&c->p, i, c->z[i], s);
    for (int k = 0; k < c->p.nu; k++)
        cr_expect(s[k] == c->s[k], "velocity %d: %.17g is not %.17g", k, c->s[k], s[k]);
    for (int i = 0; i < c->p.n; i++)
        cr_assert(isfinite(c->z[i]));
    cr_expect(rows_in_bounds(c));
    cr_expect_eq(report.converged, report.outcome == RG_SOLVE_SOLVED);
    return report;
}

static RgSolveReport check(ProblemCase *c)
{
    problem_reset(c);
    return check_on(c, NULL);
}

static ProblemCase *one_body(const double v[6])
{
    Draw d = draw_seed(1);
    ProblemCase *c = problem_begin(1, &d);
    rows_velocity(c, 0, M0, I0, v);
    return c;
}

static double velocity(const ProblemCase *c, int k)
{
    return c->s[k] / sqrt(k % 6 < 3 ? M0 : I0);
}

/* ------------------------------------------------------------------ closed forms: to what a residual of 1e-10
   leaves */

/* A block falls by g h and slides: it is slowed by mu g h, or held. */
Test(solver_cone, sliding_block)
{
    const double gh = 0.1;
    for (int held = 0; held < 2; held++) {
        double speed = held ? 0.03 : 1.0;
        ProblemCase *c = one_body((double[]){0.6 * speed, 0.8 * speed, -gh, 0.0, 0.0, 0.0});
        rows_contact(c, (BodyRow){.m = M0, .I = I0}, MU, MU, true);
        RgSolveReport r = check(c);
        cr_expect_eq(r.outcome, RG_SOLVE_SOLVED);
        double left = held ? 0.0 : speed - MU * gh;
        CHECK_NEAR(velocity(c, 0), 0.6 * left, 1e-9, "m/s");
        CHECK_NEAR(velocity(c, 1), 0.8 * left, 1e-9, "m/s");
        CHECK_NEAR(velocity(c, 2), 0.0, 1e-9, "m/s");
        CHECK_NEAR(c->z[0], M0 * gh, 1e-9, "N s");
        free(c);
    }
}

/* On four corners, the centre 0.1 above them: the front carries more, none lifts, the block does not turn. */
Test(solver_cone, block_on_four_corners)
{
    const double gh = 0.1;
    ProblemCase *c = one_body((double[]){1.0, 0.0, -gh, 0.0, 0.0, 0.0});
    for (int k = 0; k < 4; k++)
        rows_contact(c, (BodyRow){.m = M0, .I = I0, .arm = {k % 2 == 0 ? 0.5 : -0.5, k / 2 == 0 ? 0.3 : -0.3, -0.1}},
                     MU, MU, true);
    RgSolveReport r = check(c);
    cr_expect_eq(r.outcome, RG_SOLVE_SOLVED);
    CHECK_NEAR_ALL(c->s, ((double[]){sqrt(M0) * (1.0 - MU * gh), 0.0, 0.0, 0.0, 0.0, 0.0}), 6, 1e-9, "m/s");
    double front = c->z[0] + c->z[6], rear = c->z[3] + c->z[9];
    CHECK_NEAR(front + rear, M0 * gh, 1e-9, "N s");
    CHECK_NEAR(0.5 * (front - rear), 0.1 * MU * M0 * gh, 1e-10, "N m s"); /* the moment of friction about the centre */
    free(c);
}

/* In a groove of two planes at 45 degrees, along which it slides: the planes carry m g h / sqrt(2) each. */
Test(solver_cone, wedge_in_a_groove)
{
    const double gh = 0.1, root = 0.70710678118654752;
    ProblemCase *c = one_body((double[]){0.0, 1.0, -gh, 0.0, 0.0, 0.0});
    for (int side = 0; side < 2; side++) {
        double x = side == 0 ? root : -root;
        BodyRow at = {.m = M0, .I = I0, .along = {x, 0.0, root}};
        int n = rows_add(c, &at, false, RG_ROW_NORMAL);
        at = (BodyRow){.m = M0, .I = I0, .along = {root, 0.0, -x}};
        rows_friction(c, &at, false, n, MU);
        at = (BodyRow){.m = M0, .I = I0, .along = {0.0, 1.0, 0.0}};
        rows_friction(c, &at, false, n, MU);
        c->cone[n + 1] = true;
    }
    RgSolveReport r = check(c);
    cr_expect_eq(r.outcome, RG_SOLVE_SOLVED);
    double carried = M0 * gh * root;
    CHECK_NEAR(c->z[0], carried, 1e-9, "N s");
    CHECK_NEAR(c->z[3], carried, 1e-9, "N s");
    CHECK_NEAR(velocity(c, 1), 1.0 - 2.0 * MU * carried / M0, 1e-9, "m/s");
    free(c);
}

/* A ball that spins about the normal and rolls: torsion and rolling friction take mu N off each, or stop it. */
Test(solver_cone, torsion_and_rolling)
{
    const double gh = 0.1, torsion = 0.02, rolling = 0.01;
    for (int weak = 0; weak < 2; weak++) {
        double spin = weak ? 1e-4 : 1.0;
        ProblemCase *c = one_body((double[]){0.0, 0.0, -gh, 0.6 * spin, 0.8 * spin, 2.0 * spin});
        BodyRow at = {.m = M0, .I = I0};
        int n = rows_contact(c, at, MU, MU, true); /* a ball of radius zero: no slip of the point */
        const double axes[3][3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
        for (int k = 0; k < 3; k++) {
            memcpy(at.along, axes[k], sizeof at.along);
            int i = rows_friction(c, &at, true, n, k == 0 ? torsion : rolling);
            c->cone[i] = k == 1;
        }
        RgSolveReport r = check(c);
        cr_expect_eq(r.outcome, RG_SOLVE_SOLVED);
        double N = M0 * gh, rolls = weak ? 0.0 : spin - rolling * N / I0;
        CHECK_NEAR(velocity(c, 3), 0.6 * rolls, 1e-9, "rad/s");
        CHECK_NEAR(velocity(c, 4), 0.8 * rolls, 1e-9, "rad/s");
        CHECK_NEAR(velocity(c, 5), weak ? 0.0 : 2.0 * spin - torsion * N / I0, 1e-9, "rad/s");
        free(c);
    }
}

/* mu1 != mu2: friction against the slip, as long as the ellipse is that way. */
Test(solver_cone, elliptic_friction)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Draw d = draw_seed(seed);
        double mu1 = draw_between(&d, 0.05, 1.0), mu2 = draw_between(&d, 0.05, 1.0);
        ProblemCase *c = one_body((double[]){draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0), -0.3,
                                             draw_between(&d, -1.0, 1.0), draw_between(&d, -1.0, 1.0), 0.0});
        rows_contact(c, (BodyRow){.m = M0, .I = I0, .arm = {0.1, -0.2, -0.3}}, mu1, mu2, true);
        RgSolveReport r = check(c);
        cr_expect(r.outcome == RG_SOLVE_SOLVED && r.residual.velocity < 1e-9, "seed %d", (int)seed);
        double n = c->z[0], x = c->z[1], y = c->z[2], wx = rows_miss(c, 1), wy = rows_miss(c, 2);
        double place = x * x / (mu1 * mu1) + y * y / (mu2 * mu2);
        if (hypot(wx, wy) > 1e-6) {
            CHECK_NEAR(place, n * n, 1e-9, "(N s)^2");
            cr_expect(x * wx + y * wy < 0.0);
            CHECK_NEAR(x * wy - y * wx, 0.0, 1e-9, "N m");
        }
        cr_expect(rows_law(c) < 1e-8);
        free(c);
    }
}

/* Along one axis there is no friction at all: the ellipse is a segment. */
Test(solver_cone, friction_along_one_axis)
{
    ProblemCase *c = one_body((double[]){1.0, 1.0, -0.1, 0.0, 0.0, 0.0});
    rows_contact(c, (BodyRow){.m = M0, .I = I0}, MU, 0.0, true);
    RgSolveReport r = check(c);
    cr_expect_eq(r.outcome, RG_SOLVE_SOLVED);
    CHECK_NEAR(velocity(c, 0), 1.0 - MU * 0.1, 1e-9, "m/s");
    CHECK_NEAR(velocity(c, 1), 1.0, 1e-9, "m/s");
    free(c);
}

/* A pyramid: each tangent for itself; a box: with bounds of its own. */
Test(solver_cone, pyramids_and_boxes)
{
    ProblemCase *c = one_body((double[]){1.0, -0.5, -0.1, 0.0, 0.0, 0.0});
    rows_contact(c, (BodyRow){.m = M0, .I = I0}, MU, 0.2, false);
    cr_expect_eq(check(c).outcome, RG_SOLVE_SOLVED);
    CHECK_NEAR(velocity(c, 0), 1.0 - MU * 0.1, 1e-9, "m/s");
    CHECK_NEAR(velocity(c, 1), -0.5 + 0.2 * 0.1, 1e-9, "m/s");
    for (int i = 1; i < 3; i++) {
        c->row_class[i] = RG_ROW_BOX;
        c->low[i] = -0.3;
        c->high[i] = 1.5;
    }
    cr_expect_eq(check(c).outcome, RG_SOLVE_SOLVED);
    CHECK_NEAR(velocity(c, 0), 1.0 - 0.3 / M0, 1e-9, "m/s");
    CHECK_NEAR(velocity(c, 1), 0.0, 1e-9, "m/s");
    free(c);
}

/* A motor that may push 0.5 N s at most; soft rows; a limit. */
Test(solver_cone, bounds_and_compliance)
{
    ProblemCase *c = one_body((double[]){1.0, 2.0, -3.0, 0.5, 0.0, 0.0});
    BodyRow at = {.m = M0, .I = I0, .along = {1.0, 0.0, 0.0}};
    int motor = rows_add(c, &at, false, RG_ROW_BOUNDED);
    c->low[motor] = -0.5;
    c->high[motor] = 0.5;
    c->target[motor] = 4.0;
    at = (BodyRow){.m = M0, .I = I0, .along = {0.0, 1.0, 0.0}};
    int soft = rows_add(c, &at, false, RG_ROW_BILATERAL);
    c->compliance[soft] = 0.25;
    at = (BodyRow){.m = M0, .I = I0, .along = {0.0, 0.0, 1.0}};
    int limit = rows_add(c, &at, false, RG_ROW_BOUNDED);
    c->low[limit] = 0.0;
    c->target[limit] = -1.0;
    at = (BodyRow){.m = M0, .I = I0, .along = {1.0, 0.0, 0.0}};
    int idle = rows_add(c, &at, true, RG_ROW_BOUNDED); /* turns away from its limit */
    c->low[idle] = 0.0;
    cr_expect_eq(check(c).outcome, RG_SOLVE_SOLVED);
    CHECK_NEAR(c->z[motor], 0.5, 0.0, "N s");
    CHECK_NEAR(c->z[soft], -2.0 / (1.0 / M0 + 0.25), 1e-9, "N s");
    CHECK_NEAR(velocity(c, 2), -1.0, 1e-9, "m/s");
    CHECK_NEAR(c->z[idle], 0.0, 0.0, "N m s");
    free(c);
}

/* ------------------------------------------------------------------ contacts that contradict each other */

/* A body between two walls that close: no velocity meets both, and the outcome is infeasible, with friction or
   without. */
Test(solver_cone, closing_walls)
{
    for (int k = 0; k < 2; k++) {
        ProblemCase *c = one_body((double[]){0.0, 0.3, -1.0, 0.0, 0.0, 0.0});
        BodyRow at = {.m = M0, .I = I0};
        int below = rows_contact(c, at, k * MU, k * MU, true), above = rows_contact(c, at, k * MU, k * MU, true);
        for (int e = c->start[above]; e < c->start[above + 1]; e++)
            c->values[e] = -c->values[e];
        c->target[below] = 0.5;
        cr_expect_eq(check(c).outcome, RG_SOLVE_INFEASIBLE);
        c->target[above] = -0.5; /* as far as it goes */
        cr_expect_eq(check(c).outcome, RG_SOLVE_SOLVED);
        CHECK_NEAR(velocity(c, 2), 0.5, 1e-9, "m/s");
        free(c);
    }
}

/* ------------------------------------------------------------------ joints that say things twice */

/* Rows that depend on others: the same velocities as without, where they agree; where they do not, that is told. */
Test(solver_cone, redundant_joints)
{
    for (int agree = 1; agree >= 0; agree--) {
        ProblemCase *c = one_body((double[]){1.0, 2.0, -3.0, 0.5, 0.0, 0.0});
        for (int k = 0; k < 4; k++) {
            BodyRow at = {.m = M0, .I = I0, .along = {1.0, k % 2 == 0 ? 0.0 : 1.0, 0.0}};
            int i = rows_add(c, &at, false, RG_ROW_BILATERAL);
            c->target[i] = agree || k < 3 ? 0.0 : 0.1;
        }
        RgSolveReport r = check(c);
        cr_expect_eq(r.outcome, agree ? RG_SOLVE_SOLVED : RG_SOLVE_INFEASIBLE, "%s", rg_solve_outcome_name(r.outcome));
        if (agree) {
            CHECK_NEAR(velocity(c, 0), 0.0, 1e-9, "m/s");
            CHECK_NEAR(velocity(c, 1), 0.0, 1e-9, "m/s");
        } else { /* between the two that it was asked for, with finite impulses */
            cr_expect(fabs(velocity(c, 0)) < 0.11 && fabs(velocity(c, 1)) < 0.22, "%g %g", velocity(c, 0),
                      velocity(c, 1));
        }
        free(c);
    }
}

/* ------------------------------------------------------------------ random problems */

/* Chains of joints, limits, points; by turns round cones, ellipses, pyramids; softness; light and heavy bodies. */
static ProblemCase *draw_problem(uint64_t seed, double mu)
{
    Draw d = draw_seed(seed);
    int bodies = 1 + draw_below(&d, 6);
    ProblemCase *c = problem_begin(bodies, &d);
    for (int b = 1; b < bodies; b += 2)
        for (int k = 0; k < 2; k++)
            c->compliance[problem_row(c, &d, b - 1, b, RG_ROW_BILATERAL)] = draw_chance(&d, 0.3) ? 0.05 : 0.0;
    if (draw_chance(&d, 0.5)) {
        int i = problem_row(c, &d, 0, -1, RG_ROW_BOUNDED);
        c->low[i] = -0.1;
        c->high[i] = draw_chance(&d, 0.5) ? 0.1 : INFINITY;
    }
    int points = 1 + draw_below(&d, 2 * bodies);
    for (int k = 0; k < points; k++) {
        int a = draw_below(&d, bodies), b = draw_chance(&d, 0.5) && a + 1 < bodies ? a + 1 : -1, n = c->p.n;
        problem_point(c, &d, a, b, draw_between(&d, 0.0, mu), seed % 3 != 0);
        if (seed % 3 == 1)
            c->high[n + 2] = draw_between(&d, 0.0, mu);
        if (draw_chance(&d, 0.2)) { /* torsion */
            int i = problem_row(c, &d, a, b, RG_ROW_FRICTION);
            c->normal[i] = n;
            c->high[i] = draw_between(&d, 0.0, mu);
            c->target[i] = 0.0;
        }
    }
    if (draw_chance(&d, 0.3))
        for (int e = 0; e < c->start[c->p.n]; e++)
            c->values[e] *= c->columns[e] < 6 ? 1e-2 : 1.0;
    for (int i = 0; i < c->p.n; i++) /* what rest can meet: a solution exists */
        c->target[i] = c->row_class[i] == RG_ROW_NORMAL ? -fabs(c->target[i]) : 0.0;
    return c;
}

/* The law holds; where friction is little the velocities are those of sweeps to convergence. */
Test(solver_cone, random_problems_agree_with_sweeps)
{
    int unsolved = 0, compared = 0;
    for (uint64_t seed = 1; seed <= 900; seed++) {
        double mu = seed % 2 == 0 ? 0.05 : 1.0, s[PROBLEM_UNKNOWNS];
        ProblemCase *c = draw_problem(seed, mu);
        RgSolveReport r = check(c);
        unsolved += !r.converged;
        cr_expect(!r.converged || (r.residual.velocity < 1e-9 && rows_law(c) < 1e-7), "seed %d: %g, law %g", (int)seed,
                  r.residual.velocity, rows_law(c));
        cr_expect(r.converged || mu > 0.5, "seed %d: %g", (int)seed, r.residual.velocity);
        memcpy(s, c->s, sizeof s);
        r = rows_solve(c, "pgs");
        if (mu < 0.5 && r.residual.velocity < 1e-11) {
            compared++;
            CHECK_NEAR_ALL(s, c->s, (size_t)c->p.nu, 1e-6, "m/s");
        }
        free(c);
    }
    cr_expect(unsolved <= 9 && compared > 300, "%d not solved, %d compared", unsolved, compared);
}

/* From the solution: nothing to do. From a guess that is none, or far out of bounds: the same as from nothing. */
Test(solver_cone, begins_where_it_is_told)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        ProblemCase *c = draw_problem(2 * seed, 0.05);
        double s[PROBLEM_UNKNOWNS];
        check(c);
        memcpy(s, c->s, sizeof s);
        RgSolveReport r = check_on(c, NULL);
        cr_expect(r.converged && r.iterations == 0, "seed %d: %d", (int)seed, r.iterations);
        const double guesses[4] = {NAN, INFINITY, -1e6, 1e6};
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < c->p.n; i++)
                c->z[i] = guesses[k];
            r = check_on(c, NULL);
            cr_expect(r.converged, "seed %d, guess %g: %g", (int)seed, guesses[k], r.residual.velocity);
            CHECK_NEAR_ALL(c->s, s, (size_t)c->p.nu, 1e-7, "m/s");
        }
        free(c);
    }
}

/* Some coefficients become zero, of two rows of a cone in the same columns. */
static void make_zeros(ProblemCase *c, Draw *d)
{
    for (int i = 0; i < c->p.n; i++) {
        int count = c->start[i + 1] - c->start[i];
        for (int e = c->start[i]; e < c->start[i + 1]; e++) {
            bool zero = draw_chance(d, 0.2);
            c->values[e] = zero ? 0.0 : c->values[e];
            if (c->cone[i])
                c->values[e + count] = zero ? 0.0 : c->values[e + count];
        }
        i += c->cone[i];
    }
}

static void leave_zeros_out(ProblemCase *c)
{
    int at = 0, begin = 0;
    for (int i = 0; i < c->p.n; i++) {
        int end = c->start[i + 1];
        for (int e = begin; e < end; e++) {
            c->columns[at] = c->columns[e];
            c->values[at] = c->values[e];
            at += c->values[e] != 0.0;
        }
        begin = end;
        c->start[i + 1] = at;
    }
}

/* Unknowns of no body (minimal coordinates) make no difference but round-off; nor do rows whose zeros are left out. */
Test(solver_cone, blocks_and_zeros_make_no_difference)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        ProblemCase *c = draw_problem(2 * seed, 0.05);
        double s[PROBLEM_UNKNOWNS];
        Draw d = draw_seed(seed);
        make_zeros(c, &d);
        RgSolveReport first = check(c);
        memcpy(s, c->s, sizeof s);
        c->p.nblocks = 0;
        RgSolveReport second = check(c);
        CHECK_NEAR_ALL(c->s, s, (size_t)c->p.nu, 1e-7, "m/s");
        leave_zeros_out(c);
        RgSolveReport third = check(c);
        CHECK_NEAR_ALL(c->s, s, (size_t)c->p.nu, 1e-7, "m/s");
        cr_expect(first.converged && second.converged && third.converged, "seed %d", (int)seed);
        free(c);
    }
}

/* A normal of bodies a and b, and one to nine friction rows, some of them pairs. */
static void add_rubbing(ProblemCase *c, Draw *d, int a, int b)
{
    int n = problem_row(c, d, a, b, RG_ROW_NORMAL), more = 1 + draw_below(d, 9);
    c->target[n] = -fabs(c->target[n]);
    for (bool second = false; more > 0; more--) {
        int i = problem_row(c, d, a, b, RG_ROW_FRICTION);
        c->normal[i] = n;
        c->high[i] = 0.05;
        c->target[i] = 0.0;
        second = c->cone[i] = !second && more > 1 && draw_chance(d, 0.5);
    }
}

/* More friction rows on a normal than a contact has, in any order of single ones and pairs. */
Test(solver_cone, normals_with_many_friction_rows)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Draw d = draw_seed(seed);
        ProblemCase *c = problem_begin(2, &d);
        for (int k = 0; k < 2; k++)
            add_rubbing(c, &d, k, seed % 2 == 0 ? 1 - k : -1);
        double s[PROBLEM_UNKNOWNS];
        RgSolveReport r = check(c);
        cr_expect(r.converged && rows_law(c) < 1e-8, "seed %d: %g", (int)seed, r.residual.velocity);
        memcpy(s, c->s, sizeof s);
        if (rows_solve(c, "pgs").residual.velocity < 1e-11)
            CHECK_NEAR_ALL(s, c->s, (size_t)c->p.nu, 1e-7, "m/s");
        r = rows_solve(c, "cone-convex");
        cr_expect(r.converged && rows_in_bounds(c), "seed %d: %d, bounds %d", (int)seed, r.converged,
                  rows_in_bounds(c));
        free(c);
    }
}

/* Other units by powers of two: masses, lengths and times give the same bits but for them. */
Test(solver_cone, units_do_not_matter)
{
    const char *names[2] = {"cone", "cone-convex"};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        ProblemCase *c = draw_problem(seed, 0.5);
        double s[PROBLEM_UNKNOWNS], z[PROBLEM_ROWS], scale = seed % 2 == 0 ? 0x1p20 : 0x1p-20;
        RgSolveReport first = rows_solve(c, names[seed % 4 / 2]);
        memcpy(s, c->s, sizeof s);
        memcpy(z, c->z, sizeof z);
        for (int e = 0; e < c->start[c->p.n]; e++)
            c->values[e] *= scale;
        for (int i = 0; i < c->p.n; i++) {
            c->target[i] *= scale;
            c->compliance[i] *= scale * scale;
            bool bounded = c->row_class[i] == RG_ROW_BOUNDED;
            c->low[i] = bounded ? c->low[i] / scale : c->low[i];
            c->high[i] = bounded ? c->high[i] / scale : c->high[i];
        }
        RgSolveReport r = rows_solve(c, names[seed % 4 / 2]);
        cr_expect(r.outcome == first.outcome && r.iterations == first.iterations, "seed %d", (int)seed);
        cr_expect(memcmp(s, c->s, sizeof s) == 0, "seed %d", (int)seed);
        for (int i = 0; i < c->p.n; i++)
            cr_expect(c->z[i] == z[i] / scale, "seed %d, row %d: %g, %g", (int)seed, i, c->z[i] * scale, z[i]);
        free(c);
    }
}

/* ------------------------------------------------------------------ islands */

/* Two bodies and their rows; the bodies begin at the one given. */
static void add_island(ProblemCase *c, uint64_t seed, int first)
{
    Draw d = draw_seed(seed);
    double s[12];
    for (int k = 0; k < 12; k++)
        s[k] = draw_between(&d, -1.0, 1.0);
    memcpy(c->s_free + 6 * (ptrdiff_t)first, s, sizeof s);
    problem_row(c, &d, first, first + 1, RG_ROW_BILATERAL);
    for (int k = 0; k < 3; k++)
        problem_point(c, &d, first, k == 0 ? -1 : first + 1, 0.3, true);
}

/* By several threads: the same bits as one after another. */
Test(solver_cone, threads_make_no_difference)
{
    RgAllocator allocator = {0};
    RgThreadPool *thread_pool = rg_thread_pool_create(3, &allocator);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Draw d = draw_seed(1);
        ProblemCase *a = problem_begin(6, &d), *b = problem_begin(6, &d);
        for (int k = 0; k < 3; k++) {
            add_island(a, 3 * seed + (uint64_t)k, 2 * k);
            add_island(b, 3 * seed + (uint64_t)k, 2 * k);
        }
        b->p.thread_pool = thread_pool;
        RgSolveReport alone = check(a), beside = check(b);
        cr_expect(memcmp(a->s, b->s, sizeof a->s) == 0, "seed %d", (int)seed);
        cr_expect(memcmp(a->z, b->z, (size_t)a->p.n * sizeof *a->z) == 0, "seed %d", (int)seed);
        cr_expect(alone.iterations == beside.iterations && alone.islands == 3 && beside.islands == 3);
        free(a);
        free(b);
    }
    rg_thread_pool_destroy(thread_pool);
}

/* Islands in another order: the same bits. */
Test(solver_cone, order_of_islands_makes_no_difference)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        Draw d = draw_seed(1);
        ProblemCase *a = problem_begin(6, &d), *b = problem_begin(6, &d);
        for (int k = 0; k < 3; k++) {
            add_island(a, 3 * seed + (uint64_t)k, 2 * k);
            add_island(b, 3 * seed + 2 - (uint64_t)k, 2 * k);
        }
        check(a);
        check(b);
        int rows = a->p.n / 3;
        for (int k = 0; k < 3; k++) {
            cr_expect(memcmp(a->s + 12 * (ptrdiff_t)k, b->s + 12 * (ptrdiff_t)(2 - k), 12 * sizeof *a->s) == 0,
                      "seed %d", (int)seed);
            cr_expect(
                memcmp(a->z + k * (ptrdiff_t)rows, b->z + (2 - k) * (ptrdiff_t)rows, (size_t)rows * sizeof *a->z) == 0);
        }
        free(a);
        free(b);
    }
}

/* Of several islands the worst outcome is reported, whichever is first: one with a NaN, one of two contacts that
   contradict each other. */
Test(solver_cone, the_worst_outcome_of_islands_is_told)
{
    for (int first = 0; first < 2; first++) {
        Draw d = draw_seed(4);
        ProblemCase *c = problem_begin(2, &d);
        for (int b = 0; b < 2; b++) {
            int at = c->p.n;
            problem_row(c, &d, b, -1, RG_ROW_NORMAL);
            if (b == first) {
                c->target[at] = NAN;
                continue;
            }
            problem_row(c, &d, b, -1, RG_ROW_NORMAL);
            for (int k = 0; k < 6; k++)
                c->values[c->start[at + 1] + k] = -c->values[c->start[at] + k];
            c->target[at] = c->target[at + 1] = 1.0;
        }
        RgSolveReport r = rows_solve(c, "cone");
        cr_expect_eq(r.outcome, RG_SOLVE_SINGULAR, "NaN in island %d: %s", first, rg_solve_outcome_name(r.outcome));
        free(c);
    }
}

/* Numbers that are none spoil their own island alone, and are told. */
Test(solver_cone, numbers_that_are_none)
{
    const char *names[2] = {"cone", "cone-convex"};
    for (int kind = 0; kind < 12; kind++) {
        Draw d = draw_seed(4);
        double s[PROBLEM_UNKNOWNS], bad = kind % 2 == 0 ? (double)NAN : (double)INFINITY;
        const char *name = names[kind / 6];
        ProblemCase *c = problem_begin(6, &d);
        for (int k = 0; k < 3; k++)
            add_island(c, 3 + (uint64_t)k, 2 * k);
        cr_expect(rows_solve(c, name).converged);
        memcpy(s, c->s, sizeof s);
        int row = c->p.n / 3 + 1; /* a normal of the second island */
        double *at = kind / 2 % 3 == 0   ? &c->target[row]
                     : kind / 2 % 3 == 1 ? &c->values[c->start[row]]
                                         : &c->compliance[row];
        *at = bad;
        RgSolveReport r = rows_solve(c, name);
        cr_expect_eq(r.outcome, RG_SOLVE_SINGULAR, "kind %d: %s", kind, rg_solve_outcome_name(r.outcome));
        CHECK_NEAR_ALL(c->s, s, 12, 1e-8, "m/s");
        CHECK_NEAR_ALL(c->s + 24, s + 24, 12, 1e-8, "m/s");
        CHECK_NEAR_ALL(c->s + 12, c->s_free + 12, 12, 0.0, "m/s");
        for (int i = 0; i < c->p.n; i++)
            cr_expect(isfinite(c->z[i]), "kind %d row %d", kind, i);
        free(c);
    }
}

/* ------------------------------------------------------------------ ends */

/* Memory ends at any place: that is told, and velocities belong to impulses. */
Test(solver_cone, without_memory)
{
    const char *names[2] = {"cone", "cone-convex"};
    for (int k = 0; k < 2; k++) {
        int told = 0;
        for (long fail_at = 1; fail_at < 40; fail_at++) {
            Counting counting = {.fail_at = fail_at};
            RgAllocator allocator = counting_allocator(&counting);
            ProblemCase *c = draw_problem(77, 1.0);
            RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
            RgSolveReport report;
            RgArena arena;
            rg_arena_init(&arena, &allocator);
            problem_reset(c);
            RgStatus status = rg_solver_find(names[k])->solve_rows(&arena, &c->p, &o, &report);
            told += status == RG_ERR_MEMORY;
            cr_expect(status == RG_ERR_MEMORY || (status == RG_OK && report.converged));
            if (status == RG_OK)
                cr_expect(problem_mismatch(c) < 1e-12);
            rg_arena_free(&arena);
            cr_expect_eq(counting.blocks, 0);
            free(c);
        }
        cr_expect(told > 0, "%s: %d", names[k], told);
    }
}

Test(solver_cone, takes_nothing)
{
    Draw d = draw_seed(1);
    ProblemCase *c = problem_begin(1, &d);
    RgSolveReport r = check(c);
    cr_expect(r.outcome == RG_SOLVE_SOLVED && r.iterations == 0);
    c->p.n = 1; /* a row that says nothing */
    c->row_class[0] = RG_ROW_NORMAL;
    c->normal[0] = -1;
    c->high[0] = INFINITY;
    r = check(c);
    cr_expect(r.outcome == RG_SOLVE_SOLVED && c->z[0] == 0.0);
    free(c);
}

/* A bound on iterations is kept to within the sweeps between two looks, and said; the answer is no worse than none. */
Test(solver_cone, ends_when_told)
{
    int ended = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        ProblemCase *c = draw_problem(seed, 1.0);
        RgExactOptions o = rg_exact_options_default();
        o.max_iterations = 1 + (int)(seed % 10);
        problem_reset(c);
        double first = rg_problem_residual(&c->p, NULL, NULL).velocity;
        RgSolveReport r = check_on(c, &o);
        ended += r.outcome == RG_SOLVE_ITERATIONS;
        cr_expect(r.iterations <= o.max_iterations + 4, "%d for %d", r.iterations, o.max_iterations);
        cr_expect(r.residual.velocity <= first * (1.0 + 1e-12));
        free(c);
    }
    cr_expect(ended > 10, "%d", ended);
}
