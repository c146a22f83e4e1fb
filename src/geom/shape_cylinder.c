/*
 * shape_cylinder.c - a round cylinder of radius r and length l, its axis on z, about the origin.
 *
 *   V = pi r^2 l      Izz = m r^2/2      Ixx = Iyy = m (3 r^2 + l^2)/12
 */
#include "geom/shape_table.h"
#include "math/trig.h"

#include <math.h>

static const char *cylinder_check(const RgShape *shape)
{
    return rg_shape_check_sizes(shape, 2);
}

static RgStatus cylinder_inertia(const RgShape *shape, double density, RgInertia *out)
{
    double r = shape->size[0], l = shape->size[1];
    double V = RG_PI * r * r * l;
    double across = V * (3.0 * r * r + l * l) / 12.0;
    return rg_shape_weigh(
        density, &(RgInertia){.mass = V, .I = {.xx = across, .yy = across, .zz = 0.5 * V * r * r}}, out);
}

static RgVec3 cylinder_support(const RgShape *shape, RgVec3 direction)
{
    double z = copysign(0.5 * shape->size[1], direction.z);
    double side = sqrt(direction.x * direction.x + direction.y * direction.y);
    if (side == 0.0)
        return (RgVec3){shape->size[0], 0.0, z};
    return (RgVec3){shape->size[0] * (direction.x / side), shape->size[0] * (direction.y / side), z};
}

static RgBounds cylinder_bounds(const RgShape *shape)
{
    double r = shape->size[0], z = 0.5 * shape->size[1];
    return (RgBounds){.low = {-r, -r, -z}, .high = {r, r, z}};
}

const RgShapeKind rg_shape_kind_cylinder = {.name = "cylinder",
                                            .check = cylinder_check,
                                            .inertia = cylinder_inertia,
                                            .support = cylinder_support,
                                            .bounds = cylinder_bounds};
