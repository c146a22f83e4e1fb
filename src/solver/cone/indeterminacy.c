/*
 * indeterminacy.c - ranges of forces over all solutions with the same velocities (indeterminacy.h).
 *
 * Islands are treated separately. f = c + E rho: one unknown for a sliding contact (its ray), a contact without
 * friction and a held row; three for a sticking contact; none for open contacts and rows at a bound. With S = E'W E, W
 * E (rho - rho*) = 0 is equivalent to S (rho - rho*) = 0, since W is semidefinite. S = L L' by pivoted Cholesky. The
 * columns of Z, an orthonormal basis of the null space of L', follow from Householder reflections of L. Then F is the
 * set of
 *
 *   rho = rho* + Z y,   entries of it within bounds or in cones           an inequality program without equalities in y
 *
 * Let B be the rows of Z whose unknowns have a bound or a cone. The same reflections of B'B split Z into (Z1 Z2) with B
 * Z2 = 0: no constraint limits motion along Z2, as in a loop of joints that load each other. Unknowns with entries in
 * Z2 can take any value. All others are determined by the program in Z1, whose constraints depend on every direction,
 * so that its matrix is regular.
 *
 * Unknowns whose rows of Z vanish are unique. The others need up to six programs per block: c = +- a row of Z1.
 *
 * Matrices from files may be indefinite by the rounding of their numbers; pivots below ten times that error count as 0
 * too. rho* is first projected onto its cones so that y = 0 is feasible. If F has no interior, ranges are accurate to
 * the root of a program's accuracy, about 1e-5. Cost: programs of nv - rank unknowns; blocks^3 for the rest.
 */
#include "solver/cone/indeterminacy.h"

#include "math/dense_factor.h"
#include "solver/cone/contact_islands.h"
#include "solver/cone_projection.h"
#include "solver/program/cone_program.h"

#include <math.h>
#include <string.h>

#define NOISE_RESIDUE 1e-8     /* relative residue of a factor above which the matrix itself is indefinite */
#define ZERO_NULL_ENTRY 1e-8   /* entries of Z below this: the force does not change */
#define PROGRAM_TOLERANCE 1e-9 /* requested of a program */
#define PROGRAM_ACCEPTED 1e-6  /* accepted of a program that ended early */

typedef struct Island {
    const RgConeBlocks *b;
    const RgBlockRow *rows; /* of all blocks; NULL: all are contacts */
    const RgIndeterminacyOptions *o;
    int n;               /* blocks */
    const int *contacts; /* n: numbers of the blocks */
    double force;        /* largest |r|, of all islands */
    double *W;           /* 3 n x 3 n */
    double *u;           /* 3 n */
    double *slip;        /* 2 n: direction of sliding contacts, else 0 */
    int *first;          /* n + 1: first unknown of each block */
    double *rho;         /* rho*: unknowns of r, relative to force */
    double *low, *high;  /* their bounds, relative to force; infinite: no bound, or a cone */
    double *E;           /* 3 n x nv */
    double *S, *L;       /* nv x nv */
    double *Z;           /* nv x nv: Z1 in the columns from `rank` to z2_begin - 1, Z2 from z2_begin on */
    double *spare;       /* 3 n */
    int nv, rank, z2_begin;
    RgForceRange *ranges;
    RgIndeterminacy *out;
} Island;

/* ------------------------------------------------------------------ states and unknowns */

static double length2(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1]);
}

static const RgBlockRow *row_of(const Island *s, int k)
{
    return s->rows != NULL && s->rows[s->contacts[k]].is_row ? &s->rows[s->contacts[k]] : NULL;
}

static RgForceState state_of(const Island *s, int k, double still)
{
    const double *u = s->u + 3 * (size_t)k;
    const RgBlockRow *row = row_of(s, k);
    if (row != NULL)
        return u[0] > still && isfinite(row->low)     ? RG_ROW_AT_LOW
               : u[0] < -still && isfinite(row->high) ? RG_ROW_AT_HIGH
                                                      : RG_ROW_HELD;
    return u[0] > still ? RG_CONTACT_OPEN : length2(u + 1) > still ? RG_CONTACT_SLIDING : RG_CONTACT_STICKING;
}

/* u = W r + q, and the state of each block. */
static void find_states(Island *s, double still)
{
    size_t rows = 3 * (size_t)s->n;
    for (size_t i = 0; i < rows; i++) {
        double sum = s->b->q[3 * s->contacts[i / 3] + (int)(i % 3)];
        for (size_t j = 0; j < rows; j++)
            sum += s->W[i * rows + j] * s->b->r[3 * s->contacts[j / 3] + (int)(j % 3)];
        s->u[i] = sum;
    }
    int count[RG_FORCE_STATES] = {0};
    for (int k = 0; k < s->n; k++) {
        const double *u = s->u + 3 * (size_t)k;
        double slip = length2(u + 1);
        RgForceState state = state_of(s, k, still);
        s->ranges[s->contacts[k]] = (RgForceRange){.state = state};
        s->slip[2 * k] = state == RG_CONTACT_SLIDING ? u[1] / slip : 0.0;
        s->slip[2 * k + 1] = state == RG_CONTACT_SLIDING ? u[2] / slip : 0.0;
        count[state]++;
        s->out->contacts += row_of(s, k) == NULL;
        s->out->rows += row_of(s, k) == NULL ? 3 : 1;
    }
    s->out->open += count[RG_CONTACT_OPEN];
    s->out->sliding += count[RG_CONTACT_SLIDING];
    s->out->sticking += count[RG_CONTACT_STICKING];
    s->out->held += count[RG_ROW_HELD];
    s->out->at_bound += count[RG_ROW_AT_LOW] + count[RG_ROW_AT_HIGH];
}

/* Bounds of the unknowns of block k in its state, relative to the largest force; equal: the force is fixed. */
static void find_bounds(const Island *s, int k, double *low, double *high)
{
    const RgBlockRow *row = row_of(s, k);
    RgForceState state = s->ranges[s->contacts[k]].state;
    *low = row != NULL ? row->low / s->force : 0.0;
    *high = row != NULL ? row->high / s->force : INFINITY;
    if (state == RG_ROW_AT_HIGH)
        *low = *high;
    if (state == RG_ROW_AT_LOW || state == RG_CONTACT_OPEN)
        *high = *low;
}

static int count_unknowns(const Island *s, int k)
{
    double low, high;
    find_bounds(s, k, &low, &high);
    if (low == high)
        return 0;
    int i = s->contacts[k];
    return s->ranges[i].state == RG_CONTACT_STICKING && s->b->mu[i] > 0.0 ? 3 : 1;
}

/* Nearest force (n, t, t) of the block's state, relative to the largest force. */
static void nearest_force(const Island *s, int k, double f[3])
{
    int i = s->contacts[k];
    const double *r = s->b->r + 3 * (size_t)i, *slip = s->slip + 2 * (size_t)k;
    double mu = s->b->mu[i], low, high;
    find_bounds(s, k, &low, &high);
    f[0] = fmin(fmax(r[0] / s->force, low), high);
    f[1] = r[1] / s->force;
    f[2] = r[2] / s->force;
    if (s->ranges[i].state != RG_CONTACT_STICKING) {
        f[1] = -mu * f[0] * slip[0];
        f[2] = -mu * f[0] * slip[1];
        return;
    }
    disc_retract(mu * f[0], false, f + 1);
}

/* Sets E block by block, rho* and its bounds. */
static void choose_unknowns(Island *s)
{
    s->nv = 0;
    for (int k = 0; k < s->n; k++) {
        int i = s->contacts[k];
        double f[3], miss[3];
        nearest_force(s, k, f);
        for (int e = 0; e < 3; e++)
            miss[e] = s->b->r[3 * (size_t)i + (size_t)e] / s->force - f[e];
        s->out->misfit = fmax(s->out->misfit, sqrt(miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]));
        s->first[k] = s->nv;
        int count = count_unknowns(s, k);
        for (int e = 0; e < count; e++, s->nv++) {
            s->rho[s->nv] = f[e];
            find_bounds(s, k, &s->low[s->nv], &s->high[s->nv]);
            if (count == 3) { /* a cone */
                s->low[s->nv] = -INFINITY;
                s->high[s->nv] = INFINITY;
            }
        }
    }
    s->first[s->n] = s->nv;
    size_t nv = (size_t)s->nv;
    memset(s->E, 0, 3 * (size_t)s->n * nv * sizeof *s->E);
    for (int k = 0; k < s->n; k++) {
        int count = s->first[k + 1] - s->first[k];
        double mu = s->b->mu[s->contacts[k]], *to = s->E + 3 * (size_t)k * nv + (size_t)s->first[k];
        for (int e = 0; e < count; e++)
            to[(size_t)e * nv + (size_t)e] = 1.0;
        for (int e = 0; e < 2 && count == 1; e++)
            to[(size_t)(e + 1) * nv] = -mu * s->slip[2 * k + e];
    }
}

/* ------------------------------------------------------------------ null space of W */

/* Replaces M by its symmetric part. For W = H M^-1 H' with unsymmetric M it has the same null space. */
static void make_symmetric(double *M, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            M[i * n + j] = M[j * n + i] = 0.5 * (M[i * n + j] + M[j * n + i]);
}

/* M = L L' up to its noise: pivots below ten times the indefinite part count as 0. Returns the rank. */
static int factor_semidefinite(const Island *s, const double *M, int n)
{
    size_t all = (size_t)n * (size_t)n;
    memset(s->L, 0, all * sizeof *s->L);
    int rank = n > 0 ? rg_pivoted_cholesky(M, n, s->o->rank, s->L, s->spare) : 0;
    double residue = rg_cholesky_residue(M, n, s->L, rank);
    if (residue > NOISE_RESIDUE) {
        memset(s->L, 0, all * sizeof *s->L);
        rank = rg_pivoted_cholesky(M, n, 10.0 * residue, s->L, s->spare);
        s->out->noise = fmax(s->out->noise, residue);
    }
    return rank;
}

/* S = E'W E; spare holds a column of W E. */
static void reduce_to_unknowns(const Island *s)
{
    size_t nv = (size_t)s->nv, rows = 3 * (size_t)s->n;
    for (size_t j = 0; j < nv; j++) {
        for (size_t i = 0; i < rows; i++) {
            double sum = 0.0;
            for (size_t e = 0; e < rows; e++)
                sum += s->W[i * rows + e] * s->E[e * nv + j];
            s->spare[i] = sum;
        }
        for (size_t i = 0; i < nv; i++) {
            double sum = 0.0;
            for (size_t e = 0; e < rows; e++)
                sum += s->E[e * nv + i] * s->spare[e];
            s->S[i * nv + j] = sum;
        }
    }
}

/* v -= 2 h (h'v), h of unit length; the entries of v are `stride` apart. */
static void reflect(const double *h, int n, double *v, size_t stride)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += h[i] * v[(size_t)i * stride];
    for (int i = 0; i < n; i++)
        v[(size_t)i * stride] -= 2.0 * sum * h[i];
}

/* L = Q R by Householder reflections, L of n rows with stride n; applies Z = Z Q to the columns at ... at + n - 1 of
   Z. */
static void orthogonalise(const Island *s, int n, int rank, int at)
{
    double *h = s->spare;
    for (int k = 0; k < rank; k++) {
        double *column = s->L + (size_t)k * (size_t)n + (size_t)k, sum = 0.0;
        for (int i = 0; i < n - k; i++) {
            h[i] = column[(size_t)i * (size_t)n];
            sum += h[i] * h[i];
        }
        double length = h[0] > 0.0 ? -sqrt(sum) : sqrt(sum);
        double scale = sqrt(2.0 * length * (length - h[0]));
        if (scale == 0.0)
            continue;
        h[0] -= length;
        for (int i = 0; i < n - k; i++)
            h[i] /= scale;
        for (int j = 0; j < rank - k; j++)
            reflect(h, n - k, column + j, (size_t)n);
        for (int i = 0; i < s->nv; i++)
            reflect(h, n - k, s->Z + (size_t)i * (size_t)s->nv + (size_t)(at + k), 1);
    }
}

/* Largest entry of unknown i's row of Z in the columns from ... end - 1. */
static double largest_null_entry(const Island *s, int i, int from, int end)
{
    double most = 0.0;
    for (int j = from; j < end; j++)
        most = fmax(most, fabs(s->Z[(size_t)i * (size_t)s->nv + (size_t)j]));
    return most;
}

/* Whether unknown i of block k can change and has a bound or a cone. */
static bool is_constrained(const Island *s, int k, int i)
{
    bool has_constraint = s->first[k + 1] - s->first[k] == 3 || isfinite(s->low[i]) || isfinite(s->high[i]);
    return has_constraint && largest_null_entry(s, i, s->rank, s->nv) > ZERO_NULL_ENTRY;
}

/* Z from L, then its split into Z1 and Z2. */
static void find_basis(Island *s)
{
    size_t nv = (size_t)s->nv, d = (size_t)(s->nv - s->rank);
    memset(s->Z, 0, nv * nv * sizeof *s->Z);
    for (size_t i = 0; i < nv; i++)
        s->Z[i * nv + i] = 1.0;
    orthogonalise(s, s->nv, s->rank, 0);
    memset(s->S, 0, d * d * sizeof *s->S);
    for (int k = 0; k < s->n; k++)
        for (int i = s->first[k]; i < s->first[k + 1]; i++) {
            const double *z = s->Z + (size_t)i * nv + (size_t)s->rank;
            size_t entries = is_constrained(s, k, i) ? d * d : 0;
            for (size_t e = 0; e < entries; e++)
                s->S[e] += z[e / d] * z[e % d];
        }
    int seen = factor_semidefinite(s, s->S, (int)d);
    orthogonalise(s, (int)d, seen, s->rank);
    s->z2_begin = s->rank + seen;
}

/* Whether unknown i changes along a direction without constraints. */
static bool is_free(const Island *s, int i)
{
    return isinf(s->low[i]) && isinf(s->high[i]) && largest_null_entry(s, i, s->z2_begin, s->nv) > ZERO_NULL_ENTRY;
}

static bool is_fixed(const Island *s, int k)
{
    for (int i = s->first[k]; i < s->first[k + 1]; i++)
        if (largest_null_entry(s, i, s->rank, s->z2_begin) > ZERO_NULL_ENTRY)
            return false;
    return true;
}

/* ------------------------------------------------------------------ programs */

/* Row of G: -f (Z1 y)_i <= h. */
static void add_row(const Island *s, RgConeProgram *q, int row, int i, double f)
{
    for (int j = 0; j < q->n; j++)
        q->G[(size_t)row * (size_t)q->n + (size_t)j] = -f * s->Z[(size_t)i * (size_t)s->nv + (size_t)(s->rank + j)];
}

/* Counts bounds and cones of the blocks that can change. */
static void count_constraints(const Island *s, int *bounds, int *cones)
{
    *bounds = *cones = 0;
    for (int k = 0; k < s->n; k++) {
        int i = s->first[k], count = s->first[k + 1] - i;
        if (count == 0 || is_fixed(s, k))
            continue;
        *cones += count == 3;
        *bounds += count == 1 ? isfinite(s->low[i]) + isfinite(s->high[i]) : 0;
    }
}

/* The program: rho* + Z1 y within its bounds and cones, without the blocks that cannot change. */
static bool make_program(RgArena *arena, const Island *s, RgConeProgram *q)
{
    int bounds, cones, row = 0;
    count_constraints(s, &bounds, &cones);
    if (!rg_cone_program_alloc(arena, s->z2_begin - s->rank, bounds, cones, q))
        return false;
    for (int k = 0; k < s->n; k++) {
        int i = s->first[k];
        if (s->first[k + 1] - i != 1 || is_fixed(s, k))
            continue;
        for (int side = 0; side < 2; side++) {
            double end = side == 0 ? s->low[i] : s->high[i], f = side == 0 ? 1.0 : -1.0;
            if (!isfinite(end))
                continue;
            add_row(s, q, row, i, f);
            q->h[row++] = f * (s->rho[i] - end);
        }
    }
    for (int k = 0; k < s->n; k++) {
        if (s->first[k + 1] - s->first[k] != 3 || is_fixed(s, k))
            continue;
        for (int i = s->first[k]; i < s->first[k + 1]; i++) {
            double f = i == s->first[k] ? s->b->mu[s->contacts[k]] : 1.0;
            add_row(s, q, row, i, f);
            q->h[row++] = f * s->rho[i];
        }
    }
    return true;
}

/* Largest value of sign rho_i over F; infinite: unbounded. False: not known. */
static bool find_extreme(const Island *s, RgConeWork *work, const RgConeProgram *q, int i, double sign, double *end)
{
    for (int j = 0; j < q->n; j++)
        q->c[j] = -sign * s->Z[(size_t)i * (size_t)s->nv + (size_t)(s->rank + j)];
    RgConeProgramOptions options = {.tolerance = PROGRAM_TOLERANCE, .max_iterations = 60};
    RgConeProgramReport report;
    s->out->programs++;
    if (rg_cone_program_solve(work, q, &options, &report) != RG_OK)
        return false;
    *end = report.outcome == RG_CONE_UNBOUNDED ? INFINITY : fmax(0.0, -report.objective) + sign * s->rho[i];
    return report.outcome == RG_CONE_UNBOUNDED ||
           (report.outcome != RG_CONE_INFEASIBLE && report.primal <= PROGRAM_ACCEPTED &&
            report.dual <= PROGRAM_ACCEPTED && report.gap <= PROGRAM_ACCEPTED);
}

static double scale_to_force(const Island *s, double x)
{
    return isfinite(x) ? x * s->force : x;
}

/* A contact on a ray: its tangential forces follow its normal force. */
static void follow_ray(const Island *s, int k, RgForceRange *to)
{
    for (int e = 0; e < 2; e++) {
        double f = -s->b->mu[s->contacts[k]] * s->slip[2 * k + e], a = f == 0.0 ? 0.0 : f * to->low[0];
        double b = f == 0.0 ? 0.0 : f * to->high[0];
        to->low[1 + e] = fmin(a, b);
        to->high[1 + e] = fmax(a, b);
    }
}

/* Smallest and largest value of unknown i over F, relative to the largest force. False: not known. */
static bool find_extremes(const Island *s, RgConeWork *work, const RgConeProgram *q, int i, double end[2])
{
    end[0] = end[1] = s->rho[i];
    if (is_free(s, i)) {
        end[0] = -INFINITY;
        end[1] = INFINITY;
        return true;
    }
    if (largest_null_entry(s, i, s->rank, s->z2_begin) <= ZERO_NULL_ENTRY)
        return true;
    double low = 0.0, high = 0.0;
    bool first = find_extreme(s, work, q, i, -1.0, &low), second = find_extreme(s, work, q, i, 1.0, &high);
    end[0] = fmax(-low, s->low[i]);
    end[1] = fmin(high, s->high[i]);
    return first && second;
}

static void find_range(const Island *s, RgConeWork *work, const RgConeProgram *q, int k)
{
    RgForceRange *to = &s->ranges[s->contacts[k]];
    int count = s->first[k + 1] - s->first[k];
    double f[3], end[2];
    nearest_force(s, k, f);
    to->known = is_fixed(s, k) || s->out->programs + 2 * count <= s->o->max_programs;
    for (int e = 0; e < 3; e++) {
        end[0] = end[1] = f[e];
        if (to->known && e < count)
            to->known = find_extremes(s, work, q, s->first[k] + e, end);
        to->low[e] = scale_to_force(s, count == 3 && e == 0 ? fmax(end[0], 0.0) : end[0]);
        to->high[e] = scale_to_force(s, end[1]);
    }
    if (count == 1)
        follow_ray(s, k, to);
    bool unique = to->known, bounded = true;
    for (int e = 0; e < 3; e++) {
        unique = unique && to->high[e] - to->low[e] <= s->o->unique * s->force;
        bounded = bounded && isfinite(to->high[e]) && isfinite(to->low[e]);
    }
    to->unique = unique;
    s->out->unknown += !to->known;
    s->out->not_unique += to->known && !unique;
    s->out->unbounded += to->known && !bounded;
}

/* ------------------------------------------------------------------ islands */

static bool alloc_island(RgArena *arena, int largest, Island *s)
{
    size_t n = 3 * (size_t)largest;
    double **const squares[] = {&s->W, &s->E, &s->S, &s->L, &s->Z};
    double **const lines[] = {&s->u, &s->slip, &s->rho, &s->low, &s->high, &s->spare};
    for (size_t k = 0; k < sizeof squares / sizeof squares[0]; k++)
        *squares[k] = RG_ARENA_ALLOC(arena, double, n *n);
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
        *lines[k] = RG_ARENA_ALLOC(arena, double, n);
    s->first = RG_ARENA_ALLOC(arena, int, largest + 1);
    return !arena->failed;
}

static bool analyse_island(RgArena *arena, Island *s, int *place, double still)
{
    int rows = 3 * s->n;
    rg_contact_island_matrix(s->b, s->contacts, s->n, place, s->W);
    find_states(s, still);
    choose_unknowns(s);
    make_symmetric(s->W, (size_t)rows);
    s->out->rank += factor_semidefinite(s, s->W, rows);
    reduce_to_unknowns(s);
    make_symmetric(s->S, (size_t)s->nv);
    s->rank = factor_semidefinite(s, s->S, s->nv);
    find_basis(s);
    s->out->unknowns += s->nv;
    s->out->freedoms += s->nv - s->rank;
    RgConeProgram q;
    if (!make_program(arena, s, &q))
        return false;
    RgConeWork *work = rg_cone_work_alloc(arena, q.n, q.m);
    if (work == NULL)
        return false;
    for (int k = 0; k < s->n; k++)
        find_range(s, work, &q, k);
    return true;
}

static double largest_of(const double *v, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

static bool rows_valid(const RgConeBlocks *b, const RgBlockRow *rows)
{
    for (int i = 0; i < b->n && rows != NULL; i++)
        if (rows[i].is_row &&
            !(rows[i].low <= rows[i].high && rows[i].low < INFINITY && rows[i].high > -INFINITY && b->mu[i] == 0.0))
            return false;
    return true;
}

RgStatus rg_indeterminacy_find(RgArena *arena, const RgConeBlocks *b, const RgBlockRow *rows,
                               const RgIndeterminacyOptions *o, RgForceRange *ranges, RgIndeterminacy *out)
{
    RgContactIslands islands;
    *out = (RgIndeterminacy){0};
    if (!rg_cone_blocks_valid(b) || !rows_valid(b, rows))
        return RG_ERR_ARGUMENT;
    int *place = RG_ARENA_ALLOC(arena, int, b->n);
    double force = largest_of(b->r, 3 * b->n);
    Island s = {.b = b, .rows = rows, .o = o, .force = force > 0.0 ? force : 1.0};
    s.ranges = ranges;
    s.out = out;
    if (place == NULL || !rg_contact_islands_find(arena, b, &islands) || !alloc_island(arena, islands.largest, &s))
        return RG_ERR_MEMORY;
    for (int k = 0; k < islands.count; k++) {
        s.n = islands.first[k + 1] - islands.first[k];
        s.contacts = islands.contacts + islands.first[k];
        if (!analyse_island(arena, &s, place, o->still * largest_of(b->q, 3 * b->n)))
            return RG_ERR_MEMORY;
    }
    return RG_OK;
}
