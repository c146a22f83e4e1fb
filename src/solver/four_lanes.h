/*
 * four_lanes.h - the words of a kernel for four lanes at once with AVX2: a value is a vector, no lane is named.
 *
 * For one file that includes it, then defines what is its own, then includes its kernel. one_lane.h: the same words for
 * scalar arithmetic.
 */
#ifndef RIGOR_FOUR_LANES_H
#define RIGOR_FOUR_LANES_H

#include "math/pair_simd.h"

#include <immintrin.h>

typedef double Quad __attribute__((vector_size(32)));
typedef Quad Field __attribute__((may_alias)); /* four consecutive values of an array */
typedef long long Mask __attribute__((vector_size(32)));

#define REAL Quad
#define MASK Mask
#define LANE
#define LANE_ON
#define LOAD(x) ((Quad) * (const Field *)(x))
#define STORE(x, a) (*(Field *)(x) = (a))
#define SPLAT(c) ((Quad){(c), (c), (c), (c)})
#define SELECT(m, a, b) ((Quad)(((Mask)(a) & (m)) | ((Mask)(b) & ~(m))))
#define SQRT(a) ((Quad)_mm256_sqrt_pd((__m256d)(a)))
#define FN(name) name##_quad
#define KERNEL RG_AVX2 RG_KERNEL

/* Transposes a 4 x 4 block: four values of each of four blocks become four blocks for each value. */
RG_AVX2 RG_KERNEL void transpose(Quad *a, Quad *b, Quad *c, Quad *d)
{
    Quad t0 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), t1 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    Quad t2 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), t3 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
    *b = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
    *c = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
    *d = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

#endif
