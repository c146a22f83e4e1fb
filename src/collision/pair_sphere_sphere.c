/*
 * pair_sphere_sphere.c - two balls: d = |p| - r_A - r_B along p, the vector from centre to centre.
 *
 * For concentric balls all directions are equal; +z of A is used.
 */
#include "collision/pair_answer.h"

RgStatus rg_pair_sphere_sphere(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    double r_A = pair->a->size[0], r_B = pair->b->size[0];
    RgVec3 n;
    double apart = v3_unit(pair->X_AB.p, v3(0.0, 0.0, 1.0), &n);
    out->distance = apart - (r_A + r_B);
    out->error = pair_rounding(pair, r_A + r_B);
    out->normal = n;
    out->point_a = v3_scale(r_A, n);
    out->point_b = v3_scale(apart - r_B, n);
    out->feature_a = out->feature_b = pair_feature(RG_FEATURE_VERTEX, 0);
    out->iterations = 0;
    return RG_OK;
}
