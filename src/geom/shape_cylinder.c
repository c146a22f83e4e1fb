/*
 * shape_cylinder.c - a round cylinder of radius r and length l, its axis on z, about the origin.
 *
 *   V = pi r^2 l      Izz = m r^2/2      Ixx = Iyy = m (3 r^2 + l^2)/12
 */
#include "geom/shape_ray.h"
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

static RgVec3 cylinder_core_support(const RgShape *shape, RgVec3 direction, int32_t *vertex)
{
    *vertex = -1;
    return cylinder_support(shape, direction);
}

/* Within the endless cylinder and between the planes of the caps. */
static bool cylinder_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t,
                         RgVec3 *normal)
{
    RayStretch side, caps;
    if (!ray_ball(v3(origin.x, origin.y, 0.0), v3(direction.x, direction.y, 0.0), shape->size[0], &side) ||
        !ray_slab(origin.z, direction.z, 0.5 * shape->size[1], &caps))
        return false;
    double enter = d_max(side.enter, caps.enter), exit = d_min(side.exit, caps.exit);
    if (enter > exit || exit < 0.0 || enter > reach)
        return false;
    if (enter < 0.0)
        return ray_inside(direction, t, normal);
    *t = enter;
    *normal = v3(0.0, 0.0, direction.z > 0.0 ? -1.0 : 1.0);
    if (side.enter > caps.enter) {
        RgVec3 at = v3_axpy(enter, direction, origin);
        v3_unit(v3(at.x, at.y, 0.0), v3(1.0, 0.0, 0.0), normal);
    }
    return true;
}

const RgShapeKind rg_shape_kind_cylinder = {.name = "cylinder",
                                            .check = cylinder_check,
                                            .inertia = cylinder_inertia,
                                            .support = cylinder_support,
                                            .bounds = cylinder_bounds,
                                            .core_support = cylinder_core_support,
                                            .ray = cylinder_ray};
