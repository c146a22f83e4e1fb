/*
 * run_tracking.c - results of the controllers of a run: tracking errors, efforts, saturation, shortfalls; as text and
 * as JSON.
 *
 * Errors are target minus actual position: mean absolute, root mean square and largest, over joints and time, in rad
 * and m together. Shortfalls: targets missed by hard drives, saturated drives and motors, slipping contacts; counted
 * are the steps with at least one.
 */
#include "run/run_control.h"

#include "io/json_out.h"

#include <math.h>
#include <string.h>

enum { JOINTS_SHOWN = 12, NAMES_SHOWN = 6 };

/* Counts the beginnings of saturation by joint. */
static void count_saturations(RgRun *run)
{
    RgControlTotals *g = &run->shortfalls;
    int64_t saturated = rg_control_tracking(run->control).saturated;
    bool now_none = saturated == g->saturated;
    g->saturated = saturated;
    if (now_none && !g->some_saturated)
        return;
    g->some_saturated = !now_none;
    int n = rg_control_joints(run->control);
    if (!g->saturations)
        g->saturations = rg_pool_take(&run->plan.pool, (size_t)n + 1, sizeof *g->saturations);
    for (int i = 0; i < n; i++) {
        RgSaturation *s = &g->saturations[i];
        bool now = rg_control_joint(run->control, i).saturated;
        if (now && s->times == 0)
            s->first = rg_world_time(run->world);
        s->times += now && !s->now;
        s->now = now;
    }
}

/* The link of a shape, or the shape's own name in the world. */
static const char *shape_name(const RgRun *run, RgShapeId shape)
{
    RgShapeInfo info = rg_model_shape(run->model, shape);
    return info.link.i > 0 ? rg_model_link(run->model, info.link).name : info.name != NULL ? info.name : "world";
}

/* Contradictory targets of the last step: "targets of a, b contradict each other", "target of a cannot be met: limit
   of b; floor". */
static const char *describe_contradiction(RgRun *run)
{
    const RgShortfall *shortfalls;
    RgPool *pool = &run->plan.pool;
    const char *targets = "", *against = "";
    int n = rg_world_shortfalls(run->world, &shortfalls), ntargets = 0, nagainst = 0;
    for (int i = 0; i < n; i++) {
        bool conflict = shortfalls[i].kind == RG_SHORTFALL_CONTRADICTION;
        if (!conflict && shortfalls[i].kind != RG_SHORTFALL_AGAINST)
            continue;
        int *count = conflict ? &ntargets : &nagainst;
        if ((*count)++ >= NAMES_SHOWN)
            continue;
        const char *comma = *count > 1 ? ", " : "";
        if (conflict)
            targets =
                rg_pool_print(pool, "%s%s%s", targets, comma, rg_model_joint(run->model, shortfalls[i].joint).name);
        else if (shortfalls[i].joint.i > 0)
            against = rg_pool_print(pool, "%s%slimit of %s", against, comma,
                                    rg_model_joint(run->model, shortfalls[i].joint).name);
        else
            against = rg_pool_print(pool, "%s%scontact of %s with %s", against, comma,
                                    shape_name(run, shortfalls[i].shape_a), shape_name(run, shortfalls[i].shape_b));
    }
    const char *more = ntargets > NAMES_SHOWN ? rg_pool_print(pool, " and %d more", ntargets - NAMES_SHOWN) : "";
    if (nagainst > NAMES_SHOWN)
        against = rg_pool_print(pool, "%s and %d more", against, nagainst - NAMES_SHOWN);
    return nagainst > 0
               ? rg_pool_print(pool, "target%s of %s%s cannot be met: %s", ntargets == 1 ? "" : "s", targets, more,
                               against)
               : rg_pool_print(pool, "targets of %s%s contradict each other or the loops they are in", targets, more);
}

static void count_contradictions(RgRun *run, const RgStepReport *report)
{
    RgControlTotals *g = &run->shortfalls;
    if (report->contradictions == 0)
        return;
    if (g->contradicted_steps++ == 0) {
        g->contradicted_first = rg_world_time(run->world);
        g->contradiction = describe_contradiction(run);
    }
}

void rg_run_count_control(RgRun *run, const RgStepReport *report)
{
    RgControlTotals *g = &run->shortfalls;
    g->target_steps += report->missed_targets > 0;
    g->effort_steps += report->saturated_efforts > 0;
    g->friction_steps += report->slipping_pairs > 0;
    g->targets = report->missed_targets > g->targets ? report->missed_targets : g->targets;
    g->efforts = report->saturated_efforts > g->efforts ? report->saturated_efforts : g->efforts;
    g->pairs = report->slipping_pairs > g->pairs ? report->slipping_pairs : g->pairs;
    g->worst_target = fmax(g->worst_target, report->worst_target);
    count_contradictions(run, report);
    if (run->control)
        count_saturations(run);
}

/* ------------------------------------------------------------------ units */

static bool is_length(const RgRun *run, const RgJointTracking *joint)
{
    return rg_model_joint(run->model, joint->joint).is_length[joint->dof];
}

/* The unit of all joints together. */
static const char *common_unit(const RgRun *run, const char *length, const char *angle, const char *both)
{
    int n = rg_control_joints(run->control), lengths = 0;
    for (int i = 0; i < n; i++) {
        RgJointTracking joint = rg_control_joint(run->control, i);
        lengths += is_length(run, &joint);
    }
    return lengths == 0 ? angle : lengths == n ? length : both;
}

/* ------------------------------------------------------------------ text */

static void print_joints(RgRun *run, FILE *out)
{
    int n = rg_control_joints(run->control);
    fprintf(out, "  %-24s %10s %10s %10s     %12s %12s\n", "joint", "mean", "rms", "largest", "most effort ",
            "at limit");
    for (int i = 0; i < n && i < JOINTS_SHOWN; i++) {
        RgJointTracking joint = rg_control_joint(run->control, i);
        bool length = is_length(run, &joint);
        fprintf(out, "  %-24s %10.3g %10.3g %10.3g %-3s %8.4g %-3s %10.4g s\n", rg_run_control_joint_name(run, i),
                joint.mean_error, joint.root_mean_square, joint.largest_error, length ? "m" : "rad",
                joint.largest_effort, length ? "N" : "N m", joint.saturated_time);
    }
    if (n > JOINTS_SHOWN)
        fprintf(out, "  and %d more: --json has all\n", n - JOINTS_SHOWN);
}

/* Joints that were saturated: how often, and since when. */
static void print_saturations(RgRun *run, FILE *out)
{
    const RgSaturation *s = run->shortfalls.saturations;
    int n = s ? rg_control_joints(run->control) : 0, shown = 0;
    for (int i = 0; i < n; i++) {
        if (s[i].times == 0 || shown++ >= JOINTS_SHOWN)
            continue;
        fprintf(out, "%s%s %d time%s since t = %.4g s", shown == 1 ? "at a limit     " : ", ",
                rg_run_control_joint_name(run, i), s[i].times, s[i].times == 1 ? "" : "s", s[i].first);
    }
    if (shown > 0)
        fprintf(out, "%s\n", shown > JOINTS_SHOWN ? ", and more" : "");
}

static void print_shortfalls(const RgRun *run, FILE *out)
{
    const RgControlTotals *g = &run->shortfalls;
    int n = 0;
    if (g->target_steps + g->effort_steps + g->friction_steps == 0)
        return;
    fprintf(out, "shortfalls     ");
    if (g->target_steps > 0)
        fprintf(out, "%stargets in %lld steps, by %.3g %s at worst", n++ ? "; " : "", g->target_steps, g->worst_target,
                common_unit(run, "m/s", "rad/s", "rad/s or m/s"));
    if (g->effort_steps > 0)
        fprintf(out, "%sefforts in %lld steps, of %d joint%s at most", n++ ? "; " : "", g->effort_steps, g->efforts,
                g->efforts == 1 ? "" : "s");
    if (g->friction_steps > 0)
        fprintf(out, "%sfriction in %lld steps, %d slipping pair%s at most", n++ ? "; " : "", g->friction_steps,
                g->pairs, g->pairs == 1 ? "" : "s");
    fputc('\n', out);
    if (g->contradicted_steps > 0)
        fprintf(out, "contradiction  in %lld steps, solved by the nearest feasible targets; first at t = %.4g s: %s\n",
                g->contradicted_steps, g->contradicted_first, g->contradiction);
}

/* Kinds of the controllers, each once. */
static const char *kinds_of(RgRun *run)
{
    const RgPlanControl *plan = &run->plan.control;
    const char *all = "";
    for (int i = 0; i < plan->ncontrollers; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again = again || strcmp(plan->controllers[k].kind, plan->controllers[i].kind) == 0;
        if (!again)
            all = rg_pool_print(&run->plan.pool, "%s%s%s", all, i ? ", " : "", plan->controllers[i].kind);
    }
    return all;
}

void rg_run_print_control(RgRun *run, FILE *out)
{
    const RgPlanControl *plan = &run->plan.control;
    if (!run->control)
        return;
    RgTracking t = rg_control_tracking(run->control);
    int n = rg_control_joints(run->control);
    fprintf(out, "control        %s on %d joint%s: %lld samples", kinds_of(run), n, n == 1 ? "" : "s",
            (long long)t.samples);
    if (plan->rate > 0.0)
        fprintf(out, " at %.6g Hz", plan->rate);
    if (plan->delay > 0.0)
        fprintf(out, ", %.4g s late", plan->delay);
    if (t.failed > 0)
        fprintf(out, ", %lld of them without a command", (long long)t.failed);
    fprintf(out, "\ntracking       error %.3g %s in the mean, %.3g rms, %.3g at most\n", t.mean_error,
            common_unit(run, "m", "rad", "rad or m"), t.root_mean_square, t.largest_error);
    fprintf(out, "effort         %.4g %s at most; at a limit for %.4g s, summed over joints\n", t.largest_effort,
            common_unit(run, "N", "N m", "N m or N"), t.saturated_time);
    print_joints(run, out);
    print_saturations(run, out);
    print_shortfalls(run, out);
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_joint(RgRun *run, int index)
{
    RgJointTracking joint = rg_control_joint(run->control, index);
    json_t *out = RG_JSON_OBJECT({"joint", rg_json_text(rg_run_control_joint_name(run, index))},
                                 {"mean_error", rg_json_number(joint.mean_error)},
                                 {"rms_error", rg_json_number(joint.root_mean_square)},
                                 {"largest_error", rg_json_number(joint.largest_error)},
                                 {"largest_effort", rg_json_number(joint.largest_effort)},
                                 {"saturated_s", rg_json_number(joint.saturated_time)});
    const RgSaturation *s = run->shortfalls.saturations ? &run->shortfalls.saturations[index] : NULL;
    RG_JSON_SET(out, {"saturations", json_integer(s ? s->times : 0)},
                {"first_saturated", s && s->times > 0 ? rg_json_number(s->first) : json_null()},
                {"wanted_position", rg_json_number(joint.wanted.position)},
                {"wanted_velocity", rg_json_number(joint.wanted.velocity)},
                {"position", rg_json_number(joint.position)}, {"velocity", rg_json_number(joint.velocity)},
                {"effort", rg_json_number(joint.effort)});
    return out;
}

static json_t *json_shortfalls(const RgRun *run)
{
    const RgControlTotals *g = &run->shortfalls;
    return RG_JSON_OBJECT(
        {"target_steps", json_integer(g->target_steps)}, {"effort_steps", json_integer(g->effort_steps)},
        {"friction_steps", json_integer(g->friction_steps)}, {"targets_max", json_integer(g->targets)},
        {"efforts_max", json_integer(g->efforts)}, {"pairs_max", json_integer(g->pairs)},
        {"worst_target", rg_json_number(g->worst_target)}, {"contradicted_steps", json_integer(g->contradicted_steps)},
        {"contradiction", g->contradiction ? rg_json_text(g->contradiction) : json_null()});
}

json_t *rg_run_json_control(RgRun *run)
{
    const RgPlanControl *plan = &run->plan.control;
    if (!run->control)
        return json_null();
    RgTracking t = rg_control_tracking(run->control);
    json_t *out = json_object(), *controllers = json_array(), *joints = json_array();
    for (int i = 0; i < plan->ncontrollers; i++) {
        json_t *item = json_object();
        json_object_set_new(item, "kind", json_string(plan->controllers[i].kind));
        json_object_set_new(item, "name",
                            plan->controllers[i].name ? rg_json_text(plan->controllers[i].name) : json_null());
        const char *path = plan->controllers[i].trajectory.kind;
        json_object_set_new(item, "trajectory", path ? json_string(path) : json_null());
        json_array_append_new(controllers, item);
    }
    for (int i = 0; i < rg_control_joints(run->control); i++)
        json_array_append_new(joints, json_joint(run, i));
    RG_JSON_SET(
        out, {"controllers", controllers}, {"rate", plan->rate > 0.0 ? rg_json_number(plan->rate) : json_null()},
        {"delay", rg_json_number(plan->delay > 0.0 ? plan->delay : 0.0)}, {"samples", json_integer(t.samples)},
        {"failed", json_integer(t.failed)}, {"mean_error", rg_json_number(t.mean_error)},
        {"rms_error", rg_json_number(t.root_mean_square)}, {"largest_error", rg_json_number(t.largest_error)},
        {"largest_effort", rg_json_number(t.largest_effort)}, {"saturated", json_integer(t.saturated)},
        {"saturated_s", rg_json_number(t.saturated_time)}, {"joints", joints}, {"shortfalls", json_shortfalls(run)});
    return out;
}
