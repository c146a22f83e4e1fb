/*
 * triangle_contact.c - the normals along which a convex shape can touch one triangle of a surface.
 *
 * An isolated triangle can be touched at its edges along any direction that leads away from it. As a part of a surface
 * it cannot: the neighbour beyond the edge is in the way.
 *
 *        n' wrong   n_f          A box that slides over a flat floor and overlaps a triangle's border by less
 *      <--+     ^   ^            than its depth would be pushed back by that triangle alone (n' wrong). The
 *     ____|_____|___|_____       edge is flat: it cannot be touched, and the triangle's own normal n_f is used.
 *    | box|     |   |     |
 *   -+----.-----+---------+------ floor
 *      T1    T2
 *
 * So each feature is evaluated alone, extended to infinity, and only along the directions n' (from the surface to the
 * shape) along which the surface can be touched there:
 *
 *   face     its plane         n' = n_f
 *   edge     its line          n' from n_f to the neighbour's normal, if the surface bends away; beyond an open
 *                              edge to the direction in the plane away from the triangle
 *   corner   the point         n'.e <= 0 for every edge e of the surface that leaves it
 *
 * s(n') = min over the shape of n'.x - n'.p, p on the feature, is the distance along n', negative for overlap. A
 * contact counts if s is the largest within these directions:
 *   - the face, unless s is larger along the normal beyond one of its edges, or more of the shape lies behind
 *     the plane than in front of it;
 *   - the edge, if the direction to the line is between the two normals, and s is no less than along both; if
 *     the line is inside the shape, the edge must be too, and no corner of it may count with a smaller depth;
 *   - the corner, if the direction to it is allowed.
 * The positions of the contact points on the feature, if any, are computed afterwards.
 *
 * Thin shells are evaluated from the side on which more of the shape is. Corners are tested against the triangles that
 * share them, up to CORNER_TRIANGLES. Cost: one search (GJK, EPA) per edge or corner in the shape's box.
 */
#include "collision/triangle_contact.h"

#include "collision/gjk.h"
#include "geom/surface_kind.h"

/* rad; a normal may deviate from the allowed directions by this, and counts as the face's own within this, like the
   normals across flat edges. */
#define NORMAL_ANGLE 1e-6

/* Fraction of the size by which one depth must exceed another to be larger: round-off. */
#define DEPTH_ROUND_OFF 1e-12

/* Triangles at a corner that are tested; further ones are ignored. */
#define CORNER_TRIANGLES 64

/* ------------------------------------------------------------------ plate */

/* The same triangle seen from behind: corners 0, 2, 1. */
static const int turned_corner[3] = {0, 2, 1}, turned_edge[3] = {2, 1, 0};

static void turn_over(RgTriangle *t)
{
    RgTriangle front = *t;
    t->normal = v3_neg(front.normal);
    for (int i = 0; i < 3; i++) {
        t->vertex[i] = front.vertex[turned_corner[i]];
        t->number[i] = front.number[turned_corner[i]];
        t->across[i] = v3_neg(front.across[turned_edge[i]]);
        t->open[i] = front.open[turned_edge[i]];
    }
}

static RgVec3 edge_of(const RgTriangle *t, int i)
{
    return v3_sub(t->vertex[(i + 1) % 3], t->vertex[i]);
}

void rg_plate_make(const RgSurface *surface, int32_t number, bool back, RgPlate *out)
{
    RgTriangle *t = &out->triangle;
    rg_surface_triangle(surface, number, t);
    out->number = number;
    out->back = back;
    if (back)
        turn_over(t);
    out->inner_edges = 0;
    for (int i = 0; i < 3; i++) {
        RgVec3 e = edge_of(t, i);
        if (t->open[i])
            t->across[i] = v3_scale(1.0 / v3_norm(e), v3_cross(e, t->normal));
        /* for a shell every bend counts, but from one side only half of the bends are convex */
        if (!rg_surface_one_sided(surface))
            t->convex[i] = t->open[i] || rg_surface_edge_convex(t->normal, t->across[i], e, true);
        out->inner_edges |= t->convex[i] ? 0u : 1u << i;
    }
    out->normal[0] = t->normal;
    out->normal[1] = v3_neg(t->normal);
    out->offset[0] = v3_dot(t->normal, t->vertex[0]);
    out->offset[1] = -out->offset[0];
    out->polytope = rg_polytope_triangle(t->vertex, out->normal, out->offset);
    out->shape = rg_shape_of_polytope(&out->polytope);
}

RgFeature rg_plate_feature(const RgPlate *plate, RgFeature feature)
{
    if (feature.kind == RG_FEATURE_FACE)
        feature.index = 0;
    else if (plate->back && feature.index >= 0 && feature.index < 3)
        feature.index = feature.kind == RG_FEATURE_EDGE ? turned_edge[feature.index] : turned_corner[feature.index];
    return feature;
}

bool rg_plate_contains(const RgPlate *plate, RgVec3 x, double same)
{
    const RgTriangle *t = &plate->triangle;
    for (int i = 0; i < 3; i++) {
        RgVec3 e = edge_of(t, i);
        if (v3_dot(v3_cross(e, v3_sub(x, t->vertex[i])), t->normal) < -same * v3_norm(e))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ distances along a direction */

/* s(n') for a point of the surface; n' and the point in the surface's frame. */
static double distance_along(const RgSurfaceQuery *q, RgVec3 n, RgVec3 p)
{
    RgVec3 n_A = m3_apply(q->X_AB.R, n);
    RgVec3 x = rg_shape_kind(q->shape->type)->support(q->shape, v3_neg(n_A));
    return v3_dot(n_A, v3_sub(x, pose_apply(q->X_AB, p)));
}

void rg_plate_contact_along(const RgSurfaceQuery *q, RgVec3 n, RgVec3 p, RgDistance *at)
{
    RgVec3 n_A = v3_neg(m3_apply(q->X_AB.R, n));
    *at = (RgDistance){.normal = n_A, .point_a = rg_shape_kind(q->shape->type)->support(q->shape, n_A)};
    at->distance = v3_dot(n_A, v3_sub(pose_apply(q->X_AB, p), at->point_a));
    at->point_b = v3_axpy(at->distance, n_A, at->point_a);
}

static RgVec3 to_surface_frame(const RgSurfaceQuery *q, RgVec3 x)
{
    return m3_apply_t(q->X_AB.R, v3_sub(x, q->X_AB.p));
}

RgPlateOverlap rg_plate_overlap(const RgSurfaceQuery *q, const RgPlate *plate, const RgPose *X_AB)
{
    RgConvexPair pair = {q->shape, &plate->shape, *X_AB};
    RgDifference d;
    if (!rg_difference_init_unshaved(&d, &pair))
        return RG_PLATE_UNDECIDED;
    RgVec3 middle = v3_scale(
        1.0 / 3.0, v3_add(plate->triangle.vertex[0], v3_add(plate->triangle.vertex[1], plate->triangle.vertex[2])));
    RgVec3 start = pose_apply(*X_AB, middle), axis;
    if (!(v3_norm2(start) > 0.0))
        start = v3(1.0, 0.0, 0.0);
    RgReach reach = rg_gjk_reach(&d, start, d.round_a + d.round_b, &axis);
    return reach == RG_REACH_WITHIN   ? RG_PLATE_OVERLAPS
           : reach == RG_REACH_BEYOND ? RG_PLATE_APART
                                      : RG_PLATE_UNDECIDED;
}

/* ------------------------------------------------------------------ face */

bool rg_plate_face(const RgSurfaceQuery *q, int32_t number, RgPlate *plate, double height[2])
{
    const RgTriangle *t = &plate->triangle;
    rg_plate_make(q->surface, number, false, plate);
    height[0] = distance_along(q, t->normal, t->vertex[0]);
    height[1] = -distance_along(q, v3_neg(t->normal), t->vertex[0]);
    if (!rg_surface_one_sided(q->surface) && -height[0] > height[1]) {
        double low = -height[1];
        rg_plate_make(q->surface, number, true, plate);
        height[1] = -height[0];
        height[0] = low;
    }
    return height[0] <= q->margin;
}

bool rg_plate_face_contact(const RgSurfaceQuery *q, const RgPlate *plate, const double height[2], RgPlateContact *out)
{
    const RgTriangle *t = &plate->triangle;
    if (-height[0] > height[1])
        return false;
    for (int i = 0; i < 3 && height[0] < 0.0; i++)
        if (t->convex[i] && distance_along(q, t->across[i], t->vertex[i]) > height[0] + DEPTH_ROUND_OFF * q->size)
            return false;
    rg_plate_contact_along(q, t->normal, t->vertex[0], &out->at);
    out->witness = rg_plate_contains(plate, to_surface_frame(q, out->at.point_b), 0.0);
    return true;
}

/* ------------------------------------------------------------------ corner */

/* Returns true if the box of the edge (count 1) or of the corner (count 0) is within the margin of the shape's box. */
static bool is_near_shape(const RgSurfaceQuery *q, const RgTriangle *t, int i, int count)
{
    RgVec3 a = pose_apply(q->X_AB, t->vertex[i]), b = pose_apply(q->X_AB, t->vertex[(i + count) % 3]);
    const RgBounds *box = &q->bounds;
    double m = q->margin;
    return fmin(a.x, b.x) - box->high.x <= m && box->low.x - fmax(a.x, b.x) <= m && fmin(a.y, b.y) - box->high.y <= m &&
           box->low.y - fmax(a.y, b.y) <= m && fmin(a.z, b.z) - box->high.z <= m && box->low.z - fmax(a.z, b.z) <= m;
}

/* Returns true if both edges of a triangle that meet in its corner c lead away from n'. At an open edge n' must also
   not point behind the triangle; front: 1, or -1 if the triangle is seen from behind. */
static bool triangle_allows(const RgTriangle *t, int c, RgVec3 n, double front)
{
    RgVec3 e = edge_of(t, c), f = edge_of(t, (c + 2) % 3);
    if (v3_dot(n, e) > NORMAL_ANGLE * v3_norm(e) || v3_dot(n, f) < -NORMAL_ANGLE * v3_norm(f))
        return false;
    double out = front * v3_dot(n, t->normal);
    return out >= -NORMAL_ANGLE || !(t->open[c] || t->open[(c + 2) % 3]);
}

/* Returns true if the surface can be touched along n' in corner i. */
static bool corner_allows(const RgSurface *surface, const RgTriangle *t, int i, RgVec3 n)
{
    RgBounds place = {t->vertex[i], t->vertex[i]};
    int32_t near[CORNER_TRIANGLES];
    int32_t count = rg_surface_overlap(surface, &place, near, CORNER_TRIANGLES);
    for (int32_t k = 0; k < count && k < CORNER_TRIANGLES; k++) {
        RgTriangle other;
        rg_surface_triangle(surface, near[k], &other);
        bool behind = !rg_surface_one_sided(surface) && v3_dot(other.normal, t->normal) < 0.0;
        for (int c = 0; c < 3; c++)
            if (other.number[c] == t->number[i] && !triangle_allows(&other, c, n, behind ? -1.0 : 1.0))
                return false;
    }
    return v3_norm(v3_add(n, t->normal)) > NORMAL_ANGLE; /* a flat corner could otherwise be touched from behind */
}

bool rg_plate_corner_exit(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgDistance *at)
{
    const RgTriangle *t = &plate->triangle;
    if (!is_near_shape(q, t, i, 0))
        return false;
    RgPolytope point = rg_polytope_point(&t->vertex[i]);
    RgShape shape = rg_shape_of_polytope(&point);
    RgConvexPair pair = {q->shape, &shape, q->X_AB};
    *at = (RgDistance){.distance = INFINITY};
    RgStatus status = rg_convex_distance(&pair, NULL, at);
    if ((status != RG_OK && status != RG_ERR_NOT_CONVERGED) || at->distance > q->margin)
        return false;
    return corner_allows(q->surface, t, i, v3_neg(m3_apply_t(q->X_AB.R, at->normal)));
}

bool rg_plate_corner_contact(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgPlateContact *out)
{
    out->witness = true;
    return rg_plate_corner_exit(q, plate, i, &out->at);
}

/* ------------------------------------------------------------------ edge */

/* Returns true if n' is strictly between the normals on both sides of edge i. */
static bool is_between_normals(const RgTriangle *t, int i, RgVec3 n)
{
    RgVec3 e = edge_of(t, i);
    double least = NORMAL_ANGLE * v3_norm(e);
    return v3_dot(v3_cross(t->normal, n), e) > least && v3_dot(v3_cross(n, t->across[i]), e) > least;
}

bool rg_plate_allows(const RgSurface *surface, const RgPlate *plate, RgFeature feature, RgVec3 n)
{
    const RgTriangle *t = &plate->triangle;
    if (feature.kind == RG_FEATURE_VERTEX)
        return corner_allows(surface, t, feature.index, n);
    if (feature.kind != RG_FEATURE_EDGE)
        return v3_dot(n, t->normal) > 0.0;
    RgVec3 e = edge_of(t, feature.index);
    double least = -NORMAL_ANGLE * v3_norm(e);
    return t->convex[feature.index] && v3_dot(v3_cross(t->normal, n), e) >= least &&
           v3_dot(v3_cross(n, t->across[feature.index]), e) >= least;
}

/* Distance and direction of the shape from edge i, extended by `longer` (m) at both ends. */
static bool distance_from_line(const RgSurfaceQuery *q, const RgTriangle *t, int i, double longer, RgDistance *at)
{
    RgVec3 e = edge_of(t, i), extension = v3_scale(longer / v3_norm(e), e);
    RgVec3 end[2] = {v3_sub(t->vertex[i], extension), v3_add(t->vertex[(i + 1) % 3], extension)};
    RgPolytope line = rg_polytope_segment(end);
    RgShape shape = rg_shape_of_polytope(&line);
    RgConvexPair pair = {q->shape, &shape, q->X_AB};
    *at = (RgDistance){.distance = INFINITY};
    RgStatus status = rg_convex_distance(&pair, NULL, at);
    return status == RG_OK || status == RG_ERR_NOT_CONVERGED;
}

/* The line of edge i has the distance line < 0. Returns true if the edge itself is inside the shape, and neither of its
   ends counts with a smaller depth. */
static bool is_edge_inside(const RgSurfaceQuery *q, const RgPlate *plate, int i, double line)
{
    RgDistance own;
    if (!distance_from_line(q, &plate->triangle, i, 0.0, &own) || own.distance > DEPTH_ROUND_OFF * q->size)
        return false;
    for (int end = 0; end < 2 && own.distance > line + DEPTH_ROUND_OFF * q->size; end++) {
        RgPlateContact corner;
        if (rg_plate_corner_contact(q, plate, (i + end) % 3, &corner) && corner.at.distance < 0.0 &&
            corner.at.distance > line)
            return false;
    }
    return true;
}

bool rg_plate_edge_exit(const RgSurfaceQuery *q, const RgPlate *plate, int i, RgDistance *at)
{
    const RgTriangle *t = &plate->triangle;
    double longer = 2.0 * q->size + q->margin;
    if (!t->convex[i] || !is_near_shape(q, t, i, 1) || !distance_from_line(q, t, i, longer, at) ||
        at->distance > q->margin)
        return false;
    return is_between_normals(t, i, v3_neg(m3_apply_t(q->X_AB.R, at->normal)));
}

bool rg_plate_edge_contact(const RgSurfaceQuery *q, const RgPlate *plate, int i, const double height[2],
                           RgPlateContact *out)
{
    const RgTriangle *t = &plate->triangle;
    if (!rg_plate_edge_exit(q, plate, i, &out->at) ||
        (out->at.distance < 0.0 && !is_edge_inside(q, plate, i, out->at.distance)))
        return false;

    /* The depth along both faces must be larger. */
    double beyond = distance_along(q, t->across[i], t->vertex[i]);
    if (out->at.distance < fmax(height[0], beyond) - DEPTH_ROUND_OFF * q->size)
        return false;
    RgVec3 e = edge_of(t, i), r = v3_sub(to_surface_frame(q, out->at.point_b), t->vertex[i]);
    double along = v3_dot(r, e) / v3_norm2(e);
    RgVec3 off = v3_axpy(-along, e, r);
    out->witness = along >= 0.0 && along <= 1.0 && v3_norm(off) <= NORMAL_ANGLE * v3_norm(e);
    return true;
}
