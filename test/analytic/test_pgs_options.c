/* test_pgs_options.c - solver pgs: models of friction, and where its options come from. */
#include "check_near.h"
#include "on_a_plane.h"
#include "scene_parts.h"
#include "worlds.h"

#define G 9.81

/* Friction box: each of four points brakes with mu newtons, whatever the weight; and none does not brake. */
Test(pgs_options, friction_models)
{
    PlaneBody box = plane_box(0.05);
    RgModel *model = plane_model(&box);
    const RgFriction kinds[] = {RG_FRICTION_NONE, RG_FRICTION_BOX, RG_FRICTION_PYRAMID, RG_FRICTION_CONE};
    const double brake[] = {0.0, 4.0 * 0.05, 0.05 * G, 0.05 * G};
    for (int k = 0; k < 4; k++) {
        RgContactLaw law = rg_contact_law_default();
        law.friction = kinds[k];
        RgWorld *world = pgs_world(model, "maximal", "pgs", &law, NULL);
        double q[7], v[6] = {0, 0, 0, 1.0, 0, 0};
        rg_model_neutral(model, q);
        rg_world_set_state(world, q, v);
        world_run(world, 500, 1e-3);
        CHECK_NEAR(plane_velocity(world).x, 1.0 - 0.5 * brake[k], 1e-4, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Torsion: a spinning ball is braked by torsional N, and not at all without. */
Test(pgs_options, torsional_friction_brakes_spin)
{
    const double torsion = 0.01, mass = 1.0, radius = 0.5, inertia = 0.4 * mass * radius * radius;
    for (int k = 0; k < 2; k++) {
        PlaneBody ball = {RG_SHAPE_sphere, {radius, 0, 0}, mass, radius, plane_surface(0.5)};
        ball.surface.torsional = k == 1 ? torsion : (double)NAN;
        RgModel *model = plane_model(&ball);
        RgWorld *world = pgs_world(model, "maximal", "pgs", NULL, NULL);
        double q[7], v[6] = {0, 0, 2.0, 0, 0, 0};
        rg_model_neutral(model, q);
        rg_world_set_state(world, q, v);
        world_run(world, 500, 1e-3);
        double spin = rg_world_link_twist(world, (RgLinkId){1}).w.z;
        CHECK_NEAR(spin, 2.0 - k * 0.5 * torsion * mass * G / inertia, 1e-3, "rad/s");
        world_end(world, model);
    }
}

/* ------------------------------------------------------------------ what a file says */

/* Without options of its own a world takes those of the model's <physics>. */
Test(pgs_options, physics_of_the_file_are_used)
{
    RgBuilder *b = scene_begin("hints");
    RgLinkId link = link_add(b, "bob", inertia_box(1.0, vec(0.3, 0, 0), vec(0.1, 0.1, 0.1)));
    RgJointDef joint = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, link, vec(0, 0, 0), vec(0, 1, 0));
    joint_add(b, &joint);
    RgPhysicsHints hints = *rg_builder_hints(b);
    hints.ode_iterations = 7;
    rg_builder_set_hints(b, &hints);
    RgModel *model = scene_end(b);
    for (int k = 0; k < 2; k++) {
        RgPgsOptions o = rg_pgs_options_default();
        RgWorld *world = pgs_world(model, "maximal", "pgs", NULL, k == 0 ? NULL : &o);
        RgStepReport r;
        cr_assert(rg_world_step(world, 1e-3, &r) == RG_OK);
        cr_expect(r.sweeps == (k == 0 ? 7 : 50), "%d", r.sweeps);
        rg_world_destroy(world);
    }
    RgWorldDef def = world_def(model, "maximal", "semi-implicit");
    RgError error = {0};
    def.solver = "none such";
    cr_expect(rg_world_create(&def, &error) == NULL && error.status == RG_ERR_NOT_FOUND);
    RgPgsOptions bad = rg_pgs_options_default();
    bad.sor = 3.0;
    def.solver = "pgs";
    def.pgs = &bad;
    cr_expect(rg_world_create(&def, &error) == NULL && error.status == RG_ERR_ARGUMENT);
    rg_model_destroy(model);
}

/* A step without a report leaves work and residual out; in a world that is watched they are there. */
Test(pgs_options, reports_of_a_watched_world_are_whole)
{
    PlaneBody box = plane_box(0.05);
    RgModel *model = plane_model(&box);
    for (int k = 0; k < 3; k++) {
        RgWorld *world = pgs_world(model, "maximal", "pgs", NULL, NULL);
        double q[7], v[6] = {0, 0, 0, 1.0, 0, 0};
        rg_model_neutral(model, q);
        rg_world_set_state(world, q, v);
        if (k == 2)
            rg_world_watch(world);
        RgStepReport r;
        cr_assert(rg_world_step(world, 1e-3, k == 1 ? &r : NULL) == RG_OK);
        const RgStepReport *last = rg_world_last_report(world);
        cr_expect((last->work.friction < 0.0) == (k > 0) && (last->contact_work < 0.0) == (k > 0), "%d", k);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}
