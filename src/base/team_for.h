/*
 * team_for.h - many independent jobs on all processors by OpenMP: whole runs, each of many steps.
 *
 * Beside parallel_for.h, whose crews share the parts of one step: a crew is handed a job in a few hundred nanoseconds
 * and belongs to one world; OpenMP's threads take microseconds, and there is one pool of them for all batches of a
 * program.
 */
#ifndef RIGOR_TEAM_FOR_H
#define RIGOR_TEAM_FOR_H

#include <rigor/base.h>

/* Threads that would be used where so many are wanted; 0: as many as OpenMP takes by itself (OMP_NUM_THREADS, else the
   processors there are). 1 in a library that was built without OpenMP. */
int rg_team_threads(int wanted);

/* One job. 0 <= thread < the threads asked for: a number for memory of its own, which no other job has at the same
   time. */
typedef void RgJobFn(void *context, int32_t job, int thread);

/* Jobs 0 ... count - 1, by at most so many threads; each takes the next job that nobody has taken yet. What a job
   computes must not depend on its thread or on other jobs: then it has the same bits for any number of them. */
void rg_team_for(int32_t count, int threads, RgJobFn *work, void *context);

#endif
