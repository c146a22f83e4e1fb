/*
 * contact_direct.c - points of contact of polytopes and half-spaces whose normal is known, in the plain cases.
 *
 * The law is that of contact_region.c: the outlines of A along n and of B against it, laid into the contact plane, and
 * the corners of their overlap. Of a polytope an outline is nearly always a vertex, an edge or a face, and the overlap
 * has a closed form:
 *
 *   vertex, face   the vertex, and its foot on the face along n
 *   edge, edge     the crossing of the two lines: with r from a to b, directions d and e in the plane,
 *                  s = (r x e) / (d x e),  t = (r x d) / (d x e)
 *   edge, face     what the sides of the face leave of the edge (Cyrus, Beck 1978)
 *   face, face     one cut by the sides of the other (Sutherland, Hodgman 1974)
 *   half-space     every corner of the other
 *
 * Heights over a place (u, v) of a face of normal N are h = h0 - (N.t (u - u0) + N.s (v - v0)) / N.n.
 *
 * Only what is clear is answered here: whatever comes within `clear` of a border (twice the distance within which
 * contact_region.c takes places for one, or manifold.c names a point by a smaller feature), outlines of other forms,
 * overlaps that lack the deepest point and touches that may be degenerate go the general way. So no decision of that
 * depends on this file, and both give the same points to round-off; test_contact_direct.c compares them.
 *
 * Cost: 100 to 300 ns.
 */
#include "collision/contact_direct.h"

#include "collision/contact_region.h"
#include "geom/polytope.h"
#include "geom/shape_table.h"

/* Slopes beyond which three axes of a box could lie along one plane go the general way. */
#define MOST_SLOPE 0.5

/* The outline of one shape: corners in the plane, counter-clockwise, and the edges that lead from each to the next. */
typedef struct Facet {
    bool plane;   /* a half-space: no corners */
    int32_t face; /* -1: none */
    int32_t count;
    int32_t vertex[RG_DIRECT_CORNERS], edge[RG_DIRECT_CORNERS];
    double u[RG_DIRECT_CORNERS], v[RG_DIRECT_CORNERS], h[RG_DIRECT_CORNERS];
    double level, rise_u, rise_v; /* of a face or a half-space: h = level + rise_u u + rise_v v */
} Facet;

/* The sides of a face: a point of each, its direction, and the square of (clear times its length). */
typedef struct Sides {
    int32_t count;
    double u[RG_DIRECT_CORNERS], v[RG_DIRECT_CORNERS];
    double du[RG_DIRECT_CORNERS], dv[RG_DIRECT_CORNERS], unclear2[RG_DIRECT_CORNERS];
} Sides;

typedef struct Question {
    const RgConvexPair *pair;
    RgContactFrame frame;
    double slope2;
    double clear; /* m */
    bool touching;
    Facet facet[2];
} Question;

/* ------------------------------------------------------------------ outlines */

static double height(const Facet *f, double u, double v)
{
    return f->level + f->rise_u * u + f->rise_v * v;
}

/* A vector of the axes of shape `which` in those of A. */
static RgVec3 in_axes_of_a(const Question *q, int which, RgVec3 x)
{
    return which == 0 ? x : m3_apply(q->pair->X_AB.R, x);
}

/* Corner k of the outline is that vertex of the shape. */
static void set_corner(Question *q, int which, int32_t k, int32_t vertex)
{
    const RgShape *shape = which == 0 ? q->pair->a : q->pair->b;
    RgVec3 x = in_axes_of_a(q, which, shape->core->vertex[vertex]);
    if (which == 1)
        x = v3_add(x, q->pair->X_AB.p);
    RgVec3 r = v3_sub(x, q->frame.origin);
    Facet *f = &q->facet[which];
    f->vertex[k] = vertex;
    f->u[k] = v3_dot(r, q->frame.t);
    f->v[k] = v3_dot(r, q->frame.s);
    f->h[k] = v3_dot(r, q->frame.n);
}

/* Heights over a plane with the normal N (axes of A). */
static void set_rise(const Question *q, RgVec3 N, Facet *f)
{
    double up = v3_dot(N, q->frame.n);
    f->rise_u = -v3_dot(N, q->frame.t) / up;
    f->rise_v = -v3_dot(N, q->frame.s) / up;
}

static bool set_edge(Question *q, int which, int32_t from, int32_t to, int32_t edge)
{
    Facet *f = &q->facet[which];
    set_corner(q, which, 0, from);
    set_corner(q, which, 1, to);
    f->edge[0] = f->edge[1] = edge;
    f->count = 2;
    return true;
}

/* The loop of a face; that of B, seen from below, runs the other way round. */
static bool set_face(Question *q, int which, int32_t face)
{
    const RgPolytope *p = which == 0 ? q->pair->a->core : q->pair->b->core;
    Facet *f = &q->facet[which];
    int32_t first = p->face_start[face], count = p->face_start[face + 1] - first;
    if (count > RG_DIRECT_CORNERS)
        return false;
    for (int32_t i = 0; i < count; i++) {
        int32_t turned = i + 1 < count ? count - 2 - i : count - 1;
        set_corner(q, which, i, p->face_vertex[first + (which == 0 ? i : count - 1 - i)]);
        f->edge[i] = p->face_edge[first + (which == 0 ? i : turned)];
    }
    f->count = count;
    f->face = face;
    set_rise(q, in_axes_of_a(q, which, p->normal[face]), f);
    f->level = f->h[0] - (f->rise_u * f->u[0] + f->rise_v * f->v[0]);
    return true;
}

/* Is a face of the normal N no steeper against the plane across m than asked for? */
static bool is_gentle_face(RgVec3 N, RgVec3 m, double slope2)
{
    double up = v3_dot(N, m);
    return up > 0.0 && v3_norm2(v3_cross(N, m)) <= slope2 * up * up;
}

static bool is_gentle_edge(const RgPolytope *p, int32_t from, int32_t to, RgVec3 m, double slope2)
{
    RgVec3 e = v3_sub(p->vertex[to], p->vertex[from]);
    double dh = v3_dot(e, m);
    return dh * dh <= slope2 * (v3_norm2(e) - dh * dh);
}

/* The vertex of a box that is farthest along its direction. */
typedef struct BoxEnd {
    int32_t vertex;
    RgVec3 corner; /* in the box's axes */
    double at[3];  /* u, v, h of the vertex */
} BoxEnd;

static void lay_out(const RgContactFrame *f, RgVec3 x, double uvh[3])
{
    uvh[0] = v3_dot(x, f->t);
    uvh[1] = v3_dot(x, f->s);
    uvh[2] = v3_dot(x, f->n);
}

/* The way along the edge of axis i to the vertex at its other end. */
static void way_along(const Question *q, int which, const BoxEnd *end, int32_t i, double uvh[3])
{
    const RgContactFrame *f = &q->frame;
    double way = -2.0 * v3_at(end->corner, i);
    if (which == 1) {
        lay_out(f, v3_scale(way, m3_column(q->pair->X_AB.R, i)), uvh);
        return;
    }
    uvh[0] = way * v3_at(f->t, i);
    uvh[1] = way * v3_at(f->s, i);
    uvh[2] = way * v3_at(f->n, i);
}

static void set_box_corner(Facet *f, int32_t k, int32_t vertex, int32_t edge, const double uvh[3])
{
    f->vertex[k] = vertex;
    f->edge[k] = edge;
    f->u[k] = uvh[0];
    f->v[k] = uvh[1];
    f->h[k] = uvh[2];
}

/* The edge along axis i, from its lower end. Edges along x, y, z: four each, by the bits of the two other axes. */
static void set_box_edge(const BoxEnd *end, int32_t i, const double way[3], Facet *f)
{
    int32_t v = end->vertex, bit = v >> i & 1;
    int32_t low = i == 0 ? v >> 1 & 1 : v & 1, high = i == 2 ? v >> 1 & 1 : v >> 2 & 1;
    double other[3] = {end->at[0] + way[0], end->at[1] + way[1], end->at[2] + way[2]};
    set_box_corner(f, bit, v, 4 * i + low + 2 * high, end->at);
    set_box_corner(f, 1 - bit, v ^ 1 << i, 4 * i + low + 2 * high, other);
    f->count = 2;
}

/* The face across axis k; loops and edges are those of rg_polytope_box. */
static void set_box_face(const Question *q, int which, const BoxEnd *end, int32_t k, Facet *f)
{
    static const int8_t loop[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const int8_t edge[6][4] = {{8, 6, 10, 4},  {5, 11, 7, 9}, {0, 9, 2, 8},
                                      {10, 3, 11, 1}, {4, 1, 5, 0},  {2, 7, 3, 6}};
    int32_t i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    double w[3], z[3], corner[4][3];
    way_along(q, which, end, i, w);
    way_along(q, which, end, j, z);
    for (int c = 0; c < 3; c++) {
        corner[0][c] = end->at[c];
        corner[1][c] = end->at[c] + w[c];
        corner[2][c] = end->at[c] + z[c];
        corner[3][c] = corner[1][c] + z[c];
    }
    f->face = 2 * k + (end->vertex >> k & 1);
    f->count = 4;
    for (int32_t c = 0; c < 4; c++) {
        int32_t vertex = loop[f->face][which == 0 ? c : 3 - c], turned = vertex ^ end->vertex;
        set_box_corner(f, c, vertex, edge[f->face][which == 0 ? c : (6 - c) % 4],
                       corner[(turned >> i & 1) + 2 * (turned >> j & 1)]);
    }

    /* Heights rise along both ways: (u, v) = x w + y z solved for x, y. */
    double over = 1.0 / (w[0] * z[1] - w[1] * z[0]);
    f->rise_u = (w[2] * z[1] - z[2] * w[1]) * over;
    f->rise_v = (z[2] * w[0] - w[2] * z[0]) * over;
    f->level = end->at[2] - (f->rise_u * end->at[0] + f->rise_v * end->at[1]);
}

/* A box: along an axis all edges have one slope. m: unit, in its axes, along which it is farthest. */
static bool outline_box(Question *q, int which, const RgShape *box, RgVec3 m)
{
    Facet *f = &q->facet[which];
    BoxEnd end = {.vertex = rg_box_corner(m)};
    const double up[3] = {m.x * m.x, m.y * m.y, m.z * m.z}, most = q->slope2 / (1.0 + q->slope2);
    const bool is[3] = {up[0] <= most, up[1] <= most, up[2] <= most};
    int gentle = is[0] + is[1] + is[2];
    if (gentle > 2 || !(box->size[0] > 0.0 && box->size[1] > 0.0 && box->size[2] > 0.0))
        return false;
    end.corner = v3(m.x > 0.0 ? 0.5 * box->size[0] : -0.5 * box->size[0],
                    m.y > 0.0 ? 0.5 * box->size[1] : -0.5 * box->size[1],
                    m.z > 0.0 ? 0.5 * box->size[2] : -0.5 * box->size[2]);
    RgVec3 x = which == 0 ? end.corner : pose_apply(q->pair->X_AB, end.corner);
    lay_out(&q->frame, v3_sub(x, q->frame.origin), end.at);
    if (gentle == 0) {
        set_box_corner(f, 0, end.vertex, 0, end.at);
        f->count = 1;
    } else if (gentle == 1) {
        int32_t along = is[0] ? 0 : is[1] ? 1 : 2;
        double way[3];
        way_along(q, which, &end, along, way);
        set_box_edge(&end, along, way, f);
    } else {
        int32_t across = !is[0] ? 0 : !is[1] ? 1 : 2;
        double flat = up[0] + up[1] + up[2] - up[across];
        if (flat > q->slope2 * up[across])
            return false;
        set_box_face(q, which, &end, across, f);
    }
    return true;
}

/* Whether no gentle edge leads from the vertex but to the two given ones. */
static bool ends_at(const RgPolytope *p, int32_t vertex, int32_t one, int32_t other, RgVec3 m, double slope2)
{
    for (int32_t k = p->ring_start[vertex]; k < p->ring_start[vertex + 1]; k++) {
        int32_t to = p->ring[k];
        if (to != one && to != other && is_gentle_edge(p, vertex, to, m, slope2))
            return false;
    }
    return true;
}

/* The face at a vertex that looks most along m, if it and nothing else lies along the plane. */
static bool outline_hull_face(Question *q, int which, int32_t vertex, RgVec3 m)
{
    const RgPolytope *p = which == 0 ? q->pair->a->core : q->pair->b->core;
    int32_t best = -1;
    double most = 0.0;
    for (int32_t k = p->ring_start[vertex]; k < p->ring_start[vertex + 1]; k++) {
        int32_t f = p->edge_face[2 * p->ring_edge[k]];
        double up = v3_dot(p->normal[f], m);
        best = up > most ? f : best;
        most = up > most ? up : most;
    }
    if (best < 0 || !is_gentle_face(p->normal[best], m, q->slope2) || !set_face(q, which, best))
        return false;
    const Facet *f = &q->facet[which];
    for (int32_t i = 0; i < f->count; i++)
        if (!ends_at(p, f->vertex[i], f->vertex[i > 0 ? i - 1 : f->count - 1],
                     f->vertex[i + 1 < f->count ? i + 1 : 0], m, q->slope2))
            return false;
    return true;
}

/* Any polytope, from one of its farthest vertices. */
static bool outline_hull(Question *q, int which, int32_t vertex, RgVec3 m)
{
    const RgPolytope *p = which == 0 ? q->pair->a->core : q->pair->b->core;
    int32_t gentle = 0, to = -1, edge = -1;
    for (int32_t k = p->ring_start[vertex]; k < p->ring_start[vertex + 1]; k++)
        if (is_gentle_edge(p, vertex, p->ring[k], m, q->slope2)) {
            gentle++;
            to = p->ring[k];
            edge = p->ring_edge[k];
        }
    if (gentle == 0) {
        set_corner(q, which, 0, vertex);
        q->facet[which].count = 1;
        return true;
    }
    if (gentle == 1)
        return ends_at(p, to, vertex, vertex, m, q->slope2) && set_edge(q, which, vertex, to, edge);
    return outline_hull_face(q, which, vertex, m);
}

/* A vertex of the feature that the distance named. */
static int32_t vertex_of(const RgPolytope *p, RgFeature feature)
{
    return feature.kind == RG_FEATURE_VERTEX ? feature.index
           : feature.kind == RG_FEATURE_EDGE ? p->edge[2 * feature.index]
           : feature.kind == RG_FEATURE_FACE ? p->face_vertex[p->face_start[feature.index]]
                                             : -1;
}

static bool outline_plane(Question *q, Facet *f)
{
    const RgPose *X = &q->pair->X_AB;
    RgVec3 N = m3_column(X->R, 2);
    set_rise(q, N, f);
    f->level = -v3_dot(N, v3_sub(q->frame.origin, X->p)) / v3_dot(N, q->frame.n);
    f->plane = true;
    return true;
}

static bool outline(Question *q, int which, RgFeature feature)
{
    const RgShape *shape = which == 0 ? q->pair->a : q->pair->b;
    Facet *f = &q->facet[which];
    f->plane = false;
    f->face = -1;
    f->count = 0;
    if (which == 1 && shape->type == RG_SHAPE_halfspace)
        return outline_plane(q, f);
    RgVec3 n = q->frame.n, m = which == 0 ? n : v3_neg(m3_apply_t(q->pair->X_AB.R, n));
    if (shape->type == RG_SHAPE_box)
        return outline_box(q, which, shape, m);
    if (shape->core == NULL || shape->core->nf == 0 || rg_shape_kind(shape->type)->rounding != NULL)
        return false;
    int32_t vertex = vertex_of(shape->core, feature);
    return vertex >= 0 && outline_hull(q, which, vertex, m);
}

/* ------------------------------------------------------------------ sides */

static void make_sides(const Facet *f, double clear, Sides *s)
{
    s->count = f->count;
    for (int32_t k = 0; k < f->count; k++) {
        int32_t next = k + 1 < f->count ? k + 1 : 0;
        s->u[k] = f->u[k];
        s->v[k] = f->v[k];
        s->du[k] = f->u[next] - f->u[k];
        s->dv[k] = f->v[next] - f->v[k];
        s->unclear2[k] = clear * clear * (s->du[k] * s->du[k] + s->dv[k] * s->dv[k]);
    }
}

/* Distance to the left of side k times its length. */
static inline double left_of(const Sides *s, int32_t k, double u, double v)
{
    return s->du[k] * (v - s->v[k]) - s->dv[k] * (u - s->u[k]);
}

static inline bool is_clear(const Sides *s, int32_t k, double left)
{
    return left * left > s->unclear2[k];
}

static bool is_inside(const Sides *s, double u, double v)
{
    for (int32_t k = 0; k < s->count; k++) {
        double left = left_of(s, k, u, v);
        if (!(left > 0.0 && is_clear(s, k, left)))
            return false;
    }
    return true;
}

static bool is_apart(double u, double v, double w, double z, double clear)
{
    return fabs(u - w) > clear || fabs(v - z) > clear;
}

/* ------------------------------------------------------------------ points */

static RgOverlapPoint *push(RgDirectContact *out, double u, double v)
{
    RgOverlapPoint *p = &out->point[out->count++];
    p->u = u;
    p->v = v;
    return p;
}

static void set_side(RgOverlapPoint *p, int which, double h, RgFeatureKind kind, int32_t index)
{
    p->h[which] = h;
    p->feature[which] = (RgFeature){kind, index};
}

static void on_face(const Facet *f, RgOverlapPoint *p, int which)
{
    set_side(p, which, height(f, p->u, p->v), RG_FEATURE_FACE, f->face);
}

static void on_corner(const Facet *f, int32_t k, RgOverlapPoint *p, int which)
{
    set_side(p, which, f->h[k], RG_FEATURE_VERTEX, f->vertex[k]);
}

/* Every corner, over a half-space. Names are clear where no two corners are near each other. */
static bool meet_plane(Question *q, RgDirectContact *out)
{
    const Facet *f = &q->facet[0];
    for (int32_t k = 0; k < f->count; k++) {
        int32_t next = k + 1 < f->count ? k + 1 : 0;
        if (f->count > 1 && !is_apart(f->u[k], f->v[k], f->u[next], f->v[next], q->clear))
            return false;
        RgOverlapPoint *p = push(out, f->u[k], f->v[k]);
        on_corner(f, k, p, 0);
        set_side(p, 1, height(&q->facet[1], p->u, p->v), RG_FEATURE_FACE, 0);
    }
    out->touch = f->count == 1   ? RG_TOUCH_vertex_face
                 : f->count == 2 ? RG_TOUCH_edge_face
                                 : RG_TOUCH_face_face;
    return true;
}

/* big: which of them is the face. */
static bool meet_vertex_face(Question *q, int big, RgDirectContact *out)
{
    const Facet *f = &q->facet[1 - big];
    Sides sides;
    make_sides(&q->facet[big], q->clear, &sides);
    if (!is_inside(&sides, f->u[0], f->v[0]))
        return false;
    RgOverlapPoint *p = push(out, f->u[0], f->v[0]);
    on_corner(f, 0, p, 1 - big);
    on_face(&q->facet[big], p, big);
    out->touch = RG_TOUCH_vertex_face;
    return true;
}

static bool meet_edges(Question *q, double slope, RgDirectContact *out)
{
    const Facet *a = &q->facet[0], *b = &q->facet[1];
    double au = a->u[1] - a->u[0], av = a->v[1] - a->v[0], bu = b->u[1] - b->u[0], bv = b->v[1] - b->v[0];
    double a2 = au * au + av * av, b2 = bu * bu + bv * bv, turn = au * bv - av * bu;
    if (turn * turn <= slope * slope * a2 * b2)
        return false;
    double ru = b->u[0] - a->u[0], rv = b->v[0] - a->v[0], over = 1.0 / turn;
    double s = (ru * bv - rv * bu) * over, t = (ru * av - rv * au) * over;
    double s_end = s < 0.5 ? s : 1.0 - s, t_end = t < 0.5 ? t : 1.0 - t, clear2 = q->clear * q->clear;
    if (s_end <= 0.0 || t_end <= 0.0 || s_end * s_end * a2 <= 2.0 * clear2 ||
        t_end * t_end * b2 <= 2.0 * clear2)
        return false;
    RgOverlapPoint *p = push(out, a->u[0] + s * au, a->v[0] + s * av);
    set_side(p, 0, a->h[0] + s * (a->h[1] - a->h[0]), RG_FEATURE_EDGE, a->edge[0]);
    set_side(p, 1, b->h[0] + t * (b->h[1] - b->h[0]), RG_FEATURE_EDGE, b->edge[0]);
    out->touch = RG_TOUCH_edge_edge;
    return true;
}

/* What is left of an edge: parts of the way, and the side of the face that cut there; -1: none. */
typedef struct Rest {
    double low, high;
    int32_t low_side, high_side;
} Rest;

static bool cut_edge(const Facet *e, const Sides *s, Rest *rest)
{
    *rest = (Rest){0.0, 1.0, -1, -1};
    for (int32_t k = 0; k < s->count; k++) {
        double from = left_of(s, k, e->u[0], e->v[0]), to = left_of(s, k, e->u[1], e->v[1]);
        if (!is_clear(s, k, from) || !is_clear(s, k, to) || (from < 0.0 && to < 0.0))
            return false;
        double part = from / (from - to);
        if (from < 0.0 && part > rest->low) {
            rest->low = part;
            rest->low_side = k;
        } else if (to < 0.0 && part < rest->high) {
            rest->high = part;
            rest->high_side = k;
        }
    }
    return rest->low < rest->high;
}

/* The point of the edge at that part of its way; false: near a corner of the face. */
static bool push_on_edge(Question *q, int big, double part, int32_t side, RgDirectContact *out)
{
    const Facet *e = &q->facet[1 - big], *f = &q->facet[big];
    if (side < 0) {
        int32_t k = part > 0.5;
        RgOverlapPoint *p = push(out, e->u[k], e->v[k]);
        on_corner(e, k, p, 1 - big);
        on_face(f, p, big);
        return true;
    }
    RgOverlapPoint *p = push(out, e->u[0] + part * (e->u[1] - e->u[0]), e->v[0] + part * (e->v[1] - e->v[0]));
    set_side(p, 1 - big, e->h[0] + part * (e->h[1] - e->h[0]), RG_FEATURE_EDGE, e->edge[0]);
    set_side(p, big, height(f, p->u, p->v), RG_FEATURE_EDGE, f->edge[side]);
    int32_t next = side + 1 < f->count ? side + 1 : 0;
    return is_apart(p->u, p->v, f->u[side], f->v[side], q->clear) &&
           is_apart(p->u, p->v, f->u[next], f->v[next], q->clear);
}

static bool meet_edge_face(Question *q, int big, RgDirectContact *out)
{
    Sides sides;
    Rest rest;
    make_sides(&q->facet[big], q->clear, &sides);
    out->touch = RG_TOUCH_edge_face;
    if (!cut_edge(&q->facet[1 - big], &sides, &rest) || !push_on_edge(q, big, rest.low, rest.low_side, out) ||
        !push_on_edge(q, big, rest.high, rest.high_side, out))
        return false;
    const RgOverlapPoint *p = out->point;
    return is_apart(p[0].u, p[0].v, p[1].u, p[1].v, 2.0 * q->clear) &&
           (!q->touching || is_inside(&sides, 0.5 * (p[0].u + p[1].u), 0.5 * (p[0].v + p[1].v)));
}

/* ------------------------------------------------------------------ faces */

/* A corner while A is being cut: corner of A or the side of A it lies on, corner of B or side of B likewise, -1: none.
   line: what leads from it to the next one, side k of A: k, of B: -1 - k. */
typedef struct Cut {
    double u, v;
    int32_t a_corner, a_side, b_corner, b_side, line;
} Cut;

typedef struct Loop {
    int32_t count;
    Cut corner[RG_DIRECT_POINTS];
} Loop;

/* Where the side from p to r crosses side k of B. */
static Cut cross_line(const Facet *b, const Cut *p, const Cut *r, int32_t k, double part)
{
    Cut x = {p->u + part * (r->u - p->u), p->v + part * (r->v - p->v), -1, p->line, -1, k, 0};
    if (p->line >= 0)
        return x;
    int32_t side = -1 - p->line, after = side + 1 < b->count ? side + 1 : 0,
            next = k + 1 < b->count ? k + 1 : 0;
    x.a_side = -1;
    x.b_corner = after == k ? k : next == side ? side : -1;
    if (x.b_corner >= 0) {
        x.u = b->u[x.b_corner];
        x.v = b->v[x.b_corner];
    }
    return x;
}

/* Distances of the corners of a loop from side k of B. */
typedef struct Lefts {
    bool clear, all; /* all are to the left */
    double left[RG_DIRECT_POINTS];
} Lefts;

static void look_along(const Sides *sides, int32_t k, const Loop *loop, Lefts *out)
{
    out->clear = out->all = true;
    for (int32_t i = 0; i < loop->count; i++) {
        double left = left_of(sides, k, loop->corner[i].u, loop->corner[i].v);
        out->clear = out->clear && is_clear(sides, k, left);
        out->all = out->all && left > 0.0;
        out->left[i] = left;
    }
}

/* What side k of B leaves of the loop; false: nothing, or there is no room. */
static bool cut_by_side(const Facet *b, int32_t k, const Lefts *at, const Loop *from, Loop *to)
{
    to->count = 0;
    for (int32_t i = 0; i < from->count; i++) {
        int32_t next = i + 1 < from->count ? i + 1 : 0;
        double here = at->left[i], there = at->left[next];
        if (to->count + 2 > RG_DIRECT_POINTS)
            return false;
        if (here > 0.0)
            to->corner[to->count++] = from->corner[i];
        if ((here > 0.0) == (there > 0.0))
            continue;
        Cut x = cross_line(b, &from->corner[i], &from->corner[next], k, here / (here - there));
        x.line = here > 0.0 ? -1 - k : from->corner[i].line;
        to->corner[to->count++] = x;
    }
    return to->count >= 3;
}

/* A corner of the overlap; false: it is not clear what it lies on. */
static bool push_cut(Question *q, const Sides *sides_a, const Cut *cut, RgDirectContact *out)
{
    const Facet *a = &q->facet[0], *b = &q->facet[1];
    RgOverlapPoint *p = push(out, cut->u, cut->v);
    if (cut->a_corner >= 0) {
        on_corner(a, cut->a_corner, p, 0);
        on_face(b, p, 1);
        return true;
    }
    if (cut->b_corner >= 0) {
        on_face(a, p, 0);
        on_corner(b, cut->b_corner, p, 1);
        return is_inside(sides_a, p->u, p->v);
    }
    if (cut->a_side < 0)
        return false;
    int32_t k = cut->b_side, next = k + 1 < b->count ? k + 1 : 0;
    set_side(p, 0, height(a, p->u, p->v), RG_FEATURE_EDGE, a->edge[cut->a_side]);
    set_side(p, 1, height(b, p->u, p->v), RG_FEATURE_EDGE, b->edge[k]);
    return is_apart(p->u, p->v, b->u[k], b->v[k], q->clear) &&
           is_apart(p->u, p->v, b->u[next], b->v[next], q->clear);
}

/* Touching faces are no degenerate touch where the middle of the overlap is inside both. */
static bool is_broad(const Question *q, const Sides sides[2], const RgDirectContact *out)
{
    double u = 0.0, v = 0.0;
    if (!q->touching)
        return true;
    for (int32_t i = 0; i < out->count; i++) {
        u += out->point[i].u / out->count;
        v += out->point[i].v / out->count;
    }
    return is_inside(&sides[0], u, v) && is_inside(&sides[1], u, v);
}

static bool meet_faces(Question *q, RgDirectContact *out)
{
    const Facet *a = &q->facet[0], *b = &q->facet[1];
    Sides sides[2];
    Loop work[2];
    Lefts at;
    int now = 0;
    make_sides(a, q->clear, &sides[0]);
    make_sides(b, q->clear, &sides[1]);
    work[0].count = a->count;
    for (int32_t i = 0; i < a->count; i++)
        work[0].corner[i] = (Cut){a->u[i], a->v[i], i, i, -1, -1, i};
    for (int32_t k = 0; k < b->count; k++) {
        look_along(&sides[1], k, &work[now], &at);
        if (!at.clear)
            return false;
        if (at.all)
            continue;
        if (!cut_by_side(b, k, &at, &work[now], &work[1 - now]))
            return false;
        now = 1 - now;
    }
    for (int32_t i = 0; i < work[now].count; i++)
        if (!push_cut(q, &sides[0], &work[now].corner[i], out))
            return false;
    out->touch = RG_TOUCH_face_face;
    return is_broad(q, sides, out);
}

/* ------------------------------------------------------------------ public */

static double reach_of(const Facet *f)
{
    double reach = 0.0;
    for (int32_t k = 0; k < f->count; k++)
        reach = num_max(reach, num_max(fabs(f->u[k]), fabs(f->v[k])));
    return reach;
}

static bool meet(Question *q, double slope, RgDirectContact *out)
{
    int32_t a = q->facet[0].count, b = q->facet[1].count;
    if (q->facet[1].plane)
        return meet_plane(q, out);
    if (a >= 3 && b >= 3)
        return meet_faces(q, out);
    if (a >= 3 || b >= 3) {
        int big = a >= 3 ? 0 : 1;
        return (big == 0 ? b : a) == 1 ? meet_vertex_face(q, big, out) : meet_edge_face(q, big, out);
    }
    return a == 2 && b == 2 && meet_edges(q, slope, out);
}

/* Points within the margin; false: none is as deep as the distance. */
static bool keep_near(const RgDistance *at, double deeper, double margin, RgDirectContact *out)
{
    int32_t kept = 0;
    bool deepest = false;
    for (int32_t i = 0; i < out->count; i++) {
        double gap = out->point[i].h[1] - out->point[i].h[0];
        deepest = deepest || gap <= at->distance + deeper;
        if (!(gap <= margin))
            continue;
        if (kept < i)
            out->point[kept] = out->point[i];
        kept++;
    }
    out->count = kept;
    return deepest;
}

bool rg_contact_direct(const RgConvexPair *pair, const RgDistance *at, const RgManifoldOptions *options,
                       RgDirectContact *out)
{
    double slope = num_max(options->slope, RG_OUTLINE_LEAST_SLOPE);
    if (slope > MOST_SLOPE)
        return false;
    double size = rg_pair_size(pair), touching = options->touching * size;
    Question q; /* filled as far as it is used */
    q.pair = pair;
    q.slope2 = slope * slope;
    q.touching = fabs(at->distance) <= touching;
    q.frame = out->frame = rg_contact_frame(v3_scale(0.5, v3_add(at->point_a, at->point_b)), at->normal);
    if (!outline(&q, 0, at->feature_a) || !outline(&q, 1, at->feature_b))
        return false;
    double reach = num_max(reach_of(&q.facet[0]), reach_of(&q.facet[1]));
    double same = num_max(q.touching ? 2.0 * touching : 0.0, RG_OUTLINE_SAME * reach);
    q.clear = 2.0 * num_max(same, RG_REGION_NAME * reach);
    out->count = 0;
    return meet(&q, slope, out) && keep_near(at, RG_REGION_DEEPER * size, options->margin, out);
}
