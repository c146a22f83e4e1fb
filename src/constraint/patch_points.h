/* patch_points.h - selection of the points of a manifold that a contact patch uses. */
#ifndef RIGOR_PATCH_POINTS_H
#define RIGOR_PATCH_POINTS_H

#include "math/vec3.h"
#include "solver/patch_problem.h"

/* Points of a manifold with unit normal n: x midway between the surfaces, gap. count: 1 ... RG_PATCH_POINTS. Writes the
   numbers of the points to use, in ascending order except for the two ends of a line; returns how many. */
int rg_patch_points(const RgVec3 *x, const double *gap, int count, RgVec3 n, int chosen[RG_PATCH_POINTS]);

#endif
