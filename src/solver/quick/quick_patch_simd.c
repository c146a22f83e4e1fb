/* quick_patch_simd.c - the patch kernel of solver `quick` for four lanes at once with AVX2 (quick_kernel.h); without
   AVX2 the scalar kernel is used. */
#include "math/pair_simd.h"
#include "solver/quick/quick_lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>

typedef double Quad __attribute__((vector_size(32)));
typedef Quad Field __attribute__((may_alias)); /* four consecutive values of an array */
typedef long long Mask __attribute__((vector_size(32)));

#define ALL_LANES 15 /* bit mask of the four lanes */

#define REAL Quad
#define MASK Mask
#define LANE
#define LANE_ON
#define LOAD(x) ((Quad) * (const Field *)(x))
#define STORE(x, a) (*(Field *)(x) = (a))
#define SPLAT(c) ((Quad){(c), (c), (c), (c)})
#define SELECT(m, a, b) ((Quad)(((Mask)(a) & (m)) | ((Mask)(b) & ~(m))))
#define SQRT(a) ((Quad)_mm256_sqrt_pd((__m256d)(a)))
#define ANY_NOT(m) (_mm256_movemask_pd((__m256d)(m)) != ALL_LANES)
#define POINTS_READY(p) test_and_set_ready(p)
#define FN(name) name##_quad
#define KERNEL RG_AVX2 RG_KERNEL
#define LOAD_BODY(mover, all, V) load_bodies(all, mover, V)
#define STORE_BODY(mover, all, V) store_bodies(all, mover, V, ALL_LANES)
#define LANES_NOT(m) (_mm256_movemask_pd((__m256d)(m)) ^ ALL_LANES)
#define STORE_BODY_LANES(mover, all, V, lanes) store_bodies(all, mover, V, lanes)

/* Transposes a 4 x 4 block: four values of each of four bodies become four bodies for each value. */
RG_AVX2 RG_KERNEL void transpose(Quad *a, Quad *b, Quad *c, Quad *d)
{
    Quad t0 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), t1 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
    Quad t2 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), t3 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
    *a = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
    *b = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
    *c = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
    *d = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

RG_AVX2 RG_KERNEL void load_bodies(const double *all, const int32_t mover[RG_LANES], Quad V[6])
{
    Quad low[4], high[4];
    for (int lane = 0; lane < RG_LANES; lane++) {
        const double *from = all + RG_BODY_PLACES * mover[lane];
        low[lane] = LOAD(from);
        high[lane] = LOAD(from + 4);
    }
    transpose(&low[0], &low[1], &low[2], &low[3]);
    transpose(&high[0], &high[1], &high[2], &high[3]);
    for (int i = 0; i < 4; i++)
        V[i] = low[i];
    V[4] = high[0];
    V[5] = high[1];
}

/* The ground is not written. lanes: mask of the lanes that are written. */
RG_AVX2 RG_KERNEL void store_bodies(double *all, const int32_t mover[RG_LANES], const Quad V[6], int lanes)
{
    Quad low[4] = {V[0], V[1], V[2], V[3]}, high[4] = {V[4], V[5], SPLAT(0.0), SPLAT(0.0)};
    transpose(&low[0], &low[1], &low[2], &low[3]);
    transpose(&high[0], &high[1], &high[2], &high[3]);
    for (int lane = 0; lane < RG_LANES; lane++) {
        double *to = all + RG_BODY_PLACES * mover[lane];
        if (mover[lane] == 0 || (lanes >> lane & 1) == 0)
            continue;
        STORE(to, low[lane]);
        STORE(to + 4, high[lane]);
    }
}

static inline bool test_and_set_ready(RgPatchLanes *p)
{
    bool was = p->points_ready == ALL_LANES;
    p->points_ready = ALL_LANES;
    return was;
}

#include "solver/quick/quick_kernel.h"

RG_AVX2 static void prepare_all(RgPatchLanes *p, const double *V)
{
    prepare_quad(p, V);
}

RG_AVX2 static void warm_start_all(RgPatchLanes *p, double *V)
{
    warm_start_quad(p, V);
}

RG_AVX2 static void visit_all(RgPatchLanes *p, double *V)
{
    if (p->points == 1)
        visit_point_quad(p, V);
    else
        visit_quad(p, V);
}

/* A single lane uses the scalar kernel. */
static void prepare(RgPatchLanes *p, int lanes, const double *V)
{
    if (lanes > 1 && rg_has_avx2())
        prepare_all(p, V);
    else
        rg_patch_kernel.prepare(p, lanes, V);
}

static void warm_start(RgPatchLanes *p, int lanes, double *V)
{
    if (lanes > 1 && rg_has_avx2())
        warm_start_all(p, V);
    else
        rg_patch_kernel.warm_start(p, lanes, V);
}

static void visit(RgPatchLanes *p, int lanes, double *V)
{
    if (lanes > 1 && rg_has_avx2())
        visit_all(p, V);
    else
        rg_patch_kernel.visit(p, lanes, V);
}

const RgPatchKernel rg_patch_kernel_simd = {prepare, warm_start, visit};

#else

const RgPatchKernel rg_patch_kernel_simd = {0};

#endif
