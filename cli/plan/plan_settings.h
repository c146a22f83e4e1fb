/*
 * plan_settings.h - all settings of a run by their keys: those of the world (rigor/settings.h) and those of the command
 * (plan_settings.def), from texts of the command line and of run files to the library's structs.
 *
 *   options, run file -- rg_plan_give --> settings of the plan, as texts with their places -- rg_plan_world --> RgSettings
 */
#ifndef RIGOR_PLAN_SETTINGS_H
#define RIGOR_PLAN_SETTINGS_H

#include "io/options.h"
#include "plan/plan.h"

typedef struct RgPlanKey {
    RgSettingInfo info;
    int setting;      /* of the library; -1: of the command */
    size_t offset;    /* in RgPlan, of the command's */
    bool is_path;     /* a file or folder */
    int level;        /* of its option: 0: all commands that simulate, 1: those with --time, 2: `rigor run` (outputs) */
    const char *flag; /* value that an option without argument sets */
} RgPlanKey;

/* Lines of both tables, the library's first. */
int rg_plan_key_count(void);
RgPlanKey rg_plan_key(int index);

/* The first line of a key; -1: none. Whether longer keys begin with this one and a dot. */
int rg_plan_key_find(const char *key);
bool rg_plan_key_has_below(const char *key);

/* The part of a key after its last dot. */
const char *rg_plan_key_name(const char *key);

/* The names of a section ("solver."; "": the file's own) as a list, each offered to nearest. */
const char *rg_plan_key_list(RgPlan *plan, const char *section, RgNearest *nearest);

/* Whether a setting can be read only once solver and stepper are known. */
bool rg_plan_key_is_late(const RgPlanKey *key);

/* Adds a setting that overrides earlier ones; those of the command are written into the plan. Not RG_OK: the text is not
   of its type or out of range; error->text has no key and place. */
RgStatus rg_plan_give(RgPlan *plan, RgPlanSetting setting, RgError *error);

/* The last setting of that key; NULL: none. */
const RgPlanSetting *rg_plan_given(const RgPlan *plan, const char *key);

/* Makes the settings of a world of this model; errors have the place of the setting. */
RgStatus rg_plan_world(RgPlan *plan, const RgModel *model, RgSettings *out, RgError *error);

/* Whether the stepper of that name locates events. */
bool rg_plan_stepper_locates(const char *stepper);

/* Whether the plan's step is meant for a stepper of the run file with fixed steps, and the command line chose one with
   inner steps. */
bool rg_plan_step_is_foreign(const RgPlan *plan, const char *stepper);

/* Values of the model's <physics> that the chosen solver does not use, as one remark; NULL: none. */
const char *rg_plan_unused_hints(RgPlan *plan, const RgModel *model, const RgSettings *settings);

/* Settings of the section "solver" or "stepper" that the solver or stepper has, by name and unit; "": all others. */
json_t *rg_settings_json(const RgSettings *settings, const char *section);

/* All settings that the solver and stepper have, by key. */
json_t *rg_settings_json_by_key(const RgSettings *settings);

/* All settings, as a list for --help, or as Markdown. */
void rg_plan_print_settings(void);
void rg_plan_print_markdown(void);

#endif
