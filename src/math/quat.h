/* quat.h - unit quaternions (scalar first) and the exponential map of rotations. */
#ifndef RIGOR_QUAT_H
#define RIGOR_QUAT_H

#include "math/mat3.h"
#include "math/trig.h"

static inline RgQuat q_identity(void)
{
    return (RgQuat){1.0, 0.0, 0.0, 0.0};
}

static inline RgQuat q_load(const double *q)
{
    return (RgQuat){q[0], q[1], q[2], q[3]};
}

static inline void q_store(RgQuat a, double *q)
{
    q[0] = a.w;
    q[1] = a.x;
    q[2] = a.y;
    q[3] = a.z;
}

static inline RgQuat q_mul(RgQuat a, RgQuat b)
{
    return (RgQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline RgQuat q_conjugate(RgQuat a)
{
    return (RgQuat){a.w, -a.x, -a.y, -a.z};
}

/* The unit quaternion of a's direction; the identity if a is zero. */
static inline RgQuat q_normalise(RgQuat a)
{
    double n2 = a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
    if (!(n2 > 0.0))
        return q_identity();
    double k = 1.0 / sqrt(n2);
    return (RgQuat){k * a.w, k * a.x, k * a.y, k * a.z};
}

/* Rotation matrix of a quaternion of any nonzero length. */
static inline RgMat3 q_matrix(RgQuat a)
{
    double s = 2.0 / (a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    double xs = a.x * s, ys = a.y * s, zs = a.z * s;
    double wx = a.w * xs, wy = a.w * ys, wz = a.w * zs;
    double xx = a.x * xs, xy = a.x * ys, xz = a.x * zs, yy = a.y * ys, yz = a.y * zs, zz = a.z * zs;
    return (RgMat3){{{1.0 - (yy + zz), xy - wz, xz + wy},
                     {xy + wz, 1.0 - (xx + zz), yz - wx},
                     {xz - wy, yz + wx, 1.0 - (xx + yy)}}};
}

/* The quaternion with w >= 0 of a rotation matrix (Shepperd 1978: divide by the largest component). */
static inline RgQuat q_from_matrix(RgMat3 R)
{
    double t = R.m[0][0] + R.m[1][1] + R.m[2][2];
    RgQuat q;
    if (t >= R.m[0][0] && t >= R.m[1][1] && t >= R.m[2][2])
        q = (RgQuat){1.0 + t, R.m[2][1] - R.m[1][2], R.m[0][2] - R.m[2][0], R.m[1][0] - R.m[0][1]};
    else if (R.m[0][0] >= R.m[1][1] && R.m[0][0] >= R.m[2][2])
        q = (RgQuat){R.m[2][1] - R.m[1][2], 1.0 + 2.0 * R.m[0][0] - t, R.m[1][0] + R.m[0][1], R.m[0][2] + R.m[2][0]};
    else if (R.m[1][1] >= R.m[2][2])
        q = (RgQuat){R.m[0][2] - R.m[2][0], R.m[1][0] + R.m[0][1], 1.0 + 2.0 * R.m[1][1] - t, R.m[2][1] + R.m[1][2]};
    else
        q = (RgQuat){R.m[1][0] - R.m[0][1], R.m[0][2] + R.m[2][0], R.m[2][1] + R.m[1][2], 1.0 + 2.0 * R.m[2][2] - t};
    q = q_normalise(q);
    return q.w >= 0.0 ? q : (RgQuat){-q.w, -q.x, -q.y, -q.z};
}

/* Exponential of the rotation vector w (rad). Below (angle / 2)^2 = 0.01 a series whose first omitted term is under
   2^-60. */
static inline RgQuat q_exp(RgVec3 w)
{
    double t2 = 0.25 * v3_norm2(w); /* (angle / 2)^2 */
    double s, c;                    /* sin(t)/t and cos(t), t = angle / 2 */
    if (t2 < 0.01) {
        s = 1.0 - t2 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0 * (1.0 - t2 / 110.0))));
        c = 1.0 - t2 / 2.0 * (1.0 - t2 / 12.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0 * (1.0 - t2 / 90.0))));
    } else {
        double t = sqrt(t2), sine;
        rg_sincos(t, &sine, &c);
        s = sine / t;
    }
    return (RgQuat){c, 0.5 * s * w.x, 0.5 * s * w.y, 0.5 * s * w.z};
}

/* Rotation vector (angle at most pi) of a unit quaternion. */
static inline RgVec3 q_log(RgQuat q)
{
    if (q.w < 0.0)
        q = (RgQuat){-q.w, -q.x, -q.y, -q.z};
    RgVec3 u = v3(q.x, q.y, q.z);
    double n = v3_norm(u);
    if (n < 1e-8)
        return v3_scale(2.0 / q.w, u);
    return v3_scale(2.0 * atan2(n, q.w) / n, u);
}

/* q exp(w): q rotated by the rotation vector w in its own (child) axes; normalised. */
static inline RgQuat q_rotate(RgQuat q, RgVec3 w)
{
    return q_normalise(q_mul(q, q_exp(w)));
}

/*
 * Inverse differential of exp: the rate of u in R = R0 exp(u) when R has the angular velocity w in its own axes:
 *   du/dt = w + u x w / 2 + k u x (u x w),   k = (1 - (t/2) cot(t/2)) / t^2,  t = |u|
 * (Iserles, Munthe-Kaas, Norsett, Zanna 2000). Valid for t < 2 pi.
 */
static inline RgVec3 q_dexpinv(RgVec3 u, RgVec3 w)
{
    double t2 = v3_norm2(u), k;
    if (t2 < 0.04) {
        k = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 * (1.0 / 1209600.0 + t2 * (1.0 / 47900160.0))));
    } else {
        double t = sqrt(t2), s, c;
        rg_sincos(0.5 * t, &s, &c);
        k = (1.0 - 0.5 * t * c / s) / t2;
    }
    RgVec3 uw = v3_cross(u, w);
    return v3_axpy(k, v3_cross(u, uw), v3_axpy(0.5, uw, w));
}

/*
 * Differential of exp: the angular velocity of R = R0 exp(u) in its own axes when u has the rate du:
 *   w = du - b u x du + c u x (u x du),   b = (1 - cos t) / t^2,  c = (t - sin t) / t^3,  t = |u|
 */
static inline RgVec3 q_dexp(RgVec3 u, RgVec3 du)
{
    double t2 = v3_norm2(u), b, c;
    if (t2 < 0.04) {
        b = 0.5 * (1.0 - t2 / 12.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0 * (1.0 - t2 / 90.0))));
        c = 1.0 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0 * (1.0 - t2 / 110.0))));
    } else {
        double t = sqrt(t2), s, cosine;
        rg_sincos(t, &s, &cosine);
        b = (1.0 - cosine) / t2;
        c = (t - s) / (t2 * t);
    }
    RgVec3 ud = v3_cross(u, du);
    return v3_axpy(c, v3_cross(u, ud), v3_axpy(-b, ud, du));
}

#endif
