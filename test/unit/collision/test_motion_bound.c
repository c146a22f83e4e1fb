/* test_motion_bound.c - poses of sweeps against Rodrigues' formula; no point of a shape is faster than its
   bound. */
#include "collision/motion_bound.h"

#include "check_near.h"
#include "pair_maker.h"

static RgSweep draw_sweep(Draw *d, const RgGeometry *geometry)
{
    RgSweep s = {.geometry = geometry, .X_WG = draw_pose(d, 2.0), .centre = draw_vec(d, 2.0)};
    s.V = (RgMotion){draw_vec(d, 4.0), draw_vec(d, 3.0)};
    return s;
}

/* Where a point of the geometry is at time t, by the axis and angle of the turn. */
static RgVec3 point_at(const RgSweep *s, RgVec3 x, double t)
{
    double rate = vec_norm(s->V.w);
    RgMat3 E = mat_turn(vec_scale(1.0 / rate, s->V.w), rate * t);
    RgVec3 rho = vec_sub(place_point(s->X_WG, x), s->centre);
    return vec_add(vec_add(s->centre, vec_scale(t, s->V.v)), mat_apply(E, rho));
}

Test(sweep, pose_is_the_turn_about_the_centre)
{
    Draw d = draw_seed(1);
    for (int i = 0; i < 1000; i++) {
        RgSweep s = draw_sweep(&d, NULL);
        double t = draw_between(&d, -3.0, 3.0);
        RgVec3 x = draw_vec(&d, 1.0);
        RgPose X = rg_sweep_pose(&s, t);
        CHECK_NEAR(vec_norm(vec_sub(place_point(X, x), point_at(&s, x, t))), 0.0, 1e-13, "m");
        CHECK_NEAR(mat_distance(mat_mul(X.R, mat_transpose(X.R)), mat_identity()), 0.0, 3e-15, "");
    }
}

/* The given pose itself at t = 0, and straight lines without turn. */
Test(sweep, begins_where_it_is_put)
{
    Draw d = draw_seed(2);
    for (int i = 0; i < 100; i++) {
        RgSweep s = draw_sweep(&d, NULL);
        RgPose X = rg_sweep_pose(&s, 0.0);
        cr_expect_eq(mat_distance(X.R, s.X_WG.R), 0.0);
        cr_expect_eq(vec_norm(vec_sub(X.p, s.X_WG.p)), 0.0);
        s.V.w = vec(0.0, 0.0, 0.0);
        X = rg_sweep_pose(&s, 0.5);
        cr_expect_eq(mat_distance(X.R, s.X_WG.R), 0.0);
        cr_expect_eq(vec_norm(vec_sub(X.p, vec_add(s.X_WG.p, vec_scale(0.5, s.V.v)))), 0.0);
    }
}

/* A sweep taken up again on its way goes on as it would have. */
Test(sweep, can_be_cut_in_two)
{
    Draw d = draw_seed(3);
    for (int i = 0; i < 500; i++) {
        RgSweep s = draw_sweep(&d, NULL), rest = s;
        double t = draw_between(&d, 0.0, 1.0), u = draw_between(&d, 0.0, 1.0);
        rest.X_WG = rg_sweep_pose(&s, t);
        rest.centre = vec_add(s.centre, vec_scale(t, s.V.v));
        RgPose whole = rg_sweep_pose(&s, t + u), both = rg_sweep_pose(&rest, u);
        CHECK_NEAR(mat_distance(whole.R, both.R), 0.0, 1e-14, "");
        CHECK_NEAR(vec_norm(vec_sub(whole.p, both.p)), 0.0, 3e-14, "m");
    }
}

/* X_AB by differences is what the two poses say. */
Test(sweep, relative_pose)
{
    Draw d = draw_seed(4);
    for (int i = 0; i < 500; i++) {
        RgSweep a = draw_sweep(&d, NULL), b = draw_sweep(&d, NULL);
        double t = draw_between(&d, 0.0, 2.0);
        RgSweepRotation at = rg_sweep_rotation(&a, t), bt = rg_sweep_rotation(&b, t);
        RgPose X_AB = rg_sweep_relative_pose(&at, &bt, rg_sweep_separation(&a, &b, t));
        RgPose expected = pose_relative(rg_sweep_pose(&a, t), rg_sweep_pose(&b, t));
        CHECK_NEAR(mat_distance(X_AB.R, expected.R), 0.0, 1e-15, "");
        CHECK_NEAR(vec_norm(vec_sub(X_AB.p, expected.p)), 0.0, 3e-14, "m");
    }
}

/* No point that is farthest in some direction leaves its place along d faster than the bound, over any
   time. */
Test(motion_bound, holds_for_every_kind)
{
    Draw d = draw_seed(5);
    for (int i = 0; i < 600; i++) {
        MadeShape shape = made_shape_draw(&d, pair_kinds[i % (PAIR_KINDS - 1)]);
        made_shape_prepare(&shape);
        const RgShape *part = &shape.geometry->parts[0];
        double size = shape.geometry->radius;
        for (int j = 0; j < 50; j++) {
            RgSweep s = draw_sweep(&d, shape.geometry);
            RgVec3 along = draw_direction(&d);
            double bound = rg_motion_bound(&s, along), t = draw_between(&d, 0.0, 2.0);
            RgVec3 x = rg_shape_kind(part->type)->support(part, draw_direction(&d));
            double moved = vec_dot(along, vec_sub(point_at(&s, x, t), place_point(s.X_WG, x)));
            cr_assert_leq(fabs(moved), t * bound * (1.0 + 1e-13) + 1e-14 * (size + 10.0), "%s",
                          rg_shape_type_name(part->type));
        }
        made_shape_release(&shape);
    }
}

/* Polytopes and boxes: the farthest vertex, found one by one. */
Test(motion_bound, reach_of_polytopes_is_exact)
{
    Draw d = draw_seed(6);
    const RgShapeType types[2] = {RG_SHAPE_box, RG_SHAPE_polytope};
    for (int i = 0; i < 200; i++) {
        MadeShape shape = made_shape_draw(&d, types[i % 2]);
        made_shape_prepare(&shape);
        RgPolytopeView view = rg_geometry_polytope(shape.geometry, 0);
        RgVec3 c = draw_vec(&d, 2.0 * shape.geometry->radius);
        double farthest = 0.0;
        for (int32_t k = 0; k < view.nvertices; k++)
            farthest = fmax(farthest, vec_norm(vec_sub(view.vertices[k], c)));
        CHECK_REL(rg_geometry_reach(shape.geometry, c), farthest, 1e-15, "m");
        made_shape_release(&shape);
    }
}

/* Some point reaches the bound: a sphere about its own centre, and about another one. */
Test(motion_bound, sphere_in_closed_form)
{
    RgShapeDef def = rg_shape_def_default();
    RgGeometry *ball;
    def.type = RG_SHAPE_sphere;
    def.size[0] = 0.5;
    cr_assert_eq(rg_geometry_create(&def, NULL, &ball, NULL), RG_OK);
    RgSweep s = {.geometry = ball, .X_WG = place_at(3.0, 0.0, 0.0), .centre = {3.0, 0.0, 0.0}};
    s.V = (RgMotion){{0.0, 0.0, 2.0}, {0.0, -1.0, 5.0}};
    CHECK_REL(rg_motion_bound(&s, vec(0.0, 1.0, 0.0)), 1.0 + 2.0 * 0.5, 1e-15, "m/s");
    CHECK_REL(rg_motion_bound(&s, vec(0.0, 0.0, 1.0)), 5.0, 1e-15, "m/s");
    s.centre = vec(0.0, 0.0, 0.0);
    CHECK_REL(rg_motion_bound(&s, vec(0.0, 1.0, 0.0)), 1.0 + 2.0 * 3.5, 1e-15, "m/s");
    rg_geometry_destroy(ball);
}

Test(motion_bound, halfspace)
{
    RgShapeDef def = rg_shape_def_default();
    RgGeometry *ground;
    def.type = RG_SHAPE_halfspace;
    cr_assert_eq(rg_geometry_create(&def, NULL, &ground, NULL), RG_OK);
    RgSweep s = {.geometry = ground, .X_WG = rg_pose_identity(), .V = {{0.0, 0.0, 0.0}, {1.0, 2.0, -3.0}}};
    cr_expect_eq(rg_motion_bound(&s, vec(0.0, 0.0, 1.0)), 3.0);
    s.V.w = vec(0.0, 0.0, 1.0);
    cr_expect_eq(rg_motion_bound(&s, vec(0.0, 0.0, 1.0)), 3.0, "turned about the direction");
    cr_expect_eq(rg_motion_bound(&s, vec(1.0, 0.0, 0.0)), (double)INFINITY);
    rg_geometry_destroy(ground);
}
