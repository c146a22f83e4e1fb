/*
 * control_check.c - validation of control definitions.
 *
 * The flags of each kind (controller.h) define which settings it uses: missing ones are errors, and settings that the
 * kind would ignore are refused, so that no gain is silently without effect.
 */
#include "control/control_internal.h"
#include "control/controller_table.h"
#include "control/foot_reach.h"
#include "control/standing.h"

#include "base/kind_names.h"
#include "base/nearest_name.h"
#include "base/status.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

#define CONTROLLER_ENTRY(name) &rg_controller_##name,
static const RgControllerKind *const kinds[] = {CONTROLLER_TABLE(CONTROLLER_ENTRY)};
#undef CONTROLLER_ENTRY
#define NKINDS ((int)(sizeof kinds / sizeof kinds[0]))

#define CONTROL_COOKIE 0x5247434fu
#define CONTROLLER_COOKIE 0x52474352u

RgControlDef rg_control_def_default(void)
{
    return (RgControlDef){.cookie = CONTROL_COOKIE};
}

RgControllerDef rg_controller_def_default(void)
{
    return (RgControllerDef){.cookie = CONTROLLER_COOKIE,
                             .kind = "pd",
                             .foot_kp = NAN,
                             .foot_kd = NAN,
                             .friction = NAN,
                             .rate = NAN,
                             .walk = rg_walk_unset()};
}

RgControlJoint rg_control_joint_default(void)
{
    return (RgControlJoint){
        .kp = NAN, .ki = NAN, .kd = NAN, .limits = {.max_effort = NAN, .max_velocity = NAN, .base_velocity = NAN}};
}

RG_KIND_NAMES(rg_controller, kinds, NKINDS)

const RgControllerKind *rg_controller_find(const char *name)
{
    for (int i = 0; i < NKINDS; i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}

const char *rg_controller_label(const RgControllerDef *def)
{
    return def->name != NULL ? def->name : def->kind;
}

/* ------------------------------------------------------------------ one joint */

static const char *joint_name(const RgModel *model, RgJointId joint)
{
    const char *name = model->joints[joint.i - 1].def.name;
    return name != NULL ? name : "";
}

static RgStatus check_gain(const RgControllerDef *def, const char *joint, unsigned bit, double gain, RgError *error)
{
    const RgControllerKind *kind = rg_controller_find(def->kind);
    const char *name = bit == RG_USES_KP ? "kp" : bit == RG_USES_KI ? "ki" : "kd";
    if (isinf(gain) || gain < 0.0)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s', joint '%.60s': %s must be a finite number, 0 or more, not %g",
                       rg_controller_label(def), joint, name, gain);
    if (!(kind->uses & bit) && gain > 0.0)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s', joint '%.60s': kind '%s' has no use for %s", rg_controller_label(def),
                       joint, kind->name, name);
    if ((kind->uses & bit) && !(kind->uses & RG_GAINS_OPTIONAL) && isnan(gain))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s', joint '%.60s': kind '%s' needs %s",
                       rg_controller_label(def), joint, kind->name, name);
    return RG_OK;
}

static RgStatus check_gains(const RgControllerDef *def, const char *name, const RgControlJoint *joint, RgError *error)
{
    const RgControllerKind *kind = rg_controller_find(def->kind);
    RgStatus status = check_gain(def, name, RG_USES_KP, joint->kp, error);
    if (status == RG_OK)
        status = check_gain(def, name, RG_USES_KI, joint->ki, error);
    if (status == RG_OK)
        status = check_gain(def, name, RG_USES_KD, joint->kd, error);
    bool needed = (kind->uses & (RG_USES_KP | RG_USES_KI | RG_USES_KD)) && !(kind->uses & RG_GAINS_OPTIONAL);
    if (status == RG_OK && needed && !(joint->kp > 0.0) && !(joint->kd > 0.0) && !(joint->ki > 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s', joint '%.60s': all gains are 0",
                       rg_controller_label(def), name);
    if (status == RG_OK && (kind->uses & RG_USES_DRIVES) && needed && !(joint->kp > 0.0) && !(joint->kd > 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s', joint '%.60s': kp and kd are 0",
                       rg_controller_label(def), name);
    return status;
}

static RgStatus check_limits(const RgControllerDef *def, const char *name, const RgControlJoint *joint,
                             const RgAxisDef *axis, RgError *error)
{
    const RgMotorLimits *l = &joint->limits;
    if (l->max_effort < 0.0 || l->max_velocity < 0.0)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s', joint '%.60s': limits must not be negative", rg_controller_label(def),
                       name);
    bool slowed = l->max_velocity > 0.0 && isfinite(l->max_velocity);
    if (isnan(l->base_velocity) && slowed && !(rg_controller_find(def->kind)->uses & RG_USES_VELOCITY))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s', joint '%.60s': kind '%s' has no use for a limit of velocity without "
                       "a base velocity; implicit-pd and hard do",
                       rg_controller_label(def), name, def->kind);
    if (isnan(l->base_velocity))
        return RG_OK;
    double effort = isnan(l->max_effort) ? axis->effort_limit : l->max_effort;
    double velocity = isnan(l->max_velocity) ? axis->velocity_limit : l->max_velocity;
    if (!(effort > 0.0 && isfinite(effort) && velocity > 0.0 && isfinite(velocity)))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s', joint '%.60s': a base velocity needs limits of effort and velocity",
                       rg_controller_label(def), name);
    if (!(l->base_velocity >= 0.0 && l->base_velocity < velocity))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "controller '%.60s', joint '%.60s': base velocity %g must be from 0 to below %g",
                       rg_controller_label(def), name, l->base_velocity, velocity);
    return RG_OK;
}

static RgStatus check_joint(const RgModel *model, const RgControllerDef *def, int k, RgError *error)
{
    const RgControllerKind *kind = rg_controller_find(def->kind);
    const RgControlJoint *joint = &def->joints[k];
    if (joint->joint.i < 1 || joint->joint.i > model->njoints)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0,
                       "controller '%.60s': joint %d of its list is none of the model", rg_controller_label(def),
                       k + 1);
    const RgJoint *J = &model->joints[joint->joint.i - 1];
    const char *name = joint_name(model, joint->joint);
    if (joint->dof < 0 || joint->dof >= J->kind->nv)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "controller '%.60s': joint '%.60s' (%s) has no velocity %d",
                       rg_controller_label(def), name, rg_joint_type_name(J->def.type), joint->dof);
    if (J->body < 0 && !(kind->uses & RG_USES_DRIVES))
        return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                       "controller '%.60s': joint '%.60s' closes a loop: kind '%s' has no effort for it; "
                       "implicit-pd and hard do",
                       rg_controller_label(def), name, kind->name);
    if (J->kind->nq != J->kind->nv && !(kind->uses & RG_ANY_JOINT))
        return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                       "controller '%.60s': joint '%.60s' is %s: its velocities are not rates of its positions",
                       rg_controller_label(def), name, rg_joint_type_name(J->def.type));
    RgStatus status = check_gains(def, name, joint, error);
    return status == RG_OK ? check_limits(def, name, joint, &J->def.dof[joint->dof], error) : status;
}

/* ------------------------------------------------------------------ one controller */

static RgStatus fail_missing(const RgControllerDef *def, RgError *error, const char *what)
{
    return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': kind '%s' needs %s", rg_controller_label(def),
                   def->kind, what);
}

static RgStatus fail_unused(const RgControllerDef *def, RgError *error, const char *what)
{
    return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': kind '%s' has no use for %s",
                   rg_controller_label(def), def->kind, what);
}

static RgStatus check_reference(const RgControllerDef *def, unsigned uses, RgError *error)
{
    if (def->trajectory != NULL && def->gait != NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': trajectory or gait, not both",
                       rg_controller_label(def));
    if ((uses & RG_USES_GAIT) && def->gait == NULL)
        return fail_missing(def, error, "a gait");
    if ((uses & RG_USES_REFERENCE) && def->trajectory == NULL && def->gait == NULL)
        return fail_missing(def, error, "a trajectory or a gait");
    if (!(uses & (RG_USES_REFERENCE | RG_MAY_REFERENCE)) && def->trajectory != NULL)
        return fail_unused(def, error, "a trajectory");
    if (!(uses & (RG_USES_GAIT | RG_USES_REFERENCE)) && def->gait != NULL)
        return fail_unused(def, error, "a gait");
    if (def->trajectory != NULL && rg_trajectory_axes(def->trajectory) != def->njoints)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': %d joints, but its trajectory has %d axes",
                       rg_controller_label(def), def->njoints, rg_trajectory_axes(def->trajectory));
    return RG_OK;
}

static bool finite3(RgVec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

/* Checks the numbers of a gait. */
static RgStatus check_gait(const RgControllerDef *def, RgError *error)
{
    const RgGait *g = def->gait;
    const char *what = NULL;
    if (!(g->period > 0.0 && isfinite(g->period)))
        what = "period must be above 0";
    else if (!(g->duty > 0.0 && g->duty <= 1.0))
        what = "duty must be above 0 and at most 1";
    else if (!isfinite(g->lift) || !isfinite(g->velocity.x) || !isfinite(g->velocity.y) || !isfinite(g->yaw_rate))
        what = "lift, velocity and yaw_rate must be finite";
    else if (g->neutral == NULL || g->touchdown == NULL)
        what = "every foot needs a neutral place and a touchdown";
    for (int i = 0; what == NULL && i < g->nfeet; i++)
        if (!finite3(g->neutral[i]) || !(g->touchdown[i] >= 0.0 && g->touchdown[i] < 1.0))
            what = "neutral places must be finite, touchdowns from 0 to below 1";
    for (int i = 0; what == NULL && g->first != NULL && i < g->nfeet; i++)
        if (!finite3(g->first[i]))
            what = "first places must be finite";
    return what == NULL ? RG_OK
                        : rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': gait: %s",
                                  rg_controller_label(def), what);
}

static const char *link_name(const RgModel *model, RgLinkId link)
{
    const char *name = link.i > 0 ? model->links[link.i - 1].def.name : "world";
    return name != NULL ? name : "";
}

/* A gait moves its feet by the joints between them and their base: checks that there are some, and not too many. */
static RgStatus check_chain(const RgModel *model, const RgControllerDef *def, const RgFoot *foot, RgError *error)
{
    RgStatus status = rg_foot_chain_check(model, foot);
    if (status == RG_OK)
        return RG_OK;
    if (status == RG_ERR_UNSUPPORTED)
        return rg_fail(error, status, NULL, 0,
                       "controller '%.60s': foot '%.60s' is too far from its base '%.60s': the joints between "
                       "them have more than %d velocities",
                       rg_controller_label(def), link_name(model, foot->link), link_name(model, foot->base),
                       RG_CHAIN_DOFS);
    return rg_fail(error, status, NULL, 0,
                   "controller '%.60s': base '%.60s' carries no joint that moves foot '%.60s': it must be a link "
                   "on the way from the root to the foot",
                   rg_controller_label(def), link_name(model, foot->base), link_name(model, foot->link));
}

static RgStatus check_feet(const RgModel *model, const RgControllerDef *def, unsigned uses, RgError *error)
{
    if (def->nfeet < 0 || (def->nfeet > 0 && def->feet == NULL))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': %d feet, and no list of them",
                       rg_controller_label(def), def->nfeet);
    if ((uses & RG_USES_FEET || def->gait != NULL) && def->nfeet == 0)
        return fail_missing(def, error, "feet");
    if (!(uses & RG_USES_FEET) && def->gait == NULL && def->nfeet > 0)
        return fail_unused(def, error, "feet");
    if (def->gait != NULL && def->gait->nfeet != def->nfeet)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': %d feet, but its gait has %d",
                       rg_controller_label(def), def->nfeet, def->gait->nfeet);
    RgStatus status = def->gait != NULL ? check_gait(def, error) : RG_OK;
    if (status != RG_OK)
        return status;
    for (int i = 0; i < def->nfeet; i++) {
        const RgFoot *foot = &def->feet[i];
        if (foot->link.i < 1 || foot->link.i > model->nlinks || foot->base.i < 0 || foot->base.i > model->nlinks)
            return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "controller '%.60s': foot %d is on no link of the model",
                           rg_controller_label(def), i + 1);
        if (!finite3(foot->point))
            return rg_fail(error, RG_ERR_NOT_FINITE, NULL, 0, "controller '%.60s': point of foot %d is not finite",
                           rg_controller_label(def), i + 1);
        status = def->gait != NULL ? check_chain(model, def, foot, error) : RG_OK;
        if (status != RG_OK)
            return status;
    }
    return RG_OK;
}

/* Checks a number that may be required or not allowed. */
static RgStatus check_number(const RgControllerDef *def, bool used, bool needed, double value, const char *what,
                             RgError *error)
{
    if (!used && !isnan(value))
        return fail_unused(def, error, what);
    if (needed && isnan(value))
        return fail_missing(def, error, what);
    if (value < 0.0 || (isinf(value) && strcmp(what, "rate") != 0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': %s must be 0 or more, not %g",
                       rg_controller_label(def), what, value);
    return RG_OK;
}

static RgStatus check_settings(const RgControllerDef *def, unsigned uses, RgError *error)
{
    bool feet = uses & RG_USES_FOOT_GAINS;
    RgStatus status = check_number(def, feet, feet, def->foot_kp, "foot_kp", error);
    if (status == RG_OK)
        status = check_number(def, feet, feet, def->foot_kd, "foot_kd", error);
    if (status == RG_OK)
        status = check_number(def, uses & RG_USES_FRICTION, false, def->friction, "friction", error);
    if (status == RG_OK)
        status = check_number(def, uses & RG_USES_RATE, false, def->rate, "rate", error);
    if (status != RG_OK)
        return status;
    status = rg_walk_check(def, uses, error);
    if (status != RG_OK)
        return status;
    if (def->gravity && !(uses & RG_USES_GRAVITY))
        return fail_unused(def, error, "gravity efforts");
    if ((uses & RG_USES_CALLBACK) && def->callback == NULL)
        return fail_missing(def, error, "a function");
    if (!(uses & RG_USES_CALLBACK) && def->callback != NULL)
        return fail_unused(def, error, "a function");
    return RG_OK;
}

static RgStatus check_kind(const RgControllerDef *def, RgError *error)
{
    if (def->cookie != CONTROLLER_COOKIE || def->kind == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "a controller definition must start from rg_controller_def_default() and name a kind");
    if (rg_controller_find(def->kind) != NULL)
        return RG_OK;
    RgNearestName nearest = rg_nearest_name(def->kind);
    for (int i = 0; i < NKINDS; i++)
        rg_nearest_name_offer(&nearest, kinds[i]->name);
    char hint[RG_NEAREST_ROOM];
    return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no controller called '%.60s'%s", def->kind,
                   rg_nearest_name_hint(&nearest, hint));
}

/* What balances stands on something, against gravity along -z. */
static RgStatus check_world(const RgWorld *world, const RgControllerDef *def, unsigned uses, RgError *error)
{
    RgWorldSettings w = rg_world_settings(world);
    RgVec3 g = w.gravity;
    if (!(uses & RG_USES_BALANCE))
        return RG_OK;
    if (!w.contact)
        return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                       "controller '%.60s': kind '%s' needs feet that touch something, and this world has no contact",
                       rg_controller_label(def), def->kind);
    if (!(g.z < 0.0) || g.x != 0.0 || g.y != 0.0)
        return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                       "controller '%.60s': kind '%s' needs gravity along -z, not (%g, %g, %g) m/s^2",
                       rg_controller_label(def), def->kind, g.x, g.y, g.z);
    return RG_OK;
}

static RgStatus check_controller(const RgWorld *world, const RgControllerDef *def, RgError *error)
{
    const RgModel *model = rg_world_model(world);
    RgStatus status = check_kind(def, error);
    if (status != RG_OK)
        return status;
    const RgControllerKind *kind = rg_controller_find(def->kind);
    if (def->njoints < 1 || def->joints == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s' has no joints", rg_controller_label(def));
    for (int k = 0; k < def->njoints && status == RG_OK; k++)
        status = check_joint(model, def, k, error);
    if (status == RG_OK)
        status = check_reference(def, kind->uses, error);
    if (status == RG_OK)
        status = check_feet(model, def, kind->uses, error);
    if (status == RG_OK)
        status = check_settings(def, kind->uses, error);
    if (status == RG_OK && kind->check != NULL)
        status = kind->check(model, def, error);
    return status == RG_OK ? check_world(world, def, kind->uses, error) : status;
}

/* ------------------------------------------------------------------ the control */

/* Label of the first controller that controls joint k of controller i before it; NULL: none. */
static const char *earlier_owner(const RgControlDef *def, int i, int k)
{
    const RgControlJoint *wanted = &def->controllers[i].joints[k];
    for (int a = 0; a <= i; a++) {
        const RgControllerDef *other = &def->controllers[a];
        for (int b = 0; b < (a == i ? k : other->njoints); b++)
            if (other->joints[b].joint.i == wanted->joint.i && other->joints[b].dof == wanted->dof)
                return rg_controller_label(other);
    }
    return NULL;
}

static RgStatus check_owners(const RgControlDef *def, const RgModel *model, RgError *error)
{
    for (int i = 0; i < def->ncontrollers; i++)
        for (int k = 0; k < def->controllers[i].njoints; k++) {
            const char *other = earlier_owner(def, i, k);
            if (other != NULL)
                return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                               "joint '%.60s' has two controllers: '%.60s' and '%.60s'",
                               joint_name(model, def->controllers[i].joints[k].joint), other,
                               rg_controller_label(&def->controllers[i]));
        }
    return RG_OK;
}

RgStatus rg_control_check(const RgControlDef *def, RgError *error)
{
    if (def == NULL || def->cookie != CONTROL_COOKIE || def->world == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "a control definition must start from rg_control_def_default() and name a world");
    if (!(def->rate >= 0.0 && isfinite(def->rate)))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "control: rate must be 0 or more, not %g", def->rate);
    if (!(def->delay >= 0.0 && isfinite(def->delay)))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "control: delay must be 0 or more, not %g", def->delay);
    if (def->delay * def->rate > RG_DELAYS_MAX)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "control: a delay of %g s is %g samples at %g Hz; at most %d can be under way", def->delay,
                       def->delay * def->rate, def->rate, RG_DELAYS_MAX);
    if (def->ncontrollers < 1 || def->controllers == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "control: no controllers");
    const RgModel *model = rg_world_model(def->world);
    RgStatus status = RG_OK;
    for (int i = 0; i < def->ncontrollers && status == RG_OK; i++)
        status = check_controller(def->world, &def->controllers[i], error);
    return status == RG_OK ? check_owners(def, model, error) : status;
}
