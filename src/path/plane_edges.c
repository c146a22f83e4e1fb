/*
 * plane_edges.c - the plane parallel to an edge of A and an edge of B.
 *
 * Edges with directions a in A, b in B through points p and q: m = a x Q b. The distance of the lines is g/|m|,
 * g = m.(d + Q q - p), and
 *
 *   S(s) = g + min over B of (Q'a x b).(x - q) - max over A of m.(x - p)
 *
 * where minimum and maximum are 0 as long as both edges are extreme along m; their sum is at least -f.
 *
 * Without radii the condition is S >= floor |m|, with the largest |m| on the piece. With radii this would be too
 * strict; then r = radii + floor + f/|m|, and the condition is
 *
 *   g^2 - r^2 |m|^2 >= 0
 *
 * which is smooth. The Leibniz rule gives the bounds of g and m from those of Q and of the position of q.
 *
 * Failure: edges nearly parallel; there a plane of a face or of a vertex over an edge applies.
 */
#include "path/plane_piece.h"

/* |a x b| of unit vectors below which edges count as parallel. */
#define EDGES_IN_LINE 1e-2
/* Lower limit of |m| on a piece for shapes with radii; |m| is 1 at the start. */
#define LEAST_NORMAL 0.5

bool rg_plane_edges(const RgPairMotion *m, const RgPairAt *at, int32_t edge_a, int32_t edge_b, RgPlane *out)
{
    const RgPolytope *pa = m->a.shape->core, *pb = m->b.shape->core;
    if (pa == NULL || pb == NULL)
        return false;
    RgVec3 a0 = pa->vertex[pa->edge[2 * edge_a]], b0 = pb->vertex[pb->edge[2 * edge_b]];
    RgVec3 a1 = pa->vertex[pa->edge[2 * edge_a + 1]], b1 = pb->vertex[pb->edge[2 * edge_b + 1]];
    *out = (RgPlane){.kind = RG_PLANE_EDGES, .point_a = a0, .point_b = b0, .vertex_a = -1, .vertex_b = -1};
    if (!(v3_unit(v3_sub(a1, a0), v3_zero(), &out->along_a) > 0.0) ||
        !(v3_unit(v3_sub(b1, b0), v3_zero(), &out->along_b) > 0.0))
        return false;
    RgVec3 across = v3_cross(out->along_a, m3_apply(at->Q, out->along_b));
    double size = v3_norm(across);
    if (!(size >= EDGES_IN_LINE))
        return false;
    RgVec3 between = v3_sub(pose_apply((RgPose){at->Q, at->d}, b0), a0);
    out->along_a = v3_scale((v3_dot(across, between) < 0.0 ? -1.0 : 1.0) / size, out->along_a);
    out->far_a = farthest_from(&m->a, a0);
    out->far_b = farthest_from(&m->b, b0);
    return true;
}

/* g, m and Q'a x b (turned) with their rates, at one end of a piece. */
typedef struct EdgesAt {
    RgJet gap;
    RgVec3 m, m_rate, turned, turned_rate, between;
} EdgesAt;

static EdgesAt edges_at(const RgPlane *plane, const RgPairAt *at)
{
    EdgesAt out;
    RgVec3 b = m3_apply(at->Q, plane->along_b), q = m3_apply(at->Q, plane->point_b);
    out.m = v3_cross(plane->along_a, b);
    out.m_rate = v3_cross(plane->along_a, v3_cross(at->w, b));
    out.between = v3_sub(v3_add(at->d, q), plane->point_a);
    out.gap.value = v3_dot(out.m, out.between);
    out.gap.rate = v3_dot(out.m_rate, out.between) + v3_dot(out.m, v3_add(at->rate, v3_cross(at->w, q)));
    out.turned = v3_cross(m3_apply_t(at->Q, plane->along_a), plane->along_b);
    out.turned_rate = v3_cross(m3_apply_t(at->Q, v3_cross(plane->along_a, at->w)), plane->along_b);
    return out;
}

/* Bounds of m, g and their derivatives on a piece. */
typedef struct EdgesBounds {
    double m[RG_PATH_DERIVATIVES], gap[RG_PATH_DERIVATIVES];
} EdgesBounds;

static EdgesBounds edges_bounds(const RgPairMotion *m, const RgPlane *plane, const EdgesAt *begin, double l)
{
    EdgesBounds out;
    double size = v3_norm(plane->along_a), between[RG_PATH_DERIVATIVES];
    for (int k = 0; k < RG_PATH_DERIVATIVES; k++) {
        out.m[k] = size * rg_pair_turning(&m->a, &m->b, k);
        between[k] = rg_pair_derivative(m, &m->a, &m->b, m->b.reach, k);
    }
    out.m[0] = d_min(out.m[0], v3_norm(begin->m) + l * out.m[1]);
    between[0] = v3_norm(begin->between) + l * between[1];
    for (int k = 0; k < RG_PATH_DERIVATIVES; k++)
        out.gap[k] = rg_leibniz(out.m, between, k);
    out.gap[0] = d_min(out.gap[0], fabs(begin->gap.value) + l * out.gap[1]);
    return out;
}

/* Reduction of S by the other points of both shapes, for each of the four coefficients. */
static void beyond_edges(const RgPairMotion *m, RgPlane *plane, const EdgesAt end[2], double l, double out[4])
{
    RgVec3 normal[4], turned[4];
    vector_piece((RgVec3[2]){end[0].m, end[1].m}, (RgVec3[2]){end[0].m_rate, end[1].m_rate}, l, normal);
    vector_piece((RgVec3[2]){end[0].turned, end[1].turned}, (RgVec3[2]){end[0].turned_rate, end[1].turned_rate}, l,
                 turned);
    for (int i = 0; i < 4; i++) {
        out[i] = v3_dot(turned[i], plane->point_b) - lowest(&m->b, turned[i], &plane->vertex_b);
        out[i] -= lowest(&m->a, v3_neg(normal[i]), &plane->vertex_a) + v3_dot(normal[i], plane->point_a);
    }
}

RgClearance rg_edges_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor)
{
    EdgesAt end[2] = {edges_at(plane, at)};
    end[1] = end[0];
    double beyond[4];
    beyond_edges(m, plane, end, 0.0, beyond);
    double off = (floor + m->a.rounding + m->b.rounding) * v3_norm(end[0].m);
    return (RgClearance){end[0].gap.value - beyond[0] - off, -end[0].gap.rate};
}

/* g^2 - r^2 |m|^2 and its rate. */
static RgJet squares(const EdgesAt *end, double r)
{
    double r2 = r * r;
    return (RgJet){end->gap.value * end->gap.value - r2 * v3_norm2(end->m),
                   2.0 * (end->gap.value * end->gap.rate - r2 * v3_dot(end->m, end->m_rate))};
}

/* The piece for shapes with radii. least: lower limit of g where |m| is least, r |m|. */
static RgPiece grown_piece(const RgPairMotion *m, const EdgesAt end[2], const EdgesBounds *bounds, double l,
                           double least)
{
    RgPiece out = {.scale = 1.0};
    double turned = l * bounds->m[1], low = v3_norm(end[0].m) - turned, high = bounds->m[0], l2 = l * l;
    if (!(low >= LEAST_NORMAL) || !(end[0].gap.value > 0.0)) {
        out.e[0] = out.e[1] = out.e[2] = out.e[3] = -1.0;
        return out;
    }
    double r = least / low;
    double left =
        (square_fourth_derivative(bounds->gap) + r * r * square_fourth_derivative(bounds->m)) * (l2 * l2) / 384.0;
    number_piece(squares(&end[0], r), squares(&end[1], r), l, out.e);
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        out.e[i] -= left + 2.0 * (bounds->gap[0] + r * high) * m->round_off * high;
        most = d_max(most, out.e[i]);
    }
    out.scale = 2.0 * high * sqrt(r * r * high * high + most);
    return out;
}

RgPiece rg_edges_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor)
{
    EdgesAt end[2] = {edges_at(plane, &at[0]), edges_at(plane, &at[1])};
    double l = at[1].s - at[0].s, l2 = l * l, quarter = l2 * l2 / 384.0, beyond[4];
    EdgesBounds bounds = edges_bounds(m, plane, &end[0], l);
    beyond_edges(m, plane, end, l, beyond);
    double radii = m->a.rounding + m->b.rounding, beyond_left = bounds.m[4] * (plane->far_a + plane->far_b) * quarter;
    double size = v3_norm(plane->along_a);
    if (radii > 0.0) {
        double f = d_max(d_max(beyond[0], beyond[1]), d_max(beyond[2], beyond[3])) + beyond_left;
        double low = v3_norm(end[0].m) - l * bounds.m[1];
        return grown_piece(m, end, &bounds, l, (radii + floor) * low + d_max(f, 0.0) + size * m->round_off);
    }
    RgPiece out = {.scale = bounds.m[0]};
    double off = bounds.gap[4] * quarter + beyond_left + size * m->round_off + floor * out.scale;
    number_piece(end[0].gap, end[1].gap, l, out.e);
    for (int i = 0; i < 4; i++)
        out.e[i] -= off + beyond[i];
    return out;
}
