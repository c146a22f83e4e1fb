/*
 * surface.h - triangles that do not move against each other: a mesh, or a height field, asked alike.
 *
 * The solid lies behind the triangles (normals point out of it) where one_sided; else the surface is a thin
 * shell.
 */
#ifndef RIGOR_SURFACE_H
#define RIGOR_SURFACE_H

#include "geom/polytope.h"
#include "geom/shape.h"

typedef struct RgSurface RgSurface;

/* A triangle and what lies beyond its edges. Edge i leads from vertex i to the next one. */
typedef struct RgTriangle {
    RgVec3 vertex[3];
    RgVec3 normal;     /* unit */
    RgVec3 across[3];  /* normal of the triangle beyond edge i; the own one where there is none */
    bool open[3];      /* no triangle beyond edge i */
    bool convex[3];    /* the surface bends away beyond edge i by more than round-off: the edge can be touched */
    int32_t number[3]; /* of the vertices in the surface: feature ids that neighbours share */
} RgTriangle;

/* From a mesh or height field shape; lives in the arena. Duplicate vertices are joined, triangles without
   area dropped, closed inside-out meshes turned over; report says so. */
RgStatus rg_surface_create(RgArena *arena, const RgShape *shape, RgSurface **out, RgMeshReport *report,
                           const char **what);

int32_t rg_surface_count(const RgSurface *surface); /* triangles */
bool rg_surface_one_sided(const RgSurface *surface);
RgBounds rg_surface_bounds(const RgSurface *surface); /* of the triangles */

/* The solid behind: what a closed mesh encloses (more of its shells are entered than left on the way to the
   point); what lies under a height field, as deep below its lowest point as its longer side. has_solid false:
   an open mesh or a shell, nothing is inside. bounds: of the solid and the triangles. */
bool rg_surface_has_solid(const RgSurface *surface);
bool rg_surface_inside(const RgSurface *surface, RgVec3 x);
RgBounds rg_surface_solid_bounds(const RgSurface *surface);

/* The flat region a triangle belongs to: the lowest number of the triangles that can be reached from it over
   flat edges. */
int32_t rg_surface_region(const RgSurface *surface, int32_t i);

void rg_surface_triangle(const RgSurface *surface, int32_t i, RgTriangle *out);

/* Numbers of the triangles whose boxes overlap box, ascending: the first capacity of them are written, the
   number of all is returned. */
int32_t rg_surface_overlap(const RgSurface *surface, const RgBounds *box, int32_t *out, int32_t capacity);

/* Calls visit for every triangle whose box comes nearer to box than *reach, near ones first as the tree gives
   them; visit may shrink *reach. */
typedef void RgTriangleVisit(int32_t triangle, void *context, double *reach);
void rg_surface_nearest(const RgSurface *surface, const RgBounds *box, RgTriangleVisit *visit, void *context,
                        double *reach);

/* First triangle on the ray (front or back); false: none within *t, which is shrunk to the hit. */
bool rg_surface_ray(const RgSurface *surface, RgVec3 origin, RgVec3 direction, double *t, int32_t *triangle);

#endif
