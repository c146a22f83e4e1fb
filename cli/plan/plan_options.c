/*
 * plan_options.c - the options of all commands that simulate, read into the plan.
 *
 * Most are generated from the tables of settings. They override the run file. Fails, with a message, on unknown names
 * and on numbers out of range.
 */
#include "plan/plan_options.h"

#include "io/options.h"
#include "plan/control_file.h"
#include "plan/parameters.h"
#include "plan/plan_open.h"

#include <stdio.h>
#include <string.h>

const char rg_plan_simulation_notes[] =
    "--set JOINT.rate=V and --set JOINT.effort=E set rates and constant efforts, --set JOINT.motor=V,MAX a "
    "motor that\n"
    "drives the joint at velocity V with at most MAX N m or N, --set JOINT.servo=Q,MAX one that goes to "
    "position Q\n"
    "and holds it. A floating link stands for a joint:\n"
    "7 positions (quaternion w x y z, position), 6 rates (angular velocity in its own axes, velocity).\n"
    "If two models use one name, write MODEL::NAME. A YAML run file may set all of this: see "
    "models/README.md.\n"
    "Of controllers in a run file: --set control.kp=KP[,KP...] for all joints or each, control.NAME.kp=KP "
    "for the\n"
    "controller called NAME; also ki, kd, foot_kp, foot_kd, friction; control.rate=HZ, control.delay=S.\n"
    "Of settings: --set KEY=VALUE, as --set sleeping.speed=0.01; see below.\n";

void rg_plan_print_lists(void)
{
    printf("\nSteppers:\n");
    for (int i = 0; i < rg_stepper_count(); i++)
        printf("  %-28s %s\n", rg_stepper_name(i), rg_stepper_summary(i));
    printf("\nCoordinates:\n");
    for (int i = 0; i < rg_coords_count(); i++)
        printf("  %-28s %s\n", rg_coords_name(i), rg_coords_summary(i));
    printf("\nSolvers:\n");
    for (int i = 0; i < rg_solver_count(); i++)
        printf("  %-28s %s\n", rg_solver_name(i), rg_solver_summary(i));
    printf("\nControllers (control: in run files, see docs/control.md):\n");
    for (int i = 0; i < rg_controller_count(); i++)
        if (rg_control_file_knows(rg_controller_name(i)))
            printf("  %-28s %s\n", rg_controller_name(i), rg_controller_summary(i));
    printf("\nTrajectories:\n");
    for (int i = 0; i < rg_trajectory_count(); i++)
        printf("  %-28s %s\n", rg_trajectory_name(i), rg_trajectory_summary(i));
    printf("  %-28s %s\n", "gait", "feet of legged robots that stand and swing in turn");
    rg_plan_print_settings();
    rg_parameter_print_keys();
}

/* ------------------------------------------------------------------ options of the tables of settings */

enum { LEVELS = 3, OPTIONS_MAX = 64, NAME_ROOM = 48, HELP_ROOM = 320 };

/* Options generated from the tables, by level. */
typedef struct TableOptions {
    RgOptionSpec specs[OPTIONS_MAX];
    int keys[OPTIONS_MAX]; /* first line of each */
    char names[OPTIONS_MAX][NAME_ROOM], helps[OPTIONS_MAX][HELP_ROOM];
    int count, up_to[LEVELS];
} TableOptions;

static int find_option(const TableOptions *t, const char *name)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->specs[i].name, name) == 0)
            return i;
    return -1;
}

/* The option of a key with a line for each kind of solver: "quick: ...; pgs: ...". */
static void add_lines(TableOptions *t, int index, const char *argument)
{
    size_t used = 0;
    char *help = t->helps[t->count];
    const char *name = rg_plan_key(index).info.key;
    for (int i = index; i < rg_setting_count() && used < HELP_ROOM; i++) {
        RgSettingInfo info = rg_setting_info(i);
        if (strcmp(info.key, name) == 0)
            used +=
                (size_t)snprintf(help + used, HELP_ROOM - used, "%s%s: %s", used ? "; " : "", info.users, info.help);
    }
    t->specs[t->count] = (RgOptionSpec){t->names[t->count], argument, help};
    t->keys[t->count++] = index;
}

/* Splits "iterations N"; the help also has the value of a flag without argument, default and unit. */
static void add_option(TableOptions *t, int index)
{
    char value[64] = "", *name = t->names[t->count], *help = t->helps[t->count];
    RgPlanKey key = rg_plan_key(index);
    RgSettings defaults = rg_settings_default();
    const RgSettingInfo *info = &key.info;
    snprintf(name, NAME_ROOM, "%s", info->option);
    char *space = strchr(name, ' ');
    if (space)
        *space = '\0';
    if (!info->option[0] || find_option(t, name) >= 0)
        return;
    if (info->users[0] && strncmp(info->key, "solver.", 7) == 0 && space) {
        add_lines(t, index, space + 1);
        return;
    }
    const char *below = info->type == RG_SETTING_NAME && key.setting >= 0 ? "; see below" : "";
    bool shows = key.setting >= 0 && info->type != RG_SETTING_BUDGET && info->users[0] == '\0' && space;
    if (shows)
        rg_setting_print(key.setting, &defaults, value, sizeof value);
    if (!space && key.setting >= 0)
        snprintf(help, HELP_ROOM, "%s: %s (%s)", info->key, key.flag, info->help);
    else
        snprintf(help, HELP_ROOM, "%s%s%s%s%s%s%s", info->help, below, info->unit[0] ? ", " : "", info->unit,
                 value[0] ? " (default " : "", value, value[0] ? ")" : "");
    t->specs[t->count] = (RgOptionSpec){name, space ? space + 1 : NULL, help};
    t->keys[t->count++] = index;
}

static const TableOptions *table_options(void)
{
    static TableOptions t;
    for (int level = 0; level < LEVELS && t.up_to[LEVELS - 1] == 0; level++) {
        for (int i = 0; i < rg_plan_key_count(); i++)
            if (rg_plan_key(i).level == level)
                add_option(&t, i);
        t.up_to[level] = t.count;
    }
    return &t;
}

const RgOptionSpec *rg_plan_live_options(int *count)
{
    *count = table_options()->up_to[0];
    return table_options()->specs;
}

const RgOptionSpec *rg_plan_options(int *count)
{
    *count = table_options()->up_to[1];
    return table_options()->specs;
}

const RgOptionSpec *rg_plan_run_options(int *count)
{
    *count = table_options()->up_to[2];
    return table_options()->specs;
}

/* ------------------------------------------------------------------ into the plan */

static bool add_setting(RgPlan *plan, const RgOptions *options, RgPlanSetting setting)
{
    RgError error;
    bool names_key = strcmp(setting.option, "set") == 0;
    return rg_plan_give(plan, setting, &error) == RG_OK ||
           rg_options_complain(options, "--%s: %s%s%s", setting.option, names_key ? setting.key : "",
                               names_key ? ": " : "", error.text);
}

/* KEY=VALUE, or KEY alone for true, of --solver-set (section "solver."), --stepper-set; dashes in the key are
   underscores. */
static bool add_pair(RgPlan *plan, const RgOptions *options, const RgOption *given, const char *section)
{
    const char *equals = strchr(given->value, '='), *option = given->spec->name;
    int length = equals ? (int)(equals - given->value) : (int)strlen(given->value);
    char *key = rg_pool_print(&plan->pool, "%s%.*s", section, length, given->value);
    for (char *c = key; *c; c++)
        *c = *c == '-' ? '_' : *c;
    int i = rg_plan_key_find(key);
    const char *name = key + strlen(section);
    if (length == 0)
        return rg_options_complain(options, "--%s: '%s': expected KEY=VALUE", option, given->value);
    if (i < 0) {
        RgNearest nearest = rg_nearest_begin(name);
        const char *all = rg_plan_key_list(plan, section, &nearest);
        return nearest.best
                   ? rg_options_complain(options, "--%s: unknown '%.60s'; did you mean '%s'?", option, name,
                                         nearest.best)
                   : rg_options_complain(options, "--%s: unknown '%.60s'; expected one of %s", option, name, all);
    }
    RgPlanKey line = rg_plan_key(i);
    bool is_flag = line.info.type == RG_SETTING_FLAG || (line.info.words && strcmp(line.info.words, "false true") == 0);
    if (!equals && !is_flag)
        return rg_options_complain(options, "--%s: '%s': expected KEY=VALUE", option, given->value);
    return add_setting(plan, options,
                       (RgPlanSetting){.key = line.info.key, .text = equals ? equals + 1 : "true", .option = option});
}

bool rg_plan_apply_setting(RgPlan *plan, const RgOptions *options, const char *text)
{
    const char *equals = strchr(text, '=');
    const char *key = rg_pool_print(&plan->pool, "%.*s", (int)(equals - text), text);
    return add_setting(plan, options, (RgPlanSetting){.key = key, .text = equals + 1, .option = "set"});
}

static bool apply_option(RgPlan *plan, const RgOptions *options, const RgOption *given)
{
    const TableOptions *t = table_options();
    const char *name = given->spec->name;
    if (strcmp(name, "solver-set") == 0)
        return add_pair(plan, options, given, "solver.");
    if (strcmp(name, "stepper-set") == 0)
        return add_pair(plan, options, given, "stepper.");
    int i = find_option(t, name);
    if (i < 0 || given->spec != &t->specs[i])
        return true;
    RgPlanKey key = rg_plan_key(t->keys[i]);
    return add_setting(
        plan, options,
        (RgPlanSetting){.key = key.info.key, .text = given->value ? given->value : key.flag, .option = name});
}

bool rg_plan_apply_simulation(RgPlan *plan, const RgOptions *options)
{
    if (!rg_plan_apply_load_options(plan, options))
        return false;
    /* An accuracy without a stepper selects auto, whatever the file's stepper is. */
    if (rg_options_has(options, "accuracy") && !rg_options_has(options, "stepper") &&
        !add_setting(plan, options, (RgPlanSetting){.key = "stepper", .text = "auto", .option = "accuracy"}))
        return false;
    for (int i = 0; i < options->ngiven; i++)
        if (!apply_option(plan, options, &options->given[i]))
            return false;
    plan->quiet = rg_options_has(options, "quiet");
    return rg_plan_apply_set(plan, options);
}
