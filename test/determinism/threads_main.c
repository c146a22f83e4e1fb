/*
 * threads_main.c - all that has threads, once over: worlds with crews, batches by OpenMP; as many hashes as runs must
 * be the same by one thread and by three.
 *
 * A program of its own, for the thread sanitizer (make sanitize-threads), which makes it end with a status of its own
 * where two threads meet in one place.
 */
#include "scene_contacts.h"

#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 6, MANY = 3, CALLS = 3, STEPS = 20 };

/* ------------------------------------------------------------------ a world with a thread pool */

static bool hash_world(const ContactRun *run, const ContactCase *from, int threads, uint64_t *hash)
{
    ContactRun own = *run;
    own.def.threads = threads;
    RgWorld *world = contact_run_world(&own);
    bool good = world != NULL && contact_run_steps(world, from->h, from->steps / 4);
    *hash = good ? rg_world_hash(world) : 0;
    rg_world_destroy(world);
    return good;
}

/* ------------------------------------------------------------------ a batch */

static void push(int run, const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    const double *gain = context;
    input->tau[rg_model_info(model).nv - 1] += gain[0] * run - gain[1] * state->t;
}

static void measure(int run, RgWorld *world, double *out, void *context)
{
    const RgContactForce *forces;
    (void)context;
    out[0] = run + rg_world_contact_forces(world, &forces);
    out[1] = rg_world_q(world)[0];
}

/* Calls with efforts, rows of outputs, states read and set in between. */
static bool roll(RgBatch *batch, double h, int nq, int nv)
{
    double *tau = calloc((size_t)(RUNS * nv), sizeof *tau), *q = calloc((size_t)(RUNS * nq), sizeof *q);
    double measured[RUNS * 2 * 2];
    bool good = tau != NULL && q != NULL;
    for (int i = 0; good && i < CALLS; i++) {
        RgBatchRollout o = {.steps = STEPS, .h = h, .tau = tau, .every = STEPS / 2, .measured = measured};
        for (int k = 0; k < RUNS * nv; k++)
            tau[k] = 0.01 * ((k + i) % 3);
        good = rg_batch_rollout(batch, &o, NULL) == RG_OK && rg_batch_failures(batch) == 0;
        rg_batch_states(batch, q, NULL, NULL);
        if (i == 0)
            rg_batch_set_states(batch, q, NULL, NULL);
    }
    free(tau);
    free(q);
    return good;
}

static bool hash_runs(const ContactRun *run, const ContactCase *from, int threads, uint64_t *hashes)
{
    static double gain[2] = {0.01, 0.5};
    RgModelInfo info = rg_model_info(run->model);
    RgBatchDef def = rg_batch_def_default();
    def.world = run->def;
    def.world.input = NULL;
    def.runs = RUNS;
    def.threads = threads;
    def.input = push;
    def.input_context = gain;
    def.measure = measure;
    def.nmeasured = 2;
    RgBatch *batch = rg_batch_create(&def, NULL);
    bool good = batch != NULL && roll(batch, from->h, info.nq, info.nv);
    for (int r = 0; good && r < RUNS; r++)
        hashes[r] = rg_batch_hash(batch, r);
    rg_batch_destroy(batch);
    return good;
}

/* ------------------------------------------------------------------ all of it */

/* How many hashes of one scene agree; -1: some do not. */
static int compare(const ContactCase *from, const char *coords)
{
    RgWorldDef def = rg_world_def_default();
    ContactRun run;
    uint64_t one[RUNS + 1], many[RUNS + 1];
    def.coords = coords;
    bool good = contact_run_begin(from, def, &run) && hash_world(&run, from, 1, &one[RUNS]) &&
                hash_world(&run, from, MANY, &many[RUNS]) && hash_runs(&run, from, 1, one) &&
                hash_runs(&run, from, MANY, many);
    for (int i = 0; good && i <= RUNS; i++)
        good = one[i] == many[i];
    contact_run_end(&run);
    if (!good)
        printf("%s, %s: not the same by one thread and by %d\n", from->name, coords, MANY);
    return good ? RUNS + 1 : -1;
}

int main(void)
{
    static const char *const forms[2] = {"minimal", "maximal"};
    int agree = 0, wrong = 0;
    for (const ContactCase *c = contact_cases; c->name != NULL; c++)
        for (int i = 0; i < 2; i++) {
            int n = compare(c, forms[i]);
            agree += n > 0 ? n : 0;
            wrong += n < 0;
        }
    printf("threads: %d hashes are the same by one thread and by %d\n", agree, MANY);
    return wrong == 0 && agree > 0 ? 0 : 1;
}
