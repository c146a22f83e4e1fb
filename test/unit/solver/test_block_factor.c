/*
 * test_block_factor.c - sparse factors of 6 x 6 blocks: A x = b on random graphs, the order and its fill, both kernels.
 *
 * Twin: A x from the blocks themselves, and elimination on a full table of who touches whom.
 */
#include "solver/quick/block_factor.h"

#include "base/random.h"

#include <criterion/criterion.h>
#include <math.h>

#define MOST 40

typedef struct Graph {
    int n, nedges;
    int edge[4 * MOST][2];
    RgBlock6 diagonal[MOST], off[4 * MOST]; /* of row edge[1], column edge[0] */
} Graph;

static bool has_edge(const Graph *g, int low, int high)
{
    bool known = false;
    for (int k = 0; k < g->nedges; k++)
        known = known || (g->edge[k][0] == low && g->edge[k][1] == high);
    return known;
}

/* to += sign A' B */
static void add(RgBlock6Row *to, double sign, double A[6][6], double B[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            for (int k = 0; k < 6; k++)
                to[i][j] += sign * A[k][i] * B[k][j];
}

/* A = D + sum over edges of (J_a - J_b)' (J_a - J_b): as patches make it, positive definite. */
static void draw_graph(uint64_t seed, Graph *g)
{
    RgRandom state = rg_random_seed(seed * 77 + 5);
    memset(g, 0, sizeof *g);
    g->n = 2 + (int)(seed % (MOST - 1));
    for (int i = 0; i < 6 * g->n; i++)
        g->diagonal[i / 6][i % 6][i % 6] = rg_random_uniform(&state, 0.1, 2.0);
    for (int e = 0; e < 2 * g->n; e++) {
        int a = rg_random_below(&state, g->n), b = rg_random_below(&state, g->n), low = a < b ? a : b,
            high = a < b ? b : a;
        if (low == high || has_edge(g, low, high))
            continue;
        double J[2][6][6];
        for (int i = 0; i < 72; i++)
            (&J[0][0][0])[i] = rg_random_uniform(&state, -30.0, 30.0);
        add(g->diagonal[low], 1.0, J[0], J[0]);
        add(g->diagonal[high], 1.0, J[1], J[1]);
        add(g->off[g->nedges], -1.0, J[1], J[0]);
        g->edge[g->nedges][0] = low;
        g->edge[g->nedges++][1] = high;
    }
}

static void set_numbers(const Graph *g, RgBlockFactor *f)
{
    rg_block_factor_clear(f);
    for (int i = 0; i < g->n; i++)
        memcpy(f->diagonal[f->graph.place[i]], g->diagonal[i], sizeof g->diagonal[i]);
    for (int e = 0; e < g->nedges; e++) {
        int32_t row = f->graph.place[g->edge[e][1]], column = f->graph.place[g->edge[e][0]];
        bool turned = row < column;
        RgBlock6Row *to = turned ? rg_block_factor_at(f, column, row) : rg_block_factor_at(f, row, column);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                to[turned ? i : j][turned ? j : i] = g->off[e][i][j]; /* stands transposed */
    }
}

static void multiply(const Graph *g, double x[MOST][6], double y[MOST][6])
{
    memset(y, 0, MOST * sizeof *y);
    for (int i = 0; i < g->n; i++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                y[i][r] += g->diagonal[i][r][c] * x[i][c];
    for (int e = 0; e < g->nedges; e++)
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) {
                y[g->edge[e][1]][r] += g->off[e][r][c] * x[g->edge[e][0]][c];
                y[g->edge[e][0]][c] += g->off[e][r][c] * x[g->edge[e][1]][r];
            }
}

static void make_factor(RgArena *arena, const Graph *g, int32_t room, RgBlockFactor *f)
{
    *f = (RgBlockFactor){.graph = {.n = g->n, .room = room}};
    cr_assert(rg_block_factors_alloc(arena, f, 1));
    rg_elimination_init(&f->graph);
    for (int e = 0; e < g->nedges; e++)
        rg_elimination_add_edge(&f->graph, g->edge[e][0], g->edge[e][1]);
}

Test(block_factor, solves)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (uint64_t seed = 0; seed < 60; seed++) {
        static Graph g;
        RgBlockFactor f;
        double x[MOST][6], y[MOST][6];
        RgBlock6Row solution[MOST] = {{0.0}};
        RgRandom state = rg_random_seed(seed);
        rg_arena_reset(&arena);
        draw_graph(seed, &g);
        make_factor(&arena, &g, MOST * MOST, &f);
        cr_assert(rg_elimination_find(&f.graph, INT64_MAX));
        set_numbers(&g, &f);
        for (int i = 0; i < g.n; i++)
            for (int k = 0; k < 6; k++)
                x[i][k] = rg_random_uniform(&state, -1.0, 1.0);
        multiply(&g, x, y);
        for (int i = 0; i < g.n; i++)
            memcpy(solution[f.graph.place[i]], y[i], sizeof y[i]);
        cr_assert(rg_block_factor(&f, 1e-14));
        rg_block_solve(&f, solution);
        for (int i = 0; i < g.n; i++)
            for (int k = 0; k < 6; k++)
                cr_assert(fabs(solution[f.graph.place[i]][k] - x[i][k]) <= 1e-9, "seed %d, node %d: %g, not %g",
                          (int)seed, i, solution[f.graph.place[i]][k], x[i][k]);
    }
    rg_arena_free(&arena);
}

/* Who touches whom, and who is gone, on a full table. */
typedef struct Table {
    int n;
    bool near[MOST][MOST], gone[MOST];
} Table;

static int degree_of(const Table *t, int node)
{
    int count = 0;
    for (int i = 0; i < t->n; i++)
        count += t->near[node][i] && !t->gone[i];
    return count;
}

static void take_out(Table *t, int node)
{
    t->gone[node] = true;
    for (int i = 0; i < t->n; i++)
        for (int j = 0; j < t->n; j++)
            t->near[i][j] = t->near[i][j] || (i != j && t->near[node][i] && t->near[node][j]);
}

/* Elimination in the order found: the pattern is the fill and no more, and nobody else had fewer neighbours. */
static void check_pattern(const Graph *g, const RgBlockFactor *f)
{
    static Table t;
    memset(&t, 0, sizeof t);
    t.n = g->n;
    for (int e = 0; e < g->nedges; e++)
        t.near[g->edge[e][0]][g->edge[e][1]] = t.near[g->edge[e][1]][g->edge[e][0]] = true;
    for (int at = 0; at < g->n; at++) {
        int p = f->graph.order[at], degree = degree_of(&t, p);
        cr_assert_eq(degree, f->graph.start[at + 1] - f->graph.start[at]);
        for (int b = f->graph.start[at]; b < f->graph.start[at + 1]; b++) {
            int other = f->graph.order[f->graph.row[b]];
            cr_assert(t.near[p][other] && !t.gone[other] && f->graph.row[b] > at);
        }
        for (int i = 0; i < g->n; i++)
            cr_assert(t.gone[i] || degree_of(&t, i) >= degree);
        take_out(&t, p);
    }
}

Test(block_factor, pattern)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (uint64_t seed = 0; seed < 60; seed++) {
        static Graph g;
        RgBlockFactor f;
        rg_arena_reset(&arena);
        draw_graph(seed, &g);
        make_factor(&arena, &g, MOST * MOST, &f);
        cr_assert(rg_elimination_find(&f.graph, INT64_MAX));
        check_pattern(&g, &f);
        int32_t blocks = f.graph.start[g.n];
        make_factor(&arena, &g, blocks - 1, &f);
        cr_expect(blocks == 0 || !rg_elimination_find(&f.graph, INT64_MAX), "less room than blocks");
        make_factor(&arena, &g, MOST * MOST, &f);
        cr_expect(blocks == 0 || !rg_elimination_find(&f.graph, 0), "more work than allowed");
    }
    rg_arena_free(&arena);
}

Test(block_factor, what_is_not_positive_is_refused)
{
    RgArena arena;
    static Graph g;
    RgBlockFactor f;
    rg_arena_init(&arena, NULL);
    draw_graph(7, &g);
    make_factor(&arena, &g, MOST * MOST, &f);
    cr_assert(rg_elimination_find(&f.graph, INT64_MAX));
    set_numbers(&g, &f);
    f.diagonal[g.n - 1][3][3] = -1.0;
    cr_expect(!rg_block_factor(&f, 1e-14));
    rg_arena_free(&arena);
}

Test(block_factor, both_kernels_give_the_same_bits)
{
    if (rg_block6_simd.times == NULL || !rg_has_avx2())
        cr_skip_test("no AVX2 here");
    RgRandom state = rg_random_seed(3);
    const RgBlock6Kernel *kernels[2] = {&rg_block6_plain, &rg_block6_simd};
    for (int trial = 0; trial < 200; trial++) {
        RgBlock6 A = {{0.0}}, B = {{0.0}}, C[2] = {{{0.0}}};
        RgBlock6Row x = {0.0}, y[2] = {{0.0}};
        for (int i = 0; i < 6; i++) {
            x[i] = rg_random_uniform(&state, -3.0, 3.0);
            for (int j = 0; j < 6; j++) {
                A[i][j] = rg_random_uniform(&state, -3.0, 3.0);
                B[i][j] = rg_random_uniform(&state, -3.0, 3.0);
            }
        }
        for (int k = 0; k < 2; k++) {
            kernels[k]->times(A, B, C[k]);
            kernels[k]->add_product(C[k], -1.5, A, B);
            kernels[k]->subtract_product(C[k], A, B);
            kernels[k]->divide(A, C[k]);
            kernels[k]->subtract_t(A, x, y[k]);
            kernels[k]->subtract(B, x, y[k]);
        }
        cr_assert(memcmp(C[0], C[1], sizeof C[0]) == 0 && memcmp(y[0], y[1], sizeof y[0]) == 0);
    }
}
