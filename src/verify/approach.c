/*
 * approach.c - the speed at which two pieces meet.
 *
 * With n the normal between the nearest points, from A to B, the gap at a point x changes at the rate
 *
 *   n . (v + w x x)      (v, w): motion of B against A as a field
 *
 * which is linear in x. Points that nearly touch lie over both the part of A and the part of B that is within the gap
 * of the other: two convex polygons in the plane across n, whose corners are corners of the pieces. So the largest
 * speed is found at a corner of their intersection (Sutherland, Hodgman 1974: one polygon is cut by each edge of the
 * other).
 *
 *          B   ._______.
 *              |       |        A: corners of its face, B: of its own; the intersection has corners of both,
 *        A  .__|____.  |        and crossings of their edges
 *           |  |____|__|
 *           |_______|
 *
 * Where the shapes are tilted against each other by about the gap over their size, the part of a face within the gap
 * ends in its middle, and the corners beyond are not among those of its polygon. So two more kinds of points are looked
 * at, each by its own distance: corners of hulls over any part of the other piece, and crossings of two edges, whose
 * heights are linear along them (an edge that comes within the gap has an end that does: it is nearest at an end).
 *
 * Cylinders give the points of both rims that are farthest along n, or RIM points of a rim that stands flat;
 * ellipsoids one point. Where the intersection is empty by round-off the nearest support of B stands for it.
 */
#include "verify/approach.h"

enum { RIM = 16, MOST = 128 };

/* Sine of the angle at which a disc stands flat; and slack of heights and cuts, as a part of the size: ends of an edge
   across n differ by round-off of n. */
#define FLAT 1e-6
#define SLACK 1e-9

typedef struct Flat {
    double x, y;
} Flat;

typedef struct Polygon {
    Flat at[MOST];
    int count;
} Polygon;

RgTwistField rg_twist_field(RgVec3 centre, RgVec3 velocity, RgVec3 w)
{
    return (RgTwistField){v3_sub(velocity, v3_cross(w, centre)), w};
}

RgTwistField rg_twist_field_between(RgTwistField a, RgTwistField b)
{
    return (RgTwistField){v3_sub(b.v, a.v), v3_sub(b.w, a.w)};
}

RgVec3 rg_twist_field_at(const RgTwistField *field, RgVec3 x)
{
    return v3_add(field->v, v3_cross(field->w, x));
}

/* ------------------------------------------------------------------ parts of pieces within the gap */

/* The plane across n: axes, and the points there. */
typedef struct Across {
    RgVec3 n, ex, ey;
} Across;

static void add(const Across *across, RgVec3 x, Polygon *out)
{
    if (out->count < MOST)
        out->at[out->count++] = (Flat){v3_dot(across->ex, x), v3_dot(across->ey, x)};
}

/* Points of the rim of a disc, farthest along d (body axes); all of it where it stands flat. */
static void add_rim(const Across *across, const RgPlacedPiece *p, RgVec3 centre, RgVec3 d, Polygon *out)
{
    RgVec3 side = v3_axpy(-v3_dot(p->piece->axis, d), p->piece->axis, d);
    double length = v3_norm(side);
    if (length > FLAT) {
        RgVec3 x = v3_axpy(p->piece->disc / length, side, centre);
        add(across, v3_add(p->p, m3_apply(p->R, x)), out);
        return;
    }
    RgVec3 u = v3_across(p->piece->axis), v = v3_cross(p->piece->axis, u);
    for (int k = 0; k < RIM; k++) {
        double angle = 2.0 * RG_PI * k / RIM, s, c;
        rg_sincos(angle, &s, &c);
        RgVec3 x = v3_axpy(p->piece->disc * c, u, v3_axpy(p->piece->disc * s, v, centre));
        add(across, v3_add(p->p, m3_apply(p->R, x)), out);
    }
}

/* Points of a piece that are no more than `within` behind its farthest along d, |d| = 1 (world axes). */
static void find_near(const Across *across, const RgPlacedPiece *p, RgVec3 d, double within, Polygon *out)
{
    const RgPiece *piece = p->piece;
    RgVec3 local = m3_apply_t(p->R, d);
    RgVec3 farthest = rg_piece_support(piece, local);
    double top = v3_dot(local, farthest);
    if (piece->kind == RG_PIECE_ELLIPSOID) {
        add(across, v3_add(p->p, m3_apply(p->R, farthest)), out);
        return;
    }
    for (int32_t i = 0; i < piece->ncorners; i++) {
        RgVec3 x = piece->corner[i];
        double rise = 0.0;
        if (piece->kind == RG_PIECE_ROUND) {
            RgVec3 side = v3_axpy(-v3_dot(piece->axis, local), piece->axis, local);
            rise = piece->disc * v3_norm(side);
        }
        if (v3_dot(local, x) + rise < top - within)
            continue;
        if (piece->kind == RG_PIECE_ROUND)
            add_rim(across, p, x, local, out);
        else
            add(across, v3_add(p->p, m3_apply(p->R, x)), out);
    }
}

/* ------------------------------------------------------------------ polygons */

static double turn(Flat a, Flat b, Flat c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool before(Flat a, Flat b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

/* The convex hull, counter-clockwise (Andrew 1979): points in order, the lower chain, then the upper. */
static void make_hull(Polygon *p)
{
    if (p->count < 2)
        return;
    for (int i = 1; i < p->count; i++) {
        Flat moved = p->at[i];
        int j = i;
        for (; j > 0 && before(moved, p->at[j - 1]); j--)
            p->at[j] = p->at[j - 1];
        p->at[j] = moved;
    }
    Flat hull[2 * MOST];
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        int first = n;
        for (int k = 0; k < p->count; k++) {
            Flat next = p->at[pass == 0 ? k : p->count - 1 - k];
            while (n >= first + 2 && turn(hull[n - 2], hull[n - 1], next) <= 0.0)
                n--;
            hull[n++] = next;
        }
        n--; /* the last of a chain begins the other */
    }
    bool same = n == 2 && hull[0].x == hull[1].x && hull[0].y == hull[1].y;
    p->count = same ? 1 : n < MOST ? n : MOST;
    for (int i = 0; i < p->count; i++)
        p->at[i] = hull[i];
}

/* What of p lies on the side of m from q on, m of any length. */
static void cut(Polygon *p, Flat q, Flat m, double slack)
{
    Polygon out = {.count = 0};
    double length = sqrt(m.x * m.x + m.y * m.y);
    if (!(length > 0.0))
        return;
    for (int i = 0; i < p->count; i++) {
        Flat a = p->at[i], b = p->at[(i + 1) % p->count];
        double ha = ((a.x - q.x) * m.x + (a.y - q.y) * m.y) / length + slack;
        double hb = ((b.x - q.x) * m.x + (b.y - q.y) * m.y) / length + slack;
        if (ha >= 0.0 && out.count < MOST)
            out.at[out.count++] = a;
        if ((ha < 0.0) != (hb < 0.0) && out.count < MOST) {
            double s = ha / (ha - hb);
            out.at[out.count++] = (Flat){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)};
        }
    }
    *p = out;
}

/* p becomes what it has in common with q. */
static void intersect(Polygon *p, const Polygon *q, double slack)
{
    if (q->count == 1) {
        *p = *q;
        return;
    }
    for (int i = 0; i < q->count && p->count > 1; i++) {
        Flat a = q->at[i], b = q->at[(i + 1) % q->count];
        cut(p, a, (Flat){a.y - b.y, b.x - a.x}, slack);
    }
    if (q->count == 2 && p->count > 1) {
        Flat a = q->at[0], b = q->at[1];
        cut(p, a, (Flat){b.x - a.x, b.y - a.y}, slack);
        cut(p, b, (Flat){a.x - b.x, a.y - b.y}, slack);
    }
}

/* ------------------------------------------------------------------ points of tilted faces */

/* An edge of which a part is near: its ends, and how far they are behind the plane of the nearest point. */
typedef struct Rib {
    RgVec3 x[2];
    double depth[2];
} Rib;

static int find_ribs(const RgPlacedPiece *p, RgVec3 d, double within, Rib *out)
{
    const RgPiece *piece = p->piece;
    RgVec3 local = m3_apply_t(p->R, d);
    double top = v3_dot(local, rg_piece_support(piece, local));
    int count = 0;
    for (int32_t i = 0; i < piece->nedges && count < MOST; i++) {
        Rib *rib = &out[count];
        for (int k = 0; k < 2; k++) {
            RgVec3 corner = piece->corner[piece->edge[2 * i + k]];
            rib->depth[k] = top - v3_dot(local, corner);
            rib->x[k] = v3_add(p->p, m3_apply(p->R, corner));
        }
        count += fmin(rib->depth[0], rib->depth[1]) <= within;
    }
    return count;
}

/* Points are offered, and the fastest is kept. The height along n does not matter for the rate: w x n has no part along
   n. */
static void offer(const RgTwistField *field, RgVec3 x, RgApproach *out)
{
    double closing = -v3_dot(out->normal, rg_twist_field_at(field, x));
    if (closing > out->closing) {
        out->closing = closing;
        out->point = x;
    }
}

/* Where two edges cross, seen along n, no more than `within` farther apart than the nearest points. */
static void offer_crossing(const Rib *a, const Rib *b, double within, const RgTwistField *field, RgApproach *out)
{
    RgVec3 along_a = v3_sub(a->x[1], a->x[0]), along_b = v3_sub(b->x[1], b->x[0]);
    RgVec3 apart = v3_sub(b->x[0], a->x[0]);
    double area = v3_dot(out->normal, v3_cross(along_a, along_b));
    if (!(fabs(area) > FLAT * v3_norm(along_a) * v3_norm(along_b)))
        return;
    double s = v3_dot(out->normal, v3_cross(apart, along_b)) / area;
    double t = v3_dot(out->normal, v3_cross(apart, along_a)) / area;
    if (!(s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0))
        return;
    double depth = a->depth[0] + s * (a->depth[1] - a->depth[0]) + b->depth[0] + t * (b->depth[1] - b->depth[0]);
    if (depth <= within)
        offer(field, v3_axpy(s, along_a, a->x[0]), out);
}

static void offer_crossings(const RgPlacedPiece *a, const RgPlacedPiece *b, double within, const RgTwistField *field,
                            RgApproach *out)
{
    Rib of_a[MOST], of_b[MOST];
    int na = find_ribs(a, out->normal, within, of_a), nb = find_ribs(b, v3_neg(out->normal), within, of_b);
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++)
            offer_crossing(&of_a[i], &of_b[k], within, field, out);
}

/* Corners of p, which faces along d, that are within the gap of the other piece. */
static void offer_corners(const RgPlacedPiece *p, RgVec3 d, const RgPlacedPiece *other, double gap,
                          const RgTwistField *field, RgApproach *out)
{
    const RgPiece *piece = p->piece;
    RgVec3 local = m3_apply_t(p->R, d), origin = v3_zero();
    double most = v3_dot(local, rg_piece_support(piece, local)) - fmax(gap - out->distance, 0.0);
    RgPiece point = {.kind = RG_PIECE_HULL, .ncorners = 1, .corner = &origin, .radius = piece->radius};
    for (int32_t i = 0; i < piece->ncorners; i++) {
        if (v3_dot(local, piece->corner[i]) < most)
            continue;
        RgPlacedPiece at = {&point, m3_identity(), v3_add(p->p, m3_apply(p->R, piece->corner[i]))};
        if (rg_separation(&at, other).distance <= gap)
            offer(field, at.p, out);
    }
}

/* ------------------------------------------------------------------ the answer */

RgApproach rg_approach(const RgPlacedPiece *a, const RgPlacedPiece *b, double gap, const RgTwistField *field)
{
    RgSeparation at = rg_separation(a, b);
    RgApproach out = {.distance = at.distance, .closing = -(double)INFINITY, .normal = at.normal};
    if (!(at.distance <= gap))
        return out;
    bool half_a = a->piece->kind == RG_PIECE_HALFSPACE, half_b = b->piece->kind == RG_PIECE_HALFSPACE;
    Across across = {at.normal, v3_across(at.normal), v3_zero()};
    across.ey = v3_cross(at.normal, across.ex);
    double size = fmin(a->piece->reach, b->piece->reach);
    double within = fmax(gap - at.distance, 0.0) + SLACK * size;
    Polygon pa = {.count = 0}, pb = {.count = 0};
    if (!half_a)
        find_near(&across, a, at.normal, within, &pa);
    if (!half_b)
        find_near(&across, b, v3_neg(at.normal), within, &pb);
    make_hull(&pa);
    make_hull(&pb);
    Polygon both = half_a ? pb : pa;
    if (!half_a && !half_b) {
        intersect(&both, &pb, within);
        both = both.count > 0 ? both : pb;
    }
    for (int i = 0; i < both.count; i++)
        offer(field, v3_axpy(both.at[i].x, across.ex, v3_scale(both.at[i].y, across.ey)), &out);
    if (half_a || half_b)
        return out;
    if (a->piece->kind == RG_PIECE_HULL)
        offer_corners(a, at.normal, b, gap, field, &out);
    if (b->piece->kind == RG_PIECE_HULL)
        offer_corners(b, v3_neg(at.normal), a, gap, field, &out);
    offer_crossings(a, b, within, field, &out);
    return out;
}
