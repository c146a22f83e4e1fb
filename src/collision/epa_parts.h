/*
 * epa_parts.h - the difference of two shapes as a sum: each shape is an ellipsoid and a polytope
 * (RgShapeKind.round_part; with a core polytope: the ball of its rounding). The depth along the unit normal
 * n is
 *
 *   h(n) = |A n| + |B n| + max v.n          A, B: half axes;  v: corners of a polytope, A's less B's
 */
#ifndef RIGOR_EPA_PARTS_H
#define RIGOR_EPA_PARTS_H

#include "collision/gjk.h"
#include "math/unit.h"

typedef struct RgEpaParts {
    RgDifference *d;
    RgVec3 axes[2];           /* half axes of A and B, each along its shape's own */
    double least[2], most[2]; /* of the axes */
} RgEpaParts;

/* False: a kind does not say. */
bool rg_epa_parts(RgDifference *d, RgEpaParts *out);

/* The ellipsoids along n. */
typedef struct RgEpaRound {
    RgVec3 part[2];   /* A n, B n, in the shapes' frames */
    double length[2]; /* of them: how far the ellipsoids reach along n */
} RgEpaRound;
RgEpaRound rg_epa_round(const RgEpaParts *p, RgVec3 n);

/* The point of ellipsoid k farthest along n, in A's frame; zero where it is flat across n. */
RgVec3 rg_epa_round_point(const RgEpaParts *p, const RgEpaRound *round, int k);

/* A corner of the polytope that is farthest along n, or less far by round-off. */
typedef struct RgEpaCorner {
    RgVec3 v, a; /* a: A's part of it */
    int32_t va, vb;
    double depth; /* h(n) */
} RgEpaCorner;
RgEpaCorner rg_epa_corner(const RgEpaParts *p, RgVec3 n);

#endif
