/*
 * hash_batch.c - hashes of the runs of a batch: S5 pushed by efforts that differ from run to run, in both forms:
 * "batch COORDS RUN HASH".
 */
#include "hash_batch.h"

#include "scene_contacts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 4, STEPS = 60, HOLD = 10 };

static bool run_batch(const ContactRun *run, const char *coords)
{
    int nv = rg_model_info(run->model).nv;
    RgBatchDef def = rg_batch_def_default();
    def.world = run->def;
    def.runs = RUNS;
    RgBatch *batch = rg_batch_create(&def, NULL);
    RgBatchRollout o = {.steps = STEPS, .h = 1e-3, .hold = HOLD};
    int rows = rg_batch_rollout_inputs(&o);
    double *tau = calloc((size_t)(RUNS * rows * nv), sizeof *tau);
    for (int i = 0; tau != NULL && i < RUNS * rows * nv; i++)
        tau[i] = 0.125 * (double)(i % 5 - 2);
    o.tau = tau;
    bool good =
        batch != NULL && tau != NULL && rg_batch_rollout(batch, &o, NULL) == RG_OK && rg_batch_failures(batch) == 0;
    for (int r = 0; good && r < RUNS; r++)
        printf("batch %s %d %016" PRIx64 "\n", coords, r, rg_batch_hash(batch, r));
    if (!good)
        fprintf(stderr, "batch %s failed\n", coords);
    free(tau);
    rg_batch_destroy(batch);
    return good;
}

bool hash_batch(void)
{
    static const char *const forms[2] = {"minimal", "maximal"};
    const ContactCase from = {"quadruped", "S5", 0, 1e-3, STEPS};
    bool good = true;
    for (int i = 0; i < 2; i++) {
        RgWorldDef def = rg_world_def_default();
        ContactRun run;
        def.coords = forms[i];
        good &= contact_run_begin(&from, def, &run) && run_batch(&run, forms[i]);
        contact_run_end(&run);
    }
    return good;
}
