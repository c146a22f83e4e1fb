/*
 * geometry.h - a shape prepared for collision: checked, its hulls made, its triangles in a tree.
 */
#ifndef RIGOR_GEOMETRY_H
#define RIGOR_GEOMETRY_H

#include "geom/surface.h"

/* Convex kinds: one part, the shape itself. Mesh as hull or parts: polytopes. Mesh or height field as
   surface: no parts, a surface. A half-space is one part without bounds. Everything in the geometry's
   frame. */
struct RgGeometry {
    RgArena arena; /* holds everything below, and this struct's arrays */
    RgShapeType type;
    int32_t nparts;
    const RgShape *parts; /* nparts; core set where the kind has one */
    const RgBounds *part_bounds;
    const RgSurface *surface; /* NULL where there are parts */
    RgBounds bounds;
    RgVec3 centre; /* of a bounding sphere */
    double radius; /* infinite for a half-space */
    RgMeshReport report;
};

/* Part i as a geometry of its own, which looks into the whole. */
RgGeometry rg_geometry_part(const RgGeometry *whole, int32_t i);

#endif
