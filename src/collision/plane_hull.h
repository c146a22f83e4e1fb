/* plane_hull.h - convex hull of places in a plane. */
#ifndef RIGOR_PLANE_HULL_H
#define RIGOR_PLANE_HULL_H

#include <stdint.h>

/* A place, a height over it, and the caller's number. */
typedef struct RgPlanePoint {
    double u, v, h;
    int32_t number;
} RgPlanePoint;

/*
 * Sorts the points, drops those one above the other but the highest (side +1) or lowest (-1), and writes the
 * corners of the hull, counter-clockwise, into chain (room for 2 count). Corners that stick out by no more
 * than same are none. Returns how many there are: 1 where all are one place, 2 where all are in line. The
 * order of the points does not matter. Places in chain may be off by same.
 */
int32_t rg_plane_hull(RgPlanePoint *points, int32_t count, double side, double same, RgPlanePoint *chain);

#endif
