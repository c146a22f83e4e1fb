/*
 * control_file.h - the control section of a run file: its controllers as names and numbers.
 *
 *   control: {rate, delay, start, controllers} -- control_file.c --> RgPlanControl -- run_control.c --> RgControl
 *
 * Joint names are resolved when the model exists; every name has its place in the file.
 */
#ifndef RIGOR_CONTROL_FILE_H
#define RIGOR_CONTROL_FILE_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

/* An empty control. */
RgPlanControl rg_plan_control_none(void);

/* Reads a control section and adds it to plan->control. false: the error is in yaml. */
bool rg_control_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan);

/* Whether run files have that kind of controller; whether the kind allows a key; whether it requires it. */
bool rg_control_file_knows(const char *kind);
bool rg_control_file_takes(const char *kind, const char *key);
bool rg_control_file_needs(const char *kind, const char *key);

/* Replaces one gain ("kp", "ki", "kd", "foot_kp", "foot_kd", "friction" or "rate") of a controller: one value for all
   joints, or one per joint. false: its kind has no such gain. */
bool rg_plan_control_set(RgPlan *plan, RgPlanController *controller, const char *key, const double *values, int count);

#endif
