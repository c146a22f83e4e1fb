/*
 * hull_proof.c - checks whether a polytope is the convex hull of points, and marks the points that cause a fault.
 *
 * To within a tolerance (a length):
 *
 *   V - E + F = 2                                      (rg_polytope_link: every edge has two faces)
 *   every face is convex at each of its corners; at a corner of less than 90 degrees no other corner lies
 *   farther along the incoming edge (an outline that reverses along its own line is convex within round-off, too)
 *   n_f . x_v = offset_f for every corner v of face f; offset_f is the largest n_f . x of all vertices
 *   offset_f - min_v n_f . x_v > thickness             the hull is nowhere flat
 *   n_f . x_i <= offset_f for every point i
 *
 * Testing the last condition directly would cost faces times points. A tree of boxes over the points, split along a
 * space-filling curve (Morton 1966), skips all points that lie below a face: about log(points) per face.
 */
#include "geom/hull_steps.h"

#include <stdlib.h>

/* Largest number of points in a leaf. */
#define LEAF 8

/* Returns true if corner b is the farthest of a polygon along u. */
static bool is_farthest(const RgPolygon *polygon, RgVec3 b, RgVec3 u, double tolerance)
{
    double reach = tolerance * v3_norm(u);
    for (int32_t k = 0; k < polygon->count; k++)
        if (v3_dot(u, v3_sub(polygon->vertex[polygon->corner[k]], b)) > reach)
            return false;
    return true;
}

bool rg_polygon_turns_left(const RgPolygon *polygon, int32_t i, double tolerance)
{
    const int32_t *corner = polygon->corner;
    int32_t n = polygon->count;
    RgVec3 a = polygon->vertex[corner[(i + n - 1) % n]], b = polygon->vertex[corner[i]];
    RgVec3 c = polygon->vertex[corner[(i + 1) % n]], in = v3_sub(b, a), out = v3_sub(c, b);
    if (!(v3_dot(polygon->normal, v3_cross(in, out)) >= -tolerance * v3_norm(v3_sub(c, a))))
        return false;
    return v3_dot(in, out) >= 0.0 || is_farthest(polygon, b, in, tolerance);
}

/* Marks the vertices at which a face is concave. Returns true if there are any. */
static bool mark_concave_corners(const RgPolytope *p, double tolerance, bool *vertex_marks)
{
    bool any = false;
    for (int32_t f = 0; f < p->nf; f++) {
        const int32_t *corner = p->face_vertex + p->face_start[f];
        RgPolygon face = {p->vertex, corner, p->face_start[f + 1] - p->face_start[f], p->normal[f]};
        for (int32_t i = 0; i < face.count; i++) {
            if (rg_polygon_turns_left(&face, i, tolerance))
                continue;
            vertex_marks[corner[i]] = true;
            any = true;
        }
    }
    return any;
}

static bool is_convex(const RgPolytope *p, double tolerance)
{
    for (int32_t f = 0; f < p->nf; f++)
        for (int32_t k = p->face_start[f]; k < p->face_start[f + 1]; k++)
            if (!(p->offset[f] - v3_dot(p->normal[f], p->vertex[p->face_vertex[k]]) <= tolerance))
                return false;
    return true;
}

static bool is_flat(const RgPolytope *p, double thickness)
{
    for (int32_t f = 0; f < p->nf; f++) {
        int32_t lowest = rg_polytope_support(p, v3_neg(p->normal[f]), -1);
        if (!(p->offset[f] - v3_dot(p->normal[f], p->vertex[lowest]) > thickness))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ tree of points */

typedef struct MortonPoint {
    uint64_t code;
    int32_t point;
} MortonPoint;

/* Node i has the children 2 i + 1 and 2 i + 2; each has half of its parent's range of points. */
typedef struct Tree {
    const RgVec3 *x;
    MortonPoint *order;
    RgVec3 *low, *high; /* of each node */
} Tree;

static int compare_codes(const void *a, const void *b)
{
    const MortonPoint *p = a, *q = b;
    if (p->code != q->code)
        return p->code < q->code ? -1 : 1;
    return p->point < q->point ? -1 : p->point > q->point;
}

/* The lower 21 bits of a number, with two zero bits inserted after each. */
static uint64_t spread_bits(uint64_t a)
{
    a = (a | a << 32) & UINT64_C(0x001F00000000FFFF);
    a = (a | a << 16) & UINT64_C(0x001F0000FF0000FF);
    a = (a | a << 8) & UINT64_C(0x100F00F00F00F00F);
    a = (a | a << 4) & UINT64_C(0x10C30C30C30C30C3);
    return (a | a << 2) & UINT64_C(0x1249249249249249);
}

/* Position of s in [low, high] as a 21-bit integer. */
static uint64_t quantise(double s, double low, double high)
{
    double part = high > low ? (s - low) / (high - low) : 0.0;
    return (uint64_t)(fmin(fmax(part, 0.0), 1.0) * 2097151.0);
}

static void find_box(const Tree *t, int32_t first, int32_t end, RgVec3 *low, RgVec3 *high)
{
    *low = *high = t->x[t->order[first].point];
    for (int32_t i = first + 1; i < end; i++) {
        RgVec3 p = t->x[t->order[i].point];
        *low = v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
        *high = v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
    }
}

static void make_nodes(Tree *t, int32_t node, int32_t first, int32_t end)
{
    find_box(t, first, end, &t->low[node], &t->high[node]);
    if (end - first <= LEAF)
        return;
    int32_t middle = first + (end - first) / 2;
    make_nodes(t, 2 * node + 1, first, middle);
    make_nodes(t, 2 * node + 2, middle, end);
}

static bool make_tree(RgArena *work, const RgHullPoints *points, Tree *t)
{
    size_t nodes = 1;
    while (nodes * LEAF < (size_t)points->count)
        nodes *= 2;
    t->x = points->x;
    t->order = RG_ARENA_ALLOC(work, MortonPoint, points->count);
    t->low = RG_ARENA_ALLOC(work, RgVec3, 2 * nodes);
    t->high = RG_ARENA_ALLOC(work, RgVec3, 2 * nodes);
    if (work->failed)
        return false;
    RgVec3 low, high;
    for (int32_t i = 0; i < points->count; i++)
        t->order[i].point = i;
    find_box(t, 0, points->count, &low, &high);
    for (int32_t i = 0; i < points->count; i++) {
        RgVec3 p = points->x[i];
        t->order[i].code = spread_bits(quantise(p.x, low.x, high.x)) | spread_bits(quantise(p.y, low.y, high.y)) << 1 |
                           spread_bits(quantise(p.z, low.z, high.z)) << 2;
    }
    qsort(t->order, (size_t)points->count, sizeof *t->order, compare_codes);
    make_nodes(t, 0, 0, points->count);
    return true;
}

/* A face's plane, moved outwards by the tolerance. */
typedef struct Plane {
    RgVec3 n;
    double limit;
} Plane;

/* Marks the points of a node's range that are above the plane. Returns true if there are any. */
static bool mark_above(const Tree *t, const Plane *plane, int32_t node, int32_t first, int32_t end, bool *point_marks)
{
    RgVec3 n = plane->n, low = t->low[node], high = t->high[node];
    RgVec3 top = v3(n.x > 0.0 ? high.x : low.x, n.y > 0.0 ? high.y : low.y, n.z > 0.0 ? high.z : low.z);
    if (v3_dot(n, top) <= plane->limit)
        return false;
    bool any = false;
    for (int32_t i = first; i < end && end - first <= LEAF; i++) {
        bool above = !(v3_dot(n, t->x[t->order[i].point]) <= plane->limit);
        point_marks[t->order[i].point] |= above;
        any |= above;
    }
    if (end - first <= LEAF)
        return any;
    int32_t middle = first + (end - first) / 2;
    any = mark_above(t, plane, 2 * node + 1, first, middle, point_marks);
    return mark_above(t, plane, 2 * node + 2, middle, end, point_marks) || any;
}

static bool mark_outer_points(const Tree *t, const RgPolytope *p, const RgHullPoints *points, bool *point_marks)
{
    bool any = false;
    for (int32_t f = 0; f < p->nf; f++) {
        Plane plane = {p->normal[f], p->offset[f] + points->tolerance};
        any |= mark_above(t, &plane, 0, 0, points->count, point_marks);
    }
    return any;
}

/* ------------------------------------------------------------------ verification */

RgStatus rg_hull_prove(RgArena *work, const RgPolytope *p, const RgHullPoints *points, RgHullMarks *out)
{
    Tree tree;
    out->vertex = RG_ARENA_ALLOC(work, bool, p->nv);
    out->point = RG_ARENA_ALLOC(work, bool, points->count);
    if (work->failed || !make_tree(work, points, &tree))
        return RG_ERR_MEMORY;
    if (p->nv - p->ne + p->nf != 2)
        out->fault = RG_HULL_TORN;
    else if (mark_concave_corners(p, points->tolerance, out->vertex))
        out->fault = RG_HULL_CONCAVE_FACE;
    else if (!is_convex(p, points->tolerance))
        out->fault = RG_HULL_NOT_CONVEX;
    else if (is_flat(p, points->thickness))
        out->fault = RG_HULL_FLAT;
    else
        out->fault = mark_outer_points(&tree, p, points, out->point) ? RG_HULL_TOO_SMALL : RG_HULL_GOOD;
    return RG_OK;
}
