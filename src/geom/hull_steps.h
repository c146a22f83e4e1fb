/*
 * hull_steps.h - the steps of convex_hull.c: facets from Qhull, merging of coplanar ones, verification of the result.
 */
#ifndef RIGOR_HULL_STEPS_H
#define RIGOR_HULL_STEPS_H

#include "geom/polytope.h"

/* Facets of the hull of count points from Qhull with the given options: nf, face_start and face_vertex of out, in the
   arena, all counter-clockwise or all clockwise. RG_ERR_MODEL: no volume; RG_ERR_NOT_CONVERGED: Qhull failed;
   RG_ERR_MEMORY. Prints nothing, never exits. */
RgStatus rg_qhull_facets(RgArena *arena, const RgVec3 *points, int32_t count, const char *options, RgPolytope *out);

/* Corners by their indices, counter-clockwise about the normal. */
typedef struct RgPolygon {
    const RgVec3 *vertex;
    const int32_t *corner;
    int32_t count;
    RgVec3 normal;
} RgPolygon;

/* Returns true if the polygon is convex at its corner i. The corner may be concave by the tolerance (m). */
bool rg_polygon_turns_left(const RgPolygon *polygon, int32_t i, double tolerance);

/* Merges neighbours whose corners lie within tolerance of one plane if the result is a convex polygon, and drops
   corners that end up inside a face or on a straight edge. fine must be linked; sets nf, face_start and face_vertex of
   coarse, with the vertices of fine. */
RgStatus rg_hull_merge(RgArena *arena, const RgPolytope *fine, double tolerance, RgPolytope *coarse);

/* The points that a hull must contain, and the tolerances. */
typedef struct RgHullPoints {
    const RgVec3 *x;
    int32_t count;
    double tolerance; /* m */
    double thickness; /* m; a thinner hull counts as flat */
} RgHullPoints;

typedef enum RgHullFault {
    RG_HULL_GOOD,
    RG_HULL_TORN,
    RG_HULL_CONCAVE_FACE, /* a face has a concave corner */
    RG_HULL_NOT_CONVEX,
    RG_HULL_FLAT,
    RG_HULL_TOO_SMALL /* points lie outside */
} RgHullFault;

typedef struct RgHullMarks {
    RgHullFault fault;
    bool *vertex; /* nv: corners where a face is concave */
    bool *point;  /* count: points outside */
} RgHullMarks;

/* Checks whether p is the hull of the points; reports the first fault in the order above. Marks are allocated in work.
   RG_ERR_MEMORY. */
RgStatus rg_hull_prove(RgArena *work, const RgPolytope *p, const RgHullPoints *points, RgHullMarks *out);

#endif
