/*
 * manifold_surface.c - contact manifolds of convex parts with a surface of triangles.
 *
 * For each triangle near a part: the normals along which its face, edges and corners are touched
 * (triangle_contact.h), then the points of contact across each (contact_region.h). What has one normal makes
 * one patch, and a patch one manifold:
 *
 *    ______________    Where the part's own points against the plane of the patch (corners of its face, ends
 *   |\     |\     |    of its edge, three points of its rim, its lowest point) all lie over triangles of the
 *   | \.---|-\--. |    patch, those are the manifold: inner edges of a flat floor leave no trace, and the ids
 *   |  |\  |  \ | |    do not change while the part slides over them. Else (border of the surface, holes) the
 *   |__|_\_|___\|_|    points found triangle by triangle are gathered, each place once, and the corners of
 *   |\ '---|----' |    their convex hull in the plane are kept, with the deepest.
 *   | \    | \    |
 *
 * A part that is sunk in at a convex corner of the surface overlaps triangles on all sides of it, but came
 * in through one. A contact counts only if no triangle before it that the part overlaps shows a shorter way
 * out.
 *
 * A half-space touches a surface along its own normal alone: every triangle is asked. Bounds: those of
 * surface_gather.h; what does not fit is left out, and overflow says so. Cost: a search for each convex or
 * open edge and its corners near the part, two farthest points for each triangle.
 */
#include "collision/surface_gather.h"

/* Triangles that may lie over one place. */
#define UNDER_ROOM 64

/* Does the part overlap a triangle in front of the point p of the surface, in A's frame, behind whose plane
   it is less sunk in than by depth? Then the way out is through that one. */
static bool other_way_out(const RgSurfaceGather *g, RgVec3 p, double depth)
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
        RgDistance at = {.distance = INFINITY};
        rg_convex_distance(&(RgConvexPair){&q->a->parts[g->part], &plate.shape, q->X_AB}, NULL, &at);
        if (at.distance < 0.0)
            return true;
    }
    return false;
}

/* Is there another way out of any of the points? */
static bool region_mistaken(const RgSurfaceGather *g, const RgRegion *region, double depth)
{
    for (int32_t k = 0; k < region->overlap.count && depth > 0.0; k++) {
        const RgOverlapPoint *p = &region->overlap.point[k];
        if (other_way_out(g, rg_contact_frame_point(&region->frame, p->u, p->v, p->h[1]), depth))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ patches */

/* The place of a triangle in the list, which is sorted; -1: not there. */
static int32_t list_place(const RgSurfaceGather *g, int32_t triangle)
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

/* Is a point of A (in its frame) over a triangle of the patch? Then its gap there. foot: below it, on the
   patch's plane. */
static bool patch_under(const RgSurfaceGather *g, int32_t patch, RgVec3 x, RgVec3 foot, double *gap)
{
    const RgManifoldQuery *q = g->q;
    RgVec3 x_B = m3_apply_t(q->X_AB.R, v3_sub(x, q->X_AB.p));
    RgVec3 f = m3_apply_t(q->X_AB.R, v3_sub(foot, q->X_AB.p));
    RgVec3 n_B = m3_apply_t(q->X_AB.R, g->patch[patch].normal);
    double near = 2.0 * RG_GATHER_SAME_NORMAL * g->size;
    RgBounds box = {v3_sub(f, v3(near, near, near)), v3_add(f, v3(near, near, near))};
    int32_t found[UNDER_ROOM];
    int32_t count = rg_surface_overlap(q->b->surface, &box, found, UNDER_ROOM);
    for (int32_t i = 0; i < count && i < UNDER_ROOM; i++) {
        RgPlate plate;
        int32_t k = list_place(g, found[i]);
        if (k < 0 || g->patch_of_list[k] != patch)
            continue;
        rg_plate_make(q->b->surface, found[i], false, &plate);
        if (!rg_plate_has(&plate, x_B, RG_GATHER_SAME_PLACE * g->size))
            continue;
        *gap = v3_dot(n_B, v3_sub(plate.triangle.vertex[0], x_B));
        return true;
    }
    return false;
}

/* The part against the whole plane of a patch; returns the distance. */
static double plane_region(const RgSurfaceGather *g, const RgSurfacePatch *p, RgRegion *region)
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

/* The same; false where a point of that is not over the patch. */
static bool cover_patch(RgSurfaceGather *g, int32_t patch, RgRegion *region)
{
    double distance = plane_region(g, &g->patch[patch], region);
    for (int32_t k = 0; k < region->overlap.count; k++) {
        RgOverlapPoint *o = &region->overlap.point[k];
        double gap;
        RgVec3 x = rg_contact_frame_point(&region->frame, o->u, o->v, o->h[0]);
        RgVec3 foot = rg_contact_frame_point(&region->frame, o->u, o->v, o->h[1]);
        if (!patch_under(g, patch, x, foot, &gap) || other_way_out(g, foot, -distance))
            return false;
        o->h[1] = o->h[0] + gap;
    }
    return region->overlap.count > 0;
}

/* ------------------------------------------------------------------ parts */

/* The points of contact of one feature of a triangle; nothing where it lies beside the part. */
static int32_t ask_feature(RgSurfaceGather *g, int32_t triangle, const RgPlate *plate,
                           const RgPlateContact *contact)
{
    RgManifoldQuery *q = g->q;
    RgConvexPair pair = {&q->a->parts[g->part], &plate->shape, q->X_AB};
    RgRegion region;
    rg_region_make(&pair, &contact->at, &(RgRegionRules){&q->options, plate->inner_edges, !contact->witness},
                   &region);
    if (region.overlap.count == 0 || region_mistaken(g, &region, -contact->at.distance))
        return -1;
    int32_t patch = rg_gather_patch(g, contact->at.normal);
    if (patch >= 0)
        rg_gather_region(g, patch, triangle, plate, &region);
    return patch;
}

/* Is this the triangle that answers for its edge i? Of two neighbours that agree on the front it is one. */
static bool owns_edge(const RgSurfaceGather *g, const RgTriangle *t, int i)
{
    return t->open[i] || !rg_surface_one_sided(g->q->b->surface) || t->number[i] < t->number[(i + 1) % 3];
}

/* Corners are asked once. */
static bool first_asked(RgSurfaceGather *g, int32_t vertex)
{
    for (int32_t k = 0; k < g->ncorners; k++)
        if (g->corner[k] == vertex)
            return false;
    if (g->ncorners < RG_GATHER_CORNERS)
        g->corner[g->ncorners++] = vertex;
    return true;
}

/* Puts a triangle on the list of the patch in whose plane it lies. Its points wait until it is known whether
   they are needed; but a patch begins with a triangle that has some. */
static void ask_face(RgSurfaceGather *g, int32_t k, const RgPlate *plate, const RgPlateContact *contact)
{
    int32_t patch = 0;
    while (patch < g->npatches &&
           !(g->patch[patch].by_plane &&
             v3_norm(v3_sub(g->patch[patch].normal, contact->at.normal)) <= RG_GATHER_SAME_NORMAL))
        patch++;
    if (patch == g->npatches)
        patch = ask_feature(g, g->list[k], plate, contact);
    if (patch < 0)
        return;
    g->patch_of_list[k] = (int16_t)patch;
    g->patch[patch].by_plane = true;
    g->patch[patch].vertex = pose_apply(g->q->X_AB, plate->triangle.vertex[0]);
}

static void ask_triangle(RgSurfaceGather *g, int32_t k)
{
    const RgSurfaceQuery *q = &g->query;
    RgPlate plate;
    RgPlateContact contact;
    double height[2];
    g->patch_of_list[k] = -1;
    if (!rg_plate_face(q, g->list[k], &plate, height))
        return;
    const RgTriangle *t = &plate.triangle;
    if (rg_plate_face_contact(q, &plate, height, &contact))
        ask_face(g, k, &plate, &contact);
    for (int i = 0; i < 3; i++) {
        if (!t->convex[i])
            continue;
        if (owns_edge(g, t, i) && rg_plate_edge_contact(q, &plate, i, height, &contact))
            ask_feature(g, g->list[k], &plate, &contact);
        if (first_asked(g, t->number[i]) && rg_plate_corner_contact(q, &plate, i, &contact))
            ask_feature(g, g->list[k], &plate, &contact);
    }
}

/* The points of the patches in planes: the part's own where the patch is under all of them, else those of
   each triangle. */
static void gather_planes(RgSurfaceGather *g)
{
    for (int32_t patch = 0; patch < g->npatches; patch++) {
        RgRegion region;
        if (!g->patch[patch].by_plane)
            continue;
        if (cover_patch(g, patch, &region)) {
            rg_gather_cover(g, patch, &region);
            continue;
        }
        for (int32_t k = 0; k < g->nlist; k++) {
            RgPlate plate;
            RgPlateContact contact;
            double height[2];
            if (g->patch_of_list[k] == patch && rg_plate_face(&g->query, g->list[k], &plate, height) &&
                rg_plate_face_contact(&g->query, &plate, height, &contact))
                ask_feature(g, g->list[k], &plate, &contact);
        }
    }
}

/*
 * Nothing was found. If the part overlaps a triangle all the same (sunk in so that the least translation of
 * each feature alone leads another way), its deepest point behind the plane in which it is least sunk in is
 * the contact.
 */
static void gather_least(RgSurfaceGather *g)
{
    RgManifoldQuery *q = g->q;
    double least = -INFINITY;
    RgSurfacePatch best = {.triangle = -1};
    for (int32_t k = 0; k < g->nlist; k++) {
        RgPlate plate;
        double height[2];
        if (!rg_plate_face(&g->query, g->list[k], &plate, height) || height[0] >= 0.0 ||
            -height[0] > height[1] || height[0] <= least)
            continue;
        RgDistance at = {.distance = INFINITY};
        rg_convex_distance(&(RgConvexPair){&q->a->parts[g->part], &plate.shape, q->X_AB}, NULL, &at);
        if (!(at.distance < 0.0))
            continue;
        least = height[0];
        best = (RgSurfacePatch){.normal = v3_neg(m3_apply(q->X_AB.R, plate.triangle.normal)),
                                .triangle = g->list[k],
                                .vertex = pose_apply(q->X_AB, plate.triangle.vertex[0])};
    }
    RgRegion region;
    if (best.triangle < 0)
        return;
    plane_region(g, &best, &region);
    int32_t deepest = 0;
    for (int32_t k = 1; k < region.overlap.count; k++) {
        const RgOverlapPoint *a = &region.overlap.point[k], *b = &region.overlap.point[deepest];
        deepest = a->h[1] - a->h[0] < b->h[1] - b->h[0] ? k : deepest;
    }
    g->patch[0] = best;
    g->npatches = 1;
    region.overlap.point[0] = region.overlap.point[deepest];
    region.overlap.count = 1;
    rg_gather_cover(g, 0, &region);
}

/* A half-space and one triangle: along the normal of the half-space. */
static void ask_halfspace(RgSurfaceGather *g, int32_t triangle)
{
    RgManifoldQuery *q = g->q;
    RgPlate plate;
    rg_plate_make(q->b->surface, triangle, false, &plate);
    RgConvexPair pair = {&q->a->parts[g->part], &plate.shape, q->X_AB};
    RgDistance at = {.normal = {0.0, 0.0, 1.0}, .distance = INFINITY};
    for (int i = 0; i < 3; i++) {
        RgVec3 x = pose_apply(q->X_AB, plate.triangle.vertex[i]);
        if (x.z < at.distance) {
            at.distance = x.z;
            at.point_b = x;
        }
    }
    if (!(at.distance <= q->options.margin))
        return;
    at.point_a = v3(at.point_b.x, at.point_b.y, 0.0);
    RgRegion region;
    rg_region_make(&pair, &at, &(RgRegionRules){&q->options, plate.inner_edges, false}, &region);
    rg_gather_region(g, rg_gather_patch(g, at.normal), triangle, &plate, &region);
}

/* How far the part is sunk in behind the plane of a triangle with a convex edge; 0 for any other. */
static double way_out(const RgSurfaceGather *g, int32_t triangle)
{
    RgTriangle t;
    RgPlate plate;
    double height[2];
    rg_surface_triangle(g->q->b->surface, triangle, &t);
    if (!t.convex[0] && !t.convex[1] && !t.convex[2])
        return 0.0;
    return rg_plate_face(&g->query, triangle, &plate, height) ? fmax(0.0, -height[0]) : 0.0;
}

static void ask_part(RgSurfaceGather *g)
{
    RgManifoldQuery *q = g->q;
    const RgSurface *surface = q->b->surface;
    if (rg_shape_kind(q->a->parts[g->part].type)->support == NULL) {
        for (int32_t i = 0; i < rg_surface_count(surface); i++)
            ask_halfspace(g, i);
        return;
    }
    RgPose X_BA = pose_inverse(q->X_AB);
    RgBounds box = rg_bounds_turn(&X_BA, &q->a->part_bounds[g->part]);
    double m = fmax(0.0, q->options.margin);
    g->query =
        (RgSurfaceQuery){surface, &q->a->parts[g->part], q->X_AB, q->a->part_bounds[g->part], g->size, m};
    box = (RgBounds){v3_sub(box.low, v3(m, m, m)), v3_add(box.high, v3(m, m, m))};
    g->nlist = rg_surface_overlap(surface, &box, g->list, RG_GATHER_TRIANGLES);
    if (g->nlist > RG_GATHER_TRIANGLES) {
        q->out->overflow = true;
        g->nlist = RG_GATHER_TRIANGLES;
    }
    for (int32_t k = 0; k < g->nlist; k++)
        g->sunk[k] = way_out(g, g->list[k]);
    for (int32_t k = 0; k < g->nlist; k++)
        ask_triangle(g, k);
    gather_planes(g);
    if (g->npoints == 0)
        gather_least(g);
}

/* Length by which tolerances scale: of the part, or of the surface under a half-space. */
static double part_size(const RgManifoldQuery *q, int32_t part)
{
    RgConvexPair alone = {&q->a->parts[part], &q->a->parts[part], q->X_AB};
    RgBounds box = rg_surface_bounds(q->b->surface);
    double size = rg_pair_size(&alone);
    return size > 0.0 ? size : v3_norm(v3_sub(box.high, box.low));
}

void rg_manifold_surface(RgManifoldQuery *q)
{
    RgSurfaceGather g;
    g.q = q;
    g.query = (RgSurfaceQuery){.surface = q->b->surface, .margin = q->options.margin};
    for (g.part = 0; g.part < q->a->nparts; g.part++) {
        g.size = part_size(q, g.part);
        g.nlist = g.npatches = g.npoints = g.ncorners = 0;
        ask_part(&g);
        rg_gather_append(&g);
    }
}
