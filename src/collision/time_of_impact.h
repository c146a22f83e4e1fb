/*
 * time_of_impact.h - exact time of impact of two convex shapes, for the search over parts and triangles.
 */
#ifndef RIGOR_TIME_OF_IMPACT_H
#define RIGOR_TIME_OF_IMPACT_H

#include "collision/impact_plane.h"

/* Time window start <= t <= end, s, and the distance that counts as impact, m. */
typedef struct RgImpactWindow {
    double start, end, gap;
    int32_t max_iterations;
} RgImpactWindow;

/* First impact in the window. out->at is not set; out->time is `end` if there is no impact. iterations counts the
   distance evaluations. RG_ERR_NOT_CONVERGED: max_iterations reached; out is then a hit at a time not later than the
   true one. */
RgStatus rg_impact_exact(const RgSweptShape *a, const RgSweptShape *b, const RgImpactWindow *window, RgImpact *out);

#endif
