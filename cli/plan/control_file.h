/*
 * control_file.h - the control section of a run file: what its controllers are, as text and numbers.
 *
 *   control: {rate, delay, start, controllers} -- control_file.c --> RgPlanControl -- run_control.c --> RgControl
 *
 * Joints are names here and are found once the model is there; every name keeps its place in the file.
 */
#ifndef RIGOR_CONTROL_FILE_H
#define RIGOR_CONTROL_FILE_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

/* A control with nothing in it. */
RgPlanControl rg_plan_control_none(void);

/* Reads a control section and adds it to plan->control. false: the error is in yaml. */
bool rg_control_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan);

/* Whether run files have that kind of controller; whether such controllers take the key, or require it. */
bool rg_control_file_knows(const char *kind);
bool rg_control_file_takes(const char *kind, const char *key);
bool rg_control_file_needs(const char *kind, const char *key);

/* One gain ("kp", "ki", "kd", "foot_kp", "foot_kd", "friction" or "rate") of a controller, in place of what was given:
   values one for all joints, or one each. false: its kind takes no such gain. */
bool rg_plan_control_set(RgPlan *plan, RgPlanController *controller, const char *key, const double *values, int count);

#endif
