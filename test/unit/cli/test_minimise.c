/*
 * test_minimise.c - minima that are known, within bounds and at them; the same bits twice; the start as it was given.
 */
#include "study/minimise.h"

#include "check_near.h"

#include <string.h>

enum { TRACE = 4000 };

typedef struct Bowl {
    int n, count;
    double at[4];
    double trace[TRACE][4];
    double bump; /* height of ripples */
} Bowl;

/* Squares of log(x / at), with ripples that make many local minima. */
static double bowl(const double *x, void *context)
{
    Bowl *b = context;
    double sum = 0.0;
    for (int i = 0; i < b->n; i++) {
        double y = log(x[i] / b->at[i]);
        sum += (i + 1.0) * y * y + b->bump * (1.0 - cos(6.0 * y));
    }
    if (b->count < TRACE)
        memcpy(b->trace[b->count++], x, (size_t)b->n * sizeof *x);
    return sum;
}

static RgMinimum run(Bowl *b, const char *algorithm, int evaluations, double *x)
{
    static const double start[4] = {0.1, 300.0, 7.0, 1.0}, low[4] = {1e-3, 1.0, 0.1, 1e-2},
                        high[4] = {10.0, 1e4, 1e3, 1e2};
    RgMinimise def = {.algorithm = algorithm, .n = b->n, .start = start, .low = low, .high = high, .seed = 5};
    def.evaluations = evaluations;
    def.tolerance = 1e-6;
    def.cost = bowl;
    def.context = b;
    RgMinimum out = {.x = x};
    cr_assert_eq(rg_minimise(&def, &out), RG_OK, "%s", algorithm);
    return out;
}

static bool skip(void)
{
    if (!rg_minimise_available())
        cr_log_warn("built without NLopt");
    return !rg_minimise_available();
}

/* A smooth bowl by every algorithm; a number beyond the bounds ends at the bound. */
Test(minimise, known_minima)
{
    static Bowl b;
    double x[4];
    if (skip())
        return;
    for (int i = 0; i < rg_minimise_count(); i++) {
        bool global = strcmp(rg_minimise_name(i), "crs") == 0 || strcmp(rg_minimise_name(i), "direct") == 0;
        b = (Bowl){.n = 3, .at = {0.02, 5000.0, 55.0}};
        RgMinimum out = run(&b, rg_minimise_name(i), 4000, x);
        cr_expect_lt(out.value, global ? 1e-2 : 1e-6, "%s: %g", rg_minimise_name(i), out.value);
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(x[k] / b.at[k], 1.0, global ? 0.1 : 1e-3, "");
        cr_expect_leq(out.evaluations, 4000);
    }
    b = (Bowl){.n = 2, .at = {100.0, 0.5}};
    run(&b, "bobyqa", 500, x);
    CHECK_NEAR(x[0], 10.0, 1e-9, "at the upper bound");
    CHECK_NEAR(x[1], 1.0, 1e-9, "at the lower bound");
}

/* What is tried first is the start, bit by bit, and nothing leaves the bounds. */
Test(minimise, starts_as_given_and_keeps_to_bounds)
{
    static Bowl b;
    double x[4];
    if (skip())
        return;
    for (int i = 0; i < rg_minimise_count(); i++) {
        b = (Bowl){.n = 4, .at = {1e-4, 3.0, 70.0, 4.0}};
        RgMinimum out = run(&b, rg_minimise_name(i), 200, x);
        cr_expect(b.trace[0][0] == 0.1 && b.trace[0][1] == 300.0 && b.trace[0][2] == 7.0 && b.trace[0][3] == 1.0);
        for (int k = 0; k < b.count; k++)
            cr_expect(b.trace[k][0] >= 1e-3 && b.trace[k][0] <= 10.0 && b.trace[k][3] >= 1e-2 && b.trace[k][3] <= 1e2);
        double first = bowl(b.trace[0], &b);
        CHECK_NEAR(out.first, first, 0.0, "");
        cr_expect_leq(out.value, out.first);
        out = run(&b, rg_minimise_name(i), 1, x);
        cr_expect(out.evaluations == 1 && x[1] == 300.0 && out.value == out.first);
    }
}

/* Two runs try the same numbers, bit by bit; the one by dice too, and with another seed others. */
Test(minimise, same_bits_twice)
{
    static Bowl a, b;
    double x[4], y[4];
    if (skip())
        return;
    for (int i = 0; i < rg_minimise_count(); i++) {
        a = (Bowl){.n = 3, .at = {0.02, 5000.0, 55.0}, .bump = 0.3};
        b = a;
        RgMinimum first = run(&a, rg_minimise_name(i), 300, x), second = run(&b, rg_minimise_name(i), 300, y);
        cr_expect_eq(first.evaluations, second.evaluations);
        cr_expect_eq(memcmp(a.trace, b.trace, sizeof a.trace), 0, "%s", rg_minimise_name(i));
        cr_expect_eq(memcmp(x, y, 3 * sizeof *x), 0);
    }
}

Test(minimise, refuses)
{
    double start[2] = {1.0, 2.0}, low[2] = {0.5, 1.0}, high[2] = {2.0, 4.0}, x[2];
    static Bowl b = {.n = 2, .at = {1.0, 1.0}};
    RgMinimise def = {.algorithm = "sbplx", .n = 2, .start = start, .low = low, .high = high};
    RgMinimum out = {.x = x};
    def.evaluations = 10;
    def.cost = bowl;
    def.context = &b;
    if (!rg_minimise_available()) {
        cr_expect_eq(rg_minimise(&def, &out), RG_ERR_UNSUPPORTED);
        return;
    }
    cr_expect_eq(rg_minimise(&def, &out), RG_OK);
    def.algorithm = "simplex";
    cr_expect_eq(rg_minimise(&def, &out), RG_ERR_ARGUMENT);
    def.algorithm = "bobyqa";
    def.n = 1;
    cr_expect_eq(rg_minimise(&def, &out), RG_ERR_ARGUMENT, "from two numbers on");
    def.n = 2;
    start[0] = 3.0;
    cr_expect_eq(rg_minimise(&def, &out), RG_ERR_ARGUMENT, "outside its bounds");
    start[0] = 1.0;
    low[1] = 0.0;
    cr_expect_eq(rg_minimise(&def, &out), RG_ERR_ARGUMENT, "zero has no logarithm");
}
