/* test_hull_distance.c - distance of a point from the hull of shapes against closed forms and exhaustive
   search. */
#include "check_near.h"
#include "solids.h"

static double distance_of(const RgPosedShape *shapes, int count, RgVec3 point)
{
    double distance = -1.0;
    cr_expect_eq(rg_hull_distance(shapes, count, point, &distance), RG_OK);
    return distance;
}

/* One turned box: the distance is that of the coordinates beyond its sides. */
Test(hull_distance, box_by_closed_form)
{
    RgRandom random = rg_random_seed(4);
    RgBounds around = {{-2.0, -2.0, -2.0}, {2.0, 2.0, 2.0}};
    for (int i = 0; i < 2000; i++) {
        RgPosedShape box = {{.type = RG_SHAPE_box, .size = {1.0, 2.0, 0.5}}, random_pose(&random, 5.0)};
        RgVec3 x = random_point(&random, around);
        RgVec3 beyond = v3(fmax(fabs(x.x) - 0.5, 0.0), fmax(fabs(x.y) - 1.0, 0.0), fmax(fabs(x.z) - 0.25, 0.0));
        CHECK_NEAR(distance_of(&box, 1, pose_apply(box.X_AS, x)), v3_norm(beyond), 1e-9, "m");
    }
}

/* The hull of two equal balls is a capsule: distance from the segment less the radius. */
Test(hull_distance, two_balls_make_a_capsule)
{
    RgRandom random = rg_random_seed(5);
    RgBounds around = {{-2.0, -2.0, -2.0}, {2.0, 2.0, 2.0}};
    RgPosedShape balls[2] = {{{.type = RG_SHAPE_sphere, .size = {0.3}}, pose_at(v3(0.0, 0.0, 0.6))},
                             {{.type = RG_SHAPE_sphere, .size = {0.3}}, pose_at(v3(0.0, 0.0, -0.6))}};
    RgPosedShape capsule = {{.type = RG_SHAPE_capsule, .size = {0.3, 1.2}}, pose_identity()};
    for (int i = 0; i < 2000; i++) {
        RgVec3 x = random_point(&random, around);
        double beyond = fmax(fabs(x.z) - 0.6, 0.0);
        double expected = fmax(sqrt(x.x * x.x + x.y * x.y + beyond * beyond) - 0.3, 0.0);
        CHECK_NEAR(distance_of(balls, 2, x), expected, 1e-9, "m");
        CHECK_NEAR(distance_of(&capsule, 1, x), expected, 1e-9, "m");
    }
}

/* The twin: exhaustive search over segments, triangles and tetrahedra of points on a grid of small numbers
   times powers of two, where every cross and dot product below is exact. */
static double segment_distance(RgVec3 p, RgVec3 a, RgVec3 b)
{
    RgVec3 edge = v3_sub(b, a);
    double t = v3_norm2(edge) > 0.0 ? v3_dot(v3_sub(p, a), edge) / v3_norm2(edge) : 0.0;
    return v3_norm(v3_sub(p, v3_axpy(fmin(fmax(t, 0.0), 1.0), edge, a)));
}

static double triangle_distance(RgVec3 p, RgVec3 a, RgVec3 b, RgVec3 c)
{
    RgVec3 ab = v3_sub(b, a), bc = v3_sub(c, b), ca = v3_sub(a, c), n = v3_cross(ab, bc);
    bool within = v3_norm2(n) > 0.0 && v3_dot(n, v3_cross(ab, v3_sub(p, a))) >= 0.0 &&
                  v3_dot(n, v3_cross(bc, v3_sub(p, b))) >= 0.0 && v3_dot(n, v3_cross(ca, v3_sub(p, c))) >= 0.0;
    if (within)
        return fabs(v3_dot(n, v3_sub(p, a))) / v3_norm(n);
    return fmin(segment_distance(p, a, b), fmin(segment_distance(p, b, c), segment_distance(p, c, a)));
}

static bool in_tetrahedron(RgVec3 p, const RgVec3 *x)
{
    for (int i = 0; i < 4; i++) {
        RgVec3 a = x[(i + 1) % 4], b = x[(i + 2) % 4], c = x[(i + 3) % 4];
        RgVec3 n = v3_cross(v3_sub(b, a), v3_sub(c, a));
        double side = v3_dot(n, v3_sub(x[i], a));
        if (side == 0.0 || v3_dot(n, v3_sub(p, a)) * side < 0.0)
            return false;
    }
    return true;
}

/* Least distance to all triangles on one edge; 0 inside a tetrahedron on one of them. */
static double edge_distance(RgVec3 p, const RgVec3 *x, int n, const int edge[2])
{
    double least = INFINITY;
    RgVec3 a = x[edge[0]], b = x[edge[1]];
    for (int k = edge[1]; k < n; k++) {
        least = fmin(least, triangle_distance(p, a, b, x[k]));
        for (int l = k; l < n; l++)
            if (in_tetrahedron(p, (RgVec3[]){a, b, x[k], x[l]}))
                return 0.0;
    }
    return least;
}

/* Inside a hull of points means inside a tetrahedron of four of them (Caratheodory). */
static double exhaustive_distance(RgVec3 p, const RgVec3 *x, int n)
{
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            least = fmin(least, edge_distance(p, x, n, (int[2]){i, j}));
    return least;
}

static RgVec3 grid_point(RgRandom *random, double flat, double thin)
{
    double x = rg_random_below(random, 13) - 6, y = rg_random_below(random, 13) - 6,
           z = rg_random_below(random, 13) - 6;
    return v3(x, flat * y, thin * z);
}

/* Exact to 1e-10 of the size of the question, which is up to 30 m.
   Clouds of 1 ... 9 points, full, flattened to a sheet, a plane, a line, all with repeated points and points
   in line. */
Test(hull_distance, point_clouds_by_exhaustive_search)
{
    RgRandom random = rg_random_seed(6);
    const double thickness[] = {1.0, 0x1p-16, 0.0};
    int inside = 0;
    for (int trial = 0; trial < 20000; trial++) {
        int n = 1 + rg_random_below(&random, 9);
        double flat = thickness[rg_random_below(&random, 3)], thin = thickness[rg_random_below(&random, 3)];
        RgPose X = random_pose(&random, 1.0);
        RgVec3 x[9];
        RgPosedShape points[9];
        for (int i = 0; i < n; i++) {
            x[i] = grid_point(&random, flat, thin);
            points[i] = (RgPosedShape){{.type = RG_SHAPE_sphere, .size = {0.0}}, pose_at(pose_apply(X, x[i]))};
        }
        RgVec3 near = grid_point(&random, flat, thin), far = grid_point(&random, 1.0, 1.0);
        CHECK_NEAR(distance_of(points, n, pose_apply(X, near)), exhaustive_distance(near, x, n), 3e-9, "m");
        CHECK_NEAR(distance_of(points, n, pose_apply(X, far)), exhaustive_distance(far, x, n), 3e-9, "m");
        inside += exhaustive_distance(near, x, n) == 0.0;
    }
    cr_expect_gt(inside, 1000, "the draw has inside points too");
}

/* The inside of every solid, and the point a little way out along the normal of its support. */
Test(hull_distance, solids_inside_and_outside)
{
    RgRandom random = rg_random_seed(7);
    RgBounds cube = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    for (int k = 0; k < SOLID_COUNT; k++) {
        Solid s = solid(k);
        RgPosedShape posed = {rg_shape_view(&s.def), random_pose(&random, 3.0)};
        const RgShapeKind *kind = rg_shape_kind(s.def.type);
        for (int i = 0; i < 500; i++) {
            RgVec3 x = random_point(&random, kind->bounds(&posed.shape));
            double distance = distance_of(&posed, 1, pose_apply(posed.X_AS, x));
            if (s.inside(s.def.size, x))
                CHECK_NEAR(distance, 0.0, 1e-9, "m");
            else
                cr_expect_gt(distance, 0.0);
            RgVec3 d = random_point(&random, cube), far = kind->support(&posed.shape, d);
            double out = pow(10.0, rg_random_uniform(&random, -6.0, 3.0));
            RgVec3 away = v3_axpy(out / v3_norm(d), d, far);
            CHECK_NEAR(distance_of(&posed, 1, pose_apply(posed.X_AS, away)), out, 1e-9 * (1.0 + out), "m");
        }
    }
}

Test(hull_distance, questions_without_answer)
{
    double distance = 42.0;
    RgPosedShape ball = {{.type = RG_SHAPE_sphere, .size = {1.0}}, pose_identity()};
    RgPosedShape plane = {{.type = RG_SHAPE_halfspace}, pose_identity()};
    RgPosedShape bad = {{.type = RG_SHAPE_sphere, .size = {-1.0}}, pose_identity()};
    cr_expect_eq(rg_hull_distance(&ball, 0, v3_zero(), &distance), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_hull_distance(&bad, 1, v3_zero(), &distance), RG_ERR_ARGUMENT);
    cr_expect_eq(rg_hull_distance(&plane, 1, v3_zero(), &distance), RG_ERR_UNSUPPORTED);
    cr_expect_eq(rg_hull_distance(&ball, 1, v3((double)NAN, 0.0, 0.0), &distance), RG_ERR_NOT_FINITE);
    ball.X_AS.R.m[1][2] = (double)INFINITY;
    cr_expect_eq(rg_hull_distance(&ball, 1, v3_zero(), &distance), RG_ERR_NOT_FINITE);
    cr_expect_eq(distance, 42.0);
}
