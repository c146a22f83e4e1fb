/*
 * test_stepper_contact.c - contacts, friction and joint limits with every stepper, in both coordinate forms and
 * with both solvers: what rests rests, what slides stops where it should, what falls lands without sinking in;
 * and what flies beside it keeps the order of the method.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#include <string.h>

#define H 1e-3
#define MU 0.4
#define NEAR 2e-4 /* m: gaps and overlaps that a contact at rest may have */

typedef struct Scene {
    RgModel *model;
    RgLinkId box, ball;
} Scene;

/* A box on the ground; a ball high above it, far aside. */
static Scene scene_make(void)
{
    Scene s = {0};
    RgBuilder *b = scene_begin("two");
    ground_add(b, surface_mu(MU));
    s.box = box_add(b, "box", 2.0, vec(0.3, 0.3, 0.1), vec(0, 0, 0.05), surface_mu(MU));
    s.ball = ball_add(b, "ball", 1.0, 0.1, vec(5.0, 0.0, 4.0), surface_mu(MU));
    s.model = scene_end(b);
    return s;
}

typedef void Check(RgWorld *world, const Scene *scene, const char *stepper);

/* Every stepper, form and solver. */
static void with_all(Check *check)
{
    Scene s = scene_make();
    for (int stepper = 0; stepper < rg_stepper_count(); stepper++)
        for (int k = 0; k < 4; k++) {
            RgWorldDef def = world_def(s.model, both_forms[k / 2], rg_stepper_name(stepper));
            def.solver = k % 2 == 0 ? "quick" : "pgs";
            RgWorld *world = world_make(&def);
            check(world, &s, def.stepper);
            rg_world_destroy(world);
        }
    rg_model_destroy(s.model);
}

static void check_rest(RgWorld *world, const Scene *s, const char *stepper)
{
    (void)stepper;
    world_run(world, 500, H);
    RgVec3 p = rg_world_link_pose(world, s->box).p;
    CHECK_NEAR(p.z, 0.05, NEAR, "m");
    CHECK_NEAR(hypot(p.x, p.y), 0.0, 1e-9, "m");
    CHECK_NEAR(rg_world_link_twist(world, s->box).v.z, 0.0, 1e-6, "m/s");
    RgVec3 f = contact_force_on(world, s->box);
    CHECK_NEAR(f.z, 2.0 * TOUCH_G, 1e-4, "N");
}

Test(stepper_contact, a_box_at_rest_stays)
{
    with_all(check_rest);
}

/* Friction stops it after v / (mu g), on v^2 / (2 mu g), to the first order in h. */
static void check_slide(RgWorld *world, const Scene *s, const char *stepper)
{
    (void)stepper;
    const double v0 = 1.0, way = v0 * v0 / (2.0 * MU * TOUCH_G);
    link_launch(world, s->box, vec(0, 0, 0), vec(0.6 * v0, -0.8 * v0, 0.0));
    world_run(world, 400, H);
    RgVec3 p = rg_world_link_pose(world, s->box).p;
    CHECK_NEAR(rg_world_link_twist(world, s->box).v.x, 0.0, 1e-9, "m/s");
    CHECK_NEAR(p.x, 0.6 * way, 0.6 * v0 * H, "m");
    CHECK_NEAR(p.y, -0.8 * way, 0.8 * v0 * H, "m");
    CHECK_NEAR(p.z, 0.05, NEAR, "m");
}

Test(stepper_contact, a_sliding_box_stops_where_friction_says)
{
    with_all(check_slide);
}

/* Lands, and is never deeper in the ground than what a step at its speed of fall makes of the margin. */
static void check_landing(RgWorld *world, const Scene *s, const char *stepper)
{
    double deepest = INFINITY;
    link_launch(world, s->ball, vec(0, 0, 0), vec(0.0, 0.0, -1.0));
    for (int i = 0; i < 1500; i++) {
        cr_assert(rg_world_step(world, H, NULL) == RG_OK);
        deepest = fmin(deepest, rg_world_link_pose(world, s->ball).p.z - 0.1);
    }
    cr_expect(deepest > -NEAR, "%s: %g", stepper, deepest);
    CHECK_NEAR(rg_world_link_pose(world, s->ball).p.z, 0.1, NEAR, "m");
    CHECK_NEAR(rg_world_link_twist(world, s->ball).v.z, 0.0, 1e-4, "m/s");
}

Test(stepper_contact, a_falling_ball_lands)
{
    with_all(check_landing);
}

/* A throw is a polynomial of second degree: methods of higher order are exact, the others as far off as they
   are without contacts, while the box beside it lies in contact. */
static void check_flight(RgWorld *world, const Scene *s, const char *stepper)
{
    bool exact = strcmp(stepper, "rk4") == 0 || strcmp(stepper, "reference") == 0;
    link_launch(world, s->ball, vec(3, 2, 1), vec(1.0, 2.0, 3.0));
    world_run(world, 500, H);
    double t = rg_world_time(world);
    RgVec3 p = rg_world_link_pose(world, s->ball).p;
    CHECK_NEAR(p.x, 5.0 + t, 1e-11, "m");
    CHECK_NEAR(p.z, 4.0 + 3.0 * t - 0.5 * TOUCH_G * t * t, exact ? 1e-11 : TOUCH_G * t * H, "m");
    cr_expect(contact_force_on(world, s->box).z > 0.0);
}

Test(stepper_contact, what_flies_beside_a_contact_keeps_its_order)
{
    with_all(check_flight);
}

/* ------------------------------------------------------------------ robots */

/* A leg of two links on hinges falls on its foot; a joint of it has a limit. */
Test(stepper_contact, a_leg_falls_on_its_foot_and_its_limit)
{
    RgBuilder *b = scene_begin("leg");
    ground_add(b, surface_mu(0.8));
    RgLinkId trunk = box_add(b, "trunk", 5.0, vec(0.4, 0.4, 0.1), vec(0, 0, 0.62), surface_mu(0.8));
    RgLinkId thigh = link_add(b, "thigh", inertia_rod(1.0, vec(0, 0, 0), vec(0, 0, -0.3), 0.02));
    RgLinkId shank = link_add(b, "shank", inertia_rod(1.0, vec(0, 0, 0), vec(0, 0, -0.3), 0.02));
    RgJointDef hip = joint_at(RG_JOINT_revolute, "hip", trunk, thigh, vec(0, 0, 0), vec(0, 1, 0));
    RgJointDef knee = joint_at(RG_JOINT_revolute, "knee", thigh, shank, vec(0, 0, -0.3), vec(0, 1, 0));
    knee.dof[0].lower = 0.0;
    knee.dof[0].upper = 1.5;
    joint_add(b, &hip);
    joint_add(b, &knee);
    const double size[3] = {0.02, 0.02, 0.02};
    shape_add(b, shank, RG_SHAPE_sphere, size, place_at(0, 0, -0.3), surface_mu(0.8));
    RgModel *model = scene_end(b);
    for (int stepper = 0; stepper < rg_stepper_count(); stepper++)
        for (int k = 0; k < 4; k++) {
            RgWorldDef def = world_def(model, both_forms[k / 2], rg_stepper_name(stepper));
            def.solver = k % 2 == 0 ? "quick" : "pgs";
            if (k == 3 && strncmp(def.stepper, "rigid", 5) == 0)
                continue; /* refused: it needs joints that hold */
            RgWorld *world = world_make(&def);
            double bent = 0.4, lowest = INFINITY, knee_least = INFINITY, knee_most = -INFINITY;
            rg_world_set_joint_position(world, rg_model_find_joint(model, "knee"), &bent);
            for (int i = 0; i < 1500; i++) {
                RgStepReport report;
                cr_assert(rg_world_step(world, H, &report) == RG_OK, "%s", def.stepper);
                lowest = fmin(lowest, rg_world_link_pose(world, trunk).p.z);
                knee_least = fmin(knee_least, world_angle(world, "knee"));
                knee_most = fmax(knee_most, world_angle(world, "knee"));
            }
            cr_expect(lowest > 0.05 - 5e-3, "%s %s %s: trunk at %g", def.stepper, def.coords, def.solver, lowest);
            cr_expect(knee_least > -0.02 && knee_most < 1.52, "%s %s %s: knee from %g to %g", def.stepper, def.coords,
                      def.solver, knee_least, knee_most);
            RgMomentum m;
            rg_world_momentum(world, &m);
            cr_expect(m.kinetic < 5.0, "%s: %g J", def.stepper, m.kinetic);
            rg_world_destroy(world);
        }
    rg_model_destroy(model);
}
