/*
 * shape_cone.c - a kind of shape that the library does not have: a round cone of radius r and length l, its axis
 * on z, from its base at -l/2 to its apex at l/2.
 *
 *   V = pi r^2 l/3      com = (0, 0, -l/4)      Izz = 3/10 m r^2      Ixx = Iyy = 3/80 m (4 r^2 + l^2)
 *
 * It answers what every kind must, and leaves all that may be NULL to the general way.
 *
 * Ray: below the apex, q(v) = vx^2 + vy^2 - (r/l)^2 vz^2 <= 0 with v from the apex, and above the base.
 */
#include "geom/shape_ray.h"
#include "geom/shape_table.h"
#include "math/trig.h"

static const char *cone_check(const RgShape *shape)
{
    if (shape->size[0] == 0.0 || shape->size[1] == 0.0)
        return "a size is zero";
    return rg_shape_check_sizes(shape, 2);
}

static RgStatus cone_inertia(const RgShape *shape, double density, RgInertia *out)
{
    double r = shape->size[0], l = shape->size[1], V = RG_PI * r * r * l / 3.0;
    double across = 3.0 / 80.0 * V * (4.0 * r * r + l * l);
    RgInertia unit = {
        .mass = V, .com = {0.0, 0.0, -0.25 * l}, .I = {.xx = across, .yy = across, .zz = 0.3 * V * r * r}};
    return rg_shape_apply_density(density, &unit, out);
}

static RgVec3 cone_support(const RgShape *shape, RgVec3 direction)
{
    double r = shape->size[0], l = shape->size[1];
    double side = sqrt(direction.x * direction.x + direction.y * direction.y);
    if (direction.z * l >= r * side)
        return v3(0.0, 0.0, 0.5 * l);
    if (side == 0.0)
        return v3(r, 0.0, -0.5 * l);
    return v3(r * (direction.x / side), r * (direction.y / side), -0.5 * l);
}

static RgBounds cone_bounds(const RgShape *shape)
{
    double r = shape->size[0], z = 0.5 * shape->size[1];
    return (RgBounds){.low = {-r, -r, -z}, .high = {r, r, z}};
}

/* Where the line v + t d lies in the endless cone below the apex; false: nowhere. */
static bool cone_stretch(double slope, RgVec3 v, RgVec3 d, RayInterval *out)
{
    double s2 = slope * slope;
    double A = d.x * d.x + d.y * d.y - s2 * d.z * d.z, B = v.x * d.x + v.y * d.y - s2 * v.z * d.z;
    double C = v.x * v.x + v.y * v.y - s2 * v.z * v.z, root = B * B - A * C;
    if (A == 0.0 || root < 0.0)
        return false;
    double first = (-B - copysign(sqrt(root), A)) / A, second = (-B + copysign(sqrt(root), A)) / A;
    if (A > 0.0) {
        *out = (RayInterval){first, second};
        return v.z + 0.5 * (first + second) * d.z <= 0.0;
    }
    *out = d.z < 0.0 ? (RayInterval){second, INFINITY} : (RayInterval){-INFINITY, first};
    return true;
}

static bool cone_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t, RgVec3 *normal)
{
    double half = 0.5 * shape->size[1], slope = shape->size[0] / shape->size[1];
    RayInterval side, caps;
    if (!cone_stretch(slope, v3_sub(origin, v3(0.0, 0.0, half)), direction, &side) ||
        !ray_slab(origin.z, direction.z, half, &caps))
        return false;
    double enter = d_max(side.enter, caps.enter), exit = d_min(side.exit, caps.exit);
    if (enter > exit || exit < 0.0 || enter > reach)
        return false;
    if (enter < 0.0)
        return ray_inside(direction, t, normal);
    *t = enter;
    *normal = v3(0.0, 0.0, -1.0);
    if (side.enter > caps.enter) {
        RgVec3 at = v3_axpy(enter, direction, origin);
        double out = sqrt(at.x * at.x + at.y * at.y);
        v3_unit(v3(at.x, at.y, slope * out), v3_neg(direction), normal);
    }
    return true;
}

const RgShapeKind rg_shape_kind_cone = {.name = "cone",
                                        .check = cone_check,
                                        .inertia = cone_inertia,
                                        .support = cone_support,
                                        .bounds = cone_bounds,
                                        .ray = cone_ray};
