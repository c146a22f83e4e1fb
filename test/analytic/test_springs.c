/*
 * test_springs.c - springs and dampers of joints in located steps: of second order, stable however stiff, without
 * ringing.
 *
 * Beside each mechanism a ball rests on the floor: then nothing flies, and steps are those of contact. Twin: the
 * mechanism alone by stepper reference. Errors fall by four with each halving of the step.
 */
#include "check_near.h"
#include "touching.h"
#include "worlds.h"

#include <math.h>

#define GAP 1e-7

typedef struct Law {
    double stiffness, damping;
} Law;

typedef struct Scene {
    const char *name, *joint[2];
    double time, h; /* s: of the run; coarsest step */
    void (*add)(RgBuilder *b, Law law);
    Law law;
} Scene;

static void put_law(RgAxisDef *dof, Law law, double rest)
{
    dof->stiffness = law.stiffness;
    dof->damping = law.damping;
    dof->rest = rest;
}

/* A weight on a spring that swings. */
static void add_pendulum(RgBuilder *b, Law law)
{
    RgVec3 O = {0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, way = {0.6, 0.0, -0.8};
    RgLinkId arm = link_add(b, "arm", inertia_rod(0.3, O, vec(0.3, 0.0, -0.4), 0.05));
    RgLinkId bob = link_add(b, "bob", inertia_box(0.7, O, vec(0.1, 0.2, 0.1)));
    RgJointDef joints[2] = {joint_at(RG_JOINT_revolute, "swing", (RgLinkId){0}, arm, vec(0.0, 0.0, 3.0), y),
                            joint_at(RG_JOINT_prismatic, "stretch", arm, bob, vec(0.3, 0.0, -0.4), way)};
    put_law(&joints[1].dof[0], law, 0.1);
    for (int i = 0; i < 2; i++)
        joint_add(b, &joints[i]);
}

/* Two links in a row, both joints damped and sprung. */
static void add_arm(RgBuilder *b, Law law)
{
    RgVec3 O = {0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, way = {0.5, 0.0, 0.1};
    RgLinkId upper = link_add(b, "upper", inertia_rod(0.8, O, way, 0.03));
    RgLinkId lower = link_add(b, "lower", inertia_rod(0.5, O, way, 0.03));
    RgJointDef joints[2] = {joint_at(RG_JOINT_revolute, "shoulder", (RgLinkId){0}, upper, vec(0, 0, 3), y),
                            joint_at(RG_JOINT_revolute, "elbow", upper, lower, way, vec(0.6, 0.8, 0.0))};
    for (int i = 0; i < 2; i++) {
        put_law(&joints[i].dof[0], law, 0.0);
        joint_add(b, &joints[i]);
    }
}

/* A four-bar linkage with spring and damper on the joint that closes its loop. */
static void add_linkage(RgBuilder *b, Law law)
{
    RgVec3 O = {0.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, AB = {0.3, 0.0, 0.4}, BC = {1.2, 0.0, 0.5}, DC = {0.0, 0.0, 0.9};
    RgLinkId crank = link_add(b, "crank", inertia_rod(0.5, O, AB, 0.02));
    RgLinkId coupler = link_add(b, "coupler", inertia_rod(1.3, O, BC, 0.02));
    RgLinkId rocker = link_add(b, "rocker", inertia_rod(0.9, O, DC, 0.02));
    RgJointDef joints[4] = {joint_at(RG_JOINT_revolute, "a", (RgLinkId){0}, crank, vec(0.0, 0.0, 3.0), y),
                            joint_at(RG_JOINT_revolute, "b", crank, coupler, AB, y),
                            joint_at(RG_JOINT_revolute, "d", (RgLinkId){0}, rocker, vec(1.5, 0.0, 3.0), y),
                            joint_at(RG_JOINT_revolute, "pin", coupler, rocker, BC, y)};
    joints[3].X_CJ = place_at(DC.x, DC.y, DC.z);
    joints[3].may_close_loop = true;
    put_law(&joints[3].dof[0], law, 0.5);
    for (int i = 0; i < 4; i++)
        joint_add(b, &joints[i]);
}

static RgModel *make(const Scene *scene, bool with_ball)
{
    RgBuilder *b = scene_begin(scene->name);
    scene->add(b, scene->law);
    if (with_ball) {
        ground_add(b, surface_mu(0.5));
        ball_add(b, "ball", 1.0, 0.1, vec(-3.0, 0.0, 0.1 + 0.5 * GAP), surface_mu(0.5));
    }
    return scene_end(b);
}

static RgWorld *located(const RgModel *model, const char *coords, const char *solver)
{
    RgWorldDef def = world_def(model, coords, "rigid");
    def.solver = solver;
    return world_make(&def);
}

static void angles(const Scene *scene, RgWorld *world, double out[2])
{
    for (int i = 0; i < 2; i++)
        out[i] = world_angle(world, scene->joint[i]);
}

static void check_order(const Scene *scene, const char *coords, const char *solver)
{
    double truth[2], end[2], error[3];
    RgModel *alone = make(scene, false), *model = make(scene, true);
    RgWorld *twin = world_of(alone, coords, "reference");
    world_run(twin, 100, scene->time / 100.0);
    angles(scene, twin, truth);
    for (int k = 0; k < 3; k++) {
        double h = scene->h / (1 << k);
        RgWorld *world = located(model, coords, solver);
        world_run(world, (int)lround(scene->time / h), h);
        angles(scene, world, end);
        error[k] = fmax(fabs(end[0] - truth[0]), fabs(end[1] - truth[1]));
        rg_world_destroy(world);
    }
    for (int k = 1; k < 3; k++)
        cr_expect(error[k - 1] > 3.5 * error[k] && error[k - 1] < 4.5 * error[k] && error[0] < 0.05,
                  "%s, %s, %s: %g and %g", scene->name, coords, solver, error[k - 1], error[k]);
    world_end(twin, alone);
    rg_model_destroy(model);
}

static const Scene scenes[] = {
    {"spring pendulum", {"swing", "stretch"}, 0.64, 5e-3, add_pendulum, {60.0, 0.0}},
    {"damped arm", {"shoulder", "elbow"}, 0.64, 5e-3, add_arm, {2.0, 0.2}},
    {"sprung linkage", {"a", "b"}, 0.64, 5e-3, add_linkage, {40.0, 0.8}},
};
#define NSCENES (int)(sizeof scenes / sizeof scenes[0])

Test(springs, are_of_second_order_beside_contacts)
{
    static const char *const solvers[] = {"cone", "quick"};
    for (int i = 0; i < NSCENES; i++)
        for (int form = 0; form < 2; form++)
            for (int s = 0; s < 2; s++)
                check_order(&scenes[i], both_forms[form], solvers[s]);
}

/* Without a ball they fly; a spring that the step cannot follow does not. */
Test(springs, keep_their_energy)
{
    static const double stiffness[] = {60.0, 1e8};
    for (int i = 0; i < 2; i++)
        for (int form = 0; form < 2; form++) {
            Scene scene = scenes[0];
            scene.law.stiffness = stiffness[i];
            RgModel *model = make(&scene, false);
            RgWorld *world = located(model, both_forms[form], "cone");
            if (i == 1)
                cr_assert_eq(rg_world_set_state(world, (double[]){0.0, 0.1}, NULL), RG_OK);
            double first = world_energy(world);
            world_run(world, 500, 2e-3);
            double off = fabs(world_energy(world) - first);
            cr_expect(off < (i == 0 ? 1e-5 : 0.5), "%s, %g N/m: %g J", both_forms[form], stiffness[i], off);
            world_end(world, model);
        }
}

/* However strong dampers are, nothing grows or rings: everything stands still. */
Test(springs, huge_dampers_are_stable)
{
    for (int i = 1; i < NSCENES; i++)
        for (int form = 0; form < 2; form++) {
            Scene scene = scenes[i];
            scene.law = (Law){1e3, 1e9};
            RgModel *model = make(&scene, true);
            RgWorld *world = located(model, both_forms[form], "cone");
            world_run(world, 100, 0.01);
            cr_expect(check_largest(rg_world_v(world), 2) < 1e-5, "%s, %s: %g", scene.name, both_forms[form],
                      check_largest(rg_world_v(world), 2));
            world_end(world, model);
        }
}

static void add_sinker(RgBuilder *b, Law law)
{
    RgLinkId bob = link_add(b, "bob", inertia_box(0.7, vec(0, 0, 0), vec(0.1, 0.2, 0.1)));
    RgJointDef joint = joint_at(RG_JOINT_prismatic, "sink", (RgLinkId){0}, bob, vec(0.0, 0.0, 3.0), vec(0.0, 0.0, 1.0));
    put_law(&joint.dof[0], law, 0.0);
    joint_add(b, &joint);
}

/* What sinks through a damper does so at m g / d, whether its time m / d is longer or shorter than the step. */
Test(springs, weights_sink_at_their_speed)
{
    static const double damping[] = {20.0, 200.0, 1e4};
    for (int i = 0; i < 3; i++)
        for (int form = 0; form < 2; form++) {
            Scene scene = {"sinker", {"sink", "sink"}, 1.0, 0.01, add_sinker, {0.0, damping[i]}};
            RgModel *model = make(&scene, true);
            RgWorld *world = located(model, both_forms[form], "cone");
            for (int k = 0; k < 100; k++) {
                world_run(world, 1, 0.01);
                cr_expect(world_rate(world, "sink") < 0.0, "%s, %g: rings", both_forms[form], damping[i]);
            }
            double speed = 0.7 * 9.81 / damping[i];
            CHECK_NEAR(world_rate(world, "sink"), -speed, 1e-6 * speed, "m/s");
            world_end(world, model);
        }
}
