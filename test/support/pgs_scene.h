/* pgs_scene.h - a scene of bench/scenes run with a solver of rows, and what came of it. */
#ifndef TEST_SUPPORT_PGS_SCENE_H
#define TEST_SUPPORT_PGS_SCENE_H

#include "scene_data.h"

#include <rigor/rigor.h>

typedef struct PgsScene {
    const char *name, *coords, *solver;
    const RgPgsOptions *options;
    int steps;   /* 0: as many as the scene has */
    int threads; /* 0: one */
    const RgContactLaw *law;
} PgsScene;

typedef struct PgsOutcome {
    double error[3];  /* as the scene measures it */
    double sweeps;    /* a step, mean */
    double residual;  /* m/s, mean of the steps' largest */
    RgSolverWork sum; /* of all steps */
    uint64_t hash;    /* of the end */
} PgsOutcome;

/* Every step must succeed. */
PgsOutcome pgs_scene_run(const PgsScene *what);

#endif
