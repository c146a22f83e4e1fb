/*
 * method.c - the same robot, trajectory and gains under another kind of control.
 *
 * Gains of pd, pid and implicit-pd give efforts (N m/rad, N m s/rad); those of computed-torque, inverse-dynamics and
 * no-slip give accelerations (1/s^2, 1/s); hard drives have none. If accelerations are needed and efforts are given,
 * gains follow from the step, as in 002's inverse dynamics control, whose acceleration is (v* - v) / h:
 *
 *   kd = 1/h,  kp = min(rate, 1/h) / h        so that  v+ = v* + h a* + min(rate, 1/h) e
 *
 * the law of a hard drive. rate 0 is the paper's: no gains, (v*(t + h) - v) / h; positions may drift. The converse is
 * undetermined, and the method is refused.
 */
#include "study/method.h"
#include "io/error.h"
#include "io/options.h"
#include "plan/control_file.h"

#include <math.h>
#include <string.h>

typedef enum Family { FAMILY_NONE, FAMILY_EFFORT, FAMILY_ACCELERATION } Family;

static const RgMethod methods[] = {
    {"given", NULL, "controllers of the file", false},
    {"pd", "pd", "springs and dampers, at the start of a step", false},
    {"pd-geared", "pd", "the same with a rotor behind a gear beside every hinge (--gear)", true},
    {"pid", "pid", "the same with an integral", false},
    {"implicit-pd", "implicit-pd", "springs and dampers at the end of a step", false},
    {"computed-torque", "computed-torque", "inverse dynamics control", false},
    {"hard", "hard", "inverse dynamics as constraints of the step", false},
    {"inverse-dynamics", "inverse-dynamics", "inverse dynamics control with contact", false},
    {"least-energy", "least-energy", "the same by least energy, then least efforts", false},
    {"no-slip", "no-slip", "the same, feet that do not slip", false},
};

int rg_method_count(void)
{
    return (int)(sizeof methods / sizeof methods[0]);
}

const RgMethod *rg_method_at(int index)
{
    return &methods[index];
}

const RgMethod *rg_method_find(const char *name)
{
    for (int i = 0; i < rg_method_count(); i++)
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

bool rg_method_is_explicit(const char *kind)
{
    return strcmp(kind, "pd") == 0 || strcmp(kind, "pid") == 0;
}

static bool keeps_velocity(const char *kind)
{
    return strcmp(kind, "implicit-pd") == 0 || strcmp(kind, "hard") == 0;
}

/* Kinds that compute the targets of their joints themselves. */
static bool finds_posture(const char *kind)
{
    return !rg_control_file_needs(kind, "trajectory");
}

static Family family_of(const char *kind)
{
    if (!rg_control_file_takes(kind, "kp"))
        return FAMILY_NONE;
    bool efforts = rg_method_is_explicit(kind) || strcmp(kind, "implicit-pd") == 0 || finds_posture(kind);
    return efforts ? FAMILY_EFFORT : FAMILY_ACCELERATION;
}

bool rg_method_keeps_gain(const RgMethod *method, const char *given_kind, const char *key)
{
    if (!method->kind || strcmp(method->kind, given_kind) == 0)
        return true;
    return rg_control_file_takes(method->kind, key) && family_of(method->kind) == family_of(given_kind);
}

bool rg_method_complain(const RgOptions *options, const char *option, const char *word)
{
    RgNearest nearest = rg_nearest_begin(word);
    for (int i = 0; i < rg_method_count(); i++)
        rg_nearest_offer(&nearest, methods[i].name);
    return rg_options_complain(options, "--%s: unknown '%s'; %s%s%s", option, word,
                               nearest.best ? "did you mean '" : "the help lists them",
                               nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
}

RgMethodControl rg_method_room(RgPlan *plan, int count, const RgControllerDef *given)
{
    RgMethodControl room = {.plan = plan, .count = count, .given = given};
    room.made = rg_pool_take(&plan->pool, (size_t)count, sizeof *room.made);
    for (int i = 0; i < count; i++)
        room.made[i].joints = rg_pool_take(&plan->pool, (size_t)given[i].njoints + 1, sizeof *room.made[i].joints);
    return room;
}

/* ------------------------------------------------------------------ one controller */

static RgStatus refuse(const RgMethodControl *control, int index, const RgMethod *method, const char *what,
                       RgError *error)
{
    RgPlanPlace at = control->plan->control.controllers[index].at;
    rg_error_set(error, RG_ERR_ARGUMENT, control->plan->path, "method %s: this controller, %s, has no %s", method->name,
                 control->given[index].kind, what);
    error->line = at.line;
    error->column = at.column;
    return RG_ERR_ARGUMENT;
}

/* A gain that the new kind needs and some joint lacks; NULL: none. */
static const char *missing_gain(const char *kind, const RgControlJoint *joints, int njoints)
{
    for (int k = 0; k < njoints; k++) {
        const RgControlJoint *joint = &joints[k];
        if (rg_control_file_needs(kind, "kp") && isnan(joint->kp))
            return "kp";
        if (rg_control_file_needs(kind, "ki") && isnan(joint->ki))
            return "ki";
        if (rg_control_file_needs(kind, "kd") && isnan(joint->kd))
            return "kd";
    }
    return NULL;
}

/* Clears gains that the kind does not use, and velocity limits without a motor's curve. */
static void drop_unused(const char *kind, RgControlJoint *joints, int njoints)
{
    for (int k = 0; k < njoints; k++) {
        RgControlJoint *joint = &joints[k];
        joint->kp = rg_control_file_takes(kind, "kp") ? joint->kp : (double)NAN;
        joint->ki = rg_control_file_takes(kind, "ki") ? joint->ki : (double)NAN;
        joint->kd = rg_control_file_takes(kind, "kd") ? joint->kd : (double)NAN;
        if (isnan(joint->limits.base_velocity) && !keeps_velocity(kind))
            joint->limits.max_velocity = NAN;
    }
}

/* Gains of accelerations that reach the wanted velocity within a step. */
static void gains_by_step(RgControlJoint *joints, int njoints, double h, double rate)
{
    double kd = 1.0 / h, kp = fmin(isnan(rate) ? (double)INFINITY : rate, kd) * kd;
    for (int k = 0; k < njoints; k++) {
        joints[k].kp = kp > 0.0 ? kp : (double)NAN;
        joints[k].kd = kp > 0.0 ? kd : (double)NAN;
    }
}

static RgStatus convert(const RgMethod *method, RgMethodControl *control, int index, double h, double rate,
                        RgError *error)
{
    const RgControllerDef *given = &control->given[index];
    RgControllerDef *made = &control->made[index];
    RgControlJoint *joints = (RgControlJoint *)made->joints;
    Family from = family_of(given->kind), to = family_of(method->kind);
    memcpy(joints, given->joints, (size_t)given->njoints * sizeof *joints);
    *made = *given;
    made->joints = joints;
    made->kind = method->kind;
    if (finds_posture(given->kind))
        return refuse(control, index, method, "trajectory of its own", error);
    if (!rg_control_file_takes(given->kind, "joints"))
        return refuse(control, index, method, "joints", error);
    if (to == FAMILY_EFFORT && from == FAMILY_ACCELERATION)
        return refuse(control, index, method, "gains in N m/rad: its own are in 1/s^2", error);
    if (to == FAMILY_ACCELERATION && from != FAMILY_ACCELERATION)
        gains_by_step(joints, made->njoints, h, rate);
    else if (missing_gain(made->kind, joints, made->njoints))
        return refuse(control, index, method, missing_gain(made->kind, joints, made->njoints), error);
    drop_unused(made->kind, joints, made->njoints);
    made->gravity = made->gravity && rg_control_file_takes(made->kind, "gravity");
    made->rate = rg_control_file_takes(made->kind, "rate") ? isnan(rate) ? made->rate : rate : (double)NAN;
    return RG_OK;
}

/* Copies a controller, except for a requested rate. */
static void copy_with_rate(RgMethodControl *control, int index, double rate)
{
    RgControllerDef *made = &control->made[index];
    RgControlJoint *joints = (RgControlJoint *)made->joints;
    *made = control->given[index];
    memcpy(joints, made->joints, (size_t)made->njoints * sizeof *joints);
    made->joints = joints;
    if (!isnan(rate) && rg_control_file_takes(made->kind, "rate"))
        made->rate = rate;
}

RgStatus rg_method_apply(const RgMethod *method, RgMethodControl *control, double h, double rate, RgError *error)
{
    RgStatus status = RG_OK;
    for (int i = 0; i < control->count && status == RG_OK; i++) {
        if (!method->kind || strcmp(method->kind, control->given[i].kind) == 0)
            copy_with_rate(control, i, rate);
        else
            status = convert(method, control, i, h, rate, error);
    }
    return status;
}
