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
 * Newton's step along the other direction. A normal is kept only if it is less deep, so the answer never gets
 * worse.
 *
 * EPA alone needs as many faces as there are normals almost as good as the best: for cylinders on one axis, a
 * full circle.
 */
#include "collision/epa.h"

#define ROUNDS 16
/* Angles, rad: longest step of Newton's, step of the differences at first and at last, and how much shorter
   than the last move it is. */
#define REACH 0.1
#define STEP_LONGEST 1e-4
#define STEP_SHORTEST 1e-7
#define STEP_PART 0.1
#define REACH_GROWTH 4.0
/* A difference longer than this many steps, in units of the largest coordinate, is an edge. */
#define EDGE_RADIUS 30.0
/* Edges with a smaller sine between them are one. */
#define EDGE_SINE 1e-3

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

/* The normal to try next where D has an edge e: across it, and a step of Newton's along the direction v that
   is left. The differences along v are taken anew: they are at right angles to e, so that its ends do not
   blur them. */
static RgVec3 normal_edge(RgDifference *d, const Around *at, RgVec3 e)
{
    RgVec3 n = unit(v3_axpy(-v3_dot(at->n, e) / v3_norm2(e), e, at->n)), v = unit(v3_cross(e, n));
    RgVec3 ahead = rg_difference_support(d, unit(v3_axpy(at->step, v, n))).w;
    RgVec3 behind = rg_difference_support(d, unit(v3_axpy(-at->step, v, n))).w;
    double slope = 0.5 * (v3_dot(ahead, v) + v3_dot(behind, v));
    double radius = 0.5 * (v3_dot(behind, v) - v3_dot(ahead, v)) / at->step;
    double h = fmin(v3_dot(ahead, n), v3_dot(behind, n));
    return unit(v3_axpy(newton_step(at, slope, radius + h), v, n));
}

static RgVec3 normal_next(RgDifference *d, const Around *at)
{
    double long2 = EDGE_RADIUS * EDGE_RADIUS * at->step * at->step * d->scale2;
    bool edge0 = v3_norm2(at->change[0]) > long2, edge1 = v3_norm2(at->change[1]) > long2;
    if (!edge0 && !edge1)
        return normal_smooth(at);
    if (edge0 != edge1)
        return normal_edge(d, at, at->change[edge0 ? 0 : 1]);
    RgVec3 n = v3_cross(at->change[0], at->change[1]);
    double sides2 = v3_norm2(at->change[0]) * v3_norm2(at->change[1]);
    if (v3_norm2(n) <= EDGE_SINE * EDGE_SINE * sides2)
        return normal_edge(d, at, at->change[v3_norm2(at->change[0]) >= v3_norm2(at->change[1]) ? 0 : 1]);
    return unit(v3_dot(n, at->n) < 0.0 ? v3_neg(n) : n);
}

/* Points around the normal whose mean lies on it, as nearly as may be. */
static void take_points(const Around *at, RgEpa *out)
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 1, 3}, {2, 3, 0}, {2, 3, 1}};
    double best = INFINITY;
    for (int k = 0; k < 4; k++) {
        RgSupport point[3] = {at->side[corner[k][0]], at->side[corner[k][1]], at->side[corner[k][2]]};
        RgEpa tried = *out;
        double off = rg_epa_weigh(&tried, point, 3);
        if (off < best) {
            best = off;
            *out = tried;
        }
    }
}

void rg_epa_descend(RgDifference *d, RgEpa *out)
{
    Around at = {.step = STEP_LONGEST, .reach = REACH};
    for (int round = 0; round < ROUNDS; round++) {
        look_around(d, out->normal, &at);
        RgVec3 n = normal_next(d, &at);
        double depth = v3_finite(n) ? -v3_dot(n, rg_difference_support(d, n).w) : INFINITY;
        double move = v3_norm(v3_sub(n, out->normal));
        if (depth < out->upper) {
            out->upper = depth;
            out->normal = n;
            at.step = fmax(STEP_SHORTEST, fmin(at.step, STEP_PART * move));
            at.reach = fmin(REACH, fmax(at.reach, REACH_GROWTH * move));
        } else if (at.step > STEP_SHORTEST) {
            at.reach = fmin(at.reach, STEP_PART * move);
            at.step = fmax(STEP_SHORTEST, STEP_PART * at.step);
        } else {
            break;
        }
    }
    look_around(d, out->normal, &at);
    take_points(&at, out);
}
