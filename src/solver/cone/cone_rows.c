/* cone_rows.c - groups, nodes and the matrix of solver `cone` (cone_rows.h). */
#include "solver/cone/cone_rows.h"

#include <math.h>
#include <string.h>

/* Part of the largest entry of a block below which a pivot counts as zero. */
#define SINGULAR_PIVOT 1e-15

/* ------------------------------------------------------------------ groups */

/* End of the group that begins at row i. The two rows of a cone stay together. Friction rows that do not fit into the
   group of their normal form groups of their own. */
static int32_t group_end(const RgProblem *p, int32_t i)
{
    int32_t end = i + (p->cone[i] ? 2 : 1);
    while (p->row_class[i] == RG_ROW_NORMAL && end < p->n && p->normal[end] == i) {
        int32_t next = end + (p->cone[end] ? 2 : 1);
        if (next - i > RG_CONE_ROWS)
            break;
        end = next;
    }
    return end;
}

/* Whether all rows of a group have the columns of the first. */
static bool have_same_columns(const RgProblem *p, int32_t first, int32_t end)
{
    int count = p->start[first + 1] - p->start[first];
    for (int32_t i = first + 1; i < end; i++)
        if (p->start[i + 1] - p->start[i] != count ||
            memcmp(p->columns + p->start[i], p->columns + p->start[first], (size_t)count * sizeof(int)) != 0)
            return false;
    return true;
}

/* Rows with different columns: merges the columns of all rows, ascending, and expands the rows to them. */
static bool merge_columns(RgArena *arena, const RgProblem *p, RgConeGroup *g)
{
    int32_t end = g->first + g->rows, count = 0, room = p->start[end] - p->start[g->first];
    int *at = RG_ARENA_ALLOC_RAW(arena, int, room);
    double *J = RG_ARENA_ALLOC(arena, double, (size_t)room *(size_t)g->rows);
    if (arena->failed)
        return false;
    for (int e = p->start[g->first]; e < p->start[end]; e++) {
        int32_t k = count;
        while (k > 0 && at[k - 1] > p->columns[e])
            k--;
        if (k > 0 && at[k - 1] == p->columns[e])
            continue;
        memmove(at + k + 1, at + k, (size_t)(count - k) * sizeof *at);
        at[k] = p->columns[e];
        count++;
    }
    for (int32_t i = g->first; i < end; i++)
        for (int e = p->start[i], k = 0; e < p->start[i + 1]; e++) {
            while (at[k] < p->columns[e])
                k++;
            J[(size_t)(i - g->first) * (size_t)count + (size_t)k] = p->values[e];
        }
    g->at = at;
    g->J = J;
    g->columns = count;
    return true;
}

static bool make_groups(RgConeRows *c)
{
    const RgProblem *p = c->p;
    c->group = RG_ARENA_ALLOC_RAW(c->arena, RgConeGroup, p->n);
    if (c->group == NULL)
        return false;
    for (int32_t i = 0; i < p->n;) {
        RgConeGroup *g = &c->group[c->ngroups++];
        int32_t end = group_end(p, i);
        *g = (RgConeGroup){.first = i,
                           .rows = end - i,
                           .columns = p->start[i + 1] - p->start[i],
                           .at = p->columns + p->start[i],
                           .J = p->values + p->start[i]};
        if (!have_same_columns(p, i, end) && !merge_columns(c->arena, p, g))
            return false;
        i = end;
    }
    return true;
}

/* ------------------------------------------------------------------ nodes */

/* Numbers the unknowns that rows have coefficients for: blocks of the problem are nodes, others are grouped by six. */
static bool make_nodes(RgConeRows *c)
{
    const RgProblem *p = c->p;
    c->node_of = RG_ARENA_ALLOC_RAW(c->arena, int32_t, p->nu);
    c->offset_of = RG_ARENA_ALLOC_RAW(c->arena, int32_t, p->nu);
    if (c->arena->failed)
        return false;
    for (int32_t k = 0; k < p->nu; k++)
        c->node_of[k] = -1;
    for (int e = 0; e < p->start[p->n]; e++)
        c->node_of[p->columns[e]] = 0;
    int32_t node = -1, used = RG_CONE_NODE, block = 0;
    for (int32_t k = 0; k < p->nu; k++) {
        while (block < p->nblocks && p->block[block] + RG_CONE_NODE <= k) {
            block++; /* the last body has ended */
            used = RG_CONE_NODE;
        }
        if (block < p->nblocks && p->block[block] == k)
            used = RG_CONE_NODE; /* a body begins */
        if (c->node_of[k] < 0)
            continue;
        if (used == RG_CONE_NODE) {
            node++;
            used = 0;
        }
        c->node_of[k] = node;
        c->offset_of[k] = used++;
    }
    c->nnodes = node + 1;
    return true;
}

static bool make_runs(RgConeRows *c)
{
    int64_t room = 0;
    for (int32_t k = 0; k < c->ngroups; k++)
        room += c->group[k].columns;
    c->run = RG_ARENA_ALLOC_RAW(c->arena, RgConeRun, room);
    if (c->arena->failed)
        return false;
    for (int32_t k = 0; k < c->ngroups; k++) {
        RgConeGroup *g = &c->group[k];
        g->run = c->nruns;
        for (int32_t e = 0; e < g->columns; e++) {
            int32_t node = c->node_of[g->at[e]], offset = c->offset_of[g->at[e]];
            RgConeRun *last = g->runs > 0 ? &c->run[c->nruns - 1] : NULL;
            if (last != NULL && last->node == node && last->offset + last->count == offset) {
                last->count++;
                continue;
            }
            c->run[c->nruns++] = (RgConeRun){node, offset, e, 1};
            g->runs++;
        }
    }
    return true;
}

/* The graph of nodes: two nodes are adjacent if a group has columns in both. */
bool rg_cone_rows_plan(RgConeRows *c)
{
    int32_t n = c->nnodes, pairs = 0;
    if (c->planned)
        return true;
    for (int32_t k = 0; k < c->ngroups; k++)
        pairs += c->group[k].runs * c->group[k].runs;
    int32_t *start = RG_ARENA_ALLOC(c->arena, int32_t, n + 2), *column = RG_ARENA_ALLOC_RAW(c->arena, int32_t, pairs);
    if (c->arena->failed)
        return false;
    for (int32_t k = 0; k < c->ngroups; k++)
        for (int32_t a = 0; a < c->group[k].runs; a++)
            start[c->run[c->group[k].run + a].node + 2] += c->group[k].runs;
    for (int32_t i = 0; i < n; i++)
        start[i + 2] += start[i + 1];
    for (int32_t k = 0; k < c->ngroups; k++) {
        const RgConeRun *run = c->run + c->group[k].run;
        for (int32_t a = 0; a < c->group[k].runs; a++)
            for (int32_t b = 0; b < c->group[k].runs; b++)
                column[start[run[a].node + 1]++] = run[b].node;
    }
    c->step = RG_ARENA_ALLOC_RAW(c->arena, double, RG_CONE_NODE *(size_t)n);
    c->spare = RG_ARENA_ALLOC_RAW(c->arena, double, RG_CONE_NODE *(size_t)n);
    c->lu.size = RG_CONE_NODE;
    c->planned = !c->arena->failed && rg_block_lu_plan(c->arena, &c->lu, n, start, column);
    return c->planned;
}

/* ------------------------------------------------------------------ numbers */

void rg_cone_rows_reset_system(RgConeRows *c, const double *gradient)
{
    rg_block_lu_clear(&c->lu);
    for (int32_t k = 0; k < c->nnodes; k++)
        for (int i = 0; i < RG_CONE_NODE; i++)
            c->lu.diagonal[(ptrdiff_t)RG_CONE_NODE * RG_CONE_NODE * k + (RG_CONE_NODE + 1) * (ptrdiff_t)i] = 1.0;
    memset(c->step, 0, RG_CONE_NODE * (size_t)c->nnodes * sizeof *c->step);
    for (int32_t k = 0; k < c->p->nu; k++)
        if (c->node_of[k] >= 0)
            c->step[RG_CONE_NODE * c->node_of[k] + c->offset_of[k]] = -gradient[k];
}

/* B += weight L' J, over the columns of two nodes. Called with constant counts for whole nodes so that the compiler
   unrolls the loops. */
static inline __attribute__((always_inline)) void add_product(double *B, const RgConeActiveRow *row, const RgConeRun *a,
                                                              const RgConeRun *b, int32_t na, int32_t nb)
{
    const double *L = row->L + a->first, *J = row->J + b->first;
    for (int32_t i = 0; i < na; i++) {
        double x = row->weight * L[i];
        for (int32_t j = 0; j < nb; j++)
            B[RG_CONE_NODE * i + j] += x * J[j];
    }
}

/* Adds all active rows of a group over the columns of two nodes. */
static void add_products(double *B, const RgConeActiveRows *rows, const RgConeRun *a, const RgConeRun *b)
{
    bool whole = a->count == RG_CONE_NODE && b->count == RG_CONE_NODE;
    for (int k = 0; k < rows->count; k++)
        if (whole)
            add_product(B, &rows->row[k], a, b, RG_CONE_NODE, RG_CONE_NODE);
        else
            add_product(B, &rows->row[k], a, b, a->count, b->count);
}

void rg_cone_rows_add_active(RgConeRows *c, const RgConeGroup *g, const RgConeActiveRows *rows)
{
    const RgConeRun *run = c->run + g->run;
    for (int32_t a = 0; a < g->runs; a++)
        for (int32_t b = 0; b < g->runs; b++) {
            double *B = rg_block_lu_at(&c->lu, run[a].node, run[b].node);
            B += (ptrdiff_t)RG_CONE_NODE * run[a].offset + run[b].offset;
            add_products(B, rows, &run[a], &run[b]);
        }
}

bool rg_cone_rows_solve(RgConeRows *c, double *dx, double *du)
{
    if (!rg_block_lu_factor(&c->lu, SINGULAR_PIVOT))
        return false;
    rg_block_lu_solve(&c->lu, c->step, c->spare);
    for (int32_t k = 0; k < RG_CONE_NODE * c->nnodes; k++)
        if (!isfinite(c->step[k]))
            return false;
    for (int32_t k = 0; k < c->p->nu; k++)
        dx[k] = c->node_of[k] >= 0 ? c->step[RG_CONE_NODE * c->node_of[k] + c->offset_of[k]] : 0.0;
    for (int32_t k = 0; k < c->ngroups; k++) {
        const RgConeGroup *g = &c->group[k];
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            du[i] = cone_row_times(g, i, dx);
    }
    return true;
}

void rg_cone_rows_update_velocities(RgConeRows *c)
{
    RgProblem *p = c->p;
    memcpy(p->s, c->s_free, (size_t)p->nu * sizeof *p->s);
    for (int32_t k = 0; k < c->ngroups; k++)
        for (int32_t i = c->group[k].first; i < c->group[k].first + c->group[k].rows; i++)
            cone_apply_impulse(&c->group[k], i, p->z[i], p->s);
}

bool rg_cone_rows_alloc(RgConeRows *c)
{
    const RgProblem *p = c->p;
    if (!make_groups(c) || !make_nodes(c) || !make_runs(c))
        return false;
    c->diagonal = RG_ARENA_ALLOC_RAW(c->arena, double, p->n);
    c->response = RG_ARENA_ALLOC_RAW(c->arena, double, p->n);
    c->s_free = RG_ARENA_ALLOC_RAW(c->arena, double, p->nu);
    if (c->arena->failed)
        return false;
    memcpy(c->s_free, p->s, (size_t)p->nu * sizeof *p->s);
    rg_problem_responses(p, 0, p->n, c->diagonal, c->response);
    for (int32_t k = 0; k < c->ngroups; k++)
        c->widest = c->group[k].columns > c->widest ? c->group[k].columns : c->widest;
    return true;
}

void rg_cone_rows_start(const RgConeRows *c, double a, const double *centre, double *u, double *E)
{
    const RgProblem *p = c->p;
    for (int32_t k = 0; k < c->ngroups; k++) {
        const RgConeGroup *g = &c->group[k];
        for (int32_t i = g->first; i < g->first + g->rows; i++) {
            u[i] = cone_row_times(g, i, p->s) + p->compliance[i] * centre[i] - p->target[i];
            E[i] = p->compliance[i] + a * c->response[i];
        }
        for (int32_t i = g->first; i < g->first + g->rows; i++)
            if (p->cone[i]) /* both rows of a cone get the same E */
                E[i] = E[i + 1] = 0.5 * (E[i] + E[i + 1]);
    }
}
