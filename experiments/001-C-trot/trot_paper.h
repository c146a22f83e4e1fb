/* trot_paper.h - a robot on feet of many corners by the step rule of paper 001, as its archived program has it. */
#ifndef EXPERIMENT_TROT_PAPER_H
#define EXPERIMENT_TROT_PAPER_H

#include "experiment.h"

#include "gait.h"
#include "located_run.h"

typedef struct TrotRule {
    double gap;   /* nearer than this is touching, m */
    double h_min; /* of steps in which a corner leaves, s */
    double h_max; /* s; steps end at multiples of it */
    double time;  /* s */
} TrotRule;

/* Results. A change: the numbers of touching corners of the feet differ from those of the last step with contact. */
typedef struct TrotRun {
    int64_t steps;
    double end;            /* s; before the time: it was given up, numbers are not finite */
    double least_distance; /* m, at the ends of steps */
    double height;         /* m, of the base at the end */
    int most;              /* corners that touched at once */
    int64_t unsolved;      /* impacts whose complementarity problem the pivoting did not solve; made by sweeps */
    LocatedChanges changes;
} TrotRun;

/* After every step: length h, to time t. */
typedef void TrotLookFn(double t, double h, double distance, void *context);

TrotRun trot_by_paper(const RgModel *model, const TrotRule *rule, TrotLookFn *look, void *context);

#endif
