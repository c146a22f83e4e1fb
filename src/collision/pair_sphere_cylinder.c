/*
 * pair_sphere_cylinder.c - a ball against a cylinder of radius r and half length h on B's z axis.
 *
 * With rho the distance of the centre from the axis, this is a point against the rectangle |rho| <= r, |z| <= h:
 *
 *   outside     d = |(max(rho - r, 0), max(|z| - h, 0))|      to the side, a cap or the rim
 *   inside      d = max(rho - r, |z| - h)                     the nearer of side and caps; a cap where equal
 *
 * For a centre on the axis +x of B is the radial direction; for one on the middle plane the upper cap is used.
 */
#include "collision/pair_answer.h"

RgStatus rg_pair_sphere_cylinder(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    double r = pair->b->size[0], h = 0.5 * pair->b->size[1];
    RgVec3 c = pair_ball_centre(pair), radial;
    double beyond_side = v3_unit(v3(c.x, c.y, 0.0), v3(1.0, 0.0, 0.0), &radial) - r;
    double beyond_cap = fabs(c.z) - h, up = c.z >= 0.0 ? 1.0 : -1.0;
    int32_t end = c.z >= 0.0 ? 0 : 1;

    PairPoint at = {0};
    if (beyond_side > 0.0 && beyond_cap > 0.0) {
        RgVec3 direction; /* radial, axial */
        at.distance = v3_unit(v3(beyond_side, beyond_cap, 0.0), v3(0.0, 1.0, 0.0), &direction);
        at.outward = v3(direction.x * radial.x, direction.x * radial.y, direction.y * up);
        at.feature = pair_feature(RG_FEATURE_EDGE, end);
    } else if (beyond_cap >= beyond_side) {
        at = (PairPoint){beyond_cap, v3(0.0, 0.0, up), pair_feature(RG_FEATURE_FACE, end), 0};
    } else {
        at = (PairPoint){beyond_side, radial, pair_feature(RG_FEATURE_FACE, 2), 0};
    }
    pair_ball_answer(pair, &at, r + h, out);
    return RG_OK;
}
