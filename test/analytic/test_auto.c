/*
 * test_auto.c - stepper auto against closed forms and against other steppers: the error follows the accuracy.
 *
 * Scenes and their motions are those of the benchmark of work against precision (bench/scenes/scene_precision.c).
 */
#include "check_near.h"
#include "scene_model.h"
#include "vectors.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BODIES = 16 };

typedef struct Made {
    SceneData *scene;
    RgModel *model;
    RgWorld *world;
} Made;

static Made make(const char *scene, const char *coords, double accuracy, int order)
{
    Made m = {.scene = scene_data_create(scene)};
    RgError error = {0};
    m.model = scene_model_create(m.scene, &error);
    RgAdaptOptions adapt = rg_adapt_options_default();
    adapt.accuracy = accuracy;
    adapt.order = order;
    RgWorldDef def = rg_world_def_default();
    def.model = m.model;
    def.coords = coords;
    def.stepper = "auto";
    def.gravity = m.scene->gravity;
    def.adapt = &adapt;
    m.world = rg_world_create(&def, &error);
    cr_assert_not_null(m.world, "%s: %s", scene, error.text);
    cr_assert_eq(scene_model_start(m.scene, m.world), RG_OK);
    return m;
}

static void end(Made *m)
{
    world_end(m->world, m->model);
    scene_data_destroy(m->scene);
}

/* So many outer steps to time t. */
static void go(Made *m, double t, int steps)
{
    for (int i = 0; i < steps; i++) {
        RgStepReport report;
        RgStatus status = rg_world_step(m->world, t / steps, &report);
        cr_assert_eq(status, RG_OK, "%s: %s", m->scene->name, report.offender);
    }
}

static double x_of(Made *m, int body)
{
    return scene_model_body(m->world, body).X_WB.p.x;
}

/* The ball slides until 2 v0 / (7 mu g), then rolls at 5/7 v0; resting heights are half a gap off, no more. */
Test(auto, sphere_slides_then_rolls)
{
    static const char *const forms[] = {"minimal", "maximal"};
    for (int f = 0; f < 2; f++) {
        Made m = make("sliding-sphere", forms[f], 1e-3, 2);
        double mu = m.scene->mu, g = -m.scene->gravity.z, v0 = m.scene->bodies[0].v.x;
        double t1 = 2.0 * v0 / (7.0 * mu * g), x1 = v0 * t1 - 0.5 * mu * g * t1 * t1;
        go(&m, 1.0, 3);
        CHECK_NEAR(x_of(&m, 0), x1 + 5.0 / 7.0 * v0 * (1.0 - t1), 1e-6, "m");
        CHECK_NEAR(scene_model_body(m.world, 0).X_WB.p.z, 0.1, 1.1e-7, "m");
        end(&m);
    }
}

Test(auto, boxes_slide_and_stop)
{
    Made m = make("box-stop", "minimal", 1e-3, 2);
    double a = m.scene->gravity.x + m.scene->mu * m.scene->gravity.z, v0 = m.scene->bodies[0].v.x;
    go(&m, 1.5, 2);
    CHECK_NEAR(x_of(&m, 0), -0.5 * v0 * v0 / a, 1e-6, "m");
    CHECK_NEAR(x_of(&m, 1), 0.0, 1e-9, "m");
    end(&m);
}

/* Smooth motion: the distance to the finest run shrinks with the accuracy, about as fast. */
Test(auto, error_follows_the_accuracy)
{
    double x[4], errors[3];
    for (int i = 0; i < 4; i++) {
        Made m = make("double-pendulum", "minimal", i < 3 ? 1e-3 * pow(1e-2, i) : 1e-12, 2);
        go(&m, 2.0, 1);
        x[i] = x_of(&m, 1);
        end(&m);
    }
    for (int i = 0; i < 3; i++)
        errors[i] = fabs(x[i] - x[3]);
    cr_expect_lt(errors[0], 1e-2);
    cr_expect_lt(errors[1], 1e-4);
    cr_expect_lt(errors[2], 1e-6);
}

/* Ten balls: a tight run and a loose one; the outer step is no matter of accuracy. */
Test(auto, balls_agree_whatever_the_outer_step)
{
    RgVec3 p[3][MOST_BODIES];
    static const double accuracy[3] = {1e-5, 1e-3, 1e-3};
    static const int steps[3] = {1, 1, 16};
    for (int k = 0; k < 3; k++) {
        Made m = make("ten-balls", "maximal", accuracy[k], 2);
        go(&m, 0.4, steps[k]);
        for (int i = 0; i < m.scene->nbodies; i++)
            p[k][i] = scene_model_body(m.world, i).X_WB.p;
        end(&m);
    }
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < 10; i++)
            cr_expect_lt(vec_distance(p[k][i], p[0][i]), 2e-3, "ball %d: %g m", i, vec_distance(p[k][i], p[0][i]));
}

/* First order: error control alone brings the plain step nearer. */
Test(auto, plain_steps_by_error)
{
    double a = 0.0, error[2];
    for (int k = 0; k < 2; k++) {
        Made m = make("box-slope", "minimal", k == 0 ? 1e-2 : 1e-5, 1);
        a = m.scene->gravity.x + m.scene->mu * m.scene->gravity.z;
        go(&m, 1.0, 10);
        error[k] = fabs(x_of(&m, 0) - 0.5 * a);
        end(&m);
    }
    cr_expect_lt(error[0], 2e-2);
    cr_expect_lt(error[1], 1e-3);
    cr_expect_gt(error[0], error[1]);
}

/* A saved state goes on with the same bits, in the middle of everything. */
Test(auto, restart)
{
    Made one = make("ten-balls", "minimal", 1e-3, 2), two = make("ten-balls", "minimal", 1e-3, 2);
    go(&one, 0.27, 9);
    size_t size = rg_world_state_size(one.world);
    void *state = malloc(size);
    rg_world_state_save(one.world, state);
    cr_assert_eq(rg_world_state_load(two.world, state, size), RG_OK);
    free(state);
    go(&one, 0.09, 3);
    go(&two, 0.09, 3);
    cr_expect_eq(rg_world_hash(one.world), rg_world_hash(two.world));
    end(&one);
    end(&two);
}
