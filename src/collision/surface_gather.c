/*
 * surface_gather.c - patches of contact with a surface: points with a common normal, without duplicates, with keys.
 *
 * Keys of features: corners and edges of the surface by the indices of its vertices, which neighbours share; a face by
 * the index of its flat region, so that it does not matter which of its triangles is touched. A contact along the
 * normal of a triangle has the region in its key for every feature, which distinguishes the points on the common edge
 * of two patches.
 *
 * Of a patch found triangle by triangle the corners of the convex hull across its normal are kept, and the deepest
 * point. A patch at an edge or a corner whose points are all next to those of a patch in the plane of triangles, with
 * nearly the same normal, is a duplicate and is dropped.
 *
 * Cost: quadratic in the number of points, which is small.
 */
#include "collision/surface_gather.h"

#include "collision/plane_hull.h"

/* ------------------------------------------------------------------ keys */

/* region: of the triangle along whose normal the contact is; -1: another normal. */
static uint64_t surface_key(const RgTriangle *t, RgFeature feature, int32_t region)
{
    uint32_t slot = (uint32_t)(region + 1);
    if (feature.kind == RG_FEATURE_VERTEX)
        return rg_contact_key(-2, (RgFeature){RG_FEATURE_VERTEX, t->number[feature.index]}, slot);
    if (feature.kind == RG_FEATURE_EDGE) {
        int32_t a = t->number[feature.index], b = t->number[(feature.index + 1) % 3];
        return rg_contact_key(a < b ? a : b, (RgFeature){RG_FEATURE_EDGE, a < b ? b : a}, slot);
    }
    return rg_contact_key(-1, (RgFeature){RG_FEATURE_FACE, 0}, slot);
}

/* A corner of A on an inner edge counts as lying on the face, which continues beyond the edge. */
static RgFeature surface_feature(const RgPlate *plate, const RgOverlapPoint *p)
{
    RgFeature f = p->feature[1];
    uint32_t inner = plate->inner_edges;
    if (p->feature[0].kind != RG_FEATURE_VERTEX)
        return f;
    if ((f.kind == RG_FEATURE_EDGE && (inner >> f.index & 1) != 0) ||
        (f.kind == RG_FEATURE_VERTEX && (inner >> f.index & 1) != 0 && (inner >> (f.index + 2) % 3 & 1) != 0))
        return (RgFeature){RG_FEATURE_FACE, 0};
    return f;
}

/* ------------------------------------------------------------------ gathering */

int32_t rg_gather_patch(RgSurfaceGather *g, RgVec3 normal)
{
    for (int32_t i = 0; i < g->npatches; i++)
        if (v3_norm(v3_sub(g->patch[i].normal, normal)) <= RG_GATHER_SAME_NORMAL)
            return i;
    if (g->npatches == RG_GATHER_PATCHES) {
        g->q->out->reduced = true;
        return -1;
    }
    g->patch[g->npatches] =
        (RgSurfacePatch){.normal = normal, .touch = RG_TOUCH_none, .triangle = -1, .least = INFINITY};
    return g->npatches++;
}

/* Reduces patch i to the corners of its hull, and the deepest point if the corners are less deep. */
static void reduce_to_hull(RgSurfaceGather *g, int32_t i)
{
    RgPlanePoint place[RG_OVERLAP_POINTS], corner[2 * RG_OVERLAP_POINTS];
    bool selected[RG_OVERLAP_POINTS] = {false};
    RgContactFrame frame = rg_contact_frame(v3_zero(), g->patch[i].normal);
    int32_t count = 0, deepest = -1;
    double least = INFINITY;
    for (int32_t k = 0; k < g->npoints; k++) {
        RgVec3 x = g->point[k].point_a;
        if (g->patch_of[k] != i)
            continue;
        place[count++] = (RgPlanePoint){v3_dot(x, frame.t), v3_dot(x, frame.s), -g->point[k].gap, k};
        deepest = deepest < 0 || g->point[k].gap < g->point[deepest].gap ? k : deepest;
    }
    int32_t hull = rg_plane_hull(place, count, 1.0, RG_GATHER_SAME_PLACE * g->size, corner);
    for (int32_t k = 0; k < hull; k++) {
        selected[corner[k].number] = true;
        least = fmin(least, g->point[corner[k].number].gap);
    }
    if (deepest >= 0 && g->point[deepest].gap < least - RG_GATHER_SAME_PLACE * g->size)
        selected[deepest] = true;
    int32_t kept = 0;
    for (int32_t k = 0; k < g->npoints; k++)
        if (selected[k] || g->patch_of[k] != i) {
            g->point[kept] = g->point[k];
            g->patch_of[kept++] = g->patch_of[k];
        }
    g->npoints = kept;
}

/* Adds a point. If its patch has a point at the same position, the deeper of the two is kept: surfaces may lie on each
   other. */
static void add_point(RgSurfaceGather *g, int32_t patch, const RgStagedPoint *p)
{
    for (int32_t k = 0; k < g->npoints; k++) {
        RgVec3 d = v3_sub(g->point[k].point_a, p->point_a);
        if (g->patch_of[k] != patch || !(v3_norm(d) <= RG_GATHER_SAME_PLACE * g->size))
            continue;
        if (p->gap < g->point[k].gap - RG_GATHER_SAME_PLACE * g->size)
            g->point[k] = *p;
        return;
    }
    for (int32_t i = 0; i < g->npatches && g->npoints == RG_OVERLAP_POINTS; i++)
        reduce_to_hull(g, i);
    if (g->npoints == RG_OVERLAP_POINTS) {
        g->q->out->reduced = true;
        return;
    }
    g->patch_of[g->npoints] = (int16_t)patch;
    g->point[g->npoints++] = *p;
}

/* The more specific type of two touches: regular ones by the extent of the features, then degenerate ones, then
   none. */
static RgTouch more_specific_touch(RgTouch a, RgTouch b)
{
    static const RgTouch order[] = {RG_TOUCH_face_face, RG_TOUCH_edge_face, RG_TOUCH_vertex_face, RG_TOUCH_curved,
                                    RG_TOUCH_edge_edge};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a != RG_TOUCH_none ? a : b;
}

/* The flat region whose normal is n (from A to B, in A's frame); -1: none. Faces are touched along their own normals
   only, up to round-off. */
static int32_t region_of_normal(const RgSurfaceGather *g, const RgPlate *plate, RgVec3 n, RgFeature on)
{
    RgVec3 away = v3_neg(m3_apply(g->q->X_AB.R, plate->triangle.normal));
    bool along = on.kind == RG_FEATURE_FACE || v3_norm(v3_sub(away, n)) <= RG_GATHER_SAME_NORMAL;
    return along ? rg_surface_region(g->q->b->surface, plate->number) : -1;
}

void rg_gather_region(RgSurfaceGather *g, int32_t patch, const RgPlate *plate, const RgRegion *region)
{
    RgSurfacePatch *to = &g->patch[patch];
    for (int32_t k = 0; k < region->overlap.count; k++) {
        const RgOverlapPoint *p = &region->overlap.point[k];
        RgFeature on = surface_feature(plate, p);
        RgStagedPoint staged = {rg_contact_frame_point(&region->frame, p->u, p->v, p->h[0]),
                                p->h[1] - p->h[0],
                                {p->feature[0], rg_plate_feature(plate, on)},
                                {rg_contact_key(g->part, p->feature[0], p->slot[0]),
                                 surface_key(&plate->triangle, on, region_of_normal(g, plate, region->frame.n, on))}};
        if (staged.gap < to->least) {
            to->least = staged.gap;
            to->triangle = plate->number;
        }
        add_point(g, patch, &staged);
    }
    if (region->overlap.count > 0)
        to->touch = more_specific_touch(to->touch, region->touch);
    g->q->out->reduced = g->q->out->reduced || region->overlap.reduced;
}

/* Removes the points of a patch. */
static void empty_patch(RgSurfaceGather *g, int32_t patch)
{
    int32_t kept = 0;
    for (int32_t k = 0; k < g->npoints; k++)
        if (g->patch_of[k] != patch) {
            g->point[kept] = g->point[k];
            g->patch_of[kept++] = g->patch_of[k];
        }
    g->npoints = kept;
}

void rg_gather_drop(RgSurfaceGather *g, double gap)
{
    for (int32_t i = 0; i < g->npatches; i++) {
        bool deeper = false;
        for (int32_t k = 0; k < g->npoints; k++)
            deeper = deeper || (g->patch_of[k] == i && g->point[k].gap < gap);
        if (deeper)
            empty_patch(g, i);
    }
}

void rg_gather_replace(RgSurfaceGather *g, int32_t patch, const RgRegion *region)
{
    empty_patch(g, patch);
    for (int32_t k = 0; k < region->overlap.count; k++) {
        const RgOverlapPoint *o = &region->overlap.point[k];
        const RgFeature face = {RG_FEATURE_FACE, 0};
        RgStagedPoint p = {
            rg_contact_frame_point(&region->frame, o->u, o->v, o->h[0]),
            o->h[1] - o->h[0],
            {o->feature[0], face},
            {rg_contact_key(g->part, o->feature[0], o->slot[0]), surface_key(NULL, face, o->feature[1].index)}};
        add_point(g, patch, &p);
    }
    g->patch[patch].touch = region->touch;
    g->patch[patch].covered = true;
}

/* Type of touch of two features in one point. */
static RgTouch touch_of(const RgShape *shape, RgFeature a, RgFeature b)
{
    if (shape->core == NULL || rg_shape_rounding(shape) > 0.0)
        return RG_TOUCH_curved;
    if (b.kind == RG_FEATURE_FACE)
        return a.kind == RG_FEATURE_VERTEX ? RG_TOUCH_vertex_face
               : a.kind == RG_FEATURE_EDGE ? RG_TOUCH_edge_face
                                           : RG_TOUCH_face_face;
    if (a.kind == RG_FEATURE_FACE)
        return b.kind == RG_FEATURE_VERTEX ? RG_TOUCH_vertex_face : RG_TOUCH_edge_face;
    return a.kind == RG_FEATURE_EDGE && b.kind == RG_FEATURE_EDGE ? RG_TOUCH_edge_edge : RG_TOUCH_none;
}

void rg_gather_witness(RgSurfaceGather *g, int32_t patch, const RgPlate *plate, const RgDistance *at)
{
    RgFeature on = at->feature_b;
    RgStagedPoint p = {at->point_a,
                       at->distance,
                       {at->feature_a, on},
                       {rg_contact_key(g->part, at->feature_a, 0),
                        surface_key(&plate->triangle, on, region_of_normal(g, plate, at->normal, on))}};
    empty_patch(g, patch);
    g->patch[patch].touch = touch_of(&g->q->a->parts[g->part], at->feature_a, on);
    add_point(g, patch, &p);
}

/* Returns true if a patch at an edge or a corner is a duplicate: all its points are next to points of a patch in the
   plane of triangles with nearly its normal. */
static bool is_duplicate_patch(const RgSurfaceGather *g, int32_t patch)
{
    double slope = fmax(g->q->options.slope, RG_GATHER_SAME_NORMAL);
    bool duplicate = !g->patch[patch].by_plane;
    for (int32_t k = 0; k < g->npoints && duplicate; k++) {
        if (g->patch_of[k] != patch)
            continue;
        double near = 2.0 * slope * (fabs(g->point[k].gap) + g->query.margin) + RG_GATHER_SAME_PLACE * g->size;
        duplicate = false;
        for (int32_t j = 0; j < g->npoints && !duplicate; j++) {
            const RgSurfacePatch *other = &g->patch[g->patch_of[j]];
            duplicate = other->by_plane && v3_norm(v3_sub(other->normal, g->patch[patch].normal)) <= slope &&
                        v3_norm(v3_sub(g->point[j].point_a, g->point[k].point_a)) <= near;
        }
    }
    return duplicate;
}

static void append_patch(RgSurfaceGather *g, int32_t patch)
{
    const RgSurfacePatch *p = &g->patch[patch];
    RgManifold head = {.normal = p->normal, .touch = p->touch, .part_a = g->part, .part_b = p->triangle};
    RgStagedPoint stage[RG_OVERLAP_POINTS];
    int32_t count = 0;
    if (!p->covered)
        reduce_to_hull(g, patch);
    for (int32_t k = 0; k < g->npoints; k++)
        if (g->patch_of[k] == patch)
            stage[count++] = g->point[k];
    rg_manifold_append(g->q, &head, stage, count);
}

void rg_gather_append(RgSurfaceGather *g)
{
    for (int32_t i = 0; i < g->npatches; i++)
        if (!is_duplicate_patch(g, i))
            append_patch(g, i);
}
