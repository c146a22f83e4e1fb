/*
 * epa.h - how deep two cores overlap: the point of the surface of their difference that is nearest to the
 * origin.
 */
#ifndef RIGOR_EPA_H
#define RIGOR_EPA_H

#include "collision/gjk.h"

/* What is known of the depth: lower <= depth <= upper. upper is the depth along normal (the least along n of
   D is -upper), lower that of a polytope inside D. */
typedef struct RgEpa {
    RgSupport point[3]; /* the face of the polytope that is nearest to the origin; count of them */
    double weight[3];   /* of its nearest point */
    int32_t count;
    RgVec3 normal; /* unit, from A to B */
    double lower, upper;
} RgEpa;

/* start: a simplex that has the origin in it to within round-off, as rg_gjk leaves it. guess: where to look
   first if every direction is as good, any length. */
void rg_epa(RgDifference *d, const RgSimplex *start, RgVec3 guess, RgEpa *out);

/* Sets points and weights: of the hull of count points, the point nearest to that of the answer (-upper
   normal). Returns how far that is. */
double rg_epa_weigh(RgEpa *out, const RgSupport *point, int32_t count);

/* A depth that the pair has at least, from simple bodies inside D; 0: nothing found. a, b: points of the
   answer on the cores. For curved cores. */
double rg_inner_depth(const RgConvexPair *pair, RgVec3 a, RgVec3 b);

/* Tries the normals that two bodies with an axis are likely to have. */
void rg_epa_try_axes(RgDifference *d, RgEpa *out);

/* Improves normal, upper and points of an answer by local descent; for curved cores. */
void rg_epa_descend(RgDifference *d, RgEpa *out);

#endif
