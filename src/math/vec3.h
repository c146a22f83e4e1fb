/* vec3.h - vectors of three components; values and inline functions. */
#ifndef RIGOR_VEC3_H
#define RIGOR_VEC3_H

#include <rigor/math.h>

#include <math.h>
#include <stdbool.h>

static inline RgVec3 v3(double x, double y, double z)
{
    return (RgVec3){x, y, z};
}

static inline RgVec3 v3_zero(void)
{
    return (RgVec3){0.0, 0.0, 0.0};
}

static inline RgVec3 v3_add(RgVec3 a, RgVec3 b)
{
    return (RgVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline RgVec3 v3_sub(RgVec3 a, RgVec3 b)
{
    return (RgVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline RgVec3 v3_neg(RgVec3 a)
{
    return (RgVec3){-a.x, -a.y, -a.z};
}

static inline RgVec3 v3_scale(double s, RgVec3 a)
{
    return (RgVec3){s * a.x, s * a.y, s * a.z};
}

/* a + s b */
static inline RgVec3 v3_axpy(double s, RgVec3 b, RgVec3 a)
{
    return (RgVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double v3_dot(RgVec3 a, RgVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline RgVec3 v3_cross(RgVec3 a, RgVec3 b)
{
    return (RgVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double v3_norm2(RgVec3 a)
{
    return v3_dot(a, a);
}

static inline double v3_norm(RgVec3 a)
{
    return sqrt(v3_dot(a, a));
}

static inline bool v3_finite(RgVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Inline fmax and fmin. If b is NaN the result is a. */
static inline double num_max(double a, double b)
{
    return b > a ? b : a;
}

static inline double num_min(double a, double b)
{
    return b < a ? b : a;
}

static inline double v3_at(RgVec3 a, int i)
{
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

/* A unit vector orthogonal to the unit vector n (Duff et al. 2017: branch-free except for the sign, accurate in all
   directions). */
static inline RgVec3 v3_orthogonal(RgVec3 n)
{
    double sign = n.z >= 0.0 ? 1.0 : -1.0;
    double a = -1.0 / (sign + n.z);
    return (RgVec3){1.0 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x};
}

/* A unit vector orthogonal to the unit vector n by the rule of the engine of papers 003 and 004: orthogonal to z too,
   or to x if n is within 45 degrees of z. Continuous in n except at 45 degrees. */
static inline RgVec3 v3_plane_space(RgVec3 n)
{
    RgVec3 p = fabs(n.z) > 0.70710678118654752440 ? v3(0.0, -n.z, n.y) : v3(-n.y, n.x, 0.0);
    return v3_scale(1.0 / v3_norm(p), p);
}

#endif
