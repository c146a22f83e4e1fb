/*
 * epa_descent.c - refines a depth that EPA has found approximately: descent of the depth over the unit normals.
 *
 * Let w(n) be the point of D that is least along n, and h(n) = n.w(n), so that -h is the depth along n. Where D is
 * smooth, the gradient of h on the sphere is t = w - (n.w) n, and
 *
 *   w(n + z) = w(n) - S z        t(n + z) = t - (S + h I) z        z = (S + h I)^-1 t
 *
 * is Newton's step to the nearest stationary n, S the matrix of radii of curvature. S is computed from differences: w
 * at n +- step u for two directions u normal to n. Where D has an edge there, the difference does not shrink with the
 * step: it is the edge e itself, and the best n is perpendicular to it. Two edges: their cross product. One edge:
 * Newton's step along the other direction. If a step was too long, the intermediate normal at which both end points are
 * equally deep is tried. A normal is accepted only if it is less deep, so the result never gets worse.
 *
 * EPA alone needs as many faces as there are normals almost as good as the best: for coaxial cylinders, a full circle.
 */
#include "collision/epa.h"

/* Cost bound. */
#define MAX_ITERATIONS 40
/* rad: longest Newton step; first and last step of the differences; step of the differences relative to the last move;
   growth of the bound of the Newton step relative to the last move. */
#define LONGEST_NEWTON_STEP 0.3
#define STEP_LONGEST 1e-4
#define STEP_SHORTEST 1e-7
#define STEP_REDUCTION 0.1
#define REACH_GROWTH 4.0
/* Iterations of the search for witness points, and the step at which it ends, rad. */
#define MAX_POINT_ITERATIONS 32
#define SMALLEST_POINT_STEP 1e-12
/* A difference longer than this many steps, in units of the largest coordinate, counts as an edge. */
#define EDGE_RADIUS 30.0
/* Two edges with a smaller sine between them count as one. */
#define EDGE_SINE 1e-3
/* Distance from an edge, as a fraction of a step, at which it is evaluated again; fraction of its length that the edge
   must then have to be confirmed. */
#define EDGE_OFFSET 0.01
#define EDGE_CONFIRMED 0.5

/* Support points around a normal. */
typedef struct Neighbourhood {
    RgVec3 n, u[2];
    RgSupport centre, side[4]; /* at +u0, -u0, +u1, -u1 */
    RgVec3 change[2];          /* w at +u minus w at -u */
    double step, reach;
} Neighbourhood;

static RgVec3 unit(RgVec3 v)
{
    return v3_scale(1.0 / v3_norm(v), v);
}

static void sample_neighbourhood(RgDifference *d, RgVec3 n, Neighbourhood *out)
{
    double step = out->step;
    out->n = n;
    out->u[0] = v3_orthogonal(n);
    out->u[1] = v3_cross(n, out->u[0]);
    out->centre = rg_difference_support(d, n);
    for (int i = 0; i < 2; i++) {
        out->side[2 * i] = rg_difference_support(d, unit(v3_axpy(step, out->u[i], n)));
        out->side[2 * i + 1] = rg_difference_support(d, unit(v3_axpy(-step, out->u[i], n)));
        out->change[i] = v3_sub(out->side[2 * i].w, out->side[2 * i + 1].w);
    }
}

/* Newton's step for the slope and curvature (bend) of the depth along a direction; the largest step downhill if the
   curvature is not positive or the step too long. */
static double newton_step(const Neighbourhood *at, double slope, double bend)
{
    if (!(fabs(slope) < at->reach * bend))
        return slope < 0.0 ? -at->reach : slope > 0.0 ? at->reach : 0.0;
    return slope / bend;
}

/* Candidate normal for smooth D: Newton's step along the two principal directions of S. */
static RgVec3 normal_smooth(const Neighbourhood *at)
{
    double per = -0.5 / at->step;
    double xx = per * v3_dot(at->change[0], at->u[0]), yy = per * v3_dot(at->change[1], at->u[1]);
    double xy = 0.5 * per * (v3_dot(at->change[0], at->u[1]) + v3_dot(at->change[1], at->u[0]));

    /* Eigenvector of the symmetric 2 x 2 matrix. */
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

static RgVec3 perpendicular_to_edge(RgVec3 n, RgVec3 e)
{
    return unit(v3_axpy(-v3_dot(n, e) / v3_norm2(e), e, n));
}

/* Candidate normal if D has an edge, about e: perpendicular to it, and Newton's step along the remaining direction v.
   The edge is computed again from closer points, where curvature blurs it less; the differences along v are taken on
   either side of it, so that its ends do not enter. */
static RgVec3 normal_edge(RgDifference *d, const Neighbourhood *at, RgVec3 e)
{
    double aside = EDGE_OFFSET * at->step, slope = 0.0, radius = 0.0, h = INFINITY;
    RgVec3 n = perpendicular_to_edge(at->n, e), out = unit(e);
    RgVec3 near = v3_sub(rg_difference_support(d, unit(v3_axpy(-aside, out, n))).w,
                         rg_difference_support(d, unit(v3_axpy(aside, out, n))).w);
    if (v3_norm2(near) > EDGE_CONFIRMED * EDGE_CONFIRMED * v3_norm2(e)) {
        e = near;
        n = perpendicular_to_edge(n, e);
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

/* Takes n as the best normal if it is less deep. */
static void try_normal(RgDifference *d, RgVec3 n, RgVec3 *best, double *depth)
{
    double tried = v3_finite(n) ? -v3_dot(n, rg_difference_support(d, n).w) : INFINITY;
    if (tried < *depth) {
        *depth = tried;
        *best = n;
    }
}

/* The next normal, and its depth. A long difference is either an edge or a surface that is nearly flat: both candidates
   are tried and the less deep one is used. */
static RgVec3 normal_next(RgDifference *d, const Neighbourhood *at, double *depth)
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

/* After a step that was too long: the intermediate normal at which the points of D at both ends are equally deep. This
   finds an edge too short for the differences. */
static RgVec3 normal_between(RgDifference *d, const Neighbourhood *at, RgVec3 n, double *depth)
{
    RgVec3 best = n, w_start = at->centre.w, w_end = rg_difference_support(d, n).w;
    double from = v3_dot(v3_sub(w_end, w_start), at->n), to = v3_dot(v3_sub(w_start, w_end), n);
    if (from > 0.0 && to > 0.0) {
        double part = from / (from + to);
        try_normal(d, unit(v3_add(v3_scale(1.0 - part, at->n), v3_scale(part, n))), &best, depth);
    }
    return best;
}

/* Finds points whose convex combination lies as near to the normal as possible. Starts from those of the result; each
   new point is the support point along the normal tilted towards the missing direction. */
static void find_points(RgDifference *d, double step, RgEpa *out)
{
    RgEpa before = *out;
    double off = rg_epa_set_weights(out, before.point, before.count);
    for (int iteration = 0; iteration < MAX_POINT_ITERATIONS && step > SMALLEST_POINT_STEP; iteration++) {
        RgVec3 n = out->normal, missing = v3_scale(-out->upper, n);
        for (int32_t i = 0; i < out->count; i++)
            missing = v3_axpy(-out->weight[i], out->point[i].w, missing);
        missing = v3_axpy(-v3_dot(missing, n), n, missing);
        double length = v3_norm(missing);
        if (!(length > 0.0))
            return;
        RgSupport w = rg_difference_support(d, unit(v3_axpy(-step / length, missing, n)));
        double w_end = rg_epa_add_point(out, &w, off);
        step *= w_end < off ? 1.0 : STEP_REDUCTION;
        off = w_end;
    }
}

void rg_epa_descend(RgDifference *d, RgEpa *out)
{
    Neighbourhood at = {.step = STEP_LONGEST, .reach = LONGEST_NEWTON_STEP};
    for (int round = 0; round < MAX_ITERATIONS; round++) {
        sample_neighbourhood(d, out->normal, &at);
        double depth;
        RgVec3 n = normal_next(d, &at, &depth);
        if (depth > out->upper)
            n = normal_between(d, &at, n, &depth);
        double move = v3_norm(v3_sub(n, out->normal));
        if (depth < out->upper) {
            out->upper = depth;
            out->normal = n;
            at.step = fmax(STEP_SHORTEST, fmin(at.step, STEP_REDUCTION * fmax(move, at.step)));
            at.reach = fmin(LONGEST_NEWTON_STEP, fmax(at.reach, REACH_GROWTH * move));
        } else if (at.step > STEP_SHORTEST) {
            at.reach = fmin(at.reach, STEP_REDUCTION * move);
            at.step = fmax(STEP_SHORTEST, STEP_REDUCTION * at.step);
        } else {
            break;
        }
    }
    find_points(d, at.step, out);
}
