/*
 * pair_capsule_capsule.c - two segments, grown by r_A and r_B.
 *
 * A's segment is z e_z, |z| <= a; B's is p + t v, |t| <= b, v unit. The squared length of
 *
 *   w(z, t) = p + t v - z e_z
 *
 * is convex, so its minimum over the rectangle is found by clamping (Ericson 2005, 5.1.9): t of the two lines, z of
 * that t, and if z had to be clamped, t once more. Only the part of v perpendicular to e_z matters for the lines,
 *
 *   t = -(p . v)_xy / |v_xy|^2      distance of the lines  D = (p . c)      c = e_z x v / |v_xy|
 *
 * Since A's axis is a coordinate axis, c is accurate however nearly parallel the segments are: an error dt of t changes
 * the distance by |v_xy| dt, which is round-off of p.
 *
 * Normal: along c if both nearest points are inside their segments; else along w, made perpendicular to a segment whose
 * nearest point is inside it. For intersecting segments c, for parallel ones on the same line +x of A. If w is short
 * its direction is mostly round-off, and the better of w and c is used, by the gap of each plane:
 *
 *   g(n) = n . p - a |n_z| - b |n . v|
 */
#include "collision/pair_answer.h"

/* Fraction of the lengths below which w has lost half its digits. */
#define CAPSULE_SHORT 1e-8

typedef struct Segments {
    RgVec3 p, v;
    double a, b;
    RgVec3 c; /* unit, perpendicular to both */
} Segments;

/* Gap of the segments along the unit normal n. */
static double plane_gap(const Segments *s, RgVec3 n)
{
    return v3_dot(n, s->p) - s->a * fabs(n.z) - s->b * fabs(v3_dot(n, s->v));
}

/* c, on the side of B. */
static RgVec3 across_towards(const Segments *s)
{
    return v3_dot(s->c, s->p) >= 0.0 ? s->c : v3_neg(s->c);
}

/* Parameters z and t of the shortest w. */
static void nearest(const Segments *s, double *z, double *t)
{
    RgVec3 p = s->p, v = s->v;
    double square = v.x * v.x + v.y * v.y;
    *t = square > 0.0 ? pair_clamp(-(p.x * v.x + p.y * v.y) / square, -s->b, s->b) : 0.0;
    *z = p.z + *t * v.z;
    if (fabs(*z) > s->a) {
        *z = pair_clamp(*z, -s->a, s->a);
        *t = pair_clamp(*z * v.z - v3_dot(p, v), -s->b, s->b);
    }
}

/* Returns the distance of the segments, and their unit normal from A to B. */
static double segment_distance(const Segments *s, double z, double t, RgVec3 *n)
{
    bool inside_A = fabs(z) < s->a, inside_B = fabs(t) < s->b;
    if (inside_A && inside_B && (s->v.x != 0.0 || s->v.y != 0.0)) {
        *n = across_towards(s);
        return v3_dot(*n, s->p);
    }

    /* Makes w perpendicular to a segment whose nearest point is inside it, twice: the first projection leaves round-off
       of p. */
    RgVec3 w = v3_axpy(t, s->v, s->p);
    w.z = inside_A ? 0.0 : w.z - z;
    for (int i = 0; i < 2 && inside_B && !inside_A; i++)
        w = v3_axpy(-v3_dot(w, s->v), s->v, w);

    double length = v3_unit(w, across_towards(s), n);
    if (length < CAPSULE_SHORT * (s->a + s->b)) {
        RgVec3 other = across_towards(s);
        if (plane_gap(s, other) > plane_gap(s, *n))
            *n = other;
    }
    return length;
}

static RgFeature feature_at(double place, double half)
{
    if (fabs(place) < half)
        return pair_feature(RG_FEATURE_EDGE, 0);
    return pair_feature(RG_FEATURE_VERTEX, place >= 0.0 && half > 0.0 ? 1 : 0);
}

RgStatus rg_pair_capsule_capsule(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    double r_A = pair->a->size[0], r_B = pair->b->size[0];
    Segments s = {
        .p = pair->X_AB.p, .v = m3_column(pair->X_AB.R, 2), .a = 0.5 * pair->a->size[1], .b = 0.5 * pair->b->size[1]};
    v3_unit(v3(-s.v.y, s.v.x, 0.0), v3(1.0, 0.0, 0.0), &s.c);

    double z, t;
    RgVec3 n;
    nearest(&s, &z, &t);
    double apart = segment_distance(&s, z, t, &n);
    out->distance = apart - (r_A + r_B);
    out->error = pair_rounding(pair, r_A + r_B + s.a + s.b);
    out->normal = n;
    out->point_a = v3_axpy(r_A, n, v3(0.0, 0.0, z));
    out->point_b = v3_axpy(out->distance, n, out->point_a);
    out->feature_a = feature_at(z, s.a);
    out->feature_b = feature_at(t, s.b);
    out->iterations = 0;
    return RG_OK;
}
