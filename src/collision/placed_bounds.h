/*
 * placed_bounds.h - the box along the world's axes around a geometry that stands anywhere.
 */
#ifndef RIGOR_PLACED_BOUNDS_H
#define RIGOR_PLACED_BOUNDS_H

#include "geom/geometry.h"

typedef enum RgBoundsWay {
    RG_BOUNDS_NONE,    /* without bound */
    RG_BOUNDS_TURNED,  /* the box of the core in the geometry's frame, turned */
    RG_BOUNDS_CORNERS, /* the corners of the core */
    RG_BOUNDS_SUPPORT, /* the farthest points along the world's axes */
    RG_BOUNDS_BALL     /* the turned box, cut by that of the bounding ball */
} RgBoundsWay;

/* Prepared once for a geometry. */
typedef struct RgPlacedBounds {
    RgBoundsWay way;
    RgVec3 centre, half; /* turned box, without the rounding */
    double grow;         /* m; rounding and round-off, but for that of the place */
    const RgGeometry *geometry;
} RgPlacedBounds;
RgPlacedBounds rg_placed_bounds_prepare(const RgGeometry *geometry);

/* The box at a pose; holds the geometry, round-off included. Not for RG_BOUNDS_NONE. False: the pose is not
   finite, or the box is not. */
bool rg_placed_bounds(const RgPlacedBounds *p, const RgPose *X_WG, RgBounds *out);

/* Box along the axes of A round a box of B; without bound where that is. */
RgBounds rg_bounds_turn(const RgPose *X_AB, const RgBounds *b);

#endif
