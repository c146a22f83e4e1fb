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
    bool done; /* the polytope is D near the answer, to within the tolerance; else there are better points */
} RgEpa;

/* start: a simplex that has the origin in it to within round-off, as rg_gjk leaves it. guess: where to look
   first if every direction is as good, any length. */
void rg_epa(RgDifference *d, const RgSimplex *start, RgVec3 guess, RgEpa *out);

/* Sets points and weights: of the hull of count points, the point nearest to that of the answer (-upper
   normal). Returns how far that is. */
double rg_epa_weigh(RgEpa *out, const RgSupport *point, int32_t count);

/* Puts a point with those of the answer (none, one or two), or in the place of one of three, where that makes
   their nearest point less off. Returns how far it is off. */
double rg_epa_add_point(RgEpa *out, const RgSupport *w, double off);

/* Improves normal, upper and points of an answer by local descent; for curved cores. */
void rg_epa_descend(RgDifference *d, RgEpa *out);

/* Shows that no normal is less deep than the answer by more than the tolerance, and raises lower to that;
   finds the better answer where there is one. False: lower is as it was. */
bool rg_epa_prove(RgDifference *d, double tolerance, RgEpa *out);

/* Normal, upper and points of an answer to the last digits, where the kinds tell their parts. */
void rg_epa_polish(RgDifference *d, RgEpa *out);

#endif
