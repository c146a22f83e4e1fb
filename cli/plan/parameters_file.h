/* parameters_file.h - the section `parameters:` of a run file. */
#ifndef RIGOR_PARAMETERS_FILE_H
#define RIGOR_PARAMETERS_FILE_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

/* Adds all parameters of the section to the plan, for all models. Errors have line and column. */
bool rg_parameters_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan);

#endif
