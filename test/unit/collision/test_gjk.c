/* test_gjk.c - the nearest point of simplices, and the distance of shapes that are apart or touch. */
#include "brute_force.h"
#include "check_near.h"

#include "collision/gjk.h"

/* Round-off of coordinates about as long as the pair, as a part of its size. */
#define EXACT 4e-15
/* A thousandth of what is promised for depths. */
#define DEEP 1e-12

/* ------------------------------------------------------------------ simplex */

/* Gauss-Jordan on n rows of n numbers and a right side in column 3. */
static void eliminate(long double m[3][4], int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 1; k < n; k++) {
            long double *row = m[(i + k) % n], f = row[i] / m[i][i];
            for (int c = 0; c < 4; c++)
                row[c] -= f * m[i][c];
        }
}

/* Squared distance of the origin from the hull of the points in set, by the normal equations in long double;
   infinite where the foot lies outside. */
static long double subset_distance2(const RgVec3 *p, unsigned set)
{
    Long3 at[4], e[3];
    int n = 0;
    for (int i = 0; i < 4; i++)
        if (set >> i & 1)
            at[n++] = (Long3){p[i].x, p[i].y, p[i].z};
    long double m[3][4] = {{0}}, rest = 1.0L;
    for (int i = 1; i < n; i++)
        e[i - 1] = long_sub(at[i], at[0]);
    for (int i = 0; i < n - 1; i++) {
        for (int j = 0; j < n - 1; j++)
            m[i][j] = long_dot(e[i], e[j]);
        m[i][3] = -long_dot(at[0], e[i]);
    }
    eliminate(m, n - 1);
    Long3 x = at[0];
    for (int i = 0; i < n - 1; i++) {
        long double weight = m[i][3] / m[i][i];
        rest -= weight;
        x = (Long3){x.x + weight * e[i].x, x.y + weight * e[i].y, x.z + weight * e[i].z};
        if (!(weight >= 0.0L))
            return (long double)INFINITY;
    }
    return rest >= 0.0L ? long_dot(x, x) : (long double)INFINITY;
}

/* The answer for one to four drawn points is the least over all their subsets; the weights give the point. */
Test(gjk, simplex_is_the_nearest_of_all_subsets)
{
    Draw d = draw_seed(1);
    for (int k = 0; k < 20000; k++) {
        RgSimplex s = {.count = 1 + draw_below(&d, 4)};
        RgVec3 p[4], centre = draw_vec(&d, 2.0), x = v3_zero();
        for (int i = 0; i < s.count; i++)
            s.point[i].w = p[i] = v3_add(centre, draw_vec(&d, 1.0));
        /* With four points, the origin must be on the side of the newest. */
        RgVec3 n = v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0]));
        if (s.count == 4 && (v3_dot(n, v3_sub(p[3], p[0])) > 0.0) != (v3_dot(n, v3_neg(p[0])) > 0.0))
            continue;
        long double best = (long double)INFINITY;
        for (unsigned set = 1; set < 1u << s.count; set++)
            best = fminl(best, subset_distance2(p, set));
        RgNearest found;
        rg_simplex_solve(&s, &found);
        if (found.norm2 == (double)INFINITY) {
            CHECK_NEAR((double)best, 0.0, 1e-25, "m^2");
            continue;
        }
        CHECK_NEAR(sqrt(found.norm2), (double)sqrtl(best), 1e-12, "m");
        for (int i = 0; i < s.count; i++)
            x = v3_axpy(found.weight[i], p[i], x);
        CHECK_NEAR(v3_norm(v3_sub(x, found.x)), 0.0, 1e-12, "m");
    }
}

/* ------------------------------------------------------------------ against brute force */

/* Distance, stated error, plane and witness points of one pair of polytopes. */
static void check_pair(const TestShape *t, const RgPose *X_AB, const char *what)
{
    RgConvexPair pair = {&t[0].shape, &t[1].shape, *X_AB};
    double size = fmax(rg_pair_size(&pair), v3_norm(X_AB->p)), truth = brute_force(&t[0].core, &t[1].core, X_AB);
    if (!(truth > -(double)INFINITY)) /* points at one place */
        truth = 0.0;
    truth -= test_rounding(t);
    RgDistance r;
    cr_expect_eq(rg_convex_distance_gjk(&pair, NULL, &r), RG_OK, "%s", what);
    double limit = truth < 0.0 ? DEEP : EXACT;
    cr_expect(fabs(r.distance - truth) <= limit * size, "%s: %.17g, not %.17g", what, r.distance, truth);
    cr_expect(fabs(r.distance - truth) <= r.error + EXACT * size, "%s: stated %g", what, r.error);
    CHECK_NEAR(test_separation(&pair, r.normal), r.distance, EXACT * size, "m");
    CHECK_NEAR(v3_norm(r.normal), 1.0, 1e-15, "");
    RgVec3 off = v3_sub(v3_axpy(r.distance, r.normal, r.point_a), r.point_b);
    CHECK_NEAR(v3_norm(off), 0.0, EXACT * size, "m");
}

/* Polytopes of all kinds, apart by 1 ... 1e-10 or that deep. */
Test(gjk, polytopes_agree_with_brute_force)
{
    Draw d = draw_seed(2);
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (int k = 0; k < 6000; k++) {
        TestShape t[2];
        rg_arena_reset(&arena);
        test_polytope_draw(&t[0], &arena, &d);
        test_polytope_draw(&t[1], &arena, &d);
        RgPose X = draw_pose(&d, 1.0);
        RgDistance r;
        rg_convex_distance_gjk(&(RgConvexPair){&t[0].shape, &t[1].shape, X}, NULL, &r);
        double gap = pow(10.0, draw_between(&d, -10.0, 0.0)) * (draw_chance(&d, 0.5) ? 1.0 : -1.0);
        X.p = v3_axpy(gap - r.distance, r.normal, X.p);
        check_pair(t, &X, "drawn");
    }
    rg_arena_free(&arena);
}

/* Everything parallel, level, touching or at one place, nearly or exactly. */
Test(gjk, degenerate_positions_agree_with_brute_force)
{
    Draw d = draw_seed(3);
    for (int k = 0; k < 40000; k++) {
        TestShape t[2];
        RgPose X = test_lattice_draw(t, &d);
        check_pair(t, &X, "lattice");
    }
}

/* ------------------------------------------------------------------ touching boxes */

/* Two boxes face to face at a gap: any orientation, any overlap of the faces. */
static double face_gap(Draw *d, double gap)
{
    TestShape t[2];
    double ha = draw_between(d, 0.1, 2.0), hb = draw_between(d, 0.1, 2.0);
    test_box(&t[0], draw_between(d, 0.5, 2.0), draw_between(d, 0.5, 2.0), ha);
    test_box(&t[1], draw_between(d, 0.5, 2.0), draw_between(d, 0.5, 2.0), hb);
    RgPose X_WA = draw_pose(d, 1.0), X_AB = {mat_turn(vec(0, 0, 1), draw_between(d, -3.0, 3.0)), {0, 0, 0}};
    X_AB.p = v3(draw_between(d, -0.2, 0.2), draw_between(d, -0.2, 0.2), 0.5 * (ha + hb) + gap);
    RgPose X_WB = pose_mul(X_WA, X_AB);
    RgConvexPair pair = {&t[0].shape, &t[1].shape, pose_relative(X_WA, X_WB)};
    RgDistance r;
    cr_expect_eq(rg_convex_distance(&pair, NULL, &r), RG_OK);
    CHECK_NEAR(r.distance, gap, 5e-15, "m");
    cr_expect(r.feature_a.kind == RG_FEATURE_FACE && r.feature_b.kind == RG_FEATURE_FACE);
    return r.distance;
}

Test(gjk, face_to_face_boxes_never_have_the_wrong_sign)
{
    static const double gaps[] = {1e-8, 1e-10, 1e-12};
    Draw d = draw_seed(4);
    for (int g = 0; g < 3; g++)
        for (int k = 0; k < 2000; k++) {
            cr_expect_gt(face_gap(&d, gaps[g]), 0.0);
            cr_expect_lt(face_gap(&d, -gaps[g]), 0.0);
        }
}

/* ------------------------------------------------------------------ curved shapes */

static void draw_curved(Draw *d, TestShape *t, RgArena *arena)
{
    double l = pow(10.0, draw_between(d, -2.0, 0.0)), thin = draw_chance(d, 0.3) ? 1e-3 : 1.0;
    if (draw_chance(d, 0.4))
        *t = (TestShape){.shape = {.type = RG_SHAPE_ellipsoid, .size = {l, l * draw_between(d, 0.3, 1.0), thin * l}}};
    else if (draw_chance(d, 0.6))
        *t = (TestShape){.shape = {.type = RG_SHAPE_cylinder, .size = {l, thin * l}}};
    else
        test_polytope_draw(t, arena, d);
}

/* The plane separates by the supports of the shapes, and the witness points lie in them: a proof of both
   bounds. */
Test(gjk, curved_shapes_have_a_certificate)
{
    Draw d = draw_seed(5);
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (int k = 0; k < 5000; k++) {
        TestShape t[2];
        rg_arena_reset(&arena);
        draw_curved(&d, &t[0], &arena);
        draw_curved(&d, &t[1], &arena);
        RgConvexPair pair = {&t[0].shape, &t[1].shape, draw_pose(&d, 1.0)};
        RgDistance r;
        rg_convex_distance_gjk(&pair, NULL, &r);
        pair.X_AB.p = v3_axpy(pow(10.0, draw_between(&d, -10.0, 0.0)) - r.distance, r.normal, pair.X_AB.p);
        cr_expect_eq(rg_convex_distance_gjk(&pair, NULL, &r), RG_OK);
        double size = fmax(rg_pair_size(&pair), v3_norm(pair.X_AB.p));
        CHECK_NEAR(test_separation(&pair, r.normal), r.distance, 1e-14 * size, "m");
        cr_expect_leq(r.error, 1e-12 * size);

        /* In a convex shape: no plane along any of many directions has the point before it. */
        for (int i = 0; i < 20; i++) {
            RgVec3 n = i == 0 ? r.normal : draw_direction(&d), m = m3_apply_t(pair.X_AB.R, n);
            RgVec3 a = rg_shape_kind(pair.a->type)->support(pair.a, n);
            RgVec3 b = pose_apply(pair.X_AB, rg_shape_kind(pair.b->type)->support(pair.b, m));
            cr_expect_leq(v3_dot(n, v3_sub(r.point_a, a)), 1e-13 * size);
            cr_expect_leq(v3_dot(n, v3_sub(r.point_b, b)), 1e-13 * size);
        }
    }
    rg_arena_free(&arena);
}

/* ------------------------------------------------------------------ warm start */

/* A pair on the move: the cache of the last step changes the time and the last bits, no more. */
Test(gjk, warm_start_gives_the_same_distance)
{
    Draw d = draw_seed(6);
    RgArena arena;
    rg_arena_init(&arena, NULL);
    for (int k = 0; k < 300; k++) {
        TestShape t[2];
        rg_arena_reset(&arena);
        draw_curved(&d, &t[0], &arena);
        draw_curved(&d, &t[1], &arena);
        RgConvexPair pair = {&t[0].shape, &t[1].shape, draw_pose(&d, 0.7)};
        RgPairCache cache = {.count = 0};
        for (int step = 0; step < 20; step++) {
            RgDistance cold, warm;
            rg_convex_distance(&pair, NULL, &cold);
            rg_convex_distance(&pair, &cache, &warm);
            double size = fmax(rg_pair_size(&pair), v3_norm(pair.X_AB.p));
            CHECK_NEAR(warm.distance, cold.distance, 1e-14 * size + cold.error + warm.error, "m");
            pair.X_AB.p = v3_add(pair.X_AB.p, draw_vec(&d, 0.02));
            pair.X_AB.R = mat_mul(pair.X_AB.R, mat_turn(draw_direction(&d), 0.02));
        }
    }
    rg_arena_free(&arena);
}

/* A cache of other shapes is a bad guess, not an error. */
Test(gjk, foreign_cache_does_no_harm)
{
    Draw d = draw_seed(7);
    TestShape t[2];
    test_box(&t[0], 1.0, 2.0, 3.0);
    test_triangle(&t[1], v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0));
    for (int k = 0; k < 1000; k++) {
        RgConvexPair pair = {&t[0].shape, &t[1].shape, draw_pose(&d, 2.0)};
        RgPairCache cache = {.axis_A = draw_direction(&d), .count = draw_below(&d, 7) - 2};
        for (int i = 0; i < 3; i++) {
            cache.vertex_a[i] = draw_below(&d, 20) - 5;
            cache.vertex_b[i] = draw_below(&d, 20) - 5;
        }
        RgDistance cold, warm;
        rg_convex_distance_gjk(&pair, NULL, &cold);
        cr_expect_eq(rg_convex_distance_gjk(&pair, &cache, &warm), RG_OK);
        CHECK_NEAR(warm.distance, cold.distance, 1e-14, "m");
    }
}

/* Up to a limit the answer is the same to the bit; above it, above it too, and no more than the distance. */
Test(gjk, a_limit_changes_nothing_within_it)
{
    Draw d = draw_seed(8);
    TestShape t[2];
    int beyond = 0, within = 0;
    for (int k = 0; k < 5000; k++) {
        test_triangle(&t[0], draw_vec(&d, 1.0), draw_vec(&d, 1.0), draw_vec(&d, 1.0));
        test_triangle(&t[1], draw_vec(&d, 1.0), draw_vec(&d, 1.0), draw_vec(&d, 1.0));
        RgConvexPair pair = {&t[0].shape, &t[1].shape, draw_pose(&d, 1.5)};
        double limit = draw_between(&d, 0.0, 1.0);
        RgDistance all, some;
        RgPairCache cache = {.count = 0};
        rg_convex_distance(&pair, NULL, &all);
        cr_expect_eq(rg_convex_distance_within(&pair, limit, &cache, &some), RG_OK);
        if (all.distance > limit) {
            cr_assert(some.distance > limit && some.distance <= all.distance + 1e-14);
            beyond++;
        } else {
            cr_assert(some.distance == all.distance && v3_norm(v3_sub(some.normal, all.normal)) == 0.0 &&
                      v3_norm(v3_sub(some.point_a, all.point_a)) == 0.0);
            within++;
        }
    }
    cr_expect(beyond > 500 && within > 500, "%d beyond, %d within", beyond, within);
}
