/*
 * spatial.h - six-dimensional vectors (Featherstone 2008, ch. 2): motions and forces are different types, angular part
 * first.
 *
 * Unless a name says otherwise a spatial quantity is in world axes, about the origin of the body it belongs to. Moving
 * the reference point from A to B, r = B - A:
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

/* Spatial cross product of motions: rate of change of b when it moves with a. */
static inline RgMotion mv_cross(RgMotion a, RgMotion b)
{
    return (RgMotion){v3_cross(a.w, b.w), v3_add(v3_cross(a.w, b.v), v3_cross(a.v, b.w))};
}

/* The motion about a reference point displaced by r. */
static inline RgMotion mv_shift(RgMotion a, RgVec3 r)
{
    return (RgMotion){a.w, v3_add(a.v, v3_cross(a.w, r))};
}

/* Change of axes: from B's axes to A's. */
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

/* The force about a reference point displaced by r. */
static inline RgForce fv_shift(RgForce a, RgVec3 r)
{
    return (RgForce){v3_sub(a.n, v3_cross(r, a.f)), a.f};
}

/* Power of a force b on a motion a. */
static inline double mv_dot(RgMotion a, RgForce b)
{
    return v3_dot(a.w, b.n) + v3_dot(a.v, b.f);
}

/* Inertia in frame A from the inertia `in` in frame B. */
static inline RgInertia inertia_transform(RgPose X_AB, RgInertia in)
{
    return (RgInertia){in.mass, pose_apply(X_AB, in.com), s3_rotate(in.I, X_AB.R)};
}

/* Sum of two bodies' inertias in one frame (welded bodies). A massless body adds only its rotational inertia. */
static inline RgInertia inertia_add(RgInertia a, RgInertia b)
{
    double mass = a.mass + b.mass;
    RgInertia sum = {mass, {0.0, 0.0, 0.0}, s3_add(a.I, b.I)};
    if (!(mass > 0.0))
        return sum;
    RgVec3 d = v3_sub(b.com, a.com);
    sum.com = v3_axpy(b.mass / mass, d, a.com);
    sum.I = s3_add(sum.I, s3_scale(a.mass * (b.mass / mass), s3_point_inertia(d)));
    return sum;
}

#endif
