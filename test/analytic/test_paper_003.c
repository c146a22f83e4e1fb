/*
 * test_paper_003.c - the experiments of paper 003 that have an answer: a ball dropped, a box pushed, stacks with rows
 * solved in parallel chunks.
 */
#include "check_near.h"
#include "on_a_plane.h"
#include "scene_parts.h"
#include "worlds.h"

#define G 9.81

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
        bounced = bounced || plane_velocity(world).z > 1.0;
        highest = bounced ? fmax(highest, plane_height(world)) : 0.0;
    }
    CHECK_NEAR(highest, 1.0 + 0.25 * 4.0, 0.02, "m");
    rg_world_destroy(world);
}

Test(paper_003, ball_drop)
{
    PlaneBody ball = {RG_SHAPE_sphere, {1.0, 0.0, 0.0}, 1.0, 5.0, plane_surface(0.5)};
    ball.surface.restitution = 0.5;
    ball.surface.restitution_threshold = 0.01;
    RgModel *model = plane_model(&ball);
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
        double v = plane_velocity(world).x;
        reached = reached == 0.0 && v >= 1.0 ? rg_world_time(world) : reached;
        stopped = reached > 0.0 && v < 1e-6 ? rg_world_time(world) : 0.0;
    }
    double a = 0.2 / mass - mu * G;
    CHECK_NEAR(reached, 1.0 / a, 2.5 * h, "s");
    CHECK_NEAR(stopped - reached, 1.0 / (mu * G), 2.5 * h, "s");
    CHECK_NEAR(plane_height(world), 0.5, 1e-4, "m");
    rg_world_destroy(world);
}

Test(paper_003, box_push_stops_when_friction_says)
{
    PlaneBody box = plane_box(0.1);
    box.mass = 0.1;
    RgModel *model = plane_model(&box);
    for (int form = 0; form < 2; form++) {
        check_push(model, both_forms[form], "pgs", RG_FRICTION_CONE);
        check_push(model, both_forms[form], "pgs", RG_FRICTION_PYRAMID);
        check_push(model, both_forms[form], "quick", RG_FRICTION_CONE);
    }
    rg_model_destroy(model);
}
