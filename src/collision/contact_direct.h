/*
 * contact_direct.h - contact points of polytopes and half-spaces in closed form, for a known normal and simple cases.
 */
#ifndef RIGOR_CONTACT_DIRECT_H
#define RIGOR_CONTACT_DIRECT_H

#include "collision/distance.h"
#include "collision/outline.h"

/* Largest number of corners of a face, and of contact points of two faces. */
#define RG_DIRECT_CORNERS 8
#define RG_DIRECT_POINTS (2 * RG_DIRECT_CORNERS)

typedef struct RgDirectContact {
    RgContactFrame frame; /* in A's axes */
    RgTouch touch;
    int32_t count;
    RgOverlapPoint point[RG_DIRECT_POINTS]; /* slots are not set: the features identify the points */
} RgDirectContact;

/* Same result as rg_region_make, up to round-off, if the configuration is clear of all its tolerances. Returns false if
   it is not, or if the shapes are of other kinds; out is then undefined. */
bool rg_contact_direct(const RgConvexPair *pair, const RgDistance *at, const RgManifoldOptions *options,
                       RgDirectContact *out);

#endif
