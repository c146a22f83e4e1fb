/*
 * attainable_targets.h - velocity targets with unlimited effort that contradict joints, contacts or each other are
 * replaced by the nearest attainable ones.
 *
 * Rows marked in RgProblem.asks have the lowest priority: all other rows are satisfied first.
 */
#ifndef RIGOR_ATTAINABLE_TARGETS_H
#define RIGOR_ATTAINABLE_TARGETS_H

#include "solver/solve_report.h"

typedef struct RgTargetsReport {
    bool contradict; /* targets of some island are unattainable and were replaced */
    bool proven;     /* each of these islands has a proof of infeasibility (attainable_targets.c) */
    int islands;     /* number of islands with unattainable targets */
    bool jammed;     /* friction prevents targets that would be attainable without it */
    int solves;      /* linear complementarity problems that were solved */
    int pivots;
} RgTargetsReport;

/* The original targets and compliances, saved so that they can be restored. */
typedef struct RgSavedTargets {
    double *target, *compliance; /* n; NULL: nothing was saved, nothing is restored */
    double *metric;              /* n: response of targets; after rg_targets_replace with joints and loops enforced */
    double speed;                /* m/s at unit mass: size of the free velocities and of the targets */
} RgSavedTargets;

/* False: no memory. */
bool rg_targets_save(RgArena *arena, const RgProblem *problem, const double *s_free, RgSavedTargets *held);
void rg_targets_restore(RgProblem *problem, const RgSavedTargets *held);

/* Whether the problem has rows marked in asks. */
bool rg_targets_any(const RgProblem *problem);

/* Whether the impulses z indicate that targets are unattainable: a target is missed through its compliance, or an
   impulse exceeds HUGE_IMPULSE (attainable_targets.c). Assembles no matrix. */
bool rg_targets_suspected(const RgProblem *problem, double speed);
double rg_targets_speed(const RgProblem *problem, const double *s_free);

/* The same for one target with response a, compliance C and impulse z; speed: m/s at unit mass. */
bool rg_target_suspected(double a, double C, double z, double speed);

/* With s = s_free on entry: replaces unattainable targets by the nearest attainable ones, with a small compliance, and
   writes the share of each row in the contradiction to problem->conflict. s is s_free again on return; z is not
   changed. False: no memory. The arena is not reset. */
bool rg_targets_replace(RgArena *arena, RgProblem *problem, const RgSavedTargets *held, RgTargetsReport *report);

/* For targets that friction prevents: rg_targets_soften gives them a spring-like compliance; after a solve,
   rg_targets_adopt_reached takes the velocities reached at s as the new targets and marks the
   missed rows in conflict. */
void rg_targets_soften(RgProblem *problem, const RgSavedTargets *held);
void rg_targets_adopt_reached(RgProblem *problem, const RgSavedTargets *held);

#endif
