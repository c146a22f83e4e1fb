/*
 * energy_guard.c - impulses that add energy out of nothing are scaled back, island by island (energy_guard.h).
 *
 * Sweeps may diverge, and an answer of theirs throw bodies away. How much kinetic energy T an answer may add follows
 * from the problem (problem.h). Let z0 be the allowed impulses nearest to 0 (0 but where bounds exclude it), s0 = s* +
 * J'z0, T0 = 1/2 |s0|^2, z = z0 + x, and w0 the w of z0. Then
 *
 *   Q = 1/2 x'(J J' + C) x + x'w0 = (T - T0) - x'target + x'C (z0 + x/2)
 *
 * A solution has x_i w_i <= 0 in every row: w = 0 between bounds, else w points from the bound, or against friction,
 * and z0 lies on the other side of z. With w = w0 + (J J' + C) x this is x'w0 <= -b, b = x'(J J' + C) x, and Q <= -b/2:
 * friction that is not associated and soft rows included. Hence every solution has Q <= 0, and all the more
 *
 *   T <= T0 + sum max(x_i target_i, 0) - x'C (z0 + x/2)
 *
 * no more energy than the targets (motors, restitution, correction of errors) give, less what softness stores and
 * takes. It keeps b/2 away from that bound. Sweeps with fixed bounds make Q smaller from wherever they begin, and come
 * below it soon. An answer above it, by more than ROUND_OFF of T0 and of the targets' work, is refused.
 *
 * In its place comes z0 + f x with the f of least Q, f = -x'w0 / b, which is below 1/2 since Q > 0, or 0. Bounds hold
 * between z0 and z, those of friction too, since they are convex; and Q = -f^2 b / 2 <= 0.
 *
 * Islands are sets of unknowns that rows join: one that diverges changes no other, and no other makes up for it. An
 * impulse or a velocity that is no number makes its island's 0, or z0. Cost: linear in rows and unknowns; no
 * coefficient is read but where bounds exclude 0.
 */
#include "solver/energy_guard.h"

#include "base/union_find.h"

#include <math.h>
#include <string.h>

/* Part of T0 and of the targets' work. A solution keeps away from the bound: it is for velocities that differ from
   s* + J'z by round-off. */
#define ROUND_OFF 1e-8

/* Of an island. */
typedef struct Sums {
    double a, b;  /* x'w0, x'(J J' + C) x: Q = a + b/2 */
    double taken; /* -sum min(x_i target_i, 0): what lies between Q and the bound */
    double scale; /* T0 and the targets' work */
    double f;     /* 1: it is left */
} Sums;

typedef struct Guard {
    RgProblem *p;
    const double *s0; /* nu */
    int32_t *island;  /* nu: the first unknown of the set that each is in */
    Sums *sums;       /* nu: at those */
} Guard;

/* Impulse nearest to 0 within a row's own bounds. */
static double nearest_to_none(const RgProblem *p, int i)
{
    if (p->row_class[i] == RG_ROW_BILATERAL || p->row_class[i] == RG_ROW_FRICTION)
        return 0.0;
    return p->low[i] > 0.0 ? p->low[i] : p->high[i] < 0.0 ? p->high[i] : 0.0;
}

/* Velocities after z0; s_free itself where z0 = 0. NULL: no memory. */
static const double *velocities_of_nearest(RgArena *memory, const RgProblem *p, const double *s_free)
{
    int i = 0;
    while (i < p->n && nearest_to_none(p, i) == 0.0)
        i++;
    if (i == p->n)
        return s_free;
    double *s = RG_TAKE_RAW(memory, double, p->nu);
    if (s == NULL)
        return NULL;
    memcpy(s, s_free, (size_t)p->nu * sizeof *s);
    for (; i < p->n; i++)
        rg_problem_push(p, i, nearest_to_none(p, i), s);
    return s;
}

/* ------------------------------------------------------------------ islands */

/* Whether a row has the columns of the one before: most rows of contacts do. */
static bool same_columns(const RgProblem *p, int i)
{
    int count = p->start[i + 1] - p->start[i];
    return i > 0 && count == p->start[i] - p->start[i - 1] &&
           memcmp(p->columns + p->start[i], p->columns + p->start[i - 1], (size_t)count * sizeof *p->columns) == 0;
}

/* First unknown of a row; -1: it has none. */
static int32_t unknown_of(const RgProblem *p, int i)
{
    return p->start[i] < p->start[i + 1] ? p->columns[p->start[i]] : -1;
}

static void find_islands(const RgProblem *p, int32_t *parent)
{
    for (int32_t k = 0; k < p->nu; k++)
        parent[k] = k;
    for (int i = 0; i < p->n; i++) {
        int end = same_columns(p, i) ? 0 : p->start[i + 1];
        for (int e = p->start[i] + 1; e < end; e++)
            if (parent[p->columns[e]] != parent[p->columns[e - 1]])
                rg_set_join(parent, p->columns[e - 1], p->columns[e]);
        if (p->normal[i] >= 0)
            rg_set_join(parent, unknown_of(p, i), unknown_of(p, p->normal[i]));
    }
    for (int32_t k = 0; k < p->nu; k++)
        parent[k] = rg_set_root(parent, k);
}

/* ------------------------------------------------------------------ energy */

static void sum_up(const Guard *g)
{
    const RgProblem *p = g->p;
    for (int k = 0; k < p->nu; k++)
        g->sums[k] = (Sums){.f = 1.0};
    for (int k = 0; k < p->nu; k++) {
        Sums *sums = &g->sums[g->island[k]];
        double d = p->s[k] - g->s0[k];
        sums->a += d * g->s0[k];
        sums->b += d * d;
        sums->scale += 0.5 * g->s0[k] * g->s0[k];
    }
    for (int i = 0; i < p->n; i++) {
        int32_t at = unknown_of(p, i);
        double z0 = nearest_to_none(p, i), x = p->z[i] - z0;
        if (at < 0 || x == 0.0)
            continue;
        Sums *sums = &g->sums[g->island[at]];
        sums->a += x * (p->compliance[i] * z0 - p->target[i]);
        sums->b += p->compliance[i] * x * x;
        sums->taken += x * p->target[i] < 0.0 ? -x * p->target[i] : 0.0;
        sums->scale += fabs(x * p->target[i]);
    }
}

/* The f of each island that adds energy. */
static void find_factors(const Guard *g, RgGuardReport *report)
{
    for (int k = 0; k < g->p->nu; k++) {
        Sums *sums = &g->sums[k];
        double excess = sums->a + 0.5 * sums->b - sums->taken, f = -sums->a / sums->b;
        bool numbers = isfinite(sums->a) && isfinite(sums->b);
        if (g->island[k] != k || (numbers && excess <= ROUND_OFF * sums->scale))
            continue;
        sums->f = numbers && f > 0.0 ? f : 0.0;
        report->islands++;
        report->excess += numbers ? excess : 0.0;
    }
}

static void scale_back(const Guard *g)
{
    RgProblem *p = g->p;
    for (int k = 0; k < p->nu; k++) {
        double f = g->sums[g->island[k]].f;
        if (f < 1.0)
            p->s[k] = f > 0.0 ? g->s0[k] + f * (p->s[k] - g->s0[k]) : g->s0[k];
    }
    for (int i = 0; i < p->n; i++) {
        int32_t at = unknown_of(p, i);
        double f = at >= 0 ? g->sums[g->island[at]].f : 1.0, z0 = nearest_to_none(p, i);
        if (f < 1.0)
            p->z[i] = f > 0.0 ? z0 + f * (p->z[i] - z0) : z0;
    }
}

bool rg_energy_guard(RgArena *memory, RgProblem *p, const double *s_free, RgGuardReport *report)
{
    Guard g = {.p = p,
               .s0 = velocities_of_nearest(memory, p, s_free),
               .island = RG_TAKE_RAW(memory, int32_t, p->nu),
               .sums = RG_TAKE_RAW(memory, Sums, p->nu)};
    *report = (RgGuardReport){0};
    if (memory->failed || g.s0 == NULL)
        return false;
    find_islands(p, g.island);
    sum_up(&g);
    find_factors(&g, report);
    if (report->islands > 0)
        scale_back(&g);
    return true;
}
