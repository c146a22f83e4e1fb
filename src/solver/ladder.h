/*
 * ladder.h - what a step does when an exact solver fails: the solver that was asked for, the same with softer rows,
 * `cone`, `lemke`, `quick`, `pgs`. What rows miss least is kept, and adds no energy (energy_guard.h), whichever solver
 * gave it.
 */
#ifndef RIGOR_LADDER_H
#define RIGOR_LADDER_H

#include "solver/solver_table.h"

/* memory: for what must be tried again; is reset. arena: of the solvers. RG_ERR_MEMORY: z and s are as they were, or as
   the last fallback left them. */
RgStatus rg_ladder_solve(RgArena *memory, RgArena *arena, const RgSolver *asked, RgProblem *problem,
                         const RgRowOptions *options, RgSolveReport *report);

#endif
