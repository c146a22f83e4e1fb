/*
 * test_ode_failure.c - the reference integrator where something goes wrong: right sides that fail or give
 * NaN,
 * solutions that end, limits that are reached, memory that is out. The state must always stay at the last
 * accepted
 * step.
 */
#include "check_near.h"
#include "ode_problems.h"

#include <stdlib.h>

/* What a right side was asked, and when it refuses. */
typedef struct Watch {
    double t_most;                  /* latest time asked for */
    double y_refused;               /* y above this: fails, or gives NaN */
    int calls, bad_from, bad_until; /* calls that fail */
    bool not_a_number;
} Watch;

/* y' = 1 + y / 10, with the refusals of the watch. */
static RgStatus watched_rhs(double t, const double *y, double *dydt, void *context)
{
    Watch *watch = context;
    watch->t_most = fmax(watch->t_most, t);
    watch->calls++;
    dydt[0] = 1.0 + 0.1 * y[0];
    bool bad = y[0] > watch->y_refused || (watch->calls >= watch->bad_from && watch->calls < watch->bad_until);
    if (bad && watch->not_a_number)
        dydt[0] = (double)NAN;
    return bad && !watch->not_a_number ? RG_ERR_SINGULAR : RG_OK;
}

/* y' = y^2, y(0) = 1: ends at t = 1. */
static RgStatus blow_up_rhs(double t, const double *y, double *dydt, void *context)
{
    (void)t, (void)context;
    dydt[0] = y[0] * y[0];
    return RG_OK;
}

static RgStatus empty_rhs(double t, const double *y, double *dydt, void *context)
{
    (void)t, (void)y, (void)dydt, (void)context;
    return RG_OK;
}

static RgOdeDef watched_def(Watch *watch)
{
    return (RgOdeDef){.n = 1, .rhs = watched_rhs, .context = watch, .rtol = 1e-10, .atol = 1e-10};
}

Test(ode_failure, a_wall_is_approached_and_its_status_handed_back)
{
    /* y = 10 (exp(t / 10) - 1) reaches 1 at t = 10 log 1.1. */
    Watch watch = {.y_refused = 1.0};
    RgOdeDef def = watched_def(&watch);
    OdeRun run = ode_run_begin(&def);
    double y = 0.0, wall = 10.0 * log(1.1);
    cr_expect_eq(ode_run_to(&run, &y, 5.0), RG_ERR_SINGULAR);
    cr_expect(run.ode.t < wall && run.ode.t > 0.9 * wall, "stopped at %g, wall at %g", run.ode.t, wall);
    CHECK_NEAR(run.ode.y[0], 10.0 * (exp(0.1 * run.ode.t) - 1.0), 1e-9, "");
    cr_expect_gt(run.ode.counts.failed, 10);
    ode_run_end(&run);
}

Test(ode_failure, a_passing_failure_only_costs_a_smaller_step)
{
    Watch watch = {.y_refused = 1e9, .bad_from = 20, .bad_until = 25};
    RgOdeDef def = watched_def(&watch);
    OdeRun run = ode_run_begin(&def);
    double y = 0.0;
    cr_expect_eq(ode_run_to(&run, &y, 5.0), RG_OK);
    CHECK_NEAR(run.ode.y[0], 10.0 * (exp(0.5) - 1.0), 1e-8, "");
    cr_expect_eq(run.ode.counts.failed, 5);
    ode_run_end(&run);
}

Test(ode_failure, nan_from_the_right_side_never_enters_the_state)
{
    Watch watch = {.y_refused = 1.0, .not_a_number = true};
    RgOdeDef def = watched_def(&watch);
    OdeRun run = ode_run_begin(&def);
    double y = 0.0, wall = 10.0 * log(1.1);
    cr_expect_eq(ode_run_to(&run, &y, 5.0), RG_ERR_NOT_FINITE);
    CHECK_NEAR(run.ode.t, wall, 1e-9, "s");
    CHECK_NEAR(run.ode.y[0], 1.0, 1e-9, "");

    /* And from the first evaluation, also at t = 0. */
    watch.y_refused = -1.0;
    cr_expect_eq(ode_run_to(&run, &y, 5.0), RG_ERR_NOT_FINITE);
    cr_expect_eq(run.ode.y[0], 0.0);
    cr_expect_eq(run.ode.t, 0.0);

    /* And from the first try on, with t = 0. */
    watch = (Watch){.y_refused = 1e9, .bad_from = 2, .bad_until = 1 << 30, .not_a_number = true};
    cr_expect_eq(ode_run_to(&run, &y, 5.0), RG_ERR_NOT_FINITE);
    cr_expect_eq(run.ode.t, 0.0);
    ode_run_end(&run);
}

Test(ode_failure, a_solution_that_ends_is_not_stepped_over)
{
    RgOdeDef def = {.n = 1, .rhs = blow_up_rhs, .rtol = 1e-10, .atol = 1e-10};
    OdeRun run = ode_run_begin(&def);
    double y = 1.0;
    RgStatus status = ode_run_to(&run, &y, 2.0);
    cr_expect(status == RG_ERR_NOT_CONVERGED || status == RG_ERR_NOT_FINITE, "%s", rg_status_text(status));
    cr_expect(run.ode.t <= 1.0 + 1e-9 && run.ode.t > 0.999, "t = %g", run.ode.t);
    cr_expect(isfinite(run.ode.y[0]));

    /* The same with a limit on the step, and on their number. */
    def.h_min = 1e-3;
    rg_ode_init(&run.arena, &def, &run.ode);
    cr_expect_eq(ode_run_to(&run, &y, 2.0), RG_ERR_NOT_CONVERGED);
    cr_expect_lt(run.ode.t, 1.0);
    def.h_min = 0.0;
    def.max_steps = 5;
    rg_ode_init(&run.arena, &def, &run.ode);
    cr_expect_eq(ode_run_to(&run, &y, 2.0), RG_ERR_NOT_CONVERGED);
    cr_expect_eq(run.ode.counts.accepted + run.ode.counts.rejected, 5);
    ode_run_end(&run);
}

Test(ode_failure, the_right_side_is_never_asked_beyond_the_limit)
{
    /* Also not by the search for the first step. */
    Watch watch = {.y_refused = 1e9};
    RgOdeDef def = watched_def(&watch);
    OdeRun run = ode_run_begin(&def);
    double y = 100.0;
    cr_expect_eq(ode_run_to(&run, &y, 1e-7), RG_OK);
    cr_expect_eq(run.ode.t, 1e-7);
    cr_expect_leq(watch.t_most, 1e-7);
    ode_run_end(&run);
}

Test(ode_failure, definitions_that_make_no_sense_are_refused)
{
    RgOdeDef good = {.n = 2, .rhs = oscillator_rhs, .rtol = 1e-6, .atol = 1e-6}, bad[7];
    for (int i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].n = -1;
    bad[1].rhs = NULL;
    bad[2].rtol = bad[2].atol = 0.0;
    bad[3].rtol = -1e-6;
    bad[4].atol = (double)NAN;
    bad[5].h_min = 1.0, bad[5].h_max = 0.5;
    bad[6].max_steps = -1;
    OdeRun run = ode_run_begin(&good);
    for (int i = 0; i < 7; i++)
        cr_expect_eq(rg_ode_init(&run.arena, &bad[i], &run.ode), RG_ERR_ARGUMENT, "definition %d", i);

    double y[2] = {1.0, (double)INFINITY};
    cr_assert_eq(rg_ode_init(&run.arena, &good, &run.ode), RG_OK);
    cr_expect_eq(rg_ode_start(&run.ode, 0.0, y, 0.0), RG_ERR_NOT_FINITE);
    cr_expect_eq(rg_ode_restart(&run.ode, 0.0, y), RG_ERR_NOT_FINITE);
    y[1] = 0.0;
    cr_expect_eq(rg_ode_start(&run.ode, (double)NAN, y, 0.0), RG_ERR_NOT_FINITE);
    cr_assert_eq(rg_ode_start(&run.ode, 0.0, y, 0.0), RG_OK);
    cr_expect_eq(rg_ode_step(&run.ode, (double)NAN), RG_ERR_ARGUMENT);
    ode_run_end(&run);
}

Test(ode_failure, nothing_to_integrate_is_no_failure)
{
    RgOdeDef def = {.n = 0, .rhs = empty_rhs, .rtol = 1e-6, .atol = 1e-6};
    OdeRun run = ode_run_begin(&def);
    cr_expect_eq(ode_run_to(&run, NULL, 3.0), RG_OK);
    cr_expect_eq(run.ode.t, 3.0);
    ode_run_end(&run);
}

/* Memory that counts its blocks and may refuse them. */
typedef struct Pool {
    int taken, limit;
} Pool;

static void *pool_take(size_t bytes, void *context)
{
    Pool *pool = context;
    return pool->taken++ < pool->limit ? malloc(bytes) : NULL;
}

static void pool_release(void *block, void *context)
{
    (void)context;
    free(block);
}

Test(ode_failure, all_memory_is_taken_at_the_start)
{
    Pool pool = {0, 100};
    RgAllocator allocator = {pool_take, pool_release, &pool};
    RgArena arena;
    rg_arena_init(&arena, &allocator);
    RgOdeDef def = {.n = 4, .rhs = kepler_rhs, .rtol = 1e-9, .atol = 1e-9};
    RgOde ode;
    double y[4];
    cr_assert_eq(rg_ode_init(&arena, &def, &ode), RG_OK);
    int taken = pool.taken;
    kepler_state(0.5, 0.0, y);
    cr_assert_eq(rg_ode_start(&ode, 0.0, y, 0.0), RG_OK);
    while (ode.t < 10.0) {
        cr_assert_eq(rg_ode_step(&ode, 10.0), RG_OK);
        cr_assert_eq(rg_ode_dense(&ode, ode.t, y), RG_OK);
    }
    cr_expect_eq(pool.taken, taken);
    rg_arena_free(&arena);

    /* No memory: said at once. */
    pool = (Pool){0, 0};
    rg_arena_init(&arena, &allocator);
    cr_expect_eq(rg_ode_init(&arena, &def, &ode), RG_ERR_MEMORY);
    rg_arena_free(&arena);
}
