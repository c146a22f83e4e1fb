/*
 * spatial.h - six-dimensional vectors (Featherstone 2008, ch. 2): motions and forces are different types,
 * angular part first.
 *
 * Unless a name says otherwise a spatial quantity is in world axes, taken about the origin of the body it
 * belongs to. Moving the reference point from A to B, r = B - A:
 *   motion   (w, v) -> (w, v + w x r)
 *   force    (n, f) -> (n - r x f, f)
 */
#ifndef RIGOR_SPATIAL_H
#define RIGOR_SPATIAL_H

#include "math/pose.h"

static inline RgMotion mv_zero(void)
{
    return (RgMotion){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

static inline RgMotion mv_add(RgMotion a, RgMotion b)
{
    return (RgMotion){v3_add(a.w, b.w), v3_add(a.v, b.v)};
}

static inline RgMotion mv_sub(RgMotion a, RgMotion b)
{
    return (RgMotion){v3_sub(a.w, b.w), v3_sub(a.v, b.v)};
}

static inline RgMotion mv_scale(double s, RgMotion a)
{
    return (RgMotion){v3_scale(s, a.w), v3_scale(s, a.v)};
}

/* a + s b */
static inline RgMotion mv_axpy(double s, RgMotion b, RgMotion a)
{
    return (RgMotion){v3_axpy(s, b.w, a.w), v3_axpy(s, b.v, a.v)};
}

/* Motion cross motion: rate of change of b carried along by a. */
static inline RgMotion mv_cross(RgMotion a, RgMotion b)
{
    return (RgMotion){v3_cross(a.w, b.w), v3_add(v3_cross(a.w, b.v), v3_cross(a.v, b.w))};
}

/* The same motion about a point r away. */
static inline RgMotion mv_shift(RgMotion a, RgVec3 r)
{
    return (RgMotion){a.w, v3_add(a.v, v3_cross(a.w, r))};
}

/* Axes turned: the motion given in B's axes, in A's. */
static inline RgMotion mv_rotate(RgMat3 R_AB, RgMotion a)
{
    return (RgMotion){m3_apply(R_AB, a.w), m3_apply(R_AB, a.v)};
}

static inline RgMotion mv_rotate_t(RgMat3 R_AB, RgMotion a)
{
    return (RgMotion){m3_apply_t(R_AB, a.w), m3_apply_t(R_AB, a.v)};
}

static inline RgForce fv_zero(void)
{
    return (RgForce){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
}

static inline RgForce fv_add(RgForce a, RgForce b)
{
    return (RgForce){v3_add(a.n, b.n), v3_add(a.f, b.f)};
}

static inline RgForce fv_sub(RgForce a, RgForce b)
{
    return (RgForce){v3_sub(a.n, b.n), v3_sub(a.f, b.f)};
}

static inline RgForce fv_scale(double s, RgForce a)
{
    return (RgForce){v3_scale(s, a.n), v3_scale(s, a.f)};
}

static inline RgForce fv_axpy(double s, RgForce b, RgForce a)
{
    return (RgForce){v3_axpy(s, b.n, a.n), v3_axpy(s, b.f, a.f)};
}

/* The same force about a point r away. */
static inline RgForce fv_shift(RgForce a, RgVec3 r)
{
    return (RgForce){v3_sub(a.n, v3_cross(r, a.f)), a.f};
}

/* Power of a force along a motion. */
static inline double mv_dot(RgMotion a, RgForce b)
{
    return v3_dot(a.w, b.n) + v3_dot(a.v, b.f);
}

/* The same body's inertia in a frame A, from its inertia in B. */
static inline RgInertia inertia_carry(RgPose X_AB, RgInertia in)
{
    return (RgInertia){in.mass, pose_apply(X_AB, in.com), s3_rotate(in.I, X_AB.R)};
}

/* Two bodies welded together, both in the same frame. A massless one leaves the other as it is. */
static inline RgInertia inertia_add(RgInertia a, RgInertia b)
{
    double mass = a.mass + b.mass;
    RgInertia sum = {mass, {0.0, 0.0, 0.0}, s3_add(a.I, b.I)};
    if (!(mass > 0.0))
        return sum;
    RgVec3 d = v3_sub(b.com, a.com);
    sum.com = v3_axpy(b.mass / mass, d, a.com);
    sum.I = s3_add(sum.I, s3_scale(a.mass * (b.mass / mass), s3_point(d)));
    return sum;
}

#endif
