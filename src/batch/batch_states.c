/*
 * batch_states.c - states of runs: set, read, saved, loaded, reset.
 *
 * Joint coordinates of a saved state are computed by a world: the run is transferred into the world of its thread.
 * Values that are not finite are rejected.
 */
#include "base/team_for.h"
#include "batch/batch_internal.h"

#include <math.h>
#include <string.h>

static bool is_run(const RgBatch *batch, int run)
{
    return run >= 0 && run < batch->runs;
}

/* ------------------------------------------------------------------ set */

/* Sets the state of the worker's world. */
static RgStatus set_world_state(RgWorker *worker, const double *q, const double *v, const double *t)
{
    RgStatus status = t != NULL && !isfinite(*t) ? RG_ERR_NOT_FINITE : RG_OK;
    if (status == RG_OK && (q != NULL || v != NULL))
        status = rg_world_set_state(worker->world, q, v);
    if (status == RG_OK && t != NULL)
        rg_world_set_time(worker->world, *t);
    return status;
}

typedef struct SetCall {
    RgBatch *batch;
    const double *q, *v, *t;
} SetCall;

static const double *row_of(const double *array, int run, int length)
{
    return array != NULL ? array + (size_t)run * (size_t)length : NULL;
}

static void set_one(void *context, int32_t run, int thread)
{
    const SetCall *call = context;
    RgBatch *batch = call->batch;
    RgWorker *worker = &batch->workers[thread];
    if (!rg_batch_enter(worker, run))
        return;
    RgStatus status = set_world_state(worker, row_of(call->q, run, batch->model->nq),
                                      row_of(call->v, run, batch->model->nv), row_of(call->t, run, 1));
    if (status != RG_OK)
        rg_batch_fail(batch, run, status, -1, "");
    else if (rg_batch_leave(worker))
        batch->run[run].failure = (RgRunFailure){.status = RG_OK};
}

void rg_batch_set_states(RgBatch *batch, const double *q, const double *v, const double *t)
{
    SetCall call = {batch, q, v, t};
    rg_team_for(batch->runs, batch->threads, set_one, &call);
}

RgStatus rg_batch_set_state(RgBatch *batch, int run, const double *q, const double *v, const double *t)
{
    if (!is_run(batch, run))
        return RG_ERR_ARGUMENT;
    RgWorker *worker = &batch->workers[0];
    RgRunFailure before = batch->run[run].failure;
    RgStatus status = rg_batch_enter(worker, run) ? set_world_state(worker, q, v, t) : RG_ERR_MEMORY;
    if (status == RG_OK && !rg_batch_leave(worker))
        status = RG_ERR_MEMORY;
    batch->run[run].failure = status == RG_OK ? (RgRunFailure){.status = RG_OK} : before;
    return status;
}

static void reset_one(RgBatch *batch, int run)
{
    RgBatchRun *r = &batch->run[run];
    size_t nv = (size_t)batch->model->nv, first = (size_t)run * (size_t)batch->ndrives;
    memcpy(r->state, batch->fresh, batch->fresh_size);
    r->size = batch->fresh_size;
    r->sums = (RgEnergySums){.dissipated = 0.0};
    r->statistics = batch->none;
    r->failure = (RgRunFailure){.status = RG_OK};
    memset(batch->tau + (size_t)run * nv, 0, nv * sizeof *batch->tau);
    for (int k = 0; k < batch->ndrives; k++) {
        const RgDrive *drive = &batch->drives[k].drive;
        batch->position[first + (size_t)k] = drive->position;
        batch->velocity[first + (size_t)k] = drive->velocity;
        batch->started[first + (size_t)k] = drive->time;
    }
}

RgStatus rg_batch_reset(RgBatch *batch, int run)
{
    if (run != -1 && !is_run(batch, run))
        return RG_ERR_ARGUMENT;
    for (int i = run < 0 ? 0 : run; i < (run < 0 ? batch->runs : run + 1); i++)
        reset_one(batch, i);
    return RG_OK;
}

/* ------------------------------------------------------------------ read */

typedef struct ReadCall {
    RgBatch *batch;
    double *q, *v;
} ReadCall;

static void read_one(void *context, int32_t run, int thread)
{
    const ReadCall *call = context;
    RgBatch *batch = call->batch;
    RgWorker *worker = &batch->workers[thread];
    size_t nq = (size_t)batch->model->nq, nv = (size_t)batch->model->nv;
    RgRunFailure before = batch->run[run].failure;
    rg_batch_enter(worker, run); /* may fail for its contacts: q and v do not need them */
    batch->run[run].failure = before;
    if (call->q != NULL)
        memcpy(call->q + (size_t)run * nq, rg_world_q(worker->world), nq * sizeof *call->q);
    if (call->v != NULL)
        memcpy(call->v + (size_t)run * nv, rg_world_v(worker->world), nv * sizeof *call->v);
}

void rg_batch_states(RgBatch *batch, double *q, double *v, double *t)
{
    ReadCall call = {batch, q, v};
    if (q != NULL || v != NULL)
        rg_team_for(batch->runs, batch->threads, read_one, &call);
    for (int i = 0; t != NULL && i < batch->runs; i++)
        t[i] = rg_state_time(batch->run[i].state);
}

/* ------------------------------------------------------------------ saved */

size_t rg_batch_state_size(const RgBatch *batch, int run)
{
    return is_run(batch, run) ? batch->run[run].size : 0;
}

void rg_batch_state_save(const RgBatch *batch, int run, void *buffer)
{
    if (is_run(batch, run))
        memcpy(buffer, batch->run[run].state, batch->run[run].size);
}

RgStatus rg_batch_state_load(RgBatch *batch, int run, const void *buffer, size_t size)
{
    if (!is_run(batch, run))
        return RG_ERR_ARGUMENT;
    RgWorker *worker = &batch->workers[0];
    RgRunFailure before = batch->run[run].failure;
    RgStatus status = rg_batch_enter(worker, run) ? RG_OK : RG_ERR_MEMORY;
    if (status == RG_OK)
        status = rg_world_state_load(worker->world, buffer, size);
    if (status == RG_OK && !rg_batch_leave(worker))
        status = RG_ERR_MEMORY;
    batch->run[run].failure = status == RG_OK ? (RgRunFailure){.status = RG_OK} : before;
    return status;
}

uint64_t rg_batch_hash(const RgBatch *batch, int run)
{
    return is_run(batch, run) ? rg_state_hash(batch->run[run].state) : 0;
}
