/* pgs_rows_simd.c - the kernel of solver `pgs` for four lanes at once with AVX2 (pgs_kernel.h); without AVX2 the scalar
   kernel is used. */
#include "solver/pgs/pgs_lanes.h"

#if defined(__x86_64__)
#include "solver/four_lanes.h"

#define MAX(a, b) ((Quad)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#define MIN(a, b) ((Quad)_mm256_min_pd((__m256d)(a), (__m256d)(b)))
#define ANY(m) (_mm256_movemask_pd((__m256d)(m)) != 0)
#define LOAD_BLOCK(place, all, V) load_blocks(all, place, V)
#define STORE_BLOCK(place, all, V) store_blocks(all, place, V)

RG_AVX2 RG_KERNEL void load_blocks(const double *all, const int32_t place[RG_PGS_LANES], Quad V[6])
{
    Quad low[4], high[4];
    for (int lane = 0; lane < RG_PGS_LANES; lane++) {
        low[lane] = LOAD(all + place[lane]);
        high[lane] = LOAD(all + place[lane] + 4);
    }
    transpose(&low[0], &low[1], &low[2], &low[3]);
    transpose(&high[0], &high[1], &high[2], &high[3]);
    for (int i = 0; i < 4; i++)
        V[i] = low[i];
    V[4] = high[0];
    V[5] = high[1];
}

/* A missing second block has zero coefficients and zeros of its own in V: the store writes back what was loaded. */
RG_AVX2 RG_KERNEL void store_blocks(double *all, const int32_t place[RG_PGS_LANES], const Quad V[6])
{
    Quad low[4] = {V[0], V[1], V[2], V[3]}, high[4] = {V[4], V[5], SPLAT(0.0), SPLAT(0.0)};
    transpose(&low[0], &low[1], &low[2], &low[3]);
    transpose(&high[0], &high[1], &high[2], &high[3]);
    for (int lane = 0; lane < RG_PGS_LANES; lane++) {
        STORE(all + place[lane], low[lane]);
        STORE(all + place[lane] + 4, high[lane]);
    }
}

#include "solver/pgs/pgs_kernel.h"

/* As visit_solo in pgs_rows.c, four rows at once. n: rows, a constant where this is inlined. */
KERNEL double visit_solo(RgPgsSolo *p, int n, double *all)
{
    int groups = (n + 3) / 4;
    double squares = 0.0;
    Quad d[2], error[2], change[2];
    for (int g = 0; g < groups; g++) {
        Quad J_V[2];
        for (int side = 0; side < 2; side++) {
            const double *V = all + p->place[side];
            double(*J)[RG_PGS_SOLO] = p->across + 6 * side;
            Quad even =
                LOAD(&J[0][4 * g]) * SPLAT(V[0]) + LOAD(&J[2][4 * g]) * SPLAT(V[2]) + LOAD(&J[4][4 * g]) * SPLAT(V[4]);
            Quad odd =
                LOAD(&J[1][4 * g]) * SPLAT(V[1]) + LOAD(&J[3][4 * g]) * SPLAT(V[3]) + LOAD(&J[5][4 * g]) * SPLAT(V[5]);
            J_V[side] = even + odd;
        }
        error[g] = (LOAD(p->decay + 4 * g) * LOAD(p->z + 4 * g) + LOAD(p->goal + 4 * g)) - (J_V[0] + J_V[1]);
    }
    for (int g = 0; g < groups; g++) {
        d[g] = LOAD(&p->block[0][4 * g]) * SPLAT(error[0][0]);
        for (int j = 1; j < n; j++)
            d[g] += LOAD(&p->block[j][4 * g]) * SPLAT(error[j / 4][j % 4]);
        change[g] = d[g] * LOAD(p->diagonal + 4 * g);
        STORE(p->z + 4 * g, LOAD(p->z + 4 * g) + d[g]);
    }
    for (int k = 0; k < n; k++)
        squares += change[k / 4][k % 4] * change[k / 4][k % 4];
    for (int side = 0; side < 2; side++) {
        double *V = all + p->place[side];
        Quad low = LOAD(V), high = LOAD(V + 4);
        for (int j = 0; j < n; j++) {
            const double *J = p->along[j] + RG_PGS_STRIDE * side;
            Quad dj = SPLAT(d[j / 4][j % 4]);
            low += LOAD(J) * dj;
            high += LOAD(J + 4) * dj;
        }
        STORE(V, low);
        STORE(V + 4, high);
    }
    return squares;
}

KERNEL void visit_solos(RgPgsLanes *p, double *V)
{
    for (int lane = 0; lane < p->lanes; lane++)
        switch (p->solo[lane].n) {
        case 1:
            p->sum[lane] = visit_solo(&p->solo[lane], 1, V);
            break;
        case 3:
            p->sum[lane] = visit_solo(&p->solo[lane], 3, V);
            break;
        case 5:
            p->sum[lane] = visit_solo(&p->solo[lane], 5, V);
            break;
        default:
            p->sum[lane] = visit_solo(&p->solo[lane], RG_PGS_JOINT_ROWS, V);
        }
}

RG_AVX2 static void warm_start_all(RgPgsLanes *p, double *V)
{
    warm_start_quad(p, V);
}

RG_AVX2 static void rows_all(RgPgsLanes *p, double keep, double *V)
{
    if (p->solo != NULL) {
        visit_solos(p, V);
        return;
    }
    visit_rows_quad(p, keep, V);
}

RG_AVX2 static void friction_all(RgPgsLanes *p, double keep, double *V)
{
    if (!p->friction_needs_normal || has_active_friction_quad(p))
        visit_friction_quad(p, keep, V);
}

static void warm_start(RgPgsLanes *p, double *V)
{
    if (rg_has_avx2())
        warm_start_all(p, V);
    else
        rg_pgs_kernel.warm_start(p, V);
}

static void rows(RgPgsLanes *p, double keep, double *V)
{
    if (rg_has_avx2())
        rows_all(p, keep, V);
    else
        rg_pgs_kernel.rows(p, keep, V);
}

static void friction(RgPgsLanes *p, double keep, double *V)
{
    if (rg_has_avx2())
        friction_all(p, keep, V);
    else
        rg_pgs_kernel.friction(p, keep, V);
}

const RgPgsKernel rg_pgs_kernel_simd = {warm_start, rows, friction};

#else

const RgPgsKernel rg_pgs_kernel_simd = {0};

#endif
