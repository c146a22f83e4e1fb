/*
 * quick.h - solver `quick`: block Gauss-Seidel over patches and rows, accelerated, island by island.
 */
#ifndef RIGOR_QUICK_H
#define RIGOR_QUICK_H

#include "solver/patch_problem.h"

typedef struct RgQuickOptions {
    int max_sweeps;   /* default 200 */
    double tolerance; /* an island rests when a sweep changes its impulses by less than this part of them; default
                         1e-5. 0: all sweeps are made */
    bool accelerate;  /* conjugate gradients between sweeps; default true */
    bool plain;       /* kernels in plain numbers: the same bits, for comparison */
} RgQuickOptions;

static inline RgQuickOptions rg_quick_options_default(void)
{
    return (RgQuickOptions){.max_sweeps = 200, .tolerance = 1e-5, .accelerate = true};
}

typedef struct RgQuickReport {
    int islands;
    int sweeps;      /* most of any island */
    int unfinished;  /* islands that ended on max_sweeps */
    double residual; /* largest change of an island's impulses in its last sweep, as a part of them */
} RgQuickReport;

/* Memory of the solver is the arena's, which is reset. RG_ERR_MEMORY: none left; V and z are as they were. */
RgStatus rg_quick_solve(RgArena *arena, RgPatchProblem *problem, const RgQuickOptions *options,
                        RgQuickReport *report);

#endif
