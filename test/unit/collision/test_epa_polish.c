/* test_epa_polish.c - the last digits of normals and witness points. */
#include "check_near.h"
#include "epa_fixture.h"

/* Polishes from a normal that is off; how far the points are from the normal. */
static double polish(const TestShape *t, RgPose X, RgVec3 start, RgEpa *e, double *depth)
{
    RgConvexPair pair = {&t[0].shape, &t[1].shape, X};
    RgDifference d;
    cr_assert(rg_difference_init(&d, &pair));
    *e = test_answer(&d, v3_scale(1.0 / v3_norm(start), start));
    rg_epa_polish(&d, e);
    *depth = e->upper + d.round_a + d.round_b;
    RgVec3 off = v3_scale(e->upper, e->normal);
    for (int32_t i = 0; i < e->count; i++)
        off = v3_axpy(e->weight[i], e->point[i].w, off);
    return v3_norm(off);
}

/* A peg in a hole, off its middle: the way out is along the offset. An edge of D, curved along it. */
Test(epa_polish, parallel_cylinders)
{
    Draw d = draw_seed(1);
    for (int k = 0; k < 2000; k++) {
        TestShape t[2];
        RgEpa e;
        double r = draw_between(&d, 0.1, 0.5), s = draw_between(&d, 0.1, 0.5), depth, angle = 6.0 * k;
        test_curved(&t[0], RG_SHAPE_cylinder, r, 3.0, 0.0);
        test_curved(&t[1], RG_SHAPE_cylinder, s, pow(10.0, draw_between(&d, -4.0, 0.3)), 0.0);
        double by = pow(10.0, draw_between(&d, -5.0, -1.0));
        RgPose X = {mat_turn(vec(0, 0, 1), angle), {by * cos(angle), by * sin(angle), 0.0}};
        RgVec3 start = vec_add(X.p, vec_scale(0.02 * by, draw_direction(&d)));
        double off = polish(t, X, start, &e, &depth);
        CHECK_NEAR(depth, r + s - by, 2e-15, "m");
        CHECK_NEAR(off, 0.0, 1e-13, "m");
    }
}

/* A box in an ellipsoid, near the normal of one of its faces: a face of D, with the point in it. */
Test(epa_polish, box_in_a_large_ellipsoid)
{
    Draw d = draw_seed(2);
    for (int k = 0; k < 2000; k++) {
        TestShape t[2];
        RgEpa e;
        double depth, z = pow(10.0, draw_between(&d, -5.0, -1.0));
        test_curved(&t[0], RG_SHAPE_ellipsoid, 2.0, 2.0, 1.0);
        test_box(&t[1], 0.1, 0.2, z);
        RgPose X = {mat_turn(vec(0, 0, 1), 0.1 * k), {0.0, 0.0, 0.0}};
        RgVec3 start = vec_add(vec(0, 0, k % 2 == 0 ? 1.0 : -1.0), vec_scale(1e-3, draw_direction(&d)));
        double off = polish(t, X, start, &e, &depth);
        CHECK_NEAR(depth, 1.0 + 0.5 * z, 2e-15, "m");
        CHECK_NEAR(off, 0.0, 1e-13, "m");
    }
}

/* Never worse, and smooth ones end where the point lies on the normal. */
Test(epa_polish, never_worse)
{
    Draw d = draw_seed(3);
    for (int k = 0; k < 5000; k++) {
        TestShape t[2];
        RgEpa e;
        double depth;
        test_solid_draw(&t[0], &d, k % 5);
        test_solid_draw(&t[1], &d, k / 5 % 5);
        RgPose X = test_nested_draw(&d);
        RgConvexPair pair = {&t[0].shape, &t[1].shape, X};
        RgVec3 start = draw_direction(&d);
        double before = -test_separation(&pair, start);
        if (before <= 0.0)
            continue;
        polish(t, X, start, &e, &depth);
        cr_expect_leq(depth, before + 1e-14);
        CHECK_NEAR(depth, -test_separation(&pair, e.normal), 1e-14, "m");
    }
}
