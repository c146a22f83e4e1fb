/*
 * run_control.c - the controllers of a run: joints (control_joints.c), gains, limits, trajectories and feet
 * (control_feet.c) become definitions of the library, and the control is made over the world.
 *
 * Start: joints are set to the trajectory at t = 0 with its velocity, as if given in `state`; the joints of a gait are
 * set to the places of their feet once the state is known.
 *
 * Fails on: what control_joints.c and control_feet.c refuse, two controllers on one axis, a start or a motor that the
 * state gives the joint as well.
 */
#include "run/run_control.h"
#include "run/control_made.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ROUNDING 1e-9 /* part of a step that a division may be off */

/* ------------------------------------------------------------------ gains, limits, trajectories */

/* Gains and limits. */
static RgStatus deal_gains(RgRun *run, RgMadeController *made, RgError *error)
{
    const RgPlanController *c = made->plan;
    double *values = rg_pool_take(&run->plan.pool, (size_t)made->njoints, sizeof *values);
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
        RgStatus status = rg_control_deal(run, made, fields[f].numbers, fields[f].what, values, error);
        if (status != RG_OK)
            return status;
        for (int i = 0; i < made->njoints && fields[f].numbers->count > 0; i++)
            memcpy((char *)&made->joints[i] + fields[f].offset, &values[i], sizeof values[i]);
    }
    return RG_OK;
}

/* An array for the joints from numbers; NULL if none were given. */
static RgStatus deal_array(RgRun *run, const RgMadeController *made, const RgPlanNumbers *numbers, const char *what,
                           const double **out, RgError *error)
{
    if (numbers->count == 0)
        return RG_OK;
    double *values = rg_pool_take(&run->plan.pool, (size_t)made->njoints, sizeof *values);
    *out = values;
    return rg_control_deal(run, made, numbers, what, values, error);
}

static RgStatus deal_knots(RgRun *run, const RgMadeController *made, RgTrajectoryDef *def, RgError *error)
{
    RgPool *pool = &run->plan.pool;
    const RgPlanTrajectory *t = &made->plan->trajectory;
    double *times = rg_pool_take(pool, (size_t)t->nknots + 1, sizeof *times);
    double *values = rg_pool_take(pool, (size_t)t->nknots * (size_t)made->njoints + 1, sizeof *values);
    for (int i = 0; i < t->nknots; i++) {
        times[i] = t->knots[i].time;
        RgStatus status = rg_control_deal(run, made, &t->knots[i].position, "position",
                                          values + (size_t)i * (size_t)made->njoints, error);
        if (status != RG_OK)
            return status;
    }
    def->times = times;
    def->values = values;
    def->nknots = t->nknots;
    return RG_OK;
}

static RgStatus make_trajectory(RgRun *run, RgMadeController *made, RgError *error)
{
    const RgPlanTrajectory *t = &made->plan->trajectory;
    RgTrajectoryDef def = rg_trajectory_def_default();
    def.kind = t->kind;
    def.naxes = made->njoints;
    def.names = made->names;
    def.periodic = t->periodic;
    def.natural = t->natural;
    def.file = t->file;
    RgStatus status = deal_array(run, made, &t->position, "position", &def.position, error);
    if (status == RG_OK)
        status = deal_array(run, made, &t->amplitude, "amplitude", &def.amplitude, error);
    if (status == RG_OK)
        status = deal_array(run, made, &t->frequency, "frequency", &def.frequency, error);
    if (status == RG_OK)
        status = deal_array(run, made, &t->phase, "phase", &def.phase, error);
    if (status == RG_OK)
        status = deal_array(run, made, &t->start_velocity, "start_velocity", &def.start_velocity, error);
    if (status == RG_OK)
        status = deal_array(run, made, &t->end_velocity, "end_velocity", &def.end_velocity, error);
    if (status == RG_OK && t->nknots > 0)
        status = deal_knots(run, made, &def, error);
    if (status != RG_OK)
        return status;
    made->trajectory = rg_trajectory_create(&def, error);
    return made->trajectory ? RG_OK : rg_control_blame(run, t->at, error);
}

/* ------------------------------------------------------------------ start */

/* The initial value of a joint that there is already, or -1. */
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
static RgStatus add_value(RgRun *run, const RgMadeController *made, int index, RgQuantity what, double x,
                          RgError *error)
{
    RgPlan *plan = &run->plan;
    RgJointId joint = made->joints[index].joint;
    RgPlanPlace at = made->plan->trajectory.at;
    int there = value_of(run, joint, what);
    if (there >= 0 && there < run->controllers->first_value)
        return rg_control_fail(run, at, error,
                               "start: the trajectory says where '%s' begins, and %s does too: leave one of them out",
                               made->names[index], plan->values[there].line > 0 ? "state" : "--set");
    if (there < 0) {
        plan->values = rg_pool_grow(&plan->pool, plan->values, plan->nvalues, sizeof *plan->values);
        there = plan->nvalues++;
        plan->values[there] = (RgPlanValue){.what = what,
                                            .name = rg_plan_joint_name(plan, run->model, joint),
                                            .count = rg_model_joint(run->model, joint).nv,
                                            .line = at.line,
                                            .column = at.column};
    }
    plan->values[there].values[made->joints[index].dof] = x;
    return RG_OK;
}

static RgStatus start_on_trajectory(RgRun *run, const RgMadeController *made, RgError *error)
{
    RgReference *at = rg_pool_take(&run->plan.pool, (size_t)made->njoints, sizeof *at);
    rg_trajectory_at(made->trajectory, 0.0, at);
    RgStatus status = RG_OK;
    for (int i = 0; i < made->njoints && status == RG_OK; i++) {
        status = add_value(run, made, i, RG_QUANTITY_POSITION, at[i].position, error);
        if (status == RG_OK)
            status = add_value(run, made, i, RG_QUANTITY_RATE, at[i].velocity, error);
    }
    return status;
}

/* ------------------------------------------------------------------ all of it */

/* The joint of two controllers that both drive; -1: none. */
static int shared_joint(const RgMadeController *made, const RgMadeController *other)
{
    for (int i = 0; i < made->njoints * other->njoints; i++) {
        const RgControlJoint *a = &made->joints[i / other->njoints], *b = &other->joints[i % other->njoints];
        if (a->joint.i == b->joint.i && a->dof == b->dof)
            return i / other->njoints;
    }
    return -1;
}

static RgStatus check_twice(const RgRun *run, const struct RgRunControl *all, const RgMadeController *made,
                            RgError *error)
{
    for (const RgMadeController *other = all->made; other < made; other++) {
        int twice = shared_joint(made, other);
        if (twice >= 0)
            return rg_control_fail(run, made->plan->at, error,
                                   "controller: '%s' has one already, in line %d: a joint takes one controller",
                                   made->names[twice], other->plan->at.line);
    }
    return RG_OK;
}

/* A controller would override an effort, motor or servo of the state on its joint: an error. */
static RgStatus check_state(RgRun *run, const RgMadeController *made, RgError *error)
{
    static const struct {
        RgQuantity what;
        const char *name;
    } drives[] = {{RG_QUANTITY_EFFORT, "an effort"}, {RG_QUANTITY_MOTOR, "a motor"}, {RG_QUANTITY_SERVO, "a servo"}};
    for (int i = 0; i < made->njoints; i++)
        for (size_t k = 0; k < sizeof drives / sizeof drives[0]; k++)
            if (value_of(run, made->joints[i].joint, drives[k].what) >= 0)
                return rg_control_fail(run, made->plan->at, error,
                                       "controller: '%s' is given %s as well: leave one of the two out", made->names[i],
                                       drives[k].name);
    return RG_OK;
}

/* The definition that the library takes. */
static RgControllerDef define(const RgMadeController *made)
{
    const RgPlanController *c = made->plan;
    RgControllerDef def = rg_controller_def_default();
    def.kind = c->kind;
    def.name = c->name;
    def.njoints = made->njoints;
    def.joints = made->joints;
    def.trajectory = made->trajectory;
    def.nfeet = c->nfeet;
    def.feet = made->feet;
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
    all->made = rg_pool_take(pool, (size_t)plan->ncontrollers, sizeof *all->made);
    all->defs = rg_pool_take(pool, (size_t)plan->ncontrollers, sizeof *all->defs);
    all->first_value = run->plan.nvalues;
    run->controllers = all;
    for (int i = 0; i < plan->ncontrollers; i++) {
        RgMadeController *made = &all->made[i];
        made->plan = &plan->controllers[i];
        bool path = made->plan->trajectory.kind && strcmp(made->plan->trajectory.kind, "gait") != 0;
        all->count = i + 1;
        RgStatus status = rg_control_take_joints(run, made, error);
        if (status == RG_OK)
            status = check_twice(run, all, made, error);
        if (status == RG_OK)
            status = check_state(run, made, error);
        if (status == RG_OK)
            status = deal_gains(run, made, error);
        if (status == RG_OK)
            status = rg_control_take_feet(run, made, error);
        if (status == RG_OK && path)
            status = make_trajectory(run, made, error);
        if (status == RG_OK && path && plan->start)
            status = start_on_trajectory(run, made, error);
        if (status != RG_OK)
            return status;
        all->defs[i] = define(made);
    }
    return RG_OK;
}

/* The controller that the library refuses also when it is alone; else the first. */
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
            return run->controllers->made[i].plan->at;
    }
    return run->controllers->made[0].plan->at;
}

RgStatus rg_run_blame_control(const RgRun *run, const RgControlDef *def, RgError *error)
{
    return rg_control_blame(run, place_of_refusal(run, def), error);
}

RgStatus rg_run_deal_gains(RgRun *run, RgError *error)
{
    struct RgRunControl *all = run->controllers;
    RgStatus status = RG_OK;
    for (int i = 0; all && i < all->count && status == RG_OK; i++) {
        const RgPlanController *c = all->made[i].plan;
        status = deal_gains(run, &all->made[i], error);
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
    double under_way = plan->delay / run->step; /* NaN: no delay */
    if (!run->control || plan->rate > 0.0 || !(under_way > RG_DELAYS_MAX * (1.0 + ROUNDING)))
        return RG_OK;
    return rg_control_fail(run, plan->delay_at, error,
                           "delay: %g s are %g steps of %g s, with a sample each: at most %d can be under way; a "
                           "'rate' makes them fewer",
                           plan->delay, ceil(under_way * (1.0 - ROUNDING)), run->step, RG_DELAYS_MAX);
}

RgControl *rg_run_control_for(RgRun *run, RgWorld *world, RgError *error)
{
    RgControlDef def = rg_run_control_def(run);
    def.world = world;
    *error = (RgError){.status = RG_OK};
    if (def.rate > 0.0 && def.delay * def.rate > RG_DELAYS_MAX) {
        rg_control_fail(run, run->plan.control.delay_at, error,
                        "delay: %g s are %g samples at %g Hz: at most %d can be under way", def.delay,
                        ceil(def.delay * def.rate), def.rate, RG_DELAYS_MAX);
        return NULL;
    }
    RgControl *control = rg_control_create(&def, error);
    if (!control)
        rg_run_blame_control(run, &def, error);
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
        rg_trajectory_destroy(run->controllers->made[i].trajectory);
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
