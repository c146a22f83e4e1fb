/*
 * run_engine.c - measures one engine on one scene.
 *
 * A child process loads the module, so that engines never share a process: symbols do not clash, memory is
 * fresh, and a crash or an endless step ends the child alone. The answer comes back through a pipe.
 *
 *   timed runs   create, steps, destroy; nothing is read between the steps. Wall clock and processor time.
 *   error run    the same again with bodies read after every step (now and then where there are many)
 */
#define _GNU_SOURCE
#include "run_engine.h"
#include "child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_REPEATS 16
#define LEAST 0.2       /* s: shorter runs are repeated more often */
#define MANY_BODIES 150 /* above this errors are sampled every 20th step only */

static const PeerEngine *const *load(const char *module)
{
    return module == NULL ? rigor_engines() : child_load(module);
}

/* ------------------------------------------------------------------ in the child */

typedef struct Timing {
    double wall, cpu; /* steps/s */
    int steps;
} Timing;

static int planned_steps(const SceneData *scene, const RunPlan *plan)
{
    return plan->max_steps > 0 && plan->max_steps < scene->steps ? plan->max_steps : scene->steps;
}

/* Steps between two looks at the clock: seldom enough not to count, often enough to end in time. */
static int few_steps(double passed, int done)
{
    if (passed > 1e-2 * done)
        return 1;
    return passed < 1e-4 * done ? 100 : 10;
}

/* Steps until the end or the budget, by processor time, so that a busy machine does not cut runs short. */
static Timing timed_run(const PeerEngine *engine, const SceneData *scene, const RunPlan *plan)
{
    Timing t = {0.0, 0.0, 0};
    void *world = engine->create(scene, &plan->options);
    if (world == NULL)
        return t;
    int steps = planned_steps(scene, plan);
    double cpu = child_cpu(), wall = child_wall(), passed = 0.0;
    while (t.steps < steps && passed < 2.0 * plan->budget) {
        int few = few_steps(passed, t.steps);
        for (int i = 0; i < few && t.steps < steps; i++, t.steps++)
            engine->step(world);
        passed = child_cpu() - cpu;
    }
    t.wall = t.steps / (child_wall() - wall);
    t.cpu = t.steps / passed;
    engine->destroy(world);
    return t;
}

static uint64_t hash_states(const SceneBodyState *states, int count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < count; i++) {
        unsigned char bytes[sizeof states[i].X_WB];
        memcpy(bytes, &states[i].X_WB, sizeof bytes);
        for (size_t k = 0; k < sizeof bytes; k++)
            hash = (hash ^ bytes[k]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void error_run(const PeerEngine *engine, const SceneData *scene, const RunPlan *plan, RunResult *out)
{
    void *world = engine->create(scene, &plan->options);
    SceneBodyState *states = calloc((size_t)scene->nbodies, sizeof *states);
    if (world == NULL || states == NULL)
        return;
    SceneMeasure measure = scene_measure_begin(scene);
    int steps = planned_steps(scene, plan), every = scene->nbodies > MANY_BODIES ? 20 : 1;
    double start = child_cpu();
    bool late = false;
    for (int i = 1; i <= steps && !late; i++) {
        engine->step(world);
        out->error_steps = i;
        late = child_cpu() - start > 2.0 * plan->budget;
        if (i % every != 0 && i < steps && !late)
            continue;
        for (int k = 0; k < scene->nbodies; k++)
            engine->read(world, k, &states[k]);
        scene_measure_sample(&measure, states);
    }
    memcpy(out->error, measure.value, sizeof out->error);
    out->hash = hash_states(states, scene->nbodies);
    free(states);
    engine->destroy(world);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void keep_timings(RunResult *out, const Timing *timings, int count)
{
    double wall[MAX_REPEATS], cpu[MAX_REPEATS];
    for (int i = 0; i < count; i++) {
        wall[i] = timings[i].wall;
        cpu[i] = timings[i].cpu;
    }
    qsort(wall, (size_t)count, sizeof *wall, by_value);
    qsort(cpu, (size_t)count, sizeof *cpu, by_value);
    out->wall = wall[count / 2];
    out->wall_best = wall[count - 1];
    out->cpu = cpu[count / 2];
    out->cpu_best = cpu[count - 1];
    out->steps = timings[0].steps;
}

static void measure(const PeerEngine *engine, const SceneData *scene, const RunPlan *plan, RunResult *out)
{
    const char *lack = engine->lacks(scene, &plan->options);
    if (lack != NULL) {
        out->state = RUN_LACKS;
        snprintf(out->text, sizeof out->text, "%s", lack);
        return;
    }
    Timing timings[MAX_REPEATS];
    int count = 0;
    double start = child_cpu(), passed;
    do {
        timings[count] = timed_run(engine, scene, plan);
        if (timings[count++].steps == 0) {
            out->state = RUN_FAILED;
            snprintf(out->text, sizeof out->text, "the scene could not be made");
            return;
        }
        passed = child_cpu() - start;
    } while (count < MAX_REPEATS && passed < plan->budget && (count < plan->repeats || passed < LEAST));
    keep_timings(out, timings, count);
    error_run(engine, scene, plan, out);
    out->state = RUN_DONE;
}

/* ------------------------------------------------------------------ in the parent */

/* What an engine prints or asks is not for the table. A step that never ends is ended by the alarm. */
static void child_of_run(int to, const char *module, int index, const char *scene_name, const RunPlan *plan)
{
    RunResult result = {.state = RUN_FAILED, .text = "the module could not be loaded"};
    if (!child_settle((unsigned)(15.0 * plan->budget) + 10u))
        child_hand_back(to, &result, sizeof result);
    const PeerEngine *const *engines = load(module);
    SceneData *scene = scene_data_create(scene_name);
    if (engines != NULL && scene != NULL)
        measure(engines[index], scene, plan, &result);
    child_hand_back(to, &result, sizeof result);
}

RunResult run_engine(const char *module, int engine, const char *scene, const RunPlan *plan)
{
    RunResult result = {.state = RUN_FAILED, .text = "no child process"};
    int from, to;
    pid_t child = child_fork(&from, &to);
    if (child < 0)
        return result;
    if (child == 0)
        child_of_run(to, module, engine, scene, plan);
    bool whole = child_receive(from, &result, sizeof result);
    close(from);
    const char *end = child_end(child);
    if (whole)
        return result;
    result = (RunResult){.state = RUN_CRASHED};
    snprintf(result.text, sizeof result.text, "%s", end);
    return result;
}

int list_engines(const char *module, EngineInfo *out, int capacity)
{
    int from, to, count = -1;
    pid_t child = child_fork(&from, &to);
    if (child < 0)
        return -1;
    if (child == 0) {
        const PeerEngine *const *engines = load(module);
        int n = 0;
        for (; engines != NULL && engines[n] != NULL && n < capacity; n++) {
            snprintf(out[n].id, sizeof out[n].id, "%s", engines[n]->id);
            snprintf(out[n].title, sizeof out[n].title, "%s", engines[n]->title);
            snprintf(out[n].version, sizeof out[n].version, "%s", engines[n]->version());
            snprintf(out[n].setting, sizeof out[n].setting, "%s", engines[n]->setting);
        }
        if (engines == NULL)
            _exit(1);
        if (write(to, &n, sizeof n) != (ssize_t)sizeof n)
            _exit(1);
        child_hand_back(to, out, (size_t)n * sizeof *out);
    }
    if (child_receive(from, &count, sizeof count) && !child_receive(from, out, (size_t)count * sizeof *out))
        count = -1;
    close(from);
    child_end(child);
    return count;
}
