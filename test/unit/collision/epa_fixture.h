/* epa_fixture.h - overlapping shapes of all bounded kinds, and an answer to begin with. */
#ifndef TEST_COLLISION_EPA_FIXTURE_H
#define TEST_COLLISION_EPA_FIXTURE_H

#include "brute_force.h"

#include "collision/epa.h"

static inline void test_curved(TestShape *t, RgShapeType type, double x, double y, double z)
{
    *t = (TestShape){.shape = {.type = type, .size = {x, y, z}}};
}

/* Sphere, box, capsule, cylinder or ellipsoid, sizes of about 1, or of 1 and 1/2, or a thousandth one way. */
static inline void test_solid_draw(TestShape *t, Draw *d, int kind)
{
    double l[3];
    bool even = draw_chance(d, 0.3);
    for (int i = 0; i < 3; i++)
        l[i] = even ? 0.5 * (1 + draw_below(d, 2)) : draw_chance(d, 0.1) ? 1e-3 : draw_between(d, 0.2, 1.0);
    if (kind == 0)
        test_sphere(t, l[0]);
    else if (kind == 1)
        test_box(t, l[0], l[1], l[2]);
    else if (kind == 2)
        test_capsule(t, 0.5 * l[0], l[1]);
    else
        test_curved(t, kind == 3 ? RG_SHAPE_cylinder : RG_SHAPE_ellipsoid, l[0], l[1], l[2]);
}

/* B near A's centre: exactly there, a little off, or by half a size; turned by eighths, or anyhow. */
static inline RgPose test_nested_draw(Draw *d)
{
    RgPose X = draw_pose(d, 0.3);
    if (draw_chance(d, 0.5))
        X.p = vec_scale(draw_chance(d, 0.5) ? 0.0 : pow(10.0, draw_between(d, -9.0, -1.0)), draw_direction(d));
    if (draw_chance(d, 0.5))
        X.R = mat_mul(mat_turn(vec(0, 0, 1), 0.25 * TEST_PI * draw_below(d, 8)),
                      mat_turn(vec(1, 0, 0), 0.25 * TEST_PI * draw_below(d, 8)));
    return X;
}

/* What is known along one normal. */
static inline RgEpa test_answer(RgDifference *d, RgVec3 n)
{
    RgEpa e = {.point = {rg_difference_support(d, n)}, .weight = {1.0}, .count = 1, .normal = n};
    e.upper = -v3_dot(n, e.point[0].w);
    return e;
}

#endif
