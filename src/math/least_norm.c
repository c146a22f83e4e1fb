/*
 * least_norm.c - min |s|^2 with equations and inequalities, in the space of their multipliers.
 *
 *   s = J' z,   G = J J':     (G z)_i = wanted_i, z_i free           (equal)
 *                             (G z)_i >= wanted_i, z_i >= 0, one of the two with equality
 *
 * 1. Equations: those that do not depend on others, by Cholesky with pivoting (the row that is farthest from all chosen
 *    comes next), until what is left of every row is below DEPENDENT. Then G z = wanted over these.
 * 2. Inequalities: the dual active-set method of Goldfarb and Idnani (1983). The row that is missed most is approached
 *    along
 *         z_j grows by t,   z_active falls by t d,   d = G_active^-1 G_active,j
 *    until it is met (it becomes active) or a multiplier of another inequality is zero (that one is left). Where the
 *    row depends on the active ones the step changes no s; if no multiplier stops it there is no solution with this
 *    row, and it is given up.
 *
 * Every step makes |s| longer, so no active set comes twice: it ends. Bounded by STEPS_A_ROW all the same.
 * Cost: n^2 times the rank, and the rank squared for each change of the active set.
 * Failure cases: contradicting rows (told); equations that contradict are met as far as the chosen ones go.
 */
#include "math/least_norm.h"

#include <math.h>
#include <string.h>

/* Square of the sine of the angle between a row and all others below which it depends on them: far above the round-off
   of G, so that what little rows contradict each other is not made 1e5 times larger. */
#define DEPENDENT 1e-10

/* Of the largest wanted: less than this is not missed. */
#define MET 1e-12

#define STEPS_A_ROW 20

void rg_least_norm_place(RgLeastNorm *p, int n, double *doubles, int *ints, bool *bools)
{
    size_t square = (size_t)n * (size_t)n, count = (size_t)n;
    *p = (RgLeastNorm){.n = n, .active = ints, .equal = bools, .given_up = bools + n};
    p->G = doubles;
    p->L = p->G + square;
    p->wanted = p->L + square;
    p->z = p->wanted + count;
    p->left = p->z + count;
    p->step = p->left + count;
    rg_grow_ldl_place(&p->ldl, n, p->step + count);
}

static const double *row_of(const RgLeastNorm *p, int i)
{
    return p->G + (size_t)i * (size_t)p->n;
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* ------------------------------------------------------------------ equations */

/* The equation that is left with most; -1: none with enough. */
static int next_pivot(const RgLeastNorm *p)
{
    int best = -1;
    double most = DEPENDENT;
    for (int i = 0; i < p->n; i++)
        if (p->equal[i] && p->left[i] > most) {
            most = p->left[i];
            best = i;
        }
    return best;
}

/* Chooses the independent equations, and makes the factor of them: L D L' from the columns of Cholesky's L. */
static void choose_equations(RgLeastNorm *p)
{
    size_t n = (size_t)p->n;
    int pivot;
    for (int i = 0; i < p->n; i++)
        p->left[i] = 1.0;
    while ((pivot = next_pivot(p)) >= 0) {
        int k = p->nactive;
        double *own = p->L + (size_t)pivot * n, root = sqrt(p->left[pivot]);
        double *to = p->ldl.L + (size_t)k * (size_t)p->ldl.room;
        for (int j = 0; j < k; j++)
            to[j] = own[j] / sqrt(p->ldl.D[j]);
        p->ldl.D[k] = p->left[pivot];
        p->left[pivot] = 0.0;
        for (int i = 0; i < p->n; i++) {
            if (!p->equal[i] || !(p->left[i] > 0.0))
                continue;
            double *row = p->L + (size_t)i * n;
            row[k] = (row_of(p, pivot)[i] - dot(row, own, k)) / root;
            p->left[i] -= row[k] * row[k];
        }
        p->active[p->nactive++] = pivot;
        p->ldl.n = p->nactive;
    }
}

/* Multipliers of the active rows, the others' being zero. */
static void solve_active(RgLeastNorm *p)
{
    for (int k = 0; k < p->nactive; k++)
        p->step[k] = p->wanted[p->active[k]];
    rg_grow_ldl_solve(&p->ldl, p->step);
    memset(p->z, 0, (size_t)p->n * sizeof *p->z);
    for (int k = 0; k < p->nactive; k++)
        p->z[p->active[k]] = p->step[k];
}

/* ------------------------------------------------------------------ inequalities */

/* What row j misses: wanted less J_j s. */
static double shortfall(const RgLeastNorm *p, int j)
{
    return p->wanted[j] - dot(row_of(p, j), p->z, p->n);
}

/* The inequality that is missed most; -1: none. */
static int most_missed(const RgLeastNorm *p, double tolerance)
{
    int best = -1;
    double most = tolerance;
    for (int j = 0; j < p->n; j++) {
        double missed = p->equal[j] || p->given_up[j] || p->z[j] > 0.0 ? 0.0 : shortfall(p, j);
        if (missed > most) {
            most = missed;
            best = j;
        }
    }
    return best;
}

/* d = G_active^-1 G_active,j into step; returns what is left of the row. */
static double direction(RgLeastNorm *p, int j)
{
    double left = row_of(p, j)[j];
    for (int k = 0; k < p->nactive; k++)
        p->step[k] = row_of(p, j)[p->active[k]];
    rg_grow_ldl_solve(&p->ldl, p->step);
    for (int k = 0; k < p->nactive; k++)
        left -= p->step[k] * row_of(p, j)[p->active[k]];
    return left;
}

/* How far z can go along the direction, and which active inequality stops it (-1: none). */
static double way_to_stop(const RgLeastNorm *p, int *stopper)
{
    double way = INFINITY;
    *stopper = -1;
    for (int k = 0; k < p->nactive; k++) {
        int i = p->active[k];
        if (p->equal[i] || !(p->step[k] > 0.0) || p->z[i] / p->step[k] >= way)
            continue;
        way = fmax(0.0, p->z[i] / p->step[k]);
        *stopper = k;
    }
    return way;
}

static void move_along(RgLeastNorm *p, int j, double t)
{
    for (int k = 0; k < p->nactive; k++)
        p->z[p->active[k]] -= t * p->step[k];
    p->z[j] += t;
}

static void leave(RgLeastNorm *p, int k)
{
    p->z[p->active[k]] = 0.0;
    rg_grow_ldl_remove(&p->ldl, k);
    p->nactive--;
    memmove(p->active + k, p->active + k + 1, (size_t)(p->nactive - k) * sizeof *p->active);
}

static bool enter(RgLeastNorm *p, int j)
{
    for (int k = 0; k < p->nactive; k++)
        p->step[k] = row_of(p, j)[p->active[k]];
    if (!rg_grow_ldl_add(&p->ldl, p->step, row_of(p, j)[j], 0.5 * DEPENDENT))
        return false;
    p->active[p->nactive++] = j;
    return true;
}

/* Goes on until row j is met; false: it can not be. */
static bool meet(RgLeastNorm *p, int j)
{
    for (int step = 0; step <= STEPS_A_ROW * p->n; step++) {
        double left = direction(p, j), full = left > DEPENDENT ? shortfall(p, j) / left : INFINITY;
        int stopper;
        double way = way_to_stop(p, &stopper);
        if (full <= way) {
            if (full < INFINITY)
                move_along(p, j, full);
            return full < INFINITY && enter(p, j);
        }
        move_along(p, j, way);
        leave(p, stopper);
    }
    return false;
}

bool rg_least_norm_solve(RgLeastNorm *p)
{
    double largest = 0.0;
    bool all = true;
    for (int i = 0; i < p->n; i++) {
        largest = fmax(largest, fabs(p->wanted[i]));
        p->given_up[i] = false;
    }
    p->nactive = p->ldl.n = 0;
    choose_equations(p);
    solve_active(p);
    for (int step = 0; step <= STEPS_A_ROW * p->n; step++) {
        int j = most_missed(p, MET * largest);
        if (j < 0)
            return all;
        if (meet(p, j))
            continue;
        p->given_up[j] = true;
        all = false;
        solve_active(p);
    }
    return false;
}
