/*
 * contact_facet.c - the part of a polytope or a half-space that lies in a contact plane, for simple cases.
 *
 * The definition is that of outline_polytope.c: from the farthest vertex along m (n for A, -n for B), follow every edge
 * e with
 *
 *   |e.m| <= slope |e - (e.m) m|
 *
 * No such edge: the vertex. One, with none at its other end: the edge. All corners of one gentle face and nothing
 * beyond: the face. A few more: a rough outline, whose heights are those of the faces it covers. For a box the slope of
 * an edge is that of its axis, m_i^2 <= slope^2 (1 - m_i^2), so the outline follows directly from m. Outlines with many
 * corners are left to outline_polytope.c.
 *
 * Cost: 20 to 100 ns; for large hulls mostly memory access.
 */
#include "collision/contact_facet.h"

#include "collision/outline_polytope.h"
#include "collision/plane_hull.h"
#include "geom/polytope.h"
#include "geom/shape_table.h"

/* A vector from the axes of shape `which` to those of A. */
static RgVec3 in_axes_of_a(const RgFacetQuery *q, int which, RgVec3 x)
{
    return which == 0 ? x : m3_apply(q->pair->X_AB.R, x);
}

/* Sets corner k of the outline to a vertex of the shape. */
static void set_corner(RgFacetQuery *q, int which, int32_t k, int32_t vertex)
{
    const RgShape *shape = which == 0 ? q->pair->a : q->pair->b;
    RgVec3 x = in_axes_of_a(q, which, shape->core->vertex[vertex]);
    if (which == 1)
        x = v3_add(x, q->pair->X_AB.p);
    RgVec3 r = v3_sub(x, q->frame.origin);
    RgFacet *f = &q->facet[which];
    f->vertex[k] = vertex;
    f->u[k] = v3_dot(r, q->frame.t);
    f->v[k] = v3_dot(r, q->frame.s);
    f->h[k] = v3_dot(r, q->frame.n);
}

/* Sets the height gradient of a plane with the normal N (axes of A). */
static void set_gradient(const RgFacetQuery *q, RgVec3 N, RgFacet *f)
{
    double up = v3_dot(N, q->frame.n);
    f->rise_u = -v3_dot(N, q->frame.t) / up;
    f->rise_v = -v3_dot(N, q->frame.s) / up;
}

static bool set_edge(RgFacetQuery *q, int which, int32_t from, int32_t to, int32_t edge)
{
    RgFacet *f = &q->facet[which];
    set_corner(q, which, 0, from);
    set_corner(q, which, 1, to);
    f->edge[0] = f->edge[1] = edge;
    f->count = 2;
    return true;
}

/* The loop of a face; of B it is reversed. */
static bool set_face(RgFacetQuery *q, int which, int32_t face)
{
    const RgPolytope *p = which == 0 ? q->pair->a->core : q->pair->b->core;
    RgFacet *f = &q->facet[which];
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
    set_gradient(q, in_axes_of_a(q, which, p->normal[face]), f);
    f->level = f->h[0] - (f->rise_u * f->u[0] + f->rise_v * f->v[0]);
    return true;
}

/* Returns true if the slope of a face with the normal N against the plane normal to m is at most that of the query. */
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

/* The vertex of a box that is farthest along a direction. */
typedef struct BoxEnd {
    int32_t vertex;
    RgVec3 corner; /* in the box's frame */
    double at[3];  /* u, v, h of the vertex */
} BoxEnd;

static void to_frame(const RgContactFrame *f, RgVec3 x, double uvh[3])
{
    uvh[0] = v3_dot(x, f->t);
    uvh[1] = v3_dot(x, f->s);
    uvh[2] = v3_dot(x, f->n);
}

/* The vector along the edge of axis i to the vertex at its other end. */
static void edge_vector(const RgFacetQuery *q, int which, const BoxEnd *end, int32_t i, double uvh[3])
{
    const RgContactFrame *f = &q->frame;
    double length = -2.0 * v3_at(end->corner, i);
    if (which == 1) {
        to_frame(f, v3_scale(length, m3_column(q->pair->X_AB.R, i)), uvh);
        return;
    }
    uvh[0] = length * v3_at(f->t, i);
    uvh[1] = length * v3_at(f->s, i);
    uvh[2] = length * v3_at(f->n, i);
}

static void set_box_corner(RgFacet *f, int32_t k, int32_t vertex, int32_t edge, const double uvh[3])
{
    f->vertex[k] = vertex;
    f->edge[k] = edge;
    f->u[k] = uvh[0];
    f->v[k] = uvh[1];
    f->h[k] = uvh[2];
}

/* The edge along axis i, from its lower end. Edges along x, y, z: four each, indexed by the bits of the two other
   axes. */
static void set_box_edge(const BoxEnd *end, int32_t i, const double length[3], RgFacet *f)
{
    int32_t v = end->vertex, bit = v >> i & 1;
    int32_t low = i == 0 ? v >> 1 & 1 : v & 1, high = i == 2 ? v >> 1 & 1 : v >> 2 & 1;
    double other[3] = {end->at[0] + length[0], end->at[1] + length[1], end->at[2] + length[2]};
    set_box_corner(f, bit, v, 4 * i + low + 2 * high, end->at);
    set_box_corner(f, 1 - bit, v ^ 1 << i, 4 * i + low + 2 * high, other);
    f->count = 2;
}

/* The face normal to axis k; loops and edges are those of rg_polytope_box. */
static void set_box_face(const RgFacetQuery *q, int which, const BoxEnd *end, int32_t k, RgFacet *f)
{
    static const int8_t loop[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const int8_t edge[6][4] = {{8, 6, 10, 4},  {5, 11, 7, 9}, {0, 9, 2, 8},
                                      {10, 3, 11, 1}, {4, 1, 5, 0},  {2, 7, 3, 6}};
    int32_t i = k == 0 ? 1 : 0, j = k == 2 ? 1 : 2;
    double w[3], z[3], corner[4][3];
    edge_vector(q, which, end, i, w);
    edge_vector(q, which, end, j, z);
    for (int c = 0; c < 3; c++) {
        corner[0][c] = end->at[c];
        corner[1][c] = end->at[c] + w[c];
        corner[2][c] = end->at[c] + z[c];
        corner[3][c] = corner[1][c] + z[c];
    }
    f->face = 2 * k + (end->vertex >> k & 1);
    f->count = 4;
    for (int32_t c = 0; c < 4; c++) {
        int32_t vertex = (unsigned char)loop[f->face][which == 0 ? c : 3 - c], turned = vertex ^ end->vertex;
        set_box_corner(f, c, vertex, edge[f->face][which == 0 ? c : (6 - c) % 4],
                       corner[(turned >> i & 1) + 2 * (turned >> j & 1)]);
    }

    /* The gradient of h: solve (u, v) = x w + y z for x, y. */
    double over = 1.0 / (w[0] * z[1] - w[1] * z[0]);
    f->rise_u = (w[2] * z[1] - z[2] * w[1]) * over;
    f->rise_v = (z[2] * w[0] - w[2] * z[0]) * over;
    f->level = end->at[2] - (f->rise_u * end->at[0] + f->rise_v * end->at[1]);
}

/* Outline of a box: all edges along an axis have the same slope. m: unit, in its frame, the direction along which it is
   farthest. */
static bool make_box_outline(RgFacetQuery *q, int which, const RgShape *box, RgVec3 m)
{
    RgFacet *f = &q->facet[which];
    BoxEnd end = {.vertex = rg_box_corner(m)};
    const double up[3] = {m.x * m.x, m.y * m.y, m.z * m.z}, most = q->slope2 / (1.0 + q->slope2);
    const bool is[3] = {up[0] <= most, up[1] <= most, up[2] <= most};
    int gentle = is[0] + is[1] + is[2];
    if (gentle > 2 || !(box->size[0] > 0.0 && box->size[1] > 0.0 && box->size[2] > 0.0))
        return false;
    end.corner =
        v3(m.x > 0.0 ? 0.5 * box->size[0] : -0.5 * box->size[0], m.y > 0.0 ? 0.5 * box->size[1] : -0.5 * box->size[1],
           m.z > 0.0 ? 0.5 * box->size[2] : -0.5 * box->size[2]);
    RgVec3 x = which == 0 ? end.corner : pose_apply(q->pair->X_AB, end.corner);
    to_frame(&q->frame, v3_sub(x, q->frame.origin), end.at);
    if (gentle == 0) {
        set_box_corner(f, 0, end.vertex, 0, end.at);
        f->count = 1;
    } else if (gentle == 1) {
        int32_t along = is[0] ? 0 : is[1] ? 1 : 2;
        double length[3];
        edge_vector(q, which, &end, along, length);
        set_box_edge(&end, along, length, f);
    } else {
        int32_t across = !is[0] ? 0 : !is[1] ? 1 : 2;
        double flat = up[0] + up[1] + up[2] - up[across];
        if (flat > q->slope2 * up[across])
            return false;
        set_box_face(q, which, &end, across, f);
    }
    return true;
}

/* Returns true if no gentle edge leads from the vertex except to the two given ones. */
static bool has_no_other_edge(const RgPolytope *p, int32_t vertex, int32_t one, int32_t other, RgVec3 m, double slope2)
{
    for (int32_t k = p->ring_start[vertex]; k < p->ring_start[vertex + 1]; k++) {
        int32_t to = p->ring[k];
        if (to != one && to != other && is_gentle_edge(p, vertex, to, m, slope2))
            return false;
    }
    return true;
}

/* The face at a vertex whose normal is most nearly along m, if exactly that face lies along the plane. */
static bool make_face_outline(RgFacetQuery *q, int which, int32_t vertex, RgVec3 m)
{
    const RgPolytope *p = which == 0 ? q->pair->a->core : q->pair->b->core;
    int32_t best = -1;
    double most = 0.0;
    for (int32_t k = p->ring_start[vertex]; k < p->ring_start[vertex + 1]; k++) {
        /* The face between this neighbour and the next, counter-clockwise: on the left of the edge from the vertex. */
        int32_t e = p->ring_edge[k], f = p->edge_face[2 * e + (p->edge[2 * e] != vertex)];
        double up = v3_dot(p->normal[f], m);
        best = up > most ? f : best;
        most = up > most ? up : most;
    }
    if (best < 0 || !is_gentle_face(p->normal[best], m, q->slope2) || !set_face(q, which, best))
        return false;
    const RgFacet *f = &q->facet[which];
    for (int32_t i = 0; i < f->count; i++)
        if (!has_no_other_edge(p, f->vertex[i], f->vertex[i > 0 ? i - 1 : f->count - 1],
                               f->vertex[i + 1 < f->count ? i + 1 : 0], m, q->slope2))
            return false;
    return true;
}

/* Corners of several faces: all that can be reached by gentle edges, and their convex hull in the plane. */
static bool make_rough_outline(RgFacetQuery *q, int which, int32_t vertex, RgVec3 m)
{
    const RgPolytope *p = which == 0 ? q->pair->a->core : q->pair->b->core;
    RgFacet *f = &q->facet[which];
    RgPlanePoint all[RG_DIRECT_CORNERS], chain[2 * RG_DIRECT_CORNERS];
    double slope = sqrt(q->slope2), reach = 0.0;
    int32_t count = 0;
    f->vertex[count++] = vertex;
    for (int32_t i = 0; i < count; i++) {
        int32_t v = f->vertex[i];
        for (int32_t k = p->ring_start[v]; k < p->ring_start[v + 1]; k++) {
            bool met = false;
            for (int32_t j = 0; j < count && !met; j++)
                met = f->vertex[j] == p->ring[k];
            if (met || !rg_polytope_edge_gentle(p, v, k, m, slope))
                continue;
            if (count == RG_DIRECT_CORNERS)
                return false;
            f->vertex[count++] = p->ring[k];
        }
        set_corner(q, which, i, v);
        all[i] = (RgPlanePoint){f->u[i], f->v[i], f->h[i], v};
        reach = num_max(reach, num_max(fabs(f->u[i]), fabs(f->v[i])));
    }
    f->count = rg_plane_hull(all, count, which == 0 ? 1.0 : -1.0, RG_OUTLINE_SAME * reach, chain);
    f->rough = true;
    f->start = rg_polytope_face_uppermost(p, vertex, m);
    if (f->count < 3 || f->start < 0)
        return false;
    for (int32_t i = 0; i < f->count; i++) {
        int32_t from = chain[i].number, to = chain[i + 1 < f->count ? i + 1 : 0].number;
        set_corner(q, which, i, from);
        f->edge[i] = rg_polytope_edge_between(p, from, to).index;
    }
    return true;
}

/* Outline of any polytope, from one of its farthest vertices. */
static bool make_polytope_outline(RgFacetQuery *q, int which, int32_t vertex, RgVec3 m)
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
    if (gentle == 1 && has_no_other_edge(p, to, vertex, vertex, m, q->slope2))
        return set_edge(q, which, vertex, to, edge);
    return (gentle > 1 && make_face_outline(q, which, vertex, m)) || make_rough_outline(q, which, vertex, m);
}

/* A vertex of the feature reported by the distance query. */
static int32_t vertex_of_feature(const RgPolytope *p, RgFeature feature)
{
    return feature.kind == RG_FEATURE_VERTEX ? feature.index
           : feature.kind == RG_FEATURE_EDGE ? p->edge[2 * feature.index]
           : feature.kind == RG_FEATURE_FACE ? p->face_vertex[p->face_start[feature.index]]
                                             : -1;
}

static bool make_plane_outline(RgFacetQuery *q, RgFacet *f)
{
    const RgPose *X = &q->pair->X_AB;
    RgVec3 N = m3_column(X->R, 2);
    set_gradient(q, N, f);
    f->level = -v3_dot(N, v3_sub(q->frame.origin, X->p)) / v3_dot(N, q->frame.n);
    f->plane = true;
    return true;
}

bool rg_facet_make(RgFacetQuery *q, int which, RgFeature feature)
{
    const RgShape *shape = which == 0 ? q->pair->a : q->pair->b;
    RgFacet *f = &q->facet[which];
    f->plane = f->rough = false;
    f->face = f->start = -1;
    f->count = 0;
    if (which == 1 && shape->type == RG_SHAPE_halfspace)
        return make_plane_outline(q, f);
    RgVec3 n = q->frame.n, m = which == 0 ? n : v3_neg(m3_apply_t(q->pair->X_AB.R, n));
    if (shape->type == RG_SHAPE_box)
        return make_box_outline(q, which, shape, m);
    if (shape->core == NULL || shape->core->nf == 0 || rg_shape_kind(shape->type)->rounding != NULL)
        return false;
    int32_t vertex = vertex_of_feature(shape->core, feature);
    return vertex >= 0 && make_polytope_outline(q, which, vertex, m);
}

/* Returns true if the line from x along m leaves the polytope inside face f, clear of its edges. */
static bool exits_inside(const RgPolytope *p, int32_t f, RgVec3 x, RgVec3 m, double clear)
{
    int32_t last = p->face_start[f + 1] - 1;
    RgVec3 a = p->vertex[p->face_vertex[last]];
    for (int32_t k = p->face_start[f]; k <= last; k++) {
        RgVec3 b = p->vertex[p->face_vertex[k]], to = v3_cross(m, v3_sub(b, a));
        double left = v3_dot(to, v3_sub(x, a));
        if (!(left > 0.0 && left * left > clear * clear * v3_norm2(to)))
            return false;
        a = b;
    }
    return true;
}

bool rg_facet_height_inside(const RgFacetQuery *q, int which, double u, double v, double *h, int32_t *face)
{
    const RgFacet *f = &q->facet[which];
    if (!f->rough) {
        *face = f->face;
        *h = rg_facet_height(f, u, v);
        return true;
    }
    const RgPolytope *p = which == 0 ? q->pair->a->core : q->pair->b->core;
    const RgPose *X = &q->pair->X_AB;
    RgVec3 x = rg_contact_frame_point(&q->frame, u, v, 0.0), m = q->frame.n;
    if (which == 1) {
        x = m3_apply_t(X->R, v3_sub(x, X->p));
        m = v3_neg(m3_apply_t(X->R, m));
    }
    *face = rg_polytope_face_over(p, f->start, x, m, h);
    *h = which == 0 ? *h : -*h;
    return *face >= 0 && exits_inside(p, *face, x, m, q->clear);
}

bool rg_facet_height_on_side(const RgFacet *f, int32_t k, double u, double v, double *h)
{
    int32_t next = k + 1 < f->count ? k + 1 : 0;
    double du = f->u[next] - f->u[k], dv = f->v[next] - f->v[k];
    double along = ((u - f->u[k]) * du + (v - f->v[k]) * dv) / (du * du + dv * dv);
    *h = f->h[k] + along * (f->h[next] - f->h[k]);
    return f->edge[k] >= 0;
}
