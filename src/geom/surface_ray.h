/* surface_ray.h - a ray prepared for many triangles and boxes. */
#ifndef RIGOR_SURFACE_RAY_H
#define RIGOR_SURFACE_RAY_H

#include "geom/surface_kind.h"

/* The depth of a point is how far it lies along the axis kz in the direction of the ray. */
typedef struct RgSurfaceRay {
    double origin[3];
    double slope[3];   /* change along each axis a unit of depth: at most 1, that of kz is 1 or -1 */
    double inverse[3]; /* of the slopes; 0 where the ray runs across the axis */
    int kx, ky, kz;
    double scale; /* depth a unit of the ray's direction */
    double pad;   /* m: by how much boxes are grown so that no triangle is lost to round-off */
} RgSurfaceRay;

/* False for a direction that is zero or not finite, or an origin that is not. bounds: of all that is asked.
   */
bool rg_surface_ray_begin(RgSurfaceRay *ray, RgVec3 origin, RgVec3 direction, const RgBounds *bounds);

/* Does the ray come through the box at a depth of 0 ... reach? *enter: where. */
bool rg_surface_ray_box(const RgSurfaceRay *ray, const RgBounds *box, double reach, double *enter);

/* Does it meet the triangle at a depth of 0 ... reach, from either side, edges and corners included? */
bool rg_surface_ray_triangle(const RgSurfaceRay *ray, const RgVec3 vertex[3], double reach, double *depth);

/* How the ray passes through the triangle: 1 out of it through its front, -1 in, 0 not at all. Edges and
   corners belong to one of the triangles that share them. *clear is set to false where round-off cannot tell
   on which side of the triangle the ray begins. */
int rg_surface_ray_crossing(const RgSurfaceRay *ray, const RgVec3 vertex[3], bool *clear);

#endif
