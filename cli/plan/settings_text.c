/* settings_text.c - settings as JSON, as a list for --help, and as Markdown (docs/settings.md). */
#include "plan/plan_settings.h"

#include "io/json_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ JSON */

static json_t *json_value(int i, const RgSettings *settings)
{
    char text[160];
    RgSettingType type = rg_setting_info(i).type;
    double x = rg_setting_number(i, settings);
    if (type == RG_SETTING_FLAG)
        return json_boolean(x != 0.0);
    if (type == RG_SETTING_WHOLE)
        return json_integer((json_int_t)x);
    if (type == RG_SETTING_NUMBER && isfinite(x))
        return json_real(x);
    rg_setting_print(i, settings, text, sizeof text);
    double numbers[3];
    return type == RG_SETTING_VECTOR && rg_number_list_parse(text, numbers, 3) == 3 ? rg_json_numbers(numbers, 3)
                                                                                    : json_string(text);
}

json_t *rg_settings_json(const RgSettings *settings, const char *section)
{
    json_t *out = json_object();
    size_t length = strlen(section);
    for (int i = 0; i < rg_setting_count(); i++) {
        RgSettingInfo info = rg_setting_info(i);
        bool is_part = strncmp(info.key, "solver.", 7) == 0 || strncmp(info.key, "stepper.", 8) == 0;
        bool is_in = length == 0 ? !is_part : strncmp(info.key, section, length) == 0 && info.key[length] == '.';
        if (!is_in || info.type == RG_SETTING_BUDGET || !rg_setting_applies(i, settings))
            continue;
        char name[96];
        const char *key = length > 0 ? info.key + length + 1 : info.key;
        snprintf(name, sizeof name, "%s%s%s", key, info.unit[0] ? ", " : "", info.unit);
        json_object_set_new(out, name, json_value(i, settings));
    }
    return out;
}

json_t *rg_settings_json_by_key(const RgSettings *settings)
{
    json_t *out = json_object();
    for (int i = 0; i < rg_setting_count(); i++)
        if (rg_setting_info(i).type != RG_SETTING_BUDGET && rg_setting_applies(i, settings))
            json_object_set_new(out, rg_setting_info(i).key, json_value(i, settings));
    return out;
}

/* ------------------------------------------------------------------ texts of the table */

/* "0 to 1", "above 0", "true or false", words, ... */
static void print_range(const RgPlanKey *key, char *text, size_t size)
{
    const RgSettingInfo *info = &key->info;
    const char *numbers = info->type == RG_SETTING_WHOLE ? "whole " : "";
    bool low = isfinite(info->low), high = isfinite(info->high) && info->high < 1e9;
    if (info->type == RG_SETTING_FLAG)
        snprintf(text, size, "true, false");
    else if (info->type == RG_SETTING_NAME)
        snprintf(text, size, key->is_path ? "path" : "name");
    else if (info->type == RG_SETTING_VECTOR)
        snprintf(text, size, "three numbers");
    else if (info->type == RG_SETTING_BUDGET)
        snprintf(text, size, "whole, or a time");
    else if (info->words)
        snprintf(text, size, "%s", info->words);
    else if (low && high && info->above)
        snprintf(text, size, "%sabove %g, to %g", numbers, info->low, info->high);
    else if (low && high)
        snprintf(text, size, "%s%g to %g", numbers, info->low, info->high);
    else if (low)
        snprintf(text, size, "%s%s %g", numbers, info->above ? "above" : "from", info->low);
    else
        snprintf(text, size, "%snumber", numbers);
}

/* Default settings with a solver that has the setting. */
static RgSettings defaults_for(const RgSettingInfo *info)
{
    bool pgs = strncmp(info->users, "pgs", 3) == 0, exact = strcmp(info->users, "exact") == 0;
    RgSettings settings = rg_settings_default();
    settings.law = rg_contact_law_for(pgs ? "pgs" : exact ? "cone" : "quick");
    return settings;
}

static void print_default(const RgPlanKey *key, char *text, size_t size)
{
    RgSettings settings = defaults_for(&key->info);
    text[0] = '\0';
    if (key->setting >= 0 && key->info.type != RG_SETTING_BUDGET)
        rg_setting_print(key->setting, &settings, text, size);
}

static void print_users(const RgSettingInfo *info, char *text, size_t size)
{
    snprintf(text, size, "%s", info->users[0] ? info->users : "all");
}

/* ------------------------------------------------------------------ lists */

/* What a preset of pgs changes: "preset ode: iterations 20, ...". */
static void print_presets(const char *before, const char *after)
{
    for (int p = 1; p < rg_pgs_preset_count(); p++) {
        const char *comma = "";
        RgSettings preset = rg_settings_default(), plain = preset;
        rg_pgs_preset(rg_pgs_preset_name(0), &plain.law, &plain.pgs);
        rg_pgs_preset(rg_pgs_preset_name(p), &preset.law, &preset.pgs);
        plain.world.solver = preset.world.solver = "pgs";
        printf("%spreset %s: ", before, rg_pgs_preset_name(p));
        for (int i = 0; i < rg_setting_count(); i++) {
            char a[64], b[64];
            RgSettingInfo info = rg_setting_info(i);
            rg_setting_print(i, &plain, a, sizeof a);
            rg_setting_print(i, &preset, b, sizeof b);
            if (strcmp(a, b) == 0 || !rg_setting_applies(i, &preset) || info.type == RG_SETTING_BUDGET ||
                strcmp(info.key, "solver.poisson") == 0)
                continue;
            printf("%s%s %s", comma, rg_plan_key_name(info.key), b);
            comma = ", ";
        }
        printf("%s\n", after);
    }
}

void rg_plan_print_settings(void)
{
    printf(
        "\nSettings: keys of run files (name: {key: value}), --set KEY=VALUE; --solver-set and --stepper-set take the name alone\n"
        "  %-31s %-13s %-10s\n",
        "key", "default", "of");
    for (int i = 0; i < rg_setting_count(); i++) {
        char value[64], users[96];
        RgPlanKey key = rg_plan_key(i);
        print_default(&key, value, sizeof value);
        print_users(&key.info, users, sizeof users);
        printf("  %-31s %-13s %-10s %s%s%s%s\n", key.info.key, value, users, key.info.help,
               key.info.unit[0] ? " (" : "", key.info.unit, key.info.unit[0] ? ")" : "");
    }
    print_presets("  ", "");
    printf(
        "  exact: every solver but quick, pgs and pgs:jacobi. Steppers that locate events make inner steps within --step\n"
        "  (default with them: 0.01 s); their default solver is cone. docs/settings.md has ranges and options\n");
}

/* A cell of a table, with bars escaped. */
static void put_cell(const char *text)
{
    printf(" ");
    for (; *text; text++)
        printf(*text == '|' ? "\\|" : "%c", *text);
    printf(" |");
}

void rg_plan_print_markdown(void)
{
    printf(
        "# Settings\n\n"
        "Made by `rigor settings --markdown` from `src/sim/settings.def` (the world) and `cli/plan/plan_settings.def` (the\n"
        "command); not to be edited.\n\n"
        "A key is written in run files as `solver: {iterations: 20}`, in sweeps as `solver.iterations`, on the command line as\n"
        "`--set solver.iterations=20`, or by its option. `--solver-set iterations=20` and `--stepper-set` take the name alone; a\n"
        "name without a value means `true`. `of`: solvers or steppers that have the setting; `pgs` with `pgs:jacobi`, `exact`\n"
        "every solver but these and `quick`. A key with several lines has the meaning of the solver that runs. Programs in C use\n"
        "`include/rigor/settings.h`. `--json` of a run has the settings that it used under `settings`.\n\n"
        "| key | of | values | default | unit | option | |\n|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < rg_plan_key_count(); i++) {
        char range[96], value[64], option[64];
        RgPlanKey key = rg_plan_key(i);
        print_range(&key, range, sizeof range);
        print_default(&key, value, sizeof value);
        bool has_option = key.info.option[0] != '\0';
        snprintf(option, sizeof option, "%s%s%s", has_option ? "`--" : "", key.info.option, has_option ? "`" : "");
        printf("| `%s` |", key.info.key);
        put_cell(key.info.users);
        put_cell(range);
        put_cell(value);
        put_cell(key.info.unit);
        put_cell(option);
        put_cell(key.info.help);
        printf("\n");
    }
    printf("\n");
    print_presets("- ", "");
    printf(
        "\nCode: `src/sim/settings.c`, `settings.def`; `cli/plan/plan_settings.c`, `plan_settings.def`, `settings_text.c`.\n");
}
