/* solve_report.h - what every solver of an RgProblem says of its work, and all options that one may look at. */
#ifndef RIGOR_SOLVE_REPORT_H
#define RIGOR_SOLVE_REPORT_H

#include "solver/problem.h"

#include <rigor/solver.h>

/* Of sweeps, of solvers that work to a residual, and of quick (all zero: its defaults). The law is in the rows. */
typedef struct RgRowOptions {
    RgPgsOptions pgs;
    RgExactOptions exact;
    RgQuickOptions quick;
} RgRowOptions;

typedef struct RgSolveReport {
    int iterations;         /* sweeps, pivots or steps of Newton's method: what the solver counts */
    bool converged;         /* ended by the tolerance */
    RgSolveOutcome outcome; /* of exact solvers; with pgs RG_SOLVE_SOLVED or RG_SOLVE_ITERATIONS */
    double change;          /* m/s: root of the mean square of the last sweep's changes; exact solvers: 0 */
    RgResidual residual;
    double own; /* m/s: residual of the problem that a solver took for the rows (pyramids, no slip); 0: the rows */
    const struct RgSolver *by; /* whose answer it is; NULL: of the one that was asked */
    int islands;               /* parts that were solved apart; 0: it does not go by them */
    int falls;                 /* further tries that it took (ladder.h) */
    int others;         /* contact points that another answer moves otherwise (second_answer.h); 0: none was found */
    int guarded;        /* islands whose impulses were scaled back: they added energy (energy_guard.h) */
    double excess;      /* J: which they would have added */
    int indeterminate;  /* islands whose forces the motion leaves open (least_norm.h): they have the least norm, */
    int as_solved;      /* but for so many of them, where it was not reached */
    int contradictions; /* islands whose targets could not be met: the nearest were taken (attainable_targets.h) */
    bool proven;        /* with a proof for each of these */
    int not_in_sweeps;  /* dampers too strong for damping_in_sweeps, taken as rows */
    /* pgs: part of a sweep's row visits that the busiest thread makes, and part that must follow each other, whatever
       the threads. 0: not counted. */
    double share, path;
} RgSolveReport;

#endif
