/* adaptive_robot.h - the quadruped of paper 000 (scenes/gait.h) in a world of its own. */
#ifndef BENCH_ADAPTIVE_ROBOT_H
#define BENCH_ADAPTIVE_ROBOT_H

#include "adaptive.h"

#include "gait.h"

/* A robot at work. */
typedef struct Walk {
    RgModel *model;
    Gait *gait;
    RgWorld *world;
} Walk;

/* What a world is made with. */
typedef struct WalkSetup {
    const char *stepper;
    double h_min;
    double relative; /* c2a */
    double dissipation;
    bool explicit_forces, stands;
    bool no_contact;
    bool impacts; /* nothing drives it and overlaps are left as they are: for the impulses of a moment */
} WalkSetup;

/* False: said why not. */
bool walk_begin(LocatedOut *out, const AdaptiveOptions *o, const WalkSetup *setup, Walk *w);
void walk_end(Walk *w);

/* Whether any foot swings at time t. */
bool walk_swings(const Gait *gait, double t);

double adaptive_kinetic(RgWorld *world); /* J */

/* Of relative errors, all in %. */
typedef struct ErrorSummary {
    int count, above; /* all; those above 1 % */
    double mean, median;
    double share; /* of the sum of all that those above 1 % make up, % */
} ErrorSummary;

/* Of parts (not %), which are put in order. */
ErrorSummary adaptive_summary(double *each, int count);

#endif
