/*
 * epa.h - penetration depth of two cores: the point on the surface of their difference that is nearest to the origin.
 */
#ifndef RIGOR_EPA_H
#define RIGOR_EPA_H

#include "collision/gjk.h"

/* Bounds of the depth: lower <= depth <= upper. upper is the depth along `normal` (the least point of D along it is at
   -upper); lower is the depth of a polytope inside D. */
typedef struct RgEpa {
    RgSupport point[3]; /* the face of the polytope nearest to the origin; count points */
    double weight[3];   /* barycentric weights of its nearest point */
    int32_t count;
    RgVec3 normal; /* unit, from A to B */
    double lower, upper;
    bool done; /* the polytope equals D near the result, to within the tolerance; false: better points exist */
} RgEpa;

/* start: a simplex that contains the origin to within round-off, as rg_gjk leaves it. guess: the first search direction
   if all directions are equal, any length. */
void rg_epa(RgDifference *d, const RgSimplex *start, RgVec3 guess, RgEpa *out);

/* Sets points and weights: the point of the hull of count points that is nearest to the result (-upper normal). Returns
   the distance of the two. */
double rg_epa_set_weights(RgEpa *out, const RgSupport *point, int32_t count);

/* Adds a point to those of the result (none, one or two), or replaces one of three, if that reduces the distance of
   their nearest point from the result. off: that distance before. Returns it after. */
double rg_epa_add_point(RgEpa *out, const RgSupport *w, double off);

/* Improves normal, upper and points by local descent; for curved cores. */
void rg_epa_descend(RgDifference *d, RgEpa *out);

/* Proves that no normal has a depth less than the result by more than the tolerance, and raises lower to that bound.
   Updates the result if a better one is found. Returns false if the proof fails; lower is then unchanged. */
bool rg_epa_prove(RgDifference *d, double tolerance, RgEpa *out);

/* Refines normal, upper and points to round-off, for kinds with a known round part. */
void rg_epa_polish(RgDifference *d, RgEpa *out);

#endif
