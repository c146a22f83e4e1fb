/*
 * approach.h - closing speed of two pieces that nearly touch, from the velocities of their bodies.
 */
#ifndef RIGOR_APPROACH_H
#define RIGOR_APPROACH_H

#include "verify/separation.h"

/* Velocity field v + w x x of a rigid motion, world axes and origin. */
typedef struct RgTwistField {
    RgVec3 v, w;
} RgTwistField;

RgTwistField rg_twist_field(RgVec3 centre, RgVec3 velocity, RgVec3 w);
RgTwistField rg_twist_field_between(RgTwistField a, RgTwistField b); /* of b against a */
RgVec3 rg_twist_field_at(const RgTwistField *field, RgVec3 x);

typedef struct RgApproach {
    double distance; /* m */
    double closing;  /* m/s: largest closing speed of points within the gap; minus infinity: none */
    RgVec3 point;    /* of that speed */
    RgVec3 normal;   /* unit, from A to B */
} RgApproach;

/* Closing speed of two pieces for points within gap (m). field: motion of B against A. */
RgApproach rg_approach(const RgPlacedPiece *a, const RgPlacedPiece *b, double gap, const RgTwistField *field);

#endif
