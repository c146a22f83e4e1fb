/* run_file.h - the YAML run file: models with poses, initial state, gravity, stepper, duration, outputs. */
#ifndef RIGOR_RUN_FILE_H
#define RIGOR_RUN_FILE_H

#include "io/yaml_keys.h"
#include "plan/plan.h"

/* A change of the document before it is read (yaml_edit.h). change returns false and fills the document's error if it
   is impossible. */
typedef struct RgPlanEdit {
    bool (*change)(RgYaml *yaml, void *context);
    void *context;
} RgPlanEdit;

/* Reads the keys into the plan, after the document was changed by edit (may be NULL). Errors carry line and column. */
RgStatus rg_run_file_read(RgPlan *plan, const char *data, size_t size, const RgPlanEdit *edit, RgError *error);

#endif
