/*
 * run_report.c - results of a run as text and as JSON.
 *
 * The summary includes what limits its meaning: limits that are not enforced, sweeps that ended early.
 */
#include "run/run.h"

#include "plan/attachments_file.h"

#include "io/json_out.h"
#include "run/run_control.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double energy(const RgMomentum *m)
{
    return m->kinetic + m->potential;
}

static double real_time_factor(const RgRun *run)
{
    return run->wall > 0.0 ? rg_world_time(run->world) / run->wall : NAN;
}

/* ------------------------------------------------------------------ remarks */

/* Number of joint axes with a property. */
static int count_axes(const RgModel *model, bool (*has)(const RgAxisDef *dof))
{
    int count = 0;
    int32_t joints = rg_model_info(model).joints;
    for (int32_t i = 1; i <= joints; i++) {
        RgJointInfo joint = rg_model_joint(model, (RgJointId){i});
        bool any = false;
        for (int k = 0; k < joint.nv; k++)
            any = any || has(&joint.dof[k]);
        count += any;
    }
    return count;
}

static bool has_damping(const RgAxisDef *dof)
{
    return dof->damping > 0.0;
}

static bool has_spring(const RgAxisDef *dof)
{
    return dof->stiffness > 0.0;
}

static bool has_dry_friction(const RgAxisDef *dof)
{
    return dof->friction > 0.0;
}

/* Joints beyond their limits, and the worst of them; NULL if none. */
static const RgLimitWatch *worst_limit(const RgRun *run, int *count)
{
    const RgLimitWatch *worst = NULL;
    *count = 0;
    for (int i = 0; i < run->nwatch; i++) {
        if (run->watch[i].excess <= RG_LIMIT_SLACK)
            continue;
        ++*count;
        if (!worst || run->watch[i].excess > worst->excess)
            worst = &run->watch[i];
    }
    return worst;
}

/* Number of joints with a constant effort or a motor that is not zero. */
static int count_driven(const RgRun *run, RgQuantity what)
{
    int count = 0;
    for (int i = 0; i < run->plan.nvalues; i++) {
        const RgPlanValue *value = &run->plan.values[i];
        bool driven = false;
        for (int k = 0; k < value->count; k++)
            driven = driven || value->values[k] != 0.0;

        /* Of a joint that is set twice the last value counts. */
        bool again = false;
        for (int k = i + 1; k < run->plan.nvalues; k++)
            again = again || (run->plan.values[k].what == value->what && run->plan.values[k].joint.i == value->joint.i);
        count += value->what == what && driven && !again;
    }
    return count;
}

/* Remarks about dampers, efforts and motors, which change the energy. */
static int energy_remarks(RgRun *run, const char **remarks)
{
    RgPool *pool = &run->plan.pool;
    int n = 0, damped = count_axes(run->model, has_damping), driven = count_driven(run, RG_QUANTITY_EFFORT),
        motors = count_driven(run, RG_QUANTITY_MOTOR) + count_driven(run, RG_QUANTITY_SERVO);
    if (damped)
        remarks[n++] = rg_pool_print(pool, "%d joint%s dampers: the change of energy includes what they dissipate",
                                     damped, damped == 1 ? " has" : "s have");
    if (driven)
        remarks[n++] =
            rg_pool_print(pool, "%d joint%s driven by efforts, which do work", driven, driven == 1 ? " is" : "s are");
    if (motors)
        remarks[n++] =
            rg_pool_print(pool, "%d joint%s a motor, which may do work", motors, motors == 1 ? " has" : "s have");
    return n;
}

/* Remarks about contacts and their solver. */
static int contact_remarks(RgRun *run, const char **remarks)
{
    RgPool *pool = &run->plan.pool;
    const RgContactTotals *t = &run->totals;
    bool exact = rg_solver_is_exact(run->def.solver), patches = rg_solver_takes_patches(run->def.solver);
    bool budget = !exact && (patches ? run->settings.quick.tolerance : run->settings.pgs.tolerance) <= 0.0;
    int n = 0;
    const char *plural = t->unfinished_steps == 1 ? "" : "s";
    if (t->guarded_steps > 0)
        remarks[n++] = rg_pool_print(pool,
                                     "in %lld step%s the solver's impulses would have added energy: they "
                                     "were scaled down",
                                     t->guarded_steps, t->guarded_steps == 1 ? "" : "s");
    if (t->fallback_steps > 0)
        remarks[n++] = rg_pool_print(
            pool, "in %lld step%s solvers other than %s were tried too, and the best solution was used (last: %s)",
            t->fallback_steps, t->fallback_steps == 1 ? "" : "s", run->def.solver,
            t->solved_by ? t->solved_by : run->def.solver);
    if (t->ambiguous_steps > 0)
        remarks[n++] =
            rg_pool_print(pool,
                          "in %lld step%s contacts began to slip although they might stick, first at t = "
                          "%.4g s: the law permits both, and %s found one of them",
                          t->ambiguous_steps, t->ambiguous_steps == 1 ? "" : "s", t->ambiguous_t, run->def.solver);
    if (t->unfinished_steps > 0 && exact)
        remarks[n++] =
            rg_pool_print(pool, "in %lld step%s the solver ended above its tolerance; worst residual %.2g m/s",
                          t->unfinished_steps, plural, t->residual_worst);
    else if (t->unfinished_steps > 0 && !budget)
        remarks[n++] = rg_pool_print(pool,
                                     "in %lld step%s the solver ended above its tolerance (--iterations); worst "
                                     "residual %.2g N, %.2g m/s",
                                     t->unfinished_steps, plural, t->unfinished_force, t->unfinished_velocity);
    else if (t->unfinished_steps > 0 && !patches)
        remarks[n++] =
            rg_pool_print(pool,
                          "in %lld step%s the sweeps ended before the solution; worst residual %.2g N, %.2g m/s: "
                          "what is held or stands may creep or fall (--iterations, --solver quick)",
                          t->unfinished_steps, plural, t->unfinished_force, t->unfinished_velocity);
    if (t->explicit_refused > 0)
        remarks[n++] = rg_pool_print(pool, "%d damper%s too strong for damping_in_sweeps: taken as rows",
                                     t->explicit_refused, t->explicit_refused == 1 ? " is" : "s are");
    const char *hints = rg_plan_unused_hints(&run->plan, run->model, &run->settings);
    if (hints && t->contacts_max > 0)
        remarks[n++] = hints;
    return n;
}

/* Remarks about the run itself; returns their number. */
enum { REMARKS_MAX = 16 };
static int run_remarks(RgRun *run, const char *remarks[REMARKS_MAX])
{
    RgPool *pool = &run->plan.pool;
    int n = 0, beyond;
    for (int what = 0; what < 2; what++)
        if (run->missed[what].i)
            remarks[n++] = rg_pool_print(
                pool, "the initial %s of %s contradicts loops or couplings: it starts with the nearest found",
                what == RG_QUANTITY_RATE ? "rate" : "position",
                rg_plan_joint_name(&run->plan, run->model, run->missed[what]));
    const RgLimitWatch *worst = worst_limit(run, &beyond);
    const char *unit = worst ? rg_axis_unit(run->model, worst->joint, worst->dof) : NULL;
    if (worst)
        remarks[n++] = rg_pool_print(
            pool, "%d joint %s position limits, worst %s by %.3g %s beyond [%.4g, %.4g] %s, first at t = %.4g s%s",
            beyond, beyond == 1 ? "axis passed its" : "axes passed their",
            rg_plan_joint_name(&run->plan, run->model, worst->joint), worst->excess, unit, worst->lower, worst->upper,
            unit, worst->first, run->def.position_limits ? "" : ": limits are not enforced");
    n += contact_remarks(run, remarks + n);
    n += energy_remarks(run, remarks + n);
    if (run->redundant_rows)
        remarks[n++] = rg_pool_print(pool, "%d constraint row%s redundant: the reactions are not unique",
                                     run->redundant_rows, run->redundant_rows == 1 ? " is" : "s are");
    if (run->dropped_steps > 0)
        remarks[n++] =
            rg_pool_print(pool,
                          "in %lld step%s bodies on joints turned by more than a radian, first at t = %.4g s: their "
                          "velocity products were dropped, and the energy is not kept (--step)",
                          run->dropped_steps, run->dropped_steps == 1 ? "" : "s", run->dropped_t);
    return n;
}

/* ------------------------------------------------------------------ text */

/* Name of the change of energy: the stepper's error (drift) if nothing does work. */
static const char *change_name(const RgRun *run)
{
    bool damped = count_axes(run->model, has_damping) > 0, sprung = count_axes(run->model, has_spring) > 0;
    if (!run->control || run->totals.touched || count_axes(run->model, has_dry_friction) > 0 ||
        count_driven(run, RG_QUANTITY_EFFORT) + count_driven(run, RG_QUANTITY_MOTOR) > 0)
        return run->control || run->totals.contacts_max > 0 || run->totals.sweeps_max > 0 ? "change" : "drift";
    return damped && sprung ? "done by controllers, dampers and springs"
           : damped         ? "done by controllers and dampers"
           : sprung         ? "done by controllers and springs"
                            : "done by controllers";
}

void rg_run_print(RgRun *run, FILE *out)
{
    RgModelInfo info = rg_model_info(run->model);
    double t = rg_world_time(run->world), e0 = energy(&run->before), e1 = energy(&run->after);
    fprintf(out, "model          %s: %d links, %d degrees of freedom, %.6g kg\n", info.name, info.links, info.nv,
            info.mass);
    fprintf(out, "coordinates    %s\n", run->def.coords);
    fprintf(out, "stepper        %s, step %.6g s\n", run->def.stepper, run->step);
    fprintf(out, "simulated      %.9g s in %lld steps%s\n", t, run->steps_done,
            run->refusal.status != RG_OK ? ", then refused"
            : run->interrupted           ? ", then interrupted"
                                         : "");
    fprintf(out, "wall time      %.4g s", run->wall);
    if (run->steps_done > 0 && run->wall > 0.0)
        fprintf(out, ": %.4g times real time, %.4g steps/s", real_time_factor(run),
                (double)run->steps_done / run->wall);
    fprintf(out, "\nenergy         %.9g J at the start, %.9g J at the end, %s %.3g J\n", e0, e1, change_name(run),
            e1 - e0);
    rg_run_print_control(run, out);
    if (run->totals.contacts_max > 0 || run->totals.sweeps_max > 0)
        rg_run_print_totals(run, out);
    rg_run_print_events(run, out);
    if (run->def.dissipation > 0.0)
        fprintf(out, "dissipated     %.6g J by the dissipation option\n", run->dissipated);
    if (run->plan.nfields > 0)
        fprintf(out, "fields         %.6g J taken by damping fields\n", 0.0 - run->fields);
    rg_attachments_print(&run->plan, run->world, run->attached, out);
    fprintf(out, "joint error    %.3g m or rad at worst\n", run->joint_error_max);
    fprintf(out, "state hash     %016" PRIx64 "\n", rg_world_hash(run->world));
    rg_run_print_couplings(run, out);
    for (int i = 0; i < RG_RUN_OUTPUTS; i++)
        if (run->outputs[i].path && !run->outputs[i].is_temporary)
            fprintf(out, "recorded       %s, %lld rows\n", run->outputs[i].path, run->outputs[i].rows);
    if (run->plan.events)
        fprintf(out, "event list     %s\n", run->plan.events);
    if (run->plan.certificate)
        fprintf(out, "certificate    %s\n", run->plan.certificate);
    const char *remarks[REMARKS_MAX];
    int n = run_remarks(run, remarks);
    for (int i = 0; i < n; i++)
        fprintf(out, "remark: %s\n", remarks[i]);
    if (run->plan.list_contacts)
        rg_run_print_contacts(run, out);
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_momentum(const RgMomentum *m)
{
    return RG_JSON_OBJECT({"com", rg_json_vec3(m->com)}, {"linear", rg_json_vec3(m->linear)},
                          {"angular", rg_json_vec3(m->angular)}, {"kinetic", rg_json_number(m->kinetic)},
                          {"potential", rg_json_number(m->potential)});
}

/* Positions and rates of the joints by name, and of floating links. */
static void add_final_state(RgRun *run, json_t *out)
{
    RgModelInfo info = rg_model_info(run->model);
    json_t *positions = json_object(), *rates = json_object(), *floating = json_object();
    double x[RG_PLAN_VALUES_MAX];
    for (int32_t i = 1; i <= info.joints; i++) {
        RgJointInfo joint = rg_model_joint(run->model, (RgJointId){i});
        const char *name = rg_plan_joint_name(&run->plan, run->model, (RgJointId){i});
        if (joint.nv == 0)
            continue;
        if (rg_world_joint_position(run->world, (RgJointId){i}, x) == RG_OK)
            json_object_set_new(positions, name, rg_json_values(x, joint.nq));
        if (rg_world_joint_rate(run->world, (RgJointId){i}, x) == RG_OK)
            json_object_set_new(rates, name, rg_json_values(x, joint.nv));
    }
    const double *q = rg_world_q(run->world), *v = rg_world_v(run->world);
    for (int32_t i = 1; i <= info.links; i++) {
        RgLinkInfo link = rg_model_link(run->model, (RgLinkId){i});
        if (!link.floats || link.q_index < 0)
            continue;
        json_t *item = RG_JSON_OBJECT({"quaternion", rg_json_numbers(q + link.q_index, 4)},
                                      {"position", rg_json_numbers(q + link.q_index + 4, 3)},
                                      {"angular_velocity", rg_json_numbers(v + link.v_index, 3)},
                                      {"velocity", rg_json_numbers(v + link.v_index + 3, 3)});
        json_object_set_new(floating, rg_plan_link_name(&run->plan, run->model, (RgLinkId){i}), item);
    }
    json_object_set_new(out, "joint_positions", positions);
    json_object_set_new(out, "joint_rates", rates);
    json_object_set_new(out, "floating_links", floating);
}

static json_t *json_violations(RgRun *run)
{
    json_t *out = json_array();
    for (int i = 0; i < run->nwatch; i++) {
        const RgLimitWatch *watch = &run->watch[i];
        if (watch->excess <= RG_LIMIT_SLACK)
            continue;
        json_t *item =
            RG_JSON_OBJECT({"joint", rg_json_text(rg_plan_joint_name(&run->plan, run->model, watch->joint))},
                           {"axis", json_integer(watch->dof)}, {"lower", rg_json_number(watch->lower)},
                           {"upper", rg_json_number(watch->upper)}, {"excess", rg_json_number(watch->excess)},
                           {"first_time", rg_json_number(watch->first)});
        json_array_append_new(out, item);
    }
    return out;
}

static json_t *json_outside(RgRun *run)
{
    json_t *out = json_array();
    for (int i = 0; i < run->noutside; i++) {
        const RgOutside *outside = &run->outside[i];
        RgJointInfo joint = rg_model_joint(run->model, outside->joint);
        json_t *item = RG_JSON_OBJECT(
            {"joint", rg_json_text(rg_plan_joint_name(&run->plan, run->model, outside->joint))},
            {"axis", json_integer(outside->dof)}, {"position", rg_json_number(outside->position)},
            {"lower", rg_json_number(joint.dof[outside->dof].lower)},
            {"upper", rg_json_number(joint.dof[outside->dof].upper)}, {"excess", rg_json_number(outside->excess)});
        json_array_append_new(out, item);
    }
    return out;
}

json_t *rg_run_json_warnings(RgRun *run)
{
    json_t *out = json_array();
    const char *remarks[REMARKS_MAX];
    int n = run_remarks(run, remarks);
    for (int i = 0; i < run->plan.nremarks; i++) {
        const RgRemark *r = &run->plan.remarks[i];
        const char *line = r->line > 0 ? rg_pool_print(&run->plan.pool, "%d: ", r->line) : " ";
        json_array_append_new(
            out, rg_json_text(rg_pool_print(&run->plan.pool, "%s:%s%s", r->file ? r->file : "rigor", line, r->text)));
    }
    for (int i = 0; i < n; i++)
        json_array_append_new(out, rg_json_text(remarks[i]));
    return out;
}

static void add_result(RgRun *run, json_t *out)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, rg_world_hash(run->world));
    bool refused = run->refusal.status != RG_OK;
    RG_JSON_SET(out,
                {"status", json_string(refused            ? "refused"
                                       : run->interrupted ? "interrupted"
                                                          : "ok")},
                {"error", refused ? rg_json_text(run->refusal.text) : json_null()},
                {"time", rg_json_number(rg_world_time(run->world))}, {"steps", json_integer(run->steps_done)},
                {"wall_s", rg_json_number(run->wall)}, {"real_time_factor", rg_json_number(real_time_factor(run))},
                {"state_hash", json_string(hash)}, {"energy_initial", rg_json_number(energy(&run->before))},
                {"energy_final", rg_json_number(energy(&run->after))});
    double change = energy(&run->after) - energy(&run->before);
    RG_JSON_SET(out, {"energy_change", rg_json_number(change)},
                {"energy_drift", run->control ? json_null() : rg_json_number(change)},
                {"dissipated", rg_json_number(run->dissipated)}, {"projected", rg_json_number(run->projected)},
                {"fields", rg_json_number(run->fields)}, {"attached", rg_json_number(run->attached)},
                {"attachments", rg_attachments_json(&run->plan, run->world)},
                {"joint_error_max", rg_json_number(run->joint_error_max)},
                {"assembly_error", rg_json_number(run->assembly_error)},
                {"evaluations", json_integer(run->evaluations)}, {"rejected", json_integer(run->rejected)},
                {"redundant_rows", json_integer(run->redundant_rows)},
                {"dropped_product_steps", json_integer(run->dropped_steps)},
                {"momentum_initial", json_momentum(&run->before)}, {"momentum_final", json_momentum(&run->after)});
}

json_t *rg_run_json(RgRun *run)
{
    RgModelInfo info = rg_model_info(run->model);
    json_t *out = RG_JSON_OBJECT(
        {"file", rg_json_text(run->plan.path)}, {"model", rg_json_text(info.name)}, {"links", json_integer(info.links)},
        {"dof", json_integer(info.nv)}, {"nq", json_integer(info.nq)}, {"nv", json_integer(info.nv)},
        {"mass", rg_json_number(info.mass)}, {"coords", json_string(run->def.coords)},
        {"stepper", json_string(run->def.stepper)}, {"stepper_settings", rg_run_json_stepper_settings(run)},
        {"settings", rg_settings_json_by_key(&run->settings)}, {"step", rg_json_number(run->step)},
        {"duration", rg_json_number(run->duration)}, {"gravity", rg_json_vec3(run->def.gravity)});
    add_result(run, out);
    json_t *recorded = json_array();
    long long rows = 0;
    for (int i = RG_RUN_OUTPUTS - 1; i >= 0; i--) {
        if (!run->outputs[i].path || run->outputs[i].is_temporary)
            continue;
        json_array_insert_new(recorded, 0, rg_json_text(run->outputs[i].path));
        rows = run->outputs[i].rows;
    }
    json_object_set_new(out, "recorded", recorded);
    json_object_set_new(out, "rows", json_integer(rows));
    add_final_state(run, out);
    rg_run_json_contacts(run, out);
    RG_JSON_SET(out, {"couplings", rg_run_json_couplings(run)}, {"control", rg_run_json_control(run)},
                {"events", rg_run_json_events(run)}, {"inner_steps", rg_run_json_inner_steps(run)},
                {"outside_at_start", json_outside(run)}, {"limit_violations", json_violations(run)},
                {"warnings", rg_run_json_warnings(run)});
    return out;
}

bool rg_run_write_json(RgRun *run, const char *path)
{
    return rg_json_write(rg_run_json(run), path);
}
