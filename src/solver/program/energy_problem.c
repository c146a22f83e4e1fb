/*
 * energy_problem.c - rows without bounds eliminated, the others as a dense problem of least energy
 * (energy_problem.h).
 *
 * Rows without bounds are eliminated by rg_dense_lcp_reduce: those that depend on others are given no impulse, and hold
 * where the others do. Cost: n^2 times the columns of a row, nb^3 / 3 + nb^2 n + nb n^2.
 */
#include "solver/program/energy_problem.h"

#include "solver/cone_projection.h"

#include <math.h>
#include <string.h>

/* Rows that can have no impulse are left out: friction without a coefficient. */
static bool without_impulse(const RgProblem *p, int i)
{
    if (p->row_class[i] == RG_ROW_FRICTION)
        return !(p->high[i] > 0.0);
    return p->row_class[i] != RG_ROW_BILATERAL && p->low[i] == 0.0 && p->high[i] == 0.0;
}

bool rg_energy_pushes(const RgEnergyProblem *e, int i)
{
    return e->normal[i] < 0 && (e->low[i] == -INFINITY) != (e->high[i] == INFINITY);
}

/* Numbers that are none stay. */
static double larger(double a, double b)
{
    return b <= a ? a : b;
}

/* By how much row i misses what it asks for without impulses; a gap that stays open asks for nothing, however wide. */
static double missed(const RgEnergyProblem *e, int i)
{
    double miss = e->high[i] == INFINITY ? -e->q[i] : e->q[i];
    return rg_energy_pushes(e, i) && miss < 0.0 ? 0.0 : fabs(miss);
}

/* Rows that can have an impulse. */
static int *list_rows(RgArena *arena, const RgProblem *p, const int *rows, int *count)
{
    int *list = RG_TAKE_RAW(arena, int, *count), kept = 0;
    for (int k = 0; k < *count && list != NULL; k++) {
        int i = rows == NULL ? k : rows[k];
        if (!without_impulse(p, i))
            list[kept++] = i;
    }
    *count = kept;
    return list;
}

bool rg_energy_problem_make(RgArena *arena, const RgProblem *p, const int *rows, int count, RgEnergyProblem *e)
{
    *e = (RgEnergyProblem){.list = list_rows(arena, p, rows, &count)};
    if (arena->failed || !rg_dense_lcp_of_rows(arena, p, e->list, count, &e->W) ||
        !rg_dense_lcp_reduce(arena, &e->W, &e->reduced))
        return false;
    e->n = e->reduced.nb;
    e->A = e->reduced.S;
    e->q = e->reduced.p;
    e->row = RG_TAKE_RAW(arena, int, e->n);
    e->normal = RG_TAKE_RAW(arena, int, e->n);
    e->owner = RG_TAKE_RAW(arena, int, e->n);
    double **const parts[] = {&e->slope, &e->low, &e->high};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        *parts[k] = RG_TAKE_RAW(arena, double, e->n);
    if (arena->failed)
        return false;
    double largest = 0.0;
    for (int i = 0, last = -1; i < e->n; i++) {
        int row = e->row[i] = e->list[e->reduced.row[i]], normal = e->W.normal[e->reduced.row[i]];
        e->normal[i] = normal >= 0 ? e->reduced.place[normal] : -1;
        last = p->row_class[row] == RG_ROW_NORMAL ? i : last; /* friction follows its normal */
        e->owner[i] = last >= 0 && p->normal[row] == e->row[last] ? last : -1;
        e->low[i] = p->low[row];
        e->high[i] = p->high[row];
        e->slope[i] = e->q[i] + (rg_energy_pushes(e, i) ? p->target[row] : 0.0);
        e->velocity = larger(e->velocity, larger(missed(e, i), fabs(e->slope[i])));
        largest = larger(largest, e->A[(size_t)i * ((size_t)e->n + 1)]);
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

double rg_energy_of(const RgEnergyProblem *e, const double *z)
{
    double sum = 0.0;
    for (int i = 0; i < e->n; i++)
        sum += z[i] * (0.5 * (rg_energy_velocity(e, i, z) - e->q[i]) + e->slope[i]);
    return sum;
}

/* Round-off outside the bounds is taken away; friction follows its normal, which is within already. */
static void within_bounds(const RgEnergyProblem *e, bool circles, RgProblem *p)
{
    for (int k = 0; k < e->n; k++) {
        int i = e->row[k];
        if (p->cone[i] && circles)
            pair_project(p, i, row_normal(p, i), &p->z[i], &p->z[i + 1]);
        p->z[i] = row_project(p, i, row_normal(p, i), p->z[i]);
    }
}

void rg_energy_problem_give(const RgEnergyProblem *e, const double *z, bool circles, RgProblem *p)
{
    RgDenseLcp W = e->W;
    for (int i = 0; i < e->n; i++)
        p->z[e->row[i]] = z[i];
    within_bounds(e, circles, p);
    for (int i = 0; i < W.n; i++)
        W.z[i] = e->reduced.place[i] >= 0 ? p->z[e->list[i]] : 0.0;
    rg_dense_lcp_meet_equalities(&e->reduced, &W);
    for (int i = 0; i < W.n; i++)
        p->z[e->list[i]] = W.z[i];
}
