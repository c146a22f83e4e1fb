/* mat3.h - 3x3 matrices, general and symmetric; values and inline functions. */
#ifndef RIGOR_MAT3_H
#define RIGOR_MAT3_H

#include "math/vec3.h"

static inline RgMat3 m3_identity(void)
{
    return (RgMat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

static inline RgVec3 m3_column(RgMat3 a, int j)
{
    return (RgVec3){a.m[0][j], a.m[1][j], a.m[2][j]};
}

static inline RgMat3 m3_from_columns(RgVec3 x, RgVec3 y, RgVec3 z)
{
    return (RgMat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

static inline RgVec3 m3_apply(RgMat3 a, RgVec3 x)
{
    return (RgVec3){a.m[0][0] * x.x + a.m[0][1] * x.y + a.m[0][2] * x.z,
                    a.m[1][0] * x.x + a.m[1][1] * x.y + a.m[1][2] * x.z,
                    a.m[2][0] * x.x + a.m[2][1] * x.y + a.m[2][2] * x.z};
}

/* a' x */
static inline RgVec3 m3_apply_t(RgMat3 a, RgVec3 x)
{
    return (RgVec3){a.m[0][0] * x.x + a.m[1][0] * x.y + a.m[2][0] * x.z,
                    a.m[0][1] * x.x + a.m[1][1] * x.y + a.m[2][1] * x.z,
                    a.m[0][2] * x.x + a.m[1][2] * x.y + a.m[2][2] * x.z};
}

static inline RgMat3 m3_mul(RgMat3 a, RgMat3 b)
{
    return m3_from_columns(m3_apply(a, m3_column(b, 0)), m3_apply(a, m3_column(b, 1)), m3_apply(a, m3_column(b, 2)));
}

static inline RgMat3 m3_transpose(RgMat3 a)
{
    return (RgMat3){
        {{a.m[0][0], a.m[1][0], a.m[2][0]}, {a.m[0][1], a.m[1][1], a.m[2][1]}, {a.m[0][2], a.m[1][2], a.m[2][2]}}};
}

/* a' b */
static inline RgMat3 m3_mul_t(RgMat3 a, RgMat3 b)
{
    return m3_mul(m3_transpose(a), b);
}

static inline double m3_det(RgMat3 a)
{
    return v3_dot(m3_column(a, 0), v3_cross(m3_column(a, 1), m3_column(a, 2)));
}

/* a Rz: rotation about z by the angle with sine s and cosine c, applied from the right. */
static inline RgMat3 m3_rotate_z(RgMat3 a, double s, double c)
{
    RgMat3 r;
    for (int i = 0; i < 3; i++) {
        r.m[i][0] = c * a.m[i][0] + s * a.m[i][1];
        r.m[i][1] = c * a.m[i][1] - s * a.m[i][0];
        r.m[i][2] = a.m[i][2];
    }
    return r;
}

/* The smallest rotation that maps the z axis to n (unit): its z column is n. */
static inline RgMat3 m3_align_z(RgVec3 n)
{
    double across = n.x * n.x + n.y * n.y;
    if (n.z < 0.0 && across < 1e-300) /* n = -z: half a turn about x */
        return (RgMat3){{{1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0}}};
    double k = n.z >= 0.0 ? 1.0 / (1.0 + n.z) : (1.0 - n.z) / across; /* equal; the second form avoids cancellation */
    return (RgMat3){
        {{1.0 - n.x * n.x * k, -n.x * n.y * k, n.x}, {-n.x * n.y * k, 1.0 - n.y * n.y * k, n.y}, {-n.x, -n.y, n.z}}};
}

static inline RgVec3 s3_apply(RgSym3 a, RgVec3 x)
{
    return (RgVec3){a.xx * x.x + a.xy * x.y + a.xz * x.z, a.xy * x.x + a.yy * x.y + a.yz * x.z,
                    a.xz * x.x + a.yz * x.y + a.zz * x.z};
}

static inline RgSym3 s3_add(RgSym3 a, RgSym3 b)
{
    return (RgSym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

static inline RgSym3 s3_scale(double s, RgSym3 a)
{
    return (RgSym3){s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
}

/* Inverse by cofactors of a regular matrix. */
static inline RgSym3 s3_inverse(RgSym3 a)
{
    double xx = a.yy * a.zz - a.yz * a.yz, xy = a.xz * a.yz - a.xy * a.zz, xz = a.xy * a.yz - a.xz * a.yy;
    double per = 1.0 / (a.xx * xx + a.xy * xy + a.xz * xz);
    return s3_scale(
        per, (RgSym3){xx, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy, xy, xz, a.xy * a.xz - a.xx * a.yz});
}

/* R a R' */
static inline RgSym3 s3_rotate(RgSym3 a, RgMat3 R)
{
    RgVec3 x = v3(R.m[0][0], R.m[0][1], R.m[0][2]);
    RgVec3 y = v3(R.m[1][0], R.m[1][1], R.m[1][2]);
    RgVec3 z = v3(R.m[2][0], R.m[2][1], R.m[2][2]);
    RgVec3 ax = s3_apply(a, x), ay = s3_apply(a, y), az = s3_apply(a, z);
    return (RgSym3){v3_dot(x, ax), v3_dot(y, ay), v3_dot(z, az), v3_dot(x, ay), v3_dot(x, az), v3_dot(y, az)};
}

/* (r'r) 1 - r r', the rotational inertia of a unit mass at r. */
static inline RgSym3 s3_point_inertia(RgVec3 r)
{
    double xx = r.x * r.x, yy = r.y * r.y, zz = r.z * r.z;
    return (RgSym3){yy + zz, xx + zz, xx + yy, -r.x * r.y, -r.x * r.z, -r.y * r.z};
}

static inline RgMat3 s3_full(RgSym3 a)
{
    return (RgMat3){{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}};
}

/* Eigenvalues (ascending) and eigenvectors (columns of a rotation) of a symmetric matrix by cyclic Jacobi rotations, to
   round-off. */
void rg_sym3_eigen(RgSym3 a, double values[3], RgMat3 *vectors);

#endif
