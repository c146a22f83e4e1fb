/*
 * run_closed.c - initial positions and rates in a model with loops or couplings: the joints that were set
 * stay as they were set, the others follow.
 *
 * The library closes loops by the smallest mass-weighted motion, which would move a light crank back rather
 * than heavy bars along. So the joints are led there. With the loops closed, the library's closing of a
 * velocity is a linear projection v -> P v. Of the velocities set by P w, with w on the held components h
 * only, the one that gives them the wanted values e is
 *
 *   P_hh w = e,   v = P_.h w
 *
 * Rates: that once. Positions: Newton's method, e = what is missing, at most PACE a round, q moved along v
 * and closed again; the last rounds converge quadratically. P_.h comes column by column from closing unit
 * velocities.
 *
 * Fails where loops cannot be closed at all. A wish that they do not allow (P_hh singular, or nothing gained
 * in a while) ends near it and is noted in the run.
 */
#include "run.h"

#include <math.h>
#include <string.h>

#define ASSEMBLY_LIMIT 1e-6 /* m or rad: a loop left open by more is not closed */
#define PACE 0.1            /* rad or m a round: far below where a loop might close the other way round */
#define REACHED 1e-10       /* rad or m: a joint this near to the wish has it */
#define SINGULAR 1e-9       /* pivots of P_hh below mean that the joint cannot be moved on its own */

enum { ROUNDS = 500, ROUNDS_IN_VAIN = 10 };

/* The held velocities and the work space. */
typedef struct Held {
    int n, nq, nv;
    int *index;          /* n, of the velocities */
    double *columns;     /* n x nv: rows are the columns of P */
    double *matrix;      /* n x n */
    double *wish, *move; /* n, nv */
    double *q, *goal;    /* nq */
} Held;

static RgStatus close_loops(RgRun *run, RgError *error)
{
    double left = 0.0;
    RgStatus status = rg_world_assemble(run->world, &left);
    run->assembly_error = left;
    if (status == RG_OK && left <= ASSEMBLY_LIMIT)
        return RG_OK;
    return rg_plan_fail(error, status != RG_OK ? status : RG_ERR_NOT_CONVERGED, run->plan.path,
                        "loops and couplings cannot be closed: an error of %.3g m or rad is left", left);
}

static Held take_held(RgRun *run, RgQuantity what)
{
    RgPool *pool = &run->plan.pool;
    RgModelInfo info = rg_model_info(run->model);
    Held held = {.nq = info.nq, .nv = info.nv};
    bool *mark = rg_pool_take(pool, (size_t)info.nv + 1, sizeof *mark);
    held.index = rg_pool_take(pool, (size_t)info.nv + 1, sizeof *held.index);
    for (int i = 0; i < run->plan.nvalues; i++) {
        const RgPlanValue *value = &run->plan.values[i];
        int first = value->joint.i ? rg_model_joint(run->model, value->joint).v_index
                                   : rg_model_link(run->model, value->link).v_index;
        int count = value->joint.i ? rg_model_joint(run->model, value->joint).nv : 6;
        for (int k = 0; k < count && value->what == what && first >= 0; k++)
            mark[first + k] = true;
    }
    for (int k = 0; k < info.nv; k++)
        if (mark[k])
            held.index[held.n++] = k;
    held.columns = rg_pool_take(pool, (size_t)held.n * (size_t)info.nv + 1, sizeof(double));
    held.matrix = rg_pool_take(pool, (size_t)held.n * (size_t)held.n + 1, sizeof(double));
    held.wish = rg_pool_take(pool, (size_t)held.n + 1, sizeof(double));
    held.move = rg_pool_take(pool, (size_t)info.nv + 1, sizeof(double));
    held.q = rg_pool_take(pool, (size_t)info.nq + 1, sizeof(double));
    held.goal = rg_pool_take(pool, (size_t)info.nq + 1, sizeof(double));
    return held;
}

/* Closes unit velocities of the held components, one after the other. */
static RgStatus fill_columns(RgRun *run, Held *held, RgError *error)
{
    for (int j = 0; j < held->n; j++) {
        memset(held->move, 0, (size_t)held->nv * sizeof *held->move);
        held->move[held->index[j]] = 1.0;
        RgStatus status = rg_world_set_state(run->world, NULL, held->move);
        if (status != RG_OK)
            return rg_plan_fail(error, status, run->plan.path, "initial state: %s", rg_status_text(status));
        status = close_loops(run, error);
        if (status != RG_OK)
            return status;
        memcpy(held->columns + (size_t)j * (size_t)held->nv, rg_world_v(run->world),
               (size_t)held->nv * sizeof(double));
    }
    for (int i = 0; i < held->n; i++)
        for (int j = 0; j < held->n; j++)
            held->matrix[i * held->n + j] = held->columns[j * held->nv + held->index[i]];
    return RG_OK;
}

/* Largest element in rows and columns not yet used. */
static double find_pivot(const Held *held, const bool *used_row, const bool *used_column, int *row,
                         int *column)
{
    double largest = 0.0;
    for (int i = 0; i < held->n; i++) {
        for (int j = 0; j < held->n; j++) {
            double x = fabs(held->matrix[i * held->n + j]);
            if (used_row[i] || used_column[j] || x <= largest)
                continue;
            largest = x;
            *row = i;
            *column = j;
        }
    }
    return largest;
}

/* move = P_.h w with P_hh w = wish, by Gauss-Jordan elimination with full pivoting; what is singular gets w =
 * 0. */
static void solve_move(RgRun *run, Held *held)
{
    int n = held->n, row = 0, column = 0;
    bool *used_row = rg_pool_take(&run->plan.pool, (size_t)n + 1, sizeof *used_row);
    bool *used_column = rg_pool_take(&run->plan.pool, (size_t)n + 1, sizeof *used_column);
    double *w = rg_pool_take(&run->plan.pool, (size_t)n + 1, sizeof *w);
    int *row_of = rg_pool_take(&run->plan.pool, (size_t)n + 1, sizeof *row_of);
    double *A = held->matrix, *b = held->wish;
    for (int step = 0; step < n && find_pivot(held, used_row, used_column, &row, &column) > SINGULAR;
         step++) {
        used_row[row] = used_column[column] = true;
        row_of[column] = row;
        for (int i = 0; i < n; i++) {
            double factor = i == row ? 0.0 : A[i * n + column] / A[row * n + column];
            for (int j = 0; j < n && factor != 0.0; j++)
                A[i * n + j] -= factor * A[row * n + j];
            b[i] -= factor * b[row];
        }
    }
    memset(held->move, 0, (size_t)held->nv * sizeof *held->move);
    for (int j = 0; j < n; j++) {
        w[j] = used_column[j] ? b[row_of[j]] / A[row_of[j] * n + j] : 0.0;
        for (int k = 0; k < held->nv; k++)
            held->move[k] += w[j] * held->columns[j * held->nv + k];
    }
}

/* What the held velocities lack; the largest, and whose it is. */
static double find_missing(Held *held, const double *step, int *worst)
{
    double largest = 0.0;
    for (int i = 0; i < held->n; i++) {
        held->wish[i] = step[held->index[i]];
        if (fabs(held->wish[i]) >= largest)
            *worst = held->index[i];
        largest = fmax(largest, fabs(held->wish[i]));
    }
    return largest;
}

/* The joint that owns a velocity; null for that of a floating link. */
static RgJointId joint_of_velocity(const RgModel *model, int index)
{
    for (int32_t i = 1; i <= rg_model_info(model).joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        if (joint.v_index >= 0 && index >= joint.v_index && index < joint.v_index + joint.nv)
            return (RgJointId){i};
    }
    return (RgJointId){0};
}

/* One round: columns of P here, the move that brings what is missing, loops closed after it. The world's
 * velocity is 0 after it. */
static RgStatus lead_positions(RgRun *run, Held *held, double missing, RgError *error)
{
    double pace = missing > PACE ? PACE / missing : 1.0;
    RgStatus status = fill_columns(run, held, error);
    if (status != RG_OK)
        return status;
    for (int i = 0; i < held->n; i++)
        held->wish[i] *= pace;
    solve_move(run, held);
    rg_integrate_positions(run->model, held->q, held->move, held->q);
    memset(held->move, 0, (size_t)held->nv * sizeof *held->move);
    status = rg_world_set_state(run->world, held->q, held->move);
    if (status != RG_OK)
        return rg_plan_fail(error, status, run->plan.path, "initial state: %s", rg_status_text(status));
    return close_loops(run, error);
}

static RgStatus set_positions(RgRun *run, RgError *error)
{
    /* Where the held joints shall be; the world goes back to where it was closed. */
    Held held = take_held(run, RG_QUANTITY_POSITION);
    memcpy(held.q, rg_world_q(run->world), (size_t)held.nq * sizeof *held.q);
    RgStatus status = rg_run_set_values(run, RG_QUANTITY_POSITION, error);
    if (status != RG_OK || held.n == 0)
        return status;
    memcpy(held.goal, rg_world_q(run->world), (size_t)held.nq * sizeof *held.goal);
    rg_world_set_state(run->world, held.q, NULL);

    /* Rounds until nothing is missing, or nothing is gained. */
    double *step = rg_pool_take(&run->plan.pool, (size_t)held.nv + 1, sizeof *step), best = INFINITY;
    int worst = 0;
    for (int round = 0, vain = 0; round < ROUNDS && vain < ROUNDS_IN_VAIN; round++) {
        memcpy(held.q, rg_world_q(run->world), (size_t)held.nq * sizeof *held.q);
        rg_difference_positions(run->model, held.q, held.goal, step);
        double missing = find_missing(&held, step, &worst);
        run->missed[RG_QUANTITY_POSITION] =
            missing > REACHED ? joint_of_velocity(run->model, worst) : (RgJointId){0};
        if (missing <= REACHED)
            break;
        vain = missing < 0.99 * best ? 0 : vain + 1;
        best = fmin(best, missing);
        status = lead_positions(run, &held, missing, error);
        if (status != RG_OK)
            return status;
    }
    return RG_OK;
}

static RgStatus set_rates(RgRun *run, RgError *error)
{
    Held held = take_held(run, RG_QUANTITY_RATE);
    RgStatus status = rg_run_set_values(run, RG_QUANTITY_RATE, error);
    if (status != RG_OK || held.n == 0)
        return status;
    double *wanted = rg_pool_take(&run->plan.pool, (size_t)held.nv + 1, sizeof *wanted);
    memcpy(wanted, rg_world_v(run->world), (size_t)held.nv * sizeof *wanted);
    int worst = 0;
    double largest = find_missing(&held, wanted, &worst);
    status = fill_columns(run, &held, error);
    if (status != RG_OK)
        return status;
    solve_move(run, &held);
    rg_world_set_state(run->world, NULL, held.move);
    status = close_loops(run, error);

    /* What came of it. */
    const double *v = rg_world_v(run->world);
    for (int i = 0; i < held.n; i++)
        if (fabs(v[held.index[i]] - wanted[held.index[i]]) > REACHED * (1.0 + largest))
            run->missed[RG_QUANTITY_RATE] = joint_of_velocity(run->model, held.index[i]);
    return status;
}

RgStatus rg_run_set_closed(RgRun *run, RgError *error)
{
    RgModelInfo info = rg_model_info(run->model);
    if (info.loops + info.couplings == 0) {
        RgStatus status = rg_run_set_values(run, RG_QUANTITY_POSITION, error);
        return status == RG_OK ? rg_run_set_values(run, RG_QUANTITY_RATE, error) : status;
    }
    RgStatus status = close_loops(run, error);
    if (status == RG_OK)
        status = set_positions(run, error);
    return status == RG_OK ? set_rates(run, error) : status;
}
