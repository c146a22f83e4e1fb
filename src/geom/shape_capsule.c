/*
 * shape_capsule.c - all points within r of a segment of length l on the z axis, about the origin.
 *
 * A cylinder of mass mc and two half balls of mass mh each. A half ball has its centre of mass at 3/8 r from
 * its flat side, so that its inertia about the capsule's centre, across the axis, is mh (2/5 r^2 + 3/8 r l +
 * l^2/4):
 *
 *   V   = pi r^2 l + 4/3 pi r^3
 *   Izz = mc r^2/2 + 2 mh 2/5 r^2
 *   Ixx = Iyy = mc (3 r^2 + l^2)/12 + 2 mh (2/5 r^2 + 3/8 r l + l^2/4)
 */
#include "geom/shape_table.h"
#include "math/trig.h"
#include "math/vec3.h"

#include <math.h>

static const char *capsule_check(const RgShape *shape)
{
    return rg_shape_check_sizes(shape, 2);
}

static RgStatus capsule_inertia(const RgShape *shape, double density, RgInertia *out)
{
    double r = shape->size[0], l = shape->size[1];
    double mc = RG_PI * r * r * l, mh = 2.0 / 3.0 * RG_PI * r * r * r;
    double along = mc * r * r / 2.0 + 2.0 * mh * 0.4 * r * r;
    double across =
        mc * (3.0 * r * r + l * l) / 12.0 + 2.0 * mh * (0.4 * r * r + 0.375 * r * l + 0.25 * l * l);
    RgInertia unit = {.mass = mc + 2.0 * mh, .I = {.xx = across, .yy = across, .zz = along}};
    return rg_shape_weigh(density, &unit, out);
}

static RgVec3 capsule_support(const RgShape *shape, RgVec3 direction)
{
    RgVec3 end = {0.0, 0.0, copysign(0.5 * shape->size[1], direction.z)};
    double length = v3_norm(direction);
    return length > 0.0 ? v3_add(end, v3_scale(shape->size[0] / length, direction)) : end;
}

static RgBounds capsule_bounds(const RgShape *shape)
{
    double r = shape->size[0], z = 0.5 * shape->size[1] + r;
    return (RgBounds){.low = {-r, -r, -z}, .high = {r, r, z}};
}

const RgShapeKind rg_shape_kind_capsule = {.name = "capsule",
                                           .check = capsule_check,
                                           .inertia = capsule_inertia,
                                           .support = capsule_support,
                                           .bounds = capsule_bounds};
