/*
 * elimination.c - minimum-degree ordering (elimination.h; Tinney and Walker 1967).
 *
 * The next node is the one with the fewest neighbours, the first of equals. Its neighbours become neighbours of each
 * other: that is the fill. Neighbour sets are bit sets, so eliminating a node costs its degree times n / 64.
 */
#include "solver/elimination.h"

#include <string.h>

static inline uint64_t bit(int32_t i)
{
    return UINT64_C(1) << ((uint32_t)i % 64);
}

void rg_elimination_init(RgElimination *e)
{
    memset(e->near, 0, (size_t)e->n * (size_t)e->words * sizeof *e->near);
}

void rg_elimination_add_edge(RgElimination *e, int32_t a, int32_t b)
{
    e->near[(size_t)a * (size_t)e->words + (size_t)(b / 64)] |= bit(b);
    e->near[(size_t)b * (size_t)e->words + (size_t)(a / 64)] |= bit(a);
}

static inline int count_bits(uint64_t x)
{
    return __builtin_popcountll(x);
}

static int32_t least_degree(const RgElimination *e)
{
    int32_t best = -1;
    for (int32_t i = 0; i < e->n; i++)
        if (e->degree[i] >= 0 && (best < 0 || e->degree[i] < e->degree[best]))
            best = i;
    return best;
}

/* Eliminates node p: connects its neighbours with each other and lists them in row. */
static void eliminate_node(RgElimination *e, int32_t p, int32_t *row)
{
    const uint64_t *of_p = e->near + (size_t)p * (size_t)e->words;
    e->degree[p] = -1;
    for (int32_t w = 0; w < e->words; w++)
        for (uint64_t left = of_p[w]; left != 0; left &= left - 1)
            *row++ = 64 * w + __builtin_ctzll(left);
    for (int32_t w = 0; w < e->words; w++)
        for (uint64_t left = of_p[w]; left != 0; left &= left - 1) {
            int32_t j = 64 * w + __builtin_ctzll(left), degree = 0;
            uint64_t *of_j = e->near + (size_t)j * (size_t)e->words;
            for (int32_t v = 0; v < e->words; v++)
                of_j[v] |= of_p[v];
            of_j[j / 64] &= ~(bit(j));
            of_j[p / 64] &= ~(bit(p));
            for (int32_t v = 0; v < e->words; v++)
                degree += count_bits(of_j[v]);
            e->degree[j] = degree;
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

bool rg_elimination_find(RgElimination *e, int64_t work)
{
    for (int32_t i = 0; i < e->n; i++) {
        e->degree[i] = 0;
        for (int32_t w = 0; w < e->words; w++)
            e->degree[i] += count_bits(e->near[(size_t)i * (size_t)e->words + (size_t)w]);
    }
    e->start[0] = 0;
    for (int32_t at = 0; at < e->n; at++) {
        int32_t p = least_degree(e), degree = e->degree[p];
        work -= (int64_t)degree * (degree + 1) / 2;
        if (e->start[at] + degree > e->room || work < 0)
            return false;
        e->order[at] = p;
        e->place[p] = at;
        e->start[at + 1] = e->start[at] + degree;
        eliminate_node(e, p, e->row + e->start[at]);
    }
    for (int32_t at = 0; at < e->n; at++) {
        int32_t *row = e->row + e->start[at], count = e->start[at + 1] - e->start[at];
        for (int32_t i = 0; i < count; i++)
            row[i] = e->place[row[i]];
        sort_column(row, count);
    }
    return true;
}
