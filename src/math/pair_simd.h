/*
 * pair_simd.h - pairs of numbers in vector registers, and vectors and matrices of pairs: two bodies at once.
 *
 * Each function does in both lanes what the function of the same name in vec3.h and mat3.h does (p3_cross: v3_cross,
 * ...), in the same order, so that each lane has the bits of the scalar function. Lanes are independent. The vector
 * type is an extension of gcc and clang: SSE2, NEON, or two scalars on other processors.
 */
#ifndef RIGOR_PAIR_SIMD_H
#define RIGOR_PAIR_SIMD_H

#include "math/vec3.h"

#include <string.h>

typedef double RgPair __attribute__((vector_size(16)));

/* A kernel is written once as an RG_KERNEL function and, where useful, compiled twice: for the baseline processor, and
   in an RG_AVX or RG_AVX2 function for processors with these instructions. Same bits. */
#define RG_KERNEL static inline __attribute__((always_inline))
#if defined(__x86_64__)
#define RG_AVX __attribute__((target("avx")))
#define RG_AVX2 __attribute__((target("avx2")))
static inline bool rg_has_avx(void)
{
    return __builtin_cpu_supports("avx") != 0;
}

static inline bool rg_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}
#else
#define RG_AVX
#define RG_AVX2
static inline bool rg_has_avx(void)
{
    return false;
}

static inline bool rg_has_avx2(void)
{
    return false;
}
#endif

typedef struct RgPair3 {
    RgPair x, y, z;
} RgPair3;

typedef struct RgPairMat3 {
    RgPair3 row[3];
} RgPairMat3;

typedef struct RgPairSym3 {
    RgPair xx, yy, zz, xy, xz, yz;
} RgPairSym3;

static inline RgPair pair(double a, double b)
{
    return (RgPair){a, b};
}

static inline RgPair pair_both(double a)
{
    return (RgPair){a, a};
}

static inline RgPair pair_load(const double *from)
{
    RgPair a;
    memcpy(&a, from, sizeof a);
    return a;
}

static inline void pair_store(RgPair a, double *to)
{
    memcpy(to, &a, sizeof a);
}

/* Lane 0 from a, lane 1 from b. */
static inline RgPair3 p3_gather(const RgVec3 *a, const RgVec3 *b)
{
    return (RgPair3){pair(a->x, b->x), pair(a->y, b->y), pair(a->z, b->z)};
}

static inline RgPair3 p3_load(const double (*from)[2])
{
    return (RgPair3){pair_load(from[0]), pair_load(from[1]), pair_load(from[2])};
}

static inline void p3_store(RgPair3 a, double (*to)[2])
{
    pair_store(a.x, to[0]);
    pair_store(a.y, to[1]);
    pair_store(a.z, to[2]);
}

static inline RgVec3 p3_lane(RgPair3 a, int lane)
{
    return (RgVec3){a.x[lane], a.y[lane], a.z[lane]};
}

static inline RgPair3 p3_add(RgPair3 a, RgPair3 b)
{
    return (RgPair3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline RgPair3 p3_scale(RgPair s, RgPair3 a)
{
    return (RgPair3){s * a.x, s * a.y, s * a.z};
}

static inline RgPair p3_dot(RgPair3 a, RgPair3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline RgPair3 p3_cross(RgPair3 a, RgPair3 b)
{
    return (RgPair3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline RgPairMat3 pm3_gather(const RgMat3 *a, const RgMat3 *b)
{
    RgPairMat3 m;
    for (int i = 0; i < 3; i++)
        m.row[i] = (RgPair3){pair(a->m[i][0], b->m[i][0]), pair(a->m[i][1], b->m[i][1]), pair(a->m[i][2], b->m[i][2])};
    return m;
}

static inline RgPair3 pm3_apply(const RgPairMat3 *a, RgPair3 x)
{
    return (RgPair3){p3_dot(a->row[0], x), p3_dot(a->row[1], x), p3_dot(a->row[2], x)};
}

/* a' x */
static inline RgPair3 pm3_apply_t(const RgPairMat3 *a, RgPair3 x)
{
    return (RgPair3){a->row[0].x * x.x + a->row[1].x * x.y + a->row[2].x * x.z,
                     a->row[0].y * x.x + a->row[1].y * x.y + a->row[2].y * x.z,
                     a->row[0].z * x.x + a->row[1].z * x.y + a->row[2].z * x.z};
}

static inline RgPair3 ps3_apply(const RgPairSym3 *a, RgPair3 x)
{
    return (RgPair3){a->xx * x.x + a->xy * x.y + a->xz * x.z, a->xy * x.x + a->yy * x.y + a->yz * x.z,
                     a->xz * x.x + a->yz * x.y + a->zz * x.z};
}

static inline RgPairSym3 ps3_load(const double (*from)[2])
{
    return (RgPairSym3){pair_load(from[0]), pair_load(from[1]), pair_load(from[2]),
                        pair_load(from[3]), pair_load(from[4]), pair_load(from[5])};
}

static inline RgPairSym3 ps3_gather(const RgSym3 *a, const RgSym3 *b)
{
    return (RgPairSym3){pair(a->xx, b->xx), pair(a->yy, b->yy), pair(a->zz, b->zz),
                        pair(a->xy, b->xy), pair(a->xz, b->xz), pair(a->yz, b->yz)};
}

static inline RgSym3 ps3_lane(RgPairSym3 a, int lane)
{
    return (RgSym3){a.xx[lane], a.yy[lane], a.zz[lane], a.xy[lane], a.xz[lane], a.yz[lane]};
}

/* R a R' */
static inline RgPairSym3 ps3_rotate(const RgPairSym3 *a, const RgPairMat3 *R)
{
    RgPair3 x = R->row[0], y = R->row[1], z = R->row[2];
    RgPair3 ax = ps3_apply(a, x), ay = ps3_apply(a, y), az = ps3_apply(a, z);
    return (RgPairSym3){p3_dot(x, ax), p3_dot(y, ay), p3_dot(z, az), p3_dot(x, ay), p3_dot(x, az), p3_dot(y, az)};
}

#endif
