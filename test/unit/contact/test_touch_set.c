/*
 * test_touch_set.c - all points that touch, each with a gap function.
 *
 * Sets that are known by construction (corners of boxes, prisms, crossed boards, balls, bars, corners on corners), then
 * two laws for any pair: each gap is what rg_manifold measured, and while the bodies move a little the least of the
 * gaps stays the distance of the shapes to second order.
 */
#include "counting.h"
#include "touch_fixture.h"
#include "worlds.h"

#define GAP 1e-7
#define LEVEL 5e-8

static int count_kind(const TouchCase *t, RgGapKind kind)
{
    int n = 0;
    for (int32_t i = 0; i < t->set.view.npoints; i++)
        n += t->set.gaps[i].kind == kind;
    return n;
}

/* What must hold of every set. */
static void check_set(const TouchCase *t)
{
    const RgContactView *v = &t->set.view;
    int32_t manifolds = 0, points = 0;
    for (int32_t k = 0; k < v->npairs; k++) {
        cr_expect_eq(v->pairs[k].first_manifold, manifolds);
        for (int32_t m = manifolds; m < manifolds + v->pairs[k].nmanifolds; m++) {
            const RgManifold *manifold = &v->manifolds[m];
            cr_expect_eq(manifold->first, points);
            cr_expect(manifold->count > 0 && manifold->count <= RG_TOUCH_POINTS);
            points += manifold->count;
            for (int32_t i = manifold->first; i < points; i++) {
                const RgGap *gap = &t->set.gaps[i];
                cr_expect_eq(gap->shape_a, v->pairs[k].shape_a.i - 1);
                cr_expect_eq(gap->shape_b, v->pairs[k].shape_b.i - 1);
                cr_expect(gap->id == v->points[i].id);
                RgGapAt at = touch_at(t, gap);
                CHECK_NEAR(at.value, v->points[i].gap, 1e-11, "m");
                cr_expect(v->points[i].gap <= GAP);
                CHECK_NEAR(v3_norm(v3_sub(at.point_a, v->points[i].point_a)), 0.0, 1e-6, "m");
                CHECK_NEAR(v3_dot(at.normal, v->points[i].normal), 1.0, 1e-8, "");
            }
        }
        manifolds += v->pairs[k].nmanifolds;
    }
    cr_expect_eq(manifolds, v->nmanifolds);
    cr_expect_eq(points, v->npoints);
}

static TouchCase found(const TouchShape *shapes, int count)
{
    TouchCase t = touch_case(shapes, count, "minimal");
    cr_assert(rg_touch_set_find(&t.set, t.scene, GAP) == RG_OK);
    check_set(&t);
    return t;
}

static void expect_set(TouchCase *t, int pairs, int points, int degenerate)
{
    cr_expect_eq(t->set.view.npairs, pairs, "%d pairs", (int)t->set.view.npairs);
    cr_expect_eq(t->set.view.npoints, points, "%d points", (int)t->set.view.npoints);
    cr_expect_eq(t->set.degenerate, degenerate, "%d degenerate", (int)t->set.degenerate);
}

static RgPose turned(RgVec3 axis, double angle, RgVec3 p)
{
    return (RgPose){mat_turn(axis, angle), p};
}

static const RgVec3 X = {1.0, 0.0, 0.0}, Z = {0.0, 0.0, 1.0};

Test(touch_set, cube_on_the_floor_has_four_corners)
{
    TouchShape shapes[2] = {touch_floor, touch_box(1.0, 1.0, 1.0, place_at(0.3, 0.2, 0.5 + LEVEL))};
    TouchCase t = found(shapes, 2);
    expect_set(&t, 1, 4, 0);
    cr_expect_eq(count_kind(&t, RG_GAP_PLANE_POINT), 4);
    touch_end(&t);
}

/* One edge down, the other 1e-5 m up: two corners. */
Test(touch_set, tilted_cube_touches_with_what_is_within_the_gap)
{
    const double up[4] = {1e-5, 2e-7, 0.99e-7, 1e-9};
    const int points[4] = {2, 2, 4, 4};
    for (int i = 0; i < 4; i++) {
        double s = up[i], c = sqrt(1.0 - s * s);
        RgPose X_WS = turned(X, asin(s), v3(0.0, 0.0, 0.5 * (s + c) + 1e-12));
        TouchShape shapes[2] = {touch_floor, touch_box(1.0, 1.0, 1.0, X_WS)};
        TouchCase t = found(shapes, 2);
        expect_set(&t, 1, points[i], 0);
        touch_end(&t);

        /* The same on a box. */
        shapes[0] = touch_box(3.0, 3.0, 1.0, place_at(0.0, 0.0, -0.5));
        t = found(shapes, 2);
        expect_set(&t, 1, points[i], 0);
        touch_end(&t);
    }
}

static const double prism[36] = {1.0,  0.0,  0.0, 0.5,  0.8,  0.0, -0.5, 0.8,  0.0, -1.0, 0.0,  0.0,
                                 -0.5, -0.8, 0.0, 0.5,  -0.8, 0.0, 1.0,  0.0,  1.0, 0.5,  0.8,  1.0,
                                 -0.5, 0.8,  1.0, -1.0, 0.0,  1.0, -0.5, -0.8, 1.0, 0.5,  -0.8, 1.0};

Test(touch_set, prism_of_six_sides_has_six_corners_in_two_manifolds)
{
    TouchShape shapes[2] = {
        touch_floor,
        {.type = RG_SHAPE_polytope, .points = prism, .npoints = 12, .mass = 2.0, .X_WS = place_at(0.0, 0.0, LEVEL)}};
    TouchCase t = found(shapes, 2);
    expect_set(&t, 1, 6, 0);
    cr_expect_eq(t.set.view.nmanifolds, 2);
    touch_end(&t);

    /* Prism on prism, turned: twelve corners of which all are edges across edges. */
    TouchShape two[2] = {shapes[1], shapes[1]};
    two[1].X_WS = turned(Z, 0.3, v3(0.0, 0.0, 1.0 + 2.0 * LEVEL));
    t = found(two, 2);
    cr_expect_geq(t.set.view.npoints, 8);
    cr_expect_geq(count_kind(&t, RG_GAP_LINES), 4);
    touch_end(&t);
}

Test(touch_set, crossed_boards_touch_where_their_edges_cross)
{
    const double angles[4] = {1.5707963267948966, 0.7, 0.3, 1e-3};
    for (int i = 0; i < 4; i++) {
        TouchShape shapes[2] = {touch_box(4.0, 0.2, 0.1, place_at(0.0, 0.0, 0.0)),
                                touch_box(4.0, 0.2, 0.1, turned(Z, angles[i], v3(0.01, 0.02, 0.1 + LEVEL)))};
        TouchCase t = found(shapes, 2);
        cr_expect_geq(t.set.view.npoints, 4);
        if (i < 3) {
            expect_set(&t, 1, 4, 0);
            cr_expect_eq(count_kind(&t, RG_GAP_LINES), 4);
        }

        /* Lines are edges that cross well; those that hardly do have a plane. */
        for (int32_t k = 0; k < t.set.view.npoints; k++)
            if (t.set.gaps[k].kind == RG_GAP_LINES) {
                RgVec3 f = m3_apply(touch_pose(&t, 1).R, t.set.gaps[k].along_b);
                cr_expect_geq(v3_norm(v3_cross(t.set.gaps[k].along_a, f)), 1e-2);
            }
        touch_end(&t);
    }
}

/* Flush stacks: corners on corners, and still a face's plane. */
Test(touch_set, flush_boxes_have_the_plane_of_their_faces)
{
    TouchShape shapes[3] = {touch_floor, touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 0.5 + LEVEL)),
                            touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 1.5 + 2.0 * LEVEL))};
    TouchCase t = found(shapes, 3);
    expect_set(&t, 2, 8, 0);
    cr_expect_eq(count_kind(&t, RG_GAP_PLANE_POINT) + count_kind(&t, RG_GAP_POINT_PLANE), 8);
    for (int i = 0; i < 8; i++)
        CHECK_NEAR(touch_at(&t, &t.set.gaps[i]).normal.z, 1.0, 1e-15, "");
    touch_end(&t);
}

Test(touch_set, round_shapes_on_face_edge_and_corner)
{
    TouchShape ball = {.type = RG_SHAPE_sphere, .size = {0.3}, .mass = 1.0};
    TouchShape bar = {.type = RG_SHAPE_capsule, .size = {0.1, 0.8}, .mass = 1.0};
    double r = 0.3 + LEVEL, s = r / sqrt(2.0), c = r / sqrt(3.0);
    const RgVec3 at[3] = {{0.1, 0.2, 0.5 + r}, {0.5 + s, 0.1, 0.5 + s}, {0.5 + c, 0.5 + c, 0.5 + c}};
    const RgGapKind kinds[3] = {RG_GAP_PLANE_POINT, RG_GAP_LINE_POINT, RG_GAP_POINTS};
    for (int i = 0; i < 3; i++) {
        TouchShape shapes[2] = {touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 0.0)), ball};
        shapes[1].X_WS = pose_at(at[i]);
        TouchCase t = found(shapes, 2);
        expect_set(&t, 1, 1, 0);
        cr_expect_eq(count_kind(&t, kinds[i]), 1);
        touch_end(&t);
    }

    /* A bar lies on a face, over its border, along an edge, across a bar, beside a bar, end to end. */
    const struct {
        RgShapeType under;
        RgPose X_WS;
        RgGapKind kind;
        int points;
    } lies[6] = {
        {RG_SHAPE_box,
         {mat_turn(v3(0.0, 1.0, 0.0), 1.5707963267948966), {0.0, 0.1, 0.6 + LEVEL}},
         RG_GAP_PLANE_POINT,
         2},
        {RG_SHAPE_box, {mat_turn(v3(0.0, 1.0, 0.0), 1.5707963267948966), {0.3, 0.1, 0.6 + LEVEL}}, RG_GAP_LINES, 1},
        {RG_SHAPE_box,
         {mat_identity(), {0.5 + (0.1 + LEVEL) / sqrt(2.0), 0.5 + (0.1 + LEVEL) / sqrt(2.0), 0.0}},
         RG_GAP_LINE_POINT,
         2},
        {RG_SHAPE_capsule, {mat_turn(v3(1.0, 0.0, 0.0), 1.2), {0.2 + LEVEL, 0.0, 0.0}}, RG_GAP_LINES, 1},
        {RG_SHAPE_capsule, {mat_identity(), {0.2 + LEVEL, 0.0, 0.3}}, RG_GAP_LINE_POINT, 1},
        {RG_SHAPE_capsule, {mat_identity(), {0.0, 0.0, 1.0 + LEVEL}}, RG_GAP_POINTS, 1}};
    for (int i = 0; i < 6; i++) {
        TouchShape shapes[2] = {lies[i].under == RG_SHAPE_box ? touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 0.0)) : bar,
                                bar};
        shapes[0].X_WS = place_at(0.0, 0.0, 0.0);
        shapes[1].X_WS = lies[i].X_WS;
        TouchCase t = found(shapes, 2);
        cr_expect_geq(count_kind(&t, lies[i].kind), lies[i].points, "%d: %d", i, count_kind(&t, lies[i].kind));
        cr_expect(t.set.view.npoints == (i < 3 || i == 4 ? 2 : 1), "%d: %d points", i, (int)t.set.view.npoints);
        touch_end(&t);
    }
}

/* Cylinders lie, lean and stand; a side over an edge, under a ball; an egg. */
Test(touch_set, cylinders_and_ellipsoids)
{
    const double half_pi = 1.5707963267948966, r = 0.2, L = 0.6, lean = 0.5;
    TouchShape can = {.type = RG_SHAPE_cylinder, .size = {r, L}, .mass = 1.0};
    TouchShape egg = {.type = RG_SHAPE_ellipsoid, .size = {0.2, 0.3, 0.4}, .mass = 1.0};
    TouchShape ball = {
        .type = RG_SHAPE_sphere, .size = {0.1}, .mass = 1.0, .X_WS = place_at(0.0, 0.0, r + 0.1 + LEVEL)};
    double high = 0.5 * L * cos(lean) + r * sin(lean) + LEVEL;
    const struct {
        TouchShape under, over;
        RgPose X_WS;
        RgGapKind kind;
        int points;
    } cases[6] = {{touch_floor, can, turned(X, half_pi, v3(0.0, 0.0, r + LEVEL)), RG_GAP_PLANE_ROUND, 2},
                  {touch_floor, can, turned(X, lean, v3(0.0, 0.0, high)), RG_GAP_PLANE_ROUND, 1},
                  {touch_floor, can, place_at(0.0, 0.0, 0.5 * L + LEVEL), RG_GAP_PLANE_POINT, 3},
                  {touch_floor, egg, place_at(0.0, 0.0, 0.4 + LEVEL), RG_GAP_PLANE_ROUND, 1},
                  {touch_box(1.0, 1.0, 1.0, turned(X, 0.5 * half_pi, v3(0.0, 0.0, 0.0))), can,
                   turned(X, half_pi, v3(0.0, 0.1, sqrt(0.5) + r + LEVEL)), RG_GAP_LINES, 1},
                  {ball, can, turned(X, half_pi, v3(0.0, 0.1, 0.0)), RG_GAP_POINT_LINE, 1}};
    for (int i = 0; i < 6; i++) {
        TouchShape shapes[2] = {cases[i].under, cases[i].over};
        shapes[1].X_WS = cases[i].X_WS;
        TouchCase t = found(shapes, 2);
        cr_expect_geq(t.set.view.npoints, cases[i].points, "%d: %d points", i, (int)t.set.view.npoints);
        cr_expect_eq(count_kind(&t, cases[i].kind), (int)t.set.view.npoints, "%d", i);
        touch_end(&t);
    }
}

/* Corner on corner, corner on edge, edges in line: points with one normal that parts the shapes; counted. */
Test(touch_set, open_normals_are_counted)
{
    double d = 1.0 + LEVEL, q = 0.7853981633974483;
    double dip = 0.6154797086703873; /* turns a face's diagonal with q into the cube's, atan(1/sqrt(2)) */
    RgMat3 upright = mat_mul(mat_turn(X, dip), mat_turn(v3(0.0, 1.0, 0.0), q));
    const RgPose roof = turned(v3(0.0, 1.0, 0.0), q, v3(0.0, 0.0, 0.0));
    const RgPose poses[4] = {place_at(d, d, d),                                                   /* corner on corner */
                             place_at(d, 0.3, d),                                                 /* edges in line */
                             turned(v3(0.0, 1.0, 0.0), q, v3(0.0, 0.2, 2.0 * sqrt(0.5) + LEVEL)), /* edge along edge */
                             {upright, {0.0, 0.1, sqrt(0.5) + sqrt(0.75) + LEVEL}}};              /* corner on edge */
    for (int i = 0; i < 4; i++) {
        TouchShape shapes[2] = {touch_box(1.0, 1.0, 1.0, i < 2 ? place_at(0.0, 0.0, 0.0) : roof),
                                touch_box(1.0, 1.0, 1.0, poses[i])};
        TouchCase t = found(shapes, 2);
        cr_expect_geq(t.set.view.npoints, 1);
        cr_expect_eq(t.set.degenerate, 1, "case %d", i);
        cr_expect_eq(count_kind(&t, RG_GAP_PLANE_POINT) + count_kind(&t, RG_GAP_POINT_PLANE), (int)t.set.view.npoints);
        touch_end(&t);
    }
}

/* ------------------------------------------------------------------ moving */

/* A random convex solid of about a metre. */
static int draw_points(Draw *d, double *points)
{
    int n = 4 + draw_below(d, 17);
    for (int i = 0; i < n; i++) {
        RgVec3 p = draw_direction(d);
        points[3 * i] = p.x;
        points[3 * i + 1] = p.y;
        points[3 * i + 2] = p.z;
    }
    return n;
}

/* Two shapes at random poses, brought within LEVEL of each other along the normal. */
static TouchCase random_touch(Draw *d)
{
    double points[2][60];
    TouchShape shapes[2];
    for (int i = 0; i < 2; i++) {
        shapes[i] =
            (TouchShape){.type = RG_SHAPE_polytope, .mass = 1.0, .X_WS = draw_pose(d, 1.0), .points = points[i]};
        shapes[i].npoints = draw_points(d, points[i]);
        if (draw_chance(d, 0.2)) {
            shapes[i].type = RG_SHAPE_capsule;
            shapes[i].size[0] = 0.2;
            shapes[i].size[1] = 0.7;
        }
    }
    shapes[1].X_WS.p = v3_axpy(2.5, draw_direction(d), shapes[0].X_WS.p);
    TouchCase t = touch_case(shapes, 2, both_forms[draw_below(d, 2)]);
    RgShapeDistance near;
    int count;
    cr_assert(rg_contact_scene_near(t.scene, 10.0, &near, 1, &count) == RG_OK && count == 1);
    RgVec3 step = v3_scale(LEVEL - near.distance.distance, near.distance.normal);
    double *p = t.f.x + 11; /* after the first body and the second one's turn, in both forms */
    p[0] += step.x;
    p[1] += step.y;
    p[2] += step.z;
    touch_place(&t);
    return t;
}

Test(touch_set, gaps_are_distances_while_bodies_move)
{
    Draw d = draw_seed(7);
    int kinds[8] = {0};
    for (int i = 0; i < 400; i++) {
        TouchCase t = random_touch(&d);
        cr_assert(rg_touch_set_find(&t.set, t.scene, GAP) == RG_OK);
        check_set(&t);
        cr_assert_geq(t.set.view.npoints, 1);
        for (int32_t k = 0; k < t.set.view.npoints; k++)
            kinds[t.set.gaps[k].kind]++;

        /* A small motion of both. */
        const double small = 1e-6;
        for (int k = 0; k < t.f.form->nu; k++)
            t.f.move[k] = small * draw_between(&d, -1.0, 1.0);
        t.f.form->kind->integrate(t.f.form, t.f.x, t.f.move, t.f.x);
        touch_place(&t);
        RgShapeDistance near;
        int count;
        cr_assert(rg_contact_scene_near(t.scene, 10.0, &near, 1, &count) == RG_OK && count == 1);
        double least = INFINITY;
        for (int32_t k = 0; k < t.set.view.npoints; k++)
            least = fmin(least, touch_at(&t, &t.set.gaps[k]).value);
        if (near.distance.distance > 0.0 && t.set.degenerate == 0)
            CHECK_NEAR(least, near.distance.distance, 1e-10, "m");
        touch_end(&t);
    }
    cr_expect(kinds[RG_GAP_PLANE_POINT] > 10 && kinds[RG_GAP_POINT_PLANE] > 10 && kinds[RG_GAP_LINES] > 10);
}

/* ------------------------------------------------------------------ filter and memory */

Test(touch_set, filter_keeps_what_it_is_told)
{
    TouchShape shapes[3] = {
        {.type = RG_SHAPE_polytope, .points = prism, .npoints = 12, .mass = 2.0, .X_WS = place_at(0.0, 0.0, LEVEL)},
        touch_box(1.0, 1.0, 1.0, place_at(4.0, 0.0, 0.5 + LEVEL)),
        touch_floor};
    TouchCase t = found(shapes, 3);
    expect_set(&t, 2, 10, 0);
    bool keep[10];
    uint64_t ids[10];
    int kept = 0;
    for (int i = 0; i < 10; i++) {
        keep[i] = i % 3 == 1 && i < 6;
        if (keep[i])
            ids[kept++] = t.set.view.points[i].id;
    }
    rg_touch_set_filter(&t.set, keep, NAN);
    expect_set(&t, 1, kept, 0);
    check_set(&t);
    for (int i = 0; i < kept; i++)
        cr_expect(t.set.view.points[i].id == ids[i] && t.set.gaps[i].id == ids[i]);
    bool all[2] = {true, true};
    rg_touch_set_filter(&t.set, all, 0.0);
    cr_expect(t.set.view.points[0].gap == 0.0 && t.set.view.manifolds[0].distance == 0.0);
    bool none[2] = {false, false};
    rg_touch_set_filter(&t.set, none, NAN);
    expect_set(&t, 0, 0, 0);
    cr_expect_eq(t.set.view.nmanifolds, 0);
    touch_end(&t);
}

Test(touch_set, takes_no_memory_after_the_first_search)
{
    TouchShape shapes[3] = {touch_floor, touch_box(1.0, 1.0, 1.0, place_at(0.0, 0.0, 0.5 + LEVEL)),
                            touch_box(1.0, 1.0, 1.0, place_at(0.2, 0.1, 1.5 + 2.0 * LEVEL))};
    TouchCase t = touch_case(shapes, 3, "minimal");
    Counting counting = {0};
    RgAllocator allocator = counting_allocator(&counting);
    RgTouchSet set;
    cr_assert(rg_touch_set_init(&set, &allocator));
    cr_assert(rg_touch_set_find(&set, t.scene, GAP) == RG_OK);
    long calls = counting.calls;
    for (int i = 0; i < 10; i++) {
        cr_assert(rg_touch_set_find(&set, t.scene, GAP) == RG_OK);
        RgTouchSet other = set; /* a set may be moved */
        set = other;
        rg_touch_set_filter(&set, NULL, 0.0);
        cr_expect_eq(set.view.npoints, 8);
    }
    cr_expect_eq(counting.calls, calls);
    rg_touch_set_free(&set);
    cr_expect_eq(counting.blocks, 0);
    touch_end(&t);
}

Test(touch_set, bad_gaps_are_refused)
{
    TouchCase t = touch_case(&touch_floor, 1, "minimal");
    const double bad[4] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
        cr_expect(rg_touch_set_find(&t.set, t.scene, bad[i]) == RG_ERR_ARGUMENT);
    cr_expect(rg_touch_set_find(&t.set, t.scene, GAP) == RG_OK && t.set.view.npoints == 0);
    touch_end(&t);
}
