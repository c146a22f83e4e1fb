/*
 * pair_halfspace.c - any bounded convex shape A against a half-space B, z . (x - p) <= 0 with z the third
 * axis of B.
 *
 * There is one plane to ask, so that for separated and for overlapping shapes
 *
 *   d = min_{x in A} z . (x - p)      normal = -z
 *
 * The lowest point is the core's support along -z, lowered by its rounding: a corner where a face or an edge
 * lies along the plane, always the same one. The feature is what lies along the plane.
 */
#include "collision/pair_box.h"

/* rad; a face or an edge this near to the plane lies along it: what round-off makes of flat ones, as in
   distance.c. */
#define HALFSPACE_ALONG 1e-7

/* All but the feature of A. */
static void lowest(const RgConvexPair *pair, RgDistance *out)
{
    const RgShapeKind *kind = rg_shape_kind(pair->a->type);
    double r = kind->rounding != NULL ? kind->rounding(pair->a) : 0.0;
    RgVec3 n = v3_neg(m3_column(pair->X_AB.R, 2));
    int32_t vertex = -1;
    RgVec3 core = kind->core_support(pair->a, n, &vertex);
    out->distance = v3_dot(n, v3_sub(pair->X_AB.p, core)) - r;
    out->error = pair_rounding(pair, fabs(core.x) + fabs(core.y) + fabs(core.z) + r);
    out->normal = n;
    out->point_a = v3_axpy(r, n, core);
    out->point_b = v3_axpy(out->distance, n, out->point_a);
    out->feature_b = pair_feature(RG_FEATURE_FACE, 0);
    out->iterations = 0;
}

#define PAIR_HALFSPACE(kind)                                                                                 \
    RgStatus rg_pair_##kind##_halfspace(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)       \
    {                                                                                                        \
        (void)cache;                                                                                         \
        lowest(pair, out);                                                                                   \
        out->feature_a = rg_shape_feature(pair->a, out->normal, HALFSPACE_ALONG);                            \
        return RG_OK;                                                                                        \
    }

PAIR_HALFSPACE(sphere)
PAIR_HALFSPACE(capsule)
PAIR_HALFSPACE(cylinder)
PAIR_HALFSPACE(ellipsoid)
PAIR_HALFSPACE(polytope)

static int side_of(double n)
{
    return fabs(n) <= HALFSPACE_ALONG ? 0 : n > 0.0 ? 1 : -1;
}

/* What lies along the plane is read off the normal. */
RgStatus rg_pair_box_halfspace(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    lowest(pair, out);
    int side[3] = {side_of(out->normal.x), side_of(out->normal.y), side_of(out->normal.z)};
    out->feature_a = pair_box_feature(side);
    return RG_OK;
}
