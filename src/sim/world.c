/*
 * world.c - creation of a world, its step, and its joint coordinates.
 *
 * A step writes to a second state, and the two are exchanged only if the step succeeds: a failed step leaves everything
 * unchanged. After creation memory is allocated for the analysis of the rows' pattern in the first evaluation, and when
 * there are more contacts than ever before: those buffers grow and never shrink.
 */
#include "base/alloc.h"
#include "base/parallel_for.h"
#include "base/status.h"
#include "constraint/fields.h"
#include "sim/world_internal.h"

#include <string.h>

#define WORLD_COOKIE 0x52475744u

/* Upper bound of max_attachments: memory of rows grows with it, so larger numbers are taken for mistakes. */
#define ATTACHMENTS_MAX 4096

RgWorldDef rg_world_def_default(void)
{
    return (RgWorldDef){.cookie = WORLD_COOKIE,
                        .coords = "minimal",
                        .stepper = "semi-implicit",
                        .gravity = {0.0, 0.0, -9.81},
                        .implicit_damping = true,
                        .stabilise = RG_STABILISE_PROJECT,
                        .contact = true,
                        .position_limits = true,
                        .solver = "quick",
                        .sleep_speed = 5e-3,
                        .sleep_time = 0.5,
                        .threads = 1};
}

/* Checks attachments and damping fields. */
static RgStatus check_extras(const RgWorldDef *def, RgError *error)
{
    if (def->max_attachments < 0 || def->max_attachments > ATTACHMENTS_MAX)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "max_attachments must be between 0 and %d", ATTACHMENTS_MAX);
    if (def->nfields < 0 || (def->nfields > 0 && def->fields == NULL))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "nfields must be the number of the fields given");
    RgStatus status = RG_OK;
    for (int i = 0; i < def->nfields && status == RG_OK; i++)
        status = rg_field_check(def->model, &def->fields[i], error);
    if (status == RG_OK && def->nfields > 0 && rg_stepper_at(rg_stepper_find(def->stepper))->locates)
        return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0,
                       "stepper '%s' locates events and knows no damping fields: take one with fixed steps "
                       "(semi-implicit)",
                       def->stepper);
    return status;
}

static RgStatus check_def(const RgWorldDef *def, RgError *error)
{
    if (def->cookie != WORLD_COOKIE || def->model == NULL)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                       "a world definition must start from rg_world_def_default() and name a model");
    if (def->coords == NULL || rg_coords_find(def->coords) < 0)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no coordinates called '%s'",
                       def->coords != NULL ? def->coords : "");
    if (def->stepper == NULL || rg_stepper_find(def->stepper) < 0)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no stepper called '%s'",
                       def->stepper != NULL ? def->stepper : "");
    if (def->solver == NULL || rg_solver_find(def->solver) == NULL)
        return rg_fail(error, RG_ERR_NOT_FOUND, NULL, 0, "no solver called '%s'",
                       def->solver != NULL ? def->solver : "");
    const char *wrong = "";
    if (def->quick != NULL && rg_quick_options_check(def->quick, &wrong) != RG_OK)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%s", wrong);
    if (def->law != NULL && rg_contact_law_check(def->law, &wrong) != RG_OK)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%s", wrong);
    if (def->law != NULL && rg_solver_takes_patches(def->solver) &&
        (def->law->friction == RG_FRICTION_BOX || def->law->friction == RG_FRICTION_PYRAMID))
        return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0, "solver '%s' has friction cones, or none", def->solver);
    if (def->pgs != NULL && rg_pgs_options_check(def->pgs, &wrong) != RG_OK)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%s", wrong);
    if (def->exact != NULL && rg_exact_options_check(def->exact, &wrong) != RG_OK)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%s", wrong);
    if (def->adapt != NULL && rg_adapt_options_check(def->adapt, &wrong) != RG_OK)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "%s", wrong);
    if (def->threads < 1)
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "threads must be at least 1");
    if (def->max_user_rows < 0 || (def->max_user_rows == 0 && def->user_rows != NULL))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "max_user_rows must be %s",
                       def->user_rows != NULL ? "positive where there is a function user_rows" : "0 or more");
    if (def->sleeping && strcmp(def->stepper, "semi-implicit") != 0)
        return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0, "bodies sleep with stepper 'semi-implicit' only");
    if (def->sleeping && def->user_rows != NULL)
        return rg_fail(error, RG_ERR_UNSUPPORTED, NULL, 0, "bodies do not sleep in a world with user rows");
    if (!(def->sleep_speed >= 0.0 && isfinite(def->sleep_speed) && def->sleep_time >= 0.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "sleep_speed and sleep_time must not be negative");
    if (!v3_finite(def->gravity))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "gravity must be finite");
    if (!(def->dissipation >= 0.0 && def->dissipation <= 1.0))
        return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "dissipation must be between 0 and 1, not %g",
                       def->dissipation);
    RgStatus status = check_extras(def, error);
    return status == RG_OK ? rg_coords_kind(rg_coords_find(def->coords))->check(def->model, error) : status;
}

static void alloc_state(RgArena *arena, const RgForm *form, RgState *state)
{
    state->x = RG_ARENA_ALLOC(arena, double, form->nx);
    state->u = RG_ARENA_ALLOC(arena, double, form->nu);
}

/* Allocates everything a world needs from its arena. RG_ERR_UNSUPPORTED: there are too many rows. */
static RgStatus alloc_world(RgWorld *w, const RgWorldDef *def)
{
    RgArena *arena = &w->arena;
    if (!rg_attachments_alloc(arena, w->given, def->max_attachments, &w->attachments))
        return RG_ERR_MEMORY;
    w->model = w->attachments.model != NULL ? w->attachments.model : w->given;
    const RgModel *m = w->model;
    w->inputs = (RgConstantInputs){RG_ARENA_ALLOC(arena, double, m->nv), RG_ARENA_ALLOC(arena, RgForce, m->nlinks)};
    w->q = RG_ARENA_ALLOC(arena, double, m->nq);
    w->v = RG_ARENA_ALLOC(arena, double, m->nv);
    w->reactions = (RgReactions){.A = RG_ARENA_ALLOC(arena, RgMotion, m->nbodies),
                                 .link_force = RG_ARENA_ALLOC(arena, RgForce, m->nlinks),
                                 .held = RG_ARENA_ALLOC(arena, RgForce, m->nlinks),
                                 .held_tau = RG_ARENA_ALLOC(arena, double, m->nv)};
    RgForm *form = rg_form_alloc(arena, m, rg_coords_kind(w->coords));
    if (form == NULL)
        return RG_ERR_MEMORY;
    form->thread_pool = w->thread_pool;
    RgFields *fields = def->nfields > 0 ? rg_fields_alloc(arena, form, def->fields, def->nfields) : NULL;
    w->reports.in_field = fields != NULL ? RG_ARENA_ALLOC(arena, int32_t, m->nbodies) : NULL;
    for (int i = 0; i < m->nbodies && w->reports.in_field != NULL; i++)
        w->reports.in_field[i] = -1;
    if (!rg_constraints_countable(form, fields))
        return RG_ERR_UNSUPPORTED;
    w->scope = (RgStepScope){.model = m,
                             .form = form,
                             .constraints = rg_constraints_alloc(arena, form, fields),
                             .gravity = def->gravity,
                             .input = {.fn = def->input,
                                       .context = def->input_context,
                                       .tau_constant = w->inputs.tau,
                                       .wrench_constant = w->inputs.wrenches,
                                       .any_wrench = def->input != NULL},
                             .dissipation = def->dissipation,
                             .adapt = def->adapt != NULL ? *def->adapt : rg_adapt_options_default(),
                             .log = &w->log,
                             .implicit_damping = def->implicit_damping,
                             .stabilise = def->stabilise,
                             .report = &w->reports.idle};
    alloc_state(arena, form, &w->state);
    alloc_state(arena, form, &w->next);
    bool whole = w->scope.constraints != NULL && rg_scope_alloc(arena, &w->scope) &&
                 (w->stepper->prepare == NULL || w->stepper->prepare(arena, &w->scope)) && !arena->failed;
    return whole ? RG_OK : RG_ERR_MEMORY;
}

/* Creates the contact solver with the solver, law and options of the definition. */
static bool create_solver(RgWorld *w, const RgWorldDef *def)
{
    RgStepScope *s = &w->scope;
    RgContactLaw law = def->law != NULL ? *def->law : rg_contact_law_of_model(w->model, w->solver->name);
    RgQuickOptions quick = def->quick != NULL ? *def->quick : rg_quick_options_default();
    RgRowOptions options = {.pgs = def->pgs != NULL ? *def->pgs : rg_pgs_options_of_model(w->model),
                            .exact = def->exact != NULL ? *def->exact : rg_exact_options_default(),
                            .quick = quick};
    RgContactSolverDef own = {
        .user_rows = def->max_user_rows, .law = &law, .solver = w->solver, .options = &options, .quick = &quick};
    s->contact = rg_contact_solver_alloc(&w->arena, s->form, s->constraints, &own);
    if (s->contact == NULL)
        return false;
    RgBounded *bounded = s->contact->setup.bounded;
    bounded->user.fn = def->user_rows;
    bounded->user.context = def->user_rows_context;
    bounded->position_limits = def->position_limits;
    bounded->velocity_limits = def->velocity_limits;
    s->contact->setup.thin = s->scene != NULL ? s->scene->thin : NULL;
    if (rg_contact_has_joint_rows(s->contact) && !options.pgs.joint_blocks)
        rg_constraints_along_world(s->constraints);
    return true;
}

static bool create_sleep(RgWorld *w, const RgWorldDef *def)
{
    RgSleep *sleep = rg_sleep_alloc(&w->arena, &w->scope.contact->setup);
    if (sleep == NULL || !rg_rest_alloc(&w->arena, w->model, &w->state.rest) ||
        !rg_rest_alloc(&w->arena, w->model, &w->next.rest))
        return false;
    sleep->speed = def->sleep_speed;
    sleep->time = def->sleep_time;
    w->scope.sleep = sleep;
    w->scope.contact->setup.asleep = sleep->asleep;
    return true;
}

/* Creates the contact scene, if anything can touch, and the contact solver. */
static bool create_contact(RgWorld *w, const RgWorldDef *def, RgError *error)
{
    RgStepScope *s = &w->scope;
    if (w->model->nbodies == 0)
        return true;
    if (w->model->nshapes > 0 && def->contact) {
        w->contact = rg_contact_scene_create(w->model, &w->arena.allocator, error);
        if (w->contact == NULL)
            return false;
        rg_contact_scene_set_thread_pool(w->contact, w->thread_pool);
    }
    s->scene = w->contact;
    bool created = create_solver(w, def) && (!def->sleeping || create_sleep(w, def));
    if (!created)
        rg_fail(error, RG_ERR_MEMORY, NULL, 0, "out of memory");
    return created;
}

RgWorld *rg_world_create(const RgWorldDef *def, RgError *error)
{
    if (check_def(def, error) != RG_OK)
        return NULL;
    RgWorld *w = rg_alloc_object(&def->allocator, sizeof *w, NULL, error);
    if (w == NULL)
        return NULL;
    rg_arena_init(&w->arena, &def->allocator);
    rg_arena_init(&w->reports.memory, &def->allocator);
    rg_step_log_init(&w->log, &def->allocator);
    w->model = w->given = def->model;
    w->coords = rg_coords_find(def->coords);
    w->stepper = rg_stepper_at(rg_stepper_find(def->stepper));
    w->thread_pool = rg_thread_pool_create(def->threads, &def->allocator);
    w->solver = rg_solver_find(def->solver);
    RgStatus status = alloc_world(w, def);
    if (status != RG_OK) {
        int nv = w->model->nv;
        rg_world_destroy(w);
        if (status == RG_ERR_MEMORY)
            rg_fail(error, status, NULL, 0, "out of memory");
        else
            rg_fail(error, status, NULL, 0,
                    "too many rows of joints, loops, couplings, fields and attachments for a model of %d velocities%s",
                    nv, strcmp(def->coords, "maximal") != 0 ? " in minimal coordinates" : "");
        return NULL;
    }
    if (!create_contact(w, def, error)) {
        rg_world_destroy(w);
        return NULL;
    }
    rg_world_set_state(w, def->model->q_neutral, w->v);
    if (w->stepper->check != NULL && w->stepper->check(&w->scope, error) != RG_OK) {
        rg_world_destroy(w);
        return NULL;
    }
    return w;
}

void rg_world_destroy(RgWorld *w)
{
    if (w == NULL)
        return;
    RgAllocator allocator = w->arena.allocator;
    if (w->stepper->release != NULL)
        w->stepper->release(&w->scope);
    rg_step_log_free(&w->log);
    rg_thread_pool_destroy(w->thread_pool);
    rg_contact_scene_destroy(w->contact);
    rg_contact_solver_free(w->scope.contact);
    rg_contact_memory_free(&w->state.memory, &allocator);
    rg_contact_memory_free(&w->next.memory, &allocator);
    rg_constraints_free(w->scope.constraints);
    rg_arena_free(&w->reports.memory);
    rg_arena_free(&w->arena);
    rg_free(&allocator, w);
}

/* ------------------------------------------------------------------ step */

/* Ends a failed step: there are no forces to report. */
static RgStatus fail_step(RgWorld *w, RgStepReport *report, RgStatus status)
{
    if (w->scope.contact != NULL)
        rg_contact_forget(w->scope.contact);
    rg_step_log_refuse(&w->log);
    report->status = status;
    return status;
}

static void add_energies(RgEnergySums *sums, const RgStepReport *report)
{
    rg_work_add(&sums->work, &report->work);
    sums->dissipated += report->dissipated;
    sums->projected += report->projected;
    sums->slept += report->slept;
    sums->fields += report->fields;
}

void rg_world_begin_step(RgWorld *w, double h, bool account)
{
    w->scope.call =
        (RgStepCall){.h = h, .span = h, .located = w->scope.located, .x_before = w->state.x, .account = account};
}

static RgStatus make_step(RgWorld *w, double h, bool account, RgStepReport *report)
{
    *report = (RgStepReport){.t = w->state.t, .h = h};
    rg_step_log_begin(&w->log);
    w->shortfalls_complete = true;
    if (!(isfinite(h) && h > 0.0))
        return fail_step(w, report, RG_ERR_ARGUMENT);
    w->scope.report = report;
    rg_world_begin_step(w, h, account);
    if (w->scope.sleep != NULL && rg_world_all_asleep(w)) {
        w->scope.report = &w->reports.idle;
        rg_world_recall_sleeping_forces(w);
        w->state.t += h;
        report->t = w->state.t;
        report->sleeping = w->model->nbodies;
        rg_world_update_attachments(w, report);
        rg_step_log_accept(&w->log);
        report->work_sum = w->reports.sums.work;
        w->reports.last = *report;
        return RG_OK;
    }
    w->fresh = false;
    if (w->scope.sleep != NULL)
        rg_sleep_begin(w->scope.sleep, &w->state.rest, &w->next.rest);
    w->next.h_next = w->state.h_next;
    rg_thread_pool_begin_step(w->thread_pool);
    RgStatus status = w->stepper->step(&w->scope, &w->state, h, &w->next);
    if (status == RG_OK)
        rg_world_find_shortfalls(w);
    if (status == RG_OK)
        status = rg_stage_finish(&w->scope, &w->next);
    rg_thread_pool_end_step(w->thread_pool);
    w->scope.report = &w->reports.idle;
    if (status != RG_OK)
        return fail_step(w, report, status);

    /* Accept: exchange the two states. */
    w->next.t = w->state.t + h;
    RgState old = w->state;
    w->state = w->next;
    w->next = old;
    rg_contact_memory_match(&w->next.memory, &w->arena.allocator, &w->state.memory);
    report->t = w->state.t;
    w->fresh = false;
    rg_world_update_attachments(w, report);
    rg_world_update_fields(w);
    add_energies(&w->reports.sums, report);
    report->work_sum = w->reports.sums.work;
    w->reports.last = *report;
    rg_step_log_accept(&w->log);
    return RG_OK;
}

RgStatus rg_world_step(RgWorld *w, double h, RgStepReport *report)
{
    RgStepReport ignored;
    return make_step(w, h, report != NULL || w->reports.watched, report != NULL ? report : &ignored);
}

RgStatus rg_world_advance(RgWorld *w, double h, RgStepReport *report)
{
    return make_step(w, h, w->reports.watched, report);
}

int rg_world_events(const RgWorld *w, const RgEvent **out)
{
    *out = w->log.events;
    return w->log.nevents;
}

void rg_world_set_event_fn(RgWorld *w, RgEventFn *fn, void *context)
{
    w->log.event_fn = fn;
    w->log.event_context = context;
}

bool rg_world_locates(const RgWorld *w)
{
    return w->stepper->locates;
}

RgStepStatistics rg_world_step_statistics(const RgWorld *w)
{
    return w->log.statistics;
}

const RgStepReport *rg_world_last_report(const RgWorld *w)
{
    return &w->reports.last;
}

void rg_world_watch(RgWorld *w)
{
    w->reports.watched = true;
}

RgEnergySums rg_world_energy_sums(const RgWorld *w)
{
    return w->reports.sums;
}

void rg_world_set_energy_sums(RgWorld *w, const RgEnergySums *sums)
{
    w->reports.sums = sums != NULL ? *sums : (RgEnergySums){.dissipated = 0.0};
}

/* ------------------------------------------------------------------ state in joint coordinates */

void rg_world_refresh(RgWorld *w)
{
    if (w->fresh)
        return;
    RgForm *form = w->scope.form;
    form->kind->kinematics(form, w->state.x, w->state.u);
    memcpy(w->q, form->q, (size_t)w->model->nq * sizeof *w->q);
    memcpy(w->v, form->v, (size_t)w->model->nv * sizeof *w->v);
    w->fresh = true;
}

void rg_world_touch(RgWorld *w)
{
    w->fresh = false;
    w->state.h_next = 0.0;
    w->reports.last = (RgStepReport){.status = RG_OK};
    rg_step_log_clear(&w->log);
    rg_contact_memory_clear(&w->state.memory);
    rg_world_set_fields_reported(w, NULL, 0);
    if (w->scope.contact != NULL)
        rg_contact_forget(w->scope.contact);
    if (w->state.rest.body != NULL)
        rg_rest_clear(w->model, &w->state.rest);
}

const RgModel *rg_world_model(const RgWorld *w)
{
    return w->given;
}

RgWorldSettings rg_world_settings(const RgWorld *w)
{
    return (RgWorldSettings){.coords = rg_coords_name(w->coords),
                             .stepper = w->stepper->name,
                             .solver = w->solver->name,
                             .gravity = w->scope.gravity,
                             .contact = w->scope.scene != NULL};
}

double rg_world_time(const RgWorld *w)
{
    return w->state.t;
}

/* Time is part of the state: a value that is not finite is ignored. */
void rg_world_set_time(RgWorld *w, double t)
{
    if (isfinite(t))
        w->state.t = t;
}

const double *rg_world_q(RgWorld *w)
{
    rg_world_refresh(w);
    return w->q;
}

const double *rg_world_v(RgWorld *w)
{
    rg_world_refresh(w);
    return w->v;
}

static bool all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

RgStatus rg_world_set_state(RgWorld *w, const double *q, const double *v)
{
    const RgModel *m = w->model;
    if ((q != NULL && !all_finite(q, m->nq)) || (v != NULL && !all_finite(v, m->nv)))
        return RG_ERR_NOT_FINITE;
    if (q == NULL || v == NULL)
        rg_world_refresh(w);
    if (q != NULL)
        memmove(w->q, q, (size_t)m->nq * sizeof *q);
    if (v != NULL)
        memmove(w->v, v, (size_t)m->nv * sizeof *v);

    /* Normalise quaternions: integrating a zero step does so. */
    RgForm *form = w->scope.form;
    double zero_step[6] = {0.0};
    for (int i = 0; i < m->nbodies; i++)
        m->bodies[i].kind->integrate(w->q + m->bodies[i].q0, zero_step, w->q + m->bodies[i].q0);
    form->kind->from_joints(form, w->q, w->v, w->state.x, w->state.u);
    rg_world_touch(w);
    return RG_OK;
}

/* ------------------------------------------------------------------ joints by id */

/* Body that a tree joint moves; -1: loop joint or weld; -2: no such joint. */
static int joint_body(const RgWorld *w, RgJointId joint)
{
    if (joint.i <= 0 || joint.i > w->model->njoints)
        return -2;
    return w->model->joints[joint.i - 1].body;
}

static const RgJointState *loop_state(RgWorld *w, RgJointId joint)
{
    int loop = w->model->joints[joint.i - 1].loop;
    if (loop < 0)
        return NULL;
    rg_constraints_observe(w->scope.constraints);
    return &w->scope.constraints->loops[loop];
}

/* Positions or rates of a joint: from q or v, or from the state of a loop joint. */
static RgStatus joint_numbers(RgWorld *w, RgJointId joint, bool rates, double *out)
{
    int body = joint_body(w, joint);
    if (body == -2)
        return RG_ERR_NOT_FOUND;
    rg_world_refresh(w);
    const RgJointKind *kind = w->model->joints[joint.i - 1].kind;
    const RgJointState *loop = body < 0 ? loop_state(w, joint) : NULL;
    const double *from = NULL;
    if (body >= 0)
        from = rates ? w->v + w->model->bodies[body].v0 : w->q + w->model->bodies[body].q0;
    else if (loop != NULL)
        from = rates ? loop->v : loop->q;
    int count = rates ? kind->nv : kind->nq;
    if (from != NULL)
        memcpy(out, from, (size_t)count * sizeof *out);
    return from != NULL || count == 0 ? RG_OK : RG_ERR_UNSUPPORTED; /* the joint is inside one body */
}

RgStatus rg_world_joint_position(RgWorld *w, RgJointId joint, double *q)
{
    return joint_numbers(w, joint, false, q);
}

RgStatus rg_world_joint_rate(RgWorld *w, RgJointId joint, double *v)
{
    return joint_numbers(w, joint, true, v);
}

RgStatus rg_world_joint_effort(RgWorld *w, RgJointId joint, double *tau)
{
    int body = joint_body(w, joint);
    if (body < 0)
        return body == -2 ? RG_ERR_NOT_FOUND : RG_ERR_UNSUPPORTED;
    rg_world_refresh(w);
    RgStatus status = rg_stage_forces(&w->scope, w->state.t, &(RgDynamicsAsk){.h = 0.0});
    if (status == RG_OK)
        memcpy(tau, w->scope.forces.tau + w->model->bodies[body].v0, (size_t)w->model->bodies[body].nv * sizeof *tau);
    return status;
}

const double *rg_world_input_effort(const RgWorld *w)
{
    return w->scope.input.fn != NULL ? w->scope.input.tau : w->inputs.tau;
}

RgStatus rg_world_set_joint_position(RgWorld *w, RgJointId joint, const double *q)
{
    int body = joint_body(w, joint);
    if (body < 0)
        return body == -2 ? RG_ERR_NOT_FOUND : RG_ERR_UNSUPPORTED;
    const RgBody *B = &w->model->bodies[body];
    if (!all_finite(q, B->kind->nq))
        return RG_ERR_NOT_FINITE;
    rg_world_refresh(w);
    memcpy(w->q + B->q0, q, (size_t)B->kind->nq * sizeof *q);
    return rg_world_set_state(w, w->q, w->v);
}

RgStatus rg_world_set_joint_rate(RgWorld *w, RgJointId joint, const double *v)
{
    int body = joint_body(w, joint);
    if (body < 0)
        return body == -2 ? RG_ERR_NOT_FOUND : RG_ERR_UNSUPPORTED;
    const RgBody *B = &w->model->bodies[body];
    if (!all_finite(v, B->nv))
        return RG_ERR_NOT_FINITE;
    rg_world_refresh(w);
    memcpy(w->v + B->v0, v, (size_t)B->nv * sizeof *v);
    return rg_world_set_state(w, w->q, w->v);
}

RgStatus rg_world_set_joint_effort(RgWorld *w, RgJointId joint, const double *tau)
{
    int body = joint_body(w, joint);
    if (body < 0)
        return body == -2 ? RG_ERR_NOT_FOUND : RG_ERR_UNSUPPORTED;
    const RgBody *B = &w->model->bodies[body];
    if (!all_finite(tau, B->nv))
        return RG_ERR_NOT_FINITE;
    if (memcmp(w->inputs.tau + B->v0, tau, (size_t)B->nv * sizeof *tau) != 0)
        rg_world_wake_body(w, body);
    memcpy(w->inputs.tau + B->v0, tau, (size_t)B->nv * sizeof *tau);
    return RG_OK;
}

RgStatus rg_world_set_efforts(RgWorld *w, const double *tau)
{
    const RgModel *m = w->model;
    if (!all_finite(tau, m->nv))
        return RG_ERR_NOT_FINITE;
    for (int i = 0; i < m->nbodies; i++) {
        const RgBody *B = &m->bodies[i];
        if (memcmp(w->inputs.tau + B->v0, tau + B->v0, (size_t)B->nv * sizeof *tau) != 0)
            rg_world_wake_body(w, i);
    }
    memcpy(w->inputs.tau, tau, (size_t)m->nv * sizeof *tau);
    return RG_OK;
}

RgStatus rg_world_set_link_wrench(RgWorld *w, RgLinkId link, RgForce wrench)
{
    if (link.i <= 0 || link.i > w->model->nlinks)
        return RG_ERR_NOT_FOUND;
    if (!v3_finite(wrench.n) || !v3_finite(wrench.f))
        return RG_ERR_NOT_FINITE;
    if (memcmp(&w->inputs.wrenches[link.i - 1], &wrench, sizeof wrench) != 0)
        rg_world_wake_body(w, w->model->links[link.i - 1].body);
    w->inputs.wrenches[link.i - 1] = wrench;
    w->scope.input.any_wrench = true;
    return RG_OK;
}

/* ------------------------------------------------------------------ constraints and readings */

RgStatus rg_world_assemble(RgWorld *w, double *error_left)
{
    return rg_world_assemble_holding(w, NULL, NULL, error_left);
}

RgStatus rg_world_assemble_holding(RgWorld *w, const bool *held_positions, const bool *held_rates, double *error_left)
{
    double error = 0.0;
    bool changed = false;
    RgForm *form = w->scope.form;
    memcpy(w->next.x, w->state.x, (size_t)form->nx * sizeof *w->state.x);
    memcpy(w->next.u, w->state.u, (size_t)form->nu * sizeof *w->state.u);
    RgStatus status = RG_OK;
    RgFixedVelocities hold = {held_positions, held_rates};
    if (w->scope.constraints->any_hard)
        status = rg_project_state(w->scope.constraints, &hold, w->next.x, w->next.u, &error, &changed);
    w->fresh = false;
    if (status == RG_OK && changed) {
        form->kind->settle(form, w->next.x);
        memcpy(w->state.x, w->next.x, (size_t)form->nx * sizeof *w->state.x);
        memcpy(w->state.u, w->next.u, (size_t)form->nu * sizeof *w->state.u);
        rg_world_touch(w);
    }
    if (error_left != NULL)
        *error_left = error;
    return status;
}

double rg_world_joint_error(RgWorld *w)
{
    rg_world_refresh(w);
    rg_constraints_observe(w->scope.constraints);
    rg_assemble_hard_rows(w->scope.constraints);
    return rg_rows_error(&w->scope.constraints->rows);
}

RgStatus rg_world_acceleration(RgWorld *w, double *a)
{
    RgStepScope *s = &w->scope;
    RgStatus status = rg_world_accelerate(w);
    if (status == RG_OK)
        s->form->kind->joint_accelerations(s->form, s->scratch.a, a);
    return status;
}

RgPose rg_world_link_pose(RgWorld *w, RgLinkId link)
{
    rg_world_refresh(w);
    return link.i > 0 ? rg_kin_link_pose(w->scope.form->kin, link.i - 1) : pose_identity();
}

RgMotion rg_world_link_twist(RgWorld *w, RgLinkId link)
{
    rg_world_refresh(w);
    return link.i > 0 ? rg_kin_link_twist(w->scope.form->kin, link.i - 1) : mv_zero();
}

RgPose rg_world_frame_pose(RgWorld *w, RgFrameId frame)
{
    const RgFrameDef *f = &w->model->frames[frame.i - 1].def;
    return pose_mul(rg_world_link_pose(w, f->link), f->X_LF);
}

/* Kinetic energy of geared rotors beyond that at the joints' rates: in the maximal form a rotor has a rate of its own,
   which may differ after sweeps. */
static double excess_rotor_energy(const RgWorld *w)
{
    const RgForm *form = w->scope.form;
    const double *rate = w->state.u + 6 * w->model->nbodies;
    double sum = 0.0;
    for (int r = 0; form->kind->joints_are_rows && r < w->model->nrotors; r++) {
        int k = form->rotor_dof[r];
        sum += 0.5 * w->model->armature[k] * (rate[r] * rate[r] - w->v[k] * w->v[k]);
    }
    return sum;
}

RgStatus rg_world_momentum(RgWorld *w, RgMomentum *out)
{
    rg_world_refresh(w);
    rg_tree_momentum(w->scope.form->kin, w->scope.gravity, w->q, w->v, out);
    out->kinetic += excess_rotor_energy(w);
    rg_constraints_observe(w->scope.constraints);
    out->potential += rg_loop_potential(w->scope.constraints);
    return RG_OK;
}
