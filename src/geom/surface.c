/*
 * surface.c - the functions of surface.h, dispatched to the kind; normals of triangles and convexity of edges.
 *
 * Normal of a triangle: the cross product of its two shorter edges, scaled by the longest one to avoid overflow. With
 * the relative rounding u of each product its direction has an error of u L/h, L the longest edge and h the height on
 * it.
 *
 * Edge between two triangles with unit normals n and m, with the direction e (unit), counter-clockwise about n:
 *
 *   sin = (n x m) . e     cos = n . m
 *
 * of the angle by which the surface bends away beyond it.
 */
#include "geom/surface_kind.h"

/* Smallest height of a triangle as a fraction of its longest edge: below, the error of its normal exceeds 1e-6 rad. */
#define MIN_TRIANGLE_HEIGHT 1e-10

/* rad; edges with a smaller angle count as flat: the normals of two coplanar triangles may differ by this from
   round-off. */
#define EDGE_FLAT_ANGLE 1e-6

bool rg_surface_normal(const RgVec3 v[3], RgVec3 *normal)
{
    const RgVec3 edge[3] = {v3_sub(v[1], v[0]), v3_sub(v[2], v[1]), v3_sub(v[0], v[2])};
    int longest = 0;
    for (int i = 1; i < 3; i++)
        if (v3_norm2(edge[i]) > v3_norm2(edge[longest]))
            longest = i;
    double length = v3_norm(edge[longest]);
    if (!(length > 0.0))
        return false;
    RgVec3 a = v3_scale(1.0 / length, edge[(longest + 1) % 3]);
    RgVec3 b = v3_scale(1.0 / length, edge[(longest + 2) % 3]);
    RgVec3 n = v3_cross(a, b);
    double height = v3_norm(n);
    if (!(height > MIN_TRIANGLE_HEIGHT))
        return false;
    *normal = v3_scale(1.0 / height, n);
    return true;
}

bool rg_surface_edge_convex(RgVec3 n, RgVec3 beyond, RgVec3 edge, bool one_sided)
{
    double sine = v3_dot(v3_cross(n, beyond), edge) / v3_norm(edge);
    if (v3_dot(n, beyond) < 0.0)
        return !one_sided || sine > -EDGE_FLAT_ANGLE; /* folded back completely: the edge of a blade */
    return one_sided ? sine > EDGE_FLAT_ANGLE : fabs(sine) > EDGE_FLAT_ANGLE;
}

RgStatus rg_surface_create(RgArena *arena, const RgShape *shape, RgSurface **out, RgMeshReport *report,
                           const char **what)
{
    const char *unused;
    const char **words = what != NULL ? what : &unused;
    *out = NULL;
    *report = (RgMeshReport){0};
    *words = NULL;
    const RgShapeKind *kind = rg_shape_kind(shape->type);
    if (kind == NULL || kind->surface == NULL) {
        *words = "only meshes and height fields are surfaces";
        return RG_ERR_ARGUMENT;
    }
    *words = kind->check(shape);
    if (*words != NULL)
        return RG_ERR_ARGUMENT;
    return kind->surface(arena, shape, out, report, words);
}

int32_t rg_surface_count(const RgSurface *surface)
{
    return surface->count;
}

bool rg_surface_one_sided(const RgSurface *surface)
{
    return surface->one_sided;
}

RgBounds rg_surface_bounds(const RgSurface *surface)
{
    return surface->bounds;
}

bool rg_surface_has_solid(const RgSurface *surface)
{
    return surface->has_solid;
}

bool rg_surface_inside(const RgSurface *surface, RgVec3 x)
{
    const RgBounds point = {x, x};
    return surface->has_solid && boxes_overlap(&surface->solid, &point) && surface->kind->inside(surface, x);
}

RgBounds rg_surface_solid_bounds(const RgSurface *surface)
{
    return surface->solid;
}

int32_t rg_surface_region(const RgSurface *surface, int32_t i)
{
    return surface->region[i];
}

void rg_surface_triangle(const RgSurface *surface, int32_t i, RgTriangle *out)
{
    surface->kind->triangle(surface, i, out);
}

int32_t rg_surface_overlap(const RgSurface *surface, const RgBounds *box, int32_t *out, int32_t capacity)
{
    return surface->kind->overlap(surface, box, out, capacity);
}

void rg_surface_nearest(const RgSurface *surface, const RgBounds *box, RgTriangleVisit *visit, void *context,
                        double *reach)
{
    surface->kind->nearest(surface, box, visit, context, reach);
}

bool rg_surface_ray(const RgSurface *surface, RgVec3 origin, RgVec3 direction, double *t, int32_t *triangle)
{
    return surface->kind->ray(surface, origin, direction, t, triangle);
}
