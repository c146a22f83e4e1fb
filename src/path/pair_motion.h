/*
 * pair_motion.h - two convex shapes on their paths, the one seen from the other.
 */
#ifndef RIGOR_PAIR_MOTION_H
#define RIGOR_PAIR_MOTION_H

#include "geom/geometry.h"
#include "path/pair_path.h"

/* A convex shape that moves. Its core's points are R x + p in the body's axes, from the body's centre of mass; where
   there is no path, R and p are those of the shape in the world. */
typedef struct RgMover {
    const RgShape *shape;
    const RgBodyPath *path; /* NULL: stands still */
    RgMat3 R;
    RgVec3 p;
    double rounding;
    bool is_round; /* the shape is a polytope, not known, and an ellipsoid added: half axes along those of the shape */
    RgVec3 round;
    double reach;                        /* of the core's farthest point from the centre; half-space: 0 */
    double turning[RG_PATH_DERIVATIVES]; /* as of the path; [0] is 1 */
} RgMover;

/* Shape B as seen from shape A at time s: a point x of B is at d + Q x; rates in A's axes, w = angular velocity. */
typedef struct RgPairAt {
    double s;
    RgMat3 Q;
    RgVec3 d, rate, w;
} RgPairAt;

typedef struct RgPairMotion {
    RgMover a, b;
    double h;
    double apart[RG_PATH_DERIVATIVES]; /* bounds of c_B - c_A and its derivatives */
    double speed;                      /* m/s: bound of the rate of the distance; infinite where a half-space turns */
    double round_off;                  /* m: of any height of a point of one over a plane of the other */
} RgPairMotion;

/* part: a convex part of the geometry, or one of its triangles as a shape. */
RgMover rg_mover(const RgPathShape *shape, const RgShape *part);
void rg_pair_motion(RgPairMotion *out, double h);

RgPairAt rg_pair_at(const RgPairMotion *m, double s);
RgPairAt rg_pair_at_swap(const RgPairAt *at); /* A as seen from B */

/* Bound of the k-th derivative of where a point of `of`, reach away from its centre, is in `from`'s axes. */
double rg_pair_derivative(const RgPairMotion *m, const RgMover *from, const RgMover *of, double reach, int k);

/* The same for directions that are fixed in `of`. */
double rg_pair_turning(const RgMover *from, const RgMover *of, int k);

/* Two convex shapes: the proof on [0, h], or as far as it goes (convex_path.c). start: distance that decides the floor;
   NaN: their own. */
RgStatus rg_convex_path_prove(const RgPairMotion *m, const RgPathRule *rule, double start, RgPathProof *proof);

/* The same for a product of two, by the bounds of both. */
double rg_leibniz(const double a[RG_PATH_DERIVATIVES], const double b[RG_PATH_DERIVATIVES], int k);

#endif
