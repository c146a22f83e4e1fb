/*
 * separation.h - exact distance of two convex pieces, by another method than that of src/collision.
 */
#ifndef RIGOR_SEPARATION_H
#define RIGOR_SEPARATION_H

#include "verify/piece.h"

typedef struct RgSeparation {
    double distance; /* m; < 0: minus the length of the least translation that separates them (see separation.c) */
    double error;    /* m: difference of the nearest points found and the best separating plane */
    RgVec3 normal;   /* unit, from A to B: of the best plane */
    /* The features of the nearest points: number of their corners (1: a corner, 2: an edge, 3: a face), and the first
       two corners in the bodies' frames. 0: not known, since the two overlap or one is a half-space. */
    int ncorners_a, ncorners_b;
    RgVec3 corner_a[2], corner_b[2];
} RgSeparation;

/* One of the two may be a half-space. */
RgSeparation rg_separation(const RgPlacedPiece *a, const RgPlacedPiece *b);

/* Separation along the unit vector n (world axes, from A to B): min n.b - max n.a. A lower bound of the distance for
   any n. Not for half-spaces. */
double rg_separation_along(const RgPlacedPiece *a, const RgPlacedPiece *b, RgVec3 n);

#endif
