/*
 * shape_sphere.c - a ball of radius r about the origin.
 *
 *   V = 4/3 pi r^3      I = 2/5 m r^2
 */
#include "geom/shape_table.h"
#include "math/trig.h"
#include "math/vec3.h"

static const char *sphere_check(const RgShape *shape)
{
    return rg_shape_check_sizes(shape, 1);
}

static RgStatus sphere_inertia(const RgShape *shape, double density, RgInertia *out)
{
    double r = shape->size[0];
    double V = 4.0 / 3.0 * RG_PI * r * r * r;
    double I = 0.4 * V * r * r;
    return rg_shape_weigh(density, &(RgInertia){.mass = V, .I = {.xx = I, .yy = I, .zz = I}}, out);
}

static RgVec3 sphere_support(const RgShape *shape, RgVec3 direction)
{
    double length = v3_norm(direction);
    return length > 0.0 ? v3_scale(shape->size[0] / length, direction) : (RgVec3){shape->size[0], 0.0, 0.0};
}

static RgBounds sphere_bounds(const RgShape *shape)
{
    double r = shape->size[0];
    return (RgBounds){.low = {-r, -r, -r}, .high = {r, r, r}};
}

const RgShapeKind rg_shape_kind_sphere = {.name = "sphere",
                                          .check = sphere_check,
                                          .inertia = sphere_inertia,
                                          .support = sphere_support,
                                          .bounds = sphere_bounds};
