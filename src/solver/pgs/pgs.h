/* pgs.h - solver `pgs`: projected Gauss-Seidel over single rows, with over-relaxation, in body-velocity form. */
#ifndef RIGOR_PGS_H
#define RIGOR_PGS_H

#include "solver/solve_report.h"

/* The arena is reset. RG_ERR_MEMORY: z and s are unchanged. */
RgStatus rg_pgs_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options, RgSolveReport *report);

/* Row-parallel variant of paper 003: chunks of consecutive rows are swept in parallel; a chunk sees the changes of the
   others only when the sweep ends. */
RgStatus rg_pgs_jacobi_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options, RgSolveReport *report);

#endif
