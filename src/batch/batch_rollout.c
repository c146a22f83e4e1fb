/*
 * batch_rollout.c - all runs stepped in one call.
 *
 *   for each run, by any free thread:
 *     transfer its state into the thread's world
 *     for each step:  new row of inputs, if one begins     -> world
 *                     step                                 rejected, or inputs not finite: the run has failed
 *                     row of outputs, if one ends          <- world; for a failed run: its last good state
 *     store the new state
 *
 * All steps of a run are made by one thread, one after the other: its memory stays in that processor's cache.
 */
#include "base/status.h"
#include "base/team_for.h"
#include "batch/batch_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Size of the text RgStepReport.offender. */
#define OFFENDER_SIZE sizeof(((RgStepReport *)NULL)->offender)

RgBatchRollout rg_batch_rollout_default(void)
{
    return (RgBatchRollout){.steps = 1};
}

/* Number of steps per row of inputs, and between rows of outputs; at least 1. */
static int steps_per_input(const RgBatchRollout *o)
{
    int steps = o->steps > 0 ? o->steps : 1;
    return o->hold > 0 ? o->hold : steps;
}

static int steps_per_output(const RgBatchRollout *o)
{
    int steps = o->steps > 0 ? o->steps : 1;
    return o->every > 0 ? o->every : steps;
}

int rg_batch_rollout_inputs(const RgBatchRollout *o)
{
    return o->steps > 0 ? (o->steps - 1) / steps_per_input(o) + 1 : 0;
}

int rg_batch_rollout_outputs(const RgBatchRollout *o)
{
    return o->steps > 0 ? o->steps / steps_per_output(o) : 0;
}

/* ------------------------------------------------------------------ inputs */

/* Parameters of one call. */
typedef struct Call {
    RgBatch *batch;
    const RgBatchRollout *o;
    int inputs, outputs; /* rows */
    int hold, every;
} Call;

/* Row of inputs of the worker's run; NULL: inputs unchanged. */
static const double *input_row(const Call *call, const RgWorker *worker, const double *array, int row, int length)
{
    if (array == NULL)
        return NULL;
    return array + ((size_t)worker->run * (size_t)call->inputs + (size_t)row) * (size_t)length;
}

/* Index of the first number that is not finite; -1: none. */
static int find_not_finite(const double *x, int n)
{
    for (int i = 0; x != NULL && i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* Applies the efforts of a row, and stores them as the run's inputs. offender: RgRunFailure.offender. */
static RgStatus apply_efforts(RgBatch *batch, const RgWorker *worker, const double *tau, char *offender)
{
    const RgModel *m = batch->model;
    int bad = find_not_finite(tau, m->nv);
    if (bad >= 0) {
        bool floats = m->bodies[m->dof_body[bad]].joint < 0;
        snprintf(offender, OFFENDER_SIZE, "effort of %s '%s'", floats ? "link" : "joint", rg_model_dof_name(m, bad));
        return RG_ERR_NOT_FINITE;
    }
    memcpy(batch->tau + (size_t)worker->run * (size_t)m->nv, tau, (size_t)m->nv * sizeof *tau);
    return rg_world_set_efforts(worker->world, tau);
}

static RgStatus apply_targets(RgBatch *batch, const RgWorker *worker, const double *position, const double *velocity,
                              char *offender)
{
    int n = batch->ndrives, bad = find_not_finite(position, n);
    if (bad < 0)
        bad = find_not_finite(velocity, n);
    if (bad >= 0) {
        snprintf(offender, OFFENDER_SIZE, "target of joint '%s'",
                 rg_model_joint(batch->model, batch->drives[bad].joint).name);
        return RG_ERR_NOT_FINITE;
    }
    double t = rg_world_time(worker->world);
    RgStatus status = RG_OK;
    for (int k = 0; k < n && status == RG_OK; k++) {
        size_t at = (size_t)worker->run * (size_t)n + (size_t)k;
        const RgBatchDrive *d = &batch->drives[k];
        RgDrive drive = d->drive;
        drive.position = batch->position[at] = position != NULL ? position[k] : batch->position[at];
        drive.velocity = batch->velocity[at] = velocity != NULL ? velocity[k] : batch->velocity[at];
        drive.time = batch->started[at] = drive.velocity != 0.0 ? t : 0.0;
        status = rg_world_set_joint_drive(worker->world, d->joint, d->dof, &drive);
    }
    return status;
}

/* Applies a row of inputs. */
static RgStatus apply_input_row(const Call *call, const RgWorker *worker, int row, char *offender)
{
    RgBatch *batch = call->batch;
    const double *tau = input_row(call, worker, call->o->tau, row, batch->model->nv);
    const double *position = input_row(call, worker, call->o->position, row, batch->ndrives);
    const double *velocity = input_row(call, worker, call->o->velocity, row, batch->ndrives);
    RgStatus status = tau != NULL ? apply_efforts(batch, worker, tau, offender) : RG_OK;
    if (status == RG_OK && (position != NULL || velocity != NULL))
        status = apply_targets(batch, worker, position, velocity, offender);
    return status;
}

/* ------------------------------------------------------------------ outputs */

static void write_row(const Call *call, const RgWorker *worker, int row)
{
    const RgBatch *batch = call->batch;
    const RgBatchRollout *o = call->o;
    size_t nq = (size_t)batch->model->nq, nv = (size_t)batch->model->nv, nm = (size_t)batch->nmeasured;
    size_t at = (size_t)worker->run * (size_t)call->outputs + (size_t)row;
    if (o->t != NULL)
        o->t[at] = rg_world_time(worker->world);
    if (o->q != NULL)
        memcpy(o->q + at * nq, rg_world_q(worker->world), nq * sizeof *o->q);
    if (o->v != NULL)
        memcpy(o->v + at * nv, rg_world_v(worker->world), nv * sizeof *o->v);
    if (o->measured != NULL)
        batch->measure(worker->run, worker->world, o->measured + at * nm, batch->measure_context);
}

/* ------------------------------------------------------------------ a run */

/* Makes one step, with a new row of inputs if one begins. Returns false if the run failed. */
static bool make_step(const Call *call, const RgWorker *worker, int step)
{
    RgStepReport report;
    RgStatus status = RG_OK;
    report.offender[0] = '\0';
    if (step % call->hold == 0)
        status = apply_input_row(call, worker, step / call->hold, report.offender);
    if (status == RG_OK)
        status = rg_world_advance(worker->world, call->o->h, &report);
    if (status != RG_OK)
        rg_batch_fail(call->batch, worker->run, status, step, report.offender);
    return status == RG_OK;
}

static void roll_out(void *context, int32_t run, int thread)
{
    const Call *call = context;
    RgBatch *batch = call->batch;
    RgWorker *worker = &batch->workers[thread];
    bool succeeded = batch->run[run].failure.status == RG_OK, entered = rg_batch_enter(worker, run);
    int made = 0, row = 0;
    succeeded = succeeded && entered;
    for (int step = 0; step < call->o->steps; step++) {
        succeeded = succeeded && make_step(call, worker, step);
        made += succeeded;
        if ((step + 1) % call->every == 0 && row < call->outputs)
            write_row(call, worker, row++);
        if (!succeeded && call->outputs == 0)
            break;
    }
    if (made > 0)
        rg_batch_leave(worker);
}

/* ------------------------------------------------------------------ calls */

static RgStatus check(const RgBatch *batch, const RgBatchRollout *o, RgError *error)
{
    if (o->steps < 0)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "steps must not be negative, as %d is", o->steps);
    if (!(isfinite(o->h) && o->h > 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "h must be finite and above 0, not %g", o->h);
    if (o->hold < 0 || o->every < 0)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "hold and every must not be negative, as %d is",
                       o->hold < 0 ? o->hold : o->every);
    if ((o->position != NULL || o->velocity != NULL) && batch->ndrives == 0)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "targets are given, but the batch has no drives");
    if (o->measured != NULL && batch->measure == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "measured is asked for, but the batch has no function measure");
    return RG_OK;
}

RgStatus rg_batch_rollout(RgBatch *batch, const RgBatchRollout *o, RgError *error)
{
    RgStatus status = check(batch, o, error);
    if (status != RG_OK)
        return status;
    Call call = {.batch = batch,
                 .o = o,
                 .inputs = rg_batch_rollout_inputs(o),
                 .outputs = rg_batch_rollout_outputs(o),
                 .hold = steps_per_input(o),
                 .every = steps_per_output(o)};
    rg_team_for(batch->runs, batch->threads, roll_out, &call);
    return RG_OK;
}

RgStatus rg_batch_step(RgBatch *batch, double h, const double *tau, RgError *error)
{
    return rg_batch_rollout(batch, &(RgBatchRollout){.steps = 1, .h = h, .tau = tau}, error);
}
