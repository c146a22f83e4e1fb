/*
 * shape_polytope.c - the convex hull of vertices that are scaled by size along x, y, z (a negative scale mirrors).
 *
 * A prepared shape has its hull in core: the support search runs over the hull's corners, and the mass is that of the
 * triangle fans over its faces (mass_properties.c). A bare view has the vertices only: support and bounds run over all
 * of them, and the mass computes a temporary hull.
 *
 * Unsupported mass: coplanar vertices.
 */
#include "geom/mass_properties.h"
#include "geom/polytope.h"
#include "geom/shape_ray.h"
#include "geom/shape_table.h"

static const char *polytope_check(const RgShape *shape)
{
    const RgMeshData *mesh = &shape->mesh;
    for (int i = 0; i < 3; i++) {
        if (!isfinite(shape->size[i]))
            return "a scale is not finite";
        if (shape->size[i] == 0.0)
            return "a scale is zero";
    }
    if (mesh->nvertices < 4 || mesh->vertices == NULL)
        return "a polytope needs at least four vertices";
    for (int32_t i = 0; i < mesh->nvertices; i++)
        if (!v3_finite(rg_shape_vertex(shape, i)))
            return "a vertex is not finite";
    return NULL;
}

static RgVec3 polytope_support(const RgShape *shape, RgVec3 direction)
{
    if (shape->core != NULL)
        return shape->core->vertex[rg_polytope_support(shape->core, direction, -1)];
    return rg_shape_farthest_vertex(shape, direction);
}

static RgBounds polytope_bounds(const RgShape *shape)
{
    int32_t count = shape->core != NULL ? shape->core->nv : shape->mesh.nvertices;
    RgBounds box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t i = 0; i < count; i++) {
        RgVec3 p = shape->core != NULL ? shape->core->vertex[i] : rg_shape_vertex(shape, i);
        box.low = v3(fmin(box.low.x, p.x), fmin(box.low.y, p.y), fmin(box.low.z, p.z));
        box.high = v3(fmax(box.high.x, p.x), fmax(box.high.y, p.y), fmax(box.high.z, p.z));
    }
    return box;
}

/* Moments of every face as a fan from its first corner. */
static RgMoments polytope_moments(const void *solid, RgVec3 apex)
{
    const RgPolytope *p = solid;
    RgMoments sum = {0};
    for (int32_t f = 0; f < p->nf; f++) {
        const int32_t *corner = p->face_vertex + p->face_start[f];
        int32_t count = p->face_start[f + 1] - p->face_start[f];
        for (int32_t k = 2; k < count; k++) {
            RgVec3 fan[3] = {v3_sub(p->vertex[corner[0]], apex), v3_sub(p->vertex[corner[k - 1]], apex),
                             v3_sub(p->vertex[corner[k]], apex)};
            rg_moments_add(&sum, 1.0, fan);
        }
    }
    return sum;
}

static RgStatus polytope_core(RgArena *arena, const RgShape *shape, RgPolytope *out, RgMeshReport *report,
                              const char **what)
{
    RgArena work;
    rg_arena_init(&work, &arena->allocator);
    int32_t count = shape->mesh.nvertices;
    RgVec3 *points = RG_ARENA_ALLOC(&work, RgVec3, count);
    for (int32_t i = 0; points != NULL && i < count; i++)
        points[i] = rg_shape_vertex(shape, i);
    RgStatus status = points != NULL ? rg_convex_hull(arena, points, count, out, report, what) : RG_ERR_MEMORY;
    rg_arena_free(&work);
    return status;
}

static RgStatus polytope_inertia(const RgShape *shape, double density, RgInertia *out)
{
    RgBounds box = polytope_bounds(shape);
    if (shape->core != NULL)
        return rg_moments_inertia(polytope_moments, shape->core, box, density, out);
    RgArena arena;
    RgPolytope hull;
    RgMeshReport report = {0};
    rg_arena_init(&arena, NULL);
    RgStatus status = polytope_core(&arena, shape, &hull, &report, NULL);
    if (status == RG_OK)
        status = rg_moments_inertia(polytope_moments, &hull, box, density, out);
    rg_arena_free(&arena);
    return status == RG_ERR_MODEL ? RG_ERR_UNSUPPORTED : status;
}

/* Clips the ray by one plane, n.x <= offset (Cyrus, Beck 1978). Returns true if the ray enters there, later than at the
   planes before. Divides only if the interval becomes shorter. */
static bool clip_plane(RgVec3 n, double offset, RgVec3 o, RgVec3 d, RayInterval *within)
{
    double along = v3_dot(n, d), above = v3_dot(n, o) - offset;
    if (along < 0.0) {
        if (!(above > within->enter * -along))
            return false;
        within->enter = above / -along;
        return true;
    }
    if (along > 0.0 && -above < within->exit * along)
        within->exit = -above / along;
    if (along == 0.0 && above > 0.0)
        within->exit = -INFINITY;
    return false;
}

/* Clips by all faces; a plate has no faces at its rim, so planes through its edges are used in addition. */
static bool polytope_ray(const RgShape *shape, RgVec3 origin, RgVec3 direction, double reach, double *t, RgVec3 *normal)
{
    const RgPolytope *p = shape->core;
    if (p == NULL || p->nf < 2)
        return false;
    RayInterval within = {-INFINITY, INFINITY};
    RgVec3 last = v3_neg(direction);
    for (int32_t f = 0; f < p->nf; f++)
        if (clip_plane(p->normal[f], p->offset[f], origin, direction, &within))
            last = p->normal[f];
    for (int32_t k = p->face_start[0]; p->nf == 2 && k < p->face_start[1]; k++) {
        int32_t next = k + 1 < p->face_start[1] ? k + 1 : p->face_start[0];
        RgVec3 a = p->vertex[p->face_vertex[k]], b = p->vertex[p->face_vertex[next]], rim;
        v3_unit(v3_cross(v3_sub(b, a), p->normal[0]), p->normal[0], &rim);
        if (clip_plane(rim, v3_dot(rim, a), origin, direction, &within))
            last = rim;
    }
    if (within.enter > within.exit || within.exit < 0.0 || within.enter > reach)
        return false;
    if (within.enter < 0.0)
        return ray_inside(direction, t, normal);
    *t = within.enter;
    *normal = last;
    return true;
}

const RgShapeKind rg_shape_kind_polytope = {RG_SHAPE_SOLID(polytope), .core = polytope_core, .ray = polytope_ray};
