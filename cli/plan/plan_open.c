/*
 * plan_open.c - from FILE to a model: kind of file, reading and compiling its models.
 *
 * A file whose first letter is '<' is XML, for the library's readers; any other is a YAML run file. The file is read
 * once, so that pipes work like files.
 *
 * Fails on files that cannot be read, are empty or larger than FILE_BYTES_MAX, and on errors of the readers.
 */
#include "plan/plan_open.h"

#include "io/command.h"
#include "io/error.h"
#include "io/options.h"
#include "io/read_input.h"
#include "plan/control_file.h"
#include "plan/parameters.h"
#include "plan/run_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_RANGE 0.1 /* rad: hinges with a smaller range count as welds and get no gear */
#define ROTOR_MASS 1e-6 /* kg: negligible, only the rotor's inertia counts */

static bool looks_like_xml(const char *data, size_t size)
{
    size_t at = size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (at < size && strchr(" \t\r\n", data[at]) && data[at] != '\0')
        at++;
    return at < size && data[at] == '<';
}

static const RgPose pose_identity = {.R = {.m = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

/* A model file as a run file of this model. */
static RgStatus open_model_alone(RgPlan *plan, const RgPlanEdit *edit, RgError *error)
{
    const char *slash = strrchr(plan->path, '/'), *name = slash ? slash + 1 : plan->path;
    size_t room = 2 * strlen(name) + 1;
    char *quoted = rg_pool_take(&plan->pool, room, 1), *to = quoted;
    for (; *name; name++) {
        if (*name == '\'')
            *to++ = '\'';
        *to++ = *name;
    }
    const char *text = rg_pool_print(&plan->pool, "models: [{file: '%s'}]\n", quoted);
    return rg_run_file_read(plan, text, strlen(text), edit, error);
}

RgStatus rg_plan_open(RgPlan *plan, const char *path, RgError *error)
{
    return rg_plan_open_edited(plan, path, NULL, error);
}

RgStatus rg_plan_open_edited(RgPlan *plan, const char *path, const RgPlanEdit *edit, RgError *error)
{
    *plan = (RgPlan){.path = strcmp(path, "-") == 0 ? "stdin" : path,
                     .from_stdin = strcmp(path, "-") == 0,
                     .step = NAN,
                     .duration = NAN,
                     .control = rg_plan_control_none(),
                     .record_rate = NAN};
    char *data = NULL;
    size_t size = 0;
    RgStatus status = rg_read_whole(&plan->pool, path, &data, &size, error);
    if (status != RG_OK)
        return status;
    if (!looks_like_xml(data, size))
        return rg_run_file_read(plan, data, size, edit, error);
    if (edit)
        return open_model_alone(plan, edit, error);

    plan->models = rg_pool_take(&plan->pool, 1, sizeof *plan->models);
    plan->models[0] =
        (RgPlanModel){.file = plan->path, .X_WM = pose_identity, .base = RG_BASE_AUTO, .data = data, .size = size};
    plan->nmodels = 1;
    return RG_OK;
}

/* Replaces the only model of a run file. */
static bool apply_model(RgPlan *plan, const RgOptions *options)
{
    const char *file = rg_options_value(options, "model");
    if (!file)
        return true;
    if (plan->nmodels != 1 || plan->models[0].line == 0)
        return rg_options_complain(options, "--model: for run files with one model");
    plan->models[0].file = file;
    plan->models[0].line = 0;
    return true;
}

bool rg_plan_apply_load_options(RgPlan *plan, const RgOptions *options)
{
    if (!apply_model(plan, options))
        return false;
    /* Folders of the command line come after those of the run file; --base applies to every model. */
    for (int i = 0; i < options->ngiven; i++) {
        if (strcmp(options->given[i].spec->name, "search") != 0)
            continue;
        plan->search = rg_pool_grow(&plan->pool, plan->search, plan->nsearch, sizeof *plan->search);
        plan->search[plan->nsearch++] = options->given[i].value;
    }
    if (!rg_parameter_apply_options(plan, options))
        return false;
    const char *base = rg_options_value(options, "base");
    RgBase value;
    if (!base)
        return true;
    if (!rg_run_file_base(base, &value))
        return rg_options_complain(options, "--base: '%s' is not auto, fixed or floating", base);
    for (int i = 0; i < plan->nmodels; i++)
        plan->models[i].base = value;
    return true;
}

void rg_plan_drop_outputs(RgPlan *plan)
{
    plan->record = plan->csv = plan->json = plan->report = plan->plots = NULL;
    plan->events = plan->certificate = plan->dump = NULL;
    plan->dump_step = 0;
    plan->list_contacts = plan->quiet_in_file = false;
}

static void add_remark(const char *file, int line, const char *text, void *context)
{
    rg_plan_add_remark(context, file, line, text);
}

static RgStatus read_model(const RgPlan *plan, const RgPlanModel *model, RgBuilder *builder, RgError *error)
{
    RgReadOptions options = rg_read_options_default();
    options.search = plan->search;
    options.nsearch = plan->nsearch;
    options.base = model->base;
    options.X_WM = model->X_WM;
    options.group = model->name;
    options.self_collide = model->self_collide;
    if (model->data)
        return rg_read_memory(builder, model->file, model->data, model->size, &options, error);
    RgStatus status = rg_read_file(builder, model->file, &options, error);

    /* The error of a model that cannot be opened, or has the name of an earlier one, gets its place in the run file. */
    bool missing = status == RG_ERR_FILE && error->line == 0;
    bool collides = model > plan->models && !model->name && strncmp(error->text, "a second ", 9) == 0;
    if (status != RG_OK && model->line > 0 && (missing || collides)) {
        char inner[sizeof error->text];
        snprintf(inner, sizeof inner, "%s", error->text);
        rg_error_set(error, status, plan->path, "model '%s': %s%s", model->file, inner,
                     collides ? ": give each model another 'name'" : "");
        error->line = model->line;
        error->column = model->column;
    }
    return status;
}

/* Adds a rotor behind a gear beside a hinge that can turn. A hinge that closes a loop has no child link for the gear: it
   is skipped with a remark. */
static RgStatus add_gear(RgPlan *plan, RgBuilder *builder, const RgModel *plain, RgJointId id)
{
    const RgJointDef *joint = rg_builder_joint(builder, id);
    bool turns = joint->type == RG_JOINT_revolute || joint->type == RG_JOINT_continuous;
    if (!turns || joint->dof[0].upper - joint->dof[0].lower < LEAST_RANGE)
        return RG_OK;
    if (rg_model_joint(plain, id).is_loop) {
        char text[200];
        snprintf(text, sizeof text, "gears: joint '%.100s' closes a loop and has no child link: it gets no gear",
                 joint->name);
        rg_plan_add_remark(plan, NULL, 0, text);
        return RG_OK;
    }
    RgGearDef gear = rg_gear_def_default();
    gear.joint = id;
    gear.place = RG_GEAR_BESIDE;
    gear.ratio = plan->gear_ratio;
    gear.inertia.mass = ROTOR_MASS;
    gear.inertia.I = (RgSym3){.xx = plan->gear_inertia, .yy = plan->gear_inertia, .zz = plan->gear_inertia};
    return rg_builder_add_gear(builder, &gear).i != 0 ? RG_OK : rg_builder_error(builder)->status;
}

/* Adds gears; the model without gears shows which joints close loops. */
static RgStatus add_gears(RgPlan *plan, RgBuilder *builder, RgError *error)
{
    if (plan->gear_ratio == 0.0)
        return RG_OK;
    int said = plan->nremarks;
    RgModel *plain = rg_builder_finish(builder, error);
    plan->nremarks = said;
    RgStatus status = plain ? RG_OK : error->status;
    int32_t joints = rg_builder_info(builder).joints;
    for (int32_t i = 1; i <= joints && status == RG_OK; i++)
        if ((status = add_gear(plan, builder, plain, (RgJointId){i})) != RG_OK)
            *error = *rg_builder_error(builder);
    rg_model_destroy(plain);
    return status;
}

RgModel *rg_plan_load(RgPlan *plan, RgError *error)
{
    RgLog log = {.write = add_remark, .context = plan};
    RgBuilder *builder = rg_builder_create(NULL, &log);
    if (!builder) {
        rg_error_set(error, RG_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    RgStatus status = RG_OK;
    for (int i = 0; i < plan->nmodels && status == RG_OK; i++) {
        status = read_model(plan, &plan->models[i], builder, error);
        plan->models[i].end = rg_builder_info(builder);
    }
    if (status == RG_OK)
        status = rg_plan_change_model(plan, builder, error);
    if (status == RG_OK)
        status = add_gears(plan, builder, error);
    RgModel *model = NULL;
    if (status == RG_OK) {
        if (plan->name)
            rg_builder_set_name(builder, plan->name);
        model = rg_builder_finish(builder, error);
    }

    /* Pairs need the names of links, hence a first model; the second gives no new remarks. */
    if (model && plan->npairs > 0) {
        int said = plan->nremarks;
        status = rg_plan_add_pairs(plan, model, builder, error);
        rg_model_destroy(model);
        model = status == RG_OK ? rg_builder_finish(builder, error) : NULL;
        plan->nremarks = said;
    }
    rg_builder_destroy(builder);
    return model;
}

RgModel *rg_plan_prepare(RgPlan *plan, const RgOptions *options, int *exit_code)
{
    RgError error = {0};
    *exit_code = RG_EXIT_USAGE;
    if (rg_plan_open(plan, options->file, &error) != RG_OK) {
        rg_error_print(&error);
        return NULL;
    }
    if (!rg_plan_apply_load_options(plan, options))
        return NULL;
    plan->quiet = rg_options_has(options, "quiet");
    RgModel *model = rg_plan_load(plan, &error);
    if (!plan->quiet)
        rg_plan_print_remarks(plan);
    if (!model)
        rg_error_print(&error);
    else
        *exit_code = RG_EXIT_OK;
    return model;
}
