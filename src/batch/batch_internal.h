/* batch_internal.h - RgBatch, and the transfer of runs into worlds and back. */
#ifndef RIGOR_BATCH_INTERNAL_H
#define RIGOR_BATCH_INTERNAL_H

#include "base/alloc_shared.h"
#include "sim/world_internal.h"

#include <rigor/batch.h>

/* Everything of one run except its inputs. */
typedef struct RgBatchRun {
    unsigned char *state; /* as rg_world_state_save writes it */
    size_t size, room;    /* bytes of the state; of the block, which never shrinks */
    RgEnergySums sums;
    RgStepStatistics statistics;
    RgRunFailure failure;
} RgBatchRun;

/* World of a thread, and the run that is in it now. */
typedef struct RgWorker {
    RgBatch *batch;
    RgWorld *world;
    int run;
} RgWorker;

struct RgBatch {
    RgSharedAllocator shared;
    RgAllocator allocator; /* of shared: thread-safe */
    const RgModel *model;
    int runs, threads;
    RgWorker *workers; /* threads */
    RgBatchRun *run;   /* runs */

    /* Present inputs. */
    double *tau; /* runs x nv */
    RgBatchDrive *drives;
    int ndrives;
    int *axes;                             /* ndrives: axis numbers in a world */
    double *position, *velocity, *started; /* runs x ndrives; started: RgDrive.time */

    unsigned char *fresh; /* state of a new world */
    size_t fresh_size;
    RgStepStatistics none; /* its statistics */
    RgBatchInputFn *input;
    void *input_context;
    RgBatchMeasureFn *measure;
    void *measure_context;
    int nmeasured;
};

/* Transfers the run's state and inputs into the worker's world. Returns false if out of memory for its contacts; the
   run has failed then. */
bool rg_batch_enter(RgWorker *worker, int run);

/* Stores the world's state in the run. Returns false if out of memory; the run keeps its old state, and has failed. */
bool rg_batch_leave(RgWorker *worker);

/* Marks a run as failed in a step (-1: before any). offender may be "". */
void rg_batch_fail(RgBatch *batch, int run, RgStatus status, int step, const char *offender);

#endif
