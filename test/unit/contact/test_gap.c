/*
 * test_gap.c - gaps in closed form against distances of shapes whose nearest features they are, and their rates against
 * differences in time.
 */
#include "contact/gap.h"
#include "geometries.h"

#include "check_near.h"
#include "draw.h"
#include "math/spatial.h"

static RgGap random_gap(Draw *d, RgGapKind kind)
{
    RgGap gap = {.kind = kind,
                 .place_a = draw_vec(d, 1.0),
                 .place_b = draw_vec(d, 1.0),
                 .along_a = draw_direction(d),
                 .along_b = draw_direction(d),
                 .side = draw_chance(d, 0.5) ? 1.0 : -1.0,
                 .radius = draw_between(d, 0.0, 0.2)};
    gap.radius_a = draw_between(d, 0.0, gap.radius);
    if (kind >= RG_GAP_PLANE_ROUND) {
        RgVec3 half = {draw_between(d, 0.1, 0.9), draw_between(d, 0.1, 0.9), draw_chance(d, 0.5) ? 0.0 : 0.4};
        gap.round =
            s3_rotate((RgSym3){half.x * half.x, half.y * half.y, half.z * half.z, 0.0, 0.0, 0.0}, draw_pose(d, 0.0).R);
    }
    return gap;
}

/* The pose t seconds later at a constant twist (world axes, at the origin of the frame). */
static RgPose later(RgPose X, RgMotion V, double t)
{
    return (RgPose){m3_mul(q_matrix(q_exp(v3_scale(t, V.w))), X.R), v3_axpy(t, V.v, X.p)};
}

Test(gap, rates_are_derivatives_of_gaps)
{
    Draw d = draw_seed(1);
    for (int i = 0; i < 4000; i++) {
        RgGap gap = random_gap(&d, (RgGapKind)(i % 8));
        RgPose A = draw_pose(&d, 2.0), B = draw_pose(&d, 2.0);
        RgMotion V[2] = {{draw_vec(&d, 1.0), draw_vec(&d, 1.0)}, {draw_vec(&d, 1.0), draw_vec(&d, 1.0)}};
        RgVec3 e = m3_apply(A.R, gap.along_a), f = m3_apply(B.R, gap.along_b);
        RgGapAt at = rg_gap_at(&gap, &A, &B);
        if ((gap.kind == RG_GAP_LINES && v3_norm(v3_cross(e, f)) < 0.2) || at.value + gap.radius < 0.05)
            continue;
        const double h = 1e-4, times[4] = {-2.0 * h, -h, h, 2.0 * h};
        double value[4];
        for (int k = 0; k < 4; k++) {
            RgPose A1 = later(A, V[0], times[k]), B1 = later(B, V[1], times[k]);
            value[k] = rg_gap_at(&gap, &A1, &B1).value;
        }
        double rate = (8.0 * (value[2] - value[1]) - (value[3] - value[0])) / (12.0 * h);
        CHECK_NEAR(rg_gap_rate(&gap, &A, &V[0], &B, &V[1]), rate, 2e-8, "m/s");

        /* The two points lie on the normal, and that far apart. */
        CHECK_NEAR(v3_norm(at.normal), 1.0, 1e-14, "");
        RgVec3 r = v3_sub(at.point_b, at.point_a);
        CHECK_NEAR(v3_norm(v3_axpy(-at.value, at.normal, r)), 0.0, 1e-11, "m");
    }
}

/* ------------------------------------------------------------------ distances */

/* Features of a unit box. */
static RgVec3 box_corner(int i)
{
    return v3(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
}

/* The gap that the features of two boxes make; false: no such features. */
static bool box_gap(const RgDistance *d, const RgGeometry *g, RgMat3 R_A, RgMat3 R_B, RgGap *gap)
{
    RgPolytopeView view = rg_geometry_polytope(g, 0);
    *gap = (RgGap){.side = 1.0};
    if (d->feature_a.kind == RG_FEATURE_FACE && d->feature_b.kind == RG_FEATURE_VERTEX) {
        gap->kind = RG_GAP_PLANE_POINT;
        gap->along_a = view.face_normals[d->feature_a.index];
        gap->place_a = v3_scale(0.5, gap->along_a);
        gap->place_b = box_corner(d->feature_b.index);
        return true;
    }
    if (d->feature_a.kind != RG_FEATURE_EDGE || d->feature_b.kind != RG_FEATURE_EDGE)
        return false;
    const int32_t *a = view.edges + 2 * d->feature_a.index, *b = view.edges + 2 * d->feature_b.index;
    gap->kind = RG_GAP_LINES;
    gap->place_a = view.vertices[a[0]];
    gap->place_b = view.vertices[b[0]];
    gap->along_a = v3_sub(view.vertices[a[1]], view.vertices[a[0]]);
    gap->along_b = v3_sub(view.vertices[b[1]], view.vertices[b[0]]);
    RgVec3 c = v3_cross(m3_apply(R_A, gap->along_a), m3_apply(R_B, gap->along_b));
    gap->side = v3_dot(c, d->normal) > 0.0 ? 1.0 : -1.0;
    return v3_norm(c) > 0.05;
}

Test(gap, is_the_distance_of_boxes_whose_nearest_features_it_has)
{
    Draw d = draw_seed(2);
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    int kinds[2] = {0, 0};
    for (int i = 0; i < 4000; i++) {
        RgPlaced a = {box, draw_pose(&d, 1.0)}, b = {box, draw_pose(&d, 1.0)};
        b.X_WG.p = v3_axpy(1.6, draw_direction(&d), a.X_WG.p);
        RgDistance at;
        RgGap gap;
        cr_assert(rg_distance(&a, &b, NULL, &at) == RG_OK);
        if (at.distance < 1e-3 || !box_gap(&at, box, a.X_WG.R, b.X_WG.R, &gap))
            continue;
        RgGapAt got = rg_gap_at(&gap, &a.X_WG, &b.X_WG);
        CHECK_NEAR(got.value, at.distance, 1e-13, "m");
        CHECK_NEAR(v3_norm(v3_sub(got.normal, at.normal)), 0.0, 1e-9, "");
        CHECK_NEAR(v3_norm(v3_sub(got.point_a, at.point_a)), 0.0, 1e-9, "m");
        CHECK_NEAR(v3_norm(v3_sub(got.point_b, at.point_b)), 0.0, 1e-9, "m");
        kinds[gap.kind == RG_GAP_LINES]++;
    }
    cr_expect(kinds[0] > 200 && kinds[1] > 200, "%d planes, %d lines", kinds[0], kinds[1]);
    rg_geometry_destroy(box);
}

Test(gap, is_the_distance_of_balls_and_bars)
{
    Draw d = draw_seed(3);
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.3, 0.0, 0.0), *bar = make_shape(RG_SHAPE_capsule, 0.2, 50.0, 0.0);
    for (int i = 0; i < 500; i++) {
        RgPlaced a = {bar, draw_pose(&d, 1.0)}, b = {ball, draw_pose(&d, 1.0)}, c = {ball, draw_pose(&d, 1.0)};
        RgPlaced e = {bar, draw_pose(&d, 1.0)};
        RgDistance at;
        RgGap points = {.kind = RG_GAP_POINTS, .radius = 0.6, .radius_a = 0.3};
        RgGap line = {.kind = RG_GAP_LINE_POINT, .along_a = {0.0, 0.0, 1.0}, .radius = 0.5, .radius_a = 0.2};
        RgGap turned = {.kind = RG_GAP_POINT_LINE, .along_b = {0.0, 0.0, 1.0}, .radius = 0.5, .radius_a = 0.3};
        RgGap lines = {.kind = RG_GAP_LINES,
                       .along_a = {0.0, 0.0, 1.0},
                       .along_b = {0.0, 0.0, 1.0},
                       .radius = 0.4,
                       .radius_a = 0.2};
        cr_assert(rg_distance(&b, &c, NULL, &at) == RG_OK);
        CHECK_NEAR(rg_gap_at(&points, &b.X_WG, &c.X_WG).value, at.distance, 1e-14, "m");
        cr_assert(rg_distance(&a, &b, NULL, &at) == RG_OK);
        CHECK_NEAR(rg_gap_at(&line, &a.X_WG, &b.X_WG).value, at.distance, 1e-14, "m");
        CHECK_NEAR(rg_gap_at(&turned, &b.X_WG, &a.X_WG).value, at.distance, 1e-14, "m");
        RgVec3 cross = v3_cross(m3_column(a.X_WG.R, 2), m3_column(e.X_WG.R, 2));
        cr_assert(rg_distance(&a, &e, NULL, &at) == RG_OK);
        if (v3_norm(cross) < 0.1 || at.distance < 1e-3)
            continue;
        lines.side = v3_dot(cross, at.normal) > 0.0 ? 1.0 : -1.0;
        RgGapAt got = rg_gap_at(&lines, &a.X_WG, &e.X_WG);
        CHECK_NEAR(got.value, at.distance, 1e-12, "m");
        CHECK_NEAR(v3_norm(v3_sub(got.point_a, at.point_a)), 0.0, 1e-10, "m");
    }
    rg_geometry_destroy(ball);
    rg_geometry_destroy(bar);
}

/* Ellipsoids and cylinders over a plane; of a cylinder the lower of its two rims. */
Test(gap, is_the_distance_of_ellipsoids_and_rims_from_a_plane)
{
    Draw d = draw_seed(4);
    RgGeometry *egg = make_shape(RG_SHAPE_ellipsoid, 0.3, 0.5, 0.9),
               *can = make_shape(RG_SHAPE_cylinder, 0.4, 1.2, 0.0);
    RgGeometry *floor = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    const RgVec3 Z = {0.0, 0.0, 1.0};
    for (int i = 0; i < 500; i++) {
        RgPlaced a = {floor, draw_pose(&d, 1.0)}, b = {egg, draw_pose(&d, 3.0)}, c = {can, b.X_WG};
        RgDistance at;
        RgGap round = {.kind = RG_GAP_PLANE_ROUND, .along_a = Z, .round = {0.09, 0.25, 0.81, 0.0, 0.0, 0.0}};
        RgGap turned = {.kind = RG_GAP_ROUND_PLANE, .along_b = v3_neg(Z), .round = round.round};
        cr_assert(rg_distance(&a, &b, NULL, &at) == RG_OK);
        CHECK_NEAR(rg_gap_at(&round, &a.X_WG, &b.X_WG).value, at.distance, 1e-13, "m");
        CHECK_NEAR(v3_norm(v3_sub(rg_gap_at(&round, &a.X_WG, &b.X_WG).point_b, at.point_b)), 0.0, 1e-12, "m");
        CHECK_NEAR(rg_gap_at(&turned, &b.X_WG, &a.X_WG).value, at.distance, 1e-13, "m");
        RgGap rims[2] = {round, round};
        for (int k = 0; k < 2; k++) {
            rims[k].round = (RgSym3){0.16, 0.16, 0.0, 0.0, 0.0, 0.0};
            rims[k].place_b = v3(0.0, 0.0, k == 0 ? 0.6 : -0.6);
        }
        cr_assert(rg_distance(&a, &c, NULL, &at) == RG_OK);
        CHECK_NEAR(fmin(rg_gap_at(&rims[0], &a.X_WG, &c.X_WG).value, rg_gap_at(&rims[1], &a.X_WG, &c.X_WG).value),
                   at.distance, 1e-13, "m");
    }
    rg_geometry_destroy(egg);
    rg_geometry_destroy(can);
    rg_geometry_destroy(floor);
}

/* Lines in line, points at one place: some finite number, a unit normal. */
Test(gap, has_no_nan_where_the_normal_is_open)
{
    RgPose here = pose_identity();
    RgMotion V = {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
    for (int kind = 0; kind < 8; kind++)
        for (int apart = 0; apart < 2; apart++) {
            RgGap gap = {.kind = (RgGapKind)kind, .side = 1.0, .along_a = {1.0, 0.0, 0.0}, .along_b = {1.0, 0.0, 0.0}};
            RgPose there = pose_at(v3(0.0, apart * 1e-3, 0.0));
            RgGapAt at = rg_gap_at(&gap, &here, &there);
            CHECK_NEAR(v3_norm(at.normal), 1.0, 1e-14, "");
            cr_expect(isfinite(at.value) && v3_finite(at.point_a) && v3_finite(at.point_b));
            cr_expect(isfinite(rg_gap_rate(&gap, &here, &V, &there, &V)));
            if (kind >= (int)RG_GAP_LINES && kind < (int)RG_GAP_PLANE_ROUND)
                CHECK_NEAR(at.value, apart * 1e-3, 1e-15, "m");
        }
}
