/*
 * row_islands.c - islands: rows that share a column or a normal, directly or through other rows.
 *
 * Columns are joined row by row (union_find.h). Islands are numbered by their first rows, so the numbering depends on
 * the rows only. A row without coefficients is its own island, except friction, which belongs to the island of its
 * normal. Cost: linear in the coefficients.
 */
#include "solver/row_islands.h"

#include "base/union_find.h"

#include <stdlib.h>

#define BLOCK_SIZE 6 /* unknowns of a block */

/* Sets 0 ... nu - 1 are columns, nu ... nu + n - 1 rows. */
static void join_rows(const RgProblem *p, int32_t *parent)
{
    for (int32_t k = 0; k < p->nu + p->n; k++)
        parent[k] = k;
    for (int i = 0; i < p->n; i++) {
        int32_t own = p->nu + i;
        int begin = p->start[i], end = p->start[i + 1];
        /* Skip columns already in the set of the first one: most rows have the same columns as the previous row. */
        for (int e = begin; e < end; e++)
            if (parent[p->columns[e]] != parent[p->columns[begin]])
                rg_set_union(parent, p->columns[begin], p->columns[e]);
        if (begin < end)
            rg_set_union(parent, p->columns[begin], own);
        if (p->row_class[i] == RG_ROW_FRICTION)
            rg_set_union(parent, own, p->nu + p->normal[i]);
    }
}

bool rg_row_islands_find(RgArena *arena, const RgProblem *p, RgRowIslands *out)
{
    int32_t *parent = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nu + p->n),
            *number = RG_ARENA_ALLOC_RAW(arena, int32_t, p->nu + p->n);
    out->first = RG_ARENA_ALLOC(arena, int, p->n + 2);
    out->rows = RG_ARENA_ALLOC_RAW(arena, int, p->n);
    if (arena->failed)
        return false;
    join_rows(p, parent);
    out->count = rg_set_list(parent, p->nu, p->n, number, out->first, out->rows);
    return true;
}

/* ------------------------------------------------------------------ extraction of one island */

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Block that contains unknown k; -1: none. */
static int block_of(const RgProblem *p, int k)
{
    int low = 0, high = p->nblocks - 1;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (p->block[middle] + BLOCK_SIZE <= k)
            low = middle + 1;
        else if (p->block[middle] > k)
            high = middle - 1;
        else
            return middle;
    }
    return -1;
}

/* Collects the unknowns of the rows, ascending, and their numbers in local. Returns how many; room for them is given by
   the caller. */
static int collect_unknowns(const RgProblem *p, const int *rows, int n, int *local, int *unknowns)
{
    int count = 0;
    for (int r = 0; r < n; r++)
        for (int e = p->start[rows[r]]; e < p->start[rows[r] + 1]; e++) {
            int k = p->columns[e];
            if (local[k] >= 0)
                continue;
            int block = block_of(p, k), first = block >= 0 ? p->block[block] : k;
            for (int j = first; j < first + (block >= 0 ? BLOCK_SIZE : 1); j++) {
                local[j] = 0;
                unknowns[count++] = j;
            }
        }
    qsort(unknowns, (size_t)count, sizeof *unknowns, compare);
    for (int k = 0; k < count; k++)
        local[unknowns[k]] = k;
    return count;
}

static void copy_row(const RgProblem *p, int i, const int *local, RgProblem *q)
{
    int to = q->n++, at = q->start[to];
    for (int e = p->start[i]; e < p->start[i + 1]; e++, at++) {
        q->columns[at] = local[p->columns[e]];
        q->values[at] = p->values[e];
    }
    q->start[to + 1] = at;
    q->target[to] = p->target[i];
    q->compliance[to] = p->compliance[i];
    q->low[to] = p->low[i];
    q->high[to] = p->high[i];
    q->normal[to] = p->normal[i] >= 0 ? to - (i - p->normal[i]) : -1; /* friction rows follow their normal directly */
    q->row_class[to] = p->row_class[i];
    q->cone[to] = p->cone[i];
    q->asks[to] = p->asks != NULL && p->asks[i];
    q->z[to] = p->z[i];
}

bool rg_row_island_extract(RgArena *arena, const RgProblem *p, const RgRowIslands *islands, int number, int *local,
                           RgRowIsland *out)
{
    const int *rows = islands->rows + islands->first[number];
    int n = islands->first[number + 1] - islands->first[number], entries = 0;
    for (int r = 0; r < n; r++)
        entries += p->start[rows[r] + 1] - p->start[rows[r]];
    int room = BLOCK_SIZE * entries < p->nu ? BLOCK_SIZE * entries : p->nu;
    *out = (RgRowIsland){.rows = rows, .unknowns = RG_ARENA_ALLOC_RAW(arena, int, room)};
    if (arena->failed)
        return false;
    RgProblem *q = &out->problem;
    *q = (RgProblem){
        .thread_pool = p->thread_pool, .nu = collect_unknowns(p, rows, n, local, out->unknowns), .skip_residual = true};
    int *block = RG_ARENA_ALLOC_RAW(arena, int, q->nu / BLOCK_SIZE + 1);
    q->asks = RG_ARENA_ALLOC(arena, bool, n);
    bool all = rg_problem_alloc(arena, q, n, (size_t)entries);
    if (all) {
        q->start[0] = 0;
        for (int r = 0; r < n; r++)
            copy_row(p, rows[r], local, q);
        for (int k = 0; k < q->nu; k++) {
            int in = block_of(p, out->unknowns[k]);
            q->s[k] = p->s[out->unknowns[k]];
            if (in >= 0 && p->block[in] == out->unknowns[k])
                block[q->nblocks++] = k;
        }
        q->block = block;
    }
    for (int k = 0; k < q->nu; k++)
        local[out->unknowns[k]] = -1;
    return all;
}

void rg_row_island_scatter(const RgRowIsland *island, RgProblem *whole)
{
    for (int r = 0; r < island->problem.n; r++)
        whole->z[island->rows[r]] = island->problem.z[r];
    for (int k = 0; k < island->problem.nu; k++)
        whole->s[island->unknowns[k]] = island->problem.s[k];
}
