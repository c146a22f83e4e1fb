/*
 * separation.h - exact distance of two convex pieces, by another method than the library's own.
 */
#ifndef RIGOR_SEPARATION_H
#define RIGOR_SEPARATION_H

#include "verify/piece.h"

/* What the plane between the nearest points is a face of. */
typedef enum RgPlaneOf { RG_PLANE_ANY, RG_PLANE_OF_A, RG_PLANE_OF_B, RG_PLANE_OF_EDGES } RgPlaneOf;

typedef struct RgSeparation {
    double distance; /* m; < 0: depth of the least translation that parts them (see separation.c) */
    double error;    /* m: between the best plane and the nearest points that were found */
    RgVec3 normal;   /* unit, from A to B: of the best plane */
    RgPlaneOf plane;
    RgVec3 line_a[2], line_b[2]; /* RG_PLANE_OF_EDGES: their ends, in the bodies' frames */
} RgSeparation;

/* One of the two may be a half-space. */
RgSeparation rg_separation(const RgPlacedPiece *a, const RgPlacedPiece *b);

/* Distance along the unit vector n (world axes, from A to B) between the planes across it that touch A and B: at most
   their distance, whatever n is. Not of half-spaces. */
double rg_separation_along(const RgPlacedPiece *a, const RgPlacedPiece *b, RgVec3 n);

#endif
