/* run_values.h - values in several sections of a run file: places, poses, words. */
#ifndef RIGOR_RUN_VALUES_H
#define RIGOR_RUN_VALUES_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

/* Line and column of a node. */
RgPlanPlace rg_plan_place(const yaml_node_t *node);

/* Reader of an RgPose: three numbers of its position, or {xyz, rpy}, m and rad; what is not given is unchanged. */
RgYamlTyped rg_run_file_pose;

/* Words used by both the run file and the command line. false: unknown word. */
bool rg_run_file_base(const char *word, RgBase *out);

#endif
