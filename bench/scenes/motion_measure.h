/*
 * motion_measure.h - errors of a run of a scene in motion, from body states and joint coordinates alone, so that all
 * engines are measured by the same code.
 */
#ifndef BENCH_MOTION_MEASURE_H
#define BENCH_MOTION_MEASURE_H

#include "scene_data.h"

typedef struct MotionErrors {
    /* mm: overlap in the last quarter of the run: mean over the points, largest; NaN: the run ended before */
    double late_mean, late_max;
    double worst;     /* mm: largest overlap of the whole run */
    double gain;      /* J: largest rise of E - W over its smallest value so far */
    double joint_gap; /* mm: largest distance of the two sides of a joint, of all samples */
    double drift;     /* mm: measure tower: largest sideways way of a body before the projectile hits; else -1 */
    int fallen;       /* measure domino: bodies that lean by more than 30 degrees at the end; else -1 */
    int lost;         /* bodies below the floor, beyond the walls or at no finite place at the end */
    int steps;        /* measured */
    uint64_t hash;    /* of all poses at the end */
} MotionErrors;

typedef struct MotionMeasure MotionMeasure;

/* steps: of the run. NULL: the scene cannot be made. The scene must outlive it. */
MotionMeasure *motion_measure_begin(const SceneData *scene, int steps);

/* Before the first step, and after every step. states: nbodies; q, rates: njoints, NULL where the engine has none. */
void motion_measure_step(MotionMeasure *m, const SceneBodyState *states, const double *q, const double *rates);

/* Ends it. */
MotionErrors motion_measure_end(MotionMeasure *m);

#endif
