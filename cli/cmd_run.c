/*
 * cmd_run.c - `rigor run FILE`: simulates a model or a run file, and says what came of it.
 *
 * Options of the command line override those of the run file. The state is recorded at the start, every N
 * steps and at the end. A step that the library refuses (a number that is not finite) ends the run: the
 * recording up to there is finished, the summary is written, and the exit code is 1. An interrupt (Ctrl-C)
 * ends it in the same orderly way, with the shell's usual code 130.
 */
#define _POSIX_C_SOURCE 200809L
#include "cmd_table.h"
#include "progress.h"
#include "run.h"
#include "run_file.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_INTERRUPTED = 130, LOOK_EVERY = 16 };

static const RgOptionSpec run_options[] = {
    {"time", "T", "simulated seconds (default 5)"},
    {"step", "H", "step in seconds (default: the file's own, else 0.001)"},
    {"stepper", "NAME", "integrator; see below"},
    {"coords", "minimal|maximal", "coordinate form; see below"},
    {"set", "JOINT=Q[,Q...]", "initial position of a joint or floating link (may be repeated); see below"},
    {"gravity", "X,Y,Z", "m/s^2 (default: the file's own, else 0,0,-9.81)"},
    {"dissipation", "L", "0 to 1: velocities are scaled by 1 - L after every step"},
    {"no-implicit-damping", NULL, "semi-implicit: joint dampers and springs at the start of the step"},
    {"tolerance", "T", "reference: error allowed in a step, 1e-14 to 1 (default 1e-12)"},
    RG_SOLVER_OPTIONS,
    {"stabilise", "project|none", "what removes position errors of loops and joints (default project)"},
    RG_LOAD_OPTIONS,
    {"record", "OUT.npz|OUT.csv", "write the trajectory; the ending chooses the format"},
    {"csv", "OUT", "write the trajectory as CSV"},
    {"every", "N", "record every N steps (default 1)"},
    {"contacts", NULL, "list every contact point and what the joints carry at the end"},
    {"json", "OUT|-", "write the summary as JSON, - for the standard output instead of the text"},
    {"quiet", NULL, "no progress bar, warnings or text"},
};

static const char run_notes[] =
    "--set JOINT.rate=V and --set JOINT.effort=E set rates and constant efforts, --set JOINT.motor=V,MAX a "
    "motor that\n"
    "drives the joint at velocity V with at most MAX N m or N. A floating link stands for a joint:\n"
    "7 positions (quaternion w x y z, position), 6 rates (angular velocity in its own axes, velocity).\n"
    "Where two models use one name, say MODEL::NAME. A YAML run file may give all of this: see "
    "models/README.md.\n";

static void print_lists(void)
{
    printf("\nSteppers:\n");
    for (int i = 0; i < rg_stepper_count(); i++)
        printf("  %-28s %s\n", rg_stepper_name(i), rg_stepper_summary(i));
    printf("\nCoordinates:\n");
    for (int i = 0; i < rg_coords_count(); i++)
        printf("  %-28s %s\n", rg_coords_name(i), rg_coords_summary(i));
    printf("\nSolvers:\n");
    for (int i = 0; i < rg_solver_count(); i++)
        printf("  %-28s %s\n", rg_solver_name(i), rg_solver_summary(i));
    rg_plan_print_settings();
}

/* ------------------------------------------------------------------ options */

static bool take_name(const RgOptions *options, const char *option, int (*count)(void),
                      const char *(*name)(int), const char **out)
{
    const char *wanted = rg_options_value(options, option);
    char all[256] = "";
    if (!wanted)
        return true;
    for (int i = 0; i < count(); i++) {
        if (strcmp(name(i), wanted) == 0) {
            *out = name(i);
            return true;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", name(i));
    }
    return rg_options_complain(options, "--%s: unknown '%s'; expected one of %s", option, wanted, all);
}

static bool take_gravity(RgPlan *plan, const RgOptions *options)
{
    const char *text = rg_options_value(options, "gravity");
    double g[3];
    if (!text)
        return true;
    if (rg_number_list_parse(text, g, 3) != 3)
        return rg_options_complain(options, "--gravity: '%s': expected three numbers X,Y,Z", text);
    plan->gravity = (RgVec3){g[0], g[1], g[2]};
    return true;
}

static bool take_outputs(RgPlan *plan, const RgOptions *options)
{
    const char *record = rg_options_value(options, "record"), *csv = rg_options_value(options, "csv");
    const char *json = rg_options_value(options, "json");
    plan->record = record ? record : plan->record;
    plan->csv = csv ? csv : plan->csv;
    plan->json = json ? json : plan->json;
    if ((plan->record && strcmp(plan->record, "-") == 0) || (plan->csv && strcmp(plan->csv, "-") == 0))
        return rg_options_complain(options, "a recording cannot go to the standard output: give a file name");
    const char *dot = plan->record ? strrchr(plan->record, '.') : NULL;
    if (plan->record && (!dot || (strcmp(dot, ".npz") != 0 && strcmp(dot, ".csv") != 0)))
        return rg_options_complain(options, "record: '%s' ends neither in .npz nor in .csv", plan->record);
    double every = 0;
    if (!rg_options_number(options, "every", 1, RG_PLAN_EVERY_MAX, &every))
        return false;
    if (every != floor(every))
        return rg_options_complain(options, "--every: expected a whole number of steps");
    plan->every = every > 0 ? (int)every : plan->every;
    return true;
}

static bool apply_options(RgPlan *plan, const RgOptions *options)
{
    if (!rg_plan_apply_load_options(plan, options) || !take_gravity(plan, options) ||
        !take_outputs(plan, options))
        return false;
    if (!take_name(options, "stepper", rg_stepper_count, rg_stepper_name, &plan->stepper) ||
        !take_name(options, "coords", rg_coords_count, rg_coords_name, &plan->coords))
        return false;
    if (!rg_options_number(options, "time", 0, RG_PLAN_DURATION_MAX, &plan->duration) ||
        !rg_options_number(options, "step", RG_PLAN_STEP_MIN, RG_PLAN_STEP_MAX, &plan->step) ||
        !rg_options_number(options, "dissipation", 0, 1, &plan->dissipation) ||
        !rg_options_number(options, "tolerance", RG_PLAN_TOLERANCE_MIN, 1, &plan->tolerance))
        return false;
    const char *stabilise = rg_options_value(options, "stabilise");
    if (stabilise && !rg_run_file_stabilise(stabilise, &plan->stabilise))
        return rg_options_complain(options, "--stabilise: '%s' is not project or none", stabilise);
    if (rg_options_has(options, "no-implicit-damping"))
        plan->implicit_damping = 0;
    plan->quiet = rg_options_has(options, "quiet");
    plan->list_contacts = rg_options_has(options, "contacts");
    return rg_plan_apply_solver(plan, options) && rg_plan_apply_set(plan, options);
}

/* ------------------------------------------------------------------ the loop */

static volatile sig_atomic_t interrupt_asked; /* set by the handler below, read by the loop */

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupt_asked = 1;
}

/* A recording that is underway deserves its end: the first interrupt asks, the second one kills. */
static void catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static void add_report(RgRun *run, const RgStepReport *report)
{
    run->evaluations += report->evaluations;
    run->rejected += report->rejected;
    run->joint_error_max = fmax(run->joint_error_max, report->joint_error);
    run->redundant_rows =
        report->redundant_rows > run->redundant_rows ? report->redundant_rows : run->redundant_rows;
    run->dissipated += report->dissipated;
    run->projected += report->projected;
    rg_run_count_contacts(run, report);
}

/* Whether the model has dampers or springs, and the stepper takes them explicitly. */
static bool may_be_stiff(const RgRun *run)
{
    bool implicit = strncmp(run->def.stepper, "semi-implicit", 13) == 0 && run->def.implicit_damping;
    bool any = false;
    int32_t joints = rg_model_info(run->model).joints;
    for (int32_t i = 1; i <= joints && !implicit; i++) {
        RgJointInfo joint = rg_model_joint(run->model, (RgJointId){i});
        for (int k = 0; k < joint.nv; k++)
            any = any || joint.dof[k].damping > 0.0 || joint.dof[k].stiffness > 0.0;
    }
    return any;
}

static void note_refusal(RgRun *run, RgStatus status, const RgStepReport *report)
{
    rg_plan_fail(&run->refusal, status, run->plan.path, "step %lld refused at t = %.9g s: %s%s%s%s",
                 run->steps_done + 1, rg_world_time(run->world), rg_status_text(status),
                 report->offender[0] ? ": " : "", report->offender,
                 may_be_stiff(run)
                     ? " (fast dampers or springs need the semi-implicit stepper or a smaller step)"
                     : "");
}

/* Steps to the end, or to the first refused step or interrupt. Not RG_OK: the recording failed. */
static RgStatus run_loop(RgRun *run, RgError *error)
{
    RgProgress progress = rg_progress_begin(run->duration, run->plan.quiet);
    double start = rg_progress_clock();
    RgStatus recorded = rg_run_record(run, error);
    bool last_recorded = true;
    while (run->steps_done < run->steps && recorded == RG_OK && !run->interrupted) {
        /* The last step ends on the duration. */
        RgStepReport report = {.status = RG_OK};
        double left = run->duration - (double)run->steps_done * run->step;
        bool last = run->steps_done + 1 == run->steps;
        double h = last && fabs(left - run->step) > 1e-9 * run->step ? left : run->step;
        RgStatus status = rg_world_step(run->world, h, &report);
        if (status != RG_OK) {
            note_refusal(run, status, &report);
            break;
        }
        run->steps_done++;
        add_report(run, &report);
        rg_run_watch(run);

        /* Every N-th state goes to the files. */
        last_recorded = run->steps_done % run->every == 0;
        if (last_recorded)
            recorded = rg_run_record(run, error);
        if (run->steps_done % LOOK_EVERY == 0)
            rg_progress_update(&progress, rg_world_time(run->world));
        run->interrupted = interrupt_asked != 0;
    }
    if (!last_recorded && recorded == RG_OK)
        recorded = rg_run_record(run, error);
    run->wall = rg_progress_clock() - start;
    rg_progress_end(&progress);
    return recorded;
}

/* ------------------------------------------------------------------ the command */

/* Everything after the world stands. Exit code. */
static int simulate(RgRun *run)
{
    RgError error = {0};
    if (rg_run_open_outputs(run, &error) != RG_OK) {
        rg_plan_print_error(&error);
        return RG_EXIT_FAILED;
    }
    catch_interrupt();
    RgStatus recorded = run_loop(run, &error);
    RgError closing = {0};
    RgStatus closed = rg_run_close_outputs(run, &closing);
    int code = run->interrupted ? EXIT_INTERRUPTED : RG_EXIT_OK;
    if (recorded != RG_OK || closed != RG_OK) {
        rg_plan_print_error(recorded != RG_OK ? &error : &closing);
        code = RG_EXIT_FAILED;
    }
    if (run->refusal.status != RG_OK) {
        rg_plan_print_error(&run->refusal);
        code = RG_EXIT_FAILED;
    }
    run->after = run->before;
    rg_world_momentum(run->world, &run->after);

    /* JSON on the standard output stands there alone. */
    bool json_only = run->plan.json && strcmp(run->plan.json, "-") == 0;
    if (!json_only && !run->plan.quiet)
        rg_run_print(run, stdout);
    if (run->plan.json && !rg_run_write_json(run, run->plan.json))
        code = RG_EXIT_FAILED;
    return code;
}

static int run_run(const RgOptions *options)
{
    RgRun run = {.model = NULL};
    RgError error = {0};
    int code = RG_EXIT_USAGE;
    if (rg_plan_open(&run.plan, options->file, &error) != RG_OK) {
        rg_plan_print_error(&error);
    } else if (apply_options(&run.plan, options)) {
        RgStatus status = rg_run_start(&run, &error);
        if (!run.plan.quiet)
            rg_plan_print_remarks(&run.plan);
        if (status == RG_OK)
            code = simulate(&run);
        else
            rg_plan_print_error(&error);
    }
    rg_run_free(&run);
    return code;
}

const RgCommand rg_command_run = {
    .name = "run",
    .summary = "simulate a model or a run file",
    .notes = run_notes,
    .print_lists = print_lists,
    .options = run_options,
    .noptions = sizeof run_options / sizeof run_options[0],
    .run = run_run,
};
