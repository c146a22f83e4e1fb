/*
 * pair_answer.h - shared by the closed forms: round-off bounds, and the result for a ball.
 *
 * Ball of radius r about A's origin against any convex B: all witness points lie on one line through the centre. With s
 * the signed distance of the centre from B and n the unit vector from the centre towards B,
 *
 *   distance = s - r      point_a = r n      point_b = s n
 */
#ifndef RIGOR_PAIR_ANSWER_H
#define RIGOR_PAIR_ANSWER_H

#include "collision/pair_table.h"
#include "math/unit.h"

#include <float.h>

/* Round-off of a closed form, as a fraction of the lengths involved: rotation of a point (3 roundings per coordinate),
   differences, a norm, two radii: fewer than 16 roundings of DBL_EPSILON/2 each. */
#define PAIR_ROUNDING (8.0 * DBL_EPSILON)

static inline double pair_clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static inline RgFeature pair_feature(RgFeatureKind kind, int32_t index)
{
    return (RgFeature){kind, index};
}

/* Round-off of a pair, m: relative to the distance of the origins plus the extents given. */
static inline double pair_rounding(const RgConvexPair *pair, double extents)
{
    RgVec3 p = pair->X_AB.p;
    return PAIR_ROUNDING * (fabs(p.x) + fabs(p.y) + fabs(p.z) + extents);
}

/* The centre of A, a ball, in B's frame. */
static inline RgVec3 pair_ball_centre(const RgConvexPair *pair)
{
    return v3_neg(m3_apply_t(pair->X_AB.R, pair->X_AB.p));
}

/* Distance of a point from a convex shape, in the shape's frame. */
typedef struct PairPoint {
    double distance; /* m, < 0 inside */
    RgVec3 outward;  /* unit normal of the shape at its nearest boundary point */
    RgFeature feature;
    int32_t iterations;
} PairPoint;

/* Result for ball A against B. extents: sum of B's sizes, m. */
static inline void pair_ball_answer(const RgConvexPair *pair, const PairPoint *at, double extents, RgDistance *out)
{
    double r = pair->a->size[0];
    RgVec3 n = v3_neg(m3_apply(pair->X_AB.R, at->outward));
    out->distance = at->distance - r;
    out->error = pair_rounding(pair, r + extents);
    out->normal = n;
    out->point_a = v3_scale(r, n);
    out->point_b = v3_scale(at->distance, n);
    out->feature_a = pair_feature(RG_FEATURE_VERTEX, 0);
    out->feature_b = at->feature;
    out->iterations = at->iterations;
}

#endif
