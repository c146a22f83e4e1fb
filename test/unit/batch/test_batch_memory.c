/*
 * test_batch_memory.c - after warm-up a batch allocates nothing; where memory runs out it says so, and leaks nothing.
 *
 * Warm is a batch whose worlds have all met the most contacts. Which thread takes which run is left open; so in the
 * first calls every run waits, at its first row, for all others: each is then in a world of its own.
 */
#define _POSIX_C_SOURCE 200809L

#include "counting.h"
#include "scene_contacts.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 3, WARM_UP = 3, STEPS = 60, EVERY = 20 };

typedef struct Meeting {
    pthread_barrier_t barrier;
    atomic_bool on;
} Meeting;

static void meet(int run, RgWorld *world, double *out, void *context)
{
    Meeting *meeting = context;
    *out = run + rg_world_time(world);
    if (atomic_load(&meeting->on))
        pthread_barrier_wait(&meeting->barrier);
}

static RgBatchDef def_of(const ContactRun *run, Counting *counting)
{
    RgBatchDef def = rg_batch_def_default();
    def.world = run->def;
    def.world.allocator = counting_allocator(counting);
    def.runs = def.threads = THREADS;
    return def;
}

static void check_warm(const char *coords, const char *solver, bool sleeping)
{
    const ContactCase scene = {"few balls", "S2", 24, 10e-3, STEPS};
    Counting counting = {0};
    RgWorldDef world = rg_world_def_default();
    world.coords = coords;
    world.solver = solver;
    world.sleeping = sleeping;
    ContactRun run;
    cr_assert(contact_run_begin(&scene, world, &run));
    RgBatchDef def = def_of(&run, &counting);
    Meeting meeting;
    def.measure = meet;
    def.measure_context = &meeting;
    def.nmeasured = 1;
    RgBatch *batch = rg_batch_create(&def, NULL);
    cr_assert(batch != NULL);
    pthread_barrier_init(&meeting.barrier, NULL, (unsigned)rg_batch_threads(batch));
    double measured[THREADS * STEPS / EVERY];
    RgBatchRollout o = {.steps = STEPS, .h = scene.h, .every = EVERY, .measured = measured};
    long warm = 0;
    for (int i = 0; i < WARM_UP + 4; i++) {
        atomic_store(&meeting.on, i < WARM_UP && rg_batch_threads(batch) == THREADS);
        rg_batch_reset(batch, -1);
        cr_assert(rg_batch_rollout(batch, &o, NULL) == RG_OK && rg_batch_failures(batch) == 0);
        if (i + 1 == WARM_UP)
            warm = counting.calls;
    }
    cr_expect(counting.calls == warm, "%s, %s: %ld allocations in four calls", coords, solver, counting.calls - warm);
    rg_batch_destroy(batch);
    cr_expect(counting.blocks == 0, "%ld blocks leaked", counting.blocks);
    pthread_barrier_destroy(&meeting.barrier);
    contact_run_end(&run);
}

Test(batch_memory, nothing_after_warm_up)
{
    check_warm("minimal", "quick", false);
    check_warm("maximal", "quick", true);
    check_warm("minimal", "pgs", true);
    check_warm("maximal", "cone", false);
}

/* Creation without enough memory. */
Test(batch_memory, creation_fails_clearly)
{
    const ContactCase scene = {"quadruped", "S5", 0, 1e-3, 1};
    Counting counting = {0};
    ContactRun run;
    cr_assert(contact_run_begin(&scene, rg_world_def_default(), &run));
    RgBatchDef def = def_of(&run, &counting);
    RgBatchDrive drive = {{1}, 0, rg_drive_default()};
    def.drives = &drive;
    def.ndrives = 1;
    RgBatch *batch = rg_batch_create(&def, NULL);
    cr_assert(batch != NULL);
    long needed = counting.calls;
    rg_batch_destroy(batch);
    for (long fail = 1; fail <= needed; fail++) {
        counting = (Counting){.fail_at = fail};
        RgError error = {0};
        batch = rg_batch_create(&def, &error);
        cr_expect(batch == NULL && error.status == RG_ERR_MEMORY, "allocation %ld of %ld", fail, needed);
        cr_expect(counting.blocks == 0, "allocation %ld: %ld blocks leaked", fail, counting.blocks);
    }
    contact_run_end(&run);
}

/* Memory that runs out in the middle of a call: runs fail and stand somewhere; with memory again they go on as others
   do. */
Test(batch_memory, steps_fail_clearly)
{
    const ContactCase scene = {"few balls", "S2", 24, 10e-3, STEPS};
    Counting counting = {0};
    ContactRun run;
    cr_assert(contact_run_begin(&scene, rg_world_def_default(), &run));
    RgBatchDef def = def_of(&run, &counting);
    RgBatch *whole = rg_batch_create(&def, NULL);
    cr_assert(whole != NULL);
    long made = counting.calls;
    const RgBatchRollout o = {.steps = STEPS, .h = scene.h};
    cr_assert(rg_batch_rollout(whole, &o, NULL) == RG_OK && rg_batch_failures(whole) == 0);
    long needed = counting.calls - made;
    cr_assert(needed > 0);
    for (long fail = 1; fail <= needed; fail += 1 + needed / 20) {
        counting.fail_at = 0;
        RgBatch *batch = rg_batch_create(&def, NULL);
        cr_assert(batch != NULL);
        counting.fail_at = counting.calls + fail;
        cr_expect(rg_batch_rollout(batch, &o, NULL) == RG_OK);
        bool struck = counting.calls >= counting.fail_at; /* a thread that had fewer runs this time needed less */
        cr_expect(struck || fail > 1, "the first allocation did not fail");
        cr_expect(!struck || rg_batch_failures(batch) > 0, "allocation %ld", fail);
        for (int r = 0; r < THREADS; r++) {
            RgStatus status = rg_batch_failure(batch, r).status;
            cr_expect(status == RG_OK || status == RG_ERR_MEMORY, "%s", rg_status_text(status));
        }
        counting.fail_at = 0;
        rg_batch_reset(batch, -1);
        cr_expect(rg_batch_rollout(batch, &o, NULL) == RG_OK && rg_batch_failures(batch) == 0);
        cr_expect(rg_batch_hash(batch, 1) == rg_batch_hash(whole, 1), "allocation %ld: other bits later", fail);
        rg_batch_destroy(batch);
    }
    rg_batch_destroy(whole);
    cr_expect(counting.blocks == 0, "%ld blocks leaked", counting.blocks);
    contact_run_end(&run);
}
