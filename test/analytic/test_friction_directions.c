/*
 * test_friction_directions.c - Coulomb friction knows no direction of its own: a box pushed along 36
 * directions over a plane, by every solver whose friction is a cone. Then the directions that surfaces have.
 *
 * Box: sliding against friction, a = F / m - mu g. Its push acts at the height of the plane's friction, so
 * that nothing tilts and every corner keeps its share of the weight.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#define MASS 1.0
#define MU 0.5
#define FORCE 7.0
#define H 1e-3
#define STEPS 200
#define DIRECTIONS 36
#define SAME 1e-9 /* m/s^2: between directions, and against the closed form */

/* Velocity over time after STEPS steps under a force along d that acts at the box's base. */
static RgVec3 mean_acceleration(RgWorld *world, RgLinkId box, RgVec3 d, double height)
{
    double q[7];
    rg_model_neutral(rg_world_model(world), q);
    double still[6] = {0.0};
    cr_assert(rg_world_set_state(world, q, still) == RG_OK);

    /* At the origin of the link, height above the base. */
    RgVec3 f = vec_scale(FORCE, d);
    rg_world_set_link_wrench(world, box, (RgForce){.f = f, .n = vec_cross(vec(0.0, 0.0, -height), f)});
    world_run(world, STEPS, H);
    return vec_scale(1.0 / (STEPS * H), rg_world_link_twist(world, box).v);
}

static void all_directions(const char *solver, const char *coords, const RgContactLaw *law)
{
    RgBuilder *b = scene_begin("box");
    ground_add(b, surface_mu(MU));
    RgLinkId box = box_add(b, "box", MASS, vec(0.3, 0.2, 0.1), vec(0.0, 0.0, 0.05), surface_mu(MU));
    RgModel *model = scene_end(b);
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.law = law;
    RgWorld *world = world_make(&def);
    for (int k = 0; k < DIRECTIONS; k++) {
        double angle = 2.0 * TEST_PI * k / DIRECTIONS + 0.03;
        RgVec3 d = vec(cos(angle), sin(angle), 0.0), a = mean_acceleration(world, box, d, 0.05);
        CHECK_NEAR(vec_dot(a, d), FORCE / MASS - MU * TOUCH_G, SAME, "m/s^2");
        CHECK_NEAR(vec_dot(a, vec(-d.y, d.x, 0.0)), 0.0, SAME, "m/s^2");
    }
    world_end(world, model);
}

Test(friction_directions, quick)
{
    for (int form = 0; form < 2; form++)
        all_directions("quick", both_forms[form], NULL);
}

Test(friction_directions, pgs_with_cones)
{
    RgContactLaw law = rg_contact_law_default();
    law.friction = RG_FRICTION_CONE;
    for (int form = 0; form < 2; form++)
        all_directions("pgs", both_forms[form], &law);
}

/* With pyramids it does: between its axes friction is larger. That is what the test above would not let by. */
Test(friction_directions, a_pyramid_has_its_own_directions)
{
    RgBuilder *b = scene_begin("box");
    ground_add(b, surface_mu(MU));
    RgLinkId box = box_add(b, "box", MASS, vec(0.3, 0.2, 0.1), vec(0.0, 0.0, 0.05), surface_mu(MU));
    RgModel *model = scene_end(b);
    RgContactLaw law = rg_contact_law_default();
    law.friction = RG_FRICTION_PYRAMID;
    RgWorldDef def = world_def(model, "maximal", "semi-implicit");
    def.solver = "pgs";
    def.law = &law;
    RgWorld *world = world_make(&def);
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < DIRECTIONS; k++) {
        double angle = 2.0 * TEST_PI * k / DIRECTIONS;
        RgVec3 d = vec(cos(angle), sin(angle), 0.0), a = mean_acceleration(world, box, d, 0.05);
        least = fmin(least, vec_dot(a, d));
        most = fmax(most, vec_dot(a, d));
    }
    CHECK_NEAR(most, FORCE / MASS - MU * TOUCH_G, 1e-6, "m/s^2");
    cr_expect(least < most - 0.5, "%g to %g", least, most);
    world_end(world, model);
}

/* A direction with friction of its own: mu along fdir1 and mu2 across, turned with the shape. */
Test(friction_directions, two_coefficients_along_the_shapes_own_axes)
{
    const double mu = 0.2, mu2 = 0.6, turn = 0.7;
    RgSurfaceDef smooth = surface_mu(mu), rough = surface_mu(5.0);
    smooth.mu2 = mu2;
    smooth.fdir1 = vec(1.0, 0.0, 0.0);
    for (int k = 0; k < 4; k++) {
        RgBuilder *b = scene_begin("box");
        ground_add(b, rough);
        RgLinkId box = box_add(b, "box", MASS, vec(0.3, 0.2, 0.1), vec(0.0, 0.0, 0.05), smooth);
        RgModel *model = scene_end(b);
        RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
        def.solver = k % 2 == 0 ? "quick" : "pgs";
        RgWorld *world = world_make(&def);
        for (int across = 0; across < 2; across++) {
            double q[7] = {cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn), 0.0, 0.0, 0.05}, still[6] = {0.0};
            cr_assert(rg_world_set_state(world, q, still) == RG_OK);
            double angle = turn + 0.5 * TEST_PI * across;
            RgVec3 d = vec(cos(angle), sin(angle), 0.0), f = vec_scale(FORCE, d);
            rg_world_set_link_wrench(world, box, (RgForce){.f = f, .n = vec_cross(vec(0, 0, -0.05), f)});
            world_run(world, STEPS, H);
            double a = vec_dot(rg_world_link_twist(world, box).v, d) / (STEPS * H);
            CHECK_NEAR(a, FORCE / MASS - (across == 1 ? mu2 : mu) * TOUCH_G, 1e-6, "m/s^2");
        }
        world_end(world, model);
    }
}

/* Slip: a tangent gives way by slip times its force, as SDF's slip1 and slip2 say. A ball rolls down a slope
   that would not let it slide, along each of the two directions. quick stops where a sweep changes impulses
   by 1e-5 of them. */
Test(friction_directions, slip_is_velocity_by_force_of_a_point)
{
    const double slip1 = 0.02, slip2 = 0.05, lean = 0.2;
    RgSurfaceDef surface = surface_mu(0.8);
    surface.slip1 = slip1;
    surface.slip2 = slip2;
    surface.fdir1 = vec(1.0, 0.0, 0.0);
    for (int k = 0; k < 4; k++)
        for (int across = 0; across < 2; across++) {
            RgBuilder *b = scene_begin("box");
            ground_add(b, surface);
            RgLinkId ball = ball_add(b, "ball", MASS, 0.1, vec(0.0, 0.0, 0.1), surface);
            RgJointDef keep = joint_at(RG_JOINT_planar, "keep", (RgLinkId){0}, ball, vec(0, 0, 0.1), vec(0, 1, 0));
            keep.axis = across == 1 ? vec(1, 0, 0) : vec(0, 1, 0);
            joint_add(b, &keep);
            RgModel *model = scene_end(b);
            RgWorldDef def = world_def(model, both_forms[k / 2], "semi-implicit");
            def.solver = k % 2 == 0 ? "quick" : "pgs";
            double pull = TOUCH_G * sin(lean);
            def.gravity = across == 1 ? vec(0.0, pull, -TOUCH_G * cos(lean)) : vec(pull, 0.0, -TOUCH_G * cos(lean));
            RgWorld *world = world_make(&def);
            world_run(world, 1000, H);
            const RgContactForce *force = NULL;
            cr_assert(rg_world_contact_forces(world, &force) == 1);
            double slip = across == 1 ? force[0].slip.y : force[0].slip.x;
            double rub = across == 1 ? force[0].force.y : force[0].force.x;
            cr_expect(fabs(rub) > 0.1);
            CHECK_REL(slip, -(across == 1 ? slip2 : slip1) * rub, 1e-5, "m/s");
            world_end(world, model);
        }
}
