/* test_step_log.c - what is counted of inner steps, and what a refused outer step leaves of it: nothing. */
#include "stepper/step_log.h"

#include "check_near.h"

#include <string.h>

static RgStepLog fresh_log(void)
{
    RgStepLog log;
    RgAllocator allocator = {0};
    rg_step_log_init(&log, &allocator);
    return log;
}

static RgInnerStep inner(double h, RgCut cut, double least)
{
    return (RgInnerStep){.h = h, .cut = cut, .shape_a = -1, .shape_b = -1, .least_distance = least};
}

/* Lower end of a bin, by the definition in the public header. */
static double bin_begin(int i)
{
    return 1e-10 * pow(10.0, i / 5.0);
}

/* Every length is in the bin that the header's formula names, those beyond in the first and the last. */
Test(step_log, histogram)
{
    for (int i = 0; i < RG_STEP_BINS; i++) {
        RgStepLog log = fresh_log();
        RgInnerStep low = inner(bin_begin(i) * 1.001, RG_CUT_whole, INFINITY);
        RgInnerStep high = inner(bin_begin(i + 1) * 0.999, RG_CUT_error, INFINITY);
        rg_step_log_inner(&log, &low);
        rg_step_log_inner(&log, &high);
        cr_expect_eq(log.statistics.bins[i], 2, "bin %d", i);
        cr_expect(log.statistics.cut[RG_CUT_whole] == 1 && log.statistics.cut[RG_CUT_error] == 1);
        rg_step_log_free(&log);
    }
    RgStepLog log = fresh_log();
    RgInnerStep tiny = inner(1e-300, RG_CUT_least, INFINITY), huge = inner(1e9, RG_CUT_whole, INFINITY);
    rg_step_log_inner(&log, &tiny);
    rg_step_log_inner(&log, &huge);
    cr_expect(log.statistics.bins[0] == 1 && log.statistics.bins[RG_STEP_BINS - 1] == 1);
    rg_step_log_free(&log);
}

Test(step_log, sums)
{
    RgStepLog log = fresh_log();
    static const double h[4] = {2e-3, 5e-4, 8e-3, 1e-3}, least[4] = {0.1, INFINITY, 0.03, 0.2};
    for (int i = 0; i < 4; i++) {
        RgInnerStep step = inner(h[i], RG_CUT_contact, least[i]);
        rg_step_log_inner(&log, &step);
    }
    rg_step_log_rejected(&log, RG_CUT_error);
    rg_step_log_rejected(&log, RG_CUT_error);
    RgStepStatistics s = log.statistics;
    cr_expect(s.steps == 4 && s.cut[RG_CUT_contact] == 4 && s.rejected[RG_CUT_error] == 2);
    cr_expect(s.least == 5e-4 && s.most == 8e-3 && s.least_distance == 0.03);
    CHECK_NEAR(s.time, 0.0115, 1e-15, "s");
    rg_step_log_free(&log);
}

typedef struct Told {
    int events, steps, forgets;
} Told;

static void tell_event(const RgEvent *event, void *context)
{
    (void)event;
    ((Told *)context)->events++;
}

static void tell_step(const RgInnerStep *step, void *context)
{
    Told *told = context;
    *(step != NULL ? &told->steps : &told->forgets) += 1;
}

Test(step_log, refusal)
{
    RgStepLog log = fresh_log();
    Told told = {0};
    log.event_fn = tell_event;
    log.step_fn = tell_step;
    log.event_context = log.step_context = &told;
    RgInnerStep step = inner(1e-3, RG_CUT_whole, 0.5), near = inner(1e-4, RG_CUT_contact, 0.1);
    RgEvent touch = {.kind = RG_EVENT_touch};

    rg_step_log_begin(&log);
    rg_step_log_inner(&log, &step);
    rg_step_log_event(&log, &touch);
    cr_expect_eq(told.events, 0, "events are told when the step is accepted");
    rg_step_log_accept(&log);
    cr_expect(told.events == 1 && told.steps == 1 && log.nevents == 1);
    RgStepStatistics before = log.statistics;

    rg_step_log_begin(&log);
    for (int i = 0; i < 100; i++)
        rg_step_log_event(&log, &touch);
    rg_step_log_inner(&log, &near);
    rg_step_log_rejected(&log, RG_CUT_error);
    rg_step_log_refuse(&log);
    cr_expect(told.events == 1 && told.forgets == 1 && log.nevents == 0);
    cr_expect(memcmp(&before, &log.statistics, sizeof before) == 0);
    rg_step_log_free(&log);
}

/* A try that is thrown away takes its events with it, and leaves those before and the inner steps. */
Test(step_log, thrown_away)
{
    RgStepLog log = fresh_log();
    RgInnerStep step = inner(1e-3, RG_CUT_whole, 0.5);
    rg_step_log_begin(&log);
    rg_step_log_inner(&log, &step);
    rg_step_log_event(&log, &(RgEvent){.kind = RG_EVENT_touch, .t = 1.0});
    RgStepLogMark mark = rg_step_log_mark(&log);
    RgStepStatistics before = log.statistics;
    for (int i = 0; i < 40; i++)
        rg_step_log_event(&log, &(RgEvent){.kind = RG_EVENT_impact, .t = 2.0});
    log.statistics.manifold_changes = 7;
    rg_step_log_rewind(&log, &mark);
    cr_expect(log.nevents == 1 && log.events[0].t == 1.0);
    cr_expect(memcmp(&before, &log.statistics, sizeof before) == 0);
    rg_step_log_free(&log);
}

/* Memory that is out loses events, counts them all the same, and says so. */
static void *no_memory(size_t size, void *context)
{
    (void)size;
    (void)context;
    return NULL;
}

static void nothing_to_free(void *block, void *context)
{
    (void)block;
    (void)context;
}

Test(step_log, out_of_memory)
{
    RgStepLog log;
    RgAllocator none = {.alloc = no_memory, .release = nothing_to_free};
    rg_step_log_init(&log, &none);
    rg_step_log_begin(&log);
    rg_step_log_event(&log, &(RgEvent){.kind = RG_EVENT_impact});
    cr_expect(log.out_of_memory && log.nevents == 0 && log.statistics.events[RG_EVENT_impact] == 1);
    rg_step_log_accept(&log);
    rg_step_log_free(&log);
}

Test(step_log, names)
{
    cr_expect_str_eq(rg_event_name(RG_EVENT_touch), "touch");
    cr_expect_str_eq(rg_event_name(RG_EVENT_leave), "leave");
    cr_expect_null(rg_event_name(RG_EVENT_COUNT));
    cr_expect_str_eq(rg_cut_name(RG_CUT_least), "least");
    cr_expect_null(rg_cut_name(RG_CUT_COUNT));
}
