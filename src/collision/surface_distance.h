/*
 * surface_distance.h - signed distance of a convex part from a surface of triangles.
 */
#ifndef RIGOR_SURFACE_DISTANCE_H
#define RIGOR_SURFACE_DISTANCE_H

#include "collision/triangle_contact.h"

/* The least reach, m: what is asked up to it are triangles that overlap. Its square is no zero. */
#define RG_SURFACE_REACH_LEAST 1e-100

/* Part number `part` of A; out in A's frame, part_b is the triangle. Nothing is asked beyond a reach (m, may
   be infinite): then the distance is infinite. */
RgStatus rg_surface_distance(const RgGeometry *a, int32_t part, const RgSurface *surface, const RgPose *X_AB,
                             double reach, RgDistance *out);

#endif
