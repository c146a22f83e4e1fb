/*
 * test_time_of_impact.c - first times in closed form or by bisection in long double, degenerate touches,
 * grazing, parts, surfaces, refusals.
 */
#include "check_near.h"
#include "geometries.h"
#include "pair_maker.h"

#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/* At p, turning about its own origin. */
static RgSweep sweep_at(const RgGeometry *g, RgVec3 p, RgVec3 v, RgVec3 w)
{
    return (RgSweep){g, place_at(p.x, p.y, p.z), p, {w, v}};
}

static RgSweep sweep_turned(const RgGeometry *g, RgVec3 p, RgMat3 R, RgVec3 v)
{
    RgSweep s = sweep_at(g, p, v, vec(0.0, 0.0, 0.0));
    s.X_WG.R = R;
    return s;
}

static RgImpact ask(const RgSweep *a, const RgSweep *b, RgImpactOptions options)
{
    RgImpact r;
    cr_expect_eq(rg_time_of_impact(a, b, &options, &r), RG_OK);
    return r;
}

/* The exact answer to a few units of round-off, the conservative one to its tolerance; both not late. */
static void check_time(const RgSweep *a, const RgSweep *b, double gap, double expected, const char *what)
{
    RgImpactOptions options = rg_impact_options_default();
    options.gap = gap;
    options.horizon = 10.0;
    RgImpact r = ask(a, b, options);
    cr_expect(r.hit, "%s", what);
    cr_expect_leq(r.time, expected * (1.0 + 1e-15), "%s: late by %g s", what, r.time - expected);
    cr_expect_geq(r.latest, expected * (1.0 - 1e-15), "%s: proven %g s before it is there", what, expected - r.latest);
    cr_expect_lt(r.latest - r.time, 1e-12, "%s: %g s wide", what, r.latest - r.time);
    cr_expect_lt(r.iterations, 30, "%s: %d queries", what, r.iterations);
    CHECK_NEAR(r.at.distance, gap, 2e-13, "m"); /* three round-offs of places 20 m away */

    options.method = RG_IMPACT_CONSERVATIVE;
    RgImpact c = ask(a, b, options);
    cr_expect(c.hit && c.time <= expected * (1.0 + 1e-15), "%s: advancement late by %g s", what, c.time - expected);
    cr_expect_lt(c.at.distance, gap + 1e-8, "%s: advancement ends at %g m", what, c.at.distance);
}

static void check_miss(const RgSweep *a, const RgSweep *b, double horizon, const char *what)
{
    RgImpactOptions options = rg_impact_options_default();
    options.horizon = horizon;
    for (int i = 0; i < 2; i++) {
        options.method = i == 0 ? RG_IMPACT_EXACT : RG_IMPACT_CONSERVATIVE;
        RgImpact r = ask(a, b, options);
        cr_expect(!r.hit && r.time == horizon && r.latest == (double)INFINITY, "%s: hit at %g s", what, r.time);
    }
}

/* First root of f in (0, end): scan, then bisection. */
static double first_root(long double (*f)(long double), long double end)
{
    long double low = 0.0L, high = end;
    for (int i = 1; i <= 100000; i++) {
        high = end * i / 100000.0L;
        if (f(high) <= 0.0L)
            break;
        low = high;
    }
    for (int i = 0; i < 120; i++) {
        long double middle = 0.5L * (low + high);
        if (f(middle) > 0.0L)
            low = middle;
        else
            high = middle;
    }
    return (double)high;
}

static const RgVec3 none = {0.0, 0.0, 0.0};

Test(time_of_impact, sphere_falls_on_a_halfspace)
{
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.25, 0.0, 0.0),
               *ground = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgSweep a = sweep_at(ball, vec(0.3, -0.1, 2.0), vec(1.0, 0.5, -0.7), vec(3.0, 2.0, 1.0));
    RgSweep b = sweep_at(ground, none, none, none);
    check_time(&a, &b, 0.0, (2.0 - 0.25) / 0.7, "falls");
    check_time(&a, &b, 0.1, (2.0 - 0.25 - 0.1) / 0.7, "to a gap");
    check_time(&a, &b, -0.1, (2.0 - 0.25 + 0.1) / 0.7, "to a depth");
    b.V.v = vec(5.0, 5.0, 0.3);
    check_time(&b, &a, 0.0, (2.0 - 0.25) / 1.0, "the ground rises");
    a.V.v.z = 0.4;
    check_miss(&a, &b, 10.0, "parts");
    rg_geometry_destroy(ball);
    rg_geometry_destroy(ground);
}

/* |p + v t| = r1 + r2. */
Test(time_of_impact, two_spheres)
{
    RgGeometry *one = make_shape(RG_SHAPE_sphere, 0.5, 0.0, 0.0), *two = make_shape(RG_SHAPE_sphere, 0.25, 0.0, 0.0);
    Draw d = draw_seed(1);
    int hits = 0;
    for (int i = 0; i < 400; i++) {
        RgVec3 p = vec_scale(draw_between(&d, 0.8, 3.0), draw_direction(&d));
        RgVec3 v = vec_add(vec_scale(draw_between(&d, -1.5, 0.5), p), draw_vec(&d, 0.5));
        RgSweep a = sweep_at(one, none, vec(1.0, 2.0, 3.0), vec(3.0, 0.0, 1.0));
        RgSweep b = sweep_at(two, p, vec_add(v, a.V.v), vec(0.0, 7.0, 0.0));
        long double vx = b.V.v.x - (long double)a.V.v.x, vy = b.V.v.y - (long double)a.V.v.y,
                    vz = b.V.v.z - (long double)a.V.v.z;
        long double A = vx * vx + vy * vy + vz * vz, B = p.x * vx + p.y * vy + p.z * vz;
        long double C = (long double)p.x * p.x + (long double)p.y * p.y + (long double)p.z * p.z - 0.75L * 0.75L;
        long double D = B * B - A * C;
        if (D < 1e-2L || B > 0.0L) { /* passes by, or nearly */
            if (D < -1e-2L || B > 0.0L)
                check_miss(&a, &b, 10.0, "passes by");
            continue;
        }
        double t = (double)(C / (sqrtl(D) - B));
        if (t > 9.9)
            continue;
        hits++;
        check_time(&a, &b, 0.0, t, "spheres");
    }
    cr_expect_gt(hits, 100);
    rg_geometry_destroy(one);
    rg_geometry_destroy(two);
}

/* Lowest corner of a box 2 x 1 that falls and turns about y: 3 - 0.4 t - |sin 2t| - |cos 2t| / 2. */
static long double falling_corner(long double t)
{
    return 3.0L - 0.4L * t - fabsl(sinl(2.0L * t)) - 0.5L * fabsl(cosl(2.0L * t));
}

Test(time_of_impact, turning_box_falls_on_a_halfspace)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 2.0, 0.6, 1.0), *ground = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgSweep a = sweep_at(box, vec(0.0, 0.0, 3.0), vec(1.0, 0.0, -0.4), vec(0.0, 2.0, 0.0));
    RgSweep b = sweep_at(ground, none, none, none);
    check_time(&a, &b, 0.0, first_root(falling_corner, 10.0L), "edge on the ground");
    rg_geometry_destroy(box);
    rg_geometry_destroy(ground);
}

/* A ground that tips about y, away from under its own origin: a ball at (x, 0, z) is 4 sin t' ... above it.
   */
static long double tipping(long double t)
{
    return 1.5L * cosl(0.3L * t) - 4.0L * sinl(0.3L * t) - 0.25L;
}

Test(time_of_impact, halfspace_that_turns)
{
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.25, 0.0, 0.0),
               *ground = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgSweep a = sweep_at(ball, vec(-4.0, 2.0, 1.5), none, none);
    RgSweep b = sweep_at(ground, none, none, vec(0.0, 0.3, 0.0));
    check_time(&a, &b, 0.0, first_root(tipping, 10.0L), "ball");
    a.X_WG.p.x = a.centre.x = 4.0;
    check_miss(&a, &b, 2.0, "tips away");

    /* About a centre far from the ball and from its own origin. */
    b.X_WG = place_at(10.0, 5.0, 0.0);
    b.centre = none;
    a.X_WG.p.x = a.centre.x = -4.0;
    check_time(&a, &b, 0.0, first_root(tipping, 10.0L), "another origin");
    rg_geometry_destroy(ball);
    rg_geometry_destroy(ground);
}

/* A rod 4 m long and 0.1 m thick swings by half a turn about one end, past a ball at 3 m. */
Test(time_of_impact, half_turn_past_a_point_is_caught)
{
    RgGeometry *rod = make_shape(RG_SHAPE_box, 4.0, 0.1, 0.1), *point = make_shape(RG_SHAPE_sphere, 0.0, 0.0, 0.0);
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.01, 0.0, 0.0),
               *needle = make_shape(RG_SHAPE_capsule, 0.0, 4.0, 0.0);
    RgSweep a = sweep_at(rod, vec(2.0, 0.0, 0.0), none, vec(0.0, 0.0, PI));
    a.centre = none;
    double angle = 1.3; /* where the ball is */
    RgVec3 at = vec(3.0 * cos(angle), 3.0 * sin(angle), 0.0);
    RgSweep b = sweep_at(ball, at, none, none), c = sweep_at(point, at, none, none);
    check_time(&a, &b, 0.0, (angle - asin(0.06 / 3.0)) / PI, "rod and ball");
    check_time(&a, &c, 0.0, (angle - asin(0.05 / 3.0)) / PI, "rod and point");

    /* A needle without thickness meets the ball too. */
    RgSweep n = sweep_turned(needle, vec(2.0, 0.0, 0.0), mat_turn(vec(0.0, 1.0, 0.0), 0.5 * PI), none);
    n.centre = none;
    n.V.w = vec(0.0, 0.0, PI);
    check_time(&n, &b, 0.0, (angle - asin(0.01 / 3.0)) / PI, "needle and ball");

    /* Beyond the end, and above: missed. */
    b.X_WG.p = b.centre = vec_scale(4.2 / 3.0, at);
    check_miss(&a, &b, 1.0, "beyond the end");
    b.X_WG.p = b.centre = vec_add(at, vec(0.0, 0.0, 0.07));
    check_miss(&a, &b, 1.0, "above");
    rg_geometry_destroy(rod);
    rg_geometry_destroy(point);
    rg_geometry_destroy(ball);
    rg_geometry_destroy(needle);
}

/* 100 turns before anything happens. */
Test(time_of_impact, fast_spin)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 2.0, 2.0, 2.0), *ball = make_shape(RG_SHAPE_sphere, 0.5, 0.0, 0.0);
    RgSweep a = sweep_at(box, none, none, vec(0.0, 0.0, 100.0 * 2.0 * PI));
    RgSweep b = sweep_at(ball, vec(0.0, 0.0, 3.0), vec(0.0, 0.0, -1.0), none);
    RgImpactOptions options = rg_impact_options_default();
    options.horizon = 5.0;
    RgImpact r = ask(&a, &b, options);
    cr_expect(r.hit && r.time <= 1.5 && r.latest >= 1.5, "%.17g ... %.17g", r.time, r.latest);
    cr_expect_lt(r.latest - r.time, 1e-10);
    rg_geometry_destroy(box);
    rg_geometry_destroy(ball);
}

/* Cubes of side 1, the second above the first by 3, falling at 1: how they meet is told by how they are
   turned. */
Test(time_of_impact, degenerate_touches)
{
    RgGeometry *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgVec3 x = vec(1.0, 0.0, 0.0), y = vec(0.0, 1.0, 0.0), z = vec(0.0, 0.0, 1.0), down = vec(0.0, 0.0, -1.0);
    double edge = 0.5 * sqrt(2.0), corner = 0.5 * sqrt(3.0);
    RgMat3 flat = mat_identity(), on_edge = mat_turn(x, 0.25 * PI), on_edge_y = mat_turn(y, 0.25 * PI);

    /* A corner up: about x by 45 degrees, then about y by atan(1/sqrt 2). */
    RgMat3 on_corner = mat_mul(mat_turn(y, -atan(1.0 / sqrt(2.0))), mat_turn(x, 0.25 * PI));
    RgMat3 down_corner = mat_mul(mat_turn(x, PI), on_corner);
    const struct {
        const char *what;
        RgMat3 lower, upper;
        double half_lower, half_upper;
    } cases[] = {{"face on face", flat, flat, 0.5, 0.5},
                 {"face on face, turned", flat, mat_turn(z, 0.3), 0.5, 0.5},
                 {"edge on face", flat, on_edge, 0.5, edge},
                 {"corner on face", flat, on_corner, 0.5, corner},
                 {"edge on edge, crossed", on_edge, on_edge_y, edge, edge},
                 {"edge on edge, parallel", on_edge, on_edge, edge, edge},
                 {"corner on corner", on_corner, down_corner, corner, corner},
                 {"corner on edge", on_edge, on_corner, edge, corner}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        RgSweep a = sweep_turned(cube, none, cases[i].lower, none);
        RgSweep b = sweep_turned(cube, vec(0.0, 0.0, 3.0), cases[i].upper, down);
        double expected = 3.0 - cases[i].half_lower - cases[i].half_upper;
        RgImpactOptions options = rg_impact_options_default();
        options.horizon = 10.0;
        RgImpact r = ask(&a, &b, options);
        cr_expect(r.hit, "%s", cases[i].what);
        cr_expect_leq(r.time, expected + 1e-15, "%s: late by %g s", cases[i].what, r.time - expected);
        cr_expect_lt(r.latest - r.time, 1e-9, "%s: %g s wide", cases[i].what, r.latest - r.time);
        cr_expect_geq(r.latest, expected - 4e-15, "%s", cases[i].what);
        cr_expect_lt(r.iterations, 60, "%s: %d queries", cases[i].what, r.iterations);
    }
    rg_geometry_destroy(cube);
}

/* A ball passes over another ball or over a cube; the least distance on its way is e. */
static void check_grazing(const RgGeometry *ball, const RgGeometry *other, double e)
{
    RgSweep a = sweep_at(other, none, none, none);
    RgSweep b = sweep_at(ball, vec(-3.0, 1.0 + e, 0.0), vec(2.0, 0.0, 0.0), none);
    RgImpactOptions options = rg_impact_options_default();
    options.horizon = 4.0;
    RgImpact r = ask(&a, &b, options);
    cr_expect_lt(r.iterations, 200, "%g: %d queries", e, r.iterations);

    /* Half the way that is within reach: of two balls, and of a ball over the edge of a cube. */
    double half = other == ball ? sqrt(fmax(0.0, -e * (2.0 + e))) : 0.5 + sqrt(fmax(0.0, -e * (1.0 + e)));
    if (e < 0.0)
        cr_expect(r.hit && r.time <= 0.5 * (3.0 - half) + 1e-15, "%g: hit %d at %.17g", e, r.hit, r.time);
    if (e > 1e-13)
        cr_expect(!r.hit, "%g: hit at %.17g", e, r.time);
}

/* Hit where e < 0, missed where e > 0, and nothing endless in between. */
Test(time_of_impact, grazing)
{
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.5, 0.0, 0.0), *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    for (int i = -15; i <= -2; i++)
        for (int sign = -1; sign <= 1; sign++) {
            check_grazing(ball, ball, sign * pow(10.0, i));
            check_grazing(ball, cube, sign * pow(10.0, i));
        }
    rg_geometry_destroy(ball);
    rg_geometry_destroy(cube);
}

/* What overlaps or touches at the start is hit at 0, even where it parts. */
Test(time_of_impact, begins_within_the_gap)
{
    RgGeometry *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    for (int method = RG_IMPACT_CONSERVATIVE; method <= RG_IMPACT_EXACT; method++) {
        RgImpactOptions options = rg_impact_options_default();
        options.method = (RgImpactMethod)method;
        RgSweep a = sweep_at(cube, none, none, none), b = sweep_at(cube, vec(0.5, 0.2, 0.1), vec(3.0, 0.0, 0.0), none);
        RgImpact r = ask(&a, &b, options);
        cr_expect(r.hit && r.time == 0.0 && r.latest == 0.0 && r.at.distance < 0.0);
        b.X_WG.p = b.centre = vec(1.05, 0.0, 0.0);
        options.gap = 0.1;
        r = ask(&a, &b, options);
        cr_expect(r.hit && r.time == 0.0 && r.latest == 0.0);
        options.gap = 0.01;
        r = ask(&a, &b, options);
        cr_expect(!r.hit && r.time == 1.0, "parts");
        options.horizon = 0.0;
        r = ask(&a, &b, options);
        cr_expect(!r.hit && r.time == 0.0, "no time to move");
    }
    rg_geometry_destroy(cube);
}

/* Only differences of places count: 1e6 m away the answer has the same bits (all numbers have few). */
Test(time_of_impact, far_from_the_origin)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 0.5, 0.25), *cube = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0);
    RgSweep a = sweep_at(box, vec(0.25, 0.5, 3.0), vec(0.25, 0.125, -2.0), vec(1.0, 2.0, 3.0));
    RgSweep b = sweep_at(cube, vec(0.5, 0.5, 0.0), none, vec(0.5, 0.25, 1.0));
    a.centre = vec(0.25, 0.75, 3.0);
    RgImpactOptions options = rg_impact_options_default();
    options.horizon = 4.0;
    RgImpact near = ask(&a, &b, options);
    RgVec3 away = vec(1048576.0, -524288.0, 2097152.0);
    RgVec3 *places[4] = {&a.X_WG.p, &a.centre, &b.X_WG.p, &b.centre};
    for (int i = 0; i < 4; i++)
        *places[i] = vec_add(*places[i], away);
    RgImpact far = ask(&a, &b, options);
    cr_expect(near.hit && far.hit && near.time == far.time && near.latest == far.latest, "%.17g and %.17g", near.time,
              far.time);
    rg_geometry_destroy(box);
    rg_geometry_destroy(cube);
}

/* ------------------------------------------------------------------ parts and surfaces */

/* Boxes as 12 triangles each. */
typedef struct Boxes {
    double vertices[8 * 8 * 3];
    int32_t faces[8 * 12 * 3], part_start[9];
    int count;
} Boxes;

static void boxes_add(Boxes *m, RgVec3 c, RgVec3 half)
{
    static const int32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    double *v = m->vertices + 24 * m->count;
    int32_t *f = m->faces + 36 * m->count, base = 8 * m->count;
    for (int i = 0; i < 8; i++) {
        v[3 * i] = c.x + (i & 1 ? half.x : -half.x);
        v[3 * i + 1] = c.y + (i & 2 ? half.y : -half.y);
        v[3 * i + 2] = c.z + (i & 4 ? half.z : -half.z);
    }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++) {
            *f++ = base + quads[i][0];
            *f++ = base + quads[i][k + 1];
            *f++ = base + quads[i][k + 2];
        }
    m->count++;
    m->part_start[m->count] = 12 * m->count;
}

static RgGeometry *boxes_geometry(const Boxes *m, RgMeshUse use)
{
    RgShapeDef def = shape_sized(RG_SHAPE_mesh, 1.0, 1.0, 1.0);
    def.mesh_use = use;
    def.mesh = (RgMeshData){m->vertices, m->faces, 8 * m->count, 12 * m->count, m->part_start, m->count};
    return make_geometry(&def);
}

/* Four boxes in a ring about the origin, as parts and as a surface, and each of them alone. */
Test(time_of_impact, earliest_of_parts_and_triangles)
{
    Boxes ring = {.count = 0};
    RgVec3 centres[4] = {{2.0, 0.0, 0.0}, {-2.0, 0.0, 0.3}, {0.0, 2.0, -0.2}, {0.0, -2.0, 0.0}};
    for (int i = 0; i < 4; i++)
        boxes_add(&ring, centres[i], vec(0.5, 0.3, 0.4));
    RgGeometry *parts = boxes_geometry(&ring, RG_MESH_PARTS), *surface = boxes_geometry(&ring, RG_MESH_SURFACE);
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 0.6, 0.8), *rod = make_shape(RG_SHAPE_capsule, 0.1, 1.0, 0.0);
    Draw d = draw_seed(8);
    int hits = 0;
    for (int i = 0; i < 200; i++) {
        RgPose X = draw_pose(&d, 0.0);
        RgVec3 w = draw_vec(&d, 2.0), v = draw_vec(&d, 0.5);
        RgSweep b = {rod, draw_pose(&d, 0.3), none, {draw_vec(&d, 3.0), draw_vec(&d, 4.0)}};
        b.centre = b.X_WG.p;
        RgImpactOptions options = rg_impact_options_default();
        RgImpact first = {.time = (double)INFINITY};
        for (int k = 0; k < 4; k++) {
            RgPose Xk = {X.R, place_point(X, centres[k])};
            RgSweep a = {box, Xk, X.p, {w, v}};
            RgImpact r = ask(&a, &b, options);
            if (r.hit && r.time < first.time)
                first = r;
        }
        hits += first.hit;
        RgSweep whole = {parts, X, X.p, {w, v}}, shell = {surface, X, X.p, {w, v}};
        RgImpact r = ask(&whole, &b, options), s = ask(&b, &shell, options);
        cr_expect(r.hit == first.hit && s.hit == first.hit, "%d: %d parts, %d surface, %d alone", i, r.hit, s.hit,
                  first.hit);
        if (!first.hit)
            continue;
        cr_expect(fabs(r.time - first.time) < 1e-11 && fabs(s.time - first.time) < 1e-11,
                  "%d: %.15g parts, %.15g surface, %.15g alone", i, r.time, s.time, first.time);
        cr_expect(r.latest >= r.time && r.latest < r.time + 1e-10 && s.latest < s.time + 1e-10);
        options.method = RG_IMPACT_CONSERVATIVE;
        options.tolerance = 1e-4;
        RgImpact c = ask(&whole, &b, options), e = ask(&shell, &b, options);
        cr_expect(c.hit && c.time <= first.latest && e.hit && e.time <= first.latest, "%d: advancement late", i);
        cr_expect(c.at.distance <= 1e-4 && e.at.distance <= 1e-4);
    }
    cr_expect(hits > 50 && hits < 190, "%d hits", hits);
    rg_geometry_destroy(parts);
    rg_geometry_destroy(surface);
    rg_geometry_destroy(box);
    rg_geometry_destroy(rod);
}

/* A fast ball over a wide height field with one tooth: it meets the tooth, found in slices of its way. */
Test(time_of_impact, tooth_of_a_height_field)
{
    enum { N = 41 };
    static double heights[N * N];
    heights[20 * N + 30] = 1.0; /* at x = 2.5, y = 0 of a field of 10 x 10 */
    RgShapeDef def = rg_shape_def_default();
    def.type = RG_SHAPE_heightfield;
    def.heights = heights;
    def.rows = def.columns = N;
    def.size[0] = def.size[1] = 10.0;
    def.size[2] = 1.0;
    RgGeometry *field, *ball = make_shape(RG_SHAPE_sphere, 0.05, 0.0, 0.0);
    cr_assert_eq(rg_geometry_create(&def, NULL, &field, NULL), RG_OK);
    RgSweep a = sweep_at(ball, vec(-4.5, 0.0, 0.5), vec(20.0, 0.0, 0.0), none);
    RgSweep b = sweep_at(field, none, none, none);
    RgImpactOptions options = rg_impact_options_default();
    RgImpact r = ask(&a, &b, options);

    /* The tooth is 0.25 wide on each side: its ridge along y = 0 is at z = 0.5 where x = 2.375. */
    cr_expect(r.hit && r.latest - r.time < 1e-10, "%g ... %g", r.time, r.latest);
    double x = -4.5 + 20.0 * r.time;
    cr_expect(x > 2.2 && x < 2.375, "at x = %g", x);
    CHECK_NEAR(r.at.distance, 0.0, 1e-12, "m");
    a.X_WG.p.y = a.centre.y = 0.5;
    r = ask(&a, &b, options);
    cr_expect(!r.hit && r.time == 1.0, "beside the tooth: hit at %g", r.time);
    rg_geometry_destroy(field);
    rg_geometry_destroy(ball);
}

/* ------------------------------------------------------------------ refusals */

Test(time_of_impact, refusals)
{
    RgGeometry *ball = make_shape(RG_SHAPE_sphere, 0.25, 0.0, 0.0),
               *ground = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgSweep a = sweep_at(ball, vec(0.0, 0.0, 2.0), none, none), b = sweep_at(ground, none, none, none);
    RgImpact r;
    RgImpactOptions options = rg_impact_options_default();
    cr_expect_eq(rg_time_of_impact(&a, &b, NULL, &r), RG_OK);
    cr_expect_eq(rg_time_of_impact(&b, &b, &options, &r), RG_ERR_UNSUPPORTED);
    options.cookie = 0;
    cr_expect_eq(rg_time_of_impact(&a, &b, &options, &r), RG_ERR_ARGUMENT);
    options = rg_impact_options_default();
    const double wrong[3] = {-1.0, (double)INFINITY, (double)NAN};
    for (int i = 0; i < 3; i++) {
        options.horizon = wrong[i];
        cr_expect_eq(rg_time_of_impact(&a, &b, &options, &r), RG_ERR_ARGUMENT);
    }
    options = rg_impact_options_default();
    options.gap = (double)NAN;
    cr_expect_eq(rg_time_of_impact(&a, &b, &options, &r), RG_ERR_ARGUMENT);
    options = rg_impact_options_default();
    a.V.v.x = (double)NAN;
    cr_expect_eq(rg_time_of_impact(&a, &b, &options, &r), RG_ERR_NOT_FINITE);
    cr_expect(!isnan(r.time) && !isnan(r.latest));
    rg_geometry_destroy(ball);
    rg_geometry_destroy(ground);
}

/* Out of queries: said so, and the time is not late. */
Test(time_of_impact, out_of_iterations)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 2.0, 0.6, 1.0), *ground = make_shape(RG_SHAPE_halfspace, 0.0, 0.0, 0.0);
    RgSweep a = sweep_at(box, vec(0.0, 0.0, 3.0), vec(1.0, 0.0, -0.4), vec(0.0, 2.0, 0.0));
    RgSweep b = sweep_at(ground, none, none, none);
    double truth = first_root(falling_corner, 10.0L), last = 0.0;
    RgImpactOptions options = rg_impact_options_default();
    options.horizon = 10.0;
    for (int method = RG_IMPACT_CONSERVATIVE; method <= RG_IMPACT_EXACT; method++, last = 0.0)
        for (options.max_iterations = 1; options.max_iterations < 4; options.max_iterations++) {
            RgImpact r;
            options.method = (RgImpactMethod)method;
            cr_expect_eq(rg_time_of_impact(&a, &b, &options, &r), RG_ERR_NOT_CONVERGED);
            cr_expect(r.hit && r.time > last && r.time < truth && r.latest == (double)INFINITY);
            last = r.time;
        }
    rg_geometry_destroy(box);
    rg_geometry_destroy(ground);
}

/* A box that turns on its place and never meets a ball: a miss at once, however long the horizon. */
Test(time_of_impact, turning_apart_is_a_miss)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), *ball = make_shape(RG_SHAPE_sphere, 0.5, 0.0, 0.0);
    RgSweep a = sweep_at(box, none, none, none), b = sweep_at(ball, vec(3.0, 0.0, 0.0), none, none);
    a.V.w = vec(0.0, 0.0, 1.0);
    RgImpactOptions options = rg_impact_options_default();
    options.horizon = 1e6;
    RgImpact r;
    cr_expect_eq(rg_time_of_impact(&a, &b, &options, &r), RG_OK);
    cr_expect(!r.hit && r.time == 1e6);
    rg_geometry_destroy(box);
    rg_geometry_destroy(ball);
}

/* Huge rates and huge places: an answer or a refusal, no NaN. */
Test(time_of_impact, extreme_numbers)
{
    RgGeometry *box = make_shape(RG_SHAPE_box, 1.0, 1.0, 1.0), *plate = make_shape(RG_SHAPE_box, 1.0, 1.0, 0.0);
    const double huge[4] = {1e3, 1e9, 1e100, 1e300};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++) {
            RgSweep a = sweep_at(box, none, none, none), b = sweep_at(plate, vec(3.0, 0.0, 0.0), none, none);
            (k == 0 ? &a.V.v : k == 1 ? &a.V.w : &b.X_WG.p)->x = huge[i];
            RgImpactOptions options = rg_impact_options_default();
            RgImpact r;
            RgStatus status = rg_time_of_impact(&a, &b, &options, &r);
            bool answered = status == RG_OK || status == RG_ERR_NOT_CONVERGED;
            cr_expect_eq(answered, huge[i] < 1e70, "status %d", status);
            cr_expect(answered || status == RG_ERR_NOT_FINITE);
            cr_expect(r.time >= 0.0 && r.time <= 1.0 && !isnan(r.latest), "%g, %d: %g ... %g", huge[i], k, r.time,
                      r.latest);
        }
    rg_geometry_destroy(box);
    rg_geometry_destroy(plate);
}
