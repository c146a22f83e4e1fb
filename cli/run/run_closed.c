/*
 * run_closed.c - initial positions and rates in a model with loops or couplings: joints that were set keep their
 * values, the others follow.
 *
 * Positions move from the closed mechanism of the file to their targets in small increments; after each, loops are
 * closed with the set joints held (rg_world_assemble_holding). Larger increments might end in another assembly mode of
 * the loop. Rates are set and closed once.
 *
 * Fails if loops cannot be closed. A target that contradicts them is approached, and the joint recorded in run->missed.
 */
#include "io/error.h"
#include "run/run.h"

#include <math.h>
#include <string.h>

#define ASSEMBLY_LIMIT 1e-6   /* m or rad: largest error of a closed loop */
#define INCREMENT_MAX 0.1     /* rad or m */
#define TARGET_TOLERANCE 1e-9 /* rad or m, and their rates */

/* Closes loops and couplings with the marked positions and rates held (either may be NULL). */
static RgStatus close_loops(RgRun *run, const bool *positions, const bool *rates, RgError *error)
{
    double left = 0.0;
    RgStatus status = rg_world_assemble_holding(run->world, positions, rates, &left);
    run->assembly_error = left;
    if (status == RG_OK && left <= ASSEMBLY_LIMIT)
        return RG_OK;
    return rg_error_set(error, status != RG_OK ? status : RG_ERR_NOT_CONVERGED, run->plan.path,
                        "loops and couplings cannot be closed: an error of %.3g m or rad is left", left);
}

/* Marks the velocities whose position or rate was set. */
static bool *mark_set(RgRun *run, RgQuantity what)
{
    bool *mark = rg_pool_take(&run->plan.pool, (size_t)rg_model_info(run->model).nv + 1, sizeof *mark);
    for (int i = 0; i < run->plan.nvalues; i++) {
        const RgPlanValue *value = &run->plan.values[i];
        int first = value->joint.i ? rg_model_joint(run->model, value->joint).v_index
                                   : rg_model_link(run->model, value->link).v_index;
        int count = value->joint.i ? rg_model_joint(run->model, value->joint).nv : 6;
        for (int k = 0; k < count && value->what == what && first >= 0; k++)
            mark[first + k] = true;
    }
    return mark;
}

/* The joint that owns a velocity; null for that of a floating link. */
static RgJointId joint_of_velocity(const RgModel *model, int index)
{
    int32_t joints = rg_model_info(model).joints;
    for (int32_t i = 1; i <= joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        if (joint.v_index >= 0 && index >= joint.v_index && index < joint.v_index + joint.nv)
            return (RgJointId){i};
    }
    return (RgJointId){0};
}

/* Largest of the marked numbers, and its index. */
static double largest_marked(const double *x, const bool *mark, int n, int *worst)
{
    double largest = 0.0;
    for (int k = 0; k < n; k++)
        if (mark[k] && fabs(x[k]) >= largest) {
            largest = fabs(x[k]);
            *worst = k;
        }
    return largest;
}

/* Records the joint that missed its target by more than TARGET_TOLERANCE. */
static void record_missed(RgRun *run, RgQuantity what, double missing, int worst)
{
    run->missed[what] = missing > TARGET_TOLERANCE ? joint_of_velocity(run->model, worst) : (RgJointId){0};
}

static RgStatus set_positions(RgRun *run, RgError *error)
{
    /* The targets; then the closed state again. */
    RgModelInfo info = rg_model_info(run->model);
    const bool *mark = mark_set(run, RG_QUANTITY_POSITION);
    double *q = rg_pool_take(&run->plan.pool, (size_t)info.nq + 1, sizeof *q);
    double *goal = rg_pool_take(&run->plan.pool, (size_t)info.nq + 1, sizeof *goal);
    double *step = rg_pool_take(&run->plan.pool, (size_t)info.nv + 1, sizeof *step);
    memcpy(q, rg_world_q(run->world), (size_t)info.nq * sizeof *q);
    RgStatus status = rg_run_set_values(run, RG_QUANTITY_POSITION, error);
    if (status != RG_OK)
        return status;
    memcpy(goal, rg_world_q(run->world), (size_t)info.nq * sizeof *goal);
    rg_world_set_state(run->world, q, NULL);

    /* Moves in equal increments of at most INCREMENT_MAX. */
    int worst = 0;
    rg_difference_positions(run->model, q, goal, step);
    int moves = (int)ceil(largest_marked(step, mark, info.nv, &worst) / INCREMENT_MAX);
    for (int move = moves; move > 0; move--) {
        rg_difference_positions(run->model, rg_world_q(run->world), goal, step);
        for (int k = 0; k < info.nv; k++)
            step[k] = mark[k] ? step[k] / move : 0.0;
        rg_integrate_positions(run->model, rg_world_q(run->world), step, q);
        status = rg_world_set_state(run->world, q, NULL);
        if (status != RG_OK)
            return rg_error_set(error, status, run->plan.path, "initial state: %s", rg_status_text(status));
        status = close_loops(run, mark, NULL, error);
        if (status != RG_OK)
            return status;
    }
    rg_difference_positions(run->model, rg_world_q(run->world), goal, step);
    record_missed(run, RG_QUANTITY_POSITION, largest_marked(step, mark, info.nv, &worst), worst);
    return RG_OK;
}

static RgStatus set_rates(RgRun *run, RgError *error)
{
    RgModelInfo info = rg_model_info(run->model);
    const bool *positions = mark_set(run, RG_QUANTITY_POSITION), *rates = mark_set(run, RG_QUANTITY_RATE);
    double *wanted = rg_pool_take(&run->plan.pool, (size_t)info.nv + 1, sizeof *wanted);
    RgStatus status = rg_run_set_values(run, RG_QUANTITY_RATE, error);
    if (status != RG_OK)
        return status;
    memcpy(wanted, rg_world_v(run->world), (size_t)info.nv * sizeof *wanted);
    status = close_loops(run, positions, rates, error);

    int worst = 0;
    for (int k = 0; k < info.nv; k++)
        wanted[k] = (rg_world_v(run->world)[k] - wanted[k]) / (1.0 + fabs(wanted[k]));
    record_missed(run, RG_QUANTITY_RATE, largest_marked(wanted, rates, info.nv, &worst), worst);
    return status;
}

RgStatus rg_run_set_closed(RgRun *run, RgError *error)
{
    RgModelInfo info = rg_model_info(run->model);
    if (info.loops + info.couplings == 0) {
        RgStatus status = rg_run_set_values(run, RG_QUANTITY_POSITION, error);
        return status == RG_OK ? rg_run_set_values(run, RG_QUANTITY_RATE, error) : status;
    }
    RgStatus status = close_loops(run, NULL, NULL, error);
    if (status == RG_OK)
        status = set_positions(run, error);
    return status == RG_OK ? set_rates(run, error) : status;
}
