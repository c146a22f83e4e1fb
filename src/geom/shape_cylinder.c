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
    return rg_shape_apply_density(
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

static double cylinder_reach(const RgShape *shape)
{
    double r = shape->size[0], half = 0.5 * shape->size[1];
    return sqrt(r * r + half * half);
}

/* The disc; the polytope is the segment of the axis. */
static RgVec3 cylinder_round_part(const RgShape *shape)
{
    return v3(shape->size[0], shape->size[0], 0.0);
}

/* A cap normal to n; else a line of the side normal to n; else a point of a rim. Faces: upper cap, lower cap, side;
   edges: upper rim, lower rim. */
static void cylinder_facing(const RgShape *shape, RgVec3 n, double slope, RgFacing *out)
{
    double r = shape->size[0], l = shape->size[1], across = sqrt(n.x * n.x + n.y * n.y);
    int32_t lower = n.z < 0.0;
    RgVec3 up = v3(0.0, 0.0, 0.5 * l);
    RgVec3 rim = across > 0.0 ? v3(r * (n.x / across), r * (n.y / across), 0.0) : v3_zero();
    const RgFeature edge[2] = {{RG_FEATURE_EDGE, 0}, {RG_FEATURE_EDGE, 1}};
    if (r > 0.0 && across <= slope * fabs(n.z)) {
        *out = (RgFacing){.kind = RG_FACING_DISC,
                          .point = {lower ? v3_neg(up) : up},
                          .along = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}},
                          .radius = r,
                          .feature = {RG_FEATURE_FACE, lower},
                          .border = {edge[lower], edge[lower]}};
    } else if (l > 0.0 && fabs(n.z) <= slope * across) {
        *out = (RgFacing){.kind = RG_FACING_SEGMENT,
                          .point = {v3_sub(rim, up), v3_add(rim, up)},
                          .radius = r,
                          .curved = r > 0.0,
                          .feature = {RG_FEATURE_FACE, 2},
                          .border = {edge[1], edge[0]}};
    } else {
        *out = (RgFacing){.kind = RG_FACING_POINT,
                          .point = {lower ? v3_sub(rim, up) : v3_add(rim, up)},
                          .along = {{-rim.y, rim.x, 0.0}},
                          .feature = edge[lower]};
    }
}

/* Intersection of the infinite cylinder and the slab between the caps. */
static bool cylinder_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t, RgVec3 *normal)
{
    RayInterval side, caps;
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

const RgShapeKind rg_shape_kind_cylinder = {RG_SHAPE_SOLID(cylinder), .facing = cylinder_facing,
                                            .reach = cylinder_reach, .round_part = cylinder_round_part,
                                            .ray = cylinder_ray};
