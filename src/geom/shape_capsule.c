/*
 * shape_capsule.c - all points within r of a segment of length l on the z axis, about the origin.
 *
 * A cylinder of mass mc and two half balls of mass mh each. A half ball has its centre of mass at 3/8 r from its flat
 * side, so that its inertia about the capsule's centre, perpendicular to the axis, is mh (2/5 r^2 + 3/8 r l + l^2/4):
 *
 *   V   = pi r^2 l + 4/3 pi r^3
 *   Izz = mc r^2/2 + 2 mh 2/5 r^2
 *   Ixx = Iyy = mc (3 r^2 + l^2)/12 + 2 mh (2/5 r^2 + 3/8 r l + l^2/4)
 */
#include "geom/polytope.h"
#include "geom/shape_ray.h"
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
    double across = mc * (3.0 * r * r + l * l) / 12.0 + 2.0 * mh * (0.4 * r * r + 0.375 * r * l + 0.25 * l * l);
    RgInertia unit = {.mass = mc + 2.0 * mh, .I = {.xx = across, .yy = across, .zz = along}};
    return rg_shape_apply_density(density, &unit, out);
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

static double capsule_rounding(const RgShape *shape)
{
    return shape->size[0];
}

/* Vertex 0 and 1: lower and upper end of the axis. */
static RgStatus capsule_core(RgArena *arena, const RgShape *shape, RgPolytope *out, RgMeshReport *report,
                             const char **what)
{
    (void)report;
    (void)what;
    RgVec3 *end = RG_ARENA_ALLOC(arena, RgVec3, 2);
    if (end == NULL)
        return RG_ERR_MEMORY;
    end[0] = v3(0.0, 0.0, -0.5 * shape->size[1]);
    end[1] = v3(0.0, 0.0, 0.5 * shape->size[1]);
    *out = rg_polytope_segment(end);
    return RG_OK;
}

/* If the ray enters the infinite cylinder between the ends, it hits there; otherwise it can only enter through the ball
   at the nearer end. */
static bool capsule_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t, RgVec3 *normal)
{
    double r = shape->size[0], half = 0.5 * shape->size[1];
    RayInterval within;
    if (!ray_ball(v3(origin.x, origin.y, 0.0), v3(direction.x, direction.y, 0.0), r, &within) || within.exit < 0.0 ||
        within.enter > reach)
        return false;
    double z = origin.z + d_max(within.enter, 0.0) * direction.z, centre = 0.0;
    if (fabs(z) > half) {
        centre = copysign(half, z);
        if (!ray_ball(v3(origin.x, origin.y, origin.z - centre), direction, r, &within) || within.exit < 0.0 ||
            within.enter > reach)
            return false;
    }
    if (within.enter < 0.0)
        return ray_inside(direction, t, normal);
    *t = within.enter;
    RgVec3 at = v3_axpy(*t, direction, origin);
    v3_unit(v3(at.x, at.y, fabs(z) > half ? at.z - centre : 0.0), v3_neg(direction), normal);
    return true;
}

const RgShapeKind rg_shape_kind_capsule = {RG_SHAPE_SOLID(capsule), .rounding = capsule_rounding, .core = capsule_core,
                                           .ray = capsule_ray};
