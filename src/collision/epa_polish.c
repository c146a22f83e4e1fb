/*
 * epa_polish.c - normal and witness points of a depth to the last digits, from the parts of the difference.
 *
 * With the parts known (epa_parts.h), the depth near an answer is
 *
 *   h(n) = |A n| + |B n| + max over few v of v.n
 *
 * so its corners v can be told from its curvature, however short an edge between them is. At the least h one,
 * two or three v are equally far:
 *
 *   one      Newton's step on the sphere, z = -(S - h I)^-1 t, where t = x_A + x_B + v less its part along n,
 *            S = sum of M M / m - (M M n)(M M n)^T / m^3 over both ellipsoids, m = |M n|, x = M M n / m
 *   two      n is across their difference e: a great circle, and Newton's step along it
 *   three    n is the normal of their plane
 *
 * All of them are tried on the v known so far; the n that these call least deep is looked at, which finds a
 * new v or is the answer. The points are x_A + x_B + v at one and the same n; their mean on the normal is
 * exact.
 *
 * Cost: some ten supports. Failure: no better answer; it stays as it was.
 */
#include "collision/epa.h"
#include "collision/epa_parts.h"

#define POLISH_ROUNDS 40
#define POLISH_CORNERS 6
/* Longest step, rad, at first, and the part of it that is left where it went too far without finding a
   corner; the least that matters. */
#define POLISH_REACH 0.1
#define POLISH_SHORTER 0.25
#define POLISH_LEAST 1e-14
/* Corners this near, as a part of the largest coordinate, are one; and may carry the answer where they are
   less far along n by no more than the second. */
#define POLISH_SAME 1e-13
#define POLISH_LEVEL 1e-11

typedef struct Polish {
    RgEpaParts parts;
    RgEpaCorner corner[POLISH_CORNERS];
    int32_t count;
    RgVec3 n; /* the best normal, and h there */
    double depth;
    double reach;
} Polish;

/* h of the corners known. */
static double depth_known(const Polish *s, RgVec3 n)
{
    RgEpaRound round = rg_epa_round(&s->parts, n);
    double most = -INFINITY;
    for (int32_t i = 0; i < s->count; i++)
        most = d_max(most, v3_dot(s->corner[i].v, n));
    return round.length[0] + round.length[1] + most;
}

/* Looks at n; true: there is a new corner. Where there are too many, the least far one goes. */
static bool look_at(Polish *s, RgVec3 n, double *depth)
{
    RgEpaCorner found = rg_epa_corner(&s->parts, n);
    double same = POLISH_SAME * sqrt(s->parts.d->scale2);
    *depth = found.depth;
    int32_t least = 0;
    for (int32_t i = 0; i < s->count; i++) {
        if (v3_norm2(v3_sub(found.v, s->corner[i].v)) <= same * same)
            return false;
        if (v3_dot(s->corner[i].v, n) < v3_dot(s->corner[least].v, n))
            least = i;
    }
    s->corner[s->count < POLISH_CORNERS ? s->count++ : least] = found;
    return true;
}

/* ------------------------------------------------------------------ steps */

/* Newton's step for a slope and a bend; where it bends the wrong way: as far down as may be. */
static double newton_step(const Polish *s, double slope, double bend)
{
    if (fabs(slope) < s->reach * bend)
        return -slope / bend;
    return slope > 0.0 ? -s->reach : slope < 0.0 ? s->reach : 0.0;
}

/* u.S w of both ellipsoids at n, whose rounds are given. */
static double radius_between(const Polish *s, const RgEpaRound *at, RgVec3 u, RgVec3 w)
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

/* A unit vector; n where there is none. */
static RgVec3 unit_or(RgVec3 a, RgVec3 n)
{
    v3_unit(a, n, &a);
    return a;
}

static RgVec3 step_one(const Polish *s, RgVec3 v)
{
    RgVec3 n = s->n, u = v3_across(n), w = v3_cross(n, u);
    RgEpaRound at = rg_epa_round(&s->parts, n);
    RgVec3 x = point_at(s, &at, v);
    double xx = radius_between(s, &at, u, u), yy = radius_between(s, &at, w, w), xy = radius_between(s, &at, u, w),
           h = v3_dot(x, n);

    /* Along the principal directions. */
    double half = 0.5 * (xx - yy), root = sqrt(half * half + xy * xy), mean = 0.5 * (xx + yy);
    RgVec3 first = half >= 0.0 ? v3_add(v3_scale(half + root, u), v3_scale(xy, w))
                               : v3_add(v3_scale(xy, u), v3_scale(root - half, w));
    first = unit_or(first, u);
    RgVec3 second = v3_cross(n, first);
    n = v3_axpy(newton_step(s, v3_dot(x, first), mean + root - h), first, n);
    return unit_or(v3_axpy(newton_step(s, v3_dot(x, second), mean - root - h), second, n), n);
}

static RgVec3 step_two(const Polish *s, RgVec3 v, RgVec3 other)
{
    RgVec3 e = unit_or(v3_sub(v, other), s->n);
    RgVec3 n = unit_or(v3_axpy(-v3_dot(s->n, e), e, s->n), s->n), u = v3_cross(e, n);
    RgEpaRound at = rg_epa_round(&s->parts, n);
    RgVec3 x = point_at(s, &at, v);
    double bend = radius_between(s, &at, u, u) - v3_dot(x, n);
    return unit_or(v3_axpy(newton_step(s, v3_dot(x, u), bend), u, n), n);
}

static RgVec3 step_three(const Polish *s, const RgVec3 v[3])
{
    RgVec3 n = unit_or(rg_triangle_normal(v[0], v[1], v[2]), s->n);
    return v3_dot(n, s->n) < 0.0 ? v3_neg(n) : n;
}

/* A step may reach as far in two directions. */
static void offer(const Polish *s, RgVec3 n, RgVec3 *best, double *depth)
{
    double known = v3_norm2(v3_sub(n, s->n)) <= 2.0 * s->reach * s->reach ? depth_known(s, n) : INFINITY;
    if (known < *depth) {
        *depth = known;
        *best = n;
    }
}

/* The normal within reach that is least deep by the corners known, of all steps. */
static RgVec3 next_normal(const Polish *s, double *depth)
{
    RgVec3 best = s->n;
    const RgEpaCorner *c = s->corner;
    *depth = INFINITY;
    for (int32_t i = 0; i < s->count; i++) {
        offer(s, step_one(s, c[i].v), &best, depth);
        for (int32_t j = 0; j < i; j++) {
            offer(s, step_two(s, c[i].v, c[j].v), &best, depth);
            for (int32_t k = 0; k < j; k++) {
                RgVec3 v[3] = {c[i].v, c[j].v, c[k].v};
                offer(s, step_three(s, v), &best, depth);
            }
        }
    }
    return best;
}

static void find_least(Polish *s)
{
    look_at(s, s->n, &s->depth);
    for (int round = 0; round < POLISH_ROUNDS && s->reach > POLISH_LEAST; round++) {
        double known, depth;
        RgVec3 n = next_normal(s, &known);
        if (!(known < s->depth))
            return;
        bool found = look_at(s, n, &depth);
        if (depth < s->depth) {
            s->depth = depth;
            s->n = n;
        } else if (!found) {
            s->reach *= POLISH_SHORTER;
        }
    }
}

/* ------------------------------------------------------------------ points */

/* The points of the corners that are as far along n, and what of them carries the answer. */
static double answer_points(const Polish *s, RgEpa *out)
{
    const RgDifference *d = s->parts.d;
    RgEpaRound at = rg_epa_round(&s->parts, s->n);
    double level = s->depth - (at.length[0] + at.length[1]) - POLISH_LEVEL * sqrt(d->scale2), off = INFINITY;
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
    find_least(&s);
    RgEpa better = *out, same = *out;
    better.normal = s.n;
    better.upper = s.depth - (d->round_a + d->round_b);
    double off = rg_epa_weigh(&same, out->point, out->count), there = answer_points(&s, &better);
    if (better.upper <= out->upper + rg_difference_noise(d) && there <= off)
        *out = better;
}
