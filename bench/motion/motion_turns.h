/*
 * motion_turns.h - engines that run one scene in turns, each in a child process of its own.
 *
 * Every child has a world; the engines make parts of their runs (turns) alternately, so that other load on the machine
 * affects all alike. Runs are repeated, and of every turn the least processor time counts, since all runs of an engine
 * are the same.
 */
#ifndef BENCH_MOTION_TURNS_H
#define BENCH_MOTION_TURNS_H

#include "engine.h"
#include "motion_measure.h"

#include <sys/types.h>

#define MOTION_TURNS 8 /* of a run */

typedef enum RunnerState { RUNNER_READY, RUNNER_LACKS, RUNNER_FAILED } RunnerState;

typedef struct Runner {
    const char *module, *engine; /* path, NULL: Rigor's own; id */
    PeerOptions options;
    RunnerState state;
    char text[120]; /* unsupported feature, or reason of the end */
    pid_t child;
    int to, from;
    int turns;                 /* whole turns that were measured; fewer than all: stopped by the budget */
    double best[MOTION_TURNS]; /* s of processor time */
    double spent;              /* s, of all runs */
    int part_steps;            /* of the first turn, where the budget ended within it */
    double part;               /* s that they took */
    MotionErrors errors;
} Runner;

typedef struct TurnPlan {
    int steps;   /* of a run */
    int repeats; /* runs of an engine, as far as the budget reaches; 1 at least */
    /* s of processor time of an engine for all its runs; a run is stopped after so many, the errors are gathered over
       as many again */
    double budget;
} TurnPlan;

/* Steps at which a turn ends. */
int turn_end(const TurnPlan *plan, int turn);

/* Makes children, runs all engines in turns, gathers the errors, ends the children. Fills in runners. */
void run_in_turns(Runner *runners, int count, const SceneData *scene, const TurnPlan *plan);

#endif
