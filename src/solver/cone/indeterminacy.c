/*
 * indeterminacy.c - ranges of contact forces over all solutions with the same velocities (indeterminacy.h).
 *
 * Island by island. f = E rho, one unknown for a contact that slides (its ray) or has no friction, three for one that
 * sticks. With S = E'W E, W E (rho - rho*) = 0 is S (rho - rho*) = 0, since W has a root. S = L L' by pivoted
 * Cholesky; the columns of Z, an orthonormal basis of what L' does not see, come from Householder's reflections of L.
 * All of F is then
 *
 *   rho = rho* + Z y,   rows of it >= 0 or in cones            an inequality program without equalities in y
 *
 * Contacts whose rows of Z vanish are unique. For the others up to six programs each: c = +- a row of Z.
 *
 * Matrices from files may be indefinite by the noise of their numbers: pivots below ten times that are 0 too.
 * rho* is brought within its cones first, so that y = 0 is allowed. Where F has no inside, ranges are known to the root of
 * the accuracy of a program, 1e-5 or so. Cost: programs of nv - rank unknowns; contacts^3 for the rest.
 */
#include "solver/cone/indeterminacy.h"

#include "math/dense_factor.h"
#include "solver/cone/contact_islands.h"
#include "solver/cone_projection.h"
#include "solver/program/cone_program.h"

#include <math.h>
#include <string.h>

#define NOISY 1e-8          /* residue that round-off alone does not make */
#define FIXED 1e-8          /* rows of Z below: the force does not change */
#define PROGRAM_SOLVED 1e-9 /* what is asked of a program */
#define PROGRAM_KNOWN 1e-6  /* what is taken from one that ended early */

typedef struct Island {
    const RgConeBlocks *b;
    const RgIndeterminacyOptions *o;
    int n;               /* contacts */
    const int *contacts; /* n */
    double force;        /* largest |r|, of all islands */
    double *W;           /* 3 n x 3 n */
    double *u;           /* 3 n */
    double *slip;        /* 2 n: direction of those that slide */
    int *first;          /* n + 1: unknowns of each contact */
    double *rho;         /* unknowns of r, over force */
    double *E;           /* 3 n x nv */
    double *S, *L;       /* nv x nv */
    double *Z;           /* nv x nv: the basis by columns, from `rank` on */
    double *spare;       /* 3 n */
    int nv, rank;
    RgForceRange *ranges;
    RgIndeterminacy *out;
} Island;

/* ------------------------------------------------------------------ states and unknowns */

static double length2(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1]);
}

/* u = W r + q, and what each contact does. */
static void find_states(Island *s, double still)
{
    size_t rows = 3 * (size_t)s->n;
    for (size_t i = 0; i < rows; i++) {
        double sum = s->b->q[3 * s->contacts[i / 3] + (int)(i % 3)];
        for (size_t j = 0; j < rows; j++)
            sum += s->W[i * rows + j] * s->b->r[3 * s->contacts[j / 3] + (int)(j % 3)];
        s->u[i] = sum;
    }
    for (int k = 0; k < s->n; k++) {
        const double *u = s->u + 3 * (size_t)k;
        double slip = length2(u + 1);
        RgForceRange *to = &s->ranges[s->contacts[k]];
        *to = (RgForceRange){.state = u[0] > still   ? RG_CONTACT_OPEN
                                      : slip > still ? RG_CONTACT_SLIDING
                                                     : RG_CONTACT_STICKING};
        s->slip[2 * k] = to->state == RG_CONTACT_SLIDING ? u[1] / slip : 0.0;
        s->slip[2 * k + 1] = to->state == RG_CONTACT_SLIDING ? u[2] / slip : 0.0;
        s->out->open += to->state == RG_CONTACT_OPEN;
        s->out->sliding += to->state == RG_CONTACT_SLIDING;
        s->out->sticking += to->state == RG_CONTACT_STICKING;
    }
}

/* Nearest force of the contact's state, over the largest: (n, t, t) into f. */
static void nearest(const Island *s, int k, double f[3])
{
    int i = s->contacts[k];
    const double *r = s->b->r + 3 * (size_t)i, *slip = s->slip + 2 * (size_t)k;
    double mu = s->b->mu[i], n = fmax(r[0], 0.0) / s->force;
    f[0] = s->ranges[i].state == RG_CONTACT_OPEN ? 0.0 : n;
    f[1] = r[1] / s->force;
    f[2] = r[2] / s->force;
    if (s->ranges[i].state != RG_CONTACT_STICKING) {
        f[1] = -mu * f[0] * slip[0];
        f[2] = -mu * f[0] * slip[1];
        return;
    }
    disc_retract(mu * n, false, f + 1);
}

/* E by contacts and rho*. */
static void choose_unknowns(Island *s)
{
    s->nv = 0;
    for (int k = 0; k < s->n; k++) {
        int i = s->contacts[k];
        double f[3], miss[3];
        nearest(s, k, f);
        for (int e = 0; e < 3; e++)
            miss[e] = s->b->r[3 * (size_t)i + (size_t)e] / s->force - f[e];
        s->out->misfit =
            fmax(s->out->misfit, sqrt(miss[0] * miss[0] + miss[1] * miss[1] + miss[2] * miss[2]));
        s->first[k] = s->nv;
        int count = s->ranges[i].state == RG_CONTACT_OPEN                            ? 0
                    : s->ranges[i].state == RG_CONTACT_SLIDING || s->b->mu[i] == 0.0 ? 1
                                                                                     : 3;
        for (int e = 0; e < count; e++)
            s->rho[s->nv++] = f[e];
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

/* ------------------------------------------------------------------ what the velocities do not see */

/* The symmetric part: where W = H M^-1 H' with M not symmetric, it vanishes on the same vectors. */
static void make_symmetric(double *M, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            M[i * n + j] = M[j * n + i] = 0.5 * (M[i * n + j] + M[j * n + i]);
}

/* M = L L' up to its noise: what makes it indefinite counts as 0, ten times. */
static int factor(const Island *s, const double *M, int n)
{
    size_t all = (size_t)n * (size_t)n;
    memset(s->L, 0, all * sizeof *s->L);
    int rank = n > 0 ? rg_pivoted_cholesky(M, n, s->o->rank, s->L, s->spare) : 0;
    double residue = rg_cholesky_residue(M, n, s->L, rank);
    if (residue > NOISY) {
        memset(s->L, 0, all * sizeof *s->L);
        rank = rg_pivoted_cholesky(M, n, 10.0 * residue, s->L, s->spare);
        s->out->noise = fmax(s->out->noise, residue);
    }
    return rank;
}

/* S = E'W E; spare takes a column of W E. */
static void reduce(const Island *s)
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

/* v -= 2 h (h'v) for the column `at` of M from row k on, h unit. */
static void reflect(const double *h, int k, size_t n, double *M, size_t at)
{
    double sum = 0.0;
    for (size_t i = (size_t)k; i < n; i++)
        sum += h[i] * M[i * n + at];
    for (size_t i = (size_t)k; i < n; i++)
        M[i * n + at] -= 2.0 * sum * h[i];
}

/* L = Q R by reflections, which stay in the columns of L below the diagonal; the columns `rank`... of Q into Z. */
static void find_basis(const Island *s)
{
    size_t n = (size_t)s->nv;
    double *h = s->spare;
    memset(s->Z, 0, n * n * sizeof *s->Z);
    for (size_t i = 0; i < n; i++)
        s->Z[i * n + i] = 1.0;
    for (int k = 0; k < s->rank; k++) {
        double sum = 0.0;
        for (size_t i = (size_t)k; i < n; i++)
            sum += s->L[i * n + (size_t)k] * s->L[i * n + (size_t)k];
        double first = s->L[(size_t)k * n + (size_t)k], length = first > 0.0 ? -sqrt(sum) : sqrt(sum);
        double scale = sqrt(sum - first * first + (first - length) * (first - length));
        for (size_t i = (size_t)k; i < n && scale > 0.0; i++)
            h[i] = (s->L[i * n + (size_t)k] - (i == (size_t)k ? length : 0.0)) / scale;
        for (int j = k; j < s->rank && scale > 0.0; j++)
            reflect(h, k, n, s->L, (size_t)j);
        for (size_t i = (size_t)k; i < n; i++) /* kept for Q */
            s->S[i * n + (size_t)k] = scale > 0.0 ? h[i] : 0.0;
    }
    for (int k = s->rank - 1; k >= 0; k--) {
        for (size_t i = (size_t)k; i < n; i++)
            h[i] = s->S[i * n + (size_t)k];
        for (size_t j = (size_t)s->rank; j < n; j++)
            reflect(h, k, n, s->Z, j);
    }
}

/* Largest entry of unknown i's row of Z. */
static double mobility(const Island *s, int i)
{
    double most = 0.0;
    for (int j = s->rank; j < s->nv; j++)
        most = fmax(most, fabs(s->Z[(size_t)i * (size_t)s->nv + (size_t)j]));
    return most;
}

static bool is_fixed(const Island *s, int k)
{
    for (int i = s->first[k]; i < s->first[k + 1]; i++)
        if (mobility(s, i) > FIXED)
            return false;
    return true;
}

/* ------------------------------------------------------------------ programs */

/* Row m of G and h: -f (Z y)_i <= f rho_i. */
static void add_row(const Island *s, int i, double f, double *G, double *h)
{
    int d = s->nv - s->rank;
    for (int j = 0; j < d; j++)
        G[j] = -f * s->Z[(size_t)i * (size_t)s->nv + (size_t)(s->rank + j)];
    *h = f * s->rho[i];
}

/* Contacts of so many unknowns that can change. */
static int count_moving(const Island *s, int unknowns)
{
    int count = 0;
    for (int k = 0; k < s->n; k++)
        count += s->first[k + 1] - s->first[k] == unknowns && !is_fixed(s, k);
    return count;
}

/* rho* + Z y in its rays and cones, those of contacts that cannot change left out. */
static bool make_program(RgArena *arena, const Island *s, RgConeProgram *q)
{
    int d = s->nv - s->rank, ray = 0, cone = count_moving(s, 1);
    if (!rg_cone_program_take(arena, d, cone, count_moving(s, 3), q))
        return false;
    for (int k = 0; k < s->n; k++) {
        int count = s->first[k + 1] - s->first[k];
        if (count == 0 || is_fixed(s, k))
            continue;
        int *at = count == 1 ? &ray : &cone;
        for (int e = 0; e < count; e++, ++*at)
            add_row(s, s->first[k] + e, count == 3 && e == 0 ? s->b->mu[s->contacts[k]] : 1.0,
                    q->G + (size_t)*at * (size_t)d, q->h + *at);
    }
    return true;
}

/* Largest of sign rho_i over F; infinite: no bound. False: not known. */
static bool find_end(const Island *s, RgConeWork *work, const RgConeProgram *q, int i, double sign,
                     double *end)
{
    for (int j = 0; j < q->n; j++)
        q->c[j] = -sign * s->Z[(size_t)i * (size_t)s->nv + (size_t)(s->rank + j)];
    RgConeProgramOptions options = {.tolerance = PROGRAM_SOLVED, .max_iterations = 60};
    RgConeProgramReport report;
    s->out->programs++;
    if (rg_cone_program_solve(work, q, &options, &report) != RG_OK)
        return false;
    *end = report.outcome == RG_CONE_UNBOUNDED ? INFINITY : fmax(0.0, -report.objective) + sign * s->rho[i];
    return report.outcome == RG_CONE_UNBOUNDED ||
           (report.outcome != RG_CONE_INFEASIBLE && report.primal <= PROGRAM_KNOWN &&
            report.dual <= PROGRAM_KNOWN && report.gap <= PROGRAM_KNOWN);
}

static double times_force(const Island *s, double x)
{
    return isfinite(x) ? x * s->force : x;
}

/* A contact on a ray: its tangents follow its normal. */
static void follow_ray(const Island *s, int k, RgForceRange *to)
{
    for (int e = 0; e < 2; e++) {
        double f = -s->b->mu[s->contacts[k]] * s->slip[2 * k + e], a = f == 0.0 ? 0.0 : f * to->low[0];
        double b = f == 0.0 ? 0.0 : f * to->high[0];
        to->low[1 + e] = fmin(a, b);
        to->high[1 + e] = fmax(a, b);
    }
}

static void find_range(const Island *s, RgConeWork *work, const RgConeProgram *q, int k)
{
    RgForceRange *to = &s->ranges[s->contacts[k]];
    int count = s->first[k + 1] - s->first[k];
    bool fixed = is_fixed(s, k);
    to->known = fixed || s->out->programs + 2 * count <= s->o->max_programs;
    for (int e = 0; e < count; e++) {
        int i = s->first[k] + e;
        double low = -s->rho[i], high = s->rho[i];
        if (to->known && mobility(s, i) > FIXED) {
            bool first = find_end(s, work, q, i, -1.0, &low), second = find_end(s, work, q, i, 1.0, &high);
            to->known = first && second;
        }
        to->low[e] = times_force(s, e == 0 ? fmax(-low, 0.0) : -low);
        to->high[e] = times_force(s, high);
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

static bool take(RgArena *arena, int largest, Island *s)
{
    size_t n = 3 * (size_t)largest;
    double **const squares[] = {&s->W, &s->E, &s->S, &s->L, &s->Z};
    double **const lines[] = {&s->u, &s->slip, &s->rho, &s->spare};
    for (size_t k = 0; k < sizeof squares / sizeof squares[0]; k++)
        *squares[k] = RG_TAKE(arena, double, n *n);
    for (size_t k = 0; k < sizeof lines / sizeof lines[0]; k++)
        *lines[k] = RG_TAKE(arena, double, n);
    s->first = RG_TAKE(arena, int, largest + 1);
    return !arena->failed;
}

static bool examine(RgArena *arena, Island *s, int *place, double still)
{
    int rows = 3 * s->n;
    rg_contact_island_matrix(s->b, s->contacts, s->n, place, s->W);
    find_states(s, still);
    choose_unknowns(s);
    make_symmetric(s->W, (size_t)rows);
    s->out->rank += factor(s, s->W, rows);
    reduce(s);
    make_symmetric(s->S, (size_t)s->nv);
    s->rank = factor(s, s->S, s->nv);
    find_basis(s);
    s->out->unknowns += s->nv;
    s->out->freedoms += s->nv - s->rank;
    RgConeProgram q;
    if (!make_program(arena, s, &q))
        return false;
    RgConeWork *work = rg_cone_work_take(arena, q.n, q.m);
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

RgStatus rg_indeterminacy_find(RgArena *arena, const RgConeBlocks *b, const RgIndeterminacyOptions *o,
                               RgForceRange *ranges, RgIndeterminacy *out)
{
    RgContactIslands islands;
    *out = (RgIndeterminacy){.contacts = b->n, .rows = 3 * b->n};
    if (!rg_cone_blocks_valid(b))
        return RG_ERR_ARGUMENT;
    int *place = RG_TAKE(arena, int, b->n);
    double force = largest_of(b->r, 3 * b->n);
    Island s = {.b = b, .o = o, .force = force > 0.0 ? force : 1.0, .ranges = ranges, .out = out};
    if (place == NULL || !rg_contact_islands_find(arena, b, &islands) || !take(arena, islands.largest, &s))
        return RG_ERR_MEMORY;
    for (int k = 0; k < islands.count; k++) {
        s.n = islands.first[k + 1] - islands.first[k];
        s.contacts = islands.contacts + islands.first[k];
        if (!examine(arena, &s, place, o->still * largest_of(b->q, 3 * b->n)))
            return RG_ERR_MEMORY;
    }
    return RG_OK;
}
