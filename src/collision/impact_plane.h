/*
 * impact_plane.h - planes that turn at a constant rate, and how long they keep two moving convex shapes
 * apart.
 */
#ifndef RIGOR_IMPACT_PLANE_H
#define RIGOR_IMPACT_PLANE_H

#include "collision/motion_bound.h"

/* A convex shape that moves with a sweep. */
typedef struct RgMovingShape {
    const RgSweep *sweep;
    const RgShape *shape; /* in the frame of the sweep's geometry */
    double rounding;      /* of the shape's kind */
    double reach;         /* of its core from the centre of the turn */
    double extent;        /* |its numbers|, m: what round-off is in proportion to */
} RgMovingShape;
RgMovingShape rg_moving_shape(const RgSweep *sweep, const RgShape *shape);

/* One of them at a time t, in world axes. */
typedef struct RgMoved {
    const RgMovingShape *m;
    RgTurned turned;
    int32_t vertex; /* where the search for the farthest one begins; -1: anywhere */
} RgMoved;

/* Both at the time t. */
typedef struct RgMovedPair {
    RgMoved a, b;
    RgVec3 apart, rate; /* centre of b less centre of a, and its velocity */
    double t;
    double round_off; /* m; bound on the error of a gap computed at t, and of the whole way there */
} RgMovedPair;
RgMovedPair rg_moved_pair(const RgMovingShape *a, const RgMovingShape *b, double t);

/* A plane's unit normal, from A to B, and its angular velocity: n(t + s) = exp(s w) n. */
typedef struct RgTurningPlane {
    RgVec3 n, w;
} RgTurningPlane;

/* Gap of the cores across the normal: min n.b - max n.a, less than their distance or equal to it. And its
   rate, of the two points that are nearest now. */
typedef struct RgPlaneGap {
    double gap, rate;
} RgPlaneGap;
RgPlaneGap rg_plane_gap(RgMovedPair *pair, const RgTurningPlane *plane);

/* Bounds within a window after now: g' >= -fall for the gap g, |g_ab''| <= bend for any two points a, b. */
typedef struct RgPlaneBounds {
    double fall, bend;
    double window;
    bool grows; /* with the window */
} RgPlaneBounds;
RgPlaneBounds rg_plane_bounds(const RgMovedPair *pair, const RgTurningPlane *plane, double window);

/* How long, at most window seconds, the gap that is `now` stays above level for certain: every time in
   between too. 0 where it is not above level. */
double rg_plane_step(RgMovedPair *pair, const RgTurningPlane *plane, RgPlaneGap now, double level, double window);

/* The same by the bound of the rate alone: conservative advancement. */
double rg_plane_wait(const RgMovedPair *pair, const RgTurningPlane *plane, RgPlaneGap now, double level, double window);

#endif
