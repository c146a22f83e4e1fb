/*
 * attainable_targets.h - targets without bounds that contradict joints, contacts or each other: the nearest that can be
 * met.
 *
 * Rows marked in RgProblem.asks are asked for, not enforced: they are below all others.
 */
#ifndef RIGOR_ATTAINABLE_TARGETS_H
#define RIGOR_ATTAINABLE_TARGETS_H

#include "solver/solve_report.h"

typedef struct RgTargetsReport {
    bool contradict; /* some island's targets cannot be met; they were replaced */
    bool proven;     /* for each of these there is a proof (attainable_targets.c) */
    int islands;     /* in which they cannot */
    bool jammed;     /* friction held targets that could be met without it */
    int solves;      /* programs that were solved */
    int pivots;
} RgTargetsReport;

/* Targets as they were asked for: to be put back. */
typedef struct RgTargetsHeld {
    double *target, *compliance; /* n; NULL: nothing was changed */
    double speed;                /* m/s at unit mass: what velocities and targets have */
} RgTargetsHeld;

/* False: no memory. */
bool rg_targets_hold(RgArena *arena, const RgProblem *problem, const double *s_free, RgTargetsHeld *held);
void rg_targets_put_back(RgProblem *problem, const RgTargetsHeld *held);

/* Whether the problem has targets that may be missed. */
bool rg_targets_any(const RgProblem *problem);

/* Whether the impulses z look as if targets could not be met: one has given way by its softness, or works HUGE. No
   matrix. */
bool rg_targets_suspected(const RgProblem *problem, double speed);
double rg_targets_speed(const RgProblem *problem, const double *s_free);

/* The same of one target: its row's response a and compliance C, impulse z; speed: m/s at unit mass. */
bool rg_target_suspected(double a, double C, double z, double speed);

/* From s = s_free: targets that cannot be met become the nearest that can, with a little compliance; problem->conflict
   takes the share of each row in the contradiction. s is s_free again at the end; z is not touched. False: no memory.
   The arena is not reset. */
bool rg_targets_replace(RgArena *arena, RgProblem *problem, const RgTargetsHeld *held, RgTargetsReport *report);

/* Where friction holds what could be met without it: targets give way like springs; then what they have come to, at s,
   is asked for. Rows that have given way are marked in conflict. */
void rg_targets_soften(RgProblem *problem, const RgTargetsHeld *held);
void rg_targets_settle(RgProblem *problem, const RgTargetsHeld *held);

#endif
