/*
 * shape_halfspace.c - all points with z <= 0. It has no mass and no support point.
 */
#include "geom/shape_ray.h"
#include "geom/shape_table.h"

#include <math.h>

static const char *halfspace_check(const RgShape *shape)
{
    (void)shape;
    return NULL;
}

static RgStatus halfspace_inertia(const RgShape *shape, double density, RgInertia *out)
{
    (void)shape;
    (void)density;
    (void)out;
    return RG_ERR_UNSUPPORTED;
}

static RgBounds halfspace_bounds(const RgShape *shape)
{
    (void)shape;
    return (RgBounds){.low = {-INFINITY, -INFINITY, -INFINITY}, .high = {INFINITY, INFINITY, 0.0}};
}

static bool halfspace_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t,
                          RgVec3 *normal)
{
    (void)shape;
    if (origin.z < 0.0 || (origin.z == 0.0 && !(direction.z < 0.0)))
        return ray_inside(direction, t, normal);
    if (!(direction.z < 0.0) || origin.z / -direction.z > reach)
        return false;
    *t = origin.z / -direction.z;
    *normal = v3(0.0, 0.0, 1.0);
    return true;
}

const RgShapeKind rg_shape_kind_halfspace = {.name = "halfspace",
                                             .check = halfspace_check,
                                             .inertia = halfspace_inertia,
                                             .bounds = halfspace_bounds,
                                             .ray = halfspace_ray};
