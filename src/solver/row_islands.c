/*
 * row_islands.c - rows that share a column, directly or by way of others, or a normal, are one island.
 *
 * Columns are joined row by row (union_find.h); islands are numbered in the order of their first rows, so that they do
 * not depend on anything else. A row without coefficients is an island of its own, but for friction, which is in that of
 * its normal. Cost: linear in the coefficients.
 */
#include "solver/row_islands.h"

#include "base/union_find.h"

/* Sets 0 ... nu - 1 are columns, nu ... nu + n - 1 rows. */
static void join_all(const RgProblem *p, int32_t *parent)
{
    for (int32_t k = 0; k < p->nu + p->n; k++)
        parent[k] = k;
    for (int i = 0; i < p->n; i++) {
        int32_t own = p->nu + i;
        int begin = p->start[i], end = p->start[i + 1];
        /* Columns next to each other in the same set already: most rows have those of the row before. */
        for (int e = begin; e < end; e++)
            if (parent[p->columns[e]] != parent[p->columns[begin]])
                rg_set_join(parent, p->columns[begin], p->columns[e]);
        if (begin < end)
            rg_set_join(parent, p->columns[begin], own);
        if (p->row_class[i] == RG_ROW_FRICTION)
            rg_set_join(parent, own, p->nu + p->normal[i]);
    }
}

bool rg_row_islands_find(RgArena *arena, const RgProblem *p, RgRowIslands *out)
{
    int32_t *parent = RG_TAKE_RAW(arena, int32_t, p->nu + p->n),
            *number = RG_TAKE_RAW(arena, int32_t, p->nu + p->n);
    out->first = RG_TAKE(arena, int, p->n + 2);
    out->rows = RG_TAKE_RAW(arena, int, p->n);
    out->count = 0;
    if (arena->failed)
        return false;
    join_all(p, parent);
    for (int k = 0; k < p->nu + p->n; k++)
        number[k] = -1;
    /* Sizes, two places further on, become beginnings, then ends. */
    for (int i = 0; i < p->n; i++) {
        int32_t root = rg_set_root(parent, p->nu + i);
        if (number[root] < 0)
            number[root] = out->count++;
        number[p->nu + i] = number[root];
        out->first[number[root] + 2]++;
    }
    for (int k = 2; k <= out->count; k++)
        out->first[k] += out->first[k - 1];
    for (int i = 0; i < p->n; i++)
        out->rows[out->first[number[p->nu + i] + 1]++] = i;
    return true;
}
