/*
 * precision_run.c - one method with one value of its knob: its errors, then its time.
 *
 * Each run is made in a child process of its own, ours too: another engine's symbols never meet ours, and all begin
 * with the same memory. The first run gathers the errors and warms up, those after it are timed.
 */
#define _GNU_SOURCE
#include "child.h"
#include "precision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPEATS = 7, LEAST_REPEATS = 3 };

/* s of wall clock after which a run is given up. */
#define TOO_LONG 60u

static bool open_peer(const Method *m, const SceneData *scene, double tolerance, Run *run, char why[160])
{
    const PeerEngine *const *engines = child_load(m->module);
    if (engines == NULL) {
        snprintf(why, 160, "the module could not be loaded");
        return false;
    }
    const PeerEngine *e = engines[m->engine];
    PeerOptions options = {.threads = 1, .iterations = 50, .accuracy = tolerance};
    const char *lack = e->lacks(scene, &options);
    void *world = lack == NULL ? e->create(scene, &options) : NULL;
    if (world == NULL) {
        snprintf(why, 160, "%s", lack != NULL ? lack : "the scene could not be made");
        return false;
    }
    *run = (Run){.world = world, .step = e->step, .read = e->read, .destroy = e->destroy};
    return true;
}

/* A run about to begin; *steps: how many to make between samples. */
static bool open_run(const Method *m, SceneData *scene, double knob, Run *run, int *steps, char why[160])
{
    double time = scene->dt * scene->steps;
    int count = m->knob == KNOB_STEPS ? (int)knob : SAMPLES;
    double tolerance = m->knob == KNOB_TOLERANCE ? knob : 0.0;
    scene->steps = count;
    scene->dt = time / count;
    *steps = count / SAMPLES;
    return m->module[0] != '\0' ? open_peer(m, scene, tolerance, run, why) : open_rigor(m, scene, tolerance, run, why);
}

/* States of all bodies at all samples. */
static bool look(const Method *m, const SceneData *scene, double knob, SceneBodyState *states, Outcome *out)
{
    SceneData copy = *scene;
    Run run;
    int steps;
    out->lacks = !open_run(m, &copy, knob, &run, &steps, out->text);
    if (out->lacks)
        return false;
    for (int i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < steps; k++)
            run.step(run.world);
        for (int k = 0; k < scene->nbodies; k++)
            run.read(run.world, k, &states[i * scene->nbodies + k]);
    }
    int64_t inner = run.inner != NULL ? run.inner(run.world) : 0;
    out->inner = inner > 0 ? inner : copy.steps;
    const char *why = run.refused != NULL ? run.refused(run.world) : NULL;
    if (why != NULL)
        snprintf(out->text, sizeof out->text, "refused: %s", why);
    run.destroy(run.world);
    return why == NULL;
}

/* s of processor time of all steps. */
static double timed(const Method *m, const SceneData *scene, double knob)
{
    SceneData copy = *scene;
    Run run;
    int steps;
    char why[160];
    if (!open_run(m, &copy, knob, &run, &steps, why))
        return (double)NAN;
    double start = child_cpu();
    for (int i = 0; i < copy.steps; i++)
        run.step(run.world);
    double passed = child_cpu() - start;
    run.destroy(run.world);
    return passed;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void measure(const Method *m, const SceneData *scene, const Truth *truth, double knob, double budget,
                    Outcome *out)
{
    SceneBodyState *states = calloc((size_t)SAMPLES * (size_t)scene->nbodies, sizeof *states);
    if (states == NULL || !look(m, scene, knob, states, out))
        return;
    for (int i = 0; i < SAMPLES; i++) {
        double error = error_at(scene, truth, i, states + i * scene->nbodies);
        out->largest = isfinite(error) ? fmax(out->largest, error) : (double)INFINITY;
        out->end = error;
    }
    double times[REPEATS], start = child_cpu();
    int count = 0;
    while (count < REPEATS && (count < LEAST_REPEATS || child_cpu() - start < budget)) {
        times[count++] = timed(m, scene, knob);
        if (child_cpu() - start > budget)
            break;
    }
    qsort(times, (size_t)count, sizeof *times, by_value);
    out->cpu = times[count / 2];
    out->good = isfinite(out->largest);
    if (!out->good)
        snprintf(out->text, sizeof out->text, "lost: not finite");
    free(states);
}

Outcome run_method(const Method *m, const SceneData *scene, const Truth *truth, double knob, double budget)
{
    Outcome out = {.text = "no child process"};
    int from, to;
    pid_t child = child_fork(&from, &to);
    if (child < 0)
        return out;
    if (child == 0) {
        if (child_settle(TOO_LONG) && freopen("/dev/null", "w", stderr) != NULL)
            measure(m, scene, truth, knob, budget, &out);
        child_hand_back(to, &out, sizeof out);
    }
    bool whole = child_receive(from, &out, sizeof out);
    close(from);
    const char *end = child_end(child);
    if (!whole) {
        out = (Outcome){.good = false};
        snprintf(out.text, sizeof out.text, "%s", end);
    }
    return out;
}

bool run_states(const Method *m, const char *scene_name, double knob, SceneBodyState *states)
{
    Outcome out = {.good = false};
    SceneData *scene = scene_data_create(scene_name);
    bool good = scene != NULL && look(m, scene, knob, states, &out);
    scene_data_destroy(scene);
    return good;
}
