/*
 * trig_array.c - rg_sincos over an array: a branch-free loop for ordinary angles, then the rare large ones one by one.
 *
 * Compilers vectorise the loop: two lanes, or four with AVX2. Lanes are independent, so the bits are the same.
 */
#include "math/trig_array.h"

#include "math/pair_simd.h"
#include "math/trig.h"

RG_KERNEL void sincos_lanes(int n, const double *restrict angle, double *restrict sine, double *restrict cosine)
{
    for (int i = 0; i < n; i++)
        rg_sincos_small(angle[i], &sine[i], &cosine[i]);
}

RG_AVX2 static void sincos_lanes_avx2(int n, const double *restrict angle, double *restrict sine,
                                      double *restrict cosine)
{
    sincos_lanes(n, angle, sine, cosine);
}

void rg_sincos_array(int n, const double *restrict angle, double *restrict sine, double *restrict cosine)
{
    if (rg_has_avx2())
        sincos_lanes_avx2(n, angle, sine, cosine);
    else
        sincos_lanes(n, angle, sine, cosine);

    /* Angles outside the range of the loop, and NaN. */
    for (int i = 0; i < n; i++)
        if (!(fabs(angle[i]) <= RG_TRIG_LIMIT))
            rg_sincos(angle[i], &sine[i], &cosine[i]);
}
