/* run_values.h - values that several sections of a run file have: paths, vectors, poses, words. */
#ifndef RIGOR_RUN_VALUES_H
#define RIGOR_RUN_VALUES_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

/* Where a node stands. */
RgPlanPlace rg_plan_place(const yaml_node_t *node);

/* A path as seen from the run file's folder; "-" stays. */
const char *rg_run_file_path(RgPlan *plan, const char *path);

/* Three numbers; a pose: those of its place, or {xyz, rpy}, m and rad, over what is in out. */
bool rg_run_file_vector(RgYaml *yaml, yaml_node_t *node, const char *what, RgVec3 *out);
bool rg_run_file_pose(RgYaml *yaml, yaml_node_t *node, const char *what, RgPose *out);

/* Words used by both the run file and the command line. false: unknown word. */
bool rg_run_file_base(const char *word, RgBase *out);

#endif
