/*
 * solver_direct.c - direct solver for bilateral rows: A = J M^-1 J' + C assembled sparse, factored L D L' without
 * pivoting, one step of iterative refinement.
 *
 * Rows that depend on earlier ones (a planar four-bar closed by a hinge in space has three) leave a pivot that is
 * round-off of the diagonal. They are dropped with force zero; if the motion is consistent their equation holds anyway.
 * The remaining matrix is positive definite. One step of iterative refinement with the same factor reduces the residual
 * to round-off of A z.
 *
 * A row without coefficients and without compliance is dropped in the same way.
 *
 * The pattern of A (rows that share a column, or all pairs where M^-1 is full) is analysed when it changes, usually
 * once. Cost: the fill of L; O(bodies) for chains and trees in the order leaves to root.
 */
#include "math/sparse_ldl.h"
#include "solver/problem.h"

#include <math.h>
#include <string.h>

/* Part of the diagonal: a row with a smaller pivot is linearly dependent. Round-off of the sums is about 1e-14. */
#define DEPENDENT_PIVOT 1e-10

/* Part of the diagonal, or of `alone`: a row with a smaller pivot is nearly dependent. */
#define WEAK_PIVOT 1e-4

struct RgDirect {
    RgArena pattern_arena; /* memory of the pattern, kept while the pattern does not change */
    RgSparseLdl ldl;
    int n, nu;
    bool analysed, dense;
    int *start, *columns;     /* pattern of J at the last analysis */
    int *a_start, *a_columns; /* lower triangle of A */
    double *a_values;
    double *scatter, *r, *x;                     /* nu, n, n */
    int *column_head, *column_next, *column_row; /* linked lists of rows by column of J */
    int *mark;
};

RgDirect *rg_direct_alloc(RgArena *arena, int room, int entries, int nu)
{
    RgDirect *d = RG_ARENA_ALLOC(arena, RgDirect, 1);
    if (d == NULL)
        return NULL;
    rg_arena_init(&d->pattern_arena, &arena->allocator);
    d->start = RG_ARENA_ALLOC(arena, int, room + 1);
    d->columns = RG_ARENA_ALLOC(arena, int, entries);
    d->column_head = RG_ARENA_ALLOC(arena, int, nu);
    d->column_next = RG_ARENA_ALLOC(arena, int, entries);
    d->column_row = RG_ARENA_ALLOC(arena, int, entries);
    d->mark = RG_ARENA_ALLOC(arena, int, room);
    d->scatter = RG_ARENA_ALLOC(arena, double, nu);
    d->r = RG_ARENA_ALLOC(arena, double, room);
    d->x = RG_ARENA_ALLOC(arena, double, room);
    return arena->failed ? NULL : d;
}

void rg_direct_free(RgDirect *d)
{
    if (d != NULL)
        rg_arena_free(&d->pattern_arena);
}

static bool same_pattern(const RgDirect *d, const RgBilateral *p)
{
    if (!d->analysed || d->n != p->n || d->dense == p->diagonal_mass)
        return false;
    if (d->dense)
        return true;
    return memcmp(d->start, p->start, (size_t)(p->n + 1) * sizeof *p->start) == 0 &&
           memcmp(d->columns, p->columns, (size_t)p->start[p->n] * sizeof *p->columns) == 0;
}

/* Marks the rows j <= i that share a column with row i by i + 1. Returns how many. */
static int mark_neighbours(RgDirect *d, const RgBilateral *p, int i)
{
    int count = 0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        for (int at = d->column_head[p->columns[e]]; at >= 0; at = d->column_next[at]) {
            int j = d->column_row[at];
            if (j <= i && d->mark[j] != i + 1) {
                d->mark[j] = i + 1;
                count++;
            }
        }
    if (d->mark[i] != i + 1) { /* a row without coefficients still has its diagonal */
        d->mark[i] = i + 1;
        count++;
    }
    return count;
}

/* Builds the lists of rows by column of J. */
static void list_columns(RgDirect *d, const RgBilateral *p)
{
    memset(d->column_head, -1, (size_t)p->nu * sizeof *d->column_head);
    memset(d->mark, 0, (size_t)p->n * sizeof *d->mark);
    for (int i = 0; i < p->n; i++)
        for (int e = p->start[i]; e < p->start[i + 1]; e++) {
            d->column_row[e] = i;
            d->column_next[e] = d->column_head[p->columns[e]];
            d->column_head[p->columns[e]] = e;
        }
}

static RgStatus analyse(RgDirect *d, const RgBilateral *p)
{
    d->analysed = false;
    rg_arena_reset(&d->pattern_arena);
    d->n = p->n;
    d->nu = p->nu;
    d->dense = !p->diagonal_mass;
    memcpy(d->start, p->start, (size_t)(p->n + 1) * sizeof *p->start);
    memcpy(d->columns, p->columns, (size_t)p->start[p->n] * sizeof *p->columns);

    /* Count, then fill. */
    d->a_start = RG_ARENA_ALLOC(&d->pattern_arena, int, p->n + 1);
    if (d->a_start == NULL)
        return RG_ERR_MEMORY;
    list_columns(d, p);
    for (int i = 0; i < p->n; i++)
        d->a_start[i + 1] = d->a_start[i] + (d->dense ? i + 1 : mark_neighbours(d, p, i));
    d->a_columns = RG_ARENA_ALLOC(&d->pattern_arena, int, d->a_start[p->n]);
    d->a_values = RG_ARENA_ALLOC(&d->pattern_arena, double, d->a_start[p->n]);
    if (d->pattern_arena.failed)
        return RG_ERR_MEMORY;
    memset(d->mark, 0, (size_t)p->n * sizeof *d->mark);
    for (int i = 0; i < p->n; i++) {
        int at = d->a_start[i];
        if (!d->dense)
            mark_neighbours(d, p, i);
        for (int j = 0; j <= i; j++)
            if (d->dense || d->mark[j] == i + 1)
                d->a_columns[at++] = j;
    }
    RgStatus status = rg_sparse_ldl_analyse(&d->pattern_arena, p->n, d->a_start, d->a_columns, &d->ldl);
    d->analysed = status == RG_OK;
    return status;
}

/* A_ij = J_j . Y_i + C_i on the pattern. */
static void assemble(RgDirect *d, const RgBilateral *p)
{
    for (int i = 0; i < p->n; i++) {
        const double *y = d->scatter;
        if (p->diagonal_mass)
            for (int e = p->start[i]; e < p->start[i + 1]; e++)
                d->scatter[p->columns[e]] = p->Y[e];
        else
            y = p->Y + (size_t)i * (size_t)p->nu;
        for (int at = d->a_start[i]; at < d->a_start[i + 1]; at++) {
            int j = d->a_columns[at];
            double sum = j == i ? p->compliance[i] : 0.0;
            for (int e = p->start[j]; e < p->start[j + 1]; e++)
                sum += p->values[e] * y[p->columns[e]];
            d->a_values[at] = sum;
        }
        if (p->diagonal_mass)
            for (int e = p->start[i]; e < p->start[i + 1]; e++)
                d->scatter[p->columns[e]] = 0.0;
    }
}

/* r = rhs - A z, zero for dependent rows. Returns the largest |r_i|. */
static double residual(RgDirect *d, const RgBilateral *p, const double *rhs, const double *z, double *r)
{
    memcpy(r, rhs, (size_t)p->n * sizeof *r);
    for (int i = 0; i < p->n; i++)
        for (int at = d->a_start[i]; at < d->a_start[i + 1]; at++) {
            int j = d->a_columns[at];
            r[i] -= d->a_values[at] * z[j];
            if (j != i)
                r[j] -= d->a_values[at] * z[i];
        }
    double largest = 0.0;
    for (int i = 0; i < p->n; i++) {
        if (rg_sparse_ldl_dependent(&d->ldl, i))
            r[i] = 0.0;
        largest = fabs(r[i]) > largest ? fabs(r[i]) : largest;
    }
    return largest;
}

void rg_direct_solve_again(RgDirect *d, const RgBilateral *p, double *x)
{
    /* Solve, then one step of refinement. */
    size_t bytes = (size_t)p->n * sizeof *x;
    memcpy(d->x, x, bytes);
    rg_sparse_ldl_solve(&d->ldl, x);
    residual(d, p, d->x, x, d->r);
    rg_sparse_ldl_solve(&d->ldl, d->r);
    for (int i = 0; i < p->n; i++)
        x[i] += d->r[i];
}

RgStatus rg_direct_solve(RgDirect *d, RgBilateral *p)
{
    if (!same_pattern(d, p)) {
        RgStatus status = analyse(d, p);
        if (status != RG_OK)
            return status;
    }
    assemble(d, p);
    p->redundant = rg_sparse_ldl_factor(&d->ldl, d->a_values, DEPENDENT_PIVOT);
    memcpy(p->z, p->rhs, (size_t)p->n * sizeof *p->z);
    rg_direct_solve_again(d, p, p->z);
    p->residual = residual(d, p, p->rhs, p->z, d->r);
    return RG_OK;
}

bool rg_direct_has_weak_rows(RgDirect *d, const RgBilateral *p)
{
    for (int i = 0; i < p->n; i++)
        d->r[i] = p->compliance[i] > 0.0 ? 0.0 : WEAK_PIVOT * fmax(d->a_values[d->a_start[i + 1] - 1], p->alone[i]);
    return rg_sparse_ldl_weak(&d->ldl, d->r) > 0;
}

void rg_direct_solve_strong(RgDirect *d, const RgBilateral *p, double *x)
{
    if (rg_direct_has_weak_rows(d, p))
        rg_sparse_ldl_solve_strong(&d->ldl, d->r, x);
    else
        rg_sparse_ldl_solve(&d->ldl, x);
}
