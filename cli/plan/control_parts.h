/* control_parts.h - what the readers of a control section share. */
#ifndef RIGOR_CONTROL_PARTS_H
#define RIGOR_CONTROL_PARTS_H

#include "io/yaml_kinds.h"
#include "plan/plan.h"

bool rg_control_name(RgYaml *yaml, yaml_node_t *node, const char *what, RgPlan *plan, RgPlanName *out);
bool rg_control_range(RgYaml *yaml, yaml_node_t *node, const char *what, double low, double high, double *out);
bool rg_control_point(RgYaml *yaml, yaml_node_t *node, const char *what, RgVec3 *out);

typedef enum RgNumbersSort {
    RG_NUMBERS_ANY,
    RG_NUMBERS_GAIN, /* not negative */
    RG_NUMBERS_LIMIT /* positive, or model, inf, none */
} RgNumbersSort;

typedef struct RgNumbersReader {
    RgPlan *plan;
    const char *what;
    RgNumbersSort sort;
    RgPlanNumbers *out;
} RgNumbersReader;

/* Numbers of joints, in any of their forms. */
bool rg_control_numbers(RgYaml *yaml, yaml_node_t *node, RgNumbersReader reader);

/* A trajectory. */
bool rg_control_trajectory(RgYaml *yaml, yaml_node_t *node, RgPlan *plan, RgPlanTrajectory *out);

#endif
