/* test_epa_parts.c - shapes as ellipsoids and polytopes: the sum is the shape. */
#include "check_near.h"
#include "epa_fixture.h"

#include "collision/epa_parts.h"

/* |A n| + |B n| + v.n is the depth along n, and no corner found elsewhere is farther. */
Test(epa_parts, their_sum_is_the_depth)
{
    Draw d = draw_seed(1);
    for (int k = 0; k < 20000; k++) {
        TestShape t[2];
        test_solid_draw(&t[0], &d, k % 5);
        test_solid_draw(&t[1], &d, k / 5 % 5);
        RgConvexPair pair = {&t[0].shape, &t[1].shape, test_nested_draw(&d)};
        RgDifference difference;
        RgEpaParts parts;
        cr_assert(rg_difference_init(&difference, &pair));
        cr_assert(rg_epa_parts(&difference, &parts));
        RgVec3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        RgVec3 n = draw_chance(&d, 0.1) ? axis : draw_direction(&d), m = draw_direction(&d);
        RgEpaCorner here = rg_epa_corner(&parts, n), there = rg_epa_corner(&parts, m);
        RgEpaRound round = rg_epa_round(&parts, n);
        double ellipsoids = round.length[0] + round.length[1], depth = -test_separation(&pair, n);
        CHECK_NEAR(ellipsoids + v3_dot(here.v, n), depth, 1e-11, "m"); /* found up to 1e-12 rad beside */
        CHECK_NEAR(here.depth, depth, 4e-15, "m");
        cr_expect_leq(ellipsoids + v3_dot(there.v, n), depth + 1e-14);
    }
}

/* A kind that does not say what it is made of. */
Test(epa_parts, unknown_kinds_are_refused)
{
    TestShape t[2];
    test_box(&t[0], 1.0, 1.0, 1.0);
    t[0].shape.core = NULL; /* a box is known by its core alone */
    test_sphere(&t[1], 1.0);
    RgConvexPair pair = {&t[0].shape, &t[1].shape, {mat_identity(), {0, 0, 0}}};
    RgDifference difference = {.pair = &pair};
    RgEpaParts parts;
    cr_expect(!rg_epa_parts(&difference, &parts));
    RgEpa e = {.upper = 1.0};
    cr_expect(!rg_epa_prove(&difference, 1e-9, &e));
    cr_expect_eq(e.lower, 0.0);
}
