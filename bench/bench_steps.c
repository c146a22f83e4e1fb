/*
 * bench_steps.c - whole steps a second, each with the drift of energy that it paid.
 *
 * The chain: 100 rods of 1 m and 1 kg, hinged, released from horizontal, dt 1 ms, 2 s. Then the robots,
 * falling freely, and the
 * closed loops; every stepper, both coordinate forms. A row is the best of several runs.
 */
#include "bench.h"
#include "bench_reference.h"
#include "scenes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DT 1e-3

typedef struct StepRun {
    double rate;   /* steps/s */
    double drift;  /* largest change of energy, part of the largest kinetic energy */
    uint64_t hash; /* at the end */
} StepRun;

/* Steps on the clock; false where one is refused. */
static bool run_piece(RgWorld *world, int steps, double *seconds)
{
    bool good = true;
    double start = bench_now();
    for (int i = 0; good && i < steps; i++)
        good = rg_world_step(world, DT, NULL) == RG_OK;
    *seconds += bench_now() - start;
    return good;
}

static void run_once(RgWorld *world, int steps, StepRun *run)
{
    RgMomentum m;
    bench_expect(rg_world_momentum(world, &m) == RG_OK, "rg_world_momentum");
    double energy = m.kinetic + m.potential, kinetic = m.kinetic, drift = 0.0, seconds = 0.0;

    /* Ten pieces; the energy is looked at between them, off the clock. */
    bool good = true;
    for (int piece = 0; good && piece < 10; piece++) {
        good = run_piece(world, steps / 10, &seconds);
        rg_world_momentum(world, &m);
        kinetic = fmax(kinetic, m.kinetic);
        drift = fmax(drift, fabs(m.kinetic + m.potential - energy));
    }
    run->rate = good ? fmax(run->rate, (double)steps / seconds) : NAN;
    run->drift = drift / kinetic;
    run->hash = rg_world_hash(world);
}

static StepRun run_steps(const BenchOut *out, const Scene *scene, const char *coords, const char *stepper, int steps)
{
    StepRun run = {0};
    RgModel *model = scene->build();
    RgModelInfo info = rg_model_info(model);
    double *q = calloc((size_t)info.nq + 1, sizeof *q), *v = calloc((size_t)info.nv + 1, sizeof *v);
    bench_expect(q != NULL && v != NULL, "memory");
    scene->start(model, q, v);

    /* Again and again for a second, at least three times: the best counts. */
    double start = bench_now();
    for (int repeat = 0; repeat < (out->quick ? 1 : 3) || (!out->quick && bench_now() - start < 1.0); repeat++) {
        RgWorld *world = bench_world(model, coords, stepper);
        bench_expect(rg_world_set_state(world, q, v) == RG_OK, "rg_world_set_state");
        run_once(world, steps, &run);
        rg_world_destroy(world);
    }
    free(q);
    free(v);
    rg_model_destroy(model);
    return run;
}

static RgModel *chain100(void)
{
    return scene_chain(100);
}

static void start_chain(const RgModel *model, double *q, double *v)
{
    rg_model_neutral(model, q);
    memset(v, 0, sizeof *v * (size_t)rg_model_info(model).nv);
}

static void put(BenchOut *out, const char *scene, const char *stepper, const char *coords, StepRun run,
                const BenchPeer *peers)
{
    BenchRow row = {.scene = scene, .what = stepper, .coords = coords, .value = run.rate, .unit = "steps/s"};
    row.more_is_better = true;
    if (peers != NULL)
        memcpy(row.peer, peers, sizeof row.peer);
    row.error = run.drift;
    row.error_unit = "rel";
    row.hash = run.hash;
    bench_row(out, &row);
}

static void bench_chain(BenchOut *out)
{
    static const Scene chain = {"chain (100)", chain100, start_chain};
    static const BenchPeer peers[2] = {{"Bullet", BULLET_CHAIN_STEPS}, {"MuJoCo", MUJOCO_CHAIN_STEPS}};
    static const char *const runs[4][2] = {
        {"semi-implicit", "minimal"}, {"rk4", "minimal"}, {"semi-implicit", "maximal"}, {"rk4", "maximal"}};
    for (int i = 0; i < 4; i++) {
        StepRun run = run_steps(out, &chain, runs[i][1], runs[i][0], i < 2 ? 2000 : 500);
        put(out, chain.name, runs[i][0], runs[i][1], run, i == 0 ? peers : NULL);
    }
}

void bench_steps(BenchOut *out)
{
    static const char *const steppers[] = {"semi-implicit", "rk4"};
    bench_title(out, "Whole steps of 1 ms",
                "error: largest change of energy, part of the largest kinetic energy (all_joints has dampers)");
    bench_chain(out);
    for (const Scene *scene = scene_table; scene->name != NULL; scene++)
        for (int i = 0; i < 2 * rg_coords_count(); i++) {
            const char *stepper = steppers[i % 2], *coords = rg_coords_name(i / 2);
            put(out, scene->name, stepper, coords, run_steps(out, scene, coords, stepper, 500), NULL);
        }
}
