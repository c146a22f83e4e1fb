/* surface_ray.h - a ray prepared for tests against many triangles and boxes. */
#ifndef RIGOR_SURFACE_RAY_H
#define RIGOR_SURFACE_RAY_H

#include "geom/surface_kind.h"

/* The depth of a point is its distance along the axis kz in the direction of the ray. */
typedef struct RgSurfaceRay {
    double origin[3];
    double slope[3];   /* change along each axis per unit of depth: at most 1; along kz 1 or -1 */
    double inverse[3]; /* of the slopes; 0 if the ray is perpendicular to the axis */
    int kx, ky, kz;
    double scale; /* depth per unit of the ray's direction */
    double pad;   /* m: boxes are grown by this, so that round-off loses no triangle */
} RgSurfaceRay;

/* Returns false if the direction is zero or not finite, or the origin is not finite. bounds: of everything to be
   tested. */
bool rg_surface_ray_init(RgSurfaceRay *ray, RgVec3 origin, RgVec3 direction, const RgBounds *bounds);

/* Returns true if the ray meets the box at a depth in 0 ... reach. *enter: the depth of entry. */
bool rg_surface_ray_box(const RgSurfaceRay *ray, const RgBounds *box, double reach, double *enter);

/* Returns true if the ray meets the triangle at a depth in 0 ... reach, from either side, edges and corners
   included. */
bool rg_surface_ray_triangle(const RgSurfaceRay *ray, const RgVec3 vertex[3], double reach, double *depth);

/* Crossing of the ray and the triangle: 1 out through its front, -1 in, 0 none. Each edge and corner belongs to one of
   the triangles that share it. *clear becomes false if round-off leaves undecided on which side of the triangle the ray
   starts. */
int rg_surface_ray_crossing(const RgSurfaceRay *ray, const RgVec3 vertex[3], bool *clear);

#endif
