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

#endif
