/*
 * run_start.c - from a plan to a world at t = 0: defaults, initial state, closed loops, watched limits.
 *
 * Values in neither command line nor run file come from the model's own hints (gravity, step), else from the library's
 * defaults. Initial values are given by the name of a joint, or of a floating link: its position is (quaternion w x y
 * z, position) and its rate (angular velocity in its own axes, velocity). Then loops and couplings are closed.
 *
 * Fails on files without a link, names that do not exist or are ambiguous, wrong counts of numbers, loops that cannot
 * be closed.
 */
#include "run/run.h"

#include "io/error.h"
#include "io/options.h"
#include "plan/attachments_file.h"
#include "plan/plan_open.h"
#include "plan/plan_settings.h"
#include "run/plots.h"
#include "run/report.h"
#include "run/run_control.h"

#include <math.h>
#include <string.h>

#define DEFAULT_STEP 1e-3         /* s */
#define DEFAULT_LOCATED_STEP 1e-2 /* s: of steppers that make inner steps */
#define DEFAULT_DURATION 5.0      /* s */
#define STEPS_MAX 1e12            /* months of computing */
#define SERVO_RATE 20.0           /* 1/s: default rate of a servo */
#define ROUNDING 1e-9             /* of a step: round-off of a quotient of times */

/* ------------------------------------------------------------------ settings */

static RgStatus choose_settings(RgRun *run, RgError *error)
{
    const RgPlan *plan = &run->plan;
    const RgPhysicsHints *hints = rg_model_hints(run->model);
    RgWorldDef *def = &run->def;
    RgStatus status = rg_plan_world(&run->plan, run->model, &run->settings, error);
    if (status != RG_OK)
        return status;
    *def = rg_settings_def(&run->settings);

    /* The last step is shorter if steps do not fit the duration. A step in a robot file is meant for fixed-step engines:
       steppers that choose inner steps ignore it. */
    bool locates = rg_plan_stepper_locates(def->stepper);
    bool hinted = !locates && hints->max_step >= RG_PLAN_STEP_MIN && hints->max_step <= RG_PLAN_STEP_MAX;
    double usual = locates ? DEFAULT_LOCATED_STEP : DEFAULT_STEP;
    bool foreign = rg_plan_step_is_foreign(plan, def->stepper);
    run->step = !isnan(plan->step) && !foreign ? plan->step : hinted ? hints->max_step : usual;
    if (foreign)
        rg_plan_add_remark(&run->plan, plan->path, 0,
                           rg_pool_print(&run->plan.pool,
                                         "the step of %g s is for steppers with fixed steps: %s "
                                         "uses %g s (--step)",
                                         plan->step, def->stepper, usual));
    run->duration = !isnan(plan->duration) ? plan->duration : DEFAULT_DURATION;

    return rg_attachments_prepare(&run->plan, run->model, def, error);
}

/* ------------------------------------------------------------------ initial values */

static RgStatus fail_value(const RgPlan *plan, const RgPlanValue *value, RgError *error, const char *text)
{
    if (value->line > 0) {
        rg_error_set(error, RG_ERR_ARGUMENT, plan->path, "%s", text);
        error->line = value->line;
        error->column = value->column;
    } else {
        rg_error_set(error, RG_ERR_ARGUMENT, NULL, "--set: %s", text);
    }
    return RG_ERR_ARGUMENT;
}

/* Finds the joint or floating link that a value names, first in the value's own model. */
static bool find_target(RgPlan *plan, const RgModel *model, RgPlanValue *value)
{
    const char *names[2] = {value->name, value->name};
    if (value->model)
        names[0] = rg_pool_print(&plan->pool, "%s::%s", value->model, value->name);
    for (int i = 0; i < 2; i++) {
        value->joint = rg_model_find_joint(model, names[i]);
        value->link = rg_model_find_link(model, names[i]);
        if (value->link.i && !rg_model_link(model, value->link).floats)
            value->link.i = 0;
        if (value->joint.i || value->link.i)
            return true;
    }
    return false;
}

static RgStatus fail_unknown(RgRun *run, const RgPlanValue *value, RgError *error)
{
    RgPlan *plan = &run->plan;
    RgModelInfo info = rg_model_info(run->model);
    RgNearest nearest = rg_nearest_begin(value->name);
    int twins = 0;
    for (int32_t i = 1; i <= info.joints; i++) {
        const char *name = rg_model_joint(run->model, (RgJointId){i}).name;
        twins += strcmp(name, value->name) == 0;
        rg_nearest_offer(&nearest, name);
    }
    for (int i = 0; value->line == 0 && i < rg_plan_key_count(); i++) /* --set takes settings, too */
        rg_nearest_offer(&nearest, rg_plan_key(i).info.key);
    const char *text = rg_pool_print(&plan->pool, "no joint or floating link '%s'", value->name);
    if (twins > 1)
        text = rg_pool_print(&plan->pool, "%d joints are called '%s': say MODEL::%s", twins, value->name, value->name);
    else if (nearest.best)
        text = rg_pool_print(&plan->pool, "%s; did you mean '%s'?", text, nearest.best);
    else
        text = rg_pool_print(&plan->pool, "%s; `rigor info %s` lists the names", text,
                             plan->from_stdin ? "FILE" : plan->path);
    return fail_value(plan, value, error, text);
}

/* Sets a motor or servo. With one number its effort (of a servo also its velocity) is bounded by the joint's limits. */
static RgStatus set_drive(RgRun *run, const RgPlanValue *value, RgError *error)
{
    RgPlan *plan = &run->plan;
    RgJointInfo info = rg_model_joint(run->model, value->joint);
    const double *x = value->values;
    bool servo = value->what == RG_QUANTITY_SERVO;
    if (info.nv != 1)
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s' is %s: %s are for joints with one axis", value->name,
                                        rg_joint_type_name(info.type), servo ? "servos" : "motors"));
    double limit = info.dof[0].effort_limit;
    bool by_limits = value->count == 1 && limit > 0.0 && isfinite(limit);
    if (!by_limits && (value->count < 2 || value->count > (servo ? 4 : 2)))
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s': a %s, not %d%s", value->name,
                                        servo ? "servo takes 2 to 4 numbers (position, largest effort, largest "
                                                "velocity, rate)"
                                              : "motor takes 2 numbers (velocity, largest effort)",
                                        value->count, value->count == 1 ? ": the joint has no effort limit" : ""));
    RgServo def = {.position = x[0],
                   .max_effort = by_limits ? limit : x[1],
                   .max_velocity = value->count > 2 ? x[2] : INFINITY,
                   .rate = value->count > 3 ? x[3] : SERVO_RATE};
    if (by_limits && info.dof[0].velocity_limit > 0.0)
        def.max_velocity = info.dof[0].velocity_limit;
    RgStatus status = servo ? rg_world_set_joint_servo(run->world, value->joint, 0, &def)
                            : rg_world_set_joint_motor(run->world, value->joint, 0, x[0], def.max_effort);
    if (status != RG_OK)
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s': %s", value->name, rg_status_text(status)));
    return RG_OK;
}

static RgStatus set_joint(RgRun *run, const RgPlanValue *value, RgError *error)
{
    RgPlan *plan = &run->plan;
    RgJointId joint = value->joint;
    RgJointInfo info = rg_model_joint(run->model, joint);
    int expected = value->what == RG_QUANTITY_POSITION ? info.nq : info.nv;
    if (value->what == RG_QUANTITY_MOTOR || value->what == RG_QUANTITY_SERVO)
        return set_drive(run, value, error);
    if (info.is_loop)
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s' closes a loop: set the other joints", value->name));
    if (value->count != expected)
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s' is %s and takes %d number%s, not %d", value->name,
                                        rg_joint_type_name(info.type), expected, expected == 1 ? "" : "s",
                                        value->count));
    RgStatus status;
    if (value->what == RG_QUANTITY_POSITION)
        status = rg_world_set_joint_position(run->world, joint, value->values);
    else if (value->what == RG_QUANTITY_RATE)
        status = rg_world_set_joint_rate(run->world, joint, value->values);
    else
        status = rg_world_set_joint_effort(run->world, joint, value->values);
    if (status != RG_OK)
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s': %s", value->name, rg_status_text(status)));
    return RG_OK;
}

/* Sets position or rate of a floating link, as part of the model's coordinates. */
static RgStatus set_floating(RgRun *run, const RgPlanValue *value, RgError *error)
{
    RgPlan *plan = &run->plan;
    RgModelInfo info = rg_model_info(run->model);
    RgLinkInfo target = rg_model_link(run->model, value->link);
    bool position = value->what == RG_QUANTITY_POSITION;
    int expected = position ? 7 : 6, size = position ? info.nq : info.nv,
        at = position ? target.q_index : target.v_index;
    if (value->what != RG_QUANTITY_POSITION && value->what != RG_QUANTITY_RATE)
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s' floats: it takes no effort and no motor", value->name));
    if (value->count != expected)
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s' floats and takes %d numbers (%s), not %d", value->name,
                                        expected,
                                        position ? "quaternion w x y z, position x y z" : "angular velocity, velocity",
                                        value->count));

    double *all = rg_pool_take(&plan->pool, (size_t)size, sizeof *all);
    memcpy(all, position ? rg_world_q(run->world) : rg_world_v(run->world), (size_t)size * sizeof *all);
    memcpy(all + at, value->values, (size_t)expected * sizeof *all);
    if (position) {
        double n =
            sqrt(all[at] * all[at] + all[at + 1] * all[at + 1] + all[at + 2] * all[at + 2] + all[at + 3] * all[at + 3]);
        if (!(n > 1e-9))
            return fail_value(plan, value, error,
                              rg_pool_print(&plan->pool, "'%s': the quaternion is zero", value->name));
        for (int i = 0; i < 4; i++)
            all[at + i] /= n;
    }
    RgStatus status = rg_world_set_state(run->world, position ? all : NULL, position ? NULL : all);
    if (status != RG_OK)
        return fail_value(plan, value, error,
                          rg_pool_print(&plan->pool, "'%s': %s", value->name, rg_status_text(status)));
    return RG_OK;
}

static RgStatus resolve_values(RgRun *run, RgError *error)
{
    for (int i = 0; i < run->plan.nvalues; i++)
        if (!find_target(&run->plan, run->model, &run->plan.values[i]))
            return fail_unknown(run, &run->plan.values[i], error);
    return RG_OK;
}

RgStatus rg_run_set_values(RgRun *run, RgQuantity what, RgError *error)
{
    RgStatus status = RG_OK;
    for (int i = 0; i < run->plan.nvalues && status == RG_OK; i++) {
        const RgPlanValue *value = &run->plan.values[i];
        if (value->what == what)
            status = value->joint.i ? set_joint(run, value, error) : set_floating(run, value, error);
    }
    return status;
}

RgStatus rg_run_set_drives(RgRun *run, RgError *error)
{
    RgStatus status = rg_run_set_values(run, RG_QUANTITY_EFFORT, error);
    if (status == RG_OK)
        status = rg_run_set_values(run, RG_QUANTITY_MOTOR, error);
    return status == RG_OK ? rg_run_set_values(run, RG_QUANTITY_SERVO, error) : status;
}

/* ------------------------------------------------------------------ limits */

static void list_limits(RgRun *run)
{
    RgPool *pool = &run->plan.pool;
    int32_t joints = rg_model_info(run->model).joints;
    for (int32_t i = 1; i <= joints; i++) {
        RgJointInfo joint = rg_model_joint(run->model, (RgJointId){i});
        if (joint.q_index < 0 || joint.nq != joint.nv)
            continue;
        for (int k = 0; k < joint.nv; k++) {
            const RgAxisDef *dof = &joint.dof[k];
            if (!isfinite(dof->lower) && !isfinite(dof->upper))
                continue;
            run->watch = rg_pool_grow(pool, run->watch, run->nwatch, sizeof *run->watch);
            run->watch[run->nwatch++] = (RgLimitWatch){
                .joint = {i}, .dof = k, .q_index = joint.q_index + k, .lower = dof->lower, .upper = dof->upper};
        }
    }
}

void rg_run_watch(RgRun *run)
{
    if (run->nwatch == 0)
        return;
    const double *q = rg_world_q(run->world);
    for (int i = 0; i < run->nwatch; i++) {
        RgLimitWatch *watch = &run->watch[i];
        double excess = fmax(watch->lower - q[watch->q_index], q[watch->q_index] - watch->upper);
        if (excess <= watch->excess)
            continue;
        if (watch->excess == 0.0)
            watch->first = rg_world_time(run->world);
        watch->excess = excess;
    }
}

/* How a joint outside of its limits returns, as text. */
static const char *return_text(RgRun *run, const RgOutside *outside)
{
    RgJointInfo info = rg_model_joint(run->model, outside->joint);
    const RgAxisDef *axis = &info.dof[outside->dof];
    double most = run->settings.law.max_joint_correction;
    if (run->def.velocity_limits && axis->velocity_limit > 0.0)
        most = fmin(most, axis->velocity_limit);
    if (!run->def.position_limits)
        return "limits are not enforced";
    if (axis->limit_stiffness > 0.0 && isfinite(axis->limit_stiffness))
        return "the spring of the limit drives it back";
    if (!isfinite(most))
        return "the velocity by which it returns is not bounded (max_joint_correction)";
    return rg_pool_print(&run->plan.pool, "it returns at %g %s/s at most", most,
                         rg_axis_unit(run->model, outside->joint, outside->dof));
}

/* Lists the joints that start outside of their limits, and adds remarks before all others. */
static void list_outside(RgRun *run)
{
    RgPool *pool = &run->plan.pool;
    int32_t joints = rg_model_info(run->model).joints;
    for (int32_t i = 1; i <= joints; i++) {
        double q[RG_PLAN_VALUES_MAX];
        if (rg_world_joint_position(run->world, (RgJointId){i}, q) == RG_OK)
            run->outside = rg_limits_outside(pool, run->model, (RgJointId){i}, q, run->outside, &run->noutside);
    }
    for (int i = run->noutside - 1; i >= 0; i--) {
        const RgOutside *outside = &run->outside[i];
        rg_plan_put_remark(&run->plan, run->plan.path,
                           rg_pool_print(pool, "joint '%s' starts %s; %s",
                                         rg_plan_joint_name(&run->plan, run->model, outside->joint),
                                         rg_outside_text(pool, run->model, outside), return_text(run, outside)));
    }
}

/* ------------------------------------------------------------------ start */

RgStatus rg_run_start(RgRun *run, RgError *error)
{
    RgStatus status = rg_run_check_outputs(run, error);
    if (status != RG_OK)
        return status;
    run->model = rg_plan_load(&run->plan, error);
    if (!run->model)
        return error->status;
    if (rg_model_info(run->model).links == 0)
        return rg_error_set(error, RG_ERR_ARGUMENT, run->plan.path, "nothing to simulate: the file gives no links");
    status = choose_settings(run, error);
    if (status != RG_OK)
        return status;
    if (run->duration / run->step > STEPS_MAX)
        return rg_error_set(error, RG_ERR_ARGUMENT, NULL, "%g s in steps of %g s would be more than %g steps",
                            run->duration, run->step, STEPS_MAX);
    run->steps = (long long)ceil(run->duration / run->step - ROUNDING);
    if (run->steps < 0)
        run->steps = 0;
    run->world = rg_world_create(&run->def, error);
    if (!run->world)
        return error->status;

    status = rg_run_plan_control(run, error);
    if (status == RG_OK)
        status = resolve_values(run, error);
    if (status == RG_OK)
        status = rg_run_set_closed(run, error);
    if (status == RG_OK)
        status = rg_run_set_drives(run, error);
    if (status == RG_OK)
        status = rg_attachments_add(&run->plan, run->world, error);
    if (status == RG_OK)
        status = rg_run_make_control(run, error);
    if (status != RG_OK)
        return status;
    list_limits(run);
    rg_run_watch(run);
    list_outside(run);
    status = rg_world_momentum(run->world, &run->before);
    if (status != RG_OK)
        return rg_error_set(error, status, NULL, "the initial state has no energy: %s", rg_status_text(status));
    return RG_OK;
}

void rg_run_free(RgRun *run)
{
    RgError ignored;
    rg_run_close_outputs(run, &ignored);
    rg_report_discard(run);
    rg_plots_free(run);
    rg_run_free_control(run);
    rg_world_destroy(run->world);
    rg_model_destroy(run->model);
    rg_plan_free(&run->plan);
}
