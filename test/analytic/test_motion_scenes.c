/*
 * test_motion_scenes.c - scenes in motion: a file as plain data moves as the file's own model does, bit for bit; what
 * is written is read again; scenes of a seed start apart, with joints closed and inertias about principal axes;
 * overlap, energy and drift are measured as closed forms say.
 */
#define _POSIX_C_SOURCE 200809L
#include "check_near.h"
#include "motion_measure.h"
#include "scene_file.h"
#include "scene_from_file.h"
#include "scene_model.h"
#include "vectors.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char text[] =
    "dt 0.002\nsteps 200\ngravity 0 0 -9.81\nmu 0.6\nplane 1\nevery 4\nmeasure track\nself 1\n"
    "body 0 0 0 0  0.5 0 1 1 0 0 0 0 0 0 0 0 0 -1\nbox 0.05 1 1 0 0 0 1 0 0 0\n"
    "body 2 0.02 0.03 0.04  0 0 0.6 0.6 0.8 0 0  0.3 0 0 0 0 0.5 0\nbox 0.1 0.2 0.1 0.01 0 0 0.8 0 0.6 0\n"
    "body 0 0 0 0  0 0 0.6 1 0 0 0 0 0 0 0 0 0 0\n"
    "body 1 0.01 0.01 0.01  0 0 0.3 1 0 0 0 0.3 0 0 0 0 0.5 0\ncapsule 0.05 0.1 0 0 0 1 0 0 0\n"
    "body 1 0.01 0.01 0.01  0.02 0 0.1 1 0 0 0 0.3 0 0 0 0 0.5 0\n"
    "hull 5 0.1 0 0 -0.1 0.1 0 -0.1 -0.1 0 0 0 0.1 0 0 -0.05\n"
    "body 1 0.01 0.01 0.01  -0.2 0 0.4 1 0 0 0 1 0 0 0 0 0 -1\nsphere 0.06 0 0 0\n"
    "hinge 1 2 0 0 0.45 0 1 0 -1 1  20 1 0.1 0.3 2 0.4  0.01 0.1 3\n"
    "hinge 2 3 0 0 0.45 1 0 0 0 0  20 1 0 0 0 0  0.01 0.1 0\n"
    "hinge 3 4 0 0 0.17 1 0 0 -0.5 0.5  0 0 0 0 0 0  0 0 0\n"
    "nocollide 1 3\n";

/* A temporary name; the caller removes the file. */
static void make_path(char path[])
{
    int handle = mkstemp(path);
    cr_assert(handle >= 0);
    close(handle);
}

static void write_text(const char *path)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static uint64_t hash_of_data(const SceneData *s, int steps)
{
    RgError error = {0};
    RgModel *model = scene_model_create(s, &error);
    cr_assert_not_null(model, "%s", error.text);
    SceneDrives drives = scene_drives_begin(s, model);
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.gravity = s->gravity;
    def.input = scene_drive_input;
    def.input_context = &drives;
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    cr_assert_eq(scene_model_start(s, world), RG_OK);
    for (int i = 0; i < steps; i++)
        cr_assert_eq(rg_world_step(world, s->dt, NULL), RG_OK);
    uint64_t hash = rg_world_hash(world);
    world_end(world, model);
    scene_drives_end(&drives);
    return hash;
}

static uint64_t hash_of_file(const char *path, int steps)
{
    RgError error = {0};
    SceneFile *file = scene_file_read(path, &error);
    cr_assert_not_null(file, "%d: %s", error.line, error.text);
    RgWorldDef def = scene_file_world_def(file);
    RgWorld *world = rg_world_create(&def, &error);
    cr_assert_not_null(world, "%s", error.text);
    cr_assert_eq(scene_file_start(file, world), RG_OK);
    for (int i = 0; i < steps; i++)
        cr_assert_eq(rg_world_step(world, file->dt, NULL), RG_OK);
    uint64_t hash = rg_world_hash(world);
    rg_world_destroy(world);
    scene_file_destroy(file);
    return hash;
}

Test(motion_scenes, a_file_as_data_moves_as_its_own_model)
{
    char path[] = "/tmp/rigor_motion_XXXXXX";
    RgError error = {0};
    make_path(path);
    write_text(path);
    SceneData *s = scene_data_read(path, &error);
    cr_assert_not_null(s, "%d: %s", error.line, error.text);
    cr_assert(scene_has_massless(s) && scene_has_hulls(s) && s->every == 4 && s->self);
    cr_assert(!scene_may_touch(s, 3, 1) && scene_may_touch(s, 1, 4) && scene_may_touch(s, 0, 5));
    cr_expect_eq(hash_of_data(s, 200), hash_of_file(path, 200));

    /* What is written and read again has the same numbers, rotations to round-off. */
    cr_assert(scene_data_write(s, path));
    SceneData *again = scene_data_read(path, &error);
    cr_assert_not_null(again, "%d: %s", error.line, error.text);
    cr_assert(again->nbodies == s->nbodies && again->nshapes == s->nshapes && again->njoints == s->njoints);
    cr_assert(again->napart == s->napart && again->self == s->self && again->steps == s->steps);
    cr_assert_eq(memcmp(again->joints, s->joints, (size_t)s->njoints * sizeof *s->joints), 0);
    for (int i = 0; i < s->nbodies; i++) {
        cr_expect_eq(again->bodies[i].mass, s->bodies[i].mass);
        CHECK_NEAR_ALL(&again->bodies[i].X_WB.R.m[0][0], &s->bodies[i].X_WB.R.m[0][0], 9, 1e-15, "");
    }
    unlink(path);
    scene_data_destroy(again);
    scene_data_destroy(s);
}

/* ------------------------------------------------------------------ seeds */

static void check_start(const SceneData *s)
{
    SceneBodyState *states = calloc((size_t)s->nbodies, sizeof *states);
    double *zeros = calloc((size_t)s->njoints + 1, sizeof *zeros);
    MotionMeasure *m = motion_measure_begin(s, 1);
    cr_assert(m != NULL && states != NULL && zeros != NULL);
    for (int i = 0; i < s->nbodies; i++)
        states[i] = scene_body_start(&s->bodies[i]);
    for (int i = 0; i < 2; i++)
        motion_measure_step(m, states, zeros, zeros);
    MotionErrors e = motion_measure_end(m);
    CHECK_NEAR(e.worst, 0.0, 1e-12, "mm");
    CHECK_NEAR(e.joint_gap, 0.0, 1e-9, "mm");
    cr_expect(e.gain == 0.0 && e.lost == 0 && e.fallen == -1 && e.drift == -1.0);
    free(states);
    free(zeros);
}

Test(motion_scenes, seeds_give_other_scenes_that_start_apart)
{
    static const char *const names[] = {"boxes-1", "boxes-2", "hulls-1", "hulls-7", "ragdolls-1", "ragdolls-3"};
    for (int i = 0; i < 6; i++) {
        SceneData *s = scene_data_create(names[i]), *same = scene_data_create(names[i]);
        cr_assert(s != NULL && same != NULL, "%s", names[i]);
        cr_expect_eq(memcmp(s->bodies, same->bodies, (size_t)s->nbodies * sizeof *s->bodies), 0);
        check_start(s);
        if (i % 2 == 1) {
            SceneData *other = scene_data_create(names[i - 1]);
            cr_expect_neq(s->bodies[9].X_WB.p.x, other->bodies[9].X_WB.p.x);
            scene_data_destroy(other);
        }
        scene_data_destroy(same);
        scene_data_destroy(s);
    }
    cr_expect_null(scene_data_create("boxes-"));
    cr_expect_null(scene_data_create("boxes-x"));
}

/* The centred points have their centre of mass at 0 and no products of inertia. */
Test(motion_scenes, hulls_stand_in_their_principal_frames)
{
    SceneData *s = scene_data_create("hulls-5");
    for (int i = 0; i < s->nshapes; i++) {
        const SceneShape *shape = &s->shapes[i];
        const SceneBody *b = &s->bodies[shape->body];
        if (shape->kind != SCENE_HULL)
            continue;
        RgShapeDef def = rg_shape_def_default();
        RgInertia inertia;
        def.type = RG_SHAPE_polytope;
        def.size[0] = def.size[1] = def.size[2] = 1.0;
        def.mesh.vertices = shape->vertices;
        def.mesh.nvertices = shape->nvertices;
        cr_assert_eq(rg_shape_inertia(&def, 1000.0, &inertia), RG_OK);
        CHECK_NEAR(inertia.mass, b->mass, 1e-12 * b->mass, "kg");
        CHECK_NEAR(vec_norm(inertia.com), 0.0, 1e-14, "m");
        const double got[6] = {inertia.I.xx, inertia.I.yy, inertia.I.zz, inertia.I.xy, inertia.I.xz, inertia.I.yz};
        const double want[6] = {b->moments.x, b->moments.y, b->moments.z, 0.0, 0.0, 0.0};
        CHECK_NEAR_ALL(got, want, 6, 1e-12 * b->moments.z, "kg m^2");
    }
    scene_data_destroy(s);
}

/* ------------------------------------------------------------------ measure */

/* Ten balls: the second stands 3 mm deep in the first for the last step, and rose by 0.1 m at no cost. */
Test(motion_scenes, overlap_and_energy_are_those_of_closed_forms)
{
    SceneData *s = scene_data_create("S2");
    SceneBodyState *states = calloc((size_t)s->nbodies, sizeof *states);
    MotionMeasure *m = motion_measure_begin(s, 20);
    cr_assert(m != NULL && states != NULL);
    for (int i = 0; i < s->nbodies; i++) {
        states[i] = scene_body_start(&s->bodies[i]);
        states[i].X_WB.p = vec(3.0 * i, 0.0, 2.0);
    }
    double r = s->shapes[0].size[0], deep = 0.003, mass = s->bodies[1].mass;
    motion_measure_step(m, states, NULL, NULL);
    for (int i = 1; i <= 20; i++) {
        if (i == 20) {
            states[1].X_WB.p = vec_add(states[0].X_WB.p, vec(0.0, 0.0, 2.0 * r - deep));
            states[2].X_WB.p.z = -1.0;
        }
        motion_measure_step(m, states, NULL, NULL);
    }
    MotionErrors e = motion_measure_end(m);
    CHECK_NEAR(e.worst, 1e3 * (1.0 + r), 1e-9, "mm"); /* of the ball below the floor */
    CHECK_NEAR(e.late_mean, 1e3 * (deep + 1.0 + r) / 2.0, 1e-9, "mm");
    double rise = mass * 9.81 * (2.0 * r - deep) - s->bodies[2].mass * 9.81 * 3.0;
    CHECK_NEAR(e.gain, rise > 0.0 ? rise : 0.0, 1e-9, "J");
    cr_expect_eq(e.lost, 1);
    cr_expect_eq(e.steps, 20);
    free(states);
    scene_data_destroy(s);
}

/* A pendulum of one hinge that its drive lifts: work of the drive is no gain, and the same rise without it is. */
Test(motion_scenes, work_of_drives_is_taken_off)
{
    SceneBody body = {
        .name = "bob", .mass = 2.0, .moments = {0.1, 0.1, 0.1}, .X_WB = place_at(1.0, 0.0, 0.0), .group = -1};
    SceneJoint joint = {.parent = SCENE_WORLD, .axis = {0.0, -1.0, 0.0}, .driven = true, .kp = 100.0, .target = 0.5};
    SceneData s = {
        .name = "pendulum", .bodies = &body, .joints = &joint, .nbodies = 1, .njoints = 1, .dt = 1e-3, .every = 1000};
    s.gravity = vec(0.0, 0.0, -9.81);
    for (int driven = 0; driven < 2; driven++) {
        joint.driven = driven == 1;
        MotionMeasure *m = motion_measure_begin(&s, 100);
        cr_assert_not_null(m);
        double q = 0.0, rate = 0.0, inertia = 0.1 + 2.0;
        for (int i = 0; i <= 100; i++) {
            SceneBodyState x = {place_at(cos(q), 0.0, sin(q)), vec(-rate * sin(q), 0.0, rate * cos(q)),
                                vec(0.0, -rate, 0.0)};
            motion_measure_step(m, &x, &q, &rate);
            rate += s.dt * (100.0 * (0.5 - q) - 2.0 * 9.81 * cos(q)) / inertia;
            q += s.dt * rate;
        }
        MotionErrors e = motion_measure_end(m);
        double energy = 0.5 * inertia * rate * rate + 2.0 * 9.81 * sin(q);
        if (driven == 1)
            cr_expect_lt(e.gain, 0.01 * energy);
        else
            cr_expect_gt(e.gain, 0.9 * energy);
    }
}
