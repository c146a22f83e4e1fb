/* batch_internal.h - what a batch holds, and how a run gets into a world and out of it again. */
#ifndef RIGOR_BATCH_INTERNAL_H
#define RIGOR_BATCH_INTERNAL_H

#include "base/alloc_shared.h"
#include "sim/world_internal.h"

#include <rigor/batch.h>

/* All that is of one run, but for its inputs. */
typedef struct RgBatchRun {
    unsigned char *state; /* as rg_world_state_save writes it */
    size_t size, room;    /* bytes of it; of the block, which never shrinks */
    RgEnergySums sums;
    RgStepStatistics statistics;
    RgRunFailure failure;
} RgBatchRun;

/* A thread's world, and whose run it is in now. */
typedef struct RgWorker {
    RgBatch *batch;
    RgWorld *world;
    int run;
} RgWorker;

struct RgBatch {
    RgSharedAllocator shared;
    RgAllocator allocator; /* of shared: threads may use it at once */
    const RgModel *model;
    int runs, threads;
    RgWorker *workers; /* threads */
    RgBatchRun *run;   /* runs */

    /* Inputs as they are now. */
    double *tau; /* runs x nv */
    RgBatchDrive *drives;
    int ndrives;
    int *axes;                             /* ndrives: numbers of their axes in a world */
    double *position, *velocity, *started; /* runs x ndrives; started: RgDrive.time */

    unsigned char *fresh; /* state of a world that has just been made */
    size_t fresh_size;
    RgStepStatistics none; /* its statistics */
    RgBatchInputFn *input;
    void *input_context;
    RgBatchMeasureFn *measure;
    void *measure_context;
    int nmeasured;
};

/* The run's state and inputs into the worker's world. False: no memory for its contacts, which has made it fail. */
bool rg_batch_enter(RgWorker *worker, int run);

/* And out again: the state that the world is in becomes the run's. False: no memory; it keeps the state it had, and
   fails. */
bool rg_batch_leave(RgWorker *worker);

/* The run has failed in a step (-1: before any). offender may be "". */
void rg_batch_fail(RgBatch *batch, int run, RgStatus status, int step, const char *offender);

#endif
