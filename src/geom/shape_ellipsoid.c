/*
 * shape_ellipsoid.c - half axes a, b, c along x, y, z about the origin.
 *
 *   V = 4/3 pi a b c      Ixx = m (b^2 + c^2)/5, and so on in turn
 *
 * The support point is that of the unit ball carried over: with A = diag(a, b, c), s(d) = A (A d)/|A d|.
 */
#include "geom/shape_table.h"
#include "math/trig.h"
#include "math/vec3.h"

static const char *ellipsoid_check(const RgShape *shape)
{
    return rg_shape_check_sizes(shape, 3);
}

static RgStatus ellipsoid_inertia(const RgShape *shape, double density, RgInertia *out)
{
    double a = shape->size[0], b = shape->size[1], c = shape->size[2];
    double V = 4.0 / 3.0 * RG_PI * a * b * c;
    RgSym3 I = {
        .xx = 0.2 * V * (b * b + c * c), .yy = 0.2 * V * (a * a + c * c), .zz = 0.2 * V * (a * a + b * b)};
    return rg_shape_weigh(density, &(RgInertia){.mass = V, .I = I}, out);
}

static RgVec3 ellipsoid_support(const RgShape *shape, RgVec3 direction)
{
    const double *A = shape->size;
    RgVec3 Ad = {A[0] * direction.x, A[1] * direction.y, A[2] * direction.z};
    double length = v3_norm(Ad);
    if (length == 0.0)
        return (RgVec3){A[0], 0.0, 0.0};
    return (RgVec3){A[0] * (Ad.x / length), A[1] * (Ad.y / length), A[2] * (Ad.z / length)};
}

static RgBounds ellipsoid_bounds(const RgShape *shape)
{
    const double *A = shape->size;
    return (RgBounds){.low = {-A[0], -A[1], -A[2]}, .high = {A[0], A[1], A[2]}};
}

const RgShapeKind rg_shape_kind_ellipsoid = {.name = "ellipsoid",
                                             .check = ellipsoid_check,
                                             .inertia = ellipsoid_inertia,
                                             .support = ellipsoid_support,
                                             .bounds = ellipsoid_bounds};
