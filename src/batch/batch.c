/*
 * batch.c - creation of a batch, and the transfer of runs into worlds and back.
 *
 *   run r: saved state | efforts, targets of drives | sums and statistics | failure
 *   thread k: a world, all created by the same definition
 *
 *   enter   inputs of r -> world, then its state -> world       the earlier contents of the world are discarded
 *   leave   state of the world -> r
 *
 * There are as many worlds as threads, not as runs: a world has some hundred kilobytes of scratch memory, a state a
 * few. Any thread may take any run, so nothing of a run may stay in the world. Inputs and sums are not part of a
 * world's state (rigor/sim.h) and are exchanged too. Inputs are set before the state: restoring a state wakes no body,
 * whereas a new effort wakes those it acts on, just as in a world that follows the last effort of the same run.
 *
 * Memory: all at creation, then as worlds and states grow with the largest number of contacts. The user's hooks are
 * called by one thread at a time.
 *
 * Failure cases: a definition that a world would reject, with its message; drives of unknown joints, two on one
 * velocity, or without effort.
 */
#include "base/alloc.h"
#include "base/status.h"
#include "base/team_for.h"
#include "batch/batch_internal.h"

#include <math.h>
#include <string.h>

#define BATCH_COOKIE 0x52474254u

RgBatchDef rg_batch_def_default(void)
{
    return (RgBatchDef){.cookie = BATCH_COOKIE, .world = rg_world_def_default(), .runs = 1};
}

static RgStatus check_def(const RgBatchDef *def, RgError *error)
{
    if (def->cookie != BATCH_COOKIE)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "a batch definition must start from rg_batch_def_default()");
    if (def->runs < 1)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "runs must be at least 1, not %d", def->runs);
    if (def->threads < 0)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "threads must be 0 (all) or more, not %d", def->threads);
    if (def->world.threads != 1)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "world.threads must be 1, not %d: a run has one thread, a batch many", def->world.threads);
    if (def->input != NULL && def->world.input != NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "of input and world.input one must be NULL");
    if (def->ndrives < 0 || (def->ndrives > 0 && def->drives == NULL))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "ndrives must be the length of drives, not %d", def->ndrives);
    if (def->nmeasured < 0 || (def->nmeasured > 0) != (def->measure != NULL))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "nmeasured must be %s, not %d",
                       def->measure != NULL ? "positive where there is a function measure"
                                            : "0 where there is no function measure",
                       def->nmeasured);
    return RG_OK;
}

/* ------------------------------------------------------------------ creation */

/* Input function of a worker's world: calls the user's function with the number of the run. */
static void call_input(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    const RgWorker *worker = context;
    const RgBatch *batch = worker->batch;
    batch->input(worker->run, model, state, input, batch->input_context);
}

static RgStatus set_drives(RgBatch *batch, RgWorld *world, RgError *error)
{
    for (int k = 0; k < batch->ndrives; k++) {
        const RgBatchDrive *d = &batch->drives[k];
        RgStatus status = rg_world_set_joint_drive(world, d->joint, d->dof, &d->drive);
        if (status != RG_OK)
            return rg_fail(error, status, NULL, 0, "drive %d, on velocity %d of joint %d: %s", k, d->dof,
                           (int)d->joint.i, rg_status_text(status));
        if (!(d->drive.max_effort > 0.0))
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "drive %d: max_effort must be above 0", k);
        batch->axes[k] = rg_world_find_axis(world, d->joint, d->dof);
        for (int i = 0; i < k; i++)
            if (batch->axes[i] == batch->axes[k])
                return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "drives %d and %d are on the same velocity", i, k);
    }
    return RG_OK;
}

static RgStatus create_workers(RgBatch *batch, const RgBatchDef *def, RgError *error)
{
    for (int k = 0; k < batch->threads; k++) {
        RgWorker *worker = &batch->workers[k];
        RgWorldDef world = def->world;
        worker->batch = batch;
        world.allocator = batch->allocator;
        if (def->input != NULL) {
            world.input = call_input;
            world.input_context = worker;
        }
        RgError own = {.status = RG_OK};
        worker->world = rg_world_create(&world, &own);
        if (worker->world == NULL) {
            if (error != NULL)
                *error = own;
            return own.status;
        }
        if (def->watch)
            rg_world_watch(worker->world);
        RgStatus status = set_drives(batch, worker->world, error);
        if (status != RG_OK)
            return status;
    }
    return RG_OK;
}

/* Stores the initial state, and sets all runs to it. */
static bool store_initial_state(RgBatch *batch)
{
    const RgWorld *world = batch->workers[0].world;
    batch->fresh_size = rg_world_state_size(world);
    batch->fresh = rg_alloc(&batch->allocator, batch->fresh_size, 1);
    if (batch->fresh == NULL)
        return false;
    rg_world_state_save(world, batch->fresh);
    batch->none = rg_world_step_statistics(world);
    for (int i = 0; i < batch->runs; i++) {
        RgBatchRun *run = &batch->run[i];
        run->state = rg_alloc(&batch->allocator, batch->fresh_size, 1);
        if (run->state == NULL)
            return false;
        run->room = batch->fresh_size;
    }
    return rg_batch_reset(batch, -1) == RG_OK;
}

static RgStatus init_batch(RgBatch *batch, const RgBatchDef *def, RgError *error)
{
    const RgAllocator *from = &batch->allocator;
    size_t runs = (size_t)def->runs, nd = (size_t)def->ndrives;
    batch->workers = rg_alloc(from, (size_t)batch->threads, sizeof *batch->workers);
    batch->run = rg_alloc(from, runs, sizeof *batch->run);
    batch->tau = rg_alloc(from, runs, (size_t)batch->model->nv * sizeof *batch->tau);
    batch->drives = rg_alloc(from, nd, sizeof *batch->drives);
    batch->axes = rg_alloc(from, nd, sizeof *batch->axes);
    batch->position = rg_alloc(from, runs, nd * sizeof *batch->position);
    batch->velocity = rg_alloc(from, runs, nd * sizeof *batch->velocity);
    batch->started = rg_alloc(from, runs, nd * sizeof *batch->started);
    if (batch->workers == NULL || batch->run == NULL || batch->tau == NULL || batch->drives == NULL ||
        batch->axes == NULL || batch->position == NULL || batch->velocity == NULL || batch->started == NULL)
        return rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    if (nd > 0)
        memcpy(batch->drives, def->drives, nd * sizeof *batch->drives);
    RgStatus status = create_workers(batch, def, error);
    if (status == RG_OK && !store_initial_state(batch))
        status = rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    return status;
}

RgBatch *rg_batch_create(const RgBatchDef *def, RgError *error)
{
    if (check_def(def, error) != RG_OK)
        return NULL;
    if (def->world.model == NULL) {
        rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "world.model of a batch definition must name a model");
        return NULL;
    }
    RgBatch *batch = rg_alloc(&def->world.allocator, 1, sizeof *batch);
    if (batch == NULL || !rg_shared_allocator_init(&batch->shared, &def->world.allocator)) {
        rg_free(&def->world.allocator, batch);
        rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
        return NULL;
    }
    int threads = rg_team_threads(def->threads);
    batch->allocator = rg_shared_allocator(&batch->shared);
    batch->model = def->world.model;
    batch->runs = def->runs;
    batch->threads = threads < def->runs ? threads : def->runs;
    batch->ndrives = def->ndrives;
    batch->input = def->input;
    batch->input_context = def->input_context;
    batch->measure = def->measure;
    batch->measure_context = def->measure_context;
    batch->nmeasured = def->nmeasured;
    if (init_batch(batch, def, error) == RG_OK)
        return batch;
    rg_batch_destroy(batch);
    return NULL;
}

void rg_batch_destroy(RgBatch *batch)
{
    if (batch == NULL)
        return;
    const RgAllocator *from = &batch->allocator;
    for (int k = 0; batch->workers != NULL && k < batch->threads; k++)
        rg_world_destroy(batch->workers[k].world);
    for (int i = 0; batch->run != NULL && i < batch->runs; i++)
        rg_free(from, batch->run[i].state);
    void *const blocks[] = {batch->workers,  batch->run,      batch->tau,     batch->drives, batch->axes,
                            batch->position, batch->velocity, batch->started, batch->fresh};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        rg_free(from, blocks[i]);
    RgAllocator user = batch->shared.user;
    rg_shared_allocator_end(&batch->shared);
    rg_free(&user, batch);
}

/* ------------------------------------------------------------------ a run in a world */

bool rg_batch_enter(RgWorker *worker, int run)
{
    const RgBatch *batch = worker->batch;
    const RgBatchRun *r = &batch->run[run];
    RgWorld *world = worker->world;
    size_t nv = (size_t)batch->model->nv, first = (size_t)run * (size_t)batch->ndrives;
    worker->run = run;

    /* Inputs of this run, written directly: no body wakes. */
    memcpy(world->inputs.tau, batch->tau + (size_t)run * nv, nv * sizeof *world->inputs.tau);
    memcpy(world->scope.input.tau, world->inputs.tau, nv * sizeof *world->inputs.tau);
    for (int k = 0; k < batch->ndrives; k++) {
        RgDrive *drive = &world->scope.contact->setup.bounded->drives[batch->axes[k]];
        drive->position = batch->position[first + (size_t)k];
        drive->velocity = batch->velocity[first + (size_t)k];
        drive->time = batch->started[first + (size_t)k];
    }

    /* Sums of this run; then the state. */
    world->reports.sums = r->sums;
    world->log.statistics = world->log.before = r->statistics;
    RgStatus status = rg_world_state_restore(world, r->state);
    if (status != RG_OK)
        rg_batch_fail(worker->batch, run, status, -1, "");
    return status == RG_OK;
}

bool rg_batch_leave(RgWorker *worker)
{
    RgBatch *batch = worker->batch;
    RgBatchRun *r = &batch->run[worker->run];
    size_t size = rg_world_state_size(worker->world);
    if (size > r->room) {
        unsigned char *grown = rg_alloc(&batch->allocator, size, 1);
        if (grown == NULL) {
            rg_batch_fail(batch, worker->run, RG_ERR_MEMORY, -1, "");
            return false;
        }
        rg_free(&batch->allocator, r->state);
        r->state = grown;
        r->room = size;
    }
    r->size = size;
    rg_world_state_save(worker->world, r->state);
    r->sums = worker->world->reports.sums;
    r->statistics = worker->world->log.statistics;
    return true;
}

/* ------------------------------------------------------------------ failures */

void rg_batch_fail(RgBatch *batch, int run, RgStatus status, int step, const char *offender)
{
    RgRunFailure *failure = &batch->run[run].failure;
    size_t length = strlen(offender);
    *failure = (RgRunFailure){.status = status, .step = step};
    if (length >= sizeof failure->offender)
        length = sizeof failure->offender - 1;
    memcpy(failure->offender, offender, length);
}

RgRunFailure rg_batch_failure(const RgBatch *batch, int run)
{
    if (run < 0 || run >= batch->runs)
        return (RgRunFailure){.status = RG_ERR_ARGUMENT, .step = -1};
    RgRunFailure failure = batch->run[run].failure;
    failure.t = rg_state_time(batch->run[run].state);
    return failure;
}

int rg_batch_failures(const RgBatch *batch)
{
    int failures = 0;
    for (int i = 0; i < batch->runs; i++)
        failures += batch->run[i].failure.status != RG_OK;
    return failures;
}

int rg_batch_runs(const RgBatch *batch)
{
    return batch->runs;
}

int rg_batch_threads(const RgBatch *batch)
{
    return batch->threads;
}
