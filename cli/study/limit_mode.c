/*
 * limit_mode.c - the fastest mode along a run.
 *
 * The run is repeated and sampled SAMPLES times. At each sample the mobility of the controlled axes gives the step at
 * which a mode of explicit springs and dampers begins to grow (modes.c). The result is the shortest of these steps, its
 * time and the joint with the largest part in the mode. Implicit joint dampers count against kd, explicit ones add to
 * it. Joints with equal limits, which robot files use as welds, do not move.
 *
 * Remedies are computed for the same sample: twice the inertia of that axis, as by a rotor behind a gear; a quarter of
 * its damping gain.
 */
#include "study/limit_mode.h"

#include "io/json_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 60 };
#define LIMIT_MAX 1e3 /* s: longer limits count as none */
#define LOCKED 1e-3   /* rad or m: joints with a smaller range count as welds */

typedef struct ModeScan {
    RgLimitMode *out;
    RgMobility *mobility;
    int n, locked;    /* controlled axes, then locked ones */
    RgModeAxis *axes; /* n + locked */
    double *kp, *kd;  /* n */
    double *W;        /* n x n */
    double *all;      /* (n + locked) x (n + locked) */
    double *best;     /* n x n: mobility at the sample of the result */
} ModeScan;

/* A joint damper as a part of kd: negative if implicit. */
static double damper(const RgRun *run, RgJointId joint, int dof)
{
    double damping = rg_model_joint(run->model, joint).dof[dof].damping;
    return run->def.implicit_damping ? -damping : damping;
}

/* Axes with explicit gains. */
static void list_axes(ModeScan *scan, const RgRun *run, const RgMethodControl *control)
{
    for (int i = 0; i < control->count; i++) {
        const RgControllerDef *c = &control->made[i];
        for (int k = 0; k < c->njoints && rg_method_is_explicit(c->kind); k++) {
            const RgControlJoint *joint = &c->joints[k];
            RgModeAxis axis = {joint->joint, joint->dof, rg_model_joint(run->model, joint->joint).v_index + joint->dof};
            scan->axes[scan->n] = axis;
            scan->kp[scan->n] = isnan(joint->kp) ? 0.0 : joint->kp;
            scan->kd[scan->n++] = (isnan(joint->kd) ? 0.0 : joint->kd) + damper(run, joint->joint, joint->dof);
        }
    }
}

static bool is_listed(const ModeScan *scan, int v_index)
{
    for (int i = 0; i < scan->n; i++)
        if (scan->axes[i].v_index == v_index)
            return true;
    return false;
}

/* Axes that count as welds: their limits are equal. */
static void list_locked(ModeScan *scan, const RgRun *run)
{
    for (int32_t i = 1; i <= rg_model_info(run->model).joints; i++) {
        RgJointInfo joint = rg_model_joint(run->model, (RgJointId){i});
        if (joint.nv != 1 || joint.is_loop || !(joint.dof[0].upper - joint.dof[0].lower <= LOCKED) ||
            is_listed(scan, joint.v_index))
            continue;
        scan->axes[scan->n + scan->locked++] = (RgModeAxis){{i}, 0, joint.v_index};
    }
}

/* Mobility of the controlled axes with the locked ones fixed, eliminated one by one. */
static RgStatus mobility_at(ModeScan *scan, const double *q)
{
    int n = scan->n, all = n + scan->locked;
    double *A = scan->all;
    RgStatus status = rg_mobility_at(scan->mobility, q, A);
    for (int l = all - 1; l >= n && status == RG_OK; l--)
        for (int i = 0; i < l; i++)
            for (int j = 0; j < l; j++)
                A[i * all + j] -= A[i * all + l] * A[l * all + j] / A[l * all + l];
    for (int i = 0; i < n * n; i++)
        scan->W[i] = A[i / n * all + i % n];
    return status;
}

static void sample_modes(RgRun *run, long long step, long long steps, void *context)
{
    ModeScan *scan = context;
    RgLimitMode *out = scan->out;
    RgMode mode;
    long long every = steps / SAMPLES + 1;
    if (step % every != 1 % every || mobility_at(scan, rg_world_q(run->world)) != RG_OK)
        return;
    double below = isfinite(out->mode.limit) ? out->mode.limit : LIMIT_MAX;
    if (!rg_pd_mode(scan->n, scan->W, scan->kp, scan->kd, below, &mode) || !(mode.limit < below) || mode.axis < 0)
        return;
    out->mode = mode;
    out->time = rg_world_time(run->world);
    memcpy(scan->best, scan->W, (size_t)scan->n * (size_t)scan->n * sizeof *scan->W);
}

/* Mobility after inertia was added to one axis: W - W e e'W / (1/added + W_ee). */
static void add_inertia(int n, double *W, int axis, double added, double *column)
{
    double divisor = 1.0 / added + W[axis * n + axis];
    for (int i = 0; i < n; i++)
        column[i] = W[i * n + axis];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            W[i * n + j] -= column[i] * column[j] / divisor;
}

/* Limits with less damping or more inertia. */
static void find_remedies(ModeScan *scan)
{
    RgLimitMode *out = scan->out;
    RgMode mode = {.limit = INFINITY};
    int axis = out->mode.axis;
    double kd = scan->kd[axis];
    out->axis = scan->axes[axis];
    out->kp = scan->kp[axis];
    out->kd = kd;
    scan->kd[axis] = 0.25 * kd;
    rg_pd_mode(scan->n, scan->best, scan->kp, scan->kd, LIMIT_MAX, &mode);
    out->undamped = mode.limit;
    scan->kd[axis] = kd;
    add_inertia(scan->n, scan->best, axis, out->mode.inertia, scan->W);
    rg_pd_mode(scan->n, scan->best, scan->kp, scan->kd, LIMIT_MAX, &mode);
    out->doubled = mode.limit;
}

/* Whether the last run has a mode to report. */
static RgLimitKind kind_of(const ModeScan *scan, const RgRun *run)
{
    if (run->plan.control.rate > 0.0)
        return RG_LIMIT_SAMPLED;
    if (scan->n == 0)
        return RG_LIMIT_NONE;
    if (run->plan.control.delay > 0.0)
        return RG_LIMIT_DELAYED;
    return strcmp(run->def.stepper, "semi-implicit") == 0 ? RG_LIMIT_MODE : RG_LIMIT_STEPPER;
}

RgLimitMode rg_limit_mode(const RgRolloutDef *def, double h)
{
    RgRun *run = &def->study->run;
    RgLimitMode out = {.kind = RG_LIMIT_NONE, .mode = {.limit = INFINITY, .axis = -1}};
    RgModelInfo info = rg_model_info(run->model);
    RgPool pool = {0};
    RgError error = {0};
    size_t most = (size_t)info.nv, square = most * most;
    ModeScan scan = {.out = &out, .axes = rg_pool_take(&pool, most + 1, sizeof *scan.axes)};
    double *room = rg_pool_take(&pool, 2 * most + 3 * square + 1, sizeof *room);
    scan.kp = room;
    scan.kd = room + most;
    scan.W = room + 2 * most;
    scan.best = scan.W + square;
    scan.all = scan.best + square;
    list_axes(&scan, run, def->control);
    list_locked(&scan, run);
    out.kind = kind_of(&scan, run);
    if (out.kind == RG_LIMIT_MODE)
        scan.mobility = rg_mobility_create(run->model, scan.n + scan.locked, scan.axes, &error);
    if (scan.mobility) {
        RgRolloutDef watched = *def;
        watched.see = sample_modes;
        watched.context = &scan;
        watched.fall = NULL;
        rg_rollout(&watched, h);
    }
    if (isfinite(out.mode.limit))
        find_remedies(&scan);
    else if (out.kind == RG_LIMIT_MODE)
        out.kind = RG_LIMIT_NONE;
    rg_mobility_destroy(scan.mobility);
    rg_pool_free(&pool);
    return out;
}

/* ------------------------------------------------------------------ axes alone */

double *rg_axis_inertias(const RgRolloutDef *def)
{
    RgRun *run = &def->study->run;
    RgPool *pool = &run->plan.pool;
    const RgMethodControl *control = def->control;
    RgError error = {0};
    int n = 0, k = 0;
    for (int i = 0; i < control->count; i++)
        n += control->given[i].njoints;
    RgModeAxis *axes = rg_pool_take(pool, (size_t)n + 1, sizeof *axes);
    double *W = rg_pool_take(pool, (size_t)n * (size_t)n + 1, sizeof *W), *inertias = NULL;
    for (int i = 0; i < control->count; i++)
        for (int j = 0; j < control->given[i].njoints; j++) {
            const RgControlJoint *joint = &control->given[i].joints[j];
            axes[k++] =
                (RgModeAxis){joint->joint, joint->dof, rg_model_joint(run->model, joint->joint).v_index + joint->dof};
        }
    RgMobility *mobility = n > 0 ? rg_mobility_create(run->model, n, axes, &error) : NULL;
    if (mobility && rg_mobility_at(mobility, rg_world_q(run->world), W) == RG_OK) {
        inertias = rg_pool_take(pool, (size_t)n, sizeof *inertias);
        for (int i = 0; i < n; i++)
            inertias[i] = 1.0 / W[i * n + i];
    }
    rg_mobility_destroy(mobility);
    return inertias;
}

double rg_axis_excess(const RgMethodControl *control, const double *inertias, double step)
{
    double sum = 0.0;
    int k = 0;
    for (int i = 0; i < control->count; i++) {
        const RgControllerDef *c = &control->made[i];
        for (int j = 0; j < c->njoints; j++, k++) {
            double kp = c->joints[j].kp / inertias[k], kd = c->joints[j].kd / inertias[k];
            double limit = 4.0 / (kd + sqrt(kd * kd + 4.0 * kp));
            if (rg_method_is_explicit(c->kind) && limit < step)
                sum += log(step / limit);
        }
    }
    return sum;
}

/* ------------------------------------------------------------------ text */

static const char *joint_name(const RgLimitMode *limit, const RgRun *run)
{
    return rg_model_joint(run->model, limit->axis.joint).name;
}

void rg_limit_mode_print(const RgLimitMode *limit, const RgRun *run, FILE *out)
{
    const RgMode *mode = &limit->mode;
    if (limit->kind == RG_LIMIT_SAMPLED)
        fprintf(out,
                "  It is sampled at %g Hz, which divides longer steps: explicit efforts are limited by that rate, "
                "not by\n"
                "  the step (--no-rate: one sample per step).\n",
                run->plan.control.rate);
    if (limit->kind == RG_LIMIT_DELAYED)
        fprintf(out,
                "  Its efforts are delayed by %g s, which limits its gains for any step; the limit of the step "
                "without\n"
                "  delay does not apply (--no-rate: no delay).\n",
                run->plan.control.delay);
    if (limit->kind == RG_LIMIT_STEPPER)
        fprintf(out, "  Its springs and dampers are explicit; their limit is known for stepper semi-implicit.\n");
    if (limit->kind != RG_LIMIT_MODE)
        return;
    fprintf(out,
            "  Fastest mode: %s (%.0f %% of it), kp %.4g and kd %.4g against an inertia of %.3g: %.4g rad/s, "
            "decay %.4g /s,\n"
            "  unstable with explicit control from steps of %.4g s on (at t = %.3g s); %s sets it.\n",
            joint_name(limit, run), 100.0 * mode->share, limit->kp, limit->kd, mode->inertia, mode->frequency,
            mode->decay, mode->limit, limit->time,
            2.0 * mode->decay > mode->limit * mode->frequency * mode->frequency ? "kd" : "kp");
    fprintf(out,
            "  Remedies: gearing (a rotor that doubles that inertia: %.4g s; a quarter of that kd: "
            "%.4g s), or a\n"
            "  method without this limit: implicit-pd, computed-torque, hard.\n",
            limit->doubled, limit->undamped);
}

json_t *rg_limit_mode_json(const RgLimitMode *limit, const RgRun *run)
{
    const RgMode *mode = &limit->mode;
    if (limit->kind != RG_LIMIT_MODE)
        return json_null();
    return RG_JSON_OBJECT({"joint", rg_json_text(joint_name(limit, run))}, {"dof", json_integer(limit->axis.dof)},
                          {"share", rg_json_number(mode->share)}, {"kp", rg_json_number(limit->kp)},
                          {"kd", rg_json_number(limit->kd)}, {"inertia", rg_json_number(mode->inertia)},
                          {"frequency", rg_json_number(mode->frequency)}, {"decay", rg_json_number(mode->decay)},
                          {"predicted_max_step", rg_json_number(mode->limit)}, {"time", rg_json_number(limit->time)},
                          {"with_twice_the_inertia", rg_json_number(limit->doubled)},
                          {"with_a_quarter_of_kd", rg_json_number(limit->undamped)});
}
