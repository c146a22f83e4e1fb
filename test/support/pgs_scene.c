/* pgs_scene.c - see pgs_scene.h. */
#include "pgs_scene.h"

#include "check_near.h"
#include "scene_model.h"
#include "worlds.h"

#include <stdlib.h>

static void add_work(RgSolverWork *sum, const RgSolverWork *w)
{
    sum->total += w->total;
    sum->erp += w->erp;
    sum->restitution += w->restitution;
    sum->springs += w->springs;
    sum->motors += w->motors;
    sum->friction += w->friction;
    sum->impacts += w->impacts;
    sum->rest += w->rest;
    sum->inertia += w->inertia;
    sum->split += w->split;
}

static PgsOutcome run(RgWorld *world, const SceneData *scene, int steps)
{
    PgsOutcome out = {0};
    SceneMeasure measure = scene_measure_begin(scene);
    SceneBodyState *states = calloc((size_t)scene->nbodies, sizeof *states);
    cr_assert(states != NULL);
    for (int i = 0; i < steps; i++) {
        RgStepReport r;
        cr_assert(rg_world_step(world, scene->dt, &r) == RG_OK, "%s refused", scene->name);
        out.sweeps += (double)r.sweeps / steps;
        out.residual += r.residual_velocity / steps;
        add_work(&out.sum, &r.work);
        for (int b = 0; b < scene->nbodies; b++)
            states[b] = scene_model_body(world, b);
        scene_measure_sample(&measure, states);
    }
    for (int k = 0; k < 3; k++)
        out.error[k] = measure.value[k];
    out.hash = rg_world_hash(world);
    free(states);
    return out;
}

PgsOutcome pgs_scene_run(const PgsScene *what)
{
    SceneData *scene = scene_data_create(what->name);
    RgError error = {0};
    cr_assert(scene != NULL, "no scene %s", what->name);
    RgModel *model = scene_model_create(scene, &error);
    cr_assert(model != NULL, "%s", error.text);
    SceneDrives drives = scene_drives_begin(scene, model);
    RgWorldDef def = world_def(model, what->coords, "semi-implicit");
    def.solver = what->solver;
    def.law = what->law;
    def.pgs = what->options;
    def.gravity = scene->gravity;
    def.input = scene_drive_input;
    def.input_context = &drives;
    def.threads = what->threads > 0 ? what->threads : 1;
    RgWorld *world = world_make(&def);
    scene_model_start(scene, world);
    PgsOutcome out = run(world, scene, what->steps > 0 ? what->steps : scene->steps);
    rg_world_destroy(world);
    scene_drives_end(&drives);
    rg_model_destroy(model);
    scene_data_destroy(scene);
    return out;
}
