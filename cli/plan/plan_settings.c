/*
 * plan_settings.c - the settings of a plan.
 *
 * A setting is a key and a text, whether an option or a run file gave it. The plan keeps texts of the right type until
 * the model is known; then the library reads them into a world's settings, and an error gets the place of the setting
 * that caused it. A setting that the chosen stepper does not have is an error; but where the command line chose another
 * stepper than the run file, the file's settings for its own are passed over with a remark.
 */
#include "plan/plan_settings.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ the tables */

typedef struct CommandKey {
    const char *key, *option, *unit, *help;
    RgSettingType type;
    size_t offset;
    double low, high;
    bool above;
} CommandKey;

#define TYPE_OF(field)                                                                                                 \
    _Generic(((RgPlan *)0)->field, bool: RG_SETTING_FLAG, int: RG_SETTING_WHOLE, double: RG_SETTING_NUMBER,           \
             const char *: RG_SETTING_NAME)
#define RANGE(least, most) .low = (least), .high = (most)
#define ABOVE(bound) RANGE(bound, INFINITY), .above = true
#define FLAG RANGE(0, 1)
#define PATH RANGE(0, 0)
#define X(key_, option_, field_, unit_, range_, help_)                                                                 \
    {.key = (key_),                                                                                                    \
     .option = (option_),                                                                                              \
     .unit = (unit_),                                                                                                  \
     .help = (help_),                                                                                                  \
     .type = TYPE_OF(field_),                                                                                          \
     .offset = offsetof(RgPlan, field_),                                                                               \
     range_},

static const CommandKey table[] = {
#include "plan/plan_settings.def"
};
#undef X
enum { COUNT = sizeof table / sizeof table[0] };

int rg_plan_key_count(void)
{
    return rg_setting_count() + COUNT;
}

RgPlanKey rg_plan_key(int i)
{
    if (i < rg_setting_count()) {
        RgPlanKey key = {.info = rg_setting_info(i), .setting = i};
        RgSettings defaults = rg_settings_default();
        key.flag = rg_setting_number(i, &defaults) == 0.0 ? "true" : "false";
        return key;
    }
    const CommandKey *k = &table[i - rg_setting_count()];
    return (RgPlanKey){.info = {.key = k->key,
                                .type = k->type,
                                .unit = k->unit,
                                .low = k->low,
                                .high = k->high,
                                .above = k->above,
                                .users = "",
                                .option = k->option,
                                .help = k->help},
                       .setting = -1,
                       .offset = k->offset,
                       .is_path = k->type == RG_SETTING_NAME,
                       .level = strncmp(k->key, "outputs.", 8) == 0 ? 2 : strcmp(k->key, "duration") == 0,
                       .flag = "true"};
}

int rg_plan_key_find(const char *key)
{
    int found = rg_setting_find(key);
    for (int i = 0; i < COUNT && found < 0; i++)
        if (strcmp(table[i].key, key) == 0)
            found = rg_setting_count() + i;
    return found;
}

bool rg_plan_key_has_below(const char *key)
{
    size_t length = strlen(key);
    for (int i = 0; i < rg_plan_key_count(); i++) {
        const char *longer = rg_plan_key(i).info.key;
        if (strncmp(longer, key, length) == 0 && longer[length] == '.')
            return true;
    }
    return false;
}

const char *rg_plan_key_name(const char *key)
{
    const char *dot = strrchr(key, '.');
    return dot ? dot + 1 : key;
}

const char *rg_plan_key_list(RgPlan *plan, const char *section, RgNearest *nearest)
{
    size_t length = strlen(section);
    const char *all = "", *last = "";
    for (int i = 0; i < rg_plan_key_count(); i++) {
        const char *key = rg_plan_key(i).info.key, *rest = key + length;
        if (strncmp(key, section, length) != 0)
            continue;
        const char *word = rg_pool_print(&plan->pool, "%.*s", (int)strcspn(rest, "."), rest);
        if (strcmp(last, word) == 0)
            continue;
        last = word;
        rg_nearest_offer(nearest, word);
        all = rg_pool_print(&plan->pool, "%s%s%s", all, *all ? ", " : "", word);
    }
    return all;
}

bool rg_plan_key_is_late(const RgPlanKey *key)
{
    bool is_part = strncmp(key->info.key, "solver.", 7) == 0 || key->info.users[0] != '\0';
    return key->setting >= 0 && is_part && key->info.type != RG_SETTING_NAME;
}

/* ------------------------------------------------------------------ into the plan */

RgStatus rg_plan_give(RgPlan *plan, RgPlanSetting setting, RgError *error)
{
    int i = rg_plan_key_find(setting.key);
    if (i < 0)
        return rg_error_set(error, RG_ERR_NOT_FOUND, NULL, "unknown '%.60s'", setting.key);
    RgPlanKey key = rg_plan_key(i);
    RgStatus status = RG_OK;
    void *field = (char *)plan + key.offset;
    setting.key = key.info.key;
    setting.text = rg_pool_print(&plan->pool, "%s", setting.text);
    if (key.is_path)
        *(const char **)field = setting.text;
    else if (key.setting < 0)
        status = rg_setting_parse(&key.info, setting.text, field, error);
    else if (!rg_plan_key_is_late(&key))
        status = rg_setting_check(&(RgSettingText){setting.key, setting.text}, error);
    plan->settings = rg_pool_grow(&plan->pool, plan->settings, plan->nsettings, sizeof *plan->settings);
    plan->settings[plan->nsettings++] = setting;
    return status;
}

const RgPlanSetting *rg_plan_given(const RgPlan *plan, const char *key)
{
    for (int i = plan->nsettings - 1; i >= 0; i--)
        if (strcmp(plan->settings[i].key, key) == 0)
            return &plan->settings[i];
    return NULL;
}

/* ------------------------------------------------------------------ into the library */

bool rg_plan_stepper_locates(const char *stepper)
{
    for (int i = 0; i < rg_stepper_count(); i++)
        if (strcmp(rg_stepper_name(i), stepper) == 0)
            return rg_stepper_locates(i);
    return false;
}

/* Whether the command line named the stepper, or gave an accuracy, which names auto. */
static bool stepper_is_by_option(const RgPlan *plan)
{
    const RgPlanSetting *stepper = rg_plan_given(plan, "stepper");
    return stepper && stepper->option;
}

/* The stepper that the run file names; NULL: none. */
static const char *stepper_in_file(const RgPlan *plan)
{
    for (int i = 0; i < plan->nsettings; i++)
        if (strcmp(plan->settings[i].key, "stepper") == 0 && !plan->settings[i].option)
            return plan->settings[i].text;
    return NULL;
}

bool rg_plan_step_is_foreign(const RgPlan *plan, const char *stepper)
{
    const RgPlanSetting *step = rg_plan_given(plan, "stepper.step");
    const char *in_file = stepper_in_file(plan);
    return step && !step->option && stepper_is_by_option(plan) && (!in_file || !rg_plan_stepper_locates(in_file)) &&
           rg_plan_stepper_locates(stepper);
}

/* Adds the place of the setting, and its key if the text does not have it. */
static void place_error(RgPlan *plan, const RgPlanSetting *s, RgError *error)
{
    const char *dot = strchr(s->key, '.'), *name = rg_plan_key_name(s->key), *text = error->text;
    bool generic = s->option && (strcmp(s->option, "set") == 0 || strstr(s->option, "-set"));
    if (error->status == RG_ERR_ARGUMENT && dot && (!s->option || generic))
        text = rg_pool_print(&plan->pool, "%s: %s", name, text);
    text = s->option
               ? rg_pool_print(&plan->pool, "--%s: %s", s->option, text)
               : rg_pool_print(&plan->pool, "%.*s: %s", dot ? (int)(dot - s->key) : (int)strlen(s->key), s->key, text);
    rg_error_set(error, RG_ERR_ARGUMENT, s->option ? NULL : plan->path, "%s", text);
    error->line = s->at.line;
    error->column = s->at.column;
}

/* A setting of the run file for another stepper than the command line chose is passed over. */
static bool is_for_another_stepper(RgPlan *plan, const RgPlanSetting *s, const char *stepper)
{
    char users[160];
    RgSettings chosen = {.world = {.stepper = stepper}};
    int setting = rg_setting_find(s->key);
    if (s->option || strncmp(s->key, "stepper.", 8) != 0 || !stepper_is_by_option(plan) ||
        rg_setting_applies(setting, &chosen))
        return false;
    rg_setting_users(s->key, users, sizeof users);
    rg_plan_add_remark(plan, plan->path, s->at.line,
                       rg_pool_print(&plan->pool, "stepper: '%s' is no setting of stepper %s, only of %s: not used",
                                     rg_plan_key_name(s->key), stepper, users));
    return true;
}

RgStatus rg_plan_world(RgPlan *plan, const RgModel *model, RgSettings *out, RgError *error)
{
    RgSettingText *texts = rg_pool_take(&plan->pool, (size_t)plan->nsettings + 1, sizeof *texts);
    const RgPlanSetting **from = rg_pool_take(&plan->pool, (size_t)plan->nsettings + 1, sizeof *from);
    const RgPlanSetting *named = rg_plan_given(plan, "stepper");
    const char *stepper = named ? named->text : rg_world_def_default().stepper;
    int count = 0, at;
    for (int i = 0; i < plan->nsettings; i++) {
        const RgPlanSetting *s = &plan->settings[i];
        if (rg_setting_find(s->key) < 0 || is_for_another_stepper(plan, s, stepper))
            continue;
        from[count] = s;
        texts[count++] = (RgSettingText){s->key, s->text};
    }
    RgStatus status = rg_settings_read(out, model, texts, count, &at, error);
    if (status != RG_OK && at >= 0)
        place_error(plan, from[at], error);
    return status;
}

/* ------------------------------------------------------------------ hints of files that are not used */

const char *rg_plan_unused_hints(RgPlan *plan, const RgModel *model, const RgSettings *settings)
{
    const RgPhysicsHints *h = rg_model_hints(model);
    const char *solver = settings->world.solver, *preset = settings->preset;
    bool quick = rg_solver_takes_patches(solver), from_file = !quick && !preset;
    const char *taken = preset ? "the preset" : rg_pool_print(&plan->pool, "solver %s", solver);
    bool sweeps = from_file && !rg_solver_is_exact(solver);
    const struct {
        const char *name;
        bool unused;
    } hints[] = {
        {"type world", strcmp(h->ode_solver, "world") == 0},
        {"iters", h->ode_iterations >= 0 && !sweeps},
        {"sor", !isnan(h->ode_sor) && !sweeps},
        {"cfm", h->ode_cfm > 0.0 && preset},
        {"erp", !isnan(h->ode_erp) && preset},
        {"friction_model", h->friction_model[0] != '\0' && strcmp(h->friction_model, "cone_model") != 0 && !from_file},
        {"use_dynamic_moi_rescaling", h->use_dynamic_inertia_scaling && !from_file},
    };
    const char *names = NULL;
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++)
        if (hints[i].unused)
            names = names ? rg_pool_print(&plan->pool, "%s, %s", names, hints[i].name) : hints[i].name;
    return names ? rg_pool_print(&plan->pool, "the file's <physics> gives %s, which %s does not use%s", names, taken,
                                 quick ? " (--solver pgs does)" : "")
                 : NULL;
}
