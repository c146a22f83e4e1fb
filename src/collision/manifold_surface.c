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
 * Keys of features: corners and edges of the surface by the numbers of its vertices, which neighbours share;
 * a face by the axis its normal is nearest to, since which of its triangles is touched does not matter.
 *
 * A part that is sunk in at a convex corner of the surface overlaps triangles on all sides of it, but came
 * in through one. A contact counts only if no triangle before it that the part overlaps shows a shorter way
 * out.
 *
 * A half-space touches a surface along its own normal alone: every triangle is asked. Bounds: LIST_ROOM
 * triangles a part, PATCH_ROOM patches, RG_OVERLAP_POINTS points; what does not fit is left out, and
 * overflow says so. Cost: a search for each convex or open edge and its corners near the part, two farthest
 * points for each triangle.
 */
#include "collision/manifold.h"
#include "collision/plane_hull.h"
#include "collision/triangle_contact.h"

#define LIST_ROOM 4096
#define PATCH_ROOM 64
#define UNDER_ROOM 64   /* triangles over one place */
#define CORNER_ROOM 256 /* beyond, corners may be asked more than once */

/* Normals no farther apart than this are one: round-off of flat surfaces, as in triangle_contact.c. */
#define SAME_NORMAL 1e-6

/* Part of the size within which points are at one place, and no deeper than one another. */
#define SAME_PLACE 1e-9

typedef struct Patch {
    RgVec3 normal; /* from A to B, in A's frame */
    RgTouch touch;
    int32_t triangle; /* the deepest, or the first that lies in the plane */
    double least;     /* gap */
    bool by_plane;    /* the normal is that of the triangles listed for it */
    bool covered;     /* its points are those of the part against the whole plane */
    RgVec3 vertex;    /* of a triangle, in A's frame */
} Patch;

/* What is found for one part. */
typedef struct Gather {
    RgManifoldQuery *q;
    int32_t part;
    double size;
    RgSurfaceQuery query;
    int32_t nlist, npatches, npoints, ncorners;
    int32_t corner[CORNER_ROOM]; /* of the surface, that were asked already */
    Patch patch[PATCH_ROOM];
    RgStagedPoint point[RG_OVERLAP_POINTS];
    int16_t patch_of[RG_OVERLAP_POINTS];
    int32_t list[LIST_ROOM];          /* triangles near the part */
    int16_t patch_of_list[LIST_ROOM]; /* in whose plane they lie; -1: none */
    double sunk
        [LIST_ROOM]; /* how far the part is sunk in behind their planes, where that is a way out; else 0 */
} Gather;

/* ------------------------------------------------------------------ keys */

/* Number of the axis nearest to a direction, 0 ... 5. */
static uint32_t nearest_axis(RgVec3 n)
{
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    int axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return 2 * (uint32_t)axis + (v3_at(n, axis) < 0.0);
}

/* normal: of the contact, in the surface's frame. */
static uint64_t surface_key(const RgTriangle *t, RgFeature feature, RgVec3 normal)
{
    if (feature.kind == RG_FEATURE_VERTEX)
        return rg_contact_key(-2, (RgFeature){RG_FEATURE_VERTEX, t->number[feature.index]}, 0);
    if (feature.kind == RG_FEATURE_EDGE) {
        int32_t a = t->number[feature.index], b = t->number[(feature.index + 1) % 3];
        return rg_contact_key(a < b ? a : b, (RgFeature){RG_FEATURE_EDGE, a < b ? b : a}, 0);
    }
    return rg_contact_key(-1, (RgFeature){RG_FEATURE_FACE, 0}, 1 + nearest_axis(normal));
}

/* A corner of A that rests on an inner edge rests on the face that goes on beyond it. */
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

/* The patch of a normal, a new one if need be; -1: no room. */
static int32_t patch_for(Gather *g, RgVec3 normal)
{
    for (int32_t i = 0; i < g->npatches; i++)
        if (v3_norm(v3_sub(g->patch[i].normal, normal)) <= SAME_NORMAL)
            return i;
    if (g->npatches == PATCH_ROOM) {
        g->q->out->overflow = true;
        return -1;
    }
    g->patch[g->npatches] =
        (Patch){.normal = normal, .touch = RG_TOUCH_none, .triangle = -1, .least = INFINITY};
    return g->npatches++;
}

/* Keeps of patch i the corners of the hull, and the deepest point where those are less deep. */
static void keep_hull(Gather *g, int32_t i)
{
    RgPlanePoint place[RG_OVERLAP_POINTS], corner[2 * RG_OVERLAP_POINTS];
    bool keep[RG_OVERLAP_POINTS] = {false};
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
    int32_t hull = rg_plane_hull(place, count, 1.0, SAME_PLACE * g->size, corner);
    for (int32_t k = 0; k < hull; k++) {
        keep[corner[k].number] = true;
        least = fmin(least, g->point[corner[k].number].gap);
    }
    if (deepest >= 0 && g->point[deepest].gap < least - SAME_PLACE * g->size)
        keep[deepest] = true;
    int32_t kept = 0;
    for (int32_t k = 0; k < g->npoints; k++)
        if (keep[k] || g->patch_of[k] != i) {
            g->point[kept] = g->point[k];
            g->patch_of[kept++] = g->patch_of[k];
        }
    g->npoints = kept;
}

/* Adds a point, unless its patch has one there. */
static void gather_point(Gather *g, int32_t patch, const RgStagedPoint *p)
{
    for (int32_t k = 0; k < g->npoints; k++) {
        RgVec3 d = v3_sub(g->point[k].point_a, p->point_a);
        if (g->patch_of[k] == patch && v3_norm(d) <= SAME_PLACE * g->size)
            return;
    }
    for (int32_t i = 0; i < g->npatches && g->npoints == RG_OVERLAP_POINTS; i++)
        keep_hull(g, i);
    if (g->npoints == RG_OVERLAP_POINTS) {
        g->q->out->overflow = true;
        return;
    }
    g->patch_of[g->npoints] = (int16_t)patch;
    g->point[g->npoints++] = *p;
}

/* The touch that says most of two: none, then the degenerate ones, then by the size of what touches. */
static RgTouch touch_more(RgTouch a, RgTouch b)
{
    static const RgTouch order[] = {RG_TOUCH_face_face, RG_TOUCH_edge_face, RG_TOUCH_vertex_face,
                                    RG_TOUCH_curved, RG_TOUCH_edge_edge};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a != RG_TOUCH_none ? a : b;
}

/* The points of one triangle. */
static void gather_region(Gather *g, int32_t patch, int32_t triangle, const RgPlate *plate,
                          const RgRegion *region)
{
    Patch *to = &g->patch[patch];
    RgVec3 normal_B = m3_apply_t(g->q->X_AB.R, region->frame.n);
    for (int32_t k = 0; k < region->overlap.count; k++) {
        const RgOverlapPoint *p = &region->overlap.point[k];
        RgFeature on = surface_feature(plate, p);
        RgStagedPoint staged = {rg_contact_frame_point(&region->frame, p->u, p->v, p->h[0]),
                                p->h[1] - p->h[0],
                                {p->feature[0], on},
                                {rg_contact_key(g->part, p->feature[0], p->slot[0]),
                                 surface_key(&plate->triangle, on, normal_B)}};
        if (staged.gap < to->least) {
            to->least = staged.gap;
            to->triangle = triangle;
        }
        gather_point(g, patch, &staged);
    }
    if (region->overlap.count > 0)
        to->touch = touch_more(to->touch, region->touch);
    g->q->out->overflow = g->q->out->overflow || region->overlap.reduced;
}

/* Does the part overlap a triangle in front of the point p of the surface, in A's frame, behind whose plane
   it is less sunk in than by depth? Then the way out is through that one. */
static bool other_way_out(const Gather *g, RgVec3 p, double depth)
{
    RgManifoldQuery *q = g->q;
    RgVec3 p_B = m3_apply_t(q->X_AB.R, v3_sub(p, q->X_AB.p));
    for (int32_t k = 0; k < g->nlist; k++) {
        RgPlate plate;
        if (!(g->sunk[k] > 0.0) || g->sunk[k] >= depth - SAME_PLACE * g->size)
            continue;
        rg_plate_make(q->b->surface, g->list[k], false, &plate);
        const RgTriangle *t = &plate.triangle;
        if (v3_dot(t->normal, v3_sub(p_B, t->vertex[0])) >= -SAME_PLACE * g->size)
            continue;
        RgDistance at = {.distance = INFINITY};
        rg_convex_distance(&(RgConvexPair){&q->a->parts[g->part], &plate.shape, q->X_AB}, NULL, &at);
        if (at.distance < 0.0)
            return true;
    }
    return false;
}

/* Is there another way out of any of the points? */
static bool region_mistaken(const Gather *g, const RgRegion *region, double depth)
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
static int32_t list_place(const Gather *g, int32_t triangle)
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
static bool patch_under(const Gather *g, int32_t patch, RgVec3 x, RgVec3 foot, double *gap)
{
    const RgManifoldQuery *q = g->q;
    RgVec3 x_B = m3_apply_t(q->X_AB.R, v3_sub(x, q->X_AB.p));
    RgVec3 f = m3_apply_t(q->X_AB.R, v3_sub(foot, q->X_AB.p));
    RgVec3 n_B = m3_apply_t(q->X_AB.R, g->patch[patch].normal);
    double near = 2.0 * SAME_NORMAL * g->size;
    RgBounds box = {v3_sub(f, v3(near, near, near)), v3_add(f, v3(near, near, near))};
    int32_t found[UNDER_ROOM];
    int32_t count = rg_surface_overlap(q->b->surface, &box, found, UNDER_ROOM);
    for (int32_t i = 0; i < count && i < UNDER_ROOM; i++) {
        RgPlate plate;
        int32_t k = list_place(g, found[i]);
        if (k < 0 || g->patch_of_list[k] != patch)
            continue;
        rg_plate_make(q->b->surface, found[i], false, &plate);
        if (!rg_plate_has(&plate, x_B, SAME_PLACE * g->size))
            continue;
        *gap = v3_dot(n_B, v3_sub(plate.triangle.vertex[0], x_B));
        return true;
    }
    return false;
}

/* The part against the whole plane of a patch; false where a point of that is not over the patch. */
static bool cover_patch(Gather *g, int32_t patch, RgRegion *region)
{
    RgManifoldQuery *q = g->q;
    Patch *p = &g->patch[patch];
    RgShape plane = {.type = RG_SHAPE_halfspace};
    RgConvexPair pair = {&q->a->parts[g->part], &plane, {m3_align_z(v3_neg(p->normal)), p->vertex}};
    RgDistance at = {.normal = p->normal};
    at.point_a = rg_shape_kind(pair.a->type)->support(pair.a, p->normal);
    at.distance = v3_dot(p->normal, v3_sub(p->vertex, at.point_a));
    at.point_b = v3_axpy(at.distance, p->normal, at.point_a);
    rg_region_make(&pair, &at, &(RgRegionRules){.options = &q->options}, region);
    for (int32_t k = 0; k < region->overlap.count; k++) {
        RgOverlapPoint *o = &region->overlap.point[k];
        double gap;
        RgVec3 x = rg_contact_frame_point(&region->frame, o->u, o->v, o->h[0]);
        RgVec3 foot = rg_contact_frame_point(&region->frame, o->u, o->v, o->h[1]);
        if (!patch_under(g, patch, x, foot, &gap) || other_way_out(g, foot, -at.distance))
            return false;
        o->h[1] = o->h[0] + gap;
    }
    return region->overlap.count > 0;
}

/* Replaces the points of a patch by those against the whole plane. */
static void gather_cover(Gather *g, int32_t patch, const RgRegion *region)
{
    RgVec3 normal_B = m3_apply_t(g->q->X_AB.R, g->patch[patch].normal);
    uint64_t face = surface_key(NULL, (RgFeature){RG_FEATURE_FACE, 0}, normal_B);
    int32_t kept = 0;
    for (int32_t k = 0; k < g->npoints; k++)
        if (g->patch_of[k] != patch) {
            g->point[kept] = g->point[k];
            g->patch_of[kept++] = g->patch_of[k];
        }
    g->npoints = kept;
    for (int32_t k = 0; k < region->overlap.count; k++) {
        const RgOverlapPoint *o = &region->overlap.point[k];
        RgStagedPoint p = {rg_contact_frame_point(&region->frame, o->u, o->v, o->h[0]),
                           o->h[1] - o->h[0],
                           {o->feature[0], {RG_FEATURE_FACE, 0}},
                           {rg_contact_key(g->part, o->feature[0], o->slot[0]), face}};
        gather_point(g, patch, &p);
    }
    g->patch[patch].touch = region->touch;
    g->patch[patch].covered = true;
}

/* Are all points of a patch along an edge or a corner next to points of one in the plane of triangles, with
   nearly its normal? Then it says nothing new. */
static bool patch_repeats(const Gather *g, int32_t patch)
{
    double slope = fmax(g->q->options.slope, SAME_NORMAL);
    bool repeats = !g->patch[patch].by_plane;
    for (int32_t k = 0; k < g->npoints && repeats; k++) {
        if (g->patch_of[k] != patch)
            continue;
        double near = 2.0 * slope * (fabs(g->point[k].gap) + g->query.margin) + SAME_PLACE * g->size;
        repeats = false;
        for (int32_t j = 0; j < g->npoints && !repeats; j++) {
            const Patch *other = &g->patch[g->patch_of[j]];
            repeats = other->by_plane && v3_norm(v3_sub(other->normal, g->patch[patch].normal)) <= slope &&
                      v3_norm(v3_sub(g->point[j].point_a, g->point[k].point_a)) <= near;
        }
    }
    return repeats;
}

static void append_patch(Gather *g, int32_t patch)
{
    const Patch *p = &g->patch[patch];
    RgManifold head = {.normal = p->normal, .touch = p->touch, .part_a = g->part, .part_b = p->triangle};
    RgStagedPoint stage[RG_OVERLAP_POINTS];
    int32_t count = 0;
    if (!p->covered)
        keep_hull(g, patch);
    for (int32_t k = 0; k < g->npoints; k++)
        if (g->patch_of[k] == patch)
            stage[count++] = g->point[k];
    rg_manifold_append(g->q, &head, stage, count);
}

/* ------------------------------------------------------------------ parts */

/* The points of contact of one feature of a triangle; nothing where it lies beside the part. */
static int32_t ask_feature(Gather *g, int32_t triangle, const RgPlate *plate, const RgPlateContact *contact)
{
    RgManifoldQuery *q = g->q;
    RgConvexPair pair = {&q->a->parts[g->part], &plate->shape, q->X_AB};
    RgRegion region;
    rg_region_make(&pair, &contact->at, &(RgRegionRules){&q->options, plate->inner_edges, !contact->witness},
                   &region);
    if (region.overlap.count == 0 || region_mistaken(g, &region, -contact->at.distance))
        return -1;
    int32_t patch = patch_for(g, contact->at.normal);
    if (patch >= 0)
        gather_region(g, patch, triangle, plate, &region);
    return patch;
}

/* Is this the triangle that answers for its edge i? Of two neighbours that agree on the front it is one. */
static bool owns_edge(const Gather *g, const RgTriangle *t, int i)
{
    return t->open[i] || !rg_surface_one_sided(g->q->b->surface) || t->number[i] < t->number[(i + 1) % 3];
}

/* Corners are asked once. */
static bool first_asked(Gather *g, int32_t vertex)
{
    for (int32_t k = 0; k < g->ncorners; k++)
        if (g->corner[k] == vertex)
            return false;
    if (g->ncorners < CORNER_ROOM)
        g->corner[g->ncorners++] = vertex;
    return true;
}

/* Puts a triangle on the list of the patch in whose plane it lies. Its points wait until it is known whether
   they are needed; but a patch begins with a triangle that has some. */
static void ask_face(Gather *g, int32_t k, const RgPlate *plate, const RgPlateContact *contact)
{
    int32_t patch = 0;
    while (patch < g->npatches &&
           !(g->patch[patch].by_plane &&
             v3_norm(v3_sub(g->patch[patch].normal, contact->at.normal)) <= SAME_NORMAL))
        patch++;
    if (patch == g->npatches)
        patch = ask_feature(g, g->list[k], plate, contact);
    if (patch < 0)
        return;
    g->patch_of_list[k] = (int16_t)patch;
    g->patch[patch].by_plane = true;
    g->patch[patch].vertex = pose_apply(g->q->X_AB, plate->triangle.vertex[0]);
}

static void ask_triangle(Gather *g, int32_t k)
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
static void gather_planes(Gather *g)
{
    for (int32_t patch = 0; patch < g->npatches; patch++) {
        RgRegion region;
        if (!g->patch[patch].by_plane)
            continue;
        if (cover_patch(g, patch, &region)) {
            gather_cover(g, patch, &region);
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

/* A half-space and one triangle: along the normal of the half-space. */
static void ask_halfspace(Gather *g, int32_t triangle)
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
    gather_region(g, patch_for(g, at.normal), triangle, &plate, &region);
}

/* How far the part is sunk in behind the plane of a triangle with a convex edge; 0 for any other. */
static double way_out(const Gather *g, int32_t triangle)
{
    RgTriangle t;
    RgPlate plate;
    double height[2];
    rg_surface_triangle(g->q->b->surface, triangle, &t);
    if (!t.convex[0] && !t.convex[1] && !t.convex[2])
        return 0.0;
    return rg_plate_face(&g->query, triangle, &plate, height) ? fmax(0.0, -height[0]) : 0.0;
}

static void ask_part(Gather *g)
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
    g->nlist = rg_surface_overlap(surface, &box, g->list, LIST_ROOM);
    if (g->nlist > LIST_ROOM) {
        q->out->overflow = true;
        g->nlist = LIST_ROOM;
    }
    for (int32_t k = 0; k < g->nlist; k++)
        g->sunk[k] = way_out(g, g->list[k]);
    for (int32_t k = 0; k < g->nlist; k++)
        ask_triangle(g, k);
    gather_planes(g);
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
    Gather g;
    g.q = q;
    g.query = (RgSurfaceQuery){.surface = q->b->surface, .margin = q->options.margin};
    for (g.part = 0; g.part < q->a->nparts; g.part++) {
        g.size = part_size(q, g.part);
        g.nlist = g.npatches = g.npoints = g.ncorners = 0;
        ask_part(&g);
        for (int32_t i = 0; i < g.npatches; i++)
            if (!patch_repeats(&g, i))
                append_patch(&g, i);
    }
}
