/*
 * surface.h - a rigid set of triangles: a mesh or a height field, with the same interface.
 *
 * If one_sided, the solid lies behind the triangles (normals point out of it); otherwise the surface is a thin shell.
 */
#ifndef RIGOR_SURFACE_H
#define RIGOR_SURFACE_H

#include "geom/polytope.h"
#include "geom/shape.h"

typedef struct RgSurface RgSurface;

/* A triangle and its neighbours. Edge i leads from vertex i to the next one. */
typedef struct RgTriangle {
    RgVec3 vertex[3];
    RgVec3 normal;     /* unit */
    RgVec3 across[3];  /* normal of the triangle beyond edge i; the triangle's own if there is none */
    bool open[3];      /* no triangle beyond edge i */
    bool convex[3];    /* the surface bends away beyond edge i by more than round-off: the edge can be touched */
    int32_t number[3]; /* indices of the vertices in the surface: feature ids shared with neighbours */
} RgTriangle;

/* Makes a surface from a mesh or height field shape, in the arena. Merges duplicate vertices, drops triangles without
   area, turns closed inside-out meshes over; counts these in report. */
RgStatus rg_surface_create(RgArena *arena, const RgShape *shape, RgSurface **out, RgMeshReport *report,
                           const char **what);

int32_t rg_surface_count(const RgSurface *surface); /* number of triangles */
bool rg_surface_one_sided(const RgSurface *surface);
RgBounds rg_surface_bounds(const RgSurface *surface); /* of the triangles */

/* The solid behind the surface: the interior of a closed mesh (a ray to the point enters more of its shells than it
   leaves); for a height field, the volume below it, down to the length of its longer side below its lowest point.
   has_solid false: an open mesh or a shell, which has no interior. solid_bounds: of the solid and the triangles. */
bool rg_surface_has_solid(const RgSurface *surface);
bool rg_surface_inside(const RgSurface *surface, RgVec3 x);
RgBounds rg_surface_solid_bounds(const RgSurface *surface);

/* The flat region of a triangle: the lowest index of the triangles that can be reached from it across flat edges. */
int32_t rg_surface_region(const RgSurface *surface, int32_t i);

void rg_surface_triangle(const RgSurface *surface, int32_t i, RgTriangle *out);

/* Indices of the triangles whose boxes overlap `box`, ascending. Writes the first `capacity` of them, returns the total
   number. */
int32_t rg_surface_overlap(const RgSurface *surface, const RgBounds *box, int32_t *out, int32_t capacity);

/* Calls visit for every triangle whose box is closer to `box` than *reach, roughly in order of distance; visit may
   reduce *reach. */
typedef void RgTriangleVisit(int32_t triangle, void *context, double *reach);
void rg_surface_nearest(const RgSurface *surface, const RgBounds *box, RgTriangleVisit *visit, void *context,
                        double *reach);

/* First triangle on the ray (from either side). Returns false if there is none within *t; *t is reduced to the hit. */
bool rg_surface_ray(const RgSurface *surface, RgVec3 origin, RgVec3 direction, double *t, int32_t *triangle);

#endif
