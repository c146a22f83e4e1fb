/*
 * test_anderson.c - acceleration of fixed points: linear maps whose plain chain is slow, with the fixed point known;
 * bounds; the length of a step of a convex function.
 */
#include "math/anderson.h"
#include "math/flat_along.h"

#include <criterion/criterion.h>
#include <math.h>

#define N 12

/* g(x) = b + D x in a turned frame: x = b / (1 - d) there. */
typedef struct Map {
    double d[N], fixed[N];
} Map;

static void apply(const Map *m, const double *x, double *out)
{
    for (int k = 0; k < N; k++)
        out[k] = m->fixed[k] + m->d[k] * (x[k] - m->fixed[k]);
}

static double distance(const Map *m, const double *x)
{
    double sum = 0.0;
    for (int k = 0; k < N; k++)
        sum += (x[k] - m->fixed[k]) * (x[k] - m->fixed[k]);
    return sqrt(sum);
}

/* Four rates only: memory of six finds the fixed point in a few turns, the plain chain needs hundreds. */
Test(anderson, finds_a_slow_fixed_point)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    Map m;
    for (int k = 0; k < N; k++) {
        m.d[k] = 0.99 - 0.2 * (k % 4);
        m.fixed[k] = 1.0 + k;
    }
    RgAnderson a;
    cr_assert(rg_anderson_alloc(&arena, &a, N));
    double x[N] = {0.0}, plain[N] = {0.0};
    for (int turn = 0; turn < 12; turn++) {
        apply(&m, x, x);
        rg_anderson_next(&a, -INFINITY, x);
        apply(&m, plain, plain);
    }
    cr_expect_lt(distance(&m, x), 1e-7, "%g", distance(&m, x));
    cr_expect_gt(distance(&m, plain), 1.0);
    rg_arena_free(&arena);
}

Test(anderson, keeps_its_bound_and_begins_anew)
{
    RgArena arena;
    rg_arena_init(&arena, NULL);
    RgAnderson a;
    cr_assert(rg_anderson_alloc(&arena, &a, 1));
    double x = 0.0;
    for (int turn = 0; turn < 40; turn++) { /* fixed point -1, which the bound forbids */
        x = 0.5 * x - 0.5;
        rg_anderson_next(&a, 0.0, &x);
        cr_assert(x >= 0.0 && isfinite(x));
    }
    rg_anderson_reset(&a);
    x = 3.0;
    rg_anderson_next(&a, 0.0, &x);
    cr_expect_eq(x, 3.0, "the first after forgetting is taken as it is");
    rg_arena_free(&arena);
}

/* Slopes of a parabola with its lowest point at `at`, and of |x - at| smoothed. */
static double parabola(const void *at, double part)
{
    return part - *(const double *)at;
}

static double kink(const void *at, double part)
{
    double x = part - *(const double *)at;
    return x / sqrt(1e-12 + x * x);
}

Test(flat_along, ends_where_it_is_flat)
{
    for (int k = 1; k <= 60; k++) {
        double at = 0.02 * k;
        double part = rg_line_search(parabola, &at);
        cr_expect(part <= 1.0 && fabs(parabola(&at, part)) <= fmax(0.1 * at, at - 1.0) + 1e-15, "%g: %g", at, part);
        part = rg_line_search(kink, &at);
        cr_expect(part <= 1.0 && fabs(part - fmin(at, 1.0)) < 1e-4, "%g: %g", at, part);
    }
}
