/*
 * pgs.h - solver `pgs`: projected Gauss-Seidel over single rows, with over-relaxation, in body-velocity form.
 */
#ifndef RIGOR_PGS_H
#define RIGOR_PGS_H

#include "solver/solve_report.h"

/* The arena is reset. RG_ERR_MEMORY: z and s are as they were. */
RgStatus rg_pgs_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options, RgSolveReport *report);

/* Row-parallel variant of paper 003: chunks of consecutive rows sweep beside each other, each blind to the
   others' changes until the sweep ends. */
RgStatus rg_pgs_jacobi_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options, RgSolveReport *report);

#endif
