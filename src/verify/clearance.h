/*
 * clearance.h - distance of two pieces over one step, and a proof that they never overlap.
 */
#ifndef RIGOR_CLEARANCE_H
#define RIGOR_CLEARANCE_H

#include "verify/motion.h"
#include "verify/separation.h"

enum { RG_CLEARANCE_SAMPLES = 8 }; /* number of intervals between measured distances */

/* A piece and the motion of its body in the step. */
typedef struct RgMovingPiece {
    const RgPiece *piece;
    int body;                /* -1: the world */
    const RgPose *at;        /* RG_CLEARANCE_SAMPLES + 1: the body at u = 0, 1/8, ... 1 */
    const RgMoving *through; /* over the whole step; NULL: it turns too far */
} RgMovingPiece;

typedef struct RgClearanceRule {
    double wanted;     /* m: intervals are halved until bounds reach this, or half of the measured distance */
    double touching;   /* m: distances of smaller magnitude count as touching */
    int max_intervals; /* limit of time intervals for a proof */
} RgClearanceRule;

typedef struct RgClearance {
    double least, least_u; /* m: smallest measured distance; its time u */
    double begin, end;     /* m: at u = 0 and 1 */
    bool proven;           /* the distance is above 0 on the whole step */
    double bound;          /* m: proven lower bound of the distance; valid if proven */
    int samples, intervals;
} RgClearance;

RgClearance rg_clearance(const RgMotionStep *step, const RgMovingPiece *a, const RgMovingPiece *b,
                         const RgClearanceRule *rule);

#endif
