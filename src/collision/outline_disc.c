/*
 * outline_disc.c - overlaps of the cap of a cylinder with other outlines.
 *
 * All outlines are projected along n into the disc's own axes, in units of its radius: there the disc is the unit
 * circle, whatever its tilt, and segments stay segments.
 *
 * The border of an overlap with a polygon consists of parts of sides and of arcs. Its corners are the polygon's corners
 * inside the disc and the crossings of circle and sides. An arc from p to q, counter-clockwise, gets intermediate
 * points so that none is farther than 120 degrees from the next:
 *
 *   up to 180 degrees:  its midpoint m        more:  m rotated by +-60 degrees
 *
 * The whole circle gets three points 120 degrees apart: those at 0, 120 and 240 degrees of the cylinder's own axes; if
 * the gap varies across the disc, all three are rotated, by 60 degrees at most, so that one of them is the deepest.
 * Each keeps its index when rotated.
 *
 * Two discs: tilted against each other they are a circle and an ellipse of nearly equal axes. Their crossings start at
 * those of two circles and are moved onto the circle by Newton steps along the ellipse's border, at most NEWTON_STEPS;
 * if that fails (the borders are tangent) the crossing is left out.
 */
#include "collision/outline.h"

/* Cost bound; quadratic convergence needs a few. */
#define NEWTON_STEPS 20

/* Smallest change of the gap over one radius, as a fraction of it, above round-off: the threshold for a deepest
   point. */
#define MIN_TILT 1e-9

/* Slots of points with the same features: whole circle, crossings, arcs. */
enum { SLOT_CIRCLE = 1, SLOT_CROSSING = 8, SLOT_ARC = 16 };

static const double third_x = -0.5, third_y = 0.86602540378443864676; /* 120 degrees */

typedef struct Unit {
    double x, y;
} Unit;

static Unit unit_of(double x, double y)
{
    double length = sqrt(x * x + y * y);
    return length > 0.0 ? (Unit){x / length, y / length} : (Unit){1.0, 0.0};
}

static Unit rotate2d(Unit a, double c, double s)
{
    return (Unit){c * a.x - s * a.y, s * a.x + c * a.y};
}

static double cross2(Unit a, Unit b)
{
    return a.x * b.y - a.y * b.x;
}

/* From the plane to the disc's axes, and back. */
static Unit to_disc(const RgOutlineDisc *d, double u, double v)
{
    double du = u - d->centre[0], dv = v - d->centre[1];
    return (Unit){(d->x_of[0] * du + d->x_of[1] * dv) / d->radius, (d->y_of[0] * du + d->y_of[1] * dv) / d->radius};
}

static void from_disc(const RgOutlineDisc *d, Unit w, double *u, double *v)
{
    *u = d->centre[0] + d->radius * (w.x * d->x[0] + w.y * d->y[0]);
    *v = d->centre[1] + d->radius * (w.x * d->x[1] + w.y * d->y[1]);
}

/* ------------------------------------------------------------------ points on the rim */

/* Appends a point on the rim of disc o[i], at any feature of the other outline. */
static void emit_rim(const RgOverlapCase *c, int i, Unit w, uint32_t slot, RgOverlap *out)
{
    double u, v;
    from_disc(&c->o[i]->disc, w, &u, &v);
    RgOverlapPoint *p = rg_overlap_push(out, u, v);
    if (p == NULL)
        return;
    bool on = rg_overlap_on_surface(c->o[i], p, i) && rg_overlap_on_surface(c->o[1 - i], p, 1 - i);
    p->feature[i] = c->o[i]->border;
    p->slot[i] = slot;
    out->count -= !on;
}

static void emit_arc(const RgOverlapCase *c, int i, const Unit end[2], uint32_t slot, RgOverlap *out)
{
    Unit sum = {end[0].x + end[1].x, end[0].y + end[1].y};
    double side = cross2(end[0], end[1]);
    if (sum.x * sum.x + sum.y * sum.y < 1e-12) { /* half a circle, to within 1e-6 rad */
        emit_rim(c, i, rotate2d(end[0], 0.0, 1.0), slot, out);
        return;
    }
    Unit middle = side >= 0.0 ? unit_of(sum.x, sum.y) : unit_of(-sum.x, -sum.y);
    if (side >= 0.0) {
        emit_rim(c, i, middle, slot, out);
        return;
    }
    emit_rim(c, i, rotate2d(middle, -third_x, -third_y), slot,
             out); /* 60 degrees: cos 60 = -cos 120, sin 60 = sin 120 */
    emit_rim(c, i, rotate2d(middle, -third_x, third_y), slot + 1, out);
}

/* Appends three points on the rim of disc o[i]. */
static void emit_circle(const RgOverlapCase *c, int i, RgOverlap *out)
{
    const RgOutlineDisc *d = &c->o[i]->disc;
    double a[2], b[2];
    rg_outline_gradient(c->o[0], d->centre[0], d->centre[1], a);
    rg_outline_gradient(c->o[1], d->centre[0], d->centre[1], b);
    double gu = b[0] - a[0], gv = b[1] - a[1]; /* gradient of the gap */
    double gx = gu * d->x[0] + gv * d->x[1], gy = gu * d->y[0] + gv * d->y[1];

    /* The point nearest to the deepest one moves there; the others rotate with it. */
    Unit fixed[3] = {{1.0, 0.0}, {third_x, third_y}, {third_x, -third_y}};
    if (sqrt(gx * gx + gy * gy) > MIN_TILT) {
        Unit deep = unit_of(-gx, -gy);
        int nearest = 0;
        for (int k = 1; k < 3; k++)
            if (fixed[k].x * deep.x + fixed[k].y * deep.y > fixed[nearest].x * deep.x + fixed[nearest].y * deep.y)
                nearest = k;
        fixed[nearest] = deep;
        fixed[(nearest + 1) % 3] = rotate2d(deep, third_x, third_y);
        fixed[(nearest + 2) % 3] = rotate2d(deep, third_x, -third_y);
    }
    for (int k = 0; k < 3; k++)
        emit_rim(c, i, fixed[k], SLOT_CIRCLE + (uint32_t)(d->mirrored ? (3 - k) % 3 : k), out);
}

/* ------------------------------------------------------------------ segments and polygons */

/* The interval of the segment from p to q inside the unit circle. Returns false if there is none. */
static bool clip_to_circle(Unit p, Unit q, double part[2])
{
    double dx = q.x - p.x, dy = q.y - p.y;
    double A = dx * dx + dy * dy, B = p.x * dx + p.y * dy, C = p.x * p.x + p.y * p.y - 1.0;
    double root = B * B - A * C;
    if (!(root > 0.0) || !(A > 0.0))
        return false;
    root = sqrt(root);
    part[0] = (-B - root) / A;
    part[1] = (-B + root) / A;
    return true;
}

/* Appends a point on side k of the straight outline o[j] and on the disc; on its rim if slot is set. */
static void emit_on_side(const RgOverlapCase *c, int j, int32_t k, double part, uint32_t slot, RgOverlap *out)
{
    const RgOutline *o = c->o[j], *disc = c->o[1 - j];
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
    RgOverlapPoint *p = rg_overlap_push(out, a->u + part * (b->u - a->u), a->v + part * (b->v - a->v));
    if (p == NULL)
        return;
    if (part == 0.0)
        rg_overlap_on_corner(o, k, p, j);
    else if (part == 1.0)
        rg_overlap_on_corner(o, k + 1 < o->count ? k + 1 : 0, p, j);
    else
        rg_overlap_on_side(o, k, p, j);
    rg_overlap_on_surface(disc, p, 1 - j);
    if (slot != 0)
        p->feature[1 - j] = disc->border;
    p->slot[1 - j] = slot;
}

void rg_overlap_disc_point(const RgOverlapCase *c, RgOverlap *out)
{
    int j = 1 - c->big;
    const RgOutlineCorner *at = &c->o[j]->corner[0];
    Unit w = to_disc(&c->o[c->big]->disc, at->u, at->v);
    if (w.x * w.x + w.y * w.y > 1.0)
        return;
    RgOverlapPoint *p = rg_overlap_push(out, at->u, at->v);
    rg_overlap_on_corner(c->o[j], 0, p, j);
    rg_overlap_on_surface(c->o[c->big], p, c->big);
}

void rg_overlap_disc_segment(const RgOverlapCase *c, RgOverlap *out)
{
    int j = 1 - c->big;
    const RgOutlineDisc *d = &c->o[c->big]->disc;
    const RgOutlineCorner *end = c->o[j]->corner;
    double part[2];
    if (!clip_to_circle(to_disc(d, end[0].u, end[0].v), to_disc(d, end[1].u, end[1].v), part) || part[0] > 1.0 ||
        part[1] < 0.0)
        return;
    for (int k = 0; k < 2; k++) {
        bool whole = k == 0 ? part[0] <= 0.0 : part[1] >= 1.0;
        emit_on_side(c, j, 0, whole ? (double)k : part[k], whole ? 0 : SLOT_CROSSING + (uint32_t)k, out);
    }
}

/* The state of a traversal of the polygon's border. */
typedef struct BorderTraversal {
    bool any, left;   /* any: a side has crossed the circle; left: the border is outside the disc */
    Unit first_enter; /* first entry, if the border starts outside */
    bool began_inside;
    Unit exit;
    uint32_t slot; /* of the arc that starts at exit */
} BorderTraversal;

static void enter_disc(const RgOverlapCase *c, BorderTraversal *border, Unit at, RgOverlap *out)
{
    if (border->left)
        emit_arc(c, c->big, (Unit[2]){border->exit, at}, border->slot, out);
    else if (!border->any)
        border->first_enter = at;
    border->any = true;
    border->left = false;
}

static void leave_disc(BorderTraversal *border, Unit at, int32_t side)
{
    if (!border->any)
        border->began_inside = true;
    border->any = true;
    border->left = true;
    border->exit = at;
    border->slot = SLOT_ARC + 4 * (uint32_t)side;
}

/* Traverses side k of the polygon: appends its first corner if that is inside, its crossings, and the arcs between. */
static void traverse_side(const RgOverlapCase *c, int32_t k, BorderTraversal *border, RgOverlap *out)
{
    int j = 1 - c->big;
    const RgOutline *o = c->o[j];
    const RgOutlineDisc *d = &c->o[c->big]->disc;
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
    Unit p = to_disc(d, a->u, a->v), q = to_disc(d, b->u, b->v);
    bool p_in = p.x * p.x + p.y * p.y <= 1.0, q_in = q.x * q.x + q.y * q.y <= 1.0;
    double part[2];
    if (p_in)
        emit_on_side(c, j, k, 0.0, 0, out);
    if ((p_in && q_in) || !clip_to_circle(p, q, part))
        return;
    if (!p_in && !q_in && (part[0] <= 0.0 || part[1] >= 1.0))
        return;
    for (int e = 0; e < 2; e++) {
        if (e == 0 ? p_in : q_in)
            continue;
        double t = num_min(1.0, num_max(0.0, part[e]));
        Unit at = unit_of(p.x + t * (q.x - p.x), p.y + t * (q.y - p.y));
        emit_on_side(c, j, k, t, SLOT_CROSSING + (uint32_t)e, out);
        if (e == 0)
            enter_disc(c, border, at, out);
        else
            leave_disc(border, at, k);
    }
}

/* Returns true if the point is on the inner side of every side. */
static bool polygon_contains(const RgOutline *o, double u, double v)
{
    for (int32_t k = 0; k < o->count; k++) {
        const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
        if ((b->u - a->u) * (v - a->v) - (b->v - a->v) * (u - a->u) < 0.0)
            return false;
    }
    return true;
}

void rg_overlap_disc_polygon(const RgOverlapCase *c, RgOverlap *out)
{
    const RgOutline *o = c->o[1 - c->big];
    const RgOutlineDisc *d = &c->o[c->big]->disc;
    BorderTraversal border = {0};
    for (int32_t k = 0; k < o->count; k++)
        traverse_side(c, k, &border, out);
    if (border.any && border.left && !border.began_inside)
        emit_arc(c, c->big, (Unit[2]){border.exit, border.first_enter}, border.slot, out);
    if (!border.any && out->count == 0 && polygon_contains(o, d->centre[0], d->centre[1]))
        emit_circle(c, c->big, out);
}

void rg_overlap_disc_plane(const RgOverlapCase *c, RgOverlap *out)
{
    emit_circle(c, 1 - c->big, out);
}

/* ------------------------------------------------------------------ two discs */

/* Disc o[1] in the axes of disc o[0]: centre + w.x x + w.y y, |w| = 1. */
typedef struct Ellipse {
    Unit centre, x, y;
    double radius; /* of the circle with the same area */
} Ellipse;

static Ellipse ellipse_of(const RgOutlineDisc *circle, const RgOutlineDisc *d)
{
    Ellipse e;
    double u, v;
    e.centre = to_disc(circle, d->centre[0], d->centre[1]);
    from_disc(d, (Unit){1.0, 0.0}, &u, &v);
    e.x = to_disc(circle, u, v);
    from_disc(d, (Unit){0.0, 1.0}, &u, &v);
    e.y = to_disc(circle, u, v);
    e.x = (Unit){e.x.x - e.centre.x, e.x.y - e.centre.y};
    e.y = (Unit){e.y.x - e.centre.x, e.y.y - e.centre.y};
    e.radius = sqrt(fabs(cross2(e.x, e.y)));
    return e;
}

static Unit ellipse_point(const Ellipse *e, Unit w)
{
    return (Unit){e->centre.x + w.x * e->x.x + w.y * e->y.x, e->centre.y + w.x * e->x.y + w.y * e->y.y};
}

/* Moves a point near the crossing of circle and ellipse onto it; w: its parameter on the ellipse. */
static bool newton_crossing(const Ellipse *e, Unit near, Unit *w)
{
    double det = cross2(e->x, e->y);
    Unit r = {near.x - e->centre.x, near.y - e->centre.y};
    *w = unit_of(cross2(r, e->y) / det, cross2(e->x, r) / det);
    for (int step = 0; step < NEWTON_STEPS; step++) {
        Unit p = ellipse_point(e, *w);
        double f = p.x * p.x + p.y * p.y - 1.0;
        if (fabs(f) <= 1e-14)
            return true;
        Unit along = {-w->y * e->x.x + w->x * e->y.x, -w->y * e->x.y + w->x * e->y.y};
        double rate = 2.0 * (p.x * along.x + p.y * along.y);
        if (!(fabs(rate) > 0.0))
            return false;
        double by = num_min(0.5, num_max(-0.5, -f / rate));
        *w = unit_of(w->x - by * w->y, w->y + by * w->x);
    }
    Unit p = ellipse_point(e, *w);
    return fabs(p.x * p.x + p.y * p.y - 1.0) <= 1e-12;
}

/* Appends the inner disc's three points, moved inwards where the outer disc is slightly smaller. */
static void emit_inner_circle(const RgOverlapCase *c, int inner, RgOverlap *out)
{
    int32_t first = out->count;
    emit_circle(c, inner, out);
    const RgOutlineDisc *outer = &c->o[1 - inner]->disc;
    for (int32_t k = first; k < out->count; k++) {
        RgOverlapPoint *p = &out->point[k];
        Unit w = to_disc(outer, p->u, p->v);
        double far = sqrt(w.x * w.x + w.y * w.y);
        if (far <= 1.0)
            continue;
        RgFeature rim = p->feature[inner];
        from_disc(outer, (Unit){w.x / far, w.y / far}, &p->u, &p->v);
        rg_overlap_on_surface(c->o[0], p, 0);
        rg_overlap_on_surface(c->o[1], p, 1);
        p->feature[inner] = rim;
    }
}

/* Appends a crossing of both rims. */
static void emit_crossing(const RgOverlapCase *c, Unit w, uint32_t slot, RgOverlap *out)
{
    emit_rim(c, 1, w, slot, out);
    if (out->count > 0)
        out->point[out->count - 1].feature[0] = c->o[0]->border;
}

void rg_overlap_disc_disc(const RgOverlapCase *c, RgOverlap *out)
{
    Ellipse e = ellipse_of(&c->o[0]->disc, &c->o[1]->disc);
    double far = sqrt(e.centre.x * e.centre.x + e.centre.y * e.centre.y), r = e.radius;
    double widest = num_max(e.x.x * e.x.x + e.x.y * e.x.y, e.y.x * e.y.x + e.y.y * e.y.y);
    double slack = 1e-9 + 2.0 * fabs(widest - r * r); /* deviation of the ellipse from a circle */
    if (far + num_min(r, 1.0) <= num_max(r, 1.0) + slack) {
        emit_inner_circle(c, r < 1.0, out);
        return;
    }
    if (far >= 1.0 + r)
        return;

    /* Crossings of the two circles, to the right and left of the line from centre to centre, then of the exact
       borders. */
    double along = (far * far + 1.0 - r * r) / (2.0 * far), height2 = 1.0 - along * along;
    double height = sqrt(num_max(0.0, height2));
    Unit to = unit_of(e.centre.x, e.centre.y), w[2], at[2];
    for (int k = 0; k < 2; k++) {
        double side = k == 0 ? -height : height;
        if (!newton_crossing(&e, (Unit){along * to.x - side * to.y, along * to.y + side * to.x}, &w[k]))
            return;
        at[k] = ellipse_point(&e, w[k]);
        emit_crossing(c, w[k], SLOT_CROSSING + (uint32_t)k, out);
    }

    /* The arc of A inside B goes from the right crossing to the left one, that of B inside A from left to right. */
    emit_arc(c, 0, at, SLOT_ARC, out);
    emit_arc(c, 1, (Unit[2]){w[1], w[0]}, SLOT_ARC, out);
}
