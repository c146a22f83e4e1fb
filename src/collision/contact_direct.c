/*
 * contact_direct.c - contact points of polytopes and half-spaces in closed form, for a known normal and simple cases.
 *
 * The definition of the points is that of contact_region.c: the outlines of A along n and of B along -n, projected onto
 * the contact plane, and the corners of their overlap. The outline of a polytope is nearly always a vertex, an edge or
 * a face, and the overlap has a closed form:
 *
 *   vertex, face   the vertex, and its foot on the face along n
 *   edge, edge     the crossing of the two lines: with r from a to b, directions d and e in the plane,
 *                  s = (r x e) / (d x e),  t = (r x d) / (d x e)
 *   edge, face     the edge clipped by the sides of the face (Cyrus, Beck 1978)
 *   face, face     one clipped by the sides of the other (Sutherland, Hodgman 1974)
 *   half-space     every corner of the other
 *
 * Heights over a point (u, v) of a face with normal N are h = h0 - (N.t (u - u0) + N.s (v - v0)) / N.n.
 *
 * Only clear cases are handled here. Points within `clear` of a border (twice the distance within which
 * contact_region.c merges points, or manifold.c gives a point the id of a smaller feature), outlines of other forms,
 * overlaps without the deepest point and contacts that may be degenerate are left to contact_region.c. So no decision
 * of contact_region.c depends on this file, and both give the same points up to round-off; test_contact_direct.c
 * compares them.
 *
 * Cost: 100 to 300 ns.
 */
#include "collision/contact_direct.h"

#include "collision/contact_facet.h"
#include "collision/contact_region.h"

/* Slopes beyond this, at which three axes of a box could lie along one plane, are not handled. */
#define MAX_SLOPE 0.5

/* The sides of a face: a point of each, its direction, and the square of (clear times its length). */
typedef struct Sides {
    int32_t count;
    double u[RG_DIRECT_CORNERS], v[RG_DIRECT_CORNERS];
    double du[RG_DIRECT_CORNERS], dv[RG_DIRECT_CORNERS], unclear2[RG_DIRECT_CORNERS];
} Sides;

/* ------------------------------------------------------------------ sides */

static void make_sides(const RgFacet *f, double clear, Sides *s)
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

/* Distance of a point to the left of side k, times the side's length. */
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

/* Returns false if it is not clear on which face the point is. */
static bool set_on_face(const RgFacetQuery *q, RgOverlapPoint *p, int which)
{
    double h;
    int32_t face;
    bool is = rg_facet_height_inside(q, which, p->u, p->v, &h, &face);
    set_side(p, which, h, RG_FEATURE_FACE, face);
    return is;
}

/* Puts the point on side k of an outline. Returns false if no edge runs there. */
static bool set_on_side(const RgFacet *f, int32_t k, RgOverlapPoint *p, int which)
{
    double h;
    bool is = rg_facet_height_on_side(f, k, p->u, p->v, &h);
    set_side(p, which, h, RG_FEATURE_EDGE, f->edge[k]);
    return is;
}

static void set_on_corner(const RgFacet *f, int32_t k, RgOverlapPoint *p, int which)
{
    set_side(p, which, f->h[k], RG_FEATURE_VERTEX, f->vertex[k]);
}

/* Half-space: every corner of the other. Features are clear if no two corners are close to each other. */
static bool contact_plane(RgFacetQuery *q, RgDirectContact *out)
{
    const RgFacet *f = &q->facet[0];
    for (int32_t k = 0; k < f->count; k++) {
        int32_t next = k + 1 < f->count ? k + 1 : 0;
        if (f->count > 1 && !is_apart(f->u[k], f->v[k], f->u[next], f->v[next], q->clear))
            return false;
        RgOverlapPoint *p = push(out, f->u[k], f->v[k]);
        set_on_corner(f, k, p, 0);
        set_side(p, 1, rg_facet_height(&q->facet[1], p->u, p->v), RG_FEATURE_FACE, 0);
    }
    out->touch = f->count == 1 ? RG_TOUCH_vertex_face : f->count == 2 ? RG_TOUCH_edge_face : RG_TOUCH_face_face;
    return true;
}

/* big: which of the two is the face. */
static bool contact_vertex_face(RgFacetQuery *q, int big, RgDirectContact *out)
{
    const RgFacet *f = &q->facet[1 - big];
    Sides sides;
    make_sides(&q->facet[big], q->clear, &sides);
    if (!is_inside(&sides, f->u[0], f->v[0]))
        return false;
    RgOverlapPoint *p = push(out, f->u[0], f->v[0]);
    set_on_corner(f, 0, p, 1 - big);
    out->touch = RG_TOUCH_vertex_face;
    return set_on_face(q, p, big);
}

static bool contact_edges(RgFacetQuery *q, double slope, RgDirectContact *out)
{
    const RgFacet *a = &q->facet[0], *b = &q->facet[1];
    double au = a->u[1] - a->u[0], av = a->v[1] - a->v[0], bu = b->u[1] - b->u[0], bv = b->v[1] - b->v[0];
    double a2 = au * au + av * av, b2 = bu * bu + bv * bv, cross = au * bv - av * bu;
    if (cross * cross <= slope * slope * a2 * b2)
        return false;
    double ru = b->u[0] - a->u[0], rv = b->v[0] - a->v[0], over = 1.0 / cross;
    double s = (ru * bv - rv * bu) * over, t = (ru * av - rv * au) * over;
    double s_end = s < 0.5 ? s : 1.0 - s, t_end = t < 0.5 ? t : 1.0 - t, clear2 = q->clear * q->clear;
    if (s_end <= 0.0 || t_end <= 0.0 || s_end * s_end * a2 <= 2.0 * clear2 || t_end * t_end * b2 <= 2.0 * clear2)
        return false;
    RgOverlapPoint *p = push(out, a->u[0] + s * au, a->v[0] + s * av);
    set_side(p, 0, a->h[0] + s * (a->h[1] - a->h[0]), RG_FEATURE_EDGE, a->edge[0]);
    set_side(p, 1, b->h[0] + t * (b->h[1] - b->h[0]), RG_FEATURE_EDGE, b->edge[0]);
    out->touch = RG_TOUCH_edge_edge;
    return true;
}

/* The clipped edge: an interval of fractions, and the sides of the face that clipped its ends; -1: none. */
typedef struct ClippedEdge {
    double low, high;
    int32_t low_side, high_side;
} ClippedEdge;

static bool clip_edge(const RgFacet *e, const Sides *s, ClippedEdge *rest)
{
    *rest = (ClippedEdge){0.0, 1.0, -1, -1};
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

/* Appends the point of the edge at the fraction `part`. Returns false if it is near a corner of the face. */
static bool push_on_edge(RgFacetQuery *q, int big, double part, int32_t side, RgDirectContact *out)
{
    const RgFacet *e = &q->facet[1 - big], *f = &q->facet[big];
    if (side < 0) {
        int32_t k = part > 0.5;
        RgOverlapPoint *p = push(out, e->u[k], e->v[k]);
        set_on_corner(e, k, p, 1 - big);
        return set_on_face(q, p, big);
    }
    RgOverlapPoint *p = push(out, e->u[0] + part * (e->u[1] - e->u[0]), e->v[0] + part * (e->v[1] - e->v[0]));
    set_side(p, 1 - big, e->h[0] + part * (e->h[1] - e->h[0]), RG_FEATURE_EDGE, e->edge[0]);
    int32_t next = side + 1 < f->count ? side + 1 : 0;
    return set_on_side(f, side, p, big) && is_apart(p->u, p->v, f->u[side], f->v[side], q->clear) &&
           is_apart(p->u, p->v, f->u[next], f->v[next], q->clear);
}

static bool contact_edge_face(RgFacetQuery *q, int big, RgDirectContact *out)
{
    Sides sides;
    ClippedEdge rest;
    make_sides(&q->facet[big], q->clear, &sides);
    out->touch = RG_TOUCH_edge_face;
    if (!clip_edge(&q->facet[1 - big], &sides, &rest) || !push_on_edge(q, big, rest.low, rest.low_side, out) ||
        !push_on_edge(q, big, rest.high, rest.high_side, out))
        return false;
    const RgOverlapPoint *p = out->point;
    return is_apart(p[0].u, p[0].v, p[1].u, p[1].v, 2.0 * q->clear) &&
           (!q->touching || is_inside(&sides, 0.5 * (p[0].u + p[1].u), 0.5 * (p[0].v + p[1].v)));
}

/* ------------------------------------------------------------------ faces */

/* A corner during the clipping of A: corner of A or the side of A it lies on, corner of B or side of B likewise, -1:
   none. line: the side to the next corner, side k of A: k, of B: -1 - k. */
typedef struct ClipCorner {
    double u, v;
    int32_t a_corner, a_side, b_corner, b_side, line;
} ClipCorner;

typedef struct ClipPolygon {
    int32_t count;
    ClipCorner corner[RG_DIRECT_POINTS];
} ClipPolygon;

/* Crossing of the side from p to r with side k of B. */
static ClipCorner cross_line(const RgFacet *b, const ClipCorner *p, const ClipCorner *r, int32_t k, double part)
{
    ClipCorner x = {p->u + part * (r->u - p->u), p->v + part * (r->v - p->v), -1, p->line, -1, k, 0};
    if (p->line >= 0)
        return x;
    int32_t side = -1 - p->line, after = side + 1 < b->count ? side + 1 : 0, next = k + 1 < b->count ? k + 1 : 0;
    x.a_side = -1;
    x.b_corner = after == k ? k : next == side ? side : -1;
    if (x.b_corner >= 0) {
        x.u = b->u[x.b_corner];
        x.v = b->v[x.b_corner];
    }
    return x;
}

/* Distances of the corners of a polygon from side k of B. */
typedef struct SideDistances {
    bool clear, all; /* all: all are to the left */
    double left[RG_DIRECT_POINTS];
} SideDistances;

static void measure_side(const Sides *sides, int32_t k, const ClipPolygon *loop, SideDistances *out)
{
    out->clear = out->all = true;
    for (int32_t i = 0; i < loop->count; i++) {
        double left = left_of(sides, k, loop->corner[i].u, loop->corner[i].v);
        out->clear = out->clear && is_clear(sides, k, left);
        out->all = out->all && left > 0.0;
        out->left[i] = left;
    }
}

/* Clips the polygon by side k of B. Returns false if nothing is left, or if there is no room. */
static bool clip_by_side(const RgFacet *b, int32_t k, const SideDistances *at, const ClipPolygon *from, ClipPolygon *to)
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
        ClipCorner x = cross_line(b, &from->corner[i], &from->corner[next], k, here / (here - there));
        x.line = here > 0.0 ? -1 - k : from->corner[i].line;
        to->corner[to->count++] = x;
    }
    return to->count >= 3;
}

/* Appends a corner of the overlap. Returns false if it is not clear what it lies on. */
static bool push_corner(RgFacetQuery *q, const Sides *sides_a, const ClipCorner *cut, RgDirectContact *out)
{
    const RgFacet *a = &q->facet[0], *b = &q->facet[1];
    RgOverlapPoint *p = push(out, cut->u, cut->v);
    if (cut->a_corner >= 0) {
        set_on_corner(a, cut->a_corner, p, 0);
        return set_on_face(q, p, 1);
    }
    if (cut->b_corner >= 0) {
        set_on_corner(b, cut->b_corner, p, 1);
        return is_inside(sides_a, p->u, p->v) && set_on_face(q, p, 0);
    }
    if (cut->a_side < 0)
        return false;
    int32_t k = cut->b_side, next = k + 1 < b->count ? k + 1 : 0;
    return set_on_side(a, cut->a_side, p, 0) && set_on_side(b, k, p, 1) &&
           is_apart(p->u, p->v, b->u[k], b->v[k], q->clear) && is_apart(p->u, p->v, b->u[next], b->v[next], q->clear);
}

/* Returns true if touching faces are not a degenerate contact: the centre of the overlap is inside both. */
static bool is_regular_touch(const RgFacetQuery *q, const Sides sides[2], const RgDirectContact *out)
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

static bool contact_faces(RgFacetQuery *q, RgDirectContact *out)
{
    const RgFacet *a = &q->facet[0], *b = &q->facet[1];
    Sides sides[2];
    ClipPolygon work[2];
    SideDistances at;
    int now = 0;
    make_sides(a, q->clear, &sides[0]);
    make_sides(b, q->clear, &sides[1]);
    work[0].count = a->count;
    for (int32_t i = 0; i < a->count; i++)
        work[0].corner[i] = (ClipCorner){a->u[i], a->v[i], i, i, -1, -1, i};
    for (int32_t k = 0; k < b->count; k++) {
        measure_side(&sides[1], k, &work[now], &at);
        if (!at.clear)
            return false;
        if (at.all)
            continue;
        if (!clip_by_side(b, k, &at, &work[now], &work[1 - now]))
            return false;
        now = 1 - now;
    }
    for (int32_t i = 0; i < work[now].count; i++)
        if (!push_corner(q, &sides[0], &work[now].corner[i], out))
            return false;
    out->touch = RG_TOUCH_face_face;
    return is_regular_touch(q, sides, out);
}

/* ------------------------------------------------------------------ public */

static double reach_of(const RgFacet *f)
{
    double reach = 0.0;
    for (int32_t k = 0; k < f->count; k++)
        reach = num_max(reach, num_max(fabs(f->u[k]), fabs(f->v[k])));
    return reach;
}

static bool find_contact(RgFacetQuery *q, double slope, RgDirectContact *out)
{
    int32_t a = q->facet[0].count, b = q->facet[1].count;
    if (q->facet[1].plane)
        return contact_plane(q, out);
    if (a >= 3 && b >= 3)
        return contact_faces(q, out);
    if (a >= 3 || b >= 3) {
        int big = a >= 3 ? 0 : 1;
        return (big == 0 ? b : a) == 1 ? contact_vertex_face(q, big, out) : contact_edge_face(q, big, out);
    }
    return a == 2 && b == 2 && contact_edges(q, slope, out);
}

/* Drops the points beyond the margin. Returns false if none is as deep as the distance. */
static bool drop_distant_points(const RgDistance *at, double deeper, double margin, RgDirectContact *out)
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
    if (slope > MAX_SLOPE)
        return false;
    double size = rg_pair_size(pair), touching = options->touching * size;
    RgFacetQuery q; /* only the members in use are initialised */
    q.pair = pair;
    q.slope2 = slope * slope;
    q.touching = fabs(at->distance) <= touching;
    q.frame = out->frame = rg_contact_frame(v3_scale(0.5, v3_add(at->point_a, at->point_b)), at->normal);
    if (!rg_facet_make(&q, 0, at->feature_a) || !rg_facet_make(&q, 1, at->feature_b))
        return false;
    double reach = num_max(reach_of(&q.facet[0]), reach_of(&q.facet[1]));
    double same = num_max(q.touching ? 2.0 * touching : 0.0, RG_OUTLINE_SAME * reach);
    q.clear = 2.0 * num_max(same, RG_REGION_NAME * reach);
    out->count = 0;
    return find_contact(&q, slope, out) && drop_distant_points(at, RG_REGION_DEEPER * size, options->margin, out);
}
