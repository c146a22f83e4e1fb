/*
 * block_pivot.c - block principal pivoting (Kostreva 1978; Judice, Pires 1994) extended by friction rows.
 *
 * Equalities are eliminated first (rg_dense_lcp_reduce), which leaves S and p over the bounded rows.
 *
 * Every bounded row has a position: low, free, high. Free rows have w = 0, the others are at their bounds. A sliding
 * friction row follows its normal, z_i = +-mu z_n, within the system. All rows in a wrong position (z outside its
 * bounds, w of the wrong sign) change it at once. If their number does not fall for some rounds, only the last of them
 * changes, until the number falls; without friction and with positive definite S this must end (Murty 1974).
 *
 * Redundant rows: w_i is replaced by w_i + rho M_ii (z_i - z0_i), z0 the initial guess, so the impulses of rows that
 * share a load stay close to it. Once the positions are right, the effect of rho is removed by iterative refinement
 * with the same factor, which converges as rho over the least nonzero eigenvalue. Free rows that contradict each other
 * get impulses that grow as rho falls, until one of them leaves the free set; positions then may cycle. With friction,
 * sweeps of projected Gauss-Seidel come before the next attempt, 20, 40, 80, ... of them. With fixed bounds rho starts
 * large and falls, each time around the previous solution (proximal points, Rockafellar 1976).
 *
 * Cost: n^3 / 3 per round, n^2 per refinement. Failure: positions cycle (friction); the caller then uses single pivots.
 */
#include "solver/pivot/block_pivot.h"

#include "math/dense_factor.h"

#include <math.h>
#include <string.h>

/* Refinements of one solution, at most. */
#define REFINEMENTS 6
/* rho of the first attempt, relative to the diagonal, and its limit of rounds. */
#define SMALL_RHO 1e-7
#define SMALL_RHO_ROUNDS 5
/* Sweeps before the second attempt, doubled for each further one; attempts of this kind, at most. */
#define FIRST_SWEEPS 20
#define SWEEP_ATTEMPTS 7
/* Rounds without fewer misplaced rows before single rows change their position. */
#define PATIENCE 6
/* Part of the tolerance by which positions are decided. */
#define POSITION_TOLERANCE_PART 0.1

struct RgBlockPivot {
    RgDenseLcp *lcp;
    RgLcpReduced r;         /* nb bounded rows */
    int *normal;            /* nb: normal among the bounded rows; -1: none */
    uint8_t *place;         /* nb: RgLcpPlace of each row */
    uint8_t *next;          /* nb: its next place */
    double *z, *z0, *w;     /* nb */
    int nfree, *free, *at;  /* rows of the free block; index in it, -1: none */
    bool follows;           /* a sliding friction row follows a free normal: K is not symmetric */
    double *K, *x;          /* nfree x nfree; nfree */
    RgLu lu;                /* of K where that is not symmetric */
    double rho, scale;      /* regularisation; largest |q| */
    bool fixed;             /* bounds of friction rows are fixed at friction_bound */
    double *friction_bound; /* nb */
    bool proximal;          /* rho (z - z0) is part of w */
    double *saved;          /* nb: z before refinement */
};

/* ------------------------------------------------------------------ memory */

static void alloc_bounded(RgBlockPivot *g, RgArena *arena)
{
    size_t nb = (size_t)g->r.nb;
    g->normal = RG_ARENA_ALLOC_RAW(arena, int, nb);
    g->free = RG_ARENA_ALLOC_RAW(arena, int, nb);
    g->at = RG_ARENA_ALLOC_RAW(arena, int, nb);
    int *ints = RG_ARENA_ALLOC_RAW(arena, int, rg_lu_ints(g->r.nb));
    g->place = RG_ARENA_ALLOC_RAW(arena, uint8_t, nb);
    g->next = RG_ARENA_ALLOC_RAW(arena, uint8_t, nb);
    double *doubles = RG_ARENA_ALLOC_RAW(arena, double, 6 * nb + rg_lu_doubles(g->r.nb));
    if (arena->failed)
        return;
    g->z = doubles;
    g->z0 = g->z + nb;
    g->w = g->z0 + nb;
    g->x = g->w + nb;
    g->friction_bound = g->x + nb;
    g->saved = g->friction_bound + nb;
    g->K = g->saved + nb;
    rg_lu_place(&g->lu, g->r.nb, g->K, ints);
}

RgBlockPivot *rg_block_pivot_alloc(RgArena *arena, RgDenseLcp *lcp, int *redundant)
{
    RgBlockPivot *g = RG_ARENA_ALLOC(arena, RgBlockPivot, 1);
    if (g == NULL || !rg_dense_lcp_reduce(arena, lcp, &g->r))
        return NULL;
    g->lcp = lcp;
    *redundant = lcp->n - g->r.nb - g->r.nf;
    alloc_bounded(g, arena);
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

/* ------------------------------------------------------------------ positions */

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

/* M_ii: diagonal before the elimination of equalities. */
static double diagonal_of(const RgBlockPivot *g, int a)
{
    return g->lcp->M[(size_t)g->r.row[a] * ((size_t)g->lcp->n + 1)];
}

/* Bounds for the present z. */
static void bounds_of(const RgBlockPivot *g, int a, double *low, double *high)
{
    *low = low_of(g, a);
    *high = high_of(g, a);
    if (g->normal[a] >= 0) {
        *high = g->fixed ? g->friction_bound[a] : *high * fmax(g->z[g->normal[a]], 0.0);
        *low = -*high;
    }
}

/* Positions and z0 from z. cold: z is 0; rows at 0 whose w would push them inward become free. */
static void places_of_z(RgBlockPivot *g, bool cold)
{
    for (int k = 0; k < 2; k++) /* normals before their friction rows */
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

static void init_places(RgBlockPivot *g)
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

/* Whether a row belongs to the free block. */
static bool is_in_free_block(const RgBlockPivot *g, int a)
{
    if (g->place[a] != RG_LCP_FREE || !(row_of(g, a)[a] > 0.0))
        return false;
    int n = g->normal[a];
    if (n < 0 || g->fixed)
        return n < 0 || g->friction_bound[a] > 0.0;
    return high_of(g, a) > 0.0 && (g->place[n] == RG_LCP_FREE || g->z[n] > 0.0);
}

/* Bound of a sliding row. */
static double sliding_bound(const RgBlockPivot *g, int a)
{
    return g->fixed ? g->friction_bound[a] : high_of(g, a) * g->z[g->normal[a]];
}

/* Sets z of the rows outside of the free block from their bounds and their normals. */
static void set_bounded(RgBlockPivot *g)
{
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < g->r.nb; a++) {
            if ((g->normal[a] >= 0) != (k == 1) || g->at[a] >= 0)
                continue;
            if (k == 0 && g->place[a] != RG_LCP_FREE)
                g->z[a] = g->place[a] == RG_LCP_LOW ? low_of(g, a) : high_of(g, a);
            else if (k == 1)
                g->z[a] = g->place[a] == RG_LCP_FREE  ? 0.0
                          : g->place[a] == RG_LCP_LOW ? -sliding_bound(g, a)
                                                      : sliding_bound(g, a);
        }
}

static void compute_w(RgBlockPivot *g)
{
    rg_dense_times(g->r.S, g->r.nb, g->r.nb, g->z, g->r.p, g->w);
}

/* ------------------------------------------------------------------ the free block */

/* Adds the columns of sliding friction rows to those of the normals they follow. */
static void add_following_columns(RgBlockPivot *g)
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
        if (is_in_free_block(g, a)) {
            g->at[a] = g->nfree;
            g->free[g->nfree++] = a;
        }
    size_t nfree = (size_t)g->nfree;
    for (int k = 0; k < g->nfree; k++) {
        const double *S = row_of(g, g->free[k]);
        double *K = g->K + (size_t)k * nfree;
        for (int j = 0; j < g->nfree; j++)
            K[j] = S[g->free[j]];
        K[k] += g->rho * diagonal_of(g, g->free[k]);
    }
    g->follows = false;
    add_following_columns(g);
}

static bool factor_free(RgBlockPivot *g)
{
    assemble(g);
    if (!g->follows)
        return rg_dense_ldl_factor(g->K, g->nfree);
    g->lu.n = g->nfree;
    return rg_lu_factor_partial(&g->lu);
}

/* Corrects the free rows to w = 0, with the rows that follow them, and updates w. */
static void correct_free_rows(RgBlockPivot *g)
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
    compute_w(g);
}

/* ------------------------------------------------------------------ rounds */

/* The right position of a row. */
static RgLcpPlace right_place(const RgBlockPivot *g, int a, double tolerance)
{
    double low, high, slack = tolerance / diagonal_of(g, a);
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
        return RG_LCP_FREE; /* its normal is not active */
    double w = g->proximal ? g->w[a] + g->rho * diagonal_of(g, a) * (g->z[a] - g->z0[a]) : g->w[a];
    bool wrong = g->place[a] == RG_LCP_LOW ? w < -tolerance : w > tolerance;
    return wrong ? RG_LCP_FREE : (RgLcpPlace)g->place[a];
}

/* Changes the position of all misplaced rows, or of the last one alone. Friction rows whose normal becomes active start
   free (sticking). */
static void change_places(RgBlockPivot *g, double tolerance, bool all)
{
    int last = -1;
    for (int a = 0; a < g->r.nb; a++) {
        g->next[a] = (uint8_t)right_place(g, a, tolerance);
        last = g->next[a] != g->place[a] ? a : last;
    }
    for (int k = 1; k >= 0; k--) /* friction rows first, while the positions of their normals are the old ones */
        for (int a = 0; a < g->r.nb; a++) {
            int n = g->normal[a];
            if ((n >= 0) != (k == 1))
                continue;
            bool becomes_active =
                n >= 0 && (all || n == last) && g->next[n] == RG_LCP_FREE && g->place[n] != RG_LCP_FREE;
            if (becomes_active)
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

static double free_residual(const RgBlockPivot *g)
{
    double largest = 0.0;
    for (int k = 0; k < g->nfree; k++)
        largest = fmax(largest, fabs(g->w[g->free[k]]));
    return largest;
}

/* Finds the positions for the present rho around z0. False: too many rounds, or a singular factor. */
static bool find_places(RgBlockPivot *g, double tolerance, int max_rounds, int *pivots)
{
    int best = g->r.nb + 1, patience = PATIENCE;
    for (int round = 0; round < max_rounds; round++) {
        memcpy(g->z, g->z0, (size_t)g->r.nb * sizeof *g->z);
        if (!factor_free(g))
            return false;
        ++*pivots;
        set_bounded(g);
        compute_w(g);
        correct_free_rows(g);
        int wrong = count_misplaced(g, tolerance);
        if (wrong == 0)
            return true;
        patience = wrong < best ? PATIENCE : patience - 1;
        best = wrong < best ? wrong : best;
        change_places(g, tolerance, patience >= 0);
    }
    return false;
}

/* Removes the effect of rho with fixed positions. True: the positions are still right. */
static bool remove_rho(RgBlockPivot *g, double tolerance)
{
    g->proximal = false;
    for (int round = 0; round < REFINEMENTS && free_residual(g) > tolerance; round++)
        correct_free_rows(g);
    return free_residual(g) <= tolerance && count_misplaced(g, tolerance) == 0;
}

/* A compromise for a problem without a solution: fixed rho, around z = 0. */
static bool solve_compromise(RgBlockPivot *g, const RgBlockPivotRun *run, double tolerance, int *pivots)
{
    init_places(g);
    for (int a = 0; a < g->r.nb; a++) {
        double low = g->normal[a] >= 0 ? 0.0 : low_of(g, a), high = g->normal[a] >= 0 ? 0.0 : high_of(g, a);
        g->z0[a] = low > 0.0 ? low : high < 0.0 ? high : 0.0;
    }
    g->rho = run->softness;
    g->proximal = true;
    return find_places(g, tolerance, run->max_rounds, pivots);
}

/* Finds positions with a small rho, then removes its effect. */
static bool try_small_rho(RgBlockPivot *g, double tolerance, int *pivots)
{
    g->rho = SMALL_RHO;
    g->proximal = true;
    return find_places(g, tolerance, SMALL_RHO_ROUNDS, pivots) && remove_rho(g, tolerance);
}

/* One sweep of projected Gauss-Seidel over all rows. */
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

/* Sweeps find approximate positions; block pivots continue from there. */
static bool solve_after_sweeps(RgBlockPivot *g, double tolerance, int *pivots)
{
    init_places(g);
    for (int round = 0, sweeps = FIRST_SWEEPS; round < SWEEP_ATTEMPTS; round++, sweeps *= 2) {
        memcpy(g->z, g->z0, (size_t)g->r.nb * sizeof *g->z);
        for (int k = 0; k < sweeps; k++)
            sweep(g);
        places_of_z(g, false);
        if (try_small_rho(g, tolerance, pivots))
            return true;
    }
    return false;
}

/* Decreases rho from a large to a small value, each time around the previous solution. */
static bool solve_by_decreasing_rho(RgBlockPivot *g, double tolerance, int max_rounds, int *pivots)
{
    static const double rho[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    init_places(g);
    for (size_t stage = 0; stage < sizeof rho / sizeof rho[0]; stage++) {
        g->rho = rho[stage];
        g->proximal = true;
        if (!find_places(g, tolerance, max_rounds, pivots))
            return false;
        memcpy(g->saved, g->z, (size_t)g->r.nb * sizeof *g->saved);
        if (remove_rho(g, tolerance))
            return true;
        memcpy(g->z0, g->saved, (size_t)g->r.nb * sizeof *g->z0);
    }
    return false;
}

/* Tries the positions of the initial guess first. */
static bool solve_places(RgBlockPivot *g, double tolerance, int max_rounds, int *pivots)
{
    init_places(g);
    if (try_small_rho(g, tolerance, pivots))
        return true;
    return g->fixed ? solve_by_decreasing_rho(g, tolerance, max_rounds, pivots)
                    : solve_after_sweeps(g, tolerance, pivots);
}

/* Corrects free rows and equalities once more with M itself, where the elimination lost digits. False: nothing to
   correct. */
static bool correct_from_M(RgBlockPivot *g, double tolerance)
{
    RgDenseLcp *lcp = g->lcp;
    for (int k = 0; k < g->nfree; k++)
        g->w[g->free[k]] = rg_dense_lcp_rate(lcp, g->r.row[g->free[k]]);
    if (free_residual(g) <= tolerance)
        return false;
    correct_free_rows(g);
    for (int a = 0; a < g->r.nb; a++) {
        double low, high;
        bounds_of(g, a, &low, &high);
        g->z[a] = g->z[a] < low ? low : g->z[a] > high ? high : g->z[a];
        lcp->z[g->r.row[a]] = g->z[a];
    }
    rg_dense_lcp_solve_equalities(&g->r, lcp);
    return true;
}

/* Stores z: bounded rows within their bounds, equalities so that their w is 0. */
static void store_solution(RgBlockPivot *g, bool solved, double tolerance)
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
    rg_dense_lcp_solve_equalities(&g->r, lcp);
    for (int round = 0; round < REFINEMENTS && solved && g->r.nf > 0; round++)
        if (!correct_from_M(g, tolerance))
            break;
}

bool rg_block_pivot_run(RgBlockPivot *g, const RgBlockPivotRun *run, int *pivots)
{
    double tolerance = run->tolerance;
    int max_rounds = run->max_rounds;
    g->fixed = run->friction_bound != NULL;
    for (int a = 0; a < g->r.nb && g->fixed; a++)
        g->friction_bound[a] = run->friction_bound[g->r.row[a]];

    double sharp = POSITION_TOLERANCE_PART * tolerance * g->scale;
    bool soft = run->softness > 0.0;
    bool solved = soft ? solve_compromise(g, run, sharp, pivots) : solve_places(g, sharp, max_rounds, pivots);
    store_solution(g, solved && !soft, sharp);
    return solved;
}
