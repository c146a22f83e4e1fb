/*
 * test_contact_direct.c - closed forms of contact against the general way by outlines, and how often they answer.
 */
#include "collision/contact_direct.h"

#include "collision/contact_region.h"
#include "geom/geometry.h"
#include "manifold_fixture.h"

#define PAIRS 100000
#define KINDS 6

typedef struct Count {
    int asked, answered, by_touch[RG_TOUCH_COUNT];
} Count;

/* How B is turned against A: anyhow; flush; nearly flush; about one axis; by 45 degrees; within the slope. */
static RgMat3 draw_turn(Draw *d, int kind)
{
    int axis = draw_below(d, 3);
    RgMat3 quarter = turn_about(axis, 0.5 * PI * draw_below(d, 4));
    switch (kind) {
    case 0:
        return draw_pose(d, 1.0).R;
    case 1:
        return quarter;
    case 2:
        return mat_mul(quarter, mat_turn(draw_direction(d), pow(10.0, draw_between(d, -14.0, -3.0))));
    case 3:
        return mat_mul(quarter, turn_about(draw_below(d, 3), draw_between(d, -PI, PI)));
    case 4:
        return mat_mul(turn_about(axis, 0.25 * PI), turn_about(draw_below(d, 3), 0.25 * PI));
    default:
        return mat_mul(quarter, mat_turn(draw_direction(d), draw_between(d, 0.0, 0.06)));
    }
}

/* A pair at a gap that is drawn: apart, touching, deep. False: their distance was not found. */
static bool draw_pair(Draw *d, int kind, const RgShape *a, const RgShape *b, RgConvexPair *pair, RgDistance *at)
{
    *pair = (RgConvexPair){a, b, {draw_turn(d, kind), vec_scale(draw_between(d, 0.2, 1.5), draw_direction(d))}};
    if (kind == 1 && draw_chance(d, 0.5))
        pair->X_AB.p = vec(0.25 * (draw_below(d, 9) - 4), 0.25 * (draw_below(d, 9) - 4), 0.5);
    if (rg_convex_distance(pair, NULL, at) != RG_OK)
        return false;
    double gap[4] = {0.0, draw_between(d, -0.1, 0.0), draw_between(d, 0.0, 1e-3),
                     pow(10.0, draw_between(d, -12.0, -6.0))};
    pair->X_AB.p = vec_add(pair->X_AB.p, vec_scale(gap[draw_below(d, 4)] - at->distance, at->normal));
    return rg_convex_distance(pair, NULL, at) == RG_OK && at->distance <= 1e-3;
}

static bool same_feature(RgFeature a, RgFeature b)
{
    return a.kind == b.kind && a.index == b.index;
}

/* Same points, features, names and touch. */
static void compare(const RgDirectContact *direct, const RgRegion *region, double size, int k)
{
    double near = RG_REGION_NAME * fmax(rg_outline_reach(&region->outline[0]), rg_outline_reach(&region->outline[1]));
    cr_expect_eq(direct->count, region->overlap.count, "pair %d: %d points, %d", k, direct->count,
                 region->overlap.count);
    cr_expect_eq(direct->touch, region->touch, "pair %d: %s, %s", k, rg_touch_name(direct->touch),
                 rg_touch_name(region->touch));
    for (int32_t i = 0; i < direct->count; i++) {
        const RgOverlapPoint *p = &direct->point[i], *q = NULL;
        for (int32_t j = 0; j < region->overlap.count && q == NULL; j++) {
            const RgOverlapPoint *o = &region->overlap.point[j];
            q = same_feature(o->feature[0], p->feature[0]) && same_feature(o->feature[1], p->feature[1]) ? o : NULL;
        }
        cr_assert(q != NULL, "pair %d: point %d has other features", k, i);
        CHECK_NEAR(hypot(p->u - q->u, p->v - q->v), 0.0, 2e-12 * size, "m");
        CHECK_NEAR(p->h[0] - q->h[0], 0.0, 2e-13 * size, "m");
        CHECK_NEAR(p->h[1] - q->h[1], 0.0, 2e-13 * size, "m");
        for (int side = 0; side < 2; side++) {
            const RgOutline *o = &region->outline[side];
            if (o->kind == RG_OUTLINE_POLYGON || o->kind == RG_OUTLINE_SEGMENT)
                cr_expect(same_feature(rg_outline_locate(o, q->u, q->v, near), p->feature[side]));
        }
    }
}

static void run(const RgShape *a, const RgShape *b, Draw *d, int k, Count *count)
{
    static RgRegion region;
    RgManifoldOptions options = rg_manifold_options_default();
    RgConvexPair pair;
    RgDistance at;
    RgDirectContact direct;
    if (!draw_pair(d, k % KINDS, a, b, &pair, &at))
        return;
    count->asked++;
    if (!rg_contact_direct(&pair, &at, &options, &direct))
        return;
    count->answered++;
    count->by_touch[direct.touch]++;
    rg_region_make(&pair, &at, &(RgRegionRules){.options = &options}, &region);
    compare(&direct, &region, 2.0 * rg_pair_size(&pair) + vec_norm(pair.X_AB.p), k);
}

static void check_count(const Count *c, double least)
{
    cr_expect(c->answered > least * c->asked, "%d of %d answered", c->answered, c->asked);
    cr_expect_gt(c->by_touch[RG_TOUCH_vertex_face], 100);
    cr_expect_gt(c->by_touch[RG_TOUCH_edge_face], 100);
    cr_expect_gt(c->by_touch[RG_TOUCH_face_face], 100);
}

Test(contact_direct, boxes_as_by_outlines)
{
    Draw d = draw_seed(1);
    Count count = {0};
    RgGeometry *box[8];
    for (int i = 0; i < 8; i++)
        box[i] = i == 0 ? make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0)
                        : make_shape(RG_SHAPE_box, draw_between(&d, 0.1, 1.0), draw_between(&d, 0.1, 1.0),
                                     draw_between(&d, i == 1 ? 1e-3 : 0.1, 1.0));
    for (int k = 0; k < PAIRS; k++)
        run(box[draw_below(&d, 8)]->parts, box[draw_below(&d, 8)]->parts, &d, k, &count);
    check_count(&count, 0.6);
    cr_expect_gt(count.by_touch[RG_TOUCH_edge_edge], 100);
    for (int i = 0; i < 8; i++)
        rg_geometry_destroy(box[i]);
}

static RgGeometry *draw_hull(Draw *d)
{
    double xyz[90];
    for (int i = 0; i < 30; i++) {
        RgVec3 x = vec_scale(draw_between(d, 0.2, 0.5), draw_direction(d));
        xyz[3 * i] = x.x;
        xyz[3 * i + 1] = x.y;
        xyz[3 * i + 2] = x.z;
    }
    return make_polytope(xyz, 30);
}

Test(contact_direct, hulls_and_half_spaces_as_by_outlines)
{
    Draw d = draw_seed(2);
    Count hulls = {0}, halves = {0};
    RgGeometry *shape[8], *half = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    for (int i = 0; i < 8; i++)
        shape[i] = i < 5   ? draw_hull(&d)
                   : i < 7 ? make_prism(3 + i, 0.4, 0.6)
                           : make_shape(RG_SHAPE_box, 0.4, 0.7, 0.5);
    for (int k = 0; k < PAIRS / 4; k++) {
        run(shape[draw_below(&d, 8)]->parts, shape[draw_below(&d, 8)]->parts, &d, k, &hulls);
        run(shape[draw_below(&d, 8)]->parts, half->parts, &d, k, &halves);
    }
    check_count(&hulls, 0.6);
    check_count(&halves, 0.9);
    for (int i = 0; i < 8; i++)
        rg_geometry_destroy(shape[i]);
    rg_geometry_destroy(half);
}
