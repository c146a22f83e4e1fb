/*
 * epa_inner.c - simple bodies inside the difference D = B - A: the greatest ball about the origin that fits
 * into one of them bounds the depth from below.
 *
 * EPA fills D with a polytope of flat faces. Where D is round about the origin - a peg in the middle of a
 * hole, a ball in the middle of a ball - all its faces are equally near, and no number of them is enough.
 * Then these bodies are exact:
 *
 *   A less a point of B, or B less a point of A: how deep the point lies in the shape has a closed form. If
 *   a ball about the point lies in its shape too, D is deeper by its radius.
 *   Two cylinders, or a cylinder and the segment of a capsule, with axes that make an angle of sine s: with
 *   radii R and half lengths H, D has in it the cylinder about the axis of the first
 *
 *       R = R1 + R2 - s H2        H = H1 + c H2 - s R2        c = sqrt(1 - s^2)
 *
 *   since the axis of the second leaves that direction by s H2 at most, and its discs by s R2.
 *
 * Two such bodies nearly on one axis are about as deep along all normals across it. The least depth is near
 * one of few: across both axes, or from one axis to the centre on the other (rg_epa_try_axes).
 */
#include "collision/epa.h"
#include "collision/pair_table.h"

/* How deep a point lies in a shape: negative outside, minus infinity where there is no closed form. */
static double point_depth(const RgShape *shape, RgVec3 point)
{
    RgShape ball = {.type = RG_SHAPE_sphere};
    RgConvexPair pair = {&ball, shape, {m3_identity(), v3_neg(point)}};
    RgDistance found = {.distance = INFINITY};
    if (shape->type == RG_SHAPE_cylinder)
        rg_pair_sphere_cylinder(&pair, NULL, &found);
    else if (shape->type == RG_SHAPE_ellipsoid)
        rg_pair_sphere_ellipsoid(&pair, NULL, &found);
    else if (shape->type == RG_SHAPE_box)
        rg_pair_sphere_box(&pair, NULL, &found);
    return -found.distance - found.error;
}

/* Radius of a ball about the centre that lies in the core. The segment of a capsule has the centre alone. */
static double centre_depth(const RgShape *shape)
{
    return shape->type == RG_SHAPE_capsule ? 0.0 : point_depth(shape, v3_zero());
}

static bool has_axis(const RgShape *shape)
{
    return shape->type == RG_SHAPE_cylinder || shape->type == RG_SHAPE_capsule;
}

/* Of the cylinder in D that two shapes with an axis have. */
static double axis_depth(const RgConvexPair *pair)
{
    const RgMat3 *R = &pair->X_AB.R;
    RgVec3 p = pair->X_AB.p;
    double ra = pair->a->type == RG_SHAPE_cylinder ? pair->a->size[0] : 0.0, ha = 0.5 * pair->a->size[1];
    double rb = pair->b->type == RG_SHAPE_cylinder ? pair->b->size[0] : 0.0, hb = 0.5 * pair->b->size[1];
    double sine = sqrt(R->m[0][2] * R->m[0][2] + R->m[1][2] * R->m[1][2]), cosine = fabs(R->m[2][2]);
    double radius = ra + rb - sine * hb, half = ha + cosine * hb - sine * rb;
    return fmin(radius - sqrt(p.x * p.x + p.y * p.y), half - fabs(p.z));
}

/* Keeps n or -n where it is less deep. */
static void try_normal(RgDifference *d, RgVec3 n, RgEpa *out)
{
    double length = v3_norm(n);
    if (!(length > 0.0))
        return;
    for (int side = 0; side < 2; side++) {
        RgVec3 m = v3_scale((side == 0 ? 1.0 : -1.0) / length, n);
        double depth = -v3_dot(m, rg_difference_support(d, m).w);
        if (depth < out->upper) {
            out->upper = depth;
            out->normal = m;
        }
    }
}

void rg_epa_try_axes(RgDifference *d, RgEpa *out)
{
    const RgConvexPair *pair = d->pair;
    if (!has_axis(pair->a) || !has_axis(pair->b))
        return;
    RgVec3 axis_a = {0.0, 0.0, 1.0}, axis_b = m3_column(pair->X_AB.R, 2), p = pair->X_AB.p;
    try_normal(d, v3_cross(axis_a, axis_b), out);
    try_normal(d, v3_axpy(-v3_dot(p, axis_a), axis_a, p), out);
    try_normal(d, v3_axpy(-v3_dot(p, axis_b), axis_b, p), out);
}

double rg_inner_depth(const RgConvexPair *pair, RgVec3 a, RgVec3 b)
{
    RgPose X_BA = pose_inverse(pair->X_AB);
    double depth = fmax(point_depth(pair->a, b), point_depth(pair->b, pose_apply(X_BA, a)));

    /* About the centres. */
    depth = fmax(depth, centre_depth(pair->b) + point_depth(pair->a, pair->X_AB.p));
    depth = fmax(depth, centre_depth(pair->a) + point_depth(pair->b, X_BA.p));
    if (has_axis(pair->a) && has_axis(pair->b))
        depth = fmax(depth, axis_depth(pair));
    return fmax(0.0, depth);
}
