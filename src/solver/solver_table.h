/* solver_table.h - the table of solvers for contacts, joints and limits. */
#ifndef RIGOR_SOLVER_TABLE_H
#define RIGOR_SOLVER_TABLE_H

#include "solver/cone/cone_blocks.h"
#include "solver/pgs/pgs.h"
#include "solver/pivot/dense_lcp.h"
#include "solver/quick/quick.h"

typedef struct RgSolver {
    const char *name, *summary;
    /* Solves all rows, including joints and loops. */
    RgStatus (*solve_rows)(RgArena *arena, RgProblem *problem, const RgRowOptions *options, RgSolveReport *report);
    /* Solves a dense linear complementarity problem with any matrix; NULL: rows only. */
    RgStatus (*solve_lcp)(RgArena *arena, RgDenseLcp *lcp, const RgRowOptions *options, RgSolveReport *report);
    /* Solves contacts over a matrix of blocks; NULL: rows only. */
    RgStatus (*solve_cones)(RgArena *arena, RgConeBlocks *cones, const RgRowOptions *options, RgSolveReport *report);
    /* Solves contact patches between bodies (patch_problem.h), with joints and loops eliminated; preferred over rows.
       NULL: rows only. */
    RgStatus (*solve_patches)(RgQuickMemory *memory, RgPatchProblem *problem, const RgQuickOptions *options,
                              RgQuickReport *report);
    /* What in a problem of rows is not supported, in words that follow "takes no"; NULL: supported. No function: all
       problems are. The arena is reset. */
    const char *(*refuses)(RgArena *arena, const RgProblem *problem);
    /* converges to a residual: uses RgRowOptions.exact, and is the start of the fallback chain (fallback_chain.h) */
    bool exact;
    bool least_norm; /* undetermined forces are afterwards replaced by those of least norm (least_norm.h) */
    bool boxes;      /* uses friction as pyramids of linked boxes: the default for its rows */
} RgSolver;

#define SOLVER_TABLE(X)                                                                                                \
    X(quick)                                                                                                           \
    X(cone)                                                                                                            \
    X(cone_convex) X(pgs) X(pgs_jacobi) X(dantzig) X(lemke) X(no_slip) X(viscous) X(max_dissipation) X(qp)

#define SOLVER_DECLARE(name) extern const RgSolver rg_solver_##name;
SOLVER_TABLE(SOLVER_DECLARE)
#undef SOLVER_DECLARE

const RgSolver *rg_solver_find(const char *name); /* NULL: not found */

#endif
