/*
 * run_loop.c - the steps of a run: length of the next one, totals, reasons to end early.
 *
 * A run ends early if a step is refused (e.g. for numbers that are not finite), or if a speed exceeds that of light.
 * run->refusal then has the reason and a remedy.
 */
#include "run/run.h"

#include "io/error.h"
#include "run/run_control.h"

#include <math.h>
#include <string.h>

double rg_run_next_step(const RgRun *run)
{
    /* The last step ends on the duration. */
    double left = run->duration - (double)run->steps_done * run->step;
    bool last = run->steps_done + 1 == run->steps;
    return last && fabs(left - run->step) > 1e-9 * run->step ? left : run->step;
}

static void add_report(RgRun *run, const RgStepReport *report)
{
    run->evaluations += report->evaluations;
    run->rejected += report->rejected;
    run->joint_error_max = fmax(run->joint_error_max, report->joint_error);
    run->redundant_rows = report->redundant_rows > run->redundant_rows ? report->redundant_rows : run->redundant_rows;
    if (report->dropped_products > 0 && run->dropped_steps++ == 0)
        run->dropped_t = report->t;
    run->dissipated += report->dissipated;
    run->projected += report->projected;
    run->fields += report->fields;
    run->attached += report->attached;
    rg_run_count_contacts(run, report);
    rg_run_count_control(run, report);
}

/* Whether the model has dampers or springs that the stepper treats explicitly. */
static bool may_be_stiff(const RgRun *run)
{
    bool implicit = strncmp(run->def.stepper, "semi-implicit", 13) == 0 && run->def.implicit_damping;
    bool any = false;
    int32_t joints = rg_model_info(run->model).joints;
    for (int32_t i = 1; i <= joints && !implicit; i++) {
        RgJointInfo joint = rg_model_joint(run->model, (RgJointId){i});
        for (int k = 0; k < joint.nv; k++)
            any = any || joint.dof[k].damping > 0.0 || joint.dof[k].stiffness > 0.0;
    }
    return any;
}

/* Possible reasons of a refused step. */
static const char *refusal_hint(const RgRun *run)
{
    static const char *const explicits[] = {"pd", "pid", "computed-torque", "foot-pd"};
    for (int i = 0; i < run->plan.control.ncontrollers; i++)
        for (size_t k = 0; k < sizeof explicits / sizeof explicits[0]; k++)
            if (strcmp(run->plan.control.controllers[i].kind, explicits[k]) == 0)
                return " (gains of explicit controllers are bounded by step, rate and delay: `rigor maxstep` "
                       "tells; "
                       "implicit-pd has no such bound)";
    return may_be_stiff(run) ? " (fast dampers or springs need the semi-implicit stepper or a smaller step)" : "";
}

static void set_refusal(RgRun *run, RgStatus status, const RgStepReport *report)
{
    rg_error_set(&run->refusal, status, run->plan.path, "step %lld refused at t = %.9g s: %s%s%s%s",
                 run->steps_done + 1, rg_world_time(run->world), rg_status_text(status),
                 report->offender[0] ? ": " : "", report->offender, refusal_hint(run));
}

/* A speed above that of light (m/s, or rad/s at a metre) ends the run like a refused step. */
bool rg_run_diverged(RgRun *run)
{
    const double light = 299792458.0;
    const double *v = rg_world_v(run->world);
    RgModelInfo info = rg_model_info(run->model);
    int worst = 0;
    for (int k = 1; k < info.nv; k++)
        worst = fabs(v[k]) > fabs(v[worst]) ? k : worst;
    if (info.nv == 0 || !(fabs(v[worst]) > light))
        return false;
    const char *name = "?";
    for (int i = 1; i <= info.joints; i++) {
        RgJointInfo joint = rg_model_joint(run->model, (RgJointId){.i = i});
        if (joint.v_index >= 0 && joint.v_index <= worst && worst < joint.v_index + joint.nv)
            name = joint.name;
    }
    rg_error_set(&run->refusal, RG_ERR_NOT_CONVERGED, run->plan.path,
                 "the motion diverged: joint '%s' moves at %.3g, faster than light, after t = %.9g s%s", name,
                 fabs(v[worst]), rg_world_time(run->world), refusal_hint(run));
    return true;
}

bool rg_run_advance(RgRun *run, RgStepReport *report)
{
    RgStatus status = rg_run_step(run, rg_run_next_step(run), report);
    if (status != RG_OK) {
        set_refusal(run, status, report);
        return false;
    }
    run->steps_done++;
    add_report(run, report);
    rg_run_watch(run);
    return true;
}
