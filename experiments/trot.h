/*
 * trot.h - the quadruped of paper 000, trotting on the spot or standing (scenes/gait.h), for the experiments of that
 * paper.
 *
 * Robot: models/links.sdf with the paper's moment of inertia of the thighs (gait_model_published). A run fails when v.Mv
 * exceeds 1e7 J (the test of the paper's code, without the factor 1/2), or a step is refused.
 */
#ifndef RIGOR_EXPERIMENT_TROT_H
#define RIGOR_EXPERIMENT_TROT_H

#include "experiment.h"

#include "gait.h"

#define TROT_TIME 5.0   /* s, of every experiment of the paper */
#define TROT_PERIOD 0.3 /* s, of the gait */
#define TROT_FAILED 1e7 /* J: v.Mv */
#define TROT_ERP 0.2    /* part of an overlap that a step corrects, with dantzig */

/* Settings of a world. */
typedef struct TrotSetup {
    const char *stepper, *coords; /* coords NULL: minimal */
    const char *solver;           /* NULL: dantzig, Coulomb's law with pyramids of four sides, solved directly */
    double h_min;                 /* of advance and c2a */
    double relative;              /* of c2a: allowed relative error; 0: its default */
    double dissipation;
    double contact_erp; /* part of an overlap that a step corrects; below 0: default of RgContactLaw */
    bool explicit_forces, stands;
    bool no_contact, no_input;
} TrotSetup;

/* A robot with its gait and world. */
typedef struct Trot {
    RgModel *model;
    Gait *gait;
    RgWorld *world;
} Trot;

/* Makes the start of the paper's runs. False: the experiment has failed, with a message. */
bool trot_begin(Lab *lab, const TrotSetup *setup, Trot *trot);
void trot_end(Trot *trot);

/* Whether any foot swings at time t. */
bool trot_swings(const Gait *gait, double t);

double trot_kinetic(RgWorld *world); /* J */

/* Steps of h until failure, at most `most`; film may be NULL. */
typedef struct TrotRun {
    int steps;
    bool failed;
} TrotRun;
TrotRun trot_until_failure(Trot *trot, double h, int most, LabFilm *film);

/*
 * Fastest decay rate of a velocity by the feet's dampers, 1/s, at the present positions without contact: the largest
 * eigenvalue of M^-1 D, by power iteration, with D x = tau(v = 0) - tau(v = x) from the controller. Explicit dampers,
 * constant over a step, multiply that velocity by 1 - h rate: they are stable for h < 2 / rate.
 * NaN: out of memory.
 */
double trot_damper_rate(const Trot *trot);

/* Lengths of steps of experiments A and E, and coefficients of dissipation of E. */
#define TROT_STEPS 12
extern const double trot_steps[TROT_STEPS]; /* ms */
#define TROT_LAMBDAS 12
extern const double trot_lambdas[TROT_LAMBDAS];

/* Kendall's tau-b of pairs (x, y): 1 if y increases with x, -1 if it decreases; NaN for fewer than two distinct
   pairs. */
double trot_rank_correlation(const double *x, const double *y, int count);

#endif
