/*
 * pgs_sweeps.h - sweeps of solver `pgs` over a problem in lanes: by one thread (solver_pgs.c) or by several
 * (pgs_parallel.c), with the same bits.
 */
#ifndef RIGOR_PGS_SWEEPS_H
#define RIGOR_PGS_SWEEPS_H

#include "solver/pgs/pgs_lanes.h"

#include <string.h>

/* What a stage visits of a group of rows. */
typedef enum RgPgsAct {
    RG_PGS_ACT_ROWS,     /* what is not friction */
    RG_PGS_ACT_FRICTION, /* friction; a stage before has visited the rows */
    RG_PGS_ACT_BOTH      /* both, contact by contact */
} RgPgsAct;

/* Sweeps over the same stages: one that brings the first guess into the velocities, then those over all, then those
   over friction alone. */
typedef enum RgPgsPhase { RG_PGS_PHASE_BEGIN, RG_PGS_PHASE_ALL, RG_PGS_PHASE_FRICTION } RgPgsPhase;

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
    double general_sum[RG_PGS_GROUPS +
                       1]; /* squares of the present sweep's changes of rows that are not packed, by list */
} RgPgsSweeps;

typedef struct RgPgsCourse {
    const RgPgsStage *stages;
    int nstages;
} RgPgsCourse;

/* Whether a stage does something with the rows that are not packed. */
bool rg_pgs_has_generals(const RgPgsPacked *packed, const RgPgsStage *stage);
void rg_pgs_visit_generals(RgPgsSweeps *g, const RgPgsStage *stage, RgPgsPhase phase);

/* Cells first ... end - 1 of those that several chunks share (pgs_jacobi.c). */
void rg_pgs_average(RgPgsCells *cells, double *V, int32_t first, int32_t end);

/* Root of the mean square of the last sweep's changes; sweeps over friction alone leave it. The same for any number of
   lists. */
double rg_pgs_change(RgPgsSweeps *g);

static inline void rg_pgs_visit(const RgPgsSweeps *g, const RgPgsStage *stage, RgPgsPhase phase, RgPgsLanes *lanes)
{
    double *V = g->packed.V;
    bool friction = stage->act != RG_PGS_ACT_ROWS && phase != RG_PGS_PHASE_BEGIN;
    if (phase == RG_PGS_PHASE_BEGIN && stage->act != RG_PGS_ACT_FRICTION)
        g->kernel->begin(lanes, V);
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

/* How the row visits of a sweep are shared. */
typedef struct RgPgsShares {
    double largest; /* part of the thread that makes most of them */
    /* part that lies one after the other, whatever the number of threads: 1 over what threads could gain */
    double path;
} RgPgsShares;

/* The whole solve by the threads of the problem's pool, where there are several lists. Returns the sweeps over all rows
   that were made; -1: no memory, and nothing was done. */
int rg_pgs_sweep_parallel(RgArena *arena, RgPgsSweeps *g, const RgPgsCourse *course, RgPgsShares *shares);

/* Solves with so many chunks of rows that are blind to each other within a sweep; 1: Gauss-Seidel. */
RgStatus rg_pgs_solve_chunks(RgArena *arena, RgProblem *p, const RgPgsOptions *o, int chunks, RgSolveReport *report);

#endif
