/*
 * test_maxstep.c - the search for the largest step, with functions whose answer is known: one limit anywhere, none,
 * all, and stability that comes and goes.
 */
#include "step_search/maxstep.h"

#include "check_near.h"

/* Works in [low, high] of each interval. */
typedef struct Intervals {
    int n;
    double low[4], high[4];
    int asked;
} Intervals;

static bool within(double step, void *context)
{
    Intervals *set = context;
    set->asked++;
    for (int i = 0; i < set->n; i++)
        if (step >= set->low[i] && step <= set->high[i])
            return true;
    return false;
}

static RgStepLimit search(Intervals *set, double width, int probes)
{
    RgStepSearch def = {.first = 1e-3, .least = 1e-6, .most = 0.1, .width = width, .probes = probes};
    def.works = within;
    def.context = set;
    return rg_step_search(&def);
}

/* One limit, anywhere from below the first step to close to the last: bracketed to the width. */
Test(maxstep, one_limit)
{
    static const double limits[6] = {2.3e-6, 0.9e-3, 1e-3, 0.0123, 0.0641, 0.0999};
    static const double widths[3] = {0.3, 0.01, 1e-6};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 3; k++) {
            Intervals set = {1, {0.0}, {limits[i]}, 0};
            RgStepLimit limit = search(&set, widths[k], 5);
            cr_expect(limit.found && limit.step <= limits[i] && limit.fails > limits[i]);
            cr_expect(limit.fails <= limit.step * (1.0 + widths[k]) * (1.0 + 1e-12));
            cr_expect(limit.ntries == set.asked && limit.holes == 0 && limit.islands == 0);
        }
    }
}

/* As the paper did: 1, 2, 4, ... ms, then within the last two. */
Test(maxstep, doubling_then_bisection)
{
    Intervals set = {1, {0.0}, {0.011}, 0};
    RgStepLimit limit = search(&set, 0.05, 0);
    static const double doubled[5] = {1e-3, 2e-3, 4e-3, 8e-3, 16e-3};
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(limit.tries[i].step, doubled[i], 1e-18, "s");
    cr_expect_eq(limit.ntries, 5 + 4, "four bisections to 5 %%, not %d", limit.ntries - 5);
    for (int i = 5; i < limit.ntries; i++)
        cr_expect(limit.tries[i].step > 8e-3 && limit.tries[i].step < 16e-3);
}

/* Everything works: the cap, exactly, and nothing above it is tried. Nothing works: said so. */
Test(maxstep, all_and_nothing)
{
    Intervals all = {1, {0.0}, {1e9}, 0}, nothing = {0};
    RgStepLimit limit = search(&all, 0.01, 3);
    cr_expect(limit.found && limit.step == 0.1 && isinf(limit.fails) && limit.islands == 0 && limit.holes == 0);
    for (int i = 0; i < limit.ntries; i++)
        cr_expect(limit.tries[i].step <= 0.1);
    limit = search(&nothing, 0.01, 3);
    cr_expect(!limit.found && isnan(limit.step) && limit.islands == 0);
    cr_expect(limit.fails == 1e-6, "down to the least");
}

/* Stable again above the limit, unstable in between, stable nowhere but far up: all of it is told. */
Test(maxstep, islands_and_holes)
{
    Intervals island = {2, {0.0, 0.03}, {0.005, 0.06}, 0};
    RgStepLimit limit = search(&island, 0.01, 8);
    cr_expect(limit.found && limit.step > 0.0049 && limit.step <= 0.005);
    cr_expect(limit.islands > 0 && limit.island > 0.03 && limit.island <= 0.06 && limit.holes == 0);

    Intervals hole = {2, {0.0, 0.0031}, {0.0021, 0.02}, 0};
    limit = search(&hole, 0.01, 8);
    cr_expect(limit.found && limit.step > 0.0198 && limit.step <= 0.02);
    cr_expect(limit.holes > 0 && limit.hole > 0.0021 && limit.hole < 0.0031 && limit.islands == 0);

    Intervals far = {1, {0.02}, {0.05}, 0};
    limit = search(&far, 0.01, 8);
    cr_expect(!limit.found && limit.islands > 0 && limit.island >= 0.02 && limit.island <= 0.05);

    Intervals unseen = {2, {0.0, 0.03}, {0.005, 0.06}, 0};
    cr_expect_eq(search(&unseen, 0.01, 0).islands, 0, "without probes nothing is told");
}
