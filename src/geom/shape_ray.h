/*
 * shape_ray.h - shared by the rays of all kinds: the interval of t in which o + t d lies between two planes, or in a
 * ball. A convex solid is the intersection of such sets; the ray enters it at the largest of the lower ends.
 *
 * Ball |x| <= r. With t_m = -o.d / d.d the point nearest to the centre and m the vector from the centre to it, the ends
 * are t_m -+ h, h^2 = (r - |m|)(r + |m|) / d.d. The end nearer to zero suffers from cancellation; it is computed from
 * the other one by their product (|o| - r)(|o| + r) / d.d. That product is negative exactly if the ray starts inside.
 *
 * The length of d must be about 1. Its component perpendicular to an axis counts as zero below 1e-80.
 */
#ifndef RIGOR_SHAPE_RAY_H
#define RIGOR_SHAPE_RAY_H

#include "geom/shape.h"
#include "math/unit.h"

/* Lengths up to 1e70, squared and divided by this, do not overflow. */
#define RAY_SQUARE_LEAST 1e-160

typedef struct RayInterval {
    double enter, exit;
} RayInterval;

/* |o + t d| <= h along one axis. Returns false if there is no such t. */
static inline bool ray_slab(double o, double d, double h, RayInterval *out)
{
    if (d == 0.0) {
        *out = (RayInterval){-INFINITY, INFINITY};
        return fabs(o) <= h;
    }
    double t = (-h - o) / d, u = (h - o) / d;
    *out = t < u ? (RayInterval){t, u} : (RayInterval){u, t};
    return true;
}

static inline bool ray_ball(RgVec3 o, RgVec3 d, double r, RayInterval *out)
{
    double dd = v3_norm2(d), from = v3_norm(o), product = (from - r) * (from + r);
    if (dd < RAY_SQUARE_LEAST) {
        *out = (RayInterval){-INFINITY, INFINITY};
        return product <= 0.0;
    }
    double middle = -v3_dot(o, d) / dd;
    double off = v3_norm(v3_axpy(middle, d, o)), square = (r - off) * (r + off);
    if (square < 0.0 && product > 0.0)
        return false;
    double half = sqrt(d_max(square, 0.0) / dd);
    *out = (RayInterval){middle - half, middle + half};
    if (middle > 0.0)
        out->enter = product / dd / out->exit;
    else if (out->enter < 0.0)
        out->exit = product / dd / out->enter;
    return true;
}

/* Result for a ray that starts inside: t = 0 and the normal opposite to the ray. */
static inline bool ray_inside(RgVec3 d, double *t, RgVec3 *normal)
{
    *t = 0.0;
    v3_unit(v3_neg(d), v3(0.0, 0.0, 1.0), normal);
    return true;
}

#endif
