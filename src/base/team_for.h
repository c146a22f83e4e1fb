/*
 * team_for.h - many independent jobs on all processors by OpenMP: whole runs, each of many steps.
 *
 * For the parts of one step see parallel_for.h: a thread pool takes a few hundred nanoseconds per job and belongs to
 * one world. OpenMP takes microseconds per job; its threads are shared by all batches of a program.
 */
#ifndef RIGOR_TEAM_FOR_H
#define RIGOR_TEAM_FOR_H

#include <rigor/base.h>

/* Number of threads for a request of `wanted`; 0: the default of OpenMP (OMP_NUM_THREADS, else all processors). 1 if
   the library was built without OpenMP. */
int rg_team_threads(int wanted);

/* One job. thread: 0 ... number of threads - 1, selects scratch memory that no other job uses at the same time. */
typedef void RgJobFn(void *context, int32_t job, int thread);

/* Runs jobs 0 ... count - 1 on at most `threads` threads with dynamic scheduling. If the result of a job does not
   depend on its thread or on other jobs, results have the same bits for any number of threads. */
void rg_team_for(int32_t count, int threads, RgJobFn *work, void *context);

#endif
