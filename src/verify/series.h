/*
 * series.h - Taylor models: a polynomial in time and a bound of the function's distance from it.
 *
 *   f(x) = c0 + c1 x + ... + c7 x^7 + e(x),   |e(x)| <= r   for all |x| <= 1
 *
 * Source: Makino, Berz 2003. Every operation adds to r the terms it truncates (powers above 7) and a bound of its
 * rounding, itself rounded up, so the true function is always enclosed. Terms that cancel, as in the height of a
 * lasting contact, cancel in the coefficients, so that the rest is bounded tightly over a long interval.
 */
#ifndef RIGOR_SERIES_H
#define RIGOR_SERIES_H

#include "math/mat3.h"

#include <math.h>

enum { RG_SERIES_TERMS = 8 };

typedef struct RgSeries {
    double c[RG_SERIES_TERMS];
    double r; /* infinite or NaN: no bound is known */
} RgSeries;

typedef struct RgSeries3 {
    RgSeries at[3];
} RgSeries3;

typedef struct RgSeries33 {
    RgSeries at[3][3];
} RgSeries33;

/* Unit round-off, 2^-53. Radii are multiplied by UP and increased by TINY to cover their own rounding and underflow. */
#define RG_SERIES_ULP 1.1102230246251565e-16
#define RG_SERIES_UP (1.0 + 64.0 * RG_SERIES_ULP)
#define RG_SERIES_TINY 1e-300

/* A radius rounded outward. */
static inline double rg_series_out(double r)
{
    return r * RG_SERIES_UP + RG_SERIES_TINY;
}

static inline RgSeries rg_series_number(double value)
{
    return (RgSeries){{value}, 0.0};
}

/* Sum of |c_i|: bound of the polynomial's magnitude. */
static inline double rg_series_size(const RgSeries *a)
{
    double sum = 0.0;
    for (int i = 0; i < RG_SERIES_TERMS; i++)
        sum += fabs(a->c[i]);
    return sum;
}

static inline RgSeries rg_series_add(const RgSeries *a, const RgSeries *b)
{
    RgSeries s;
    for (int i = 0; i < RG_SERIES_TERMS; i++)
        s.c[i] = a->c[i] + b->c[i];
    s.r = rg_series_out(a->r + b->r + RG_SERIES_ULP * rg_series_size(&s));
    return s;
}

/* a + k b */
static inline RgSeries rg_series_axpy(double k, const RgSeries *b, const RgSeries *a)
{
    RgSeries s;
    double size = 0.0;
    for (int i = 0; i < RG_SERIES_TERMS; i++) {
        double kb = k * b->c[i];
        s.c[i] = a->c[i] + kb;
        size += fabs(kb) + fabs(s.c[i]);
    }
    s.r = rg_series_out(a->r + fabs(k) * b->r + RG_SERIES_ULP * size);
    return s;
}

static inline RgSeries rg_series_scale(double k, const RgSeries *a)
{
    RgSeries s;
    for (int i = 0; i < RG_SERIES_TERMS; i++)
        s.c[i] = k * a->c[i];
    s.r = rg_series_out(fabs(k) * a->r + RG_SERIES_ULP * rg_series_size(&s));
    return s;
}

static inline RgSeries rg_series_sub(const RgSeries *a, const RgSeries *b)
{
    return rg_series_axpy(-1.0, b, a);
}

RgSeries rg_series_mul(const RgSeries *a, const RgSeries *b);

/* k0 + k1 u + k2 u^2 + k3 u^3 with u = middle + half x; |middle| + |half| <= 1. */
RgSeries rg_series_cubic(const double k[4], double middle, double half);

/* Lower (upper) bound of f(x) for |x| <= 1. -inf (inf): not known. */
double rg_series_low(const RgSeries *a);
double rg_series_high(const RgSeries *a);

/* Value of the polynomial, without r. */
double rg_series_at(const RgSeries *a, double x);

/* Vectors and matrices. */
RgSeries3 rg_series3_vector(RgVec3 v);
RgSeries3 rg_series3_sub(const RgSeries3 *a, const RgSeries3 *b);
RgSeries rg_series3_dot(const RgSeries3 *a, const RgSeries3 *b);
RgSeries3 rg_series3_cross(const RgSeries3 *a, const RgSeries3 *b);
RgSeries33 rg_series33_matrix(RgMat3 R);
RgSeries33 rg_series33_mul(const RgSeries33 *a, const RgSeries33 *b);
RgSeries33 rg_series33_turned(RgMat3 R, const RgSeries33 *a);                    /* R a */
RgSeries3 rg_series33_apply(const RgSeries33 *a, const RgSeries3 *v);            /* a v */
RgSeries3 rg_series33_apply_number(const RgSeries33 *a, RgVec3 v);               /* a v */
RgSeries3 rg_series33_apply_transposed(const RgSeries33 *a, const RgSeries3 *v); /* a' v */

/* s + k . v: a function of a point v of a body. */
RgSeries rg_series_point(const RgSeries *s, const RgSeries3 *k, RgVec3 v);

/* The rotation exp(w). False: w is so large that too many terms would be needed (|w| above about 2 pi). */
bool rg_series_turn(const RgSeries3 *w, RgSeries33 *out);

#endif
