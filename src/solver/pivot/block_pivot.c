/*
 * block_pivot.c - block principal pivoting (Kostreva 1978; Judice, Pires 1994) with friction rows in it.
 *
 * Equalities go first (rg_dense_lcp_reduce): S and p over the bounded rows are left.
 *
 * Every bounded row has a place: low, free, high. Free rows have w = 0, the others stand at their bounds; a sliding
 * friction row follows its normal, z_i = +-mu z_n, within the system. Rows found on the wrong side (z outside
 * its bounds, w of the wrong sign) all change their place at once. If their number does not fall for some rounds, only
 * the last of them does, until it falls: without friction and with positive definite S this must end (Murty 1974).
 *
 * Redundant rows: w_i is w_i + rho M_ii (z_i - z0_i), z0 the first guess. The impulses of rows that share a load stay
 * near it. As soon as the places are right, what rho changed is taken away by refinement with the same factor, which
 * converges as rho over the least eigenvalue that is not zero. Where free rows contradict each other theirs grow, the
 * more the smaller rho is, until one lets go: places then come and go. With friction, sweeps of projected Gauss-Seidel
 * come before the next attempt, 20, 40, 80, ... of them; with fixed bounds rho begins large and falls, each time about
 * the solution before (proximal points, Rockafellar 1976).
 *
 * Cost: n^3 / 3 for each round, n^2 for each refinement. Failure: places that come and go (friction), which the caller
 * answers by single pivots.
 */
#include "solver/pivot/block_pivot.h"

#include "math/dense_factor.h"

#include <math.h>
#include <string.h>

#define REFINEMENTS 6
/* Rounds with a small rho at once. */
#define TRY_PIVOTS 5
#define SMALL_RHO 1e-7
/* Sweeps before the second attempt, attempts of that kind. */
#define FIRST_SWEEPS 20
#define SWEEP_ROUNDS 7
/* Rounds in which the number of misplaced rows need not fall. */
#define PATIENCE 6
/* Part of the tolerance that decides places. */
#define SHARP 0.1

struct RgBlockPivot {
    RgDenseLcp *lcp;
    RgLcpReduced r;        /* nb bounded rows */
    int *normal;           /* nb, of the bounded rows; -1: none */
    uint8_t *place;        /* nb */
    uint8_t *next;         /* nb */
    double *z, *z0, *w;    /* nb */
    int nfree, *free, *at; /* rows of the free block; place in it, -1: none */
    bool follows;          /* some friction row slides with a free normal */
    double *K, *x;         /* nfree x nfree; nfree */
    RgLu lu;               /* of K where that is not symmetric */
    double rho, scale;     /* largest |q| */
    bool fixed;            /* friction rows stay within reach, whatever their normals do */
    double *reach;         /* nb */
    bool about;            /* rho (z - z0) counts */
    double *held;          /* nb */
};

/* ------------------------------------------------------------------ memory */

static void take_bounded(RgBlockPivot *g, RgArena *arena)
{
    size_t nb = (size_t)g->r.nb;
    g->normal = RG_TAKE_RAW(arena, int, nb);
    g->free = RG_TAKE_RAW(arena, int, nb);
    g->at = RG_TAKE_RAW(arena, int, nb);
    int *ints = RG_TAKE_RAW(arena, int, rg_lu_ints(g->r.nb));
    g->place = RG_TAKE_RAW(arena, uint8_t, nb);
    g->next = RG_TAKE_RAW(arena, uint8_t, nb);
    double *doubles = RG_TAKE_RAW(arena, double, 6 * nb + rg_lu_doubles(g->r.nb));
    if (arena->failed)
        return;
    g->z = doubles;
    g->z0 = g->z + nb;
    g->w = g->z0 + nb;
    g->x = g->w + nb;
    g->reach = g->x + nb;
    g->held = g->reach + nb;
    g->K = g->held + nb;
    rg_lu_place(&g->lu, g->r.nb, g->K, ints);
}

RgBlockPivot *rg_block_pivot_take(RgArena *arena, RgDenseLcp *lcp, int *redundant)
{
    RgBlockPivot *g = RG_TAKE(arena, RgBlockPivot, 1);
    if (g == NULL || !rg_dense_lcp_reduce(arena, lcp, &g->r))
        return NULL;
    g->lcp = lcp;
    *redundant = lcp->n - g->r.nb - g->r.nf;
    take_bounded(g, arena);
    if (arena->failed)
        return NULL;
    for (int i = 0; i < lcp->n; i++)
        g->scale = fmax(g->scale, fabs(lcp->q[i]));
    for (int a = 0; a < g->r.nb; a++) {
        int normal = lcp->normal != NULL ? lcp->normal[g->r.row[a]] : -1;
        g->normal[a] = normal >= 0 ? g->r.place[normal] : -1;
    }
    return g;
}

/* ------------------------------------------------------------------ places */

static double low_of(const RgBlockPivot *g, int a)
{
    return g->lcp->low[g->r.row[a]];
}

static double high_of(const RgBlockPivot *g, int a)
{
    return g->lcp->high[g->r.row[a]];
}

static const double *row_of(const RgBlockPivot *g, int a)
{
    return g->r.S + (size_t)a * (size_t)g->r.nb;
}

/* M_ii: what the row is without equalities. */
static double own_of(const RgBlockPivot *g, int a)
{
    return g->lcp->M[(size_t)g->r.row[a] * ((size_t)g->lcp->n + 1)];
}

/* Bounds with the present z. */
static void bounds_of(const RgBlockPivot *g, int a, double *low, double *high)
{
    *low = low_of(g, a);
    *high = high_of(g, a);
    if (g->normal[a] >= 0) {
        *high = g->fixed ? g->reach[a] : *high * fmax(g->z[g->normal[a]], 0.0);
        *low = -*high;
    }
}

/* Places and z0 from z; where that is nothing (cold), rows that would be driven in push. */
static void places_of_z(RgBlockPivot *g, bool cold)
{
    for (int k = 0; k < 2; k++) /* normals before those that follow them */
        for (int a = 0; a < g->r.nb; a++) {
            double low, high;
            if ((g->normal[a] >= 0) != (k == 1))
                continue;
            bounds_of(g, a, &low, &high);
            g->place[a] = g->z[a] <= low ? RG_LCP_LOW : g->z[a] >= high ? RG_LCP_HIGH : RG_LCP_FREE;
            g->z[a] = g->z[a] < low ? low : g->z[a] > high ? high : g->z[a];
            if (k == 1 ? !(high > 0.0) : cold && g->z[a] == low && low < high && g->r.p[a] < 0.0)
                g->place[a] = RG_LCP_FREE;
            g->z0[a] = g->z[a];
        }
}

static void first_places(RgBlockPivot *g)
{
    bool cold = true;
    for (int a = 0; a < g->r.nb; a++) {
        g->z[a] = g->lcp->z[g->r.row[a]];
        if (!isfinite(g->z[a]))
            g->z[a] = 0.0;
        cold = cold && g->z[a] == 0.0;
    }
    places_of_z(g, cold);
}

/* Whether a row is one of the free block. */
static bool counts_as_free(const RgBlockPivot *g, int a)
{
    if (g->place[a] != RG_LCP_FREE || !(row_of(g, a)[a] > 0.0))
        return false;
    int n = g->normal[a];
    if (n < 0 || g->fixed)
        return n < 0 || g->reach[a] > 0.0;
    return high_of(g, a) > 0.0 && (g->place[n] == RG_LCP_FREE || g->z[n] > 0.0);
}

/* Where a sliding row stands. */
static double edge_of(const RgBlockPivot *g, int a)
{
    return g->fixed ? g->reach[a] : high_of(g, a) * g->z[g->normal[a]];
}

/* z of the rows that are not free, from their bounds and their normals. */
static void set_bounded(RgBlockPivot *g)
{
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < g->r.nb; a++) {
            if ((g->normal[a] >= 0) != (k == 1) || g->at[a] >= 0)
                continue;
            if (k == 0 && g->place[a] != RG_LCP_FREE)
                g->z[a] = g->place[a] == RG_LCP_LOW ? low_of(g, a) : high_of(g, a);
            else if (k == 1)
                g->z[a] = g->place[a] == RG_LCP_FREE ? 0.0 : g->place[a] == RG_LCP_LOW ? -edge_of(g, a) : edge_of(g, a);
        }
}

static void rates(RgBlockPivot *g)
{
    rg_dense_times(g->r.S, g->r.nb, g->r.nb, g->z, g->r.p, g->w);
}

/* ------------------------------------------------------------------ the free block */

/* Columns of normals take those of the friction rows that follow them. */
static void add_followers(RgBlockPivot *g)
{
    for (int a = 0; a < g->r.nb && !g->fixed; a++) {
        int n = g->normal[a], at = n >= 0 ? g->at[n] : -1;
        if (at < 0 || g->at[a] >= 0 || g->place[a] == RG_LCP_FREE || !(high_of(g, a) > 0.0))
            continue;
        double follow = g->place[a] == RG_LCP_LOW ? -high_of(g, a) : high_of(g, a);
        g->follows = true;
        for (int k = 0; k < g->nfree; k++)
            g->K[(size_t)k * (size_t)g->nfree + (size_t)at] += follow * row_of(g, g->free[k])[a];
    }
}

static void assemble(RgBlockPivot *g)
{
    g->nfree = 0;
    for (int a = 0; a < g->r.nb; a++) {
        g->at[a] = -1;
        if (g->normal[a] < 0 && g->place[a] != RG_LCP_FREE)
            g->z[a] = g->place[a] == RG_LCP_LOW ? low_of(g, a) : high_of(g, a);
    }
    for (int a = 0; a < g->r.nb; a++)
        if (counts_as_free(g, a)) {
            g->at[a] = g->nfree;
            g->free[g->nfree++] = a;
        }
    size_t nfree = (size_t)g->nfree;
    for (int k = 0; k < g->nfree; k++) {
        const double *S = row_of(g, g->free[k]);
        double *K = g->K + (size_t)k * nfree;
        for (int j = 0; j < g->nfree; j++)
            K[j] = S[g->free[j]];
        K[k] += g->rho * own_of(g, g->free[k]);
    }
    g->follows = false;
    add_followers(g);
}

static bool factor_free(RgBlockPivot *g)
{
    assemble(g);
    if (!g->follows)
        return rg_dense_ldl_factor(g->K, g->nfree);
    g->lu.n = g->nfree;
    return rg_lu_factor_partial(&g->lu);
}

/* Free rows to w = 0; those that follow come along. w is that of the new z. */
static void correct(RgBlockPivot *g)
{
    for (int k = 0; k < g->nfree; k++)
        g->x[k] = -g->w[g->free[k]];
    if (g->follows)
        rg_lu_solve(&g->lu, g->x, g->x);
    else
        rg_dense_ldl_solve(g->K, g->nfree, g->x);
    for (int k = 0; k < g->nfree; k++)
        g->z[g->free[k]] += g->x[k];
    set_bounded(g);
    rates(g);
}

/* ------------------------------------------------------------------ rounds */

/* Where a row belongs. */
static RgLcpPlace right_place(const RgBlockPivot *g, int a, double tolerance)
{
    double low, high, slack = tolerance / own_of(g, a);
    bounds_of(g, a, &low, &high);
    if (g->at[a] >= 0)
        return g->z[a] < low - slack ? RG_LCP_LOW : g->z[a] > high + slack ? RG_LCP_HIGH : RG_LCP_FREE;
    if (low == high)
        return g->place[a];
    if (!(row_of(g, a)[a] > 0.0))
        return g->w[a] > tolerance && isfinite(low)     ? RG_LCP_LOW
               : g->w[a] < -tolerance && isfinite(high) ? RG_LCP_HIGH
                                                        : (RgLcpPlace)g->place[a];
    if (g->normal[a] >= 0 && g->place[a] == RG_LCP_FREE)
        return RG_LCP_FREE; /* its normal does not push */
    double w = g->about ? g->w[a] + g->rho * own_of(g, a) * (g->z[a] - g->z0[a]) : g->w[a];
    bool wrong = g->place[a] == RG_LCP_LOW ? w < -tolerance : w > tolerance;
    return wrong ? RG_LCP_FREE : (RgLcpPlace)g->place[a];
}

/* Rows in the wrong place all move, or the last alone. A friction row whose normal begins to push begins by holding. */
static void move_rows(RgBlockPivot *g, double tolerance, bool all)
{
    int last = -1;
    for (int a = 0; a < g->r.nb; a++) {
        g->next[a] = (uint8_t)right_place(g, a, tolerance);
        last = g->next[a] != g->place[a] ? a : last;
    }
    for (int k = 1; k >= 0; k--) /* friction rows while the places of their normals are the old ones */
        for (int a = 0; a < g->r.nb; a++) {
            int n = g->normal[a];
            if ((n >= 0) != (k == 1))
                continue;
            bool begins = n >= 0 && (all || n == last) && g->next[n] == RG_LCP_FREE && g->place[n] != RG_LCP_FREE;
            if (begins)
                g->place[a] = RG_LCP_FREE;
            else if (all || a == last)
                g->place[a] = g->next[a];
        }
}

static int count_misplaced(const RgBlockPivot *g, double tolerance)
{
    int count = 0;
    for (int a = 0; a < g->r.nb; a++)
        count += right_place(g, a, tolerance) != (RgLcpPlace)g->place[a];
    return count;
}

static double free_miss(const RgBlockPivot *g)
{
    double largest = 0.0;
    for (int k = 0; k < g->nfree; k++)
        largest = fmax(largest, fabs(g->w[g->free[k]]));
    return largest;
}

/* Rows to their places with the present rho, about z0. False: too many rounds, or no factor. */
static bool place_rows(RgBlockPivot *g, double tolerance, int most, int *pivots)
{
    int best = g->r.nb + 1, patience = PATIENCE;
    for (int round = 0; round < most; round++) {
        memcpy(g->z, g->z0, (size_t)g->r.nb * sizeof *g->z);
        if (!factor_free(g))
            return false;
        ++*pivots;
        set_bounded(g);
        rates(g);
        correct(g);
        int wrong = count_misplaced(g, tolerance);
        if (wrong == 0)
            return true;
        patience = wrong < best ? PATIENCE : patience - 1;
        best = wrong < best ? wrong : best;
        move_rows(g, tolerance, patience >= 0);
    }
    return false;
}

/* Takes away what rho did, with the places as they are. True: they are still right. */
static bool refine(RgBlockPivot *g, double tolerance)
{
    g->about = false;
    for (int round = 0; round < REFINEMENTS && free_miss(g) > tolerance; round++)
        correct(g);
    return free_miss(g) <= tolerance && count_misplaced(g, tolerance) == 0;
}

/* A compromise: one rho, about z = 0. */
static bool settle_soft(RgBlockPivot *g, const RgBlockPivotRun *run, double tolerance, int *pivots)
{
    first_places(g);
    for (int a = 0; a < g->r.nb; a++) {
        double low = g->normal[a] >= 0 ? 0.0 : low_of(g, a), high = g->normal[a] >= 0 ? 0.0 : high_of(g, a);
        g->z0[a] = low > 0.0 ? low : high < 0.0 ? high : 0.0;
    }
    g->rho = run->soft;
    g->about = true;
    return place_rows(g, tolerance, run->most, pivots);
}

/* Places with a small rho; then what it did is taken away. */
static bool try_places(RgBlockPivot *g, double tolerance, int *pivots)
{
    g->rho = SMALL_RHO;
    g->about = true;
    return place_rows(g, tolerance, TRY_PIVOTS, pivots) && refine(g, tolerance);
}

/* Projected Gauss-Seidel, once over all rows. */
static void sweep(RgBlockPivot *g)
{
    for (int a = 0; a < g->r.nb; a++) {
        double low, high, w, own = row_of(g, a)[a];
        if (!(own > 0.0))
            continue;
        rg_dense_times(row_of(g, a), 1, g->r.nb, g->z, g->r.p + a, &w);
        bounds_of(g, a, &low, &high);
        double z = g->z[a] - w / own;
        g->z[a] = z < low ? low : z > high ? high : z;
    }
}

/* Sweeps find the places roughly. */
static bool settle_by_sweeps(RgBlockPivot *g, double tolerance, int *pivots)
{
    first_places(g);
    for (int round = 0, sweeps = FIRST_SWEEPS; round < SWEEP_ROUNDS; round++, sweeps *= 2) {
        memcpy(g->z, g->z0, (size_t)g->r.nb * sizeof *g->z);
        for (int k = 0; k < sweeps; k++)
            sweep(g);
        places_of_z(g, false);
        if (try_places(g, tolerance, pivots))
            return true;
    }
    return false;
}

/* From a large rho to a small one, each about the solution of the one before. */
static bool settle_by_steps(RgBlockPivot *g, double tolerance, int most, int *pivots)
{
    static const double rho[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    first_places(g);
    for (size_t stage = 0; stage < sizeof rho / sizeof rho[0]; stage++) {
        g->rho = rho[stage];
        g->about = true;
        if (!place_rows(g, tolerance, most, pivots))
            return false;
        memcpy(g->held, g->z, (size_t)g->r.nb * sizeof *g->held);
        if (refine(g, tolerance))
            return true;
        memcpy(g->z0, g->held, (size_t)g->r.nb * sizeof *g->z0);
    }
    return false;
}

/* From the guess at once, where that is good. */
static bool settle(RgBlockPivot *g, double tolerance, int most, int *pivots)
{
    first_places(g);
    if (try_places(g, tolerance, pivots))
        return true;
    return g->fixed ? settle_by_steps(g, tolerance, most, pivots) : settle_by_sweeps(g, tolerance, pivots);
}

/* Free rows and equalities once more, from M itself, where the elimination lost digits. False: there is nothing to
   do. */
static bool correct_all(RgBlockPivot *g, double tolerance)
{
    RgDenseLcp *lcp = g->lcp;
    for (int k = 0; k < g->nfree; k++)
        g->w[g->free[k]] = rg_dense_lcp_rate(lcp, g->r.row[g->free[k]]);
    if (free_miss(g) <= tolerance)
        return false;
    correct(g);
    for (int a = 0; a < g->r.nb; a++) {
        double low, high;
        bounds_of(g, a, &low, &high);
        g->z[a] = g->z[a] < low ? low : g->z[a] > high ? high : g->z[a];
        lcp->z[g->r.row[a]] = g->z[a];
    }
    rg_dense_lcp_meet_equalities(&g->r, lcp);
    return true;
}

/* z of bounded rows within their bounds, of equalities so that their w is 0. */
static void give_back(RgBlockPivot *g, bool solved, double tolerance)
{
    RgDenseLcp *lcp = g->lcp;
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < g->r.nb; a++) {
            double low, high;
            if ((g->normal[a] >= 0) != (k == 1))
                continue;
            bounds_of(g, a, &low, &high);
            g->z[a] = g->z[a] < low ? low : g->z[a] > high ? high : isfinite(g->z[a]) ? g->z[a] : 0.0;
            lcp->z[g->r.row[a]] = g->z[a];
        }
    for (int i = 0; i < lcp->n && g->r.nb < lcp->n; i++)
        if (rg_dense_lcp_equality(lcp, i))
            lcp->z[i] = 0.0;
    rg_dense_lcp_meet_equalities(&g->r, lcp);
    for (int round = 0; round < REFINEMENTS && solved && g->r.nf > 0; round++)
        if (!correct_all(g, tolerance))
            break;
}

bool rg_block_pivot_run(RgBlockPivot *g, const RgBlockPivotRun *run, int *pivots)
{
    double tolerance = run->tolerance;
    int most = run->most;
    g->fixed = run->reach != NULL;
    for (int a = 0; a < g->r.nb && g->fixed; a++)
        g->reach[a] = run->reach[g->r.row[a]];

    double sharp = SHARP * tolerance * g->scale;
    bool soft = run->soft > 0.0;
    bool solved = soft ? settle_soft(g, run, sharp, pivots) : settle(g, sharp, most, pivots);
    give_back(g, solved && !soft, sharp);
    return solved;
}
