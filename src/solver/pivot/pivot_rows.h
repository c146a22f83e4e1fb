/* pivot_rows.h - what the pivoting solvers of rows share: island by island, from rows to a dense problem and back. */
#ifndef RIGOR_PIVOT_ROWS_H
#define RIGOR_PIVOT_ROWS_H

#include "solver/row_islands.h"
#include "solver/solve_report.h"
#include "solver/solver_table.h"

/* What an island's solve says. */
typedef struct RgIslandReport {
    RgSolveOutcome outcome;
    int pivots;
    double own; /* natural map of the problem that was solved */
} RgIslandReport;

/* Solves the rows of one island (ascending; NULL: all) from p->s and leaves their z in p->z. Must not touch p->s. */
typedef RgStatus RgIslandSolve(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *options,
                               RgIslandReport *report);

/* An island that is not solved: the first guess, within its bounds. */
void rg_pivot_keep_guess(RgProblem *p, const int *rows, int n);

/* An island's dense problem by principal pivoting (dantzig.h), its answer into p->z. */
RgStatus rg_pivot_by_dantzig(RgArena *arena, RgDenseLcp *lcp, RgProblem *p, const int *rows,
                             const RgExactOptions *options, RgIslandReport *report);

/* Every island, then s = s* + J'z, and the judge. The worst outcome is that of the whole. The arena is reset. */
RgStatus rg_pivot_islands(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgIslandSolve *solve,
                          RgSolveReport *report);

#endif
