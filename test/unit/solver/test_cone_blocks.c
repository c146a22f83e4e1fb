/*
 * test_cone_blocks.c - contacts over a matrix of blocks: to their residual, which is computed here once more, from a
 * dense matrix; with random bodies, without rank, without symmetry, without answer, without contacts.
 */
#include "counting.h"
#include "problem/problem_file.h"
#include "random_bodies.h"

#include <dirent.h>

#define CONTACTS TOUCHES_MAX

/* A problem with memory of its own. */
typedef struct BlockCase {
    RgConeBlocks p;
    RgArena arena;
    int start[CONTACTS + 1], column[CONTACTS * CONTACTS];
    double block[9 * CONTACTS * CONTACTS + 9], q[3 * CONTACTS], mu[CONTACTS], r[3 * CONTACTS], w[3 * CONTACTS];
} BlockCase;

static BlockCase *case_begin(void)
{
    BlockCase *c = calloc(1, sizeof *c);
    cr_assert(c != NULL);
    c->p = (RgConeBlocks){0, c->start, c->column, c->block, c->q, c->mu, c->r, c->w};
    rg_arena_init(&c->arena, NULL);
    return c;
}

static void case_end(BlockCase *c)
{
    rg_arena_free(&c->arena);
    free(c);
}

/* Block (i, j) of J J'. Returns its largest entry. */
static double block_of(const Bodies *b, int i, int j, double B[9])
{
    double size = 0.0;
    for (int k = 0; k < 9; k++) {
        B[k] = row_dot(b, b->rows_of[i] + k / 3, b->rows_of[j] + k % 3);
        size = fmax(size, fabs(B[k]));
    }
    return size;
}

/* A skew part: x'Bx is the same. */
static void add_skew(Draw *d, double size, double B[9])
{
    for (int k = 0; k < 3; k++) {
        double x = size * draw_between(d, -1.0, 1.0);
        B[3 * k + (k + 1) % 3] += x;
        B[3 * ((k + 1) % 3) + k] -= x;
    }
}

/* W = J J' of bodies whose contacts all rub; skew: part of the diagonal blocks that is not symmetric. */
static BlockCase *case_of_bodies(uint64_t seed, Shape shape, int friction, double skew)
{
    Bodies *b = bodies_draw(seed, shape, friction);
    BlockCase *c = case_begin();
    Draw d = draw_seed(seed + 99);
    int at = 0;
    c->p.n = b->ntouches;
    for (int i = 0; i < b->ntouches; i++) {
        for (int j = 0; j < b->ntouches; j++) {
            double *B = c->block + 9 * (ptrdiff_t)at, size = block_of(b, i, j, B);
            if (size == 0.0 && i != j)
                continue;
            if (i == j)
                add_skew(&d, skew * size, B);
            c->column[at++] = j;
        }
        c->start[i + 1] = at;
        c->mu[i] = b->touch[i].mu;
        for (int k = 0; k < 3; k++) {
            int row = b->rows_of[i] + k;
            c->q[3 * i + k] = rg_problem_row_times(&b->p, row, b->s_free) - b->target[row];
        }
    }
    free(b);
    return c;
}

/* |r - P(r - w - mu |w_t| e_n)| / |q| once more: w by columns, P by which of the cone, its polar or neither holds x. */
static double independent_residual(const RgConeBlocks *p)
{
    double *w = calloc(3 * (size_t)p->n + 1, sizeof *w), sum = 0.0, size = 0.0;
    for (int k = 0; k < 3 * p->n; k++) {
        w[k] = p->q[k];
        size += p->q[k] * p->q[k];
    }
    for (int i = 0; i < p->n; i++)
        for (int e = p->start[i]; e < p->start[i + 1]; e++)
            for (int k = 0; k < 9; k++)
                w[3 * i + k / 3] += p->block[9 * (ptrdiff_t)e + k] * p->r[3 * p->column[e] + k % 3];
    for (int i = 0; i < p->n; i++) {
        const double *r = p->r + 3 * (ptrdiff_t)i, *u = w + 3 * (ptrdiff_t)i;
        double mu = p->mu[i], x[3] = {r[0] - u[0] - mu * hypot(u[1], u[2]), r[1] - u[1], r[2] - u[2]};
        double t = hypot(x[1], x[2]), near[3] = {x[0], x[1], x[2]};
        if (mu * t + x[0] <= 0.0) {
            near[0] = near[1] = near[2] = 0.0;
        } else if (t > mu * x[0]) { /* foot of the perpendicular on the edge (1, mu d) / sqrt(1 + mu^2) */
            double along = (x[0] + mu * t) / sqrt(1.0 + mu * mu), edge = mu / sqrt(1.0 + mu * mu);
            near[0] = along / sqrt(1.0 + mu * mu);
            near[1] = along * edge * x[1] / t;
            near[2] = along * edge * x[2] / t;
        }
        for (int k = 0; k < 3; k++)
            sum += (r[k] - near[k]) * (r[k] - near[k]);
    }
    free(w);
    return size > 0.0 ? sqrt(sum / size) : sqrt(sum);
}

static RgSolveReport solve_case(RgArena *arena, RgConeBlocks *p, double tolerance)
{
    RgExactOptions o = rg_exact_options_default();
    RgSolveReport report;
    o.tolerance = tolerance;
    rg_arena_reset(arena);
    cr_assert(rg_cone_blocks_solve(arena, p, &o, &report) == RG_OK);
    for (int k = 0; k < 3 * p->n; k++)
        cr_assert(isfinite(p->r[k]));
    for (int i = 0; i < p->n; i++)
        cr_expect(p->r[3 * i] >= 0.0 &&
                  hypot(p->r[3 * i + 1], p->r[3 * i + 2]) <= p->mu[i] * p->r[3 * i] * (1.0 + 1e-9) + 1e-300);
    cr_expect_eq(report.converged, report.outcome == RG_SOLVE_SOLVED);
    return report;
}

/* Files of other people's problems, with one setting. */
Test(cone_blocks, solves_the_shared_problems)
{
    char folder[600], path[1200];
    snprintf(folder, sizeof folder, "%s/../shared/problems/fc3d", RIGOR_SOURCE_DIR);
    DIR *open = opendir(folder);
    if (open == NULL)
        cr_skip_test("no folder of shared problems");
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (struct dirent *entry = readdir(open); entry != NULL; entry = readdir(open)) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        RgProblemFile *file = rg_problem_file_read(path, "fc3d", NULL, NULL);
        cr_assert_not_null(file, "%s", path);
        RgConeBlocks p = file->cones;
        p.r = calloc(3 * (size_t)p.n + 1, sizeof *p.r);
        p.w = calloc(3 * (size_t)p.n + 1, sizeof *p.w);
        RgSolveReport report = solve_case(&arena, &p, 1e-8);
        double left = independent_residual(&p);
        cr_expect(report.converged && left <= 1.001e-8, "%s: %s, %g after %d", entry->d_name,
                  rg_solve_outcome_name(report.outcome), left, report.iterations);
        cr_expect(fabs(left - rg_cone_blocks_residual(&p)) <= 1e-13, "%s: %g, judge %g", entry->d_name, left,
                  rg_cone_blocks_residual(&p));
        report = solve_case(&arena, &p, 1e-8); /* from its solution */
        cr_expect(report.converged && report.iterations == 0, "%s: %d", entry->d_name, report.iterations);
        free(p.r);
        free(p.w);
        rg_problem_file_free(file);
    }
    closedir(open);
    rg_arena_free(&arena);
}

/* Random bodies: trees of contacts, all can move apart, so that there is a solution. */
Test(cone_blocks, solves_random_bodies)
{
    int tried[SHAPES][2] = {{0}}, solved[SHAPES][2] = {{0}};
    for (uint64_t seed = 1; seed <= 1600; seed++) {
        Shape shape = (Shape)(seed % SHAPES);
        int strong = seed / SHAPES % 2;
        BlockCase *c = case_of_bodies(seed, shape, strong + 1, 0.0);
        RgSolveReport report = solve_case(&c->arena, &c->p, 1e-8);
        double left = independent_residual(&c->p);
        tried[shape][strong]++;
        solved[shape][strong] += left <= 1e-8 * (1.0 + 1e-6);
        cr_expect(report.converged == (left <= 1e-8 * (1.0 + 1e-6)), "seed %d: %s, but %g", (int)seed,
                  rg_solve_outcome_name(report.outcome), left);
        cr_expect(report.converged || report.outcome == RG_SOLVE_ITERATIONS);
        if (report.converged) {
            report = solve_case(&c->arena, &c->p, 1e-8);
            cr_expect(report.converged && report.iterations == 0, "seed %d: %d once more", (int)seed,
                      report.iterations);
        }
        case_end(c);
    }
    for (int k = 0; k < 2 * SHAPES; k++)
        cr_expect(solved[k / 2][k % 2] >= tried[k / 2][k % 2] - (k % 2 == 0 ? 0 : tried[k / 2][k % 2] / 50),
                  "shape %d, friction %d: %d of %d", k / 2, k % 2 + 1, solved[k / 2][k % 2], tried[k / 2][k % 2]);
}

/* Not symmetric; little friction keeps it solvable. */
Test(cone_blocks, solves_matrices_without_symmetry)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        BlockCase *c = case_of_bodies(seed, seed % 2 == 0 ? WELL_POSED : DEFICIENT, 1, 0.3);
        RgSolveReport report = solve_case(&c->arena, &c->p, 1e-8);
        double left = independent_residual(&c->p);
        cr_expect(report.converged && left <= 1.001e-8, "seed %d: %g", (int)seed, left);
        case_end(c);
    }
}

/* The same bits twice, and from memory that was used before. */
Test(cone_blocks, gives_the_same_bits)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        BlockCase *c = case_of_bodies(seed, (Shape)(seed % SHAPES), 2, 0.0);
        double first[3 * CONTACTS];
        RgSolveReport report = solve_case(&c->arena, &c->p, 1e-8);
        memcpy(first, c->r, sizeof first);
        memset(c->r, 0, sizeof c->r);
        RgSolveReport again = solve_case(&c->arena, &c->p, 1e-8);
        cr_expect(memcmp(first, c->r, sizeof first) == 0 && report.iterations == again.iterations);
        case_end(c);
    }
}

Test(cone_blocks, takes_nothing)
{
    BlockCase *c = case_begin();
    RgSolveReport report = solve_case(&c->arena, &c->p, 1e-8);
    cr_expect(report.outcome == RG_SOLVE_SOLVED && report.iterations == 0);
    cr_expect(rg_cone_blocks_residual(&c->p) == 0.0);
    case_end(c);
}

/* A contact that answers to nothing: solved where it need not push, honestly not where it would have to. */
Test(cone_blocks, contact_without_response)
{
    for (int driven = 0; driven < 2; driven++) {
        BlockCase *c = case_begin();
        c->p.n = 2;
        c->start[1] = 1;
        c->start[2] = 2;
        c->column[1] = 1;
        for (int k = 0; k < 3; k++)
            c->block[4 * k] = 1.0;
        c->mu[0] = c->mu[1] = 0.5;
        memcpy(c->q, (double[]){-1.0, 2.0, 0.0, driven ? -1.0 : 1.0, 0.0, 0.0}, 6 * sizeof *c->q);
        RgSolveReport report = solve_case(&c->arena, &c->p, 1e-8);
        CHECK_NEAR_ALL(c->r, ((double[]){1.0, -0.5, 0.0}), 3, 1e-9, "N s");
        cr_expect_eq(report.outcome, driven ? RG_SOLVE_ITERATIONS : RG_SOLVE_SOLVED);
        cr_expect(driven || (c->r[3] == 0.0 && c->r[4] == 0.0 && c->r[5] == 0.0));
        case_end(c);
    }
}

/* Numbers that are none are told, and none come out; a guess that is none is forgotten. */
Test(cone_blocks, numbers_that_are_none)
{
    for (int kind = 0; kind < 8; kind++) {
        BlockCase *c = case_of_bodies(5, DEFICIENT, 1, 0.0);
        double bad = kind % 2 == 0 ? (double)NAN : (double)INFINITY;
        double *at = kind / 2 == 0 ? &c->q[1] : kind / 2 == 1 ? &c->block[4] : kind / 2 == 2 ? &c->mu[0] : &c->r[2];
        *at = bad;
        RgExactOptions o = rg_exact_options_default();
        RgSolveReport report;
        cr_assert(rg_cone_blocks_solve(&c->arena, &c->p, &o, &report) == RG_OK);
        for (int k = 0; k < 3 * c->p.n; k++)
            cr_assert(isfinite(c->r[k]), "kind %d", kind);
        cr_expect_eq(report.outcome, kind / 2 == 3 ? RG_SOLVE_SOLVED : RG_SOLVE_SINGULAR, "kind %d: %s", kind,
                     rg_solve_outcome_name(report.outcome));
        cr_expect_not(isnan(report.residual.velocity));
        case_end(c);
    }
}

/* Units do not matter: masses, lengths and times by powers of two give the same bits but for those. */
Test(cone_blocks, units_do_not_matter)
{
    for (uint64_t seed = 1; seed <= 40; seed++) {
        double first[3 * CONTACTS];
        BlockCase *c = case_of_bodies(seed, seed % 2 == 0 ? WELL_POSED : COLUMN, 1, 0.0);
        solve_case(&c->arena, &c->p, 1e-10);
        memcpy(first, c->r, sizeof first);
        memset(c->r, 0, sizeof c->r);
        for (int k = 0; k < 3 * c->p.n; k++)
            c->q[k] *= 0x1p-20;
        RgSolveReport report = solve_case(&c->arena, &c->p, 1e-10);
        cr_expect(report.converged);
        for (int k = 0; k < 3 * c->p.n; k++)
            cr_expect(c->r[k] == 0x1p-20 * first[k], "seed %d", (int)seed);
        case_end(c);
    }
}

/* A bound on iterations is kept to within the sweeps between two looks, and said; no answer is worse than no
   impulses. */
Test(cone_blocks, ends_when_told)
{
    int ended = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        BlockCase *c = case_of_bodies(seed, DEFICIENT, 2, 0.0);
        RgExactOptions o = rg_exact_options_default();
        RgSolveReport report;
        o.tolerance = 1e-14;
        o.max_iterations = 1 + (int)(seed % 30);
        double first = independent_residual(&c->p);
        cr_assert(rg_cone_blocks_solve(&c->arena, &c->p, &o, &report) == RG_OK);
        cr_expect(report.iterations <= o.max_iterations + 4, "%d for %d", report.iterations, o.max_iterations);
        cr_expect(independent_residual(&c->p) <= first);
        ended += report.outcome == RG_SOLVE_ITERATIONS;
        case_end(c);
    }
    cr_expect(ended > 20, "%d", ended);
}

/* Memory ends at any place: that is told, and r is as it was. */
Test(cone_blocks, without_memory)
{
    int told = 0;
    for (long fail_at = 1; fail_at < 20; fail_at++) {
        BlockCase *c = case_of_bodies(8, DEFICIENT, 2, 0.0);
        Counting counting = {.fail_at = fail_at};
        RgAllocator allocator = counting_allocator(&counting);
        RgExactOptions o = rg_exact_options_default();
        RgSolveReport report;
        RgArena arena;
        rg_arena_init(&arena, &allocator);
        c->r[0] = 0.125;
        RgStatus status = rg_cone_blocks_solve(&arena, &c->p, &o, &report);
        told += status == RG_ERR_MEMORY;
        cr_expect(status == RG_OK || (status == RG_ERR_MEMORY && c->r[0] == 0.125 && c->r[1] == 0.0));
        rg_arena_free(&arena);
        cr_expect_eq(counting.blocks, 0);
        case_end(c);
    }
    cr_expect(told > 0);
}
