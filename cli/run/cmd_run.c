/*
 * cmd_run.c - `rigor run FILE`: simulates a model or a run file, and reports the results.
 *
 * Options of the command line override those of the run file. The state is recorded at the start, every N steps and at
 * the end. A refused step (a number that is not finite) ends the run: outputs are finished, the summary is written, and
 * the exit code is 1. SIGINT (Ctrl-C) and SIGTERM end it in the same way, with the shell's usual codes 130 and 143.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/command.h"
#include "io/error.h"
#include "io/options.h"
#include "io/progress.h"
#include "plan/plan_open.h"
#include "plan/plan_options.h"
#include "run/plots.h"
#include "run/report.h"
#include "run/run_control.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_SIGNAL = 128 };

static const RgOptionSpec run_options[] = {
    RG_SIMULATION_OPTIONS,
    {"quiet", NULL, "no progress bar, warnings or text"},
};

/* ------------------------------------------------------------------ options */

/* Interval of recorded rows: options override the run file. */
static bool check_rate(RgPlan *plan, const RgOptions *options)
{
    bool every = rg_options_has(options, "every"), rate = rg_options_has(options, "record-rate");
    if (every && rate)
        return rg_options_complain(options, "--every and --record-rate exclude each other: give one of them");
    if (every)
        plan->record_rate = NAN;
    if (rate)
        plan->every = 0;
    return true;
}

static bool check_outputs(RgPlan *plan, const RgOptions *options)
{
    const char *out[] = {plan->json, plan->events, plan->certificate};
    int alone = 0;
    for (int i = 0; i < 3; i++)
        alone += out[i] && strcmp(out[i], "-") == 0;
    if (alone > 1)
        return rg_options_complain(options, "--json -, --events - and --certificate -: one of them at a time");
    if (plan->report && strcmp(plan->report, "-") == 0)
        return rg_options_complain(options, "a report cannot go to the standard output: give a file name");
    if ((plan->record && strcmp(plan->record, "-") == 0) || (plan->csv && strcmp(plan->csv, "-") == 0))
        return rg_options_complain(options, "a recording cannot go to the standard output: give a file name");
    const char *dot = plan->record ? strrchr(plan->record, '.') : NULL;
    if (plan->record && (!dot || (strcmp(dot, ".npz") != 0 && strcmp(dot, ".csv") != 0 && strcmp(dot, ".mcap") != 0)))
        return rg_options_complain(options, "record: '%s' ends neither in .npz nor in .csv nor in .mcap", plan->record);
    return check_rate(plan, options);
}

static bool check_dump(RgPlan *plan, const RgOptions *options)
{
    if (plan->dump && plan->dump_step == 0)
        return rg_options_complain(options, "--dump needs --dump-step N");
    if (plan->dump && strcmp(plan->dump, "-") == 0)
        return rg_options_complain(options, "a problem cannot go to the standard output: give a file name");
    if (plan->dump_step > 0 && !plan->dump)
        plan->dump = rg_pool_print(&plan->pool, "step-%d.problem", plan->dump_step);
    return true;
}

static bool apply_options(RgPlan *plan, const RgOptions *options)
{
    if (!rg_plan_apply_simulation(plan, options) || !check_outputs(plan, options) || !check_dump(plan, options))
        return false;
    plan->quiet = plan->quiet || plan->quiet_in_file;
    return true;
}

/* ------------------------------------------------------------------ the loop */

static volatile sig_atomic_t caught_signal; /* set by the handler, read by the loop; 0: none */

static void on_interrupt(int signal_number)
{
    caught_signal = signal_number;
}

/* The first interrupt ends the run and finishes the recording; the second one kills the process. */
static void catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Writes the problem of the next step, if requested. */
static RgStatus dump_step(RgRun *run, double h, RgError *error)
{
    if (run->steps_done + 1 != run->plan.dump_step)
        return RG_OK;
    RgStatus status = run->control ? rg_control_dump_step(run->control, h, run->plan.dump, error)
                                   : rg_world_dump_step(run->world, h, run->plan.dump, error);
    if (status == RG_ERR_NOT_FOUND)
        return rg_error_set(error, status, run->plan.path, "--dump-step %d: the step has no rows to solve",
                            run->plan.dump_step);
    run->dumped = status == RG_OK;
    return status;
}

/* Steps to the end, or to the first refused step or interrupt. Not RG_OK: the recording failed. */
static RgStatus run_loop(RgRun *run, RgError *error)
{
    RgProgress progress = rg_progress_begin(run->duration, run->plan.quiet);
    double start = rg_progress_clock();
    RgStatus recorded = rg_run_record(run, false, error);
    while (run->steps_done < run->steps && recorded == RG_OK && !run->interrupted) {
        RgStepReport report = {.status = RG_OK};
        recorded = dump_step(run, rg_run_next_step(run), error);
        if (recorded != RG_OK || !rg_run_advance(run, &report))
            break;
        recorded = rg_run_record(run, false, error);
        if (recorded == RG_OK)
            recorded = rg_plots_step(run, &report, false, error);
        if (run->steps_done % RG_RUN_CHECK_EVERY == 0 || run->steps_done == run->steps) {
            rg_progress_update(&progress, rg_world_time(run->world));
            if (rg_run_diverged(run))
                break;
        }
        run->interrupted = caught_signal != 0;
    }
    if (recorded == RG_OK)
        recorded = rg_run_record(run, true, error);
    if (recorded == RG_OK)
        recorded = rg_plots_step(run, rg_world_last_report(run->world), true, error);
    run->wall = rg_progress_clock() - start;
    rg_progress_end(&progress);
    return recorded;
}

/* ------------------------------------------------------------------ the command */

/* Nothing else is printed if JSON, events or a certificate go to the standard output. */
static bool prints_text(const RgRun *run)
{
    bool json_alone = run->plan.json && strcmp(run->plan.json, "-") == 0;
    bool certificate_alone = run->plan.certificate && strcmp(run->plan.certificate, "-") == 0;
    return !json_alone && !rg_run_events_alone(run) && !certificate_alone && !run->plan.quiet;
}

/* Writes the outputs at the end of a run: report, figures, dump. false: message printed. */
static bool write_pages(RgRun *run)
{
    bool say = prints_text(run), good = true;
    if (run->dumped && say)
        printf("problem        %s\n", run->plan.dump);
    if (run->plan.dump && !run->dumped) {
        fprintf(stderr, "rigor: --dump-step %d: the run has %lld steps\n", run->plan.dump_step, run->steps_done);
        good = false;
    }
    if (run->plan.report) {
        good = rg_report_write(run);
        if (good && say)
            printf("report         %s\n", run->plan.report);
    }
    if (run->plots) {
        bool drawn = rg_plots_draw(run);
        if (drawn && say)
            printf("plots          %s\n", run->plan.plots);
        good = good && drawn;
    }
    return good;
}

/* Runs, once the world exists. Exit code. */
static int simulate(RgRun *run)
{
    RgError error = {0};
    catch_interrupt(); /* before outputs are opened, so that an interrupt finishes or removes them */
    if (rg_run_open_outputs(run, &error) != RG_OK || rg_plots_open(run, &error) != RG_OK) {
        rg_error_print(&error);
        return RG_EXIT_FAILED;
    }
    RgStatus recorded = run_loop(run, &error);
    RgError closing = {0};
    RgStatus closed = rg_run_close_outputs(run, &closing);
    int code = run->interrupted ? EXIT_SIGNAL + caught_signal : RG_EXIT_OK;
    if (recorded != RG_OK || closed != RG_OK) {
        rg_error_print(closed != RG_OK ? &closing : &error);
        code = RG_EXIT_FAILED;
    }
    if (run->refusal.status != RG_OK) {
        rg_error_print(&run->refusal);
        code = RG_EXIT_FAILED;
    }
    run->after = run->before;
    rg_world_momentum(run->world, &run->after);

    if (prints_text(run))
        rg_run_print(run, stdout);
    if (run->plan.json && !rg_run_write_json(run, run->plan.json))
        code = RG_EXIT_FAILED;
    if (recorded == RG_OK && closed == RG_OK && !write_pages(run))
        code = RG_EXIT_FAILED;
    return code;
}

/* Reports which steppers can be certified. */
static void refuse_certificate(const RgOptions *options, const char *stepper)
{
    char names[160];
    size_t n = 0;
    for (int i = 0; i < rg_stepper_count(); i++) {
        if (!rg_stepper_locates(i))
            continue;
        int more = snprintf(names + n, sizeof names - n, "%s%s", n == 0 ? "" : ", ", rg_stepper_name(i));
        n = more > 0 && (size_t)more < sizeof names - n ? n + (size_t)more : n;
    }
    rg_options_complain(options, "--certificate: stepper '%s' does not locate events; expected one of %s", stepper,
                        names);
}

static int run_run(const RgOptions *options)
{
    RgRun run = {.model = NULL};
    RgError error = {0};
    int code = RG_EXIT_USAGE;
    if (rg_plan_open(&run.plan, options->file, &error) != RG_OK) {
        rg_error_print(&error);
    } else if (!apply_options(&run.plan, options)) {
        code = RG_EXIT_USAGE;
    } else if (!rg_report_possible(&run.plan) || !rg_plots_possible(&run.plan)) {
        code = RG_EXIT_FAILED;
    } else {
        RgStatus status = rg_run_start(&run, &error);
        if (status == RG_OK)
            status = rg_run_check_delay(&run, &error);
        if (!run.plan.quiet)
            rg_plan_print_remarks(&run.plan);
        if (status == RG_OK && run.plan.certificate && !rg_world_locates(run.world))
            refuse_certificate(options, run.def.stepper);
        else if (status == RG_OK)
            code = simulate(&run);
        else
            rg_error_print(&error);
    }
    rg_run_free(&run);
    return code;
}

RG_COMMAND(run, "simulate a model or a run file", .run = run_run, .notes = rg_plan_simulation_notes,
           .print_lists = rg_plan_print_lists, .more_options = rg_plan_run_options);
