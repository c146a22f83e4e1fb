/*
 * touch_set.c - all points that touch, each with a gap function that stays valid during motion.
 *
 * The points come from rg_manifold, with the gap as margin and all corners. The features of a point choose its gap:
 *
 *   face with anything           plane of the face; corner or present point of the other shape
 *   edge across edge             lines
 *   round with round or sharp    points, or line and point, minus the radii; the side of a cylinder is a line
 *   rim, ellipsoid on a face     plane and ellipsoid
 *   anything else                a plane with the present normal, fixed in one of the two bodies: in the one whose face
 *                                there is most nearly orthogonal to that normal
 *
 * The last case covers flush corners of stacked boxes (a face of one of them is the plane), and contacts whose normal
 * is not unique (corner on corner, corner on edge, collinear edges): of all planes that separate the shapes there, the
 * present one is kept. That is safe but conservative: a body that slides past a corner is stopped by that plane until
 * the features are determined again. These contacts are counted as degenerate.
 *
 * Two edges in the plane of two faces cross at a point that moves as they slide; their gap as lines follows it. Edges
 * whose directions differ by less than NEARLY_PARALLEL use their plane instead.
 *
 * Cost: a manifold per pair. Memory grows to the largest need.
 */
#include "contact/touch_set.h"

#include "base/alloc.h"
#include "geom/geometry.h"
#include "geom/polytope.h"

#include <string.h>

/* Sine of the angle below which two edges are not treated as lines: their normal would turn a hundred times as far as
   they do. */
#define NEARLY_PARALLEL 1e-2

/* 1 - cos of the angle (1e-4 rad) up to which the plane of a face is the contact plane. */
#define SAME_NORMAL 5e-9

/* Sine of the angle from which on the rim of a cylinder counts as inclined: below it, its points on a face stay
   fixed. */
#define INCLINED_SINE 1e-3

typedef struct Memory {
    RgAllocator allocator;
    RgShapeContacts *pairs;
    RgManifold *manifolds;
    RgContactPoint *points;
    int32_t pair_room, manifold_room, point_room, gap_room;
} Memory;

/* ------------------------------------------------------------------ one side of a contact */

typedef enum Shape { SHARP_POINT, SHARP_LINE, FLAT, OTHER } Shape;

/* Feature of a body at a contact point, in the body's frame. */
typedef struct Side {
    Shape shape;
    RgVec3 place; /* corner, point of the edge's line or of the face; otherwise the present point */
    RgVec3 along; /* edge: direction; face: outward normal */
    RgVec3 here;  /* present point; for a round shape on its core */
    double radius;
    RgVec3 plane;      /* outward normal of the adjacent face that is most aligned with the contact normal */
    double facing;     /* cosine between the two; -1: no face */
    RgVec3 outward;    /* contact normal, out of this side */
    bool is_ellipsoid; /* against a plane the side is an ellipsoid, given by round and centre */
    RgSym3 round;
    RgVec3 centre;
} Side;

/* Finds the face at a feature that is most aligned with the side's normal. R: shape to body. */
static void find_plane(const RgPolytope *core, RgFeature feature, RgMat3 R, Side *side)
{
    int32_t first = 0, end = 0;
    if (feature.kind == RG_FEATURE_VERTEX) {
        first = core->ring_start[feature.index];
        end = core->ring_start[feature.index + 1];
    } else if (feature.kind == RG_FEATURE_EDGE) {
        end = 1;
    }
    for (int32_t k = first; k < end && core->nf > 0; k++) {
        int32_t edge = feature.kind == RG_FEATURE_EDGE ? feature.index : core->ring_edge[k];
        for (int i = 0; i < 2; i++) {
            RgVec3 N = m3_apply(R, core->normal[core->edge_face[2 * edge + i]]);
            double facing = v3_dot(N, side->outward);
            if (facing > side->facing) {
                side->facing = facing;
                side->plane = N;
            }
        }
    }
}

/* Describes a side with a core polytope by its feature. */
static void describe_core_side(const RgShape *shape, RgFeature feature, const RgPose *X_BS, Side *side)
{
    const RgPolytope *core = shape->core;
    side->radius = rg_shape_rounding(shape);
    side->here = v3_axpy(-side->radius, side->outward, side->here);
    side->place = side->here;
    if (feature.kind == RG_FEATURE_VERTEX && feature.index < core->nv) {
        side->shape = SHARP_POINT;
        side->place = side->here = pose_apply(*X_BS, core->vertex[feature.index]);
    } else if (feature.kind == RG_FEATURE_EDGE && feature.index < core->ne) {
        RgVec3 from = core->vertex[core->edge[2 * feature.index]], to = core->vertex[core->edge[2 * feature.index + 1]];
        RgVec3 way = m3_apply(X_BS->R, v3_sub(to, from));
        side->shape = SHARP_LINE;
        side->along = v3_scale(1.0 / v3_norm(way), way);

        /* Project the present point onto the line. */
        RgVec3 start = pose_apply(*X_BS, from);
        side->here = side->place = v3_axpy(v3_dot(v3_sub(side->here, start), side->along), side->along, start);
    } else if (feature.kind == RG_FEATURE_FACE && feature.index < core->nf) {
        side->shape = FLAT;
        side->along = side->plane = m3_apply(X_BS->R, core->normal[feature.index]);
        side->facing = v3_dot(side->plane, side->outward);
        side->place = pose_apply(*X_BS, core->vertex[core->face_vertex[core->face_start[feature.index]]]);
        return;
    }
    find_plane(core, feature, X_BS->R, side);
}

/* Sets an ellipsoid of the given half axes about a point of the shape's frame. */
static void set_ellipsoid(const RgPose *X_BS, RgVec3 centre, RgVec3 half, Side *side)
{
    side->is_ellipsoid = true;
    side->centre = pose_apply(*X_BS, centre);
    side->round = s3_rotate((RgSym3){half.x * half.x, half.y * half.y, half.z * half.z, 0.0, 0.0, 0.0}, X_BS->R);
}

/* Describes a side of a cylinder: caps are faces, the lateral surface is a line with a radius, an inclined rim is a
   disc. */
static void describe_cylinder_side(const RgShape *shape, RgFeature feature, const RgPose *X_BS, Side *side)
{
    double r = shape->size[0], up = (feature.index == 0 ? 0.5 : -0.5) * shape->size[1];
    RgVec3 axis = m3_column(X_BS->R, 2);
    if (feature.kind == RG_FEATURE_FACE && feature.index < 2) {
        side->shape = FLAT;
        side->along = side->plane = v3_scale(feature.index == 0 ? 1.0 : -1.0, axis);
        side->facing = v3_dot(side->plane, side->outward);
        side->place = pose_apply(*X_BS, v3(0.0, 0.0, up));
    } else if (feature.kind == RG_FEATURE_FACE) {
        side->shape = SHARP_LINE;
        side->along = axis;
        side->radius = r;
        side->here = side->place = v3_axpy(v3_dot(v3_sub(side->here, X_BS->p), axis), axis, X_BS->p);
    } else if (feature.kind == RG_FEATURE_EDGE && v3_norm(v3_cross(axis, side->outward)) > INCLINED_SINE) {
        set_ellipsoid(X_BS, v3(0.0, 0.0, up), v3(r, r, 0.0), side);
    }
}

/* Describes the side of shape number i; point and outward normal in world axes. */
static Side describe_side(const RgContactScene *scene, int32_t i, int32_t part, RgFeature feature, RgVec3 point,
                          RgVec3 outward)
{
    const RgGeometry *geometry = scene->geometry[i];
    RgPose X_WB = scene->body[i] >= 0 ? scene->X_WB[i] : pose_identity();
    Side side = {.shape = OTHER,
                 .here = m3_apply_t(X_WB.R, v3_sub(point, X_WB.p)),
                 .facing = -1.0,
                 .outward = m3_apply_t(X_WB.R, outward)};
    side.place = side.here;
    side.along = side.plane = side.outward;
    if (geometry->surface != NULL || part < 0 || part >= geometry->nparts)
        return side;
    const RgShape *shape = &geometry->parts[part];
    if (shape->core != NULL) {
        describe_core_side(shape, feature, &scene->X_BS[i], &side);
    } else if (rg_shape_kind(shape->type)->support == NULL) {
        side.shape = FLAT;
        side.along = side.plane = m3_column(scene->X_BS[i].R, 2);
        side.place = scene->X_BS[i].p;
        side.facing = v3_dot(side.plane, side.outward);
    } else if (shape->type == RG_SHAPE_cylinder) {
        describe_cylinder_side(shape, feature, &scene->X_BS[i], &side);
    } else if (shape->type == RG_SHAPE_ellipsoid) {
        set_ellipsoid(&scene->X_BS[i], v3_zero(), v3(shape->size[0], shape->size[1], shape->size[2]), &side);
    }
    return side;
}

/* ------------------------------------------------------------------ gaps */

/* Gap of a plane of one side and a point or the ellipsoid of the other. */
static void plane_gap(const Side *a, const Side *b, bool of_a, RgVec3 outward, RgGap *gap)
{
    const Side *flat = of_a ? a : b, *other = of_a ? b : a;
    RgVec3 plane = flat->shape == FLAT ? flat->place : flat->here;
    RgVec3 point = other->is_ellipsoid ? other->centre : other->here;
    gap->kind = other->is_ellipsoid ? (of_a ? RG_GAP_PLANE_ROUND : RG_GAP_ROUND_PLANE)
                                    : (of_a ? RG_GAP_PLANE_POINT : RG_GAP_POINT_PLANE);
    gap->round = other->round;
    gap->place_a = of_a ? plane : point;
    gap->place_b = of_a ? point : plane;
    gap->along_a = of_a ? outward : gap->along_a;
    gap->along_b = of_a ? gap->along_b : v3_neg(outward);
}

/* Gap for features without a gap of their own: a plane with the present normal, or with that of the face that coincides
   with it. */
static void present_plane_gap(const Side *a, const Side *b, RgGap *gap)
{
    bool of_a = a->is_ellipsoid == b->is_ellipsoid ? a->facing >= b->facing : b->is_ellipsoid;
    const Side *owner = of_a ? a : b;
    plane_gap(a, b, of_a, owner->facing >= 1.0 - SAME_NORMAL ? owner->plane : owner->outward, gap);
}

/* Gap of two edges; turn: sine of their angle with the sign of the normal. */
static void edge_gap(const Side *a, const Side *b, double turn, RgGap *gap)
{
    gap->place_a = a->here;
    gap->place_b = b->here;
    gap->along_a = a->along;
    gap->along_b = b->along;
    if (fabs(turn) >= NEARLY_PARALLEL) {
        gap->kind = RG_GAP_LINES;
        gap->side = turn > 0.0 ? 1.0 : -1.0;
    } else if (b->radius > 0.0) {
        gap->kind = RG_GAP_LINE_POINT;
    } else if (a->radius > 0.0) {
        gap->kind = RG_GAP_POINT_LINE;
    } else {
        present_plane_gap(a, b, gap);
    }
}

/* Chooses the gap by the features. turn: sine of the angle of two edges. open: the normal is not unique. */
static void choose_gap(const Side *a, const Side *b, double turn, bool open, RgGap *gap)
{
    bool round = a->radius + b->radius > 0.0;
    gap->radius_a = a->radius;
    gap->radius = a->radius + b->radius;
    gap->side = 1.0;
    gap->place_a = a->place;
    gap->place_b = b->place;
    gap->along_a = a->along;
    gap->along_b = b->along;
    if (a->shape == FLAT || b->shape == FLAT) {
        bool of_a = a->shape == FLAT && (b->shape != FLAT || a->facing >= b->facing);
        plane_gap(a, b, of_a, of_a ? a->along : b->along, gap);
    } else if (a->shape == OTHER || b->shape == OTHER || (open && !round)) {
        present_plane_gap(a, b, gap);
    } else if (a->shape == SHARP_LINE && b->shape == SHARP_LINE) {
        edge_gap(a, b, turn, gap);
    } else if (!round) {
        present_plane_gap(a, b, gap);
    } else {
        gap->kind = a->shape == SHARP_LINE   ? RG_GAP_LINE_POINT
                    : b->shape == SHARP_LINE ? RG_GAP_POINT_LINE
                                             : RG_GAP_POINTS;
    }
}

/* Makes the gap of a point. open: the normal is not unique. */
static RgGap make_gap(const RgContactScene *scene, const RgShapeContacts *pair, const RgManifold *m,
                      const RgContactPoint *p, bool open)
{
    int32_t i = pair->shape_a.i - 1, j = pair->shape_b.i - 1;
    RgGap gap = {.shape_a = i, .shape_b = j, .body_a = scene->body[i], .body_b = scene->body[j], .id = p->id};
    Side a = describe_side(scene, i, m->part_a, p->feature_a, p->point_a, p->normal);
    Side b = describe_side(scene, j, m->part_b, p->feature_b, p->point_b, v3_neg(p->normal));
    double turn = 0.0;
    if (a.shape == SHARP_LINE && b.shape == SHARP_LINE) {
        RgVec3 e = gap.body_a >= 0 ? m3_apply(scene->X_WB[i].R, a.along) : a.along;
        RgVec3 f = gap.body_b >= 0 ? m3_apply(scene->X_WB[j].R, b.along) : b.along;
        turn = v3_dot(v3_cross(e, f), p->normal);
    }
    choose_gap(&a, &b, turn, open, &gap);
    return gap;
}

/* ------------------------------------------------------------------ memory */

static bool reserve(const RgAllocator *allocator, void **block, int32_t *room, int32_t needed, size_t size)
{
    if (needed <= *room)
        return true;
    void *moved = rg_realloc(allocator, *block, (size_t)*room, 2 * (size_t)needed, size);
    if (moved == NULL)
        return false;
    *block = moved;
    *room = 2 * needed;
    return true;
}

static bool reserve_all(RgTouchSet *set, int32_t npairs, int32_t nmanifolds, int32_t npoints)
{
    Memory *m = set->memory;
    void *pairs = m->pairs, *manifolds = m->manifolds, *points = m->points, *gaps = set->gaps;
    bool done = reserve(&m->allocator, &pairs, &m->pair_room, npairs, sizeof *m->pairs);
    done = reserve(&m->allocator, &manifolds, &m->manifold_room, nmanifolds, sizeof *m->manifolds) && done;
    done = reserve(&m->allocator, &points, &m->point_room, npoints, sizeof *m->points) && done;
    done = reserve(&m->allocator, &gaps, &m->gap_room, npoints, sizeof *set->gaps) && done;
    m->pairs = pairs;
    m->manifolds = manifolds;
    m->points = points;
    set->gaps = gaps;
    set->view.pairs = m->pairs;
    set->view.manifolds = m->manifolds;
    set->view.points = m->points;
    return done;
}

bool rg_touch_set_init(RgTouchSet *set, const RgAllocator *allocator)
{
    *set = (RgTouchSet){.gaps = NULL};
    Memory *memory = rg_alloc(allocator, 1, sizeof *memory);
    if (memory == NULL)
        return false;
    if (allocator != NULL)
        memory->allocator = *allocator;
    set->memory = memory;
    return true;
}

void rg_touch_set_free(RgTouchSet *set)
{
    Memory *m = set->memory;
    if (m == NULL)
        return;
    RgAllocator allocator = m->allocator;
    rg_free(&allocator, m->pairs);
    rg_free(&allocator, m->manifolds);
    rg_free(&allocator, m->points);
    rg_free(&allocator, set->gaps);
    rg_free(&allocator, m);
    *set = (RgTouchSet){.gaps = NULL};
}

/* ------------------------------------------------------------------ the set */

/* Splits a manifold into as few parts as possible, of nearly equal size. */
static void split_manifold(RgTouchSet *set, const RgManifold *whole)
{
    Memory *m = set->memory;
    int32_t parts = (whole->count + RG_TOUCH_POINTS - 1) / RG_TOUCH_POINTS;
    for (int32_t k = 0; k < parts; k++) {
        int32_t first = whole->count * k / parts, end = whole->count * (k + 1) / parts;
        RgManifold *part = &m->manifolds[set->view.nmanifolds++];
        *part = *whole;
        part->first = whole->first + first;
        part->count = end - first;
        part->distance = INFINITY;
        for (int32_t i = part->first; i < part->first + part->count; i++)
            part->distance = fmin(part->distance, m->points[i].gap);
    }
}

static void add_pair(RgTouchSet *set, const RgContactScene *scene, const RgContactView *found,
                     const RgShapeContacts *pair)
{
    Memory *m = set->memory;
    int32_t before = set->view.nmanifolds;
    for (int32_t k = pair->first_manifold; k < pair->first_manifold + pair->nmanifolds; k++) {
        const RgManifold *whole = &found->manifolds[k];
        bool degenerate = rg_touch_is_degenerate(whole->touch);
        set->degenerate += degenerate ? 1 : 0;
        for (int32_t i = whole->first; i < whole->first + whole->count; i++)
            set->gaps[i] = make_gap(scene, pair, whole, &m->points[i], degenerate);
        split_manifold(set, whole);
    }
    m->pairs[set->view.npairs++] =
        (RgShapeContacts){pair->shape_a, pair->shape_b, before, set->view.nmanifolds - before};
}

static void clear_set(RgTouchSet *set)
{
    set->view.npairs = set->view.nmanifolds = set->view.npoints = set->view.unsure = 0;
    set->view.reduced = false;
    set->degenerate = 0;
}

RgStatus rg_touch_set_search(RgTouchSet *set, RgContactScene *scene, const RgContactSearch *search)
{
    RgContactView found;
    clear_set(set);
    RgStatus status = rg_contact_scene_find(scene, search, &found);
    if (status != RG_OK)
        return status;
    if (!reserve_all(set, found.npairs, found.nmanifolds + found.npoints / RG_TOUCH_POINTS, found.npoints))
        return RG_ERR_MEMORY;
    Memory *m = set->memory;
    if (found.npoints > 0)
        memcpy(m->points, found.points, (size_t)found.npoints * sizeof *m->points);
    for (int32_t k = 0; k < found.npairs; k++)
        add_pair(set, scene, &found, &found.pairs[k]);
    set->view.npoints = found.npoints;
    set->view.unsure = found.unsure;
    set->view.reduced = found.reduced;
    return RG_OK;
}

RgStatus rg_touch_set_find(RgTouchSet *set, RgContactScene *scene, double gap)
{
    clear_set(set);
    if (!(gap > 0.0) || !isfinite(gap))
        return RG_ERR_ARGUMENT;
    return rg_touch_set_search(set, scene, &(RgContactSearch){.touch = gap});
}

/* Moves the kept points of a manifold down to `at`; returns their number. */
static int32_t filter_points(RgTouchSet *set, RgManifold *manifold, const bool *keep, double seen, int32_t at)
{
    Memory *m = set->memory;
    int32_t kept = 0;
    double least = INFINITY;
    for (int32_t i = manifold->first; i < manifold->first + manifold->count; i++) {
        if (keep != NULL && !keep[i])
            continue;
        m->points[at + kept] = m->points[i];
        set->gaps[at + kept] = set->gaps[i];
        if (!isnan(seen))
            m->points[at + kept].gap = seen;
        least = fmin(least, m->points[at + kept++].gap);
    }
    manifold->first = at;
    manifold->count = kept;
    manifold->distance = least;
    return kept;
}

void rg_touch_set_filter(RgTouchSet *set, const bool *keep, double seen)
{
    Memory *m = set->memory;
    int32_t npoints = 0, nmanifolds = 0, npairs = 0;
    for (int32_t k = 0; k < set->view.npairs; k++) {
        RgShapeContacts pair = m->pairs[k];
        int32_t before = nmanifolds;
        for (int32_t i = pair.first_manifold; i < pair.first_manifold + pair.nmanifolds; i++) {
            RgManifold manifold = m->manifolds[i];
            npoints += filter_points(set, &manifold, keep, seen, npoints);
            if (manifold.count > 0)
                m->manifolds[nmanifolds++] = manifold;
        }
        if (nmanifolds > before)
            m->pairs[npairs++] = (RgShapeContacts){pair.shape_a, pair.shape_b, before, nmanifolds - before};
    }
    set->view.npoints = npoints;
    set->view.nmanifolds = nmanifolds;
    set->view.npairs = npairs;
}

void rg_touch_set_override_gap(RgTouchSet *set, int32_t point, double gap)
{
    Memory *m = set->memory;
    m->points[point].gap = gap;
}
