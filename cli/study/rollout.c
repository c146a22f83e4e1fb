/*
 * rollout.c - one controlled run, watched for instability.
 *
 * A run fails if a step is refused (numbers that are not finite among the reasons), joints become faster than a bound,
 * the robot falls (fall.c), or the mean absolute error ends above a bound. Neither 002 nor physics gives a sharp
 * criterion; the bounds are the caller's. The processor time is that of the steps with their control; checks of
 * velocities and the fall test are included.
 */
#include "study/rollout.h"

#include "io/json_out.h"
#include "run/run_control.h"

#include <math.h>
#include <stdio.h>

#define ROUNDING 1e-9 /* part of a step that a division may be off */

bool rg_rollout_prepare(RgStudy *study, RgMethodControl *out)
{
    RgPlan *plan = &study->run.plan;
    if (plan->control.ncontrollers == 0) {
        fprintf(stderr, "rigor: %s: nothing is controlled: the file needs a section `control:`\n", plan->path);
        return false;
    }
    RgControlDef def = rg_run_control_def(&study->run);
    *out = rg_method_room(plan, def.ncontrollers, def.controllers);
    return true;
}

static double largest_speed(RgWorld *world, int nv)
{
    const double *v = rg_world_v(world);
    double most = 0.0;
    for (int i = 0; i < nv; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

/* One step with its checks. */
static void advance(const RgRolloutDef *def, RgRollout *out, double h)
{
    RgRun *run = &def->study->run;
    RgStepReport report = {.status = RG_OK};
    RgStatus status = rg_run_step(run, h, &report);
    out->reached = rg_world_time(run->world);
    if (status != RG_OK) {
        rg_loss_add(&out->loss, RG_LOSS_refused, "a step was refused at t = %.4g s: %s%s%s", out->reached,
                    rg_status_text(status), report.offender[0] ? ": " : "", report.offender);
        return;
    }
    out->speed = fmax(out->speed, largest_speed(run->world, rg_model_info(run->model).nv));
    if (!(out->speed <= def->bounds.speed))
        rg_loss_add(&out->loss, RG_LOSS_speed, "has joint velocities of %.4g, above %.4g, at t = %.4g s", out->speed,
                    def->bounds.speed, out->reached);
    if (def->fall)
        rg_fall_see(def->fall, run, &def->bounds.fall, &out->loss);
}

static bool is_lost(const RgRollout *out)
{
    return out->loss.text[0] != '\0';
}

/* Checks at the end of a run; mean errors of one that ended early are of the part that was made. */
static void judge_end(const RgRolloutDef *def, RgRollout *out)
{
    RgRun *run = &def->study->run;
    if (!(out->tracking.mean_error <= def->bounds.error))
        rg_loss_add(&out->loss, RG_LOSS_error, "mean error of %.4g above %.4g", out->tracking.mean_error,
                    def->bounds.error);
    if (def->fall)
        rg_fall_end(def->fall, run, &def->bounds.fall, &out->loss);
    if (def->fall && !is_lost(out))
        rg_fall_keep(def->fall, out->step);
}

RgRollout rg_rollout(const RgRolloutDef *def, double h)
{
    RgRun *run = &def->study->run;
    RgRollout out = {.step = h, .error = {.status = RG_OK}};
    out.steps = (long long)ceil(def->duration / h - ROUNDING);
    if (rg_method_apply(def->method, def->control, h, def->rate, &out.error) != RG_OK ||
        rg_study_restart(def->study, &run->def, def->control->made, &out.error) != RG_OK)
        return out;
    if (def->fall)
        rg_fall_begin(def->fall, run, def->duration);
    double start = rg_study_cpu();
    for (long long k = 1; k <= out.steps && (def->to_the_end ? !out.loss.failed[RG_LOSS_refused] : !is_lost(&out));
         k++) {
        double left = def->duration - rg_world_time(run->world);
        advance(def, &out, k == out.steps ? fmin(h, left) : h);
        if (def->see && !is_lost(&out))
            def->see(run, k, out.steps, def->context);
    }
    out.cpu = rg_study_cpu() - start;
    if (run->control)
        out.tracking = rg_control_tracking(run->control);
    if (def->to_the_end || !is_lost(&out))
        judge_end(def, &out);
    out.stable = !is_lost(&out);
    return out;
}

json_t *rg_rollout_json(const RgRollout *r)
{
    return RG_JSON_OBJECT(
        {"step", rg_json_number(r->step)}, {"stable", json_boolean(r->stable)},
        {"why", r->stable ? json_null() : rg_json_text(r->loss.text)}, {"rules", rg_loss_json(&r->loss)},
        {"steps", json_integer(r->steps)}, {"mae", rg_json_number(r->stable ? r->tracking.mean_error : (double)NAN)},
        {"rms", rg_json_number(r->stable ? r->tracking.root_mean_square : (double)NAN)},
        {"largest_error", rg_json_number(r->stable ? r->tracking.largest_error : (double)NAN)},
        {"largest_effort", rg_json_number(r->tracking.largest_effort)}, {"largest_speed", rg_json_number(r->speed)},
        {"saturated_s", rg_json_number(r->tracking.saturated_time)},
        {"failed_samples", json_integer(r->tracking.failed)}, {"cpu_s", rg_json_number(r->cpu)});
}
