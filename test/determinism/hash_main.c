/*
 * hash_main.c - prints "scene stepper coords hash", one line for each: the state after 300 steps of 1 ms;
 * before them the hashes of collision queries, of runs with contact, of controlled ones and of batches.
 *
 * Built with several compilers and levels of optimisation, all must print the same. The inputs are a feedback
 * of the state by
 * multiplications and sums alone, so that the hashes depend on the library, not on this program.
 */
#include "../support/scenes.h"
#include "hash_batch.h"
#include "hash_collision.h"
#include "hash_contact.h"
#include "hash_control.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS 300

/* Weak efforts that differ from joint to joint, and a wrench that grows on the last link. */
static void feedback(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)context;
    RgModelInfo info = rg_model_info(model);
    for (int i = 0; i < info.nv; i++)
        input->tau[i] += 0.125 * (double)(i % 3 - 1) - 0.0625 * state->v[i];
    input->wrenches[info.links - 1].f.y += 0.25 * state->t;
}

static bool run(const Scene *scene, const char *stepper, const char *coords)
{
    RgModel *model = scene->build();
    RgModelInfo info = rg_model_info(model);
    double *q = calloc((size_t)info.nq + 1, sizeof *q), *v = calloc((size_t)info.nv + 1, sizeof *v);
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.stepper = stepper;
    def.coords = coords;
    def.input = feedback;
    RgWorld *world = rg_world_create(&def, NULL);
    bool good = q != NULL && v != NULL && world != NULL;
    if (good) {
        scene->start(model, q, v);
        good = rg_world_set_state(world, q, v) == RG_OK;
    }
    for (int i = 0; good && i < STEPS; i++)
        good = rg_world_step(world, 1e-3, NULL) == RG_OK;
    if (good)
        printf("%s %s %s %016" PRIx64 "\n", scene->name, stepper, coords, rg_world_hash(world));
    else
        fprintf(stderr, "%s %s %s failed\n", scene->name, stepper, coords);
    rg_world_destroy(world);
    rg_model_destroy(model);
    free(q);
    free(v);
    return good;
}

int main(void)
{
    bool good = hash_collision() && hash_contact() && hash_control() && hash_batch();
    for (const Scene *scene = scene_table; scene->name != NULL; scene++)
        for (int i = 0; i < rg_stepper_count() * rg_coords_count(); i++)
            good &= run(scene, rg_stepper_name(i / rg_coords_count()), rg_coords_name(i % rg_coords_count()));
    return good ? 0 : 1;
}
