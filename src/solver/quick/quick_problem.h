/* quick_problem.h - a problem of rows as one of patches (solver `quick`). */
#ifndef RIGOR_QUICK_PROBLEM_H
#define RIGOR_QUICK_PROBLEM_H

#include "solver/solve_report.h"

/* Why solver `quick` does not take a problem of rows; NULL: it does. The arena is reset. */
const char *rg_quick_rows_refuse(RgArena *arena, const RgProblem *problem);

/* The arena is reset. RG_ERR_MEMORY, RG_ERR_UNSUPPORTED (rg_quick_rows_refuse): z and s are as they were. */
RgStatus rg_quick_rows_solve(RgArena *arena, RgProblem *problem, const RgRowOptions *options, RgSolveReport *report);

#endif
