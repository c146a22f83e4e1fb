/*
 * test_solver_qp.c - least kinetic energy over polygonal cones: closed forms, and the same program as a
 * complementarity problem by Lemke's method.
 */
#include "problem_fixture.h"
#include "solver/pivot/lemke.h"
#include "solver/program/energy_program.h"
#include "solver/solver_table.h"

static RgSolveReport run(ProblemCase *c, int sides)
{
    RgArena arena;
    RgSolveReport report;
    RgRowOptions o = {.pgs = rg_pgs_options_default(), .exact = rg_exact_options_default()};
    o.exact.sides = sides;
    rg_arena_init(&arena, NULL);
    problem_reset(c);
    cr_assert(rg_solver_qp.solve_rows(&arena, &c->p, &o, &report) == RG_OK);
    rg_arena_free(&arena);
    return report;
}

/* What closes does not lift off, n = 1; the box lets 0.5 go along each axis. */
Test(qp, four_edges_are_a_box)
{
    ProblemCase *c = problem_sliding_point(0.5, 3.0);
    cr_expect(run(c, 4).converged);
    CHECK_NEAR_ALL(c->z, ((double[]){1.0, -0.5, -0.5}), 3, 1e-5, "N s");
    CHECK_NEAR_ALL(c->s, ((double[]){0.0, 1.3, 1.9}), 3, 1e-5, "m/s");
    free(c);
}

/* The polygon is wider than the circle and lets more energy go, at its corners most. */
Test(qp, the_polygon_lies_about_the_circle)
{
    ProblemCase *c = problem_sliding_point(0.5, 3.0);
    double circle = 0.5 * 2.5 * 2.5;
    for (int sides = 4; sides <= 16; sides += 4) {
        int last = sides / 2 - 1;
        double turn = 0.5 * 3.14159265358979 / last, slip = 3.0 - 0.5 / cos(0.5 * turn);
        cr_expect(run(c, sides).converged);
        double own = 0.5 * (c->s[0] * c->s[0] + c->s[1] * c->s[1] + c->s[2] * c->s[2]);
        cr_expect(own <= circle + 1e-6 && own >= 0.5 * slip * slip - 1e-6, "%d sides: %g, circle %g", sides, own,
                  circle);
        for (int j = 0; j < sides / 2; j++)
            cr_expect(cos(turn * j) * fabs(c->z[1]) + sin(turn * j) * fabs(c->z[2]) <= 0.5 * c->z[0] + 1e-6);
    }
    free(c);
}

/* The problem of least energy on one piece: of a solution, what pushes without impulse is open. */
typedef struct Piece {
    RgArena arena;
    RgEnergyProblem e;
    RgEnergyLayout at;
    RgConeProgram q;
    double z[PROBLEM_ROWS]; /* of the solution, beside e's rows */
    bool open[PROBLEM_ROWS];
} Piece;

static void make_program(Piece *piece, const ProblemCase *c, int sides)
{
    RgEnergyShape shape = {.edges = sides, .band = 2e-7 * piece->e.velocity, .open = piece->open};
    cr_assert(rg_energy_program_make(&piece->arena, &piece->e, &c->p, &shape, &piece->q, &piece->at));
}

static Piece *piece_of(ProblemCase *c, int sides)
{
    Piece *piece = calloc(1, sizeof *piece);
    double z[PROBLEM_ROWS];
    memcpy(z, c->z, sizeof z);
    problem_reset(c);
    rg_arena_init(&piece->arena, NULL);
    cr_assert(rg_energy_problem_make(&piece->arena, &c->p, NULL, c->p.n, &piece->e));
    for (int i = 0; i < piece->e.n; i++) {
        piece->z[i] = z[piece->e.row[i]];
        piece->open[i] = rg_energy_is_unilateral(&piece->e, i) && piece->z[i] == piece->e.low[i];
    }
    make_program(piece, c, sides);
    return piece;
}

static void piece_end(Piece *piece)
{
    rg_arena_free(&piece->arena);
    free(piece);
}

static double energy_at(const Piece *piece)
{
    double z[PROBLEM_ROWS];
    for (int i = 0; i < piece->e.n; i++)
        z[i] = piece->at.column[i] >= 0 ? piece->q.x[piece->at.column[i]] * piece->e.impulse : piece->at.fixed[i];
    return rg_energy_value(&piece->e, z);
}

/* w_x = Hx + c + G'y = 0 with x free, w_y = h - Gx >= 0 against y >= 0. */
static double energy_by_lemke(Piece *piece)
{
    RgConeProgram q = piece->q;
    RgDenseLcp lcp;
    RgLemkeReport report;
    RgExactOptions o = rg_exact_options_default();
    cr_assert(q.ncones == 0 && rg_dense_lcp_alloc(&piece->arena, q.n + q.m, false, &lcp));
    int all = q.n + q.m;
    for (int i = 0; i < all; i++) {
        lcp.q[i] = i < q.n ? q.c[i] : q.h[i - q.n];
        lcp.low[i] = i < q.n ? -INFINITY : 0.0;
        lcp.high[i] = INFINITY;
        for (int j = 0; j < q.n; j++)
            lcp.M[i * all + j] = i < q.n ? q.H[i * q.n + j] : -q.G[(i - q.n) * q.n + j];
        for (int j = 0; j < q.m && i < q.n; j++)
            lcp.M[i * all + q.n + j] = q.G[j * q.n + i];
    }
    lcp.symmetric = false;
    cr_assert(rg_lemke_solve(&piece->arena, &lcp, &o, &report) == RG_OK);
    cr_expect(report.outcome == RG_SOLVE_SOLVED);
    memcpy(q.x, lcp.z, (size_t)q.n * sizeof *q.x);
    return energy_at(piece);
}

Test(qp, against_lemke)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        ProblemCase *c = problem_random(seed, 2 + (int)seed % 4, true);
        int sides = seed % 2 == 0 ? 4 : 8;
        cr_expect(run(c, sides).converged);
        Piece *piece = piece_of(c, sides);
        CHECK_NEAR(rg_energy_value(&piece->e, piece->z), energy_by_lemke(piece), 1e-5, "J");
        piece_end(piece);
        free(c);
    }
}

/* Least energy over all pieces, one program for each set of rows that close. */
static double least_of_all(Piece *piece, const ProblemCase *c, int sides)
{
    int pushing[PROBLEM_ROWS], n = 0;
    double least = INFINITY;
    for (int i = 0; i < piece->e.n; i++)
        if (rg_energy_is_unilateral(&piece->e, i))
            pushing[n++] = i;
    for (int set = 0; set < 1 << n; set++) {
        RgConeProgramReport report = {0};
        RgConeProgramOptions o = rg_cone_program_defaults();
        for (int k = 0; k < n; k++)
            piece->open[pushing[k]] = (set >> k & 1) == 0;
        make_program(piece, c, sides);
        RgConeWork *work = rg_cone_work_alloc(&piece->arena, piece->q.n, piece->q.m);
        cr_assert(work != NULL);
        if (rg_cone_program_solve(work, &piece->q, &o, &report) == RG_OK && report.outcome == RG_CONE_SOLVED)
            least = fmin(least, energy_at(piece));
    }
    return least;
}

/* From piece to piece the search ends at a minimum, mostly at the least of all. */
Test(qp, against_all_pieces)
{
    int same = 0, all = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        ProblemCase *c = problem_random(seed, 1 + (int)seed % 2, true);
        cr_expect(run(c, 4).converged);
        Piece *piece = piece_of(c, 4);
        double found = rg_energy_value(&piece->e, piece->z), least = least_of_all(piece, c, 4);
        double size = 1e-5 * (1.0 + fabs(least));
        cr_expect(found >= least - size, "seed %d: %g below %g", (int)seed, found, least);
        all++;
        same += found <= least + size;
        piece_end(piece);
        free(c);
    }
    cr_log_info("least energy of all pieces in %d of %d", same, all);
    cr_expect(same >= 30, "%d of %d", same, all);
}

/* A body held by a row without bounds cannot leave the plane as told. */
Test(qp, tells_that_nothing_is_allowed)
{
    ProblemCase *c = problem_sliding_point(0.5, 3.0);
    Draw d = draw_seed(7);
    int i = problem_row(c, &d, 0, -1, RG_ROW_BILATERAL);
    for (int k = 0; k < 6; k++)
        c->values[c->start[i] + k] = k == 0 ? 1.0 : 0.0;
    c->target[i] = -0.5;
    RgSolveReport report = run(c, 4);
    cr_expect(!report.converged && report.outcome == RG_SOLVE_INFEASIBLE);
    cr_expect(problem_mismatch(c) < 1e-14 && isfinite(c->s[0]));
    free(c);
}
