/*
 * manifold_surface.c - contact manifolds of convex parts with a surface of triangles.
 *
 * For each triangle near a part: the normals along which its face, edges and corners can be touched
 * (triangle_contact.h), then the contact points across each normal (contact_region.h). Contacts with a common normal
 * form a patch, and each patch gives one manifold:
 *
 *    ______________    If the part's own points against the plane of the patch (corners of its face, ends of its
 *   |\     |\     |    edge, three points of its rim, its lowest point) all lie over triangles of the patch, they
 *   | \.---|-\--. |    are the manifold: inner edges of a flat floor have no effect, and the ids do not change
 *   |  |\  |  \ | |    while the part slides over them. Otherwise (border of the surface, holes) the points found
 *   |__|_\_|___\|_|    triangle by triangle are collected without duplicates, and the corners of their convex hull
 *   |\ '---|----' |    in the plane are kept, with the deepest point.
 *   | \    | \    |
 *
 * A part in overlap at a convex corner of the surface overlaps triangles on all sides of it, but entered through one. A
 * contact counts only if no overlapped triangle in front of it has a shorter exit (surface_distance.c).
 *
 * The signed distance (surface_distance.h) takes precedence. If it exceeds the margin there is no contact. If no
 * contact is as deep (the part is inside, in overlap by more than half, or no single feature gives an exit), the
 * contact plane of the distance query is used: the part's own points against it if its flat region lies under all of
 * them, otherwise the witness point alone.
 *
 * A half-space touches a surface only along its own normal: every triangle is tested. Bounds: those of
 * surface_gather.h; if they are exceeded, contacts are left out and `reduced` is set. Cost: one search per convex or
 * open edge near the part and per corner of these, two support queries per triangle.
 */
#include "collision/surface_gather.h"

/* Returns true if any of the points has another exit. */
static bool has_other_exit(const RgSurfaceGather *g, const RgRegion *region, double depth)
{
    for (int32_t k = 0; k < region->overlap.count && depth > 0.0; k++) {
        const RgOverlapPoint *p = &region->overlap.point[k];
        if (rg_gather_has_other_exit(g, rg_contact_frame_point(&region->frame, p->u, p->v, p->h[1]), depth))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ parts */

/* Adds the contact points of one feature of a triangle; returns its patch, or -1 if the feature lies beside the
   part. */
static int32_t add_feature(RgSurfaceGather *g, const RgPlate *plate, const RgPlateContact *contact)
{
    RgManifoldQuery *q = g->q;
    RgConvexPair pair = {&q->a->parts[g->part], &plate->shape, q->X_AB};
    RgRegion region;
    rg_region_make(&pair, &contact->at, &(RgRegionRules){&q->options, plate->inner_edges, !contact->witness}, &region);
    if (region.overlap.count == 0 || has_other_exit(g, &region, -contact->at.distance))
        return -1;
    int32_t patch = rg_gather_patch(g, contact->at.normal);
    if (patch >= 0)
        rg_gather_region(g, patch, plate, &region);
    return patch;
}

/* Returns true if edge i is handled by this triangle: exactly one of two neighbours with consistent orientation handles
   it. */
static bool is_edge_owner(const RgSurfaceGather *g, const RgTriangle *t, int i)
{
    return t->open[i] || !rg_surface_one_sided(g->q->b->surface) || t->number[i] < t->number[(i + 1) % 3];
}

/* Returns true the first time for each corner. */
static bool mark_corner(RgSurfaceGather *g, int32_t vertex)
{
    for (int32_t k = 0; k < g->ncorners; k++)
        if (g->corner[k] == vertex)
            return false;
    if (g->ncorners < RG_GATHER_CORNERS)
        g->corner[g->ncorners++] = vertex;
    return true;
}

/* Adds a triangle to the list of the patch in whose plane it lies. Its points are computed later if they are needed,
   except for the first triangle of a patch, which must have some. */
static void add_face(RgSurfaceGather *g, int32_t k, const RgPlate *plate, const RgPlateContact *contact)
{
    int32_t patch = 0;
    while (patch < g->npatches &&
           !(g->patch[patch].by_plane &&
             v3_norm(v3_sub(g->patch[patch].normal, contact->at.normal)) <= RG_GATHER_SAME_NORMAL))
        patch++;
    if (patch == g->npatches)
        patch = add_feature(g, plate, contact);
    if (patch < 0)
        return;
    g->patch_of_list[k] = (int16_t)patch;
    g->patch[patch].by_plane = true;
    g->patch[patch].vertex = pose_apply(g->q->X_AB, plate->triangle.vertex[0]);
}

static void add_triangle(RgSurfaceGather *g, int32_t k)
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
        add_face(g, k, &plate, &contact);
    for (int i = 0; i < 3; i++) {
        if (!t->convex[i])
            continue;
        if (is_edge_owner(g, t, i) && rg_plate_edge_contact(q, &plate, i, height, &contact))
            add_feature(g, &plate, &contact);
        if (mark_corner(g, t->number[i]) && rg_plate_corner_contact(q, &plate, i, &contact))
            add_feature(g, &plate, &contact);
    }
}

/* Computes the points of the patches with listed triangles: the part's own points if the patch is under all of them,
   otherwise those of each triangle. */
static void add_plane_points(RgSurfaceGather *g)
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
                add_feature(g, &plate, &contact);
        }
    }
}

/* Returns true if a point has that depth. */
static bool has_depth(const RgSurfaceGather *g, double distance)
{
    for (int32_t k = 0; k < g->npoints; k++)
        if (fabs(g->point[k].gap - distance) <= RG_GATHER_SAME_NORMAL * g->size)
            return true;
    return false;
}

/* Replaces all deeper patches by the contact plane of the distance query. */
static void use_distance_plane(RgSurfaceGather *g, const RgDistance *at)
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

/* A half-space and one triangle: contact along the normal of the half-space. */
static void add_halfspace_contact(RgSurfaceGather *g, int32_t triangle)
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
    add_feature(g, &plate, &(RgPlateContact){at, true});
}

/* Depth of the part behind the plane of a triangle with a convex edge; 0 for all others. */
static double exit_depth(const RgSurfaceGather *g, int32_t triangle)
{
    RgTriangle t;
    RgPlate plate;
    double height[2];
    rg_surface_triangle(g->q->b->surface, triangle, &t);
    if (!t.convex[0] && !t.convex[1] && !t.convex[2])
        return 0.0;
    return rg_plate_face(&g->query, triangle, &plate, height) ? fmax(0.0, -height[0]) : 0.0;
}

static void collect_part(RgSurfaceGather *g, const RgDistance *at)
{
    RgManifoldQuery *q = g->q;
    const RgSurface *surface = q->b->surface;
    if (rg_shape_kind(q->a->parts[g->part].type)->support == NULL) {
        for (int32_t i = 0; i < rg_surface_count(surface); i++)
            add_halfspace_contact(g, i);
        return;
    }
    RgPose X_BA = pose_inverse(q->X_AB);
    RgBounds box = rg_bounds_rotate(&X_BA, &q->a->part_bounds[g->part]);
    double m = fmax(0.0, q->options.margin);
    g->query = (RgSurfaceQuery){surface, &q->a->parts[g->part], q->X_AB, q->a->part_bounds[g->part], g->size, m};
    box = (RgBounds){v3_sub(box.low, v3(m, m, m)), v3_add(box.high, v3(m, m, m))};
    g->nlist = rg_surface_overlap(surface, &box, g->list, RG_GATHER_TRIANGLES);
    if (g->nlist > RG_GATHER_TRIANGLES) {
        q->out->reduced = true;
        g->nlist = RG_GATHER_TRIANGLES;
    }
    for (int32_t k = 0; k < g->nlist; k++)
        g->sunk[k] = exit_depth(g, g->list[k]);
    for (int32_t k = 0; k < g->nlist; k++)
        add_triangle(g, k);
    add_plane_points(g);
    if (!has_depth(g, at->distance))
        use_distance_plane(g, at);
}

/* Length to which tolerances are relative: of the part, or of the surface if the part is a half-space. */
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
    collect_part(&g, at);
    rg_gather_append(&g);
}
