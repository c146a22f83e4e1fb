/*
 * plane.c - planes between two shapes, and what they prove on a piece of their paths.
 *
 * Fixed in A with unit normal n, offset o = max n.a over A's core. A point x of B's core has the height
 *
 *   phi(s) = n.(d + Q x) - o,     phi' = n.d' + (n x w).(Q x)
 *
 * Edges, directions a in A and b in B through points p and q: m = a x Q b,
 *
 *   S(s) = m.(d + Q q - p) + min over B of (Q'a x b).(x - q) - max over A of m.(x - p)
 *
 * where minimum and maximum are 0 as long as both edges carry the plane. Each is a function of s whose fourth derivative
 * is bounded (pair_motion.h), so that on a piece of length l
 *
 *   phi(s) >= Hermite cubic of (phi, phi') - M4 l^4/384.
 *
 * The cubic's Bernstein coefficients phi0, phi0 + l phi0'/3, phi1 - l phi1'/3, phi1 are affine in x, and so is each
 * one's minimum over a convex shape a search for its farthest point: four searches a piece for any number of vertices,
 * or for none at all. The cubic with these minima lies below all of them, as B_i >= 0.
 *
 * Its first root is found by clipping its convex hull, which never passes a root.
 */
#include "path/plane.h"

#include "math/unit.h"

/* |a x b| below which edges count as in line. */
#define EDGES_IN_LINE 1e-2
/* Clippings of a root, and the part of the piece below which one is the last. */
#define MAX_CLIPS 8
#define CLIP_LEAST 1e-3

/* First x at which the convex hull of the points (i/3, b_i) reaches 0; 2: nowhere. */
static double hull_crossing(const double b[4])
{
    double first = 2.0;
    for (int i = 1; i < 4; i++) {
        if (b[i] >= 0.0)
            continue;
        for (int j = 0; j < i; j++)
            if (b[j] >= 0.0)
                first = d_min(first, (j + (i - j) * (b[j] / (b[j] - b[i]))) / 3.0);
    }
    return first;
}

double rg_bernstein_root(const double e[4])
{
    double b[4] = {e[0], e[1], e[2], e[3]}, x = 0.0, width = 1.0;
    for (int clip = 0; clip < MAX_CLIPS; clip++) {
        if (!(b[0] > 0.0))
            return x;
        double r = hull_crossing(b);
        if (r > 1.0)
            return 1.0;
        x += width * r;
        if (r < CLIP_LEAST)
            return x;
        /* The part right of r (de Casteljau). */
        for (int k = 3; k > 0; k--)
            for (int i = 0; i < k; i++)
                b[i] += r * (b[i + 1] - b[i]);
        width *= 1.0 - r;
    }
    return x;
}

/* Bernstein coefficients of the Hermite cubic of a vector. */
static void vector_piece(const RgVec3 value[2], const RgVec3 rate[2], double length, RgVec3 out[4])
{
    out[0] = value[0];
    out[1] = v3_axpy(length / 3.0, rate[0], value[0]);
    out[2] = v3_axpy(-length / 3.0, rate[1], value[1]);
    out[3] = value[1];
}

/* Least d.x over the core of a shape. */
static double lowest(const RgMover *m, RgVec3 d, int32_t *vertex)
{
    return v3_dot(d, rg_core_support(m->shape, v3_neg(d), vertex));
}

/* ------------------------------------------------------------------ fixed */

RgPlane rg_plane_fixed(const RgPairMotion *m, bool in_b, RgVec3 n)
{
    const RgMover *carrier = in_b ? &m->b : &m->a;
    RgPlane out = {.kind = RG_PLANE_FIXED, .in_b = in_b, .n = n, .vertex_a = -1, .vertex_b = -1};
    if (carrier->shape->type != RG_SHAPE_halfspace)
        out.offset = -lowest(carrier, v3_neg(n), &out.vertex_a);
    return out;
}

static RgClearance fixed_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *seen, double floor)
{
    RgPairAt at = plane->in_b ? rg_pair_at_swap(seen) : *seen;
    const RgMover *of = plane->in_b ? &m->a : &m->b;
    RgVec3 direction = m3_apply_t(at.Q, plane->n), turn = m3_apply_t(at.Q, v3_cross(plane->n, at.w));
    RgVec3 x = rg_core_support(of->shape, v3_neg(direction), &plane->vertex_b);
    double height = v3_dot(plane->n, at.d) + v3_dot(direction, x) - plane->offset;
    return (RgClearance){height - m->a.rounding - m->b.rounding - floor,
                         -(v3_dot(plane->n, at.rate) + v3_dot(turn, x))};
}

static RgPiece fixed_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt seen[2], double floor)
{
    const RgMover *from = plane->in_b ? &m->b : &m->a, *of = plane->in_b ? &m->a : &m->b;
    RgPairAt at[2] = {seen[0], seen[1]};
    if (plane->in_b)
        for (int i = 0; i < 2; i++)
            at[i] = rg_pair_at_swap(&seen[i]);
    double l = at[1].s - at[0].s, l2 = l * l;
    double left = rg_pair_derivative(m, from, of, of->reach, 4) * (l2 * l2) / 384.0;
    double off = plane->offset + m->a.rounding + m->b.rounding + left + m->round_off + floor;

    /* Heights are value + direction.x. */
    RgVec3 n = plane->n, direction[4], at_end[2], rate[2];
    double value[2], change[2];
    for (int i = 0; i < 2; i++) {
        value[i] = v3_dot(n, at[i].d) - off;
        change[i] = v3_dot(n, at[i].rate);
        at_end[i] = m3_apply_t(at[i].Q, n);
        rate[i] = m3_apply_t(at[i].Q, v3_cross(n, at[i].w));
    }
    vector_piece(at_end, rate, l, direction);
    RgPiece out = {.scale = 1.0};
    out.e[0] = value[0];
    out.e[1] = value[0] + l / 3.0 * change[0];
    out.e[2] = value[1] - l / 3.0 * change[1];
    out.e[3] = value[1];
    for (int i = 0; i < 4; i++) {
        RgVec3 x = rg_core_support(of->shape, v3_neg(direction[i]), &plane->vertex_b);
        out.e[i] += v3_dot(direction[i], x);
    }
    return out;
}

/* ------------------------------------------------------------------ edges */

bool rg_plane_edges(const RgPairMotion *m, const RgPairAt *at, int32_t edge_a, int32_t edge_b, RgPlane *out)
{
    const RgPolytope *pa = m->a.shape->core, *pb = m->b.shape->core;
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
    out->far_a = v3_norm(v3_add(m3_apply(m->a.R, a0), m->a.path != NULL ? m->a.p : v3_zero())) + m->a.reach;
    out->far_b = v3_norm(v3_add(m3_apply(m->b.R, b0), m->b.path != NULL ? m->b.p : v3_zero())) + m->b.reach;
    return true;
}

/* m.(d + Q q - p) and its rate, m, Q'a x b and their rates, at one end of a piece. */
typedef struct EdgesAt {
    double gap, change;
    RgVec3 m, m_rate, turned, turned_rate, between;
} EdgesAt;

static EdgesAt edges_at(const RgPlane *plane, const RgPairAt *at)
{
    EdgesAt out;
    RgVec3 b = m3_apply(at->Q, plane->along_b), q = m3_apply(at->Q, plane->point_b);
    out.m = v3_cross(plane->along_a, b);
    out.m_rate = v3_cross(plane->along_a, v3_cross(at->w, b));
    out.between = v3_sub(v3_add(at->d, q), plane->point_a);
    out.gap = v3_dot(out.m, out.between);
    out.change = v3_dot(out.m_rate, out.between) + v3_dot(out.m, v3_add(at->rate, v3_cross(at->w, q)));
    out.turned = v3_cross(m3_apply_t(at->Q, plane->along_a), plane->along_b);
    out.turned_rate = v3_cross(m3_apply_t(at->Q, v3_cross(plane->along_a, at->w)), plane->along_b);
    return out;
}

/* Bound of the fourth derivative of S; between: bound of |d + Q q - p|. */
static double edges_bend(const RgPairMotion *m, const RgPlane *plane, double between)
{
    static const double binomial[5] = {1.0, 4.0, 6.0, 4.0, 1.0};
    double size = v3_norm(plane->along_a), sum = 0.0;
    for (int k = 0; k <= 4; k++) {
        double part = k == 4 ? between : rg_pair_derivative(m, &m->a, &m->b, m->b.reach, 4 - k);
        sum += binomial[k] * size * rg_pair_turning(&m->a, &m->b, k) * part;
    }
    return sum + size * rg_pair_turning(&m->a, &m->b, 4) * (plane->far_a + plane->far_b);
}

static RgClearance edges_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor)
{
    EdgesAt end = edges_at(plane, at);
    double gap = end.gap + lowest(&m->b, end.turned, &plane->vertex_b) - v3_dot(end.turned, plane->point_b);
    gap += lowest(&m->a, v3_neg(end.m), &plane->vertex_a) + v3_dot(end.m, plane->point_a);
    return (RgClearance){gap - (floor + m->a.rounding + m->b.rounding) * v3_norm(end.m), -end.change};
}

static RgPiece edges_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor)
{
    EdgesAt end[2] = {edges_at(plane, &at[0]), edges_at(plane, &at[1])};
    double l = at[1].s - at[0].s, l2 = l * l, quarter = l2 * l2 / 384.0;
    double between = v3_norm(end[0].between) + l * rg_pair_derivative(m, &m->a, &m->b, m->b.reach, 1);
    double size = v3_norm(plane->along_a);
    double left = edges_bend(m, plane, between) * quarter;

    RgVec3 normal[4], turned[4];
    vector_piece((RgVec3[2]){end[0].m, end[1].m}, (RgVec3[2]){end[0].m_rate, end[1].m_rate}, l, normal);
    vector_piece((RgVec3[2]){end[0].turned, end[1].turned},
                 (RgVec3[2]){end[0].turned_rate, end[1].turned_rate}, l, turned);
    RgPiece out = {.scale = 0.0};
    for (int i = 0; i < 4; i++)
        out.scale = d_max(out.scale, v3_norm(normal[i]));
    out.scale += size * rg_pair_turning(&m->a, &m->b, 4) * quarter;
    double off = left + size * m->round_off + (floor + m->a.rounding + m->b.rounding) * out.scale;
    out.e[0] = end[0].gap - off;
    out.e[1] = end[0].gap + l / 3.0 * end[0].change - off;
    out.e[2] = end[1].gap - l / 3.0 * end[1].change - off;
    out.e[3] = end[1].gap - off;
    for (int i = 0; i < 4; i++) {
        out.e[i] += lowest(&m->b, turned[i], &plane->vertex_b) - v3_dot(turned[i], plane->point_b);
        out.e[i] += lowest(&m->a, v3_neg(normal[i]), &plane->vertex_a) + v3_dot(normal[i], plane->point_a);
    }
    return out;
}

/* ------------------------------------------------------------------ any */

RgClearance rg_plane_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor)
{
    return plane->kind == RG_PLANE_FIXED ? fixed_clearance(m, plane, at, floor)
                                         : edges_clearance(m, plane, at, floor);
}

RgPiece rg_plane_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor)
{
    return plane->kind == RG_PLANE_FIXED ? fixed_piece(m, plane, at, floor)
                                         : edges_piece(m, plane, at, floor);
}
