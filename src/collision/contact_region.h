/*
 * contact_region.h - where two convex shapes whose normal is known are in contact.
 */
#ifndef RIGOR_CONTACT_REGION_H
#define RIGOR_CONTACT_REGION_H

#include "collision/distance.h"
#include "collision/outline.h"

/* Part of the size by which the witness must be deeper than all other points to be added: what an overlapping
   distance is known to. */
#define RG_REGION_DEEPER 1e-9

/* Part of the outlines' reach within which a point has the name of a corner or an edge: what a body at rest
   creeps in many steps. */
#define RG_REGION_NAME 1e-7

typedef struct RgRegionRules {
    const RgManifoldOptions *options;
    uint32_t inner_edges; /* of B, as in RgOutline */
    bool no_witness;      /* the witness points are no points of contact */
} RgRegionRules;

typedef struct RgRegion {
    RgContactFrame frame; /* in A's axes */
    RgTouch touch;
    RgOutline outline[2];
    RgOverlap overlap; /* the points of contact: gap h[1] - h[0] <= margin */
} RgRegion;

/* at: normal, distance and witness points, in A's frame. */
void rg_region_make(const RgConvexPair *pair, const RgDistance *at, const RgRegionRules *rules, RgRegion *out);

#endif
