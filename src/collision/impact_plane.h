/*
 * impact_plane.h - planes that rotate at a constant rate, and how long they keep two moving convex shapes separated.
 */
#ifndef RIGOR_IMPACT_PLANE_H
#define RIGOR_IMPACT_PLANE_H

#include "collision/motion_bound.h"

/* A convex shape that moves with a sweep. */
typedef struct RgSweptShape {
    const RgSweep *sweep;
    const RgShape *shape; /* in the frame of the sweep's geometry */
    double rounding;      /* of the shape's kind, m */
    double reach;         /* of its core from the centre of rotation, m */
    double extent;        /* sum of its coordinates' sizes, m: scale of the round-off */
} RgSweptShape;
RgSweptShape rg_swept_shape(const RgSweep *sweep, const RgShape *shape);

/* One moving shape at a time t, in world axes. */
typedef struct RgShapeAtTime {
    const RgSweptShape *m;
    RgSweepRotation turned;
    int32_t vertex; /* start of the search for the support vertex; -1: none */
} RgShapeAtTime;

/* Both shapes at the time t. */
typedef struct RgPairAtTime {
    RgShapeAtTime a, b;
    RgVec3 apart, rate; /* centre of b minus centre of a, and its velocity */
    double t;
    double round_off; /* m; bound of the error of a gap computed at t, and of the motion up to t */
} RgPairAtTime;
RgPairAtTime rg_pair_at_time(const RgSweptShape *a, const RgSweptShape *b, double t);

/* A plane's unit normal, from A to B, and its angular velocity: n(t + s) = exp(s w) n. */
typedef struct RgTurningPlane {
    RgVec3 n, w;
} RgTurningPlane;

/* Gap of the cores along the normal, min n.b - max n.a: at most their distance. rate: its derivative for the two points
   that are nearest at this time. */
typedef struct RgPlaneGap {
    double gap, rate;
} RgPlaneGap;
RgPlaneGap rg_plane_gap(RgPairAtTime *pair, const RgTurningPlane *plane);

/* Bounds within a time window from now: g' >= -fall for the gap g, |g_ab''| <= bend for any two points a, b. */
typedef struct RgPlaneBounds {
    double fall, bend;
    double window;
    bool grows; /* the bounds grow with the window */
} RgPlaneBounds;
RgPlaneBounds rg_plane_bounds(const RgPairAtTime *pair, const RgTurningPlane *plane, double window);

/* Time, at most `window` seconds, during which the gap (now: its current value) is certain to stay above level. 0 if it
   is not above level now. */
double rg_plane_step(RgPairAtTime *pair, const RgTurningPlane *plane, RgPlaneGap now, double level, double window);

/* The same by the bound of the rate alone: conservative advancement. */
double rg_plane_conservative_step(const RgPairAtTime *pair, const RgTurningPlane *plane, RgPlaneGap now, double level,
                                  double window);

#endif
