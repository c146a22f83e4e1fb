/*
 * pair_box_capsule.c - a box of half lengths h against a segment p + t v, |t| <= b, grown by r.
 *
 * Separated. The vector from the box to the point x(t) of the segment is e_i = x_i - clamp(x_i, -h_i, h_i), and
 * |e(t)|^2 is convex with a continuous derivative, half of which,
 *
 *   g(t) = sum_i v_i e_i(t),
 *
 * is increasing and piecewise linear. Its at most six breakpoints are where a coordinate passes a face; evaluating g
 * there brackets its root, and g is linear between the last two. Where g is zero on a whole interval (the segment lies
 * along a face, or passes through the box) the midpoint is used.
 *
 * Overlapping (e = 0). The difference of the sets is a polytope whose faces are perpendicular to the box's axes or to a
 * box edge and the segment. The signed distance is the largest gap of six planes (separating axis theorem; Gottschalk,
 * Lin, Manocha 1996),
 *
 *   |p_i| - h_i - b |v_i|      |n . p| - h_j |n_j| - h_k |n_k|,  n = e_i x v / |e_i x v|
 *
 * and the nearest point of the polytope to the origin lies on that face, which gives the witness points. A face is
 * preferred if an edge is better by round-off only. Where e is so short that it may be round-off, the six planes decide
 * whether there is a gap, and the better normal is used.
 */
#include "collision/pair_box.h"

/* Fraction of the lengths below which e has lost half its digits. */
#define BOX_CAPSULE_SHORT 1e-8

typedef struct BoxSegment {
    double h[3], p[3], v[3], b;
    double rounding; /* m, of a coordinate of x(t) */
} BoxSegment;

/* A candidate plane and its witness: the core's signed distance, unit normal from box to segment, parameter on the
   segment, and the sides of the box that it touches. */
typedef struct Candidate {
    double gap, t;
    double n[3];
    int side[3];
} Candidate;

static double excess(const BoxSegment *s, int i, double t)
{
    double x = s->p[i] + t * s->v[i];
    return x - pair_clamp(x, -s->h[i], s->h[i]);
}

/* g(t). Where a coordinate passes a face its e is zero: remaining round-off must not dominate the other terms. */
static double slope_at(const BoxSegment *s, double t)
{
    double g = 0.0;
    for (int i = 0; i < 3; i++) {
        double e = excess(s, i, t);
        g += fabs(e) > s->rounding ? s->v[i] * e : 0.0;
    }
    return g;
}

/* t of the shortest e. */
static double nearest_t(const BoxSegment *s)
{
    double low = -s->b, high = s->b, g_low = slope_at(s, low), g_high = slope_at(s, high);
    if (g_low > 0.0 || !(high > low))
        return low;
    if (g_high < 0.0)
        return high;

    /* Narrow down to one linear piece; record the interval where g is zero. */
    double zero_low = g_low == 0.0 ? low : INFINITY, zero_high = g_high == 0.0 ? high : -INFINITY;
    if (g_low == 0.0)
        zero_high = d_max(zero_high, low);
    if (g_high == 0.0)
        zero_low = d_min(zero_low, high);
    for (int k = 0; k < 6; k++) {
        int i = k >> 1;
        double t = ((k & 1 ? s->h[i] : -s->h[i]) - s->p[i]) / s->v[i];
        if (!(t > low && t < high)) /* NaN if v_i = 0 */
            continue;
        double g = slope_at(s, t);
        if (g < 0.0) {
            low = t;
        } else if (g > 0.0) {
            high = t;
        } else {
            zero_low = d_min(zero_low, t);
            zero_high = d_max(zero_high, t);
        }
    }
    if (zero_low <= zero_high)
        return 0.5 * (zero_low + zero_high);

    double middle = 0.5 * (low + high), sum = 0.0, square = 0.0;
    for (int i = 0; i < 3; i++) {
        double e = excess(s, i, middle);
        if (e != 0.0) {
            sum += s->v[i] * (s->p[i] - copysign(s->h[i], e));
            square += s->v[i] * s->v[i];
        }
    }
    return square > 0.0 ? pair_clamp(-sum / square, low, high) : middle;
}

static double plane_gap(const BoxSegment *s, const double n[3])
{
    double along_p = 0.0, along_v = 0.0, reach = 0.0;
    for (int i = 0; i < 3; i++) {
        along_p += n[i] * s->p[i];
        along_v += n[i] * s->v[i];
        reach += fabs(n[i]) * s->h[i];
    }
    return along_p - reach - s->b * fabs(along_v);
}

/* n projected perpendicular to v, twice: the first projection leaves round-off of the original n. */
static RgVec3 project_across(RgVec3 n, const double v[3])
{
    RgVec3 u = v3(v[0], v[1], v[2]);
    n = v3_axpy(-v3_dot(n, u), u, n);
    return v3_axpy(-v3_dot(n, u), u, n);
}

/* The plane parallel to the segment and to the box edges along axis i, and the edge and the point it touches. Returns
   false if they are parallel, or if it touches beyond their ends. */
static bool edge_candidate(const BoxSegment *s, int i, Candidate *m)
{
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double v_j = s->v[j], v_k = s->v[k], square = v_j * v_j + v_k * v_k, across = sqrt(square);
    if (!(square > 0.0))
        return false;
    double sign = v_j * s->p[k] - v_k * s->p[j] >= 0.0 ? 1.0 : -1.0;
    *m = (Candidate){0};
    m->n[j] = -sign * v_k / across;
    m->n[k] = sign * v_j / across;
    m->side[j] = m->n[j] >= 0.0 ? 1 : -1;
    m->side[k] = m->n[k] >= 0.0 ? 1 : -1;
    double from_j = s->p[j] - m->side[j] * s->h[j], from_k = s->p[k] - m->side[k] * s->h[k];
    m->gap = m->n[j] * from_j + m->n[k] * from_k;
    m->t = -(v_j * from_j + v_k * from_k) / square;

    /* t has an error of rounding / across. It is moved by at most that to where both are touched, which moves the point
       by round-off. */
    double t = pair_clamp(m->t, -s->b, s->b), place = s->p[i] + t * s->v[i];
    if (fabs(place) > s->h[i] && s->v[i] != 0.0)
        t = pair_clamp(t + (copysign(s->h[i], place) - place) / s->v[i], -s->b, s->b);
    place = s->p[i] + t * s->v[i];
    bool touches = fabs(t - m->t) * across <= 4.0 * s->rounding && fabs(place) <= s->h[i] + s->rounding;
    m->t = t;
    return touches;
}

/* Candidate of separated cores, at the parameter t of the shortest e; gap 0 if e is zero. Inside the segment the normal
   is perpendicular to it, which e is only up to round-off; at an edge of the box it is perpendicular to that too. Edges
   are also tried before a face to which the segment is not parallel, which it can only touch at its rim. */
static Candidate separated_candidate(const BoxSegment *s, double t)
{
    Candidate m = {.t = t}, other;
    double e[3];
    int beyond = 0, last = 0;
    for (int i = 0; i < 3; i++) {
        e[i] = excess(s, i, t);
        m.side[i] = (e[i] > 0.0) - (e[i] < 0.0);
        beyond += m.side[i] != 0;
        last = m.side[i] != 0 ? i : last;
    }
    RgVec3 way = v3(e[0], e[1], e[2]), n;
    bool inside = fabs(t) < s->b;
    if (inside && beyond == 3)
        way = project_across(way, s->v);
    m.gap = v3_unit(way, v3_zero(), &n);
    m.n[0] = n.x;
    m.n[1] = n.y;
    m.n[2] = n.z;
    if (!inside || beyond == 0 || beyond == 3 || (beyond == 1 && s->v[last] == 0.0))
        return m;
    const int side[3] = {m.side[0], m.side[1], m.side[2]};
    for (int i = 0; i < 3; i++)
        if (side[i] == 0 && edge_candidate(s, i, &other) && other.gap >= plane_gap(s, m.n))
            m = other;
    return m;
}

/* Parameter of the deepest point of the segment below face i over that face: an end, or the midpoint of all that
   are. */
static double deepest_t(const BoxSegment *s, int i, double n_i)
{
    double low = -s->b, high = s->b;
    for (int k = 1; k < 3; k++) {
        int j = (i + k) % 3;
        if (s->v[j] == 0.0)
            continue;
        double t = (-s->h[j] - s->p[j]) / s->v[j], u = (s->h[j] - s->p[j]) / s->v[j];
        low = d_max(low, d_min(t, u));
        high = d_min(high, d_max(t, u));
    }
    if (s->v[i] == 0.0 || low > high)
        return pair_clamp(0.5 * (low + high), -s->b, s->b);
    return n_i * s->v[i] > 0.0 ? low : high;
}

/* The plane with the largest gap that touches both. rounding: by how much an edge must be better. *most: the largest
   gap of all six planes, positive if the cores are separated. */
static Candidate overlap_candidate(const BoxSegment *s, double rounding, double *most)
{
    Candidate best = {.gap = -INFINITY};
    int axis = 0;
    for (int i = 0; i < 3; i++) {
        double gap = fabs(s->p[i]) - s->h[i] - s->b * fabs(s->v[i]);
        if (gap > best.gap) {
            best.gap = gap;
            axis = i;
        }
    }
    best.side[axis] = s->p[axis] >= 0.0 ? 1 : -1;
    best.n[axis] = best.side[axis];

    best.t = deepest_t(s, axis, best.n[axis]);

    double threshold = best.gap + rounding;
    *most = best.gap;
    for (int i = 0; i < 3; i++) {
        Candidate other = {.gap = -INFINITY};
        bool touches = edge_candidate(s, i, &other);
        *most = d_max(*most, other.gap);
        if (touches && other.gap > threshold) {
            best = other;
            threshold = other.gap;
        }
    }
    return best;
}

/* Sets components to zero that are within round-off: the direction is then exactly along a face or an edge. */
static double flush_round_off(double v)
{
    return fabs(v) > 4.0 * DBL_EPSILON ? v : 0.0;
}

RgStatus rg_pair_box_capsule(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    const double *size = pair->a->size;
    RgVec3 p = pair->X_AB.p, v = m3_column(pair->X_AB.R, 2);
    BoxSegment s = {.h = {0.5 * size[0], 0.5 * size[1], 0.5 * size[2]},
                    .p = {p.x, p.y, p.z},
                    .v = {flush_round_off(v.x), flush_round_off(v.y), flush_round_off(v.z)},
                    .b = 0.5 * pair->b->size[1]};
    double r = pair->b->size[0], extents = s.h[0] + s.h[1] + s.h[2] + s.b;
    s.rounding = 2.0 * DBL_EPSILON * (d_max(fabs(p.x), d_max(fabs(p.y), fabs(p.z))) + s.b);

    Candidate m = separated_candidate(&s, nearest_t(&s));
    double apart = m.gap;
    if (apart <= BOX_CAPSULE_SHORT * extents) {
        double rounding = DBL_EPSILON * extents, most;
        Candidate other = overlap_candidate(&s, rounding, &most);
        bool overlap = apart <= 0.0 || most < -rounding;
        if (overlap || other.gap > plane_gap(&s, m.n)) {
            apart = overlap ? other.gap : apart;
            m = other;
        }
    }

    double a[3];
    for (int i = 0; i < 3; i++)
        a[i] = pair_clamp(s.p[i] + m.t * s.v[i] - apart * m.n[i], -s.h[i], s.h[i]);
    out->distance = apart - r;
    out->error = pair_rounding(pair, extents + r);
    out->normal = v3(m.n[0], m.n[1], m.n[2]);
    out->point_a = v3(a[0], a[1], a[2]);
    out->point_b = v3_axpy(out->distance, out->normal, out->point_a);
    out->feature_a = pair_box_feature(m.side);
    out->feature_b = fabs(m.t) < s.b ? pair_feature(RG_FEATURE_EDGE, 0)
                                     : pair_feature(RG_FEATURE_VERTEX, m.t >= 0.0 && s.b > 0.0 ? 1 : 0);
    out->iterations = 0;
    return RG_OK;
}
