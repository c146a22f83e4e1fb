/* test_outline_overlap.c - corners of overlaps without discs: against another way to cut, features,
   round-off. */
#include "outline_pairs.h"

/* A point's feature on a polytope holds it: the vertex is there, the edge passes there, the face is
   above it. */
static void check_feature(const OutlinePair *pair, const RgPlaced *placed_o, const RgOverlapPoint *p, int i)
{
    const RgPolytope *core = placed_o->geometry->parts[0].core;
    RgVec3 x = place_point(place_inverse(placed_o->X_WG), rg_contact_frame_point(&pair->frame, p->u, p->v, p->h[i]));
    RgFeature f = p->feature[i];
    if (f.kind == RG_FEATURE_VERTEX) {
        CHECK_NEAR(vec_distance(core->vertex[f.index], x), 0.0, 1e-11, "m");
    } else if (f.kind == RG_FEATURE_EDGE) {
        RgVec3 a = core->vertex[core->edge[2 * f.index]], b = core->vertex[core->edge[2 * f.index + 1]];
        RgVec3 way = vec_sub(b, a);
        double along = vec_dot(vec_sub(x, a), way) / vec_dot(way, way);
        CHECK_NEAR(vec_distance(vec_add(a, vec_scale(along, way)), x), 0.0, 1e-11, "m");
        cr_expect(along >= -1e-9 && along <= 1.0 + 1e-9);
    } else {
        cr_assert_eq(f.kind, RG_FEATURE_FACE);
        CHECK_NEAR(vec_dot(core->normal[f.index], x), core->offset[f.index], 1e-11, "m");
    }
}

/* Faces of random prisms on each other: the area, corners in both, features, no place twice. */
Test(outline_overlap, polygons_against_another_way_to_cut)
{
    Draw d = draw_seed(1);
    OutlinePair *pair = malloc(sizeof *pair);
    int empty = 0;
    for (int k = 0; k < 2000; k++) {
        RgGeometry *ga = draw_prism(&d, -0.5, 0.0), *gb = draw_prism(&d, 0.0, 0.5);
        RgPlaced a = placed(ga, draw_slide(&d, 0.7)), b = placed(gb, draw_slide(&d, 0.7));
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 1e-6, pair);
        Flat pa[RG_OUTLINE_CORNERS], pb[RG_OUTLINE_CORNERS];
        int na = outline_flat(&pair->a, pa), nb = outline_flat(&pair->b, pb);
        double area = overlap_area(pa, na, pb, nb);
        CHECK_NEAR(overlap_hull_area(&pair->overlap), area, 1e-12, "m2");
        empty += pair->overlap.count == 0;
        for (int32_t i = 0; i < pair->overlap.count; i++) {
            const RgOverlapPoint *p = &pair->overlap.point[i];
            cr_expect(flat_inside(pa, na, (Flat){p->u, p->v}, 1e-11) && flat_inside(pb, nb, (Flat){p->u, p->v}, 1e-11));
            CHECK_NEAR(p->h[0], 0.0, 1e-12, "m");
            CHECK_NEAR(p->h[1], 0.0, 1e-12, "m");
            check_feature(pair, &a, p, 0);
            check_feature(pair, &b, p, 1);
            for (int32_t j = 0; j < i; j++)
                cr_expect_gt(hypot(p->u - pair->overlap.point[j].u, p->v - pair->overlap.point[j].v), 1e-12);
        }
        rg_geometry_destroy(ga);
        rg_geometry_destroy(gb);
    }
    cr_expect(empty > 20 && empty < 1000, "%d of 2000 do not overlap", empty);
    free(pair);
}

/* Equal polygons on each other, moved by next to nothing: as many points as corners, each corner
   on corner. */
Test(outline_overlap, equal_polygons_give_corners_on_corners)
{
    static const int corners[] = {3, 4, 6, 40, 128};
    Draw d = draw_seed(2);
    OutlinePair *pair = malloc(sizeof *pair);
    for (int k = 0; k < 200; k++) {
        int n = corners[k % 5];
        RgGeometry *g = make_prism(n, draw_between(&d, 0.1, 10.0), 1.0);
        RgPose X = draw_slide(&d, 1.0), Y = X;
        X.p.z = -0.5;
        Y.p.z = 0.5;
        Y.p.x += draw_between(&d, -1e-15, 1e-15);
        Y.p.y += draw_between(&d, -1e-15, 1e-15);
        RgPlaced a = placed(g, X), b = placed(g, Y);
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
        cr_assert_eq(pair->overlap.count, n, "%d corners: %d", n, pair->overlap.count);
        for (int32_t i = 0; i < n; i++) {
            cr_expect_eq(pair->overlap.point[i].feature[0].kind, RG_FEATURE_VERTEX);
            cr_expect_eq(pair->overlap.point[i].feature[1].kind, RG_FEATURE_VERTEX);
        }
        rg_geometry_destroy(g);
    }
    free(pair);
}

/* Long, thin, and of sizes 1e4 apart: the small one is found whole where it lies inside. */
Test(outline_overlap, sizes_far_apart)
{
    Draw d = draw_seed(3);
    OutlinePair *pair = malloc(sizeof *pair);
    RgGeometry *large = make_shape(RG_SHAPE_box, 1e4, 2e4, 10.0);
    RgGeometry *small = make_shape(RG_SHAPE_box, 1.0, 1e-3, 0.5);
    for (int k = 0; k < 500; k++) {
        RgPose X = draw_slide(&d, 4000.0), Y = draw_slide(&d, 1.0);
        X.R = mat_identity();
        X.p.z = -5.0;
        Y.p.z = 0.25;
        RgPlaced a = placed(large, X), b = placed(small, Y);
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 1e-6, pair);
        cr_assert_eq(pair->overlap.count, 4);
        CHECK_REL(overlap_hull_area(&pair->overlap), 1e-3, 1e-7, "m2");
    }
    rg_geometry_destroy(large);
    rg_geometry_destroy(small);
    free(pair);
}

/* An edge on a face: the part of the segment inside, against a bisection for where it leaves. */
Test(outline_overlap, segments_in_polygons)
{
    Draw d = draw_seed(4);
    OutlinePair *pair = malloc(sizeof *pair);
    RgGeometry *rod = make_shape(RG_SHAPE_capsule, 0.1, 1.6, 0.0);
    for (int k = 0; k < 1000; k++) {
        RgGeometry *g = draw_prism(&d, -0.5, 0.0);
        RgPose X = draw_slide(&d, 0.8);
        X.R = mat_mul(X.R, turn_about(1, 0.5 * PI));
        X.p.z = 0.1;
        RgPlaced a = placed(g, place_at(0.0, 0.0, 0.0)), b = placed(rod, X);
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 1e-6, pair);
        Flat polygon[RG_OUTLINE_CORNERS];
        int n = outline_flat(&pair->a, polygon);
        const RgOutlineCorner *end = pair->b.corner;
        double low = 2.0, high = -1.0;
        for (int i = 0; i <= 4000; i++) {
            double s = i / 4000.0;
            Flat x = {end[0].u + s * (end[1].u - end[0].u), end[0].v + s * (end[1].v - end[0].v)};
            if (flat_inside(polygon, n, x, 0.0)) {
                low = fmin(low, s);
                high = fmax(high, s);
            }
        }
        if (high - low < 1e-3) { /* none, or a corner cut off: between the samples */
            cr_expect_leq(pair->overlap.count, 2);
        } else {
            cr_assert_eq(pair->overlap.count, 2);
            const RgOverlapPoint *p = pair->overlap.point;
            CHECK_NEAR(hypot(p[1].u - p[0].u, p[1].v - p[0].v), 1.6 * (high - low), 1.6 * 2.0 / 4000.0, "m");
            CHECK_NEAR(p[0].h[1], 0.0, 1e-12, "m");
        }
        rg_geometry_destroy(g);
    }
    rg_geometry_destroy(rod);
    free(pair);
}

/* Two edges: crossing they have one point; side by side, the ends of what they share. */
Test(outline_overlap, segments_cross_or_run_along)
{
    RgGeometry *rod = make_shape(RG_SHAPE_capsule, 0.1, 1.0, 0.0);
    OutlinePair *pair = malloc(sizeof *pair);
    RgPose X = {turn_about(1, 0.5 * PI), {0.0, 0.0, -0.1}}, Y = X;
    RgPlaced a = placed(rod, X);
    for (int k = 0; k < 2; k++) {
        double turn = k == 0 ? 0.03 : 1.2;
        Y.R = mat_mul(turn_about(2, turn), X.R);
        Y.p = vec(0.2, 0.0, 0.1);
        RgPlaced b = placed(rod, Y);
        overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
        cr_assert_eq(pair->overlap.count, 1, "turned by %g", turn);
        RgVec3 x = rg_contact_frame_point(&pair->frame, pair->overlap.point[0].u, pair->overlap.point[0].v, 0.0);
        CHECK_NEAR(vec_distance(x, vec(0.2, 0.0, 0.0)), 0.0, 1e-14, "m");
    }

    /* Turned by 0.01, shared from -0.2 to 0.5: the surface of the other falls off to the side by y^2 /
       2 r. */
    Y.R = mat_mul(turn_about(2, 0.01), X.R);
    Y.p = vec(0.3, 0.0, 0.1);
    RgPlaced b = placed(rod, Y);
    overlap_along(&a, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
    cr_assert_eq(pair->overlap.count, 2);
    for (int i = 0; i < 2; i++) {
        const RgOverlapPoint *p = &pair->overlap.point[i];
        RgVec3 x = rg_contact_frame_point(&pair->frame, p->u, p->v, 0.0);
        double off = x.x > 0.0 ? 0.2 * sin(0.01) : 0.5 * sin(0.01), low = 0.1 - sqrt(0.01 - off * off);
        CHECK_NEAR(x.x > 0.0 ? x.x : x.x + 0.2, x.x > 0.0 ? 0.5 : 0.0, 1e-3, "m");
        CHECK_NEAR(p->h[1] - p->h[0], low, 0.01 * low, "m");
    }
    rg_geometry_destroy(rod);
    free(pair);
}

/* A corner over a polygon, a segment, a plane; and beside them. */
Test(outline_overlap, points_lie_in_or_beside)
{
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.1, 0.0, 0.0), *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgGeometry *ground = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    OutlinePair *pair = malloc(sizeof *pair);
    RgPlaced table = placed_at(box, 0.0, 0.0, -0.5), floor = placed_at(ground, 0.0, 0.0, 0.0);
    for (int k = 0; k < 4; k++) {
        static const double x[4] = {0.1, 0.4999999, 0.5, 0.5000001};
        RgPlaced b = placed_at(ball, x[k], 0.2, 0.1 + 1e-5);
        overlap_along(&table, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
        cr_expect_eq(pair->overlap.count, k < 3);
        if (k < 3)
            CHECK_NEAR(pair->overlap.point[0].h[1] - pair->overlap.point[0].h[0], 1e-5, 1e-15, "m");
        overlap_along(&floor, &b, vec(0.0, 0.0, 1.0), 0.02, pair);
        cr_expect_eq(pair->overlap.count, 1);
    }
    rg_geometry_destroy(ball);
    rg_geometry_destroy(box);
    rg_geometry_destroy(ground);
    free(pair);
}
