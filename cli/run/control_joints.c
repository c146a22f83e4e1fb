/*
 * control_joints.c - resolves the joint names of a controller and assigns numbers to the joints.
 *
 * Numbers (gains, limits, amplitudes, positions of knots) are one for all joints of a controller, or one per joint in
 * order, or by name, then for every joint. An axis of a joint with several is NAME[k], as in recordings. "all" are
 * the axes whose position is a number, except those that close a loop or follow a coupling.
 *
 * Fails on: names that do not exist or are ambiguous, numbers that do not fit.
 */
#include "io/error.h"
#include "io/options.h"
#include "run/controller_parts.h"

#include <stdarg.h>
#include <string.h>

/* ------------------------------------------------------------------ messages */

RgStatus rg_control_fail(const RgRun *run, RgPlanPlace at, RgError *error, const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rg_error_set(error, RG_ERR_ARGUMENT, at.line > 0 ? run->plan.path : NULL, "%s%s",
                 at.line > 0 ? "" : "--set: ", text);
    error->line = at.line;
    error->column = at.column;
    return RG_ERR_ARGUMENT;
}

RgStatus rg_control_library_error(const RgRun *run, RgPlanPlace at, RgError *error)
{
    if (error->file[0] && error->line > 0)
        return error->status;
    RgStatus status = error->status != RG_OK ? error->status : RG_ERR_ARGUMENT;
    char text[sizeof error->file + sizeof error->text + 4];
    snprintf(text, sizeof text, "%s%s%s", error->file, error->file[0] ? ": " : "",
             error->text[0] ? error->text : rg_status_text(status));
    rg_control_fail(run, at, error, "%s", text);
    return error->status = status;
}

/* ------------------------------------------------------------------ names */

const char *rg_control_qualified(RgRun *run, const RgPlanController *c, const char *name)
{
    return c->model ? rg_pool_print(&run->plan.pool, "%s::%s", c->model, name) : name;
}

RgJointId rg_control_find_joint(RgRun *run, const RgPlanController *c, const char *name)
{
    RgJointId joint = rg_model_find_joint(run->model, rg_control_qualified(run, c, name));
    return joint.i ? joint : rg_model_find_joint(run->model, name);
}

/* The name in "NAME" or "NAME[k]"; with [k] also sets dof. */
static const char *cut_axis(RgRun *run, const char *text, int *dof)
{
    size_t length = strlen(text);
    const char *bracket = strrchr(text, '[');
    *dof = -1;
    if (!bracket || bracket == text || length < 3 || text[length - 1] != ']' || bracket[2] != ']' || bracket[1] < '0' ||
        bracket[1] > '9')
        return text;
    *dof = bracket[1] - '0';
    return rg_pool_print(&run->plan.pool, "%.*s", (int)(bracket - text), text);
}

static RgStatus fail_joint(RgRun *run, const RgPlanName *name, RgError *error)
{
    int32_t joints = rg_model_info(run->model).joints;
    RgNearest nearest = rg_nearest_begin(name->text);
    int twins = 0;
    for (int32_t i = 1; i <= joints; i++) {
        const char *other = rg_model_joint(run->model, (RgJointId){i}).name;
        twins += strcmp(other, name->text) == 0;
        rg_nearest_offer(&nearest, other);
    }
    if (twins > 1)
        return rg_control_fail(run, name->at, error, "joints: %d joints are called '%s': say MODEL::%s", twins,
                               name->text, name->text);
    if (nearest.best)
        return rg_control_fail(run, name->at, error, "joints: no joint '%s'; did you mean '%s'?", name->text,
                               nearest.best);
    return rg_control_fail(run, name->at, error, "joints: no joint '%s'; `rigor info %s` lists the names", name->text,
                           run->plan.from_stdin ? "FILE" : run->plan.path);
}

/* Resolves one name of the list to an axis and adds it. */
static RgStatus add_joint(RgRun *run, RgControllerParts *parts, const RgPlanName *name, RgError *error)
{
    int dof;
    RgJointId joint = rg_control_find_joint(run, parts->plan, name->text);
    const char *owner = joint.i ? name->text : cut_axis(run, name->text, &dof);
    if (joint.i)
        dof = -1;
    else
        joint = rg_control_find_joint(run, parts->plan, owner);
    if (!joint.i)
        return fail_joint(run, name, error);
    RgJointInfo info = rg_model_joint(run->model, joint);
    if (info.nv == 0)
        return rg_control_fail(run, name->at, error, "joints: '%s' is fixed: there is nothing to control", name->text);
    if (info.is_loop)
        return rg_control_fail(run, name->at, error, "joints: '%s' closes a loop: control the other joints",
                               name->text);
    if (info.nv > 1 && dof < 0)
        return rg_control_fail(run, name->at, error, "joints: '%s' has %d axes: say '%s[0]' to '%s[%d]'", name->text,
                               info.nv, name->text, name->text, info.nv - 1);
    if (dof >= info.nv)
        return rg_control_fail(run, name->at, error, "joints: '%s' has %d %s, counted from 0", owner, info.nv,
                               info.nv == 1 ? "axis" : "axes");
    parts->names[parts->njoints] = name->text;
    parts->joints[parts->njoints] = rg_control_joint_default();
    parts->joints[parts->njoints].joint = joint;
    parts->joints[parts->njoints++].dof = dof < 0 ? 0 : dof;
    return RG_OK;
}

static bool follows_coupling(const RgModel *model, RgJointId joint, int dof)
{
    int couplings = rg_model_info(model).couplings;
    bool follows = false;
    for (int i = 0; i < couplings; i++) {
        RgCouplingDef coupling = rg_model_coupling(model, i);
        follows = follows || (coupling.joint.i == joint.i && coupling.dof == dof);
    }
    return follows;
}

/* Adds every axis that can be driven, of the controller's model or of all models. */
static RgStatus add_all_joints(RgRun *run, RgControllerParts *parts, RgError *error)
{
    const RgPlanController *c = parts->plan;
    int32_t joints = rg_model_info(run->model).joints;
    if (c->in_model && !c->model && run->plan.nmodels > 1)
        return rg_control_fail(run, c->at, error, "joints: 'all' needs a model with a 'name' if there are several");
    for (int32_t i = 1; i <= joints; i++) {
        RgJointInfo info = rg_model_joint(run->model, (RgJointId){i});
        bool other = c->model && (!info.group || strcmp(info.group, c->model) != 0);
        if (info.is_loop || info.nq != info.nv || other)
            continue;
        const char *name = c->model ? info.name : rg_plan_joint_name(&run->plan, run->model, (RgJointId){i});
        for (int k = 0; k < info.nv; k++) {
            if (follows_coupling(run->model, (RgJointId){i}, k))
                continue;
            parts->names[parts->njoints] = info.nv > 1 ? rg_pool_print(&run->plan.pool, "%s[%d]", name, k) : name;
            parts->joints[parts->njoints] = rg_control_joint_default();
            parts->joints[parts->njoints].joint = (RgJointId){i};
            parts->joints[parts->njoints++].dof = k;
        }
    }
    return parts->njoints > 0 ? RG_OK : rg_control_fail(run, c->at, error, "joints: no joint can be driven");
}

RgStatus rg_control_resolve_joints(RgRun *run, RgControllerParts *parts, RgError *error)
{
    RgPool *pool = &run->plan.pool;
    const RgPlanController *c = parts->plan;
    size_t room = (size_t)(c->all_joints ? rg_model_info(run->model).nv : c->njoints) + 1;
    parts->joints = rg_pool_take(pool, room, sizeof *parts->joints);
    parts->names = rg_pool_take(pool, room, sizeof *parts->names);
    RgStatus status = c->all_joints ? add_all_joints(run, parts, error) : RG_OK;
    for (int i = 0; i < c->njoints && status == RG_OK; i++)
        status = add_joint(run, parts, &c->joints[i], error);
    return status;
}

/* ------------------------------------------------------------------ numbers */

/* Error: a name in a map of numbers is no joint of the controller. */
static RgStatus fail_name(const RgRun *run, const RgControllerParts *parts, const RgPlanName *name, const char *what,
                          RgError *error)
{
    RgNearest nearest = rg_nearest_begin(name->text);
    for (int i = 0; i < parts->njoints; i++)
        rg_nearest_offer(&nearest, parts->names[i]);
    if (nearest.best)
        return rg_control_fail(run, name->at, error, "%s: '%s' is no joint of this controller; did you mean '%s'?",
                               what, name->text, nearest.best);
    return rg_control_fail(run, name->at, error, "%s: '%s' is no joint of this controller", what, name->text);
}

static int index_of(const RgControllerParts *parts, const char *name)
{
    for (int i = 0; i < parts->njoints; i++)
        if (strcmp(parts->names[i], name) == 0)
            return i;
    return -1;
}

RgStatus rg_control_assign(RgRun *run, const RgControllerParts *parts, const RgPlanNumbers *numbers, const char *what,
                           double *out, RgError *error)
{
    if (numbers->count == 0)
        return RG_OK;
    if (!numbers->names && numbers->list && numbers->count != parts->njoints)
        return rg_control_fail(run, numbers->at, error, "%s: %d number%s for %d joint%s", what, numbers->count,
                               numbers->count == 1 ? "" : "s", parts->njoints, parts->njoints == 1 ? "" : "s");
    for (int i = 0; i < parts->njoints && !numbers->names; i++)
        out[i] = numbers->values[numbers->list ? i : 0];
    bool *given = rg_pool_take(&run->plan.pool, (size_t)parts->njoints, sizeof *given);
    for (int i = 0; i < numbers->count && numbers->names; i++) {
        int k = index_of(parts, numbers->names[i].text);
        if (k < 0)
            return fail_name(run, parts, &numbers->names[i], what, error);
        out[k] = numbers->values[i];
        given[k] = true;
    }
    for (int i = 0; i < parts->njoints && numbers->names; i++)
        if (!given[i])
            return rg_control_fail(run, numbers->at, error, "%s: '%s' is missing", what, parts->names[i]);
    return RG_OK;
}
