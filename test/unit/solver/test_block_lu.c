/*
 * test_block_lu.c - sparse L U of blocks against a dense one, and the order of elimination against filling in a dense
 * pattern.
 */
#include "check_near.h"
#include "draw.h"
#include "math/dense_factor.h"
#include "solver/cone/block_lu.h"

#include <stdlib.h>
#include <string.h>

#define NODES 24
#define ROWS (NODES * RG_BLOCK_LU_MAX_SIZE)

typedef struct Graph {
    RgArena arena;
    RgBlockLu lu;
    int n, size;
    bool near[NODES][NODES];
    int32_t start[NODES + 1], column[NODES * NODES];
    double A[ROWS][ROWS], x[ROWS], b[ROWS], spare[ROWS];
} Graph;

/* Edges with a chance; of some only one direction is told. */
static Graph *graph_draw(Draw *d, int n, int size, double chance)
{
    Graph *g = calloc(1, sizeof *g);
    cr_assert(g != NULL && n <= NODES);
    g->n = n;
    g->size = size;
    rg_arena_init(&g->arena, NULL);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            g->near[i][j] = g->near[j][i] = draw_chance(d, chance);
    for (int i = 0, at = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            bool told = g->near[i][j] && (i > j || draw_chance(d, 0.5));
            if (told || (i == j && draw_chance(d, 0.5)))
                g->column[at++] = j;
        }
        g->start[i + 1] = at;
    }
    return g;
}

static void graph_end(Graph *g)
{
    rg_arena_free(&g->arena);
    free(g);
}

/* Number (a, b) of the block of two nodes. */
static double *entry(Graph *g, int p, int a, int q, int b)
{
    return &g->A[p * g->size + a][q * g->size + b];
}

/* A row over two nodes, or one: A += J'J. */
static void add_square(Graph *g, Draw *d, int p, int q)
{
    int count = p == q ? g->size : 2 * g->size;
    double J[2 * RG_BLOCK_LU_MAX_SIZE], scale = draw_chance(d, 0.2) ? 30.0 : 1.0;
    for (int e = 0; e < count; e++)
        J[e] = scale * draw_between(d, -1.0, 1.0);
    for (int k = 0; k < count * count; k++) {
        int a = k / count, b = k % count;
        *entry(g, a < g->size ? p : q, a % g->size, b < g->size ? p : q, b % g->size) += J[a] * J[b];
    }
}

/* x'Ax > 0: squares and a diagonal, and anything skew. */
static void draw_numbers(Graph *g, Draw *d)
{
    int rows = g->n * g->size;
    memset(g->A, 0, sizeof g->A);
    for (int i = 0; i < rows; i++)
        g->A[i][i] = 0.3;
    for (int k = 0; k < g->n * g->n; k++) {
        int p = k / g->n, q = k % g->n;
        if (q > p || (p != q && !g->near[p][q]))
            continue;
        for (int j = 0; j < g->size; j++)
            add_square(g, d, p, q);
        for (int j = 0; j < g->size * g->size; j++) {
            double skew = draw_between(d, -1.0, 1.0);
            *entry(g, p, j / g->size, q, j % g->size) += skew;
            *entry(g, q, j % g->size, p, j / g->size) -= skew;
        }
    }
    for (int i = 0; i < rows; i++)
        g->b[i] = draw_between(d, -1.0, 1.0);
}

static void load_numbers(Graph *g)
{
    rg_block_lu_clear(&g->lu);
    for (int k = 0; k < g->n * g->n; k++) {
        int p = k / g->n, q = k % g->n;
        if (p != q && !g->near[p][q])
            continue;
        double *B = rg_block_lu_at(&g->lu, p, q);
        for (int j = 0; j < g->size * g->size; j++)
            B[j] = *entry(g, p, j / g->size, q, j % g->size);
    }
}

static void make_plan(Graph *g)
{
    g->lu.size = g->size;
    cr_assert(rg_block_lu_plan(&g->arena, &g->lu, g->n, g->start, g->column));
}

/* idle: nodes whose rows and columns are those of 1; NULL: none. */
static void solve_dense(const Graph *g, const bool *idle, double *x)
{
    int rows = g->n * g->size;
    double *doubles = malloc(rg_lu_doubles(rows + 1) * sizeof *doubles);
    int *ints = malloc(rg_lu_ints(rows + 1) * sizeof *ints);
    RgLu lu;
    rg_lu_place(&lu, rows, doubles, ints);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            bool one = idle != NULL && (idle[i / g->size] || idle[j / g->size]);
            lu.a[i * rows + j] = one ? i == j : g->A[i][j];
        }
    rg_lu_factor(&lu, 1e-14);
    cr_assert(lu.rank == rows);
    rg_lu_solve(&lu, g->b, x);
    free(doubles);
    free(ints);
}

Test(block_lu, is_the_dense_solution)
{
    static double x[ROWS];
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Draw d = draw_seed(seed);
        int size = seed % 5 == 0 ? 1 + draw_below(&d, 6) : seed % 2 == 0 ? 3 : 6;
        Graph *g = graph_draw(&d, 1 + draw_below(&d, NODES), size, draw_between(&d, 0.0, seed % 7 == 0 ? 1.0 : 0.3));
        make_plan(g);
        for (int round = 0; round < 2; round++) { /* other numbers, the same plan */
            draw_numbers(g, &d);
            load_numbers(g);
            cr_assert(rg_block_lu_factor(&g->lu, 1e-14), "seed %d", (int)seed);
            memcpy(g->x, g->b, sizeof g->x);
            rg_block_lu_solve(&g->lu, g->x, g->spare);
            solve_dense(g, NULL, x);
            CHECK_NEAR_ALL(g->x, x, (size_t)(g->n * size), 1e-9, "1");
        }
        graph_end(g);
    }
}

Test(block_lu, idle_nodes_stand_alone)
{
    static double x[ROWS];
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Draw d = draw_seed(seed + 1000);
        Graph *g = graph_draw(&d, 2 + draw_below(&d, NODES - 2), seed % 2 == 0 ? 3 : 6, 0.3);
        bool idle[NODES] = {false};
        make_plan(g);
        draw_numbers(g, &d);
        load_numbers(g);
        for (int p = 0; p < g->n; p++) {
            idle[p] = draw_chance(&d, 0.4);
            g->lu.idle[g->lu.graph.place[p]] = idle[p];
        }
        cr_assert(rg_block_lu_factor(&g->lu, 1e-14));
        memcpy(g->x, g->b, sizeof g->x);
        rg_block_lu_solve(&g->lu, g->x, g->spare);
        solve_dense(g, idle, x);
        CHECK_NEAR_ALL(g->x, x, (size_t)(g->n * g->size), 1e-9, "1");
        /* Without idle nodes it is the whole again. */
        load_numbers(g);
        cr_assert(rg_block_lu_factor(&g->lu, 1e-14));
        memcpy(g->x, g->b, sizeof g->x);
        rg_block_lu_solve(&g->lu, g->x, g->spare);
        solve_dense(g, NULL, x);
        CHECK_NEAR_ALL(g->x, x, (size_t)(g->n * g->size), 1e-9, "1");
        graph_end(g);
    }
}

Test(block_lu, tells_a_singular_pivot)
{
    for (int size = 1; size <= RG_BLOCK_LU_MAX_SIZE; size++)
        for (int n = 1; n < 8; n++) {
            Draw d = draw_seed(100 * (uint64_t)size + (uint64_t)n);
            Graph *g = graph_draw(&d, n, size, 0.5);
            int lost = draw_below(&d, n) * size + draw_below(&d, size);
            make_plan(g);
            draw_numbers(g, &d);
            load_numbers(g);
            cr_expect(rg_block_lu_factor(&g->lu, 1e-14));
            /* A row and column of zeros. */
            for (int i = 0; i < n * size; i++)
                g->A[lost][i] = g->A[i][lost] = 0.0;
            load_numbers(g);
            cr_expect_not(rg_block_lu_factor(&g->lu, 1e-14), "size %d, n %d", size, n);
            /* Numbers that are none are no pivots. */
            g->A[lost][lost] = NAN;
            load_numbers(g);
            cr_expect_not(rg_block_lu_factor(&g->lu, 1e-14), "size %d, n %d: NaN", size, n);
            graph_end(g);
        }
}

/* The only regular pivot of a block is off its diagonal: rows are exchanged within it. */
Test(block_lu, exchanges_rows_within_a_block)
{
    Draw d = draw_seed(3);
    Graph *g = graph_draw(&d, 1, 3, 0.0);
    make_plan(g);
    const double A[3][3] = {{0.0, 2.0, 0.0}, {0.0, 0.0, 4.0}, {8.0, 0.0, 0.0}};
    for (int i = 0; i < 9; i++)
        g->A[i / 3][i % 3] = A[i / 3][i % 3];
    load_numbers(g);
    cr_assert(rg_block_lu_factor(&g->lu, 1e-14));
    double x[3] = {2.0, 4.0, 8.0};
    rg_block_lu_solve(&g->lu, x, g->spare);
    cr_expect(x[0] == 1.0 && x[1] == 1.0 && x[2] == 1.0);
    graph_end(g);
}

/* The same bits twice, whatever the memory held before. */
Test(block_lu, gives_the_same_bits)
{
    Draw d = draw_seed(77);
    Graph *g = graph_draw(&d, NODES, 6, 0.2);
    double first[ROWS];
    draw_numbers(g, &d);
    for (int round = 0; round < 2; round++) {
        rg_arena_reset(&g->arena);
        make_plan(g);
        load_numbers(g);
        cr_assert(rg_block_lu_factor(&g->lu, 1e-14));
        memcpy(g->x, g->b, sizeof g->x);
        rg_block_lu_solve(&g->lu, g->x, g->spare);
        if (round == 0)
            memcpy(first, g->x, sizeof first);
    }
    cr_expect(memcmp(first, g->x, (size_t)(g->n * g->size) * sizeof *first) == 0);
    graph_end(g);
}

/* Neighbours of node i among those that are left. */
static int degree_of(const Graph *g, const bool *left, int i)
{
    int count = 0;
    for (int j = 0; j < g->n; j++)
        count += i != j && left[i] && left[j] && g->near[i][j];
    return count;
}

/* The place of a node in the order is right: of least degree, with all its neighbours, in ascending order. */
static void check_place(const Graph *g, const bool *left, int at)
{
    const RgElimination *e = &g->lu.graph;
    int p = e->order[at], degree = degree_of(g, left, p), count = 0;
    cr_assert(left[p] && e->place[p] == at);
    for (int i = 0; i < g->n; i++)
        cr_expect(!left[i] || degree_of(g, left, i) >= degree);
    cr_assert(e->start[at + 1] - e->start[at] == degree);
    for (int32_t k = e->start[at]; k < e->start[at + 1]; k++) {
        cr_expect(k == e->start[at] || e->row[k] > e->row[k - 1]);
        count += left[e->order[e->row[k]]] && g->near[p][e->order[e->row[k]]];
    }
    cr_expect(count == degree);
}

/* The pattern is that of eliminating node after node from a matrix of yes and no. */
Test(block_lu, fills_in_as_elimination_does)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Draw d = draw_seed(seed + 5000);
        Graph *g = graph_draw(&d, 1 + draw_below(&d, NODES), 3, 0.15);
        bool left[NODES];
        make_plan(g);
        memset(left, true, sizeof left);
        for (int at = 0; at < g->n; at++) {
            int p = g->lu.graph.order[at];
            check_place(g, left, at);
            left[p] = false;
            for (int k = 0; k < g->n * g->n; k++)
                g->near[k / g->n][k % g->n] |= k / g->n != k % g->n && g->near[p][k / g->n] && g->near[p][k % g->n];
        }
        graph_end(g);
    }
}

/* No nodes, no memory for numbers: a whole plan. */
Test(block_lu, takes_nothing)
{
    Draw d = draw_seed(1);
    Graph *g = graph_draw(&d, 0, 3, 0.0);
    make_plan(g);
    rg_block_lu_clear(&g->lu);
    cr_expect(rg_block_lu_factor(&g->lu, 1e-14));
    rg_block_lu_solve(&g->lu, g->x, g->spare);
    graph_end(g);
}
