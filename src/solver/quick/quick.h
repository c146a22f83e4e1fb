/*
 * quick.h - solver `quick`: block Gauss-Seidel over patches and rows, accelerated, island by island.
 */
#ifndef RIGOR_QUICK_H
#define RIGOR_QUICK_H

#include "solver/patch_problem.h"
#include "solver/solve_report.h"

typedef struct RgQuickReport {
    int islands;
    int sweeps;      /* most of any island */
    int unfinished;  /* islands that ended above their tolerance, by sweeps or budget, or were guarded */
    int guarded;     /* islands whose impulses were scaled back: they added energy (energy_guard.h) */
    int overreached; /* islands, of these, because targets above 0 are out of reach: their patches are marked */
    double residual; /* largest change of an island's impulses in its last sweep, as a part of them */

    /* Islands that are unfinished: largest entries of the natural-map residual (quick_residual.c); else 0. */
    double residual_impulse;  /* N s */
    double residual_velocity; /* m/s */
} RgQuickReport;

/* Memory of the solver. What follows from who touches whom alone is kept for the next problem. */
typedef struct RgQuickMemory {
    RgArena arena;
    RgArena work;             /* of one problem */
    struct RgQuickKept *kept; /* in the arena; NULL: nothing */
} RgQuickMemory;

void rg_quick_memory_init(RgQuickMemory *memory, const RgAllocator *allocator);
void rg_quick_memory_free(RgQuickMemory *memory);

/* RG_ERR_MEMORY: none left; V and z are as they were. */
RgStatus rg_quick_solve(RgQuickMemory *memory, RgPatchProblem *problem, const RgQuickOptions *options,
                        RgQuickReport *report);

/* The same, once: everything is taken from the arena, which is not reset, and nothing is kept. */
RgStatus rg_quick_solve_once(RgArena *arena, RgPatchProblem *problem, const RgQuickOptions *options,
                             RgQuickReport *report);

/* A solved problem: its impulses become those of least norm (cone/least_norm.h). Both arenas are reset.
   RG_ERR_UNSUPPORTED: it has torsion or rolling friction, RG_ERR_MEMORY: none; nothing was changed. */
RgStatus rg_quick_least_norm(RgArena *arena, RgArena *work, RgPatchProblem *problem, double tolerance,
                             RgSolveReport *report);

#endif
