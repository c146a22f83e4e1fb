/*
 * run_control.h - the controllers of a run: from names and numbers of the plan to an RgControl, and its results.
 *
 *   rg_run_plan_control --> joints, gains, trajectories; initial values -- (state is set) -- rg_run_make_control -->
 *   run->control rg_run_step --> one step, controlled or not run_tracking.c --> lines of the summary, JSON
 */
#ifndef RIGOR_RUN_CONTROL_H
#define RIGOR_RUN_CONTROL_H

#include "run/run.h"

/* Joints, limits, trajectories; with `start` in the plan, initial positions and rates. Once, before the state is
   set. */
RgStatus rg_run_plan_control(RgRun *run, RgError *error);

/* run->control over run->world, replacing the present one; once the state is set. Nothing without controllers. */
RgStatus rg_run_make_control(RgRun *run, RgError *error);

/* run->control over another world, or NULL and an error; run->control stays as it is. */
RgControl *rg_run_control_for(RgRun *run, RgWorld *world, RgError *error);

/* Whether steps of run->step leave room for the pending commands of a delay without a rate; the error has the place
   of the delay. */
RgStatus rg_run_check_delay(const RgRun *run, RgError *error);

/* What run->control is made by; there are controllers. */
RgControlDef rg_run_control_def(const RgRun *run);

/* Why the library refused def, a control of the plan's controllers or of the same many others: with file and line. */
RgStatus rg_run_blame_control(const RgRun *run, const RgControlDef *def, RgError *error);

/* Gains of the plan once more into it, where they have changed since. */
RgStatus rg_run_deal_gains(RgRun *run, RgError *error);

/* Ends the control, before its world ends; then also what it was made of. */
void rg_run_drop_control(RgRun *run);
void rg_run_free_control(RgRun *run);

/* One step of the world, by the control where there is one. */
RgStatus rg_run_step(RgRun *run, double h, RgStepReport *report);

/* What a joint of the control is called, in the order of rg_control_joint. */
const char *rg_run_control_joint_name(RgRun *run, int index);

/* Results of the controllers and unmet requests: counts of a step into the totals; text; JSON, null where there are
   none. */
void rg_run_count_control(RgRun *run, const RgStepReport *report);
void rg_run_print_control(RgRun *run, FILE *out);
json_t *rg_run_json_control(RgRun *run);

#endif
