/*
 * simplex.h - up to four points of the difference D = B - A of two cores, and the point of their hull that is
 * nearest to the origin.
 */
#ifndef RIGOR_SIMPLEX_H
#define RIGOR_SIMPLEX_H

#include "math/vec3.h"

/* A point w = b - a of the difference, and the point a of A that it came from. va, vb: numbers of the
   vertices, -1 for cores that are no polytopes. */
typedef struct RgSupport {
    RgVec3 w, a;
    int32_t va, vb;
} RgSupport;

typedef struct RgSimplex {
    RgSupport point[4];
    double weight[4]; /* of the points in nearest: positive, sum 1 */
    int32_t count;
    RgVec3 nearest;
    /* Three points: direction of nearest, of any length but zero, on either side. Across their plane, or
       along nearest where the triangle is small and far away. */
    RgVec3 normal;
} RgSimplex;

/* The nearest point to the origin of a simplex, and which points carry it. */
typedef struct RgNearest {
    double norm2;     /* squared distance; infinite: four points with the origin inside */
    RgVec3 x, normal; /* as in RgSimplex */
    double weight[4]; /* 0: the point is not needed */
} RgNearest;

/* The last point is the newest: with four points, the origin is known to lie on its side of the plane through
   the others. */
void rg_simplex_solve(const RgSimplex *s, RgNearest *out);

/* Keeps the points that carry the answer. */
void rg_simplex_keep(RgSimplex *s, const RgNearest *nearest);

/* Normal (q - p) x (r - p) of a triangle, from its shorter sides. */
RgVec3 rg_triangle_normal(RgVec3 p, RgVec3 q, RgVec3 r);

#endif
