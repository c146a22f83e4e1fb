/*
 * trig.h - sine and cosine together, with the same bits from every compiler, optimisation level and processor.
 *
 *   x = n pi/2 + r,  |r| <= pi/4        Cody, Waite: pi/2 in three parts of 33 bits, so that n times a part is exact
 *   sin r, cos r by their Taylor series, truncated where the next term is below 2^-62
 *
 * Only additions and multiplications in a fixed order: a vectorised loop over many angles gives the same bits. Largest
 * observed error: 2.3 units in the last place up to RG_TRIG_LIMIT. Beyond, x is first reduced by 2 pi = P + p,
 *
 *   x = m P + r        remainder() is exact, so every libm gives the same r;  x = 2 pi m + (r - m p)
 *
 * with an error of at most one unit in the last place of x up to 1e15 rad. NaN where x is infinite.
 */
#ifndef RIGOR_TRIG_H
#define RIGOR_TRIG_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define RG_PI 3.14159265358979323846
#define RG_TWO_PI_HIGH 0x1.921fb54442d18p+2 /* 2 pi, rounded */

/* rad: up to here n has at most 20 bits, so that its products with the 33-bit parts of pi/2 are exact. */
#define RG_TRIG_LIMIT 1.0e6

/* |x| <= RG_TRIG_LIMIT; no branches. */
static inline void rg_sincos_small(double x, double *sine, double *cosine)
{
    /* Nearest multiple of pi/2: adding 1.5 * 2^52 rounds to an integer, whose low bits are the quadrant. */
    double shifted = x * 0x1.45f306dc9c883p-1 + 0x1.8p52;
    double n = shifted - 0x1.8p52;
    uint64_t quadrant;
    memcpy(&quadrant, &shifted, 8);
    double r = ((x - n * 0x1.921fb54400000p+0) - n * 0x1.0b4611a600000p-34) - n * 0x1.3198a2e037073p-69;

    double z = r * r;
    double s = 1.0 / 355687428096000.0;
    s = s * z - 1.0 / 1307674368000.0;
    s = s * z + 1.0 / 6227020800.0;
    s = s * z - 1.0 / 39916800.0;
    s = s * z + 1.0 / 362880.0;
    s = s * z - 1.0 / 5040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    s = r + r * (z * s);
    double c = 1.0 / 20922789888000.0;
    c = c * z - 1.0 / 87178291200.0;
    c = c * z + 1.0 / 479001600.0;
    c = c * z - 1.0 / 3628800.0;
    c = c * z + 1.0 / 40320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    double half = 0.5 * z, w = 1.0 - half;
    c = w + (((1.0 - w) - half) + z * (z * c));

    /* Odd quadrants exchange sine and cosine; the sign bits follow from the quadrant. */
    uint64_t sbits, cbits, swap = (uint64_t)0 - (quadrant & 1);
    memcpy(&sbits, &s, 8);
    memcpy(&cbits, &c, 8);
    uint64_t so = (cbits & swap) | (sbits & ~swap), co = (sbits & swap) | (cbits & ~swap);
    so ^= (quadrant & 2) << 62;
    co ^= ((quadrant + 1) & 2) << 62;
    memcpy(sine, &so, 8);
    memcpy(cosine, &co, 8);
}

static inline void rg_sincos(double x, double *sine, double *cosine)
{
    if (fabs(x) <= RG_TRIG_LIMIT) {
        rg_sincos_small(x, sine, cosine);
        return;
    }
    double r = remainder(x, RG_TWO_PI_HIGH), m = rint((x - r) / RG_TWO_PI_HIGH);
    x = remainder(r - m * 0x1.1a62633145c07p-52, RG_TWO_PI_HIGH);
    if (isfinite(x))
        rg_sincos_small(x, sine, cosine);
    else
        *sine = *cosine = (double)NAN;
}

#endif
