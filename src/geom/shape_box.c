/*
 * shape_box.c - a box of full lengths a, b, c along x, y, z about the origin.
 *
 *   V = a b c      Ixx = m (b^2 + c^2) / 12, and so on in turn
 */
#include "geom/shape_table.h"

#include <math.h>

static const char *box_check(const RgShape *shape)
{
    return rg_shape_check_sizes(shape, 3);
}

static RgStatus box_inertia(const RgShape *shape, double density, RgInertia *out)
{
    double a = shape->size[0], b = shape->size[1], c = shape->size[2];
    double V = a * b * c;
    RgSym3 I = {
        .xx = V * (b * b + c * c) / 12.0, .yy = V * (a * a + c * c) / 12.0, .zz = V * (a * a + b * b) / 12.0};
    return rg_shape_weigh(density, &(RgInertia){.mass = V, .I = I}, out);
}

static RgVec3 box_support(const RgShape *shape, RgVec3 direction)
{
    return (RgVec3){copysign(0.5 * shape->size[0], direction.x), copysign(0.5 * shape->size[1], direction.y),
                    copysign(0.5 * shape->size[2], direction.z)};
}

static RgBounds box_bounds(const RgShape *shape)
{
    double x = 0.5 * shape->size[0], y = 0.5 * shape->size[1], z = 0.5 * shape->size[2];
    return (RgBounds){.low = {-x, -y, -z}, .high = {x, y, z}};
}

const RgShapeKind rg_shape_kind_box = {
    .name = "box", .check = box_check, .inertia = box_inertia, .support = box_support, .bounds = box_bounds};
