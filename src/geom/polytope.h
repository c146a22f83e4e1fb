/*
 * polytope.h - corners, edges and faces of a convex polytope, and their adjacency.
 *
 * A view: it owns nothing. Points (1 vertex), segments (2 vertices, 1 edge) and plates (2 faces, back to back) are
 * polytopes too: cores of spheres and capsules, triangles of surfaces.
 */
#ifndef RIGOR_POLYTOPE_H
#define RIGOR_POLYTOPE_H

#include "base/arena.h"
#include "math/vec3.h"

#include <rigor/collision.h>

typedef struct RgPolytope {
    int32_t nv, ne, nf;
    const RgVec3 *vertex; /* nv */

    /* Edge e runs from edge[2 e] to edge[2 e + 1]; edge_face: the face on its left seen from outside, then the one on
       its right. */
    const int32_t *edge;      /* 2 ne */
    const int32_t *edge_face; /* 2 ne */

    /* Faces, counter-clockwise from outside: corner k of face f is face_vertex[face_start[f] + k], and face_edge[...]
       is the edge from it to the next corner. n.x <= offset for every vertex x. */
    const int32_t *face_start;  /* nf + 1 */
    const int32_t *face_vertex; /* 2 ne */
    const int32_t *face_edge;   /* 2 ne */
    const RgVec3 *normal;       /* nf, outward, unit */
    const double *offset;       /* nf */

    /* Neighbours of vertex v: ring[ring_start[v] ... ring_start[v + 1] - 1], counter-clockwise from outside, and the
       edges to them. */
    const int32_t *ring_start; /* nv + 1 */
    const int32_t *ring;       /* 2 ne */
    const int32_t *ring_edge;  /* 2 ne */

    /* Few vertices only: the coordinates by component, all x, then all y, all z, each row padded to a multiple of 4
       with those of vertex 0. NULL for many vertices, or if not prepared. */
    const double *rows;

    /* An axis-aligned box: corner i is at +x, +y, +z if its bits 0, 1, 2 are set, else at -x, -y, -z. */
    bool is_box;

    /* Many vertices only: initial vertex of the search for the farthest, by the cell of the direction on a cube with
       start_cells^2 cells per side; else NULL. */
    const int32_t *start;
    int32_t start_cells;
    double slack; /* m: by how much round-off may hide a higher vertex behind lower ones; set if start is */
} RgPolytope;

/* Index of the corner of a box farthest along d; of equal ones the lowest. */
static inline int32_t rg_box_corner(RgVec3 d)
{
    return (d.x > 0.0) | (d.y > 0.0) << 1 | (d.z > 0.0) << 2;
}

/* Index of the vertex farthest along direction; of equal ones the lowest. hint: initial vertex, or -1. */
int32_t rg_polytope_support(const RgPolytope *p, RgVec3 direction, int32_t hint);

/* Distance of the farthest vertex from c. */
double rg_polytope_reach(const RgPolytope *p, RgVec3 c);

/* Convex hull of count points (Qhull), in the arena. Every point is inside to within round-off of the size; coplanar
   triangles are one face. RG_ERR_MODEL: no volume; RG_ERR_NOT_FINITE: NaN; RG_ERR_ARGUMENT: fewer than four points.
   what (may be NULL): error text, a few words. */
RgStatus rg_convex_hull(RgArena *arena, const RgVec3 *points, int32_t count, RgPolytope *out, RgMeshReport *report,
                        const char **what);

/* Makes edges, rings and normals of a polytope given by vertices and faces (nv, nf, vertex, face_start, face_vertex).
   RG_ERR_MODEL if an edge does not have two faces of consistent orientation. */
RgStatus rg_polytope_link(RgArena *arena, RgPolytope *p);

/* Unit normal of a polygon, which is counter-clockwise about it; exact except for the last rounding. Zero: no area. */
RgVec3 rg_polygon_normal(const RgVec3 *vertex, const int32_t *corner, int32_t count);

/* Polytopes with constant topology; the vertices are the caller's. Box: edges 0 ... 3 along x, 4 ... 7 along y, 8 ...
   11 along z; faces -x, +x, -y, +y, -z, +z. */
RgPolytope rg_polytope_point(const RgVec3 vertex[1]);
RgPolytope rg_polytope_segment(const RgVec3 vertex[2]);
RgPolytope rg_polytope_box(const RgVec3 vertex[8], const double offset[6]); /* vertex i: bit 0, 1, 2 set: +x, +y, +z */

/* Front face 0, counter-clockwise about its normal; back face 1. */
RgPolytope rg_polytope_triangle(const RgVec3 vertex[3], const RgVec3 normal[2], const double offset[2]);

#endif
