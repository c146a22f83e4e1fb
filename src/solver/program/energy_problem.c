/*
 * energy_problem.c - rows without bounds are eliminated; the others form a dense problem of minimum energy
 * (energy_problem.h).
 *
 * rg_dense_lcp_reduce eliminates the rows without bounds. Those that depend on others get no impulse; they are
 * satisfied if the others are. Cost: n^2 times the columns of a row, nb^3 / 3 + nb^2 n + nb n^2.
 */
#include "solver/program/energy_problem.h"

#include "solver/cone_projection.h"

#include <math.h>
#include <string.h>

/* Rows without impulse are left out: bounds 0, or friction with coefficient 0. */
static bool has_no_impulse(const RgProblem *p, int i)
{
    if (p->row_class[i] == RG_ROW_FRICTION)
        return !(p->high[i] > 0.0);
    return p->row_class[i] != RG_ROW_BILATERAL && p->low[i] == 0.0 && p->high[i] == 0.0;
}

bool rg_energy_is_unilateral(const RgEnergyProblem *e, int i)
{
    return e->normal[i] < 0 && (e->low[i] == -INFINITY) != (e->high[i] == INFINITY);
}

/* Maximum; NaN is kept. */
static double max_keep_nan(double a, double b)
{
    return b <= a ? a : b;
}

/* Velocity by which row i misses its target without impulses; 0 for an open gap. */
static double missed_velocity(const RgEnergyProblem *e, int i)
{
    double miss = e->high[i] == INFINITY ? -e->q[i] : e->q[i];
    return rg_energy_is_unilateral(e, i) && miss < 0.0 ? 0.0 : fabs(miss);
}

/* Lists the rows that can have an impulse. */
static int *list_rows(RgArena *arena, const RgProblem *p, const int *rows, int *count)
{
    int *list = RG_ARENA_ALLOC_RAW(arena, int, *count), kept = 0;
    for (int k = 0; k < *count && list != NULL; k++) {
        int i = rows == NULL ? k : rows[k];
        if (!has_no_impulse(p, i))
            list[kept++] = i;
    }
    *count = kept;
    return list;
}

bool rg_energy_problem_make(RgArena *arena, const RgProblem *p, const int *rows, int count, RgEnergyProblem *e)
{
    *e = (RgEnergyProblem){.list = list_rows(arena, p, rows, &count)};
    if (arena->failed || !rg_dense_lcp_from_rows(arena, p, e->list, count, &e->W) ||
        !rg_dense_lcp_reduce(arena, &e->W, &e->reduced))
        return false;
    e->n = e->reduced.nb;
    e->A = e->reduced.S;
    e->q = e->reduced.p;
    e->row = RG_ARENA_ALLOC_RAW(arena, int, e->n);
    e->normal = RG_ARENA_ALLOC_RAW(arena, int, e->n);
    e->owner = RG_ARENA_ALLOC_RAW(arena, int, e->n);
    double **const parts[] = {&e->slope, &e->low, &e->high};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        *parts[k] = RG_ARENA_ALLOC_RAW(arena, double, e->n);
    if (arena->failed)
        return false;
    double largest = 0.0;
    for (int i = 0, last = -1; i < e->n; i++) {
        int row = e->row[i] = e->list[e->reduced.row[i]], normal = e->W.normal[e->reduced.row[i]];
        e->normal[i] = normal >= 0 ? e->reduced.place[normal] : -1;
        last = p->row_class[row] == RG_ROW_NORMAL ? i : last; /* friction rows come after their normal */
        e->owner[i] = last >= 0 && p->normal[row] == e->row[last] ? last : -1;
        e->low[i] = p->low[row];
        e->high[i] = p->high[row];
        e->slope[i] = e->q[i] + (rg_energy_is_unilateral(e, i) ? p->target[row] : 0.0);
        e->velocity = max_keep_nan(e->velocity, max_keep_nan(missed_velocity(e, i), fabs(e->slope[i])));
        largest = max_keep_nan(largest, e->A[(size_t)i * ((size_t)e->n + 1)]);
    }
    e->velocity = e->velocity == 0.0 ? 1.0 : e->velocity;
    e->impulse = largest == 0.0 ? 1.0 : e->velocity / largest;
    return true;
}

double rg_energy_velocity(const RgEnergyProblem *e, int i, const double *z)
{
    double sum = 0.0;
    const double *row = e->A + (size_t)i * (size_t)e->n;
    for (int j = 0; j < e->n; j++)
        sum += row[j] * z[j];
    return sum + e->q[i];
}

double rg_energy_value(const RgEnergyProblem *e, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < e->n; i++)
        sum += z[i] * (0.5 * (rg_energy_velocity(e, i, z) - e->q[i]) + e->slope[i]);
    return sum;
}

/* Removes round-off outside of the bounds; the normal of a friction row is projected before it. */
static void project_onto_bounds(const RgEnergyProblem *e, bool circles, RgProblem *p)
{
    for (int k = 0; k < e->n; k++) {
        int i = e->row[k];
        if (p->cone[i] && circles)
            pair_project(p, i, row_normal(p, i), &p->z[i], &p->z[i + 1]);
        p->z[i] = row_project(p, i, row_normal(p, i), p->z[i]);
    }
}

void rg_energy_problem_scatter(const RgEnergyProblem *e, const double *z, bool circles, RgProblem *p)
{
    RgDenseLcp W = e->W;
    for (int i = 0; i < e->n; i++)
        p->z[e->row[i]] = z[i];
    project_onto_bounds(e, circles, p);
    for (int i = 0; i < W.n; i++)
        W.z[i] = e->reduced.place[i] >= 0 ? p->z[e->list[i]] : 0.0;
    rg_dense_lcp_solve_equalities(&e->reduced, &W);
    for (int i = 0; i < W.n; i++)
        p->z[e->list[i]] = W.z[i];
}
