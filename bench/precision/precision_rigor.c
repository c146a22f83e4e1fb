/*
 * precision_rigor.c - runs of ours, through the public interface.
 */
#include "precision.h"
#include "scene_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct RigorRun {
    RgModel *model;
    RgWorld *world;
    double h;
    RgStatus status;
} RigorRun;

static void close_run(void *run)
{
    RigorRun *r = run;
    rg_world_destroy(r->world);
    rg_model_destroy(r->model);
    free(r);
}

static void step(void *run)
{
    RigorRun *r = run;
    if (r->status == RG_OK)
        r->status = rg_world_step(r->world, r->h, NULL);
}

static void read_body(void *run, int body, SceneBodyState *out)
{
    RigorRun *r = run;
    *out = scene_model_body(r->world, body);
}

static int64_t inner(void *run)
{
    RigorRun *r = run;
    return rg_world_step_statistics(r->world).steps;
}

static const char *refused(void *run)
{
    RigorRun *r = run;
    return r->status == RG_OK ? NULL : rg_status_text(r->status);
}

/* Sets the accuracy of a method, and the tolerance of events by it. */
static RgAdaptOptions adapt_for(const Method *m, double tolerance)
{
    RgAdaptOptions a = rg_adapt_options_default();
    if (m->knob == KNOB_TOLERANCE && strcmp(m->stepper, "auto") == 0) {
        a.accuracy = tolerance;
        a.order = m->order;
    }
    if (m->knob == KNOB_TOLERANCE && strcmp(m->stepper, "c2a") == 0)
        a.energy_relative = tolerance;
    if (m->knob == KNOB_TOLERANCE && strcmp(m->stepper, "reference") == 0)
        a.tolerance = tolerance;
    return a;
}

static RgWorldDef world_for(const Method *m, const SceneData *scene, const RgModel *model)
{
    RgWorldDef def = rg_world_def_default();
    def.model = model;
    def.coords = m->coords;
    def.stepper = m->stepper;
    def.solver = m->solver;
    def.gravity = scene->gravity;
    return def;
}

bool open_rigor(const Method *m, const SceneData *scene, double tolerance, Run *run, char why[160])
{
    RgError error = {0};
    RigorRun *r = calloc(1, sizeof *r);
    if (r == NULL)
        abort();
    RgAdaptOptions adapt = adapt_for(m, tolerance);
    r->h = scene->dt;
    r->model = scene_model_create(scene, &error);
    if (r->model != NULL) {
        RgWorldDef def = world_for(m, scene, r->model);
        def.adapt = &adapt;
        r->world = rg_world_create(&def, &error);
    }
    if (r->world == NULL || scene_model_start(scene, r->world) != RG_OK) {
        snprintf(why, 160, "%.150s", error.text);
        close_run(r);
        return false;
    }
    *run = (Run){r, step, read_body, inner, refused, close_run};
    return true;
}
