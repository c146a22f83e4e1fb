/* outline_polytope.h - outlines of polytopes, used by outline.c. */
#ifndef RIGOR_OUTLINE_POLYTOPE_H
#define RIGOR_OUTLINE_POLYTOPE_H

#include "collision/outline.h"

/* Fills kind, corners, face and flat of an outline whose shape, frame and side are set. */
void rg_outline_polytope(RgOutline *out, double slope);

/* The face over a point of the plane, and the height of its plane there; -1: no face that is not steep. */
int32_t rg_outline_polytope_face(const RgOutline *outline, double u, double v, double *h);

/* Returns true if the point is over face f itself, not only over its plane. */
bool rg_outline_polytope_over(const RgOutline *outline, int32_t f, double u, double v);

/* The corner, edge or face over a point, to within same. */
RgFeature rg_outline_polytope_locate(const RgOutline *outline, double u, double v, double same);

/* Helpers of the above. Returns true if the edge from v to its k-th neighbour (index in the ring) lies in the plane
   normal to m, up to the slope. */
bool rg_polytope_edge_gentle(const RgPolytope *p, int32_t v, int32_t k, RgVec3 m, double slope);
/* The edge between two vertices; kind NONE if there is none. */
RgFeature rg_polytope_edge_between(const RgPolytope *p, int32_t from, int32_t to);
/* Face at vertex v whose normal is most nearly along m; -1: the vertex has no faces. */
int32_t rg_polytope_face_uppermost(const RgPolytope *p, int32_t v, RgVec3 m);
/* The face through which the line from x along m leaves the polytope, searched from a nearby face, and the distance
   along m; -1: the face is too steep. */
int32_t rg_polytope_face_over(const RgPolytope *p, int32_t face, RgVec3 x, RgVec3 m, double *height);

#endif
