/*
 * test_pair_cases.c - closed forms where the answer is known: shapes upon each other, along each other,
 * without size.
 */
#include "check_near.h"
#include "pair_fixture.h"

#include "collision/pair_table.h"

#include <criterion/criterion.h>

/* The answer of a pair, and what every answer must be: finite, a unit normal, its two points in line. */
static RgDistance ask(RgPairDistance *closed, PairShape *a, PairShape *b, RgPose X_AB)
{
    RgConvexPair pair = {&a->shape, &b->shape, X_AB};
    RgDistance out;
    cr_expect_eq(closed(&pair, NULL, &out), RG_OK);
    cr_expect(isfinite(out.distance) && v3_finite(out.point_a) && v3_finite(out.point_b));
    CHECK_NEAR(v3_norm(out.normal), 1.0, 4e-16, "");
    RgVec3 b_line = v3_axpy(out.distance, out.normal, out.point_a);
    CHECK_NEAR(v3_norm(v3_sub(b_line, out.point_b)), 0.0, 1e-15 * (1.0 + v3_norm(X_AB.p)), "m");
    return out;
}

#define CHECK_VECTOR(a, X, Y, Z) CHECK_NEAR(v3_norm(v3_sub((a), v3((X), (Y), (Z)))), 0.0, 1e-15, "")
#define CHECK_FEATURE(f, K, I)                                                                                         \
    cr_expect((f).kind == RG_FEATURE_##K && (f).index == (I), "kind %d, index %d", (int)(f).kind, (int)(f).index)

/* Half a turn, a quarter turn about x: exact. */
static RgMat3 quarter_x(void)
{
    return (RgMat3){{{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}, {0.0, 1.0, 0.0}}};
}

Test(pair_cases, spheres)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_sphere, 1.0, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_sphere, 0.5, 0.0, 0.0);
    RgDistance out = ask(rg_pair_sphere_sphere, &a, &b, pose_at(v3(3.0, 0.0, 4.0)));
    CHECK_NEAR(out.distance, 3.5, 0.0, "m");
    CHECK_VECTOR(out.point_a, 0.6, 0.0, 0.8);
    CHECK_VECTOR(out.point_b, 2.7, 0.0, 3.6);
    out = ask(rg_pair_sphere_sphere, &a, &b, pose_identity()); /* one centre */
    CHECK_NEAR(out.distance, -1.5, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 0.0, 1.0);
    out = ask(rg_pair_sphere_sphere, &a, &b, pose_at(v3(0.0, -1e-200, 0.0))); /* nearly */
    CHECK_VECTOR(out.normal, 0.0, -1.0, 0.0);
    pair_shape_make(&a, RG_SHAPE_sphere, 0.0, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_sphere, 0.0, 0.0, 0.0);
    out = ask(rg_pair_sphere_sphere, &a, &b, pose_identity()); /* two points at one place */
    CHECK_NEAR(out.distance, 0.0, 0.0, "m");
}

/* The sphere stands before each corner, edge and face: the feature's number names it in the box's core. */
Test(pair_cases, box_features_are_those_of_its_core)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_sphere, 0.25, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_box, 1.0, 2.0, 3.0);
    for (int k = 0; k < 27; k++) {
        double x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1;
        RgVec3 place = v3(0.5 * x, y, 1.5 * z); /* middle of the feature */
        if (k == 13)
            continue;
        RgDistance out = ask(rg_pair_sphere_box, &a, &b, pose_at(v3(-2.0 * x, -2.0 * y, -2.0 * z)));
        const RgPolytope *core = b.shape.core;
        RgVec3 middle = v3_zero();
        if (out.feature_b.kind == RG_FEATURE_VERTEX)
            middle = core->vertex[out.feature_b.index];
        else if (out.feature_b.kind == RG_FEATURE_EDGE)
            middle = v3_scale(0.5, v3_add(core->vertex[core->edge[2 * out.feature_b.index]],
                                          core->vertex[core->edge[2 * out.feature_b.index + 1]]));
        else
            middle = v3_scale(core->offset[out.feature_b.index], core->normal[out.feature_b.index]);
        CHECK_VECTOR(middle, place.x, place.y, place.z);
        CHECK_FEATURE(out.feature_a, VERTEX, 0);
    }
}

/* Centre inside: out through the nearest face, of equals the first. */
Test(pair_cases, sphere_centre_inside_a_box)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_sphere, 0.25, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_box, 2.0, 2.0, 2.0);
    RgDistance out = ask(rg_pair_sphere_box, &a, &b, pose_identity());
    CHECK_NEAR(out.distance, -1.25, 0.0, "m");
    CHECK_VECTOR(out.normal, -1.0, 0.0, 0.0);
    CHECK_FEATURE(out.feature_b, FACE, 1);
    out = ask(rg_pair_sphere_box, &a, &b, pose_at(v3(0.0, 0.5, 0.25))); /* centre at (0, -1/2, -1/4) */
    CHECK_NEAR(out.distance, -0.75, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 1.0, 0.0);
    CHECK_VECTOR(out.point_b, 0.0, -0.5, 0.0);
    out = ask(rg_pair_sphere_box, &a, &b, pose_at(v3(1.0, 1.0, 1.0))); /* on a corner */
    CHECK_NEAR(out.distance, -0.25, 0.0, "m");
    pair_shape_make(&b, RG_SHAPE_box, 2.0, 0.0, 2.0); /* a plate, the centre in it */
    out = ask(rg_pair_sphere_box, &a, &b, pose_at(v3(0.5, 0.0, 0.5)));
    CHECK_NEAR(out.distance, -0.25, 0.0, "m");
    CHECK_NEAR(fabs(out.normal.y), 1.0, 0.0, "");
    pair_shape_make(&b, RG_SHAPE_box, 0.0, 0.0, 0.0); /* a point */
    out = ask(rg_pair_sphere_box, &a, &b, pose_identity());
    CHECK_NEAR(out.distance, -0.25, 0.0, "m");
}

Test(pair_cases, sphere_and_capsule)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_sphere, 0.25, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_capsule, 0.5, 2.0, 0.0);
    RgDistance out = ask(rg_pair_sphere_capsule, &a, &b, pose_at(v3(0.0, 0.0, 0.5))); /* on the axis */
    CHECK_NEAR(out.distance, -0.75, 0.0, "m");
    CHECK_NEAR(out.normal.z, 0.0, 0.0, "");
    CHECK_FEATURE(out.feature_b, EDGE, 0);
    out = ask(rg_pair_sphere_capsule, &a, &b, pose_at(v3(0.0, 0.0, 1.0))); /* on its lower end */
    CHECK_NEAR(out.distance, -0.75, 0.0, "m");
    CHECK_FEATURE(out.feature_b, VERTEX, 0);
    out = ask(rg_pair_sphere_capsule, &a, &b, pose_at(v3(0.0, 0.0, -3.0))); /* above its upper end */
    CHECK_NEAR(out.distance, 1.25, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 0.0, -1.0);
    CHECK_FEATURE(out.feature_b, VERTEX, 1);
}

Test(pair_cases, sphere_and_cylinder)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_sphere, 0.25, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_cylinder, 1.0, 2.0, 0.0);
    RgDistance out = ask(rg_pair_sphere_cylinder, &a, &b, pose_identity()); /* as near to the side as to the caps */
    CHECK_NEAR(out.distance, -1.25, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 0.0, -1.0);
    CHECK_FEATURE(out.feature_b, FACE, 0);
    out = ask(rg_pair_sphere_cylinder, &a, &b, pose_at(v3(-0.75, 0.0, 0.0)));
    CHECK_NEAR(out.distance, -0.5, 0.0, "m");
    CHECK_VECTOR(out.normal, -1.0, 0.0, 0.0);
    CHECK_FEATURE(out.feature_b, FACE, 2);
    out = ask(rg_pair_sphere_cylinder, &a, &b, pose_at(v3(-4.0, 0.0, 5.0))); /* by the lower rim: 3, 4, 5 */
    CHECK_NEAR(out.distance, 4.75, 0.0, "m");
    CHECK_VECTOR(out.normal, -0.6, 0.0, 0.8);
    CHECK_FEATURE(out.feature_b, EDGE, 1);
    pair_shape_make(&b, RG_SHAPE_cylinder, 0.0, 2.0, 0.0); /* a segment, the centre on it */
    out = ask(rg_pair_sphere_cylinder, &a, &b, pose_identity());
    CHECK_NEAR(out.distance, -0.25, 0.0, "m");
    CHECK_NEAR(out.normal.z, 0.0, 0.0, "");
    pair_shape_make(&b, RG_SHAPE_cylinder, 1.0, 0.0, 0.0); /* a disc, the centre in it */
    out = ask(rg_pair_sphere_cylinder, &a, &b, pose_at(v3(0.5, 0.0, 0.0)));
    CHECK_NEAR(out.distance, -0.25, 0.0, "m");
    CHECK_NEAR(fabs(out.normal.z), 1.0, 0.0, "");
}

/* Crossing: across both. Along each other or in one line: across the axis. */
Test(pair_cases, capsules_that_meet)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_capsule, 0.25, 2.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_capsule, 0.5, 2.0, 0.0);
    RgDistance out = ask(rg_pair_capsule_capsule, &a, &b, (RgPose){quarter_x(), {0.0, 0.0, 0.5}});
    CHECK_NEAR(out.distance, -0.75, 0.0, "m");
    CHECK_NEAR(fabs(out.normal.x), 1.0, 0.0, "");
    CHECK_NEAR(out.point_a.z, 0.5, 0.0, "m");
    CHECK_FEATURE(out.feature_a, EDGE, 0);
    CHECK_FEATURE(out.feature_b, EDGE, 0);
    out = ask(rg_pair_capsule_capsule, &a, &b, (RgPose){quarter_x(), {3.0, 0.0, 0.5}}); /* crossing, apart */
    CHECK_NEAR(out.distance, 2.25, 0.0, "m");
    CHECK_VECTOR(out.normal, 1.0, 0.0, 0.0);
    out = ask(rg_pair_capsule_capsule, &a, &b, pose_at(v3(0.0, 2.0, 0.5))); /* parallel */
    CHECK_NEAR(out.distance, 1.25, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 1.0, 0.0);
    out = ask(rg_pair_capsule_capsule, &a, &b, pose_at(v3(0.0, 0.0, 0.5))); /* in one line, overlapping */
    CHECK_NEAR(out.distance, -0.75, 0.0, "m");
    CHECK_NEAR(out.normal.z, 0.0, 0.0, "");
    out = ask(rg_pair_capsule_capsule, &a, &b, pose_identity()); /* the same place */
    CHECK_NEAR(out.distance, -0.75, 0.0, "m");
    out = ask(rg_pair_capsule_capsule, &a, &b, pose_at(v3(0.0, 0.0, 2.0))); /* in one line, end on end */
    CHECK_NEAR(out.distance, -0.75, 0.0, "m");
    out = ask(rg_pair_capsule_capsule, &a, &b, pose_at(v3(0.0, 0.0, -4.0))); /* in one line, apart */
    CHECK_NEAR(out.distance, 1.25, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 0.0, -1.0);
    CHECK_FEATURE(out.feature_a, VERTEX, 0);
    CHECK_FEATURE(out.feature_b, VERTEX, 1);
    pair_shape_make(&a, RG_SHAPE_capsule, 0.0, 0.0, 0.0); /* two points at one place */
    pair_shape_make(&b, RG_SHAPE_capsule, 0.0, 0.0, 0.0);
    out = ask(rg_pair_capsule_capsule, &a, &b, pose_identity());
    CHECK_NEAR(out.distance, 0.0, 0.0, "m");
}

Test(pair_cases, box_and_capsule)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_box, 2.0, 2.0, 2.0);
    pair_shape_make(&b, RG_SHAPE_capsule, 0.25, 4.0, 0.0);
    RgDistance out = ask(rg_pair_box_capsule, &a, &b, pose_at(v3(2.0, 0.0, 0.5))); /* along a face: the middle */
    CHECK_NEAR(out.distance, 0.75, 0.0, "m");
    CHECK_VECTOR(out.normal, 1.0, 0.0, 0.0);
    CHECK_VECTOR(out.point_a, 1.0, 0.0, 0.0);
    CHECK_FEATURE(out.feature_a, FACE, 1);
    CHECK_FEATURE(out.feature_b, EDGE, 0);
    out = ask(rg_pair_box_capsule, &a, &b, pose_at(v3(4.0, -5.0, 0.5))); /* along an edge: 3, 4, 5 */
    CHECK_NEAR(out.distance, 4.75, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.6, -0.8, 0.0);
    CHECK_FEATURE(out.feature_a, EDGE, 9);
    out = ask(rg_pair_box_capsule, &a, &b, (RgPose){quarter_x(), {4.0, 0.0, 5.0}}); /* across an edge */
    CHECK_NEAR(out.distance, 4.75, 1e-15, "m");
    CHECK_VECTOR(out.normal, 0.6, 0.0, 0.8);
    out = ask(rg_pair_box_capsule, &a, &b, pose_identity()); /* right through it */
    CHECK_NEAR(out.distance, -1.25, 0.0, "m");
    CHECK_VECTOR(out.normal, 1.0, 0.0, 0.0);
    out = ask(rg_pair_box_capsule, &a, &b, pose_at(v3(-0.5, 0.75, 2.0))); /* one end in it */
    CHECK_NEAR(out.distance, -0.5, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 1.0, 0.0);
    CHECK_FEATURE(out.feature_a, FACE, 3);
    out = ask(rg_pair_box_capsule, &a, &b, pose_at(v3(0.0, 0.0, 2.875))); /* one end in it, out along the axis */
    CHECK_NEAR(out.distance, -0.375, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 0.0, 1.0);
    CHECK_FEATURE(out.feature_b, VERTEX, 0);
}

/* Equal half axes: a sphere. Two equal: the same all round. */
Test(pair_cases, round_ellipsoids)
{
    PairShape a, b;
    Draw d = draw_seed(1);
    pair_shape_make(&a, RG_SHAPE_sphere, 0.25, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_ellipsoid, 0.7, 0.7, 0.7);
    for (int k = 0; k < 1000; k++) {
        RgVec3 u = draw_direction(&d), p = v3_scale(pow(10.0, draw_between(&d, -8.0, 1.0)), u);
        RgDistance out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(p));
        CHECK_NEAR(out.distance, v3_norm(p) - 0.95, 1e-15 * (1.0 + v3_norm(p)), "m");
    }
    RgDistance out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_identity());
    CHECK_NEAR(out.distance, -0.95, 1e-15, "m");
    pair_shape_make(&b, RG_SHAPE_ellipsoid, 1.0, 1.0, 0.001); /* flat, 1 : 1000 */
    for (int k = 0; k < 1000; k++) {
        double x = draw_between(&d, 0.0, 1.2), z = draw_between(&d, -0.002, 0.002);
        double angle = draw_between(&d, 0.0, 6.0);
        RgDistance one = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(x, 0.0, z)));
        out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(x * cos(angle), x * sin(angle), z)));
        CHECK_NEAR(out.distance, one.distance, 2e-15, "m");
        cr_expect_leq(out.iterations, 60);
    }
}

/* On the axes and planes of symmetry, inside and out. */
Test(pair_cases, ellipsoid_on_its_axes)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_sphere, 0.0, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_ellipsoid, 2.0, 1.0, 0.5);
    RgDistance out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_identity()); /* the centre: out along the shortest */
    CHECK_NEAR(out.distance, -0.5, 0.0, "m");
    CHECK_NEAR(fabs(out.normal.z), 1.0, 0.0, "");
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(-3.0, 0.0, 0.0)));
    CHECK_NEAR(out.distance, 1.0, 0.0, "m");
    CHECK_VECTOR(out.normal, -1.0, 0.0, 0.0);
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(0.0, 0.0, -0.25)));
    CHECK_NEAR(out.distance, -0.25, 0.0, "m");

    /* On the long axis between the centres of curvature of its ends: with c = 1 - (0.5/2)^2, the nearest
       point is at x / c along the axis, and the distance is 0.5 sqrt(1 - x^2 / (4 c)). */
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(-1.0, 0.0, 0.0)));
    CHECK_NEAR(out.distance, -0.5 * sqrt(1.0 - 1.0 / (4.0 - 0.25)), 1e-15, "m");
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(-1.95, 0.0, 0.0))); /* beyond: straight on */
    CHECK_NEAR(out.distance, -0.05, 1e-15, "m");
}

/* No half axis, one or two of them zero: a point, a segment, a disc. */
Test(pair_cases, flat_ellipsoids)
{
    PairShape a, b;
    pair_shape_make(&a, RG_SHAPE_sphere, 0.125, 0.0, 0.0);
    pair_shape_make(&b, RG_SHAPE_ellipsoid, 1.0, 0.0, 1.0);
    RgDistance out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(-0.5, -2.0, 0.0))); /* above the disc */
    CHECK_NEAR(out.distance, 1.875, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, -1.0, 0.0);
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(4.0, 4.0, 0.0))); /* beside it: 3, 4, 5 */
    CHECK_NEAR(out.distance, 4.875, 1e-15, "m");
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(0.5, 0.0, 0.5))); /* in it */
    CHECK_NEAR(out.distance, -0.125, 0.0, "m");
    pair_shape_make(&b, RG_SHAPE_ellipsoid, 0.0, 0.0, 1.0);
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(3.0, 4.0, 0.5)));
    CHECK_NEAR(out.distance, 4.875, 1e-15, "m");
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(3.0, 0.0, 5.0)));
    CHECK_NEAR(out.distance, 4.875, 1e-15, "m");
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_identity());
    CHECK_NEAR(out.distance, -0.125, 0.0, "m");
    pair_shape_make(&b, RG_SHAPE_ellipsoid, 0.0, 0.0, 0.0);
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(v3(0.0, -3.0, 4.0)));
    CHECK_NEAR(out.distance, 4.875, 1e-15, "m");
    out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_identity());
    CHECK_NEAR(out.distance, -0.125, 0.0, "m");
}

/* Where the root of the secular equation has its worst start: next to the middle plane, at the edge of the
   points whose nearest point leaves it. */
Test(pair_cases, ellipsoid_steps_are_few)
{
    PairShape a, b;
    Draw d = draw_seed(2);
    int32_t most = 0;
    pair_shape_make(&a, RG_SHAPE_sphere, 0.0, 0.0, 0.0);
    for (int k = 0; k < 100000; k++) {
        double flat = pow(10.0, draw_between(&d, -6.0, 0.0)), y = draw_between(&d, 0.1, 1.0);
        pair_shape_make(&b, RG_SHAPE_ellipsoid, 1.0, y, flat * y);
        double angle = draw_between(&d, 0.0, 1.6), near = 1.0 - pow(10.0, draw_between(&d, -16.0, 0.0));
        RgVec3 p = v3(near * (1.0 - flat * y * flat * y) * cos(angle), near * y * (1.0 - flat * flat) * sin(angle),
                      pow(10.0, draw_between(&d, -300.0, 0.0)));
        RgDistance out = ask(rg_pair_sphere_ellipsoid, &a, &b, pose_at(p));
        most = out.iterations > most ? out.iterations : most;
    }
    cr_expect_leq(most, 60, "%d steps", (int)most);
    cr_expect_geq(most, 10, "%d steps: not the worst", (int)most);
}

/* What lies along the plane is the feature; the witness is one of its corners. */
Test(pair_cases, halfspace_sees_what_lies_along_it)
{
    PairShape a, b;
    pair_shape_make(&b, RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    pair_shape_make(&a, RG_SHAPE_box, 1.0, 2.0, 3.0);
    RgDistance out = ask(rg_pair_any_halfspace, &a, &b, pose_at(v3(5.0, 6.0, -2.0)));
    CHECK_NEAR(out.distance, 0.5, 0.0, "m");
    CHECK_VECTOR(out.normal, 0.0, 0.0, -1.0);
    CHECK_FEATURE(out.feature_a, FACE, 4);
    CHECK_NEAR(out.point_a.z, -1.5, 0.0, "m");
    out = ask(rg_pair_any_halfspace, &a, &b, (RgPose){quarter_x(), {0.0, 1.5, 0.0}}); /* its normal is -y */
    CHECK_NEAR(out.distance, 0.5, 0.0, "m");
    CHECK_FEATURE(out.feature_a, FACE, 3);
    RgMat3 tilt = q_matrix(q_exp(v3(0.5, 0.0, 0.0)));
    out = ask(rg_pair_any_halfspace, &a, &b, (RgPose){tilt, {0.0, 0.0, 0.0}});
    CHECK_FEATURE(out.feature_a, EDGE, 1); /* along x, at +y, -z */
    pair_shape_make(&a, RG_SHAPE_capsule, 0.25, 2.0, 0.0);
    out = ask(rg_pair_any_halfspace, &a, &b, (RgPose){quarter_x(), {0.0, 1.0, 0.0}});
    CHECK_NEAR(out.distance, 0.75, 0.0, "m");
    CHECK_FEATURE(out.feature_a, EDGE, 0);
    pair_shape_make(&a, RG_SHAPE_cylinder, 0.5, 2.0, 0.0);
    out = ask(rg_pair_any_halfspace, &a, &b, pose_at(v3(0.0, 0.0, -1.0)));
    CHECK_NEAR(out.distance, 0.0, 0.0, "m");
    CHECK_FEATURE(out.feature_a, FACE, 1);
    out = ask(rg_pair_any_halfspace, &a, &b, (RgPose){quarter_x(), {0.0, 0.0, 0.0}});
    CHECK_NEAR(out.distance, -0.5, 0.0, "m");
    CHECK_FEATURE(out.feature_a, FACE, 2);
    pair_shape_make(&a, RG_SHAPE_ellipsoid, 1.0, 2.0, 3.0);
    out = ask(rg_pair_any_halfspace, &a, &b, pose_at(v3(0.0, 0.0, 1.0)));
    CHECK_NEAR(out.distance, -4.0, 0.0, "m");
}

/* Both orders of the arguments: the same distance and points, the normal turned round. */
Test(pair_cases, swapped_arguments)
{
    Draw d = draw_seed(3);
    for (int k = 0; k < 1000; k++) {
        PairShape a, b;
        RgDistance one, two;
        pair_shape_draw(&d, RG_SHAPE_sphere, &a);
        pair_shape_draw(&d, RG_SHAPE_cylinder, &b);
        RgConvexPair pair = {&a.shape, &b.shape, draw_exact_pose(&d, 1.0)}, turned = rg_pair_swap(&pair);
        rg_convex_distance(&pair, NULL, &one);
        rg_convex_distance(&turned, NULL, &two);
        rg_distance_swap(&pair.X_AB, &two);
        CHECK_NEAR(two.distance, one.distance, 2e-15, "m");
        CHECK_NEAR(v3_norm(v3_sub(two.normal, one.normal)), 0.0, 1e-12, "");
        CHECK_NEAR(v3_norm(v3_sub(two.point_a, one.point_a)), 0.0, 1e-12, "m");
        cr_expect(one.feature_b.kind == two.feature_b.kind && one.feature_b.index == two.feature_b.index);
    }
}
