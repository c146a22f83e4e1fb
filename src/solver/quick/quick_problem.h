/* quick_problem.h - conversion of a problem of rows to one of patches (solver `quick`). */
#ifndef RIGOR_QUICK_PROBLEM_H
#define RIGOR_QUICK_PROBLEM_H

#include "solver/solve_report.h"

/* What in a problem of rows solver `quick` does not support, in words that follow "takes no"; NULL: supported. The
   arena is reset. */
const char *rg_quick_rows_refuse(RgArena *arena, const RgProblem *problem);

/* The arena is reset. On RG_ERR_MEMORY and RG_ERR_UNSUPPORTED (rg_quick_rows_refuse) z and s are unchanged. */
RgStatus rg_quick_rows_solve(RgArena *arena, RgProblem *problem, const RgRowOptions *options, RgSolveReport *report);

#endif
