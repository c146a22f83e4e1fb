/* plane_hull.h - convex hull of points in a plane. */
#ifndef RIGOR_PLANE_HULL_H
#define RIGOR_PLANE_HULL_H

#include <stdint.h>

/* A point of the plane, a height over it, and an index chosen by the caller. */
typedef struct RgPlanePoint {
    double u, v, h;
    int32_t number;
} RgPlanePoint;

/*
 * Sorts the points, drops all but the highest (side +1) or lowest (-1) of those that coincide in the plane, and writes
 * the corners of the hull, counter-clockwise, into chain (room for 2 count). Corners that stick out by no more than
 * `same` (m) are dropped. Returns the number of corners: 1 if all points coincide, 2 if all are collinear. The result
 * does not depend on the order of the points. Positions in chain may be off by `same`.
 */
int32_t rg_plane_hull(RgPlanePoint *points, int32_t count, double side, double same, RgPlanePoint *chain);

#endif
