/* plan_open.h - makes a plan from FILE and the options of commands that load a model, and a model from a plan. */
#ifndef RIGOR_PLAN_OPEN_H
#define RIGOR_PLAN_OPEN_H

#include "io/options.h"
#include "plan/run_file.h"

/* Reads FILE ("-": standard input) and, if it is a run file, all its keys. */
RgStatus rg_plan_open(RgPlan *plan, const char *path, RgError *error);

/* The same, after edit has changed the run file's document; a model file is edited as a run file of that model. */
RgStatus rg_plan_open_edited(RgPlan *plan, const char *path, const RgPlanEdit *edit, RgError *error);

/* Options shared by all commands that load a model: --search, --base, --parameter. false: message printed. */
bool rg_plan_apply_load_options(RgPlan *plan, const RgOptions *options);

/* Drops outputs and outputs.quiet of a run file: they are for `rigor run` only. */
void rg_plan_drop_outputs(RgPlan *plan);

/* Reads the models and compiles them. NULL: error is filled. */
RgModel *rg_plan_load(RgPlan *plan, RgError *error);

/* Opens, applies the load options and loads, with messages on stderr. NULL: *exit_code is set. */
RgModel *rg_plan_prepare(RgPlan *plan, const RgOptions *options, int *exit_code);

#define RG_LOAD_OPTIONS                                                                                                \
    {"model", "FILE", "replaces the only model of a run file"},                                                        \
        {"search", "DIR", "folder to look in for package://, model:// and includes (may be repeated)"},                \
        {"parameter", "KIND.NAME.KEY=VALUE",                                                                           \
         "changes a mass, damping, friction, ... of the model (may be repeated); see models/README.md"},               \
    {                                                                                                                  \
        "base", "auto|fixed|floating", "weld roots to the world, or let them float (default auto)"                     \
    }

#endif
