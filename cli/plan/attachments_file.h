/* attachments_file.h - the sections `attachments:` and `fields:` of a run file, their objects in a world, their results. */
#ifndef RIGOR_ATTACHMENTS_FILE_H
#define RIGOR_ATTACHMENTS_FILE_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

#include <jansson.h>
#include <stdio.h>

/* Reads them into the plan. Errors have line and column. */
bool rg_attachments_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan);
bool rg_fields_file_read(RgYaml *yaml, yaml_node_t *node, RgPlan *plan);

/* Finds the links; adds damping fields, and room for joints, to the world's definition. */
RgStatus rg_attachments_prepare(RgPlan *plan, const RgModel *model, RgWorldDef *def, RgError *error);

/* Adds the attachments to a world in its initial state; attaches those of the start. */
RgStatus rg_attachments_add(const RgPlan *plan, RgWorld *world, RgError *error);

/* Lines of the summary, one per attachment; the same as JSON. attached: J that they added. */
void rg_attachments_print(const RgPlan *plan, RgWorld *world, double attached, FILE *out);
json_t *rg_attachments_json(const RgPlan *plan, RgWorld *world);

#endif
