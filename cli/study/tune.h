/*
 * tune.h - gains of a run file as unknowns, and the cost of a choice.
 *
 *   plan -- rg_tune_list --> gains in the file -- groups --> factors -- rg_tune_cost --> tracking error
 */
#ifndef RIGOR_TUNE_H
#define RIGOR_TUNE_H

#include "io/options.h"
#include "study/minimise.h"
#include "study/rollout.h"

/* A number of the control section. */
typedef struct RgGain {
    int controller;
    const char *key;  /* kp, ki, kd, foot_kp, foot_kd */
    int entry;        /* in the list or map of numbers; 0: a single number */
    const char *name; /* of the joint, if given in the file; may be NULL */
    double given, value;
    double *place; /* in the plan */
    int factor;    /* index of its factor; -1: not tuned */
} RgGain;

typedef enum RgTuneAim { RG_TUNE_MEAN, RG_TUNE_SQUARE, RG_TUNE_LARGEST } RgTuneAim;

typedef struct RgTune {
    RgRolloutDef rollout;
    double step;   /* s */
    double margin; /* gains must also be stable at step * margin; 1: only at step */
    RgTuneAim aim;
    RgGain *gains;
    int ngains, nfactors;
    double *inertias;                                             /* of controlled axes at the start; NULL: unknown */
    void (*progress)(void *context, int evaluation, double cost); /* after every evaluation; may be NULL */
    void *context;
    int evaluations;
} RgTune;

/* Lists gains above 0 whose keys are in the list ("kp,kd"; NULL: all). together: one factor for all gains of a
   controller with the same key. false: a word of the list is unknown, or there are no gains: message printed. */
bool rg_tune_list(RgTune *tune, const RgOptions *options, const char *keys, bool together);

/* Sets the plan's gains to given * factor; 1 leaves them unchanged, bit by bit. */
RgStatus rg_tune_set(RgTune *tune, const double *factors, RgError *error);

/* Cost of a run with these factors; failed runs cost more than any successful one, and more the sooner they fail. */
double rg_tune_cost(const double *factors, void *tune);

/* The text of a run file with its gains replaced, in the plan's pool: nothing else changes. RG_OK, or error is
   filled. */
RgStatus rg_tune_text(RgPlan *plan, const RgTune *tune, char **text, RgError *error);

#endif
