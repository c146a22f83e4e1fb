/*
 * test_epa_proof.c - the least depth over all normals: closed forms with whole circles and spheres of
 * equally good normals, and a search of many directions.
 */
#include "check_near.h"
#include "epa_fixture.h"

#define TOLERANCE 1e-9

/* Depth of a nested pair, from a normal that is as bad as any. */
static double depth_of(const TestShape *t, RgPose X, RgVec3 start, RgEpa *e)
{
    RgConvexPair pair = {&t[0].shape, &t[1].shape, X};
    RgDifference difference;
    cr_assert(rg_difference_init(&difference, &pair));
    *e = test_answer(&difference, start);
    cr_expect(rg_epa_prove(&difference, TOLERANCE, e), "%d cuts", difference.calls);
    cr_expect(e->lower >= e->upper - TOLERANCE * (1.0 + 1e-6) && e->lower <= e->upper);
    CHECK_NEAR(e->upper + difference.round_a + difference.round_b, -test_separation(&pair, e->normal), 1e-14, "m");
    return e->upper + difference.round_a + difference.round_b;
}

/* |A n| + |B n| with common axes is concave in the squares of n's coordinates: least along an axis. Equal
   half axes make circles and spheres of such normals. */
Test(epa_proof, ellipsoids_with_common_axes)
{
    Draw d = draw_seed(1);
    for (int k = 0; k < 1000; k++) {
        TestShape t[2];
        RgEpa e;
        test_solid_draw(&t[0], &d, 4);
        test_solid_draw(&t[1], &d, 4);
        const double *a = t[0].shape.size, *b = t[1].shape.size;
        double least = fmin(a[0] + b[0], fmin(a[1] + b[1], a[2] + b[2]));
        RgPose here = {mat_identity(), {0, 0, 0}};
        CHECK_NEAR(depth_of(t, here, draw_direction(&d), &e), least, TOLERANCE, "m");
    }
}

/* Cylinders on one axis, as deep all round. */
Test(epa_proof, cylinders_on_one_axis)
{
    Draw d = draw_seed(2);
    for (int k = 0; k < 1000; k++) {
        TestShape t[2];
        RgEpa e;
        test_solid_draw(&t[0], &d, 3);
        test_solid_draw(&t[1], &d, 3);
        const double *a = t[0].shape.size, *b = t[1].shape.size;
        RgPose X = {mat_turn(vec(0, 0, 1), draw_between(&d, -3.0, 3.0)), {0, 0, 0}};
        CHECK_NEAR(depth_of(t, X, draw_direction(&d), &e), fmin(a[0] + b[0], 0.5 * (a[1] + b[1])), TOLERANCE, "m");
    }
}

/* Whatever the pair and the start: no direction of many is less deep than the bound. */
Test(epa_proof, no_direction_is_less_deep)
{
    Draw d = draw_seed(3);
    int most = 0;
    for (int k = 0; k < 2000; k++) {
        TestShape t[2];
        test_solid_draw(&t[0], &d, k % 5);
        test_solid_draw(&t[1], &d, k / 5 % 5);
        RgConvexPair pair = {&t[0].shape, &t[1].shape, test_nested_draw(&d)};
        RgDifference difference;
        cr_assert(rg_difference_init(&difference, &pair));
        RgEpa e = test_answer(&difference, draw_direction(&d));
        if (e.upper <= 0.0)
            continue;
        bool proven = rg_epa_prove(&difference, TOLERANCE, &e);
        if (e.upper <= 0.0)
            continue; /* the cores do not overlap */
        cr_expect(proven, "%d cuts", difference.calls);
        most = difference.calls > most ? difference.calls : most;
        double rounds = difference.round_a + difference.round_b;
        for (int i = 0; i < 300; i++) {
            RgVec3 n = draw_direction(&d);
            n = i % 2 != 0 ? n : vec_add(e.normal, vec_scale(pow(10.0, draw_between(&d, -6.0, -1.0)), n));
            n = v3_scale(1.0 / v3_norm(n), n);
            cr_expect_geq(-test_separation(&pair, n), e.lower + rounds - 1e-14);
        }
    }
    cr_expect(most < 11000, "%d cuts", most);
}
