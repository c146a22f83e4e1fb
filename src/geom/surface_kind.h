/*
 * surface_kind.h - shared by the two kinds of surface: the function table, and operations on boxes.
 *
 * The struct of each kind starts with an RgSurface, whose table points to the kind's functions.
 */
#ifndef RIGOR_SURFACE_KIND_H
#define RIGOR_SURFACE_KIND_H

#include "geom/surface.h"
#include "math/unit.h"

/* Largest coordinate, m: products of three lengths stay finite below it. */
#define RG_SURFACE_LARGEST 1e100

/* Largest number of triangles of a surface: twice an index fits 32 bits. */
#define RG_SURFACE_MAX_TRIANGLES (INT32_C(1) << 29)

typedef struct RgSurfaceKind {
    void (*triangle)(const RgSurface *surface, int32_t i, RgTriangle *out);
    int32_t (*overlap)(const RgSurface *surface, const RgBounds *box, int32_t *out, int32_t capacity);
    void (*nearest)(const RgSurface *surface, const RgBounds *box, RgTriangleVisit *visit, void *context,
                    double *reach);
    bool (*ray)(const RgSurface *surface, RgVec3 origin, RgVec3 direction, double *t, int32_t *triangle);
    bool (*inside)(const RgSurface *surface, RgVec3 x);            /* x is within the bounds of the solid */
    int32_t (*beyond)(const RgSurface *surface, int32_t i, int k); /* triangle beyond edge k; -1: none */
} RgSurfaceKind;

struct RgSurface {
    const RgSurfaceKind *kind;
    int32_t count;
    bool one_sided, has_solid;
    RgBounds bounds, solid;
    const int32_t *region; /* one entry per triangle */
};

/* Constructors of the two kinds; the shape must be valid. */
RgStatus rg_surface_mesh_create(RgArena *arena, const RgShape *shape, RgSurface **out, RgMeshReport *report,
                                const char **what);
RgStatus rg_surface_heightfield_create(RgArena *arena, const RgShape *shape, RgSurface **out, RgMeshReport *report,
                                       const char **what);

/* Finds the flat regions; the last step of construction. Returns false if out of memory. */
bool rg_surface_find_regions(RgArena *arena, RgSurface *surface);

/* Unit normal of a triangle, which is counter-clockwise about it. Returns false if its least height is too small a
   fraction of its longest edge for an accurate normal. */
bool rg_surface_normal(const RgVec3 vertex[3], RgVec3 *normal);

/* Returns true if the surface bends away beyond an edge. n: normal of the triangle whose edge has the direction `edge`
   (any length, counter-clockwise about n); beyond: normal of the triangle on the other side. A shell can be touched
   from both sides, so for it any bend counts. */
bool rg_surface_edge_convex(RgVec3 n, RgVec3 beyond, RgVec3 edge, bool one_sided);

/* Component-wise minimum and maximum of numbers that are not NaN: one instruction each, unlike fmin and fmax. */
static inline RgVec3 lesser3(RgVec3 a, RgVec3 b)
{
    return (RgVec3){d_min(a.x, b.x), d_min(a.y, b.y), d_min(a.z, b.z)};
}

static inline RgVec3 greater3(RgVec3 a, RgVec3 b)
{
    return (RgVec3){d_max(a.x, b.x), d_max(a.y, b.y), d_max(a.z, b.z)};
}

static inline RgBounds triangle_bounds(const RgVec3 v[3])
{
    return (RgBounds){lesser3(v[0], lesser3(v[1], v[2])), greater3(v[0], greater3(v[1], v[2]))};
}

static inline bool boxes_overlap(const RgBounds *a, const RgBounds *b)
{
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

/* Squared distance of two boxes. */
static inline double boxes_gap2(const RgBounds *a, const RgBounds *b)
{
    RgVec3 gap = greater3(v3_sub(a->low, b->high), v3_sub(b->low, a->high));
    return v3_norm2(greater3(gap, v3_zero()));
}

/* Returns true if a box at that squared distance is closer than reach. A square that overflows is still closer than
   infinity. */
static inline bool gap2_within(double gap2, double reach)
{
    return reach > 0.0 && (gap2 < reach * reach || isinf(reach));
}

#endif
