/* control_parts.h - shared by the readers of a control section. */
#ifndef RIGOR_CONTROL_PARTS_H
#define RIGOR_CONTROL_PARTS_H

#include "io/yaml_kinds.h"
#include "plan/plan.h"

/* Keys whose fields are an RgPlanName, and an RgPlanNumbers in any of its forms: any numbers, gains (not negative),
   limits (positive, or model, inf, none). */
RgYamlTyped rg_control_name, rg_control_numbers, rg_control_gains, rg_control_limits;

/* A key whose field is an RgPlanTrajectory. */
RgYamlTyped rg_control_trajectory;

#endif
