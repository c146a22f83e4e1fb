/*
 * pair_sphere_capsule.c - a ball against all points within r_B of a segment on B's z axis.
 *
 * The nearest point of the segment has the centre's z, clamped to its ends. For a centre on the segment all directions
 * perpendicular to the axis are equally near; +x of B is used.
 */
#include "collision/pair_answer.h"

RgStatus rg_pair_sphere_capsule(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    double r = pair->b->size[0], half = 0.5 * pair->b->size[1];
    RgVec3 c = pair_ball_centre(pair);
    RgVec3 w = v3(c.x, c.y, c.z - pair_clamp(c.z, -half, half));
    PairPoint at = {.feature = pair_feature(RG_FEATURE_EDGE, 0)};
    if (c.z >= half || c.z <= -half)
        at.feature = pair_feature(RG_FEATURE_VERTEX, c.z >= half ? 1 : 0);
    at.distance = v3_unit(w, v3(1.0, 0.0, 0.0), &at.outward) - r;
    pair_ball_answer(pair, &at, r + half, out);
    return RG_OK;
}
