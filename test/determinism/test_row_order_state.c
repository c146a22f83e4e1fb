/*
 * test_row_order_state.c - preset `ode` shuffles rows: where its generator is belongs to the state, and to nothing
 * else.
 */
#include "scene_model.h"
#include "worlds.h"

#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

static RgWorld *heap(const SceneData *scene, const RgModel *model, int seed, int threads)
{
    RgContactLaw law;
    RgPgsOptions pgs;
    rg_pgs_preset("ode", &law, &pgs);
    pgs.seed = seed;
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = "maximal";
    def.solver = "pgs";
    def.law = &law;
    def.pgs = &pgs;
    def.threads = threads;
    RgWorld *world = rg_world_create(&def, NULL);
    cr_assert(world != NULL);
    scene_model_start(scene, world);
    return world;
}

static void run_on(RgWorld *world, double h, int steps)
{
    for (int i = 0; i < steps; i++)
        cr_assert(rg_world_step(world, h, NULL) == RG_OK);
}

/* Whether two worlds are in the same state, bit by bit. */
static bool same(const RgWorld *a, const RgWorld *b)
{
    size_t size = rg_world_state_size(a);
    if (rg_world_state_size(b) != size)
        return false;
    char *x = calloc(2, size);
    rg_world_state_save(a, x);
    rg_world_state_save(b, x + size);
    bool equal = memcmp(x, x + size, size) == 0;
    free(x);
    return equal;
}

Test(row_order_state, shuffles_go_on_from_a_saved_state)
{
    SceneData *scene = scene_data_create("S1j");
    RgModel *model = scene_model_create(scene, NULL);
    RgWorld *whole = heap(scene, model, 4, 1), *restored = heap(scene, model, 4, 3), *other = heap(scene, model, 5, 1);
    run_on(whole, scene->dt, 60);
    run_on(restored, scene->dt, 7); /* somewhere else */
    run_on(other, scene->dt, 60);
    cr_expect(!same(whole, other), "another seed shuffles otherwise");
    size_t size = rg_world_state_size(whole);
    void *saved = malloc(size);
    rg_world_state_save(whole, saved);
    cr_assert(rg_world_state_load(restored, saved, size) == RG_OK);
    run_on(whole, scene->dt, 60);
    run_on(restored, scene->dt, 60);
    cr_expect(same(whole, restored), "a restored state goes on with the same shuffles, by three threads as by one");
    free(saved);
    rg_world_destroy(whole);
    rg_world_destroy(restored);
    world_end(other, model);
    scene_data_destroy(scene);
}
