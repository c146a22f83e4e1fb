/*
 * quick.h - solver `quick`: block Gauss-Seidel over patches and rows, accelerated, island by island.
 */
#ifndef RIGOR_QUICK_H
#define RIGOR_QUICK_H

#include "solver/patch_problem.h"
#include "solver/solve_report.h"

typedef struct RgQuickReport {
    int islands;
    int sweeps; /* largest number of sweeps of any island */
    /* islands that did not reach their tolerance (sweeps or budget exhausted), or were scaled back by the energy
       guard */
    int unfinished;
    int guarded;      /* islands whose impulses were scaled back because they added energy (energy_guard.h) */
    int unattainable; /* of these, islands with positive targets out of reach; their patches are marked */
    double residual;  /* largest relative change of an island's impulses in its last sweep */

    /* Largest entries of the natural-map residual (quick_residual.c) over unfinished islands; else 0. */
    double residual_impulse;  /* N s */
    double residual_velocity; /* m/s */
} RgQuickReport;

/* Memory of the solver. The layout, which depends only on the contact graph, is kept for the next problem. */
typedef struct RgQuickMemory {
    RgArena arena;
    RgArena work;               /* scratch of one problem */
    struct RgQuickCache *cache; /* layout in arena; NULL: none */
} RgQuickMemory;

void rg_quick_memory_init(RgQuickMemory *memory, const RgAllocator *allocator);
void rg_quick_memory_free(RgQuickMemory *memory);

/* RG_ERR_MEMORY: no memory; V and z are unchanged. */
RgStatus rg_quick_solve(RgQuickMemory *memory, RgPatchProblem *problem, const RgQuickOptions *options,
                        RgQuickReport *report);

/* The same without a cached layout: everything is allocated from the arena, which is not reset. */
RgStatus rg_quick_solve_once(RgArena *arena, RgPatchProblem *problem, const RgQuickOptions *options,
                             RgQuickReport *report);

/* Replaces the impulses of a solved problem by those of least norm (cone/least_norm.h). Both arenas are reset.
   RG_ERR_UNSUPPORTED: it has torsional or rolling friction; RG_ERR_MEMORY: no memory; in both cases nothing is
   changed. */
RgStatus rg_quick_least_norm(RgArena *arena, RgArena *work, RgPatchProblem *problem, double tolerance,
                             RgSolveReport *report);

#endif
