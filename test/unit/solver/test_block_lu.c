/*
 * test_block_lu.c - sparse L U of blocks against a dense one, and the order of elimination against filling in a dense
 * pattern.
 */
#include "check_near.h"
#include "draw.h"
#include "math/dense_lu.h"
#include "solver/block_lu.h"

#include <stdlib.h>
#include <string.h>

#define NODES 24
#define ROWS (NODES * RG_BLOCK_LU_MOST)

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

/* x'Ax > 0: diagonally dominant in its symmetric part, with any other part; or only G G' + 1e-3 over the pattern's
   cliques of two. */
static void draw_numbers(Graph *g, Draw *d)
{
    int rows = g->n * g->size;
    memset(g->A, 0, sizeof g->A);
    for (int i = 0; i < rows; i++)
        g->A[i][i] = 0.3;
    for (int p = 0; p < g->n; p++)
        for (int q = 0; q <= p; q++) {
            if (p != q && !g->near[p][q])
                continue;
            for (int k = 0; k < g->size; k++) { /* a row over two nodes: J'J, and something skew */
                double J[2][RG_BLOCK_LU_MOST], scale = draw_chance(d, 0.2) ? 30.0 : 1.0;
                for (int e = 0; e < 2 * g->size; e++)
                    J[e / g->size][e % g->size] = scale * draw_between(d, -1.0, 1.0);
                for (int a = 0; a < 2 * g->size; a++)
                    for (int b = 0; b < 2 * g->size; b++) {
                        int i = (a < g->size ? p : q) * g->size + a % g->size;
                        int j = (b < g->size ? p : q) * g->size + b % g->size;
                        if (p == q && (a >= g->size || b >= g->size))
                            continue;
                        g->A[i][j] += J[a / g->size][a % g->size] * J[b / g->size][b % g->size];
                    }
            }
            for (int a = 0; a < g->size; a++)
                for (int b = 0; b < g->size; b++) {
                    double skew = draw_between(d, -1.0, 1.0);
                    g->A[p * g->size + a][q * g->size + b] += skew;
                    g->A[q * g->size + b][p * g->size + a] -= skew;
                }
        }
    for (int i = 0; i < rows; i++)
        g->b[i] = draw_between(d, -1.0, 1.0);
}

static void load_numbers(Graph *g)
{
    rg_block_lu_clear(&g->lu);
    for (int p = 0; p < g->n; p++)
        for (int q = 0; q < g->n; q++) {
            if (p != q && !g->near[p][q])
                continue;
            double *B = rg_block_lu_at(&g->lu, p, q);
            for (int a = 0; a < g->size; a++)
                for (int b = 0; b < g->size; b++)
                    B[a * g->size + b] = g->A[p * g->size + a][q * g->size + b];
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
        Graph *g =
            graph_draw(&d, 1 + draw_below(&d, NODES), size, draw_between(&d, 0.0, seed % 7 == 0 ? 1.0 : 0.3));
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
        bool idle[NODES];
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
    for (int size = 1; size <= RG_BLOCK_LU_MOST; size++)
        for (int n = 1; n < 8; n++) {
            Draw d = draw_seed((uint64_t)(100 * size + n));
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

/* The pattern is that of eliminating node after node from a matrix of yes and no; each node is of least degree. */
Test(block_lu, fills_in_as_elimination_does)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Draw d = draw_seed(seed + 5000);
        Graph *g = graph_draw(&d, 1 + draw_below(&d, NODES), 3, 0.15);
        make_plan(g);
        const RgElimination *e = &g->lu.graph;
        bool left[NODES];
        memset(left, true, sizeof left);
        for (int at = 0; at < g->n; at++) {
            int p = e->order[at], degree[NODES] = {0}, count = 0;
            cr_assert(left[p] && e->place[p] == at);
            for (int i = 0; i < g->n; i++)
                for (int j = 0; j < g->n; j++)
                    degree[i] += i != j && left[i] && left[j] && g->near[i][j];
            for (int i = 0; i < g->n; i++)
                cr_expect(!left[i] || degree[i] >= degree[p]);
            cr_assert(e->start[at + 1] - e->start[at] == degree[p]);
            left[p] = false;
            for (int32_t k = e->start[at]; k < e->start[at + 1]; k++) {
                cr_expect(k == e->start[at] || e->row[k] > e->row[k - 1]);
                count += g->near[p][e->order[e->row[k]]] && left[e->order[e->row[k]]];
            }
            cr_expect(count == degree[p]);
            for (int i = 0; i < g->n; i++)
                for (int j = 0; j < g->n; j++)
                    if (i != j && g->near[p][i] && g->near[p][j])
                        g->near[i][j] = true;
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
