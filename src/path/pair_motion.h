/*
 * pair_motion.h - relative motion of two convex shapes on their paths.
 */
#ifndef RIGOR_PAIR_MOTION_H
#define RIGOR_PAIR_MOTION_H

#include "geom/geometry.h"
#include "path/pair_path.h"

/* A moving convex shape. Points x of its core are at R x + p in the body's axes, from the body's centre of mass;
   without a path, R and p are the pose of the shape in the world. */
typedef struct RgMovingShape {
    const RgShape *shape;
    const RgBodyPath *path; /* NULL: fixed */
    RgMat3 R;
    RgVec3 p;
    double rounding; /* m: radius by which the core is grown */
    bool is_round;   /* the shape is the Minkowski sum of a polytope and an ellipsoid (cylinder, ellipsoid) */
    RgVec3 round;    /* half axes of that ellipsoid, along the axes of the shape */
    double reach;    /* m: distance of the core's farthest point from the centre; half-space: 0 */
    double turning[RG_PATH_DERIVATIVES]; /* RgBodyPath.turning */
} RgMovingShape;

/* Shape B in the frame of shape A at time s: a point x of B is at d + Q x. rate: of d; w: angular velocity of B against
   A; both in A's axes. */
typedef struct RgPairAt {
    double s;
    RgMat3 Q;
    RgVec3 d, rate, w;
} RgPairAt;

typedef struct RgPairMotion {
    RgMovingShape a, b;
    double h;
    double apart[RG_PATH_DERIVATIVES]; /* bounds of c_B - c_A and its derivatives */
    double speed;                      /* m/s: bound of the rate of the distance; infinite if a half-space turns */
    double round_off;                  /* m: of the height of a point of one shape over a plane of the other */
} RgPairMotion;

/* A moving part. part: a convex part of the geometry, or one of its triangles as a shape. */
RgMovingShape rg_mover(const RgPathShape *shape, const RgShape *part);
/* Computes the bounds of a pair from its members a and b, for a step of h. */
void rg_pair_motion(RgPairMotion *out, double h);

RgPairAt rg_pair_at(const RgPairMotion *m, double s);
RgPairAt rg_pair_at_swap(const RgPairAt *at); /* A in the frame of B */

/* Bound of the k-th derivative of the position, in the axes of `from`, of a point of `of` at distance reach from its
   centre. */
double rg_pair_derivative(const RgPairMotion *m, const RgMovingShape *from, const RgMovingShape *of, double reach,
                          int k);

/* The same for directions that are fixed in `of`. */
double rg_pair_turning(const RgMovingShape *from, const RgMovingShape *of, int k);

/* Proof for two convex shapes on [0, h], or on a shorter interval (convex_path.c). start: distance that determines the
   floor, m; NaN: the distance of the two at the start. */
RgStatus rg_convex_path_prove(const RgPairMotion *m, const RgPathRule *rule, double start, RgPathProof *proof);

/* Bound of the k-th derivative of a product from bounds of the derivatives of both factors. */
double rg_leibniz(const double a[RG_PATH_DERIVATIVES], const double b[RG_PATH_DERIVATIVES], int k);

#endif
