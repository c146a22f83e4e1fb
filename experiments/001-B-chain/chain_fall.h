/* chain_fall.h - the chain of paper 001: its model, the bound of equations 11 to 14, and its fall by the paper's own
   rule. */
#ifndef EXPERIMENT_CHAIN_FALL_H
#define EXPERIMENT_CHAIN_FALL_H

#include "experiment.h"

#define CHAIN_MOST 100 /* links */

/* Boxes of 10 kg/m^3, width x length x width, on joints at y = 0, -length, ...: hinges about z, but for those that
   slide. */
typedef struct ChainDef {
    int links;
    double length, width;
    bool slides; /* joint 8 along x and joint 12 along z, in place of hinges */
} ChainDef;

/* With the ground at y = -100.0001. NULL: the experiment has failed. */
RgModel *chain_model(Lab *lab, const ChainDef *def);

/* Half the diagonal of a link's box. */
double chain_radius(const ChainDef *def);
bool chain_slides(const ChainDef *def, int joint); /* joint: from 0 */

/* How far any point of a link (from 0) can come in unit time, 001 eqs. 11-14. lengths: d_k of a sliding joint has its
   link's length in it too, which equation 14 as printed leaves out. */
double chain_bound(const ChainDef *def, int link, const double *q, const double *v, bool lengths);

/* ------------------------------------------------------------------ the fall */

typedef struct ChainFall {
    int64_t steps;
    double mean, least; /* s, of all steps, also those that end at a multiple of the outer step */
    double least_bound; /* s, of those that the bound decided */
    double whole;       /* part of the steps that have the outer step's length */
    double least_distance;
    double at[4]; /* m: distance of the last link in rows 100, 200, 300, 400 of a log whose first row is the start */
} ChainFall;

typedef void ChainLookFn(double t, double h, double distance, void *context);

/* 5 s from horizontal: h = min(r(q, v), what is left of 0.01 s), q += h v, v += h a(q, v), with the new q and the old
   v. look may be NULL. */
ChainFall chain_fall(const ChainDef *def, const RgModel *model, ChainLookFn *look, void *context);

/* ------------------------------------------------------------------ chain_trials.c */

/* Random trials of the bound: how often it was passed, and the largest part of it that was reached. */
typedef struct ChainTrials {
    int passed;
    double most;
} ChainTrials;
ChainTrials chain_trials(const ChainDef *def, const RgModel *model, int count, bool lengths);

/* The same in a case made for it: a straight chain of which only the first joint turns, slowly. */
double chain_designed_case(const ChainDef *def, const RgModel *model, bool lengths);

#endif
