/* run_values.h - values that several sections of a run file have: places, poses, words. */
#ifndef RIGOR_RUN_VALUES_H
#define RIGOR_RUN_VALUES_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

/* Line and column of a node. */
RgPlanPlace rg_plan_place(const yaml_node_t *node);

/* A key whose field is an RgPose: three numbers of its place, or {xyz, rpy}, m and rad, over what is in it. */
RgYamlTyped rg_run_file_pose;

/* Words used by both the run file and the command line. false: unknown word. */
bool rg_run_file_base(const char *word, RgBase *out);

#endif
