/* test_distance.c - rg_distance: order of arguments, parts, surfaces, height fields, half-spaces, caches. */
#include "surface_fixture.h"

#include "collision/distance.h"
#include "collision/gjk.h"

#include <string.h>

/* One of each convex kind, and a hull. */
#define KINDS 7
static RgGeometry *make_kind(int kind, Draw *d)
{
    double x = draw_between(d, 0.2, 1.0), y = draw_between(d, 0.2, 1.0), z = draw_between(d, 0.2, 1.0), xyz[36];
    switch (kind) {
    case 0:
        return make_shape(RG_SHAPE_sphere, x, 0.0, 0.0);
    case 1:
        return make_shape(RG_SHAPE_box, x, y, z);
    case 2:
        return make_shape(RG_SHAPE_capsule, 0.3 * x, y, 0.0);
    case 3:
        return make_shape(RG_SHAPE_cylinder, x, y, 0.0);
    case 4:
        return make_shape(RG_SHAPE_ellipsoid, x, y, z);
    case 5:
        return make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    default:
        for (int i = 0; i < 36; i++)
            xyz[i] = draw_between(d, -0.5, 0.5);
        return make_polytope(xyz, 12);
    }
}

static RgDistance ask(const RgGeometry *a, RgPose X_WA, const RgGeometry *b, RgPose X_WB)
{
    RgDistance r;
    RgPlaced A = {a, X_WA}, B = {b, X_WB};
    cr_expect_eq(rg_distance(&A, &B, NULL, &r), RG_OK);
    CHECK_NEAR(v3_norm(v3_sub(v3_axpy(r.distance, r.normal, r.point_a), r.point_b)), 0.0, 1e-14, "m");
    return r;
}

static bool same_bits(RgVec3 a, RgVec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void expect_swapped(const RgDistance *x, const RgDistance *y)
{
    cr_expect(x->distance == y->distance && x->error == y->error && x->iterations == y->iterations);
    cr_expect(same_bits(x->point_a, y->point_b) && same_bits(x->point_b, y->point_a));
    cr_expect(x->normal.x == -y->normal.x && x->normal.y == -y->normal.y && x->normal.z == -y->normal.z);
    cr_expect(x->part_a == y->part_b && x->part_b == y->part_a);
    cr_expect(x->feature_a.kind == y->feature_b.kind && x->feature_a.index == y->feature_b.index);
}

/* ------------------------------------------------------------------ order */

/* All pairs of kinds, cold and with a cache: the same bits for swapped arguments. */
Test(distance, swapped_arguments_give_the_same_bits)
{
    Draw d = draw_seed(1);
    for (int k = 0; k < 40 * KINDS * KINDS; k++) {
        int i = k % KINDS, j = k / KINDS % KINDS;
        RgGeometry *a = make_kind(i, &d), *b = make_kind(j, &d);
        RgPlaced A = {a, draw_pose(&d, 0.8)}, B = {b, draw_pose(&d, 0.8)};
        RgPairCache there = {.count = 0}, back = {.count = 0};
        for (int step = 0; step < 3 && (i != 5 || j != 5); step++) {
            RgDistance x, y;
            cr_expect_eq(rg_distance(&A, &B, &there, &x), rg_distance(&B, &A, &back, &y));
            expect_swapped(&x, &y);
            B.X_WG.p = vec_add(B.X_WG.p, draw_vec(&d, 0.05));
        }
        rg_geometry_destroy(a);
        rg_geometry_destroy(b);
    }
}

/* An order: never both ways, and equal things are in no order. */
Test(distance, placed_after_is_an_order)
{
    Draw d = draw_seed(2);
    RgGeometry *g[2 * KINDS];
    for (int i = 0; i < 2 * KINDS; i++)
        g[i] = make_kind(i % KINDS, &d);
    for (int k = 0; k < 2000; k++) {
        RgPlaced p[3];
        for (int i = 0; i < 3; i++)
            p[i] = (RgPlaced){g[draw_below(&d, 2 * KINDS)], place_at(draw_below(&d, 2), 0, draw_below(&d, 2))};
        cr_expect(!rg_placed_after(&p[0], &p[0]));
        cr_expect(!(rg_placed_after(&p[0], &p[1]) && rg_placed_after(&p[1], &p[0])));
        if (rg_placed_after(&p[0], &p[1]) && rg_placed_after(&p[1], &p[2]))
            cr_expect(rg_placed_after(&p[0], &p[2]));
    }
    for (int i = 0; i < 2 * KINDS; i++)
        rg_geometry_destroy(g[i]);
}

/* ------------------------------------------------------------------ features */

/* Cubes met by their faces, edges and corners. */
Test(distance, features_of_boxes)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgPose upright = place_at(0, 0, 0), above = place_at(0.1, 0.2, 1.5), beside = place_at(1.5, 0.1, 1.5);
    RgPose corner = place_at(1.5, 1.5, 1.5);
    RgDistance r = ask(box, upright, box, above);
    CHECK_NEAR(r.distance, 0.5, 1e-15, "m");
    cr_expect(r.feature_a.kind == RG_FEATURE_FACE && r.feature_b.kind == RG_FEATURE_FACE);
    r = ask(box, upright, box, beside);
    CHECK_NEAR(r.distance, sqrt(0.5), 1e-15, "m");
    cr_expect(r.feature_a.kind == RG_FEATURE_EDGE && r.feature_b.kind == RG_FEATURE_EDGE);
    r = ask(box, upright, box, corner);
    CHECK_NEAR(r.distance, sqrt(0.75), 1e-15, "m");
    cr_expect(r.feature_a.kind == RG_FEATURE_VERTEX && r.feature_b.kind == RG_FEATURE_VERTEX);
    cr_expect(r.feature_a.index + r.feature_b.index == 7, "opposite corners");

    /* On its corner, on its edge. */
    RgPose tip = {mat_mul(mat_turn(vec(1, 0, 0), 0.9), mat_turn(vec(0, 1, 0), 0.7)), {0.1, 0.05, 1.5}};
    r = ask(box, upright, box, tip);
    cr_expect(fabs(r.normal.z) == 1.0 || fabs(fabs(r.normal.z) - 1.0) < 1e-15);
    cr_expect((r.feature_a.kind == RG_FEATURE_FACE) != (r.feature_b.kind == RG_FEATURE_FACE));
    cr_expect((r.feature_a.kind == RG_FEATURE_VERTEX) != (r.feature_b.kind == RG_FEATURE_VERTEX));
    rg_geometry_destroy(box);
}

/* ------------------------------------------------------------------ parts */

/* A row of three tetrahedra: as one mesh of three parts, and each alone. */
static RgGeometry *make_row(Draw *d, RgGeometry *piece[3])
{
    double xyz[3 * 12];
    int32_t faces[3 * 12], start[4] = {0, 4, 8, 12};
    for (int v = 0; v < 36; v++)
        xyz[v] = draw_between(d, -0.3, 0.3) + (v % 3 == 0 ? v / 12 - 1 : 0);
    for (int k = 0; k < 36; k++)
        faces[k] = 4 * (k / 12) + (k / 3 % 4 + k % 3) % 4;
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh = (RgMeshData){xyz, faces, 12, 12, start, 3};
    def.mesh_use = RG_MESH_PARTS;
    for (int part = 0; part < 3; part++)
        piece[part] = make_polytope(xyz + 12 * part, 4);
    return make_geometry(&def);
}

/* Two rows as one mesh each: the least of all pairs of parts, each asked alone. */
Test(distance, parts_give_the_least_of_all_pairs)
{
    Draw d = draw_seed(3);
    for (int k = 0; k < 60; k++) {
        RgGeometry *whole[2], *piece[2][3];
        for (int i = 0; i < 2; i++)
            whole[i] = make_row(&d, piece[i]);
        RgPose X = draw_pose(&d, 0.5), Y = draw_pose(&d, 1.5);
        double least = (double)INFINITY;
        for (int i = 0; i < 9; i++)
            least = fmin(least, ask(piece[0][i / 3], X, piece[1][i % 3], Y).distance);
        RgDistance r = ask(whole[0], X, whole[1], Y);
        CHECK_NEAR(r.distance, least, 1e-14, "m");
        CHECK_NEAR(ask(piece[0][r.part_a], X, piece[1][r.part_b], Y).distance, least, 1e-14, "m");
        for (int i = 0; i < 8; i++)
            rg_geometry_destroy(i < 6 ? piece[i / 3][i % 3] : whole[i - 6]);
    }
}

/* ------------------------------------------------------------------ surfaces */

/* Convex shapes over a rough height field: the least over its triangles, each tried as a hull of its own. */
Test(distance, height_field_gives_the_least_of_all_triangles)
{
    enum { SIDE = 6 };
    Draw d = draw_seed(4);
    double heights[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        heights[i] = draw_between(&d, 0.0, 0.4);
    RgGeometry *field = make_field(heights, SIDE, SIDE, 2.0, 2.0);
    for (int k = 0; k < 200; k++) {
        RgGeometry *shape = make_kind(k % 5, &d);
        RgPose X = draw_pose(&d, 1.0);
        X.p.z = draw_between(&d, 1.5, 2.5);
        RgDistance r = ask(shape, X, field, place_at(0, 0, 0));
        if (r.distance <= 0.0)
            continue;
        double least = (double)INFINITY;
        for (int32_t t = 0; t < rg_surface_count(field->surface); t++) {
            RgTriangle tri;
            rg_surface_triangle(field->surface, t, &tri);
            RgVec3 normal[2] = {tri.normal, v3_neg(tri.normal)};
            double offset[2] = {v3_dot(tri.normal, tri.vertex[0]), -v3_dot(tri.normal, tri.vertex[0])};
            RgPolytope plate = rg_polytope_triangle(tri.vertex, normal, offset);
            RgShape view = {.type = RG_SHAPE_polytope, .core = &plate};
            RgConvexPair pair = {shape->parts, &view, pose_inverse(X)};
            RgDistance found;
            rg_convex_distance_gjk(&pair, NULL, &found);
            least = fmin(least, found.distance);
        }
        CHECK_NEAR(r.distance, least, 1e-13, "m");
        rg_geometry_destroy(shape);
    }
    rg_geometry_destroy(field);
}

/* A box made of triangles is solid: a ball outside, half in, through its side, and deep inside. */
Test(distance, closed_surface_is_solid)
{
    Soup *s = soup_new();
    soup_box(s, vec(4.0, 4.0, 4.0), 3);
    RgGeometry *solid = soup_geometry(s), *ball = make_shape(RG_SHAPE_sphere, 0.25, 0.0, 0.0);
    static const double height[] = {3.0, 2.25, 2.1, 1.9, 1.8, 1.5, 1.0};
    for (int i = 0; i < 7; i++) {
        RgDistance r = ask(ball, place_at(0.3, 0.2, height[i]), solid, place_at(0, 0, 0));
        CHECK_NEAR(r.distance, height[i] - 2.25, 1e-14, "m");
        CHECK_NEAR(r.normal.z, -1.0, 1e-14, "");
        cr_expect_eq(r.feature_b.kind, RG_FEATURE_FACE);
    }
    free(s);
    rg_geometry_destroy(solid);
    rg_geometry_destroy(ball);
}

/* A box that overhangs the rim of a solid and has sunk in a little is pushed up, not aside. */
Test(distance, shallow_depth_at_a_cliff_is_the_least_way_out)
{
    Soup *s = soup_new();
    soup_box(s, vec(4.0, 4.0, 4.0), 2);
    RgGeometry *solid = soup_geometry(s), *box = make_shape(RG_SHAPE_box, 2.0, 1.0, 0.5);
    RgDistance r = ask(box, place_at(2.0, 0.1, 2.249), solid, place_at(0, 0, 0));
    CHECK_NEAR(r.distance, -1e-3, 1e-13, "m");
    CHECK_NEAR(r.normal.z, -1.0, 1e-14, "");
    free(s);
    rg_geometry_destroy(solid);
    rg_geometry_destroy(box);
}

/* A half-space against parts and surfaces: their lowest point. */
Test(distance, halfspace_against_everything)
{
    Draw d = draw_seed(5);
    RgGeometry *half = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    Soup *s = soup_new();
    soup_box(s, vec(1.0, 2.0, 3.0), 2);
    RgGeometry *surface = soup_geometry(s), *box = make_shape(RG_SHAPE_box, 1.0, 2.0, 3.0);
    for (int k = 0; k < 100; k++) {
        RgPose X = draw_pose(&d, 3.0);
        double low = X.p.z - 0.5 * (fabs(X.R.m[2][0]) + 2.0 * fabs(X.R.m[2][1]) + 3.0 * fabs(X.R.m[2][2]));
        CHECK_NEAR(ask(half, place_at(0, 0, 0), surface, X).distance, low, 1e-14, "m");
        CHECK_NEAR(ask(half, place_at(0, 0, 0), box, X).distance, low, 1e-14, "m");
    }
    free(s);
    rg_geometry_destroy(half);
    rg_geometry_destroy(surface);
    rg_geometry_destroy(box);
}

Test(distance, surfaces_and_halfspaces_among_themselves_are_refused)
{
    RgGeometry *half = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0), *floor = make_floor(1.0, 2);
    RgPlaced A = {half, place_at(0, 0, 0)}, B = {half, place_at(0, 0, 1)}, C = {floor, place_at(0, 0, 0)},
             D = {floor, place_at(0, 0, 1)};
    RgDistance r;
    cr_expect_eq(rg_distance(&A, &B, NULL, &r), RG_ERR_UNSUPPORTED);
    cr_expect_eq(rg_distance(&C, &D, NULL, &r), RG_ERR_UNSUPPORTED);
    rg_geometry_destroy(half);
    rg_geometry_destroy(floor);
}

/* ------------------------------------------------------------------ poses, caches */

/* A pose that is not finite or beyond 1e70 m is refused, and the answer is still written. */
Test(distance, unusable_poses_are_refused)
{
    static const double bad[] = {1.1e70, -1e155, (double)INFINITY, (double)NAN};
    Draw d = draw_seed(9);
    for (int k = 0; k < KINDS; k++) {
        RgGeometry *a = make_kind(k, &d), *b = make_kind(1, &d);
        for (int i = 0; i < 4 * 6; i++) {
            RgPlaced A = {a, draw_pose(&d, 1.0)}, B = {b, draw_pose(&d, 1.0)};
            RgPlaced *which = i % 2 == 0 ? &A : &B;
            *(i / 2 % 3 == 0 ? &which->X_WG.p.x : i / 2 % 3 == 1 ? &which->X_WG.p.y : &which->X_WG.p.z) = bad[i / 6];
            RgDistance r;
            memset(&r, 0xff, sizeof r);
            cr_expect_eq(rg_distance(&A, &B, NULL, &r), RG_ERR_NOT_FINITE);
            cr_expect(isfinite(r.distance) && isfinite(r.error) && v3_finite(r.normal) && v3_finite(r.point_a));
        }
        RgPlaced A = {a, draw_pose(&d, 1.0)}, B = {b, draw_pose(&d, 1.0)};
        A.X_WG.R.m[1][2] = (double)NAN;
        RgDistance r;
        cr_expect_eq(rg_distance(&A, &B, NULL, &r), RG_ERR_NOT_FINITE);
        rg_geometry_destroy(a);
        rg_geometry_destroy(b);
    }
}

/* Cold, and warm from where B was before: the same within the errors that both state. */
static void expect_cold_as_warm(const RgGeometry *a, const RgGeometry *b, Draw *d, double reach)
{
    RgPlaced A = {a, draw_pose(d, reach)}, B = {b, A.X_WG};
    B.X_WG.R = draw_pose(d, 0.0).R;
    RgPairCache cache = {.count = 0};
    for (int step = 0; step < 4; step++) {
        RgDistance cold, warm;
        cr_expect_eq(rg_distance(&A, &B, NULL, &cold), RG_OK);
        cr_expect_eq(rg_distance(&A, &B, &cache, &warm), RG_OK);
        double apart = fabs(cold.distance - warm.distance);
        cr_expect(apart <= cold.error + warm.error, "%.17g cold, %.17g warm, errors %g and %g", cold.distance,
                  warm.distance, cold.error, warm.error);
        B.X_WG.p = vec_add(B.X_WG.p, vec_scale(pow(10.0, draw_between(d, -8.0, -1.0)), draw_direction(d)));
    }
}

Test(distance, warm_answers_are_the_cold_ones)
{
    Draw d = draw_seed(10);
    for (int k = 0; k < 60 * KINDS * KINDS; k++) {
        int i = k % KINDS, j = k / KINDS % KINDS;
        if (i == 5 && j == 5)
            continue;
        RgGeometry *a = make_kind(i, &d), *b = make_kind(j, &d);
        expect_cold_as_warm(a, b, &d, 1.0);
        rg_geometry_destroy(a);
        rg_geometry_destroy(b);
    }

    /* A tiny tetrahedron in a ball given as an ellipsoid: the difference is all but a ball about the
       origin. */
    static const double corner[12] = {-6.1e-07, -5.43e-05, -2.32e-05, -3.17e-05, -4.94e-05, 5.49e-06,
                                      0.0,      4.27e-06,  3.78e-05,  -1.77e-05, -5.92e-05, 7.02e-05};
    RgGeometry *ball = make_shape(RG_SHAPE_ellipsoid, 0.50390625, 0.50390625, 0.50390625);
    RgGeometry *tiny = make_polytope(corner, 4);
    for (int k = 0; k < 200; k++)
        expect_cold_as_warm(ball, tiny, &d, 1e-9);
    rg_geometry_destroy(ball);
    rg_geometry_destroy(tiny);
}
