/*
 * batch.h - many runs of one model at once: states by the thousand, a world a thread, plain arrays in and out.
 *
 * Every run goes its own way from its own state, with its own inputs, bit by bit as it would in a world of its own,
 * whatever the number of threads. A run that fails stays where it was last well and says why; the others go on.
 *
 * Arrays lie run after run: of runs x rows x nv the nv numbers of row k of run r begin at (r * rows + k) * nv.
 */
#ifndef RIGOR_BATCH_H
#define RIGOR_BATCH_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgBatch RgBatch;

/* As RgInputFn, of one run (0 ... runs - 1). Several threads call it at once, for different runs. */
typedef void RgBatchInputFn(int run, const RgModel *model, const RgInputState *state, RgInput *input, void *context);

/* Writes RgBatchDef.nmeasured numbers of a run that stands at a row of outputs. It may ask the world anything, but must
   not change it. Several threads call it at once, for different runs. */
typedef void RgBatchMeasureFn(int run, RgWorld *world, double *out, void *context);

/* A drive that every run has; position and velocity come from arrays, until then they are those here. */
typedef struct RgBatchDrive {
    RgJointId joint;
    int dof;
    RgDrive drive; /* max_effort above 0 */
} RgBatchDrive;

typedef struct RgBatchDef {
    uint32_t cookie;
    /* What a run is like. Its functions input and user_rows, if any, are called by several threads at once; its threads
       must be 1, those of the batch are below. Its allocator is called by one thread at a time. */
    RgWorldDef world;
    int runs; /* default 1 */
    /* Default 0: as many as OpenMP takes by itself (OMP_NUM_THREADS, else all processors). Never more than runs. */
    int threads;
    const RgBatchDrive *drives; /* copied; default: none */
    int ndrives;
    RgBatchInputFn *input; /* in place of world.input; may be NULL */
    void *input_context;
    RgBatchMeasureFn *measure; /* may be NULL: nothing is measured */
    void *measure_context;
    int nmeasured;
    bool watch; /* reports are whole (rg_world_watch), for functions measure that ask for them; default false */
} RgBatchDef;

RG_API RgBatchDef rg_batch_def_default(void);

/* All runs at the model's neutral position, at rest, at t = 0. */
RG_API RgBatch *rg_batch_create(const RgBatchDef *def, RgError *error);
RG_API void rg_batch_destroy(RgBatch *batch);

RG_API int rg_batch_runs(const RgBatch *batch);
/* Threads that are used: 1 in a library that was built without OpenMP. */
RG_API int rg_batch_threads(const RgBatch *batch);

/* ------------------------------------------------------------------ steps */

/* What a call shall do with every run. Rows of inputs: one for `hold` steps, ceil(steps / hold) of them. Rows of
   outputs: after every `every` steps, floor(steps / every) of them. Any array may be NULL: inputs stay as they were,
   outputs are not wanted. */
typedef struct RgBatchRollout {
    int steps;                /* default 1 */
    double h;                 /* s; no default */
    int hold;                 /* default 0: one row of inputs for the whole call */
    const double *tau;        /* runs x rows x nv: joint efforts, and what floating bases are pushed with */
    const double *position;   /* runs x rows x ndrives: targets of drives when their row begins */
    const double *velocity;   /* runs x rows x ndrives: and how they go on from there; at first those of the drives */
    int every;                /* default 0: one row of outputs, at the end */
    double *t;                /* runs x rows */
    double *q, *v, *measured; /* runs x rows x nq, nv, nmeasured */
} RgBatchRollout;

RG_API RgBatchRollout rg_batch_rollout_default(void);
/* Rows of inputs and of outputs that its arrays must have. */
RG_API int rg_batch_rollout_inputs(const RgBatchRollout *rollout);
RG_API int rg_batch_rollout_outputs(const RgBatchRollout *rollout);

/*
 * Steps all runs. What is returned is about the arguments alone, and error (may be NULL) says what is wrong with them:
 * then nothing has been done. What goes wrong in a run is told by rg_batch_failure: a step that is refused, an input
 * that is not finite. The run then stays at its last good state, its later rows repeat that state, and it is stepped no
 * more until its state is set or loaded.
 *
 * Targets of drives: at time t of a row that began at t0 a joint shall be at position + velocity (t - t0). RgDrive.time
 * is t0, or 0 where velocity is 0, so that a target which stays as it is wakes no sleepers.
 */
RG_API RgStatus rg_batch_rollout(RgBatch *batch, const RgBatchRollout *rollout, RgError *error);

/* One step of h with these efforts (runs x nv; NULL: as they were). */
RG_API RgStatus rg_batch_step(RgBatch *batch, double h, const double *tau, RgError *error);

typedef struct RgRunFailure {
    RgStatus status;    /* RG_OK: the run is well */
    int step;           /* of the call in which it failed, from 0; -1: not in a step, but as its state was set */
    double t;           /* where it stands */
    char offender[128]; /* joint or body that is to blame; may be empty */
} RgRunFailure;
RG_API RgRunFailure rg_batch_failure(const RgBatch *batch, int run);
/* How many runs have failed. */
RG_API int rg_batch_failures(const RgBatch *batch);

/* ------------------------------------------------------------------ states */

/* All runs: q (runs x nq), v (runs x nv), t (runs); NULL: kept. A run whose numbers are not finite fails and keeps its
   state; those that had failed are well again. */
RG_API void rg_batch_set_states(RgBatch *batch, const double *q, const double *v, const double *t);
/* Where they are: the same arrays, each may be NULL. */
RG_API void rg_batch_states(RgBatch *batch, double *q, double *v, double *t);

/* One run: q (nq), v (nv), *t; NULL: kept. Refused: RG_ERR_NOT_FINITE, RG_ERR_ARGUMENT (no such run), and it is as it
   was. */
RG_API RgStatus rg_batch_set_state(RgBatch *batch, int run, const double *q, const double *v, const double *t);

/* One run as it was when the batch was made, efforts and targets too; -1: all. */
RG_API RgStatus rg_batch_reset(RgBatch *batch, int run);

/* Saved states of one run, the same bytes as a world's (rg_world_state_save): a run can go on in a world, or in another
   run. Efforts and targets are inputs, and not in it. */
RG_API size_t rg_batch_state_size(const RgBatch *batch, int run);
RG_API void rg_batch_state_save(const RgBatch *batch, int run, void *buffer);
RG_API RgStatus rg_batch_state_load(RgBatch *batch, int run, const void *buffer, size_t size);
RG_API uint64_t rg_batch_hash(const RgBatch *batch, int run); /* rg_world_hash */

#ifdef __cplusplus
}
#endif
#endif
