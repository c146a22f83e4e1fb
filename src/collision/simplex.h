/*
 * simplex.h - up to four points of the difference D = B - A of two cores, and the point of their hull that is nearest
 * to the origin.
 */
#ifndef RIGOR_SIMPLEX_H
#define RIGOR_SIMPLEX_H

#include "math/vec3.h"

/* A point w = b - a of the difference, and the point a of A that belongs to it. va, vb: vertex indices, -1 for cores
   that are not polytopes. */
typedef struct RgSupport {
    RgVec3 w, a;
    int32_t va, vb;
} RgSupport;

typedef struct RgSimplex {
    RgSupport point[4];
    double weight[4]; /* barycentric, of `nearest`: positive, sum 1 */
    int32_t count;
    RgVec3 nearest;
    /* Of three points: direction of nearest, any length but zero, either sign. Normal of their plane, or along nearest
       if the triangle is small and far away. */
    RgVec3 normal;
} RgSimplex;

/* The point of a simplex nearest to the origin, and the points that support it. */
typedef struct RgNearest {
    double norm2;     /* squared distance; infinite: four points that contain the origin */
    RgVec3 x, normal; /* as in RgSimplex */
    double weight[4]; /* 0: the point is not needed */
} RgNearest;

/* The last point is the newest. Precondition for four points: the origin is on its side of the plane through the
   others. */
void rg_simplex_solve(const RgSimplex *s, RgNearest *out);

/* Removes the points with weight 0. */
void rg_simplex_keep(RgSimplex *s, const RgNearest *nearest);

/* Normal (q - p) x (r - p) of a triangle, from its two shorter sides. */
RgVec3 rg_triangle_normal(RgVec3 p, RgVec3 q, RgVec3 r);

#endif
