/*
 * test_contact_bits.c - runs with contact give the same bits: a second time, from a state saved in the middle,
 * while they are watched, and with any number of threads; and to round-off whatever the order of the bodies.
 *
 * RIGOR_LONG_RUNS in the environment: 2,000 steps of S2 (666 balls) instead of the small runs alone.
 */
#include "check_near.h"
#include "scene_contacts.h"
#include "vectors.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void Check(const ContactCase *from, const ContactRun *run, const char *what);

static void for_case(const ContactCase *c, const char *coords, const char *solver, Check *check)
{
    char what[100];
    RgWorldDef def = rg_world_def_default();
    def.coords = coords;
    def.solver = solver;
    snprintf(what, sizeof what, "%s, %s, %s", c->name, coords, solver);
    ContactRun run;
    cr_assert(contact_run_begin(c, def, &run), "%s", what);
    check(c, &run, what);
    contact_run_end(&run);
}

/* Every case in both forms and with both solvers that sweep. */
static void for_all(Check *check)
{
    for (const ContactCase *c = contact_cases; c->name != NULL; c++)
        for (int k = 0; k < 4; k++)
            for_case(c, both_forms[k % 2], k / 2 == 0 ? "quick" : "pgs", check);
}

/* The small ones with solvers that work to a residual. */
static void for_all_exact(Check *check)
{
    for (const ContactCase *c = contact_cases_exact; c->name != NULL; c++)
        for (int k = 0; contact_solvers_exact[k] != NULL; k++)
            for (int form = 0; form < 2; form++)
                for_case(c, both_forms[form], contact_solvers_exact[k], check);
}

static RgWorld *world_at_start(const ContactRun *run, const char *what)
{
    RgWorld *world = contact_run_world(run);
    cr_assert(world != NULL, "%s", what);
    return world;
}

static void run_steps(RgWorld *world, double h, int steps, const char *what)
{
    cr_assert(contact_run_steps(world, h, steps), "%s: a step was refused", what);
}

static char *saved_state(const RgWorld *world, size_t *size)
{
    *size = rg_world_state_size(world);
    char *state = malloc(*size);
    cr_assert(state != NULL);
    rg_world_state_save(world, state);
    return state;
}

/* The whole state: with the remembered contacts and their impulses. */
static void expect_same(const RgWorld *one, const RgWorld *two, const char *what, const char *when)
{
    size_t size[2];
    char *state[2] = {saved_state(one, &size[0]), saved_state(two, &size[1])};
    cr_expect(size[0] == size[1] && memcmp(state[0], state[1], size[0]) == 0, "%s: %s gives other bits", what, when);
    free(state[0]);
    free(state[1]);
}

static void check_restored(const ContactCase *from, const ContactRun *run, const char *what)
{
    RgWorld *one = world_at_start(run, what), *two = world_at_start(run, what);
    int half = from->steps / 2;
    run_steps(one, from->h, half, what);
    size_t size;
    char *state = saved_state(one, &size);
    run_steps(one, from->h, from->steps - half, what);

    /* Into a fresh world; then the same again in one that has been elsewhere, with other steps. */
    cr_assert(rg_world_state_load(two, state, size) == RG_OK);
    run_steps(two, from->h, from->steps - half, what);
    expect_same(one, two, what, "a restored state");
    run_steps(two, 0.5 * from->h, 3, what);
    cr_assert(rg_world_state_load(two, state, size) == RG_OK);
    run_steps(two, from->h, from->steps - half, what);
    expect_same(one, two, what, "a state restored in a used world");
    free(state);
    rg_world_destroy(one);
    rg_world_destroy(two);
}

Test(contact_bits, restored_state)
{
    for_all(check_restored);
}

Test(contact_bits, restored_state_with_exact_solvers)
{
    for_all_exact(check_restored);
}

static void check_watched(const ContactCase *from, const ContactRun *run, const char *what)
{
    RgWorld *one = world_at_start(run, what), *two = world_at_start(run, what);
    for (int i = 0; i < from->steps / 2; i++) {
        const RgContactForce *forces;
        RgContactView view;
        RgForce reaction;
        run_steps(one, from->h, 1, what);
        run_steps(two, from->h, 1, what);
        rg_world_contact_forces(two, &forces);
        rg_world_contacts(two, NULL, &view, NULL);
        rg_world_contact_forces(two, &forces);
        rg_world_momentum(two, &(RgMomentum){0});
        rg_world_joint_reaction(two, (RgJointId){1}, &reaction);
    }
    expect_same(one, two, what, "watching");
    rg_world_destroy(one);
    rg_world_destroy(two);
}

Test(contact_bits, watched_world)
{
    for_all(check_watched);
}

/* Threads, from 1 to more than there are processors. */
static void compare_threads(const ContactCase *from, const ContactRun *run, const char *what)
{
    static const int threads[] = {2, 3, 8};
    RgWorld *one = world_at_start(run, what);
    run_steps(one, from->h, from->steps, what);
    for (int i = 0; i < 3; i++) {
        char when[32];
        ContactRun more = *run;
        more.def.threads = threads[i];
        RgWorld *other = world_at_start(&more, what);
        run_steps(other, from->h, from->steps, what);
        snprintf(when, sizeof when, "%d threads", threads[i]);
        expect_same(one, other, what, when);
        rg_world_destroy(other);
    }
    rg_world_destroy(one);
}

Test(contact_bits, any_number_of_threads)
{
    for_all(compare_threads);
}

static void compare_three_threads(const ContactCase *from, const ContactRun *run, const char *what)
{
    RgWorld *one = world_at_start(run, what);
    ContactRun more = *run;
    more.def.threads = 3;
    RgWorld *three = world_at_start(&more, what);
    run_steps(one, from->h, from->steps, what);
    run_steps(three, from->h, from->steps, what);
    cr_expect(rg_world_hash(one) == rg_world_hash(three), "%s: with three threads it is another", what);
    rg_world_destroy(one);
    rg_world_destroy(three);
}

Test(contact_bits, three_threads_with_exact_solvers)
{
    for_all_exact(compare_three_threads);
}

Test(contact_bits, long_run)
{
    if (getenv("RIGOR_LONG_RUNS") == NULL)
        cr_skip("RIGOR_LONG_RUNS is not set: 2,000 steps of S2 are left out");
    ContactRun run;
    cr_assert(contact_run_begin(&contact_case_long, rg_world_def_default(), &run));
    compare_threads(&contact_case_long, &run, "S2");
    check_restored(&contact_case_long, &run, "S2");
    contact_run_end(&run);
}

/* ------------------------------------------------------------------ order */

/* The last body becomes the first. */
static void reverse_bodies(SceneData *s)
{
    int n = s->nbodies;
    for (int i = 0; i < n / 2; i++) {
        SceneBody body = s->bodies[i];
        s->bodies[i] = s->bodies[n - 1 - i];
        s->bodies[n - 1 - i] = body;
    }
    for (int i = 0; i < s->nshapes; i++)
        s->shapes[i].body = n - 1 - s->shapes[i].body;
    for (int i = 0; i < s->nshapes / 2; i++) {
        SceneShape shape = s->shapes[i];
        s->shapes[i] = s->shapes[s->nshapes - 1 - i];
        s->shapes[s->nshapes - 1 - i] = shape;
    }
}

static RgWorld *world_of_scene(const SceneData *s, const RgModel *model)
{
    RgQuickOptions quick = rg_quick_options_default();
    quick.tolerance = 1e-13;
    quick.max_sweeps = 20000;
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.quick = &quick;
    RgWorld *world = rg_world_create(&def, NULL);
    cr_assert(world != NULL && scene_model_start(s, world) == RG_OK);
    return world;
}

/* With impulses solved down to round-off, the order in which a file names its bodies changes nothing but that:
   steps of up to 100 sweeps over sums of some metres, amplified by nothing in scenes that come to rest. */
#define SAME_IN_ANY_ORDER 1e-11 /* m */

static void check_order(const char *name, int bodies, int steps)
{
    SceneData *s[2] = {scene_data_create(name), scene_data_create(name)};
    if (bodies > 0)
        s[0]->nbodies = s[0]->nshapes = s[1]->nbodies = s[1]->nshapes = bodies;
    reverse_bodies(s[1]);
    RgModel *model[2] = {scene_model_create(s[0], NULL), scene_model_create(s[1], NULL)};
    RgWorld *world[2] = {world_of_scene(s[0], model[0]), world_of_scene(s[1], model[1])};
    for (int k = 0; k < 2; k++)
        run_steps(world[k], s[k]->dt, steps, name);
    for (int i = 0; i < s[0]->nbodies; i++) {
        RgVec3 a = scene_model_body(world[0], i).X_WB.p;
        RgVec3 b = scene_model_body(world[1], s[0]->nbodies - 1 - i).X_WB.p;
        CHECK_NEAR(vec_distance(a, b), 0.0, SAME_IN_ANY_ORDER, "m");
    }
    for (int k = 0; k < 2; k++) {
        rg_world_destroy(world[k]);
        rg_model_destroy(model[k]);
        scene_data_destroy(s[k]);
    }
}

Test(contact_bits, order_of_bodies)
{
    check_order("S2", 72, 60);
    check_order("S1j", 0, 40);
}
