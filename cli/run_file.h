/* run_file.h - the YAML run file: models with poses, initial state, gravity, stepper, duration, outputs. */
#ifndef RIGOR_RUN_FILE_H
#define RIGOR_RUN_FILE_H

#include "plan.h"
#include "yaml_keys.h"

/* Reads the keys into the plan, after the document was changed by edit (may be NULL). Errors carry line and column. */
RgStatus rg_run_file_read(RgPlan *plan, const char *data, size_t size, const RgPlanEdit *edit, RgError *error);

/* A path as seen from the run file's folder; "-" stays. */
const char *rg_run_file_path(RgPlan *plan, const char *path);

/* Three numbers; a pose: those of its place, or {xyz, rpy}, m and rad, over what is in out. */
bool rg_run_file_vector(RgYaml *yaml, yaml_node_t *node, const char *what, RgVec3 *out);
bool rg_run_file_pose(RgYaml *yaml, yaml_node_t *node, const char *what, RgPose *out);

/* Words used by both the run file and the command line. false: unknown word. */
bool rg_run_file_base(const char *word, RgBase *out);
bool rg_run_file_stabilise(const char *word, int *out);

#endif
