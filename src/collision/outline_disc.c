/*
 * outline_disc.c - overlaps of the cap of a cylinder with other outlines.
 *
 * Everything is laid along n into the disc's own axes, in units of its radius: there it is the unit circle,
 * however it is tilted, and segments stay segments.
 *
 * The border of an overlap with a polygon is made of parts of sides and of arcs. Its corners are the
 * polygon's corners inside the disc and the crossings of circle and sides. An arc from p to q,
 * counter-clockwise, gets points between its ends so that none is farther than 120 degrees from the next:
 *
 *   up to 180 degrees:  its middle m          more:  m turned by +-60 degrees
 *
 * The whole circle gets three points 120 degrees apart: those at 0, 120 and 240 degrees of the cylinder's
 * own axes; where the gap grows across the disc, all three turned, by 60 degrees at most, so that one of
 * them is the deepest. Each keeps its number while it turns.
 *
 * Two discs: tilted against each other they are a circle and an ellipse of nearly the same axes. Their
 * crossings begin at those of two circles and are brought onto the circle by Newton steps along the
 * ellipse's border, at most NEWTON_STEPS; where that fails (they are tangent) the crossing is left out.
 */
#include "collision/outline.h"

#define NEWTON_STEPS 20

/* Change of the gap over one radius, as a part of it, that is told from round-off: what singles out a deepest
   point. */
#define TILT_LEAST 1e-9

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

static Unit turn(Unit a, double c, double s)
{
    return (Unit){c * a.x - s * a.y, s * a.x + c * a.y};
}

static double cross2(Unit a, Unit b)
{
    return a.x * b.y - a.y * b.x;
}

/* From the plane into the disc's axes, and back. */
static Unit into(const RgOutlineDisc *d, double u, double v)
{
    double du = u - d->centre[0], dv = v - d->centre[1];
    return (Unit){(d->x_of[0] * du + d->x_of[1] * dv) / d->radius, (d->y_of[0] * du + d->y_of[1] * dv) / d->radius};
}

static void out_of(const RgOutlineDisc *d, Unit w, double *u, double *v)
{
    *u = d->centre[0] + d->radius * (w.x * d->x[0] + w.y * d->y[0]);
    *v = d->centre[1] + d->radius * (w.x * d->x[1] + w.y * d->y[1]);
}

/* ------------------------------------------------------------------ points on the rim */

/* A point on the rim of disc o[i], wherever it is on the other outline. */
static void emit_rim(const RgOverlapCase *c, int i, Unit w, uint32_t slot, RgOverlap *out)
{
    double u, v;
    out_of(&c->o[i]->disc, w, &u, &v);
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
        emit_rim(c, i, turn(end[0], 0.0, 1.0), slot, out);
        return;
    }
    Unit middle = side >= 0.0 ? unit_of(sum.x, sum.y) : unit_of(-sum.x, -sum.y);
    if (side >= 0.0) {
        emit_rim(c, i, middle, slot, out);
        return;
    }
    emit_rim(c, i, turn(middle, -third_x, -third_y), slot, out); /* 60 degrees: cos 60 = -cos 120, sin 60 = sin 120 */
    emit_rim(c, i, turn(middle, -third_x, third_y), slot + 1, out);
}

/* Three points on the rim of disc o[i]. */
static void emit_circle(const RgOverlapCase *c, int i, RgOverlap *out)
{
    const RgOutlineDisc *d = &c->o[i]->disc;
    double a[2], b[2];
    rg_outline_gradient(c->o[0], d->centre[0], d->centre[1], a);
    rg_outline_gradient(c->o[1], d->centre[0], d->centre[1], b);
    double gu = b[0] - a[0], gv = b[1] - a[1]; /* the gap grows along (gu, gv) */
    double gx = gu * d->x[0] + gv * d->x[1], gy = gu * d->y[0] + gv * d->y[1];

    /* The nearest of the three to the deepest point turns there, the others with it. */
    Unit fixed[3] = {{1.0, 0.0}, {third_x, third_y}, {third_x, -third_y}};
    if (sqrt(gx * gx + gy * gy) > TILT_LEAST) {
        Unit deep = unit_of(-gx, -gy);
        int nearest = 0;
        for (int k = 1; k < 3; k++)
            if (fixed[k].x * deep.x + fixed[k].y * deep.y > fixed[nearest].x * deep.x + fixed[nearest].y * deep.y)
                nearest = k;
        fixed[nearest] = deep;
        fixed[(nearest + 1) % 3] = turn(deep, third_x, third_y);
        fixed[(nearest + 2) % 3] = turn(deep, third_x, -third_y);
    }
    for (int k = 0; k < 3; k++)
        emit_rim(c, i, fixed[k], SLOT_CIRCLE + (uint32_t)(d->mirrored ? (3 - k) % 3 : k), out);
}

/* ------------------------------------------------------------------ segments and polygons */

/* The part of the way from p to q that lies in the unit circle; false: none. */
static bool in_circle(Unit p, Unit q, double part[2])
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

/* A point on side k of the straight outline o[j] and on the disc; on its rim where slot is set. */
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
    Unit w = into(&c->o[c->big]->disc, at->u, at->v);
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
    if (!in_circle(into(d, end[0].u, end[0].v), into(d, end[1].u, end[1].v), part) || part[0] > 1.0 || part[1] < 0.0)
        return;
    for (int k = 0; k < 2; k++) {
        bool whole = k == 0 ? part[0] <= 0.0 : part[1] >= 1.0;
        emit_on_side(c, j, 0, whole ? (double)k : part[k], whole ? 0 : SLOT_CROSSING + (uint32_t)k, out);
    }
}

/* An open arc while the polygon's border is followed. */
typedef struct ArcWalk {
    bool any, left;   /* a side crossed; the border has left the disc */
    Unit first_enter; /* where it came in, if it began outside */
    bool began_inside;
    Unit exit;
    uint32_t slot; /* of the arc that begins at exit */
} ArcWalk;

static void walk_enter(const RgOverlapCase *c, ArcWalk *walk, Unit at, RgOverlap *out)
{
    if (walk->left)
        emit_arc(c, c->big, (Unit[2]){walk->exit, at}, walk->slot, out);
    else if (!walk->any)
        walk->first_enter = at;
    walk->any = true;
    walk->left = false;
}

static void walk_exit(ArcWalk *walk, Unit at, int32_t side)
{
    if (!walk->any)
        walk->began_inside = true;
    walk->any = true;
    walk->left = true;
    walk->exit = at;
    walk->slot = SLOT_ARC + 4 * (uint32_t)side;
}

/* Follows side k of the polygon: its first corner where that is inside, its crossings, the arcs between. */
static void walk_side(const RgOverlapCase *c, int32_t k, ArcWalk *walk, RgOverlap *out)
{
    int j = 1 - c->big;
    const RgOutline *o = c->o[j];
    const RgOutlineDisc *d = &c->o[c->big]->disc;
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
    Unit p = into(d, a->u, a->v), q = into(d, b->u, b->v);
    bool p_in = p.x * p.x + p.y * p.y <= 1.0, q_in = q.x * q.x + q.y * q.y <= 1.0;
    double part[2];
    if (p_in)
        emit_on_side(c, j, k, 0.0, 0, out);
    if ((p_in && q_in) || !in_circle(p, q, part))
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
            walk_enter(c, walk, at, out);
        else
            walk_exit(walk, at, k);
    }
}

/* Is the disc's centre on the inner side of every side? */
static bool polygon_has(const RgOutline *o, double u, double v)
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
    ArcWalk walk = {0};
    for (int32_t k = 0; k < o->count; k++)
        walk_side(c, k, &walk, out);
    if (walk.any && walk.left && !walk.began_inside)
        emit_arc(c, c->big, (Unit[2]){walk.exit, walk.first_enter}, walk.slot, out);
    if (!walk.any && out->count == 0 && polygon_has(o, d->centre[0], d->centre[1]))
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
    double radius; /* of the circle of the same area */
} Ellipse;

static Ellipse ellipse_of(const RgOutlineDisc *circle, const RgOutlineDisc *d)
{
    Ellipse e;
    double u, v;
    e.centre = into(circle, d->centre[0], d->centre[1]);
    out_of(d, (Unit){1.0, 0.0}, &u, &v);
    e.x = into(circle, u, v);
    out_of(d, (Unit){0.0, 1.0}, &u, &v);
    e.y = into(circle, u, v);
    e.x = (Unit){e.x.x - e.centre.x, e.x.y - e.centre.y};
    e.y = (Unit){e.y.x - e.centre.x, e.y.y - e.centre.y};
    e.radius = sqrt(fabs(cross2(e.x, e.y)));
    return e;
}

static Unit ellipse_point(const Ellipse *e, Unit w)
{
    return (Unit){e->centre.x + w.x * e->x.x + w.y * e->y.x, e->centre.y + w.x * e->x.y + w.y * e->y.y};
}

/* Brings a place near the crossing of circle and ellipse onto it; w: its place on the ellipse. */
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

/* The inner disc's three points, drawn in where the outer one ends a little before. */
static void emit_inner_circle(const RgOverlapCase *c, int inner, RgOverlap *out)
{
    int32_t first = out->count;
    emit_circle(c, inner, out);
    const RgOutlineDisc *outer = &c->o[1 - inner]->disc;
    for (int32_t k = first; k < out->count; k++) {
        RgOverlapPoint *p = &out->point[k];
        Unit w = into(outer, p->u, p->v);
        double far = sqrt(w.x * w.x + w.y * w.y);
        if (far <= 1.0)
            continue;
        RgFeature rim = p->feature[inner];
        out_of(outer, (Unit){w.x / far, w.y / far}, &p->u, &p->v);
        rg_overlap_on_surface(c->o[0], p, 0);
        rg_overlap_on_surface(c->o[1], p, 1);
        p->feature[inner] = rim;
    }
}

/* A crossing of both rims. */
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
    double slack = 1e-9 + 2.0 * fabs(widest - r * r); /* ellipse against circle */
    if (far + num_min(r, 1.0) <= num_max(r, 1.0) + slack) {
        emit_inner_circle(c, r < 1.0, out);
        return;
    }
    if (far >= 1.0 + r)
        return;

    /* Crossings of the two circles, right and left of the way from centre to centre, then of the true
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

    /* The arc of A inside B goes from the right crossing to the left, that of B inside A the other way. */
    emit_arc(c, 0, at, SLOT_ARC, out);
    emit_arc(c, 1, (Unit[2]){w[1], w[0]}, SLOT_ARC, out);
}
