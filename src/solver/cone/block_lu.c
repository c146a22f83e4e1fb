/*
 * block_lu.c - sparse L U of blocks (block_lu.h).
 *
 * Right-looking elimination, column by column: D_p^-1, then L_ip = A_ip D_p^-1 for all remaining neighbours i of p,
 * then A_ij -= L_ip A_pj for all pairs of them. Blocks (i, j) and (j, i) have the same index in `below` and `above`, so
 * one search finds both.
 */
#include "solver/cone/block_lu.h"

#include "math/dense_factor.h"

#include <string.h>

/* First estimate of the fill per column; doubled until the whole factor fits. */
#define FILL_PER_COLUMN 12

/* ------------------------------------------------------------------ plan */

static void add_edges(RgElimination *e, const int32_t *start, const int32_t *column)
{
    rg_elimination_init(e);
    for (int32_t i = 0; i < e->n; i++)
        for (int32_t k = start[i]; k < start[i + 1]; k++)
            if (column[k] != i)
                rg_elimination_add_edge(e, i, column[k]);
}

static int64_t count_block_products(const RgElimination *e)
{
    int64_t sum = 0;
    for (int32_t p = 0; p < e->n; p++) {
        int64_t degree = e->start[p + 1] - e->start[p];
        sum += degree * (degree + 1);
    }
    return sum;
}

bool rg_block_lu_plan(RgArena *arena, RgBlockLu *lu, int32_t n, const int32_t *start, const int32_t *column)
{
    RgElimination *e = &lu->graph;
    int64_t full_fill = (int64_t)n * (n - 1) / 2, room = (int64_t)FILL_PER_COLUMN * n;
    *e = (RgElimination){.n = n, .words = (n + 63) / 64};
    e->near = RG_ARENA_ALLOC_RAW(arena, uint64_t, (int64_t)n * e->words);
    e->order = RG_ARENA_ALLOC_RAW(arena, int32_t, n);
    e->place = RG_ARENA_ALLOC_RAW(arena, int32_t, n);
    e->degree = RG_ARENA_ALLOC_RAW(arena, int32_t, n);
    e->start = RG_ARENA_ALLOC_RAW(arena, int32_t, n + 1);
    lu->idle = RG_ARENA_ALLOC(arena, bool, n);
    bool found = false;
    while (!found && !arena->failed) {
        room = room < full_fill ? room : full_fill;
        if (room > INT32_MAX)
            return false;
        e->room = (int32_t)room;
        e->row = RG_ARENA_ALLOC_RAW(arena, int32_t, room);
        if (arena->failed)
            return false;
        add_edges(e, start, column);
        found = rg_elimination_find(e, INT64_MAX);
        room *= 2;
    }
    if (!found)
        return false;
    size_t block = (size_t)lu->size * (size_t)lu->size;
    lu->work = count_block_products(e);
    lu->diagonal = rg_arena_alloc_raw(arena, (size_t)n * block, sizeof *lu->diagonal);
    lu->below = rg_arena_alloc_raw(arena, (size_t)e->start[n] * block, sizeof *lu->below);
    lu->above = rg_arena_alloc_raw(arena, (size_t)e->start[n] * block, sizeof *lu->above);
    return !arena->failed;
}

/* ------------------------------------------------------------------ numbers */

void rg_block_lu_clear(RgBlockLu *lu)
{
    size_t block = (size_t)lu->size * (size_t)lu->size * sizeof(double);
    size_t entries = (size_t)lu->graph.start[lu->graph.n];
    memset(lu->diagonal, 0, (size_t)lu->graph.n * block);
    memset(lu->below, 0, entries * block);
    memset(lu->above, 0, entries * block);
    memset(lu->idle, 0, (size_t)lu->graph.n * sizeof *lu->idle);
}

double *rg_block_lu_at(RgBlockLu *lu, int32_t i, int32_t j)
{
    const RgElimination *e = &lu->graph;
    size_t block = (size_t)lu->size * (size_t)lu->size;
    int32_t pi = e->place[i], pj = e->place[j];
    if (pi == pj)
        return lu->diagonal + (size_t)pi * block;
    int32_t at = pi > pj ? rg_elimination_at(e, pi, pj) : rg_elimination_at(e, pj, pi);
    return (pi > pj ? lu->below : lu->above) + (size_t)at * block;
}

/* ------------------------------------------------------------------ blocks */

/* C -= A B, row by row. Called with a constant n so that the compiler unrolls the loops. */
static inline __attribute__((always_inline)) void subtract_product(double *C, const double *A, const double *B, int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double a = A[i * n + k];
            for (int j = 0; j < n; j++)
                C[i * n + j] -= a * B[k * n + j];
        }
}

/* A <- A B. */
static inline __attribute__((always_inline)) void multiply_right(double *A, const double *B, int n)
{
    for (int i = 0; i < n; i++) {
        double row[RG_BLOCK_LU_MAX_SIZE];
        for (int j = 0; j < n; j++)
            row[j] = A[i * n] * B[j];
        for (int k = 1; k < n; k++)
            for (int j = 0; j < n; j++)
                row[j] += A[i * n + k] * B[k * n + j];
        memcpy(A + (ptrdiff_t)i * n, row, (size_t)n * sizeof *row);
    }
}

/* y -= A x. */
static inline void subtract_matrix_vector(double *y, const double *A, const double *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            y[i] -= A[i * n + j] * x[j];
}

/* ------------------------------------------------------------------ factor and solve */

/* Eliminates column p from the columns of its remaining neighbours. n is a constant where this is inlined. */
static inline __attribute__((always_inline)) void eliminate_column(RgBlockLu *lu, int32_t p, int n)
{
    const RgElimination *e = &lu->graph;
    ptrdiff_t block = (ptrdiff_t)n * n;
    const double *pivot = lu->diagonal + p * block;
    for (int32_t a = e->start[p]; a < e->start[p + 1]; a++)
        if (!lu->idle[e->row[a]])
            multiply_right(lu->below + a * block, pivot, n);
    for (int32_t a = e->start[p]; a < e->start[p + 1]; a++) {
        int32_t column = e->row[a], to = e->start[column];
        if (lu->idle[column])
            continue;
        subtract_product(lu->diagonal + column * block, lu->below + a * block, lu->above + a * block, n);
        for (int32_t b = a + 1; b < e->start[p + 1]; b++) {
            if (lu->idle[e->row[b]])
                continue;
            while (e->row[to] < e->row[b])
                to++;
            subtract_product(lu->below + to * block, lu->below + b * block, lu->above + a * block, n);
            subtract_product(lu->above + to * block, lu->below + a * block, lu->above + b * block, n);
        }
    }
}

bool rg_block_lu_factor(RgBlockLu *lu, double lost)
{
    int n = lu->size;
    for (int32_t p = 0; p < lu->graph.n; p++) {
        if (lu->idle[p])
            continue;
        if (!rg_small_invert(lu->diagonal + (ptrdiff_t)p * n * n, n, lost))
            return false;
        if (n == 3)
            eliminate_column(lu, p, 3);
        else if (n == 6)
            eliminate_column(lu, p, 6);
        else
            eliminate_column(lu, p, n);
    }
    return true;
}

/* y_p = D_p^-1 (y_p - sum of U_pi y_i). */
static void back_substitute(const RgBlockLu *lu, int32_t p, double *spare)
{
    const RgElimination *e = &lu->graph;
    int n = lu->size;
    ptrdiff_t block = (ptrdiff_t)n * n;
    double *y = spare + (ptrdiff_t)p * n, out[RG_BLOCK_LU_MAX_SIZE] = {0.0};
    for (int32_t a = e->start[p]; a < e->start[p + 1]; a++)
        if (!lu->idle[e->row[a]])
            subtract_matrix_vector(y, lu->above + a * block, spare + (ptrdiff_t)e->row[a] * n, n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[i] += lu->diagonal[p * block + i * n + j] * y[j];
    memcpy(y, out, (size_t)n * sizeof *y);
}

void rg_block_lu_solve(const RgBlockLu *lu, double *x, double *spare)
{
    const RgElimination *e = &lu->graph;
    int n = lu->size;
    ptrdiff_t block = (ptrdiff_t)n * n;
    for (int32_t p = 0; p < e->n; p++)
        memcpy(spare + (ptrdiff_t)p * n, x + (ptrdiff_t)e->order[p] * n, (size_t)n * sizeof *x);
    for (int32_t p = 0; p < e->n; p++)
        for (int32_t a = e->start[p]; a < e->start[p + 1] && !lu->idle[p]; a++)
            if (!lu->idle[e->row[a]])
                subtract_matrix_vector(spare + (ptrdiff_t)e->row[a] * n, lu->below + a * block,
                                       spare + (ptrdiff_t)p * n, n);
    for (int32_t p = e->n - 1; p >= 0; p--) {
        if (!lu->idle[p])
            back_substitute(lu, p, spare);
        memcpy(x + (ptrdiff_t)e->order[p] * n, spare + (ptrdiff_t)p * n, (size_t)n * sizeof *x);
    }
}
