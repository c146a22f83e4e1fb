/* test_row_islands.c - islands as problems of their own, and back into the whole. */
#include "problem_fixture.h"
#include "solver/row_islands.h"

/* Bodies, and unknowns of none behind them; contacts between neighbours that may or may not touch. */
static ProblemCase *draw_whole(uint64_t seed)
{
    Draw d = draw_seed(seed);
    int bodies = 2 + draw_below(&d, 12);
    ProblemCase *c = problem_begin(bodies, &d);
    if (seed % 3 == 0)
        c->p.nblocks = bodies / 2; /* the others are unknowns of no body */
    int rows = 1 + draw_below(&d, 2 * bodies);
    for (int k = 0; k < rows; k++) {
        int a = draw_below(&d, bodies), b = draw_chance(&d, 0.3) && a + 1 < bodies ? a + 1 : -1;
        if (draw_chance(&d, 0.5))
            problem_point(c, &d, a, b, 0.3, true);
        else
            c->compliance[problem_row(c, &d, a, b, RG_ROW_BOUNDED)] = 0.1;
    }
    int empty = problem_row(c, &d, 0, -1, RG_ROW_BILATERAL); /* says nothing */
    c->start[empty + 1] = c->start[empty];
    for (int i = 0; i < c->p.n; i++)
        c->z[i] = draw_between(&d, -1.0, 1.0);
    return c;
}

/* Bodies are in it as a whole, in their order. */
static void check_blocks(const ProblemCase *c, const RgRowIsland *island)
{
    const RgProblem *p = &island->problem;
    int found = 0;
    for (int k = 0; k < p->nu; k++) {
        bool body = false;
        for (int b = 0; b < c->p.nblocks; b++)
            body = body || island->unknowns[k] == c->p.block[b];
        if (!body)
            continue;
        cr_expect(p->block[found++] == k);
        for (int e = 0; e < 6; e++)
            cr_expect(island->unknowns[k + e] == island->unknowns[k] + e);
    }
    cr_expect_eq(found, p->nblocks);
}

static void check_island(const ProblemCase *c, const RgRowIsland *island)
{
    const RgProblem *p = &island->problem, *whole = &c->p;
    for (int i = 0; i < p->n; i++) {
        int j = island->rows[i];
        cr_expect(i == 0 || j > island->rows[i - 1]);
        cr_expect(rg_problem_row_times(p, i, p->s) == rg_problem_row_times(whole, j, whole->s));
        cr_expect(rg_problem_diagonal(p, i) == rg_problem_diagonal(whole, j));
        cr_expect(p->target[i] == whole->target[j] && p->low[i] == whole->low[j] && p->high[i] == whole->high[j]);
        cr_expect(p->row_class[i] == whole->row_class[j] && p->cone[i] == whole->cone[j] && p->z[i] == whole->z[j]);
        cr_expect(whole->normal[j] < 0 ? p->normal[i] < 0 : island->rows[p->normal[i]] == whole->normal[j]);
        for (int e = p->start[i]; e < p->start[i + 1]; e++) {
            cr_expect(p->columns[e] >= 0 && p->columns[e] < p->nu);
            cr_expect(e == p->start[i] || p->columns[e] > p->columns[e - 1]);
        }
    }
    check_blocks(c, island);
}

/* Every row is in one island; picked, it says what it said; put back, all is as it was, or as it was made. */
Test(row_islands, pick_and_put_back)
{
    int several = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ProblemCase *c = draw_whole(seed);
        RgArena arena;
        RgRowIslands islands;
        int local[PROBLEM_UNKNOWNS], seen[PROBLEM_ROWS] = {0};
        double z[PROBLEM_ROWS], s[PROBLEM_UNKNOWNS];
        rg_arena_init(&arena, NULL);
        for (int k = 0; k < PROBLEM_UNKNOWNS; k++)
            local[k] = -1;
        cr_assert(rg_row_islands_find(&arena, &c->p, &islands));
        several += islands.count > 2;
        memcpy(z, c->z, sizeof z);
        memcpy(s, c->s, sizeof s);
        for (int k = 0; k < islands.count; k++) {
            RgRowIsland island;
            cr_assert(rg_row_island_extract(&arena, &c->p, &islands, k, local, &island));
            check_island(c, &island);
            for (int j = 0; j < c->p.nu; j++)
                cr_expect(local[j] == -1);
            rg_row_island_scatter(&island, &c->p);
            cr_expect(memcmp(z, c->z, sizeof z) == 0 && memcmp(s, c->s, sizeof s) == 0);
            for (int i = 0; i < island.problem.n; i++) {
                seen[island.rows[i]]++;
                island.problem.z[i] = z[island.rows[i]] += 10.0;
            }
            for (int j = 0; j < island.problem.nu; j++)
                island.problem.s[j] = s[island.unknowns[j]] += 20.0;
            rg_row_island_scatter(&island, &c->p);
            cr_expect(memcmp(z, c->z, sizeof z) == 0 && memcmp(s, c->s, sizeof s) == 0);
        }
        for (int i = 0; i < c->p.n; i++)
            cr_expect_eq(seen[i], 1);
        for (int k = 0; k < c->p.nu; k++) /* no unknown is in two */
            cr_expect(s[k] == c->s_free[k] || s[k] == c->s_free[k] + 20.0);
        rg_arena_free(&arena);
        free(c);
    }
    cr_expect(several > 100, "%d", several);
}

Test(row_islands, of_nothing)
{
    Draw d = draw_seed(1);
    ProblemCase *c = problem_begin(1, &d);
    RgArena arena;
    RgRowIslands islands;
    rg_arena_init(&arena, NULL);
    cr_assert(rg_row_islands_find(&arena, &c->p, &islands));
    cr_expect_eq(islands.count, 0);
    rg_arena_free(&arena);
    free(c);
}
