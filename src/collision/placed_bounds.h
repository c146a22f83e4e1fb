/*
 * placed_bounds.h - world-axis-aligned bounding box of a geometry at any pose.
 */
#ifndef RIGOR_PLACED_BOUNDS_H
#define RIGOR_PLACED_BOUNDS_H

#include "geom/geometry.h"

typedef enum RgBoundsMethod {
    RG_BOUNDS_NONE,    /* unbounded */
    RG_BOUNDS_ROTATED, /* the core's box in the geometry's frame, rotated */
    RG_BOUNDS_CORNERS, /* the core's corners */
    RG_BOUNDS_SUPPORT, /* the farthest points along the world's axes */
    RG_BOUNDS_BALL     /* the rotated box, intersected with the box of the bounding ball */
} RgBoundsMethod;

/* Prepared once per geometry. */
typedef struct RgPlacedBounds {
    RgBoundsMethod way;
    RgVec3 centre, half; /* rotated box, without the rounding */
    double grow;         /* m; rounding and round-off, except the round-off of the position */
    const RgGeometry *geometry;
} RgPlacedBounds;
RgPlacedBounds rg_placed_bounds_prepare(const RgGeometry *geometry);

/* The box at a pose; it contains the geometry, round-off included. Not for RG_BOUNDS_NONE. Returns false if the pose or
   the box is not finite. */
bool rg_placed_bounds(const RgPlacedBounds *p, const RgPose *X_WG, RgBounds *out);

/* Box along the axes of A around a box of B; unbounded if b is. */
RgBounds rg_bounds_rotate(const RgPose *X_AB, const RgBounds *b);

#endif
