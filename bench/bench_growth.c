/*
 * bench_growth.c - cost of a step with 100 to 100,000 contact points: separate stacks, and one island.
 *
 * growth-N: stacks of five cubes apart from each other; wall-N: a wall of five rows that hang together. The
 * first steps, in which memory grows and the first impulses are found, are not timed; then the time a step is
 * the mean of several, and the best of several runs counts. At rest quick needs a sweep or two; "quick 50" and
 * pgs make 50 whatever happens. Error: what the scene measures (height of the top, mm).
 */
#include "bench.h"
#include "scene_model.h"

#include <math.h>
#include <stdlib.h>

/* Steps before the clock runs; contact points by steps that are timed; fewest of those. */
#define WARM_STEPS 5
#define POINTS_TIMED 400000
#define STEPS_MIN 4
#define RUNS 3

typedef struct Way {
    const char *name, *solver;
    int sweeps; /* fixed number of sweeps; 0: the solver's default */
} Way;

static const Way ways[] = {{"quick", "quick", 0}, {"quick 50", "quick", 50}, {"pgs", "pgs", 0}};
static const int sizes[] = {100, 300, 1000, 3000, 10000, 30000, 100000};

static RgWorld *make_world(const RgModel *model, const SceneData *scene, const Way *way)
{
    RgWorldDef def = rg_world_def_default();
    RgQuickOptions quick = rg_quick_options_default();
    def.model = model;
    def.solver = way->solver;
    if (way->sweeps > 0) {
        quick.max_sweeps = way->sweeps;
        quick.tolerance = 0.0;
        def.quick = &quick;
    }
    def.gravity = scene->gravity;
    RgWorld *world = rg_world_create(&def, NULL);
    bench_expect(world != NULL && scene_model_start(scene, world) == RG_OK, "rg_world_create");
    return world;
}

/* The scene's first error at the end of a run. */
static double measure_error(const SceneData *scene, RgWorld *world)
{
    SceneMeasure measure = scene_measure_begin(scene);
    SceneBodyState *states = calloc((size_t)scene->nbodies, sizeof *states);
    bench_expect(states != NULL, "memory");
    for (int i = 0; i < scene->nbodies; i++)
        states[i] = scene_model_body(world, i);
    scene_measure_sample(&measure, states);
    free(states);
    return measure.value[0];
}

static void run_scene(BenchOut *out, const char *kind, int contacts, const Way *way)
{
    char name[24];
    snprintf(name, sizeof name, "%s-%d", kind, contacts);
    SceneData *scene = scene_data_create(name);
    RgModel *model = scene != NULL ? scene_model_create(scene, NULL) : NULL;
    bench_expect(model != NULL, name);
    int steps = POINTS_TIMED / contacts > STEPS_MIN ? POINTS_TIMED / contacts : STEPS_MIN;
    BenchRow row = {
        .scene = name, .what = way->name, .coords = "minimal", .value = INFINITY, .unit = "us/step", .error = NAN};
    for (int run = 0; run < (out->quick ? 1 : RUNS); run++) {
        RgWorld *world = make_world(model, scene, way);
        RgStepReport report;
        for (int i = 0; i < WARM_STEPS; i++)
            bench_expect(rg_world_step(world, scene->dt, &report) == RG_OK, "rg_world_step");
        double start = bench_now();
        for (int i = 0; i < steps; i++)
            rg_world_step(world, scene->dt, &report);
        row.value = fmin(row.value, 1e6 * (bench_now() - start) / steps);
        row.error = measure_error(scene, world);
        row.hash = rg_world_hash(world);
        rg_world_destroy(world);
    }
    row.error_unit = scene_error_names(scene->error).unit[0];
    bench_row(out, &row);
    rg_model_destroy(model);
    scene_data_destroy(scene);
}

void bench_growth(BenchOut *out)
{
    static const char *const kinds[] = {"growth", "wall"};
    bench_title(out, "A step with 100 to 100,000 contact points",
                "growth: separate stacks of five cubes; wall: all in one island; at rest; error: height of the top");
    for (int k = 0; k < 2; k++)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++)
            for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
                run_scene(out, kinds[k], sizes[i], &ways[w]);
}
