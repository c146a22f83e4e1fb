/*
 * gap_projection.c - gaps put right by the smallest mass-weighted motion (Cline, Pai 2003).
 *
 *   min s's   with   J s = wanted - gap (equal) or >= it,   and J s = -error for joints and loops that are rows
 *   x <- x moved by s,  again until nothing is left
 *
 * s are mass-scaled velocities (scaled_rows.h), so the metric is that of kinetic energy in both coordinate forms; J are
 * the rates of the gaps at the present x (gap.c). Gauss-Newton: gaps and rows are functions of x alone, the error is
 * squared each time.
 *
 * Joints and loops H come first, by their sparse factor (solver_direct.c): s = s_H + s_G, s_H = H' (H H')^-1 (-error),
 * and a gap's row becomes what of it is across all of them, j - H' (H H')^-1 H j, so that s_G leaves them as they are.
 * Gaps that share no velocity then are solved apart (islands); within an island by Dantzig's pivots (solver/pivot/dantzig.h): four corners of a face
 * are three independent rows, and any number of them that agree are met.
 *
 * Rows are taken by their length in that metric, so light and heavy bodies weigh the same in what counts as dependent.
 * A row that moves nothing (two links whose joint does not change the gap) is left out.
 *
 * Cost: the factor of joints and loops and a solve with it for each gap that they tie; gaps^2 times the rank of an
 * island. Memory grows to the largest need.
 * Failure cases: constraints that contradict, gaps beyond the reach of a mechanism: RG_ERR_NOT_CONVERGED, the best x found.
 */
#include "constraint/gap_projection.h"

#include "base/alloc.h"
#include "base/union_find.h"
#include "contact/touch_set.h"
#include "solver/patch_problem.h"
#include "solver/pivot/dantzig.h"

#include <string.h>

_Static_assert(RG_TOUCH_POINTS == RG_PATCH_POINTS, "a manifold of a touch set is one patch");

/* Newton's method squares the error; more iterations than this mean that it does not converge. */
#define ITERATIONS 30

/* Longest step of one iteration, rad or m. */
#define LONGEST_STEP 0.3

/* An error that does not fall to this part in so many iterations will not fall any more; near the solution, m, one is
   enough: what is left contradicts itself. */
#define STALLED 0.5
#define STALLS 4
#define NEAR_END 1e-9

/* Square of a row's length below which it is round-off: of that of a force on the lightest body; and of its own before
   joints and loops took their part. */
#define ROUND_OFF2 1e-22
#define UNTIED_ROUND_OFF2 1e-18

struct RgGapProjector {
    RgForm *form;
    RgConstraints *constraints;
    const RgBounded *limits; /* NULL: not looked at */
    RgScaling *scaling;
    RgAllocator allocator;
    double total_mass, row_least; /* kg; square of a row's length below which it moves nothing */
    double *still;                /* nu zeros */
    double *free;                 /* nu: accelerations that nobody wants */
    double *step;                 /* nu */
    double *best;                 /* nx */
    double *total, *best_total;   /* nu: sum of the steps, and where best is */
    int32_t *together;            /* nu: velocities that rows join */
    int32_t *row_at;              /* nu + 1: rows of each island, by its first velocity */

    /* Joints and loops. */
    RgDirect *direct;
    RgBilateral hard; /* looks at the first rows below */
    double *held;     /* nu: s_H */
    double *dense;    /* nu, zero between uses */

    /* Rows, one behind the other: nhard of joints and loops, then gaps. */
    int nrows, nentries, nhard;
    int row_room, entry_room;
    int *start, *columns; /* of rows, of entries */
    double *values;
    double *wanted; /* rows: J s shall be (at least) this */
    bool *equal;    /* rows */
    int *order;     /* rows, island by island */

    RgArena island; /* one island at a time */
};

/* ------------------------------------------------------------------ memory */

/* Coefficients of one row of a joint or a loop, at most. */
static int hard_entries(const RgForm *form)
{
    int most = 6 * RG_ROW_BODIES + 1;
    return form->kind->joints_are_rows && form->nu > most ? most : form->nu;
}

RgGapProjector *rg_gap_projector_take(RgArena *arena, RgForm *form, RgConstraints *constraints)
{
    RgGapProjector *p = RG_TAKE(arena, RgGapProjector, 1);
    if (p == NULL)
        return NULL;
    int nu = form->nu, hard = constraints->rows.room;
    *p = (RgGapProjector){.form = form,
                          .constraints = constraints,
                          .scaling = rg_scaling_take(arena, form),
                          .allocator = arena->allocator,
                          .still = RG_TAKE(arena, double, nu),
                          .free = RG_TAKE(arena, double, nu),
                          .step = RG_TAKE(arena, double, nu),
                          .best = RG_TAKE(arena, double, form->nx),
                          .total = RG_TAKE(arena, double, nu),
                          .best_total = RG_TAKE(arena, double, nu),
                          .together = RG_TAKE(arena, int32_t, nu),
                          .row_at = RG_TAKE(arena, int32_t, nu + 1),
                          .held = RG_TAKE(arena, double, nu),
                          .dense = RG_TAKE(arena, double, nu)};
    p->direct = rg_direct_take(arena, hard, hard * hard_entries(form), nu);
    p->hard = (RgBilateral){.nu = nu,
                            .diagonal_mass = true,
                            .compliance = RG_TAKE(arena, double, hard),
                            .rhs = RG_TAKE(arena, double, hard),
                            .z = RG_TAKE(arena, double, hard)};
    double lightest = INFINITY;
    for (int i = 0; i < form->model->nbodies; i++) {
        double mass = form->model->bodies[i].inertia.mass;
        p->total_mass += mass;
        lightest = mass > 0.0 ? fmin(lightest, mass) : lightest;
    }
    p->row_least = ROUND_OFF2 / lightest;
    rg_arena_init(&p->island, &arena->allocator);
    return arena->failed || p->scaling == NULL || p->direct == NULL ? NULL : p;
}

void rg_gap_projector_limits(RgGapProjector *p, const RgBounded *bounded)
{
    p->limits = bounded;
}

void rg_gap_projector_release(RgGapProjector *p)
{
    if (p == NULL)
        return;
    rg_direct_free(p->direct);
    rg_arena_free(&p->island);
    void *blocks[] = {p->start, p->columns, p->values, p->wanted, p->equal, p->order};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        rg_free(&p->allocator, blocks[i]);
    p->start = p->columns = p->order = NULL;
    p->values = p->wanted = NULL;
    p->equal = NULL;
    p->row_room = p->entry_room = 0;
}

/* One block made larger, contents kept; *ok becomes false without memory. */
static void *grow(const RgGapProjector *p, void *block, int old_count, int count, size_t size, bool *ok)
{
    void *moved = rg_realloc(&p->allocator, block, (size_t)old_count, (size_t)count, size);
    *ok = *ok && moved != NULL;
    return moved != NULL ? moved : block;
}

/* Room for one more row of any length. */
static bool reserve_row(RgGapProjector *p)
{
    bool ok = true;
    if (p->nrows + 2 > p->row_room) {
        int room = 2 * p->nrows + 16, old = p->row_room;
        p->start = grow(p, p->start, old, room, sizeof *p->start, &ok);
        p->wanted = grow(p, p->wanted, old, room, sizeof *p->wanted, &ok);
        p->equal = grow(p, p->equal, old, room, sizeof *p->equal, &ok);
        p->order = grow(p, p->order, old, room, sizeof *p->order, &ok);
        p->row_room = ok ? room : old;
    }
    if (p->nentries + p->form->nu > p->entry_room) {
        int room = 2 * (p->nentries + p->form->nu), old = p->entry_room;
        p->columns = grow(p, p->columns, old, room, sizeof *p->columns, &ok);
        p->values = grow(p, p->values, old, room, sizeof *p->values, &ok);
        p->entry_room = ok ? room : old;
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

/* Closes the row of count coefficients that stands at the end: they become those of a unit row, and so does what is
   wanted of it. One that is no longer than the root of least moves nothing and is not kept. */
static void close_row(RgGapProjector *p, int count, double wanted, bool equal, double least)
{
    double *values = p->values + p->nentries, length2 = square_sum(values, count);
    if (!(length2 > fmax(least, p->row_least)))
        return;
    double scale = 1.0 / sqrt(length2);
    for (int e = 0; e < count; e++)
        values[e] *= scale;
    p->start[p->nrows] = p->nentries;
    p->wanted[p->nrows] = wanted * scale;
    p->equal[p->nrows++] = equal;
    p->nentries += count;
    p->start[p->nrows] = p->nentries;
}

/* J s = wanted for row i of joints and loops. */
static bool add_hard_row(RgGapProjector *p, int i, double wanted)
{
    if (!reserve_row(p))
        return false;
    int count = rg_scaled_row(p->scaling, &p->constraints->rows.row[i], p->columns + p->nentries,
                              p->values + p->nentries);
    close_row(p, count, wanted, true, 0.0);
    return true;
}

static double row_times(const RgGapProjector *p, int i, const double *x)
{
    double sum = 0.0;
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        sum += p->values[e] * x[p->columns[e]];
    return sum;
}

static void add_row_to(const RgGapProjector *p, int i, double z, double *x)
{
    for (int e = p->start[i]; e < p->start[i + 1]; e++)
        x[p->columns[e]] += z * p->values[e];
}

/* All rows so far are of joints and loops: their factor, and the shortest s that meets them. */
static RgStatus hold(RgGapProjector *p)
{
    p->nhard = p->nrows;
    memset(p->held, 0, (size_t)p->form->nu * sizeof *p->held);
    if (p->nhard == 0)
        return RG_OK;
    p->hard.n = p->nhard;
    p->hard.start = p->start;
    p->hard.columns = p->columns;
    p->hard.values = p->hard.Y = p->values;
    memcpy(p->hard.rhs, p->wanted, (size_t)p->nhard * sizeof *p->wanted);
    RgStatus status = rg_direct_solve(p->direct, &p->hard);
    for (int i = 0; i < p->nhard && status == RG_OK; i++)
        add_row_to(p, i, p->hard.z[i], p->held);
    return status;
}

/* The count coefficients at the end become what of them is across joints and loops; returns how many those are. */
static int untie(RgGapProjector *p, int count)
{
    const int *columns = p->columns + p->nentries;
    const double *values = p->values + p->nentries;
    double *dense = p->dense, tied = 0.0;
    for (int e = 0; e < count; e++)
        dense[columns[e]] = values[e];
    for (int i = 0; i < p->nhard; i++) {
        p->hard.z[i] = row_times(p, i, dense);
        tied = fmax(tied, fabs(p->hard.z[i]));
    }
    if (tied > 0.0) {
        rg_direct_again(p->direct, &p->hard, p->hard.z);
        for (int i = 0; i < p->nhard; i++)
            add_row_to(p, i, -p->hard.z[i], dense);
    }

    /* Back to a sparse row. */
    count = 0;
    for (int k = 0; k < p->form->nu; k++) {
        if (dense[k] == 0.0)
            continue;
        p->columns[p->nentries + count] = k;
        p->values[p->nentries + count++] = dense[k];
        dense[k] = 0.0;
    }
    return count;
}

/* Closes the count coefficients at the end, which have not seen joints and loops. */
static void finish_row(RgGapProjector *p, int count, double wanted, bool equal)
{
    double least = 0.0;
    if (p->nhard > 0) {
        least = UNTIED_ROUND_OFF2 * square_sum(p->values + p->nentries, count);
        for (int e = p->nentries; e < p->nentries + count; e++)
            wanted -= p->values[e] * p->held[p->columns[e]];
        count = untie(p, count);
    }
    close_row(p, count, wanted, equal, least);
}

/* The rate of a gap as a row. */
static bool add_gap_row(RgGapProjector *p, const RgGap *gap, const RgGapAt *at, double wanted, bool equal)
{
    if (!reserve_row(p))
        return false;
    RgForce on_a = {v3_zero(), at->normal}, on_b = on_a;
    if (gap->body_a >= 0)
        on_a = fv_shift(on_a, v3_sub(p->scaling->body[gap->body_a].centre, at->point_a));
    if (gap->body_b >= 0)
        on_b = fv_shift(on_b, v3_sub(p->scaling->body[gap->body_b].centre, at->point_b));
    int count = rg_scaled_pair_columns(p->scaling, gap->body_a, gap->body_b, p->columns + p->nentries);
    if (count == 0)
        return true;
    rg_scaled_pair(p->scaling, gap->body_a, on_a, gap->body_b, on_b, p->values + p->nentries);
    finish_row(p, count, wanted, equal);
    return true;
}

/* ------------------------------------------------------------------ limits of joints */

/* What is left to a limit, sign +1: the lower one; infinite: there is none. */
static double way_to_limit(const RgBounded *b, int axis, double sign)
{
    const RgAxisDef *def = b->axes[axis].def;
    double bound = sign > 0.0 ? def->lower : def->upper;
    bool there = b->position_limits && b->axes[axis].plain && isfinite(bound);
    return there ? sign * (rg_axis_position(b, axis) - bound) : INFINITY;
}

/* Largest way by which a joint is beyond its limit. */
static double beyond_limits(const RgGapProjector *p)
{
    double most = 0.0;
    for (int axis = 0; p->limits != NULL && axis < p->limits->naxes; axis++)
        most = fmax(most, -fmin(way_to_limit(p->limits, axis, 1.0), way_to_limit(p->limits, axis, -1.0)));
    return most;
}

static bool add_limit_rows(RgGapProjector *p)
{
    for (int k = 0; p->limits != NULL && k < 2 * p->limits->naxes; k++) {
        double sign = k % 2 == 0 ? 1.0 : -1.0, way = way_to_limit(p->limits, k / 2, sign);
        if (!isfinite(way))
            continue;
        if (!reserve_row(p))
            return false;
        RgBoundedRow row = rg_axis_row(p->limits, k / 2, sign);
        int count = rg_scaled_row(p->scaling, &row.row, p->columns + p->nentries, p->values + p->nentries);
        finish_row(p, count, -way, false);
    }
    return true;
}

/* ------------------------------------------------------------------ gaps */

static RgGapAt look_at_gap(const RgGapProjector *p, const RgGap *gap)
{
    const RgKin *kin = p->form->kin;
    RgPose X_WA = kin_pose(kin, gap->body_a), X_WB = kin_pose(kin, gap->body_b);
    return rg_gap_at(gap, &X_WA, &X_WB);
}

/* ------------------------------------------------------------------ islands */

static double row_product(const RgGapProjector *p, int i, int j)
{
    const int *ci = p->columns + p->start[i], *cj = p->columns + p->start[j];
    const double *vi = p->values + p->start[i], *vj = p->values + p->start[j];
    int ni = p->start[i + 1] - p->start[i], nj = p->start[j + 1] - p->start[j];
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

/* Sorts the rows of gaps by island: rows that share a velocity are of one. Islands come in the order of their roots. */
static void sort_rows(RgGapProjector *p)
{
    int nu = p->form->nu;
    for (int k = 0; k < nu; k++)
        p->together[k] = k;
    for (int i = p->nhard; i < p->nrows; i++)
        for (int e = p->start[i] + 1; e < p->start[i + 1]; e++)
            rg_set_join(p->together, p->columns[p->start[i]], p->columns[e]);
    memset(p->row_at, 0, (size_t)(nu + 1) * sizeof *p->row_at);
    for (int i = p->nhard; i < p->nrows; i++)
        p->row_at[rg_set_root(p->together, p->columns[p->start[i]]) + 1]++;
    for (int k = 0; k < nu; k++)
        p->row_at[k + 1] += p->row_at[k];
    for (int i = p->nhard; i < p->nrows; i++)
        p->order[p->row_at[rg_set_root(p->together, p->columns[p->start[i]])]++] = i;
}

/* Adds J' z of an island's rows to step. */
static RgStatus solve_island(RgGapProjector *p, const int *rows, int n, bool *met)
{
    RgDenseLcp problem;
    RgDantzigReport report;
    RgExactOptions options = rg_exact_options_default();
    rg_arena_reset(&p->island);
    if (!rg_dense_lcp_take(&p->island, n, false, &problem))
        return RG_ERR_MEMORY;
    problem.symmetric = true;
    for (int i = 0; i < n; i++) {
        problem.q[i] = -p->wanted[rows[i]];
        problem.low[i] = p->equal[rows[i]] ? -INFINITY : 0.0;
        problem.high[i] = INFINITY;
        problem.M[(size_t)i * (size_t)n + (size_t)i] = 1.0;
        for (int j = 0; j < i; j++)
            problem.M[(size_t)i * (size_t)n + (size_t)j] = problem.M[(size_t)j * (size_t)n + (size_t)i] =
                row_product(p, rows[i], rows[j]);
    }
    RgStatus status = rg_dantzig_box(&p->island, &problem, &options, &report);
    if (status != RG_OK)
        return status;
    *met = report.outcome == RG_SOLVE_SOLVED && *met;
    for (int i = 0; i < n; i++)
        add_row_to(p, rows[i], problem.z[i], p->step);
    return RG_OK;
}

/* The shortest s for all rows, into step, and as velocities. length: of s. */
static RgStatus solve_rows(RgGapProjector *p, double *length, bool *met)
{
    RgStatus status = RG_OK;
    int nu = p->form->nu;
    memcpy(p->step, p->held, (size_t)nu * sizeof *p->step);
    *met = true;
    sort_rows(p);
    for (int k = 0, first = 0; k < nu && status == RG_OK; k++) {
        if (p->row_at[k] > first)
            status = solve_island(p, p->order + first, p->row_at[k] - first, met);
        first = p->row_at[k];
    }
    double sum = square_sum(p->step, nu);
    *length = sqrt(sum);
    rg_unscale_velocity(p->scaling, p->step, p->step);
    return isfinite(sum) ? status : RG_ERR_NOT_FINITE;
}

/* ------------------------------------------------------------------ public */

/* The mass factor at the present kinematics. */
static bool weigh(RgGapProjector *p)
{
    RgForm *form = p->form;
    if (!form->kind->joints_are_rows) {
        int bad_dof;
        memset(p->constraints->tau, 0, (size_t)form->model->nv * sizeof *p->constraints->tau);
        RgForces none = {.tau = p->constraints->tau, .needs_solve = true};
        if (!form->kind->dynamics(form, &none, p->free, &bad_dof))
            return false;
    }
    rg_scaling_set(p->scaling, 0.0);
    return true;
}

static double missing(const RgGapConstraint *constraint, double value)
{
    double short_of = constraint->wanted - value;
    return constraint->equal ? fabs(short_of) : short_of <= 0.0 ? 0.0 : short_of;
}

/* What is not a number counts as the largest. */
static double larger(double a, double b)
{
    return isnan(a) || b <= a ? a : b;
}

/* Kinematics and hard rows at x; the largest error of constraints and rows. */
static double look(RgGapProjector *p, const RgGapConstraint *constraints, int count, const double *x)
{
    RgForm *form = p->form;
    form->kind->kinematics(form, x, p->still);
    rg_constraints_observe(p->constraints);
    rg_assemble_rows(p->constraints, 0.0, true);
    double error = beyond_limits(p);
    for (int i = 0; i < p->constraints->rows.n; i++)
        error = larger(error, fabs(p->constraints->rows.row[i].error));
    for (int i = 0; i < count; i++)
        error = larger(error, missing(&constraints[i], look_at_gap(p, &constraints[i].gap).value));
    return error;
}

/* All rows at the present kinematics: what is left to do of each. */
static RgStatus position_rows(RgGapProjector *p, const RgGapConstraint *constraints, int count)
{
    const RgRows *hard = &p->constraints->rows;
    bool ok = true;
    p->nrows = p->nentries = 0;
    for (int i = 0; i < hard->n && ok; i++)
        ok = add_hard_row(p, i, -hard->row[i].error);
    RgStatus status = ok ? hold(p) : RG_ERR_MEMORY;
    for (int i = 0; i < count && ok && status == RG_OK; i++) {
        RgGapAt at = look_at_gap(p, &constraints[i].gap);
        ok = add_gap_row(p, &constraints[i].gap, &at, constraints[i].wanted - at.value, constraints[i].equal);
    }
    ok = ok && (status != RG_OK || add_limit_rows(p));
    return ok ? status : RG_ERR_MEMORY;
}

/* Step of one iteration, no longer than it may be. */
static void move(RgGapProjector *p, double *x)
{
    double longest = 0.0;
    for (int k = 0; k < p->form->nu; k++)
        longest = fmax(longest, fabs(p->step[k]));
    for (int k = 0; k < p->form->nu && longest > LONGEST_STEP; k++)
        p->step[k] *= LONGEST_STEP / longest;
    for (int k = 0; k < p->form->nu; k++)
        p->total[k] += p->step[k];
    p->form->kind->integrate(p->form, x, p->step, x);
}

/* x is the best so far. */
static void keep(RgGapProjector *p, const double *x)
{
    memcpy(p->best, x, (size_t)p->form->nx * sizeof *x);
    memcpy(p->best_total, p->total, (size_t)p->form->nu * sizeof *p->total);
}

RgStatus rg_project_gaps(RgGapProjector *p, const RgGapConstraint *constraints, int count, double tolerance,
                         double *x, RgGapProjection *out)
{
    double error = look(p, constraints, count, x), least = error;
    int stalls = 0;
    memset(p->total, 0, (size_t)p->form->nu * sizeof *p->total);
    keep(p, x);
    *out = (RgGapProjection){.error = error, .step = p->best_total};
    RgStatus status = isfinite(error) ? RG_OK : RG_ERR_NOT_FINITE;
    while (status == RG_OK && !(error <= tolerance) && out->iterations < ITERATIONS && stalls < STALLS) {
        double length;
        bool met;
        status = weigh(p) ? position_rows(p, constraints, count) : RG_ERR_SINGULAR;
        if (status == RG_OK)
            status = solve_rows(p, &length, &met);
        if (status != RG_OK)
            break;
        move(p, x);
        out->iterations++;
        out->moved += length / sqrt(p->total_mass);
        error = look(p, constraints, count, x);
        stalls = error < STALLED * least ? 0 : error < NEAR_END ? STALLS : stalls + 1;
        if (error < least) {
            least = error;
            keep(p, x);
        }
    }

    /* The best that was found, and the kinematics of it. */
    memcpy(x, p->best, (size_t)p->form->nx * sizeof *x);
    if (error != least)
        look(p, constraints, count, x);
    out->error = least;
    return status != RG_OK ? status : least <= tolerance ? RG_OK : RG_ERR_NOT_CONVERGED;
}

/* Rows of joints and loops for rates: what u breaks of them. */
static RgStatus rate_rows(RgGapProjector *p, const double *u)
{
    const RgForm *form = p->form;
    RgConstraints *c = p->constraints;
    bool ok = true;
    p->nrows = p->nentries = 0;
    for (int i = 0; i < c->rows.n && ok; i++) {
        double bias, rate = 0.0;
        int n = rg_row_project(form, &c->rows.row[i], c->columns, c->values, &bias);
        for (int e = 0; e < n; e++)
            rate += c->values[e] * u[c->columns[e]];
        ok = add_hard_row(p, i, c->rows.row[i].keeps ? 0.0 : -rate);
    }
    return ok ? hold(p) : RG_ERR_MEMORY;
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
    rg_assemble_rows(p->constraints, 0.0, true);
    RgStatus status = weigh(p) ? rate_rows(p, u) : RG_ERR_SINGULAR;
    for (int i = 0; i < count && ok && status == RG_OK; i++) {
        RgGapAt at = look_at_gap(p, &constraints[i].gap);
        ok = add_gap_row(p, &constraints[i].gap, &at, -rate_at(p, &constraints[i].gap, u),
                         constraints[i].equal);
    }
    if (!ok)
        return RG_ERR_MEMORY;
    if (status == RG_OK)
        status = solve_rows(p, &length, &met);
    for (int k = 0; k < p->form->nu && status == RG_OK; k++)
        u[k] += p->step[k];
    return status == RG_OK && !met ? RG_ERR_NOT_CONVERGED : status;
}
