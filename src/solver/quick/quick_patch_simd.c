/* quick_patch_simd.c - the patch kernel of solver `quick` for four lanes at once with AVX2 (quick_kernel.h); without
   AVX2 the scalar kernel is used. */
#include "solver/quick/quick_lanes.h"

#if defined(__x86_64__)
#include "solver/four_lanes.h"

#define ALL_LANES 15 /* bit mask of the four lanes */

#define ANY_NOT(m) (_mm256_movemask_pd((__m256d)(m)) != ALL_LANES)
#define POINTS_READY(p) test_and_set_ready(p)
#define LOAD_BODY(mover, all, V) load_bodies(all, mover, V)
#define STORE_BODY(mover, all, V) store_bodies(all, mover, V, ALL_LANES)
#define LANES_NOT(m) (_mm256_movemask_pd((__m256d)(m)) ^ ALL_LANES)
#define STORE_BODY_LANES(mover, all, V, lanes) store_bodies(all, mover, V, lanes)

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
