/* die_paper.h - a cube over a half-space by the step rule of paper 001 as its archived program has it, for one free
   body. */
#ifndef EXPERIMENT_DIE_PAPER_H
#define EXPERIMENT_DIE_PAPER_H

#include "experiment.h"

#include "located_run.h"

#define DIE_CORNERS 8

typedef struct DieState {
    RgPose X;    /* of the cube of side 1 m and 1 kg */
    RgVec3 w, v; /* world axes */
} DieState;

typedef struct DieRule {
    double gap;   /* nearer than this is touching, m */
    double h_min; /* of steps in which a corner leaves, s */
    double h_max; /* s; steps end at multiples of it */
    double time;  /* s at most */
    double rest;  /* J: below it for half a second is rest */
} DieRule;

/* Results. Changes: the number of touching corners differs from that of the last step with contact. */
typedef struct DieRun {
    int64_t steps;
    LocatedChanges changes;
    double rest;           /* s at which it began to rest; NaN: never */
    double end;            /* s of the steps that are counted: until it rests */
    double least_distance; /* m, at the ends of steps */
    DieState state;
} DieRun;

/* After every step: length h, to time t. */
typedef void DieLookFn(double t, double h, double distance, const DieState *state, void *context);

DieRun die_by_paper(const DieState *start, double ground, const DieRule *rule, DieLookFn *look, void *context);

#endif
