/*
 * stages.c - the stages that all steppers share: from a state to its accelerations, and the end of a step.
 *
 * Non-finite numbers are detected in the results of the input function, in the accelerations, and before they become
 * the state; the report contains the joint or link.
 */
#include "stepper/stepper.h"

#include "constraint/fields.h"

#include <stdio.h>
#include <string.h>

bool rg_scope_alloc(RgArena *arena, RgStepScope *s)
{
    const RgModel *m = s->model;
    int nu = s->form->nu;
    s->input.tau = RG_ARENA_ALLOC(arena, double, m->nv);
    s->input.wrenches = RG_ARENA_ALLOC(arena, RgForce, m->nlinks);
    s->forces = (RgStepForces){.tau = RG_ARENA_ALLOC(arena, double, m->nv),
                               .on_links = RG_ARENA_ALLOC(arena, RgForce, m->nlinks),
                               .on_bodies = RG_ARENA_ALLOC(arena, RgForce, m->nbodies)};
    s->scratch = (RgStepScratch){.a = RG_ARENA_ALLOC(arena, double, nu),
                                 .x = RG_ARENA_ALLOC(arena, double, s->form->nx),
                                 .bodies = RG_ARENA_ALLOC(arena, bool, 2 * m->nbodies),
                                 .twists = RG_ARENA_ALLOC(arena, RgMotion, m->nbodies)};
    for (size_t i = 0; i < sizeof s->scratch.memory / sizeof s->scratch.memory[0]; i++)
        s->scratch.memory[i] = RG_ARENA_ALLOC(arena, double, nu);
    return !arena->failed;
}

/* ------------------------------------------------------------------ reports of failures */

/* Writes the offending joint or link into the report; returns the status. */
static RgStatus report_offender(RgStepScope *s, RgStatus status, const char *what, const char *name)
{
    snprintf(s->report->offender, sizeof s->report->offender, "%s '%s'", what, name);
    return status;
}

static RgStatus report_offending_dof(RgStepScope *s, RgStatus status, int dof)
{
    bool floating = s->model->bodies[s->model->dof_body[dof]].joint < 0;
    return report_offender(s, status, floating ? "link" : "joint", rg_model_dof_name(s->model, dof));
}

/* Index of the first number that is not finite; -1: none. */
static int first_not_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* The joint or link of entry k of a velocity vector of the form. */
static RgStatus report_offending_velocity(RgStepScope *s, int k)
{
    if (!s->form->kind->joints_are_rows)
        return report_offending_dof(s, RG_ERR_NOT_FINITE, k);
    if (k >= 6 * s->model->nbodies)
        return report_offending_dof(s, RG_ERR_NOT_FINITE, s->form->rotor_dof[k - 6 * s->model->nbodies]);
    return report_offender(s, RG_ERR_NOT_FINITE, "link", s->model->links[s->model->bodies[k / 6].link].def.name);
}

/* The body of entry k of the positions of the form: of poses, in maximal coordinates; of joint coordinates. */
static int body_of_position(const RgStepScope *s, int k)
{
    const RgModel *m = s->model;
    if (s->form->kind->joints_are_rows && k < 7 * m->nbodies)
        return k / 7;
    int q = s->form->kind->joints_are_rows ? k - 7 * m->nbodies : k, body = 0;
    while (body + 1 < m->nbodies && m->bodies[body + 1].q0 <= q)
        body++;
    return body;
}

/* ------------------------------------------------------------------ forces */

static bool force_finite(RgForce f)
{
    return v3_finite(f.n) && v3_finite(f.f);
}

/* Constant inputs, then the input function, which may change them. extra: wrenches will be added, so these are
   initialised in any case. */
static RgStatus apply_input(RgStepScope *s, double t, bool extra)
{
    const RgModel *m = s->model;
    double *tau = s->forces.tau;
    RgForce *on_links = s->forces.on_links;
    memcpy(tau, s->input.tau_constant, (size_t)m->nv * sizeof *tau);
    if (s->input.any_wrench)
        memcpy(on_links, s->input.wrench_constant, (size_t)m->nlinks * sizeof *on_links);
    else if (extra)
        memset(on_links, 0, (size_t)m->nlinks * sizeof *on_links);
    if (s->input.fn == NULL)
        return RG_OK;
    if (s->input.sampled) {
        memcpy(tau, s->input.tau, (size_t)m->nv * sizeof *tau);
        memcpy(on_links, s->input.wrenches, (size_t)m->nlinks * sizeof *on_links);
        return RG_OK;
    }
    RgInputState state = {t, s->form->q, s->form->v};
    RgInput input = {tau, on_links};
    s->input.fn(m, &state, &input, s->input.context);
    int bad = first_not_finite(tau, m->nv);
    if (bad >= 0)
        return report_offending_dof(s, RG_ERR_NOT_FINITE, bad);
    for (int i = 0; i < m->nlinks; i++)
        if (!force_finite(on_links[i]))
            return report_offender(s, RG_ERR_NOT_FINITE, "link", m->links[i].def.name);
    memcpy(s->input.tau, tau, (size_t)m->nv * sizeof *tau);
    memcpy(s->input.wrenches, on_links, (size_t)m->nlinks * sizeof *on_links);
    return RG_OK;
}

RgStatus rg_stage_sample_input(RgStepScope *s, double t, const double *x, const double *u)
{
    s->input.sampled = false;
    rg_stage_kinematics(s, x, u);
    RgStatus status = apply_input(s, t, false);
    s->input.sampled = status == RG_OK;
    return status;
}

/* Finds the bodies inside damping fields. True: fields act as explicit forces (h = 0). */
static bool find_damped(RgStepScope *s, double h)
{
    RgFields *fields = s->constraints->fields;
    if (fields == NULL)
        return false;
    rg_fields_find(fields);
    if (fields->regroup && s->contact != NULL) {
        rg_contact_update_mechanisms(&s->contact->setup);
        rg_fields_find(fields); /* again: which bodies are free depends on the new groups */
    }
    return fields->any && h <= 0.0;
}

RgStatus rg_stage_forces(RgStepScope *s, double t, const RgDynamicsAsk *ask)
{
    const RgModel *m = s->model;
    RgStepForces *f = &s->forces;
    bool extra = ask->wrenches != NULL;
    RgStatus status = apply_input(s, t, extra);
    if (status != RG_OK)
        return status;
    for (int k = 0; k < m->nv && extra; k++)
        f->tau[k] += ask->tau[k];
    for (int i = 0; i < m->nlinks && extra; i++)
        f->on_links[i] = fv_add(f->on_links[i], ask->wrenches[i]);
    bool damped = find_damped(s, ask->h);
    if (damped && !s->input.any_wrench && !extra)
        memset(f->on_links, 0, (size_t)m->nlinks * sizeof *f->on_links);
    if (damped)
        rg_fields_add_forces(s->constraints->fields, f->on_links);
    if (s->input.any_wrench || extra || damped)
        rg_gather_wrenches(s->form->kin, f->on_links, f->on_bodies);
    else
        memset(f->on_bodies, 0, (size_t)m->nbodies * sizeof *f->on_bodies);
    rg_constraints_observe(s->constraints);
    bool used = rg_add_passive(s->constraints, ask->h, ask->springs, f->tau, f->on_bodies, s->form->diagonal);
    f->diagonal = used ? s->form->diagonal : NULL;
    return RG_OK;
}

/* ------------------------------------------------------------------ contacts */

RgStatus rg_stage_adopt(RgStepScope *s, const RgContactView *contacts, const RgState *state)
{
    if (s->scene == NULL)
        return RG_OK;
    s->contacts = *contacts;
    return rg_contact_scene_adopt(s->scene, contacts, &state->memory) ? RG_OK : RG_ERR_MEMORY;
}

RgStatus rg_stage_collide(RgStepScope *s, const RgState *state)
{
    RgSleep *sleep = s->sleep;
    if (sleep != NULL)
        rg_sleep_check_inputs(sleep, s->forces.tau, s->input.any_wrench ? s->forces.on_links : NULL, &state->memory);
    if (s->scene == NULL)
        return RG_OK;
    RgManifoldOptions options = rg_manifold_options_default();
    options.max_points = RG_PATCH_POINTS;
    RgStatus status = rg_contact_scene_place(s->scene, s->form->kin);
    RgBoundedAsk rows = rg_stage_rows_ask(s, state->t, s->call.h);
    if (s->contact != NULL)
        rg_drive_reach(s->contact->setup.bounded, &rows, s->scene);
    RgContactSearch search = {
        .options = &options, .memory = &state->memory, .h = s->call.h, .asleep = sleep != NULL ? sleep->asleep : NULL};
    do {
        status = status == RG_OK ? rg_contact_scene_find(s->scene, &search, &s->contacts) : status;
    } while (status == RG_OK && sleep != NULL && rg_sleep_wake_touched(sleep, &s->contacts, &state->memory));
    return status;
}

/* ------------------------------------------------------------------ dynamics */

void rg_stage_kinematics(RgStepScope *s, const double *x, const double *u)
{
    s->form->kind->kinematics(s->form, x, u);
}

/* Accelerations of the form by the last forces; then rows. */
static RgStatus solve_accelerations(RgStepScope *s, const RgDynamicsAsk *ask, double *a)
{
    RgForm *form = s->form;
    bool rows = s->constraints->most > 0 && !ask->free_joints;
    bool wrenches = s->input.any_wrench || ask->wrenches != NULL || s->model->nloops > 0 ||
                    (s->constraints->fields != NULL && s->constraints->fields->any);
    RgForces forces = {s->gravity,
                       s->forces.tau,
                       wrenches ? s->forces.on_bodies : NULL,
                       s->forces.diagonal,
                       rows || ask->free_joints || s->contacts.npoints > 0 ||
                           (s->contact != NULL && rg_bounded_any(s->contact->setup.bounded)),
                       ask->known};
    int bad_dof = 0;
    if (!form->kind->dynamics(form, &forces, a, &bad_dof))
        return report_offending_dof(s, RG_ERR_SINGULAR, bad_dof);
    if (!rows)
        return RG_OK;
    rg_assemble_rows(s->constraints, &(RgRowsAsk){.h = ask->h, .held = ask->springs});
    RgStatus status = rg_solve_bilateral(s->constraints, ask->share, a);
    s->report->redundant_rows = s->constraints->problem.redundant;
    return status;
}

RgStatus rg_stage_dynamics(RgStepScope *s, const RgDynamicsAsk *ask, double *a)
{
    s->report->evaluations++;
    bool dropped = ask->guard && rg_stage_drop_products(s, s->call.h);
    RgStatus status = solve_accelerations(s, ask, a);
    if (dropped)
        rg_stage_restore_twists(s);
    if (status != RG_OK)
        return status;
    int bad = first_not_finite(a, s->form->nu);
    return bad < 0 ? RG_OK : report_offending_velocity(s, bad);
}

RgStatus rg_stage_acceleration(RgStepScope *s, double t, const double *x, const double *u, const RgDynamicsAsk *ask,
                               double *a)
{
    rg_stage_kinematics(s, x, u);
    RgStatus status = rg_stage_forces(s, t, ask);
    return status == RG_OK ? rg_stage_dynamics(s, ask, a) : status;
}

void rg_stage_velocity(const RgStepScope *s, const RgState *s0, double h, const double *a, RgState *s1)
{
    for (int k = 0; k < s->form->nu; k++)
        s1->u[k] = s0->u[k] + h * a[k];
    if (s->sleep != NULL)
        rg_sleep_zero_velocities(s->sleep, s1->u);
}

/* ------------------------------------------------------------------ solve */

RgContactAsk rg_stage_ask(const RgStepScope *s, const RgState *s0, double h)
{
    return (RgContactAsk){.t = s0->t,
                          .h = h,
                          .span = s->call.span,
                          .located = s->call.located,
                          .gravity = v3_norm(s->gravity),
                          .quick = s->call.quick,
                          .contacts = &s->contacts,
                          .last = &s0->memory,
                          .u0 = s0->u,
                          .diagonal = s->form->kind->joints_are_rows ? NULL : s->forces.diagonal,
                          .implicit = s->implicit_damping,
                          .account = s->call.account};
}

RgStatus rg_stage_solve(RgStepScope *s, const RgContactAsk *ask, RgState *s1)
{
    if (s->contact == NULL)
        return RG_OK;
    RgStatus status = rg_contact_solve(s->contact, s->scene, ask, s1->u, &s1->memory);
    const RgContactResult *r = &s->contact->result;
    s->call.joints_kept = rg_contact_has_joint_rows(s->contact);
    s->report->contacts = s->contacts.npoints;
    s->report->contact_work = r->work.total;
    s->report->islands = r->solve.islands;
    s->report->sweeps = r->solve.iterations;
    s->report->unfinished = r->unfinished;
    s->report->residual = r->change;
    s->report->residual_velocity = r->solve.residual.velocity;
    s->report->residual_impulse = r->solve.residual.impulse;
    s->report->residual_force = ask->h > 0.0 ? r->solve.residual.impulse / ask->h : 0.0;
    s->report->explicit_refused = r->solve.not_in_sweeps;
    s->report->thread_share = r->solve.share;
    s->report->thread_path = r->solve.path;
    s->report->guarded = r->solve.guarded;
    s->report->ambiguous = r->solve.others;
    s->report->fallbacks = r->solve.fallbacks;
    s->report->locked_rows = r->locked_rows;
    s->report->contradictions = r->solve.contradictions;
    s->report->contradictions_proven = r->solve.proven;
    s->report->solved_by = r->solve.fallbacks > 0 && r->solve.by != NULL ? r->solve.by->name : NULL;
    s->report->work = r->work;
    return status;
}

/* ------------------------------------------------------------------ end of a step */

RgMomentum rg_stage_measure(RgStepScope *s, const RgState *state)
{
    RgMomentum momentum;
    s->form->kind->kinematics(s->form, state->x, state->u);
    rg_constraints_observe(s->constraints);
    rg_tree_momentum(s->form->kin, s->gravity, s->form->q, s->form->v, &momentum);
    momentum.potential += rg_loop_potential(s->constraints);
    return momentum;
}

/* J: kinetic and potential energy. */
static double energy_of(RgStepScope *s, const RgState *state)
{
    s->form->kind->kinematics(s->form, state->x, state->u);
    rg_constraints_observe(s->constraints);
    return rg_tree_energy(s->form->kin, s->gravity, s->form->q, s->form->v) + rg_loop_potential(s->constraints);
}

void rg_stage_advance(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    const RgForm *form = s->form;
    const double *moving = s->contact != NULL ? s->contact->result.moving : NULL;
    double *move = s->scratch.memory[0];
    for (int k = 0; k < form->nu; k++)
        move[k] = h * s1->u[k];
    if (moving == NULL) {
        form->kind->integrate(form, s0->x, move, s1->x);
        rg_stage_correct_centres(s, s1->u, h, s1->x, s1->u);
        return;
    }

    /* Split impulse: the work reported is the difference in potential energy to the motion along u. */
    RgState plain = {.x = s->scratch.x, .u = s1->u};
    form->kind->integrate(form, s0->x, move, plain.x);
    for (int k = 0; k < form->nu; k++)
        move[k] = h * moving[k];
    form->kind->integrate(form, s0->x, move, s1->x);
    rg_stage_correct_centres(s, moving, h, s1->x, s1->u);
    s->report->work.split = rg_stage_measure(s, s1).potential - rg_stage_measure(s, &plain).potential;
}

RgStatus rg_stage_stabilise(RgStepScope *s, RgState *state)
{
    bool kept = s->call.joints_kept;
    s->call.joints_kept = false;
    if (!s->constraints->any_hard)
        return RG_OK;

    /* Stabilisation is switched off, or the solver had the joints as rows: only report the error. */
    if (kept && !s->call.account)
        return RG_OK;
    if (s->stabilise == RG_STABILISE_NONE || kept) {
        s->form->kind->kinematics(s->form, state->x, state->u);
        rg_constraints_observe(s->constraints);
        rg_assemble_hard_rows(s->constraints);
        s->report->joint_error = rg_rows_error(&s->constraints->rows);
        return RG_OK;
    }
    bool changed;
    double before = energy_of(s, state);
    RgStatus status = rg_project_state(s->constraints, NULL, state->x, state->u, &s->report->joint_error, &changed);
    if (status != RG_OK || !changed)
        return status;
    s->report->projected += energy_of(s, state) - before;
    return RG_OK;
}

/* Keeps sleeping bodies in place; bodies that have been quiet long enough fall asleep. */
static void update_sleep(RgStepScope *s, RgState *state)
{
    rg_sleep_freeze(s->sleep, s->call.x_before, state->x, state->u);
    rg_sleep_end_step(s->sleep, &s->contacts, s->call.h, state->u);
    s->report->sleeping = s->sleep->nasleep;
    s->report->slept = s->sleep->slept;
}

RgStatus rg_stage_finish(RgStepScope *s, RgState *state)
{
    int bad = first_not_finite(state->u, s->form->nu);
    if (bad >= 0)
        return report_offending_velocity(s, bad);
    RgStatus status = rg_stage_stabilise(s, state);
    if (status != RG_OK)
        return status;

    /* Exponential dissipation: v <- (1 - lambda) v. */
    if (s->dissipation > 0.0) {
        double keep = 1.0 - s->dissipation;
        s->report->dissipated += (1.0 - keep * keep) * rg_stage_measure(s, state).kinetic;
        for (int k = 0; k < s->form->nu; k++)
            state->u[k] *= keep;
    }
    s->form->kind->settle(s->form, state->x);
    if (s->sleep != NULL)
        update_sleep(s, state);
    bad = first_not_finite(state->x, s->form->nx);
    if (bad < 0)
        return RG_OK;
    return report_offending_dof(s, RG_ERR_NOT_FINITE, s->model->bodies[body_of_position(s, bad)].v0);
}
