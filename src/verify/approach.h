/*
 * approach.h - how fast two pieces that nearly touch come together, from the velocities of their bodies.
 */
#ifndef RIGOR_APPROACH_H
#define RIGOR_APPROACH_H

#include "verify/separation.h"

/* Velocity of B against A as a field: v + w x x, world axes and origin. */
typedef struct RgTwistField {
    RgVec3 v, w;
} RgTwistField;

RgTwistField rg_twist_field(RgVec3 centre, RgVec3 velocity, RgVec3 w);
RgTwistField rg_twist_field_between(RgTwistField a, RgTwistField b); /* of b against a */
RgVec3 rg_twist_field_at(const RgTwistField *field, RgVec3 x);

typedef struct RgApproach {
    double distance; /* m */
    double closing;  /* m/s: largest speed at which points within the gap come together */
    RgVec3 point;    /* where, and the unit normal there from A to B */
    RgVec3 normal;
} RgApproach;

/* Nothing is near: closing is minus infinity. */
RgApproach rg_approach(const RgPlacedPiece *a, const RgPlacedPiece *b, double gap, const RgTwistField *field);

#endif
