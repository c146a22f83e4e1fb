/*
 * pgs.h - solver `pgs`: projected Gauss-Seidel over single rows, with over-relaxation, in body-velocity form.
 */
#ifndef RIGOR_PGS_H
#define RIGOR_PGS_H

#include "solver/problem.h"

#include <rigor/solver.h>

typedef struct RgPgsReport {
    int iterations; /* sweeps made */
    bool converged; /* ended by the tolerance */
    double change;  /* m/s: root of the mean square of the last sweep's changes */
    RgResidual residual;
    int not_in_sweeps; /* dampers too strong for damping_in_sweeps, taken as rows */
} RgPgsReport;

/* The arena is reset. RG_ERR_MEMORY: z and s are as they were. */
RgStatus rg_pgs_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options, RgPgsReport *report);

/* Row-parallel variant of paper 003: chunks of consecutive rows sweep beside each other, each blind to the
   others' changes until the sweep ends. */
RgStatus rg_pgs_jacobi_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options,
                             RgPgsReport *report);

#endif
