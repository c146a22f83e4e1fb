/*
 * outline_overlap.c - the corners of the overlap of two outlines.
 *
 * Polygon with polygon: one is clipped by the line of every side of the other in turn (Sutherland, Hodgman 1974).
 *
 *         b3 ___________ b2  A corner of the result is a corner of one inside the other, or a crossing of two
 *           |           |    sides (x). Each corner stores the features it lies on, and each side the side it is
 *     a3 ___x_______ a2 |    part of; so the features of a crossing need no search. Corners that lie on a side
 *       |   |       |   |    of the other to within `same` are marked as such: stacked boxes of one size give
 *       |   |_______x___|    four corners on corners, whatever the round-off.
 *       |  b0       |   b1
 *     a0|___________|a1
 *
 * Point: itself, if it lies in the other. Segment with polygon: the part inside all sides. Segment with segment: their
 * crossing; if the sine of their angle is less than `parallel`, the ends of each that lie beside the other. A plane
 * clips nothing.
 *
 * Cost: corners of one times sides of the other. At most RG_OVERLAP_POINTS corners.
 */
#include "collision/outline.h"

/* ------------------------------------------------------------------ points */

RgOverlapPoint *rg_overlap_push(RgOverlap *overlap, double u, double v)
{
    if (overlap->count == RG_OVERLAP_POINTS) {
        overlap->reduced = true;
        return NULL;
    }
    RgOverlapPoint *p = &overlap->point[overlap->count++];
    *p = (RgOverlapPoint){.u = u, .v = v};
    return p;
}

void rg_overlap_on_corner(const RgOutline *o, int32_t k, RgOverlapPoint *p, int i)
{
    p->h[i] = o->corner[k].h;
    p->feature[i] = o->corner[k].at;
}

/* A side that is not an edge of the shape runs over its surface; its end points identify it. */
static void set_on_chord(const RgOutline *o, int32_t k, int32_t next, RgOverlapPoint *p, int i)
{
    uint32_t a = (uint32_t)o->corner[k].at.index, b = (uint32_t)o->corner[next].at.index;
    double h = p->h[i];
    RgFeature feature;
    if (rg_outline_surface(o, p->u, p->v, &h, &feature)) {
        p->h[i] = h;
        p->feature[i] = feature;
    } else {
        p->feature[i] = o->corner[k].at;
    }
    p->slot[i] = 1 + (a < b ? a * 0x9e3779b9u + b : b * 0x9e3779b9u + a);
}

void rg_overlap_on_side(const RgOutline *o, int32_t k, RgOverlapPoint *p, int i)
{
    int32_t next = k + 1 < o->count ? k + 1 : 0;
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[next];
    double du = b->u - a->u, dv = b->v - a->v, length2 = du * du + dv * dv;
    double along = length2 > 0.0 ? ((p->u - a->u) * du + (p->v - a->v) * dv) / length2 : 0.0;
    along = num_min(1.0, num_max(0.0, along));
    p->h[i] = a->h + along * (b->h - a->h);
    p->feature[i] = a->side;
    if (a->side.kind == RG_FEATURE_NONE)
        set_on_chord(o, k, next, p, i);
    else if (o->curved) {
        double h;
        RgFeature feature;
        if (rg_outline_surface(o, p->u, p->v, &h, &feature))
            p->h[i] = h;
    }
}

bool rg_overlap_on_surface(const RgOutline *o, RgOverlapPoint *p, int i)
{
    return rg_outline_surface(o, p->u, p->v, &p->h[i], &p->feature[i]);
}

/* The line of a side: a point of it, and the unit direction to its left. */
typedef struct Line {
    double u, v, to_u, to_v;
} Line;

static Line line_of(const RgOutline *o, int32_t k)
{
    const RgOutlineCorner *a = &o->corner[k], *b = &o->corner[k + 1 < o->count ? k + 1 : 0];
    double du = b->u - a->u, dv = b->v - a->v, length = sqrt(du * du + dv * dv);
    return (Line){a->u, a->v, -dv / length, du / length};
}

/* Distance from a line, signed: positive to the left. */
static double left_of(const Line *line, double u, double v)
{
    return line->to_u * (u - line->u) + line->to_v * (v - line->v);
}

bool rg_overlap_on_nearest(const RgOutline *o, double same, RgOverlapPoint *p, int i)
{
    int32_t side = -1;
    for (int32_t k = 0; k < o->count; k++) {
        if (num_max(fabs(o->corner[k].u - p->u), fabs(o->corner[k].v - p->v)) <= same) {
            rg_overlap_on_corner(o, k, p, i);
            return true;
        }
        if (side >= 0 || o->count == 1)
            continue;
        Line line = line_of(o, k);
        side = fabs(left_of(&line, p->u, p->v)) <= same ? k : -1;
    }
    if (side < 0)
        return rg_overlap_on_surface(o, p, i);
    rg_overlap_on_side(o, side, p, i);
    return true;
}

/* ------------------------------------------------------------------ polygon with polygon */

/* A corner of polygon A during clipping. */
typedef struct ClipCorner {
    double u, v;
    int32_t a_corner, a_side; /* of A: the corner it is, the side it lies on; -1: none */
    int32_t b_corner, b_side;
    int32_t line; /* the line of the side to the next corner: side k of A: k, of B: -1 - k */
} ClipCorner;

static double crossing_fraction(double from, double to)
{
    return num_min(1.0, num_max(0.0, from / (from - to)));
}

/* Records that a corner lies on side k of B; if it lies on two adjacent sides, on their corner. */
static void record_side(ClipCorner *c, int32_t k, int32_t sides)
{
    if (c->b_corner >= 0)
        return;
    if (c->b_side >= 0 && (c->b_side + 1) % sides == k)
        c->b_corner = k;
    else if (c->b_side >= 0 && (k + 1) % sides == c->b_side)
        c->b_corner = c->b_side;
    c->b_side = k;
}

/* Crossing of the side from p to q with the line of side k of B. */
static ClipCorner cross_line(const RgOutline *b, const ClipCorner *p, const ClipCorner *q, int32_t k, double part)
{
    ClipCorner x = {.u = p->u + part * (q->u - p->u),
                    .v = p->v + part * (q->v - p->v),
                    .a_corner = -1,
                    .a_side = p->line >= 0 ? p->line : -1,
                    .b_corner = -1,
                    .b_side = p->line >= 0 ? -1 : -1 - p->line};
    record_side(&x, k, b->count);
    if (x.b_corner >= 0) {
        x.u = b->corner[x.b_corner].u;
        x.v = b->corner[x.b_corner].v;
    }
    return x;
}

static bool coincide(const ClipCorner *c, const ClipCorner *d, double same)
{
    return num_max(fabs(c->u - d->u), fabs(c->v - d->v)) <= same;
}

/* Merges two corners at the same point: the result lies on the features of both. */
static void merge_corners(ClipCorner *c, const ClipCorner *d)
{
    c->a_corner = c->a_corner >= 0 ? c->a_corner : d->a_corner;
    c->a_side = c->a_side >= 0 ? c->a_side : d->a_side;
    c->b_corner = c->b_corner >= 0 ? c->b_corner : d->b_corner;
    c->b_side = c->b_side >= 0 ? c->b_side : d->b_side;
}

/* A polygon during clipping. */
typedef struct ClipPolygon {
    int32_t count;
    ClipCorner corner[RG_OVERLAP_POINTS];
} ClipPolygon;

static void append_corner(ClipPolygon *to, const ClipCorner *c, double same)
{
    ClipCorner *last = &to->corner[to->count - (to->count > 0)];
    if (to->count > 0 && coincide(last, c, same)) {
        merge_corners(last, c);
        last->line = c->line;
    } else if (to->count < RG_OVERLAP_POINTS) {
        to->corner[to->count++] = *c;
    }
}

/* Returns true if the polygon is entirely to the left of the line. Records which of its corners are on it. */
static bool is_all_left(ClipPolygon *loop, const Line *line, int32_t k, int32_t sides, double same)
{
    bool all = true;
    for (int32_t i = 0; i < loop->count; i++) {
        double left = left_of(line, loop->corner[i].u, loop->corner[i].v);
        if (fabs(left) <= same)
            record_side(&loop->corner[i], k, sides);
        all = all && left >= -same;
    }
    return all;
}

/* Clips the polygon by the line of side k of B. */
static void clip_by_side(const RgOutline *b, int32_t k, double same, const ClipPolygon *from, ClipPolygon *to)
{
    Line line = line_of(b, k);
    to->count = 0;
    double here = left_of(&line, from->corner[0].u, from->corner[0].v), first = here;
    for (int32_t i = 0; i < from->count; i++) {
        const ClipCorner *p = &from->corner[i], *q = &from->corner[i + 1 < from->count ? i + 1 : 0];
        double there = i + 1 < from->count ? left_of(&line, q->u, q->v) : first;
        if (here >= -same)
            append_corner(to, p, same);
        if ((here >= -same) != (there >= -same)) {
            ClipCorner x = cross_line(b, p, q, k, crossing_fraction(here, there));
            x.line = here >= -same ? -1 - k : p->line;
            append_corner(to, &x, same);
        }
        here = there;
    }
    while (to->count > 1 && coincide(&to->corner[0], &to->corner[to->count - 1], same))
        merge_corners(&to->corner[0], &to->corner[--to->count]);
}

/* i_clipped: the outline that was clipped by the other. */
static void emit_corner(const RgOverlapCase *c, const ClipCorner *cut, int i_clipped, RgOverlap *out)
{
    RgOverlapPoint *p = rg_overlap_push(out, cut->u, cut->v);
    int32_t corner[2], side[2];
    corner[i_clipped] = cut->a_corner;
    side[i_clipped] = cut->a_side;
    corner[1 - i_clipped] = cut->b_corner;
    side[1 - i_clipped] = cut->b_side;
    bool on = p != NULL;
    for (int i = 0; i < 2 && on; i++) {
        if (corner[i] >= 0)
            rg_overlap_on_corner(c->o[i], corner[i], p, i);
        else if (side[i] >= 0)
            rg_overlap_on_side(c->o[i], side[i], p, i);
        else
            on = rg_overlap_on_surface(c->o[i], p, i);
    }
    if (p != NULL && !on)
        out->count--;
}

static void polygon_polygon(const RgOverlapCase *c, RgOverlap *out)
{
    int i_clipped = c->o[0]->count >= c->o[1]->count ? 0 : 1; /* few clips of many corners cost less */
    const RgOutline *a = c->o[i_clipped], *b = c->o[1 - i_clipped];
    ClipPolygon work[2];
    int now = 0;
    work[0].count = a->count;
    work[1].count = 0;
    for (int32_t i = 0; i < a->count; i++)
        work[0].corner[i] = (ClipCorner){a->corner[i].u, a->corner[i].v, i, i, -1, -1, i};
    for (int32_t k = 0; k < b->count && work[now].count > 0; k++) {
        Line line = line_of(b, k);
        if (is_all_left(&work[now], &line, k, b->count, out->same))
            continue;
        clip_by_side(b, k, out->same, &work[now], &work[1 - now]);
        now = 1 - now;
    }
    for (int32_t i = 0; i < work[now].count; i++)
        emit_corner(c, &work[now].corner[i], i_clipped, out);
}

/* ------------------------------------------------------------------ segments */

static double length2d(double u, double v)
{
    return sqrt(u * u + v * v);
}

/* Appends a point of the segment o[i], at the fraction `part` from its first end to its second. */
static void emit_on_segment(const RgOverlapCase *c, int i, double part, RgOverlap *out)
{
    const RgOutline *s = c->o[i];
    const RgOutlineCorner *a = &s->corner[0], *b = &s->corner[1];
    RgOverlapPoint *p = rg_overlap_push(out, a->u + part * (b->u - a->u), a->v + part * (b->v - a->v));
    if (p == NULL)
        return;
    if (part == 0.0 || part == 1.0)
        rg_overlap_on_corner(s, part > 0.0, p, i);
    else
        rg_overlap_on_side(s, 0, p, i);
    if (!rg_overlap_on_nearest(c->o[1 - i], out->same, p, 1 - i))
        out->count--;
}

static void segment_polygon(const RgOverlapCase *c, RgOverlap *out)
{
    int i = 1 - c->big;
    const RgOutline *s = c->o[i], *polygon = c->o[c->big];
    double low = 0.0, high = 1.0;
    for (int32_t k = 0; k < polygon->count; k++) {
        Line line = line_of(polygon, k);
        double from = left_of(&line, s->corner[0].u, s->corner[0].v);
        double to = left_of(&line, s->corner[1].u, s->corner[1].v);
        if (from < -out->same && to < -out->same)
            return;
        if (from < -out->same)
            low = num_max(low, crossing_fraction(from, to));
        else if (to < -out->same)
            high = num_min(high, crossing_fraction(from, to));
    }
    double length = length2d(s->corner[1].u - s->corner[0].u, s->corner[1].v - s->corner[0].v);
    if ((low - high) * length > out->same)
        return;
    low = low * length <= out->same ? 0.0 : low;
    high = (1.0 - high) * length <= out->same ? 1.0 : high;
    emit_on_segment(c, i, low, out);
    if ((high - low) * length > out->same)
        emit_on_segment(c, i, high, out);
}

/* Appends the ends of segment i that lie beside the other one. */
static void emit_ends(const RgOverlapCase *c, int i, RgOverlap *out)
{
    const RgOutline *s = c->o[i], *other = c->o[1 - i];
    const RgOutlineCorner *a = &other->corner[0], *b = &other->corner[1];
    double du = b->u - a->u, dv = b->v - a->v, length2 = du * du + dv * dv;
    double slack = out->same / sqrt(length2);
    for (int32_t k = 0; k < 2; k++) {
        const RgOutlineCorner *end = &s->corner[k];
        double along = ((end->u - a->u) * du + (end->v - a->v) * dv) / length2;
        bool beside = along >= -slack && along <= 1.0 + slack;
        for (int32_t j = 0; j < out->count && beside; j++)
            beside = num_max(fabs(out->point[j].u - end->u), fabs(out->point[j].v - end->v)) > out->same;
        if (beside)
            emit_on_segment(c, i, (double)k, out);
    }
}

static void segment_segment(const RgOverlapCase *c, RgOverlap *out)
{
    const RgOutlineCorner *a = c->o[0]->corner, *b = c->o[1]->corner;
    double au = a[1].u - a[0].u, av = a[1].v - a[0].v, bu = b[1].u - b[0].u, bv = b[1].v - b[0].v;
    double la = length2d(au, av), lb = length2d(bu, bv), cross = au * bv - av * bu;
    if (fabs(cross) <= num_max(c->parallel, RG_OUTLINE_LEAST_SLOPE) * la * lb) {
        emit_ends(c, 0, out);
        emit_ends(c, 1, out);
        return;
    }
    double ru = b[0].u - a[0].u, rv = b[0].v - a[0].v;
    double s = (ru * bv - rv * bu) / cross, t = (ru * av - rv * au) / cross;
    double slack_a = out->same / la, slack_b = out->same / lb;
    if (s < -slack_a || s > 1.0 + slack_a || t < -slack_b || t > 1.0 + slack_b)
        return;
    RgOverlapPoint *p = rg_overlap_push(out, a[0].u + s * au, a[0].v + s * av);
    if (p == NULL)
        return;
    bool on = rg_overlap_on_nearest(c->o[0], out->same, p, 0) && rg_overlap_on_nearest(c->o[1], out->same, p, 1);
    out->count -= !on;
}

/* Returns true if a point lies in a polygon or on a segment. */
static bool outline_contains(const RgOutline *o, double u, double v, double same)
{
    if (o->kind == RG_OUTLINE_POLYGON) {
        for (int32_t k = 0; k < o->count; k++) {
            Line line = line_of(o, k);
            if (left_of(&line, u, v) < -same)
                return false;
        }
        return true;
    }
    const RgOutlineCorner *a = &o->corner[0], *b = &o->corner[o->count - 1];
    double du = b->u - a->u, dv = b->v - a->v, length2 = du * du + dv * dv;
    double along = length2 > 0.0 ? ((u - a->u) * du + (v - a->v) * dv) / length2 : 0.0;
    along = num_min(1.0, num_max(0.0, along));
    return num_max(fabs(a->u + along * du - u), fabs(a->v + along * dv - v)) <= same;
}

static void point_any(const RgOverlapCase *c, RgOverlap *out)
{
    int i = 1 - c->big;
    const RgOutlineCorner *at = &c->o[i]->corner[0];
    if (!outline_contains(c->o[c->big], at->u, at->v, out->same))
        return;
    RgOverlapPoint *p = rg_overlap_push(out, at->u, at->v);
    rg_overlap_on_corner(c->o[i], 0, p, i);
    out->count -= !rg_overlap_on_nearest(c->o[c->big], out->same, p, c->big);
}

static void corners_plane(const RgOverlapCase *c, RgOverlap *out)
{
    const RgOutline *o = c->o[1 - c->big];
    for (int32_t k = 0; k < o->count; k++) {
        RgOverlapPoint *p = rg_overlap_push(out, o->corner[k].u, o->corner[k].v);
        if (p == NULL)
            return;
        rg_overlap_on_corner(o, k, p, 1 - c->big);
        rg_overlap_on_surface(c->o[c->big], p, c->big);
    }
}

/* ------------------------------------------------------------------ all kinds */

/* Index: the kind that is later in the list, then the other. */
static RgOverlapMaker *const makers[RG_OUTLINE_COUNT][RG_OUTLINE_COUNT] = {
    [RG_OUTLINE_POINT] = {[RG_OUTLINE_POINT] = point_any},
    [RG_OUTLINE_SEGMENT] = {[RG_OUTLINE_POINT] = point_any, [RG_OUTLINE_SEGMENT] = segment_segment},
    [RG_OUTLINE_POLYGON] = {[RG_OUTLINE_POINT] = point_any,
                            [RG_OUTLINE_SEGMENT] = segment_polygon,
                            [RG_OUTLINE_POLYGON] = polygon_polygon},
    [RG_OUTLINE_DISC] = {[RG_OUTLINE_POINT] = rg_overlap_disc_point,
                         [RG_OUTLINE_SEGMENT] = rg_overlap_disc_segment,
                         [RG_OUTLINE_POLYGON] = rg_overlap_disc_polygon,
                         [RG_OUTLINE_DISC] = rg_overlap_disc_disc},
    [RG_OUTLINE_PLANE] = {[RG_OUTLINE_POINT] = corners_plane,
                          [RG_OUTLINE_SEGMENT] = corners_plane,
                          [RG_OUTLINE_POLYGON] = corners_plane,
                          [RG_OUTLINE_DISC] = rg_overlap_disc_plane},
};

void rg_outline_overlap(const RgOutline *a, const RgOutline *b, const RgOverlapRules *rules, RgOverlap *out)
{
    RgOverlapCase c = {{a, b}, a->kind >= b->kind ? 0 : 1, rules->parallel};
    out->count = 0;
    out->reduced = a->reduced || b->reduced;
    out->same = num_max(rules->same, RG_OUTLINE_SAME * num_max(rg_outline_reach(a), rg_outline_reach(b)));
    RgOverlapMaker *make = makers[c.o[c.big]->kind][c.o[1 - c.big]->kind];
    if (make != NULL) /* NULL: two planes have no corners */
        make(&c, out);
}
