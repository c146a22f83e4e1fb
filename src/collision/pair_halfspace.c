/*
 * pair_halfspace.c - any bounded convex shape A against a half-space B, z . (x - p) <= 0 with z the third axis of B.
 *
 * The normal is that of the plane, so for separated and for overlapping shapes
 *
 *   d = min_{x in A} z . (x - p)      normal = -z
 *
 * The lowest point is the core's support point along -z, lowered by the rounding: where a face or an edge is parallel
 * to the plane, always the same corner of it. The feature is the one parallel to the plane.
 */
#include "collision/pair_box.h"

/* rad; a face or an edge within this angle of the plane counts as parallel to it: round-off of flat contacts, as in
   distance.c. */
#define PARALLEL_ANGLE 1e-7

static int side_of(double n)
{
    return fabs(n) <= PARALLEL_ANGLE ? 0 : n > 0.0 ? 1 : -1;
}

/* The feature of A parallel to the plane; for a box it follows from the signs of the normal. */
static RgFeature parallel_feature(const RgShape *a, RgVec3 n)
{
    if (a->core == NULL || !a->core->is_box)
        return rg_shape_feature(a, n, PARALLEL_ANGLE);
    return pair_box_feature((const int[3]){side_of(n.x), side_of(n.y), side_of(n.z)});
}

RgStatus rg_pair_any_halfspace(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    if (rg_shape_kind(pair->a->type)->support == NULL)
        return RG_ERR_UNSUPPORTED;
    double r = rg_shape_rounding(pair->a);
    RgVec3 n = v3_neg(m3_column(pair->X_AB.R, 2));
    int32_t vertex = -1;
    RgVec3 core = rg_core_support(pair->a, n, &vertex);
    out->distance = v3_dot(n, v3_sub(pair->X_AB.p, core)) - r;
    out->error = pair_rounding(pair, fabs(core.x) + fabs(core.y) + fabs(core.z) + r);
    out->normal = n;
    out->point_a = v3_axpy(r, n, core);
    out->point_b = v3_axpy(out->distance, n, out->point_a);
    out->feature_a = parallel_feature(pair->a, n);
    out->feature_b = pair_feature(RG_FEATURE_FACE, 0);
    out->iterations = 0;
    return RG_OK;
}
