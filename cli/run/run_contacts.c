/*
 * run_contacts.c - the contact report of a run, as tables and as JSON: forces of every contact point and joint in the
 * last step, and the solver's work over all steps.
 *
 * Forces are means over the last step, on the second shape of a pair. A point is open (no force), sticks, or slips. A
 * joint's reaction is the wrench of its parent on its child about the joint frame.
 */
#include "run/run.h"

#include "io/json_out.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTACTS_SHOWN = 100 };

static double norm(RgVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

static double along(RgVec3 a, RgVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Magnitude of a force's tangential component. */
static double across(RgVec3 force, RgVec3 normal)
{
    double n = along(force, normal);
    return norm((RgVec3){force.x - n * normal.x, force.y - n * normal.y, force.z - n * normal.z});
}

/* 0 for numbers that would be printed as -0.0000. */
static double printed(double x)
{
    return fabs(x) < 5e-5 ? 0.0 : x;
}

static const char *state_name(RgContactState state)
{
    static const char *const names[] = {
        [RG_CONTACT_OPEN] = "open", [RG_CONTACT_STICK] = "stick", [RG_CONTACT_SLIP] = "slip"};
    return names[state];
}

/* ------------------------------------------------------------------ totals over all steps */

/* Whether a point of the last step carries a force; points within the margin carry none. */
static bool some_touch(RgWorld *world)
{
    const RgContactForce *forces;
    int count = rg_world_contact_forces(world, &forces);
    bool some = false;
    for (int i = 0; i < count && !some; i++)
        some = norm(forces[i].force) > 0.0;
    return some;
}

static void count_unfinished(RgContactTotals *t, const RgStepReport *report)
{
    if (report->unfinished == 0)
        return;
    t->unfinished_steps++;
    if (report->residual_force > t->unfinished_force) {
        t->unfinished_force = report->residual_force;
        t->unfinished_force_t = report->t;
    }
    if (report->residual_velocity > t->unfinished_velocity) {
        t->unfinished_velocity = report->residual_velocity;
        t->unfinished_velocity_t = report->t;
    }
}

void rg_run_count_contacts(RgRun *run, const RgStepReport *report)
{
    RgContactTotals *t = &run->totals;
    t->contacts = report->contacts;
    t->islands = report->islands;
    t->sweeps = report->sweeps;
    t->residual = report->residual;
    t->residual_impulse = report->residual_impulse;
    t->residual_velocity = report->residual_velocity;
    t->residual_worst = fmax(t->residual_worst, report->residual_velocity);
    t->contacts_max = report->contacts > t->contacts_max ? report->contacts : t->contacts_max;
    t->sweeps_max = report->sweeps > t->sweeps_max ? report->sweeps : t->sweeps_max;
    t->sweeps_total += report->sweeps;
    if (!t->touched && report->contacts > 0)
        t->touched = some_touch(run->world);
    count_unfinished(t, report);
    t->guarded_steps += report->guarded > 0;
    if (report->ambiguous > 0 && t->ambiguous_steps++ == 0)
        t->ambiguous_t = report->t;
    t->fallback_steps += report->fallbacks > 0;
    t->solved_by = report->fallbacks > 0 ? report->solved_by : t->solved_by;
    t->explicit_refused =
        report->explicit_refused > t->explicit_refused ? report->explicit_refused : t->explicit_refused;
    t->contact_work += report->contact_work;
    t->sleeping = report->sleeping;
    t->slept += report->slept;
    t->work = report->work_sum;
}

/* ------------------------------------------------------------------ text */

static bool is_quick(const RgRun *run)
{
    return rg_solver_takes_patches(run->def.solver);
}

/* The parts of the solver's work that are not zero. */
static void print_work(const RgRun *run, FILE *out)
{
    const RgSolverWork *w = &run->totals.work;
    const struct {
        const char *name;
        double value;
    } parts[] = {
        {"erp", w->erp},           {"restitution", w->restitution}, {"springs", w->springs}, {"motors", w->motors},
        {"friction", w->friction}, {"impacts", w->impacts},         {"inertia", w->inertia}, {"rest", w->rest}};
    fprintf(out, "solver's work  %.4g J", w->total);
    for (size_t i = 0, n = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].value != 0.0)
            fprintf(out, "%s %s %.3g", n++ ? "," : ":", parts[i].name, parts[i].value);
    if (w->split != 0.0)
        fprintf(out, "; moved by split impulse %.3g", w->split);
    fprintf(out, "\n");
}

/* Steps that the solver ended above its tolerance. */
static void print_unfinished(const RgRun *run, FILE *out)
{
    const RgContactTotals *t = &run->totals;
    if (t->unfinished_steps == 0)
        return;
    fprintf(out, "unfinished     %lld of %lld steps (%.3g %%); worst residual ", t->unfinished_steps, run->steps_done,
            100.0 * (double)t->unfinished_steps / (double)run->steps_done);
    if (t->unfinished_force > 0.0)
        fprintf(out, "%.3g N at t = %.6g s, ", t->unfinished_force, t->unfinished_force_t);
    fprintf(out, "%.3g m/s at t = %.6g s\n", t->unfinished_velocity, t->unfinished_velocity_t);
}

/* Only solvers that work by islands count them. */
static void print_contacts(const RgContactTotals *t, FILE *out)
{
    fprintf(out, "contacts       %d point%s", t->contacts, t->contacts == 1 ? "" : "s");
    if (t->islands > 0)
        fprintf(out, " in %d island%s", t->islands, t->islands == 1 ? "" : "s");
    fprintf(out, " at the end, %d at most; %.4g J by them and by bounds of joints\n", t->contacts_max, t->contact_work);
}

void rg_run_print_totals(const RgRun *run, FILE *out)
{
    const RgContactTotals *t = &run->totals;
    double steps = run->steps_done > 0 ? (double)run->steps_done : 1.0;
    if (t->touched)
        print_contacts(t, out);
    else
        fprintf(out, "bounds         %.4g J by limits, dry friction and motors of joints\n", t->contact_work);
    if (!t->touched && t->contacts_max > 0)
        fprintf(out, "contacts       none: %d point%s within the margin at most, none carried a force\n",
                t->contacts_max, t->contacts_max == 1 ? "" : "s");
    fprintf(out, "solver         %s%s%s: %.3g %s a step, %d at most", run->def.solver,
            run->settings.preset ? ", preset " : "", run->settings.preset ? run->settings.preset : "",
            (double)t->sweeps_total / steps, rg_solver_is_exact(run->def.solver) ? "iterations" : "sweeps",
            t->sweeps_max);
    if (is_quick(run))
        fprintf(out, ", last residual %.2g\n", t->residual);
    else
        fprintf(out, ", last residual %.2g N s, %.2g m/s\n", t->residual_impulse, t->residual_velocity);
    print_unfinished(run, out);
    print_work(run, out);
    if (run->def.sleeping)
        fprintf(out, "asleep         %d bodies at the end; %.3g J lost by those that fell asleep\n", t->sleeping,
                t->slept);
}

static void print_points(RgRun *run, const RgContactForce *forces, int count, FILE *out)
{
    fprintf(out, "\n%d contact point%s in the last step\n", count, count == 1 ? "" : "s");
    if (count == 0)
        return;
    fprintf(out, "%26s  %20s  %10s %10s  %9s  %9s  %-5s  %s\n", "point m", "normal", "normal N", "friction N", "gap m",
            "slip m/s", "state", "pair");
    RgVec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        const RgContactForce *c = &forces[i];
        sum = (RgVec3){sum.x + c->force.x, sum.y + c->force.y, sum.z + c->force.z};
        if (i >= CONTACTS_SHOWN)
            continue;
        fprintf(out, "%8.4f %8.4f %8.4f  %6.3f %6.3f %6.3f  %10.4f %10.4f  %9.2g  %9.2g  %-5s  %s - %s\n",
                printed(c->point.x), printed(c->point.y), printed(c->point.z), printed(c->normal.x),
                printed(c->normal.y), printed(c->normal.z), along(c->force, c->normal), across(c->force, c->normal),
                c->gap, norm(c->slip), state_name(c->state), rg_plan_shape_name(&run->plan, run->model, c->shape_a),
                rg_plan_shape_name(&run->plan, run->model, c->shape_b));
    }
    if (count > CONTACTS_SHOWN)
        fprintf(out, "... and %d more (--json lists all)\n", count - CONTACTS_SHOWN);
    fprintf(out, "sum of forces on the second shapes: %.6g %.6g %.6g N\n", sum.x, sum.y, sum.z);
}

/* Reactions and motor efforts of joints. */
static void print_joints(RgRun *run, FILE *out)
{
    int32_t joints = rg_model_info(run->model).joints;
    if (joints == 0)
        return;
    fprintf(out, "\n%d joint%s: wrench on the child about the joint, effort of its motors\n", joints,
            joints == 1 ? "" : "s");
    fprintf(out, "%32s  %32s  %-20s  %s\n", "force N", "moment N m", "joint", "motor");
    for (int32_t i = 1; i <= joints; i++) {
        RgForce w;
        RgMotorReport motor;
        if (rg_world_joint_reaction(run->world, (RgJointId){i}, &w) != RG_OK)
            continue;
        fprintf(out, "%10.4f %10.4f %10.4f  %10.4f %10.4f %10.4f  %-20s", printed(w.f.x), printed(w.f.y),
                printed(w.f.z), printed(w.n.x), printed(w.n.y), printed(w.n.z),
                rg_plan_joint_name(&run->plan, run->model, (RgJointId){i}));
        for (int k = 0; rg_world_joint_motor(run->world, (RgJointId){i}, k, &motor) == RG_OK; k++)
            if (motor.on)
                fprintf(out, "  %.4g of %.4g%s", motor.effort, motor.max_effort, motor.saturated ? ", saturated" : "");
        fprintf(out, "\n");
    }
}

void rg_run_print_contacts(RgRun *run, FILE *out)
{
    const RgContactForce *forces;
    int count = rg_world_contact_forces(run->world, &forces);
    print_points(run, forces, count, out);
    RgOpenForces open = rg_world_open_forces(run->world);
    if (open.islands > 0)
        fprintf(out, "forces not unique in %d island%s: those of least norm%s\n", open.islands,
                open.islands == 1 ? "" : "s",
                open.as_solved == 0              ? ""
                : open.as_solved == open.islands ? " not reached, as solved"
                                                 : ", in some as solved");
    print_joints(run, out);
}

/* ------------------------------------------------------------------ JSON */

static json_t *json_work(const RgSolverWork *w)
{
    return RG_JSON_OBJECT({"total", rg_json_number(w->total)}, {"forces", rg_json_number(w->forces)},
                          {"erp", rg_json_number(w->erp)}, {"restitution", rg_json_number(w->restitution)},
                          {"springs", rg_json_number(w->springs)}, {"motors", rg_json_number(w->motors)},
                          {"friction", rg_json_number(w->friction)}, {"impacts", rg_json_number(w->impacts)},
                          {"rest", rg_json_number(w->rest)}, {"inertia", rg_json_number(w->inertia)},
                          {"split", rg_json_number(w->split)});
}

/* Unfinished steps: their share, and the largest residuals. null: none. */
static json_t *json_unfinished(const RgRun *run)
{
    const RgContactTotals *t = &run->totals;
    if (t->unfinished_steps == 0 || run->steps_done == 0)
        return json_null();
    return RG_JSON_OBJECT({"steps", json_integer(t->unfinished_steps)},
                          {"share", rg_json_number((double)t->unfinished_steps / (double)run->steps_done)},
                          {"worst_force", rg_json_number(t->unfinished_force)},
                          {"worst_force_time", rg_json_number(t->unfinished_force_t)},
                          {"worst_velocity", rg_json_number(t->unfinished_velocity)},
                          {"worst_velocity_time", rg_json_number(t->unfinished_velocity_t)});
}

/* The solver's name, counts, residuals, work. */
static json_t *json_totals(const RgRun *run)
{
    const RgContactTotals *t = &run->totals;
    return RG_JSON_OBJECT(
        {"solver", json_string(run->def.solver)}, {"preset", rg_json_text(run->settings.preset)},
        {"contact", json_boolean(run->def.contact)}, {"contacts", json_integer(t->contacts)},
        {"contacts_max", json_integer(t->contacts_max)}, {"touched", json_boolean(t->touched)},
        {"islands", json_integer(t->islands)}, {"sweeps", json_integer(t->sweeps)},
        {"sweeps_max", json_integer(t->sweeps_max)}, {"sweeps_total", json_integer(t->sweeps_total)},
        {"unfinished_steps", json_integer(t->unfinished_steps)}, {"unfinished", json_unfinished(run)},
        {"guarded_steps", json_integer(t->guarded_steps)}, {"ambiguous_steps", json_integer(t->ambiguous_steps)},
        {"fallback_steps", json_integer(t->fallback_steps)}, {"residual", rg_json_number(t->residual)},
        {"residual_impulse", rg_json_number(t->residual_impulse)},
        {"residual_velocity", rg_json_number(t->residual_velocity)},
        {"residual_velocity_worst", rg_json_number(t->residual_worst)},
        {"explicit_refused", json_integer(t->explicit_refused)}, {"sleeping", json_integer(t->sleeping)},
        {"slept", rg_json_number(t->slept)}, {"contact_work", rg_json_number(t->contact_work)},
        {"work", json_work(&t->work)});
}

static json_t *json_contact(RgRun *run, const RgContactForce *c)
{
    json_t *out = json_object();
    char id[24];
    snprintf(id, sizeof id, "%016llx", (unsigned long long)c->id);
    RG_JSON_SET(out, {"shape_a", rg_json_text(rg_plan_shape_name(&run->plan, run->model, c->shape_a))},
                {"shape_b", rg_json_text(rg_plan_shape_name(&run->plan, run->model, c->shape_b))},
                {"id", json_string(id)}, {"point", rg_json_vec3(c->point)}, {"normal", rg_json_vec3(c->normal)},
                {"force", rg_json_vec3(c->force)}, {"moment", rg_json_vec3(c->moment)}, {"gap", rg_json_number(c->gap)},
                {"slip", rg_json_vec3(c->slip)}, {"state", json_string(state_name(c->state))});
    return out;
}

static json_t *json_joint(RgRun *run, RgJointId joint)
{
    json_t *out = json_object(), *motors = json_array();
    RgForce f;
    RgMotorReport motor;
    json_object_set_new(out, "joint", rg_json_text(rg_plan_joint_name(&run->plan, run->model, joint)));
    if (rg_world_joint_reaction(run->world, joint, &f) == RG_OK) {
        json_object_set_new(out, "force", rg_json_vec3(f.f));
        json_object_set_new(out, "moment", rg_json_vec3(f.n));
    }
    for (int k = 0; rg_world_joint_motor(run->world, joint, k, &motor) == RG_OK; k++) {
        if (!motor.on)
            continue;
        json_t *item = json_pack("{s:i, s:b}", "axis", k, "saturated", motor.saturated);
        json_object_set_new(item, "velocity", rg_json_number(motor.velocity));
        json_object_set_new(item, "effort", rg_json_number(motor.effort));
        json_object_set_new(item, "max_effort", rg_json_number(motor.max_effort));
        if (motor.is_servo)
            json_object_set_new(item, "position", rg_json_number(motor.position));
        json_array_append_new(motors, item);
    }
    json_object_set_new(out, "motors", motors);
    return out;
}

void rg_run_json_contacts(RgRun *run, json_t *out)
{
    json_object_set_new(out, "contact_solver", json_totals(run));
    if (!run->plan.list_contacts)
        return;
    const RgContactForce *forces;
    int count = rg_world_contact_forces(run->world, &forces);
    json_t *points = json_array(), *joints = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(points, json_contact(run, &forces[i]));
    for (int32_t i = 1; i <= rg_model_info(run->model).joints; i++)
        json_array_append_new(joints, json_joint(run, (RgJointId){i}));
    RgOpenForces open = rg_world_open_forces(run->world);
    json_object_set_new(out, "contacts", points);
    json_object_set_new(out, "open_forces",
                        json_pack("{s:i,s:i}", "islands", open.islands, "as_solved", open.as_solved));
    json_object_set_new(out, "joints", joints);
}
