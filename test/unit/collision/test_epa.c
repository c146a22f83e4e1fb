/* test_epa.c - depth of shapes that overlap: polytopes, flat cores, curved ones, pegs in holes. */
#include "brute_force.h"
#include "check_near.h"

#include "collision/epa.h"

/* Where bounds of curved shapes count as equal: 1e-10 of a depth of up to 2 m. */
#define CURVED 2e-10

static RgDistance distance_of(const TestShape *t, RgPose X_AB)
{
    RgConvexPair pair = {&t[0].shape, &t[1].shape, X_AB};
    RgDistance r;
    cr_expect_eq(rg_convex_distance_gjk(&pair, NULL, &r), RG_OK);
    double size = fmax(rg_pair_size(&pair), v3_norm(X_AB.p));
    CHECK_NEAR(v3_norm(r.normal), 1.0, 1e-15, "");
    CHECK_NEAR(test_separation(&pair, r.normal), r.distance, 1e-14 * size, "m");
    return r;
}

/* Deep in each other: the least depth of all directions, and the witness points in both shapes. */
Test(epa, polytopes_agree_with_brute_force)
{
    Draw d = draw_seed(1);
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (int k = 0; k < 3000; k++) {
        TestShape t[2];
        rg_arena_reset(&arena);
        test_polytope_draw(&t[0], &arena, &d);
        test_polytope_draw(&t[1], &arena, &d);
        RgPose X = draw_pose(&d, 0.0);
        X.p = draw_vec(&d, 0.3 * rg_pair_size(&(RgConvexPair){&t[0].shape, &t[1].shape, X}));
        RgConvexPair pair = {&t[0].shape, &t[1].shape, X};
        double truth = brute_force(&t[0].core, &t[1].core, &X), size = rg_pair_size(&pair);
        RgDistance r = distance_of(t, X);
        CHECK_NEAR(r.distance, truth, 1e-14 * size, "m");
        for (int i = 0; i < 20; i++) {
            RgVec3 n = draw_direction(&d), m = m3_apply_t(X.R, n);
            RgVec3 a = rg_shape_kind(pair.a->type)->support(pair.a, n);
            RgVec3 b = pose_apply(X, rg_shape_kind(pair.b->type)->support(pair.b, m));
            cr_expect_leq(v3_dot(n, v3_sub(r.point_a, a)), 1e-13 * size);
            cr_expect_leq(v3_dot(n, v3_sub(r.point_b, b)), 1e-13 * size);
        }
    }
    rg_arena_free(&arena);
}

/* Huge and tiny: the same to the last digits. */
Test(epa, scale_does_not_matter)
{
    static const double scales[] = {1e8, 1e-9, 1e20, 1e-20};
    Draw d = draw_seed(2);
    for (int k = 0; k < 2000; k++) {
        TestShape t[2], u[2];
        RgPose X = draw_pose(&d, 0.6), Y = X;
        double l[6], s = scales[k % 4];
        for (int i = 0; i < 6; i++)
            l[i] = draw_between(&d, 0.1, 1.0);
        for (int i = 0; i < 2; i++) {
            test_box(&t[i], l[3 * i], l[3 * i + 1], l[3 * i + 2]);
            test_box(&u[i], s * l[3 * i], s * l[3 * i + 1], s * l[3 * i + 2]);
        }
        Y.p = v3_scale(s, X.p);
        double one = distance_of(t, X).distance, other = distance_of(u, Y).distance;
        CHECK_NEAR(other / s, one, 1e-14, "m");
    }
}

/* ------------------------------------------------------------------ cores without volume */

/* Segments that cross: the normal is their cross product, the depth the sum of the radii. */
Test(epa, crossing_capsules)
{
    TestShape t[2];
    test_capsule(&t[0], 0.25, 2.0);
    test_capsule(&t[1], 0.5, 2.0);
    RgDistance r = distance_of(t, (RgPose){mat_turn(vec(1, 0, 0), 0.5 * TEST_PI), {0, 0, 0}});
    CHECK_NEAR(r.distance, -0.75, 1e-15, "m");
    CHECK_NEAR(fabs(r.normal.x), 1.0, 1e-15, "");
    r = distance_of(t, (RgPose){mat_turn(vec(1, 0, 0), 0.5 * TEST_PI), {0.125, 0, 0}});
    CHECK_NEAR(r.distance, -0.625, 1e-15, "m");
    CHECK_NEAR(r.normal.x, 1.0, 1e-15, "");
}

/* Segments on one line, points at one place: any normal across. */
Test(epa, segments_on_one_line_and_points_at_one_place)
{
    TestShape t[2];
    test_capsule(&t[0], 0.25, 2.0);
    test_capsule(&t[1], 0.5, 2.0);
    for (int k = -3; k <= 3; k++) {
        RgDistance r = distance_of(t, (RgPose){mat_identity(), {0, 0, 0.5 * k}});
        CHECK_NEAR(r.distance, -0.75, 1e-15, "m");
        CHECK_NEAR(r.normal.z, 0.0, 1e-15, "");
    }
    test_sphere(&t[0], 1.0);
    test_sphere(&t[1], 2.0);
    CHECK_NEAR(distance_of(t, (RgPose){mat_identity(), {0, 0, 0}}).distance, -3.0, 1e-15, "m");
    test_sphere(&t[0], 0.0);
    test_sphere(&t[1], 0.0);
    cr_expect_eq(distance_of(t, (RgPose){mat_identity(), {0, 0, 0}}).distance, 0.0);
}

/* Triangles in one plane that overlap have the depth 0 across it; a triangle through another the least way
   out. */
Test(epa, triangles)
{
    TestShape t[2];
    test_triangle(&t[0], v3(0, 0, 0), v3(2, 0, 0), v3(0, 2, 0));
    test_triangle(&t[1], v3(0, 0, 0), v3(2, 0, 0), v3(0, 2, 0));
    RgDistance r = distance_of(t, (RgPose){mat_identity(), {0.25, 0.25, 0}});
    CHECK_NEAR(r.distance, 0.0, 1e-15, "m");
    CHECK_NEAR(fabs(r.normal.z), 1.0, 1e-15, "");
    RgPose X = {mat_turn(vec(1, 0, 0), 0.5 * TEST_PI), {0, 0.25, -0.125}};
    CHECK_NEAR(distance_of(t, X).distance, brute_force(&t[0].core, &t[1].core, &X), 1e-15, "m");
}

/* A point on a corner, an edge, a face of a box, and inside. */
Test(epa, point_in_and_on_a_box)
{
    TestShape t[2];
    test_sphere(&t[0], 0.0);
    test_box(&t[1], 2.0, 2.0, 2.0);
    for (int k = 0; k < 27; k++) {
        RgVec3 p = v3(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1);
        double depth = k == 13 ? 1.0 : 0.0;
        CHECK_NEAR(distance_of(t, (RgPose){mat_identity(), p}).distance, -depth, 1e-15, "m");
        CHECK_NEAR(distance_of(t, (RgPose){mat_identity(), v3_scale(0.75, p)}).distance, k == 13 ? -1.0 : -0.25, 1e-15,
                   "m");
    }
}

/* ------------------------------------------------------------------ curved shapes */

static void curved(TestShape *t, RgShapeType type, double x, double y, double z)
{
    *t = (TestShape){.shape = {.type = type, .size = {x, y, z}}};
}

/* Balls given as ellipsoids, in a box and in each other, at any offset: closed forms. */
Test(epa, balls_as_ellipsoids)
{
    Draw d = draw_seed(3);
    TestShape t[2];
    for (int k = 0; k < 500; k++) {
        RgPose X = draw_pose(&d, 0.0);
        X.p = vec_scale(draw_chance(&d, 0.1) ? 0.0 : 1.0, draw_vec(&d, 0.5));
        curved(&t[0], RG_SHAPE_ellipsoid, 1.0, 1.0, 1.0);
        curved(&t[1], RG_SHAPE_ellipsoid, 0.5, 0.5, 0.5);
        CHECK_NEAR(distance_of(t, X).distance, v3_norm(X.p) - 1.5, 1e-14, "m");
        test_box(&t[1], 3.0, 4.0, 5.0);
        RgVec3 c = v3_neg(m3_apply_t(X.R, X.p)); /* centre of the ball seen from the box */
        double inside = fmin(1.5 - fabs(c.x), fmin(2.0 - fabs(c.y), 2.5 - fabs(c.z)));
        CHECK_NEAR(distance_of(t, X).distance, -1.0 - inside, 1e-13, "m");
    }
}

/* A peg in a hole: cylinders with parallel axes make a cylinder. Exactly coaxial ones are as deep all round.
   */
Test(epa, cylinders_with_parallel_axes)
{
    Draw d = draw_seed(4);
    TestShape t[2];
    for (int k = 0; k < 500; k++) {
        double r = draw_between(&d, 0.1, 1.0), s = draw_between(&d, 0.1, 1.0), h = draw_between(&d, 0.1, 2.0),
               l = draw_between(&d, 0.1, 2.0);
        RgPose X = {mat_turn(vec(0, 0, 1), draw_between(&d, -3.0, 3.0)), draw_vec(&d, 0.1)};
        if (draw_chance(&d, 0.3))
            X.p.x = X.p.y = 0.0;
        curved(&t[0], RG_SHAPE_cylinder, r, h, 0.0);
        curved(&t[1], RG_SHAPE_cylinder, s, l, 0.0);
        double side = hypot(X.p.x, X.p.y) - r - s, cap = fabs(X.p.z) - 0.5 * (h + l);
        if (side < 0.0 && cap < 0.0)
            CHECK_NEAR(distance_of(t, X).distance, fmax(side, cap), CURVED, "m");
        test_capsule(&t[1], s, l);
        double core = fmax(side + s, cap);
        if (core < 0.0)
            CHECK_NEAR(distance_of(t, X).distance, core - s, CURVED, "m");
    }
}

/* No direction of very many is less deep than the answer, and the stated error holds what is left. */
Test(epa, no_direction_is_less_deep)
{
    Draw d = draw_seed(5);
    TestShape t[2];
    for (int k = 0; k < 400; k++) {
        double thin = draw_chance(&d, 0.3) ? 1e-3 : draw_between(&d, 0.3, 1.0);
        curved(&t[0], RG_SHAPE_ellipsoid, 1.0, draw_between(&d, 0.3, 1.0), thin);
        if (draw_chance(&d, 0.5))
            curved(&t[1], RG_SHAPE_cylinder, draw_between(&d, 0.2, 1.0), draw_between(&d, 0.2, 1.0), 0.0);
        else
            test_box(&t[1], draw_between(&d, 0.2, 1.0), draw_between(&d, 0.2, 1.0), thin);
        RgConvexPair pair = {&t[0].shape, &t[1].shape, draw_pose(&d, 0.3)};
        RgDistance r = distance_of(t, pair.X_AB);
        if (r.distance >= 0.0)
            continue;
        cr_expect_leq(r.error, 1e-9 * rg_pair_size(&pair));
        for (int i = 0; i < 500; i++) {
            RgVec3 n = i % 2 ? draw_direction(&d) : vec_add(r.normal, vec_scale(0.01, draw_direction(&d)));
            cr_expect_leq(test_separation(&pair, v3_scale(1.0 / v3_norm(n), n)), r.distance + r.error);
        }
    }
}
