/*
 * plane.c - planes between two shapes, and the distances they prove on an interval of their paths.
 *
 * Fixed in A with unit normal n, offset o = max n.a over A's core. A point x of B's core has the height
 *
 *   phi(s) = n.(d + Q x) - o,     phi' = n.d' + (n x w).(Q x)
 *
 * whose fourth derivative is bounded (pair_motion.h), so that on a piece of length l
 *
 *   phi(s) >= Hermite cubic of (phi, phi') - M4 l^4/384.
 *
 * The Bernstein coefficients of the cubic, phi0, phi0 + l phi0'/3, phi1 - l phi1'/3, phi1, are affine in x, so the
 * minimum of each over a convex shape is a search for a farthest point: four searches per piece for any number of
 * vertices, and for round shapes. The cubic with these minima lies below all cubics of points, since B_i >= 0.
 *
 * A shape that is the Minkowski sum of a polytope P and an ellipsoid E (cylinder, ellipsoid) can roll: its nearest
 * point changes with time, and the four minima are too low by the rotation within a piece. Then the heights of P are
 * used, less
 *
 *   |E Q'n| <= (|E Q'n|^2 + k^2)/(2 k),   k = |E Q'n| at some time
 *
 * where the square is smooth, and equality holds if |E Q'n| is constant, as for a wheel. The better bound counts.
 *
 * The first root of a cubic is bounded by clipping the convex hull of its control points (Bezier clipping), which never
 * passes a root.
 *
 * Planes that turn with both shapes: plane_edges.c, plane_round.c.
 */
#include "path/plane_piece.h"

/* Limit of clippings, and the part of the rest of the piece that a clipping must advance to be followed by another. */
#define MAX_CLIPS 16
#define CLIP_LEAST 1e-3
/* Part of the largest half axis below which an ellipsoid's extent along a normal counts as zero. */
#define FLAT_SIDE 1e-3
/* Number of halvings of the piece whose first parts are clipped too. */
#define FIRST_PARTS 3

/* First x at which the convex hull of the control points (i/3, b_i) reaches 0; 2: nowhere. */
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

/* Splits a cubic at x into two cubics on [0, 1] (de Casteljau). */
static void split(const double e[4], double x, double left[4], double right[4])
{
    double b[4] = {e[0], e[1], e[2], e[3]};
    for (int k = 3; k >= 0; k--) {
        left[3 - k] = b[0];
        right[k] = b[k];
        for (int i = 0; i < k; i++)
            b[i] += x * (b[i + 1] - b[i]);
    }
}

/* Bound of the first root by the convex hulls of the cubic and of its first half, quarter and eighth. */
static double clear_part(const double b[4])
{
    double best = hull_crossing(b), part = 0.5, left[4], right[4];
    for (int i = 0; i < FIRST_PARTS && part > best; i++) {
        split(b, part, left, right);
        best = d_max(best, part * d_min(hull_crossing(left), 1.0));
        part *= 0.5;
    }
    return best;
}

double rg_bernstein_root(const double e[4])
{
    double x = 0.0, left[4], b[4];
    for (int clip = 0; clip < MAX_CLIPS; clip++) {
        split(e, x, left, b);
        if (!(b[0] > 0.0))
            return x;
        double r = clear_part(b);
        if (r > 1.0)
            return 1.0;
        x += (1.0 - x) * r;
        if (!(r >= CLIP_LEAST))
            return x;
    }
    return x;
}

/* ------------------------------------------------------------------ fixed */

RgPlane rg_plane_fixed(const RgPairMotion *m, bool in_b, RgVec3 n)
{
    const RgMovingShape *carrier = in_b ? &m->b : &m->a;
    RgPlane out = {.kind = RG_PLANE_FIXED, .in_b = in_b, .n = n, .vertex_a = -1, .vertex_b = -1};
    if (carrier->shape->type != RG_SHAPE_halfspace)
        out.offset = -lowest(carrier, v3_neg(n), &out.vertex_a);
    return out;
}

static RgClearance fixed_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *seen, double floor)
{
    RgPairAt at = plane->in_b ? rg_pair_at_swap(seen) : *seen;
    const RgMovingShape *of = plane->in_b ? &m->a : &m->b;
    RgVec3 direction = m3_apply_t(at.Q, plane->n), turn = m3_apply_t(at.Q, v3_cross(plane->n, at.w));
    RgVec3 x = rg_core_support(of->shape, v3_neg(direction), &plane->vertex_b);
    double height = v3_dot(plane->n, at.d) + v3_dot(direction, x) - plane->offset;
    return (RgClearance){height - m->a.rounding - m->b.rounding - floor,
                         -(v3_dot(plane->n, at.rate) + v3_dot(turn, x))};
}

/* Heights over a fixed plane on a piece: the Bernstein coefficients of a point x are value + direction.x. */
typedef struct Heights {
    const RgMovingShape *of;
    double value[4]; /* less radii, floor, and error bounds */
    RgVec3 direction[4];
    double quarter;                      /* l^4/384 */
    double turning[RG_PATH_DERIVATIVES]; /* bounds of Q'n */
    RgVec3 n[2], rate[2];                /* Q'n and its rate at both ends */
    double l;
} Heights;

/* Componentwise product. */
static RgVec3 times(RgVec3 a, RgVec3 b)
{
    return v3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/* The same cubic for shapes with an ellipsoid; false: the ellipsoid's extent along the normal is nearly zero. */
static bool round_heights(const Heights *h, int32_t *vertex, double e[4])
{
    RgVec3 E = h->of->round;
    double largest = v3_largest(E), size[2], square[4];
    RgJet jet[2];
    for (int i = 0; i < 2; i++) {
        RgVec3 axes = times(E, h->n[i]);
        size[i] = v3_norm(axes);
        jet[i] = (RgJet){v3_norm2(axes), 2.0 * v3_dot(axes, times(E, h->rate[i]))};
    }
    double k = 0.5 * (size[0] + size[1]);
    if (!(k > FLAT_SIDE * largest))
        return false;
    number_piece(jet[0], jet[1], h->l, square);
    double left = largest * largest * square_fourth_derivative(h->turning) * h->quarter;
    for (int i = 0; i < 4; i++) {
        double round = v3_norm(times(E, h->direction[i])) - h->of->rounding * v3_norm(h->direction[i]);
        double most = (square[i] + left + k * k) / (2.0 * k) - h->of->rounding;
        e[i] = h->value[i] + lowest(h->of, h->direction[i], vertex) + round - most;
    }
    return true;
}

static double least_of(const double e[4])
{
    return d_min(d_min(e[0], e[1]), d_min(e[2], e[3]));
}

static Heights fixed_heights(const RgPairMotion *m, const RgPlane *plane, const RgPairAt seen[2], double floor)
{
    const RgMovingShape *from = plane->in_b ? &m->b : &m->a, *of = plane->in_b ? &m->a : &m->b;
    double l = seen[1].s - seen[0].s, quarter = l * l * (l * l) / 384.0;
    Heights out = {.of = of, .l = l, .quarter = quarter};
    double left = rg_pair_derivative(m, from, of, of->reach, 4) * quarter;
    double off = plane->offset + m->a.rounding + m->b.rounding + left + m->round_off + floor;
    RgJet jet[2];
    for (int i = 0; i < 2; i++) {
        RgPairAt at = plane->in_b ? rg_pair_at_swap(&seen[i]) : seen[i];
        jet[i] = (RgJet){v3_dot(plane->n, at.d) - off, v3_dot(plane->n, at.rate)};
        out.n[i] = m3_apply_t(at.Q, plane->n);
        out.rate[i] = m3_apply_t(at.Q, v3_cross(plane->n, at.w));
    }
    number_piece(jet[0], jet[1], l, out.value);
    vector_piece(out.n, out.rate, l, out.direction);
    for (int k = 0; k < RG_PATH_DERIVATIVES && of->is_round; k++)
        out.turning[k] = rg_pair_turning(from, of, k);
    return out;
}

static RgPiece fixed_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt seen[2], double floor)
{
    Heights heights = fixed_heights(m, plane, seen, floor);
    RgPiece out = {.scale = 1.0};
    for (int i = 0; i < 4; i++)
        out.e[i] = heights.value[i] + lowest(heights.of, heights.direction[i], &plane->vertex_b);
    RgPiece other = out;
    if (heights.of->is_round && least_of(out.e) < 0.0 && round_heights(&heights, &plane->vertex_b, other.e) &&
        least_of(other.e) > least_of(out.e))
        return other;
    return out;
}

/* ------------------------------------------------------------------ all kinds */

RgClearance rg_plane_clearance(const RgPairMotion *m, RgPlane *plane, const RgPairAt *at, double floor)
{
    switch (plane->kind) {
    case RG_PLANE_EDGES:
        return rg_edges_clearance(m, plane, at, floor);
    case RG_PLANE_ROUND:
        return rg_round_clearance(m, plane, at, floor);
    default:
        return fixed_clearance(m, plane, at, floor);
    }
}

RgPiece rg_plane_piece(const RgPairMotion *m, RgPlane *plane, const RgPairAt at[2], double floor)
{
    switch (plane->kind) {
    case RG_PLANE_EDGES:
        return rg_edges_piece(m, plane, at, floor);
    case RG_PLANE_ROUND:
        return rg_round_piece(m, plane, at, floor);
    default:
        return fixed_piece(m, plane, at, floor);
    }
}
