/*
 * epa_descent.c - the last digits of a depth that EPA has found roughly: descent of the depth over the unit
 * normals.
 *
 * Let w(n) be the point of D that is least along n, and h(n) = n.w(n), so that -h is the depth along n. Where
 * D is smooth, the gradient of h on the sphere is t = w - (n.w) n, and
 *
 *   w(n + z) = w(n) - S z        t(n + z) = t - (S + h I) z        z = (S + h I)^-1 t
 *
 * is Newton's step to the nearest stationary n, S the radii of curvature. S comes from differences: w at n +-
 * step u for two directions u across n. Where D has an edge there, the difference does not shrink with the
 * step: it is the edge e itself, and the best n is across it. Two edges: their cross product. One edge:
 * Newton's step along the other direction. Where a step went too far, the normal between that both ends are
 * equally deep at is tried. A normal is kept only if it is less deep, so the answer never gets worse.
 *
 * EPA alone needs as many faces as there are normals almost as good as the best: for cylinders on one axis, a
 * full circle.
 */
#include "collision/epa.h"

#define ROUNDS 40
/* Angles, rad: longest step of Newton's, step of the differences at first and at last, and how much shorter
   than the last move it is. */
#define REACH 0.3
#define STEP_LONGEST 1e-4
#define STEP_SHORTEST 1e-7
#define STEP_PART 0.1
#define REACH_GROWTH 4.0
/* How many points are looked for, and the least step of that. */
#define LOOKS 32
#define STEP_LEAST 1e-12
/* A difference longer than this many steps, in units of the largest coordinate, is an edge. */
#define EDGE_RADIUS 30.0
/* Edges with a smaller sine between them are one. */
#define EDGE_SINE 1e-3
/* How close to an edge, as a part of a step, it is looked at again, and the part of its length that makes
   it the same. */
#define EDGE_SIDE 0.01
#define EDGE_SAME 0.5

/* Surroundings of a normal. */
typedef struct Around {
    RgVec3 n, u[2];
    RgSupport centre, side[4]; /* at +u0, -u0, +u1, -u1 */
    RgVec3 change[2];          /* w at +u less w at -u */
    double step, reach;
} Around;

static RgVec3 unit(RgVec3 v)
{
    return v3_scale(1.0 / v3_norm(v), v);
}

static void look_around(RgDifference *d, RgVec3 n, Around *out)
{
    double step = out->step;
    out->n = n;
    out->u[0] = v3_across(n);
    out->u[1] = v3_cross(n, out->u[0]);
    out->centre = rg_difference_support(d, n);
    for (int i = 0; i < 2; i++) {
        out->side[2 * i] = rg_difference_support(d, unit(v3_axpy(step, out->u[i], n)));
        out->side[2 * i + 1] = rg_difference_support(d, unit(v3_axpy(-step, out->u[i], n)));
        out->change[i] = v3_sub(out->side[2 * i].w, out->side[2 * i + 1].w);
    }
}

/* Newton's step for a slope and a bend of the depth. Where it bends the wrong way: as far down as may be. */
static double newton_step(const Around *at, double slope, double bend)
{
    if (!(fabs(slope) < at->reach * bend))
        return slope < 0.0 ? -at->reach : slope > 0.0 ? at->reach : 0.0;
    return slope / bend;
}

/* The normal to try next where D is smooth: Newton's step along the two principal directions of S. */
static RgVec3 normal_smooth(const Around *at)
{
    double per = -0.5 / at->step;
    double xx = per * v3_dot(at->change[0], at->u[0]), yy = per * v3_dot(at->change[1], at->u[1]);
    double xy = 0.5 * per * (v3_dot(at->change[0], at->u[1]) + v3_dot(at->change[1], at->u[0]));

    /* Eigenvectors of the symmetric two by two matrix. */
    double half = 0.5 * (xx - yy), root = sqrt(half * half + xy * xy), mean = 0.5 * (xx + yy);
    double x = half >= 0.0 ? half + root : xy, y = half >= 0.0 ? xy : root - half;
    double length = sqrt(x * x + y * y);
    if (!(length > 0.0)) {
        x = length = 1.0;
        y = 0.0;
    }
    RgVec3 first = v3_scale(1.0 / length, v3_add(v3_scale(x, at->u[0]), v3_scale(y, at->u[1])));
    RgVec3 second = v3_cross(at->n, first);
    RgVec3 w = at->centre.w;
    double h = v3_dot(w, at->n);
    RgVec3 n = v3_axpy(newton_step(at, v3_dot(w, first), mean + root + h), first, at->n);
    return unit(v3_axpy(newton_step(at, v3_dot(w, second), mean - root + h), second, n));
}

static RgVec3 across_edge(RgVec3 n, RgVec3 e)
{
    return unit(v3_axpy(-v3_dot(n, e) / v3_norm2(e), e, n));
}

/* The normal to try next where D has an edge, about e: across it, and a step of Newton's along the
   direction v that is left. The edge is taken anew from points close by, which the curvature blurs less,
   and the differences along v on either side of it, so that its ends do not enter. */
static RgVec3 normal_edge(RgDifference *d, const Around *at, RgVec3 e)
{
    double aside = EDGE_SIDE * at->step, slope = 0.0, radius = 0.0, h = INFINITY;
    RgVec3 n = across_edge(at->n, e), out = unit(e);
    RgVec3 near = v3_sub(rg_difference_support(d, unit(v3_axpy(-aside, out, n))).w,
                         rg_difference_support(d, unit(v3_axpy(aside, out, n))).w);
    if (v3_norm2(near) > EDGE_SAME * EDGE_SAME * v3_norm2(e)) {
        e = near;
        n = across_edge(n, e);
    }
    RgVec3 v = unit(v3_cross(e, n));
    for (int side = 0; side < 2; side++) {
        RgVec3 m = v3_axpy(side == 0 ? aside : -aside, out, n);
        RgVec3 ahead = rg_difference_support(d, unit(v3_axpy(at->step, v, m))).w;
        RgVec3 behind = rg_difference_support(d, unit(v3_axpy(-at->step, v, m))).w;
        slope += 0.25 * (v3_dot(ahead, v) + v3_dot(behind, v));
        radius += 0.25 * (v3_dot(behind, v) - v3_dot(ahead, v)) / at->step;
        h = fmin(h, fmin(v3_dot(ahead, n), v3_dot(behind, n)));
    }
    return unit(v3_axpy(newton_step(at, slope, radius + h), v, n));
}

/* Keeps n where it is less deep than the best so far. */
static void try_normal(RgDifference *d, RgVec3 n, RgVec3 *best, double *depth)
{
    double tried = v3_finite(n) ? -v3_dot(n, rg_difference_support(d, n).w) : INFINITY;
    if (tried < *depth) {
        *depth = tried;
        *best = n;
    }
}

/* The normal to try next, and its depth. Where a difference is long, it may be an edge or a surface that is
   nearly flat: the least deep of what they would have is taken. */
static RgVec3 normal_next(RgDifference *d, const Around *at, double *depth)
{
    double long2 = EDGE_RADIUS * EDGE_RADIUS * at->step * at->step * d->scale2;
    double length2[2] = {v3_norm2(at->change[0]), v3_norm2(at->change[1])};
    RgVec3 n = at->n;
    *depth = INFINITY;
    try_normal(d, normal_smooth(at), &n, depth);
    if (length2[0] > long2 || length2[1] > long2)
        try_normal(d, normal_edge(d, at, at->change[length2[0] >= length2[1] ? 0 : 1]), &n, depth);
    if (length2[0] > long2 && length2[1] > long2) {
        RgVec3 both = v3_cross(at->change[0], at->change[1]);
        if (v3_norm2(both) > EDGE_SINE * EDGE_SINE * length2[0] * length2[1])
            try_normal(d, unit(v3_dot(both, at->n) < 0.0 ? v3_neg(both) : both), &n, depth);
    }
    return n;
}

/* Where a step went too far: the normal on the way at which the points of D at both ends are equally deep.
   An edge too short to be seen from here is found so. */
static RgVec3 normal_between(RgDifference *d, const Around *at, RgVec3 n, double *depth)
{
    RgVec3 best = n, here = at->centre.w, there = rg_difference_support(d, n).w;
    double from = v3_dot(v3_sub(there, here), at->n), to = v3_dot(v3_sub(here, there), n);
    if (from > 0.0 && to > 0.0) {
        double part = from / (from + to);
        try_normal(d, unit(v3_add(v3_scale(1.0 - part, at->n), v3_scale(part, n))), &best, depth);
    }
    return best;
}

/* Points whose mean lies on the normal, as nearly as may be. Beginning with those of the answer, the next
   lies where their mean is wanting: it is the farthest along a normal turned that way a little. */
static void take_points(RgDifference *d, double step, RgEpa *out)
{
    RgEpa before = *out;
    double off = rg_epa_weigh(out, before.point, before.count);
    for (int look = 0; look < LOOKS && step > STEP_LEAST; look++) {
        RgVec3 n = out->normal, want = v3_scale(-out->upper, n);
        for (int32_t i = 0; i < out->count; i++)
            want = v3_axpy(-out->weight[i], out->point[i].w, want);
        want = v3_axpy(-v3_dot(want, n), n, want);
        double length = v3_norm(want);
        if (!(length > 0.0))
            return;
        RgSupport w = rg_difference_support(d, unit(v3_axpy(-step / length, want, n)));
        double there = rg_epa_add_point(out, &w, off);
        step *= there < off ? 1.0 : STEP_PART;
        off = there;
    }
}

void rg_epa_descend(RgDifference *d, RgEpa *out)
{
    Around at = {.step = STEP_LONGEST, .reach = REACH};
    for (int round = 0; round < ROUNDS; round++) {
        look_around(d, out->normal, &at);
        double depth;
        RgVec3 n = normal_next(d, &at, &depth);
        if (depth > out->upper)
            n = normal_between(d, &at, n, &depth);
        double move = v3_norm(v3_sub(n, out->normal));
        if (depth < out->upper) {
            out->upper = depth;
            out->normal = n;
            at.step = fmax(STEP_SHORTEST, fmin(at.step, STEP_PART * fmax(move, at.step)));
            at.reach = fmin(REACH, fmax(at.reach, REACH_GROWTH * move));
        } else if (at.step > STEP_SHORTEST) {
            at.reach = fmin(at.reach, STEP_PART * move);
            at.step = fmax(STEP_SHORTEST, STEP_PART * at.step);
        } else {
            break;
        }
    }
    take_points(d, at.step, out);
}
