/*
 * gap_projection.c - gaps put right by the smallest mass-weighted motion (Cline, Pai 2003).
 *
 *   min s's   with   J s = wanted - gap (equal) or >= it,   and J s = -error for joints and loops that are rows
 *   x <- x moved by s,  again until nothing is left
 *
 * s are mass-scaled velocities (scaled_rows.h), so the metric is that of kinetic energy in both coordinate forms; J are
 * the rates of the gaps at the present x (gap.c). Gauss-Newton: gaps and rows are functions of x alone, the error is
 * squared each time. Rows that share no velocity are solved apart (islands); within an island least_norm.c: four corners
 * of a face are three independent rows, and any number of them that agree are met.
 *
 * Rows are taken by their length in that metric, so light and heavy bodies weigh the same in what counts as dependent.
 * A row that moves nothing (two links whose joint does not change the gap) is left out.
 *
 * Cost: rows^2 for the products, rows^2 times the rank of an island for the factor. Memory grows to the largest need.
 * Failure cases: wishes that contradict, gaps beyond the reach of a mechanism: RG_ERR_NOT_CONVERGED, the best x found.
 */
#include "constraint/gap_projection.h"

#include "base/alloc.h"
#include "base/union_find.h"
#include "contact/touch_set.h"
#include "math/least_norm.h"
#include "solver/patch_problem.h"

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

/* Square of a row's length, of that of a force on the lightest body, below which it is round-off. */
#define ROUND_OFF2 1e-22

struct RgGapProjector {
    RgForm *form;
    RgConstraints *constraints;
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

    /* Rows, one behind the other. */
    int nrows, nentries;
    int row_room, entry_room;
    int *start, *columns; /* of rows, of entries */
    double *values;
    double *wanted; /* rows: J s shall be (at least) this */
    bool *equal;    /* rows */
    int *order;     /* rows, island by island */

    /* One island. */
    int island_room;
    double *island_doubles;
    int *island_ints;
    bool *island_bools;
};

/* ------------------------------------------------------------------ memory */

RgGapProjector *rg_gap_projector_take(RgArena *arena, RgForm *form, RgConstraints *constraints)
{
    RgGapProjector *p = RG_TAKE(arena, RgGapProjector, 1);
    if (p == NULL)
        return NULL;
    int nu = form->nu;
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
                          .row_at = RG_TAKE(arena, int32_t, nu + 1)};
    double lightest = INFINITY;
    for (int i = 0; i < form->model->nbodies; i++) {
        double mass = form->model->bodies[i].inertia.mass;
        p->total_mass += mass;
        lightest = mass > 0.0 ? fmin(lightest, mass) : lightest;
    }
    p->row_least = ROUND_OFF2 / lightest;
    return arena->failed || p->scaling == NULL ? NULL : p;
}

void rg_gap_projector_release(RgGapProjector *p)
{
    if (p == NULL)
        return;
    void *blocks[] = {p->start, p->columns,        p->values,      p->wanted,      p->equal,
                      p->order, p->island_doubles, p->island_ints, p->island_bools};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        rg_free(&p->allocator, blocks[i]);
    p->start = p->columns = p->order = p->island_ints = NULL;
    p->values = p->wanted = p->island_doubles = NULL;
    p->equal = p->island_bools = NULL;
    p->row_room = p->entry_room = p->island_room = 0;
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

static bool reserve_island(RgGapProjector *p, int n)
{
    if (n <= p->island_room)
        return true;
    int room = n + n / 2;
    void *doubles = rg_alloc(&p->allocator, rg_least_norm_doubles(room), sizeof *p->island_doubles);
    void *ints = rg_alloc(&p->allocator, (size_t)room, sizeof *p->island_ints);
    void *bools = rg_alloc(&p->allocator, 2 * (size_t)room, sizeof *p->island_bools);
    bool ok = doubles != NULL && ints != NULL && bools != NULL;
    rg_free(&p->allocator, ok ? (void *)p->island_doubles : doubles);
    rg_free(&p->allocator, ok ? (void *)p->island_ints : ints);
    rg_free(&p->allocator, ok ? (void *)p->island_bools : bools);
    if (ok) {
        p->island_doubles = doubles;
        p->island_ints = ints;
        p->island_bools = bools;
        p->island_room = room;
    }
    return ok;
}

/* ------------------------------------------------------------------ rows */

/* Closes the row of count coefficients that stands at the end: they become those of a unit row, and so does what is
   wanted of it. One that moves nothing is not kept. */
static void close_row(RgGapProjector *p, int count, double wanted, bool equal)
{
    double *values = p->values + p->nentries, length2 = 0.0;
    for (int e = 0; e < count; e++)
        length2 += values[e] * values[e];
    if (!(length2 > p->row_least))
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
    close_row(p, count, wanted, equal);
    return true;
}

/* J s = wanted for row i of joints and loops. */
static bool add_hard_row(RgGapProjector *p, int i, double wanted)
{
    if (!reserve_row(p))
        return false;
    int count = rg_scaled_row(p->scaling, &p->constraints->rows.row[i], p->columns + p->nentries,
                              p->values + p->nentries);
    close_row(p, count, wanted, true);
    return true;
}

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

/* Sorts the rows by island: rows that share a velocity are of one. Islands come in the order of their roots. */
static void sort_rows(RgGapProjector *p)
{
    int nu = p->form->nu;
    for (int k = 0; k < nu; k++)
        p->together[k] = k;
    for (int i = 0; i < p->nrows; i++)
        for (int e = p->start[i] + 1; e < p->start[i + 1]; e++)
            rg_set_join(p->together, p->columns[p->start[i]], p->columns[e]);
    memset(p->row_at, 0, (size_t)(nu + 1) * sizeof *p->row_at);
    for (int i = 0; i < p->nrows; i++)
        p->row_at[rg_set_root(p->together, p->columns[p->start[i]]) + 1]++;
    for (int k = 0; k < nu; k++)
        p->row_at[k + 1] += p->row_at[k];
    for (int i = 0; i < p->nrows; i++)
        p->order[p->row_at[rg_set_root(p->together, p->columns[p->start[i]])]++] = i;
}

/* Adds J' z of an island's rows to step. */
static RgStatus solve_island(RgGapProjector *p, const int *rows, int n, bool *met)
{
    if (!reserve_island(p, n))
        return RG_ERR_MEMORY;
    RgLeastNorm problem;
    rg_least_norm_place(&problem, n, p->island_doubles, p->island_ints, p->island_bools);
    for (int i = 0; i < n; i++) {
        problem.wanted[i] = p->wanted[rows[i]];
        problem.equal[i] = p->equal[rows[i]];
        problem.G[(size_t)i * (size_t)n + (size_t)i] = 1.0;
        for (int j = 0; j < i; j++)
            problem.G[(size_t)i * (size_t)n + (size_t)j] = problem.G[(size_t)j * (size_t)n + (size_t)i] =
                row_product(p, rows[i], rows[j]);
    }
    *met = rg_least_norm_solve(&problem) && *met;
    for (int i = 0; i < n; i++)
        for (int e = p->start[rows[i]]; e < p->start[rows[i] + 1]; e++)
            p->step[p->columns[e]] += problem.z[i] * p->values[e];
    return RG_OK;
}

/* The shortest s for all rows, into step, and as velocities. length: of s. */
static RgStatus solve_rows(RgGapProjector *p, double *length, bool *met)
{
    RgStatus status = RG_OK;
    int nu = p->form->nu;
    memset(p->step, 0, (size_t)nu * sizeof *p->step);
    *met = true;
    sort_rows(p);
    for (int k = 0, first = 0; k < nu && status == RG_OK; k++) {
        if (p->row_at[k] > first)
            status = solve_island(p, p->order + first, p->row_at[k] - first, met);
        first = p->row_at[k];
    }
    double sum = 0.0;
    for (int k = 0; k < nu; k++)
        sum += p->step[k] * p->step[k];
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

static double missing(const RgGapWish *wish, double value)
{
    double short_of = wish->wanted - value;
    return wish->equal ? fabs(short_of) : fmax(0.0, short_of);
}

/* Kinematics and hard rows at x; the largest error of wishes and rows. */
static double look(RgGapProjector *p, const RgGapWish *wishes, int count, const double *x)
{
    RgForm *form = p->form;
    form->kind->kinematics(form, x, p->still);
    rg_constraints_observe(p->constraints);
    rg_assemble_rows(p->constraints, 0.0, true);
    double error = rg_rows_error(&p->constraints->rows);
    for (int i = 0; i < count; i++) {
        double missed = missing(&wishes[i], look_at_gap(p, &wishes[i].gap).value);
        error = missed <= error ? error : missed;
    }
    return error;
}

/* All rows at the present kinematics: what is left to do of each. */
static RgStatus position_rows(RgGapProjector *p, const RgGapWish *wishes, int count)
{
    const RgRows *hard = &p->constraints->rows;
    bool ok = true;
    p->nrows = p->nentries = 0;
    for (int i = 0; i < hard->n && ok; i++)
        ok = add_hard_row(p, i, -hard->row[i].error);
    for (int i = 0; i < count && ok; i++) {
        RgGapAt at = look_at_gap(p, &wishes[i].gap);
        ok = add_gap_row(p, &wishes[i].gap, &at, wishes[i].wanted - at.value, wishes[i].equal);
    }
    return ok ? RG_OK : RG_ERR_MEMORY;
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

RgStatus rg_project_gaps(RgGapProjector *p, const RgGapWish *wishes, int count, double tolerance, double *x,
                         RgGapProjection *out)
{
    double error = look(p, wishes, count, x), least = error;
    int stalls = 0;
    memset(p->total, 0, (size_t)p->form->nu * sizeof *p->total);
    keep(p, x);
    *out = (RgGapProjection){.error = error, .step = p->best_total};
    RgStatus status = isfinite(error) ? RG_OK : RG_ERR_NOT_FINITE;
    while (status == RG_OK && !(error <= tolerance) && out->iterations < ITERATIONS && stalls < STALLS) {
        double length;
        bool met;
        status = weigh(p) ? position_rows(p, wishes, count) : RG_ERR_SINGULAR;
        if (status == RG_OK)
            status = solve_rows(p, &length, &met);
        if (status != RG_OK)
            break;
        move(p, x);
        out->iterations++;
        out->moved += length / sqrt(p->total_mass);
        error = look(p, wishes, count, x);
        stalls = error < STALLED * least ? 0 : error < NEAR_END ? STALLS : stalls + 1;
        if (error < least) {
            least = error;
            keep(p, x);
        }
    }

    /* The best that was found, and the kinematics of it. */
    memcpy(x, p->best, (size_t)p->form->nx * sizeof *x);
    if (error != least)
        look(p, wishes, count, x);
    out->error = least;
    return status != RG_OK ? status : least <= tolerance ? RG_OK : RG_ERR_NOT_CONVERGED;
}

RgStatus rg_project_gap_rates(RgGapProjector *p, const RgGapWish *wishes, int count, double *u)
{
    RgForm *form = p->form;
    bool ok = true, met;
    double length, bias;
    rg_constraints_observe(p->constraints);
    rg_assemble_rows(p->constraints, 0.0, true);
    if (!weigh(p))
        return RG_ERR_SINGULAR;
    p->nrows = p->nentries = 0;
    for (int i = 0; i < p->constraints->rows.n && ok; i++) {
        const RgRow *row = &p->constraints->rows.row[i];
        double rate = 0.0;
        int n = form->kind->project(form, row, p->constraints->columns, p->constraints->values, &bias);
        for (int e = 0; e < n; e++)
            rate += p->constraints->values[e] * u[p->constraints->columns[e]];
        ok = add_hard_row(p, i, row->keeps ? 0.0 : -rate);
    }
    for (int i = 0; i < count && ok; i++) {
        const RgGap *gap = &wishes[i].gap;
        RgGapAt at = look_at_gap(p, gap);
        RgMotion V[2] = {mv_zero(), mv_zero()};
        if (gap->body_a >= 0)
            form->kind->twist(form, gap->body_a, u, &V[0]);
        if (gap->body_b >= 0)
            form->kind->twist(form, gap->body_b, u, &V[1]);
        RgPose X_WA = kin_pose(form->kin, gap->body_a), X_WB = kin_pose(form->kin, gap->body_b);
        double rate = rg_gap_rate(gap, &X_WA, &V[0], &X_WB, &V[1]);
        ok = add_gap_row(p, gap, &at, -rate, wishes[i].equal);
    }
    if (!ok)
        return RG_ERR_MEMORY;
    RgStatus status = solve_rows(p, &length, &met);
    for (int k = 0; k < form->nu && status == RG_OK; k++)
        u[k] += p->step[k];
    return status == RG_OK && !met ? RG_ERR_NOT_CONVERGED : status;
}
