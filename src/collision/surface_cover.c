/*
 * surface_cover.c - a part against the whole plane of a patch: the part's own points, if the surface lies under them.
 *
 * Each contact point of the part against the plane (contact_region.h) is tested: among the triangles at its foot, in
 * the plane, one must belong to the patch or to its flat region and have the point over it. A contact counts only if no
 * overlapped triangle in front of it has a shorter exit.
 *
 * Cost: one query of the surface's tree per point; for other exits one overlap test per near triangle with a smaller
 * depth, usually none.
 */
#include "collision/surface_gather.h"

/* Largest number of triangles considered at one point. */
#define MAX_TRIANGLES_UNDER_POINT 64

bool rg_gather_has_other_exit(const RgSurfaceGather *g, RgVec3 p, double depth)
{
    RgManifoldQuery *q = g->q;
    RgVec3 p_B = m3_apply_t(q->X_AB.R, v3_sub(p, q->X_AB.p));
    for (int32_t k = 0; k < g->nlist; k++) {
        RgPlate plate;
        if (!(g->sunk[k] > 0.0) || g->sunk[k] >= depth - RG_GATHER_SAME_PLACE * g->size)
            continue;
        rg_plate_make(q->b->surface, g->list[k], false, &plate);
        const RgTriangle *t = &plate.triangle;
        if (v3_dot(t->normal, v3_sub(p_B, t->vertex[0])) >= -RG_GATHER_SAME_PLACE * g->size)
            continue;
        RgPlateOverlap meets = rg_plate_overlap(&g->query, &plate, &q->X_AB);
        RgDistance at = {.distance = INFINITY};
        if (meets == RG_PLATE_UNDECIDED)
            rg_convex_distance(&(RgConvexPair){&q->a->parts[g->part], &plate.shape, q->X_AB}, NULL, &at);
        if (meets == RG_PLATE_OVERLAPS || at.distance < 0.0)
            return true;
    }
    return false;
}

/* Index of a triangle in the list, which is sorted; -1: not in it. */
static int32_t find_in_list(const RgSurfaceGather *g, int32_t triangle)
{
    int32_t low = 0, high = g->nlist - 1;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (g->list[middle] < triangle)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->nlist && g->list[low] == triangle ? low : -1;
}

/* Returns true if a point x of A (in its frame) is over a triangle of the patch or region; sets its gap there, and the
   flat region. foot: the projection of x onto the plane. */
static bool is_over(const RgSurfaceGather *g, const RgCover *u, RgVec3 x, RgVec3 foot, RgOverlapPoint *o)
{
    const RgManifoldQuery *q = g->q;
    RgVec3 x_B = m3_apply_t(q->X_AB.R, v3_sub(x, q->X_AB.p));
    RgVec3 f = m3_apply_t(q->X_AB.R, v3_sub(foot, q->X_AB.p));
    RgVec3 n_B = m3_apply_t(q->X_AB.R, u->normal);
    double near = 2.0 * RG_GATHER_SAME_NORMAL * g->size;
    RgBounds box = {v3_sub(f, v3(near, near, near)), v3_add(f, v3(near, near, near))};
    int32_t found[MAX_TRIANGLES_UNDER_POINT];
    int32_t count = rg_surface_overlap(q->b->surface, &box, found, MAX_TRIANGLES_UNDER_POINT);
    for (int32_t i = 0; i < count && i < MAX_TRIANGLES_UNDER_POINT; i++) {
        RgPlate plate;
        int32_t k = u->patch >= 0 ? find_in_list(g, found[i]) : -1;
        int32_t region = rg_surface_region(q->b->surface, found[i]);
        if (u->patch >= 0 ? k < 0 || g->patch_of_list[k] != u->patch : region != u->region)
            continue;
        rg_plate_make(q->b->surface, found[i], false, &plate);
        if (!rg_plate_contains(&plate, x_B, RG_GATHER_SAME_PLACE * g->size))
            continue;
        o->h[1] = o->h[0] + v3_dot(n_B, v3_sub(plate.triangle.vertex[0], x_B));
        o->feature[1].index = region;
        return true;
    }
    return false;
}

/* Region of the part against the whole plane of a patch; returns the distance. */
static double plane_region(const RgSurfaceGather *g, const RgCover *p, RgRegion *region)
{
    RgManifoldQuery *q = g->q;
    RgShape plane = {.type = RG_SHAPE_halfspace};
    RgConvexPair pair = {&q->a->parts[g->part], &plane, {m3_align_z(v3_neg(p->normal)), p->vertex}};
    RgDistance at = {.normal = p->normal};
    at.point_a = rg_shape_kind(pair.a->type)->support(pair.a, p->normal);
    at.distance = v3_dot(p->normal, v3_sub(p->vertex, at.point_a));
    at.point_b = v3_axpy(at.distance, p->normal, at.point_a);
    rg_region_make(&pair, &at, &(RgRegionRules){.options = &q->options}, region);
    return at.distance;
}

bool rg_gather_cover(RgSurfaceGather *g, int32_t patch, const RgCover *u)
{
    RgRegion region;
    double distance = plane_region(g, u, &region);
    for (int32_t k = 0; k < region.overlap.count; k++) {
        RgOverlapPoint *o = &region.overlap.point[k];
        RgVec3 x = rg_contact_frame_point(&region.frame, o->u, o->v, o->h[0]);
        RgVec3 foot = rg_contact_frame_point(&region.frame, o->u, o->v, o->h[1]);
        if (!is_over(g, u, x, foot, o) || (u->region < 0 && rg_gather_has_other_exit(g, foot, -distance)))
            return false;
    }
    if (region.overlap.count > 0)
        rg_gather_replace(g, patch, &region);
    return region.overlap.count > 0;
}
