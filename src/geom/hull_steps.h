/*
 * hull_steps.h - the steps of convex_hull.c: facets by Qhull, coplanar ones joined, the result proven.
 */
#ifndef RIGOR_HULL_STEPS_H
#define RIGOR_HULL_STEPS_H

#include "geom/polytope.h"

/* Facets of the hull of count points by Qhull with the given options: nf, face_start and face_vertex of out,
   in the arena, all counter-clockwise or all clockwise. RG_ERR_MODEL: no volume; RG_ERR_NOT_CONVERGED: Qhull
   gave up; RG_ERR_MEMORY. Prints nothing, never exits. */
RgStatus rg_qhull_facets(RgArena *arena, const RgVec3 *points, int32_t count, const char *options, RgPolytope *out);

/* Corners by their numbers, counter-clockwise about the normal. */
typedef struct RgPolygon {
    const RgVec3 *vertex;
    const int32_t *corner;
    int32_t count;
    RgVec3 normal;
} RgPolygon;

/* Is the polygon convex at its corner i? The corner may stand in by the tolerance (m). */
bool rg_polygon_turns_left(const RgPolygon *polygon, int32_t i, double tolerance);

/* Joins neighbours whose corners lie within tolerance of one plane, where the result is a convex polygon, and
   drops corners that are left inside a face or on a straight edge. fine is linked; coarse gets nf, face_start
   and face_vertex, with the vertices of fine. */
RgStatus rg_hull_merge(RgArena *arena, const RgPolytope *fine, double tolerance, RgPolytope *coarse);

/* What a hull must hold, and how well. */
typedef struct RgHullPoints {
    const RgVec3 *x;
    int32_t count;
    double tolerance; /* m */
    double thickness; /* m; a hull that is thinner is flat */
} RgHullPoints;

typedef enum RgHullFault {
    RG_HULL_GOOD,
    RG_HULL_TORN,
    RG_HULL_DENTED, /* a face turns right somewhere */
    RG_HULL_NOT_CONVEX,
    RG_HULL_FLAT,
    RG_HULL_TOO_SMALL /* points are outside */
} RgHullFault;

typedef struct RgHullMarks {
    RgHullFault fault;
    bool *vertex; /* nv: where a face turns right */
    bool *point;  /* count: outside */
} RgHullMarks;

/* Whether p is the hull of the points, the first fault in the order above. Marks live in work.
   RG_ERR_MEMORY. */
RgStatus rg_hull_prove(RgArena *work, const RgPolytope *p, const RgHullPoints *points, RgHullMarks *out);

#endif
