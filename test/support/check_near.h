/*
 * check_near.h - comparisons of numbers for the tests.
 *
 *   CHECK_NEAR(actual, expected, tolerance, "unit")              |actual - expected| <= tolerance
 *   CHECK_REL(actual, expected, relative, "unit")                |actual - expected| <= relative * |expected|
 *   CHECK_NEAR_ALL(actual, expected, count, tolerance, "unit")   the same for the worst of count numbers
 *   CHECK_REL_ALL(actual, expected, count, relative, "unit")     scaled by the largest |expected|
 *
 * A failed check prints both values, the unit, the error and how many times it exceeds the tolerance, and the
 * test goes on. A number that is not finite always fails.
 */
#ifndef TEST_SUPPORT_CHECK_NEAR_H
#define TEST_SUPPORT_CHECK_NEAR_H

#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* The worst pair of two arrays, and where it is ("[3]"; empty for a scalar). */
typedef struct CheckWorst {
    double actual, expected, error;
    char place[24];
} CheckWorst;

/* NaN counts as an infinite error, so that it can neither pass nor hide behind a finite one. */
static inline double check_error(double actual, double expected)
{
    double error = fabs(actual - expected);
    return isfinite(error) ? error : (double)INFINITY;
}

static inline CheckWorst check_worst(const double *actual, const double *expected, size_t count)
{
    CheckWorst worst = {0.0, 0.0, 0.0, ""};
    for (size_t i = 0; i < count; i++) {
        double error = check_error(actual[i], expected[i]);
        if (i > 0 && error <= worst.error)
            continue;
        worst.actual = actual[i];
        worst.expected = expected[i];
        worst.error = error;
        snprintf(worst.place, sizeof worst.place, "[%zu]", i);
    }
    return worst;
}

static inline CheckWorst check_one(double actual, double expected)
{
    return (CheckWorst){actual, expected, check_error(actual, expected), ""};
}

static inline double check_largest(const double *values, size_t count)
{
    double largest = 0.0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(values[i]));
    return largest;
}

/* An infinite error must fail even where the tolerance came out infinite. */
#define CHECK_WORST(worst, limit, unit, what)                                                                          \
    do {                                                                                                               \
        const CheckWorst check_w = (worst);                                                                            \
        const double check_limit = (limit);                                                                            \
        cr_expect(isfinite(check_w.error) && check_w.error <= check_limit,                                             \
                  "%s%s = %.17g %s, expected %.17g %s: error %.3g, tolerance %.3g, %.3g times too large", what,        \
                  check_w.place, check_w.actual, unit, check_w.expected, unit, check_w.error, check_limit,             \
                  check_w.error / check_limit);                                                                        \
    } while (0)

#define CHECK_NEAR(actual, expected, tolerance, unit)                                                                  \
    CHECK_WORST(check_one((actual), (expected)), (tolerance), unit, #actual)

#define CHECK_REL(actual, expected, relative, unit)                                                                    \
    CHECK_WORST(check_one((actual), (expected)), (relative)*fabs(expected), unit, #actual)

#define CHECK_NEAR_ALL(actual, expected, count, tolerance, unit)                                                       \
    CHECK_WORST(check_worst((actual), (expected), (size_t)(count)), (tolerance), unit, #actual)

#define CHECK_REL_ALL(actual, expected, count, relative, unit)                                                         \
    CHECK_WORST(check_worst((actual), (expected), (size_t)(count)),                                                    \
                (relative)*check_largest((expected), (size_t)(count)), unit, #actual)

#endif
