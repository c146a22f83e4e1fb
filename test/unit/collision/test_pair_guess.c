/*
 * test_pair_guess.c - what features prove against the general search: right ones, wrong ones, shapes that overlap.
 */
#include "collision/pair_guess.h"

#include "collision/gjk.h"
#include "geom/geometry.h"
#include "manifold_fixture.h"

#define PAIRS 50000

static RgGeometry *draw_hull(Draw *d, int count)
{
    double xyz[90];
    for (int i = 0; i < count; i++) {
        RgVec3 x = vec_scale(draw_between(d, 0.3, 0.5), draw_direction(d));
        xyz[3 * i] = x.x;
        xyz[3 * i + 1] = x.y;
        xyz[3 * i + 2] = x.z;
    }
    return make_polytope(xyz, count);
}

/* The features that the general way names, or any others. */
static void draw_features(Draw *d, const RgConvexPair *pair, const RgDistance *at, RgFeature out[2])
{
    const RgPolytope *core[2] = {pair->a->core, pair->b->core};
    out[0] = at->feature_a;
    out[1] = at->feature_b;
    for (int i = 0; i < 2 && draw_chance(d, 0.3); i++) {
        RgFeatureKind kind = draw_chance(d, 0.5) ? RG_FEATURE_FACE : RG_FEATURE_EDGE;
        out[i] = (RgFeature){kind, draw_below(d, kind == RG_FEATURE_FACE ? core[i]->nf : core[i]->ne)};
    }
}

Test(pair_guess, what_is_proven_is_the_distance)
{
    Draw d = draw_seed(1);
    RgGeometry *shape[8];
    int proven = 0, apart = 0, boxes = 0;
    for (int i = 0; i < 8; i++)
        shape[i] = i < 5 ? draw_hull(&d, 4 + 5 * i) : make_shape(RG_SHAPE_box, 0.4, 0.1 * i, 0.5);
    for (int k = 0; k < PAIRS; k++) {
        RgConvexPair pair = {shape[draw_below(&d, 8)]->parts, shape[draw_below(&d, 8)]->parts, draw_pose(&d, 0.8)};
        RgDistance at = {0}, found = {0};
        if (rg_convex_distance_gjk(&pair, NULL, &at) != RG_OK)
            continue;
        if (draw_chance(&d, 0.3)) { /* nearly touching */
            double gap = pow(10.0, draw_between(&d, -12.0, -3.0));
            pair.X_AB.p = vec_add(pair.X_AB.p, vec_scale(gap - at.distance, at.normal));
            rg_convex_distance_gjk(&pair, NULL, &at);
        }
        RgFeature feature[2];
        draw_features(&d, &pair, &at, feature);
        apart += at.distance > 0.0;
        if (!rg_pair_guess(&pair, feature, &found))
            continue;
        proven++;
        CHECK_NEAR(found.distance, at.distance, 1e-13, "m");
        CHECK_NEAR(vec_distance(found.normal, at.normal), 0.0, 1e-12 + 1e-14 / at.distance, "");
        CHECK_NEAR(vec_distance(found.point_b, vec_add(found.point_a, vec_scale(found.distance, found.normal))), 0.0,
                   1e-15, "m");
        CHECK_NEAR(vec_distance(found.point_a, at.point_a), 0.0, 1e-11 + 1e-13 / at.distance, "m");
        cr_expect(found.error < 1e-13);
        boxes += pair.a->type == RG_SHAPE_box && pair.b->type == RG_SHAPE_box;
    }
    cr_expect_gt(boxes, 500);
    cr_expect(proven > 0.4 * apart, "%d of %d that are apart", proven, apart);
    for (int i = 0; i < 8; i++)
        rg_geometry_destroy(shape[i]);
}

/* A normal parts only what is farther apart than the margin; the best one parts all that is clearly so. */
Test(pair_guess, parted_are_only_those_apart)
{
    Draw d = draw_seed(2);
    RgGeometry *shape[4] = {draw_hull(&d, 12), draw_hull(&d, 30), make_shape(RG_SHAPE_box, 0.4, 0.6, 0.5),
                            make_shape(RG_SHAPE_sphere, 0.3, 0.0, 0.0)};
    int parted = 0;
    for (int k = 0; k < PAIRS; k++) {
        const RgShape *a = shape[draw_below(&d, 4)]->parts, *b = shape[draw_below(&d, 4)]->parts;
        RgConvexPair pair = {a, b, draw_pose(&d, 1.0)};
        RgDistance at = {0};
        if (rg_convex_distance_gjk(&pair, NULL, &at) != RG_OK)
            continue;
        RgVec3 turned = vec_add(at.normal, vec_scale(0.1, draw_direction(&d)));
        RgVec3 n = draw_chance(&d, 0.5) ? at.normal : vec_scale(1.0 / vec_norm(turned), turned);
        double margin = draw_chance(&d, 0.3) ? fabs(at.distance) : draw_between(&d, 0.0, 0.2);
        const RgShape *both[2] = {a, b};
        RgPose X_WA = draw_pose(&d, 1.0), X_WB = pose_mul(X_WA, pair.X_AB);
        const RgPose *X[2] = {&X_WA, &X_WB};
        bool is = rg_shapes_separated(both, X, m3_apply(X_WA.R, n), margin);
        cr_expect(!is || at.distance > margin, "pair %d", k);
        if (at.distance > margin + 1e-9)
            cr_expect(rg_shapes_separated(both, X, m3_apply(X_WA.R, at.normal), margin), "pair %d", k);
        parted += is;
    }
    cr_expect_gt(parted, PAIRS / 10);
    for (int i = 0; i < 4; i++)
        rg_geometry_destroy(shape[i]);
}
