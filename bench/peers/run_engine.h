/* run_engine.h - one engine on one scene, in a child process: speed, errors, hash. */
#ifndef BENCH_PEERS_RUN_ENGINE_H
#define BENCH_PEERS_RUN_ENGINE_H

#include "engine.h"

/* How long to measure. */
typedef struct RunPlan {
    PeerOptions options;
    int repeats;   /* timed runs */
    int max_steps; /* 0: all of the scene */
    double budget; /* s of processor time for all timed runs; a single run is stopped after twice as many */
} RunPlan;

typedef enum RunState { RUN_DONE, RUN_LACKS, RUN_FAILED, RUN_CRASHED } RunState;

typedef struct RunResult {
    RunState state;
    char text[160];         /* what it lacks, or how it ended */
    double wall, wall_best; /* steps/s of wall clock: median and best of the timed runs */
    double cpu, cpu_best;   /* of the processor time of the process */
    int steps;              /* of a timed run; fewer than the scene's: stopped */
    double error[SCENE_ERRORS];
    int error_steps;
    uint64_t hash; /* of all poses at the end */
} RunResult;

/* engine: number in the module's list. module: path; NULL: Rigor's own. */
RunResult run_engine(const char *module, int engine, const char *scene, const RunPlan *plan);

typedef struct EngineInfo {
    char id[32], title[48], version[48], setting[200];
} EngineInfo;

/* Asks a module, in a child process too, what it holds; returns how many, -1: it cannot be loaded. */
int list_engines(const char *module, EngineInfo *out, int capacity);

#endif
