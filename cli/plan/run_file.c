/*
 * run_file.c - the YAML run file.
 *
 *   name: TEXT
 *   models:                     # at least one
 *     - file: PATH              # URDF or SDF, relative to the run file
 *       name: TEXT              # name of the robot instead of the file's own
 *       pose: [x, y, z]         # or {xyz: [x, y, z], rpy: [roll, pitch, yaw]}, m and rad
 *       base: auto|fixed|floating
 *       self_collide: BOOL      # whether its links may touch each other; overrides the model file
 *       parameters: {...}       # as below, names within this model
 *       collision: {...}        # as below, names within this model
 *       state: {...}            # as below, names within this model
 *       control: {...}          # as below, names within this model
 *   search: [DIR, ...]
 *   stepper: NAME or {name, step, ...}, solver: NAME or {name, ...}, gravity, coords, contact, limits, sleeping, threads,
 *   duration, gears, outputs    # settings: docs/settings.md
 *   parameters: {links: {NAME: {mass: kg, ...}}, joints: ..., shapes: ..., couplings: ...}    # parameters_file.c
 *   collision:                  # pairs of links, "world" for the world
 *     exclude: [[NAME, NAME], ...]    # never touch
 *     include: [[NAME, NAME], ...]    # may touch, although the model files exclude it
 *   state:                      # at the start
 *     joints: {NAME: q or [q, ...]}
 *     rates: {NAME: v or [v, ...]}
 *     efforts: {NAME: tau or [tau, ...]}
 *     motors: {NAME: [velocity, max_effort]}
 *     servos: {NAME: [position, max_effort]}    # or [position, max_effort, max_velocity, rate]
 *   attachments: [{name, type, parent, child, attach, detach, ...}]    # joints made at run time: attachments_file.c
 *   fields: [{box: [x, y, z], linear: 1/s, ...}]    # damping fields: attachments_file.c
 *   control: {rate: Hz, delay: s, start: BOOL, controllers: [...]}    # control_file.c
 *
 * Settings come from their tables (plan_settings.h); mappings of other keys have tables below. All paths are relative to
 * the run file's folder.
 */
#include "plan/run_file.h"

#include "io/error.h"
#include "io/options.h"
#include "plan/attachments_file.h"
#include "plan/control_file.h"
#include "plan/parameters_file.h"
#include "plan/plan_settings.h"
#include "plan/run_values.h"

#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* State of the reader. */
typedef struct Reader {
    RgPlan *plan;
    RgPlanModel model;
    RgQuantity quantity;
    RgPlanPair pair; /* `names` links were read */
    int names;
} Reader;

/* ------------------------------------------------------------------ words and paths */

static const char *copy_text(RgPlan *plan, const char *text)
{
    return text ? rg_pool_print(&plan->pool, "%s", text) : NULL;
}

/* ------------------------------------------------------------------ state */

static bool read_value(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    RgPlan *plan = reader->plan;
    RgPlanValue value = {
        .what = reader->quantity, .line = (int)key->start_mark.line + 1, .column = (int)key->start_mark.column + 1};
    const char *name = (const char *)key->data.scalar.value;
    value.count = rg_yaml_numbers(yaml, node, name, value.values, RG_PLAN_VALUES_MAX);
    if (value.count < 0)
        return false;
    value.name = copy_text(plan, name);
    plan->values = rg_pool_grow(&plan->pool, plan->values, plan->nvalues, sizeof *plan->values);
    plan->values[plan->nvalues++] = value;
    return true;
}

static bool read_values(RgYaml *yaml, yaml_node_t *node, const char *what, Reader *reader, RgQuantity quantity)
{
    reader->quantity = quantity;
    return rg_yaml_each(yaml, node, what, read_value, reader);
}

static bool state_joints(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_values(yaml, node, "joints", target, RG_QUANTITY_POSITION);
}

static bool state_rates(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_values(yaml, node, "rates", target, RG_QUANTITY_RATE);
}

static bool state_efforts(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_values(yaml, node, "efforts", target, RG_QUANTITY_EFFORT);
}

static bool state_motors(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_values(yaml, node, "motors", target, RG_QUANTITY_MOTOR);
}

static bool state_servos(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_values(yaml, node, "servos", target, RG_QUANTITY_SERVO);
}

static bool key_state(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{.name = "joints", .read = state_joints},
                                     {.name = "rates", .read = state_rates},
                                     {.name = "efforts", .read = state_efforts},
                                     {.name = "motors", .read = state_motors},
                                     {.name = "servos", .read = state_servos}};
    return rg_yaml_map(yaml, node, "state", keys, COUNT(keys), target);
}

/* ------------------------------------------------------------------ collision */

static bool read_pair_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    const char *text = rg_yaml_text(yaml, node, "pair");
    if (text && reader->names == 2)
        return rg_yaml_fail(yaml, node, "pair: a third link '%.60s'", text);
    if (text)
        reader->pair.links[reader->names++] = copy_text(reader->plan, text);
    return text != NULL;
}

static bool read_pair(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    RgPlan *plan = reader->plan;
    reader->names = 0;
    reader->pair.line = (int)node->start_mark.line + 1;
    reader->pair.column = (int)node->start_mark.column + 1;
    if (!rg_yaml_list(yaml, node, "pair", read_pair_name, reader))
        return false;
    if (reader->names != 2)
        return rg_yaml_fail(yaml, node, "pair: expected two links, found %d", reader->names);
    plan->pairs = rg_pool_grow(&plan->pool, plan->pairs, plan->npairs, sizeof *plan->pairs);
    plan->pairs[plan->npairs++] = reader->pair;
    return true;
}

static bool collision_exclude(RgYaml *yaml, yaml_node_t *node, void *target)
{
    ((Reader *)target)->pair = (RgPlanPair){.collide = false};
    return rg_yaml_list(yaml, node, "exclude", read_pair, target);
}

static bool collision_include(RgYaml *yaml, yaml_node_t *node, void *target)
{
    ((Reader *)target)->pair = (RgPlanPair){.collide = true};
    return rg_yaml_list(yaml, node, "include", read_pair, target);
}

static bool key_collision(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{.name = "exclude", .read = collision_exclude},
                                     {.name = "include", .read = collision_include}};
    return rg_yaml_map(yaml, node, "collision", keys, COUNT(keys), target);
}

static bool key_control(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_control_file_read(yaml, node, ((Reader *)target)->plan);
}

/* Parameters of a model are marked as such after it was read. */
static bool key_parameters(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_parameters_file_read(yaml, node, ((Reader *)target)->plan);
}

static bool key_attachments(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_attachments_file_read(yaml, node, ((Reader *)target)->plan);
}

static bool key_fields(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_fields_file_read(yaml, node, ((Reader *)target)->plan);
}

/* ------------------------------------------------------------------ models */

#define MODEL(key, type, field)                                                                                        \
    {                                                                                                                  \
        .name = (key), .typed = (type), .offset = offsetof(Reader, model.field)                                        \
    }

static bool model_base(RgYaml *yaml, yaml_node_t *node, void *target)
{
    const char *text = rg_yaml_text(yaml, node, "base");
    if (text && !rg_run_file_base(text, &((Reader *)target)->model.base))
        return rg_yaml_fail(yaml, node, "base: unknown '%.60s'; expected auto, fixed or floating", text);
    return text != NULL;
}

static bool model_self_collide(RgYaml *yaml, yaml_node_t *node, void *target)
{
    bool value;
    if (!rg_yaml_bool(yaml, node, "self_collide", &value))
        return false;
    ((Reader *)target)->model.self_collide = value ? RG_SELF_COLLIDE_ON : RG_SELF_COLLIDE_OFF;
    return true;
}

static bool read_model(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {MODEL("file", rg_yaml_key_path, file),
                                     MODEL("name", rg_yaml_key_text, name),
                                     MODEL("pose", rg_run_file_pose, X_WM),
                                     {.name = "base", .read = model_base},
                                     {.name = "self_collide", .read = model_self_collide},
                                     {.name = "parameters", .read = key_parameters},
                                     {.name = "collision", .read = key_collision},
                                     {.name = "state", .read = key_state},
                                     {.name = "control", .read = key_control}};
    Reader *reader = target;
    RgPlan *plan = reader->plan;
    RgPlanModel *model = &reader->model;
    *model = (RgPlanModel){.X_WM = rg_pose_identity(),
                           .base = RG_BASE_AUTO,
                           .line = (int)node->start_mark.line + 1,
                           .column = (int)node->start_mark.column + 1};
    int first_value = plan->nvalues, first_pair = plan->npairs, first_controller = plan->control.ncontrollers;
    int first_parameter = plan->nparameters;
    if (!rg_yaml_map(yaml, node, "model", keys, COUNT(keys), reader))
        return false;
    if (!model->file)
        return rg_yaml_fail(yaml, node, "model: 'file' is missing");

    /* Marks state, pairs, parameters and controllers as the model's; its name may come after them in the mapping. */
    for (int i = first_value; i < plan->nvalues; i++)
        plan->values[i].model = model->name;
    for (int i = first_pair; i < plan->npairs; i++)
        plan->pairs[i].model = model->name;
    for (int i = first_parameter; i < plan->nparameters; i++) {
        plan->parameters[i].level = RG_LEVEL_MODEL;
        plan->parameters[i].model = plan->nmodels;
    }
    for (int i = first_controller; i < plan->control.ncontrollers; i++) {
        plan->control.controllers[i].model = model->name;
        plan->control.controllers[i].in_model = true;
    }
    plan->models = rg_pool_grow(&plan->pool, plan->models, plan->nmodels, sizeof *plan->models);
    plan->models[plan->nmodels++] = *model;
    return true;
}

static bool key_models(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "models", read_model, target);
}

/* ------------------------------------------------------------------ settings */

/* The text of a setting with one value; NULL: the node is of another type, error filled. */
static const char *read_setting_text(RgYaml *yaml, yaml_node_t *node, const RgPlanKey *key, RgPlan *plan)
{
    const char *what = rg_plan_key_name(key->info.key), *text = NULL;
    double numbers[3];
    bool flag;
    if (rg_plan_key_is_late(key) || key->info.type >= RG_SETTING_CHOICE) {
        text = rg_yaml_text(yaml, node, what);
        return text && key->is_path ? rg_yaml_path(yaml, text) : text;
    }
    if (key->info.type == RG_SETTING_FLAG)
        return rg_yaml_bool(yaml, node, what, &flag) ? (flag ? "true" : "false") : NULL;
    if (key->info.type == RG_SETTING_VECTOR) {
        int count = rg_yaml_numbers(yaml, node, what, numbers, 3);
        if (count >= 0 && count != 3)
            rg_yaml_fail(yaml, node, "%s: expected three numbers, found %d", what, count);
        return count == 3 ? rg_pool_print(&plan->pool, "%.17g,%.17g,%.17g", numbers[0], numbers[1], numbers[2]) : NULL;
    }
    return rg_yaml_number(yaml, node, what, &numbers[0]) ? rg_yaml_text(yaml, node, what) : NULL;
}

/* Reads one setting; errors found later, when solver and stepper are known, get the place of its key. */
static bool read_setting(RgYaml *yaml, yaml_node_t *key_node, yaml_node_t *node, RgPlan *plan, const RgPlanKey *key)
{
    RgError error = {.status = RG_OK};
    bool named = key->info.type == RG_SETTING_NAME;
    const yaml_node_t *at = rg_plan_key_is_late(key) && !named ? key_node : node;
    const char *text = read_setting_text(yaml, node, key, plan);
    RgPlanSetting setting = {.key = key->info.key, .text = text, .at = rg_plan_place(at)};
    return text && (rg_plan_give(plan, setting, &error) == RG_OK ||
                    rg_yaml_fail(yaml, at, "%s: %s", rg_plan_key_name(setting.key), error.text));
}

/* A section that is being read. */
typedef struct Section {
    RgPlan *plan;
    const char *key; /* "stepper"; "": the file */
} Section;

/* Reports an unknown key, with the nearest key or all keys. */
static bool fail_unknown(RgYaml *yaml, const yaml_node_t *key_node, const Section *section, const char *name)
{
    RgNearest nearest = rg_nearest_begin(name);
    const char *all =
        rg_plan_key_list(section->plan, rg_pool_print(&section->plan->pool, "%s.", section->key), &nearest);
    int own = rg_plan_key_find(section->key);
    const char *first = own >= 0 && rg_plan_key(own).info.type == RG_SETTING_NAME ? "name, " : "";
    return nearest.best ? rg_yaml_fail(yaml, key_node, "%s: unknown key '%.60s'; did you mean '%s'?", section->key,
                                       name, nearest.best)
                        : rg_yaml_fail(yaml, key_node, "%s: unknown key '%.60s'; expected one of %s%s", section->key,
                                       name, first, all);
}

static bool read_section(RgYaml *yaml, yaml_node_t *key_node, yaml_node_t *node, const Section *section);

static bool read_section_key(RgYaml *yaml, yaml_node_t *key_node, yaml_node_t *node, void *target)
{
    const Section *above = target;
    const char *name = (const char *)key_node->data.scalar.value;
    Section section = {.plan = above->plan,
                       .key = rg_pool_print(&above->plan->pool, "%s%s%s", above->key, above->key[0] ? "." : "", name)};
    if (strchr(name, '.') || (rg_plan_key_find(section.key) < 0 && !rg_plan_key_has_below(section.key)))
        return fail_unknown(yaml, key_node, above, name);
    return read_section(yaml, key_node, node, &section);
}

/* Reads a setting, or a mapping of settings; a flag with settings below it is true if any of them is given. */
static bool read_section(RgYaml *yaml, yaml_node_t *key_node, yaml_node_t *node, const Section *section)
{
    int i = rg_plan_key_find(section->key);
    RgPlanKey key = i >= 0 ? rg_plan_key(i) : (RgPlanKey){.setting = -1};
    if (i >= 0 && !(node->type == YAML_MAPPING_NODE && rg_plan_key_has_below(section->key)))
        return read_setting(yaml, key_node, node, section->plan, &key);
    RgError error;
    RgPlanSetting on = {.key = section->key, .text = "true", .at = rg_plan_place(node)};
    if (i >= 0 && key.info.type == RG_SETTING_FLAG && rg_plan_give(section->plan, on, &error) != RG_OK)
        return false;
    return rg_yaml_each(yaml, node, section->key, read_section_key, &(Section){section->plan, section->key});
}

/* Checks settings that depend on each other. */
static bool check_settings(RgYaml *yaml, const RgPlan *plan)
{
    const RgPlanSetting *every = rg_plan_given(plan, "outputs.every"), *rate = rg_plan_given(plan, "outputs.rate");
    const RgPlanSetting *dump = rg_plan_given(plan, "outputs.dump.file"), *ratio = rg_plan_given(plan, "gears.ratio");
    const RgPlanSetting *inertia = rg_plan_given(plan, "gears.inertia"), *bad = NULL;
    const char *wrong = NULL;
    if (every && rate) {
        bad = rate;
        wrong = "outputs: 'every' and 'rate' say the same: give one of them";
    } else if (dump && plan->dump_step == 0) {
        bad = dump;
        wrong = "dump: 'step' is missing";
    } else if (ratio && plan->gear_ratio == 0.0) {
        bad = ratio;
        wrong = "ratio: must not be 0";
    } else if (!ratio != !inertia) {
        bad = ratio ? ratio : inertia;
        wrong = "gears: 'ratio' and 'inertia' are both needed";
    }
    if (!bad)
        return true;
    rg_error_set(yaml->error, RG_ERR_SYNTAX, yaml->file, "%s", wrong);
    yaml->error->line = bad->at.line;
    yaml->error->column = bad->at.column;
    return false;
}

/* ------------------------------------------------------------------ the file */

static bool key_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    plan->name = copy_text(plan, rg_yaml_text(yaml, node, "name"));
    return plan->name != NULL;
}

static bool read_search(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    plan->search = rg_pool_grow(&plan->pool, plan->search, plan->nsearch, sizeof *plan->search);
    return rg_yaml_key_path(yaml, node, &(RgYamlKey){.name = "search"}, &plan->search[plan->nsearch++]);
}

static bool key_search(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "search", read_search, target);
}

/* Models of a run file must have different names, since names of links have them as a prefix. */
static bool check_names(RgYaml *yaml, const RgPlan *plan)
{
    for (int i = 1; i < plan->nmodels; i++) {
        const RgPlanModel *model = &plan->models[i];
        for (int k = 0; k < i; k++) {
            const RgPlanModel *other = &plan->models[k];
            bool both = model->name && other->name, none = !model->name && !other->name;
            if (!(both && strcmp(model->name, other->name) == 0) && !(none && strcmp(model->file, other->file) == 0))
                continue;
            rg_error_set(yaml->error, RG_ERR_SYNTAX, plan->path,
                         "model %d has the name of model %d: give each model another 'name'", i + 1, k + 1);
            yaml->error->line = model->line;
            yaml->error->column = model->column;
            return false;
        }
    }
    return true;
}

/* Several models without a common name get that of the run file, without folder and ending. */
static void name_by_file(RgPlan *plan)
{
    const char *slash = strrchr(plan->path, '/'), *base = slash ? slash + 1 : plan->path;
    const char *dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    plan->name = rg_pool_print(&plan->pool, "%.*s", length, base);
}

/* A file that is neither XML nor named .yaml may not be meant as a run file: lists the kinds of files. */
static void add_expectation(const RgPlan *plan, RgError *error)
{
    const char *dot = strrchr(plan->path, '.');
    bool is_yaml = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    size_t used = strlen(error->text);
    if (!is_yaml && !strstr(error->text, "expected URDF"))
        snprintf(error->text + used, sizeof error->text - used, "; expected URDF, SDF or a YAML run file");
}

/* A key of the file: one with a reader of its own, or a setting. */
static bool read_root_key(RgYaml *yaml, yaml_node_t *key_node, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{.name = "name", .read = key_name},
                                     {.name = "models", .read = key_models},
                                     {.name = "search", .read = key_search},
                                     {.name = "state", .read = key_state},
                                     {.name = "collision", .read = key_collision},
                                     {.name = "control", .read = key_control},
                                     {.name = "parameters", .read = key_parameters},
                                     {.name = "fields", .read = key_fields},
                                     {.name = "attachments", .read = key_attachments}};
    Reader *reader = target;
    const char *name = (const char *)key_node->data.scalar.value;
    RgNearest nearest = rg_nearest_begin(name);
    Section section = {.plan = reader->plan, .key = name};
    for (int i = 0; i < COUNT(keys); i++) {
        if (strcmp(keys[i].name, name) == 0)
            return keys[i].read(yaml, node, target);
        rg_nearest_offer(&nearest, keys[i].name);
    }
    if (!strchr(name, '.') && (rg_plan_key_find(name) >= 0 || rg_plan_key_has_below(name)))
        return read_section(yaml, key_node, node, &section);
    rg_plan_key_list(reader->plan, "", &nearest);
    return nearest.best
               ? rg_yaml_fail(yaml, key_node, "run file: unknown key '%.60s'; did you mean '%s'?", name, nearest.best)
               : rg_yaml_fail(yaml, key_node, "run file: unknown key '%.60s'; models/README.md lists the keys", name);
}

RgStatus rg_run_file_read(RgPlan *plan, const char *data, size_t size, const RgPlanEdit *edit, RgError *error)
{
    RgYaml yaml;
    if (!rg_yaml_open(&yaml, plan->path, data, size, error)) {
        add_expectation(plan, error);
        return error->status;
    }
    if (edit && !edit->change(&yaml, edit->context)) {
        rg_yaml_close(&yaml);
        return error->status;
    }
    Reader reader = {.plan = plan};
    yaml.pool = &plan->pool;
    yaml_node_t *root = yaml_document_get_root_node(&yaml.document);
    bool good = rg_yaml_each(&yaml, root, "run file", read_root_key, &reader);
    good = good && check_settings(&yaml, plan);
    if (good && plan->nmodels == 0)
        good = rg_yaml_fail(&yaml, root, "run file: 'models' is missing or empty");
    good = good && check_names(&yaml, plan);
    if (!good && root->type != YAML_MAPPING_NODE)
        add_expectation(plan, error);
    if (!plan->name && plan->nmodels > 1)
        name_by_file(plan);
    rg_yaml_close(&yaml);
    return good ? RG_OK : error->status;
}
