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
 * The signed distance (surface_distance.h) has the first and the last word. Where it is more than the margin
 * there is no contact. Where nothing is found that is as deep (the part is inside, sunk in by more than half,
 * or so that no feature alone is a way out), the contact plane of the distance counts: the part's own points
 * against it where its flat region lies under all of them, else the witness point alone.
 *
 * A half-space touches a surface along its own normal alone: every triangle is asked. Bounds: those of
 * surface_gather.h; what does not fit is left out, and reduced says so. Cost: a search for each convex or
 * open edge and its corners near the part, two farthest points for each triangle.
 */
#include "collision/surface_gather.h"

/* Is there another way out of any of the points? */
static bool region_mistaken(const RgSurfaceGather *g, const RgRegion *region, double depth)
{
    for (int32_t k = 0; k < region->overlap.count && depth > 0.0; k++) {
        const RgOverlapPoint *p = &region->overlap.point[k];
        if (rg_gather_other_way(g, rg_contact_frame_point(&region->frame, p->u, p->v, p->h[1]), depth))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ parts */

/* The points of contact of one feature of a triangle; nothing where it lies beside the part. */
static int32_t ask_feature(RgSurfaceGather *g, const RgPlate *plate, const RgPlateContact *contact)
{
    RgManifoldQuery *q = g->q;
    RgConvexPair pair = {&q->a->parts[g->part], &plate->shape, q->X_AB};
    RgRegion region;
    rg_region_make(&pair, &contact->at, &(RgRegionRules){&q->options, plate->inner_edges, !contact->witness}, &region);
    if (region.overlap.count == 0 || region_mistaken(g, &region, -contact->at.distance))
        return -1;
    int32_t patch = rg_gather_patch(g, contact->at.normal);
    if (patch >= 0)
        rg_gather_region(g, patch, plate, &region);
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
        patch = ask_feature(g, plate, contact);
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
            ask_feature(g, &plate, &contact);
        if (first_asked(g, t->number[i]) && rg_plate_corner_contact(q, &plate, i, &contact))
            ask_feature(g, &plate, &contact);
    }
}

/* The points of the patches in planes: the part's own where the patch is under all of them, else those of
   each triangle. */
static void gather_planes(RgSurfaceGather *g)
{
    for (int32_t patch = 0; patch < g->npatches; patch++) {
        const RgSurfacePatch *p = &g->patch[patch];
        if (!p->by_plane || rg_gather_cover(g, patch, &(RgCover){p->normal, p->vertex, patch, -1}))
            continue;
        for (int32_t k = 0; k < g->nlist; k++) {
            RgPlate plate;
            RgPlateContact contact;
            double height[2];
            if (g->patch_of_list[k] == patch && rg_plate_face(&g->query, g->list[k], &plate, height) &&
                rg_plate_face_contact(&g->query, &plate, height, &contact))
                ask_feature(g, &plate, &contact);
        }
    }
}

/* Is there a point as deep as that? */
static bool has_depth(const RgSurfaceGather *g, double distance)
{
    for (int32_t k = 0; k < g->npoints; k++)
        if (fabs(g->point[k].gap - distance) <= RG_GATHER_SAME_NORMAL * g->size)
            return true;
    return false;
}

/* The contact plane of the distance, instead of all that is deeper. */
static void gather_found(RgSurfaceGather *g, const RgDistance *at)
{
    RgManifoldQuery *q = g->q;
    rg_gather_drop(g, at->distance);
    RgPlate plate;
    rg_plate_make(q->b->surface, at->part_b, false, &plate);
    int32_t region = rg_surface_region(q->b->surface, at->part_b);
    int32_t patch = rg_gather_patch(g, at->normal);
    if (patch < 0)
        return;
    g->patch[patch].triangle = at->part_b;
    if (at->feature_b.kind != RG_FEATURE_FACE ||
        !rg_gather_cover(g, patch, &(RgCover){at->normal, at->point_b, -1, region}))
        rg_gather_witness(g, patch, &plate, at);
}

/* A half-space and one triangle: along the normal of the half-space. */
static void ask_halfspace(RgSurfaceGather *g, int32_t triangle)
{
    RgManifoldQuery *q = g->q;
    RgPlate plate;
    rg_plate_make(q->b->surface, triangle, false, &plate);
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
    ask_feature(g, &plate, &(RgPlateContact){at, true});
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

static void ask_part(RgSurfaceGather *g, const RgDistance *at)
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
    g->query = (RgSurfaceQuery){surface, &q->a->parts[g->part], q->X_AB, q->a->part_bounds[g->part], g->size, m};
    box = (RgBounds){v3_sub(box.low, v3(m, m, m)), v3_add(box.high, v3(m, m, m))};
    g->nlist = rg_surface_overlap(surface, &box, g->list, RG_GATHER_TRIANGLES);
    if (g->nlist > RG_GATHER_TRIANGLES) {
        q->out->reduced = true;
        g->nlist = RG_GATHER_TRIANGLES;
    }
    for (int32_t k = 0; k < g->nlist; k++)
        g->sunk[k] = way_out(g, g->list[k]);
    for (int32_t k = 0; k < g->nlist; k++)
        ask_triangle(g, k);
    gather_planes(g);
    if (!has_depth(g, at->distance))
        gather_found(g, at);
}

/* Length by which tolerances scale: of the part, or of the surface under a half-space. */
static double part_size(const RgManifoldQuery *q, int32_t part)
{
    RgConvexPair alone = {&q->a->parts[part], &q->a->parts[part], q->X_AB};
    RgBounds box = rg_surface_bounds(q->b->surface);
    double size = rg_pair_size(&alone);
    return size > 0.0 ? size : v3_norm(v3_sub(box.high, box.low));
}

void rg_manifold_surface(RgManifoldQuery *q, const RgDistance *at)
{
    RgSurfaceGather g;
    g.q = q;
    g.query = (RgSurfaceQuery){.surface = q->b->surface, .margin = q->options.margin};
    g.part = at->part_a;
    g.size = part_size(q, g.part);
    g.nlist = g.npatches = g.npoints = g.ncorners = 0;
    ask_part(&g, at);
    rg_gather_append(&g);
}
