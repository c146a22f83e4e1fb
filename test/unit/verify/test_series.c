/* test_series.c - polynomials with a radius: the true function, in long double, is always within. */
#include "check_near.h"
#include "draw.h"
#include "verify/series.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* A function and what is known of it. */
typedef struct Known {
    RgSeries s;
    long double at[5]; /* at x = -1, -1/2, 0, 1/2, 1 */
} Known;

static const double places[5] = {-1.0, -0.5, 0.0, 0.5, 1.0};

static Known known_cubic(Draw *d)
{
    Known f;
    double k[4], middle = draw_between(d, -0.5, 0.5), half = draw_between(d, 0.0, 0.5);
    for (int i = 0; i < 4; i++)
        k[i] = draw_between(d, -2.0, 2.0);
    f.s = rg_series_cubic(k, middle, half);
    for (int i = 0; i < 5; i++) {
        long double u = (long double)middle + (long double)half * (long double)places[i];
        f.at[i] = k[0] + u * (k[1] + u * (k[2] + u * (long double)k[3]));
    }
    return f;
}

/* The polynomial at x in long double. */
static long double polynomial(const RgSeries *s, double x)
{
    long double f = 0.0L;
    for (int i = RG_SERIES_TERMS - 1; i >= 0; i--)
        f = f * (long double)x + (long double)s->c[i];
    return f;
}

/* The function lies within, and its least and largest values within the bounds. */
static void check(const Known *f)
{
    double low = rg_series_low(&f->s), high = rg_series_high(&f->s);
    for (int i = 0; i < 5; i++) {
        long double off = fabsl(f->at[i] - polynomial(&f->s, places[i]));
        cr_expect(off <= (long double)f->s.r, "%Lg off, %g allowed", off, f->s.r);
        cr_expect(f->at[i] >= (long double)low && f->at[i] <= (long double)high);
    }
}

Test(series, sums_and_products_hold_the_true_function)
{
    Draw d = draw_seed(5);
    for (int round = 0; round < 3000; round++) {
        Known f = known_cubic(&d);
        for (int k = 0; k < 6; k++) {
            Known g = known_cubic(&d);
            int what = draw_below(&d, 4);
            double scale = draw_between(&d, -3.0, 3.0);
            f.s = what == 0   ? rg_series_add(&f.s, &g.s)
                  : what == 1 ? rg_series_mul(&f.s, &g.s)
                  : what == 2 ? rg_series_axpy(scale, &g.s, &f.s)
                              : rg_series_sub(&f.s, &g.s);
            for (int i = 0; i < 5; i++)
                f.at[i] = what == 0   ? f.at[i] + g.at[i]
                          : what == 1 ? f.at[i] * g.at[i]
                          : what == 2 ? f.at[i] + (long double)scale * g.at[i]
                                      : f.at[i] - g.at[i];
        }
        check(&f);
    }
}

/* Rodrigues in long double. */
static long double turn_entry(const long double w[3], int i, int j)
{
    long double z = w[0] * w[0] + w[1] * w[1] + w[2] * w[2], t = sqrtl(z);
    long double A = t > 1e-9L ? sinl(t) / t : 1.0L - z / 6.0L;
    long double half = t > 1e-9L ? sinl(0.5L * t) / (0.5L * t) : 1.0L, B = 0.5L * half * half;
    long double sum = (i == j ? 1.0L - B * z : 0.0L) + B * w[i] * w[j];
    if (i != j) {
        int k = 3 - i - j;
        sum += (j == (i + 1) % 3 ? -1.0L : 1.0L) * A * w[k];
    }
    return sum;
}

Test(series, turns_hold_the_true_matrix)
{
    Draw d = draw_seed(6);
    double widest = 0.0;
    for (int round = 0; round < 2000; round++) {
        Known w[3] = {known_cubic(&d), known_cubic(&d), known_cubic(&d)};
        double size = pow(10.0, draw_between(&d, -8.0, 0.0));
        RgSeries3 v;
        for (int k = 0; k < 3; k++) {
            v.at[k] = rg_series_scale(size, &w[k].s);
            for (int i = 0; i < 5; i++)
                w[k].at[i] *= (long double)size;
        }
        RgSeries33 R;
        if (!rg_series_turn(&v, &R))
            continue;
        for (int e = 0; e < 9; e++) {
            Known f = {.s = R.at[e / 3][e % 3]};
            for (int i = 0; i < 5; i++) {
                long double at[3] = {w[0].at[i], w[1].at[i], w[2].at[i]};
                f.at[i] = turn_entry(at, e / 3, e % 3);
            }
            check(&f);
            if (size < 0.01)
                widest = fmax(widest, f.s.r);
        }
    }
    printf("turns of up to 0.08 rad: radius at most %g\n", widest);
    cr_expect_lt(widest, 1e-8);
}

Test(series, a_height_that_cancels_is_known_to_rounding)
{
    /* x cos - y sin + ... of a turn about z, taken back: what stays is constant. */
    RgSeries3 w = rg_series3_vector(v3(0.0, 0.0, 0.0));
    w.at[2].c[1] = 0.05;
    RgSeries33 R;
    cr_assert(rg_series_turn(&w, &R));
    RgSeries3 n = rg_series33_apply_number(&R, v3(1.0, 0.0, 0.0)), x = rg_series33_apply_number(&R, v3(0.3, 0.4, 0.0));
    RgSeries height = rg_series3_dot(&n, &x);
    CHECK_NEAR(rg_series_low(&height), 0.3, 2e-13, "m");
    CHECK_NEAR(rg_series_high(&height), 0.3, 2e-13, "m");
    cr_expect_lt(rg_series_low(&height), 0.3);
    cr_expect_gt(rg_series_high(&height), 0.3);
}

Test(series, what_is_not_a_number_is_not_bounded)
{
    RgSeries bad = rg_series_number((double)NAN);
    cr_expect(rg_series_low(&bad) == -(double)INFINITY);
    cr_expect(rg_series_high(&bad) == (double)INFINITY);
    RgSeries3 w = rg_series3_vector(v3(100.0, 0.0, 0.0));
    RgSeries33 R;
    cr_expect_not(rg_series_turn(&w, &R));
    w.at[0] = bad;
    cr_expect_not(rg_series_turn(&w, &R));
}
