/*
 * geometry.h - a shape prepared for collision: checked, with its hulls, or its triangles in a tree.
 */
#ifndef RIGOR_GEOMETRY_H
#define RIGOR_GEOMETRY_H

#include "geom/surface.h"

/* Convex kinds: one part, the shape itself. Mesh as hull or parts: polytopes. Mesh or height field as surface: no
   parts, a surface. Half-space: one unbounded part. All in the geometry's frame. */
struct RgGeometry {
    RgArena arena; /* owns everything below and this struct's arrays */
    RgShapeType type;
    int32_t nparts;
    const RgShape *parts; /* nparts; core set where the kind has one */
    const RgBounds *part_bounds;
    const RgSurface *surface; /* NULL if there are parts */
    RgBounds bounds;
    RgVec3 centre; /* of a bounding sphere */
    double radius; /* infinite for a half-space */
    RgMeshReport report;
};

/* Part i as a separate geometry; it points into `whole`, which must outlive it. */
RgGeometry rg_geometry_part(const RgGeometry *whole, int32_t i);

#endif
