/*
 * quadruped_trial.h - runs of experiment 002-B (scenes/quadruped.h): one method, solver and step, with what must hold
 * of all.
 *
 * Stable: upright to the end, no rate above 1,000 rad/s. The paper gives no criterion.
 */
#ifndef EXPERIMENT_QUADRUPED_TRIAL_H
#define EXPERIMENT_QUADRUPED_TRIAL_H

#include "experiment.h"
#include "quadruped.h"

#define QUAD_TIME 5.0 /* s, as in the paper */

/* The robot with friction, and without for the flawed order; the worst values of all runs that did not diverge. */
typedef struct QuadLab {
    Lab *lab;
    QuadRobot rough, smooth;
    double cone;   /* friction beyond its cone, over the weight; of solvers that have cones */
    double beyond; /* effort beyond its limit, N m */
} QuadLab;

typedef struct QuadTrial {
    const QuadMotion *motion;
    const QuadMethod *method;
    const char *solver, *coords;
    double h, time;
    double gap;               /* m: of the feet over the floor at the start */
    int starts;               /* runs of quad_usual_error, each 1 um higher: an odd number up to STARTS_MOST; 0: one */
    const char *film, *title; /* NULL: none */
} QuadTrial;

/* A run that cannot start counts as diverged; the experiment has then failed, with a message. */
QuadResult quad_trial(QuadLab *q, const QuadTrial *trial);

bool quad_upright(const QuadResult *result);

enum { STARTS_MOST = 9 };

/* Median of the mean errors (rad) of trial.starts runs, infinite for falls; NaN: most of them fall. */
double quad_usual_error(QuadLab *q, QuadTrial trial);

/* Largest step up to 0.1 s as the paper finds it: doubled from 1 ms until most runs fall, then bisected. Near falls
   stability is not monotone; steps below it that fail are told. 0: none. */
double quad_largest_step(QuadLab *q, QuadTrial trial);

/* Motions at all steps by all methods: slips, figures (quadruped_slip.c). */
void quad_measure_slip(QuadLab *q);

#endif
