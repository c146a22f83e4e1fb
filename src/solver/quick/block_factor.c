/*
 * block_factor.c - sparse block Cholesky factors (block_factor.h).
 *
 * Numerical factorisation, column by column (right-looking): L_pp from A_pp, B_i' = L_pp^-1 A_ip' for the blocks below
 * it, then A_ij -= B_i B_j' for all pairs. Blocks below the diagonal are stored transposed, so all products run row by
 * row.
 */
#include "solver/quick/block_factor.h"

#include <string.h>

bool rg_block_factors_alloc(RgArena *arena, RgBlockFactor *factors, int32_t count)
{
    int64_t nodes = 0, words = 0, blocks = 0;
    for (int32_t k = 0; k < count; k++) {
        factors[k].graph.words = (factors[k].graph.n + 63) / 64;
        nodes += factors[k].graph.n;
        words += (int64_t)factors[k].graph.n * factors[k].graph.words;
        blocks += factors[k].graph.room;
    }
    uint64_t *near = RG_ARENA_ALLOC_RAW(arena, uint64_t, words);
    int32_t *numbers = RG_ARENA_ALLOC_RAW(arena, int32_t, 4 * nodes + count);
    int32_t *row = RG_ARENA_ALLOC_RAW(arena, int32_t, blocks);
    RgBlock6 *diagonal = RG_ARENA_ALLOC_RAW(arena, RgBlock6, nodes),
             *below = RG_ARENA_ALLOC_RAW(arena, RgBlock6, blocks);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < count; k++) {
        RgBlockFactor *f = &factors[k];
        f->graph.near = near;
        f->graph.order = numbers;
        f->graph.place = numbers + f->graph.n;
        f->graph.degree = numbers + 2 * f->graph.n;
        f->graph.start = numbers + 3 * f->graph.n;
        f->graph.row = row;
        f->diagonal = diagonal;
        f->below = below;
        near += (size_t)f->graph.n * (size_t)f->graph.words;
        numbers += 4 * f->graph.n + 1;
        row += f->graph.room;
        diagonal += f->graph.n;
        below += f->graph.room;
    }
    return true;
}

void rg_block_factor_clear(RgBlockFactor *f)
{
    memset(f->diagonal, 0, (size_t)f->graph.n * sizeof *f->diagonal);
    memset(f->below, 0, (size_t)f->graph.start[f->graph.n] * sizeof *f->below);
}

RgBlock6Row *rg_block_factor_at(const RgBlockFactor *f, int32_t i, int32_t j)
{
    return f->below[rg_elimination_at(&f->graph, i, j)];
}

/* Subtracts the products of the blocks of column p from all columns to its right. */
static void eliminate_column(RgBlockFactor *f, const RgBlock6Kernel *kernel, int32_t p)
{
    int32_t end = f->graph.start[p + 1];
    for (int32_t a = f->graph.start[p]; a < end; a++) {
        int32_t column = f->graph.row[a], to = f->graph.start[column];
        RgBlock6 B = {{0.0}};
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                B[i][j] = f->below[a][j][i];
        kernel->subtract_product(f->diagonal[column], B, f->below[a]);
        for (int32_t b = a + 1; b < end; b++) {
            while (f->graph.row[to] < f->graph.row[b])
                to++;
            kernel->subtract_product(f->below[to], B, f->below[b]);
        }
    }
}

bool rg_block_factor(RgBlockFactor *f, double lost)
{
    const RgBlock6Kernel *kernel = rg_block6();
    for (int32_t p = 0; p < f->graph.n; p++) {
        if (!b6_factor(f->diagonal[p], lost))
            return false;
        for (int32_t b = f->graph.start[p]; b < f->graph.start[p + 1]; b++)
            kernel->divide(f->diagonal[p], f->below[b]);
        eliminate_column(f, kernel, p);
    }
    return true;
}

void rg_block_solve(const RgBlockFactor *f, RgBlock6Row *x)
{
    const RgBlock6Kernel *kernel = rg_block6();
    for (int32_t p = 0; p < f->graph.n; p++) {
        b6_forward(f->diagonal[p], x[p]);
        for (int32_t b = f->graph.start[p]; b < f->graph.start[p + 1]; b++)
            kernel->subtract_t(f->below[b], x[p], x[f->graph.row[b]]);
    }
    for (int32_t p = f->graph.n - 1; p >= 0; p--) {
        for (int32_t b = f->graph.start[p]; b < f->graph.start[p + 1]; b++)
            kernel->subtract(f->below[b], x[f->graph.row[b]], x[p]);
        b6_backward(f->diagonal[p], x[p]);
    }
}
