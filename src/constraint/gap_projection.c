/*
 * gap_projection.c - satisfies gap constraints by the smallest mass-weighted motion (Cline, Pai 2003).
 *
 *   min s's   with   J s = wanted - gap (equal) or >= it,   and J s = -error for joints and loops that are rows
 *   x <- x moved by s, repeated until no error is left
 *
 * s are mass-scaled velocities (scaled_rows.h), so the metric is that of kinetic energy in both coordinate forms; J are
 * the rates of the gaps at the present x (gap.c). Gauss-Newton: gaps and rows are functions of x alone, so the error is
 * squared in each iteration.
 *
 * Joints and loops H are solved first, by their sparse factor (solver_direct.c): s = s_H + s_G, s_H = H' (H H')^-1
 * (-error). A gap's row j is replaced by its part orthogonal to them, j - H' (H H')^-1 H j, so that s_G does not change
 * them. Gaps whose rows share no velocity are solved apart (islands); an island is solved by Dantzig's pivoting
 * (solver/pivot/dantzig.h): the four corners of a face have three independent rows, and any number of consistent
 * redundant rows is satisfied.
 *
 * Rows are normalised in that metric, so the test for dependence does not depend on the masses. A row that moves
 * nothing (two links whose joint does not change the gap) is dropped.
 *
 * Cost: the factor of joints and loops and a solve with it for each gap that they affect; gaps^2 times the rank per
 * island. Memory grows to the largest need. Failure cases: contradicting constraints, gaps beyond the reach of a
 * mechanism: RG_ERR_NOT_CONVERGED, with the best x found.
 */
#include "constraint/gap_projection.h"

#include "base/alloc.h"
#include "base/union_find.h"
#include "contact/touch_set.h"
#include "solver/patch_problem.h"
#include "solver/pivot/dantzig.h"

#include <string.h>

_Static_assert(RG_TOUCH_POINTS == RG_PATCH_POINTS, "a manifold of a touch set is one patch");

/* Maximum number of iterations. Newton's method squares the error each time; more iterations mean that it does not
   converge. */
#define MAX_ITERATIONS 30

/* Largest step of one iteration, rad or m: keeps a distant start from overshooting the solution. */
#define LONGEST_STEP 0.3

/* The iteration stops if the error did not fall below STALL_RATIO times the best one in MAX_STALLS iterations; below
   SMALL_ERROR (m) after one, since what remains there is a contradiction of the constraints. */
#define STALL_RATIO 0.5
#define MAX_STALLS 4
#define SMALL_ERROR 1e-9

/* Square of a row's length below which it is round-off, relative to that of a unit force on the lightest body; and
   relative to its own length before the projection against joints and loops. */
#define ROW_ROUND_OFF2 1e-22
#define PROJECTED_ROUND_OFF2 1e-18

/* Rows in compressed storage: nhard of joints and loops, then gaps. */
typedef struct Rows {
    int count, nentries, nhard;
    int room, entry_room;
    int *start, *columns; /* start: room; columns: entry_room */
    double *values;
    double *wanted; /* rows: J s must be (at least) this */
    bool *equal;    /* rows */
    int *order;     /* rows, island by island */
} Rows;

/* Rows of joints and loops. */
typedef struct HardRows {
    RgDirect *direct;
    RgBilateral problem; /* refers to the first rows */
    double *held;        /* nu: s_H */
    double *dense;       /* nu, zero between uses */
} HardRows;

/* State of the iteration. */
typedef struct Progress {
    double *step;               /* nu: the last step */
    double *total, *best_total; /* nu: sum of the steps, at present and at the best x */
    double *best;               /* nx: best x so far */
} Progress;

struct RgGapProjector {
    RgForm *form;
    RgConstraints *constraints;
    const RgBounded *limits; /* NULL: limits are ignored */
    RgScaling *scaling;
    RgAllocator allocator;
    double total_mass, row_least; /* kg; square of a row's length below which it moves nothing */
    double *zero_velocity;        /* nu zeros */
    double *free;                 /* nu: accelerations, unused output */
    int32_t *velocity_set;        /* nu: union-find of velocities that share a row */
    int32_t *row_at;              /* nu + 1: end of each island's rows in order, by its root velocity */
    Progress progress;
    HardRows hard;
    Rows rows;
    RgArena island; /* memory of the present island */
};

/* ------------------------------------------------------------------ memory */

/* Maximum number of coefficients of one row of a joint or a loop. */
static int hard_entries(const RgForm *form)
{
    int most = 6 * RG_ROW_BODIES + 1;
    return form->kind->joints_are_rows && form->nu > most ? most : form->nu;
}

RgGapProjector *rg_gap_projector_alloc(RgArena *arena, RgForm *form, RgConstraints *constraints)
{
    RgGapProjector *p = RG_ARENA_ALLOC(arena, RgGapProjector, 1);
    if (p == NULL)
        return NULL;
    int nu = form->nu, hard = constraints->rows.room;
    *p = (RgGapProjector){.form = form,
                          .constraints = constraints,
                          .scaling = rg_scaling_alloc(arena, form),
                          .allocator = arena->allocator,
                          .zero_velocity = RG_ARENA_ALLOC(arena, double, nu),
                          .free = RG_ARENA_ALLOC(arena, double, nu),
                          .velocity_set = RG_ARENA_ALLOC(arena, int32_t, nu),
                          .row_at = RG_ARENA_ALLOC(arena, int32_t, nu + 1)};
    p->progress = (Progress){.step = RG_ARENA_ALLOC(arena, double, nu),
                             .best = RG_ARENA_ALLOC(arena, double, form->nx),
                             .total = RG_ARENA_ALLOC(arena, double, nu),
                             .best_total = RG_ARENA_ALLOC(arena, double, nu)};
    p->hard = (HardRows){.direct = rg_direct_alloc(arena, hard, hard * hard_entries(form), nu),
                         .held = RG_ARENA_ALLOC(arena, double, nu),
                         .dense = RG_ARENA_ALLOC(arena, double, nu)};
    p->hard.problem = (RgBilateral){.nu = nu,
                                    .diagonal_mass = true,
                                    .compliance = RG_ARENA_ALLOC(arena, double, hard),
                                    .rhs = RG_ARENA_ALLOC(arena, double, hard),
                                    .z = RG_ARENA_ALLOC(arena, double, hard)};
    double lightest = INFINITY;
    for (int i = 0; i < form->model->nbodies; i++) {
        double mass = form->model->bodies[i].inertia.mass;
        p->total_mass += mass;
        lightest = mass > 0.0 ? fmin(lightest, mass) : lightest;
    }
    p->row_least = ROW_ROUND_OFF2 / lightest;
    rg_arena_init(&p->island, &arena->allocator);
    return arena->failed || p->scaling == NULL || p->hard.direct == NULL ? NULL : p;
}

void rg_gap_projector_limits(RgGapProjector *p, const RgBounded *bounded)
{
    p->limits = bounded;
}

void rg_gap_projector_free(RgGapProjector *p)
{
    if (p == NULL)
        return;
    rg_direct_free(p->hard.direct);
    rg_arena_free(&p->island);
    const Rows *r = &p->rows;
    void *blocks[] = {r->start, r->columns, r->values, r->wanted, r->equal, r->order};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        rg_free(&p->allocator, blocks[i]);
    p->rows = (Rows){.count = 0};
}

/* Enlarges one block; *ok becomes false if out of memory. */
static void *grow(const RgGapProjector *p, void *block, int old_count, int count, size_t size, bool *ok)
{
    void *moved = rg_realloc(&p->allocator, block, (size_t)old_count, (size_t)count, size);
    *ok = *ok && moved != NULL;
    return moved != NULL ? moved : block;
}

/* Makes room for one more row of any length. */
static bool reserve_row(RgGapProjector *p)
{
    Rows *r = &p->rows;
    bool ok = true;
    if (r->count + 2 > r->room) {
        int room = 2 * r->count + 16, old = r->room;
        r->start = grow(p, r->start, old, room, sizeof *r->start, &ok);
        r->wanted = grow(p, r->wanted, old, room, sizeof *r->wanted, &ok);
        r->equal = grow(p, r->equal, old, room, sizeof *r->equal, &ok);
        r->order = grow(p, r->order, old, room, sizeof *r->order, &ok);
        r->room = ok ? room : old;
    }
    if (r->nentries + p->form->nu > r->entry_room) {
        int room = 2 * (r->nentries + p->form->nu), old = r->entry_room;
        r->columns = grow(p, r->columns, old, room, sizeof *r->columns, &ok);
        r->values = grow(p, r->values, old, room, sizeof *r->values, &ok);
        r->entry_room = ok ? room : old;
    }
    return ok;
}

/* ------------------------------------------------------------------ rows */

static double square_sum(const double *x, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += x[k] * x[k];
    return sum;
}

/* Completes the row whose count coefficients were written at the end: normalises it and its target. A row whose squared
   length is at most `least` moves nothing and is dropped. */
static void complete_row(RgGapProjector *p, int count, double wanted, bool equal, double least)
{
    Rows *r = &p->rows;
    double *values = r->values + r->nentries, length2 = square_sum(values, count);
    if (!(length2 > fmax(least, p->row_least)))
        return;
    double scale = 1.0 / sqrt(length2);
    for (int e = 0; e < count; e++)
        values[e] *= scale;
    r->start[r->count] = r->nentries;
    r->wanted[r->count] = wanted * scale;
    r->equal[r->count++] = equal;
    r->nentries += count;
    r->start[r->count] = r->nentries;
}

/* Adds J s = wanted for row i of joints and loops. */
static bool add_hard_row(RgGapProjector *p, int i, double wanted)
{
    if (!reserve_row(p))
        return false;
    int count = rg_scaled_row(p->scaling, &p->constraints->rows.row[i], p->rows.columns + p->rows.nentries,
                              p->rows.values + p->rows.nentries);
    complete_row(p, count, wanted, true, 0.0);
    return true;
}

static double row_times(const Rows *r, int i, const double *x)
{
    double sum = 0.0;
    for (int e = r->start[i]; e < r->start[i + 1]; e++)
        sum += r->values[e] * x[r->columns[e]];
    return sum;
}

static void add_row_to(const Rows *r, int i, double z, double *x)
{
    for (int e = r->start[i]; e < r->start[i + 1]; e++)
        x[r->columns[e]] += z * r->values[e];
}

/* Factors the rows so far, all of joints and loops, and computes the shortest s that satisfies them. */
static RgStatus solve_hard_rows(RgGapProjector *p)
{
    Rows *r = &p->rows;
    r->nhard = r->count;
    memset(p->hard.held, 0, (size_t)p->form->nu * sizeof *p->hard.held);
    if (r->nhard == 0)
        return RG_OK;
    p->hard.problem.n = r->nhard;
    p->hard.problem.start = r->start;
    p->hard.problem.columns = r->columns;
    p->hard.problem.values = p->hard.problem.Y = r->values;
    memcpy(p->hard.problem.rhs, r->wanted, (size_t)r->nhard * sizeof *r->wanted);
    RgStatus status = rg_direct_solve(p->hard.direct, &p->hard.problem);
    for (int i = 0; i < r->nhard && status == RG_OK; i++)
        add_row_to(r, i, p->hard.problem.z[i], p->hard.held);
    return status;
}

/* Projects the count coefficients at the end against joints and loops; returns the new count. */
static int project_row(RgGapProjector *p, int count)
{
    Rows *r = &p->rows;
    const int *columns = r->columns + r->nentries;
    const double *values = r->values + r->nentries;
    double *dense = p->hard.dense, largest_product = 0.0;
    for (int e = 0; e < count; e++)
        dense[columns[e]] = values[e];
    for (int i = 0; i < r->nhard; i++) {
        p->hard.problem.z[i] = row_times(r, i, dense);
        largest_product = fmax(largest_product, fabs(p->hard.problem.z[i]));
    }
    if (largest_product > 0.0) {
        rg_direct_solve_again(p->hard.direct, &p->hard.problem, p->hard.problem.z);
        for (int i = 0; i < r->nhard; i++)
            add_row_to(r, i, -p->hard.problem.z[i], dense);
    }

    /* Convert back to a sparse row. */
    count = 0;
    for (int k = 0; k < p->form->nu; k++) {
        if (dense[k] == 0.0)
            continue;
        r->columns[r->nentries + count] = k;
        r->values[r->nentries + count++] = dense[k];
        dense[k] = 0.0;
    }
    return count;
}

/* Projects the count coefficients at the end against joints and loops, and completes the row. */
static void project_and_complete_row(RgGapProjector *p, int count, double wanted, bool equal)
{
    const Rows *r = &p->rows;
    double least = 0.0;
    if (r->nhard > 0) {
        least = PROJECTED_ROUND_OFF2 * square_sum(r->values + r->nentries, count);
        for (int e = r->nentries; e < r->nentries + count; e++)
            wanted -= r->values[e] * p->hard.held[r->columns[e]];
        count = project_row(p, count);
    }
    complete_row(p, count, wanted, equal, least);
}

/* Adds the rate of a gap as a row. */
static bool add_gap_row(RgGapProjector *p, const RgGap *gap, const RgGapAt *at, double wanted, bool equal)
{
    if (!reserve_row(p))
        return false;
    RgForce on_a = {v3_zero(), at->normal}, on_b = on_a;
    if (gap->body_a >= 0)
        on_a = fv_shift(on_a, v3_sub(p->scaling->body[gap->body_a].centre, at->point_a));
    if (gap->body_b >= 0)
        on_b = fv_shift(on_b, v3_sub(p->scaling->body[gap->body_b].centre, at->point_b));
    int count = rg_scaled_pair_columns(p->scaling, gap->body_a, gap->body_b, p->rows.columns + p->rows.nentries);
    if (count == 0)
        return true;
    rg_scaled_pair(p->scaling, gap->body_a, on_a, gap->body_b, on_b, p->rows.values + p->rows.nentries);
    project_and_complete_row(p, count, wanted, equal);
    return true;
}

/* ------------------------------------------------------------------ limits of joints */

/* Distance to a limit, sign +1: the lower one; infinite: no limit. */
static double distance_to_limit(const RgBounded *b, int axis, double sign)
{
    const RgAxisDef *def = b->axes[axis].def;
    double bound = sign > 0.0 ? def->lower : def->upper;
    bool exists = b->position_limits && b->axes[axis].plain && isfinite(bound);
    return exists ? sign * (rg_axis_position(b, axis) - bound) : INFINITY;
}

/* Largest violation of a limit. */
static double limit_violation(const RgGapProjector *p)
{
    double most = 0.0;
    for (int axis = 0; p->limits != NULL && axis < p->limits->naxes; axis++)
        most = fmax(most, -fmin(distance_to_limit(p->limits, axis, 1.0), distance_to_limit(p->limits, axis, -1.0)));
    return most;
}

static bool add_limit_rows(RgGapProjector *p)
{
    for (int k = 0; p->limits != NULL && k < 2 * p->limits->naxes; k++) {
        double sign = k % 2 == 0 ? 1.0 : -1.0, distance = distance_to_limit(p->limits, k / 2, sign);
        if (!isfinite(distance))
            continue;
        if (!reserve_row(p))
            return false;
        RgBoundedRow row;
        rg_axis_row(p->limits, k / 2, sign, &row);
        int count =
            rg_scaled_row(p->scaling, &row.row, p->rows.columns + p->rows.nentries, p->rows.values + p->rows.nentries);
        project_and_complete_row(p, count, -distance, false);
    }
    return true;
}

/* ------------------------------------------------------------------ gaps */

static RgGapAt evaluate_gap(const RgGapProjector *p, const RgGap *gap)
{
    const RgKin *kin = p->form->kin;
    RgPose X_WA = kin_pose(kin, gap->body_a), X_WB = kin_pose(kin, gap->body_b);
    return rg_gap_at(gap, &X_WA, &X_WB);
}

/* ------------------------------------------------------------------ islands */

static double row_product(const Rows *r, int i, int j)
{
    const int *ci = r->columns + r->start[i], *cj = r->columns + r->start[j];
    const double *vi = r->values + r->start[i], *vj = r->values + r->start[j];
    int ni = r->start[i + 1] - r->start[i], nj = r->start[j + 1] - r->start[j];
    double sum = 0.0;
    for (int a = 0, b = 0; a < ni && b < nj;) {
        if (ci[a] == cj[b])
            sum += vi[a++] * vj[b++];
        else if (ci[a] < cj[b])
            a++;
        else
            b++;
    }
    return sum;
}

/* Sorts the rows of gaps by island: rows that share a velocity belong to the same island. Islands come in the order of
   their roots. */
static void sort_rows(RgGapProjector *p)
{
    Rows *r = &p->rows;
    int nu = p->form->nu;
    for (int k = 0; k < nu; k++)
        p->velocity_set[k] = k;
    for (int i = r->nhard; i < r->count; i++)
        for (int e = r->start[i] + 1; e < r->start[i + 1]; e++)
            rg_set_union(p->velocity_set, r->columns[r->start[i]], r->columns[e]);
    memset(p->row_at, 0, (size_t)(nu + 1) * sizeof *p->row_at);
    for (int i = r->nhard; i < r->count; i++)
        p->row_at[rg_set_root(p->velocity_set, r->columns[r->start[i]]) + 1]++;
    for (int k = 0; k < nu; k++)
        p->row_at[k + 1] += p->row_at[k];
    for (int i = r->nhard; i < r->count; i++)
        r->order[p->row_at[rg_set_root(p->velocity_set, r->columns[r->start[i]])]++] = i;
}

/* Adds J' z of an island's rows to step. */
static RgStatus solve_island(RgGapProjector *p, const int *rows, int n, bool *met)
{
    RgDenseLcp problem;
    RgDantzigReport report;
    RgExactOptions options = rg_exact_options_default();
    rg_arena_reset(&p->island);
    if (!rg_dense_lcp_alloc(&p->island, n, false, &problem))
        return RG_ERR_MEMORY;
    problem.symmetric = true;
    for (int i = 0; i < n; i++) {
        problem.q[i] = -p->rows.wanted[rows[i]];
        problem.low[i] = p->rows.equal[rows[i]] ? -INFINITY : 0.0;
        problem.high[i] = INFINITY;
        problem.M[(size_t)i * (size_t)n + (size_t)i] = 1.0;
        for (int j = 0; j < i; j++)
            problem.M[(size_t)i * (size_t)n + (size_t)j] = problem.M[(size_t)j * (size_t)n + (size_t)i] =
                row_product(&p->rows, rows[i], rows[j]);
    }
    RgStatus status = rg_dantzig_box(&p->island, &problem, &options, &report);
    if (status != RG_OK)
        return status;
    *met = report.outcome == RG_SOLVE_SOLVED && *met;
    for (int i = 0; i < n; i++)
        add_row_to(&p->rows, rows[i], problem.z[i], p->progress.step);
    return RG_OK;
}

/* Computes the shortest s for all rows; step: as velocities. length: of s. */
static RgStatus solve_rows(RgGapProjector *p, double *length, bool *met)
{
    RgStatus status = RG_OK;
    int nu = p->form->nu;
    memcpy(p->progress.step, p->hard.held, (size_t)nu * sizeof *p->progress.step);
    *met = true;
    sort_rows(p);
    for (int k = 0, first = 0; k < nu && status == RG_OK; k++) {
        if (p->row_at[k] > first)
            status = solve_island(p, p->rows.order + first, p->row_at[k] - first, met);
        first = p->row_at[k];
    }
    double sum = square_sum(p->progress.step, nu);
    *length = sqrt(sum);
    rg_unscale_velocity(p->scaling, p->progress.step, p->progress.step);
    return isfinite(sum) ? status : RG_ERR_NOT_FINITE;
}

/* ------------------------------------------------------------------ public */

/* Computes the mass factor at the present kinematics. Returns false if it is singular. */
static bool factor_mass(RgGapProjector *p)
{
    RgForm *form = p->form;
    if (!form->kind->joints_are_rows) {
        int bad_dof;
        memset(p->constraints->scratch.tau, 0, (size_t)form->model->nv * sizeof *p->constraints->scratch.tau);
        RgForces none = {.tau = p->constraints->scratch.tau, .needs_solve = true};
        if (!form->kind->dynamics(form, &none, p->free, &bad_dof))
            return false;
    }
    rg_scaling_set(p->scaling, (RgInertiaRule){0.0, 0.0});
    return true;
}

static double constraint_error(const RgGapConstraint *constraint, double value)
{
    double short_of = constraint->wanted - value;
    return constraint->equal ? fabs(short_of) : short_of <= 0.0 ? 0.0 : short_of;
}

/* Maximum; NaN counts as the largest. */
static double larger(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

/* Evaluates kinematics and hard rows at x; returns the largest error of constraints and rows. */
static double evaluate_error(RgGapProjector *p, const RgGapConstraint *constraints, int count, const double *x)
{
    RgForm *form = p->form;
    form->kind->kinematics(form, x, p->zero_velocity);
    rg_constraints_observe(p->constraints);
    rg_assemble_hard_rows(p->constraints);
    double error = limit_violation(p);
    for (int i = 0; i < p->constraints->rows.n; i++)
        error = larger(error, fabs(p->constraints->rows.row[i].error));
    for (int i = 0; i < count; i++)
        error = larger(error, constraint_error(&constraints[i], evaluate_gap(p, &constraints[i].gap).value));
    return error;
}

/* Makes all rows at the present kinematics, with their remaining errors as targets. */
static RgStatus position_rows(RgGapProjector *p, const RgGapConstraint *constraints, int count)
{
    const RgRows *hard = &p->constraints->rows;
    bool ok = true;
    p->rows.count = p->rows.nentries = 0;
    for (int i = 0; i < hard->n && ok; i++)
        ok = add_hard_row(p, i, -hard->row[i].error);
    RgStatus status = ok ? solve_hard_rows(p) : RG_ERR_MEMORY;
    for (int i = 0; i < count && ok && status == RG_OK; i++) {
        RgGapAt at = evaluate_gap(p, &constraints[i].gap);
        ok = add_gap_row(p, &constraints[i].gap, &at, constraints[i].wanted - at.value, constraints[i].equal);
    }
    ok = ok && (status != RG_OK || add_limit_rows(p));
    return ok ? status : RG_ERR_MEMORY;
}

/* Applies the step of one iteration, limited to LONGEST_STEP. */
static void apply_step(RgGapProjector *p, double *x)
{
    double longest = 0.0;
    for (int k = 0; k < p->form->nu; k++)
        longest = fmax(longest, fabs(p->progress.step[k]));
    for (int k = 0; k < p->form->nu && longest > LONGEST_STEP; k++)
        p->progress.step[k] *= LONGEST_STEP / longest;
    for (int k = 0; k < p->form->nu; k++)
        p->progress.total[k] += p->progress.step[k];
    p->form->kind->integrate(p->form, x, p->progress.step, x);
}

/* Stores x as the best so far. */
static void store_best(RgGapProjector *p, const double *x)
{
    memcpy(p->progress.best, x, (size_t)p->form->nx * sizeof *x);
    memcpy(p->progress.best_total, p->progress.total, (size_t)p->form->nu * sizeof *p->progress.total);
}

RgStatus rg_project_gaps(RgGapProjector *p, const RgGapConstraint *constraints, int count, double tolerance, double *x,
                         RgGapProjection *out)
{
    double error = evaluate_error(p, constraints, count, x), least = error;
    int stalls = 0;
    memset(p->progress.total, 0, (size_t)p->form->nu * sizeof *p->progress.total);
    store_best(p, x);
    *out = (RgGapProjection){.error = error, .step = p->progress.best_total};
    RgStatus status = isfinite(error) ? RG_OK : RG_ERR_NOT_FINITE;
    while (status == RG_OK && !(error <= tolerance) && out->iterations < MAX_ITERATIONS && stalls < MAX_STALLS) {
        double length;
        bool met;
        status = factor_mass(p) ? position_rows(p, constraints, count) : RG_ERR_SINGULAR;
        if (status == RG_OK)
            status = solve_rows(p, &length, &met);
        if (status != RG_OK)
            break;
        apply_step(p, x);
        out->iterations++;
        out->moved += length / sqrt(p->total_mass);
        error = evaluate_error(p, constraints, count, x);
        stalls = error < STALL_RATIO * least ? 0 : error < SMALL_ERROR ? MAX_STALLS : stalls + 1;
        if (error < least) {
            least = error;
            store_best(p, x);
        }
    }

    /* Return the best x found, with its kinematics. */
    memcpy(x, p->progress.best, (size_t)p->form->nx * sizeof *x);
    if (error != least)
        evaluate_error(p, constraints, count, x);
    out->error = least;
    return status != RG_OK ? status : least <= tolerance ? RG_OK : RG_ERR_NOT_CONVERGED;
}

/* Makes the rows of joints and loops for rates: their violation by u. */
static RgStatus rate_rows(RgGapProjector *p, const double *u)
{
    const RgForm *form = p->form;
    RgConstraints *c = p->constraints;
    bool ok = true;
    p->rows.count = p->rows.nentries = 0;
    for (int i = 0; i < c->rows.n && ok; i++) {
        double bias, rate = 0.0;
        int n = rg_row_project(form, &c->rows.row[i], c->scratch.columns, c->scratch.values, &bias);
        for (int e = 0; e < n; e++)
            rate += c->scratch.values[e] * u[c->scratch.columns[e]];
        ok = add_hard_row(p, i, c->rows.row[i].keeps ? 0.0 : -rate);
    }
    return ok ? solve_hard_rows(p) : RG_ERR_MEMORY;
}

/* Rate of a gap at velocities u. */
static double rate_at(const RgGapProjector *p, const RgGap *gap, const double *u)
{
    const RgForm *form = p->form;
    RgMotion V[2] = {mv_zero(), mv_zero()};
    RgPose X_WA = kin_pose(form->kin, gap->body_a), X_WB = kin_pose(form->kin, gap->body_b);
    if (gap->body_a >= 0)
        rg_form_twist(form, gap->body_a, u, &V[0]);
    if (gap->body_b >= 0)
        rg_form_twist(form, gap->body_b, u, &V[1]);
    return rg_gap_rate(gap, &X_WA, &V[0], &X_WB, &V[1]);
}

RgStatus rg_project_gap_rates(RgGapProjector *p, const RgGapConstraint *constraints, int count, double *u)
{
    bool ok = true, met;
    double length;
    rg_constraints_observe(p->constraints);
    rg_assemble_hard_rows(p->constraints);
    RgStatus status = factor_mass(p) ? rate_rows(p, u) : RG_ERR_SINGULAR;
    for (int i = 0; i < count && ok && status == RG_OK; i++) {
        RgGapAt at = evaluate_gap(p, &constraints[i].gap);
        ok = add_gap_row(p, &constraints[i].gap, &at, -rate_at(p, &constraints[i].gap, u), constraints[i].equal);
    }
    if (!ok)
        return RG_ERR_MEMORY;
    if (status == RG_OK)
        status = solve_rows(p, &length, &met);
    for (int k = 0; k < p->form->nu && status == RG_OK; k++)
        u[k] += p->progress.step[k];
    return status == RG_OK && !met ? RG_ERR_NOT_CONVERGED : status;
}
