/* test_placed_bounds.c - boxes of placed geometries against closed forms and against all their points. */
#include "math/pose.h"
#include "space_fixture.h"

/* For geometries of about 1 m at places of about 1 m: the widening for round-off, 2^-49 of the sum of all
   lengths, and the round-off of the closed forms. */
#define EXACT 1e-14

/* Half the width of the shape along a world axis whose row of the rotation is given, by the textbook. */
static double sphere_half(const double *size, const double *row)
{
    (void)row;
    return size[0];
}

static double box_half(const double *size, const double *row)
{
    double widest = 0.0;
    for (int i = 0; i < 8; i++)
        widest = fmax(widest, 0.5 * ((i & 1 ? size[0] : -size[0]) * row[0] + (i & 2 ? size[1] : -size[1]) * row[1] +
                                     (i & 4 ? size[2] : -size[2]) * row[2]));
    return widest;
}

static double capsule_half(const double *size, const double *row)
{
    return fabs(0.5 * size[1] * row[2]) + size[0];
}

static double cylinder_half(const double *size, const double *row)
{
    return fabs(0.5 * size[1] * row[2]) + size[0] * sqrt(row[0] * row[0] + row[1] * row[1]);
}

static double ellipsoid_half(const double *size, const double *row)
{
    double x = size[0] * row[0], y = size[1] * row[1], z = size[2] * row[2];
    return sqrt(x * x + y * y + z * z);
}

Test(placed_bounds, round_and_square_shapes_by_the_textbook)
{
    double (*const half[])(const double *, const double *) = {sphere_half, box_half, capsule_half, cylinder_half,
                                                              ellipsoid_half};
    Fixture *f = fixture_create();
    Draw d = draw_seed(1);
    for (int k = FIX_SPHERE; k <= FIX_ELLIPSOID; k++) {
        RgShapeDef def = fixture_def(f, (FixtureKind)k);
        RgPlacedBounds p = rg_placed_bounds_prepare(f->geometry[k]);
        for (int i = 0; i < 2000; i++) {
            RgPose X = draw_pose(&d, i % 2 == 0 ? 1.0 : 1e4);
            double scale = i % 2 == 0 ? 1.0 : 1e4;
            RgBounds box;
            cr_assert(rg_placed_bounds(&p, &X, &box));
            for (int axis = 0; axis < 3; axis++) {
                double expected = half[k](def.size, X.R.m[axis]), at = v3_at(X.p, axis);
                CHECK_NEAR(v3_at(box.high, axis), at + expected, EXACT * scale, "m");
                CHECK_NEAR(v3_at(box.low, axis), at - expected, EXACT * scale, "m");
            }
        }
    }
    fixture_destroy(f);
}

/* Polytopes: the farthest of the points. Meshes: all points inside, and no larger than the ball. Height
   fields reach down to the bottom of their solid. */
static void check_points(const Fixture *f, int k, const double *points, int count)
{
    Draw d = draw_seed((uint64_t)k);
    RgPlacedBounds p = rg_placed_bounds_prepare(f->geometry[k]);
    bool exact = k == FIX_FEW || k == FIX_MANY;
    for (int i = 0; i < 1000; i++) {
        RgPose X = draw_pose(&d, 2.0);
        RgVec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
        for (int j = 0; j < count; j++) {
            RgVec3 x = pose_apply(X, v3(points[3 * j], points[3 * j + 1], points[3 * j + 2]));
            low = v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
            high = v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
        }
        RgBounds box;
        cr_assert(rg_placed_bounds(&p, &X, &box));
        for (int axis = 0; axis < 3; axis++) {
            double before = v3_at(low, axis) - v3_at(box.low, axis);
            double after = v3_at(box.high, axis) - v3_at(high, axis);
            double wide = v3_at(box.high, axis) - v3_at(box.low, axis);
            cr_assert(before >= 0.0 && after >= 0.0, "kind %d: a point is outside by %g", k, fmin(before, after));
            cr_assert(!exact || fmax(before, after) <= EXACT, "kind %d: %g %g", k, before, after);
            cr_assert(k == FIX_FIELD || wide <= 2.0 * f->geometry[k]->radius + EXACT);
        }
    }
}

Test(placed_bounds, all_points_are_inside)
{
    Fixture *f = fixture_create();
    double field[36], low = INFINITY;
    for (int i = 0; i < 6; i++)
        low = fmin(low, fixture_heights[i]);
    for (int i = 0; i < 12; i++) {
        field[3 * i] = 1.2 * (i % 3 / 2.0 - 0.5);
        field[3 * i + 1] = 0.8 * (i / 3 % 2 - 0.5);
        field[3 * i + 2] = i < 6 ? fixture_heights[i] : low - 1.2; /* as deep as it is wide */
    }
    check_points(f, FIX_FEW, f->points, FIX_FEW_POINTS);
    check_points(f, FIX_MANY, f->points, FIX_MANY_POINTS);
    check_points(f, FIX_PARTS, fixture_vertices, 8);
    check_points(f, FIX_SURFACE, fixture_vertices, 8);
    check_points(f, FIX_FIELD, field, 12);
    fixture_destroy(f);
}

/* At the identity the box is that of the geometry itself, and of what lies under a height field. */
Test(placed_bounds, unturned_box_is_the_geometrys_own)
{
    Fixture *f = fixture_create();
    RgPose X = pose_identity();
    for (int k = 0; k < FIX_HALFSPACE; k++) {
        RgPlacedBounds p = rg_placed_bounds_prepare(f->geometry[k]);
        RgBounds box, own = f->geometry[k]->bounds;
        own.low.z -= k == FIX_FIELD ? 1.2 : 0.0;
        cr_assert(rg_placed_bounds(&p, &X, &box));
        for (int axis = 0; axis < 3; axis++) {
            CHECK_NEAR(v3_at(box.low, axis), v3_at(own.low, axis), EXACT, "m");
            CHECK_NEAR(v3_at(box.high, axis), v3_at(own.high, axis), EXACT, "m");
        }
    }
    cr_expect_eq(rg_placed_bounds_prepare(f->geometry[FIX_HALFSPACE]).way, RG_BOUNDS_NONE);
    fixture_destroy(f);
}

/* Any number of the pose that is not finite is noticed, and a place so far that the box overflows. */
Test(placed_bounds, numbers_that_are_not_finite_are_refused)
{
    Fixture *f = fixture_create();
    for (int k = 0; k < FIX_HALFSPACE; k++) {
        RgPlacedBounds p = rg_placed_bounds_prepare(f->geometry[k]);
        RgBounds box;
        for (int i = 0; i < 12; i++)
            for (int bad = 0; bad < 3; bad++) {
                RgPose X = pose_identity();
                double *number = i < 9 ? &X.R.m[i / 3][i % 3] : (&X.p.x) + (i - 9);
                *number = bad == 0 ? NAN : bad == 1 ? INFINITY : -INFINITY;
                cr_expect_not(rg_placed_bounds(&p, &X, &box), "kind %d, number %d", k, i);
                cr_expect_not(pose_finite(X));
            }
        RgPose far = pose_at(v3(0.0, 1.79e308, 0.0));
        far.R.m[1][1] = 1e307;
        cr_expect_not(rg_placed_bounds(&p, &far, &box) && !isfinite(box.high.y));
    }
    fixture_destroy(f);
}
