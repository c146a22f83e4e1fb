/* outline_polytope.h - outlines of polytopes, for outline.c. */
#ifndef RIGOR_OUTLINE_POLYTOPE_H
#define RIGOR_OUTLINE_POLYTOPE_H

#include "collision/outline.h"

/* Fills kind, corners, face and flat of an outline whose shape, frame and side are set. */
void rg_outline_polytope(RgOutline *out, double slope);

/* The face over a place of the plane, and the height of its plane there; -1: none that is not steep. */
int32_t rg_outline_polytope_face(const RgOutline *outline, double u, double v, double *h);

/* Is the place over face f itself, not only over its plane? */
bool rg_outline_polytope_over(const RgOutline *outline, int32_t f, double u, double v);

/* The corner, edge or face over a place, to within same. */
RgFeature rg_outline_polytope_locate(const RgOutline *outline, double u, double v, double same);

/* Pieces of that. Does the edge from v to its k-th neighbour (place in the ring) lie in the plane across m? */
bool rg_polytope_edge_gentle(const RgPolytope *p, int32_t v, int32_t k, RgVec3 m, double slope);
/* The edge between two vertices, or nothing. */
RgFeature rg_polytope_edge_between(const RgPolytope *p, int32_t from, int32_t to);
/* Face at vertex v that looks most along m; -1: there are none. */
int32_t rg_polytope_face_uppermost(const RgPolytope *p, int32_t v, RgVec3 m);
/* The face that the line from x along m leaves the polytope through, from a face near it on, and how far along; -1: it
   is too steep. */
int32_t rg_polytope_face_over(const RgPolytope *p, int32_t face, RgVec3 x, RgVec3 m, double *height);

#endif
