/*
 * plan_options.h - the options of all commands that simulate: `rigor run`, `rigor view`, and those that repeat runs.
 */
#ifndef RIGOR_PLAN_OPTIONS_H
#define RIGOR_PLAN_OPTIONS_H

#include "plan/plan_open.h"
#include "plan/plan_settings.h"

/* Options generated from the tables of settings, as RgCommand.more_options: of all commands that simulate; these and
   --time; these and the outputs of `rigor run`. */
const RgOptionSpec *rg_plan_live_options(int *count);
const RgOptionSpec *rg_plan_options(int *count);
const RgOptionSpec *rg_plan_run_options(int *count);

/* Reads these, RG_SIMULATION_OPTIONS and --quiet into the plan. false: message printed. */
bool rg_plan_apply_simulation(RgPlan *plan, const RgOptions *options);

/* Adds every --set JOINT=Q[,Q...] as an initial value, every --set KEY=VALUE as a setting. false: message printed. */
bool rg_plan_apply_set(RgPlan *plan, const RgOptions *options);

/* Adds KEY=VALUE of --set as a setting. */
bool rg_plan_apply_setting(RgPlan *plan, const RgOptions *options, const char *text);

/* Notes of --help below the options: --set; the names of steppers, coordinates and solvers. */
extern const char rg_plan_simulation_notes[];
void rg_plan_print_lists(void);

#define RG_SIMULATION_OPTIONS                                                                                          \
    {"set", "JOINT=Q[,Q...]", "initial position of a joint or floating link (may be repeated); see below"},            \
        {"solver-set", "KEY[=VALUE]", "a setting of the solver (may be repeated); KEY alone: true; see below"},        \
        {"stepper-set", "KEY[=VALUE]", "a setting of the stepper (may be repeated); see below"}, RG_LOAD_OPTIONS

#endif
