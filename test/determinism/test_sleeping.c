/*
 * test_sleeping.c - bodies that sleep: frozen bit by bit, woken by whatever happens to them, and exact when woken.
 *
 * Exact means: a step after which nobody sleeps is, bit by bit, the step that a world without sleep takes from the
 * same saved state: positions, velocities, and with the impulses of the contacts, which sleepers keep. So a world
 * in which nobody ever falls asleep is the world without sleep.
 */
#include "check_near.h"
#include "scene_data.h"
#include "scene_model.h"
#include "scene_parts.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

static const char *const solvers[2] = {"quick", "pgs"};

/* ------------------------------------------------------------------ scenes */

/* Stacks of three cubes of 0.2 m, 2 m apart, and a ball high above the first; the floor is the last shape. */
static RgModel *stacks(int count)
{
    static char names[32][8];
    RgBuilder *b = scene_begin("stacks");
    for (int i = 0; i < 3 * count; i++) {
        RgShapeDef box = rg_shape_def_default();
        snprintf(names[i], sizeof names[i], "c%d", i);
        box.type = RG_SHAPE_box;
        box.size[0] = box.size[1] = box.size[2] = 0.2;
        box.link = link_add_at(b, names[i], inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)),
                               place_at(2.0 * (double)(i / 3), 0.004 * (i % 3), 0.1 + 0.2 * (i % 3)));
        rg_builder_add_shape(b, &box);
    }
    RgShapeDef ball = rg_shape_def_default(), floor = rg_shape_def_default();
    ball.type = RG_SHAPE_sphere;
    ball.size[0] = 0.1;
    ball.link =
        link_add_at(b, "ball", inertia_diagonal(0.5, vec(0, 0, 0), vec(2e-3, 2e-3, 2e-3)), place_at(0.03, 0.02, 6.0));
    rg_builder_add_shape(b, &ball);
    floor.type = RG_SHAPE_halfspace;
    rg_builder_add_shape(b, &floor);
    return scene_end(b);
}

/* Two hinged rods that rest on the floor with their ends; on the first, a cube stands. */
static RgModel *arms(void)
{
    static const char *const names[2][3] = {{"rod a", "hinge a", "a"}, {"rod b", "hinge b", "b"}};
    RgBuilder *b = scene_begin("arms");
    for (int i = 0; i < 2; i++) {
        RgShapeDef box = rg_shape_def_default();
        RgAxisDef axis = rg_axis_def_default();
        axis.friction = 0.01;
        axis.lower = -1.0;
        axis.upper = 0.0;
        box.type = RG_SHAPE_box;
        box.size[0] = 1.0;
        box.size[1] = box.size[2] = 0.2;
        box.X_LS = place_at(0.5, 0.0, 0.0);
        box.link = link_add(b, names[i][0], inertia_box(2.0, vec(0.5, 0, 0), vec(1.0, 0.2, 0.2)));
        rg_builder_add_shape(b, &box);
        RgJointDef joint =
            joint_at(RG_JOINT_revolute, names[i][1], (RgLinkId){0}, box.link, vec(0.0, 3.0 * i, 0.1), vec(0, 1, 0));
        joint.dof[0] = axis;
        joint_add(b, &joint);
    }
    RgShapeDef cube = rg_shape_def_default(), floor = rg_shape_def_default();
    cube.type = RG_SHAPE_box;
    cube.size[0] = cube.size[1] = cube.size[2] = 0.2;
    cube.link = link_add_at(b, "cube", inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)), place_at(0.7, 0.0, 0.3));
    rg_builder_add_shape(b, &cube);
    floor.type = RG_SHAPE_halfspace;
    rg_builder_add_shape(b, &floor);
    return scene_end(b);
}

static RgWorld *begin(const RgModel *model, int variant, double sleep_time)
{
    RgWorldDef def = world_def(model, both_forms[variant % 2], "semi-implicit");
    def.solver = solvers[variant / 2];
    def.sleeping = sleep_time >= 0.0;
    def.sleep_time = sleep_time >= 0.0 ? sleep_time : 0.5;
    return world_make(&def);
}

static int sleepers(RgWorld *world)
{
    int count = 0;
    for (int i = 1; i <= rg_model_info(rg_world_model(world)).links; i++)
        count += rg_world_is_asleep(world, (RgLinkId){i});
    return count;
}

static RgLinkId link_named(RgWorld *world, const char *name)
{
    RgLinkId link = rg_model_find_link(rg_world_model(world), name);
    cr_assert(link.i > 0, "%s", name);
    return link;
}

/* Runs until so many sleep. */
static void run_to_sleep(RgWorld *world, int count)
{
    for (int i = 0; i < 4000 && sleepers(world) < count; i++)
        world_run(world, 1, 2e-3);
    cr_assert(sleepers(world) == count, "%d sleep, not %d", sleepers(world), count);
}

/* Copies the state of one world into another. */
static void copy_state(const RgWorld *from, RgWorld *to)
{
    size_t size = rg_world_state_size(from);
    char *state = malloc(size);
    cr_assert(state != NULL);
    rg_world_state_save(from, state);
    cr_assert(rg_world_state_load(to, state, size) == RG_OK);
    free(state);
}

static bool same_forces(RgWorld *one, RgWorld *two)
{
    const RgContactForce *a, *b;
    int n = rg_world_contact_forces(one, &a);
    if (rg_world_contact_forces(two, &b) != n)
        return false;
    for (int i = 0; i < n; i++)
        if (vec_distance(a[i].force, b[i].force) != 0.0 || a[i].id != b[i].id)
            return false;
    return true;
}

/* ------------------------------------------------------------------ exact */

Test(sleeping, nobody_sleeps_same_bits)
{
    RgModel *models[2] = {stacks(2), arms()};
    for (int k = 0; k < 8; k++) {
        RgWorld *with = begin(models[k / 4], k % 4, 1e9), *without = begin(models[k / 4], k % 4, -1.0);
        for (int i = 0; i < 600; i++) {
            world_run(with, 1, 2e-3);
            world_run(without, 1, 2e-3);
            cr_assert(rg_world_hash(with) == rg_world_hash(without), "variant %d, step %d", k, i);
        }
        cr_expect(same_forces(with, without));
        rg_world_destroy(with);
        rg_world_destroy(without);
    }
    rg_model_destroy(models[0]);
    rg_model_destroy(models[1]);
}

/* The ball falls on a stack that sleeps: whenever nobody sleeps after a step, it was the step of a world without. */
Test(sleeping, woken_by_touch_exactly)
{
    RgModel *model = stacks(1);
    for (int k = 0; k < 4; k++) {
        RgWorld *world = begin(model, k, 0.1), *twin = begin(model, k, -1.0);
        int woken = 0, slept = 0;
        for (int i = 0; i < 800; i++) {
            int before = sleepers(world);
            copy_state(world, twin);
            world_run(world, 1, 2e-3);
            world_run(twin, 1, 2e-3);
            int after = sleepers(world);
            slept += after > before;
            woken += after < before;
            cr_assert(after > 0 || (rg_world_hash(world) == rg_world_hash(twin) && same_forces(world, twin)),
                      "variant %d, step %d: %d, then %d asleep", k, i, before, after);
        }
        cr_expect(slept > 0 && woken > 0, "variant %d: %d fell asleep, %d woke", k, slept, woken);
        rg_world_destroy(world);
        rg_world_destroy(twin);
    }
    rg_model_destroy(model);
}

Test(sleeping, woken_by_call_exactly)
{
    RgModel *model = arms();
    for (int k = 0; k < 4; k++) {
        RgWorld *world = begin(model, k, 0.1), *twin = begin(model, k, -1.0);
        run_to_sleep(world, 3);
        world_run(world, 50, 2e-3);
        copy_state(world, twin);
        rg_world_wake(world, (RgLinkId){0});
        cr_expect(sleepers(world) == 0);
        for (int i = 0; i < 20; i++) {
            world_run(world, 1, 2e-3);
            world_run(twin, 1, 2e-3);
            cr_assert(rg_world_hash(world) == rg_world_hash(twin), "variant %d, step %d", k, i);
            cr_assert(same_forces(world, twin), "forces of variant %d, step %d", k, i);
        }
        rg_world_destroy(world);
        rg_world_destroy(twin);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ asleep */

/* Nothing moves, and time goes on; of two stacks only the one that is pushed wakes. */
Test(sleeping, frozen_until_pushed)
{
    RgModel *model = stacks(2);
    for (int k = 0; k < 4; k++) {
        RgWorld *world = begin(model, k, 0.1);
        double start[14 * 7];
        RgStepReport r;
        run_to_sleep(world, 6);
        double t = rg_world_time(world);
        RgPose still = rg_world_link_pose(world, link_named(world, "c4"));
        run_to_sleep(world, 7);
        memcpy(start, rg_world_q(world), (size_t)rg_model_info(model).nq * sizeof *start);
        cr_assert(rg_world_step(world, 2e-3, &r) == RG_OK);
        cr_expect(r.sleeping == 7 && rg_world_time(world) > t);
        cr_expect(memcmp(start, rg_world_q(world), (size_t)rg_model_info(model).nq * sizeof *start) == 0);
        rg_world_set_link_wrench(world, link_named(world, "c2"), (RgForce){{0, 0, 0}, {15.0, 0, 0}});
        for (int i = 0; i < 50; i++) {
            cr_assert(rg_world_step(world, 2e-3, &r) == RG_OK);
            cr_expect(r.sleeping == 3 && r.contacts > 0, "%d asleep", r.sleeping);
        }
        RgPose now = rg_world_link_pose(world, link_named(world, "c4"));
        cr_expect(memcmp(&still, &now, sizeof now) == 0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A state that is saved in the middle of sleep goes on with the same bits in another world, sleepers and all. */
Test(sleeping, saved_and_restored)
{
    RgModel *model = stacks(2);
    for (int k = 0; k < 4; k++) {
        RgWorld *one = begin(model, k, 0.1), *two = begin(model, k, 0.1);
        run_to_sleep(one, 6);
        copy_state(one, two);
        for (int i = 0; i < 500; i++) {
            world_run(one, 1, 2e-3);
            world_run(two, 1, 2e-3);
            cr_assert(rg_world_hash(one) == rg_world_hash(two) && sleepers(one) == sleepers(two), "step %d", i);
        }
        rg_world_destroy(one);
        rg_world_destroy(two);
    }
    rg_model_destroy(model);
}

/* What is said of sleepers in a saved state is looked at before it is believed. */
Test(sleeping, damaged_states_are_refused)
{
    RgModel *model = stacks(1);
    RgModelInfo info = rg_model_info(model);
    RgWorld *world = begin(model, 0, 0.1);
    run_to_sleep(world, 4);
    size_t size = rg_world_state_size(world), wrenches = (size_t)info.links * sizeof(RgForce);
    size_t rest = wrenches + (size_t)info.nv * sizeof(double) + (size_t)info.bodies * 16;
    char *state = malloc(size);
    double bad[2] = {NAN, -1.0};
    int32_t flag = 2;
    uint64_t hash = rg_world_hash(world);
    rg_world_state_save(world, state);
    memcpy(state + size - 8, &bad[0], 8);
    cr_expect(rg_world_state_load(world, state, size) != RG_OK, "a wrench that is no number");
    rg_world_state_save(world, state);
    memcpy(state + size - rest, &bad[1], 8);
    cr_expect(rg_world_state_load(world, state, size) != RG_OK, "a time below zero");
    rg_world_state_save(world, state);
    memcpy(state + size - rest + 8, &flag, 4);
    cr_expect(rg_world_state_load(world, state, size) != RG_OK, "neither asleep nor awake");
    cr_expect(rg_world_hash(world) == hash && sleepers(world) == 4, "a refused state left traces");
    rg_world_state_save(world, state);
    cr_expect(rg_world_state_load(world, state, size) == RG_OK && sleepers(world) == 4);
    free(state);
    world_end(world, model);
}

/* Force upwards on a shape that others carry, N. */
static double carried(const RgContactForce *forces, int count, int shape)
{
    double up = 0.0;
    for (int i = 0; i < count; i++)
        up += forces[i].shape_b.i == shape ? forces[i].force.z : 0.0;
    return up;
}

/* Sensors do not notice: contact forces and joint loads of sleepers are those of the last step awake. */
static void check_forces(RgWorld *world)
{
    const RgContactForce *forces;
    RgForce load[2];
    RgJointId hinge = rg_model_find_joint(rg_world_model(world), "hinge a");
    run_to_sleep(world, 3);
    int count = rg_world_contact_forces(world, &forces);
    RgVec3 first = forces[0].force;
    cr_assert(count > 0 && rg_world_joint_reaction(world, hinge, &load[0]) == RG_OK);
    for (int i = 0; i < 5; i++) {
        world_run(world, 1, 2e-3);
        cr_assert(sleepers(world) == 3);
        cr_expect(rg_world_contact_forces(world, &forces) == count, "%d points", count);
        CHECK_NEAR(vec_distance(forces[0].force, first), 0.0, 1e-12, "N");
        CHECK_NEAR(carried(forces, count, 3), 9.81, 1e-3, "N"); /* the cube, as solved by 50 sweeps */
        cr_assert(rg_world_joint_reaction(world, hinge, &load[1]) == RG_OK);
        CHECK_NEAR(vec_distance(load[0].f, load[1].f), 0.0, 1e-6, "N");
        CHECK_NEAR(vec_distance(load[0].n, load[1].n), 0.0, 1e-6, "N m");
    }
}

Test(sleeping, forces_of_sleepers_are_told)
{
    RgModel *model = arms();
    for (int k = 0; k < 4; k++) {
        RgWorld *world = begin(model, k, 0.1);
        check_forces(world);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* A cube on a table that is welded to the world. */
static RgModel *table(void)
{
    RgBuilder *b = scene_begin("table");
    RgShapeDef top = rg_shape_def_default(), cube = rg_shape_def_default();
    top.type = cube.type = RG_SHAPE_box;
    top.size[0] = top.size[1] = 1.0;
    top.size[2] = cube.size[0] = cube.size[1] = cube.size[2] = 0.2;
    top.link = link_add(b, "table", inertia_box(5.0, vec(0, 0, 0), vec(1.0, 1.0, 0.2)));
    RgJointDef weld = joint_at(RG_JOINT_fixed, "weld", (RgLinkId){0}, top.link, vec(1.0, 0.0, 0.5), vec(0, 0, 1));
    joint_add(b, &weld);
    cube.link = link_add_at(b, "cube", inertia_box(1.0, vec(0, 0, 0), vec(0.2, 0.2, 0.2)), place_at(1.3, 0.0, 0.7));
    rg_builder_add_shape(b, &top);
    rg_builder_add_shape(b, &cube);
    return scene_end(b);
}

/* The weld carries table and cube, 0.3 m off its middle, also in a world that was given the state of sleepers. */
Test(sleeping, what_stands_still_carries_sleepers)
{
    RgModel *model = table();
    RgJointId weld = rg_model_find_joint(model, "weld");
    for (int k = 0; k < 4; k++) {
        RgWorld *world[2] = {begin(model, k, 0.1), begin(model, k, 0.1)};
        run_to_sleep(world[0], 1);
        world_run(world[0], 5, 2e-3);
        copy_state(world[0], world[1]);
        for (int i = 0; i < 2; i++) {
            RgForce load;
            world_run(world[i], 1, 2e-3);
            cr_assert(rg_world_joint_reaction(world[i], weld, &load) == RG_OK);
            CHECK_NEAR(load.f.z, 6.0 * 9.81, 1e-3, "N");
            CHECK_NEAR(vec_distance(load.n, vec(0.0, -0.3 * 9.81, 0.0)), 0.0, 1e-3, "N m");
            rg_world_destroy(world[i]);
        }
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ what wakes */

/* The arm and the cube on it sleep together; the motor wakes both, the other arm sleeps on. */
Test(sleeping, motor_wakes_its_robot_and_what_it_carries)
{
    RgModel *model = arms();
    for (int k = 0; k < 4; k++) {
        RgWorld *world = begin(model, k, 0.1);
        run_to_sleep(world, 3);
        RgJointId hinge = rg_model_find_joint(model, "hinge a");
        cr_assert(rg_world_set_joint_motor(world, hinge, 0, -0.5, 0.0) == RG_OK);
        cr_expect(sleepers(world) == 1, "a new motor wakes");
        run_to_sleep(world, 3);
        cr_assert(rg_world_set_joint_motor(world, hinge, 0, -0.5, 0.0) == RG_OK);
        cr_expect(sleepers(world) == 3, "the same motor again does not");
        cr_assert(rg_world_set_joint_motor(world, hinge, 0, -0.5, 100.0) == RG_OK);
        double high = rg_world_link_pose(world, link_named(world, "cube")).p.z;
        world_run(world, 200, 2e-3);
        cr_expect(rg_world_link_pose(world, link_named(world, "cube")).p.z > high + 0.05, "the cube is lifted");
        cr_expect(rg_world_is_asleep(world, link_named(world, "rod b")));
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* What carries is taken away: the arm is set elsewhere, the cube falls. */
Test(sleeping, support_that_is_removed_wakes)
{
    RgModel *model = arms();
    RgWorld *world = begin(model, 0, 0.1);
    run_to_sleep(world, 3);
    double up = -0.9;
    cr_assert(rg_world_set_joint_position(world, rg_model_find_joint(model, "hinge a"), &up) == RG_OK);
    cr_expect(sleepers(world) == 0);
    world_run(world, 100, 2e-3);
    cr_expect(rg_world_link_pose(world, link_named(world, "cube")).p.z < 0.29);
    world_end(world, model);
}

Test(sleeping, gravity_wakes)
{
    RgModel *model = stacks(1);
    RgWorld *world = begin(model, 0, 0.1);
    run_to_sleep(world, 4);
    cr_expect(rg_world_set_gravity(world, vec(0.0, 0.0, -9.81)) == RG_OK && sleepers(world) == 4);
    cr_expect(rg_world_set_gravity(world, vec(0.0, NAN, -9.81)) == RG_ERR_NOT_FINITE && sleepers(world) == 4);
    cr_expect(rg_world_set_gravity(world, vec(0.0, 0.0, 1.0)) == RG_OK && sleepers(world) == 0);
    world_run(world, 500, 2e-3);
    /* Overlaps of less than 1e-7 m are removed on the way. */
    CHECK_NEAR(rg_world_link_twist(world, link_named(world, "c2")).v.z, 1.0, 1e-5, "m/s");
    world_end(world, model);
}

/* A push that begins at 3 s. */
static void push_late(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)model;
    (*(int *)context)++;
    input->wrenches[0].f.x = state->t < 2.999 ? 0.125 : 80.0; /* friction holds 49 N */
}

Test(sleeping, input_wakes_when_it_changes)
{
    RgModel *model = stacks(2);
    for (int k = 0; k < 4; k++) {
        int asked = 0;
        RgWorldDef def = world_def(model, both_forms[k % 2], "semi-implicit");
        def.solver = solvers[k / 2];
        def.sleeping = true;
        def.sleep_time = 0.1;
        def.input = push_late;
        def.input_context = &asked;
        RgWorld *world = world_make(&def);
        while (rg_world_time(world) < 3.0 - 1e-9)
            world_run(world, 1, 2e-3);
        cr_expect(sleepers(world) == 7, "%d asleep", sleepers(world));
        int before = asked;
        world_run(world, 1, 2e-3);
        cr_expect(asked > before && !rg_world_is_asleep(world, (RgLinkId){1}), "awake in the step of the push");
        cr_expect(rg_world_is_asleep(world, (RgLinkId){4}), "the other stack sleeps on");
        cr_expect(rg_world_link_twist(world, (RgLinkId){1}).v.x > 0.0);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ options */

Test(sleeping, impossible_options_are_refused)
{
    RgModel *model = stacks(1);
    RgError error;
    RgWorldDef def = world_def(model, "minimal", "rk4");
    def.sleeping = true;
    cr_expect(rg_world_create(&def, &error) == NULL && error.status == RG_ERR_UNSUPPORTED);
    def.stepper = "semi-implicit";
    def.sleep_speed = -1.0;
    cr_expect(rg_world_create(&def, &error) == NULL && error.status == RG_ERR_ARGUMENT);
    def.sleep_speed = 1e-3;
    def.sleep_time = NAN;
    cr_expect(rg_world_create(&def, &error) == NULL && error.status == RG_ERR_ARGUMENT);
    rg_model_destroy(model);
}
