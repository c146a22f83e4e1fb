/*
 * test_pgs_papers.c - solver pgs on the experiments of papers 003 and 004 that have an answer.
 */
#include "check_near.h"
#include "scene_model.h"
#include "scene_parts.h"
#include "worlds.h"

#include <stdlib.h>

#define G 9.81

typedef struct Thing {
    RgShapeType type;
    double size[3];
    double mass, height; /* of its centre */
    RgSurfaceDef surface;
} Thing;

static RgSurfaceDef surface_of(double mu)
{
    RgSurfaceDef s = rg_shape_def_default().surface;
    s.mu = s.mu2 = mu;
    s.max_vel = 1e3;
    return s;
}

/* One body over the half space z <= 0. */
static RgModel *on_a_plane(const Thing *thing)
{
    RgBuilder *b = scene_begin("plane");
    RgShapeDef plane = rg_shape_def_default(), shape = rg_shape_def_default();
    plane.type = RG_SHAPE_halfspace;
    plane.surface = shape.surface = thing->surface;
    rg_builder_add_shape(b, &plane);
    shape.type = thing->type;
    for (int k = 0; k < 3; k++)
        shape.size[k] = thing->size[k];
    RgInertia inertia = {.mass = 1.0};
    cr_assert(rg_shape_inertia(&shape, 1.0, &inertia) == RG_OK);
    double scale = thing->mass / inertia.mass;
    RgInertia own = inertia_diagonal(thing->mass, vec(0, 0, 0),
                                     vec(scale * inertia.I.xx, scale * inertia.I.yy, scale * inertia.I.zz));
    RgPose X = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, .p = vec(0.0, 0.0, thing->height)};
    shape.link = link_add_at(b, "thing", own, X);
    rg_builder_add_shape(b, &shape);
    return scene_end(b);
}

static RgWorld *pgs_world(const RgModel *model, const char *coords, const char *solver, const RgPgsOptions *o)
{
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.pgs = o;
    return world_make(&def);
}

static double height(RgWorld *world)
{
    return rg_world_link_pose(world, (RgLinkId){1}).p.z;
}

static RgVec3 velocity(RgWorld *world)
{
    return rg_world_link_twist(world, (RgLinkId){1}).v;
}

/* ------------------------------------------------------------------ 004: position projection */

static const Thing unit_box = {.type = RG_SHAPE_box, .size = {1.0, 1.0, 1.0}, .mass = 1.0, .height = 0.49};

/* Fastest rise, and the height at the end, of a box that begins 1 cm in the ground. */
static double rise_from_overlap(bool split, const char *coords, double *end, double *energy)
{
    Thing box = unit_box;
    box.surface = surface_of(0.5);
    RgModel *model = on_a_plane(&box);
    RgPgsOptions o = rg_pgs_options_default();
    o.contact_erp = 1.0;
    o.split_impulse = split;
    RgWorld *world = pgs_world(model, coords, "pgs", &o);
    double fastest = 0.0;
    *energy = 0.0;
    for (int i = 0; i < 300; i++) {
        RgStepReport r;
        cr_assert(rg_world_step(world, 1e-3, &r) == RG_OK);
        fastest = fmax(fastest, velocity(world).z);
        *energy += split ? r.work.split : r.work.erp;
    }
    *end = height(world);
    rg_world_destroy(world);
    rg_model_destroy(model);
    return fastest;
}

Test(pgs_papers, overlap_is_removed_without_speed_by_split_impulse)
{
    for (int form = 0; form < 2; form++) {
        double end, energy, fastest = rise_from_overlap(true, both_forms[form], &end, &energy);
        CHECK_NEAR(fastest, 0.0, 1e-6, "m/s");
        CHECK_NEAR(end, 0.5, 1e-5, "m");
        CHECK_NEAR(energy, G * 0.01, 1e-4, "J");

        /* Without it: 0.01 m in a step of 1 ms is 10 m/s, and the box flies; after 0.3 s it is still on
           its way. */
        fastest = rise_from_overlap(false, both_forms[form], &end, &energy);
        CHECK_REL(fastest, 10.0, 2e-3, "m/s");
        cr_expect(end > 2.5, "only %g m", end);
        cr_expect(energy > 50.0, "only %g J", energy);
    }
}

/* ------------------------------------------------------------------ 004: inertia ratio */

/* Largest tilt of the double pendulum out of its plane in 3 s. */
static double tilt(double ratio)
{
    SceneData *scene = scene_data_create("S6");
    RgError error = {0};
    RgModel *model = scene_model_create(scene, &error);
    cr_assert(model != NULL, "%s", error.text);
    RgPgsOptions o;
    rg_pgs_preset("gazebo-vrc", &o);
    o.inertia_ratio = ratio;
    RgWorldDef def = world_def(model, "maximal", "semi-implicit");
    def.solver = "pgs";
    def.pgs = &o;
    def.gravity = scene->gravity;
    RgWorld *world = world_make(&def);
    scene_model_start(scene, world);
    SceneMeasure measure = scene_measure_begin(scene);
    SceneBodyState *states = calloc((size_t)scene->nbodies, sizeof *states);
    for (int i = 0; i < scene->steps; i++) {
        RgStepReport r;
        cr_assert(rg_world_step(world, scene->dt, &r) == RG_OK);
        cr_assert(r.sweeps == 50 && (ratio > 0.0 || r.work.inertia == 0.0));
        for (int b = 0; b < scene->nbodies; b++)
            states[b] = scene_model_body(world, b);
        scene_measure_sample(&measure, states);
    }
    free(states);
    rg_world_destroy(world);
    rg_model_destroy(model);
    scene_data_destroy(scene);
    return measure.value[0];
}

Test(pgs_papers, inertia_reduction_keeps_the_double_pendulum_in_its_plane)
{
    double with = tilt(100.0), without = tilt(0.0);
    cr_expect(with < 1e-3, "%g rad", with);
    cr_expect(without > 0.1, "%g rad", without);
}

/* ------------------------------------------------------------------ 003, 004: joint damping */

/* A hinge with damping d, let go at rest: it creeps at m g l sin q / d, however strong d is. */
Test(pgs_papers, damping_of_a_million_is_stable)
{
    const double d = 1e6, m = 2.0, l = 0.5;
    RgBuilder *b = scene_begin("damped");
    RgLinkId link = link_add(b, "bob", inertia_box(m, vec(l, 0, 0), vec(0.1, 0.1, 0.1)));
    RgJointDef joint = joint_at(RG_JOINT_revolute, "hinge", (RgLinkId){0}, link, vec(0, 0, 0), vec(0, 1, 0));
    joint.dof[0].damping = d;
    joint_add(b, &joint);
    RgModel *model = scene_end(b);
    for (int k = 0; k < 4; k++) {
        RgPgsOptions o = rg_pgs_options_default();
        o.damping_in_sweeps = k % 2 == 1;
        bool slow = k / 2 == 1; /* maximal: the damper and the hinge are rows that fight each other */
        RgWorld *world = pgs_world(model, both_forms[k / 2], "pgs", &o);
        double v0 = 1.0;
        rg_world_set_joint_rate(world, rg_model_find_joint(model, "hinge"), &v0);
        RgStepReport r;
        for (int i = 0; i < 2000; i++) {
            cr_assert(rg_world_step(world, 1e-3, &r) == RG_OK);
            cr_assert(fabs(world_rate(world, "hinge")) < (slow ? 0.5 : 1e-3));
        }
        cr_expect(fabs(world_rate(world, "hinge")) < 2e-2, "%g rad/s", world_rate(world, "hinge"));
        if (!slow)
            CHECK_REL(world_rate(world, "hinge"), m * G * l / d, 1e-3, "rad/s");
        cr_expect(r.explicit_refused == (k == 3), "%d", r.explicit_refused);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ 003: ball drop */

/* Centre at 5 m, radius 1 m: falls 4 m, comes up e^2 of that. */
static void check_drop(const RgModel *model, const char *coords, const char *solver, bool poisson)
{
    RgPgsOptions o = rg_pgs_options_default();
    o.poisson = poisson;
    RgWorld *world = pgs_world(model, coords, solver, &o);
    double highest = 0.0;
    bool bounced = false;
    for (int i = 0; i < 1600; i++) {
        cr_assert(rg_world_step(world, 1e-3, NULL) == RG_OK);
        bounced = bounced || velocity(world).z > 1.0;
        highest = bounced ? fmax(highest, height(world)) : 0.0;
    }
    CHECK_NEAR(highest, 1.0 + 0.25 * 4.0, 0.02, "m");
    rg_world_destroy(world);
}

Test(pgs_papers, ball_drop)
{
    Thing ball = {RG_SHAPE_sphere, {1.0, 0.0, 0.0}, 1.0, 5.0, surface_of(0.5)};
    ball.surface.restitution = 0.5;
    ball.surface.restitution_threshold = 0.01;
    RgModel *model = on_a_plane(&ball);
    for (int form = 0; form < 2; form++) {
        check_drop(model, both_forms[form], "pgs", false);
        check_drop(model, both_forms[form], "pgs", true);
        check_drop(model, both_forms[form], "pgs:jacobi", false);
        check_drop(model, both_forms[form], "quick", false);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ 003: box push */

/* Pushes with 0.2 N until 1 m/s. */
static void push(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    bool *pushing = context;
    *pushing = *pushing && state->v[3] < 1.0;
    input->wrenches[0].f.x = *pushing ? 0.2 : 0.0;
}

static void check_push(const RgModel *model, const char *coords, const char *solver, RgFriction friction)
{
    const double h = 1e-3, mu = 0.1, mass = 0.1;
    bool pushing = true;
    RgPgsOptions o = rg_pgs_options_default();
    o.friction = friction;
    RgWorldDef def = world_def(model, coords, "semi-implicit");
    def.solver = solver;
    def.pgs = &o;
    def.input = push;
    def.input_context = &pushing;
    RgWorld *world = world_make(&def);
    double reached = 0.0, stopped = 0.0;
    for (int i = 0; i < 2500 && stopped == 0.0; i++) {
        cr_assert(rg_world_step(world, h, NULL) == RG_OK);
        double v = velocity(world).x;
        reached = reached == 0.0 && v >= 1.0 ? rg_world_time(world) : reached;
        stopped = reached > 0.0 && v < 1e-6 ? rg_world_time(world) : 0.0;
    }
    double a = 0.2 / mass - mu * G;
    CHECK_NEAR(reached, 1.0 / a, 2.5 * h, "s");
    CHECK_NEAR(stopped - reached, 1.0 / (mu * G), 2.5 * h, "s");
    CHECK_NEAR(height(world), 0.5, 1e-4, "m");
    rg_world_destroy(world);
}

Test(pgs_papers, box_push_stops_when_friction_says)
{
    Thing box = unit_box;
    box.mass = 0.1;
    box.height = 0.5;
    box.surface = surface_of(0.1);
    RgModel *model = on_a_plane(&box);
    for (int form = 0; form < 2; form++) {
        check_push(model, both_forms[form], "pgs", RG_FRICTION_CONE);
        check_push(model, both_forms[form], "pgs", RG_FRICTION_PYRAMID);
        check_push(model, both_forms[form], "quick", RG_FRICTION_CONE);
    }
    rg_model_destroy(model);
}

/* Friction box: each of four points brakes with mu newtons, whatever the weight; and none does not brake. */
Test(pgs_papers, friction_models)
{
    Thing box = unit_box;
    box.height = 0.5;
    box.surface = surface_of(0.05);
    RgModel *model = on_a_plane(&box);
    const RgFriction kinds[] = {RG_FRICTION_NONE, RG_FRICTION_BOX, RG_FRICTION_PYRAMID, RG_FRICTION_CONE};
    const double brake[] = {0.0, 4.0 * 0.05, 0.05 * G, 0.05 * G};
    for (int k = 0; k < 4; k++) {
        RgPgsOptions o = rg_pgs_options_default();
        o.friction = kinds[k];
        RgWorld *world = pgs_world(model, "maximal", "pgs", &o);
        double q[7], v[6] = {0, 0, 0, 1.0, 0, 0};
        rg_model_neutral(model, q);
        rg_world_set_state(world, q, v);
        world_run(world, 500, 1e-3);
        CHECK_NEAR(velocity(world).x, 1.0 - 0.5 * brake[k], 1e-4, "m/s");
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* Torsion: a spinning ball is braked by torsional N, and not at all without. */
Test(pgs_papers, torsional_friction_brakes_spin)
{
    const double torsion = 0.01, mass = 1.0, radius = 0.5, inertia = 0.4 * mass * radius * radius;
    for (int k = 0; k < 2; k++) {
        Thing ball = {RG_SHAPE_sphere, {radius, 0, 0}, mass, radius, surface_of(0.5)};
        ball.surface.torsional = k == 1 ? torsion : (double)NAN;
        RgModel *model = on_a_plane(&ball);
        RgPgsOptions o = rg_pgs_options_default();
        RgWorld *world = pgs_world(model, "maximal", "pgs", &o);
        double q[7], v[6] = {0, 0, 2.0, 0, 0, 0};
        rg_model_neutral(model, q);
        rg_world_set_state(world, q, v);
        world_run(world, 500, 1e-3);
        double spin = rg_world_link_twist(world, (RgLinkId){1}).w.z;
        CHECK_NEAR(spin, 2.0 - k * 0.5 * torsion * mass * G / inertia, 1e-3, "rad/s");
        rg_world_destroy(world);
        rg_model_destroy(model);
    }
}

/* ------------------------------------------------------------------ account of work */

/* Every part adds up to the change of the kinetic energy that the impulses made, for a robot that stands
   and a pile. */
Test(pgs_papers, work_of_all_aids_adds_up)
{
    const char *const scenes[] = {"S1j", "S5", "S6"};
    for (int k = 0; k < 3; k++) {
        SceneData *scene = scene_data_create(scenes[k]);
        RgError error = {0};
        RgModel *model = scene_model_create(scene, &error);
        SceneDrives drives = scene_drives_begin(scene, model);
        RgPgsOptions o;
        rg_pgs_preset("gazebo-vrc", &o);
        RgWorldDef def = world_def(model, "maximal", "semi-implicit");
        def.solver = "pgs";
        def.pgs = &o;
        def.gravity = scene->gravity;
        def.input = scene_drive_input;
        def.input_context = &drives;
        RgWorld *world = world_make(&def);
        scene_model_start(scene, world);
        for (int i = 0; i < 200; i++) {
            RgStepReport r;
            cr_assert(rg_world_step(world, scene->dt, &r) == RG_OK);
            const RgSolverWork *w = &r.work;
            double sum = w->erp + w->restitution + w->springs + w->motors + w->friction + w->impacts +
                         w->rest + w->inertia;
            double scale = 1.0 + fabs(w->impacts) + fabs(w->rest) + fabs(w->total);
            CHECK_NEAR(sum, w->total, 1e-12 * scale, "J");
            cr_expect(w->impacts <= 0.0);
        }
        rg_world_destroy(world);
        scene_drives_end(&drives);
        rg_model_destroy(model);
        scene_data_destroy(scene);
    }
}

/* ------------------------------------------------------------------ what a file says */

/* Without options of its own a world takes those of the model's <physics>. */
Test(pgs_papers, physics_of_the_file_are_used)
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
        RgWorld *world = pgs_world(model, "maximal", "pgs", k == 0 ? NULL : &o);
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
