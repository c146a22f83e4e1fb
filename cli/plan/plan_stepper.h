/*
 * plan_stepper.h - the stepper of a run and the settings of those that choose their own steps: from texts of the
 * command line and of run files to the library's options.
 */
#ifndef RIGOR_PLAN_STEPPER_H
#define RIGOR_PLAN_STEPPER_H

#include "io/options.h"
#include "plan/plan.h"

/* --stepper-set and --accuracy become settings of the plan. false: message printed. */
bool rg_plan_apply_stepper(RgPlan *plan, const RgOptions *options);

/* Whether there is a setting of that name, for some stepper; and one into the plan, as text. */
bool rg_plan_has_stepper_setting(const char *name);
void rg_plan_add_stepper_setting(RgPlan *plan, RgPlanSetting setting);

/* Name of setting i, NULL behind the last. */
const char *rg_plan_stepper_setting(int i);

/* Stepper and settings into def, which points to adapt. */
RgStatus rg_plan_choose_stepper(RgPlan *plan, RgAdaptOptions *adapt, RgWorldDef *def, RgError *error);

/* Whether the stepper of that name locates events; the solver of a run that names none. */
bool rg_plan_stepper_locates(const char *stepper);
const char *rg_plan_default_solver(const char *stepper);

/* Whether the plan's step is that of the run file for a stepper with fixed steps, while the command line chose one that
   makes its own. */
bool rg_plan_step_is_foreign(const RgPlan *plan, const char *stepper);

/* Value of setting i in the options, as a setting would give it, for reports; false: the stepper does not use it. */
bool rg_plan_stepper_value(int i, const char *stepper, const RgAdaptOptions *adapt, char *text, size_t size);

/* Prints all settings, for --help. */
void rg_plan_print_stepper_settings(void);

#define RG_STEPPER_OPTIONS                                                                                             \
    {"accuracy", "X", "stepper auto: relative error it aims at (default 0.001); alone it chooses auto"},               \
    {                                                                                                                  \
        "stepper-set", "KEY=VALUE", "a setting of a stepper that chooses its own steps (may be repeated); see below"   \
    }

#endif
