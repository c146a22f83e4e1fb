/*
 * test_batch_bits.c - a batch gives every run the bits of a world of its own: by 1, 2, 3, 8 threads, in both coordinate
 * forms, whatever solver and stepper, with contacts that come and go, efforts, drives, sleepers, functions of the
 * user's own.
 *
 * The law: run r of a batch = a world that is given the inputs of r by the calls of sim.h, one after the other.
 * Compared are the whole saved states, all rows of outputs, and what a function measures. Several calls follow each
 * other, so that every run has been in a world after others that had other inputs.
 */
#include "scene_contacts.h"
#include "worlds.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 6, CALLS = 3, MEASURED = 7 };

typedef struct BatchCase {
    ContactCase scene;
    const char *coords, *stepper, *solver;
    bool sleeping, drives, own_input;
} BatchCase;

#define QUADRUPED                                                                                                      \
    {                                                                                                                  \
        "quadruped", "S5", 0, 1e-3, 60                                                                                 \
    }
#define BALLS                                                                                                          \
    {                                                                                                                  \
        "few balls", "S2", 24, 10e-3, 60                                                                               \
    }
#define HEAP                                                                                                           \
    {                                                                                                                  \
        "heap of all kinds", NULL, 0, 4e-3, 120                                                                        \
    }
#define STACKS                                                                                                         \
    {                                                                                                                  \
        "stacks that sleep", "S1", 0, 5e-3, 90                                                                         \
    }

#define STANDING                                                                                                       \
    {                                                                                                                  \
        "quadruped that sleeps", "S5", 0, 2e-3, 500                                                                    \
    }

static const BatchCase cases[] = {
    {QUADRUPED, "minimal", "semi-implicit", "quick", false, false, false},
    {QUADRUPED, "maximal", "semi-implicit", "quick", false, false, true},
    {QUADRUPED, "minimal", "semi-implicit", "pgs", false, true, false},
    {QUADRUPED, "maximal", "semi-implicit", "cone", false, true, false},
    {QUADRUPED, "minimal", "rk4", "quick", false, true, true},
    {QUADRUPED, "minimal", "rigid", "cone", false, true, false},
    {QUADRUPED, "minimal", "auto", "cone", false, false, false},
    {BALLS, "minimal", "semi-implicit", "quick", false, false, false},
    {BALLS, "maximal", "semi-implicit", "pgs", false, false, true},
    {BALLS, "minimal", "semi-implicit", "cone", false, false, false},
    {HEAP, "minimal", "semi-implicit", "quick", false, false, false},
    {HEAP, "maximal", "semi-implicit", "quick", true, false, false},
    {HEAP, "minimal", "semi-implicit", "pgs", false, false, false},
    {STANDING, "minimal", "semi-implicit", "quick", true, true, false},
    {STANDING, "maximal", "semi-implicit", "pgs", true, true, false},
    {STACKS, "minimal", "semi-implicit", "quick", true, false, false},
    {STACKS, "maximal", "semi-implicit", "pgs", true, false, false},
};

/* ------------------------------------------------------------------ what all runs are given */

typedef struct Given {
    const BatchCase *from;
    ContactRun run;
    int nq, nv, nd;
    RgBatchDrive drives[32];
    double *q, *v;                     /* RUNS x nq, nv: start */
    double *tau, *position, *velocity; /* of one call: RUNS x rows x ... */
    RgBatchRollout call;
} Given;

/* What a function of the user's may do: its effort depends on the run, the state and the time. */
static void push(int run, const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    (void)context;
    int nv = rg_model_info(model).nv;
    input->tau[nv - 1] += 0.01 * run - 0.125 * state->v[nv - 1];
    input->wrenches[0].f.y += 0.25 * state->t * run;
}

/* Of a single world, whose function is not told the run. */
typedef struct Single {
    int run;
} Single;

static void push_single(const RgModel *model, const RgInputState *state, RgInput *input, void *context)
{
    push(((const Single *)context)->run, model, state, input, NULL);
}

static void measure(int run, RgWorld *world, double *out, void *context)
{
    (void)context;
    const RgContactForce *forces;
    const RgShortfall *gave;
    double sum = 0.0;
    int n = rg_world_contact_forces(world, &forces);
    for (int i = 0; i < n; i++)
        sum += forces[i].force.z;
    out[0] = run;
    out[1] = sum;
    out[2] = rg_world_energy_sums(world).projected + rg_world_energy_sums(world).slept;
    out[3] = (double)rg_world_step_statistics(world).steps;
    out[4] = rg_world_input_effort(world)[0];
    out[5] = rg_world_shortfalls(world, &gave);
    RgForce reaction = {0};
    if (rg_model_info(rg_world_model(world)).joints > 0)
        rg_world_joint_reaction(world, (RgJointId){1}, &reaction);
    out[6] = reaction.f.z + reaction.n.y;
}

static RgWorldDef def_of(const BatchCase *from)
{
    RgWorldDef def = rg_world_def_default();
    def.coords = from->coords;
    def.stepper = from->stepper;
    def.solver = from->solver;
    def.sleeping = from->sleeping;
    def.sleep_time = 0.05;
    return def;
}

/* Soft drives on the hinges, in place of the scene's own efforts. */
static void add_drives(Given *g)
{
    RgModelInfo info = rg_model_info(g->run.model);
    for (int i = 1; i <= info.joints && g->nd < 32; i++) {
        if (rg_model_joint(g->run.model, (RgJointId){i}).nv != 1)
            continue;
        RgBatchDrive d = {{i}, 0, rg_drive_default()};
        d.drive.kp = 300.0;
        d.drive.max_effort = 80.0;
        g->drives[g->nd++] = d;
    }
    cr_assert(g->nd > 0);
}

/* Velocities differ from run to run; those who shall sleep get none. */
static void choose_starts(Given *g)
{
    RgWorld *world = contact_run_world(&g->run);
    cr_assert(world != NULL);
    for (int r = 0; r < RUNS; r++) {
        memcpy(g->q + r * g->nq, rg_world_q(world), (size_t)g->nq * sizeof *g->q);
        memcpy(g->v + r * g->nv, rg_world_v(world), (size_t)g->nv * sizeof *g->v);
        for (int k = 0; k < g->nv && !(g->from->sleeping && r != 1); k++)
            g->v[r * g->nv + k] += 0.01 * ((r * 7 + k * 3) % 5 - 2);
    }
    rg_world_destroy(world);
}

static void given_begin(const BatchCase *from, Given *g)
{
    *g = (Given){.from = from};
    cr_assert(contact_run_begin(&from->scene, def_of(from), &g->run));
    RgModelInfo info = rg_model_info(g->run.model);
    g->nq = info.nq;
    g->nv = info.nv;
    if (from->drives || from->own_input)
        g->run.def.input = NULL;
    if (from->drives)
        add_drives(g);
    size_t rows = (size_t)from->scene.steps;
    g->q = calloc((size_t)(RUNS * g->nq), sizeof(double));
    g->v = calloc((size_t)(RUNS * g->nv), sizeof(double));
    g->tau = calloc(RUNS * rows * (size_t)g->nv, sizeof(double));
    g->position = calloc(RUNS * rows * (size_t)(g->nd + 1), sizeof(double));
    g->velocity = calloc(RUNS * rows * (size_t)(g->nd + 1), sizeof(double));
    choose_starts(g);
}

static void given_end(Given *g)
{
    double *const blocks[] = {g->q, g->v, g->tau, g->position, g->velocity};
    for (int i = 0; i < 5; i++)
        free(blocks[i]);
    contact_run_end(&g->run);
}

/* Inputs of one call: the second repeats the efforts of the first, as sleepers need it; the last has none of its
   own. */
static void given_call(Given *g, int call)
{
    RgBatchRollout *o = &g->call;
    *o = rg_batch_rollout_default();
    o->h = g->from->scene.h;
    o->steps = call == 1 ? 1 : g->from->scene.steps / 2 + call;
    o->hold = call == 0 && !g->from->sleeping ? 7 : 0;
    o->every = call == 0 ? 5 : 0;
    int rows = rg_batch_rollout_inputs(o), weight = call == 2 ? 3 : 1;
    for (int i = 0; i < RUNS * rows; i++) {
        for (int k = 0; k < g->nv; k++)
            g->tau[i * g->nv + k] = (i / rows) % 2 == 0 ? 0.0 : 0.03 * weight * ((i + k) % 3 - 1);
        for (int k = 0; k < g->nd; k++) {
            g->position[i * g->nd + k] = g->from->sleeping ? 1e-3 * (i / rows) : 0.02 * ((i + k + call) % 4 - 1);
            g->velocity[i * g->nd + k] = k % 3 == 0 && !g->from->sleeping ? 0.1 : 0.0;
        }
    }
    o->tau = g->tau;
    if (g->nd > 0) {
        o->position = g->position;
        o->velocity = call == 1 ? NULL : g->velocity;
    }
}

/* ------------------------------------------------------------------ the twin: a world for each run */

typedef struct Twin {
    RgWorld *world;
    Single single;
    RgDrive drives[32];
} Twin;

static void twin_begin(Twin *twin, const Given *g, int run)
{
    RgWorldDef def = g->run.def;
    twin->single.run = run;
    if (g->from->own_input) {
        def.input = push_single;
        def.input_context = &twin->single;
    }
    twin->world = world_make(&def);
    for (int k = 0; k < g->nd; k++) {
        twin->drives[k] = g->drives[k].drive;
        cr_assert(rg_world_set_joint_drive(twin->world, g->drives[k].joint, 0, &twin->drives[k]) == RG_OK);
    }
    cr_assert(rg_world_set_state(twin->world, g->q + run * g->nq, g->v + run * g->nv) == RG_OK);
}

static void twin_inputs(Twin *twin, const Given *g, int run, int row)
{
    const RgBatchRollout *o = &g->call;
    int at = run * rg_batch_rollout_inputs(o) + row;
    cr_assert(rg_world_set_efforts(twin->world, o->tau + at * g->nv) == RG_OK);
    for (int k = 0; k < g->nd; k++) {
        RgDrive *d = &twin->drives[k];
        d->position = o->position[at * g->nd + k];
        if (o->velocity != NULL)
            d->velocity = o->velocity[at * g->nd + k];
        d->time = d->velocity != 0.0 ? rg_world_time(twin->world) : 0.0;
        cr_assert(rg_world_set_joint_drive(twin->world, g->drives[k].joint, 0, d) == RG_OK);
    }
}

/* One call of a rollout; q, v and measured numbers of its rows behind each other. */
static void twin_call(Twin *twin, const Given *g, int run, double *rows)
{
    const RgBatchRollout *o = &g->call;
    int hold = o->hold > 0 ? o->hold : o->steps, every = o->every > 0 ? o->every : o->steps;
    for (int i = 0; i < o->steps; i++) {
        if (i % hold == 0)
            twin_inputs(twin, g, run, i / hold);
        cr_assert(rg_world_step(twin->world, o->h, NULL) == RG_OK, "%s: a step was refused", g->from->scene.name);
        if ((i + 1) % every != 0)
            continue;
        memcpy(rows, rg_world_q(twin->world), (size_t)g->nq * sizeof *rows);
        memcpy(rows + g->nq, rg_world_v(twin->world), (size_t)g->nv * sizeof *rows);
        measure(run, twin->world, rows + g->nq + g->nv, NULL);
        rows += g->nq + g->nv + MEASURED;
    }
}

/* What a run must come to: its rows and its saved state after each call. */
typedef struct Expected {
    double *rows[CALLS];
    char *state[CALLS];
    size_t size[CALLS];
    int asleep; /* bodies, at the end of the second call */
} Expected;

static void expect_run(Given *g, int run, Expected *e)
{
    Twin twin = {0};
    twin_begin(&twin, g, run);
    for (int call = 0; call < CALLS; call++) {
        given_call(g, call);
        int rows = rg_batch_rollout_outputs(&g->call);
        e->rows[call] = calloc((size_t)rows * (size_t)(g->nq + g->nv + MEASURED), sizeof(double));
        twin_call(&twin, g, run, e->rows[call]);
        e->size[call] = rg_world_state_size(twin.world);
        e->state[call] = malloc(e->size[call]);
        rg_world_state_save(twin.world, e->state[call]);
        for (int i = 1; call == 1 && i <= rg_model_info(g->run.model).links; i++)
            e->asleep += rg_world_is_asleep(twin.world, (RgLinkId){i});
    }
    rg_world_destroy(twin.world);
}

static void expected_end(Expected *e)
{
    for (int call = 0; call < CALLS; call++) {
        free(e->rows[call]);
        free(e->state[call]);
    }
}

/* ------------------------------------------------------------------ the batch */

static RgBatch *make_batch(const Given *g, int threads)
{
    RgBatchDef def = rg_batch_def_default();
    def.world = g->run.def;
    def.runs = RUNS;
    def.threads = threads;
    def.drives = g->drives;
    def.ndrives = g->nd;
    def.input = g->from->own_input ? push : NULL;
    def.measure = measure;
    def.nmeasured = MEASURED;
    RgError error = {0};
    RgBatch *batch = rg_batch_create(&def, &error);
    cr_assert(batch != NULL, "%s", error.text);
    rg_batch_set_states(batch, g->q, g->v, NULL);
    return batch;
}

static void compare_rows(const Given *g, int rows, int run, const Expected *e, int call)
{
    const RgBatchRollout *o = &g->call;
    for (int k = 0; k < rows; k++) {
        const double *row = e->rows[call] + k * (g->nq + g->nv + MEASURED);
        int at = run * rows + k;
        bool same = memcmp(o->q + at * g->nq, row, (size_t)g->nq * sizeof *row) == 0 &&
                    memcmp(o->v + at * g->nv, row + g->nq, (size_t)g->nv * sizeof *row) == 0;
        cr_assert(same, "%s, %s, %s: call %d, run %d, row %d: other q, v", g->from->scene.name, g->from->coords,
                  g->from->solver, call, run, k);
        for (int i = 0; i < MEASURED; i++)
            cr_assert(memcmp(o->measured + at * MEASURED + i, row + g->nq + g->nv + i, sizeof *row) == 0,
                      "%s, %s, %s: call %d, run %d, row %d: measured %d: %.17g, not %.17g", g->from->scene.name,
                      g->from->coords, g->from->solver, call, run, k, i, o->measured[at * MEASURED + i],
                      row[g->nq + g->nv + i]);
    }
}

static void compare_states(const Given *g, const RgBatch *batch, int run, const Expected *e, int call)
{
    size_t size = rg_batch_state_size(batch, run);
    cr_assert(size == e->size[call], "%s: call %d, run %d: another size", g->from->scene.name, call, run);
    char *state = malloc(size);
    rg_batch_state_save(batch, run, state);
    cr_assert(memcmp(state, e->state[call], size) == 0, "%s, %s, %s, %s, %d threads: call %d, run %d: other bits",
              g->from->scene.name, g->from->coords, g->from->stepper, g->from->solver, rg_batch_threads(batch), call,
              run);
    free(state);
}

static void check_threads(Given *g, int threads, const Expected *e)
{
    RgBatch *batch = make_batch(g, threads);
    for (int call = 0; call < CALLS; call++) {
        given_call(g, call);
        RgBatchRollout *o = &g->call;
        int rows = rg_batch_rollout_outputs(o);
        o->q = calloc((size_t)(RUNS * rows * g->nq), sizeof(double));
        o->v = calloc((size_t)(RUNS * rows * g->nv), sizeof(double));
        o->measured = calloc((size_t)(RUNS * rows * MEASURED), sizeof(double));
        RgError error = {0};
        cr_assert(rg_batch_rollout(batch, o, &error) == RG_OK, "%s", error.text);
        cr_assert_eq(rg_batch_failures(batch), 0);
        for (int r = 0; r < RUNS; r++) {
            compare_rows(g, rows, r, &e[r], call);
            compare_states(g, batch, r, &e[r], call);
        }
        free(o->q);
        free(o->v);
        free(o->measured);
    }
    rg_batch_destroy(batch);
}

static void check_case(const BatchCase *from)
{
    static const int threads[] = {1, 2, 3, 8};
    Given g;
    Expected expected[RUNS] = {0};
    int asleep = 0;
    given_begin(from, &g);
    for (int r = 0; r < RUNS; r++) {
        expect_run(&g, r, &expected[r]);
        asleep += expected[r].asleep;
    }
    bool rests = strstr(from->scene.name, "sleep") != NULL;
    cr_expect(!rests || asleep >= 20, "%s: only %d bodies sleep", from->scene.name, asleep);
    cr_expect(memcmp(expected[0].state[0], expected[1].state[0], expected[0].size[0]) != 0, "runs do not differ");
    for (int i = 0; i < 4; i++)
        check_threads(&g, threads[i], expected);
    for (int r = 0; r < RUNS; r++)
        expected_end(&expected[r]);
    given_end(&g);
}

Test(batch_bits, as_in_worlds_of_their_own)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_case(&cases[i]);
}
