/*
 * batch_bench.h - many rollouts of one scene from slightly different starts: by a batch of ours, and by another engine
 * whose threads have a state each over one model.
 *
 * Run r begins at the scene's start with a velocity of body 0 of at most START_SPEED along each axis, and goes on for
 * so many steps under the scene's drives. Runs come in pieces, and every piece is made by one thread and right after
 * that by several, so that whatever else slows the machine slows both. Time is that of the wall clock, setting of the
 * starts included, making of models not. Errors are those of the scene at the end, worst over all runs.
 */
#ifndef BENCH_BATCH_H
#define BENCH_BATCH_H

#include "engine.h"

#include <stdint.h>

#define BATCH_SCENE "S5"
#define START_SPEED 0.02 /* m/s */

#define BATCH_PIECES 64 /* at most */

typedef struct BatchPlan {
    int pieces, piece; /* how many, and runs in each */
    int steps;
    int threads; /* beside one */
} BatchPlan;

/* Index 0: by one thread; 1: by several. */
typedef struct BatchAnswer {
    bool done;
    char title[48];
    double seconds[2][BATCH_PIECES]; /* by the wall clock */
    double cpu[2];                   /* s of processor time, of all threads */
    double error[SCENE_ERRORS];
    int failed;       /* runs */
    uint64_t hash[2]; /* of the states of all runs; 0: not known */
} BatchAnswer;

/* Velocity of body 0 that a run begins with. */
RgVec3 batch_start(int run);

/* Takes the larger of each error; NaN counts as the largest. */
void batch_worst(double worst[SCENE_ERRORS], const double error[SCENE_ERRORS]);

/* How ours are measured: the same runs in one call, in a call a step, or in one call each of several processes with one
   thread, which share nothing: what these gain is all that threads could. */
typedef enum BatchSort { BATCH_ONE_CALL, BATCH_CALL_A_STEP, BATCH_PROCESSES } BatchSort;
typedef struct BatchWay {
    const char *title, *coords, *solver;
    BatchSort sort;
    int part; /* of the runs, one in so many: slow ones */
} BatchWay;
extern const BatchWay batch_ways[]; /* no title: the end */

/* Both in the process that calls them, which may make others. */
void batch_run_rigor(const BatchWay *way, const BatchPlan *plan, BatchAnswer *answer);
void batch_run_peer(const PeerRollouts *peer, const BatchPlan *plan, BatchAnswer *answer);

#endif
