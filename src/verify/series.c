/*
 * series.c - products, bounds and rotations of Taylor models.
 *
 * Product: c_k = sum a_i b_(k-i) for k < 8; the sum of the higher powers is at most sum |a_i| |b_j|, i + j >= 8. A sum
 * of at most 8 products has a rounding error of at most 9 u sum |a_i| |b_j|, u the unit round-off (Higham 2002, 3.1).
 *
 * Lower bound: the minimum of the parabola c0 + c1 x + c2 x^2 on [-1, 1], less |c3| + ... + |c7| + r.
 *
 * Rotation, with z = |w|^2:   exp(w) = 1 + A [w] + B (w w' - z),
 *   A = sum (-z)^k / (2k + 1)!,   B = sum (-z)^k / (2k + 2)!
 * truncated after the term k = K; the remainder is at most 2 Z^(K+1) / (2K + 3)! if Z >= z and Z <= (2K + 4)^2 / 2.
 */
#include "verify/series.h"

/* Half of the largest remainder of A and B, below round-off; limit of their terms; limit of z, |w| about 2 pi. */
#define TRUNCATION 1e-18
enum { TURN_TERMS = 24 };
#define TURN_MAX 42.0

RgSeries rg_series_mul(const RgSeries *a, const RgSeries *b)
{
    RgSeries s = {{0.0}, 0.0};
    double above[RG_SERIES_TERMS + 1] = {0.0}; /* [k]: |b_k| + |b_(k+1)| + ... */
    for (int k = RG_SERIES_TERMS - 1; k >= 0; k--)
        above[k] = above[k + 1] + fabs(b->c[k]);
    double cut = 0.0, size = 0.0;
    for (int i = 0; i < RG_SERIES_TERMS; i++) {
        double ai = a->c[i], abs_ai = fabs(ai);
        for (int j = 0; j < RG_SERIES_TERMS - i; j++)
            s.c[i + j] += ai * b->c[j];
        cut += abs_ai * above[RG_SERIES_TERMS - i];
        size += abs_ai;
    }
    s.r = rg_series_out(cut + 9.0 * RG_SERIES_ULP * size * above[0] + a->r * above[0] + b->r * size + a->r * b->r);
    return s;
}

RgSeries rg_series_cubic(const double k[4], double middle, double half)
{
    RgSeries s = {{0.0}, 0.0};
    s.c[0] = k[0] + middle * (k[1] + middle * (k[2] + middle * k[3]));
    s.c[1] = half * (k[1] + middle * (2.0 * k[2] + middle * (3.0 * k[3])));
    s.c[2] = half * half * (k[2] + middle * (3.0 * k[3]));
    s.c[3] = half * half * half * k[3];
    double size = fabs(k[0]) + fabs(k[1]) + fabs(k[2]) + fabs(k[3]);
    s.r = rg_series_out(16.0 * RG_SERIES_ULP * size);
    return s;
}

/* Lower bound of sign times the function. */
static double lower_bound(const RgSeries *a, double sign)
{
    double c0 = sign * a->c[0], c1 = fabs(a->c[1]), c2 = sign * a->c[2], rest = a->r;
    for (int i = 3; i < RG_SERIES_TERMS; i++)
        rest += fabs(a->c[i]);
    double least = c0 - c1 + c2;
    if (c2 > 0.0 && c1 < 2.0 * c2)
        least = c0 - 0.25 * c1 * (c1 / c2);
    rest += 8.0 * RG_SERIES_ULP * (fabs(c0) + c1 + fabs(c2));
    double bound = least - rg_series_out(rest);
    bound -= 2.0 * RG_SERIES_ULP * fabs(bound);
    return bound == bound ? bound : -(double)INFINITY;
}

double rg_series_low(const RgSeries *a)
{
    return lower_bound(a, 1.0);
}

double rg_series_high(const RgSeries *a)
{
    return -lower_bound(a, -1.0);
}

double rg_series_at(const RgSeries *a, double x)
{
    double f = 0.0;
    for (int i = RG_SERIES_TERMS - 1; i >= 0; i--)
        f = f * x + a->c[i];
    return f;
}

RgSeries3 rg_series3_vector(RgVec3 v)
{
    return (RgSeries3){{rg_series_number(v.x), rg_series_number(v.y), rg_series_number(v.z)}};
}

RgSeries3 rg_series3_sub(const RgSeries3 *a, const RgSeries3 *b)
{
    RgSeries3 s;
    for (int i = 0; i < 3; i++)
        s.at[i] = rg_series_sub(&a->at[i], &b->at[i]);
    return s;
}

RgSeries rg_series3_dot(const RgSeries3 *a, const RgSeries3 *b)
{
    RgSeries x = rg_series_mul(&a->at[0], &b->at[0]), y = rg_series_mul(&a->at[1], &b->at[1]);
    RgSeries z = rg_series_mul(&a->at[2], &b->at[2]), sum = rg_series_add(&x, &y);
    return rg_series_add(&sum, &z);
}

RgSeries3 rg_series3_cross(const RgSeries3 *a, const RgSeries3 *b)
{
    RgSeries3 s;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        RgSeries p = rg_series_mul(&a->at[j], &b->at[k]), q = rg_series_mul(&a->at[k], &b->at[j]);
        s.at[i] = rg_series_sub(&p, &q);
    }
    return s;
}

RgSeries33 rg_series33_matrix(RgMat3 R)
{
    RgSeries33 s;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            s.at[i][j] = rg_series_number(R.m[i][j]);
    return s;
}

RgSeries33 rg_series33_mul(const RgSeries33 *a, const RgSeries33 *b)
{
    RgSeries33 s;
    for (int j = 0; j < 3; j++) {
        RgSeries3 column = {{b->at[0][j], b->at[1][j], b->at[2][j]}}, out = rg_series33_apply(a, &column);
        for (int i = 0; i < 3; i++)
            s.at[i][j] = out.at[i];
    }
    return s;
}

RgSeries33 rg_series33_turned(RgMat3 R, const RgSeries33 *a)
{
    RgSeries33 s;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            RgSeries sum = rg_series_scale(R.m[i][0], &a->at[0][j]);
            sum = rg_series_axpy(R.m[i][1], &a->at[1][j], &sum);
            s.at[i][j] = rg_series_axpy(R.m[i][2], &a->at[2][j], &sum);
        }
    return s;
}

RgSeries3 rg_series33_apply(const RgSeries33 *a, const RgSeries3 *v)
{
    RgSeries3 s;
    for (int i = 0; i < 3; i++) {
        RgSeries3 row = {{a->at[i][0], a->at[i][1], a->at[i][2]}};
        s.at[i] = rg_series3_dot(&row, v);
    }
    return s;
}

RgSeries3 rg_series33_apply_number(const RgSeries33 *a, RgVec3 v)
{
    RgSeries zero = rg_series_number(0.0);
    RgSeries3 s;
    for (int i = 0; i < 3; i++) {
        RgSeries3 row = {{a->at[i][0], a->at[i][1], a->at[i][2]}};
        s.at[i] = rg_series_point(&zero, &row, v);
    }
    return s;
}

RgSeries3 rg_series33_apply_transposed(const RgSeries33 *a, const RgSeries3 *v)
{
    RgSeries3 s;
    for (int j = 0; j < 3; j++) {
        RgSeries3 column = {{a->at[0][j], a->at[1][j], a->at[2][j]}};
        s.at[j] = rg_series3_dot(&column, v);
    }
    return s;
}

RgSeries rg_series_point(const RgSeries *s, const RgSeries3 *k, RgVec3 v)
{
    RgSeries sum = rg_series_axpy(v.x, &k->at[0], s);
    sum = rg_series_axpy(v.y, &k->at[1], &sum);
    return rg_series_axpy(v.z, &k->at[2], &sum);
}

/* sum (-z)^k / (2k + first)!, k = 0 ... K, by Horner's scheme; left: bound of the remainder. */
static RgSeries alternating_series(const RgSeries *z, int K, int first, double left)
{
    double factor[TURN_TERMS + 1];
    double f = first == 1 ? 1.0 : 0.5;
    for (int k = 0; k <= K; k++) {
        factor[k] = f;
        f /= (double)((2 * k + first + 1) * (2 * k + first + 2));
    }
    RgSeries sum = rg_series_number(factor[K]);
    for (int k = K - 1; k >= 0; k--) {
        RgSeries product = rg_series_mul(&sum, z), one = rg_series_number(factor[k]);
        one.r = 4.0 * (k + 2) * RG_SERIES_ULP * factor[k]; /* the factor's own rounding */
        sum = rg_series_sub(&one, &product);
    }
    sum.r = rg_series_out(sum.r + left);
    return sum;
}

bool rg_series_turn(const RgSeries3 *w, RgSeries33 *out)
{
    RgSeries z = rg_series3_dot(w, w);
    double Z = rg_series_size(&z) + z.r;
    if (!(Z <= TURN_MAX))
        return false;

    /* Number of terms for Z; left is the first truncated term of A, Z^(K+1) / (2K + 3)!. */
    int K = 1;
    double left = Z * Z / 120.0;
    while (K < TURN_TERMS && (left > TRUNCATION || 2.0 * Z > (2.0 * K + 4.0) * (2.0 * K + 4.0))) {
        K++;
        left *= Z / (double)((2 * K + 2) * (2 * K + 3));
    }
    RgSeries A = alternating_series(&z, K, 1, 2.0 * left), B = alternating_series(&z, K, 2, 2.0 * left),
             one = rg_series_number(1.0);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        RgSeries square = rg_series_mul(&w->at[i], &w->at[i]), diagonal = rg_series_sub(&square, &z);
        diagonal = rg_series_mul(&B, &diagonal);
        out->at[i][i] = rg_series_add(&one, &diagonal);
        RgSeries even = rg_series_mul(&w->at[j], &w->at[k]), odd = rg_series_mul(&A, &w->at[i]);
        even = rg_series_mul(&B, &even);
        out->at[j][k] = rg_series_sub(&even, &odd);
        out->at[k][j] = rg_series_add(&even, &odd);
    }
    return true;
}
