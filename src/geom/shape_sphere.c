/*
 * shape_sphere.c - a ball of radius r about the origin.
 *
 *   V = 4/3 pi r^3      I = 2/5 m r^2
 */
#include "geom/polytope.h"
#include "geom/shape_ray.h"
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
    return rg_shape_apply_density(density, &(RgInertia){.mass = V, .I = {.xx = I, .yy = I, .zz = I}}, out);
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

static double sphere_rounding(const RgShape *shape)
{
    return shape->size[0];
}

static RgStatus sphere_core(RgArena *arena, const RgShape *shape, RgPolytope *out, RgMeshReport *report,
                            const char **what)
{
    (void)shape;
    (void)report;
    (void)what;
    RgVec3 *centre = RG_ARENA_ALLOC(arena, RgVec3, 1);
    if (centre == NULL)
        return RG_ERR_MEMORY;
    *out = rg_polytope_point(centre);
    return RG_OK;
}

static bool sphere_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t, RgVec3 *normal)
{
    RayInterval within;
    if (!ray_ball(origin, direction, shape->size[0], &within) || within.exit < 0.0 || within.enter > reach)
        return false;
    if (within.enter < 0.0)
        return ray_inside(direction, t, normal);
    *t = within.enter;
    v3_unit(v3_axpy(*t, direction, origin), v3_neg(direction), normal);
    return true;
}

const RgShapeKind rg_shape_kind_sphere = {RG_SHAPE_SOLID(sphere), .rounding = sphere_rounding, .core = sphere_core,
                                          .ray = sphere_ray};
