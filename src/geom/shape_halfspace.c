/*
 * shape_halfspace.c - all points with z <= 0. It has no mass and no farthest point.
 */
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

const RgShapeKind rg_shape_kind_halfspace = {
    .name = "halfspace", .check = halfspace_check, .inertia = halfspace_inertia, .bounds = halfspace_bounds};
