/* solve_report.h - the report of a solver of an RgProblem, and the options of all solvers. */
#ifndef RIGOR_SOLVE_REPORT_H
#define RIGOR_SOLVE_REPORT_H

#include "solver/problem.h"

#include <rigor/solver.h>

/* Options of pgs, of the exact solvers and of quick (all zero: its defaults). The contact law is part of the rows. */
typedef struct RgRowOptions {
    RgPgsOptions pgs;
    RgExactOptions exact;
    RgQuickOptions quick;
} RgRowOptions;

typedef struct RgSolveReport {
    int iterations;         /* sweeps, pivots or Newton steps, depending on the solver */
    bool converged;         /* terminated by the tolerance */
    RgSolveOutcome outcome; /* result of an exact solver; with pgs RG_SOLVE_SOLVED or RG_SOLVE_ITERATIONS */
    double change;          /* m/s: root mean square of the changes in the last sweep; exact solvers: 0 */
    RgResidual residual;
    /* m/s: residual of the problem that a solver substituted for the rows (pyramids, no slip); 0: the rows
       themselves */
    double own;
    const struct RgSolver *by; /* solver that found the solution; NULL: the requested one */
    int islands;               /* islands that were solved separately; 0: the solver does not use islands */
    int fallbacks;             /* fallbacks that were tried (fallback_chain.h) */
    int others;  /* contact points whose velocities differ in a second solution (second_answer.h); 0: none was found */
    int guarded; /* islands whose impulses were scaled back because they added energy (energy_guard.h) */
    double excess; /* J: energy that these would have added */
    /* islands whose forces the motion does not determine (least_norm.h): they are those of least norm */
    int indeterminate;
    int as_solved; /* of these, islands where the least norm was not reached */
    /* islands with unattainable targets, which were replaced by the nearest (attainable_targets.h) */
    int contradictions;
    bool proven;       /* each contradiction has a proof */
    int not_in_sweeps; /* dampers too strong for damping_in_sweeps, treated as rows */
    /* pgs: share of a sweep's row visits made by the busiest thread, and share on the critical path, for any number of
       threads. 0: not counted. */
    double share, path;
} RgSolveReport;

#endif
