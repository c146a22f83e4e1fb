/*
 * plan_stepper.c - the stepper of a run and the settings of those that choose their own steps.
 *
 * A setting is a name and a text, whether it was given as an option or as a key under `stepper:` in a run file. What it
 * means, and for which steppers, is looked up in one table: the fields of the library's options by their own names. A
 * setting that the chosen stepper does not use is an error, with its line where it came from a file; but where the
 * command line chose another stepper than the file, the file's settings for its own are told and passed over.
 */
#include "plan/plan_stepper.h"
#include "io/error.h"
#include "io/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* ------------------------------------------------------------------ the table */

typedef enum SettingKind { KIND_NUMBER, KIND_WHOLE, KIND_FLAG } SettingKind;

/* Who uses a setting: bits in the order of `steppers`. */
enum { ADVANCE = 1, C2A = 2, RIGID = 4, AUTO = 8, RIGID_001 = 16, ALL = 31 };
static const char *const steppers[] = {"advance", "c2a", "rigid", "auto", "rigid-001"};

typedef struct SettingSpec {
    const char *name;
    SettingKind kind;
    unsigned users;
    size_t offset;
    const char *help;
} SettingSpec;

#define FIELD(field) offsetof(RgAdaptOptions, field)

static const SettingSpec specs[] = {
    {"gap", KIND_NUMBER, ALL, FIELD(gap), "m: shapes nearer than this touch, and rest at half of it"},
    {"h_min", KIND_NUMBER, ALL, FIELD(h_min), "s: no inner step is shorter, unless an event asks for it"},
    {"h_max", KIND_NUMBER, ALL, FIELD(h_max), "s: no inner step is longer; or inf"},
    {"separate", KIND_FLAG, ALL, FIELD(separate), "a start that overlaps is put right, not refused"},
    {"energy_relative", KIND_NUMBER, C2A, FIELD(energy_relative),
     "error of the kinetic energy in a step, as a part of it; 0: not this one"},
    {"energy_absolute", KIND_NUMBER, C2A, FIELD(energy_absolute), "the same in J"},
    {"event_time", KIND_NUMBER, RIGID | AUTO, FIELD(event_time), "s: events nearer to each other may be found as one"},
    {"locate_friction", KIND_FLAG, RIGID | AUTO, FIELD(locate_friction), "changes between stick and slip are located"},
    {"hold_input", KIND_FLAG, ADVANCE | C2A, FIELD(hold_input),
     "the input function is asked once an inner step, at its start"},
    {"explicit_forces", KIND_FLAG, ADVANCE, FIELD(explicit_forces),
     "accelerations at the start of an inner step, not at its end"},
    {"accuracy", KIND_NUMBER, AUTO, FIELD(accuracy), "relative error that is aimed at (--accuracy)"},
    {"order", KIND_WHOLE, AUTO, FIELD(order), "1 or 2"},
};

static const SettingSpec *find_spec(const char *name)
{
    for (int i = 0; i < COUNT(specs); i++)
        if (strcmp(specs[i].name, name) == 0)
            return &specs[i];
    return NULL;
}

static bool uses(const SettingSpec *spec, const char *stepper)
{
    for (int i = 0; i < COUNT(steppers); i++)
        if (strcmp(steppers[i], stepper) == 0)
            return (spec->users >> i & 1) != 0;
    return false;
}

/* Names of those that use a setting. */
static const char *users_of(RgPlan *plan, const SettingSpec *spec)
{
    const char *text = "";
    for (int i = 0; i < COUNT(steppers); i++)
        if (spec->users >> i & 1)
            text = *text ? rg_pool_print(&plan->pool, "%s, %s", text, steppers[i]) : steppers[i];
    return text;
}

/* The value of a field as a setting would give it. */
static void print_field(const SettingSpec *spec, const RgAdaptOptions *adapt, char *text, size_t size)
{
    const char *field = (const char *)adapt + spec->offset;
    if (spec->kind == KIND_NUMBER)
        snprintf(text, size, "%g", *(const double *)field);
    else if (spec->kind == KIND_WHOLE)
        snprintf(text, size, "%d", *(const int *)field);
    else
        snprintf(text, size, "%s", *(const bool *)field ? "true" : "false");
}

bool rg_plan_has_stepper_setting(const char *name)
{
    return find_spec(name) != NULL;
}

const char *rg_plan_stepper_setting(int i)
{
    return i >= 0 && i < COUNT(specs) ? specs[i].name : NULL;
}

bool rg_plan_stepper_value(int i, const char *stepper, const RgAdaptOptions *adapt, char *text, size_t size)
{
    if (!uses(&specs[i], stepper))
        return false;
    print_field(&specs[i], adapt, text, size);
    return true;
}

void rg_plan_print_stepper_settings(void)
{
    RgAdaptOptions adapt = rg_adapt_options_default();
    printf("\nSettings of steppers that choose their own steps (keys under `stepper:` in run files, "
           "--stepper-set KEY=VALUE):\n  %-16s %8s  %-18s\n",
           "", "default", "of");
    for (int i = 0; i < COUNT(specs); i++) {
        char value[32], users[64] = "all of them";
        print_field(&specs[i], &adapt, value, sizeof value);
        for (int k = 0; k < COUNT(steppers) && specs[i].users != ALL; k++) {
            size_t used = specs[i].users & ((1U << k) - 1U) ? strlen(users) : 0;
            if (specs[i].users >> k & 1)
                snprintf(users + used, sizeof users - used, "%s%s", used ? ", " : "", steppers[k]);
        }
        printf("  %-16s %8s  %-12s %s\n", specs[i].name, value, users, specs[i].help);
    }
    printf("  They make inner steps within --step (default with them: 0.01 s); their default solver is cone.\n");
}

/* ------------------------------------------------------------------ from the command line */

void rg_plan_add_stepper_setting(RgPlan *plan, RgPlanSetting setting)
{
    plan->stepper_settings =
        rg_pool_grow(&plan->pool, plan->stepper_settings, plan->nstepper_settings, sizeof *plan->stepper_settings);
    plan->stepper_settings[plan->nstepper_settings++] = setting;
}

/* KEY=VALUE; dashes in the key are underscores. */
static bool take_pair(RgPlan *plan, const RgOptions *options, const RgOption *given)
{
    const char *equals = strchr(given->value, '=');
    if (!equals || equals == given->value)
        return rg_options_complain(options, "--%s: '%s': expected KEY=VALUE", given->spec->name, given->value);
    char *name = rg_pool_print(&plan->pool, "%.*s", (int)(equals - given->value), given->value);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    rg_plan_add_stepper_setting(plan, (RgPlanSetting){.name = name, .text = equals + 1, .option = given->spec->name});
    return true;
}

bool rg_plan_apply_stepper(RgPlan *plan, const RgOptions *options)
{
    for (int i = 0; i < options->ngiven; i++) {
        const RgOption *given = &options->given[i];
        if (strcmp(given->spec->name, "stepper-set") == 0 && !take_pair(plan, options, given))
            return false;
        if (strcmp(given->spec->name, "accuracy") == 0)
            rg_plan_add_stepper_setting(
                plan, (RgPlanSetting){.name = "accuracy", .text = given->value, .option = "accuracy"});
    }

    /* An accuracy without a stepper is one for auto, whatever the file says. */
    plan->stepper_by_option = rg_options_has(options, "stepper") || rg_options_has(options, "accuracy");
    if (rg_options_has(options, "accuracy") && !rg_options_has(options, "stepper"))
        plan->stepper = "auto";
    return true;
}

/* ------------------------------------------------------------------ into the library's options */

bool rg_plan_stepper_locates(const char *stepper)
{
    for (int i = 0; i < rg_stepper_count(); i++)
        if (strcmp(rg_stepper_name(i), stepper) == 0)
            return rg_stepper_locates(i);
    return false;
}

const char *rg_plan_default_solver(const char *stepper)
{
    return rg_plan_stepper_locates(stepper) ? "cone" : "quick";
}

bool rg_plan_step_is_foreign(const RgPlan *plan, const char *stepper)
{
    bool of_fixed = !plan->stepper_in_file || !rg_plan_stepper_locates(plan->stepper_in_file);
    return !isnan(plan->step) && !plan->step_by_option && plan->stepper_by_option && of_fixed &&
           rg_plan_stepper_locates(stepper);
}

static RgStatus fail_setting(const RgPlan *plan, const RgPlanSetting *s, RgError *error, const char *text)
{
    if (s->line > 0) {
        rg_error_set(error, RG_ERR_ARGUMENT, plan->path, "stepper: %s", text);
        error->line = s->line;
        error->column = s->column;
    } else {
        rg_error_set(error, RG_ERR_ARGUMENT, NULL, "--%s: %s", s->option, text);
    }
    return RG_ERR_ARGUMENT;
}

static RgStatus fail_unknown(RgPlan *plan, const RgPlanSetting *s, RgError *error)
{
    RgNearest nearest = rg_nearest_begin(s->name);
    const char *all = "";
    for (int i = 0; i < COUNT(specs); i++) {
        rg_nearest_offer(&nearest, specs[i].name);
        all = rg_pool_print(&plan->pool, "%s%s%s", all, i ? ", " : "", specs[i].name);
    }
    const char *text = nearest.best
                           ? rg_pool_print(&plan->pool, "unknown '%.60s'; did you mean '%s'?", s->name, nearest.best)
                           : rg_pool_print(&plan->pool, "unknown '%.60s'; expected one of %s", s->name, all);
    return fail_setting(plan, s, error, text);
}

/* Writes a text into the field; false: it is no such value. */
static bool write_field(const SettingSpec *spec, const char *text, RgAdaptOptions *adapt)
{
    void *field = (char *)adapt + spec->offset;
    bool infinite = strcmp(text, "inf") == 0;
    double number = infinite ? INFINITY : 0.0;
    bool is_number = infinite || rg_number_parse(text, &number);
    switch (spec->kind) {
    case KIND_NUMBER:
        *(double *)field = number;
        return is_number;
    case KIND_WHOLE:
        if (!is_number || !(fabs(number) <= 1e6) || number != floor(number))
            return false;
        *(int *)field = (int)number;
        return true;
    case KIND_FLAG:
        *(bool *)field = strcmp(text, "true") == 0;
        return *(bool *)field || strcmp(text, "false") == 0;
    }
    return false;
}

static RgStatus apply_setting(RgPlan *plan, const RgPlanSetting *s, const char *stepper, RgAdaptOptions *adapt,
                              RgError *error)
{
    static const char *const kinds[] = {
        [KIND_NUMBER] = "a number", [KIND_WHOLE] = "a whole number", [KIND_FLAG] = "true or false"};
    const SettingSpec *spec = find_spec(s->name);
    if (!spec)
        return fail_unknown(plan, s, error);
    if (!uses(spec, stepper)) {
        const char *text = rg_pool_print(&plan->pool, "'%s' is no setting of stepper %s, only of %s", s->name, stepper,
                                         users_of(plan, spec));
        if (s->line == 0 || !plan->stepper_by_option)
            return fail_setting(plan, s, error, text);
        rg_plan_add_remark(plan, plan->path, s->line, rg_pool_print(&plan->pool, "stepper: %s: not used", text));
        return RG_OK;
    }
    if (!write_field(spec, s->text, adapt))
        return fail_setting(
            plan, s, error,
            rg_pool_print(&plan->pool, "%s: expected %s, found '%.60s'", s->name, kinds[spec->kind], s->text));
    return RG_OK;
}

/* Numbers are judged when all of them are there: some have to be in order with each other. The one that made them
   bad is blamed. */
static RgStatus check_settings(RgPlan *plan, const char *stepper, const RgAdaptOptions *adapt, RgError *error)
{
    const char *wrong = "";
    if (rg_adapt_options_check(adapt, &wrong) == RG_OK)
        return RG_OK;
    RgAdaptOptions sofar = rg_adapt_options_default();
    for (int i = 0; i < plan->nstepper_settings; i++) {
        const RgPlanSetting *s = &plan->stepper_settings[i];
        const SettingSpec *spec = find_spec(s->name);
        RgAdaptOptions with = sofar;
        if (!spec || !uses(spec, stepper))
            continue;
        write_field(spec, s->text, &with);
        if (strstr(wrong, s->name) && rg_adapt_options_check(&with, NULL) != RG_OK)
            return fail_setting(plan, s, error, rg_pool_print(&plan->pool, "%s %s: %s", s->name, s->text, wrong));
        sofar = with;
    }
    return rg_error_set(error, RG_ERR_ARGUMENT, NULL, "stepper: %s", wrong);
}

RgStatus rg_plan_choose_stepper(RgPlan *plan, RgAdaptOptions *adapt, RgWorldDef *def, RgError *error)
{
    *adapt = rg_adapt_options_default();
    def->adapt = adapt;
    if (plan->stepper)
        def->stepper = plan->stepper;
    RgStatus status = RG_OK;
    for (int i = 0; i < plan->nstepper_settings && status == RG_OK; i++)
        status = apply_setting(plan, &plan->stepper_settings[i], def->stepper, adapt, error);
    return status == RG_OK ? check_settings(plan, def->stepper, adapt, error) : status;
}
