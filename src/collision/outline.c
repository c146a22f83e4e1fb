/*
 * outline.c - the outline of every kind of convex shape along a normal.
 *
 * Polytopes, boxes, cores: outline_polytope.c. A core grown by a ball of radius r (capsule) has the outline of the
 * core, raised to the surface. The line along m through a point x0 of the plane leaves a capsule with axis e0 + z a, 0
 * <= z <= L, where
 *
 *   |p + s q| = r,  p, q the parts of x0 - e0 and m normal to a   on the side, if its z is within the axis,
 *   |x0 + s m - e| = r                                            else on the ball about the end e.
 *
 * Shapes without core polytope: the feature that faces m by RgShapeKind.facing: a point, a line, a disc. A line on a
 * curved side of radius r has the axis of that side at depth r below it. Half-space: the whole plane.
 */
#include "collision/outline_polytope.h"
#include "math/unit.h"

/* ------------------------------------------------------------------ frame */

RgContactFrame rg_contact_frame(RgVec3 origin, RgVec3 n)
{
    RgVec3 t = v3_orthogonal(n);
    return (RgContactFrame){.origin = origin, .t = t, .s = v3_cross(n, t), .n = n};
}

RgVec3 rg_contact_frame_point(const RgContactFrame *f, double u, double v, double h)
{
    return v3_axpy(h, f->n, v3_axpy(v, f->s, v3_axpy(u, f->t, f->origin)));
}

/* Coordinates u, v, h of a point of the shape. */
static void to_frame(const RgContactFrame *f, RgVec3 x, double out[3])
{
    RgVec3 r = v3_sub(x, f->origin);
    out[0] = v3_dot(r, f->t);
    out[1] = v3_dot(r, f->s);
    out[2] = v3_dot(r, f->n);
}

static RgOutlineCorner corner_at(const RgOutline *o, RgVec3 x, RgFeature at)
{
    double uvh[3];
    to_frame(&o->frame, x, uvh);
    return (RgOutlineCorner){uvh[0], uvh[1], uvh[2], at, at};
}

/* ------------------------------------------------------------------ curved sides */

/* Parameter at which the line x0 + s m leaves the ball about e. Returns false if the line misses it. */
static bool exit_ball(RgVec3 x0, RgVec3 m, RgVec3 e, double r, double *s)
{
    RgVec3 w = v3_sub(x0, e);
    double along = v3_dot(w, m), root = along * along - (v3_norm2(w) - r * r);
    *s = -along + sqrt(num_max(0.0, root));
    return root >= 0.0;
}

static bool exit_bar(const RgRoundBar *bar, RgVec3 x0, RgVec3 m, double *s)
{
    RgVec3 w = v3_sub(x0, bar->e);
    double wz = v3_dot(w, bar->a), mz = v3_dot(m, bar->a);
    RgVec3 p = v3_axpy(-wz, bar->a, w), q = v3_axpy(-mz, bar->a, m);
    double A = v3_norm2(q), B = v3_dot(p, q), root = B * B - A * (v3_norm2(p) - bar->r * bar->r);
    if (!(A > 0.0))
        return !bar->open && exit_ball(x0, m, mz < 0.0 ? bar->e : v3_axpy(bar->length, bar->a, bar->e), bar->r, s);
    if (root < 0.0)
        return false;
    *s = (-B + sqrt(root)) / A;
    double z = wz + *s * mz;
    if (bar->open || (z >= 0.0 && z <= bar->length))
        return true;
    return exit_ball(x0, m, z < 0.0 ? bar->e : v3_axpy(bar->length, bar->a, bar->e), bar->r, s);
}

static RgRoundBar make_bar(const RgVec3 end[2], double r)
{
    RgVec3 axis = v3_sub(end[1], end[0]);
    double length = v3_norm(axis);
    return (RgRoundBar){end[0], v3_scale(1.0 / length, axis), length, r, false};
}

/* The curved side that contains a segment facing m. */
static RgRoundBar bar_of_facing(const RgFacing *facing, RgVec3 m)
{
    RgRoundBar bar = make_bar(facing->point, facing->radius);
    RgVec3 up;
    v3_unit(v3_axpy(-v3_dot(m, bar.a), bar.a, m), v3_zero(), &up);
    bar.e = v3_axpy(-bar.r, up, bar.e);
    bar.open = true;
    return bar;
}

static bool bar_height(const RgOutline *o, double u, double v, double *h)
{
    double s;
    if (!exit_bar(&o->bar, rg_contact_frame_point(&o->frame, u, v, 0.0), v3_scale(o->side, o->frame.n), &s))
        return false;
    *h = o->side * s;
    return true;
}

/* ------------------------------------------------------------------ kinds */

static void outline_from_core(RgOutline *out, double slope)
{
    out->rounding = rg_shape_rounding(out->shape);
    out->curved = out->rounding > 0.0;
    rg_outline_polytope(out, slope);
    if (!out->curved)
        return;
    bool bar = out->kind == RG_OUTLINE_SEGMENT && out->shape->core->nv == 2;
    if (bar)
        out->bar = make_bar(out->shape->core->vertex, out->rounding);
    for (int32_t i = 0; i < out->count; i++) {
        double h;
        bool exact = bar && bar_height(out, out->corner[i].u, out->corner[i].v, &h);
        out->corner[i].h = exact ? h : out->corner[i].h + out->side * out->rounding;
    }
}

/* Orients the axes counter-clockwise in the plane, like t and s. */
static void set_disc(RgOutline *out, const RgFacing *facing)
{
    const RgContactFrame *f = &out->frame;
    RgOutlineDisc *d = &out->disc;
    d->mirrored = v3_dot(v3_cross(facing->along[0], facing->along[1]), f->n) < 0.0;
    RgVec3 axis[2] = {facing->along[0], d->mirrored ? v3_neg(facing->along[1]) : facing->along[1]};
    to_frame(f, facing->point[0], d->centre);
    for (int i = 0; i < 2; i++) {
        double *to = i == 0 ? d->x : d->y;
        to[0] = v3_dot(axis[i], f->t);
        to[1] = v3_dot(axis[i], f->s);
        to[2] = v3_dot(axis[i], f->n);
    }
    double det = d->x[0] * d->y[1] - d->x[1] * d->y[0];
    d->x_of[0] = d->y[1] / det;
    d->x_of[1] = -d->y[0] / det;
    d->y_of[0] = -d->x[1] / det;
    d->y_of[1] = d->x[0] / det;
    d->radius = facing->radius;
    out->kind = RG_OUTLINE_DISC;
    out->inside = facing->feature;
    out->border = facing->border[0];
}

static void set_segment(RgOutline *out, const RgFacing *facing, RgVec3 m)
{
    out->kind = RG_OUTLINE_SEGMENT;
    out->count = 2;
    for (int i = 0; i < 2; i++) {
        out->corner[i] = corner_at(out, facing->point[i], facing->border[i]);
        out->corner[i].side = facing->feature;
    }
    if (out->curved)
        out->bar = bar_of_facing(facing, m);
}

static void set_point(RgOutline *out, const RgFacing *facing)
{
    RgVec3 along = facing->along[0];
    out->kind = RG_OUTLINE_POINT;
    out->count = 1;
    out->corner[0] = corner_at(out, facing->point[0], facing->feature);
    out->rim = v3_norm2(along) > 0.0;
    out->along[0] = v3_dot(along, out->frame.t);
    out->along[1] = v3_dot(along, out->frame.s);
}

static void outline_from_facing(RgOutline *out, double slope)
{
    RgVec3 m = v3_scale(out->side, out->frame.n);
    RgFacing facing = rg_shape_facing(out->shape, m, slope);
    out->curved = facing.curved;
    if (facing.kind == RG_FACING_DISC)
        set_disc(out, &facing);
    else if (facing.kind == RG_FACING_SEGMENT)
        set_segment(out, &facing, m);
    else
        set_point(out, &facing);
}

static void set_plane(RgOutline *out)
{
    out->kind = RG_OUTLINE_PLANE;
    out->inside = out->border = (RgFeature){RG_FEATURE_FACE, 0};
}

/* ------------------------------------------------------------------ public */

void rg_outline_make(const RgShape *shape, const RgPose *X_FS, const RgContactFrame *frame, double side, double slope,
                     RgOutline *out)
{
    out->kind = RG_OUTLINE_POINT;
    out->shape = shape;
    out->frame.origin = m3_apply_t(X_FS->R, v3_sub(frame->origin, X_FS->p));
    out->frame.t = m3_apply_t(X_FS->R, frame->t);
    out->frame.s = m3_apply_t(X_FS->R, frame->s);
    out->frame.n = m3_apply_t(X_FS->R, frame->n);
    out->side = side;
    out->rounding = 0.0;
    out->curved = out->rim = out->reduced = out->flat = false;
    out->face = -1;
    out->inner_edges = 0;
    out->count = 0;
    slope = num_max(slope, RG_OUTLINE_LEAST_SLOPE);
    if (shape->core != NULL)
        outline_from_core(out, slope);
    else if (rg_shape_kind(shape->type)->support != NULL)
        outline_from_facing(out, slope);
    else
        set_plane(out);
}

/* Height of the plane z = 0 of a half-space, or of the plane of a disc. */
static double plane_height(const RgOutline *o, double u, double v)
{
    if (o->kind == RG_OUTLINE_PLANE)
        return -rg_contact_frame_point(&o->frame, u, v, 0.0).z / o->frame.n.z;
    const RgOutlineDisc *d = &o->disc;
    double du = u - d->centre[0], dv = v - d->centre[1];
    return d->centre[2] + (d->x_of[0] * du + d->x_of[1] * dv) * d->x[2] + (d->y_of[0] * du + d->y_of[1] * dv) * d->y[2];
}

bool rg_outline_surface(const RgOutline *o, double u, double v, double *h, RgFeature *feature)
{
    if (o->kind == RG_OUTLINE_PLANE || o->kind == RG_OUTLINE_DISC) {
        *h = plane_height(o, u, v);
        *feature = o->inside;
        return true;
    }
    if (o->kind == RG_OUTLINE_POINT)
        return false;
    if (o->curved) {
        *feature = o->corner[0].side;
        return bar_height(o, u, v, h);
    }
    int32_t f = rg_outline_polytope_face(o, u, v, h);
    *feature = (RgFeature){RG_FEATURE_FACE, f};

    /* Points beside an edge may be beside the shape; those in a polygon are not. */
    return f >= 0 && (o->kind == RG_OUTLINE_POLYGON || rg_outline_polytope_over(o, f, u, v));
}

void rg_outline_gradient(const RgOutline *o, double u, double v, double gradient[2])
{
    RgVec3 N = v3(0.0, 0.0, 1.0);
    double h;
    gradient[0] = gradient[1] = 0.0;
    if (o->kind == RG_OUTLINE_DISC) {
        gradient[0] = o->disc.x[2] * o->disc.x_of[0] + o->disc.y[2] * o->disc.y_of[0];
        gradient[1] = o->disc.x[2] * o->disc.x_of[1] + o->disc.y[2] * o->disc.y_of[1];
        return;
    }
    if (o->kind == RG_OUTLINE_POLYGON) {
        int32_t f = rg_outline_polytope_face(o, u, v, &h);
        if (f < 0)
            return;
        N = o->shape->core->normal[f];
    } else if (o->kind != RG_OUTLINE_PLANE) {
        return;
    }
    double up = v3_dot(N, o->frame.n);
    gradient[0] = -v3_dot(N, o->frame.t) / up;
    gradient[1] = -v3_dot(N, o->frame.s) / up;
}

/* Rim or inside of a disc. */
static RgFeature locate_disc(const RgOutline *o, double u, double v, double same)
{
    const RgOutlineDisc *d = &o->disc;
    double du = u - d->centre[0], dv = v - d->centre[1];
    double x = d->x_of[0] * du + d->x_of[1] * dv, y = d->y_of[0] * du + d->y_of[1] * dv;
    return sqrt(x * x + y * y) >= d->radius - same ? o->border : o->inside;
}

RgFeature rg_outline_locate(const RgOutline *o, double u, double v, double same)
{
    if (o->kind == RG_OUTLINE_PLANE)
        return o->inside;
    if (o->kind == RG_OUTLINE_DISC)
        return locate_disc(o, u, v, same);
    for (int32_t i = 0; i < o->count; i++)
        if (o->kind == RG_OUTLINE_POINT || num_max(fabs(o->corner[i].u - u), fabs(o->corner[i].v - v)) <= same)
            return o->corner[i].at;
    if (o->kind == RG_OUTLINE_SEGMENT && o->corner[0].side.kind != RG_FEATURE_NONE)
        return o->corner[0].side;
    return rg_outline_polytope_locate(o, u, v, same);
}

double rg_outline_reach(const RgOutline *o)
{
    double reach = 0.0;
    if (o->kind == RG_OUTLINE_DISC)
        reach = o->disc.radius + num_max(fabs(o->disc.centre[0]), fabs(o->disc.centre[1]));
    for (int32_t i = 0; i < o->count; i++)
        reach = num_max(reach, num_max(fabs(o->corner[i].u), fabs(o->corner[i].v)));
    return reach;
}
