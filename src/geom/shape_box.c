/*
 * shape_box.c - a box of full lengths a, b, c along x, y, z about the origin.
 *
 *   V = a b c      Ixx = m (b^2 + c^2) / 12, and cyclically
 */
#include "geom/polytope.h"
#include "geom/shape_ray.h"
#include "geom/shape_table.h"

#include <math.h>

static const char *box_check(const RgShape *shape)
{
    return rg_shape_check_sizes(shape, 3);
}

static RgStatus box_inertia(const RgShape *shape, double density, RgInertia *out)
{
    double a = shape->size[0], b = shape->size[1], c = shape->size[2];
    double V = a * b * c;
    RgSym3 I = {.xx = V * (b * b + c * c) / 12.0, .yy = V * (a * a + c * c) / 12.0, .zz = V * (a * a + b * b) / 12.0};
    return rg_shape_apply_density(density, &(RgInertia){.mass = V, .I = I}, out);
}

static RgVec3 box_support(const RgShape *shape, RgVec3 direction)
{
    return (RgVec3){copysign(0.5 * shape->size[0], direction.x), copysign(0.5 * shape->size[1], direction.y),
                    copysign(0.5 * shape->size[2], direction.z)};
}

static RgBounds box_bounds(const RgShape *shape)
{
    double x = 0.5 * shape->size[0], y = 0.5 * shape->size[1], z = 0.5 * shape->size[2];
    return (RgBounds){.low = {-x, -y, -z}, .high = {x, y, z}};
}

static RgStatus box_core(RgArena *arena, const RgShape *shape, RgPolytope *out, RgMeshReport *report, const char **what)
{
    (void)report;
    (void)what;
    RgVec3 *vertex = RG_ARENA_ALLOC(arena, RgVec3, 8);
    double *offset = RG_ARENA_ALLOC(arena, double, 6);
    if (arena->failed)
        return RG_ERR_MEMORY;
    for (int i = 0; i < 8; i++)
        vertex[i] = v3((i & 1 ? 0.5 : -0.5) * shape->size[0], (i & 2 ? 0.5 : -0.5) * shape->size[1],
                       (i & 4 ? 0.5 : -0.5) * shape->size[2]);
    for (int i = 0; i < 6; i++)
        offset[i] = 0.5 * shape->size[i / 2];
    *out = rg_polytope_box(vertex, offset);
    return RG_OK;
}

/* Intersection of three slabs; of equal entries the first axis counts. */
static bool box_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t, RgVec3 *normal)
{
    RayInterval within = {-INFINITY, INFINITY};
    int axis = 0;
    for (int i = 0; i < 3; i++) {
        RayInterval slab;
        if (!ray_slab(v3_at(origin, i), v3_at(direction, i), 0.5 * shape->size[i], &slab))
            return false;
        if (slab.enter > within.enter) {
            within.enter = slab.enter;
            axis = i;
        }
        within.exit = d_min(within.exit, slab.exit);
    }
    if (within.enter > within.exit || within.exit < 0.0 || within.enter > reach)
        return false;
    if (within.enter < 0.0)
        return ray_inside(direction, t, normal);
    *t = within.enter;
    double against = v3_at(direction, axis) > 0.0 ? -1.0 : 1.0;
    *normal = v3(axis == 0 ? against : 0.0, axis == 1 ? against : 0.0, axis == 2 ? against : 0.0);
    return true;
}

const RgShapeKind rg_shape_kind_box = {RG_SHAPE_SOLID(box), .core = box_core, .ray = box_ray};
