/*
 * quick_island.h - state of one island during its solve, shared by the sweeps (solver_quick.c) and the termination
 * criteria (quick_finish.c).
 */
#ifndef RIGOR_QUICK_ISLAND_H
#define RIGOR_QUICK_ISLAND_H

#include "solver/quick/quick_work.h"

/* Sweeps before the first Newton step on sticking contacts; sweeps after a step in which the energy must have
   fallen. */
#define RG_QUICK_NEWTON_FIRST 2
#define RG_QUICK_NEWTON_TRIAL 3

/* Constants of the solve of one island. */
typedef struct RgQuickIslandSolve {
    const RgQuick *q;
    int32_t island;
    RgThreadPool *thread_pool; /* thread pool; NULL: single-threaded */
    bool bound_rows;           /* some rows are bounded by the normal impulses of patches */
    bool driven;               /* a driven articulation is part of it */
    int max_sweeps;
    bool exact; /* must converge to the tolerance (quick_finish.c) */
} RgQuickIslandSolve;

/* Sums of a sweep over an island. change2: |z - z_previous|^2; size2: |z|^2; along: (change of z in the visit) . (z -
   z_previous), negative if momentum should restart; moved2, total2, slides2: |dy|^2, |y - y_free|^2 and |y|^2 of the
   velocities at patches and rows. */
typedef struct RgQuickSums {
    double change2, size2, along, moved2, total2, slides2;
} RgQuickSums;

typedef enum RgQuickTristate { RG_UNKNOWN, RG_YES, RG_NO } RgQuickTristate;

/* Progress of the solve of an island. */
typedef struct RgQuickProgress {
    int n;             /* sweeps made */
    int newton_sweeps; /* sweeps charged to the budget for Newton steps (quick_budget.c) */
    double theta;
    double first2;                     /* change2 of the first sweep */
    double least2;                     /* smallest change2 since momentum was restarted */
    double moved2;                     /* largest moved2 of any sweep */
    bool sweeps_only;                  /* only plain sweeps from here on: acceleration has increased the error */
    bool use_levels;                   /* the correction of levels is useful, as last prepared */
    int trial_sweeps;                  /* sweeps since a Newton step whose benefit is not yet established; 0: none */
    bool newton_failed, newton_done;   /* a Newton step was rejected; one was made */
    RgQuickTristate newton_applicable; /* whether Newton's method on sticking contacts applies */
    int primal_calls;                  /* calls of Newton's method over velocities (quick_primal.c) */
    int next_primal;                   /* sweep before the next such call; 0: none */
    bool cold_start; /* exact, and without initial impulses: Newton's method over velocities precedes the first sweep */
    double stiffness;
    RgQuickSums sums; /* sums before the Newton step */
    double energy;    /* energy before the Newton step */
} RgQuickProgress;

/* Whether most patches stick, and Newton's method on sticking contacts applies. */
bool rg_quick_is_mostly_sticking(const RgQuickIslandSolve *t, RgQuickProgress *progress);

/* Convergence check after a sweep. */
bool rg_quick_is_converged(const RgQuickIslandSolve *t, RgQuickProgress *progress, const RgQuickSums *sums);

/* Squared velocity change at which a patch or island with these sums counts as converged. */
double rg_quick_allowed2(const RgQuickIslandSolve *t, double slides2, double total2);

/* Decides whether the island must converge to the tolerance, and when Newton's method over velocities is first
   called. */
void rg_quick_plan_finish(RgQuickIslandSolve *t, RgQuickProgress *progress);

/* may_continue: whether sweeps or calls are left; primal_is_due: whether Newton's method over velocities comes next. */
bool rg_quick_may_continue(const RgQuickIslandSolve *t, const RgQuickProgress *progress);
bool rg_quick_primal_is_due(const RgQuickProgress *progress);

typedef enum RgQuickFinish {
    RG_FINISH_NO_ROOT,  /* no root was found, nothing was changed */
    RG_FINISH_ROOT,     /* impulses are those of a root; velocities are not updated */
    RG_FINISH_CONVERGED /* the same, and the island has converged */
} RgQuickFinish;

/* Newton's method over the velocities of the island (quick_primal.c). *residual: as after a sweep; set if a root is
   found. */
RgQuickFinish rg_quick_finish(const RgQuickIslandSolve *t, RgQuickProgress *progress, double *residual);

#endif
