/*
 * test_pgs_threads.c - solver pgs on threads against itself on one: the same bits of impulses, velocities and report,
 * for any number of threads, chunks and order of visits; and how the row visits are shared.
 */
#include "problem_fixture.h"

/* Bodies side by side and on top of each other, every pair of neighbours in contact by a patch of 1 to 4 points. */
static ProblemCase *wall(uint64_t seed, int columns, int rows)
{
    Draw d = draw_seed(seed);
    ProblemCase *c = problem_begin(columns * rows, &d);
    for (int b = 0; b < columns * rows; b++) {
        bool last = b % columns == columns - 1, ground = b < columns;
        if (!last)
            problem_point(c, &d, b, b + 1, 0.4, true);
        if (c->p.npatches < PROBLEM_UNKNOWNS / 6)
            problem_patch(c, &d, b, ground ? -1 : b - columns, 3 + draw_below(&d, 2));
    }
    return c;
}

/* Stacks that do not touch each other. */
static ProblemCase *stacks(uint64_t seed, int count, int height)
{
    Draw d = draw_seed(seed);
    ProblemCase *c = problem_begin(count * height, &d);
    for (int b = 0; b < count * height; b++)
        problem_patch(c, &d, b, b % height == 0 ? -1 : b - 1, 4);
    return c;
}

/* One body under all others. */
static ProblemCase *table(uint64_t seed, int bodies)
{
    Draw d = draw_seed(seed);
    ProblemCase *c = problem_begin(bodies, &d);
    for (int k = 0; k < 6; k++)
        problem_row(c, &d, 0, -1, RG_ROW_BILATERAL);
    for (int b = 1; b < bodies; b++)
        problem_patch(c, &d, b, 0, 4);
    return c;
}

static ProblemCase *draw_case(uint64_t seed)
{
    switch (seed % 5) {
    case 0:
        return wall(seed, 12, 4);
    case 1:
        return problem_random(seed, 120, seed % 2 == 0);
    case 2:
        return stacks(seed, 8, 6);
    case 3:
        return table(seed, 60);
    default: {
        ProblemCase *c = wall(seed, 20, 6);
        c->p.nblocks = 100; /* the others' rows are not packed */
        return c;
    }
    }
}

typedef struct Answer {
    double z[PROBLEM_ROWS], s[PROBLEM_UNKNOWNS];
    RgSolveReport report;
} Answer;

static void solve(ProblemCase *c, const RgPgsOptions *o, bool jacobi, int threads, Answer *out)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgThreadPool *thread_pool = rg_thread_pool_create(threads, &arena.allocator);
    problem_reset(c);
    c->p.thread_pool = thread_pool;
    for (int i = 0; i < c->p.n; i++) /* a first guess */
        c->z[i] = c->row_class[i] == RG_ROW_NORMAL && i % 7 > 0 ? 0.01 : 0.0;
    RgStatus status =
        jacobi ? rg_pgs_jacobi_solve(&arena, &c->p, o, &out->report) : rg_pgs_solve(&arena, &c->p, o, &out->report);
    cr_assert(status == RG_OK);
    memcpy(out->z, c->z, sizeof out->z);
    memcpy(out->s, c->s, sizeof out->s);
    c->p.thread_pool = NULL;
    rg_thread_pool_destroy(thread_pool);
    rg_arena_free(&arena);
}

static bool same(const Answer *a, const Answer *b)
{
    return memcmp(a->z, b->z, sizeof a->z) == 0 && memcmp(a->s, b->s, sizeof a->s) == 0 &&
           a->report.change == b->report.change && a->report.iterations == b->report.iterations &&
           a->report.converged == b->report.converged;
}

Test(pgs_threads, same_bits_for_any_number_of_threads)
{
    static const int threads[] = {2, 3, 4, 5, 8, 16, 1};
    static Answer alone, many;
    int ended = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        RgContactLaw law;
        RgPgsOptions o;
        rg_pgs_preset(rg_pgs_preset_name((int)(seed % 3)), &law, &o);
        o.order = seed % 4 != 0 ? RG_PGS_BY_KIND : RG_PGS_JOINTS_LAST;
        o.tolerance = seed % 2 == 0 ? 1e-3 : 0.0;
        o.chunks = 1 + (int)(seed % 9);
        o.mass_splitting = seed % 7 != 0;
        ProblemCase *c = draw_case(seed);
        cr_assert(c->p.n >= 500, "%d rows", c->p.n);
        bool jacobi = seed % 3 == 0;
        solve(c, &o, jacobi, 1, &alone);
        ended += alone.report.converged;
        for (int k = 0; k < 7; k++) {
            o.plain = k == 6;
            solve(c, &o, jacobi, threads[k], &many);
            cr_expect(same(&alone, &many), "seed %d, %d threads", (int)seed, threads[k]);
        }
        CHECK_NEAR(problem_mismatch(c), 0.0, 1e-10, "m/s");
        free(c);
    }
    cr_expect(ended >= 3 && ended <= 12, "%d of 15 by the tolerance", ended);
}

/* Stacks whose lowest bodies hang by equations on one more, which is not packed: these rows come first in a sweep,
   before any visit of most lists, and no tolerance ends the sweep before. */
static ProblemCase *tied_stacks(uint64_t seed, int count, int height)
{
    Draw d = draw_seed(seed);
    int last = count * height;
    ProblemCase *c = problem_begin(last + 1, &d);
    for (int b = 0; b < last; b++)
        problem_patch(c, &d, b, b % height == 0 ? -1 : b - 1, 4);
    for (int k = 0; k < count; k++)
        problem_row(c, &d, k * height, last, RG_ROW_BILATERAL);
    c->p.nblocks = last;
    return c;
}

Test(pgs_threads, rows_that_are_not_packed_wait_for_the_sweep_before)
{
    static Answer alone, many;
    RgPgsOptions o = rg_pgs_options_default();
    o.tolerance = 0.0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        ProblemCase *c = tied_stacks(seed, 5 + (int)seed, 8);
        solve(c, &o, false, 1, &alone);
        for (int repeat = 0; repeat < 40; repeat++) {
            solve(c, &o, false, 2 + repeat % 4, &many);
            cr_expect(same(&alone, &many), "seed %d, %d threads", (int)seed, 2 + repeat % 4);
        }
        CHECK_NEAR(problem_mismatch(c), 0.0, 1e-10, "m/s");
        free(c);
    }
}

/* From 250 rows on a solve is shared, about evenly, and what has to wait leaves room for others; smaller ones are
   not. */
Test(pgs_threads, rows_are_shared)
{
    static Answer answer;
    RgPgsOptions o = rg_pgs_options_default();
    for (int kind = 0; kind < 2; kind++) {
        ProblemCase *c = kind == 0 ? wall(3, 20, 6) : stacks(3, 16, 8);
        int most = kind == 0 ? 2 : 4; /* an island is cut in parts of 500 rows at least */
        for (int threads = 1; threads <= most; threads *= 2) {
            solve(c, &o, false, threads, &answer);
            cr_expect(answer.report.share < 1.3 / threads, "%d: %g of the rows by one of %d", kind, answer.report.share,
                      threads);
            cr_expect(answer.report.path >= answer.report.share && answer.report.path < 1.6 / threads,
                      "%d: %g of the rows in a row, %d threads", kind, answer.report.path, threads);
        }
        free(c);
    }
    ProblemCase *few = stacks(3, 5, 4);
    cr_assert(few->p.n < 250);
    solve(few, &o, false, 4, &answer);
    cr_expect(answer.report.share == 1.0);
    free(few);
}

/* One chunk is Gauss-Seidel itself. */
Test(pgs_threads, one_chunk_is_gauss_seidel)
{
    static Answer chunk, rows;
    RgPgsOptions o = rg_pgs_options_default();
    o.chunks = 1;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        ProblemCase *c = draw_case(seed);
        solve(c, &o, true, 2, &chunk);
        solve(c, &o, false, 1, &rows);
        cr_expect(same(&chunk, &rows), "seed %d", (int)seed);
        free(c);
    }
}
