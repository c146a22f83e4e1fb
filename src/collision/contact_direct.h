/*
 * contact_direct.h - points of contact of polytopes and half-spaces whose normal is known, in the plain cases.
 */
#ifndef RIGOR_CONTACT_DIRECT_H
#define RIGOR_CONTACT_DIRECT_H

#include "collision/distance.h"
#include "collision/outline.h"

/* Most corners of a face, and most points of two. */
#define RG_DIRECT_CORNERS 8
#define RG_DIRECT_POINTS (2 * RG_DIRECT_CORNERS)

typedef struct RgDirectContact {
    RgContactFrame frame; /* in A's axes */
    RgTouch touch;
    int32_t count;
    RgOverlapPoint point[RG_DIRECT_POINTS]; /* slots are not set: names are the features */
} RgDirectContact;

/* As rg_region_make, to round-off, where that is clear of all its tolerances; false: it is not, or the shapes are of
   other kinds, and nothing is said. */
bool rg_contact_direct(const RgConvexPair *pair, const RgDistance *at, const RgManifoldOptions *options,
                       RgDirectContact *out);

#endif
