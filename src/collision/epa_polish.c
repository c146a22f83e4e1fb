/*
 * epa_polish.c - refines the normal and witness points of a depth to round-off, using the parts of the difference.
 *
 * With the parts known (epa_parts.h), the depth near a result is
 *
 *   h(n) = |A n| + |B n| + max over few v of v.n
 *
 * so its corners v can be distinguished however short the edge between them. At the minimum of h one, two or three v
 * are equally far along n:
 *
 *   one      Newton's step on the sphere, z = -(S - h I)^-1 t, where t = x_A + x_B + v less its part along n,
 *            S = sum of M M / m - (M M n)(M M n)^T / m^3 over both ellipsoids, m = |M n|, x = M M n / m
 *   two      n is perpendicular to their difference e: a great circle, and Newton's step along it
 *   three    n is the normal of their plane
 *
 * All of these steps are computed for the v found so far. The n with the least depth by these v is evaluated, which
 * either finds a new v or confirms the minimum. The points are x_A + x_B + v, all at the same n; the convex combination
 * of them that lies on the normal is exact.
 *
 * Cost: some ten support queries. Failure: no better result; the given one is then unchanged.
 */
#include "collision/epa.h"
#include "collision/epa_parts.h"

/* Cost bounds: iterations, and corners stored. */
#define POLISH_MAX_ITERATIONS 40
#define POLISH_MAX_CORNERS 6
/* rad: initial bound of a step; factor by which it shrinks after a step that increased the depth and found no corner;
   bound at which the iteration ends. */
#define POLISH_REACH 0.1
#define POLISH_SHORTER 0.25
#define POLISH_SMALLEST_REACH 1e-14
/* Fractions of the largest coordinate: corners closer than the first coincide; corners within the second of the
   farthest along n may support the result. */
#define POLISH_SAME_CORNER 1e-13
#define POLISH_SUPPORT_LEVEL 1e-11

typedef struct Polish {
    RgEpaParts parts;
    RgEpaCorner corner[POLISH_MAX_CORNERS];
    int32_t count;
    RgVec3 n; /* the best normal, and h there */
    double depth;
    double reach;
} Polish;

/* h(n) over the corners found so far. */
static double depth_of_corners(const Polish *s, RgVec3 n)
{
    RgEpaRound round = rg_epa_round(&s->parts, n);
    double most = -INFINITY;
    for (int32_t i = 0; i < s->count; i++)
        most = d_max(most, v3_dot(s->corner[i].v, n));
    return round.length[0] + round.length[1] + most;
}

/* Evaluates h at n. Returns true if that finds a new corner. If the list is full, the new corner replaces the least far
   one. */
static bool evaluate_depth(Polish *s, RgVec3 n, double *depth)
{
    RgEpaCorner found = rg_epa_corner(&s->parts, n);
    double same = POLISH_SAME_CORNER * sqrt(s->parts.d->scale2);
    *depth = found.depth;
    int32_t least = 0;
    for (int32_t i = 0; i < s->count; i++) {
        if (v3_norm2(v3_sub(found.v, s->corner[i].v)) <= same * same)
            return false;
        if (v3_dot(s->corner[i].v, n) < v3_dot(s->corner[least].v, n))
            least = i;
    }
    s->corner[s->count < POLISH_MAX_CORNERS ? s->count++ : least] = found;
    return true;
}

/* ------------------------------------------------------------------ steps */

/* Newton's step for the slope and curvature (bend) of h along a direction; the largest step downhill if the curvature
   is not positive or the step too long. */
static double newton_step(const Polish *s, double slope, double bend)
{
    if (fabs(slope) < s->reach * bend)
        return -slope / bend;
    return slope > 0.0 ? -s->reach : slope < 0.0 ? s->reach : 0.0;
}

/* u.S w summed over both ellipsoids at n; at: their support at n. */
static double hessian_form(const Polish *s, const RgEpaRound *at, RgVec3 u, RgVec3 w)
{
    RgEpaRound x = rg_epa_round(&s->parts, u), y = rg_epa_round(&s->parts, w);
    double sum = 0.0;
    for (int k = 0; k < 2; k++) {
        double m = at->length[k];
        if (!(m > 0.0))
            continue;
        double along = (v3_dot(x.part[k], at->part[k]) / m) * (v3_dot(y.part[k], at->part[k]) / m);
        sum += (v3_dot(x.part[k], y.part[k]) - along) / m;
    }
    return sum;
}

/* x_A + x_B + v at n. */
static RgVec3 point_at(const Polish *s, const RgEpaRound *at, RgVec3 v)
{
    return v3_add(v, v3_add(rg_epa_round_point(&s->parts, at, 0), rg_epa_round_point(&s->parts, at, 1)));
}

/* The unit vector of a, or n if a is zero. */
static RgVec3 unit_or(RgVec3 a, RgVec3 n)
{
    v3_unit(a, n, &a);
    return a;
}

static RgVec3 one_corner_step(const Polish *s, RgVec3 v)
{
    RgVec3 n = s->n, u = v3_orthogonal(n), w = v3_cross(n, u);
    RgEpaRound at = rg_epa_round(&s->parts, n);
    RgVec3 x = point_at(s, &at, v);
    double xx = hessian_form(s, &at, u, u), yy = hessian_form(s, &at, w, w), xy = hessian_form(s, &at, u, w),
           h = v3_dot(x, n);

    /* Newton's step along the two principal directions of the Hessian. */
    double half = 0.5 * (xx - yy), root = sqrt(half * half + xy * xy), mean = 0.5 * (xx + yy);
    RgVec3 first = half >= 0.0 ? v3_add(v3_scale(half + root, u), v3_scale(xy, w))
                               : v3_add(v3_scale(xy, u), v3_scale(root - half, w));
    first = unit_or(first, u);
    RgVec3 second = v3_cross(n, first);
    n = v3_axpy(newton_step(s, v3_dot(x, first), mean + root - h), first, n);
    return unit_or(v3_axpy(newton_step(s, v3_dot(x, second), mean - root - h), second, n), n);
}

static RgVec3 two_corner_step(const Polish *s, RgVec3 v, RgVec3 other)
{
    RgVec3 e = unit_or(v3_sub(v, other), s->n);
    RgVec3 n = unit_or(v3_axpy(-v3_dot(s->n, e), e, s->n), s->n), u = v3_cross(e, n);
    RgEpaRound at = rg_epa_round(&s->parts, n);
    RgVec3 x = point_at(s, &at, v);
    double bend = hessian_form(s, &at, u, u) - v3_dot(x, n);
    return unit_or(v3_axpy(newton_step(s, v3_dot(x, u), bend), u, n), n);
}

static RgVec3 three_corner_step(const Polish *s, const RgVec3 v[3])
{
    RgVec3 n = unit_or(rg_triangle_normal(v[0], v[1], v[2]), s->n);
    return v3_dot(n, s->n) < 0.0 ? v3_neg(n) : n;
}

/* Takes n as the new best normal if it is within twice the squared step bound (a step may have that length along two
   directions) and less deep. */
static void try_candidate(const Polish *s, RgVec3 n, RgVec3 *best, double *depth)
{
    double estimate = v3_norm2(v3_sub(n, s->n)) <= 2.0 * s->reach * s->reach ? depth_of_corners(s, n) : INFINITY;
    if (estimate < *depth) {
        *depth = estimate;
        *best = n;
    }
}

/* The normal of all candidate steps that is least deep by the corners found so far. */
static RgVec3 next_normal(const Polish *s, double *depth)
{
    RgVec3 best = s->n;
    const RgEpaCorner *c = s->corner;
    *depth = INFINITY;
    for (int32_t i = 0; i < s->count; i++) {
        try_candidate(s, one_corner_step(s, c[i].v), &best, depth);
        for (int32_t j = 0; j < i; j++) {
            try_candidate(s, two_corner_step(s, c[i].v, c[j].v), &best, depth);
            for (int32_t k = 0; k < j; k++) {
                RgVec3 v[3] = {c[i].v, c[j].v, c[k].v};
                try_candidate(s, three_corner_step(s, v), &best, depth);
            }
        }
    }
    return best;
}

static void minimise_depth(Polish *s)
{
    evaluate_depth(s, s->n, &s->depth);
    for (int round = 0; round < POLISH_MAX_ITERATIONS && s->reach > POLISH_SMALLEST_REACH; round++) {
        double estimate, depth;
        RgVec3 n = next_normal(s, &estimate);
        if (!(estimate < s->depth))
            return;
        bool found = evaluate_depth(s, n, &depth);
        if (depth < s->depth) {
            s->depth = depth;
            s->n = n;
        } else if (!found) {
            s->reach *= POLISH_SHORTER;
        }
    }
}

/* ------------------------------------------------------------------ points */

/* Convex combination of the points of the corners that are farthest along n that lies nearest to the normal. Returns
   its distance from it. */
static double set_points(const Polish *s, RgEpa *out)
{
    const RgDifference *d = s->parts.d;
    RgEpaRound at = rg_epa_round(&s->parts, s->n);
    double level = s->depth - (at.length[0] + at.length[1]) - POLISH_SUPPORT_LEVEL * sqrt(d->scale2), off = INFINITY;
    out->count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < s->count; i++) {
            const RgEpaCorner *c = &s->corner[i];
            if (v3_dot(c->v, s->n) < level)
                continue;
            RgVec3 a = v3_add(c->a, rg_epa_round_point(&s->parts, &at, 0)), x = point_at(s, &at, c->v);
            RgSupport point = {.w = v3_axpy(d->round_a + d->round_b, s->n, v3_neg(x)),
                               .a = v3_axpy(-d->round_a, s->n, a),
                               .va = c->va,
                               .vb = c->vb};
            off = rg_epa_add_point(out, &point, off);
        }
    return off;
}

void rg_epa_polish(RgDifference *d, RgEpa *out)
{
    Polish s = {.n = out->normal, .reach = POLISH_REACH};
    if (!rg_epa_parts(d, &s.parts))
        return;
    minimise_depth(&s);
    RgEpa better = *out, same = *out;
    better.normal = s.n;
    better.upper = s.depth - (d->round_a + d->round_b);
    double off = rg_epa_set_weights(&same, out->point, out->count), off_new = set_points(&s, &better);
    if (better.upper <= out->upper + rg_difference_noise(d) && off_new <= off)
        *out = better;
}
