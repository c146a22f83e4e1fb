/*
 * separation.h - exact distance of two convex pieces, by another method than the library's own.
 */
#ifndef RIGOR_SEPARATION_H
#define RIGOR_SEPARATION_H

#include "verify/piece.h"

typedef struct RgSeparation {
    double distance; /* m; < 0: depth of the least translation that parts them (see separation.c) */
    double error;    /* m: between the best plane and the nearest points that were found */
    RgVec3 normal;   /* unit, from A to B: of the best plane */
    /* The corners that carry the nearest points: how many of A and of B (1: a corner, 2: an edge, 3: a face), and the
       first two of each in the bodies' frames. 0: not known, the two overlap or one is a half-space. */
    int ncorners_a, ncorners_b;
    RgVec3 corner_a[2], corner_b[2];
} RgSeparation;

/* One of the two may be a half-space. */
RgSeparation rg_separation(const RgPlacedPiece *a, const RgPlacedPiece *b);

/* Distance along the unit vector n (world axes, from A to B) between the planes across it that touch A and B: at most
   their distance, whatever n is. Not of half-spaces. */
double rg_separation_along(const RgPlacedPiece *a, const RgPlacedPiece *b, RgVec3 n);

#endif
