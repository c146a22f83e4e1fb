/*
 * outline_polytope.c - the outline of a polytope: its highest corners along m, found by a flood fill along gentle
 * edges.
 *
 * m is n for A and -n for B. From the farthest vertex the flood fill follows every edge e that is nearly normal to m,
 *
 *   |e.m| <= slope |e - (e.m) m|,
 *
 * unless both faces at the edge face downwards. The vertices above a level are connected by edges, so following the
 * gentle edges misses no vertex of a gentle cap. The vertices, projected onto the plane, give a convex polygon: the
 * loop of the face if they are the corners of exactly one face, otherwise their convex hull.
 *
 *          .-----.             Height over a point x: the least of the planes of the upward faces,
 *        .'   |   '.             z_f(x) = (offset - N.x) / (N.m),
 *       /_____|_____\          found by descent from face to neighbouring face. Over a convex body z_f(x) has
 *      /      |      \         no other local minimum: the faces are corners of the dual body.
 *
 * Faces steeper than 10 : 1 do not count as upward: their height would be round-off times their slope, and a gentle
 * outline has such faces only at its border.
 *
 * Bounds: the flood fill ends after FLOOD_ROOM vertices, an outline has at most RG_OUTLINE_CORNERS corners; if there
 * are more, every k-th one is kept and `reduced` is set. Cost: the vertices found and their rings; the hull k log k.
 */
#include "collision/outline_polytope.h"

#include "collision/plane_hull.h"

#include <string.h>

/* Vertices of a flood fill, and bits of its set of visited vertices (a filter if the polytope has more). */
#define FLOOD_ROOM 512
#define SEEN_BITS 4096

/* N.m above which a face counts as upward. */
#define FACING_UP 0.1

/* N.m below which a face certainly faces downwards: unit normals are accurate to 1e-15, edge-on plates must pass. */
#define FACING_DOWN (-1e-9)

/* ------------------------------------------------------------------ flood fill */

typedef struct Flood {
    int32_t count;
    bool full;
    uint64_t seen[SEEN_BITS / 64]; /* bit v % SEEN_BITS: clear if vertex v is certainly not in the list */
    int32_t vertex[FLOOD_ROOM];
} Flood;

static bool is_visited(const Flood *flood, const RgPolytope *p, int32_t v)
{
    uint32_t bit = (uint32_t)v % SEEN_BITS;
    if ((flood->seen[bit / 64] >> (bit % 64) & 1) == 0)
        return false;
    if (p->nv <= SEEN_BITS)
        return true;
    for (int32_t i = 0; i < flood->count; i++)
        if (flood->vertex[i] == v)
            return true;
    return false;
}

static void visit_vertex(Flood *flood, int32_t v)
{
    uint32_t bit = (uint32_t)v % SEEN_BITS;
    if (flood->count == FLOOD_ROOM) {
        flood->full = true;
        return;
    }
    flood->seen[bit / 64] |= UINT64_C(1) << (bit % 64);
    flood->vertex[flood->count++] = v;
}

/* Returns true if the edge from v to its k-th neighbour lies in the plane. */
bool rg_polytope_edge_gentle(const RgPolytope *p, int32_t v, int32_t k, RgVec3 m, double slope)
{
    RgVec3 e = v3_sub(p->vertex[p->ring[k]], p->vertex[v]);
    double dh = v3_dot(e, m), flat2 = v3_norm2(e) - dh * dh;
    if (dh * dh > slope * slope * flat2)
        return false;
    if (p->nf == 0)
        return true;
    const int32_t *face = p->edge_face + 2 * p->ring_edge[k];
    return v3_dot(p->normal[face[0]], m) >= FACING_DOWN || v3_dot(p->normal[face[1]], m) >= FACING_DOWN;
}

static void flood_fill(const RgPolytope *p, int32_t first, RgVec3 m, double slope, Flood *flood)
{
    flood->count = 0;
    flood->full = false;
    size_t words = p->nv < SEEN_BITS ? (size_t)p->nv / 64 + 1 : SEEN_BITS / 64;
    memset(flood->seen, 0, words * sizeof *flood->seen);
    visit_vertex(flood, first);
    for (int32_t i = 0; i < flood->count; i++) {
        int32_t v = flood->vertex[i];
        for (int32_t k = p->ring_start[v]; k < p->ring_start[v + 1]; k++)
            if (!is_visited(flood, p, p->ring[k]) && rg_polytope_edge_gentle(p, v, k, m, slope))
                visit_vertex(flood, p->ring[k]);
    }
}

/* ------------------------------------------------------------------ corners */

static RgOutlineCorner corner_of(const RgOutline *o, int32_t vertex)
{
    RgVec3 r = v3_sub(o->shape->core->vertex[vertex], o->frame.origin);
    return (RgOutlineCorner){.u = v3_dot(r, o->frame.t),
                             .v = v3_dot(r, o->frame.s),
                             .h = v3_dot(r, o->frame.n),
                             .at = {RG_FEATURE_VERTEX, vertex}};
}

/* The edge between two vertices, or kind NONE. */
RgFeature rg_polytope_edge_between(const RgPolytope *p, int32_t from, int32_t to)
{
    for (int32_t k = p->ring_start[from]; k < p->ring_start[from + 1]; k++)
        if (p->ring[k] == to)
            return (RgFeature){RG_FEATURE_EDGE, p->ring_edge[k]};
    return (RgFeature){RG_FEATURE_NONE, -1};
}

/* Sets the features of the sides, and the kind from the number of corners. */
static void set_sides(RgOutline *out)
{
    const RgPolytope *p = out->shape->core;
    for (int32_t i = 0; i < out->count; i++) {
        int32_t next = i + 1 < out->count ? i + 1 : 0;
        out->corner[i].side = out->count == 1
                                  ? out->corner[i].at
                                  : rg_polytope_edge_between(p, out->corner[i].at.index, out->corner[next].at.index);
    }
    out->kind = out->count == 1 ? RG_OUTLINE_POINT : out->count == 2 ? RG_OUTLINE_SEGMENT : RG_OUTLINE_POLYGON;
}

/* The loop of face f; of B it is reversed. Returns false if a side has no length. */
static bool outline_from_face(RgOutline *out, int32_t f)
{
    const RgPolytope *p = out->shape->core;
    const int32_t *corner = p->face_vertex + p->face_start[f];
    int64_t all = p->face_start[f + 1] - p->face_start[f];
    int64_t kept = all < RG_OUTLINE_CORNERS ? all : RG_OUTLINE_CORNERS;
    for (int64_t i = 0; i < kept; i++) {
        int64_t k = i * all / kept;
        out->corner[i] = corner_of(out, corner[out->side > 0.0 ? k : all - 1 - k]);
    }
    out->count = (int32_t)kept;
    double same = RG_OUTLINE_SAME * rg_outline_reach(out);
    for (int32_t i = 0; i < out->count; i++) {
        const RgOutlineCorner *a = &out->corner[i], *b = &out->corner[i + 1 < out->count ? i + 1 : 0];
        if (num_max(fabs(b->u - a->u), fabs(b->v - a->v)) <= same)
            return false;
    }
    out->flat = true;
    out->reduced = out->reduced || kept < all;
    set_sides(out);
    return true;
}

/* The outline of a single vertex. */
static void outline_from_vertex(RgOutline *out, int32_t vertex)
{
    out->corner[0] = corner_of(out, vertex);
    out->count = 1;
    set_sides(out);
}

static void outline_from_hull(RgOutline *out, const Flood *flood)
{
    RgPlanePoint all[FLOOD_ROOM], chain[2 * FLOOD_ROOM];
    double reach = 0.0;
    for (int32_t i = 0; i < flood->count; i++) {
        RgOutlineCorner c = corner_of(out, flood->vertex[i]);
        all[i] = (RgPlanePoint){c.u, c.v, c.h, flood->vertex[i]};
        reach = num_max(reach, num_max(fabs(c.u), fabs(c.v)));
    }
    int32_t hull = rg_plane_hull(all, flood->count, out->side, RG_OUTLINE_SAME * reach, chain);
    int32_t kept = hull < RG_OUTLINE_CORNERS ? hull : RG_OUTLINE_CORNERS;
    for (int32_t i = 0; i < kept; i++)
        out->corner[i] = corner_of(out, chain[(int64_t)i * hull / kept].number);
    out->count = kept;
    out->reduced = out->reduced || kept < hull;
    set_sides(out);
}

/* ------------------------------------------------------------------ outline */

/* Face at vertex v whose normal is most nearly along m; -1: the vertex has no faces. */
int32_t rg_polytope_face_uppermost(const RgPolytope *p, int32_t v, RgVec3 m)
{
    int32_t best = -1;
    double most = -INFINITY;
    for (int32_t k = p->ring_start[v]; k < p->ring_start[v + 1] && p->nf > 0; k++)
        for (int side = 0; side < 2; side++) {
            int32_t f = p->edge_face[2 * p->ring_edge[k] + side];
            double up = v3_dot(p->normal[f], m);
            if (up > most || (up == most && f < best)) {
                most = up;
                best = f;
            }
        }
    return best;
}

/* The same for a box, whose face normal to axis i at corner v has the index 2 i, plus one if bit i of v is set. */
static int32_t box_face_uppermost(int32_t v, RgVec3 m)
{
    int32_t best = -1;
    double most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        int32_t side = v >> i & 1;
        double up = side != 0 ? v3_at(m, i) : -v3_at(m, i);
        if (up > most) {
            most = up;
            best = 2 * i + side;
        }
    }
    return best;
}

void rg_outline_polytope(RgOutline *out, double slope)
{
    const RgPolytope *p = out->shape->core;
    RgVec3 m = v3_scale(out->side, out->frame.n);
    int32_t first = rg_polytope_support(p, m, -1);
    Flood flood;
    flood_fill(p, first, m, slope, &flood);
    out->face = p->is_box ? box_face_uppermost(first, m) : rg_polytope_face_uppermost(p, first, m);

    bool gentle = false;
    int32_t corners = 0;
    if (out->face >= 0) {
        RgVec3 N = p->normal[out->face];
        gentle = v3_dot(N, m) > 0.0 && v3_norm(v3_cross(N, m)) <= slope * v3_dot(N, m);
        corners = p->face_start[out->face + 1] - p->face_start[out->face];
    }
    out->reduced = flood.full;
    if (gentle && (flood.count == corners || (flood.full && corners > RG_OUTLINE_CORNERS)) &&
        outline_from_face(out, out->face))
        return;
    if (flood.count == 1)
        outline_from_vertex(out, first);
    else
        outline_from_hull(out, &flood);
}

/* ------------------------------------------------------------------ surface */

/* Height along m of the plane of face f over x; infinite if it is steep. */
static double plane_height(const RgPolytope *p, int32_t f, RgVec3 x, RgVec3 m)
{
    double up = v3_dot(p->normal[f], m);
    return up > FACING_UP ? (p->offset[f] - v3_dot(p->normal[f], x)) / up : (double)INFINITY;
}

int32_t rg_polytope_face_over(const RgPolytope *p, int32_t face, RgVec3 x, RgVec3 m, double *height)
{
    int32_t f = face;
    double z = plane_height(p, f, x, m);

    /* Descend from face to face; every step is strictly lower, so no face is visited twice. */
    bool lower = true;
    for (int32_t step = 0; step < p->nf && lower; step++) {
        int32_t from = f;
        lower = false;
        for (int32_t k = p->face_start[from]; k < p->face_start[from + 1]; k++) {
            const int32_t *beside = p->edge_face + 2 * p->face_edge[k];
            int32_t beyond = beside[0] == from ? beside[1] : beside[0];
            double there = plane_height(p, beyond, x, m);
            if (there < z) {
                z = there;
                f = beyond;
                lower = true;
            }
        }
    }
    *height = z;
    return isinf(z) ? -1 : f;
}

int32_t rg_outline_polytope_face(const RgOutline *o, double u, double v, double *h)
{
    const RgPolytope *p = o->shape->core;
    RgVec3 x = rg_contact_frame_point(&o->frame, u, v, 0.0), m = v3_scale(o->side, o->frame.n);
    if (o->face < 0)
        return -1;
    double z = plane_height(p, o->face, x, m);
    int32_t f = isinf(z) ? -1 : o->face;
    if (!o->flat)
        f = rg_polytope_face_over(p, o->face, x, m, &z);
    *h = o->side * z;
    return f;
}

/* Distance in the plane from the segment between two corners. */
static double side_distance(const RgOutlineCorner *a, const RgOutlineCorner *b, double u, double v)
{
    double du = b->u - a->u, dv = b->v - a->v, length2 = du * du + dv * dv;
    double along = length2 > 0.0 ? ((u - a->u) * du + (v - a->v) * dv) / length2 : 0.0;
    along = num_min(1.0, num_max(0.0, along));
    double x = a->u + along * du - u, y = a->v + along * dv - v;
    return sqrt(x * x + y * y);
}

bool rg_outline_polytope_over(const RgOutline *o, int32_t f, double u, double v)
{
    const RgPolytope *p = o->shape->core;
    double slack = RG_OUTLINE_SAME * rg_outline_reach(o);
    int32_t last = p->face_start[f + 1] - 1;
    RgOutlineCorner a = corner_of(o, p->face_vertex[last]);
    for (int32_t k = p->face_start[f]; k <= last; k++) {
        RgOutlineCorner b = corner_of(o, p->face_vertex[k]);
        double du = b.u - a.u, dv = b.v - a.v, left = o->side * (du * (v - a.v) - dv * (u - a.u));
        if (left < -slack * sqrt(du * du + dv * dv))
            return false;
        a = b;
    }
    return true;
}

RgFeature rg_outline_polytope_locate(const RgOutline *o, double u, double v, double same)
{
    const RgPolytope *p = o->shape->core;
    double h;
    int32_t f = rg_outline_polytope_face(o, u, v, &h);
    if (f < 0)
        return (RgFeature){RG_FEATURE_NONE, -1};
    RgFeature edge = {RG_FEATURE_NONE, -1};
    int32_t last = p->face_start[f + 1] - 1;
    RgOutlineCorner a = corner_of(o, p->face_vertex[last]);
    int32_t side = p->face_edge[last];
    for (int32_t k = p->face_start[f]; k <= last; k++) {
        RgOutlineCorner b = corner_of(o, p->face_vertex[k]);
        if (num_max(fabs(b.u - u), fabs(b.v - v)) <= same)
            return b.at;
        if (edge.kind == RG_FEATURE_NONE && side_distance(&a, &b, u, v) <= same)
            edge = (RgFeature){RG_FEATURE_EDGE, side};
        a = b;
        side = p->face_edge[k];
    }
    return edge.kind != RG_FEATURE_NONE ? edge : (RgFeature){RG_FEATURE_FACE, f};
}
