/*
 * placed_bounds.c - world-axis-aligned bounding box of a geometry at any pose.
 *
 * Along world axis i the geometry extends from p_i - s(-r_i) to p_i + s(r_i), where r_i is row i of R (the axis in the
 * geometry's frame) and s its support function, s(d) = max d.x. The method to compute s is chosen once per geometry:
 *
 *   core with the shape of a box (box, segment along an axis, point), grown by a ball of radius r:
 *                       s(r_i) = r_i.c + sum_j |R_ij| h_j + r    exact: box, capsule, sphere
 *   few corners:        s(r_i) = max over the corners            exact: polytopes
 *   other convex ones:  the core's support point, and r          exact: cylinder, ellipsoid, large polytopes
 *   height fields:      the first formula with the box around the solid below them
 *   several parts, surfaces: the first formula with the box around everything, or the bounding ball if that is
 *                       smaller; not exact, but one formula for any number of triangles
 *
 * Every result is widened by a few units in the last place of the terms of its sums, so that it contains the geometry
 * despite round-off.
 */
#include "collision/placed_bounds.h"

#include "geom/polytope.h"
#include "geom/polytope_scan.h"
#include "math/pose.h"

/* Cores of up to this many corners are scanned corner by corner; for more, two support queries per axis are faster. */
#define MAX_SCANNED_CORNERS 80

/* Round-off of a coordinate, as a fraction of the sum of its terms' sizes: four products and sums, with a factor of
   two. */
#define ROUND_OFF 0x1p-49

/* Returns true if x is one of the two ends of c +- h, up to the round-off of c and h. */
static bool is_end(double x, double c, double h)
{
    return fabs(fabs(x - c) - h) <= 0.25 * ROUND_OFF * (fabs(c) + h);
}

/* Returns true if the core has a corner at every corner of its box, and no other. */
static bool is_box(const RgPolytope *core, RgVec3 centre, RgVec3 half)
{
    int corners = (half.x > 0.0 ? 2 : 1) * (half.y > 0.0 ? 2 : 1) * (half.z > 0.0 ? 2 : 1);
    if (core->nv < corners || core->nv > 8)
        return false;
    for (int32_t i = 0; i < core->nv; i++) {
        RgVec3 x = core->vertex[i];
        if (!is_end(x.x, centre.x, half.x) || !is_end(x.y, centre.y, half.y) || !is_end(x.z, centre.z, half.z))
            return false;
    }
    return true;
}

/* Sets a box without the rounding of the core. */
static void set_box(RgPlacedBounds *p, const RgBounds *box, double rounding)
{
    p->centre = v3_scale(0.5, v3_add(box->low, box->high));
    RgVec3 half = v3_scale(0.5, v3_sub(box->high, box->low));
    half = v3_sub(half, v3(rounding, rounding, rounding));
    p->half = v3(num_max(half.x, 0.0), num_max(half.y, 0.0), num_max(half.z, 0.0));
}

RgPlacedBounds rg_placed_bounds_prepare(const RgGeometry *geometry)
{
    RgPlacedBounds p = {.way = RG_BOUNDS_BALL, .geometry = geometry};
    if (!isfinite(geometry->radius)) {
        p.way = RG_BOUNDS_NONE;
        return p;
    }
    const RgShape *shape = geometry->nparts == 1 ? &geometry->parts[0] : NULL;
    const RgShapeKind *kind = shape != NULL ? rg_shape_kind(shape->type) : NULL;
    const RgPolytope *core = shape != NULL ? shape->core : NULL;
    double rounding = kind != NULL && kind->rounding != NULL ? kind->rounding(shape) : 0.0;
    RgBounds box = geometry->surface != NULL ? rg_surface_solid_bounds(geometry->surface) : geometry->bounds;
    bool deeper = box.low.z < geometry->bounds.low.z;
    set_box(&p, &box, rounding);
    if (deeper || (core != NULL && is_box(core, p.centre, p.half)))
        p.way = RG_BOUNDS_ROTATED;
    else if (core != NULL && core->nv <= MAX_SCANNED_CORNERS)
        p.way = RG_BOUNDS_CORNERS;
    else if (kind != NULL && kind->support != NULL)
        p.way = RG_BOUNDS_SUPPORT;
    RgVec3 low = box.low, high = box.high;
    double lengths = num_max(fabs(low.x), fabs(high.x)) + num_max(fabs(low.y), fabs(high.y)) +
                     num_max(fabs(low.z), fabs(high.z)) + v3_norm(geometry->centre) + geometry->radius;
    p.grow = rounding + ROUND_OFF * lengths;
    return p;
}

RgBounds rg_bounds_rotate(const RgPose *X_AB, const RgBounds *b)
{
    const RgVec3 far = {INFINITY, INFINITY, INFINITY};
    if (!v3_finite(b->low) || !v3_finite(b->high))
        return (RgBounds){v3_neg(far), far};
    RgVec3 centre = pose_apply(*X_AB, v3_scale(0.5, v3_add(b->low, b->high)));
    RgVec3 half = v3_scale(0.5, v3_sub(b->high, b->low)), reach;
    const RgMat3 *R = &X_AB->R;
    reach.x = fabs(R->m[0][0]) * half.x + fabs(R->m[0][1]) * half.y + fabs(R->m[0][2]) * half.z;
    reach.y = fabs(R->m[1][0]) * half.x + fabs(R->m[1][1]) * half.y + fabs(R->m[1][2]) * half.z;
    reach.z = fabs(R->m[2][0]) * half.x + fabs(R->m[2][1]) * half.y + fabs(R->m[2][2]) * half.z;
    return (RgBounds){v3_sub(centre, reach), v3_add(centre, reach)};
}

/* An interval along one of the world's axes. */
typedef struct Span {
    double low, high;
} Span;

static Span span_about(double centre, double half, double place, double grow)
{
    double reach = half + (grow + ROUND_OFF * fabs(place));
    return (Span){centre - reach, centre + reach};
}

static RgBounds box_of(Span x, Span y, Span z)
{
    return (RgBounds){{x.low, y.low, z.low}, {x.high, y.high, z.high}};
}

/* The rotated box along the axis whose row of the rotation is given. */
static Span rotated_span(const RgPlacedBounds *p, const double row[3], double place)
{
    double centre = row[0] * p->centre.x + row[1] * p->centre.y + row[2] * p->centre.z + place;
    double half = fabs(row[0]) * p->half.x + fabs(row[1]) * p->half.y + fabs(row[2]) * p->half.z;
    return span_about(centre, half, place, p->grow);
}

/* RG_BOUNDS_ROTATED. Every number of the pose enters. */
static RgBounds rotated_bounds(const RgPlacedBounds *p, const RgPose *X_WG)
{
    const double(*R)[3] = X_WG->R.m;
    return box_of(rotated_span(p, R[0], X_WG->p.x), rotated_span(p, R[1], X_WG->p.y), rotated_span(p, R[2], X_WG->p.z));
}

/* RG_BOUNDS_CORNERS, from coordinates stored in rows. */
static RgBounds corner_bounds(const RgPlacedBounds *p, const RgPose *X_WG)
{
    const RgPolytope *core = p->geometry->parts[0].core;
    double place[3] = {X_WG->p.x, X_WG->p.y, X_WG->p.z}, low[3], high[3];
    Span span[3];
    rg_polytope_span(core->rows, core->nv, X_WG->R.m, low, high);
    for (int i = 0; i < 3; i++) {
        double more = p->grow + ROUND_OFF * fabs(place[i]);
        span[i] = (Span){low[i] + place[i] - more, high[i] + place[i] + more};
    }
    return box_of(span[0], span[1], span[2]);
}

/* The same along one axis, from the corners themselves. */
static Span corner_span(const RgPlacedBounds *p, const double row[3], double place)
{
    const RgPolytope *core = p->geometry->parts[0].core;
    double low = INFINITY, high = -INFINITY, more = p->grow + ROUND_OFF * fabs(place);
    for (int32_t i = 0; i < core->nv; i++) {
        RgVec3 x = core->vertex[i];
        double at = row[0] * x.x + row[1] * x.y + row[2] * x.z;
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    return (Span){low + place - more, high + place + more};
}

/* RG_BOUNDS_SUPPORT: from the core's support points. */
static RgBounds support_bounds(const RgPlacedBounds *p, const RgPose *X_WG)
{
    RgCoreExtent reach = rg_core_extent(&p->geometry->parts[0], &X_WG->R);
    double place[3] = {X_WG->p.x, X_WG->p.y, X_WG->p.z};
    Span span[3];
    for (int i = 0; i < 3; i++) {
        double more = p->grow + ROUND_OFF * fabs(place[i]);
        span[i] = (Span){place[i] - reach.against[i] - more, place[i] + reach.along[i] + more};
    }
    return box_of(span[0], span[1], span[2]);
}

/* The rotated box, intersected with the interval of the ball. */
static Span ball_span(const RgPlacedBounds *p, const double row[3], double place)
{
    RgVec3 c = p->geometry->centre;
    double centre = row[0] * c.x + row[1] * c.y + row[2] * c.z + place;
    Span box = rotated_span(p, row, place), ball = span_about(centre, p->geometry->radius, place, p->grow);
    return (Span){num_max(box.low, ball.low), num_min(box.high, ball.high)};
}

/* All methods except RG_BOUNDS_ROTATED. */
static RgBounds other_bounds(const RgPlacedBounds *p, const RgPose *X_WG)
{
    if (p->way == RG_BOUNDS_SUPPORT)
        return support_bounds(p, X_WG);
    if (p->way == RG_BOUNDS_CORNERS && p->geometry->parts[0].core->rows != NULL)
        return corner_bounds(p, X_WG);
    Span (*span)(const RgPlacedBounds *, const double *, double) =
        p->way == RG_BOUNDS_CORNERS ? corner_span : ball_span;
    const double(*R)[3] = X_WG->R.m;
    return box_of(span(p, R[0], X_WG->p.x), span(p, R[1], X_WG->p.y), span(p, R[2], X_WG->p.z));
}

bool rg_placed_bounds(const RgPlacedBounds *p, const RgPose *X_WG, RgBounds *out)
{
    RgBounds box;
    if (p->way == RG_BOUNDS_ROTATED)
        box = rotated_bounds(p, X_WG);
    else if (pose_finite(*X_WG))
        box = other_bounds(p, X_WG);
    else
        return false;
    *out = box;
    return 0.0 * (box.low.x + box.high.x) + 0.0 * (box.low.y + box.high.y) + 0.0 * (box.low.z + box.high.z) == 0.0;
}
