/*
 * test_forms.c - minimal against maximal coordinates: the same joint accelerations.
 *
 * 1,000 random forests of all joint kinds, with springs, dampers, rotors, efforts and wrenches; then forests
 * with random loop
 * joints, which are often redundant, from rest and in motion; then every scene. Relative errors as in
 * identities.h.
 */
#include "check_near.h"
#include "identities.h"
#include "scenes.h"
#include "worlds.h"

#include <stdlib.h>
#include <string.h>

#define TREES 1000
#define TOLERANCE 1e-9

Test(forms, accelerations_agree_on_random_trees)
{
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= TREES; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        double error = forms_error(model, &s);
        cr_expect(error <= TOLERANCE, "tree %u: error %.3g", (unsigned)seed, error);
        worst = fmax(worst, error);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
    cr_log_info("worst of %d trees: %.2g", TREES, worst);
}

/* Without loops a world and the tree algorithm say the same, once the passive forces are added. */
Test(forms, world_and_articulated_bodies_agree)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        RandomTree options = {.seed = seed};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        forms_error(model, &s);
        RgDynamics *dynamics = rg_dynamics_create(model, NULL);
        double *tau = calloc((size_t)s.nv + 1, sizeof *tau), *a = calloc((size_t)s.nv + 1, sizeof *a);
        rg_passive_forces(dynamics, s.q, s.v, tau);
        for (int i = 0; i < s.nv; i++)
            tau[i] += s.tau[i];
        cr_assert(rg_forward_dynamics(dynamics, s.q, s.v, tau, s.wrenches, a) == RG_OK);
        double error = relative_error(s.a, a, s.nv);
        cr_expect(error <= TOLERANCE, "tree %u: error %.3g", (unsigned)seed, error);
        free(tau);
        free(a);
        rg_dynamics_destroy(dynamics);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
}

/* Efforts and wrenches of rest do not matter to the loops; a few steps bring them into motion without
   breaking them. */
static void move_a_little(const RgModel *model, TestState *s, int steps)
{
    RgWorld *world = world_of(model, "minimal", "rk4");
    rg_model_neutral(model, s->q);
    memset(s->v, 0, sizeof *s->v * (size_t)s->nv);
    cr_assert(rg_world_set_state(world, s->q, s->v) == RG_OK);
    world_run(world, steps, 2e-3);
    memcpy(s->q, rg_world_q(world), sizeof *s->q * (size_t)s->nq);
    memcpy(s->v, rg_world_v(world), sizeof *s->v * (size_t)s->nv);
    rg_world_destroy(world);
}

Test(forms, accelerations_agree_with_random_loops)
{
    int loops = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        RandomTree options = {.seed = seed, .links = 4 + (int)(seed % 5), .loops = 1 + (int)(seed % 2)};
        RgModel *model = random_tree(&options);
        loops += rg_model_info(model).loops;
        TestState s = random_state(model, seed);
        move_a_little(model, &s, 0);
        double rest = forms_error(model, &s);
        move_a_little(model, &s, 20);
        double moving = forms_error(model, &s);
        cr_expect(rest <= TOLERANCE, "tree %u with loops, at rest: error %.3g", (unsigned)seed, rest);
        cr_expect(moving <= TOLERANCE, "tree %u with loops, moving: error %.3g", (unsigned)seed, moving);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
    cr_expect(loops > 100, "only %d loops were drawn", loops);
}

Test(forms, accelerations_agree_on_scenes)
{
    for (const Scene *scene = scene_table; scene->name != NULL; scene++) {
        RgModel *model = scene->build();
        TestState s = random_state(model, 1);
        scene->start(model, s.q, s.v);
        double error = forms_error(model, &s);
        cr_expect(error <= TOLERANCE, "%s: error %.3g", scene->name, error);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
}

/* Where a random mechanism is after 0.1 s: loops start at rest at the pose that closes them, trees
   anywhere. */
static double *end_of_motion(const RgModel *model, const TestState *s, const char *coords)
{
    RgWorld *world = world_of(model, coords, "reference");
    cr_assert(rg_world_set_state(world, s->q, s->v) == RG_OK);
    world_run(world, 20, 5e-3);
    double *end = calloc((size_t)(s->nq + s->nv) + 1, sizeof *end);
    memcpy(end, rg_world_q(world), sizeof *end * (size_t)s->nq);
    memcpy(end + s->nq, rg_world_v(world), sizeof *end * (size_t)s->nv);
    rg_world_destroy(world);
    return end;
}

Test(forms, motions_agree)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        bool loops = seed % 2 == 0;
        RandomTree options = {.seed = seed, .links = loops ? 6 : 0, .loops = loops ? 2 : 0};
        RgModel *model = random_tree(&options);
        TestState s = random_state(model, seed);
        if (loops)
            move_a_little(model, &s, 0);
        double *one = end_of_motion(model, &s, "minimal"), *two = end_of_motion(model, &s, "maximal");
        rg_difference_positions(model, one, two, s.a);
        double position = check_largest(s.a, (size_t)s.nv), scale = 1.0 + check_largest(one + s.nq, (size_t)s.nv);
        double velocity = relative_error(two + s.nq, one + s.nq, s.nv);
        cr_expect(position <= 1e-10 * scale && velocity <= 1e-9, "tree %u: positions %.3g, velocities %.3g apart",
                  (unsigned)seed, position, velocity);
        free(one);
        free(two);
        test_state_destroy(&s);
        rg_model_destroy(model);
    }
}
