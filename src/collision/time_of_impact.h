/*
 * time_of_impact.h - the exact first time of two convex shapes, for the search over parts and triangles.
 */
#ifndef RIGOR_TIME_OF_IMPACT_H
#define RIGOR_TIME_OF_IMPACT_H

#include "collision/impact_plane.h"

/* Where to look: start <= t <= end, for a distance of at most gap. */
typedef struct RgImpactWindow {
    double start, end, gap;
    int32_t max_iterations;
} RgImpactWindow;

/* First time in the window; out->at is left alone, and out->time is end where nothing is hit. iterations
   counts the distances asked. RG_ERR_NOT_CONVERGED: out of iterations; out is a hit at a time that is not
   late. */
RgStatus rg_impact_exact(const RgMovingShape *a, const RgMovingShape *b, const RgImpactWindow *window, RgImpact *out);

#endif
