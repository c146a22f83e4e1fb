/*
 * test_gait.c - the gait of the benchmarks' quadruped: 33 steps in 5 s, goals without jumps, efforts that do the work
 * of the forces on the feet, a robot that trots on the spot, and the same goals by the library's gait.
 */
#include "check_near.h"
#include "gait.h"
#include "vectors.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static RgModel *robot(int foot_vertices)
{
    RgError error;
    RgModel *model = gait_model_published(RIGOR_SOURCE_DIR "/models/links.sdf", foot_vertices, 1.0, &error);
    cr_assert_not_null(model, "%s", error.text);
    return model;
}

static RgWorld *trotting(const RgModel *model, Gait *gait)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.input = gait_input;
    def.input_context = gait;
    RgWorld *world = rg_world_create(&def, NULL);
    cr_assert_not_null(world);
    cr_assert_eq(gait_start(world), RG_OK);
    return world;
}

Test(gait, feet_stand_as_the_file_says)
{
    RgModel *model = robot(0);
    Gait *gait = gait_create(model);
    cr_assert_not_null(gait);
    RgWorld *world = trotting(model, gait);

    /* Toes of radius 1 cm begin 3.3 mm above the ground. */
    for (int foot = 0; foot < GAIT_FEET; foot++)
        CHECK_NEAR(rg_world_link_pose(world, gait->leg[foot].foot).p.z - 0.01, 3.3e-3, 1e-4, "m");
    CHECK_NEAR(rg_model_info(model).mass, 4.8, 1e-12, "kg");
    rg_world_destroy(world);
    gait_destroy(gait);
    rg_model_destroy(model);
}

Test(gait, steps_and_goals)
{
    RgModel *model = robot(0);
    Gait *gait = gait_create(model);
    RgVec3 up = vec(0.0, 0.0, 1.0);

    /* Two pairs of feet, one swing a period each: 33 in 5 s. Goals go at most as fast as they say, so nowhere jump. */
    int swings = 0;
    double h = 1e-5, top = 0.0;
    bool before[GAIT_FEET] = {false, false, false, false};
    for (int i = 0; i < 500000; i++) {
        double t = (i + 0.5) * h;
        for (int foot = 0; foot < GAIT_FEET; foot++) {
            bool now = gait_swings(gait, foot, t);
            swings += foot < 2 && now && !before[foot];
            before[foot] = now;
        }
        GaitGoal a = gait_goal(gait, i % GAIT_FEET, t, up), b = gait_goal(gait, i % GAIT_FEET, t + h, up);
        RgVec3 moved = vec_sub(b.x, a.x), told = vec_scale(0.5 * h, vec_add(a.v, b.v));
        cr_assert_lt(vec_distance(moved, told), 1e-8, "at %g s", t);
        top = fmax(top, a.x.z - gait->leg[i % GAIT_FEET].neutral.z);
    }
    cr_assert_eq(swings, 34, "%d", swings); /* the last has begun at 4.95 s */
    cr_assert(top > 0.03 && top < 0.04, "%g", top);
    gait_destroy(gait);
    rg_model_destroy(model);
}

/* Energy of the forces on a toe at 0.02 s, joints at rest at q: it is pulled by 1000 N/m times the way to its goal, and
   by 30 N s/m times the goal's velocity. */
static double pull_energy(const Gait *gait, int foot, const double *q)
{
    rg_forward_kinematics(gait->dynamics, q, NULL);
    RgPose X_BW = place_inverse(rg_link_pose(gait->dynamics, gait->base));
    RgVec3 x = place_point(X_BW, rg_link_pose(gait->dynamics, gait->leg[foot].foot).p);
    GaitGoal goal = gait_goal(gait, foot, 0.02, vec(0.0, 0.0, 1.0));
    double way = vec_distance(goal.x, x);
    return 500.0 * way * way - 30.0 * vec_dot(goal.v, x);
}

/* With the base held, that energy falls by what tau does. */
Test(gait, efforts_do_the_work_of_the_forces)
{
    RgModel *model = robot(0);
    Gait *gait = gait_create(model);
    RgWorld *world = trotting(model, gait);
    RgModelInfo info = rg_model_info(model);
    double *q = calloc((size_t)info.nq, sizeof *q), *tau = calloc((size_t)info.nv, sizeof *tau),
           *v = calloc((size_t)info.nv, sizeof *v);
    RgForce *wrenches = calloc((size_t)info.links, sizeof *wrenches);
    for (int i = 0; i < info.nq; i++)
        q[i] = rg_world_q(world)[i];
    RgInputState state = {0.02, q, v};
    RgInput input = {tau, wrenches};
    gait_input(model, &state, &input, gait);

    for (int i = 0; i < GAIT_FEET * GAIT_JOINTS; i++) {
        int foot = i / GAIT_JOINTS, at = gait->leg[foot].q[i % GAIT_JOINTS];
        double old = q[at], d = 1e-6;
        q[at] = old - d;
        double below = pull_energy(gait, foot, q);
        q[at] = old + d;
        double above = pull_energy(gait, foot, q);
        q[at] = old;
        CHECK_NEAR(tau[gait->leg[foot].v[i % GAIT_JOINTS]], (below - above) / (2.0 * d), 1e-6, "N m");
    }
    free(q);
    free(v);
    free(tau);
    free(wrenches);
    rg_world_destroy(world);
    gait_destroy(gait);
    rg_model_destroy(model);
}

Test(gait, it_trots_on_the_spot)
{
    RgModel *model = robot(0);
    Gait *gait = gait_create(model);
    RgWorld *world = trotting(model, gait);
    for (int i = 0; i < 3000; i++)
        cr_assert_eq(rg_world_step(world, 5e-4, NULL), RG_OK);
    RgPose base = rg_world_link_pose(world, gait->base);
    cr_assert(base.p.z > 0.12 && base.p.z < 0.2, "%g", base.p.z);
    cr_assert(base.R.m[2][2] > 0.95, "%g", base.R.m[2][2]);
    rg_world_destroy(world);
    gait_destroy(gait);
    rg_model_destroy(model);
}

/* The library's gait with the same numbers, feet waiting where they begin, over two periods. */
Test(gait, goals_of_the_library_are_the_same)
{
    static const double touchdown[GAIT_FEET] = {0.25, 0.75, 0.75, 0.25};
    RgModel *model = robot(0);
    Gait *gait = gait_create(model);
    RgVec3 up = vec(0.1, -0.2, 0.97), neutral[GAIT_FEET], first[GAIT_FEET], goal[GAIT_FEET], velocity[GAIT_FEET];
    bool stance[GAIT_FEET];
    for (int foot = 0; foot < GAIT_FEET; foot++) {
        neutral[foot] = gait->leg[foot].neutral;
        first[foot] = gait->leg[foot].first;
    }
    RgGait twin = {.period = 0.3,
                   .duty = 0.75,
                   .lift = 0.03,
                   .nfeet = GAIT_FEET,
                   .neutral = neutral,
                   .touchdown = touchdown,
                   .first = first};
    for (int i = 0; i < 6000; i++) {
        double t = (i + 0.5) * 1e-4;
        rg_gait_at(&twin, t, up, goal, velocity, stance);
        for (int foot = 0; foot < GAIT_FEET; foot++) {
            GaitGoal wanted = gait_goal(gait, foot, t, up);
            CHECK_NEAR(vec_distance(goal[foot], wanted.x), 0.0, 1e-15, "m");
            CHECK_NEAR(vec_distance(velocity[foot], wanted.v), 0.0, 1e-12, "m/s");
            cr_assert_eq(stance[foot], !gait_swings(gait, foot, t), "foot %d at %g s", foot, t);
        }
    }
    gait_destroy(gait);
    rg_model_destroy(model);
}
