/*
 * run_file.c - the YAML run file.
 *
 *   name: TEXT
 *   models:                     # at least one
 *     - file: PATH              # URDF or SDF, relative to the run file
 *       name: TEXT              # name of the robot instead of the file's own
 *       pose: [x, y, z]         # or {xyz: [x, y, z], rpy: [roll, pitch, yaw]}, m and rad
 *       base: auto|fixed|floating
 *       self_collide: BOOL      # may its links touch each other? instead of what the file says
 *       parameters: {...}       # as below, names within this model
 *       collision: {...}        # as below, names within this model
 *       state: {...}            # as below, names within this model
 *       control: {...}          # as below, names within this model
 *   search: [DIR, ...]
 *   gravity: [x, y, z]          # m/s^2
 *   coords: minimal|maximal
 *   stepper: NAME               # or {name, step, dissipation, implicit_damping, tolerance, stabilise, ...}: plan_stepper.c
 *   contact: BOOL               # false: bodies pass through each other
 *   solver: NAME                # or {name, preset, iterations, tolerance, budget, ...}: plan_solver.c
 *   limits: {position: BOOL, velocity: BOOL}    # of joints: true, false
 *   sleeping: BOOL              # or {speed, time}: what has come to rest is frozen
 *   threads: N                  # that share the work of a step
 *   duration: s
 *   parameters: {links: {NAME: {mass: kg, ...}}, joints: ..., shapes: ..., couplings: ...}    # parameters_file.c
 *   gears: {ratio: R, inertia: kg m^2}    # a rotor behind a gear of its own beside every hinge
 *   collision:                  # pairs of links, "world" for the world
 *     exclude: [[NAME, NAME], ...]    # never touch
 *     include: [[NAME, NAME], ...]    # may touch, whatever the files say
 *   state:                      # at the start
 *     joints: {NAME: q or [q, ...]}
 *     rates: {NAME: v or [v, ...]}
 *     efforts: {NAME: tau or [tau, ...]}
 *     motors: {NAME: [velocity, max_effort]}
 *     servos: {NAME: [position, max_effort]}    # or [position, max_effort, max_velocity, rate]
 *   attachments: [{name, type, parent, child, attach, detach, ...}]    # joints made at run time: attachments_file.c
 *   fields: [{box: [x, y, z], linear: 1/s, ...}]    # damping fields: attachments_file.c
 *   control: {rate: Hz, delay: s, start: BOOL, controllers: [...]}    # control_file.c
 *   outputs: {record: PATH, csv: PATH, json: PATH, every: STEPS}    # or rate: Hz in place of every; also report, plots,
 *                               # events, certificate: PATH, dump: {step: N, file: PATH}, contacts: BOOL, quiet: BOOL
 *
 * A map of keys is a table here: one line a key. All paths are relative to the run file's folder.
 */
#include "plan/run_file.h"

#include "io/error.h"
#include "io/options.h"
#include "plan/attachments_file.h"
#include "plan/control_file.h"
#include "plan/parameters_file.h"
#include "plan/plan_solver.h"
#include "plan/plan_stepper.h"
#include "plan/run_values.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

/* The plan, and the parts of it that are being read. */
typedef struct Reader {
    RgPlan *plan;
    RgPlanModel *model;
    RgQuantity quantity;
    RgPlanPair pair; /* links so far in names */
    int names;
} Reader;

/* ------------------------------------------------------------------ words and paths */

static const char *copy_text(RgPlan *plan, const char *text)
{
    return text ? rg_pool_print(&plan->pool, "%s", text) : NULL;
}

static bool read_path(RgYaml *yaml, yaml_node_t *node, const char *what, RgPlan *plan, const char **out)
{
    const char *text = rg_yaml_text(yaml, node, what);
    if (text)
        *out = rg_run_file_path(plan, text);
    return text != NULL;
}

static bool read_range(RgYaml *yaml, yaml_node_t *node, const char *what, double low, double high, double *out)
{
    if (!rg_yaml_number(yaml, node, what, out))
        return false;
    if (*out < low || *out > high)
        return rg_yaml_fail(yaml, node, "%s: %g is not between %g and %g", what, *out, low, high);
    return true;
}

static bool read_whole(RgYaml *yaml, yaml_node_t *node, const char *what, double high, int *out)
{
    double number;
    if (!read_range(yaml, node, what, 1, high, &number))
        return false;
    if (number != floor(number))
        return rg_yaml_fail(yaml, node, "%s: expected a whole number", what);
    *out = (int)number;
    return true;
}

/* A word out of a list that the library keeps, such as the steppers. */
typedef struct NameList {
    int (*count)(void);
    const char *(*name)(int index);
} NameList;
static const NameList stepper_names = {rg_stepper_count, rg_stepper_name};
static const NameList coords_names = {rg_coords_count, rg_coords_name};

static bool read_listed(RgYaml *yaml, yaml_node_t *node, const char *what, const NameList *list, const char **out)
{
    const char *text = rg_yaml_text(yaml, node, what);
    char all[256] = "";
    for (int i = 0; text && i < list->count(); i++) {
        if (strcmp(text, list->name(i)) == 0) {
            *out = list->name(i);
            return true;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", list->name(i));
    }
    return text ? rg_yaml_fail(yaml, node, "%s: unknown '%.60s'; expected one of %s", what, text, all) : false;
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
    static const RgYamlKey keys[] = {{"joints", state_joints},
                                     {"rates", state_rates},
                                     {"efforts", state_efforts},
                                     {"motors", state_motors},
                                     {"servos", state_servos}};
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
    static const RgYamlKey keys[] = {{"exclude", collision_exclude}, {"include", collision_include}};
    return rg_yaml_map(yaml, node, "collision", keys, COUNT(keys), target);
}

static bool key_control(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_control_file_read(yaml, node, ((Reader *)target)->plan);
}

/* Those in a model are marked when it has been read. */
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

static bool model_pose(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_run_file_pose(yaml, node, "pose", &((Reader *)target)->model->X_WM);
}

static bool model_file(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    return read_path(yaml, node, "file", reader->plan, &reader->model->file);
}

static bool model_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    Reader *reader = target;
    reader->model->name = copy_text(reader->plan, rg_yaml_text(yaml, node, "name"));
    return reader->model->name != NULL;
}

static bool model_base(RgYaml *yaml, yaml_node_t *node, void *target)
{
    const char *text = rg_yaml_text(yaml, node, "base");
    if (text && !rg_run_file_base(text, &((Reader *)target)->model->base))
        return rg_yaml_fail(yaml, node, "base: unknown '%.60s'; expected auto, fixed or floating", text);
    return text != NULL;
}

static bool model_self_collide(RgYaml *yaml, yaml_node_t *node, void *target)
{
    bool value;
    if (!rg_yaml_bool(yaml, node, "self_collide", &value))
        return false;
    ((Reader *)target)->model->self_collide = value ? RG_SELF_COLLIDE_ON : RG_SELF_COLLIDE_OFF;
    return true;
}

static bool read_model(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"file", model_file},
                                     {"name", model_name},
                                     {"pose", model_pose},
                                     {"base", model_base},
                                     {"self_collide", model_self_collide},
                                     {"parameters", key_parameters},
                                     {"collision", key_collision},
                                     {"state", key_state},
                                     {"control", key_control}};
    Reader *reader = target;
    RgPlan *plan = reader->plan;
    RgPlanModel model = {.X_WM = rg_pose_identity(),
                         .base = RG_BASE_AUTO,
                         .line = (int)node->start_mark.line + 1,
                         .column = (int)node->start_mark.column + 1};
    int first_value = plan->nvalues, first_pair = plan->npairs, first_controller = plan->control.ncontrollers;
    int first_parameter = plan->nparameters;
    reader->model = &model;
    if (!rg_yaml_map(yaml, node, "model", keys, COUNT(keys), reader))
        return false;
    if (!model.file)
        return rg_yaml_fail(yaml, node, "model: 'file' is missing");

    /* State, pairs, parameters and controllers in a model speak of that model, wherever its name stood. */
    for (int i = first_value; i < plan->nvalues; i++)
        plan->values[i].model = model.name;
    for (int i = first_pair; i < plan->npairs; i++)
        plan->pairs[i].model = model.name;
    for (int i = first_parameter; i < plan->nparameters; i++) {
        plan->parameters[i].level = RG_LEVEL_MODEL;
        plan->parameters[i].model = plan->nmodels;
    }
    for (int i = first_controller; i < plan->control.ncontrollers; i++) {
        plan->control.controllers[i].model = model.name;
        plan->control.controllers[i].in_model = true;
    }
    plan->models = rg_pool_grow(&plan->pool, plan->models, plan->nmodels, sizeof *plan->models);
    plan->models[plan->nmodels++] = model;
    return true;
}

static bool key_models(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "models", read_model, target);
}

/* ------------------------------------------------------------------ stepper */

static bool stepper_name(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_listed(yaml, node, "stepper", &stepper_names, &((Reader *)target)->plan->stepper);
}

static bool stepper_step(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "step", RG_PLAN_STEP_MIN, RG_PLAN_STEP_MAX, &((Reader *)target)->plan->step);
}

static bool stepper_dissipation(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "dissipation", 0, 1, &((Reader *)target)->plan->dissipation);
}

static bool stepper_tolerance(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "tolerance", RG_PLAN_TOLERANCE_MIN, 1, &((Reader *)target)->plan->tolerance);
}

static bool stepper_implicit_damping(RgYaml *yaml, yaml_node_t *node, void *target)
{
    bool value;
    if (!rg_yaml_bool(yaml, node, "implicit_damping", &value))
        return false;
    ((Reader *)target)->plan->implicit_damping = value;
    return true;
}

static bool stepper_stabilise(RgYaml *yaml, yaml_node_t *node, void *target)
{
    const char *text = rg_yaml_text(yaml, node, "stabilise");
    if (text && !rg_run_file_stabilise(text, &((Reader *)target)->plan->stabilise))
        return rg_yaml_fail(yaml, node, "stabilise: unknown '%.60s'; expected project or none", text);
    return text != NULL;
}

static RgPlanSetting setting_at(RgPlan *plan, const char *name, const char *text, const yaml_node_t *node)
{
    return (RgPlanSetting){.name = copy_text(plan, name),
                           .text = copy_text(plan, text),
                           .line = (int)node->start_mark.line + 1,
                           .column = (int)node->start_mark.column + 1};
}

/* Keys of every stepper; else a setting of those that choose their own steps. */
static bool read_stepper_key(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"name", stepper_name},
                                     {"step", stepper_step},
                                     {"dissipation", stepper_dissipation},
                                     {"implicit_damping", stepper_implicit_damping},
                                     {"tolerance", stepper_tolerance},
                                     {"stabilise", stepper_stabilise}};
    RgPlan *plan = ((Reader *)target)->plan;
    const char *name = (const char *)key->data.scalar.value, *all = "";
    RgNearest nearest = rg_nearest_begin(name);
    for (int i = 0; i < COUNT(keys); i++) {
        if (strcmp(keys[i].name, name) == 0)
            return keys[i].read(yaml, node, target);
        rg_nearest_offer(&nearest, keys[i].name);
        all = rg_pool_print(&plan->pool, "%s%s%s", all, i ? ", " : "", keys[i].name);
    }
    if (rg_plan_has_stepper_setting(name)) {
        const char *text = rg_yaml_text(yaml, node, name);
        if (text)
            rg_plan_add_stepper_setting(plan, setting_at(plan, name, text, key));
        return text != NULL;
    }
    for (int i = 0; rg_plan_stepper_setting(i); i++) {
        rg_nearest_offer(&nearest, rg_plan_stepper_setting(i));
        all = rg_pool_print(&plan->pool, "%s, %s", all, rg_plan_stepper_setting(i));
    }
    return nearest.best
               ? rg_yaml_fail(yaml, key, "stepper: unknown key '%.60s'; did you mean '%s'?", name, nearest.best)
               : rg_yaml_fail(yaml, key, "stepper: unknown key '%.60s'; expected one of %s", name, all);
}

static bool key_stepper(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return node->type == YAML_MAPPING_NODE ? rg_yaml_each(yaml, node, "stepper", read_stepper_key, target)
                                           : stepper_name(yaml, node, target);
}

/* ------------------------------------------------------------------ solver */

static bool read_setting(RgYaml *yaml, yaml_node_t *key, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    const char *name = (const char *)key->data.scalar.value;
    const char *text = rg_yaml_text(yaml, node, name);
    if (!text)
        return false;
    if (strcmp(name, "name") == 0)
        plan->solver = setting_at(plan, name, text, node);
    else
        rg_plan_add_setting(plan, setting_at(plan, name, text, key));
    return true;
}

static bool key_solver(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    if (node->type == YAML_MAPPING_NODE)
        return rg_yaml_each(yaml, node, "solver", read_setting, target);
    const char *text = rg_yaml_text(yaml, node, "solver");
    plan->solver = setting_at(plan, "name", text, node);
    return text != NULL;
}

static bool read_flag(RgYaml *yaml, yaml_node_t *node, const char *what, int *out)
{
    bool value;
    if (!rg_yaml_bool(yaml, node, what, &value))
        return false;
    *out = value;
    return true;
}

static bool key_contact(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_flag(yaml, node, "contact", &((Reader *)target)->plan->contact);
}

static bool limits_position(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_flag(yaml, node, "position", &((Reader *)target)->plan->limits);
}

static bool limits_velocity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_flag(yaml, node, "velocity", &((Reader *)target)->plan->velocity_limits);
}

static bool key_limits(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"position", limits_position}, {"velocity", limits_velocity}};
    return rg_yaml_map(yaml, node, "limits", keys, COUNT(keys), target);
}

static bool sleeping_speed(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "speed", 0, 1e6, &((Reader *)target)->plan->sleep_speed);
}

static bool sleeping_time(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "time", 0, RG_PLAN_DURATION_MAX, &((Reader *)target)->plan->sleep_time);
}

static bool key_sleeping(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"speed", sleeping_speed}, {"time", sleeping_time}};
    RgPlan *plan = ((Reader *)target)->plan;
    if (node->type != YAML_MAPPING_NODE)
        return read_flag(yaml, node, "sleeping", &plan->sleeping);
    plan->sleeping = 1;
    return rg_yaml_map(yaml, node, "sleeping", keys, COUNT(keys), target);
}

static bool key_threads(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_whole(yaml, node, "threads", RG_PLAN_THREADS_MAX, &((Reader *)target)->plan->threads);
}

/* ------------------------------------------------------------------ gears */

static bool gears_ratio(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *ratio = &((Reader *)target)->plan->gear_ratio;
    if (!rg_yaml_number(yaml, node, "ratio", ratio))
        return false;
    return *ratio != 0.0 || rg_yaml_fail(yaml, node, "ratio: must not be 0");
}

static bool gears_inertia(RgYaml *yaml, yaml_node_t *node, void *target)
{
    double *inertia = &((Reader *)target)->plan->gear_inertia;
    if (!rg_yaml_number(yaml, node, "inertia", inertia))
        return false;
    return *inertia > 0.0 || rg_yaml_fail(yaml, node, "inertia: expected kg m^2 above 0, found %g", *inertia);
}

static bool key_gears(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"ratio", gears_ratio}, {"inertia", gears_inertia}};
    const RgPlan *plan = ((Reader *)target)->plan;
    if (!rg_yaml_map(yaml, node, "gears", keys, COUNT(keys), target))
        return false;
    if (plan->gear_ratio == 0.0 || plan->gear_inertia == 0.0)
        return rg_yaml_fail(yaml, node, "gears: 'ratio' and 'inertia' are both needed");
    return true;
}

/* ------------------------------------------------------------------ outputs */

static bool output_record(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    return read_path(yaml, node, "record", plan, &plan->record);
}

static bool output_csv(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    return read_path(yaml, node, "csv", plan, &plan->csv);
}

static bool output_json(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    return read_path(yaml, node, "json", plan, &plan->json);
}

static bool output_report(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    return read_path(yaml, node, "report", plan, &plan->report);
}

static bool output_plots(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    return read_path(yaml, node, "plots", plan, &plan->plots);
}

static bool output_events(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    return read_path(yaml, node, "events", plan, &plan->events);
}

static bool output_certificate(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    return read_path(yaml, node, "certificate", plan, &plan->certificate);
}

static bool dump_step(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_whole(yaml, node, "step", INT_MAX, &((Reader *)target)->plan->dump_step);
}

static bool dump_file(RgYaml *yaml, yaml_node_t *node, void *target)
{
    RgPlan *plan = ((Reader *)target)->plan;
    return read_path(yaml, node, "file", plan, &plan->dump);
}

static bool output_dump(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"step", dump_step}, {"file", dump_file}};
    if (!rg_yaml_map(yaml, node, "dump", keys, COUNT(keys), target))
        return false;
    return ((Reader *)target)->plan->dump_step > 0 || rg_yaml_fail(yaml, node, "dump: 'step' is missing");
}

static bool output_contacts(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_bool(yaml, node, "contacts", &((Reader *)target)->plan->list_contacts);
}

static bool output_quiet(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_bool(yaml, node, "quiet", &((Reader *)target)->plan->quiet_in_file);
}

static bool output_every(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_whole(yaml, node, "every", RG_PLAN_EVERY_MAX, &((Reader *)target)->plan->every);
}

static bool output_rate(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "rate", RG_PLAN_RATE_MIN, RG_PLAN_RATE_MAX, &((Reader *)target)->plan->record_rate);
}

static bool key_outputs(RgYaml *yaml, yaml_node_t *node, void *target)
{
    static const RgYamlKey keys[] = {{"record", output_record},
                                     {"csv", output_csv},
                                     {"json", output_json},
                                     {"report", output_report},
                                     {"plots", output_plots},
                                     {"events", output_events},
                                     {"certificate", output_certificate},
                                     {"dump", output_dump},
                                     {"every", output_every},
                                     {"rate", output_rate},
                                     {"contacts", output_contacts},
                                     {"quiet", output_quiet}};
    const RgPlan *plan = ((Reader *)target)->plan;
    if (!rg_yaml_map(yaml, node, "outputs", keys, COUNT(keys), target))
        return false;
    if (plan->every > 0 && !isnan(plan->record_rate))
        return rg_yaml_fail(yaml, node, "outputs: 'every' and 'rate' say the same: give one of them");
    return true;
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
    return read_path(yaml, node, "search", plan, &plan->search[plan->nsearch++]);
}

static bool key_search(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_yaml_list(yaml, node, "search", read_search, target);
}

static bool key_gravity(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return rg_run_file_vector(yaml, node, "gravity", &((Reader *)target)->plan->gravity);
}

static bool key_coords(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_listed(yaml, node, "coords", &coords_names, &((Reader *)target)->plan->coords);
}

static bool key_duration(RgYaml *yaml, yaml_node_t *node, void *target)
{
    return read_range(yaml, node, "duration", 0, RG_PLAN_DURATION_MAX, &((Reader *)target)->plan->duration);
}

/* Two robots of one name would collide link by link: say so here, where it can be mended. */
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
                         "model %d is called like model %d: give each model a 'name' of its own", i + 1, k + 1);
            yaml->error->line = model->line;
            yaml->error->column = model->column;
            return false;
        }
    }
    return true;
}

/* Several models without a common name are called like the run file, without folder and ending. */
static void name_by_file(RgPlan *plan)
{
    const char *slash = strrchr(plan->path, '/'), *base = slash ? slash + 1 : plan->path;
    const char *dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    plan->name = rg_pool_print(&plan->pool, "%.*s", length, base);
}

/* A file that is neither XML nor called YAML may not be meant as a run file at all. */
static void add_expectation(const RgPlan *plan, RgError *error)
{
    const char *dot = strrchr(plan->path, '.');
    bool is_yaml = dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    size_t used = strlen(error->text);
    if (!is_yaml && !strstr(error->text, "expected URDF"))
        snprintf(error->text + used, sizeof error->text - used, "; expected URDF, SDF or a YAML run file");
}

RgStatus rg_run_file_read(RgPlan *plan, const char *data, size_t size, const RgPlanEdit *edit, RgError *error)
{
    static const RgYamlKey keys[] = {{"name", key_name},
                                     {"models", key_models},
                                     {"search", key_search},
                                     {"gravity", key_gravity},
                                     {"coords", key_coords},
                                     {"stepper", key_stepper},
                                     {"duration", key_duration},
                                     {"state", key_state},
                                     {"outputs", key_outputs},
                                     {"collision", key_collision},
                                     {"contact", key_contact},
                                     {"solver", key_solver},
                                     {"threads", key_threads},
                                     {"limits", key_limits},
                                     {"sleeping", key_sleeping},
                                     {"control", key_control},
                                     {"parameters", key_parameters},
                                     {"gears", key_gears},
                                     {"fields", key_fields},
                                     {"attachments", key_attachments}};
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
    yaml_node_t *root = yaml_document_get_root_node(&yaml.document);
    bool good = rg_yaml_map(&yaml, root, "run file", keys, COUNT(keys), &reader);
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
