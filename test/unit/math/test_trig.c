/* test_trig.c - sine and cosine against long double, in units in the last place, over every range of
   angles. */
#include "check_near.h"

#include "base/random.h"
#include "math/trig.h"

#include <float.h>

/* The bound of trig.h, with a margin for the rounding of the comparison. */
#define ULP_MOST 2.5

/* Distance from the exact value in units in the last place of that value. */
static double ulps(double value, long double exact)
{
    int exponent;
    frexpl(exact, &exponent);
    long double unit = ldexpl(1.0L, exponent - DBL_MANT_DIG);
    return (double)(fabsl((long double)value - exact) / unit);
}

static double worst_ulps(double x)
{
    double s, c;
    rg_sincos(x, &s, &c);
    return fmax(ulps(s, sinl((long double)x)), ulps(c, cosl((long double)x)));
}

/* The worst of count angles drawn from [-range, range]. */
static double worst_in_range(double range, int count, uint64_t seed)
{
    RgRandom random = rg_random_seed(seed);
    double worst = 0.0;
    for (int i = 0; i < count; i++)
        worst = fmax(worst, worst_ulps(rg_random_uniform(&random, -range, range)));
    return worst;
}

Test(trig, within_2_5_ulp_over_every_range)
{
    if (LDBL_MANT_DIG < 64)
        cr_skip_test("long double is no finer than double");
    const double ranges[] = {1e-9, 0.01, RG_PI / 4.0, RG_PI, 10.0, 1000.0, RG_TRIG_LIMIT};
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        CHECK_NEAR(worst_in_range(ranges[i], 200000, i), 0.0, ULP_MOST, "ulp");
}

Test(trig, within_2_5_ulp_where_the_value_nearly_vanishes)
{
    if (LDBL_MANT_DIG < 64)
        cr_skip_test("long double is no finer than double");
    /* The doubles nearest to multiples of pi/2, and their neighbours: sine or cosine is all cancellation
       there. */
    double worst = 0.0;
    for (int n = 1; n < 636619; n += 3) {
        double x = n * (0.5 * RG_PI);
        worst = fmax(worst, worst_ulps(x));
        worst = fmax(worst, worst_ulps(nextafter(x, 0.0)));
        worst = fmax(worst, worst_ulps(-nextafter(x, 1e9)));
    }
    CHECK_NEAR(worst, 0.0, ULP_MOST, "ulp");
}

/* Beyond the limit, too, without libm: to the last place of the angle itself, and without a step at the limit. */
Test(trig, large_angles_to_their_last_place)
{
    if (LDBL_MANT_DIG < 64)
        cr_skip_test("long double is no finer than double");
    RgRandom random = rg_random_seed(5);
    for (int i = 0; i < 200000; i++) {
        double x = RG_TRIG_LIMIT * pow(10.0, rg_random_uniform(&random, 0.0, 9.0)), s, c;
        double allowed = fmax(nextafter(x, INFINITY) - x, 4e-16);
        rg_sincos(i % 2 == 0 ? x : -x, &s, &c);
        cr_assert(fabs((double)(s - (i % 2 == 0 ? 1.0L : -1.0L) * sinl(x))) <= allowed, "sin %.17g: %.17g", x, s);
        cr_assert(fabs((double)(c - cosl(x))) <= allowed, "cos %.17g: %.17g", x, c);
        cr_assert(fabs(s * s + c * c - 1.0) < 1e-15);
    }
    double here[2], there[2], beyond = nextafter(RG_TRIG_LIMIT, INFINITY);
    rg_sincos(RG_TRIG_LIMIT, &here[0], &here[1]);
    rg_sincos(beyond, &there[0], &there[1]);
    CHECK_NEAR(there[0], here[0], beyond - RG_TRIG_LIMIT, "");
    CHECK_NEAR(there[1], here[1], beyond - RG_TRIG_LIMIT, "");
    rg_sincos(INFINITY, &here[0], &here[1]);
    cr_expect(isnan(here[0]) && isnan(here[1]));
}

Test(trig, symmetries_hold_to_the_bit)
{
    RgRandom random = rg_random_seed(3);
    for (int i = 0; i < 10000; i++) {
        double x = rg_random_uniform(&random, 0.0, 100.0), s, c, minus_s, minus_c;
        rg_sincos(x, &s, &c);
        rg_sincos(-x, &minus_s, &minus_c);
        cr_assert_eq(s, -minus_s);
        cr_assert_eq(c, minus_c);
    }
}

Test(trig, special_angles)
{
    double s, c;
    rg_sincos(0.0, &s, &c);
    cr_expect_eq(s, 0.0);
    cr_expect_eq(c, 1.0);
    rg_sincos(5e-324, &s, &c);
    cr_expect_eq(s, 5e-324);
    cr_expect_eq(c, 1.0);

    /* Beyond the limit libm answers; what is no angle gives no number. */
    rg_sincos(3.0e15, &s, &c);
    cr_expect_eq(s, sin(3.0e15));
    cr_expect_eq(c, cos(3.0e15));
    rg_sincos((double)INFINITY, &s, &c);
    cr_expect(isnan(s) && isnan(c));
    rg_sincos((double)NAN, &s, &c);
    cr_expect(isnan(s) && isnan(c));
}
