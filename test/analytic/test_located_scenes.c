/*
 * test_located_scenes.c - thrown, shot and stacked things: the scenes of rigor-bench-located are what they say, plain
 * steppers miss and overlap in them, and those that locate events do not.
 */
#include "check_near.h"
#include "located_shots.h"
#include "located_thrown.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <string.h>

/* ------------------------------------------------------------------ the scenes themselves */

static double least_distance(RgWorld *world)
{
    RgShapeDistance pair[8];
    int count = 0;
    cr_assert_eq(rg_world_distances(world, 1.0, pair, 8, &count, NULL), RG_OK);
    double least = (double)INFINITY;
    for (int i = 0; i < count; i++)
        if (pair[i].shape_a.i == 1) /* what was shot */
            least = fmin(least, pair[i].distance.distance);
    return least;
}

/* Distance of the shot from what it hits after a time of motion through everything. */
static double distance_after(const Shot *shot, double t)
{
    RgWorldDef def = rg_world_def_default();
    def.model = shot->model;
    def.contact = false;
    def.gravity = vec(0.0, 0.0, 0.0);
    RgWorld *world = rg_world_create(&def, NULL);
    shot_start(shot, world);
    cr_assert_eq(rg_world_step(world, t, NULL), RG_OK);
    double least = least_distance(world);
    rg_world_destroy(world);
    return least;
}

/* The closed forms of the first touch against signed distances of the shapes. */
Test(located_scenes, shots_touch_when_they_say)
{
    for (int kind = 0; kind < SHOT_CHAIN; kind++)
        for (uint64_t seed = 1; seed <= 20; seed++) {
            Draw d = draw_seed(seed);
            Shot shot = shot_create((ShotKind)kind, 100.0, 0.01, &d);
            if (!isnan(shot.touch)) {
                CHECK_NEAR(distance_after(&shot, shot.touch), 0.0, 1e-6, "m");
                cr_assert_gt(distance_after(&shot, 0.95 * shot.touch), 1e-5, "%s %d", shot_names[kind], (int)seed);
            }
            shot_destroy(&shot);
        }
}

Test(located_scenes, clear_shots_are_clear)
{
    int clear = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        Draw d = draw_seed(seed);
        Shot shot = shot_create(SHOT_GATE, 0.0, 0.01, &d);
        for (int i = 1; isnan(shot.touch) && i <= 200; i++)
            cr_assert_gt(distance_after(&shot, i * shot.end / 200.0), 0.0);
        clear += isnan(shot.touch);
        shot_destroy(&shot);
    }
    cr_assert(clear > 0 && clear < 60, "%d", clear);
}

Test(located_scenes, the_die_starts_as_published)
{
    RgModel *model = thrown_die_model(1.0);
    LocatedSetup setup = located_setup("rk4", "cone");
    setup.gravity = vec(0.0, -9.81, 0.0);
    RgWorld *world = located_world(model, &setup, NULL);
    thrown_die_start(world);
    CHECK_NEAR(rg_model_info(model).mass, 1.0, 1e-12, "kg");

    /* Lowest corner at y = 1.10986; the velocities are those of the world's axes. */
    RgPose X = rg_world_link_pose(world, (RgLinkId){1});
    double low = X.p.y - 0.5 * (fabs(X.R.m[1][0]) + fabs(X.R.m[1][1]) + fabs(X.R.m[1][2]));
    CHECK_NEAR(low, 1.10986, 1e-5, "m");
    CHECK_NEAR(rg_world_link_twist(world, (RgLinkId){1}).w.y, -4.44450578393624, 1e-12, "rad/s");
    world_end(world, model);
}

/* ------------------------------------------------------------------ steppers */

/* Shots of all kinds but the chain at one nominal step: how many are missed, overlap by more than round-off, or are
   refused. */
typedef struct Score {
    int missed, overlaps, refused, stopped;
} Score;

static void shoot(const char *stepper, const Shot *shot, double h, Score *score)
{
    LocatedSetup setup = located_setup(stepper, "cone");
    setup.gravity = shot->gravity;
    RgWorld *world = located_world(shot->model, &setup, NULL);
    cr_assert_not_null(world);
    shot_start(shot, world);
    ShotJudge judge = {.shot = shot, .t = (double)NAN};
    shot_look(world, &judge);
    LocatedWatch watch = {
        .h = h, .time = shot->end, .seconds = 20.0, .measures = true, .look = shot_look, .look_context = &judge};
    LocatedRun run = located_run(world, &watch);
    score->missed += run.why[0] == '\0' && shot_missed(&judge, world);
    score->stopped += shot_stopped_by_nothing(&judge, world);
    score->overlaps += run.least_measured < -1e-12;
    score->refused += run.why[0] != '\0';
    rg_world_destroy(world);
}

static Score shoot_all(const char *stepper, double h)
{
    Score score = {0, 0, 0, 0};
    for (int kind = 0; kind < SHOT_CHAIN; kind++)
        for (uint64_t seed = 1; seed <= 6; seed++) {
            Draw d = draw_seed(seed);
            double speed = seed % 2 == 0 ? 10000.0 : 100.0;
            Shot shot = shot_create((ShotKind)kind, speed, h, &d);
            shoot(stepper, &shot, h, &score);
            shot_destroy(&shot);
        }
    return score;
}

Test(located_scenes, plain_steppers_miss)
{
    cr_assert_gt(shoot_all("rk4", 0.01).missed, 5);
    cr_assert_gt(shoot_all("semi-implicit", 0.01).missed, 5);
}

static void check_no_miss(const char *stepper)
{
    static const double steps[] = {0.1, 0.001};
    for (int i = 0; i < 2; i++) {
        Score score = shoot_all(stepper, steps[i]);
        cr_expect_eq(score.missed, 0, "%s at %g s: %d missed", stepper, steps[i], score.missed);
        cr_expect_eq(score.overlaps, 0, "%s at %g s: %d overlap", stepper, steps[i], score.overlaps);
        cr_expect_eq(score.refused, 0, "%s at %g s: %d refused", stepper, steps[i], score.refused);
        cr_expect_eq(score.stopped, 0, "%s at %g s: %d stopped by nothing", stepper, steps[i], score.stopped);
    }
}

Test(located_scenes, advance_misses_nothing)
{
    check_no_miss("advance");
}

Test(located_scenes, c2a_misses_nothing)
{
    check_no_miss("c2a");
}

Test(located_scenes, rigid_misses_nothing)
{
    check_no_miss("rigid");
}

/* The die lies flat on a face, never overlapped, in steps a hundred times as long as published. */
Test(located_scenes, rigid_throws_the_die)
{
    static const char *const solvers[] = {"no-slip", "cone", "dantzig"};
    RgModel *model = thrown_die_model(1.0);
    for (int i = 0; i < 3; i++) {
        LocatedSetup setup = located_setup("rigid", solvers[i]);
        setup.gravity = vec(0.0, -9.81, 0.0);
        RgWorld *world = located_world(model, &setup, NULL);
        cr_assert_not_null(world);
        thrown_die_start(world);
        LocatedWatch watch = {
            .h = THROWN_STEP, .time = THROWN_TIME, .rest_energy = THROWN_REST, .seconds = 20.0, .measures = true};
        LocatedRun run = located_run(world, &watch);
        double angle;
        thrown_die_face(world, &angle);
        cr_expect_str_empty(run.why);
        cr_expect(run.rest < 5.0, "%s: rest at %g s", solvers[i], run.rest);
        cr_expect_lt(angle, 1e-6);
        cr_expect_geq(run.least_measured, -1e-12);
        cr_expect_geq(run.statistics.least_distance, -1e-12);
        cr_expect_gt(run.mean, 100.0 * 2.7e-5);
        rg_world_destroy(world);
    }
    rg_model_destroy(model);
}

Test(located_scenes, rigid_throws)
{
    for (int i = 0; i < 2 * THROWN_KINDS * THROWN_GROUNDS; i++) {
        Throw t = {i % THROWN_KINDS, i / THROWN_KINDS % THROWN_GROUNDS, (uint64_t)i + 1};
        RgModel *model = thrown_model(&t);
        LocatedSetup setup = located_setup("rigid", "cone");
        RgWorld *world = located_world(model, &setup, NULL);
        cr_assert_not_null(world);
        thrown_start(&t, world);
        LocatedWatch watch = {
            .h = THROWN_STEP, .time = THROWN_TIME, .rest_energy = THROWN_REST, .seconds = 20.0, .measures = true};
        LocatedRun run = located_run(world, &watch);
        cr_expect_str_empty(run.why);
        cr_expect(!isnan(run.rest) || !thrown_must_rest(&t), "throw %d moves", i + 1);
        cr_expect_geq(run.least_measured, -1e-12, "throw %d overlaps", i + 1);
        world_end(world, model);
    }
}
