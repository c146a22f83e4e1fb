/*
 * run_control.c - makes definitions of the library from the controllers of a plan: joints (control_joints.c), gains,
 * limits, trajectories and feet (control_feet.c); then the control of a world.
 *
 * Start: joints are set to position and velocity of the trajectory at t = 0, as if given in `state`; the joints of a
 * gait are set by the positions of their feet once the state is known.
 *
 * Fails on: what control_joints.c and control_feet.c refuse, two controllers on one axis, a start or a motor that
 * `state` also gives.
 */
#include "run/run_control.h"
#include "run/controller_parts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ROUNDING 1e-9 /* of a step: round-off of a quotient of times */

/* ------------------------------------------------------------------ gains, limits, trajectories */

static RgStatus assign_gains(RgRun *run, RgControllerParts *parts, RgError *error)
{
    const RgPlanController *c = parts->plan;
    double *values = rg_pool_take(&run->plan.pool, (size_t)parts->njoints, sizeof *values);
    const struct {
        const char *what;
        const RgPlanNumbers *numbers;
        size_t offset;
    } fields[] = {
        {"kp", &c->kp, offsetof(RgControlJoint, kp)},
        {"ki", &c->ki, offsetof(RgControlJoint, ki)},
        {"kd", &c->kd, offsetof(RgControlJoint, kd)},
        {"effort", &c->effort, offsetof(RgControlJoint, limits) + offsetof(RgMotorLimits, max_effort)},
        {"velocity", &c->velocity, offsetof(RgControlJoint, limits) + offsetof(RgMotorLimits, max_velocity)},
        {"base_velocity", &c->base_velocity, offsetof(RgControlJoint, limits) + offsetof(RgMotorLimits, base_velocity)},
    };
    for (size_t f = 0; f < sizeof fields / sizeof fields[0]; f++) {
        RgStatus status = rg_control_assign(run, parts, fields[f].numbers, fields[f].what, values, error);
        if (status != RG_OK)
            return status;
        for (int i = 0; i < parts->njoints && fields[f].numbers->count > 0; i++)
            memcpy((char *)&parts->joints[i] + fields[f].offset, &values[i], sizeof values[i]);
    }
    return RG_OK;
}

/* An array for the joints from numbers; NULL if none were given. */
static RgStatus assign_array(RgRun *run, const RgControllerParts *parts, const RgPlanNumbers *numbers, const char *what,
                             const double **out, RgError *error)
{
    if (numbers->count == 0)
        return RG_OK;
    double *values = rg_pool_take(&run->plan.pool, (size_t)parts->njoints, sizeof *values);
    *out = values;
    return rg_control_assign(run, parts, numbers, what, values, error);
}

static RgStatus assign_knots(RgRun *run, const RgControllerParts *parts, RgTrajectoryDef *def, RgError *error)
{
    RgPool *pool = &run->plan.pool;
    const RgPlanTrajectory *t = &parts->plan->trajectory;
    double *times = rg_pool_take(pool, (size_t)t->nknots + 1, sizeof *times);
    double *values = rg_pool_take(pool, (size_t)t->nknots * (size_t)parts->njoints + 1, sizeof *values);
    for (int i = 0; i < t->nknots; i++) {
        times[i] = t->knots[i].time;
        RgStatus status = rg_control_assign(run, parts, &t->knots[i].position, "position",
                                            values + (size_t)i * (size_t)parts->njoints, error);
        if (status != RG_OK)
            return status;
    }
    def->times = times;
    def->values = values;
    def->nknots = t->nknots;
    return RG_OK;
}

static RgStatus make_trajectory(RgRun *run, RgControllerParts *parts, RgError *error)
{
    const RgPlanTrajectory *t = &parts->plan->trajectory;
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = t->kind;
    def.naxes = parts->njoints;
    def.names = parts->names;
    def.periodic = t->periodic;
    def.natural = t->natural;
    def.file = t->file;
    RgStatus status = assign_array(run, parts, &t->position, "position", &def.position, error);
    if (status == RG_OK)
        status = assign_array(run, parts, &t->amplitude, "amplitude", &def.amplitude, error);
    if (status == RG_OK)
        status = assign_array(run, parts, &t->frequency, "frequency", &def.frequency, error);
    if (status == RG_OK)
        status = assign_array(run, parts, &t->phase, "phase", &def.phase, error);
    if (status == RG_OK)
        status = assign_array(run, parts, &t->start_velocity, "start_velocity", &def.start_velocity, error);
    if (status == RG_OK)
        status = assign_array(run, parts, &t->end_velocity, "end_velocity", &def.end_velocity, error);
    if (status == RG_OK && t->nknots > 0)
        status = assign_knots(run, parts, &def, error);
    if (status != RG_OK)
        return status;
    parts->trajectory = rg_trajectory_create(&def, error);
    return parts->trajectory ? RG_OK : rg_control_library_error(run, t->at, error);
}

/* ------------------------------------------------------------------ start */

/* Index of the initial value that the plan already has for a joint, or -1. */
static int value_of(RgRun *run, RgJointId joint, RgQuantity what)
{
    for (int i = 0; i < run->plan.nvalues; i++) {
        const RgPlanValue *value = &run->plan.values[i];
        RgPlanController in = {.model = value->model};
        if (value->what == what && rg_control_find_joint(run, &in, value->name).i == joint.i)
            return i;
    }
    return -1;
}

/* Adds the position or rate of a controlled axis to the initial values; axes of one joint share a value. */
static RgStatus add_value(RgRun *run, const RgControllerParts *parts, int index, RgQuantity what, double x,
                          RgError *error)
{
    RgPlan *plan = &run->plan;
    RgJointId joint = parts->joints[index].joint;
    RgPlanPlace at = parts->plan->trajectory.at;
    int there = value_of(run, joint, what);
    if (there >= 0 && there < run->controllers->first_value)
        return rg_control_fail(run, at, error,
                               "start: '%s' is given by the trajectory and by %s: leave one of them out",
                               parts->names[index], plan->values[there].line > 0 ? "state" : "--set");
    if (there < 0) {
        plan->values = rg_pool_grow(&plan->pool, plan->values, plan->nvalues, sizeof *plan->values);
        there = plan->nvalues++;
        plan->values[there] = (RgPlanValue){.what = what,
                                            .name = rg_plan_joint_name(plan, run->model, joint),
                                            .count = rg_model_joint(run->model, joint).nv,
                                            .line = at.line,
                                            .column = at.column};
    }
    plan->values[there].values[parts->joints[index].dof] = x;
    return RG_OK;
}

static RgStatus start_on_trajectory(RgRun *run, const RgControllerParts *parts, RgError *error)
{
    RgReference *at = rg_pool_take(&run->plan.pool, (size_t)parts->njoints, sizeof *at);
    rg_trajectory_at(parts->trajectory, 0.0, at);
    RgStatus status = RG_OK;
    for (int i = 0; i < parts->njoints && status == RG_OK; i++) {
        status = add_value(run, parts, i, RG_QUANTITY_POSITION, at[i].position, error);
        if (status == RG_OK)
            status = add_value(run, parts, i, RG_QUANTITY_RATE, at[i].velocity, error);
    }
    return status;
}

/* ------------------------------------------------------------------ the control */

/* An axis that both controllers drive; -1: none. */
static int shared_joint(const RgControllerParts *parts, const RgControllerParts *other)
{
    for (int i = 0; i < parts->njoints * other->njoints; i++) {
        const RgControlJoint *a = &parts->joints[i / other->njoints], *b = &other->joints[i % other->njoints];
        if (a->joint.i == b->joint.i && a->dof == b->dof)
            return i / other->njoints;
    }
    return -1;
}

static RgStatus check_twice(const RgRun *run, const struct RgRunControl *all, const RgControllerParts *parts,
                            RgError *error)
{
    for (const RgControllerParts *other = all->parts; other < parts; other++) {
        int twice = shared_joint(parts, other);
        if (twice >= 0)
            return rg_control_fail(run, parts->plan->at, error, "controller: '%s' already has one, in line %d",
                                   parts->names[twice], other->plan->at.line);
    }
    return RG_OK;
}

/* An effort, motor or servo of the state on a controlled joint is an error. */
static RgStatus check_state(RgRun *run, const RgControllerParts *parts, RgError *error)
{
    static const struct {
        RgQuantity what;
        const char *name;
    } drives[] = {{RG_QUANTITY_EFFORT, "an effort"}, {RG_QUANTITY_MOTOR, "a motor"}, {RG_QUANTITY_SERVO, "a servo"}};
    for (int i = 0; i < parts->njoints; i++)
        for (size_t k = 0; k < sizeof drives / sizeof drives[0]; k++)
            if (value_of(run, parts->joints[i].joint, drives[k].what) >= 0)
                return rg_control_fail(run, parts->plan->at, error,
                                       "controller: '%s' is given %s as well: leave one of the two out",
                                       parts->names[i], drives[k].name);
    return RG_OK;
}

/* The library's definition. */
static RgControllerDef define(const RgControllerParts *parts)
{
    const RgPlanController *c = parts->plan;
    RgControllerDef def = rg_controller_def_default();
    def.kind = c->kind;
    def.name = c->name;
    def.njoints = parts->njoints;
    def.joints = parts->joints;
    def.trajectory = parts->trajectory;
    def.nfeet = c->nfeet;
    def.feet = parts->feet;
    def.gravity = c->gravity;
    def.foot_kp = isnan(c->foot_kp) ? def.foot_kp : c->foot_kp;
    def.foot_kd = isnan(c->foot_kd) ? def.foot_kd : c->foot_kd;
    def.friction = isnan(c->friction) ? def.friction : c->friction;
    def.rate = isnan(c->rate) ? def.rate : c->rate;
    def.walk = c->walk;
    return def;
}

RgStatus rg_run_plan_control(RgRun *run, RgError *error)
{
    RgPool *pool = &run->plan.pool;
    const RgPlanControl *plan = &run->plan.control;
    if (plan->ncontrollers == 0)
        return RG_OK;
    struct RgRunControl *all = rg_pool_take(pool, 1, sizeof *all);
    all->parts = rg_pool_take(pool, (size_t)plan->ncontrollers, sizeof *all->parts);
    all->defs = rg_pool_take(pool, (size_t)plan->ncontrollers, sizeof *all->defs);
    all->first_value = run->plan.nvalues;
    run->controllers = all;
    for (int i = 0; i < plan->ncontrollers; i++) {
        RgControllerParts *parts = &all->parts[i];
        parts->plan = &plan->controllers[i];
        bool path = parts->plan->trajectory.kind && strcmp(parts->plan->trajectory.kind, "gait") != 0;
        all->count = i + 1;
        RgStatus status = rg_control_resolve_joints(run, parts, error);
        if (status == RG_OK)
            status = check_twice(run, all, parts, error);
        if (status == RG_OK)
            status = check_state(run, parts, error);
        if (status == RG_OK)
            status = assign_gains(run, parts, error);
        if (status == RG_OK)
            status = rg_control_resolve_feet(run, parts, error);
        if (status == RG_OK && path)
            status = make_trajectory(run, parts, error);
        if (status == RG_OK && path && plan->start)
            status = start_on_trajectory(run, parts, error);
        if (status != RG_OK)
            return status;
        all->defs[i] = define(parts);
    }
    return RG_OK;
}

/* Place of the controller that the library refuses also alone; else of the first. */
static RgPlanPlace place_of_refusal(const RgRun *run, const RgControlDef *def)
{
    for (int i = 0; i < def->ncontrollers; i++) {
        RgControlDef alone = *def;
        RgError ignored;
        alone.controllers = &def->controllers[i];
        alone.ncontrollers = 1;
        RgControl *control = rg_control_create(&alone, &ignored);
        rg_control_destroy(control);
        if (!control)
            return run->controllers->parts[i].plan->at;
    }
    return run->controllers->parts[0].plan->at;
}

RgStatus rg_run_control_error(const RgRun *run, const RgControlDef *def, RgError *error)
{
    return rg_control_library_error(run, place_of_refusal(run, def), error);
}

RgStatus rg_run_update_gains(RgRun *run, RgError *error)
{
    struct RgRunControl *all = run->controllers;
    RgStatus status = RG_OK;
    for (int i = 0; all && i < all->count && status == RG_OK; i++) {
        const RgPlanController *c = all->parts[i].plan;
        status = assign_gains(run, &all->parts[i], error);
        all->defs[i].foot_kp = isnan(c->foot_kp) ? all->defs[i].foot_kp : c->foot_kp;
        all->defs[i].foot_kd = isnan(c->foot_kd) ? all->defs[i].foot_kd : c->foot_kd;
    }
    return status;
}

RgControlDef rg_run_control_def(const RgRun *run)
{
    const RgPlanControl *plan = &run->plan.control;
    RgControlDef def = rg_control_def_default();
    def.world = run->world;
    def.rate = isnan(plan->rate) ? def.rate : plan->rate;
    def.delay = isnan(plan->delay) ? def.delay : plan->delay;
    def.ncontrollers = run->controllers->count;
    def.controllers = run->controllers->defs;
    return def;
}

RgStatus rg_run_check_delay(const RgRun *run, RgError *error)
{
    const RgPlanControl *plan = &run->plan.control;
    double pending = plan->delay / run->step; /* NaN: no delay */
    if (!run->control || plan->rate > 0.0 || !(pending > RG_DELAYS_MAX * (1.0 + ROUNDING)))
        return RG_OK;
    return rg_control_fail(run, plan->delay_at, error,
                           "delay: %g s are %g steps of %g s, with a sample each: at most %d can be pending; a "
                           "'rate' reduces them",
                           plan->delay, ceil(pending * (1.0 - ROUNDING)), run->step, RG_DELAYS_MAX);
}

RgControl *rg_run_control_for(RgRun *run, RgWorld *world, RgError *error)
{
    RgControlDef def = rg_run_control_def(run);
    def.world = world;
    *error = (RgError){.status = RG_OK};
    if (def.rate > 0.0 && def.delay * def.rate > RG_DELAYS_MAX) {
        rg_control_fail(run, run->plan.control.delay_at, error,
                        "delay: %g s are %g samples at %g Hz: at most %d can be pending", def.delay,
                        ceil(def.delay * def.rate), def.rate, RG_DELAYS_MAX);
        return NULL;
    }
    RgControl *control = rg_control_create(&def, error);
    if (!control)
        rg_run_control_error(run, &def, error);
    return control;
}

RgStatus rg_run_make_control(RgRun *run, RgError *error)
{
    if (!run->controllers)
        return RG_OK;
    RgStatus status = run->controllers->ready ? RG_OK : rg_control_make_gaits(run, error);
    if (status != RG_OK)
        return status;
    rg_run_drop_control(run);
    run->control = rg_run_control_for(run, run->world, error);
    return run->control ? RG_OK : error->status;
}

void rg_run_drop_control(RgRun *run)
{
    rg_control_destroy(run->control);
    run->control = NULL;
}

void rg_run_free_control(RgRun *run)
{
    rg_run_drop_control(run);
    for (int i = 0; run->controllers && i < run->controllers->count; i++)
        rg_trajectory_destroy(run->controllers->parts[i].trajectory);
    run->controllers = NULL;
}

RgStatus rg_run_step(RgRun *run, double h, RgStepReport *report)
{
    return run->control ? rg_control_step(run->control, h, report) : rg_world_step(run->world, h, report);
}

const char *rg_run_control_joint_name(RgRun *run, int index)
{
    RgJointTracking tracking = rg_control_joint(run->control, index);
    const char *name = rg_plan_joint_name(&run->plan, run->model, tracking.joint);
    return rg_model_joint(run->model, tracking.joint).nv > 1
               ? rg_pool_print(&run->plan.pool, "%s[%d]", name, tracking.dof)
               : name;
}
