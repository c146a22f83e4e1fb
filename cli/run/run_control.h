/*
 * run_control.h - the controllers of a run: from names and numbers of the plan to an RgControl, and its results.
 *
 *   rg_run_plan_control: joints, gains, trajectories, initial values -- state is set -- rg_run_make_control:
 *   run->control -- rg_run_step: one step, controlled or not -- run_tracking.c: summary, JSON
 */
#ifndef RIGOR_RUN_CONTROL_H
#define RIGOR_RUN_CONTROL_H

#include "run/run.h"

/* Makes joints, limits, trajectories; with `start` in the plan, initial positions and rates. Call it once, before the
   state is set. */
RgStatus rg_run_plan_control(RgRun *run, RgError *error);

/* Makes run->control for run->world, replacing the present one; call it after the state is set. Does nothing without
   controllers. */
RgStatus rg_run_make_control(RgRun *run, RgError *error);

/* A control like run->control for another world; NULL: error is filled. */
RgControl *rg_run_control_for(RgRun *run, RgWorld *world, RgError *error);

/* Checks that a delay without a rate has no more pending commands than the library stores, at steps of run->step. */
RgStatus rg_run_check_delay(const RgRun *run, RgError *error);

/* The definition of run->control; requires controllers. */
RgControlDef rg_run_control_def(const RgRun *run);

/* Fills the error, with file and line, for a control def that the library refused; def has as many controllers as the
   plan. */
RgStatus rg_run_control_error(const RgRun *run, const RgControlDef *def, RgError *error);

/* Assigns the plan's gains again, after a change. */
RgStatus rg_run_update_gains(RgRun *run, RgError *error);

/* Destroys the control, before its world; then also its definitions. */
void rg_run_drop_control(RgRun *run);
void rg_run_free_control(RgRun *run);

/* One step of the world, controlled if run->control is set. */
RgStatus rg_run_step(RgRun *run, double h, RgStepReport *report);

/* Name of a joint, in the order of rg_control_joint. */
const char *rg_run_control_joint_name(RgRun *run, int index);

/* Results and shortfalls of the controllers: adds a step to the totals; text; JSON, null without controllers. */
void rg_run_count_control(RgRun *run, const RgStepReport *report);
void rg_run_print_control(RgRun *run, FILE *out);
json_t *rg_run_json_control(RgRun *run);

#endif
