/*
 * batch_rollout.c - all runs stepped in one call.
 *
 *   for each run, by whatever thread is free:
 *     enter its state into the thread's world
 *     for each step:  new row of inputs, where one begins     -> world
 *                     step                                    refused, inputs not finite: the run has failed
 *                     row of outputs, where one ends          <- world; of a run that failed: its last good state
 *     leave with the new state
 *
 * All steps of a run are made by one thread, one after the other: its memory stays in that processor's cache.
 */
#include "base/status.h"
#include "base/team_for.h"
#include "batch/batch_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the text that says who is to blame. */
#define RG_OFFENDER sizeof(((RgStepReport *)NULL)->offender)

RgBatchRollout rg_batch_rollout_default(void)
{
    return (RgBatchRollout){.steps = 1};
}

/* Steps that a row of inputs holds, that lie between rows of outputs; at least 1. */
static int hold_of(const RgBatchRollout *o)
{
    int all = o->steps > 0 ? o->steps : 1;
    return o->hold > 0 ? o->hold : all;
}

static int every_of(const RgBatchRollout *o)
{
    int all = o->steps > 0 ? o->steps : 1;
    return o->every > 0 ? o->every : all;
}

int rg_batch_rollout_inputs(const RgBatchRollout *o)
{
    return o->steps > 0 ? (o->steps - 1) / hold_of(o) + 1 : 0;
}

int rg_batch_rollout_outputs(const RgBatchRollout *o)
{
    return o->steps > 0 ? o->steps / every_of(o) : 0;
}

/* ------------------------------------------------------------------ inputs */

/* One call, as every run sees it. */
typedef struct Call {
    RgBatch *batch;
    const RgBatchRollout *o;
    int inputs, outputs; /* rows */
    int hold, every;
} Call;

/* Numbers of a row of inputs of the worker's run; NULL: they stay as they were. */
static const double *input_row(const Call *call, const RgWorker *worker, const double *array, int row, int length)
{
    if (array == NULL)
        return NULL;
    return array + ((size_t)worker->run * (size_t)call->inputs + (size_t)row) * (size_t)length;
}

/* First number that is none; -1: all are well. */
static int find_bad(const double *x, int n)
{
    for (int i = 0; x != NULL && i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* Efforts of a row, and into what the run remembers of its inputs. offender: RgRunFailure.offender. */
static RgStatus take_efforts(RgBatch *batch, const RgWorker *worker, const double *tau, char *offender)
{
    const RgModel *m = batch->model;
    int bad = find_bad(tau, m->nv);
    if (bad >= 0) {
        bool floats = m->bodies[m->dof_body[bad]].joint < 0;
        snprintf(offender, RG_OFFENDER, "effort of %s '%s'", floats ? "link" : "joint", rg_model_dof_name(m, bad));
        return RG_ERR_NOT_FINITE;
    }
    memcpy(batch->tau + (size_t)worker->run * (size_t)m->nv, tau, (size_t)m->nv * sizeof *tau);
    return rg_world_set_efforts(worker->world, tau);
}

static RgStatus take_targets(RgBatch *batch, const RgWorker *worker, const double *position, const double *velocity,
                             char *offender)
{
    int n = batch->ndrives, bad = find_bad(position, n);
    if (bad < 0)
        bad = find_bad(velocity, n);
    if (bad >= 0) {
        snprintf(offender, RG_OFFENDER, "target of joint '%s'",
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

/* The row of inputs that begins now. */
static RgStatus take_row(const Call *call, const RgWorker *worker, int row, char *offender)
{
    RgBatch *batch = call->batch;
    const double *tau = input_row(call, worker, call->o->tau, row, batch->model->nv);
    const double *position = input_row(call, worker, call->o->position, row, batch->ndrives);
    const double *velocity = input_row(call, worker, call->o->velocity, row, batch->ndrives);
    RgStatus status = tau != NULL ? take_efforts(batch, worker, tau, offender) : RG_OK;
    if (status == RG_OK && (position != NULL || velocity != NULL))
        status = take_targets(batch, worker, position, velocity, offender);
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

/* One step, with a new row of inputs where one begins. False: the run has failed. */
static bool make_step(const Call *call, const RgWorker *worker, int step)
{
    RgStepReport report;
    RgStatus status = RG_OK;
    report.offender[0] = '\0';
    if (step % call->hold == 0)
        status = take_row(call, worker, step / call->hold, report.offender);
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
    bool well = batch->run[run].failure.status == RG_OK, entered = rg_batch_enter(worker, run);
    int made = 0, row = 0;
    well = well && entered;
    for (int step = 0; step < call->o->steps; step++) {
        well = well && make_step(call, worker, step);
        made += well;
        if ((step + 1) % call->every == 0 && row < call->outputs)
            write_row(call, worker, row++);
        if (!well && call->outputs == 0)
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
                 .hold = hold_of(o),
                 .every = every_of(o)};
    rg_team_for(batch->runs, batch->threads, roll_out, &call);
    return RG_OK;
}

RgStatus rg_batch_step(RgBatch *batch, double h, const double *tau, RgError *error)
{
    return rg_batch_rollout(batch, &(RgBatchRollout){.steps = 1, .h = h, .tau = tau}, error);
}
