/*
 * clearance.h - two pieces over one step: how near they come, and whether it is proven that they never overlap.
 */
#ifndef RIGOR_CLEARANCE_H
#define RIGOR_CLEARANCE_H

#include "verify/motion.h"
#include "verify/separation.h"

enum { RG_CLEARANCE_SAMPLES = 8 };

/* A piece and what its body does in the step. */
typedef struct RgMovingPiece {
    const RgPiece *piece;
    int body;                /* -1: the world */
    const RgPose *at;        /* RG_CLEARANCE_SAMPLES + 1: the body at u = 0, 1/8, ... 1 */
    const RgMoving *through; /* over all of the step; NULL: it turns too far */
} RgMovingPiece;

typedef struct RgClearanceRule {
    double wanted;     /* m: bounds are sharpened until they reach this, or half of what was measured */
    double touching;   /* m: what is nearer cannot be told from touching; a deeper overlap is one */
    int max_intervals; /* of time that a proof may take */
} RgClearanceRule;

typedef struct RgClearance {
    double least, least_u; /* m: smallest distance that was measured, and when */
    double begin, end;     /* m: at u = 0 and 1 */
    bool proven;           /* never 0 or less on all of the step */
    double bound;          /* m: as proven; only where it is */
    int samples, intervals;
} RgClearance;

RgClearance rg_clearance(const RgMotionStep *step, const RgMovingPiece *a, const RgMovingPiece *b,
                         const RgClearanceRule *rule);

#endif
