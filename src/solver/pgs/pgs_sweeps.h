/*
 * pgs_sweeps.h - sweeps of solver `pgs` over a packed problem, by one thread (solver_pgs.c) or several
 * (pgs_parallel.c), bitwise identical.
 */
#ifndef RIGOR_PGS_SWEEPS_H
#define RIGOR_PGS_SWEEPS_H

#include "solver/pgs/pgs_lanes.h"

#include <string.h>

/* Which rows of a group a stage visits. */
typedef enum RgPgsAct {
    RG_PGS_ACT_ROWS,     /* rows other than friction */
    RG_PGS_ACT_FRICTION, /* friction; an earlier stage has visited the other rows */
    RG_PGS_ACT_BOTH      /* both, contact by contact */
} RgPgsAct;

/* Phases of the solve over the same stages: one sweep that adds the initial impulses to the velocities, sweeps over all
   rows, sweeps over friction only. */
typedef enum RgPgsPhase { RG_PGS_PHASE_WARM_START, RG_PGS_PHASE_ALL, RG_PGS_PHASE_FRICTION } RgPgsPhase;

typedef struct RgPgsStage {
    int group;
    RgPgsAct act;
    double keep; /* part of a change that is made */
} RgPgsStage;

typedef struct RgPgsSweeps {
    RgProblem *p;
    const RgPgsOptions *o;
    const RgPgsKernel *kernel;
    RgPgsPacked packed;
    double
        general_sum[RG_PGS_GROUPS + 1]; /* by list: squared changes of rows that are not packed, in the current sweep */
} RgPgsSweeps;

typedef struct RgPgsSchedule {
    const RgPgsStage *stages;
    int nstages;
} RgPgsSchedule;

/* Whether a stage visits rows that are not packed. */
bool rg_pgs_has_generals(const RgPgsPacked *packed, const RgPgsStage *stage);
void rg_pgs_visit_generals(RgPgsSweeps *g, const RgPgsStage *stage, RgPgsPhase phase);

/* Averages the shared cells first ... end - 1 (pgs_jacobi.c). */
void rg_pgs_average(RgPgsCells *cells, double *V, int32_t first, int32_t end);

/* Root mean square of the changes of the last sweep; friction-only sweeps do not change it. Independent of the number
   of lists. */
double rg_pgs_change(RgPgsSweeps *g);

static inline void rg_pgs_visit(const RgPgsSweeps *g, const RgPgsStage *stage, RgPgsPhase phase, RgPgsLanes *lanes)
{
    double *V = g->packed.V;
    bool friction = stage->act != RG_PGS_ACT_ROWS && phase != RG_PGS_PHASE_WARM_START;
    if (phase == RG_PGS_PHASE_WARM_START && stage->act != RG_PGS_ACT_FRICTION)
        g->kernel->warm_start(lanes, V);
    if (phase == RG_PGS_PHASE_ALL && stage->act != RG_PGS_ACT_FRICTION)
        g->kernel->rows(lanes, stage->keep, V);
    if (!friction)
        return;
    RgPgsLane sum;
    memcpy(sum, lanes->sum, sizeof sum);
    g->kernel->friction(lanes, stage->keep, V);
    if (phase == RG_PGS_PHASE_FRICTION)
        memcpy(lanes->sum, sum, sizeof sum);
}

/* Distribution of the row visits of a sweep. */
typedef struct RgPgsShares {
    double largest; /* share of the busiest thread */
    /* share on the critical path, for any number of threads: 1 over the largest possible speed-up */
    double path;
} RgPgsShares;

/* The whole solve by the thread pool of the problem, with several lists. Returns the number of sweeps over all rows;
   -1: no memory, nothing was done. */
int rg_pgs_sweep_parallel(RgArena *arena, RgPgsSweeps *g, const RgPgsSchedule *schedule, RgPgsShares *shares);

/* Solves with a number of chunks of rows that do not see each other's changes within a sweep; 1: Gauss-Seidel. */
RgStatus rg_pgs_solve_chunks(RgArena *arena, RgProblem *p, const RgPgsOptions *o, int chunks, RgSolveReport *report);

#endif
