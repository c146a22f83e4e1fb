/*
 * consistency.c - proofs that a contact problem has a solution or has none, by programs over cones (consistency.h).
 *
 *   solution proven    maximise t <= 1 with (w_n - t, mu w_t) in second-order cones, w = W p + q. The symmetric part of
 *                      W is L L', and p enters as L'p. Proven if t is above INTERIOR_MARGIN of the largest |q|.
 *   solution refuted   r in K, (W r + q)_n >= 0: the program proves that it has no feasible point
 *   sliding refuted    the same with sliding contacts on their rays
 *   sliding proven     Lemke's method finds r_n if all contacts of an island slide
 *
 * Islands are treated separately. Failure: a program that ends without a result leaves UNKNOWN. Cost: some tens of
 * times (3 contacts)^3.
 */
#include "solver/cone/consistency.h"

#include "math/dense_factor.h"
#include "solver/cone/contact_islands.h"
#include "solver/pivot/lemke.h"
#include "solver/program/cone_program.h"

#include <math.h>
#include <string.h>

/* Part of the largest |q| by which a point must lie inside the dual cones; above the tolerance of the programs. */
#define INTERIOR_MARGIN 1e-7
/* Part of the largest diagonal below which a pivot counts as zero. */
#define RANK_TOLERANCE 1e-11
/* Part of W_nn below which p counts as zero. */
#define ZERO_EFFECT 1e-12

typedef struct Island {
    const RgConeBlocks *b;
    int n;
    const int *contacts;
    double *W, *L, *spare; /* dense, 3 n x 3 n; 3 n */
    const double *slip;    /* 2 b->n: unit sliding direction, or 0 */
    double velocity;       /* scale of w: largest |q| */
    double impulse;        /* scale of r: velocity over the largest diagonal entry */
} Island;

static bool run_program(RgArena *arena, const RgConeProgram *q, RgConeProgramReport *report)
{
    RgConeWork *work = rg_cone_work_alloc(arena, q->n, q->m);
    RgConeProgramOptions options = {.tolerance = 1e-9, .max_iterations = 60};
    *report = (RgConeProgramReport){.outcome = RG_CONE_ITERATIONS};
    if (work == NULL)
        return false;
    if (rg_cone_program_solve(work, q, &options, report) != RG_OK)
        report->outcome = RG_CONE_ITERATIONS;
    return true;
}

/* ------------------------------------------------------------------ a solution at velocity level */

/* Searches a point inside the dual cones; the unknowns are L'p and t. False: no memory. */
static bool find_interior_point(RgArena *arena, const Island *s, bool *found)
{
    size_t rows = 3 * (size_t)s->n;
    double *symmetric_part = RG_ARENA_ALLOC(arena, double, rows *rows);
    if (symmetric_part == NULL)
        return false;
    for (size_t i = 0; i < rows * rows; i++)
        symmetric_part[i] = 0.5 * (s->W[i] + s->W[i % rows * rows + i / rows]);
    memset(s->L, 0, rows * rows * sizeof *s->L);
    int rank = rg_pivoted_cholesky(symmetric_part, 3 * s->n, RANK_TOLERANCE, s->L, s->spare);
    double root = sqrt(s->velocity / s->impulse);
    size_t n = (size_t)rank + 1;
    RgConeProgram q;
    RgConeProgramReport report;
    if (!rg_cone_program_alloc(arena, rank + 1, 1, s->n, &q))
        return false;
    q.G[rank] = 1.0;
    q.h[0] = 1.0;
    q.c[rank] = -1.0;
    for (size_t i = 0; i < rows; i++) {
        int contact = s->contacts[i / 3];
        double f = i % 3 == 0 ? 1.0 : s->b->mu[contact], *row = q.G + (i + 1) * n;
        for (int j = 0; j < rank; j++)
            row[j] = -f * s->L[i * rows + (size_t)j] / root;
        row[rank] = i % 3 == 0 ? 1.0 : 0.0;
        q.h[i + 1] = f * s->b->q[3 * contact + (int)(i % 3)] / s->velocity;
    }
    bool done = run_program(arena, &q, &report);
    *found = report.outcome == RG_CONE_SOLVED && q.x[rank] > INTERIOR_MARGIN;
    return done;
}

/* ------------------------------------------------------------------ forces that keep all contacts from approaching */

static bool slides(const Island *s, int k)
{
    const double *d = s->slip + 2 * (size_t)s->contacts[k];
    return d[0] != 0.0 || d[1] != 0.0;
}

/* Number of unknowns of contact k: one on a ray, three in a cone. */
static int unknowns_of(const Island *s, int k, bool sliding)
{
    return (sliding && slides(s, k)) || s->b->mu[s->contacts[k]] == 0.0 ? 1 : 3;
}

/* Fills the columns of contact k: its unknowns in the rows (W r + q)_n >= 0 of all contacts. */
static void add_columns(const Island *s, int k, int count, int at, RgConeProgram *q)
{
    size_t rows = 3 * (size_t)s->n, n = (size_t)q->n;
    double mu = s->b->mu[s->contacts[k]], scale = s->impulse / s->velocity;
    const double *slip = s->slip + 2 * (size_t)s->contacts[k];
    for (int i = 0; i < s->n; i++) {
        const double *W = s->W + 3 * (size_t)i * rows + 3 * (size_t)k;
        double *to = q->G + (size_t)i * n + (size_t)at;
        for (int e = 0; e < count; e++)
            to[e] = -scale * W[e];
        if (count == 1)
            to[0] = -scale * (W[0] - mu * (W[1] * slip[0] + W[2] * slip[1]));
    }
}

/* *none: it is proven that no forces, with sliding contacts on their rays if `sliding`, keep all contacts from
   approaching. False: no memory. */
static bool prove_infeasible(RgArena *arena, const Island *s, bool sliding, bool *none)
{
    int n = 0, singles = 0, cones = 0;
    for (int k = 0; k < s->n; k++) {
        int count = unknowns_of(s, k, sliding);
        n += count;
        singles += count == 1;
        cones += count == 3;
    }
    RgConeProgram q;
    RgConeProgramReport report;
    if (!rg_cone_program_alloc(arena, n, s->n + singles, cones, &q))
        return false;
    size_t single = (size_t)s->n, cone = single + (size_t)singles, N = (size_t)n;
    for (int k = 0, at = 0; k < s->n; k++) {
        int count = unknowns_of(s, k, sliding);
        q.h[k] = s->b->q[3 * s->contacts[k]] / s->velocity;
        add_columns(s, k, count, at, &q);
        if (count == 1)
            q.G[single++ * N + (size_t)at] = -1.0;
        for (int e = 0; e < 3 && count == 3; e++)
            q.G[cone++ * N + (size_t)(at + e)] = e == 0 ? -s->b->mu[s->contacts[k]] : -1.0;
        at += count;
    }
    bool done = run_program(arena, &q, &report);
    *none = report.outcome == RG_CONE_INFEASIBLE;
    return done;
}

/* ------------------------------------------------------------------ continued sliding */

/* P_ij = W_nn - mu_j W_nt d_j */
static double effect_of(const Island *s, int i, int j)
{
    size_t rows = 3 * (size_t)s->n;
    const double *W = s->W + 3 * (size_t)i * rows + 3 * (size_t)j, *d = s->slip + 2 * (size_t)s->contacts[j];
    return W[0] - s->b->mu[s->contacts[j]] * (W[1] * d[0] + W[2] * d[1]);
}

/* All contacts slide or have no friction: finds r_n by Lemke's method. *unique: P is positive definite. False: no
   memory. */
static bool find_sliding_forces(RgArena *arena, const Island *s, bool *found, bool *unique)
{
    RgDenseLcp lcp;
    RgLemkeReport report;
    size_t n = (size_t)s->n;
    if (!rg_dense_lcp_alloc(arena, s->n, false, &lcp))
        return false;
    double *symmetric_part = RG_ARENA_ALLOC(arena, double, n *n), *factor = RG_ARENA_ALLOC(arena, double, n *n);
    if (arena->failed)
        return false;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double a = effect_of(s, (int)i, (int)j), b = effect_of(s, (int)j, (int)i);
            lcp.M[i * n + j] = a * s->impulse / s->velocity;
            symmetric_part[i * n + j] = 0.5 * (a + b);
        }
        lcp.q[i] = s->b->q[3 * s->contacts[i]] / s->velocity;
        lcp.low[i] = 0.0;
        lcp.high[i] = INFINITY;
    }
    lcp.symmetric = false;
    int rank = rg_pivoted_cholesky(symmetric_part, s->n, RANK_TOLERANCE, factor, s->spare);
    *unique = rank == s->n && rg_cholesky_residue(symmetric_part, s->n, factor, rank) < RANK_TOLERANCE;
    RgExactOptions options = rg_exact_options_default();
    RgStatus status = rg_lemke_solve(arena, &lcp, &options, &report);
    *found = status == RG_OK && report.outcome == RG_SOLVE_SOLVED && report.fallback_index == 0;
    return status != RG_ERR_MEMORY;
}

static bool check_sliding(RgArena *arena, const Island *s, RgExistence *answer, bool *unique)
{
    bool some = false, all = true, none = false, found = false;
    for (int k = 0; k < s->n; k++) {
        some = some || slides(s, k);
        all = all && unknowns_of(s, k, true) == 1;
    }
    *answer = RG_EXISTENCE_PROVEN;
    if (!some)
        return true;
    if (all && !find_sliding_forces(arena, s, &found, unique))
        return false;
    if (!found && !prove_infeasible(arena, s, true, &none))
        return false;
    *unique = *unique && all;
    *answer = found ? RG_EXISTENCE_PROVEN : none ? RG_EXISTENCE_REFUTED : RG_EXISTENCE_UNKNOWN;
    return true;
}

/* ------------------------------------------------------------------ all islands */

static RgExistence worse(RgExistence a, RgExistence b)
{
    if (a == RG_EXISTENCE_REFUTED || b == RG_EXISTENCE_REFUTED)
        return RG_EXISTENCE_REFUTED;
    return a == RG_EXISTENCE_PROVEN ? b : a;
}

static bool analyse_island(RgArena *arena, Island *s, double *effect, RgConsistency *out)
{
    double largest = 0.0;
    size_t rows = 3 * (size_t)s->n;
    for (size_t i = 0; i < rows; i++)
        largest = fmax(largest, s->W[i * rows + i]);
    s->impulse = largest > 0.0 ? s->velocity / largest : s->velocity;
    for (int k = 0; k < s->n; k++) {
        double p = effect_of(s, k, k), normal = s->W[3 * (size_t)k * rows + 3 * (size_t)k];
        out->slipping += slides(s, k);
        out->jamming += slides(s, k) && p <= ZERO_EFFECT * normal;
        if (effect != NULL)
            effect[s->contacts[k]] = p;
    }
    bool inside = false, none = false, unique = true;
    RgExistence sliding;
    if (!find_interior_point(arena, s, &inside) || (!inside && !prove_infeasible(arena, s, false, &none)) ||
        !check_sliding(arena, s, &sliding, &unique))
        return false;
    out->solution = worse(out->solution, inside ? RG_EXISTENCE_PROVEN
                                         : none ? RG_EXISTENCE_REFUTED
                                                : RG_EXISTENCE_UNKNOWN);
    out->sliding = worse(out->sliding, sliding);
    out->sliding_is_unique = out->sliding_is_unique && unique;
    return true;
}

/* Sliding directions of unit length, or 0. */
static void set_slip_directions(const RgConeBlocks *b, const double *slip, double least, double *to)
{
    for (int i = 0; i < b->n; i++) {
        double x = slip != NULL ? slip[2 * i] : b->q[3 * i + 1], y = slip != NULL ? slip[2 * i + 1] : b->q[3 * i + 2];
        double length = sqrt(x * x + y * y);
        bool slips = slip != NULL ? length > 0.0 : length > least;
        to[2 * i] = slips ? x / length : 0.0;
        to[2 * i + 1] = slips ? y / length : 0.0;
    }
}

RgStatus rg_consistency_find(RgArena *arena, const RgConeBlocks *b, const double *slip, double still, double *effect,
                             RgConsistency *out)
{
    RgContactIslands islands;
    *out = (RgConsistency){.solution = RG_EXISTENCE_PROVEN, .sliding = RG_EXISTENCE_PROVEN, .sliding_is_unique = true};
    if (!rg_cone_blocks_valid(b))
        return RG_ERR_ARGUMENT;
    if (!rg_contact_islands_find(arena, b, &islands))
        return RG_ERR_MEMORY;
    size_t rows = 3 * (size_t)islands.largest;
    int *place = RG_ARENA_ALLOC(arena, int, b->n);
    double *slips = RG_ARENA_ALLOC(arena, double, 2 * b->n), velocity = 0.0;
    Island s = {.b = b, .slip = slips, .W = RG_ARENA_ALLOC(arena, double, rows *rows)};
    s.L = RG_ARENA_ALLOC(arena, double, rows *rows);
    s.spare = RG_ARENA_ALLOC(arena, double, rows);
    if (arena->failed)
        return RG_ERR_MEMORY;
    for (int i = 0; i < 3 * b->n; i++)
        velocity = fmax(velocity, fabs(b->q[i]));
    s.velocity = velocity > 0.0 ? velocity : 1.0;
    set_slip_directions(b, slip, still * velocity, slips);
    for (int k = 0; k < islands.count; k++) {
        s.n = islands.first[k + 1] - islands.first[k];
        s.contacts = islands.contacts + islands.first[k];
        rg_contact_island_matrix(b, s.contacts, s.n, place, s.W);
        if (!analyse_island(arena, &s, effect, out))
            return RG_ERR_MEMORY;
    }
    if (out->slipping == 0) {
        out->sliding = RG_EXISTENCE_UNKNOWN;
        out->sliding_is_unique = false;
    }
    out->sliding_is_unique = out->sliding_is_unique && out->sliding == RG_EXISTENCE_PROVEN;
    return RG_OK;
}

const char *rg_existence_name(RgExistence existence)
{
    static const char *const names[] = {"unknown", "proven", "refuted"};
    return names[existence];
}
