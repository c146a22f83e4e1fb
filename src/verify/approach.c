/*
 * approach.c - closing speed of two pieces that nearly touch.
 *
 * With n the normal between the nearest points, from A to B, the gap at a point x changes at the rate
 *
 *   n . (v + w x x)      (v, w): motion of B against A as a field
 *
 * which is linear in x. The points that nearly touch are, projected along n, in the intersection of two convex
 * polygons: the part of A and the part of B within the gap. Their corners are corners of the pieces, and the largest
 * speed is at a corner of their intersection (polygon clipping: Sutherland, Hodgman 1974).
 *
 *          B   ._______.
 *              |       |        A: corners of its face, B: of its own; the intersection has corners of both,
 *        A  .__|____.  |        and crossings of their edges
 *           |  |____|__|
 *           |_______|
 *
 * If the shapes are tilted against each other by about the gap over their size, only part of a face is within the gap,
 * and its other corners are missing from the polygon. So two more kinds of points are tested, each by its own distance:
 * corners of hulls over any part of the other piece, and crossings of two edges, whose heights are linear along them
 * (an edge with a point within the gap has an end within the gap).
 *
 * Of cylinders the points of both rims that are farthest along n count, or RIM_POINTS points of a rim perpendicular to
 * n; of ellipsoids one point. If the intersection is empty by round-off the polygon of B is used.
 */
#include "verify/approach.h"

enum {
    RIM_POINTS = 16,  /* points of a rim perpendicular to n */
    MAX_CORNERS = 128 /* limit of corners of a polygon, and of edges; further ones are ignored */
};

/* Sine of the angle below which a disc counts as perpendicular to n, and edges as parallel. */
#define FLAT 1e-6
/* Tolerance of heights, as a part of the size: the ends of an edge perpendicular to n differ by round-off of n. */
#define SLACK 1e-9

typedef struct Point2 {
    double x, y;
} Point2;

typedef struct Polygon {
    Point2 at[MAX_CORNERS];
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

/* The plane perpendicular to n, with two axes. */
typedef struct ProjectionPlane {
    RgVec3 n, ex, ey;
} ProjectionPlane;

static void add_projected(const ProjectionPlane *across, RgVec3 x, Polygon *out)
{
    if (out->count < MAX_CORNERS)
        out->at[out->count++] = (Point2){v3_dot(across->ex, x), v3_dot(across->ey, x)};
}

/* Adds the point of the rim of a disc that is farthest along d (body axes), or the whole rim if it is perpendicular to
   d. */
static void add_rim(const ProjectionPlane *across, const RgPlacedPiece *p, RgVec3 centre, RgVec3 d, Polygon *out)
{
    RgVec3 side = v3_axpy(-v3_dot(p->piece->axis, d), p->piece->axis, d);
    double length = v3_norm(side);
    if (length > FLAT) {
        RgVec3 x = v3_axpy(p->piece->disc / length, side, centre);
        add_projected(across, v3_add(p->p, m3_apply(p->R, x)), out);
        return;
    }
    RgVec3 u = v3_orthogonal(p->piece->axis), v = v3_cross(p->piece->axis, u);
    for (int k = 0; k < RIM_POINTS; k++) {
        double angle = 2.0 * RG_PI * k / RIM_POINTS, s, c;
        rg_sincos(angle, &s, &c);
        RgVec3 x = v3_axpy(p->piece->disc * c, u, v3_axpy(p->piece->disc * s, v, centre));
        add_projected(across, v3_add(p->p, m3_apply(p->R, x)), out);
    }
}

/* Adds the points of a piece that are at most `within` (m) behind its farthest point along d, |d| = 1 (world axes). */
static void add_near_points(const ProjectionPlane *across, const RgPlacedPiece *p, RgVec3 d, double within,
                            Polygon *out)
{
    const RgPiece *piece = p->piece;
    RgVec3 local = m3_apply_t(p->R, d);
    RgVec3 farthest = rg_piece_support(piece, local);
    double top = v3_dot(local, farthest);
    if (piece->kind == RG_PIECE_ELLIPSOID) {
        add_projected(across, v3_add(p->p, m3_apply(p->R, farthest)), out);
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
            add_projected(across, v3_add(p->p, m3_apply(p->R, x)), out);
    }
}

/* ------------------------------------------------------------------ polygons */

static double turn_direction(Point2 a, Point2 b, Point2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool comes_before(Point2 a, Point2 b)
{
    return a.x < b.x || (a.x == b.x && a.y < b.y);
}

/* Convex hull, counter-clockwise (Andrew 1979): points sorted, then the lower chain, then the upper chain. */
static void make_hull(Polygon *p)
{
    if (p->count < 2)
        return;
    for (int i = 1; i < p->count; i++) {
        Point2 moved = p->at[i];
        int j = i;
        for (; j > 0 && comes_before(moved, p->at[j - 1]); j--)
            p->at[j] = p->at[j - 1];
        p->at[j] = moved;
    }
    Point2 hull[2 * MAX_CORNERS];
    int n = 0;
    for (int pass = 0; pass < 2; pass++) {
        int first = n;
        for (int k = 0; k < p->count; k++) {
            Point2 next = p->at[pass == 0 ? k : p->count - 1 - k];
            while (n >= first + 2 && turn_direction(hull[n - 2], hull[n - 1], next) <= 0.0)
                n--;
            hull[n++] = next;
        }
        n--; /* the last point of a chain is the first of the other */
    }
    bool same = n == 2 && hull[0].x == hull[1].x && hull[0].y == hull[1].y;
    p->count = same ? 1 : n < MAX_CORNERS ? n : MAX_CORNERS;
    for (int i = 0; i < p->count; i++)
        p->at[i] = hull[i];
}

/* Clips p to the half-plane of the points x with (x - q) . m >= 0, up to slack; m of any length. */
static void clip(Polygon *p, Point2 q, Point2 m, double slack)
{
    Polygon out = {.count = 0};
    double length = sqrt(m.x * m.x + m.y * m.y);
    if (!(length > 0.0))
        return;
    for (int i = 0; i < p->count; i++) {
        Point2 a = p->at[i], b = p->at[(i + 1) % p->count];
        double ha = ((a.x - q.x) * m.x + (a.y - q.y) * m.y) / length + slack;
        double hb = ((b.x - q.x) * m.x + (b.y - q.y) * m.y) / length + slack;
        if (ha >= 0.0 && out.count < MAX_CORNERS)
            out.at[out.count++] = a;
        if ((ha < 0.0) != (hb < 0.0) && out.count < MAX_CORNERS) {
            double s = ha / (ha - hb);
            out.at[out.count++] = (Point2){a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)};
        }
    }
    *p = out;
}

/* p becomes its intersection with q. */
static void intersect(Polygon *p, const Polygon *q, double slack)
{
    if (q->count == 1) {
        *p = *q;
        return;
    }
    for (int i = 0; i < q->count && p->count > 1; i++) {
        Point2 a = q->at[i], b = q->at[(i + 1) % q->count];
        clip(p, a, (Point2){a.y - b.y, b.x - a.x}, slack);
    }
    if (q->count == 2 && p->count > 1) {
        Point2 a = q->at[0], b = q->at[1];
        clip(p, a, (Point2){b.x - a.x, b.y - a.y}, slack);
        clip(p, b, (Point2){a.x - b.x, a.y - b.y}, slack);
    }
}

/* ------------------------------------------------------------------ points of tilted faces */

/* An edge that is partly near: its ends, and their distances behind the farthest point, m. */
typedef struct NearEdge {
    RgVec3 x[2];
    double depth[2];
} NearEdge;

static int find_near_edges(const RgPlacedPiece *p, RgVec3 d, double within, NearEdge *out)
{
    const RgPiece *piece = p->piece;
    RgVec3 local = m3_apply_t(p->R, d);
    double top = v3_dot(local, rg_piece_support(piece, local));
    int count = 0;
    for (int32_t i = 0; i < piece->nedges && count < MAX_CORNERS; i++) {
        NearEdge *rib = &out[count];
        for (int k = 0; k < 2; k++) {
            RgVec3 corner = piece->corner[piece->edge[2 * i + k]];
            rib->depth[k] = top - v3_dot(local, corner);
            rib->x[k] = v3_add(p->p, m3_apply(p->R, corner));
        }
        count += fmin(rib->depth[0], rib->depth[1]) <= within;
    }
    return count;
}

/* Keeps the point if it closes fastest. Its height along n does not matter: n . (w x n) = 0. */
static void test_point(const RgTwistField *field, RgVec3 x, RgApproach *out)
{
    double closing = -v3_dot(out->normal, rg_twist_field_at(field, x));
    if (closing > out->closing) {
        out->closing = closing;
        out->point = x;
    }
}

/* Tests the crossing of two edges, projected along n, if their distance there exceeds the least one by at most
   `within`. */
static void test_crossing(const NearEdge *a, const NearEdge *b, double within, const RgTwistField *field,
                          RgApproach *out)
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
        test_point(field, v3_axpy(s, along_a, a->x[0]), out);
}

static void test_crossings(const RgPlacedPiece *a, const RgPlacedPiece *b, double within, const RgTwistField *field,
                           RgApproach *out)
{
    NearEdge of_a[MAX_CORNERS], of_b[MAX_CORNERS];
    int na = find_near_edges(a, out->normal, within, of_a), nb = find_near_edges(b, v3_neg(out->normal), within, of_b);
    for (int i = 0; i < na; i++)
        for (int k = 0; k < nb; k++)
            test_crossing(&of_a[i], &of_b[k], within, field, out);
}

/* Tests the corners of p within the gap of the other piece. d: direction from p to the other piece. */
static void test_corners(const RgPlacedPiece *p, RgVec3 d, const RgPlacedPiece *other, double gap,
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
            test_point(field, at.p, out);
    }
}

/* ------------------------------------------------------------------ public */

RgApproach rg_approach(const RgPlacedPiece *a, const RgPlacedPiece *b, double gap, const RgTwistField *field)
{
    RgSeparation at = rg_separation(a, b);
    RgApproach out = {.distance = at.distance, .closing = -(double)INFINITY, .normal = at.normal};
    if (!(at.distance <= gap))
        return out;
    bool half_a = a->piece->kind == RG_PIECE_HALFSPACE, half_b = b->piece->kind == RG_PIECE_HALFSPACE;
    ProjectionPlane across = {at.normal, v3_orthogonal(at.normal), v3_zero()};
    across.ey = v3_cross(at.normal, across.ex);
    double size = fmin(a->piece->reach, b->piece->reach);
    double within = fmax(gap - at.distance, 0.0) + SLACK * size;
    Polygon pa = {.count = 0}, pb = {.count = 0};
    if (!half_a)
        add_near_points(&across, a, at.normal, within, &pa);
    if (!half_b)
        add_near_points(&across, b, v3_neg(at.normal), within, &pb);
    make_hull(&pa);
    make_hull(&pb);
    Polygon both = half_a ? pb : pa;
    if (!half_a && !half_b) {
        intersect(&both, &pb, within);
        both = both.count > 0 ? both : pb;
    }
    for (int i = 0; i < both.count; i++)
        test_point(field, v3_axpy(both.at[i].x, across.ex, v3_scale(both.at[i].y, across.ey)), &out);
    if (half_a || half_b)
        return out;
    if (a->piece->kind == RG_PIECE_HULL)
        test_corners(a, at.normal, b, gap, field, &out);
    if (b->piece->kind == RG_PIECE_HULL)
        test_corners(b, v3_neg(at.normal), a, gap, field, &out);
    test_crossings(a, b, within, field, &out);
    return out;
}
