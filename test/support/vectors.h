/* vectors.h - the little vector algebra that tests and scenes need, on the public value types. */
#ifndef TEST_SUPPORT_VECTORS_H
#define TEST_SUPPORT_VECTORS_H

#include <rigor/math.h>

#include <math.h>

#define TEST_PI 3.14159265358979323846

static inline RgVec3 vec(double x, double y, double z)
{
    return (RgVec3){x, y, z};
}

static inline RgVec3 vec_add(RgVec3 a, RgVec3 b)
{
    return vec(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline RgVec3 vec_sub(RgVec3 a, RgVec3 b)
{
    return vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline RgVec3 vec_scale(double s, RgVec3 a)
{
    return vec(s * a.x, s * a.y, s * a.z);
}

static inline double vec_dot(RgVec3 a, RgVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline RgVec3 vec_cross(RgVec3 a, RgVec3 b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static inline double vec_norm(RgVec3 a)
{
    return sqrt(vec_dot(a, a));
}

static inline double vec_distance(RgVec3 a, RgVec3 b)
{
    return vec_norm(vec_sub(a, b));
}

static inline RgMat3 mat_identity(void)
{
    return (RgMat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

static inline RgVec3 mat_apply(RgMat3 A, RgVec3 x)
{
    return vec(A.m[0][0] * x.x + A.m[0][1] * x.y + A.m[0][2] * x.z, A.m[1][0] * x.x + A.m[1][1] * x.y + A.m[1][2] * x.z,
               A.m[2][0] * x.x + A.m[2][1] * x.y + A.m[2][2] * x.z);
}

static inline RgMat3 mat_transpose(RgMat3 A)
{
    RgMat3 T;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T.m[i][j] = A.m[j][i];
    return T;
}

static inline RgMat3 mat_mul(RgMat3 A, RgMat3 B)
{
    RgMat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
    return C;
}

/* Rotation by an angle about a unit axis (Rodrigues). */
static inline RgMat3 mat_turn(RgVec3 a, double angle)
{
    double c = cos(angle), s = sin(angle), t = 1.0 - c;
    return (RgMat3){{{c + t * a.x * a.x, t * a.x * a.y - s * a.z, t * a.x * a.z + s * a.y},
                     {t * a.y * a.x + s * a.z, c + t * a.y * a.y, t * a.y * a.z - s * a.x},
                     {t * a.z * a.x - s * a.y, t * a.z * a.y + s * a.x, c + t * a.z * a.z}}};
}

/* Largest difference of two matrices' elements. */
static inline double mat_distance(RgMat3 A, RgMat3 B)
{
    double worst = 0.0;
    for (int i = 0; i < 9; i++)
        worst = fmax(worst, fabs(A.m[i / 3][i % 3] - B.m[i / 3][i % 3]));
    return worst;
}

static inline RgMat3 mat_of_quat(const double *q)
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    return (RgMat3){{{1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)},
                     {2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)},
                     {2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)}}};
}

/* Axial vector of the skew part: for a rotation near the identity its rotation vector, to third order in
   the angle. */
static inline RgVec3 mat_axial(RgMat3 A)
{
    return vec(0.5 * (A.m[2][1] - A.m[1][2]), 0.5 * (A.m[0][2] - A.m[2][0]), 0.5 * (A.m[1][0] - A.m[0][1]));
}

static inline RgVec3 sym_apply(RgSym3 I, RgVec3 x)
{
    return vec(I.xx * x.x + I.xy * x.y + I.xz * x.z, I.xy * x.x + I.yy * x.y + I.yz * x.z,
               I.xz * x.x + I.yz * x.y + I.zz * x.z);
}

/* Frame of the same axes at p. */
static inline RgPose place_at(double x, double y, double z)
{
    return (RgPose){mat_identity(), {x, y, z}};
}

static inline RgPose place_mul(RgPose A, RgPose B)
{
    return (RgPose){mat_mul(A.R, B.R), vec_add(mat_apply(A.R, B.p), A.p)};
}

static inline RgPose place_inverse(RgPose A)
{
    RgMat3 T = mat_transpose(A.R);
    return (RgPose){T, vec_scale(-1.0, mat_apply(T, A.p))};
}

static inline RgVec3 place_point(RgPose A, RgVec3 x)
{
    return vec_add(mat_apply(A.R, x), A.p);
}

/* Inertia about the centre of mass, in link axes, applied to a vector in world axes. */
static inline RgVec3 inertia_turned(RgPose X_WL, RgSym3 I, RgVec3 w)
{
    return mat_apply(X_WL.R, sym_apply(I, mat_apply(mat_transpose(X_WL.R), w)));
}

#endif
