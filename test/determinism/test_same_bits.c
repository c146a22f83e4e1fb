/*
 * test_same_bits.c - the same start gives the same bits: in a second world, and from a saved state.
 *
 * The state is all there is. A world that has run elsewhere, and then loads a saved state, must go on exactly
 * as the first one did:
 * no cache, no warm start, no counter may tell the difference. All scenes, all steppers, both coordinate
 * forms.
 */
#include "scenes.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef void Check(const RgModel *model, const Scene *scene, const char *stepper, const char *coords);

/* Every scene with every stepper in both forms. */
static void for_all(Check *check)
{
    for (const Scene *scene = scene_table; scene->name != NULL; scene++) {
        RgModel *model = scene->build();
        for (int i = 0; i < 2 * rg_stepper_count(); i++)
            check(model, scene, rg_stepper_name(i / 2), both_forms[i % 2]);
        rg_model_destroy(model);
    }
}

static RgWorld *begin(const RgModel *model, const Scene *scene, const char *stepper, const char *coords)
{
    RgModelInfo info = rg_model_info(model);
    double *q = calloc((size_t)info.nq + 1, sizeof *q), *v = calloc((size_t)info.nv + 1, sizeof *v);
    RgWorld *world = world_of(model, coords, stepper);
    scene->start(model, q, v);
    cr_assert(rg_world_set_state(world, q, v) == RG_OK);
    free(q);
    free(v);
    return world;
}

static void check_repeat(const RgModel *model, const Scene *scene, const char *stepper, const char *coords)
{
    RgWorld *one = begin(model, scene, stepper, coords), *two = begin(model, scene, stepper, coords);
    uint64_t start = rg_world_hash(one);
    world_run(one, 20, 1e-3);
    world_run(two, 20, 1e-3);
    cr_expect(rg_world_hash(one) == rg_world_hash(two), "%s %s %s", scene->name, stepper, coords);
    cr_expect(rg_world_hash(one) != start, "%s %s %s: the hash did not change", scene->name, stepper, coords);
    rg_world_destroy(one);
    rg_world_destroy(two);
}

Test(same_bits, second_run)
{
    for_all(check_repeat);
}

static void check_restore(const RgModel *model, const Scene *scene, const char *stepper, const char *coords)
{
    RgWorld *one = begin(model, scene, stepper, coords), *two = begin(model, scene, stepper, coords);
    size_t size = rg_world_state_size(one);
    char *saved = malloc(size), *end[2] = {malloc(size), malloc(size)};
    world_run(one, 10, 1e-3);
    rg_world_state_save(one, saved);
    world_run(one, 15, 1e-3);

    /* The second world has been elsewhere, with other step lengths, and has been asked for much else. */
    world_run(two, 5, 2e-3);
    world_energy(two);
    cr_assert(rg_world_state_load(two, saved, size) == RG_OK);
    world_run(two, 15, 1e-3);
    rg_world_state_save(one, end[0]);
    rg_world_state_save(two, end[1]);
    cr_expect(memcmp(end[0], end[1], size) == 0, "%s %s %s: other bits", scene->name, stepper, coords);
    cr_expect(rg_world_hash(one) == rg_world_hash(two), "%s %s %s: other hash", scene->name, stepper, coords);

    /* Once more in the first world itself. */
    cr_assert(rg_world_state_load(one, saved, size) == RG_OK);
    world_run(one, 15, 1e-3);
    cr_expect(rg_world_hash(one) == rg_world_hash(two), "%s %s %s: not in place", scene->name, stepper, coords);
    free(saved);
    free(end[0]);
    free(end[1]);
    rg_world_destroy(one);
    rg_world_destroy(two);
}

Test(same_bits, restored_state)
{
    for_all(check_restore);
}

/* Looking at a world does not change what it does next. */
static void check_looking(const RgModel *model, const Scene *scene, const char *stepper, const char *coords)
{
    RgWorld *one = begin(model, scene, stepper, coords), *two = begin(model, scene, stepper, coords);
    double *a = calloc((size_t)rg_model_info(model).nv + 1, sizeof *a);
    for (int i = 0; i < 10; i++) {
        RgForce reaction;
        world_run(one, 1, 1e-3);
        world_run(two, 1, 1e-3);
        world_energy(two);
        rg_world_acceleration(two, a);
        rg_world_joint_error(two);
        rg_world_link_twist(two, (RgLinkId){1});
        if (rg_model_info(model).joints > 0)
            rg_world_joint_reaction(two, (RgJointId){1}, &reaction);
    }
    cr_expect(rg_world_hash(one) == rg_world_hash(two), "%s %s %s", scene->name, stepper, coords);
    free(a);
    rg_world_destroy(one);
    rg_world_destroy(two);
}

Test(same_bits, watched_world)
{
    for_all(check_looking);
}

/* A saved state fits the model and the form that it was saved from, and no other. */
Test(same_bits, foreign_states_are_refused)
{
    RgModel *arm = scene_arm(), *box = scene_box();
    RgWorld *minimal = world_of(arm, "minimal", "rk4"), *maximal = world_of(arm, "maximal", "rk4");
    RgWorld *other = world_of(box, "minimal", "rk4");
    size_t size = rg_world_state_size(minimal);
    char *saved = calloc(size + 4096, 1);
    rg_world_state_save(minimal, saved);
    uint64_t hash = rg_world_hash(maximal);
    cr_expect(rg_world_state_load(maximal, saved, size) != RG_OK, "another form");
    cr_expect(rg_world_state_load(maximal, saved, rg_world_state_size(maximal)) != RG_OK, "another form, right size");
    cr_expect(rg_world_state_load(other, saved, rg_world_state_size(other)) != RG_OK, "another model");
    cr_expect(rg_world_state_load(minimal, saved, size - 8) != RG_OK, "too short");
    cr_expect(rg_world_state_load(minimal, saved, size) == RG_OK, "its own");
    cr_expect(rg_world_hash(maximal) == hash, "a refused state left traces");
    free(saved);
    rg_world_destroy(minimal);
    rg_world_destroy(maximal);
    world_end(other, arm);
    rg_model_destroy(box);
}
