/* batch_rigor.c - the rollouts by rg_batch, through the public interface alone. */
#define _POSIX_C_SOURCE 200809L
#include "batch_bench.h"
#include "child.h"
#include "scene_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const BatchWay batch_ways[] = {{"Rigor quick, minimal", "minimal", "quick", BATCH_ONE_CALL, 1},
                               {"  a call a step", "minimal", "quick", BATCH_CALL_A_STEP, 1},
                               {"  processes apart", "minimal", "quick", BATCH_PROCESSES, 1},
                               {"Rigor pgs, minimal", "minimal", "pgs", BATCH_ONE_CALL, 1},
                               {"Rigor pgs, maximal", "maximal", "pgs", BATCH_ONE_CALL, 2},
                               {"Rigor quick, maximal", "maximal", "quick", BATCH_ONE_CALL, 8},
                               {NULL, NULL, NULL, BATCH_ONE_CALL, 0}};

/* Steps before timing, which allocate memory and start threads. */
#define WARM_UP 20

/* 64 bits that differ in all places from number to number (Steele, Lea, Flood 2014, splitmix64). */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

RgVec3 batch_start(int run)
{
    double u[3];
    for (int i = 0; i < 3; i++)
        u[i] = START_SPEED * (0x1p-52 * (double)(mix(3 * (uint64_t)run + (uint64_t)i) >> 11) - 1.0);
    return (RgVec3){u[0], u[1], u[2]};
}

void batch_worst(double worst[SCENE_ERRORS], const double error[SCENE_ERRORS])
{
    for (int i = 0; i < SCENE_ERRORS; i++)
        if (!(error[i] <= worst[i]))
            worst[i] = isfinite(error[i]) ? error[i] : (double)INFINITY;
}

/* The scene's errors where the run stands. */
static void measure(int run, RgWorld *world, double *out, void *context)
{
    const SceneData *scene = context;
    SceneBodyState states[32];
    (void)run;
    for (int i = 0; i < scene->nbodies; i++)
        states[i] = scene_model_body(world, i);
    SceneMeasure m = scene_measure_begin(scene);
    scene_measure_sample(&m, states);
    memcpy(out, m.value, sizeof m.value);
}

typedef struct Bench {
    SceneData *scene;
    RgModel *model;
    SceneDrives drives;
    RgBatch *batch[2];        /* by one thread, by several */
    double *q, *v, *measured; /* of a piece: runs x nq, nv, SCENE_ERRORS */
    int nv, at;               /* where the trunk's velocity is */
    int share;                /* runs of a piece that this process makes, where there are several */
    int to[64], from[64];     /* pipes of the others */
} Bench;

static RgBatch *make_batch(Bench *b, const BatchWay *way, int runs, int threads)
{
    RgBatchDef def = rg_batch_def_default();
    def.world.model = b->model;
    def.world.coords = way->coords;
    def.world.solver = way->solver;
    def.world.gravity = b->scene->gravity;
    def.world.input = scene_drive_input;
    def.world.input_context = &b->drives;
    def.runs = runs;
    def.threads = threads;
    def.measure = measure;
    def.measure_context = b->scene;
    def.nmeasured = SCENE_ERRORS;
    RgError error = {0};
    RgBatch *batch = rg_batch_create(&def, &error);
    if (batch == NULL)
        fprintf(stderr, "rigor: %s\n", error.text);
    else if (rg_batch_threads(batch) != threads)
        fprintf(stderr, "rigor: %d threads are not to be had\n", threads);
    return batch;
}

static bool begin(Bench *b, const BatchWay *way, const BatchPlan *plan)
{
    b->scene = scene_data_create(BATCH_SCENE);
    b->model = scene_model_create(b->scene, NULL);
    if (b->model == NULL || b->scene->nbodies > 32)
        return false;
    b->drives = scene_drives_begin(b->scene, b->model);
    RgModelInfo info = rg_model_info(b->model);
    size_t runs = (size_t)plan->piece;
    b->nv = info.nv;
    b->at = rg_model_link(b->model, (RgLinkId){1}).v_index + 3;
    b->q = calloc(runs * (size_t)info.nq, sizeof *b->q);
    b->v = calloc(runs * (size_t)info.nv, sizeof *b->v);
    b->measured = calloc(runs * SCENE_ERRORS, sizeof *b->measured);
    if (b->q == NULL || b->v == NULL || b->measured == NULL)
        return false;
    bool apart = way->sort == BATCH_PROCESSES;
    b->share = apart ? plan->piece / plan->threads : plan->piece;
    for (int i = 0; i < 2; i++) {
        int threads = i == 0 || apart ? 1 : plan->threads;
        b->batch[i] = make_batch(b, way, i == 0 ? plan->piece : b->share, threads);
        if (b->batch[i] == NULL || rg_batch_threads(b->batch[i]) != threads)
            return false;
    }
    rg_batch_states(b->batch[0], b->q, NULL, NULL);
    return true;
}

static void end(Bench *b)
{
    rg_batch_destroy(b->batch[0]);
    rg_batch_destroy(b->batch[1]);
    free(b->q);
    free(b->v);
    free(b->measured);
    if (b->model != NULL)
        scene_drives_end(&b->drives);
    rg_model_destroy(b->model);
    scene_data_destroy(b->scene);
}

/* The neutral position, and the trunk's velocities of the runs from first on. */
static void choose_starts(Bench *b, int first, int runs)
{
    for (int r = 0; r < runs; r++) {
        RgVec3 v = batch_start(first + r);
        const double values[3] = {v.x, v.y, v.z};
        memcpy(b->v + r * b->nv + b->at, values, sizeof values);
    }
}

/* All steps from the starts on. False: refused. */
static bool roll(const Bench *b, RgBatch *batch, int steps, bool step_by_step)
{
    double h = b->scene->dt;
    bool good = true;
    rg_batch_reset(batch, -1);
    rg_batch_set_states(batch, b->q, b->v, NULL);
    for (int i = 0; step_by_step && good && i < steps - 1; i++)
        good = rg_batch_step(batch, h, NULL, NULL) == RG_OK;
    RgBatchRollout o = {.steps = step_by_step ? 1 : steps, .h = h, .measured = b->measured};
    return good && rg_batch_rollout(batch, &o, NULL) == RG_OK;
}

/* ------------------------------------------------------------------ processes apart */

/* A child process: runs its share of each requested piece, until the parent ends. */
static _Noreturn void serve(Bench *b, const BatchPlan *plan, int number, int in, int out)
{
    int piece;
    bool good = true;
    while (good && read(in, &piece, sizeof piece) == (ssize_t)sizeof piece && piece >= 0) {
        choose_starts(b, piece * plan->piece + number * b->share, b->share);
        good = roll(b, b->batch[1], plan->steps, false) && write(out, &piece, sizeof piece) > 0;
    }
    _exit(good ? 0 : 1);
}

static bool fork_others(Bench *b, const BatchPlan *plan)
{
    for (int i = 1; i < plan->threads; i++) {
        int in[2], out[2];
        if (pipe(in) != 0 || pipe(out) != 0)
            return false;
        pid_t child = fork();
        if (child == 0)
            serve(b, plan, i, in[0], out[1]);
        if (child < 0)
            return false;
        b->to[i] = in[1];
        b->from[i] = out[0];
    }
    return true;
}

/* A piece by all of them; -1: no more. */
static bool roll_apart(Bench *b, const BatchPlan *plan, int piece)
{
    bool good = true;
    for (int i = 1; i < plan->threads; i++)
        good = good && write(b->to[i], &piece, sizeof piece) > 0;
    if (piece < 0)
        return good;
    choose_starts(b, piece * plan->piece, b->share);
    good = good && roll(b, b->batch[1], plan->steps, false);
    for (int i = 1, got; i < plan->threads; i++)
        good = good && child_receive(b->from[i], &got, sizeof got);
    return good;
}

/* ------------------------------------------------------------------ pieces */

/* One piece, by one thread or by several. */
static bool roll_piece(Bench *b, const BatchWay *way, const BatchPlan *plan, BatchAnswer *answer, int which, int piece)
{
    RgBatch *batch = b->batch[which];
    bool apart = way->sort == BATCH_PROCESSES && which == 1;
    double start = child_wall(), cpu = child_cpu();
    bool good = apart ? roll_apart(b, plan, piece) : roll(b, batch, plan->steps, way->sort == BATCH_CALL_A_STEP);
    answer->seconds[which][piece] = child_wall() - start;
    answer->cpu[which] += (child_cpu() - cpu) * (apart ? plan->threads : 1);
    for (int r = 0; good && r < rg_batch_runs(batch); r++) {
        batch_worst(answer->error, b->measured + r * SCENE_ERRORS);
        answer->hash[which] = mix(answer->hash[which] ^ rg_batch_hash(batch, r));
    }
    if (apart)
        answer->hash[1] = answer->hash[0]; /* the others' states are their own */
    answer->failed += rg_batch_failures(batch);
    return good;
}

void batch_run_rigor(const BatchWay *way, const BatchPlan *plan, BatchAnswer *answer)
{
    Bench b = {0};
    snprintf(answer->title, sizeof answer->title, "%s", way->title);
    bool good = plan->threads <= 64 && begin(&b, way, plan);
    if (good && way->sort == BATCH_PROCESSES)
        good = fork_others(&b, plan);
    for (int i = 0; good && i < 2; i++)
        good = roll(&b, b.batch[i], WARM_UP, way->sort == BATCH_CALL_A_STEP);
    for (int k = 0; good && k < plan->pieces; k++) {
        choose_starts(&b, k * plan->piece, plan->piece);
        good = roll_piece(&b, way, plan, answer, 0, k) && roll_piece(&b, way, plan, answer, 1, k);
    }
    if (good && way->sort == BATCH_PROCESSES)
        good = roll_apart(&b, plan, -1);
    answer->done = good;
    end(&b);
}
