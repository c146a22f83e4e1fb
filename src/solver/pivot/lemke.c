/*
 * lemke.c - Lemke's method (Lemke 1965; Cottle, Pang, Stone 2009, section 4.4) with bounds (Sargent 1978).
 *
 *   w = M z + q + d t,    0 <= z <= u,    w >= 0 at z = 0, <= 0 at z = u, 0 between,    d > 0
 *
 * For large t, z = 0 solves. From there t is driven to 0 along the one path of solutions: a variable enters,
 * grows until a basic one meets a bound; that one leaves, and its partner of the pair (z_i, w_i) enters next.
 * Where z_i meets its upper bound the pair is mirrored, z_i <- u_i - z_i, w_i <- -w_i, so that every variable that is
 * not basic is 0. A path without an end is a ray: for positive semidefinite M there is then no solution.
 *
 * Degenerate ends are told apart as if q were q + (e, e^2, e^3, ...) with a small e, which ends cycles: the power of
 * e^k in a basic variable is its entry in the column of w_k, with turned sign.
 *
 * The way to that form: friction rows in three (pyramid.h); rows and columns scaled by powers of two; variables
 * shifted to their lower bound, or mirrored where only the upper one is finite; free variables eliminated with their
 * equations by whole pivoting. Where that block is singular, an equation takes z_p of some pair without upper bound
 * and a free variable its w_p: the path then begins with z_p in the place of w_p. What is left after that is
 * taken in two halves, z = z+ - z-, w+ = w, w- = -w, whose solutions are those with w = 0.
 *
 * Ladder. Rung 0: d = 1. Rungs 1 and 2: other d, which other paths belong to. Then d = 1 and 10^k on the diagonal of M,
 * k = -14, -12, ..., 0. Last, where few variables are bounded, all cases (low, free, high) one by one. After each rung
 * the free variables are found once more from the problem itself, and the judge decides.
 *
 * Cost: a pivot is one change of the whole tableau, n^2. Failure: ray, or too many pivots.
 */
#include "solver/pivot/lemke.h"

#include "math/pair_simd.h"
#include "solver/pivot/pyramid.h"

#include <math.h>
#include <string.h>

#define RUNGS 11
#define FIRST_REGULARISED 3
/* Springs of the stiff limit, on a diagonal of about 1; proximal points at most. */
#define SPRING 1e-6
#define SPRING_STEPS 4
/* All cases are tried where the matrices of all of them together have so many entries. */
#define MOST_WORK 1e6
/* Entries below this are no pivots; the tableau begins with entries of about 1. */
#define LEAST_PIVOT 1e-11
/* Ratios that differ by less are a tie. */
#define TIE 1e-12
/* What is left of an eliminated block counts as zero below this. */
#define LEAST_FREE_PIVOT 1e-12

typedef enum End { END_SOLVED, END_RAY, END_PIVOTS } End;

/* Variables: 2 i is z of pair i, 2 i + 1 its w; 2 pairs is t. Rows of eliminated free variables come last: they are
   carried along and bound nothing. */
typedef struct Lemke {
    const RgDenseLcp *lcp;
    int n, pairs, free_rows;          /* rows: pairs + free_rows; columns: pairs + 1, after that of the constants */
    size_t wide;                      /* numbers from row to row */
    double *T, *first;                /* the tableau; as it was before the first pivot */
    int *basic, *nonbasic;            /* variable of each row, of each column (0: none) */
    int *where;                       /* by variable: row, or -column */
    double *upper;                    /* by pair */
    bool *mirrored;                   /* by pair */
    int *pair_row, *pair_column;      /* by pair: row and column of the shifted matrix */
    int *pair_variable;               /* by pair: variable of the problem */
    bool *swapped;                    /* by pair: z and w have changed their parts */
    int8_t *half;                     /* by pair: 0, or +1 and -1 of a free variable in halves */
    int *free_row, *free_variable;    /* by free row: row of the shifted matrix, variable of the problem */
    double *row_scale, *column_scale; /* of the problem */
    bool *row_gone, *column_gone;     /* of the shifted matrix: eliminated */
    int *own_row, *own_column;        /* of the problem: where w and z of a pair stand in the shifted matrix */
    uint8_t *place;                   /* by variable of the problem */
    double *spare, *best;
    double *centre; /* by pair: z of the last proximal point */
    int pivots, most;
} Lemke;

/* ------------------------------------------------------------------ scale */

/* The power of two next to 1 / sqrt(x). */
static double power_near(double x)
{
    double scale = 1.0;
    if (!(x > 0.0))
        return 1.0;
    for (int k = 0; k < 600 && x * scale * scale > 2.0; k++)
        scale *= 0.5;
    for (int k = 0; k < 600 && x * scale * scale < 0.5; k++)
        scale *= 2.0;
    return scale;
}

/* Rows and columns with largest entries near 1, by a few rounds of the root of the largest. A symmetric matrix keeps
   one scale for both. */
static void find_scales(Lemke *g)
{
    const RgDenseLcp *lcp = g->lcp;
    int n = g->n;
    for (int i = 0; i < n; i++)
        g->row_scale[i] = g->column_scale[i] = 1.0;
    for (int round = 0; round < 4; round++) {
        double *row = g->spare, *column = g->spare + n;
        memset(row, 0, 2 * (size_t)n * sizeof *row);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double size = fabs(lcp->M[(size_t)i * (size_t)n + (size_t)j]) * g->row_scale[i] * g->column_scale[j];
                row[i] = fmax(row[i], size);
                column[j] = fmax(column[j], size);
            }
        for (int i = 0; i < n; i++) {
            double both = lcp->symmetric ? fmax(row[i], column[i]) : 0.0;
            g->row_scale[i] *= power_near(lcp->symmetric ? both : row[i]);
            g->column_scale[i] *= power_near(lcp->symmetric ? both : column[i]);
        }
    }
}

/* ------------------------------------------------------------------ to the standard form */

static bool is_free(const RgDenseLcp *lcp, int i)
{
    return lcp->low[i] == -INFINITY && lcp->high[i] == INFINITY;
}

/* z_i runs down from its upper bound. */
static bool is_hanging(const RgDenseLcp *lcp, int i)
{
    return lcp->low[i] == -INFINITY && lcp->high[i] < INFINITY;
}

static double start_of(const RgDenseLcp *lcp, int i)
{
    return is_free(lcp, i) ? 0.0 : is_hanging(lcp, i) ? lcp->high[i] : lcp->low[i];
}

/* Scaled and shifted, n rows of n + 1: constants first. */
static void fill_shifted(Lemke *g, double *A)
{
    const RgDenseLcp *lcp = g->lcp;
    int n = g->n;
    for (int i = 0; i < n; i++) {
        const double *M = lcp->M + (size_t)i * (size_t)n;
        double *a = A + (size_t)i * ((size_t)n + 1), constant = lcp->q[i], sign = is_hanging(lcp, i) ? -1.0 : 1.0;
        for (int j = 0; j < n; j++) {
            constant += M[j] * start_of(lcp, j);
            a[1 + j] = M[j] * g->row_scale[i] * g->column_scale[j] * (is_hanging(lcp, j) ? -sign : sign);
        }
        a[0] = sign * constant * g->row_scale[i];
    }
}

/* row += factor * pivot, by two or by four numbers: the same bits. */
RG_KERNEL void add_row(double *restrict row, const double *restrict pivot, size_t wide, double factor)
{
    for (size_t j = 0; j < wide; j++)
        row[j] += factor * pivot[j];
}

static void add_row_plain(double *row, const double *pivot, size_t wide, double factor)
{
    add_row(row, pivot, wide, factor);
}

RG_AVX2 static void add_row_avx2(double *row, const double *pivot, size_t wide, double factor)
{
    add_row(row, pivot, wide, factor);
}

/* Exchanges row r with column c of a tableau of rows by wide. */
static void exchange(double *T, int rows, size_t wide, int r, int c)
{
    void (*add)(double *, const double *, size_t, double) = rg_has_avx2() ? add_row_avx2 : add_row_plain;
    double *pivot = T + (size_t)r * wide, per = 1.0 / pivot[c];
    for (size_t j = 0; j < wide; j++)
        pivot[j] *= -per;
    pivot[c] = per;
    for (int i = 0; i < rows; i++) {
        double *row = T + (size_t)i * wide, factor = row[c];
        if (i == r || factor == 0.0)
            continue;
        row[c] = 0.0;
        add(row, pivot, wide, factor);
    }
}

/* Largest entry among equations and free variables that are not yet eliminated. */
static double free_pivot(const Lemke *g, const double *A, int *row, int *column)
{
    double largest = 0.0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n && is_free(g->lcp, i) && !g->row_gone[i]; j++) {
            double size = fabs(A[(size_t)i * ((size_t)g->n + 1) + 1 + (size_t)j]);
            if (is_free(g->lcp, j) && !g->column_gone[j] && size > largest) {
                largest = size;
                *row = i;
                *column = j;
            }
        }
    return largest;
}

static double entry(const Lemke *g, const double *A, int row, int column)
{
    return A[(size_t)row * ((size_t)g->n + 1) + 1 + (size_t)column];
}

static void exchange_shifted(Lemke *g, double *A, int row, int column)
{
    exchange(A, g->n, (size_t)g->n + 1, row, 1 + column);
}

static void add_free_row(Lemke *g, int row, int variable)
{
    g->free_row[g->free_rows] = row;
    g->free_variable[g->free_rows++] = variable;
}

/* Equations and free variables as far as their block has rank. Returns how many are left over. */
static int eliminate_free(Lemke *g, double *A)
{
    int left = 0, row = 0, column = 0;
    for (int i = 0; i < g->n; i++) {
        left += is_free(g->lcp, i);
        g->row_gone[i] = g->column_gone[i] = false;
        g->own_row[i] = g->own_column[i] = i;
    }
    for (g->free_rows = 0; left > 0 && free_pivot(g, A, &row, &column) > LEAST_FREE_PIVOT; left--) {
        exchange_shifted(g, A, row, column);
        g->row_gone[row] = g->column_gone[column] = true;
        add_free_row(g, row, column);
    }
    return left;
}

/* The pair that bridges equation i and free variable j best; -1: none. */
static int find_bridge(const Lemke *g, const double *A, int i, int j, double *best)
{
    int found = -1;
    for (int p = 0; p < g->n; p++) {
        const RgDenseLcp *lcp = g->lcp;
        bool open = !is_free(lcp, p) && isinf(lcp->high[p] - lcp->low[p]) && g->own_row[p] == p;
        double size = open ? fmin(fabs(entry(g, A, i, p)), fabs(entry(g, A, p, j))) : 0.0;
        if (size > *best) {
            *best = size;
            found = p;
        }
    }
    return found;
}

/* One equation and one free variable that are left, by way of a pair. False: no pair can. */
static bool bridge_free(Lemke *g, double *A)
{
    int row = -1, column = -1, pair = -1;
    double best = LEAST_FREE_PIVOT;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n && is_free(g->lcp, i) && !g->row_gone[i]; j++) {
            int found = is_free(g->lcp, j) && !g->column_gone[j] ? find_bridge(g, A, i, j, &best) : -1;
            if (found >= 0) {
                row = i;
                column = j;
                pair = found;
            }
        }
    if (pair < 0)
        return false;
    exchange_shifted(g, A, row, pair);
    if (fabs(entry(g, A, pair, column)) < LEAST_FREE_PIVOT) {
        exchange_shifted(g, A, row, pair);
        return false;
    }
    exchange_shifted(g, A, pair, column);
    g->row_gone[row] = g->column_gone[column] = true;
    g->own_row[pair] = row;
    g->own_column[pair] = column;
    add_free_row(g, pair, column);
    return true;
}

static void add_pair(Lemke *g, int row, int column, int variable, int half)
{
    int k = g->pairs++;
    double span = g->lcp->high[variable] - g->lcp->low[variable];
    g->pair_row[k] = row;
    g->pair_column[k] = column;
    g->pair_variable[k] = variable;
    g->half[k] = (int8_t)half;
    g->swapped[k] = half == 0 && row != variable;
    g->upper[k] = half != 0 ? INFINITY : span / g->column_scale[variable];
}

/* Pairs: bounded rows, then equations and free variables that are left, in halves. */
static void make_pairs(Lemke *g)
{
    g->pairs = 0;
    for (int i = 0; i < g->n; i++)
        if (!is_free(g->lcp, i))
            add_pair(g, g->own_row[i], g->own_column[i], i, 0);
    for (int i = 0, j = 0; i < g->n; i++) {
        if (!is_free(g->lcp, i) || g->row_gone[i])
            continue;
        while (!is_free(g->lcp, j) || g->column_gone[j])
            j++;
        add_pair(g, i, j, j, 1);
        add_pair(g, i, j, j, -1);
        j++;
    }
}

static double sign_of(const Lemke *g, int pair)
{
    return g->half[pair] < 0 ? -1.0 : 1.0;
}

/* The tableau before the first pivot, from the shifted matrix; its last column is t's. */
static void fill_first(Lemke *g, const double *A)
{
    size_t from = (size_t)g->n + 1;
    for (int r = 0; r < g->pairs + g->free_rows; r++) {
        bool own = r < g->pairs;
        double sign = own ? sign_of(g, r) : 1.0, *to = g->first + (size_t)r * g->wide;
        const double *a = A + (size_t)(own ? g->pair_row[r] : g->free_row[r - g->pairs]) * from;
        to[0] = sign * a[0];
        for (int c = 0; c < g->pairs; c++)
            to[1 + c] = sign * sign_of(g, c) * a[1 + g->pair_column[c]];
        to[1 + g->pairs] = 0.0;
    }
}

/* ------------------------------------------------------------------ pivots */

static double *row_of(const Lemke *g, int r)
{
    return g->T + (size_t)r * g->wide;
}

static void pivot(Lemke *g, int r, int c)
{
    exchange(g->T, g->pairs + g->free_rows, g->wide, r, c);
    int out = g->basic[r], in = g->nonbasic[c];
    g->basic[r] = in;
    g->nonbasic[c] = out;
    g->where[in] = r;
    g->where[out] = -c;
    g->pivots++;
}

static void turn_column(Lemke *g, int c)
{
    for (int r = 0; r < g->pairs + g->free_rows; r++)
        row_of(g, r)[c] = -row_of(g, r)[c];
}

/* w of a pair changes its sign, wherever it is. */
static void turn_w(Lemke *g, int pair)
{
    int at = g->where[2 * pair + 1];
    if (at < 0)
        turn_column(g, -at);
    else
        for (size_t c = 0; c < g->wide; c++)
            row_of(g, at)[c] = -row_of(g, at)[c];
    g->mirrored[pair] = !g->mirrored[pair];
}

/* A basic z, at its upper bound, is seen from there. */
static void mirror_basic(Lemke *g, int r)
{
    int pair = g->basic[r] / 2;
    double *row = row_of(g, r);
    for (size_t c = 0; c < g->wide; c++)
        row[c] = -row[c];
    row[0] += g->upper[pair];
    turn_w(g, pair);
}

/* The entering z, in column c, goes all the way to its upper bound. */
static void mirror_entering(Lemke *g, int c)
{
    int pair = g->nonbasic[c] / 2;
    for (int r = 0; r < g->pairs + g->free_rows; r++)
        row_of(g, r)[0] += row_of(g, r)[c] * g->upper[pair];
    turn_column(g, c);
    turn_w(g, pair);
}

/* A bound that the entering variable in some column may run into. Row -1: its own upper bound. */
typedef struct Stop {
    int row;
    bool upper;
    double way, slope; /* of the entering variable; per unit of it */
} Stop;

/* Stop of row r, if it is one. */
static bool stop_of(const Lemke *g, int r, int c, Stop *stop)
{
    double slope = row_of(g, r)[c], value = row_of(g, r)[0];
    int variable = g->basic[r];
    *stop = (Stop){r, slope > 0.0, 0.0, fabs(slope)};
    if (fabs(slope) < LEAST_PIVOT)
        return false;
    if (slope < 0.0) {
        stop->way = value > 0.0 ? value / stop->slope : 0.0;
        return true;
    }
    if (variable % 2 != 0 || variable == 2 * g->pairs || isinf(g->upper[variable / 2]))
        return false;
    double left = g->upper[variable / 2] - value;
    stop->way = left > 0.0 ? left / stop->slope : 0.0;
    return true;
}

/* Coefficient of e^k in the way to a stop. */
static double perturbation(const Lemke *g, const Stop *stop, int k)
{
    if (stop->row < 0)
        return 0.0;
    int at = g->where[2 * k + 1];
    double part = at < 0 ? -row_of(g, stop->row)[-at] : at == stop->row ? 1.0 : 0.0;
    if (g->mirrored[k])
        part = -part;
    return (stop->upper ? -part : part) / stop->slope;
}

/* Of two stops in a tie: whether a comes first. */
static bool comes_first(const Lemke *g, const Stop *a, const Stop *b)
{
    for (int k = 0; k < g->pairs; k++) {
        double x = perturbation(g, a, k), y = perturbation(g, b, k);
        if (fabs(x - y) > TIE * (1.0 + fabs(x) + fabs(y)))
            return x < y;
    }
    return false;
}

/* First stop of the variable in column c. False: there is none. */
static bool find_stop(const Lemke *g, int c, Stop *first)
{
    int variable = g->nonbasic[c];
    double least = INFINITY;
    Stop stop;
    if (variable % 2 == 0 && variable < 2 * g->pairs)
        least = g->upper[variable / 2];
    for (int r = 0; r < g->pairs; r++)
        if (stop_of(g, r, c, &stop) && stop.way < least)
            least = stop.way;
    if (isinf(least))
        return false;
    double tie = least + TIE * (1.0 + least);
    bool own = variable % 2 == 0 && variable < 2 * g->pairs && g->upper[variable / 2] <= tie;
    bool found = own;
    *first = (Stop){.row = -1, .way = least, .slope = 1.0};
    for (int r = 0; r < g->pairs; r++) {
        if (!stop_of(g, r, c, &stop) || stop.way > tie)
            continue;
        if (g->basic[r] == 2 * g->pairs) {
            *first = stop;
            return true;
        }
        if (!found || comes_first(g, &stop, first))
            *first = stop;
        found = true;
    }
    return true;
}

/* ------------------------------------------------------------------ the path */

static void begin(Lemke *g)
{
    int rows = g->pairs + g->free_rows;
    memcpy(g->T, g->first, (size_t)rows * g->wide * sizeof *g->T);
    for (int i = 0; i < g->pairs; i++) {
        g->basic[i] = 2 * i + 1;
        g->nonbasic[1 + i] = 2 * i;
        g->where[2 * i + 1] = i;
        g->where[2 * i] = -(1 + i);
        g->mirrored[i] = false;
    }
    g->nonbasic[1 + g->pairs] = 2 * g->pairs;
    g->where[2 * g->pairs] = -(1 + g->pairs);
}

/* Covering vector and regularisation of a rung. */
static double set_rung(Lemke *g, int rung)
{
    double more = 0.0;
    if (rung >= FIRST_REGULARISED) {
        more = 1e-14;
        for (int k = FIRST_REGULARISED; k < rung; k++)
            more *= 100.0;
    }
    for (int i = 0; i < g->pairs; i++) {
        double d = 1.0, bits = 0.0;
        for (int k = i + 1, part = 2; k > 0; k /= 2, part *= 2)
            bits += (double)(k % 2) / part;
        if (rung == 1)
            d = 0.5 + bits;
        if (rung == 2)
            d = row_of(g, i)[0] < 0.0 ? 1.5 - bits : 0.01;
        row_of(g, i)[1 + g->pairs] = d;
        row_of(g, i)[1 + i] += more;
    }
    return more;
}

/* The first row to become zero as t comes down from infinity. -1: none is negative. */
static int first_row(const Lemke *g)
{
    int t = 1 + g->pairs, found = -1;
    double least = 0.0;
    for (int i = 0; i < g->pairs; i++) {
        double ratio = row_of(g, i)[0] / row_of(g, i)[t];
        if (ratio < least || (found >= 0 && ratio <= least)) {
            least = ratio;
            found = i;
        }
    }
    return found;
}

static End follow_path(Lemke *g)
{
    int r = first_row(g), t = 2 * g->pairs;
    if (r < 0)
        return END_SOLVED;
    int most = g->pivots + g->most;
    int leaving = g->basic[r];
    pivot(g, r, 1 + g->pairs);
    while (leaving != t && g->pivots < most) {
        int c = -g->where[leaving ^ 1];
        Stop stop;
        if (!find_stop(g, c, &stop))
            return END_RAY;
        if (stop.row < 0) {
            leaving = g->nonbasic[c];
            mirror_entering(g, c);
            g->pivots++;
            continue;
        }
        if (stop.upper)
            mirror_basic(g, stop.row);
        leaving = g->basic[stop.row];
        pivot(g, stop.row, c);
    }
    return leaving == t ? END_SOLVED : END_PIVOTS;
}

/* ------------------------------------------------------------------ back to the problem */

/* z of the problem and where its variables stand. */
static void read_out(Lemke *g, RgDenseLcp *lcp)
{
    for (int i = 0; i < g->n; i++) {
        lcp->z[i] = start_of(lcp, i);
        g->place[i] = is_free(lcp, i) ? RG_LCP_FREE : is_hanging(lcp, i) ? RG_LCP_HIGH : RG_LCP_LOW;
    }
    for (int k = 0; k < g->pairs; k++) {
        int i = g->pair_variable[k], at = g->where[2 * k + (g->swapped[k] ? 1 : 0)];
        double value = at < 0 ? 0.0 : fmax(row_of(g, at)[0], 0.0);
        value = fmin(g->mirrored[k] ? g->upper[k] - value : value, g->upper[k]) * g->column_scale[i];
        if (g->half[k] != 0) {
            lcp->z[i] += sign_of(g, k) * value;
            continue;
        }
        lcp->z[i] += is_hanging(lcp, i) ? -value : value;
        if (at >= 0)
            g->place[i] = RG_LCP_FREE;
        else if (g->mirrored[k])
            g->place[i] = RG_LCP_HIGH;
    }
    for (int k = 0; k < g->free_rows; k++) {
        int i = g->free_variable[k];
        lcp->z[i] = row_of(g, g->pairs + k)[0] * g->column_scale[i];
    }
    for (int i = 0; i < g->n; i++)
        if (!isfinite(lcp->z[i]))
            lcp->z[i] = start_of(lcp, i);
}

static bool is_good(const RgDenseLcp *lcp, const RgLcpResidual *r, double tolerance)
{
    double largest = 0.0;
    for (int i = 0; i < lcp->n; i++)
        largest = fmax(largest, fabs(lcp->q[i]));
    return r->natural <= tolerance * largest || r->plain <= tolerance;
}

static void keep_best(Lemke *g, RgDenseLcp *lcp, const RgLemkeReport *now, RgLemkeReport *best)
{
    if (best->rung >= 0 && !(now->residual.natural < best->residual.natural))
        return;
    memcpy(g->best, lcp->z, (size_t)g->n * sizeof *g->best);
    *best = *now;
}

/* ------------------------------------------------------------------ the limit of stiff springs */

/* The tableau of M + e about the last solution: w = M z + q + e (z - centre). */
static void set_springs(Lemke *g)
{
    begin(g);
    set_rung(g, 0);
    for (int k = 0; k < g->pairs; k++) {
        row_of(g, k)[0] -= SPRING * g->centre[k];
        row_of(g, k)[1 + k] += SPRING;
    }
}

/* The z of each pair, as the tableau has it before the first pivot. */
static void keep_centre(Lemke *g)
{
    for (int k = 0; k < g->pairs; k++) {
        int at = g->where[2 * k];
        double value = at < 0 ? 0.0 : row_of(g, at)[0];
        g->centre[k] = g->mirrored[k] ? g->upper[k] - value : value;
    }
}

/* Proximal points from z = 0 (stiff); the first whose free variables solve the problem itself is taken. False: no
   memory. */
static bool approach(Lemke *g, RgArena *arena, RgDenseLcp *lcp, double tolerance, RgLemkeReport *best)
{
    memset(g->centre, 0, (size_t)g->pairs * sizeof *g->centre);
    for (int k = 0; k < SPRING_STEPS; k++) {
        RgLemkeReport now = {.rung = 0, .regularisation = SPRING};
        set_springs(g);
        if (follow_path(g) != END_SOLVED)
            return true;
        read_out(g, lcp);
        now.residual = rg_dense_lcp_judge(lcp);
        if (is_good(lcp, &now.residual, tolerance))
            keep_best(g, lcp, &now, best);
        now.dependent = rg_dense_lcp_polish(arena, lcp, g->place, (RgLcpScales){g->row_scale, g->column_scale});
        if (now.dependent < 0)
            return false;
        now.residual = rg_dense_lcp_judge(lcp);
        if (is_good(lcp, &now.residual, tolerance))
            keep_best(g, lcp, &now, best);
        if (best->rung >= 0)
            return true;
        keep_centre(g);
    }
    return true;
}

static const RgSolveOutcome outcome_of[] = {RG_SOLVE_ITERATIONS, RG_SOLVE_RAY, RG_SOLVE_ITERATIONS};

/* Places of a case: a digit for each bounded variable, in base 2 or 3. False: it has a bound that is not there. */
static bool set_case(Lemke *g, const RgDenseLcp *lcp, int number)
{
    for (int i = 0; i < g->n; i++) {
        g->place[i] = RG_LCP_FREE;
        lcp->z[i] = 0.0;
        if (is_free(lcp, i))
            continue;
        bool both = isfinite(lcp->low[i]) && isfinite(lcp->high[i]);
        int digit = number % (both ? 3 : 2);
        number /= both ? 3 : 2;
        if (digit == 0)
            g->place[i] = is_hanging(lcp, i) ? RG_LCP_HIGH : RG_LCP_LOW;
        else if (digit == 2)
            g->place[i] = RG_LCP_HIGH;
    }
    return number == 0;
}

/* The last rung, where few variables are bounded: all cases. False: no memory. */
static bool try_all(Lemke *g, RgArena *arena, RgDenseLcp *lcp, double tolerance, RgLemkeReport *best)
{
    double cases = 1.0;
    for (int i = 0; i < g->n; i++)
        if (!is_free(lcp, i))
            cases *= isfinite(lcp->low[i]) && isfinite(lcp->high[i]) ? 3.0 : 2.0;
    if (cases * g->n * g->n > MOST_WORK)
        return true;
    for (int number = 0; set_case(g, lcp, number); number++) {
        RgLemkeReport now = {
            .rung = RUNGS,
            .dependent = rg_dense_lcp_polish(arena, lcp, g->place, (RgLcpScales){g->row_scale, g->column_scale})};
        if (now.dependent < 0)
            return false;
        now.residual = rg_dense_lcp_judge(lcp);
        if (is_good(lcp, &now.residual, tolerance)) {
            keep_best(g, lcp, &now, best);
            return true;
        }
    }
    return true;
}

/* Rung by rung until the judge is content. The outcome is that of rung 0, unless a rung solved it. */
static RgStatus climb(Lemke *g, RgArena *arena, RgDenseLcp *lcp, double tolerance, RgLemkeReport *report)
{
    RgLemkeReport best = {.rung = -1};
    RgSolveOutcome first = RG_SOLVE_ITERATIONS;
    if (lcp->stiff && !approach(g, arena, lcp, tolerance, &best))
        return RG_ERR_MEMORY;
    for (int rung = 0; best.regularisation != SPRING && rung < RUNGS; rung++) {
        begin(g);
        RgLemkeReport now = {.rung = rung, .regularisation = set_rung(g, rung)};
        End end = follow_path(g);
        read_out(g, lcp);
        if (rung == 0)
            first = outcome_of[end];
        if (end == END_SOLVED && (now.dependent = rg_dense_lcp_polish(
                                      arena, lcp, g->place, (RgLcpScales){g->row_scale, g->column_scale})) < 0)
            return RG_ERR_MEMORY;
        now.residual = rg_dense_lcp_judge(lcp);
        keep_best(g, lcp, &now, &best);
        if (is_good(lcp, &now.residual, tolerance))
            break;
    }
    if (!is_good(lcp, &best.residual, tolerance) && !try_all(g, arena, lcp, tolerance, &best))
        return RG_ERR_MEMORY;
    memcpy(lcp->z, g->best, (size_t)g->n * sizeof *g->best);
    *report = best;
    report->residual = rg_dense_lcp_judge(lcp);
    report->outcome = is_good(lcp, &report->residual, tolerance) ? RG_SOLVE_SOLVED : first;
    report->pivots = g->pivots;
    return RG_OK;
}

/* Everything that depends on the number of rows of the problem. */
static double *take_rows(Lemke *g, RgArena *arena)
{
    int n = g->n;
    g->row_scale = RG_TAKE_RAW(arena, double, n);
    g->column_scale = RG_TAKE_RAW(arena, double, n);
    g->row_gone = RG_TAKE_RAW(arena, bool, n);
    g->column_gone = RG_TAKE_RAW(arena, bool, n);
    g->place = RG_TAKE_RAW(arena, uint8_t, n);
    g->own_row = RG_TAKE_RAW(arena, int, n);
    g->own_column = RG_TAKE_RAW(arena, int, n);
    g->free_row = RG_TAKE_RAW(arena, int, n);
    g->free_variable = RG_TAKE_RAW(arena, int, n);
    g->spare = RG_TAKE_RAW(arena, double, 2 * (size_t)n);
    g->best = RG_TAKE(arena, double, n);
    g->centre = RG_TAKE_RAW(arena, double, 2 * (size_t)n);
    g->pair_row = RG_TAKE_RAW(arena, int, 2 * (size_t)n);
    g->pair_column = RG_TAKE_RAW(arena, int, 2 * (size_t)n);
    g->pair_variable = RG_TAKE_RAW(arena, int, 2 * (size_t)n);
    g->swapped = RG_TAKE_RAW(arena, bool, 2 * (size_t)n);
    g->half = RG_TAKE_RAW(arena, int8_t, 2 * (size_t)n);
    g->upper = RG_TAKE_RAW(arena, double, 2 * (size_t)n);
    g->mirrored = RG_TAKE_RAW(arena, bool, 2 * (size_t)n);
    return RG_TAKE_RAW(arena, double, (size_t)n *((size_t)n + 1));
}

static bool take_tableau(Lemke *g, RgArena *arena)
{
    size_t rows = (size_t)g->pairs + (size_t)g->free_rows;
    g->wide = (size_t)g->pairs + 2;
    g->T = RG_TAKE_RAW(arena, double, rows * g->wide);
    g->first = RG_TAKE_RAW(arena, double, rows * g->wide);
    g->basic = RG_TAKE_RAW(arena, int, rows);
    g->nonbasic = RG_TAKE(arena, int, g->wide);
    g->where = RG_TAKE_RAW(arena, int, 2 * (size_t)g->pairs + 1);
    return !arena->failed;
}

/* A problem without friction rows. */
static RgStatus solve_unlinked(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgLemkeReport *report)
{
    Lemke g = {.lcp = lcp, .n = lcp->n};
    double *A = take_rows(&g, arena);
    if (arena->failed)
        return RG_ERR_MEMORY;
    find_scales(&g);
    fill_shifted(&g, A);
    for (int left = eliminate_free(&g, A); left > 0 && bridge_free(&g, A);)
        left--;
    make_pairs(&g);
    if (!take_tableau(&g, arena))
        return RG_ERR_MEMORY;
    fill_first(&g, A);
    g.most = options->max_iterations > 0 ? options->max_iterations : 100 + 50 * g.pairs;
    return climb(&g, arena, lcp, options->tolerance, report);
}

RgStatus rg_lemke_solve(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options, RgLemkeReport *report)
{
    *report = (RgLemkeReport){.outcome = RG_SOLVE_SOLVED, .residual = {.worst = -1}};
    if (lcp->n == 0)
        return RG_OK;
    if (!rg_dense_lcp_valid(lcp)) {
        memset(lcp->z, 0, (size_t)lcp->n * sizeof *lcp->z);
        memset(lcp->w, 0, (size_t)lcp->n * sizeof *lcp->w);
        report->outcome = RG_SOLVE_SINGULAR;
        return RG_OK;
    }
    if (lcp->normal == NULL)
        return solve_unlinked(arena, lcp, options, report);
    RgPyramid pyramid = {.rows = lcp};
    RgDenseLcp parts;
    if (!rg_pyramid_take(arena, &pyramid) || !rg_pyramid_problem(arena, &pyramid, &parts))
        return RG_ERR_MEMORY;
    RgStatus status = solve_unlinked(arena, &parts, options, report);
    if (status != RG_OK)
        return status;
    rg_pyramid_read(&pyramid, parts.z, lcp->z);
    report->residual = rg_dense_lcp_judge(lcp);
    if (report->outcome == RG_SOLVE_SOLVED && !is_good(lcp, &report->residual, options->tolerance))
        report->outcome = RG_SOLVE_ITERATIONS;
    return RG_OK;
}
