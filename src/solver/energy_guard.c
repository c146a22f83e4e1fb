/*
 * energy_guard.c - scales back impulses that add energy beyond the work of the targets, island by island
 * (energy_guard.h).
 *
 * Sweeps may diverge, and their result may accelerate bodies without limit. The kinetic energy T that a solution may
 * have is bounded by the problem (problem.h). Let z0 be the admissible impulses nearest to 0 (0 unless bounds exclude
 * it), s0 = s* + J'z0, T0 = 1/2 |s0|^2, z = z0 + x, and w0 the w of z0. Then
 *
 *   Q = 1/2 x'(J J' + C) x + x'w0 = (T - T0) - x'target + x'C (z0 + x/2)
 *
 * A solution has x_i w_i <= 0 in every row: between bounds w = 0; at a bound w points away from it, or against
 * friction, and z0 lies in that direction from z. With w = w0 + (J J' + C) x this gives x'w0 <= -b, b = x'(J J' + C) x,
 * and Q <= -b/2, also with non-associated friction and compliant rows. Hence every solution has Q <= 0, and in
 * particular
 *
 *   T <= T0 + sum max(x_i target_i, 0) - x'C (z0 + x/2)
 *
 * that is, no more energy than the targets supply (motors, restitution, error correction), minus what compliance stores
 * and dissipates. A solution lies below that bound by b/2. Sweeps with fixed bounds decrease Q from any start and soon
 * fall below the bound. Impulses above it, by more than ROUND_OFF of T0 and of the work of the targets, are rejected.
 *
 * They are replaced by z0 + f x with the f that minimises Q: f = -x'w0 / b, which is below 1/2 since Q > 0, or 0.
 * Bounds hold between z0 and z, friction bounds too, since they are convex; and Q = -f^2 b / 2 <= 0.
 *
 * Islands are sets of unknowns connected by rows; a diverging island does not affect others. If an impulse or velocity
 * is NaN or infinite, the impulses of its island become z0. Cost: linear in rows and unknowns; coefficients are read
 * only where bounds exclude 0.
 */
#include "solver/energy_guard.h"

#include "base/union_find.h"

#include <math.h>
#include <string.h>

/* Part of T0 and of the work of the targets. A solution has the margin b/2; the tolerance covers velocities that differ
   from s* + J'z by round-off. */
#define ROUND_OFF 1e-8

/* Sums over one island. */
typedef struct Sums {
    double a, b;     /* x'w0, x'(J J' + C) x: Q = a + b/2 */
    double absorbed; /* -sum min(x_i target_i, 0): difference between Q and the bound */
    double scale;    /* T0 plus the work of the targets: scale of round-off */
    double f;        /* scale factor; 1: the island is not changed */
} Sums;

typedef struct Guard {
    RgProblem *p;
    const double *s0; /* nu */
    int32_t *island;  /* nu: representative unknown of each unknown's island */
    Sums *sums;       /* nu: sums at the representatives */
} Guard;

/* Impulse nearest to 0 within a row's own bounds. */
static double nearest_to_zero(const RgProblem *p, int i)
{
    if (p->row_class[i] == RG_ROW_BILATERAL || p->row_class[i] == RG_ROW_FRICTION)
        return 0.0;
    return p->low[i] > 0.0 ? p->low[i] : p->high[i] < 0.0 ? p->high[i] : 0.0;
}

/* Velocities s0 after z0; s_free itself if z0 = 0. NULL: no memory. */
static const double *velocities_at_nearest(RgArena *memory, const RgProblem *p, const double *s_free)
{
    int i = 0;
    while (i < p->n && nearest_to_zero(p, i) == 0.0)
        i++;
    if (i == p->n)
        return s_free;
    double *s = RG_ARENA_ALLOC_RAW(memory, double, p->nu);
    if (s == NULL)
        return NULL;
    memcpy(s, s_free, (size_t)p->nu * sizeof *s);
    for (; i < p->n; i++)
        rg_problem_apply_impulse(p, i, nearest_to_zero(p, i), s);
    return s;
}

/* ------------------------------------------------------------------ islands */

/* Whether a row has the same columns as the previous one, as most contact rows do. */
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
                rg_set_union(parent, p->columns[e - 1], p->columns[e]);
        if (p->normal[i] >= 0)
            rg_set_union(parent, unknown_of(p, i), unknown_of(p, p->normal[i]));
    }
    for (int32_t k = 0; k < p->nu; k++)
        parent[k] = rg_set_root(parent, k);
}

/* ------------------------------------------------------------------ energy */

static void accumulate_sums(const Guard *g)
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
        double z0 = nearest_to_zero(p, i), x = p->z[i] - z0;
        if (at < 0 || x == 0.0)
            continue;
        Sums *sums = &g->sums[g->island[at]];
        sums->a += x * (p->compliance[i] * z0 - p->target[i]);
        sums->b += p->compliance[i] * x * x;
        sums->absorbed += x * p->target[i] < 0.0 ? -x * p->target[i] : 0.0;
        sums->scale += fabs(x * p->target[i]);
    }
}

/* Sets f of each island that adds energy. */
static void find_factors(const Guard *g, RgGuardReport *report)
{
    for (int k = 0; k < g->p->nu; k++) {
        Sums *sums = &g->sums[k];
        double excess = sums->a + 0.5 * sums->b - sums->absorbed, f = -sums->a / sums->b;
        bool is_finite = isfinite(sums->a) && isfinite(sums->b);
        if (g->island[k] != k || (is_finite && excess <= ROUND_OFF * sums->scale))
            continue;
        sums->f = is_finite && f > 0.0 ? f : 0.0;
        report->islands++;
        report->excess += is_finite ? excess : 0.0;
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
        double f = at >= 0 ? g->sums[g->island[at]].f : 1.0, z0 = nearest_to_zero(p, i);
        if (f < 1.0)
            p->z[i] = f > 0.0 ? z0 + f * (p->z[i] - z0) : z0;
    }
}

bool rg_energy_guard(RgArena *memory, RgProblem *p, const double *s_free, RgGuardReport *report)
{
    Guard g = {.p = p,
               .s0 = velocities_at_nearest(memory, p, s_free),
               .island = RG_ARENA_ALLOC_RAW(memory, int32_t, p->nu),
               .sums = RG_ARENA_ALLOC_RAW(memory, Sums, p->nu)};
    *report = (RgGuardReport){0};
    if (memory->failed || g.s0 == NULL)
        return false;
    find_islands(p, g.island);
    accumulate_sums(&g);
    find_factors(&g, report);
    if (report->islands > 0)
        scale_back(&g);
    return true;
}
