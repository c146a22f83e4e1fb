/*
 * surface_region.c - the flat regions of a surface: sets of adjacent coplanar triangles.
 *
 * Two triangles belong to one region if the edge between them is flat to within round-off (rg_surface_edge_convex of a
 * shell). Regions are the connected components, found by union-find (Galler, Fischer 1964): every triangle stores one
 * of its region with a lower index, the lowest stores itself. A shape that slides over a region touches the same face
 * throughout, so a region has an index of its own.
 *
 * Cost: nearly linear, once. A surface that bends by less than round-off at every edge is one region, whatever its
 * total bend.
 */
#include "geom/surface_kind.h"

/* The lowest triangle of the region found so far, with path halving. */
static int32_t find_root(int32_t *parent, int32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join_regions(int32_t *parent, int32_t i, int32_t j)
{
    int32_t a = find_root(parent, i), b = find_root(parent, j);
    parent[a > b ? a : b] = a > b ? b : a;
}

bool rg_surface_find_regions(RgArena *arena, RgSurface *surface)
{
    int32_t *parent = RG_ARENA_ALLOC(arena, int32_t, surface->count);
    if (parent == NULL)
        return false;
    for (int32_t i = 0; i < surface->count; i++)
        parent[i] = i;
    for (int32_t i = 0; i < surface->count; i++) {
        RgTriangle t;
        rg_surface_triangle(surface, i, &t);
        for (int k = 0; k < 3; k++) {
            int32_t beyond = surface->kind->beyond(surface, i, k);
            RgVec3 edge = v3_sub(t.vertex[(k + 1) % 3], t.vertex[k]);
            if (beyond >= 0 && !rg_surface_edge_convex(t.normal, t.across[k], edge, false))
                join_regions(parent, i, beyond);
        }
    }
    for (int32_t i = 0; i < surface->count; i++)
        parent[i] = find_root(parent, i);
    surface->region = parent;
    return true;
}
