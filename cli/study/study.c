/*
 * study.c - repeated runs of one plan, for `rigor converge`, `rigor maxstep`, `rigor tune`.
 *
 * Every run has a new world with the same saved state, so runs are independent. Outputs of the plan are not written.
 */
#define _POSIX_C_SOURCE 200809L
#include "study/study.h"

#include "io/error.h"
#include "io/options.h"
#include "plan/plan_open.h"
#include "plan/plan_options.h"
#include "run/run_control.h"

#include <math.h>
#include <string.h>
#include <time.h>

bool rg_study_open(RgStudy *study, const RgOptions *options, const char *file)
{
    RgPlan *plan = &study->run.plan;
    RgError error = {0};
    if (rg_plan_open(plan, file, &error) != RG_OK) {
        rg_error_print(&error);
        return false;
    }
    if (!rg_plan_apply_simulation(plan, options))
        return false;
    if (study->gear_ratio != 0.0) {
        plan->gear_ratio = study->gear_ratio;
        plan->gear_inertia = study->gear_inertia;
    }
    rg_plan_drop_outputs(plan);
    plan->csv = rg_options_value(options, "csv");
    plan->written = rg_options_value(options, "write");
    if (plan->csv && strcmp(plan->csv, "-") == 0)
        return rg_options_complain(options, "--csv: a table cannot go to the standard output: give a file name");
    if (plan->written && strcmp(plan->written, "-") == 0)
        return rg_options_complain(options, "--write: a run file cannot go to the standard output: give a file name");
    plan->json = rg_options_value(options, "json");
    RgStatus status = rg_run_start(&study->run, &error);
    if (!plan->quiet)
        rg_plan_print_remarks(plan);
    if (status != RG_OK) {
        rg_error_print(&error);
        return false;
    }
    study->start_size = rg_world_state_size(study->run.world);
    study->start = rg_pool_take(&plan->pool, study->start_size, 1);
    rg_world_state_save(study->run.world, study->start);
    return true;
}

void rg_study_close(RgStudy *study)
{
    rg_run_free(&study->run);
}

/* Makes run->control with other controllers than the plan's. */
static RgStatus use_controllers(RgRun *run, const RgControllerDef *controllers, RgError *error)
{
    RgControlDef def = rg_run_control_def(run);
    def.controllers = controllers;
    *error = (RgError){.status = RG_OK};
    run->control = rg_control_create(&def, error);
    return run->control ? RG_OK : rg_run_control_error(run, &def, error);
}

RgStatus rg_study_restart(RgStudy *study, const RgWorldDef *def, const RgControllerDef *controllers, RgError *error)
{
    RgRun *run = &study->run;
    rg_run_drop_control(run);
    rg_world_destroy(run->world);
    run->world = rg_world_create(def, error);
    if (!run->world)
        return error->status;
    RgStatus status = rg_run_set_drives(run, error);
    if (status == RG_OK && rg_world_state_load(run->world, study->start, study->start_size) != RG_OK)
        status = rg_error_set(error, RG_ERR_ARGUMENT, NULL, "the state at the start cannot be restored");
    if (status != RG_OK)
        return status;
    return controllers ? use_controllers(run, controllers, error) : rg_run_make_control(run, error);
}

double rg_study_cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void rg_study_print_number(FILE *out, int width, const char *format, double x)
{
    char text[32] = "-";
    if (!isnan(x))
        snprintf(text, sizeof text, format, x);
    fprintf(out, " %*s", width, text);
}

bool rg_study_close_file(FILE *file, const char *path)
{
    bool written = file && !ferror(file);
    written = file && fclose(file) == 0 && written;
    if (!written)
        fprintf(stderr, "rigor: %s: cannot be written\n", path);
    return written;
}
