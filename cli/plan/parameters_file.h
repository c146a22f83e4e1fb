/* parameters_file.h - the section `parameters:` of a run file. */
#ifndef RIGOR_PARAMETERS_FILE_H
#define RIGOR_PARAMETERS_FILE_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

/* All parameters of the section into the plan, for the whole file. Errors carry line and column. */
bool rg_parameters_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan);

#endif
