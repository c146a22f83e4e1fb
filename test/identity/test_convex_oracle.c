/*
 * test_convex_oracle.c - the oracle of the distance tests is judged first: pairs built with a known gap,
 * closed forms, and its two ways (all directions, search) against each other. Nothing of the library's
 * collision part is asked.
 */
#include "check_near.h"
#include "geometries.h"
#include "oracle_shape.h"
#include "pair_maker.h"

static OracleShape *shape_of(RgShapeType type, double x, double y, double z)
{
    RgShapeDef def = shape_sized(type, x, y, z);
    OracleShape *s = oracle_create(&def, NULL);
    cr_assert(s != NULL);
    return s;
}

static void put(OracleShape *s, double x, double y, double z)
{
    RgPose X = place_at(x, y, z);
    oracle_move(s, &X);
}

/* The search that is meant for curved shapes, on shapes of any kind. */
static double searched(const OracleShape *a, const OracleShape *b, RgVec3 start)
{
    return (double)(oracle_search(a, b, lv_unit(lv_of(start))) - a->ball - b->ball);
}

Test(convex_oracle, boxes_along_the_axes)
{
    OracleShape *a = shape_of(RG_SHAPE_box, 2.0, 2.0, 2.0), *b = shape_of(RG_SHAPE_box, 1.0, 1.0, 1.0);
    put(b, 2.0, 0.25, 0.125); /* face to face */
    CHECK_NEAR(oracle_distance(a, b), 0.5, 1e-15, "m");
    put(b, 2.5, 3.5, 0.0); /* edge to edge: 1 and 2 */
    CHECK_NEAR(oracle_distance(a, b), sqrt(5.0), 1e-15, "m");
    put(b, 2.5, 3.5, 3.5); /* corner to corner: 1, 2 and 2 */
    CHECK_NEAR(oracle_distance(a, b), 3.0, 1e-15, "m");
    put(b, 1.25, 0.0, 0.0); /* overlap by 0.25 */
    CHECK_NEAR(oracle_distance(a, b), -0.25, 1e-15, "m");
    put(b, 0.0, 0.0, 0.0);
    CHECK_NEAR(oracle_distance(a, b), -1.5, 1e-15, "m");
    oracle_destroy(a);
    oracle_destroy(b);
}

Test(convex_oracle, points_and_segments)
{
    OracleShape *a = shape_of(RG_SHAPE_sphere, 0.5, 0.0, 0.0), *b = shape_of(RG_SHAPE_capsule, 0.25, 2.0, 0.0);
    put(a, 1.0, 0.0, 0.5);
    CHECK_NEAR(oracle_distance(a, b), 0.25, 1e-15, "m");
    put(a, 0.0, 0.0, 0.5); /* centre on the axis */
    CHECK_NEAR(oracle_distance(a, b), -0.75, 1e-15, "m");
    put(a, 3.0, 0.0, 5.0);
    CHECK_NEAR(oracle_distance(a, b), 5.0 - 0.75, 1e-15, "m");
    OracleShape *c = shape_of(RG_SHAPE_capsule, 0.25, 2.0, 0.0);
    put(c, 0.0, 0.0, 1.0); /* axes on one line, overlapping */
    CHECK_NEAR(oracle_distance(b, c), -0.5, 1e-15, "m");
    oracle_destroy(a);
    oracle_destroy(b);
    oracle_destroy(c);
}

/* An ellipsoid with equal axes is a sphere, a sphere in a cylinder is nearest to its side or cap. */
Test(convex_oracle, curved_closed_forms)
{
    Draw d = draw_seed(3);
    for (int k = 0; k < 200; k++) {
        double r = draw_between(&d, 0.1, 1.0), R = draw_between(&d, 0.1, 1.0);
        OracleShape *a = shape_of(RG_SHAPE_ellipsoid, r, r, r), *b = shape_of(RG_SHAPE_ellipsoid, R, R, R);
        RgPose X = draw_pose(&d, 0.05), Y = draw_pose(&d, 0.05);
        oracle_move(a, &X);
        oracle_move(b, &Y);
        CHECK_NEAR(searched(a, b, vec(1.0, 0.0, 0.0)), vec_distance(X.p, Y.p) - r - R, 1e-14, "m");

        OracleShape *c = shape_of(RG_SHAPE_cylinder, R, 1.0, 0.0), *s = shape_of(RG_SHAPE_sphere, r, 0.0, 0.0);
        put(s, X.p.x, X.p.y, X.p.z);
        double side = R - hypot(X.p.x, X.p.y), cap = 0.5 - fabs(X.p.z);
        CHECK_NEAR(searched(c, s, vec(0.6, 0.0, 0.8)), -fmin(side, cap) - r, 1e-12, "m");
        oracle_destroy(a);
        oracle_destroy(b);
        oracle_destroy(c);
        oracle_destroy(s);
    }
}

/* On polytopes, boxes and capsules that overlap the search must find what all directions give. */
Test(convex_oracle, search_finds_the_best_direction)
{
    static const RgShapeType kinds[] = {RG_SHAPE_box, RG_SHAPE_polytope, RG_SHAPE_capsule};
    Draw d = draw_seed(5);
    double worst = 0.0;
    int overlaps = 0;
    for (int k = 0; k < 300; k++) {
        MadeShape a = made_shape_draw(&d, kinds[k % 3]), b = made_shape_draw(&d, kinds[k / 3 % 3]);
        for (int i = 0; i < 4; i++) {
            MadePair p = made_pair_draw(&d, &a, &b);
            double exact = oracle_distance(a.oracle, b.oracle);
            if (exact > -(double)(a.oracle->ball + b.oracle->ball))
                continue;
            overlaps++;
            worst = fmax(worst, fabs(exact - searched(a.oracle, b.oracle, draw_direction(&d))) / p.size);
        }
        made_shape_release(&a);
        made_shape_release(&b);
    }
    cr_expect(overlaps > 200, "%d overlaps", overlaps);
    cr_expect(worst <= 1e-15, "search misses %.3g of the size", worst);
}

/* Pairs are built with their gap; where the shapes are apart it is the distance. */
Test(convex_oracle, built_gaps_are_the_distance)
{
    Draw d = draw_seed(9);
    double worst = 0.0;
    for (int k = 0; k < 600; k++) {
        MadeShape a = made_shape_draw(&d, pair_kinds[k % 7]), b = made_shape_draw(&d, pair_kinds[k / 7 % 7]);
        for (int i = 0; i < 4; i++) {
            if (a.def.type == RG_SHAPE_halfspace && b.def.type == RG_SHAPE_halfspace)
                continue;
            MadePair p = made_pair_draw(&d, &a, &b);
            if (p.gap > 0.0 && p.mode <= PAIR_ALIGNED && oracle_is_exact(a.oracle, b.oracle))
                worst = fmax(worst, fabs(oracle_distance(a.oracle, b.oracle) - p.gap) / p.size);
        }
        made_shape_release(&a);
        made_shape_release(&b);
    }
    cr_expect(worst <= 1e-13, "off by %.3g of the size", worst);
}
