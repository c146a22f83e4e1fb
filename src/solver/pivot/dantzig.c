/*
 * dantzig.c - Dantzig's principal pivoting for w = M z + q with bounds (Cottle, Dantzig 1968; Baraff 1994, for
 * contacts), one row after the other.
 *
 * Rows that were visited stand at a bound with w of the right sign, or are free with w = 0. Row i is visited: z_i moves
 * against w_i, the free rows C move with it so that their w stays 0,
 *
 *   M_CC dz_C = -M_Ci dz_i
 *
 * until w_i is 0 or z_i at a bound. On the way a free row may meet a bound and leave C, or a row at a bound may get
 * w = 0 and join C. M_CC = L D L' is kept as rows come and go, n^2 each.
 *
 * Redundant rows. Where row i depends on C, w_i does not move with z_i. If it is 0, the row rests: z_i stays, and w_i
 * stays 0 while C does; when a row leaves C, resting rows are asked again. If it is not 0, z_i moves until a free row
 * meets a bound. If none ever does, what the row asks for cannot be met: it is left at rest and reported.
 *
 * The order of attempts. Block pivots with friction rows that follow their normals (block_pivot.c): nearly always
 * enough from the impulses of the step before. If not, and rows are few or none of friction: two rounds with friction
 * bounds from the normal impulses of the round before, this problem with fixed bounds by blocks, or row by row as
 * above, then block pivots with friction rows that follow from there. What is not solved by then is given to Lemke's
 * method, which has friction rows in its path and always ends; problems too large for that get rounds instead, as far
 * as the work allows.
 *
 * Cost: n^2 for each pivot, about n pivots. Failure: friction that does not settle; too many pivots.
 */
#include "solver/pivot/dantzig.h"

#include "math/grow_ldl.h"
#include "solver/pivot/block_pivot.h"
#include "solver/pivot/lemke.h"

#include <math.h>
#include <string.h>

/* What is left of a row's diagonal, relative, when it depends on C. */
#define LEAST_PIVOT 1e-10
#define ROUNDS 2
/* Rounds with whole changes of the friction bounds. */
#define WHOLE_ROUNDS 4
/* Rows, with three for each of friction, that are too many for Lemke's method. */
#define LARGE 1500
/* Rounds of problems too large for it, as many as this leaves for 10 n^3 each. */
#define LARGE_WORK 2e8
/* Rows that are few enough to go one by one where block pivots do not end. */
#define FEW 60

/* Block pivots: as the fast start, and after each round. */
#define FAST_PIVOTS 40
#define ROUND_PIVOTS 12
/* Softness of a compromise, relative to the diagonal: where there is no solution. */
#define SOFT 1e-3
/* Impulses that would give their row so many times the largest velocity missed are no answer. */
#define WILD 1e6
/* With fixed bounds. */
#define FIXED_PIVOTS 50

typedef enum Place { AT_LOW, AT_HIGH, IN_C, RESTING, REFUSED, NOT_YET } Place;

typedef struct Dantzig {
    RgDenseLcp *lcp;
    int n, pivots, most, conflicts;
    double *low, *high; /* n: as they stand in this round */
    uint8_t *place;     /* n */
    int *C, *at;        /* n: rows of the factor; place in it */
    RgGrowLdl ldl;
    double *dz, *dw, *row; /* n */
    double zero;           /* w below it counts as 0 */
} Dantzig;

/* ------------------------------------------------------------------ the set C */

static double entry(const Dantzig *g, int i, int j)
{
    return g->lcp->M[(size_t)i * (size_t)g->n + (size_t)j];
}

/* False: depends on C, and rests. */
static bool join(Dantzig *g, int i)
{
    for (int k = 0; k < g->ldl.n; k++)
        g->row[k] = entry(g, i, g->C[k]);
    g->place[i] = RESTING;
    if (!rg_grow_ldl_add(&g->ldl, g->row, entry(g, i, i), LEAST_PIVOT * entry(g, i, i)))
        return false;
    g->at[i] = g->ldl.n - 1;
    g->C[g->at[i]] = i;
    g->place[i] = IN_C;
    return true;
}

/* Row i goes to a bound; one of those that rest may take its place. */
static void leave(Dantzig *g, int i, Place to)
{
    int k = g->at[i];
    rg_grow_ldl_remove(&g->ldl, k);
    for (; k < g->ldl.n; k++) {
        g->C[k] = g->C[k + 1];
        g->at[g->C[k]] = k;
    }
    g->place[i] = (uint8_t)to;
    g->lcp->z[i] = to == AT_LOW ? g->low[i] : g->high[i];
    for (int j = 0; j < g->n; j++)
        if (g->place[j] == RESTING && join(g, j))
            return;
}

/* ------------------------------------------------------------------ a way */

/* Changes of z and w with a unit of z_i in direction dir. */
static void find_direction(Dantzig *g, int i, double dir)
{
    memset(g->dz, 0, (size_t)g->n * sizeof *g->dz);
    for (int k = 0; k < g->ldl.n; k++)
        g->row[k] = -dir * entry(g, i, g->C[k]);
    rg_grow_ldl_solve(&g->ldl, g->row);
    for (int k = 0; k < g->ldl.n; k++)
        g->dz[g->C[k]] = g->row[k];
    g->dz[i] = dir;
    for (int j = 0; j < g->n; j++) {
        const double *M = g->lcp->M + (size_t)j * (size_t)g->n;
        double sum = dir * M[i];
        for (int k = 0; k < g->ldl.n && g->place[j] != IN_C; k++)
            sum += M[g->C[k]] * g->row[k];
        g->dw[j] = g->place[j] == IN_C ? 0.0 : sum;
    }
    /* What is left of the diagonal, where that is nothing but round-off. */
    if (fabs(g->dw[i]) <= LEAST_PIVOT * entry(g, i, i))
        g->dw[i] = 0.0;
}

/* What ends a way: the row, and where it goes. */
typedef struct Event {
    int row;
    Place to;
    double way;
} Event;

static void earlier(Event *first, int row, Place to, double way)
{
    way = way > 0.0 ? way : 0.0;
    if (way < first->way)
        *first = (Event){row, to, way};
}

static Event find_event(const Dantzig *g, int i)
{
    const double *z = g->lcp->z, *w = g->lcp->w;
    Event first = {.row = -1, .to = RESTING, .way = INFINITY};
    if (g->dw[i] != 0.0)
        earlier(&first, i, IN_C, -w[i] / g->dw[i]);
    earlier(&first, i, g->dz[i] > 0.0 ? AT_HIGH : AT_LOW, g->dz[i] > 0.0 ? g->high[i] - z[i] : z[i] - g->low[i]);
    for (int j = 0; j < g->n; j++) {
        /* Changes that are round-off of their row's own are none. */
        double still = LEAST_PIVOT * entry(g, j, j);
        if (g->place[j] == IN_C && g->dz[j] < 0.0)
            earlier(&first, j, AT_LOW, (g->low[j] - z[j]) / g->dz[j]);
        else if (g->place[j] == IN_C && g->dz[j] > 0.0)
            earlier(&first, j, AT_HIGH, (g->high[j] - z[j]) / g->dz[j]);
        else if (g->low[j] < g->high[j] &&
                 ((g->place[j] == AT_LOW && g->dw[j] < -still) || (g->place[j] == AT_HIGH && g->dw[j] > still)))
            earlier(&first, j, IN_C, -w[j] / g->dw[j]);
    }
    return first;
}

static void walk(Dantzig *g, double way)
{
    for (int j = 0; j < g->n; j++) {
        g->lcp->z[j] += way * g->dz[j];
        g->lcp->w[j] += way * g->dw[j];
    }
}

/* Row i to its place. False: too many pivots. */
static bool drive(Dantzig *g, int i)
{
    RgDenseLcp *lcp = g->lcp;
    while (g->pivots < g->most) {
        double w = lcp->w[i];
        if (lcp->z[i] <= g->low[i] && (w >= -g->zero || g->low[i] >= g->high[i])) {
            g->place[i] = AT_LOW;
            return true;
        }
        if (lcp->z[i] >= g->high[i] && w <= g->zero) {
            g->place[i] = AT_HIGH;
            return true;
        }
        if (fabs(w) <= g->zero) {
            join(g, i);
            return true;
        }
        find_direction(g, i, w > 0.0 ? -1.0 : 1.0);
        Event event = find_event(g, i);
        g->pivots++;
        if (event.row < 0) {
            g->place[i] = REFUSED;
            g->conflicts++;
            return true;
        }
        walk(g, event.way);
        if (event.row == i && event.to == IN_C) {
            lcp->w[i] = 0.0;
            join(g, i);
            return true;
        }
        if (event.row == i) {
            g->place[i] = (uint8_t)event.to;
            lcp->z[i] = event.to == AT_LOW ? g->low[i] : g->high[i];
            return true;
        }
        if (event.to == IN_C) {
            lcp->w[event.row] = 0.0;
            join(g, event.row);
        } else {
            leave(g, event.row, event.to);
        }
    }
    return false;
}

/* ------------------------------------------------------------------ all rows */

static bool take(Dantzig *g, RgArena *arena)
{
    size_t n = (size_t)g->n;
    double *doubles = RG_TAKE_RAW(arena, double, 5 * n + rg_grow_ldl_doubles(g->n));
    g->place = RG_TAKE_RAW(arena, uint8_t, n);
    g->C = RG_TAKE_RAW(arena, int, n);
    g->at = RG_TAKE_RAW(arena, int, n);
    if (arena->failed)
        return false;
    g->low = doubles;
    g->high = g->low + n;
    g->dz = g->high + n;
    g->dw = g->dz + n;
    g->row = g->dw + n;
    rg_grow_ldl_place(&g->ldl, g->n, g->row + n);
    for (int i = 0; i < g->n; i++)
        g->zero = fmax(g->zero, 1e-14 * fabs(g->lcp->q[i]));
    return true;
}

static double largest_q(const RgDenseLcp *lcp)
{
    double largest = 0.0;
    for (int i = 0; i < lcp->n; i++)
        largest = fmax(largest, fabs(lcp->q[i]));
    return largest;
}

/* From z = 0, or the bound next to it. False: too many pivots. */
static bool solve_box(Dantzig *g)
{
    RgDenseLcp *lcp = g->lcp;
    int n = g->n;
    g->ldl.n = 0;
    g->conflicts = 0;
    for (int i = 0; i < n; i++) {
        lcp->z[i] = g->low[i] > 0.0 ? g->low[i] : g->high[i] < 0.0 ? g->high[i] : 0.0;
        g->place[i] = NOT_YET;
    }
    for (int i = 0; i < n; i++) {
        lcp->w[i] = lcp->q[i];
        for (int j = 0; j < n; j++)
            lcp->w[i] += entry(g, i, j) * lcp->z[j];
    }
    /* Equalities first: they never leave. */
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            if ((g->low[i] == -INFINITY && g->high[i] == INFINITY) == (k == 0) && g->place[i] == NOT_YET &&
                !drive(g, i))
                return false;
    return true;
}

/* The free rows once more from the problem itself. */
static void refine(Dantzig *g)
{
    RgDenseLcp *lcp = g->lcp;
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < g->ldl.n; k++) {
            double w = lcp->q[g->C[k]];
            for (int j = 0; j < g->n; j++)
                w += entry(g, g->C[k], j) * lcp->z[j];
            g->row[k] = -w;
        }
        rg_grow_ldl_solve(&g->ldl, g->row);
        for (int k = 0; k < g->ldl.n; k++) {
            int i = g->C[k];
            double z = lcp->z[i] + g->row[k];
            lcp->z[i] = z < g->low[i] ? g->low[i] : z > g->high[i] ? g->high[i] : z;
        }
    }
}

static bool refused(RgDenseLcp *lcp, RgDantzigReport *report)
{
    *report = (RgDantzigReport){.outcome = RG_SOLVE_SOLVED, .residual = {.worst = -1}};
    if (lcp->n > 0 && rg_dense_lcp_valid(lcp))
        return false;
    memset(lcp->z, 0, (size_t)lcp->n * sizeof *lcp->z);
    memset(lcp->w, 0, (size_t)lcp->n * sizeof *lcp->w);
    if (lcp->n > 0)
        report->outcome = RG_SOLVE_SINGULAR;
    return true;
}

static void conclude(const RgDenseLcp *lcp, double tolerance, RgDantzigReport *report)
{
    bool good = report->residual.natural <= tolerance * largest_q(lcp);
    report->outcome = good ? RG_SOLVE_SOLVED : report->conflicts > 0 ? RG_SOLVE_INFEASIBLE : RG_SOLVE_ITERATIONS;
}

RgStatus rg_dantzig_box(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgDantzigReport *report)
{
    if (refused(lcp, report))
        return RG_OK;
    Dantzig g = {.lcp = lcp, .n = lcp->n, .most = 200 + 20 * lcp->n};
    if (!take(&g, arena))
        return RG_ERR_MEMORY;
    memcpy(g.low, lcp->low, (size_t)g.n * sizeof *g.low);
    memcpy(g.high, lcp->high, (size_t)g.n * sizeof *g.high);
    solve_box(&g);
    refine(&g);
    int *normal = lcp->normal;
    lcp->normal = NULL;
    report->residual = rg_dense_lcp_judge(lcp);
    lcp->normal = normal;
    report->pivots = g.pivots;
    report->conflicts = g.conflicts;
    conclude(lcp, options->tolerance, report);
    return RG_OK;
}

/* ------------------------------------------------------------------ friction */

/* Bounds of friction rows from the normal impulses, or half way there. */
static void set_friction(Dantzig *g, bool whole)
{
    const RgDenseLcp *lcp = g->lcp;
    for (int i = 0; i < g->n; i++) {
        double low, high;
        rg_dense_lcp_bounds(lcp, i, &low, &high);
        bool friction = lcp->normal != NULL && lcp->normal[i] >= 0;
        g->high[i] = friction && !whole ? 0.5 * (g->high[i] + high) : high;
        g->low[i] = friction ? -g->high[i] : low;
    }
}

typedef struct Best {
    double *z;
    RgLcpResidual residual;
} Best;

/* Impulses out of all proportion: rows that contradict each other, nearly, push without end. */
static bool is_wild(const RgDenseLcp *lcp)
{
    double largest = 0.0;
    for (int i = 0; i < lcp->n; i++)
        largest = fmax(largest, fabs(lcp->z[i]) * lcp->M[(size_t)i * ((size_t)lcp->n + 1)]);
    return !(largest <= WILD * largest_q(lcp));
}

/* Judges z; keeps it if it is the best so far, and not wild. True: the judge is content. */
static bool judge(RgDenseLcp *lcp, double tolerance, Best *best)
{
    RgLcpResidual now = rg_dense_lcp_judge(lcp);
    bool content = now.natural <= tolerance * largest_q(lcp);
    if (!content && is_wild(lcp))
        now.natural = INFINITY;
    if (best->residual.worst < 0 || now.natural < best->residual.natural) {
        memcpy(best->z, lcp->z, (size_t)lcp->n * sizeof *best->z);
        best->residual = now;
    }
    return content;
}

/* Friction impulses that the new normals do not carry are cut. */
static void cut_friction(RgDenseLcp *lcp)
{
    for (int i = 0; i < lcp->n && lcp->normal != NULL; i++) {
        double low, high;
        rg_dense_lcp_bounds(lcp, i, &low, &high);
        if (lcp->normal[i] >= 0)
            lcp->z[i] = lcp->z[i] < low ? low : lcp->z[i] > high ? high : lcp->z[i];
    }
}

static int count_friction(const RgDenseLcp *lcp)
{
    int count = 0;
    for (int i = 0; i < lcp->n && lcp->normal != NULL; i++)
        count += lcp->normal[i] >= 0;
    return count;
}

static int most_rounds(int n, int linked)
{
    if (linked == 0 || n <= FEW)
        return ROUNDS;
    return n + 2 * linked < LARGE ? 0 : (int)(LARGE_WORK / ((double)n * n * n)) + 1;
}

/* One round with friction bounds from the last: by blocks, and where that does not end it row by row. */
static void solve_fixed(Dantzig *g, RgBlockPivot *blocks, double tolerance, bool whole, RgDantzigReport *report)
{
    RgDenseLcp *lcp = g->lcp;
    set_friction(g, whole);
    RgBlockPivotRun run = {.tolerance = tolerance, .most = FIXED_PIVOTS, .reach = g->high};
    bool ended = rg_block_pivot_run(blocks, &run, &report->pivots);
    if (!ended && (g->n <= FEW || count_friction(lcp) == 0)) {
        g->most = g->pivots + 200 + 20 * g->n;
        solve_box(g);
        refine(g);
        report->conflicts = g->conflicts;
    }
    cut_friction(lcp);
}

static void settle(Dantzig *g, RgBlockPivot *blocks, double tolerance, Best *best, RgDantzigReport *report)
{
    RgDenseLcp *lcp = g->lcp;
    int linked = count_friction(lcp), rounds = most_rounds(g->n, linked);
    while (report->rounds++ < rounds) {
        solve_fixed(g, blocks, tolerance, report->rounds <= WHOLE_ROUNDS, report);
        if (judge(lcp, tolerance, best) || linked == 0)
            return;
        /* Block pivots from here may end it; if not, the next round goes on from these normals. */
        memcpy(g->dz, lcp->z, (size_t)g->n * sizeof *g->dz);
        RgBlockPivotRun run = {.tolerance = tolerance, .most = ROUND_PIVOTS};
        rg_block_pivot_run(blocks, &run, &report->pivots);
        if (judge(lcp, tolerance, best))
            return;
        memcpy(lcp->z, g->dz, (size_t)g->n * sizeof *g->dz);
    }
}

/* Equalities that nothing moves and that are not met. */
static int count_conflicts(const RgDenseLcp *lcp, double tolerance)
{
    int count = 0;
    for (int i = 0; i < lcp->n; i++)
        count += lcp->low[i] == -INFINITY && lcp->high[i] == INFINITY && lcp->z[i] == 0.0 &&
                 fabs(lcp->w[i]) > tolerance * largest_q(lcp);
    return count;
}

/* What is not solved by now. */
static RgStatus ask_lemke(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, Best *best,
                          RgDantzigReport *report)
{
    int linked = count_friction(lcp);
    if (best->residual.natural <= options->tolerance * largest_q(lcp) || lcp->n + 2 * linked >= LARGE)
        return RG_OK;
    RgLemkeReport lemke;
    RgStatus status = rg_lemke_solve(arena, lcp, options, &lemke);
    report->pivots += lemke.pivots;
    if (linked == 0 && lemke.outcome == RG_SOLVE_RAY && report->conflicts == 0)
        report->conflicts = 1; /* a ray of a semidefinite matrix: there is no solution */
    report->lent = status == RG_OK && judge(lcp, options->tolerance, best);
    return status;
}

RgStatus rg_dantzig_solve(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgDantzigReport *report)
{
    if (refused(lcp, report))
        return RG_OK;
    Best best = {.z = RG_TAKE_RAW(arena, double, lcp->n), .residual = {.worst = -1}};
    RgBlockPivot *blocks = rg_block_pivot_take(arena, lcp, &report->redundant);
    if (arena->failed || blocks == NULL)
        return RG_ERR_MEMORY;
    RgBlockPivotRun run = {.tolerance = options->tolerance, .most = FAST_PIVOTS};
    if (count_friction(lcp) == 0)
        run.reach = lcp->high; /* bounds do not move */
    bool all = rg_block_pivot_run(blocks, &run, &report->pivots);
    report->fast = judge(lcp, options->tolerance, &best);
    if (!report->fast && all && report->redundant > 0 && !is_wild(lcp)) {
        report->conflicts = count_conflicts(lcp, options->tolerance);
        report->fast = report->conflicts > 0;
    }
    if (!report->fast) {
        Dantzig g = {.lcp = lcp, .n = lcp->n};
        if (!take(&g, arena))
            return RG_ERR_MEMORY;
        settle(&g, blocks, options->tolerance, &best, report);
        report->pivots += g.pivots;
        RgStatus status = ask_lemke(arena, lcp, options, &best, report);
        if (status != RG_OK)
            return status;
    }
    if (best.residual.natural > options->tolerance * largest_q(lcp) && !(report->fast && all)) {
        RgBlockPivotRun soft = {.tolerance = options->tolerance, .most = FIXED_PIVOTS, .soft = SOFT};
        rg_block_pivot_run(blocks, &soft, &report->pivots);
        judge(lcp, options->tolerance, &best);
        report->fast = false;
    }
    report->residual = best.residual;
    if (!report->fast) {
        memcpy(lcp->z, best.z, (size_t)lcp->n * sizeof *best.z);
        report->residual = rg_dense_lcp_judge(lcp);
    }
    conclude(lcp, options->tolerance, report);
    return RG_OK;
}
