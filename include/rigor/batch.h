/*
 * batch.h - many simulation runs of one model at once: thousands of states, one world per thread, plain arrays for
 * input and output.
 *
 * Each run has its own state and inputs and gives the same bits as in a world of its own, for any number of threads. A
 * run that fails stays at its last valid state and reports the failure; the other runs continue.
 *
 * Arrays are stored run by run: in an array runs x rows x nv, row k of run r starts at (r * rows + k) * nv.
 */
#ifndef RIGOR_BATCH_H
#define RIGOR_BATCH_H

#include <rigor/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RgBatch RgBatch;

/* Like RgInputFn, for one run (0 ... runs - 1). Called by several threads at once, for different runs. */
typedef void RgBatchInputFn(int run, const RgModel *model, const RgInputState *state, RgInput *input, void *context);

/* Writes RgBatchDef.nmeasured numbers of one run, at each row of outputs. It may call any query of the world but must
   not change it. Called by several threads at once, for different runs. */
typedef void RgBatchMeasureFn(int run, RgWorld *world, double *out, void *context);

/* A drive that every run has. The targets come from RgBatchRollout; drive.position and drive.velocity are the initial
   ones. */
typedef struct RgBatchDrive {
    RgJointId joint;
    int dof;
    RgDrive drive; /* max_effort above 0 */
} RgBatchDrive;

typedef struct RgBatchDef {
    uint32_t cookie;
    /* Definition of the world of every run. Its functions input and user_rows, if any, are called by several threads at
       once. Its threads must be 1 (see below). Its allocator is called by one thread at a time. */
    RgWorldDef world;
    int runs; /* default 1 */
    /* Default 0: the default of OpenMP (OMP_NUM_THREADS, else all processors). At most one thread per run is used. */
    int threads;
    const RgBatchDrive *drives; /* copied; default: none */
    int ndrives;
    RgBatchInputFn *input; /* replaces world.input; may be NULL */
    void *input_context;
    RgBatchMeasureFn *measure; /* NULL: no measurements */
    void *measure_context;
    int nmeasured;
    bool watch; /* complete reports (rg_world_watch), for measure functions that read them; default false */
} RgBatchDef;

RG_API RgBatchDef rg_batch_def_default(void);

/* Creates the runs at the model's neutral position, at rest, at t = 0. */
RG_API RgBatch *rg_batch_create(const RgBatchDef *def, RgError *error);
RG_API void rg_batch_destroy(RgBatch *batch);

RG_API int rg_batch_runs(const RgBatch *batch);
/* Number of threads in use; 1 if the library was built without OpenMP. */
RG_API int rg_batch_threads(const RgBatch *batch);

/* ------------------------------------------------------------------ steps */

/* Arguments of a rollout of all runs. Inputs: one row per `hold` steps, ceil(steps / hold) rows. Outputs: one row after
   every `every` steps, floor(steps / every) rows. Any array may be NULL: the inputs stay unchanged, the outputs are not
   requested. */
typedef struct RgBatchRollout {
    int steps;                /* default 1 */
    double h;                 /* s; no default */
    int hold;                 /* default 0: one row of inputs for the whole call */
    const double *tau;        /* runs x rows x nv: joint efforts, and generalised forces on floating bases */
    const double *position;   /* runs x rows x ndrives: drive targets at the start of the row */
    const double *velocity;   /* runs x rows x ndrives: rates of these targets; initially those of the drives */
    int every;                /* default 0: one row of outputs, at the end */
    double *t;                /* runs x rows */
    double *q, *v, *measured; /* runs x rows x nq, nv, nmeasured */
} RgBatchRollout;

RG_API RgBatchRollout rg_batch_rollout_default(void);
/* Number of rows that the input and output arrays must have. */
RG_API int rg_batch_rollout_inputs(const RgBatchRollout *rollout);
RG_API int rg_batch_rollout_outputs(const RgBatchRollout *rollout);

/*
 * Steps all runs. The returned status and error (may be NULL) concern the arguments only; on failure nothing was done.
 * A failure within a run (a refused step, an input that is not finite) is reported by rg_batch_failure. Such a run
 * stays at its last valid state, which is repeated in its later output rows, and is not stepped again until its state
 * is set or loaded.
 *
 * Drive targets: at time t of a row that starts at t0 the desired position is position + velocity (t - t0).
 * RgDrive.time is t0, or 0 if velocity is 0, so that an unchanged target does not wake sleeping bodies.
 */
RG_API RgStatus rg_batch_rollout(RgBatch *batch, const RgBatchRollout *rollout, RgError *error);

/* One step of length h with the given efforts (runs x nv; NULL: unchanged). */
RG_API RgStatus rg_batch_step(RgBatch *batch, double h, const double *tau, RgError *error);

typedef struct RgRunFailure {
    RgStatus status;    /* RG_OK: no failure */
    int step;           /* step of the call in which it failed, from 0; -1: setting its state failed */
    double t;           /* time of its present state */
    char offender[128]; /* joint or body that caused the failure; may be empty */
} RgRunFailure;
RG_API RgRunFailure rg_batch_failure(const RgBatch *batch, int run);
/* Number of failed runs. */
RG_API int rg_batch_failures(const RgBatch *batch);

/* ------------------------------------------------------------------ states */

/* Sets all runs: q (runs x nq), v (runs x nv), t (runs); NULL: unchanged. A run with numbers that are not finite fails
   and keeps its state. For the others an earlier failure is cleared. */
RG_API void rg_batch_set_states(RgBatch *batch, const double *q, const double *v, const double *t);
/* Reads all runs into the same arrays; each may be NULL. */
RG_API void rg_batch_states(RgBatch *batch, double *q, double *v, double *t);

/* Sets one run: q (nq), v (nv), *t; NULL: unchanged. On failure (RG_ERR_NOT_FINITE; RG_ERR_ARGUMENT: no such run) the
   run does not change. */
RG_API RgStatus rg_batch_set_state(RgBatch *batch, int run, const double *q, const double *v, const double *t);

/* Restores one run to its state at creation, including efforts and targets; -1: all runs. */
RG_API RgStatus rg_batch_reset(RgBatch *batch, int run);

/* Saved states of one run, in the format of rg_world_state_save: a run can continue in a world or in another run.
   Efforts and targets are inputs and not part of the state. */
RG_API size_t rg_batch_state_size(const RgBatch *batch, int run);
RG_API void rg_batch_state_save(const RgBatch *batch, int run, void *buffer);
RG_API RgStatus rg_batch_state_load(RgBatch *batch, int run, const void *buffer, size_t size);
RG_API uint64_t rg_batch_hash(const RgBatch *batch, int run); /* rg_world_hash */

#ifdef __cplusplus
}
#endif
#endif
