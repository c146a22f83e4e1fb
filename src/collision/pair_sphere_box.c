/*
 * pair_sphere_box.c - a ball against a box of half lengths h.
 *
 *   outside     d = |e|,  e_i = c_i - clamp(c_i, -h_i, h_i), the vector from the box to the centre
 *   inside      d = max_i |c_i| - h_i, out through the nearest face
 *
 * Of equally near faces the first of x, y, z is used, + before -.
 */
#include "collision/pair_box.h"

static int side_of(double excess)
{
    return (excess > 0.0) - (excess < 0.0);
}

RgStatus rg_pair_sphere_box(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    const double *size = pair->b->size;
    RgVec3 h = v3(0.5 * size[0], 0.5 * size[1], 0.5 * size[2]), c = pair_ball_centre(pair);
    RgVec3 e = v3(c.x - pair_clamp(c.x, -h.x, h.x), c.y - pair_clamp(c.y, -h.y, h.y), c.z - pair_clamp(c.z, -h.z, h.z));
    int side[3] = {side_of(e.x), side_of(e.y), side_of(e.z)};

    PairPoint at = {0};
    at.distance = v3_unit(e, v3_zero(), &at.outward);
    if (at.distance == 0.0) {
        double beyond[3] = {fabs(c.x) - h.x, fabs(c.y) - h.y, fabs(c.z) - h.z};
        int axis = beyond[1] > beyond[0] ? 1 : 0;
        axis = beyond[2] > beyond[axis] ? 2 : axis;
        side[0] = side[1] = side[2] = 0;
        side[axis] = v3_at(c, axis) >= 0.0 ? 1 : -1;
        at.distance = beyond[axis];
        at.outward = v3(side[0], side[1], side[2]);
    }
    at.feature = pair_box_feature(side);
    pair_ball_answer(pair, &at, h.x + h.y + h.z, out);
    return RG_OK;
}
