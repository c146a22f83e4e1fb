/*
 * surface_region.c - the flat regions of a surface: which triangles lie in one plane side by side.
 *
 * Two triangles are of one region where the edge between them is flat to within round-off
 * (rg_surface_edge_convex of a shell). Regions are the sets that follow from it, found by joining (union-
 * find: Galler, Fischer 1964): every triangle knows one of its region with a lower number, the lowest knows
 * itself. Which of its triangles is touched does not matter to who slides over a region, so it has a number
 * of its own.
 *
 * Cost: nearly linear, once. A surface that bends by less than round-off at every edge is one region,
 * however far it bends in all.
 */
#include "geom/surface_kind.h"

/* The lowest of the region so far; the way there is made shorter. */
static int32_t lowest_of(int32_t *known, int32_t i)
{
    while (known[i] != i) {
        known[i] = known[known[i]];
        i = known[i];
    }
    return i;
}

static void join(int32_t *known, int32_t i, int32_t j)
{
    int32_t a = lowest_of(known, i), b = lowest_of(known, j);
    known[a > b ? a : b] = a > b ? b : a;
}

bool rg_surface_find_regions(RgArena *arena, RgSurface *surface)
{
    int32_t *known = RG_TAKE(arena, int32_t, surface->count);
    if (known == NULL)
        return false;
    for (int32_t i = 0; i < surface->count; i++)
        known[i] = i;
    for (int32_t i = 0; i < surface->count; i++) {
        RgTriangle t;
        rg_surface_triangle(surface, i, &t);
        for (int k = 0; k < 3; k++) {
            int32_t beyond = surface->kind->beyond(surface, i, k);
            RgVec3 edge = v3_sub(t.vertex[(k + 1) % 3], t.vertex[k]);
            if (beyond >= 0 && !rg_surface_edge_convex(t.normal, t.across[k], edge, false))
                join(known, i, beyond);
        }
    }
    for (int32_t i = 0; i < surface->count; i++)
        known[i] = lowest_of(known, i);
    surface->region = known;
    return true;
}
