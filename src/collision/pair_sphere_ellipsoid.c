/*
 * pair_sphere_ellipsoid.c - a ball against an ellipsoid: the distance of a point y from an ellipsoid of half axes e.
 *
 * With y in the first octant and e_2 the least half axis, the nearest surface point x and its normal N are
 *
 *   x_i = e_i^2 y_i / (s + E_i)      N_i = x_i / e_i^2 = y_i / (s + E_i)      E_i = e_i^2 - e_2^2
 *
 * where s >= 0 is the greatest root of |q(s)| = 1, q_i = e_i y_i / (s + E_i) (Eberly 2013, with s measured from the
 * last pole instead of from zero, which avoids cancellation near it). Outside and inside, the distance is s - e_2^2
 * times |N|. Newton's method on
 *
 *   f(s) = 1/|q(s)| - 1,      f' = |q|^-3 sum_i q_i^2 / (s + E_i)
 *
 * which is increasing and concave (Conn, Gould, Toint 2000, lemma 7.3.1), converges to the root from below without
 * overshooting, in a few steps, since f is nearly linear. It starts from the largest of
 *
 *   s >= e_i y_i - E_i,      s >= |e y| - E_0,      and one step from above,  s <= |e y|.
 *
 * If y_2 = 0 and |q(0)| < 1 (a point inside, near the middle plane) there is no such root: s = 0, and x_2 follows from
 * q_2^2 = 1 - |q(0)|^2. This also covers equal axes, the centre, and flat ellipsoids, e_2 = 0.
 *
 * The signed distance is then that of the plane with normal n = N/|N|, d = n . y - |e n|: an error of n enters squared,
 * and the plane never cuts the ellipsoid. Usually 3 to 6 steps.
 */
#include "collision/pair_answer.h"

/* Bound of the iteration; not reached in the tests. */
#define ELLIPSOID_STEPS 100

/* Lengths below the first count as a point; half axes below the second, as a fraction of the largest length, as zero.
   Products of the two below the third count as zero, since their squares would underflow. */
#define ELLIPSOID_POINT 1e-290
#define ELLIPSOID_FLAT 1e-100
#define ELLIPSOID_PRODUCT 1e-140

/* The point and the ellipsoid in the first octant, axes in decreasing order, scaled to lengths of at most 1. */
typedef struct Secular {
    double y[3], e[3];
    double ey[3]; /* e_i y_i */
    double E[3];  /* e_i^2 - e_2^2 */
} Secular;

/* Newton step from s; the sign of f is the side of the root on which s is. Poles with zero weight are skipped. */
static double secular_newton(const Secular *q, double s, double *f)
{
    double square = 0.0, slope = 0.0;
    for (int i = 0; i < 3; i++) {
        if (q->ey[i] > 0.0) {
            double below = s + q->E[i], term = q->ey[i] / below;
            square += term * term;
            slope += term * term / below;
        }
    }
    double length = sqrt(square);
    *f = 1.0 - length;
    return s + (length - 1.0) * (square / slope);
}

/* Largest root of |q(s)| = 1; 0 if there is none above 0. */
static double secular_root(const Secular *q, int32_t *steps)
{
    double most = sqrt(q->ey[0] * q->ey[0] + q->ey[1] * q->ey[1] + q->ey[2] * q->ey[2]);
    *steps = 0;
    if (!(most > 0.0))
        return 0.0;
    double f, s = d_max(0.0, most - q->E[0]);
    for (int i = 0; i < 3; i++)
        s = d_max(s, q->ey[i] - q->E[i]);
    s = d_max(s, secular_newton(q, most, &f));
    for (*steps = 1; *steps < ELLIPSOID_STEPS; ++*steps) {
        double next = secular_newton(q, s, &f);
        if (!(f < 0.0) || !(next > s))
            break;
        s = next;
    }
    return s;
}

/* N of the root s, up to a positive factor. */
static void normal_at(const Secular *q, double s, double N[3])
{
    double least = q->e[2], rest = 1.0;
    for (int i = 0; i < 3; i++) {
        double below = s + q->E[i];
        if (s > 0.0)
            N[i] = q->y[i] / below;
        else if (least > 0.0)
            N[i] = q->ey[i] > 0.0 ? least * (q->y[i] / below) : 0.0;
        else
            N[i] = below > 0.0 ? 0.0 : q->y[i]; /* flat ellipsoid: only the axis of zero length separates them */
        rest -= s == 0.0 && q->ey[i] > 0.0 ? (q->ey[i] / below) * (q->ey[i] / below) : 0.0;
    }
    if (s == 0.0 && least > 0.0)
        N[2] = sqrt(d_max(rest, 0.0));
}

/* Indices of the half axes, longest first; equal ones in their order. */
static void sort_axes(const double *e, int order[3])
{
    order[0] = 0;
    order[1] = 1;
    order[2] = 2;
    for (int pass = 0; pass < 3; pass++) {
        int i = pass == 1 ? 1 : 0;
        if (e[order[i]] < e[order[i + 1]]) {
            int swap = order[i];
            order[i] = order[i + 1];
            order[i + 1] = swap;
        }
    }
}

static PairPoint point_ellipsoid(const double *e, RgVec3 c)
{
    const double point[3] = {c.x, c.y, c.z};
    int order[3];
    sort_axes(e, order);

    double scale = d_max(d_max(e[order[0]], fabs(c.x)), d_max(fabs(c.y), fabs(c.z)));
    scale = 1.0 / d_max(scale, ELLIPSOID_POINT);
    Secular q;
    for (int i = 0; i < 3; i++) {
        q.e[i] = scale * e[order[i]] > ELLIPSOID_FLAT ? scale * e[order[i]] : 0.0;
        q.y[i] = scale * fabs(point[order[i]]);
    }
    for (int i = 0; i < 3; i++) {
        q.ey[i] = q.e[i] * q.y[i] > ELLIPSOID_PRODUCT ? q.e[i] * q.y[i] : 0.0;
        q.E[i] = (q.e[i] - q.e[2]) * (q.e[i] + q.e[2]);
    }

    PairPoint at = {.feature = pair_feature(RG_FEATURE_FACE, 0)};
    double N[3], n[3];
    normal_at(&q, secular_root(&q, &at.iterations), N);
    for (int i = 0; i < 3; i++)
        n[order[i]] = point[order[i]] < 0.0 ? -N[i] : N[i];
    RgVec3 least = v3(order[2] == 0, order[2] == 1, order[2] == 2);
    v3_unit(v3(n[0], n[1], n[2]), least, &at.outward);

    /* Distance from the plane with that normal; along an axis this is a difference of two numbers. */
    RgVec3 u = at.outward;
    at.distance = v3_dot(u, c) - v3_norm(v3(e[0] * u.x, e[1] * u.y, e[2] * u.z));
    return at;
}

RgStatus rg_pair_sphere_ellipsoid(const RgConvexPair *pair, RgPairCache *cache, RgDistance *out)
{
    (void)cache;
    const double *e = pair->b->size;
    PairPoint at = point_ellipsoid(e, pair_ball_centre(pair));
    pair_ball_answer(pair, &at, e[0] + e[1] + e[2], out);
    return RG_OK;
}
