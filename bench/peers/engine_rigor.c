/*
 * engine_rigor.c - the scenes in Rigor, through its public interface alone (scene_model.h).
 *
 * Settings: stepper semi-implicit, all else by default; an entry for each pair of coordinate form and solver,
 * listed at the foot. pgs makes the asked number of sweeps, as the iterative solvers of other engines do;
 * quick stops by its own residual; cone and dantzig go on to 1e-10 of what the rows miss without impulses.
 */
#include "engine.h"
#include "scene_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct RigorWorld {
    const SceneData *scene;
    RgModel *model;
    RgWorld *world;
    SceneDrives drives;
    bool failed; /* a step was refused */
} RigorWorld;

static void destroy(void *world)
{
    RigorWorld *w = world;
    rg_world_destroy(w->world);
    rg_model_destroy(w->model);
    scene_drives_end(&w->drives);
    free(w);
}

/* budget: quick makes all of its sweeps, unless one changes nothing. */
static void *create(const SceneData *scene, const PeerOptions *options, const char *coords, const char *solver,
                    bool budget)
{
    RigorWorld *w = calloc(1, sizeof *w);
    RgError error = {0};
    if (w == NULL)
        return NULL;
    w->scene = scene;
    w->model = scene_model_create(scene, &error);
    if (w->model != NULL) {
        w->drives = scene_drives_begin(scene, w->model);
        RgPgsOptions pgs = rg_pgs_options_default();
        pgs.iterations = options->iterations;
        RgQuickOptions quick = rg_quick_options_default();
        quick.max_sweeps = options->iterations;
        quick.tolerance = 0.0;
        RgWorldDef def = rg_world_def_default();
        def.model = w->model;
        def.coords = coords;
        def.solver = solver;
        def.pgs = &pgs;
        def.quick = budget ? &quick : NULL;
        def.threads = options->threads > 1 ? options->threads : 1;
        def.gravity = scene->gravity;
        def.input = scene_drive_input;
        def.input_context = &w->drives;
        w->world = rg_world_create(&def, &error);
    }
    if (w->world == NULL || scene_model_start(scene, w->world) != RG_OK) {
        fprintf(stderr, "rigor: %s\n", error.text);
        destroy(w);
        return NULL;
    }
    return w;
}

static void step(void *world)
{
    RigorWorld *w = world;
    w->failed = rg_world_step(w->world, w->scene->dt, NULL) != RG_OK || w->failed;
}

/* A step that was refused shows as a state that is lost. */
static void read_body(void *world, int i, SceneBodyState *out)
{
    RigorWorld *w = world;
    *out = scene_model_body(w->world, i);
    if (w->failed)
        out->X_WB.p.x = out->X_WB.p.y = out->X_WB.p.z = (double)NAN;
}

static void read_joint(void *world, int i, double *q, double *rate)
{
    RigorWorld *w = world;
    *q = rg_world_q(w->world)[w->drives.q[i]];
    *rate = rg_world_v(w->world)[w->drives.v[i]];
}

static const char *lacks_in_minimal(const SceneData *scene, const PeerOptions *options)
{
    (void)scene;
    (void)options;
    return NULL;
}

static const char *lacks_in_maximal(const SceneData *scene, const PeerOptions *options)
{
    (void)options;
    return scene_has_massless(scene) ? "no massless bodies in this form" : NULL;
}

/* ------------------------------------------------------------------ table entries */

/* name, coordinate form, solver, whether it has a budget, what the table calls it */
#define RIGOR_ENTRIES(X)                                                                                               \
    X(quick_minimal, minimal, "quick", false, "Rigor quick, minimal")                                                  \
    X(quick_maximal, maximal, "quick", false, "Rigor quick, maximal")                                                  \
    X(budget_maximal, maximal, "quick", true, "Rigor quick, budget")                                                   \
    X(pgs_minimal, minimal, "pgs", false, "Rigor pgs, minimal")                                                        \
    X(pgs_maximal, maximal, "pgs", false, "Rigor pgs, maximal")                                                        \
    X(cone_minimal, minimal, "cone", false, "Rigor cone, minimal")                                                     \
    X(cone_maximal, maximal, "cone", false, "Rigor cone, maximal")                                                     \
    X(dantzig_minimal, minimal, "dantzig", false, "Rigor dantzig, minimal")

#define RIGOR_ENTRY(name, coords, solver, budget, heading)                                                             \
    static void *create_##name(const SceneData *scene, const PeerOptions *options)                                     \
    {                                                                                                                  \
        return create(scene, options, #coords, solver, budget);                                                        \
    }                                                                                                                  \
    static const PeerEngine engine_##name = {.id = "rigor_" #name,                                                     \
                                             .title = heading,                                                         \
                                             .setting = "semi-implicit, " solver ", " #coords,                         \
                                             .version = rg_version,                                                    \
                                             .lacks = lacks_in_##coords,                                               \
                                             .create = create_##name,                                                  \
                                             .step = step,                                                             \
                                             .read = read_body,                                                        \
                                             .joint = read_joint,                                                      \
                                             .destroy = destroy};
RIGOR_ENTRIES(RIGOR_ENTRY)
#undef RIGOR_ENTRY

const PeerEngine *const *rigor_engines(void)
{
#define RIGOR_ENTRY(name, coords, solver, budget, heading) &engine_##name,
    static const PeerEngine *const engines[] = {RIGOR_ENTRIES(RIGOR_ENTRY) NULL};
#undef RIGOR_ENTRY
    return engines;
}
