/*
 * test_batch.c - a batch: arguments, rows of inputs and outputs, states of single runs, and runs that fail alone.
 */
#include "scenes.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, NV = 6 };

static RgBatchDef arm_def(const RgModel *model)
{
    RgBatchDef def = rg_batch_def_default();
    def.world.model = model;
    def.runs = RUNS;
    def.threads = 3;
    return def;
}

static RgBatch *make(const RgBatchDef *def)
{
    RgError error = {0};
    RgBatch *batch = rg_batch_create(def, &error);
    cr_assert(batch != NULL, "%s", error.text);
    return batch;
}

static void roll(RgBatch *batch, const RgBatchRollout *o)
{
    RgError error = {0};
    cr_assert(rg_batch_rollout(batch, o, &error) == RG_OK, "%s", error.text);
}

static double energy_like(int run, RgWorld *world)
{
    return run + rg_world_q(world)[0] + rg_world_time(world);
}

static void measure(int run, RgWorld *world, double *out, void *context)
{
    out[0] = energy_like(run, world);
    out[1] = *(const double *)context;
}

/* ------------------------------------------------------------------ what is refused */

static void expect_refused(const RgBatchDef *def, const char *word)
{
    RgError error = {0};
    RgBatch *batch = rg_batch_create(def, &error);
    cr_expect(batch == NULL && error.status != RG_OK && strstr(error.text, word) != NULL, "'%s' is not in '%s'", word,
              error.text);
    cr_expect(rg_batch_create(def, NULL) == NULL);
}

Test(batch, bad_definitions)
{
    RgModel *model = scene_arm();
    const RgBatchDef good = arm_def(model);
    double unused = 0.0;
    RgBatchDef def = {0};
    expect_refused(&def, "rg_batch_def_default");
    def = good, def.world.model = NULL, expect_refused(&def, "model");
    def = good, def.world.solver = "none", expect_refused(&def, "no solver called 'none'");
    def = good, def.runs = 0, expect_refused(&def, "runs");
    def = good, def.threads = -1, expect_refused(&def, "threads");
    def = good, def.world.threads = 2, expect_refused(&def, "world.threads");
    def = good, def.nmeasured = 1, expect_refused(&def, "nmeasured");
    def = good, def.measure = measure, def.measure_context = &unused, expect_refused(&def, "nmeasured");
    def = good, def.ndrives = 1, expect_refused(&def, "ndrives");
    rg_model_destroy(model);
}

Test(batch, bad_drives)
{
    RgModel *model = scene_arm();
    RgBatchDef def = arm_def(model);
    RgBatchDrive drives[2] = {{{1}, 0, rg_drive_default()}, {{2}, 0, rg_drive_default()}};
    def.drives = drives;
    def.ndrives = 2;
    rg_batch_destroy(make(&def));
    drives[1].joint.i = 99, expect_refused(&def, "drive 1, on velocity 0 of joint 99");
    drives[1] = drives[0], expect_refused(&def, "drives 0 and 1 are on the same velocity");
    drives[1] = (RgBatchDrive){{2}, 0, rg_drive_default()};
    drives[1].drive.kp = NAN, expect_refused(&def, "drive 1");
    drives[1].drive = rg_drive_default();
    drives[1].drive.max_effort = 0.0, expect_refused(&def, "max_effort");
    rg_model_destroy(model);
}

Test(batch, bad_calls_do_nothing)
{
    RgModel *model = scene_arm();
    RgBatchDef def = arm_def(model);
    RgBatch *batch = make(&def);
    double numbers[RUNS * 16] = {0.0};
    const RgBatchRollout bad[] = {{.steps = -1, .h = 1e-3},
                                  {.steps = 1},
                                  {.steps = 1, .h = NAN},
                                  {.steps = 1, .h = -1e-3},
                                  {.steps = 1, .h = 1e-3, .hold = -1},
                                  {.steps = 1, .h = 1e-3, .every = -2},
                                  {.steps = 1, .h = 1e-3, .position = numbers},
                                  {.steps = 1, .h = 1e-3, .velocity = numbers},
                                  {.steps = 1, .h = 1e-3, .measured = numbers}};
    uint64_t before = rg_batch_hash(batch, 1);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        RgError error = {0};
        cr_expect(rg_batch_rollout(batch, &bad[i], &error) == RG_ERR_ARGUMENT, "%zu", i);
        cr_expect(error.text[0] != '\0');
        cr_expect(rg_batch_rollout(batch, &bad[i], NULL) == RG_ERR_ARGUMENT);
    }
    cr_expect(rg_batch_hash(batch, 1) == before && rg_batch_failures(batch) == 0);
    roll(batch, &(RgBatchRollout){.steps = 0, .h = 1e-3});
    cr_expect(rg_batch_hash(batch, 1) == before, "no steps change nothing");
    cr_expect(rg_batch_failure(batch, -1).status == RG_ERR_ARGUMENT);
    cr_expect(rg_batch_failure(batch, RUNS).status == RG_ERR_ARGUMENT);
    cr_expect(rg_batch_set_state(batch, RUNS, numbers, NULL, NULL) == RG_ERR_ARGUMENT);
    cr_expect(rg_batch_reset(batch, RUNS) == RG_ERR_ARGUMENT && rg_batch_reset(batch, -2) == RG_ERR_ARGUMENT);
    cr_expect(rg_batch_state_size(batch, -1) == 0 && rg_batch_hash(batch, RUNS) == 0);
    rg_batch_destroy(batch);
    rg_batch_destroy(NULL);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ numbers of things */

Test(batch, runs_and_threads)
{
    RgModel *model = scene_arm();
    RgBatchDef def = arm_def(model);
    static const int runs[] = {1, 2, 40}, threads[] = {0, 1, 2, 64};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            def.runs = runs[i];
            def.threads = threads[k];
            RgBatch *batch = make(&def);
            int used = rg_batch_threads(batch);
            cr_expect_eq(rg_batch_runs(batch), runs[i]);
            cr_expect(used >= 1 && used <= runs[i] && (threads[k] == 0 || used <= threads[k]));
#if defined(RIGOR_OPENMP)
            cr_expect(threads[k] != 2 || used == (runs[i] < 2 ? runs[i] : 2));
#endif
            cr_expect(rg_batch_step(batch, 1e-3, NULL, NULL) == RG_OK);
            rg_batch_destroy(batch);
        }
    rg_model_destroy(model);
}

Test(batch, rows_of_inputs_and_outputs)
{
    static const struct {
        int steps, hold, every, inputs, outputs;
    } cases[] = {{1, 0, 0, 1, 1},    {10, 0, 0, 1, 1}, {10, 1, 1, 10, 10}, {10, 4, 3, 3, 3},
                 {10, 20, 20, 1, 0}, {0, 3, 3, 0, 0},  {10, 5, 10, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        RgBatchRollout o = rg_batch_rollout_default();
        o.steps = cases[i].steps;
        o.hold = cases[i].hold;
        o.every = cases[i].every;
        cr_expect_eq(rg_batch_rollout_inputs(&o), cases[i].inputs, "%zu", i);
        cr_expect_eq(rg_batch_rollout_outputs(&o), cases[i].outputs, "%zu", i);
    }
}

/* Rows stand where the header says: t counts steps, efforts act from their row's first step on. */
Test(batch, rows_lie_run_after_run)
{
    enum { STEPS = 10, ROWS = 3 };
    RgModel *model = scene_arm();
    RgBatchDef def = arm_def(model);
    double mark = 42.0, tau[RUNS * 4 * NV] = {0.0};
    double t[RUNS * ROWS], q[RUNS * ROWS * NV], v[RUNS * ROWS * NV], measured[RUNS * ROWS * 2];
    def.measure = measure;
    def.measure_context = &mark;
    def.nmeasured = 2;
    RgBatch *batch = make(&def);
    tau[(2 * 4 + 1) * NV] = 5.0; /* run 2, row 1: steps 3 to 5 */
    roll(batch, &(RgBatchRollout){.steps = STEPS,
                                  .h = 1e-3,
                                  .hold = 3,
                                  .tau = tau,
                                  .every = 3,
                                  .t = t,
                                  .q = q,
                                  .v = v,
                                  .measured = measured});
    for (int r = 0; r < RUNS; r++)
        for (int k = 0; k < ROWS; k++) {
            int at = r * ROWS + k;
            cr_expect(fabs(t[at] - 3e-3 * (k + 1)) < 1e-15);
            cr_expect_eq(measured[2 * at], r + q[at * NV] + t[at]);
            cr_expect_eq(measured[2 * at + 1], mark);
            bool pushed = r == 2 && k >= 1;
            cr_expect((memcmp(q + at * NV, q + k * NV, NV * sizeof *q) != 0) == pushed, "run %d, row %d", r, k);
            cr_expect((memcmp(v + at * NV, v + k * NV, NV * sizeof *v) != 0) == pushed, "run %d, row %d", r, k);
        }

    /* The tenth step is behind the last row. */
    double now[RUNS];
    rg_batch_states(batch, NULL, NULL, now);
    cr_expect(fabs(now[4] - 1e-2) < 1e-15);
    rg_batch_destroy(batch);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ states */

Test(batch, states_of_all_and_of_one)
{
    RgModel *model = scene_arm();
    RgBatchDef def = arm_def(model);
    RgBatch *batch = make(&def);
    double q[RUNS * NV], v[RUNS * NV], t[RUNS], q2[RUNS * NV], v2[RUNS * NV], t2[RUNS];
    for (int i = 0; i < RUNS * NV; i++) {
        q[i] = 0.01 * i;
        v[i] = -0.02 * i;
    }
    for (int r = 0; r < RUNS; r++)
        t[r] = r;
    rg_batch_set_states(batch, q, v, t);
    rg_batch_states(batch, q2, v2, t2);
    cr_expect(memcmp(q, q2, sizeof q) == 0 && memcmp(v, v2, sizeof v) == 0 && memcmp(t, t2, sizeof t) == 0);

    /* One run's velocities: everything else stays. */
    const double other[NV] = {1, 2, 3, 4, 5, 6};
    cr_expect(rg_batch_set_state(batch, 3, NULL, other, NULL) == RG_OK);
    rg_batch_states(batch, q2, v2, t2);
    memcpy(v + 3 * NV, other, sizeof other);
    cr_expect(memcmp(q, q2, sizeof q) == 0 && memcmp(v, v2, sizeof v) == 0 && memcmp(t, t2, sizeof t) == 0);

    /* What is not a number stays outside. */
    const double bad[NV] = {0, 0, NAN, 0, 0, 0}, never = INFINITY;
    uint64_t before = rg_batch_hash(batch, 3);
    cr_expect(rg_batch_set_state(batch, 3, bad, NULL, NULL) == RG_ERR_NOT_FINITE);
    cr_expect(rg_batch_set_state(batch, 3, other, NULL, &never) == RG_ERR_NOT_FINITE);
    cr_expect(rg_batch_hash(batch, 3) == before && rg_batch_failures(batch) == 0);

    /* As it was at first. */
    RgBatch *fresh = make(&def);
    cr_expect(rg_batch_reset(batch, 3) == RG_OK && rg_batch_hash(batch, 3) == rg_batch_hash(fresh, 3));
    cr_expect(rg_batch_hash(batch, 2) != rg_batch_hash(fresh, 2));
    cr_expect(rg_batch_reset(batch, -1) == RG_OK && rg_batch_hash(batch, 2) == rg_batch_hash(fresh, 2));
    rg_batch_destroy(fresh);
    rg_batch_destroy(batch);
    rg_model_destroy(model);
}

/* A run goes on in a world, and a world's state in a run. */
Test(batch, saved_states_are_a_worlds)
{
    RgModel *model = scene_arm();
    RgBatchDef def = arm_def(model);
    RgBatch *batch = make(&def);
    RgWorld *world = world_make(&def.world);
    roll(batch, &(RgBatchRollout){.steps = 20, .h = 1e-3});
    size_t size = rg_batch_state_size(batch, 1);
    char *state = malloc(size + 8);
    rg_batch_state_save(batch, 1, state);
    cr_assert(rg_world_state_load(world, state, size) == RG_OK);
    world_run(world, 10, 1e-3);
    roll(batch, &(RgBatchRollout){.steps = 10, .h = 1e-3});
    cr_expect(rg_world_hash(world) == rg_batch_hash(batch, 1));
    world_run(world, 10, 1e-3);
    cr_assert_eq(rg_world_state_size(world), size);
    rg_world_state_save(world, state);
    cr_expect(rg_batch_state_load(batch, 4, state, size) == RG_OK);
    cr_expect(rg_batch_hash(batch, 4) == rg_world_hash(world));

    /* A damaged one is refused, and changes nothing. */
    uint64_t before = rg_batch_hash(batch, 4);
    cr_expect(rg_batch_state_load(batch, 4, state, size - 8) == RG_ERR_ARGUMENT);
    memset(state + size - 8 * NV, 0xff, 8 * NV);
    cr_expect(rg_batch_state_load(batch, 4, state, size) != RG_OK && rg_batch_hash(batch, 4) == before);
    cr_expect(rg_batch_state_load(batch, RUNS, state, size) == RG_ERR_ARGUMENT);
    free(state);
    rg_world_destroy(world);
    rg_batch_destroy(batch);
    rg_model_destroy(model);
}

/* ------------------------------------------------------------------ runs that fail */

/* Run 2 is pushed by more than numbers can hold from step 4 on: it alone stops, where it was after step 3. */
Test(batch, a_run_fails_alone)
{
    enum { STEPS = 9 };
    RgModel *model = scene_arm();
    RgBatchDef def = arm_def(model);
    RgBatch *batch = make(&def), *calm = make(&def);
    double tau[RUNS * STEPS * NV] = {0.0}, t[RUNS * STEPS], q[RUNS * STEPS * NV], v[RUNS * STEPS * NV];
    double calm_q[RUNS * STEPS * NV];
    tau[(2 * STEPS + 4) * NV + 1] = 1e308;
    tau[(2 * STEPS + 4) * NV + 2] = -1e308;
    RgBatchRollout o = {.steps = STEPS, .h = 1e-3, .hold = 1, .tau = tau, .every = 1, .t = t, .q = q, .v = v};
    roll(batch, &o);
    roll(calm, &(RgBatchRollout){.steps = STEPS, .h = 1e-3, .every = 1, .q = calm_q});
    cr_expect_eq(rg_batch_failures(batch), 1);
    RgRunFailure failure = rg_batch_failure(batch, 2);
    cr_expect(failure.status == RG_ERR_NOT_FINITE && failure.step == 4, "%s at step %d", rg_status_text(failure.status),
              failure.step);
    cr_expect(failure.offender[0] != '\0' && fabs(failure.t - 4e-3) < 1e-15);
    for (int r = 0; r < RUNS; r++)
        for (int k = 0; k < STEPS; k++) {
            int at = r * STEPS + k, good = r == 2 && k > 3 ? 2 * STEPS + 3 : at;
            cr_expect(memcmp(q + at * NV, calm_q + good * NV, NV * sizeof *q) == 0, "run %d, row %d", r, k);
            cr_expect(memcmp(v + at * NV, v + good * NV, NV * sizeof *v) == 0 && t[at] == t[good]);
        }

    /* It is stepped no more, until its state is set; what it failed by is kept until then. */
    uint64_t stays = rg_batch_hash(batch, 2);
    tau[(2 * STEPS + 4) * NV + 1] = tau[(2 * STEPS + 4) * NV + 2] = 0.0;
    roll(batch, &o);
    cr_expect(rg_batch_hash(batch, 2) == stays && rg_batch_failure(batch, 2).step == 4);
    cr_expect(rg_batch_set_state(batch, 2, calm_q, NULL, NULL) == RG_OK && rg_batch_failures(batch) == 0);
    roll(batch, &o);
    cr_expect(rg_batch_hash(batch, 2) != stays && rg_batch_failures(batch) == 0);
    rg_batch_destroy(batch);
    rg_batch_destroy(calm);
    rg_model_destroy(model);
}

/* Inputs that are no numbers: told with the joint, and they never reach the state. */
Test(batch, inputs_that_are_no_numbers)
{
    RgModel *model = scene_arm();
    RgBatchDef def = arm_def(model);
    RgBatchDrive drive = {{3}, 0, rg_drive_default()};
    def.drives = &drive;
    def.ndrives = 1;
    RgBatch *batch = make(&def);
    double tau[RUNS * NV] = {0.0}, position[RUNS] = {0.0}, velocity[RUNS] = {0.0}, q[RUNS * NV] = {0.0};
    tau[1 * NV + 3] = NAN;
    position[2] = INFINITY;
    velocity[3] = -INFINITY;
    roll(batch,
         &(RgBatchRollout){.steps = 5, .h = 1e-3, .tau = tau, .position = position, .velocity = velocity, .q = q});
    cr_expect_eq(rg_batch_failures(batch), 3);
    for (int r = 1; r <= 3; r++) {
        RgRunFailure failure = rg_batch_failure(batch, r);
        cr_expect(failure.status == RG_ERR_NOT_FINITE && failure.step == 0 && failure.t == 0.0);
        cr_expect(strstr(failure.offender, r == 1 ? "effort of joint '" : "target of joint '") != NULL, "%s",
                  failure.offender);
    }
    for (int i = 0; i < RUNS * NV; i++)
        cr_expect(isfinite(q[i]));

    /* Those that failed as their states were set. */
    double v[RUNS * NV] = {0.0};
    v[4 * NV] = NAN;
    uint64_t before = rg_batch_hash(batch, 4);
    rg_batch_set_states(batch, NULL, v, NULL);
    cr_expect(rg_batch_failures(batch) == 1 && rg_batch_failure(batch, 4).step == -1);
    cr_expect(rg_batch_hash(batch, 4) == before);
    cr_expect(rg_batch_reset(batch, 4) == RG_OK && rg_batch_failures(batch) == 0);
    rg_batch_destroy(batch);
    rg_model_destroy(model);
}

/* A floating base can be pushed through tau, which joints by id cannot. */
Test(batch, efforts_on_a_floating_base)
{
    RgModel *model = scene_box();
    RgBatchDef def = arm_def(model);
    def.world.gravity = (RgVec3){0.0, 0.0, 0.0};
    RgBatch *batch = make(&def);
    double tau[RUNS * 6] = {0.0}, v[RUNS * 6];
    tau[3 * 6 + 4] = 20.0; /* 10 kg */
    roll(batch, &(RgBatchRollout){.steps = 100, .h = 1e-2, .tau = tau, .v = v});
    cr_expect(fabs(v[3 * 6 + 4] - 2.0) < 1e-12, "%.17g", v[3 * 6 + 4]);
    cr_expect(v[2 * 6 + 4] == 0.0);
    rg_batch_destroy(batch);
    rg_model_destroy(model);
}
