/*
 * lemke.c - Lemke's method (Lemke 1965; Cottle, Pang, Stone 2009, section 4.4) with bounds (Sargent 1978).
 *
 *   w = M z + q + d t,    0 <= z <= u,    w >= 0 at z = 0, <= 0 at z = u, 0 between,    d > 0
 *
 * For large t, z = 0 is a solution. From there t is driven to 0 along the unique path of solutions: a variable enters
 * the basis and grows until a basic variable reaches a bound. That one leaves, and its partner in the pair (z_i, w_i)
 * enters next. If z_i reaches its upper bound the pair is mirrored, z_i <- u_i - z_i, w_i <- -w_i, so that every
 * nonbasic variable is 0. A path without an end is a ray: for positive semidefinite M there is then no solution.
 *
 * Ties are resolved lexicographically, which prevents cycles: q is perturbed to q + (e, e^2, e^3, ...) with a small e.
 * The coefficient of e^k in a basic variable is its entry in the column of w_k, with the opposite sign.
 *
 * Reduction to that form: pyramid.h replaces friction rows. Rows and columns are scaled by powers of two. Variables are
 * shifted to their lower bound, or mirrored if only the upper one is finite. Free variables are eliminated with their
 * equations by complete pivoting. Where that block is singular, an equation is paired with z_p of a pair without upper
 * bound, and a free variable with its w_p; the path then starts with z_p and w_p exchanged. The remaining ones are
 * split, z = z+ - z-, w+ = w, w- = -w, whose solutions are those with w = 0.
 *
 * Fallback chain. 0: d = 1. 1 and 2: other d, which have other paths. Then d = 1 and 10^k added to the diagonal of M, k
 * = -14, -12, ..., 0. Last, where few variables are bounded, all combinations of positions (low, free, high). After
 * each one the free variables are computed again from the problem itself, and the residual is checked.
 *
 * Cost: a pivot updates the whole tableau, n^2. Failure: a ray, or too many pivots.
 */
#include "solver/pivot/lemke.h"

#include "math/pair_simd.h"
#include "solver/pivot/pyramid.h"

#include <math.h>
#include <string.h>

/* Fallbacks before the enumeration of all cases; the first one that adds to the diagonal. */
#define FALLBACKS 11
#define FIRST_REGULARISED 3
/* Stiff limit: regularisation of the springs, relative to a diagonal of about 1; proximal points, at most. */
#define SPRING_REGULARISATION 1e-6
#define SPRING_STEPS 4
/* All cases are enumerated if their matrices together have at most this many entries. */
#define MAX_ENUMERATION_ENTRIES 1e6
/* Entries below this are no pivots; the first tableau has entries of about 1. */
#define MIN_PIVOT 1e-11
/* Relative difference of ratios that counts as a tie. */
#define TIE_TOLERANCE 1e-12
/* Entries of the block of free variables below this count as zero. */
#define MIN_FREE_PIVOT 1e-12

typedef enum End { END_SOLVED, END_RAY, END_PIVOTS } End;

/* Variables are numbered: 2 i is z of pair i, 2 i + 1 its w, 2 pairs is t. The rows of eliminated free variables come
   last; they are updated but never limit a step. */
typedef struct Lemke {
    const RgDenseLcp *lcp;
    int n, pairs, free_rows;                  /* rows: pairs + free_rows; columns: constants, then pairs + 1 */
    size_t stride;                            /* length and stride of a row */
    double *T, *first;                        /* the tableau; its state before the first pivot */
    int *basic, *nonbasic;                    /* variable of each row, of each column (0: none) */
    int *where;                               /* by variable: row, or -column */
    double *upper;                            /* by pair */
    bool *mirrored;                           /* by pair */
    int *pair_row, *pair_column;              /* by pair: row and column of the shifted matrix */
    int *pair_variable;                       /* by pair: variable of the problem */
    bool *swapped;                            /* by pair: z and w are exchanged */
    int8_t *half;                             /* by pair: 0, or +1 and -1 for the halves of a free variable */
    int *free_row, *free_variable;            /* by free row: row of the shifted matrix, variable of the problem */
    double *row_scale, *column_scale;         /* of the problem */
    bool *row_eliminated, *column_eliminated; /* by row and column of the shifted matrix */
    int *own_row, *own_column; /* of the problem: row and column of w and z of a pair in the shifted matrix */
    uint8_t *place;            /* by variable of the problem */
    double *spare, *best;
    double *centre; /* by pair: z of the last proximal point */
    int pivots, most;
} Lemke;

/* ------------------------------------------------------------------ scale */

/* The power of two nearest to 1 / sqrt(x). */
static double power_of_two_scale(double x)
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

/* Scales rows and columns to largest entries near 1, by a few rounds with the root of the largest entry. A symmetric
   matrix gets one scale for both. */
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
            g->row_scale[i] *= power_of_two_scale(lcp->symmetric ? both : row[i]);
            g->column_scale[i] *= power_of_two_scale(lcp->symmetric ? both : column[i]);
        }
    }
}

/* ------------------------------------------------------------------ reduction to the standard form */

static bool is_free(const RgDenseLcp *lcp, int i)
{
    return lcp->low[i] == -INFINITY && lcp->high[i] == INFINITY;
}

/* z_i has only an upper bound: it is measured downwards from it. */
static bool has_only_upper_bound(const RgDenseLcp *lcp, int i)
{
    return lcp->low[i] == -INFINITY && lcp->high[i] < INFINITY;
}

static double origin_of(const RgDenseLcp *lcp, int i)
{
    return is_free(lcp, i) ? 0.0 : has_only_upper_bound(lcp, i) ? lcp->high[i] : lcp->low[i];
}

/* The scaled and shifted matrix, n rows of n + 1: constants first. */
static void fill_shifted(Lemke *g, double *A)
{
    const RgDenseLcp *lcp = g->lcp;
    int n = g->n;
    for (int i = 0; i < n; i++) {
        const double *M = lcp->M + (size_t)i * (size_t)n;
        double *a = A + (size_t)i * ((size_t)n + 1), constant = lcp->q[i],
               sign = has_only_upper_bound(lcp, i) ? -1.0 : 1.0;
        for (int j = 0; j < n; j++) {
            constant += M[j] * origin_of(lcp, j);
            a[1 + j] = M[j] * g->row_scale[i] * g->column_scale[j] * (has_only_upper_bound(lcp, j) ? -sign : sign);
        }
        a[0] = sign * constant * g->row_scale[i];
    }
}

/* row += factor * pivot; the plain and the AVX2 version give the same bits. */
RG_KERNEL void add_row(double *restrict row, const double *restrict pivot, size_t stride, double factor)
{
    for (size_t j = 0; j < stride; j++)
        row[j] += factor * pivot[j];
}

static void add_row_plain(double *row, const double *pivot, size_t stride, double factor)
{
    add_row(row, pivot, stride, factor);
}

RG_AVX2 static void add_row_avx2(double *row, const double *pivot, size_t stride, double factor)
{
    add_row(row, pivot, stride, factor);
}

/* Exchanges row r with column c of a tableau with the given number of rows and row stride. */
static void exchange(double *T, int rows, size_t stride, int r, int c)
{
    void (*add)(double *, const double *, size_t, double) = rg_has_avx2() ? add_row_avx2 : add_row_plain;
    double *pivot = T + (size_t)r * stride, per = 1.0 / pivot[c];
    for (size_t j = 0; j < stride; j++)
        pivot[j] *= -per;
    pivot[c] = per;
    for (int i = 0; i < rows; i++) {
        double *row = T + (size_t)i * stride, factor = row[c];
        if (i == r || factor == 0.0)
            continue;
        row[c] = 0.0;
        add(row, pivot, stride, factor);
    }
}

/* Largest entry among equations and free variables that are not eliminated yet. */
static double find_free_pivot(const Lemke *g, const double *A, int *row, int *column)
{
    double largest = 0.0;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n && is_free(g->lcp, i) && !g->row_eliminated[i]; j++) {
            double size = fabs(A[(size_t)i * ((size_t)g->n + 1) + 1 + (size_t)j]);
            if (is_free(g->lcp, j) && !g->column_eliminated[j] && size > largest) {
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

/* Eliminates equations and free variables as far as their block has rank. Returns how many are left. */
static int eliminate_free(Lemke *g, double *A)
{
    int left = 0, row = 0, column = 0;
    for (int i = 0; i < g->n; i++) {
        left += is_free(g->lcp, i);
        g->row_eliminated[i] = g->column_eliminated[i] = false;
        g->own_row[i] = g->own_column[i] = i;
    }
    for (g->free_rows = 0; left > 0 && find_free_pivot(g, A, &row, &column) > MIN_FREE_PIVOT; left--) {
        exchange_shifted(g, A, row, column);
        g->row_eliminated[row] = g->column_eliminated[column] = true;
        add_free_row(g, row, column);
    }
    return left;
}

/* Best pair to link equation i and free variable j; -1: none. */
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

/* Eliminates one remaining equation and free variable by way of a pair. False: no pair is suitable. */
static bool bridge_free(Lemke *g, double *A)
{
    int row = -1, column = -1, pair = -1;
    double best = MIN_FREE_PIVOT;
    for (int i = 0; i < g->n; i++)
        for (int j = 0; j < g->n && is_free(g->lcp, i) && !g->row_eliminated[i]; j++) {
            int found = is_free(g->lcp, j) && !g->column_eliminated[j] ? find_bridge(g, A, i, j, &best) : -1;
            if (found >= 0) {
                row = i;
                column = j;
                pair = found;
            }
        }
    if (pair < 0)
        return false;
    exchange_shifted(g, A, row, pair);
    if (fabs(entry(g, A, pair, column)) < MIN_FREE_PIVOT) {
        exchange_shifted(g, A, row, pair);
        return false;
    }
    exchange_shifted(g, A, pair, column);
    g->row_eliminated[row] = g->column_eliminated[column] = true;
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

/* Pairs: bounded rows, then the remaining equations and free variables, in halves. */
static void make_pairs(Lemke *g)
{
    g->pairs = 0;
    for (int i = 0; i < g->n; i++)
        if (!is_free(g->lcp, i))
            add_pair(g, g->own_row[i], g->own_column[i], i, 0);
    for (int i = 0, j = 0; i < g->n; i++) {
        if (!is_free(g->lcp, i) || g->row_eliminated[i])
            continue;
        while (!is_free(g->lcp, j) || g->column_eliminated[j])
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

/* Fills the first tableau from the shifted matrix; its last column is that of t. */
static void fill_first(Lemke *g, const double *A)
{
    size_t from = (size_t)g->n + 1;
    for (int r = 0; r < g->pairs + g->free_rows; r++) {
        bool own = r < g->pairs;
        double sign = own ? sign_of(g, r) : 1.0, *to = g->first + (size_t)r * g->stride;
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
    return g->T + (size_t)r * g->stride;
}

static void pivot(Lemke *g, int r, int c)
{
    exchange(g->T, g->pairs + g->free_rows, g->stride, r, c);
    int out = g->basic[r], in = g->nonbasic[c];
    g->basic[r] = in;
    g->nonbasic[c] = out;
    g->where[in] = r;
    g->where[out] = -c;
    g->pivots++;
}

static void negate_column(Lemke *g, int c)
{
    for (int r = 0; r < g->pairs + g->free_rows; r++)
        row_of(g, r)[c] = -row_of(g, r)[c];
}

/* Negates w of a pair, basic or nonbasic. */
static void negate_w(Lemke *g, int pair)
{
    int at = g->where[2 * pair + 1];
    if (at < 0)
        negate_column(g, -at);
    else
        for (size_t c = 0; c < g->stride; c++)
            row_of(g, at)[c] = -row_of(g, at)[c];
    g->mirrored[pair] = !g->mirrored[pair];
}

/* Mirrors a basic z that is at its upper bound. */
static void mirror_basic(Lemke *g, int r)
{
    int pair = g->basic[r] / 2;
    double *row = row_of(g, r);
    for (size_t c = 0; c < g->stride; c++)
        row[c] = -row[c];
    row[0] += g->upper[pair];
    negate_w(g, pair);
}

/* Moves the entering z, in column c, to its upper bound and mirrors it. */
static void mirror_entering(Lemke *g, int c)
{
    int pair = g->nonbasic[c] / 2;
    for (int r = 0; r < g->pairs + g->free_rows; r++)
        row_of(g, r)[0] += row_of(g, r)[c] * g->upper[pair];
    negate_column(g, c);
    negate_w(g, pair);
}

/* A bound that blocks the entering variable. Row -1: its own upper bound. */
typedef struct Blocking {
    int row;
    bool upper;
    double length, slope; /* value of the entering variable; change of the row per unit of it */
} Blocking;

/* The blocking bound of row r. False: the row does not block. */
static bool blocking_of(const Lemke *g, int r, int c, Blocking *blocking)
{
    double slope = row_of(g, r)[c], value = row_of(g, r)[0];
    int variable = g->basic[r];
    *blocking = (Blocking){r, slope > 0.0, 0.0, fabs(slope)};
    if (fabs(slope) < MIN_PIVOT)
        return false;
    if (slope < 0.0) {
        blocking->length = value > 0.0 ? value / blocking->slope : 0.0;
        return true;
    }
    if (variable % 2 != 0 || variable == 2 * g->pairs || isinf(g->upper[variable / 2]))
        return false;
    double left = g->upper[variable / 2] - value;
    blocking->length = left > 0.0 ? left / blocking->slope : 0.0;
    return true;
}

/* Coefficient of e^k in the step length to a blocking bound. */
static double perturbation(const Lemke *g, const Blocking *blocking, int k)
{
    if (blocking->row < 0)
        return 0.0;
    int at = g->where[2 * k + 1];
    double part = at < 0 ? -row_of(g, blocking->row)[-at] : at == blocking->row ? 1.0 : 0.0;
    if (g->mirrored[k])
        part = -part;
    return (blocking->upper ? -part : part) / blocking->slope;
}

/* Of two blocking bounds in a tie: whether a comes first. */
static bool comes_first(const Lemke *g, const Blocking *a, const Blocking *b)
{
    for (int k = 0; k < g->pairs; k++) {
        double x = perturbation(g, a, k), y = perturbation(g, b, k);
        if (fabs(x - y) > TIE_TOLERANCE * (1.0 + fabs(x) + fabs(y)))
            return x < y;
    }
    return false;
}

/* First blocking bound of the variable in column c. False: none. */
static bool find_blocking(const Lemke *g, int c, Blocking *first)
{
    int variable = g->nonbasic[c];
    double least = INFINITY;
    Blocking blocking;
    if (variable % 2 == 0 && variable < 2 * g->pairs)
        least = g->upper[variable / 2];
    for (int r = 0; r < g->pairs; r++)
        if (blocking_of(g, r, c, &blocking) && blocking.length < least)
            least = blocking.length;
    if (isinf(least))
        return false;
    double tie = least + TIE_TOLERANCE * (1.0 + least);
    bool own = variable % 2 == 0 && variable < 2 * g->pairs && g->upper[variable / 2] <= tie;
    bool found = own;
    *first = (Blocking){.row = -1, .length = least, .slope = 1.0};
    for (int r = 0; r < g->pairs; r++) {
        if (!blocking_of(g, r, c, &blocking) || blocking.length > tie)
            continue;
        if (g->basic[r] == 2 * g->pairs) {
            *first = blocking;
            return true;
        }
        if (!found || comes_first(g, &blocking, first))
            *first = blocking;
        found = true;
    }
    return true;
}

/* ------------------------------------------------------------------ the path */

static void reset_tableau(Lemke *g)
{
    int rows = g->pairs + g->free_rows;
    memcpy(g->T, g->first, (size_t)rows * g->stride * sizeof *g->T);
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

/* Sets the covering vector d and the regularisation of a fallback. Returns the latter. */
static double set_fallback(Lemke *g, int fallback)
{
    double more = 0.0;
    if (fallback >= FIRST_REGULARISED) {
        more = 1e-14;
        for (int k = FIRST_REGULARISED; k < fallback; k++)
            more *= 100.0;
    }
    for (int i = 0; i < g->pairs; i++) {
        double d = 1.0, bits = 0.0;
        for (int k = i + 1, part = 2; k > 0; k /= 2, part *= 2)
            bits += (double)(k % 2) / part;
        if (fallback == 1)
            d = 0.5 + bits;
        if (fallback == 2)
            d = row_of(g, i)[0] < 0.0 ? 1.5 - bits : 0.01;
        row_of(g, i)[1 + g->pairs] = d;
        row_of(g, i)[1 + i] += more;
    }
    return more;
}

/* The first row that becomes zero as t decreases from infinity. -1: no constant is negative. */
static int first_leaving_row(const Lemke *g)
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

/* Follows the path from the first tableau to its end. */
static End follow_path(Lemke *g)
{
    int r = first_leaving_row(g), t = 2 * g->pairs;
    if (r < 0)
        return END_SOLVED;
    int most = g->pivots + g->most;
    int leaving = g->basic[r];
    pivot(g, r, 1 + g->pairs);
    while (leaving != t && g->pivots < most) {
        int c = -g->where[leaving ^ 1];
        Blocking blocking;
        if (!find_blocking(g, c, &blocking))
            return END_RAY;
        if (blocking.row < 0) {
            leaving = g->nonbasic[c];
            mirror_entering(g, c);
            g->pivots++;
            continue;
        }
        if (blocking.upper)
            mirror_basic(g, blocking.row);
        leaving = g->basic[blocking.row];
        pivot(g, blocking.row, c);
    }
    return leaving == t ? END_SOLVED : END_PIVOTS;
}

/* ------------------------------------------------------------------ solution of the problem */

/* z of the problem and the positions of its variables. */
static void extract_solution(Lemke *g, RgDenseLcp *lcp)
{
    for (int i = 0; i < g->n; i++) {
        lcp->z[i] = origin_of(lcp, i);
        g->place[i] = is_free(lcp, i) ? RG_LCP_FREE : has_only_upper_bound(lcp, i) ? RG_LCP_HIGH : RG_LCP_LOW;
    }
    for (int k = 0; k < g->pairs; k++) {
        int i = g->pair_variable[k], at = g->where[2 * k + (g->swapped[k] ? 1 : 0)];
        double value = at < 0 ? 0.0 : fmax(row_of(g, at)[0], 0.0);
        value = fmin(g->mirrored[k] ? g->upper[k] - value : value, g->upper[k]) * g->column_scale[i];
        if (g->half[k] != 0) {
            lcp->z[i] += sign_of(g, k) * value;
            continue;
        }
        lcp->z[i] += has_only_upper_bound(lcp, i) ? -value : value;
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
            lcp->z[i] = origin_of(lcp, i);
}

static bool meets_tolerance(const RgDenseLcp *lcp, const RgLcpResidual *r, double tolerance)
{
    double largest = 0.0;
    for (int i = 0; i < lcp->n; i++)
        largest = fmax(largest, fabs(lcp->q[i]));
    return r->natural <= tolerance * largest || r->plain <= tolerance;
}

static void store_best(Lemke *g, RgDenseLcp *lcp, const RgLemkeReport *now, RgLemkeReport *best)
{
    if (best->fallback_index >= 0 && !(now->residual.natural < best->residual.natural))
        return;
    memcpy(g->best, lcp->z, (size_t)g->n * sizeof *g->best);
    *best = *now;
}

/* ------------------------------------------------------------------ the limit of stiff springs */

/* The tableau of M + e around the last solution: w = M z + q + e (z - centre). */
static void set_springs(Lemke *g)
{
    reset_tableau(g);
    set_fallback(g, 0);
    for (int k = 0; k < g->pairs; k++) {
        row_of(g, k)[0] -= SPRING_REGULARISATION * g->centre[k];
        row_of(g, k)[1 + k] += SPRING_REGULARISATION;
    }
}

/* Stores z of each pair, in the variables of the first tableau. */
static void store_centre(Lemke *g)
{
    for (int k = 0; k < g->pairs; k++) {
        int at = g->where[2 * k];
        double value = at < 0 ? 0.0 : row_of(g, at)[0];
        g->centre[k] = g->mirrored[k] ? g->upper[k] - value : value;
    }
}

/* Stiff limit: proximal points from z = 0; takes the first whose free variables solve the problem itself. False: no
   memory. */
static bool solve_stiff_limit(Lemke *g, RgArena *arena, RgDenseLcp *lcp, double tolerance, RgLemkeReport *best)
{
    memset(g->centre, 0, (size_t)g->pairs * sizeof *g->centre);
    for (int k = 0; k < SPRING_STEPS; k++) {
        RgLemkeReport now = {.fallback_index = 0, .regularisation = SPRING_REGULARISATION};
        set_springs(g);
        if (follow_path(g) != END_SOLVED)
            return true;
        extract_solution(g, lcp);
        now.residual = rg_dense_lcp_residual(lcp);
        if (meets_tolerance(lcp, &now.residual, tolerance))
            store_best(g, lcp, &now, best);
        now.dependent = rg_dense_lcp_polish(arena, lcp, g->place, (RgLcpScales){g->row_scale, g->column_scale});
        if (now.dependent < 0)
            return false;
        now.residual = rg_dense_lcp_residual(lcp);
        if (meets_tolerance(lcp, &now.residual, tolerance))
            store_best(g, lcp, &now, best);
        if (best->fallback_index >= 0)
            return true;
        store_centre(g);
    }
    return true;
}

static const RgSolveOutcome outcome_of_end[] = {RG_SOLVE_ITERATIONS, RG_SOLVE_RAY, RG_SOLVE_ITERATIONS};

/* Positions of a case: a digit per bounded variable, in base 2 or 3. False: no further case. */
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
            g->place[i] = has_only_upper_bound(lcp, i) ? RG_LCP_HIGH : RG_LCP_LOW;
        else if (digit == 2)
            g->place[i] = RG_LCP_HIGH;
    }
    return number == 0;
}

/* Last fallback, where few variables are bounded: enumerates all cases. False: no memory. */
static bool enumerate_cases(Lemke *g, RgArena *arena, RgDenseLcp *lcp, double tolerance, RgLemkeReport *best)
{
    double cases = 1.0;
    for (int i = 0; i < g->n; i++)
        if (!is_free(lcp, i))
            cases *= isfinite(lcp->low[i]) && isfinite(lcp->high[i]) ? 3.0 : 2.0;
    if (cases * g->n * g->n > MAX_ENUMERATION_ENTRIES)
        return true;
    for (int number = 0; set_case(g, lcp, number); number++) {
        RgLemkeReport now = {
            .fallback_index = FALLBACKS,
            .dependent = rg_dense_lcp_polish(arena, lcp, g->place, (RgLcpScales){g->row_scale, g->column_scale})};
        if (now.dependent < 0)
            return false;
        now.residual = rg_dense_lcp_residual(lcp);
        if (meets_tolerance(lcp, &now.residual, tolerance)) {
            store_best(g, lcp, &now, best);
            return true;
        }
    }
    return true;
}

/* Runs the fallback chain until the residual is below the tolerance. The outcome is that of fallback 0, unless one of
   them found a solution. */
static RgStatus run_fallbacks(Lemke *g, RgArena *arena, RgDenseLcp *lcp, double tolerance, RgLemkeReport *report)
{
    RgLemkeReport best = {.fallback_index = -1};
    RgSolveOutcome first = RG_SOLVE_ITERATIONS;
    if (lcp->stiff && !solve_stiff_limit(g, arena, lcp, tolerance, &best))
        return RG_ERR_MEMORY;
    for (int fallback = 0; best.regularisation != SPRING_REGULARISATION && fallback < FALLBACKS; fallback++) {
        reset_tableau(g);
        RgLemkeReport now = {.fallback_index = fallback, .regularisation = set_fallback(g, fallback)};
        End end = follow_path(g);
        extract_solution(g, lcp);
        if (fallback == 0)
            first = outcome_of_end[end];
        if (end == END_SOLVED && (now.dependent = rg_dense_lcp_polish(
                                      arena, lcp, g->place, (RgLcpScales){g->row_scale, g->column_scale})) < 0)
            return RG_ERR_MEMORY;
        now.residual = rg_dense_lcp_residual(lcp);
        store_best(g, lcp, &now, &best);
        if (meets_tolerance(lcp, &now.residual, tolerance))
            break;
    }
    if (!meets_tolerance(lcp, &best.residual, tolerance) && !enumerate_cases(g, arena, lcp, tolerance, &best))
        return RG_ERR_MEMORY;
    memcpy(lcp->z, g->best, (size_t)g->n * sizeof *g->best);
    *report = best;
    report->residual = rg_dense_lcp_residual(lcp);
    report->outcome = meets_tolerance(lcp, &report->residual, tolerance) ? RG_SOLVE_SOLVED : first;
    report->pivots = g->pivots;
    return RG_OK;
}

/* Allocates all arrays by the number of rows of the problem. Returns room for the shifted matrix. */
static double *alloc_rows(Lemke *g, RgArena *arena)
{
    int n = g->n;
    g->row_scale = RG_ARENA_ALLOC_RAW(arena, double, n);
    g->column_scale = RG_ARENA_ALLOC_RAW(arena, double, n);
    g->row_eliminated = RG_ARENA_ALLOC_RAW(arena, bool, n);
    g->column_eliminated = RG_ARENA_ALLOC_RAW(arena, bool, n);
    g->place = RG_ARENA_ALLOC_RAW(arena, uint8_t, n);
    g->own_row = RG_ARENA_ALLOC_RAW(arena, int, n);
    g->own_column = RG_ARENA_ALLOC_RAW(arena, int, n);
    g->free_row = RG_ARENA_ALLOC_RAW(arena, int, n);
    g->free_variable = RG_ARENA_ALLOC_RAW(arena, int, n);
    g->spare = RG_ARENA_ALLOC_RAW(arena, double, 2 * (size_t)n);
    g->best = RG_ARENA_ALLOC(arena, double, n);
    g->centre = RG_ARENA_ALLOC_RAW(arena, double, 2 * (size_t)n);
    g->pair_row = RG_ARENA_ALLOC_RAW(arena, int, 2 * (size_t)n);
    g->pair_column = RG_ARENA_ALLOC_RAW(arena, int, 2 * (size_t)n);
    g->pair_variable = RG_ARENA_ALLOC_RAW(arena, int, 2 * (size_t)n);
    g->swapped = RG_ARENA_ALLOC_RAW(arena, bool, 2 * (size_t)n);
    g->half = RG_ARENA_ALLOC_RAW(arena, int8_t, 2 * (size_t)n);
    g->upper = RG_ARENA_ALLOC_RAW(arena, double, 2 * (size_t)n);
    g->mirrored = RG_ARENA_ALLOC_RAW(arena, bool, 2 * (size_t)n);
    return RG_ARENA_ALLOC_RAW(arena, double, (size_t)n *((size_t)n + 1));
}

static bool alloc_tableau(Lemke *g, RgArena *arena)
{
    size_t rows = (size_t)g->pairs + (size_t)g->free_rows;
    g->stride = (size_t)g->pairs + 2;
    g->T = RG_ARENA_ALLOC_RAW(arena, double, rows * g->stride);
    g->first = RG_ARENA_ALLOC_RAW(arena, double, rows * g->stride);
    g->basic = RG_ARENA_ALLOC_RAW(arena, int, rows);
    g->nonbasic = RG_ARENA_ALLOC(arena, int, g->stride);
    g->where = RG_ARENA_ALLOC_RAW(arena, int, 2 * (size_t)g->pairs + 1);
    return !arena->failed;
}

/* Solves a problem without friction rows. */
static RgStatus solve_without_friction(RgArena *arena, RgDenseLcp *lcp, const RgExactOptions *options,
                                       RgLemkeReport *report)
{
    Lemke g = {.lcp = lcp, .n = lcp->n};
    double *A = alloc_rows(&g, arena);
    if (arena->failed)
        return RG_ERR_MEMORY;
    find_scales(&g);
    fill_shifted(&g, A);
    for (int left = eliminate_free(&g, A); left > 0 && bridge_free(&g, A);)
        left--;
    make_pairs(&g);
    if (!alloc_tableau(&g, arena))
        return RG_ERR_MEMORY;
    fill_first(&g, A);
    g.most = options->max_iterations > 0 ? options->max_iterations : 100 + 50 * g.pairs;
    return run_fallbacks(&g, arena, lcp, options->tolerance, report);
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
        return solve_without_friction(arena, lcp, options, report);
    RgPyramid pyramid = {.rows = lcp};
    RgDenseLcp parts;
    if (!rg_pyramid_alloc(arena, &pyramid) || !rg_pyramid_problem(arena, &pyramid, &parts))
        return RG_ERR_MEMORY;
    RgStatus status = solve_without_friction(arena, &parts, options, report);
    if (status != RG_OK)
        return status;
    rg_pyramid_impulses(&pyramid, parts.z, lcp->z);
    report->residual = rg_dense_lcp_residual(lcp);
    if (report->outcome == RG_SOLVE_SOLVED && !meets_tolerance(lcp, &report->residual, options->tolerance))
        report->outcome = RG_SOLVE_ITERATIONS;
    return RG_OK;
}
