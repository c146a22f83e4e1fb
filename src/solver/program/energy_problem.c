/*
 * energy_problem.c - rows without bounds eliminated, the others as a dense problem of least energy
 * (energy_problem.h).
 *
 * W_bb = L L' with the largest pivot first. Rows whose pivot is below 1e-10 of their diagonal depend on others: they are
 * given no impulse, and hold where the others do. Cost: n^2 times the columns of a row, nb^3 / 3 + nb^2 n + nb n^2.
 */
#include "solver/program/energy_problem.h"

#include "solver/cone_projection.h"
#include "solver/pivot/dense_lcp.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-10 /* of the diagonal */

typedef struct Factor {
    int n, rank;
    int *order;
    double *L; /* n x n by rows, lower */
} Factor;

static bool without_bounds(const RgProblem *p, int i)
{
    return p->row_class[i] == RG_ROW_BILATERAL ||
           (p->row_class[i] == RG_ROW_BOUNDED && p->low[i] == -INFINITY && p->high[i] == INFINITY);
}

/* Rows that can have no impulse are left out: friction without a coefficient. */
static bool without_impulse(const RgProblem *p, int i)
{
    return (p->row_class[i] == RG_ROW_FRICTION && !(p->high[i] > 0.0)) ||
           (p->row_class[i] != RG_ROW_FRICTION && p->low[i] == 0.0 && p->high[i] == 0.0);
}

static void swap_ints(int *a, int *b)
{
    int keep = *a;
    *a = *b;
    *b = keep;
}

/* Rows order[0...rank) of M = L L'; column k of L is made from the columns before it. */
static void factor(const RgDenseLcp *W, const int *rows, Factor *f, double *left)
{
    size_t n = (size_t)f->n, stride = (size_t)W->n;
    for (int i = 0; i < f->n; i++) {
        f->order[i] = i;
        left[i] = W->M[(size_t)rows[i] * stride + (size_t)rows[i]];
    }
    for (int k = 0; k < f->n; k++) {
        int best = k;
        for (int i = k + 1; i < f->n; i++)
            best = left[f->order[i]] > left[f->order[best]] ? i : best;
        swap_ints(&f->order[k], &f->order[best]);
        int row = f->order[k];
        if (!(left[row] > DEPENDENT * W->M[(size_t)rows[row] * stride + (size_t)rows[row]]))
            break;
        f->rank = k + 1;
        double *own = f->L + (size_t)row * n, pivot = sqrt(left[row]);
        own[k] = pivot;
        for (int i = k + 1; i < f->n; i++) {
            double *other = f->L + (size_t)f->order[i] * n;
            double sum = W->M[(size_t)rows[f->order[i]] * stride + (size_t)rows[row]];
            for (int e = 0; e < k; e++)
                sum -= other[e] * own[e];
            other[k] = sum / pivot;
            left[f->order[i]] -= other[k] * other[k];
        }
    }
}

/* x of M x = b over the rows that count, others 0; b and x by row numbers, in place. */
static void solve(const Factor *f, double *x, double *work)
{
    size_t n = (size_t)f->n;
    for (int k = 0; k < f->rank; k++) {
        const double *own = f->L + (size_t)f->order[k] * n;
        double sum = x[f->order[k]];
        for (int e = 0; e < k; e++)
            sum -= own[e] * work[e];
        work[k] = sum / own[k];
    }
    for (int k = f->rank - 1; k >= 0; k--) {
        double sum = work[k];
        for (int i = k + 1; i < f->rank; i++)
            sum -= f->L[(size_t)f->order[i] * n + (size_t)k] * work[i];
        work[k] = sum / f->L[(size_t)f->order[k] * n + (size_t)k];
    }
    memset(x, 0, n * sizeof *x);
    for (int k = 0; k < f->rank; k++)
        x[f->order[k]] = work[k];
}

/* Which rows are eliminated, which are left; inner numbers are those among the rows given. */
static bool sort_rows(RgArena *arena, const RgProblem *p, const int *rows, int count, RgEnergyProblem *e)
{
    e->row = RG_TAKE_RAW(arena, int, count);
    e->inner = RG_TAKE_RAW(arena, int, count);
    e->bilateral = RG_TAKE_RAW(arena, int, count);
    e->inner_bilateral = RG_TAKE_RAW(arena, int, count);
    e->normal = RG_TAKE_RAW(arena, int, count);
    int last = -1; /* the normal that friction follows */
    if (arena->failed)
        return false;
    for (int k = 0; k < count; k++) {
        int i = rows == NULL ? k : rows[k];
        if (without_bounds(p, i)) {
            e->inner_bilateral[e->nb] = k;
            e->bilateral[e->nb++] = i;
        } else if (!without_impulse(p, i)) {
            last = p->row_class[i] == RG_ROW_NORMAL ? e->n : last;
            e->normal[e->n] = p->row_class[i] == RG_ROW_FRICTION ? last : -1;
            e->inner[e->n] = k;
            e->row[e->n++] = i;
        }
    }
    return true;
}

/* Y = (W_bb)^+ W_bu column by column, y = (W_bb)^+ q_b. */
static bool eliminate(RgArena *arena, const RgDenseLcp *W, RgEnergyProblem *e)
{
    size_t n = (size_t)e->n, nb = (size_t)e->nb, stride = (size_t)W->n;
    Factor f = {.n = e->nb, .order = RG_TAKE_RAW(arena, int, nb), .L = RG_TAKE(arena, double, nb *nb)};
    double *work = RG_TAKE(arena, double, nb), *x = RG_TAKE(arena, double, nb);
    if (arena->failed)
        return false;
    factor(W, e->inner_bilateral, &f, work);
    e->dependent = f.n - f.rank;
    for (size_t j = 0; j <= n; j++) {
        for (size_t b = 0; b < nb; b++)
            x[b] = j < n ? W->M[(size_t)e->inner_bilateral[b] * stride + (size_t)e->inner[j]]
                         : W->q[e->inner_bilateral[b]];
        solve(&f, x, work);
        for (size_t b = 0; b < nb; b++)
            *(j < n ? &e->Y[b * n + j] : &e->y[b]) = x[b];
    }
    return true;
}

/* A and q of the rows that are left. */
static void reduce(const RgDenseLcp *W, RgEnergyProblem *e)
{
    size_t n = (size_t)e->n, nb = (size_t)e->nb, stride = (size_t)W->n;
    for (size_t i = 0; i < n; i++) {
        const double *from = W->M + (size_t)e->inner[i] * stride;
        double *to = e->A + i * n;
        e->q[i] = W->q[e->inner[i]];
        for (size_t j = i; j < n; j++)
            to[j] = from[e->inner[j]];
        for (size_t b = 0; b < nb; b++) {
            double f = from[e->inner_bilateral[b]];
            for (size_t j = i; j < n && f != 0.0; j++)
                to[j] -= f * e->Y[b * n + j];
            e->q[i] -= f * e->y[b];
        }
        for (size_t j = i + 1; j < n; j++)
            e->A[j * n + i] = to[j];
    }
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

bool rg_energy_problem_make(RgArena *arena, const RgProblem *p, const int *rows, int count,
                            RgEnergyProblem *e)
{
    *e = (RgEnergyProblem){0};
    RgDenseLcp W;
    if (!sort_rows(arena, p, rows, count, e) || !rg_dense_lcp_of_rows(arena, p, rows, count, &W))
        return false;
    size_t n = (size_t)e->n, nb = (size_t)e->nb;
    double **const parts[] = {&e->q, &e->slope, &e->low, &e->high};
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        *parts[k] = RG_TAKE(arena, double, n);
    e->A = RG_TAKE(arena, double, n *n);
    e->Y = RG_TAKE(arena, double, nb *n);
    e->y = RG_TAKE(arena, double, nb);
    if (arena->failed || !eliminate(arena, &W, e))
        return false;
    reduce(&W, e);
    double largest = 0.0;
    for (int i = 0; i < e->n; i++) {
        int row = e->row[i];
        e->low[i] = p->low[row];
        e->high[i] = p->high[row];
        e->slope[i] = e->q[i] + (rg_energy_pushes(e, i) ? p->target[row] : 0.0);
        e->velocity = larger(e->velocity, larger(missed(e, i), fabs(e->slope[i])));
        largest = larger(largest, e->A[(size_t)i * n + (size_t)i]);
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
    for (int i = 0; i < e->n; i++)
        p->z[e->row[i]] = z[i];
    within_bounds(e, circles, p);
    for (int b = 0; b < e->nb; b++) {
        double sum = e->y[b];
        for (int j = 0; j < e->n; j++)
            sum += e->Y[(size_t)b * (size_t)e->n + (size_t)j] * p->z[e->row[j]];
        p->z[e->bilateral[b]] = -sum;
    }
}
