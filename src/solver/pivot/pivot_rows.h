/*
 * pivot_rows.h - shared by the pivoting solvers of rows: islands, and conversion of rows to a dense problem and back.
 */
#ifndef RIGOR_PIVOT_ROWS_H
#define RIGOR_PIVOT_ROWS_H

#include "solver/row_islands.h"
#include "solver/solve_report.h"
#include "solver/solver_table.h"

/* Report of the solve of one island. */
typedef struct RgIslandReport {
    RgSolveOutcome outcome;
    int pivots;
    double own; /* residual (natural map) of the dense problem that was solved */
} RgIslandReport;

/* Solves the rows of one island (ascending; NULL: all) from p->s and stores their z in p->z. Must not change p->s. */
typedef RgStatus RgIslandSolve(RgArena *arena, RgProblem *p, const int *rows, int n, const RgExactOptions *options,
                               RgIslandReport *report);

/* For an island that is not solved: projects the initial guess onto its bounds. */
void rg_pivot_project_guess(RgProblem *p, const int *rows, int n);

/* Solves an island's dense problem by principal pivoting (dantzig.h) and stores its solution in p->z. */
RgStatus rg_pivot_by_dantzig(RgArena *arena, RgDenseLcp *lcp, RgProblem *p, const int *rows,
                             const RgExactOptions *options, RgIslandReport *report);

/* Solves every island, then sets s = s* + J'z and the residual. The worst outcome of an island is the outcome. The
   arena is reset. */
RgStatus rg_pivot_islands(RgArena *arena, RgProblem *p, const RgRowOptions *options, RgIslandSolve *solve,
                          RgSolveReport *report);

#endif
