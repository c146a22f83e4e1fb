/*
 * epa_parts.h - the difference of two shapes as a sum: each shape is the Minkowski sum of an ellipsoid and a polytope
 * (RgShapeKind.round_part; with a core polytope, the ellipsoid is the ball of its rounding). The depth along the unit
 * normal n is
 *
 *   h(n) = |A n| + |B n| + max v.n          A, B: half axes;  v: corners of a polytope, A's less B's
 */
#ifndef RIGOR_EPA_PARTS_H
#define RIGOR_EPA_PARTS_H

#include "collision/gjk.h"
#include "math/unit.h"

typedef struct RgEpaParts {
    RgDifference *d;
    RgVec3 axes[2];           /* half axes of A and B, along the axes of each shape */
    double least[2], most[2]; /* shortest and longest half axis */
} RgEpaParts;

/* Returns false if a kind does not define its round part. */
bool rg_epa_parts(RgDifference *d, RgEpaParts *out);

/* Support of the ellipsoids along n. */
typedef struct RgEpaRound {
    RgVec3 part[2];   /* A n, B n, in the shapes' own frames */
    double length[2]; /* |A n|, |B n|: reach of the ellipsoids along n */
} RgEpaRound;
RgEpaRound rg_epa_round(const RgEpaParts *p, RgVec3 n);

/* The point of ellipsoid k farthest along n, in A's frame; zero if the ellipsoid has no extent along n. */
RgVec3 rg_epa_round_point(const RgEpaParts *p, const RgEpaRound *round, int k);

/* A corner of the polytope that is farthest along n, up to round-off. */
typedef struct RgEpaCorner {
    RgVec3 v, a; /* a: the part that belongs to A */
    int32_t va, vb;
    double depth; /* h(n) */
} RgEpaCorner;
RgEpaCorner rg_epa_corner(const RgEpaParts *p, RgVec3 n);

#endif
