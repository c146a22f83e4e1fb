/*
 * surface_distance.h - signed distance of a convex part from a surface of triangles.
 */
#ifndef RIGOR_SURFACE_DISTANCE_H
#define RIGOR_SURFACE_DISTANCE_H

#include "collision/triangle_contact.h"

/* The smallest reach, m: with it, only triangles that overlap are tested. Its square does not underflow to zero. */
#define RG_SURFACE_REACH_LEAST 1e-100

/* Distance of part `part` of A; out is in A's frame, part_b is the triangle. Triangles farther than reach (m, may be
   infinite) are ignored: if all are, the distance is infinite. */
RgStatus rg_surface_distance(const RgGeometry *a, int32_t part, const RgSurface *surface, const RgPose *X_AB,
                             double reach, RgDistance *out);

#endif
