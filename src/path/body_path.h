/*
 * body_path.h - the curve on which a body moves from one state to the next in proofs and certificates.
 *
 * The centre of mass moves on a cubic through both positions and velocities; the rotation is R0 exp(w(s)) with w a
 * cubic through both orientations and angular velocities (body axes):
 *
 *   c(s) = c0 + c1 s + c2 s^2 + c3 s^3,   R(s) = R0 exp(w1 s + w2 s^2 + w3 s^3),   0 <= s <= h
 *
 * A height that is equal at both ends, with rate zero there, is constant to fourth order in h.
 */
#ifndef RIGOR_BODY_PATH_H
#define RIGOR_BODY_PATH_H

#include "math/pose.h"
#include "math/spatial.h"

/* A body at one end of an inner step. */
typedef struct RgBodyEnd {
    RgPose X_WB;     /* of the body's frame */
    RgVec3 centre;   /* of mass, world */
    RgVec3 velocity; /* of the centre: on the path, so before an impact at the end of the step */
    RgVec3 w;        /* angular velocity, world axes */
} RgBodyEnd;

/* The same with zero velocities. */
static inline RgBodyEnd rg_body_end_at_rest(RgBodyEnd end)
{
    return (RgBodyEnd){.X_WB = end.X_WB, .centre = end.centre};
}

#define RG_PATH_DERIVATIVES 5 /* derivatives 0 to 4 */

typedef struct RgBodyPath {
    double h;
    RgVec3 c[4]; /* coefficients of the centre */
    RgMat3 R0;
    RgVec3 w[4];     /* coefficients of the rotation vector, body axes; w[0] is zero */
    RgVec3 centre_B; /* centre of mass in the body's frame */
    /* Bounds on [0, h] of the k-th derivatives, k from 1: |c^(k)|, and the largest |R^(k) r| of a unit vector r.
       turning[0] is 1. */
    double travel[RG_PATH_DERIVATIVES], turning[RG_PATH_DERIVATIVES];
} RgBodyPath;

/* False: the body turns by about half a turn or more, or a number is not finite. */
bool rg_body_path_between(const RgBodyEnd *begin, const RgBodyEnd *end, double h, RgBodyPath *out);

/* A body on its path: orientation, centre of mass, and their rates; w_B in body axes. */
typedef struct RgBodyAt {
    RgMat3 R;
    RgVec3 centre, velocity, w_B;
} RgBodyAt;
RgBodyAt rg_body_path_at(const RgBodyPath *path, double s);

RgPose rg_body_path_pose(const RgBodyPath *path, double s);    /* of the body's frame */
RgMotion rg_body_path_twist(const RgBodyPath *path, double s); /* world axes, at the centre of mass */

/* Bounds on [0, h] of a cubic and its derivatives, by their Bernstein coefficients. */
void rg_cubic_bounds(const RgVec3 p[4], double h, double out[RG_PATH_DERIVATIVES]);

#endif
