/*
 * block_factor.c - sparse block factors (block_factor.h).
 *
 * Least degree: of the nodes that are left the one with the fewest neighbours goes next, of equals the first; its
 * neighbours become neighbours of each other, which is the fill of L. Neighbours are bit sets, so that a node of a graph
 * of n costs its degree times n / 64.
 *
 * Numbers: columns one after another, from the diagonal down. L_pp from A_pp, B_i' = L_pp^-1 A_ip' for the blocks below
 * it, then A_ij -= B_i B_j' for all pairs of them. Blocks below the diagonal stand transposed: all products go row by row.
 */
#include "solver/block_factor.h"

#include <string.h>

bool rg_block_factors_take(RgArena *arena, RgBlockFactor *factors, int32_t count)
{
    int64_t nodes = 0, words = 0, blocks = 0;
    for (int32_t k = 0; k < count; k++) {
        factors[k].words = (factors[k].n + 63) / 64;
        nodes += factors[k].n;
        words += (int64_t)factors[k].n * factors[k].words;
        blocks += factors[k].room;
    }
    uint64_t *near = RG_TAKE_RAW(arena, uint64_t, words);
    int32_t *numbers = RG_TAKE_RAW(arena, int32_t, 4 * nodes + count);
    int32_t *row = RG_TAKE_RAW(arena, int32_t, blocks);
    RgBlock6 *diagonal = RG_TAKE_RAW(arena, RgBlock6, nodes), *below = RG_TAKE_RAW(arena, RgBlock6, blocks);
    if (arena->failed)
        return false;
    for (int32_t k = 0; k < count; k++) {
        RgBlockFactor *f = &factors[k];
        f->near = near;
        f->order = numbers;
        f->place = numbers + f->n;
        f->degree = numbers + 2 * f->n;
        f->start = numbers + 3 * f->n;
        f->row = row;
        f->diagonal = diagonal;
        f->below = below;
        near += (size_t)f->n * (size_t)f->words;
        numbers += 4 * f->n + 1;
        row += f->room;
        diagonal += f->n;
        below += f->room;
    }
    return true;
}

static inline uint64_t bit(int32_t i)
{
    return UINT64_C(1) << ((uint32_t)i % 64);
}

void rg_block_factor_begin(RgBlockFactor *f)
{
    memset(f->near, 0, (size_t)f->n * (size_t)f->words * sizeof *f->near);
}

void rg_block_factor_touch(RgBlockFactor *f, int32_t a, int32_t b)
{
    f->near[(size_t)a * (size_t)f->words + (size_t)(b / 64)] |= bit(b);
    f->near[(size_t)b * (size_t)f->words + (size_t)(a / 64)] |= bit(a);
}

static inline int bits(uint64_t x)
{
    return __builtin_popcountll(x);
}

static int32_t least_degree(const RgBlockFactor *f)
{
    int32_t best = -1;
    for (int32_t i = 0; i < f->n; i++)
        if (f->degree[i] >= 0 && (best < 0 || f->degree[i] < f->degree[best]))
            best = i;
    return best;
}

/* Takes node p out: its neighbours become neighbours of each other; their list goes to row. */
static void take_out(RgBlockFactor *f, int32_t p, int32_t *row)
{
    const uint64_t *of_p = f->near + (size_t)p * (size_t)f->words;
    f->degree[p] = -1;
    for (int32_t w = 0; w < f->words; w++)
        for (uint64_t left = of_p[w]; left != 0; left &= left - 1)
            *row++ = 64 * w + __builtin_ctzll(left);
    for (int32_t w = 0; w < f->words; w++)
        for (uint64_t left = of_p[w]; left != 0; left &= left - 1) {
            int32_t j = 64 * w + __builtin_ctzll(left), degree = 0;
            uint64_t *of_j = f->near + (size_t)j * (size_t)f->words;
            for (int32_t v = 0; v < f->words; v++)
                of_j[v] |= of_p[v];
            of_j[j / 64] &= ~(bit(j));
            of_j[p / 64] &= ~(bit(p));
            for (int32_t v = 0; v < f->words; v++)
                degree += bits(of_j[v]);
            f->degree[j] = degree;
        }
}

static void sort_column(int32_t *row, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        int32_t x = row[i], j = i;
        for (; j > 0 && row[j - 1] > x; j--)
            row[j] = row[j - 1];
        row[j] = x;
    }
}

bool rg_block_factor_analyse(RgBlockFactor *f, int64_t work)
{
    for (int32_t i = 0; i < f->n; i++) {
        f->degree[i] = 0;
        for (int32_t w = 0; w < f->words; w++)
            f->degree[i] += bits(f->near[(size_t)i * (size_t)f->words + (size_t)w]);
    }
    f->start[0] = 0;
    for (int32_t at = 0; at < f->n; at++) {
        int32_t p = least_degree(f), degree = f->degree[p];
        work -= (int64_t)degree * (degree + 1) / 2;
        if (f->start[at] + degree > f->room || work < 0)
            return false;
        f->order[at] = p;
        f->place[p] = at;
        f->start[at + 1] = f->start[at] + degree;
        take_out(f, p, f->row + f->start[at]);
    }
    for (int32_t at = 0; at < f->n; at++) {
        int32_t *row = f->row + f->start[at], count = f->start[at + 1] - f->start[at];
        for (int32_t i = 0; i < count; i++)
            row[i] = f->place[row[i]];
        sort_column(row, count);
    }
    return true;
}

void rg_block_factor_clear(RgBlockFactor *f)
{
    memset(f->diagonal, 0, (size_t)f->n * sizeof *f->diagonal);
    memset(f->below, 0, (size_t)f->start[f->n] * sizeof *f->below);
}

RgSix *rg_block_factor_at(const RgBlockFactor *f, int32_t i, int32_t j)
{
    int32_t low = f->start[j], high = f->start[j + 1] - 1;
    while (low < high) {
        int32_t middle = (low + high) / 2;
        if (f->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return f->below[low];
}

/* The blocks of column p out of all to the right of it. */
static void eliminate(RgBlockFactor *f, const RgBlock6Kernel *kernel, int32_t p)
{
    int32_t end = f->start[p + 1];
    for (int32_t a = f->start[p]; a < end; a++) {
        int32_t column = f->row[a], to = f->start[column];
        RgBlock6 B = {{0.0}};
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                B[i][j] = f->below[a][j][i];
        kernel->subtract_product(f->diagonal[column], B, f->below[a]);
        for (int32_t b = a + 1; b < end; b++) {
            while (f->row[to] < f->row[b])
                to++;
            kernel->subtract_product(f->below[to], B, f->below[b]);
        }
    }
}

bool rg_block_factor(RgBlockFactor *f, double lost)
{
    const RgBlock6Kernel *kernel = rg_block6();
    for (int32_t p = 0; p < f->n; p++) {
        if (!b6_factor(f->diagonal[p], lost))
            return false;
        for (int32_t b = f->start[p]; b < f->start[p + 1]; b++)
            kernel->divide(f->diagonal[p], f->below[b]);
        eliminate(f, kernel, p);
    }
    return true;
}

void rg_block_solve(const RgBlockFactor *f, RgSix *x)
{
    const RgBlock6Kernel *kernel = rg_block6();
    for (int32_t p = 0; p < f->n; p++) {
        b6_forward(f->diagonal[p], x[p]);
        for (int32_t b = f->start[p]; b < f->start[p + 1]; b++)
            kernel->subtract_t(f->below[b], x[p], x[f->row[b]]);
    }
    for (int32_t p = f->n - 1; p >= 0; p--) {
        for (int32_t b = f->start[p]; b < f->start[p + 1]; b++)
            kernel->subtract(f->below[b], x[f->row[b]], x[p]);
        b6_backward(f->diagonal[p], x[p]);
    }
}
