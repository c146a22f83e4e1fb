/*
 * plane_round.c - the plane perpendicular to the line from a vertex or an edge of A to a vertex of B, for shapes with
 * radii.
 *
 * The point is q in B, y = d + Q q in A; the vertex is p, the edge goes through p along the unit vector u:
 *
 *   m(s) = y - p           or   m(s) = (y - p) - u u.(y - p)
 *   S(s) = |m|^2 + min over B of (Q'm).(x - q) - max over A of m.(x - p)
 *
 * where minimum and maximum are 0 as long as q, and the vertex or edge of A, are extreme along m; their sum is at least
 * -f. Then the distance is at least |m| - f/|m| - radii, which is above the floor if
 *
 *   |m|^2 >= k^2,   k = (r + sqrt(r^2 + 4 f))/2,   r = radii + floor.
 *
 * |m|^2 is smooth, and its rate is known; a sphere that rolls over an edge takes one piece.
 */
#include "path/plane_piece.h"

bool rg_plane_round(const RgPairMotion *m, bool in_b, RgFeature carrier, int32_t vertex, RgPlane *out)
{
    const RgMovingShape *from = in_b ? &m->b : &m->a, *of = in_b ? &m->a : &m->b;
    const RgPolytope *core = from->shape->core;
    if (!(from->rounding + of->rounding > 0.0) || core == NULL || of->shape->core == NULL)
        return false;
    *out = (RgPlane){.kind = RG_PLANE_ROUND, .in_b = in_b, .vertex_a = -1, .vertex_b = -1};
    out->point_b = of->shape->core->vertex[vertex];
    if (carrier.kind == RG_FEATURE_EDGE) {
        out->point_a = core->vertex[core->edge[2 * carrier.index]];
        RgVec3 to = core->vertex[core->edge[2 * carrier.index + 1]];
        if (!(v3_unit(v3_sub(to, out->point_a), v3_zero(), &out->along_a) > 0.0))
            return false;
    } else if (carrier.kind == RG_FEATURE_VERTEX) {
        out->point_a = core->vertex[carrier.index];
    } else {
        return false;
    }
    out->far_a = farthest_from(from, out->point_a);
    out->far_b = farthest_from(of, out->point_b);
    return true;
}

/* m, Q'm (turned) and their rates. */
typedef struct RoundAt {
    RgVec3 m, m_rate, turned, turned_rate;
} RoundAt;

/* x without its part along u. */
static RgVec3 across(RgVec3 x, RgVec3 u)
{
    return v3_axpy(-v3_dot(u, x), u, x);
}

static RoundAt round_at(const RgPlane *plane, const RgPairAt *seen)
{
    RgPairAt at = plane->in_b ? rg_pair_at_swap(seen) : *seen;
    RgVec3 q = m3_apply(at.Q, plane->point_b);
    RoundAt out;
    out.m = across(v3_sub(v3_add(at.d, q), plane->point_a), plane->along_a);
    out.m_rate = across(v3_add(at.rate, v3_cross(at.w, q)), plane->along_a);
    out.turned = m3_apply_t(at.Q, out.m);
    out.turned_rate = m3_apply_t(at.Q, v3_add(out.m_rate, v3_cross(out.m, at.w)));
    return out;
}

/* Bound of f on a piece; bounds: of m and its derivatives. */
static double beyond_round(const RgPairMotion *m, RgPlane *plane, const RoundAt end[2], double l,
                           const double bounds[RG_PATH_DERIVATIVES])
{
    const RgMovingShape *from = plane->in_b ? &m->b : &m->a, *of = plane->in_b ? &m->a : &m->b;
    double most_a = 0.0, most_b = 0.0, quarter = l * l * (l * l) / 384.0;
    RgVec3 piece[4];
    if (from->shape->core->nv > 1) {
        vector_piece((RgVec3[2]){end[0].m, end[1].m}, (RgVec3[2]){end[0].m_rate, end[1].m_rate}, l, piece);
        for (int i = 0; i < 4; i++)
            most_a =
                d_max(most_a, -lowest(from, v3_neg(piece[i]), &plane->vertex_a) - v3_dot(piece[i], plane->point_a));
        most_a += bounds[4] * plane->far_a * quarter + bounds[0] * m->round_off;
    }
    if (of->shape->core->nv > 1) {
        double turning[RG_PATH_DERIVATIVES];
        for (int k = 0; k < RG_PATH_DERIVATIVES; k++)
            turning[k] = rg_pair_turning(&m->a, &m->b, k);
        vector_piece((RgVec3[2]){end[0].turned, end[1].turned}, (RgVec3[2]){end[0].turned_rate, end[1].turned_rate}, l,
                     piece);
        for (int i = 0; i < 4; i++)
            most_b = d_max(most_b, v3_dot(piece[i], plane->point_b) - lowest(of, piece[i], &plane->vertex_b));
        most_b += rg_leibniz(turning, bounds, 4) * plane->far_b * quarter + bounds[0] * m->round_off;
    }
    return most_a + most_b;
}

RgClearance rg_round_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor)
{
    RoundAt end[2] = {round_at(plane, at)};
    end[1] = end[0];
    double none[RG_PATH_DERIVATIVES] = {0.0}, size = v3_norm(end[0].m);
    if (!(size > 0.0))
        return (RgClearance){-1.0, 0.0};
    double beyond = beyond_round(m, plane, end, 0.0, none);
    return (RgClearance){size - beyond / size - m->a.rounding - m->b.rounding - floor,
                         -v3_dot(end[0].m, end[0].m_rate) / size};
}

RgPiece rg_round_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor)
{
    const RgMovingShape *from = plane->in_b ? &m->b : &m->a, *of = plane->in_b ? &m->a : &m->b;
    RoundAt end[2] = {round_at(plane, &at[0]), round_at(plane, &at[1])};
    double l = at[1].s - at[0].s, l2 = l * l, bounds[RG_PATH_DERIVATIVES];
    for (int k = 1; k < RG_PATH_DERIVATIVES; k++)
        bounds[k] = rg_pair_derivative(m, from, of, of->reach, k);
    bounds[0] = v3_norm(end[0].m) + l * bounds[1];
    double r = m->a.rounding + m->b.rounding + floor;
    double k = 0.5 * (r + sqrt(r * r + 4.0 * beyond_round(m, plane, end, l, bounds)));
    double off = square_fourth_derivative(bounds) * (l2 * l2) / 384.0 + k * k + 2.0 * bounds[0] * m->round_off;
    RgJet jet[2];
    for (int i = 0; i < 2; i++)
        jet[i] = (RgJet){v3_norm2(end[i].m), 2.0 * v3_dot(end[i].m, end[i].m_rate)};
    RgPiece out;
    number_piece(jet[0], jet[1], l, out.e);
    double most = 0.0;
    for (int i = 0; i < 4; i++) {
        out.e[i] -= off;
        most = d_max(most, out.e[i]);
    }
    out.scale = 2.0 * sqrt(k * k + most);
    return out;
}
