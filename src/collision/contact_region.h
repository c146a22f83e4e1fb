/*
 * contact_region.h - the region of contact of two convex shapes whose normal is known.
 */
#ifndef RIGOR_CONTACT_REGION_H
#define RIGOR_CONTACT_REGION_H

#include "collision/distance.h"
#include "collision/outline.h"

/* Fraction of the size by which the witness must be deeper than all other points to be added: the accuracy of an
   overlapping distance. */
#define RG_REGION_DEEPER 1e-9

/* Fraction of the outlines' reach within which a point takes the feature of a corner or an edge: larger than the creep
   of a resting body over many steps, so that ids persist. */
#define RG_REGION_NAME 1e-7

typedef struct RgRegionRules {
    const RgManifoldOptions *options;
    uint32_t inner_edges; /* of B, as in RgOutline */
    bool no_witness;      /* the witness points are not contact points */
} RgRegionRules;

typedef struct RgRegion {
    RgContactFrame frame; /* in A's axes */
    RgTouch touch;
    RgOutline outline[2];
    RgOverlap overlap; /* contact points: gap h[1] - h[0] <= margin */
} RgRegion;

/* at: normal, distance and witness points, in A's frame. */
void rg_region_make(const RgConvexPair *pair, const RgDistance *at, const RgRegionRules *rules, RgRegion *out);

#endif
