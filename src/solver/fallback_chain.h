/* fallback_chain.h - the fallback chain of exact solvers: the requested solver, the same with compliant rows, `cone`, `lemke`,
   `quick`, `pgs`. The solution with the smallest residual is kept. The energy guard (energy_guard.h) is applied to the
   solution of every solver. */
#ifndef RIGOR_FALLBACK_CHAIN_H
#define RIGOR_FALLBACK_CHAIN_H

#include "solver/solver_table.h"

/* memory: for the data of a retry; is reset. arena: for the solvers. RG_ERR_MEMORY: z and s are unchanged, or as the
   last fallback left them. */
RgStatus rg_fallback_chain_solve(RgArena *memory, RgArena *arena, const RgSolver *asked, RgProblem *problem,
                                 const RgRowOptions *options, RgSolveReport *report);

#endif
