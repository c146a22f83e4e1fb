/* solver_table.h - the solvers of a step's contacts, joints and limits. */
#ifndef RIGOR_SOLVER_TABLE_H
#define RIGOR_SOLVER_TABLE_H

#include "solver/cone/cone_blocks.h"
#include "solver/pgs/pgs.h"
#include "solver/pivot/dense_lcp.h"
#include "solver/quick/quick.h"

typedef struct RgSolver {
    const char *name, *summary;
    /* Takes all rows, those of joints and loops too. */
    RgStatus (*solve_rows)(RgArena *arena, RgProblem *problem, const RgRowOptions *options, RgSolveReport *report);
    /* Takes linear complementarity problems as they are, whatever their matrix; NULL: only as rows. */
    RgStatus (*solve_lcp)(RgArena *arena, RgDenseLcp *lcp, const RgRowOptions *options, RgSolveReport *report);
    /* Takes contacts over a matrix of blocks as they are; NULL: only as rows. */
    RgStatus (*solve_cones)(RgArena *arena, RgConeBlocks *cones, const RgRowOptions *options, RgSolveReport *report);
    /* Takes contact patches between movers (patch_problem.h), with joints and loops eliminated, and is better given
       these; NULL: only as rows. */
    RgStatus (*solve_patches)(RgQuickMemory *memory, RgPatchProblem *problem, const RgQuickOptions *options,
                              RgQuickReport *report);
    /* Why it does not take a problem of rows; NULL: it does. No function: it takes all. The arena is reset. */
    const char *(*refuses)(RgArena *arena, const RgProblem *problem);
    bool exact; /* works to a residual: RgRowOptions.exact counts, and the fallback chain (ladder.h) begins below it */
    bool least_norm; /* forces that the motion leaves open become those of least norm afterwards (least_norm.h) */
    bool boxes;      /* takes friction as pyramids of linked boxes: rows are made so unless asked otherwise */
} RgSolver;

#define SOLVER_TABLE(X)                                                                                                \
    X(quick)                                                                                                           \
    X(cone)                                                                                                            \
    X(cone_convex) X(pgs) X(pgs_jacobi) X(dantzig) X(lemke) X(no_slip) X(viscous) X(max_dissipation) X(qp)

#define SOLVER_DECLARE(name) extern const RgSolver rg_solver_##name;
SOLVER_TABLE(SOLVER_DECLARE)
#undef SOLVER_DECLARE

const RgSolver *rg_solver_find(const char *name); /* NULL: none */

#endif
