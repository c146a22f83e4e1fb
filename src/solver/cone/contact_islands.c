/* contact_islands.c - connected components of contacts that share nonzero blocks of W (union_find.h). */
#include "solver/cone/contact_islands.h"

#include "base/union_find.h"

#include <math.h>
#include <string.h>

static bool is_zero(const double block[9])
{
    for (int k = 0; k < 9; k++)
        if (block[k] != 0.0)
            return false;
    return true;
}

bool rg_contact_islands_find(RgArena *arena, const RgConeBlocks *b, RgContactIslands *out)
{
    int32_t *parent = RG_ARENA_ALLOC_RAW(arena, int32_t, b->n), *number = RG_ARENA_ALLOC_RAW(arena, int32_t, b->n);
    *out = (RgContactIslands){.first = RG_ARENA_ALLOC(arena, int, b->n + 2),
                              .contacts = RG_ARENA_ALLOC_RAW(arena, int, b->n)};
    if (arena->failed)
        return false;
    for (int i = 0; i < b->n; i++)
        parent[i] = i;
    for (int i = 0; i < b->n; i++)
        for (int e = b->start[i]; e < b->start[i + 1]; e++)
            if (!is_zero(b->block + 9 * (size_t)e))
                rg_set_union(parent, i, b->column[e]);
    out->count = rg_set_list(parent, 0, b->n, number, out->first, out->contacts);
    for (int k = 0; k < out->count; k++)
        out->largest =
            out->first[k + 1] - out->first[k] > out->largest ? out->first[k + 1] - out->first[k] : out->largest;
    return true;
}

void rg_contact_island_matrix(const RgConeBlocks *b, const int *contacts, int n, int *place, double *W)
{
    size_t rows = 3 * (size_t)n;
    memset(W, 0, rows * rows * sizeof *W);
    for (int k = 0; k < n; k++)
        place[contacts[k]] = k + 1;
    for (int k = 0; k < n; k++)
        for (int e = b->start[contacts[k]]; e < b->start[contacts[k] + 1]; e++) {
            int at = place[b->column[e]] - 1;
            for (int v = 0; v < 9 && at >= 0; v++)
                W[(3 * (size_t)k + (size_t)(v / 3)) * rows + 3 * (size_t)at + (size_t)(v % 3)] +=
                    b->block[9 * (size_t)e + (size_t)v];
        }
    for (int k = 0; k < n; k++)
        place[contacts[k]] = 0;
}

static bool all_finite(const double *v, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(v[i]))
            return false;
    return true;
}

bool rg_cone_blocks_valid(const RgConeBlocks *b)
{
    for (int i = 0; i < b->n; i++) {
        if (!(b->mu[i] >= 0.0 && isfinite(b->mu[i])) || !all_finite(b->q + 3 * i, 3) || !all_finite(b->r + 3 * i, 3))
            return false;
        for (int e = b->start[i]; e < b->start[i + 1]; e++)
            if (b->column[e] < 0 || b->column[e] >= b->n || !all_finite(b->block + 9 * (size_t)e, 9))
                return false;
    }
    return true;
}
