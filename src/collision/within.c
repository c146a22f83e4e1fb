/*
 * within.c - tests whether two shapes come within a margin of each other, without computing their distance.
 *
 *   not within:  a plane of normal n separates them by more than the margin,   min_B n.b - max_A n.a > margin
 *   within:      two points, one of each, are that near, or the shapes overlap
 *
 * Both occur during the computation of the distance, mostly long before its end: GJK stops at the first plane or the
 * first simplex that decides (rg_gjk_reach). For geometries of parts, the pairs of parts with near boxes are tested.
 * Distances too close to the margin for the round-off, surfaces, half-spaces, and margins deeper than the cores overlap
 * are decided by rg_distance, so that the result always agrees with it.
 *
 * Cost: one or two support queries for well separated shapes.
 */
#include "collision/gjk.h"
#include "collision/manifold.h"

/* Spheres and boxes decide if they are separated by more than this fraction of the lengths involved. */
#define DECISION_MARGIN 1e-12

/* The query in A's frame. */
typedef struct Within {
    const RgGeometry *a, *b;
    RgPose X_AB;
    double margin;
    RgPairCache *cache; /* may be NULL */
} Within;

static bool spheres_apart(const Within *q)
{
    double radii = q->a->radius + q->b->radius, reach = radii + q->margin;
    RgVec3 b = pose_apply(q->X_AB, q->b->centre), c = v3_sub(b, q->a->centre);
    double lengths = radii + fabs(q->margin) + v3_norm(b) + v3_norm(q->X_AB.p) + v3_norm(q->a->centre);
    double spare = reach + DECISION_MARGIN * lengths;
    return spare >= 0.0 && v3_norm2(c) > spare * spare;
}

static bool intervals_apart(double low_a, double high_a, double low_b, double high_b, double margin)
{
    double gap = low_b - high_a > low_a - high_b ? low_b - high_a : low_a - high_b;
    return gap > margin + DECISION_MARGIN * (fabs(low_a) + fabs(high_a) + fabs(low_b) + fabs(high_b));
}

static bool boxes_apart(const RgBounds *a, const RgBounds *b, double margin)
{
    return intervals_apart(a->low.x, a->high.x, b->low.x, b->high.x, margin) ||
           intervals_apart(a->low.y, a->high.y, b->low.y, b->high.y, margin) ||
           intervals_apart(a->low.z, a->high.z, b->low.z, b->high.z, margin);
}

/* Tests one pair of parts. */
static RgReach test_pair(const Within *q, int32_t i, int32_t j)
{
    RgConvexPair pair = {&q->a->parts[i], &q->b->parts[j], q->X_AB};
    RgDifference d;
    if (!rg_difference_init_unshaved(&d, &pair))
        return RG_REACH_UNDECIDED;
    double reach = q->margin + d.round_a + d.round_b;
    if (!(reach >= 0.0))
        return RG_REACH_UNDECIDED;

    bool use_cache =
        q->cache != NULL && q->cache->part_a == i && q->cache->part_b == j && v3_norm2(q->cache->axis_A) > 0.0;
    RgVec3 start = use_cache ? q->cache->axis_A : q->X_AB.p, axis;
    if (!(v3_norm2(start) > 0.0))
        start = v3(1.0, 0.0, 0.0);
    RgReach answer = rg_gjk_reach(&d, start, reach, &axis);
    double length = v3_norm(axis);
    if (q->cache != NULL && answer == RG_REACH_BEYOND && length > 0.0 && isfinite(length)) {
        q->cache->axis_A = v3_scale(1.0 / length, axis);
        q->cache->part_a = i;
        q->cache->part_b = j;
    }
    return answer;
}

/* Tests all pairs of parts. */
static RgReach test_all_pairs(const Within *q)
{
    if (q->a->nparts == 1 && q->b->nparts == 1)
        return test_pair(q, 0, 0);
    RgReach answer = RG_REACH_BEYOND;
    for (int32_t j = 0; j < q->b->nparts; j++) {
        RgBounds box = rg_bounds_rotate(&q->X_AB, &q->b->part_bounds[j]);
        for (int32_t i = 0; i < q->a->nparts; i++) {
            if (boxes_apart(&q->a->part_bounds[i], &box, q->margin))
                continue;
            RgReach found = test_pair(q, i, j);
            if (found == RG_REACH_WITHIN)
                return found;
            if (found == RG_REACH_UNDECIDED)
                answer = found;
        }
    }
    return answer;
}

RgStatus rg_within(const RgPlaced *a, const RgPlaced *b, double margin, RgPairCache *cache, bool *within)
{
    if (a == NULL || b == NULL || within == NULL || a->geometry == NULL || b->geometry == NULL || isnan(margin))
        return RG_ERR_ARGUMENT;
    *within = false;
    if (!rg_pose_reachable(&a->X_WG) || !rg_pose_reachable(&b->X_WG))
        return RG_ERR_NOT_FINITE;
    bool swap = cache != NULL && rg_placed_after(a, b);
    const RgPlaced *first = swap ? b : a, *second = swap ? a : b;
    const RgGeometry *ga = first->geometry, *gb = second->geometry;
    bool bounded = isfinite(ga->radius + gb->radius) && isfinite(margin);
    if (bounded && ga->surface == NULL && gb->surface == NULL) {
        Within q = {ga, gb, pose_relative(first->X_WG, second->X_WG), margin, cache};
        RgReach answer = spheres_apart(&q) ? RG_REACH_BEYOND : test_all_pairs(&q);
        *within = answer == RG_REACH_WITHIN;
        if (answer != RG_REACH_UNDECIDED)
            return RG_OK;
    }
    RgDistance at;
    RgStatus status = rg_distance(a, b, cache, &at);
    *within = (status == RG_OK || status == RG_ERR_NOT_CONVERGED) && at.distance <= margin;
    return status;
}
