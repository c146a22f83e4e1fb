/*
 * report_summary.c - the tables of a report: results of a run, changes of energy, settings.
 *
 * The page shows any JSON as tables: single values become rows, objects get a heading, lists of objects become tables.
 */
#include "run/report.h"

#include "io/json_out.h"
#include "run/run_control.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put(json_t *out, const char *name, json_t *value)
{
    json_object_set_new(out, name, value);
}

static void put_number(json_t *out, const char *name, double value)
{
    put(out, name, rg_json_number(value));
}

/* ------------------------------------------------------------------ results */

static const char *ending(const RgRun *run)
{
    return run->refusal.status != RG_OK ? "refused" : run->interrupted ? "interrupted" : "completed";
}

static json_t *energy_rows(const RgRun *run)
{
    json_t *out = json_object();
    double before = run->before.kinetic + run->before.potential, after = run->after.kinetic + run->after.potential;
    put_number(out, "at the start, J", before);
    put_number(out, "at the end, J", after);
    put_number(out, "change, J", after - before);
    put_number(out, "kinetic at the end, J", run->after.kinetic);
    put_number(out, "potential at the end, J", run->after.potential);
    return out;
}

static void add_share(json_t *list, const char *what, double joules, const char *meaning)
{
    json_t *row = json_object();
    put(row, "what", json_string(what));
    put_number(row, "energy, J", joules);
    put(row, "meaning", json_string(meaning));
    json_array_append_new(list, row);
}

/* Energy added by each stabilisation and regularisation. */
static json_t *stabilisation_rows(const RgRun *run)
{
    const RgSolverWork *w = &run->totals.work;
    json_t *list = json_array();
    add_share(list, "dissipation", -run->dissipated, "scaling of velocities after every step (--dissipation)");
    add_share(list, "projection", run->projected, "loops and joints moved back together (--stabilise)");
    if (run->plan.nattachments > 0)
        add_share(list, "attachments", run->attached, "joints made and released: impacts, energy of released springs");
    add_share(list, "position correction", w->erp, "overlaps, limits and joints corrected through velocities (erp)");
    add_share(list, "split impulse", w->split, "potential energy of overlaps corrected by motion alone");
    add_share(list, "inertia ratio", w->inertia, "moments of inertia moved across hinges");
    add_share(list, "sleeping", -run->totals.slept, "kinetic energy of bodies that fell asleep");
    return list;
}

static json_t *solver_rows(const RgRun *run)
{
    const RgSolverWork *w = &run->totals.work;
    json_t *list = json_array();
    add_share(list, "friction", w->friction, "of contacts and joints");
    add_share(list, "restitution", w->restitution, "bounces");
    add_share(list, "impacts", w->impacts, "lost in impacts; never above 0");
    add_share(list, "springs", w->springs, "springs, dampers and soft contacts within the solver");
    add_share(list, "motors", w->motors, "motors and rows of the user");
    add_share(list, "rest", w->rest, "compliance, closing gaps, unfinished sweeps");
    return list;
}

static json_t *contact_rows(const RgRun *run)
{
    const RgContactTotals *t = &run->totals;
    json_t *out = json_object();
    put(out, "contact points at the end", json_integer(t->contacts));
    put(out, "most contact points", json_integer(t->contacts_max));
    bool exact = rg_solver_is_exact(run->def.solver);
    if (t->islands > 0)
        put(out, "islands at the end", json_integer(t->islands));
    put(out, exact ? "iterations of all steps" : "sweeps of all steps", json_integer(t->sweeps_total));
    put(out, exact ? "most iterations in a step" : "most sweeps in a step", json_integer(t->sweeps_max));
    put(out, "steps that ended above the tolerance", json_integer(t->unfinished_steps));
    if (t->unfinished_steps > 0) {
        put_number(out, "worst residual of these steps, N", t->unfinished_force);
        put_number(out, "worst residual of these steps, m/s", t->unfinished_velocity);
    }
    put(out, "steps whose impulses were scaled back, since they added energy", json_integer(t->guarded_steps));
    if (exact)
        put(out, "steps in which contacts began to slip that might as well stick", json_integer(t->ambiguous_steps));
    if (exact)
        put(out, "steps in which other solvers were tried", json_integer(t->fallback_steps));
    put_number(out, "residual of the last step", t->residual);
    put(out, "bodies asleep at the end", json_integer(t->sleeping));
    return out;
}

/* Final state of joints with one position. */
static json_t *joint_rows(RgRun *run)
{
    json_t *list = json_array();
    int32_t joints = rg_model_info(run->model).joints;
    for (int32_t i = 1; i <= joints; i++) {
        RgJointInfo joint = rg_model_joint(run->model, (RgJointId){i});
        double q, v;
        if (joint.nq != 1 || rg_world_joint_position(run->world, (RgJointId){i}, &q) != RG_OK ||
            rg_world_joint_rate(run->world, (RgJointId){i}, &v) != RG_OK)
            continue;
        json_t *row = json_object();
        put(row, "joint", rg_json_text(rg_plan_joint_name(&run->plan, run->model, (RgJointId){i})));
        put_number(row, "position", q);
        put_number(row, "rate", v);
        put_number(row, "lower", joint.dof[0].lower);
        put_number(row, "upper", joint.dof[0].upper);
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *inner_step_rows(const RgRun *run)
{
    RgStepStatistics s = rg_world_step_statistics(run->world);
    json_t *out = json_object();
    put(out, "number", json_integer(s.steps));
    put_number(out, "mean, s", s.steps > 0 ? s.time / (double)s.steps : NAN);
    put_number(out, "least, s", s.least);
    put_number(out, "most, s", s.most);
    put(out, "changes of manifolds", json_integer(s.manifold_changes));
    put_number(out, "least distance, m", s.least_distance);
    put(out, "plain", json_integer(s.plain));
    put_number(out, "plain, s", s.plain_time);
    json_t *list = json_array();
    for (int i = 0; i < RG_CUT_COUNT; i++) {
        json_t *row = json_object();
        put(row, "ended by", json_string(rg_cut_name((RgCut)i)));
        put(row, "steps", json_integer(s.cut[i]));
        put(row, "rejected tries", json_integer(s.rejected[i]));
        json_array_append_new(list, row);
    }
    put(out, "what ended them", list);
    return out;
}

static json_t *control_rows(const RgRun *run)
{
    RgTracking t = rg_control_tracking(run->control);
    const RgControlTotals *g = &run->shortfalls;
    json_t *out = json_object();
    put(out, "samples", json_integer(t.samples));
    put(out, "samples without a command", json_integer(t.failed));
    put_number(out, "mean error, rad or m", t.mean_error);
    put_number(out, "root mean square error, rad or m", t.root_mean_square);
    put_number(out, "largest error, rad or m", t.largest_error);
    put_number(out, "largest effort, N m or N", t.largest_effort);
    put_number(out, "time at limits, s, of all joints", t.saturated_time);
    put(out, "steps with missed targets", json_integer(g->target_steps));
    put(out, "steps with saturated efforts", json_integer(g->effort_steps));
    put(out, "steps with slipping contacts", json_integer(g->friction_steps));
    return out;
}

static json_t *controlled_rows(RgRun *run)
{
    json_t *list = json_array();
    for (int i = 0; i < rg_control_joints(run->control); i++) {
        RgJointTracking joint = rg_control_joint(run->control, i);
        json_t *row = json_object();
        put(row, "joint", rg_json_text(rg_run_control_joint_name(run, i)));
        put_number(row, "mean error", joint.mean_error);
        put_number(row, "rms error", joint.root_mean_square);
        put_number(row, "largest error", joint.largest_error);
        put_number(row, "largest effort", joint.largest_effort);
        put_number(row, "limit of effort", joint.max_effort);
        put_number(row, "time at a limit, s", joint.saturated_time);
        json_array_append_new(list, row);
    }
    return list;
}

json_t *rg_report_summary(RgRun *run)
{
    RgModelInfo info = rg_model_info(run->model);
    json_t *out = json_object(), *joints = joint_rows(run);
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, rg_world_hash(run->world));
    put(out, "model", rg_json_text(info.name));
    put(out, "file", rg_json_text(run->plan.path));
    put(out, "run", json_string(ending(run)));
    if (run->refusal.status != RG_OK)
        put(out, "refusal", rg_json_text(run->refusal.text));
    put_number(out, "simulated time, s", rg_world_time(run->world));
    put(out, "steps", json_integer(run->steps_done));
    put_number(out, "wall time, s", run->wall);
    put_number(out, "times real time", run->wall > 0.0 ? rg_world_time(run->world) / run->wall : NAN);
    put(out, "state hash", json_string(hash));
    put(out, "rigor", json_string(rg_version()));
    put(out, "links", json_integer(info.links));
    put(out, "degrees of freedom", json_integer(info.nv));
    put_number(out, "mass, kg", info.mass);
    put_number(out, "largest joint error, m or rad", run->joint_error_max);
    put(out, "energy", energy_rows(run));
    put(out, "what stabilisation did to the energy", stabilisation_rows(run));
    put(out, "what the solver did to the energy", solver_rows(run));
    put(out, "contact", contact_rows(run));
    if (run->control) {
        put(out, "control", control_rows(run));
        put(out, "controlled joints", controlled_rows(run));
    }
    if (rg_run_counts_events(run))
        put(out, "events", rg_run_json_events(run));
    if (rg_world_locates(run->world))
        put(out, "inner steps", inner_step_rows(run));
    if (json_array_size(joints) > 0)
        put(out, "joints at the end", json_incref(joints));
    json_decref(joints);
    json_t *remarks = rg_run_json_warnings(run);
    if (json_array_size(remarks) > 0)
        put(out, "remarks", json_incref(remarks));
    json_decref(remarks);
    return out;
}

/* ------------------------------------------------------------------ settings */

json_t *rg_report_settings(const RgRun *run)
{
    const RgSettings *settings = &run->settings;
    char name[64];
    json_t *out = rg_settings_json(settings, "");
    put_number(out, "step, s", run->step);
    put_number(out, "planned time, s", run->duration);
    snprintf(name, sizeof name, "stepper %s", run->def.stepper);
    put(out, name, rg_settings_json(settings, "stepper"));
    snprintf(name, sizeof name, "solver %s", run->def.solver);
    put(out, name, rg_settings_json(settings, "solver"));
    return out;
}
