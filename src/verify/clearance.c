/*
 * clearance.c - distance of two convex pieces on their paths: measured at sampled times, bounded for all times between.
 *
 * Proof on a time interval: a plane with A on one side and B on the other at all times. Candidates are found from the
 * nearest points at the middle of the interval, and are of three kinds:
 *
 *   n fixed in A        height of a point v of B:  n_A . R_A' (c_B + R_B v - c_A),  less the maximum of A along n_A
 *   n fixed in B        the same with A and B exchanged
 *   n turns with both   two edges: e_A x e_B; a corner and an edge: d - (d . e) e; two corners: d, the vector between
 *                       them. Distance >= (n . d - radius |n| - overhang of either piece beyond its feature) / max |n|
 *
 * Each height is a Taylor model in time (series.h), which encloses its rounding; its minimum is a lower bound of the
 * distance on the whole interval. If it is not above zero the interval is halved, up to a limit of intervals. If the
 * distance at the middle of an interval counts as touching, the proof fails.
 *
 * Cylinders and ellipsoids: their extent along n is a square root, bounded by sqrt(g) <= g / (2 m) + m / 2 for any m >
 * 0, with equality for g = m^2: again a polynomial, with an error of second order in the change of g.
 *
 * Paths and pieces are those of the doubles that describe them, up to SLACK of the size, which is subtracted from the
 * bound.
 */
#include "verify/clearance.h"

/* Rounding of corners and poses, as a part of the size. */
#define SLACK 4e-15
/* Sine of the angle below which edges count as parallel. */
#define PARALLEL 1e-6
enum {
    SHARPEN = 5,   /* number of halvings after which a bound must only be above zero */
    DEPTH_MAX = 40 /* limit of halvings */
};

typedef struct Search {
    const RgMotionStep *step;
    const RgMovingPiece *a, *b;
    const RgClearanceRule *rule;
    RgClearance *out;
    double slack;
} Search;

/* ------------------------------------------------------------------ heights of pieces */

/* Minimum over time of D + k . x over the corners of a hull. */
static double low_of_corners(const RgPiece *piece, const RgSeries *D, const RgSeries3 *k)
{
    /* Bounds of the changes over the interval: corners that are high enough at the middle need no series. */
    double change = rg_series_size(D) - fabs(D->c[0]) + D->r;
    RgVec3 middle = v3(k->at[0].c[0], k->at[1].c[0], k->at[2].c[0]);
    RgVec3 changes = v3(rg_series_size(&k->at[0]) - fabs(middle.x) + k->at[0].r,
                        rg_series_size(&k->at[1]) - fabs(middle.y) + k->at[1].r,
                        rg_series_size(&k->at[2]) - fabs(middle.z) + k->at[2].r);
    double least = (double)INFINITY;
    for (int32_t i = 0; i < piece->ncorners; i++) {
        RgVec3 x = piece->corner[i];
        double height = D->c[0] + v3_dot(middle, x);
        double may_fall = change + fabs(x.x) * changes.x + fabs(x.y) * changes.y + fabs(x.z) * changes.z;
        may_fall += 1e-15 * (fabs(D->c[0]) + v3_norm(x) + may_fall);
        if (height - may_fall > least)
            continue;
        RgSeries h = rg_series_point(D, k, x);
        least = fmin(least, rg_series_low(&h));
    }
    return least;
}

/* An upper bound of the root of g. */
static RgSeries root_upper_bound(const RgSeries *g)
{
    double m = sqrt(fmax(g->c[0], 1e-16));
    RgSeries half = rg_series_number(0.5 * m);
    return rg_series_axpy(0.5 / m, g, &half);
}

/* Minimum over time of D + k . x over a piece, less its radius. */
static double low_of_piece(const RgPiece *piece, const RgSeries *D, const RgSeries3 *k)
{
    if (piece->kind == RG_PIECE_HULL)
        return low_of_corners(piece, D, k) - piece->radius;
    RgSeries zero = rg_series_number(0.0), lowered;
    if (piece->kind == RG_PIECE_ROUND) {
        RgSeries all = rg_series3_dot(k, k), along = rg_series_point(&zero, k, piece->axis);
        RgSeries along2 = rg_series_mul(&along, &along), across2 = rg_series_sub(&all, &along2);
        RgSeries extent = root_upper_bound(&across2);
        lowered = rg_series_axpy(-piece->disc, &extent, D);
    } else {
        RgSeries sum = zero;
        for (int j = 0; j < 3; j++) {
            RgSeries one = rg_series_point(&zero, k, m3_column(piece->axes, j));
            RgSeries square = rg_series_mul(&one, &one);
            sum = rg_series_add(&sum, &square);
        }
        RgSeries extent = root_upper_bound(&sum);
        lowered = rg_series_sub(D, &extent);
    }
    return low_of_corners(piece, &lowered, k);
}

/* ------------------------------------------------------------------ planes */

/* Bound of the distance by a plane with normal n_A fixed in A. */
static double by_plane_of(const RgPiece *a, const RgMoving *A, const RgPiece *b, const RgMoving *B, RgVec3 n_A)
{
    double top = a->kind == RG_PIECE_HALFSPACE ? a->offset : v3_dot(n_A, rg_piece_support(a, n_A)) + a->radius;
    RgSeries3 n = rg_series33_apply_number(&A->R, n_A), between = rg_series3_sub(&B->c, &A->c);
    RgSeries D = rg_series3_dot(&n, &between), lift = rg_series_number(-top);
    RgSeries3 k = rg_series33_apply_transposed(&B->R, &n);
    D = rg_series_add(&D, &lift);
    return low_of_piece(b, &D, &k);
}

/* Path of a point of a body, world axes. */
static RgSeries3 point_series(const RgMoving *body, RgVec3 x)
{
    RgSeries3 p = rg_series33_apply_number(&body->R, x);
    for (int i = 0; i < 3; i++)
        p.at[i] = rg_series_add(&p.at[i], &body->c.at[i]);
    return p;
}

/* Unit vector from one corner to another. */
static RgVec3 along(const RgVec3 corner[2])
{
    RgVec3 d = v3_sub(corner[1], corner[0]);
    return v3_scale(1.0 / v3_norm(d), d);
}

/* d without its part along e, |e| = 1. */
static RgSeries3 across(const RgSeries3 *d, const RgSeries3 *e)
{
    RgSeries part = rg_series3_dot(d, e);
    RgSeries3 out;
    for (int i = 0; i < 3; i++) {
        RgSeries one = rg_series_mul(&part, &e->at[i]);
        out.at[i] = rg_series_sub(&d->at[i], &one);
    }
    return out;
}

/* Normal of the plane between a corner or edge of A and one of B, in time; d: from the first corner of A's feature to
   that of B's. */
static RgSeries3 turning_normal(const RgMoving *A, const RgMoving *B, const RgSeparation *at, const RgSeries3 *d)
{
    RgSeries3 u, v;
    if (at->ncorners_a == 2)
        u = rg_series33_apply_number(&A->R, along(at->corner_a));
    if (at->ncorners_b == 2)
        v = rg_series33_apply_number(&B->R, along(at->corner_b));
    if (at->ncorners_a == 2 && at->ncorners_b == 2) {
        RgSeries3 n = rg_series3_cross(&u, &v);
        RgVec3 middle = v3(n.at[0].c[0], n.at[1].c[0], n.at[2].c[0]);
        if (v3_norm2(middle) < PARALLEL * PARALLEL)
            return across(d, &u);
        return v3_dot(middle, at->normal) < 0.0 ? rg_series3_cross(&v, &u) : n;
    }
    return at->ncorners_a == 2 ? across(d, &u) : at->ncorners_b == 2 ? across(d, &v) : *d;
}

/* Bound by a plane that turns with both: height of one feature over the other, less the radii, less the overhang of
   each piece beyond its feature. */
static double by_turning_plane(const Search *s, const RgMoving *A, const RgMoving *B, const RgSeparation *at)
{
    const RgPiece *a = s->a->piece, *b = s->b->piece;
    RgSeries3 pa = point_series(A, at->corner_a[0]), pb = point_series(B, at->corner_b[0]);
    RgSeries3 d = rg_series3_sub(&pb, &pa), n = turning_normal(A, B, at, &d);
    RgSeries length2 = rg_series3_dot(&n, &n), length = root_upper_bound(&length2), D = rg_series3_dot(&n, &d);
    D = rg_series_axpy(-(a->radius + b->radius), &length, &D);
    RgSeries3 in_a = rg_series33_apply_transposed(&A->R, &n), in_b = rg_series33_apply_transposed(&B->R, &n);
    for (int i = 0; i < 3; i++)
        in_a.at[i] = rg_series_scale(-1.0, &in_a.at[i]);
    RgSeries zero = rg_series_number(0.0);
    RgSeries from_a = rg_series_point(&zero, &in_a, v3_neg(at->corner_a[0]));
    RgSeries from_b = rg_series_point(&zero, &in_b, v3_neg(at->corner_b[0]));
    double height = rg_series_low(&D) + low_of_corners(a, &from_a, &in_a) + low_of_corners(b, &from_b, &in_b);
    double longest = rg_series_high(&length);
    return height > 0.0 && longest > 0.0 ? height / longest * (1.0 - 1e-15) : -(double)INFINITY;
}

/* ------------------------------------------------------------------ an interval */

/* The best bound of the candidates; stops when one is at least `enough`. */
static double best_bound(const Search *s, const RgMoving *A, const RgMoving *B, const RgSeparation *at,
                         const RgPose pose[2], double enough)
{
    const RgPiece *a = s->a->piece, *b = s->b->piece;
    if (a->kind == RG_PIECE_HALFSPACE)
        return by_plane_of(a, A, b, B, a->axis) - s->slack;
    if (b->kind == RG_PIECE_HALFSPACE)
        return by_plane_of(b, B, a, A, b->axis) - s->slack;
    bool hulls = a->kind == RG_PIECE_HULL && b->kind == RG_PIECE_HULL;
    bool turns = at->ncorners_a > 0 && at->ncorners_a <= 2 && at->ncorners_b > 0 && at->ncorners_b <= 2;
    double best = hulls && turns ? by_turning_plane(s, A, B, at) - s->slack : -(double)INFINITY;
    for (int k = 0; k < 2 && best < enough; k++) {
        bool of_b = (at->ncorners_b > at->ncorners_a) != (k == 1);
        RgVec3 n = of_b ? v3_neg(m3_apply_t(pose[1].R, at->normal)) : m3_apply_t(pose[0].R, at->normal);
        double bound = of_b ? by_plane_of(b, B, a, A, n) : by_plane_of(a, A, b, B, n);
        best = fmax(best, bound - s->slack);
    }
    return best;
}

/* Measures the distance at u, and updates the least one. */
static RgSeparation measure_distance(const Search *s, double u, const RgPose pose[2])
{
    RgPlacedPiece a = {s->a->piece, pose[0].R, pose[0].p}, b = {s->b->piece, pose[1].R, pose[1].p};
    RgSeparation at = rg_separation(&a, &b);
    s->out->samples++;
    if (at.distance < s->out->least) {
        s->out->least = at.distance;
        s->out->least_u = u;
    }
    return at;
}

/* Whether [u0, u1] is proven. If not: *stop: the pieces touch, so no proof exists; otherwise the interval must be
   halved. */
static bool prove_interval(const Search *s, double u0, double u1, int depth, bool *stop)
{
    double u = 0.5 * (u0 + u1);
    bool whole = depth == 0;
    RgPose pose[2];
    RgMoving own[2];
    const RgMoving *A = s->a->through, *B = s->b->through;
    pose[0] = whole ? s->a->at[RG_CLEARANCE_SAMPLES / 2] : rg_motion_pose(s->step, s->a->body, u);
    pose[1] = whole ? s->b->at[RG_CLEARANCE_SAMPLES / 2] : rg_motion_pose(s->step, s->b->body, u);
    RgSeparation at = measure_distance(s, u, pose);
    s->out->intervals++;
    *stop = !(at.distance > s->rule->touching);
    if (*stop)
        return false;
    if (!whole) {
        A = rg_motion_series(s->step, s->a->body, u0, u1, &own[0]) ? &own[0] : NULL;
        B = rg_motion_series(s->step, s->b->body, u0, u1, &own[1]) ? &own[1] : NULL;
    }
    if (A == NULL || B == NULL)
        return false;
    double enough = fmin(0.5 * at.distance, s->rule->wanted);
    double bound = best_bound(s, A, B, &at, pose, enough);
    bool taken = bound >= enough || (depth >= SHARPEN && bound > 0.0);
    if (taken)
        s->out->bound = fmin(s->out->bound, bound);
    return taken;
}

/* Halves time intervals until all are proven. */
static bool prove_all(const Search *s)
{
    struct {
        double u0, u1;
        int depth;
    } stack[DEPTH_MAX + 2] = {{0.0, 1.0, 0}};
    int n = 1;
    bool failed = false;
    while (n > 0 && s->out->intervals < s->rule->max_intervals) {
        double u0 = stack[n - 1].u0, u1 = stack[n - 1].u1;
        int depth = stack[n - 1].depth;
        bool stop = false;
        n--;
        if (prove_interval(s, u0, u1, depth, &stop))
            continue;
        if (stop || depth >= DEPTH_MAX) {
            failed = true;
            continue;
        }
        double u = 0.5 * (u0 + u1);
        stack[n].u0 = u;
        stack[n].u1 = u1;
        stack[n++].depth = depth + 1;
        stack[n].u0 = u0;
        stack[n].u1 = u;
        stack[n++].depth = depth + 1;
    }
    return !failed && n == 0;
}

RgClearance rg_clearance(const RgMotionStep *step, const RgMovingPiece *a, const RgMovingPiece *b,
                         const RgClearanceRule *rule)
{
    RgClearance out = {.least = (double)INFINITY, .bound = (double)INFINITY};
    Search s = {step, a, b, rule, &out, 0.0};
    for (int i = 0; i <= RG_CLEARANCE_SAMPLES; i++) {
        RgPose pose[2] = {a->at[i], b->at[i]};
        double d = measure_distance(&s, (double)i / RG_CLEARANCE_SAMPLES, pose).distance;
        out.begin = i == 0 ? d : out.begin;
        out.end = d;
    }
    double size = v3_norm(v3_sub(b->at[0].p, a->at[0].p));
    for (int k = 0; k < 2; k++) {
        const RgPiece *piece = k == 0 ? a->piece : b->piece;
        size += piece->kind == RG_PIECE_HALFSPACE ? fabs(piece->offset) : piece->reach + v3_norm(piece->middle);
    }
    s.slack = SLACK * size;
    out.proven = out.least >= -rule->touching && prove_all(&s) && out.least > rule->touching;
    return out;
}
