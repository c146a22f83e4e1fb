/*
 * dantzig.c - Dantzig's principal pivoting for w = M z + q with bounds (Cottle, Dantzig 1968; Baraff 1994, for
 * contacts), one row after the other.
 *
 * Visited rows are at a bound with w of the right sign, or free with w = 0. To visit row i, z_i moves against w_i, and
 * the free rows C move with it so that their w stays 0,
 *
 *   M_CC dz_C = -M_Ci dz_i
 *
 * until w_i is 0 or z_i is at a bound. On the way a free row may reach a bound and leave C, or a row at a bound may
 * reach w = 0 and join C. The factor M_CC = L D L' is updated as rows join and leave, at n^2 each.
 *
 * Redundant rows. If row i depends on C, w_i does not change with z_i. If w_i is 0, the row is dependent: z_i is fixed,
 * and w_i stays 0 while C does not change; when a row leaves C, dependent rows may take its place. If w_i is not 0, z_i
 * moves until a free row reaches a bound. If none does, the target of the row cannot be met: the row is left as it is
 * and reported as a conflict.
 *
 * Order of attempts. First block pivots with friction rows that follow their normals (block_pivot.c), which mostly
 * suffice from the impulses of the last step. Otherwise, if there are few rows or no friction: two rounds with friction
 * bounds from the normal impulses of the previous round. Each round solves the problem with fixed bounds by block
 * pivots, or row by row as above, then continues with block pivots whose friction rows follow. The next fallback is
 * Lemke's method, which has friction rows in its path and always ends. Problems too large for it get more rounds
 * instead, as far as the work limit allows.
 *
 * Cost: n^2 per pivot, about n pivots. Failure: friction that does not converge; too many pivots.
 */
#include "solver/pivot/dantzig.h"

#include "math/grow_ldl.h"
#include "solver/pivot/block_pivot.h"
#include "solver/pivot/lemke.h"

#include <math.h>
#include <string.h>

/* A row depends on C if its pivot is below this part of its diagonal. */
#define MIN_PIVOT 1e-10
/* Rounds of friction bounds, at most. */
#define MAX_ROUNDS 2
/* Size (rows, with three for each friction row) from which on Lemke's method is not used. */
#define LEMKE_SIZE_LIMIT 1500
/* Work limit of the rounds of such problems; a round counts as n^3. */
#define LARGE_WORK 2e8
/* Largest number of rows for which rows are visited one by one if block pivots with friction do not end. */
#define ROW_BY_ROW_MAX 60

/* Limits of block pivots: at the start, after each round, and with fixed bounds. */
#define START_BLOCK_PIVOTS 40
#define ROUND_BLOCK_PIVOTS 12
#define FIXED_BLOCK_PIVOTS 50
/* Regularisation of the compromise if there is no solution, relative to the diagonal: trades violated targets against
   large impulses. */
#define COMPROMISE_RHO 1e-3
/* An impulse is excessive if it would change the velocity of its row by this multiple of the largest |q|. */
#define EXCESSIVE_RATIO 1e6

typedef enum Place {
    AT_LOW,
    AT_HIGH,
    IN_C,
    DEPENDENT,   /* on C, with w = 0 */
    CONFLICTING, /* its target cannot be met */
    NOT_VISITED
} Place;

typedef struct Dantzig {
    RgDenseLcp *lcp;
    int n, pivots, most, conflicts;
    double *low, *high; /* n: bounds of this round */
    uint8_t *place;     /* n */
    int *C, *at;        /* n: rows of the factor; index in it */
    RgGrowLdl ldl;
    double *dz, *dw, *row; /* n */
    double zero;           /* w below this counts as 0 */
} Dantzig;

/* ------------------------------------------------------------------ the set C */

static double entry(const Dantzig *g, int i, int j)
{
    return g->lcp->M[(size_t)i * (size_t)g->n + (size_t)j];
}

/* Adds row i to C. False: it depends on C. */
static bool add_to_C(Dantzig *g, int i)
{
    for (int k = 0; k < g->ldl.n; k++)
        g->row[k] = entry(g, i, g->C[k]);
    g->place[i] = DEPENDENT;
    if (!rg_grow_ldl_add(&g->ldl, g->row, entry(g, i, i), MIN_PIVOT * entry(g, i, i)))
        return false;
    g->at[i] = g->ldl.n - 1;
    g->C[g->at[i]] = i;
    g->place[i] = IN_C;
    return true;
}

/* Removes row i from C, to a bound; a dependent row may take its place. */
static void remove_from_C(Dantzig *g, int i, Place to)
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
        if (g->place[j] == DEPENDENT && add_to_C(g, j))
            return;
}

/* ------------------------------------------------------------------ moving one row */

/* Changes dz and dw per unit of z_i in direction dir. */
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
    /* A reduced diagonal of the size of round-off is 0. */
    if (fabs(g->dw[i]) <= MIN_PIVOT * entry(g, i, i))
        g->dw[i] = 0.0;
}

/* The event that ends a move: the row, and its new place. */
typedef struct Event {
    int row;
    Place to;
    double distance;
} Event;

static void update_event(Event *first, int row, Place to, double distance)
{
    distance = distance > 0.0 ? distance : 0.0;
    if (distance < first->distance)
        *first = (Event){row, to, distance};
}

static Event find_event(const Dantzig *g, int i)
{
    const double *z = g->lcp->z, *w = g->lcp->w;
    Event first = {.row = -1, .to = DEPENDENT, .distance = INFINITY};
    if (g->dw[i] != 0.0)
        update_event(&first, i, IN_C, -w[i] / g->dw[i]);
    update_event(&first, i, g->dz[i] > 0.0 ? AT_HIGH : AT_LOW, g->dz[i] > 0.0 ? g->high[i] - z[i] : z[i] - g->low[i]);
    for (int j = 0; j < g->n; j++) {
        /* Changes below the round-off of the row are ignored. */
        double round_off = MIN_PIVOT * entry(g, j, j);
        if (g->place[j] == IN_C && g->dz[j] < 0.0)
            update_event(&first, j, AT_LOW, (g->low[j] - z[j]) / g->dz[j]);
        else if (g->place[j] == IN_C && g->dz[j] > 0.0)
            update_event(&first, j, AT_HIGH, (g->high[j] - z[j]) / g->dz[j]);
        else if (g->low[j] < g->high[j] &&
                 ((g->place[j] == AT_LOW && g->dw[j] < -round_off) || (g->place[j] == AT_HIGH && g->dw[j] > round_off)))
            update_event(&first, j, IN_C, -w[j] / g->dw[j]);
    }
    return first;
}

static void advance(Dantzig *g, double distance)
{
    for (int j = 0; j < g->n; j++) {
        g->lcp->z[j] += distance * g->dz[j];
        g->lcp->w[j] += distance * g->dw[j];
    }
}

/* Moves row i until its condition holds. False: too many pivots. */
static bool move_row(Dantzig *g, int i)
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
            add_to_C(g, i);
            return true;
        }
        find_direction(g, i, w > 0.0 ? -1.0 : 1.0);
        Event event = find_event(g, i);
        g->pivots++;
        if (event.row < 0) {
            g->place[i] = CONFLICTING;
            g->conflicts++;
            return true;
        }
        advance(g, event.distance);
        if (event.row == i && event.to == IN_C) {
            lcp->w[i] = 0.0;
            add_to_C(g, i);
            return true;
        }
        if (event.row == i) {
            g->place[i] = (uint8_t)event.to;
            lcp->z[i] = event.to == AT_LOW ? g->low[i] : g->high[i];
            return true;
        }
        if (event.to == IN_C) {
            lcp->w[event.row] = 0.0;
            add_to_C(g, event.row);
        } else {
            remove_from_C(g, event.row, event.to);
        }
    }
    return false;
}

/* ------------------------------------------------------------------ all rows */

static bool alloc_work(Dantzig *g, RgArena *arena)
{
    size_t n = (size_t)g->n;
    double *doubles = RG_ARENA_ALLOC_RAW(arena, double, 5 * n + rg_grow_ldl_doubles(g->n));
    g->place = RG_ARENA_ALLOC_RAW(arena, uint8_t, n);
    g->C = RG_ARENA_ALLOC_RAW(arena, int, n);
    g->at = RG_ARENA_ALLOC_RAW(arena, int, n);
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

/* Visits all rows, from z = 0 or the bound next to it. False: too many pivots. */
static bool solve_box(Dantzig *g)
{
    RgDenseLcp *lcp = g->lcp;
    int n = g->n;
    g->ldl.n = 0;
    g->conflicts = 0;
    for (int i = 0; i < n; i++) {
        lcp->z[i] = g->low[i] > 0.0 ? g->low[i] : g->high[i] < 0.0 ? g->high[i] : 0.0;
        g->place[i] = NOT_VISITED;
    }
    for (int i = 0; i < n; i++) {
        lcp->w[i] = lcp->q[i];
        for (int j = 0; j < n; j++)
            lcp->w[i] += entry(g, i, j) * lcp->z[j];
    }
    /* Equalities first: they never leave C. */
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < n; i++)
            if ((g->low[i] == -INFINITY && g->high[i] == INFINITY) == (k == 0) && g->place[i] == NOT_VISITED &&
                !move_row(g, i))
                return false;
    return true;
}

/* Corrects the free rows once more with M itself. */
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

/* Handles an empty or invalid problem. True: report is final. */
static bool is_trivial_or_invalid(RgDenseLcp *lcp, RgDantzigReport *report)
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

static void set_outcome(const RgDenseLcp *lcp, double tolerance, RgDantzigReport *report)
{
    bool good = report->residual.natural <= tolerance * largest_q(lcp);
    report->outcome = good ? RG_SOLVE_SOLVED : report->conflicts > 0 ? RG_SOLVE_INFEASIBLE : RG_SOLVE_ITERATIONS;
}

RgStatus rg_dantzig_box(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgDantzigReport *report)
{
    if (is_trivial_or_invalid(lcp, report))
        return RG_OK;
    Dantzig g = {.lcp = lcp, .n = lcp->n, .most = 200 + 20 * lcp->n};
    if (!alloc_work(&g, arena))
        return RG_ERR_MEMORY;
    memcpy(g.low, lcp->low, (size_t)g.n * sizeof *g.low);
    memcpy(g.high, lcp->high, (size_t)g.n * sizeof *g.high);
    solve_box(&g);
    refine(&g);
    int *normal = lcp->normal;
    lcp->normal = NULL;
    report->residual = rg_dense_lcp_residual(lcp);
    lcp->normal = normal;
    report->pivots = g.pivots;
    report->conflicts = g.conflicts;
    set_outcome(lcp, options->tolerance, report);
    return RG_OK;
}

/* ------------------------------------------------------------------ friction */

/* Sets the bounds; those of friction rows follow from the normal impulses. */
static void set_bounds(Dantzig *g)
{
    for (int i = 0; i < g->n; i++)
        rg_dense_lcp_bounds(g->lcp, i, &g->low[i], &g->high[i]);
}

typedef struct Best {
    double *z;
    RgLcpResidual residual;
} Best;

/* Whether impulses are excessive: rows that nearly contradict each other push against each other without limit. */
static bool has_excessive_impulse(const RgDenseLcp *lcp)
{
    double largest = 0.0;
    for (int i = 0; i < lcp->n; i++)
        largest = fmax(largest, fabs(lcp->z[i]) * lcp->M[(size_t)i * ((size_t)lcp->n + 1)]);
    return !(largest <= EXCESSIVE_RATIO * largest_q(lcp));
}

/* Evaluates the residual of z; stores z if it is the best so far and its impulses are not excessive. True: the residual
   is below the tolerance. */
static bool evaluate_and_store(RgDenseLcp *lcp, double tolerance, Best *best)
{
    RgLcpResidual now = rg_dense_lcp_residual(lcp);
    bool converged = now.natural <= tolerance * largest_q(lcp);
    if (!converged && has_excessive_impulse(lcp))
        now.natural = INFINITY;
    if (best->residual.worst < 0 || now.natural < best->residual.natural) {
        memcpy(best->z, lcp->z, (size_t)lcp->n * sizeof *best->z);
        best->residual = now;
    }
    return converged;
}

/* Projects friction impulses onto the bounds that the new normals give. */
static void project_friction(RgDenseLcp *lcp)
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

static int round_limit(int n, int friction_rows)
{
    if (friction_rows == 0 || n <= ROW_BY_ROW_MAX)
        return MAX_ROUNDS;
    return n + 2 * friction_rows < LEMKE_SIZE_LIMIT ? 0 : (int)(LARGE_WORK / ((double)n * n * n)) + 1;
}

/* One round with friction bounds from the previous one: by block pivots, then row by row if they do not end. */
static void solve_round(Dantzig *g, RgBlockPivot *blocks, double tolerance, RgDantzigReport *report)
{
    RgDenseLcp *lcp = g->lcp;
    set_bounds(g);
    RgBlockPivotRun run = {.tolerance = tolerance, .max_rounds = FIXED_BLOCK_PIVOTS, .friction_bound = g->high};
    bool ended = rg_block_pivot_run(blocks, &run, &report->pivots);
    if (!ended && (g->n <= ROW_BY_ROW_MAX || count_friction(lcp) == 0)) {
        g->most = g->pivots + 200 + 20 * g->n;
        solve_box(g);
        refine(g);
        report->conflicts = g->conflicts;
    }
    project_friction(lcp);
}

static void iterate_friction(Dantzig *g, RgBlockPivot *blocks, double tolerance, Best *best, RgDantzigReport *report)
{
    RgDenseLcp *lcp = g->lcp;
    int friction_rows = count_friction(lcp), rounds = round_limit(g->n, friction_rows);
    while (report->rounds++ < rounds) {
        solve_round(g, blocks, tolerance, report);
        if (evaluate_and_store(lcp, tolerance, best) || friction_rows == 0)
            return;
        /* Block pivots from here may end it; if not, the next round continues from these normals. */
        memcpy(g->dz, lcp->z, (size_t)g->n * sizeof *g->dz);
        RgBlockPivotRun run = {.tolerance = tolerance, .max_rounds = ROUND_BLOCK_PIVOTS};
        rg_block_pivot_run(blocks, &run, &report->pivots);
        if (evaluate_and_store(lcp, tolerance, best))
            return;
        memcpy(lcp->z, g->dz, (size_t)g->n * sizeof *g->dz);
    }
}

/* Number of equalities without impulse whose targets are not met. */
static int count_conflicts(const RgDenseLcp *lcp, double tolerance)
{
    int count = 0;
    for (int i = 0; i < lcp->n; i++)
        count += lcp->low[i] == -INFINITY && lcp->high[i] == INFINITY && lcp->z[i] == 0.0 &&
                 fabs(lcp->w[i]) > tolerance * largest_q(lcp);
    return count;
}

/* Fallback: Lemke's method. */
static RgStatus fall_back_to_lemke(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, Best *best,
                                   RgDantzigReport *report)
{
    int friction_rows = count_friction(lcp);
    if (best->residual.natural <= options->tolerance * largest_q(lcp) || lcp->n + 2 * friction_rows >= LEMKE_SIZE_LIMIT)
        return RG_OK;
    RgLemkeReport lemke;
    RgStatus status = rg_lemke_solve(arena, lcp, options, &lemke);
    report->pivots += lemke.pivots;
    if (friction_rows == 0 && lemke.outcome == RG_SOLVE_RAY && report->conflicts == 0)
        report->conflicts = 1; /* a ray of a semidefinite matrix: there is no solution */
    report->solved_by_lemke = status == RG_OK && evaluate_and_store(lcp, options->tolerance, best);
    return status;
}

RgStatus rg_dantzig_solve(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgDantzigReport *report)
{
    if (is_trivial_or_invalid(lcp, report))
        return RG_OK;
    Best best = {.z = RG_ARENA_ALLOC_RAW(arena, double, lcp->n), .residual = {.worst = -1}};
    RgBlockPivot *blocks = rg_block_pivot_alloc(arena, lcp, &report->redundant);
    if (arena->failed || blocks == NULL)
        return RG_ERR_MEMORY;
    RgBlockPivotRun run = {.tolerance = options->tolerance, .max_rounds = START_BLOCK_PIVOTS};
    if (count_friction(lcp) == 0)
        run.friction_bound = lcp->high; /* all bounds are fixed */
    bool all = rg_block_pivot_run(blocks, &run, &report->pivots);
    report->fast = evaluate_and_store(lcp, options->tolerance, &best);
    if (!report->fast && all && report->redundant > 0 && !has_excessive_impulse(lcp)) {
        report->conflicts = count_conflicts(lcp, options->tolerance);
        report->fast = report->conflicts > 0;
    }
    if (!report->fast) {
        Dantzig g = {.lcp = lcp, .n = lcp->n};
        if (!alloc_work(&g, arena))
            return RG_ERR_MEMORY;
        iterate_friction(&g, blocks, options->tolerance, &best, report);
        report->pivots += g.pivots;
        RgStatus status = fall_back_to_lemke(arena, lcp, options, &best, report);
        if (status != RG_OK)
            return status;
    }
    if (best.residual.natural > options->tolerance * largest_q(lcp) && !(report->fast && all)) {
        RgBlockPivotRun soft = {
            .tolerance = options->tolerance, .max_rounds = FIXED_BLOCK_PIVOTS, .softness = COMPROMISE_RHO};
        rg_block_pivot_run(blocks, &soft, &report->pivots);
        evaluate_and_store(lcp, options->tolerance, &best);
        report->fast = false;
    }
    report->residual = best.residual;
    if (!report->fast) {
        memcpy(lcp->z, best.z, (size_t)lcp->n * sizeof *best.z);
        report->residual = rg_dense_lcp_residual(lcp);
    }
    set_outcome(lcp, options->tolerance, report);
    return RG_OK;
}
