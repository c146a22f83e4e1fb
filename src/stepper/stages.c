/*
 * stages.c - the pipeline that every stepper orders: one way from a state to its acceleration, one way to end
 * a step.
 *
 * Non-finite numbers are caught where they come in (input function), where they arise (accelerations) and
 * before they would become the state; the report names the joint or link.
 */
#include "stepper/stepper.h"

#include <stdio.h>
#include <string.h>

bool rg_scope_take(RgArena *arena, RgStepScope *s)
{
    int nu = s->form->nu;
    s->has_rows = rg_has_rows(s->form, 0.0);
    s->tau = RG_TAKE(arena, double, s->model->nv);
    s->tau_input = RG_TAKE(arena, double, s->model->nv);
    s->on_links = RG_TAKE(arena, RgForce, s->model->nlinks);
    s->link_input = RG_TAKE(arena, RgForce, s->model->nlinks);
    s->on_bodies = RG_TAKE(arena, RgForce, s->model->nbodies);
    s->a = RG_TAKE(arena, double, nu);
    s->u_free = RG_TAKE(arena, double, nu);
    for (size_t i = 0; i < sizeof s->memory / sizeof s->memory[0]; i++)
        s->memory[i] = RG_TAKE(arena, double, nu);
    s->x_stage = RG_TAKE(arena, double, s->form->nx);
    s->struck = RG_TAKE(arena, bool, 2 * s->model->nbodies);
    s->twists = RG_TAKE(arena, RgMotion, s->model->nbodies);
    return !arena->failed;
}

/* ------------------------------------------------------------------ who is to blame */

static RgStatus blame(RgStepScope *s, RgStatus status, const char *what, const char *name)
{
    snprintf(s->report->offender, sizeof s->report->offender, "%s '%s'", what, name);
    return status;
}

static RgStatus blame_dof(RgStepScope *s, RgStatus status, int dof)
{
    bool floating = s->model->bodies[s->model->dof_body[dof]].joint < 0;
    return blame(s, status, floating ? "link" : "joint", rg_model_dof_name(s->model, dof));
}

static int first_bad(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* The joint or link behind entry k of a velocity vector of the form. */
static RgStatus blame_velocity(RgStepScope *s, int k)
{
    if (!s->form->kind->joints_are_rows)
        return blame_dof(s, RG_ERR_NOT_FINITE, k);
    if (k >= 6 * s->model->nbodies)
        return blame_dof(s, RG_ERR_NOT_FINITE, s->form->rotor_dof[k - 6 * s->model->nbodies]);
    return blame(s, RG_ERR_NOT_FINITE, "link", s->model->links[s->model->bodies[k / 6].link].def.name);
}

/* ------------------------------------------------------------------ forces */

static bool force_finite(RgForce f)
{
    return v3_finite(f.n) && v3_finite(f.f);
}

/* Constant inputs, then what the input function makes of them. */
static RgStatus ask_input(RgStepScope *s, double t)
{
    const RgModel *m = s->model;
    memcpy(s->tau, s->tau_constant, (size_t)m->nv * sizeof *s->tau);
    if (s->any_wrench)
        memcpy(s->on_links, s->wrench_constant, (size_t)m->nlinks * sizeof *s->on_links);
    else if (s->held != NULL)
        memset(s->on_links, 0, (size_t)m->nlinks * sizeof *s->on_links);
    if (s->input == NULL)
        return RG_OK;
    if (s->input_sampled) {
        memcpy(s->tau, s->tau_input, (size_t)m->nv * sizeof *s->tau);
        memcpy(s->on_links, s->link_input, (size_t)m->nlinks * sizeof *s->on_links);
        return RG_OK;
    }
    RgInputState state = {t, s->form->q, s->form->v};
    RgInput input = {s->tau, s->on_links};
    s->input(m, &state, &input, s->input_context);
    int bad = first_bad(s->tau, m->nv);
    if (bad >= 0)
        return blame_dof(s, RG_ERR_NOT_FINITE, bad);
    for (int i = 0; i < m->nlinks; i++)
        if (!force_finite(s->on_links[i]))
            return blame(s, RG_ERR_NOT_FINITE, "link", m->links[i].def.name);
    memcpy(s->tau_input, s->tau, (size_t)m->nv * sizeof *s->tau);
    memcpy(s->link_input, s->on_links, (size_t)m->nlinks * sizeof *s->on_links);
    return RG_OK;
}

RgStatus rg_stage_sample_input(RgStepScope *s, double t, const double *x, const double *u)
{
    s->input_sampled = false;
    s->form->kind->kinematics(s->form, x, u);
    RgStatus status = ask_input(s, t);
    s->input_sampled = status == RG_OK;
    return status;
}

/* What is held beside the inputs. */
static void add_held(RgStepScope *s)
{
    for (int k = 0; k < s->model->nv; k++)
        s->tau[k] += s->held_tau[k];
    for (int i = 0; i < s->model->nlinks; i++)
        s->on_links[i] = fv_add(s->on_links[i], s->held[i]);
}

RgStatus rg_stage_forces(RgStepScope *s, double t, double h, bool *use_diagonal)
{
    RgStatus status = ask_input(s, t);
    if (status != RG_OK)
        return status;
    if (s->held != NULL)
        add_held(s);
    if (s->any_wrench || s->held != NULL)
        rg_gather_wrenches(s->form->kin, s->on_links, s->on_bodies);
    else
        memset(s->on_bodies, 0, (size_t)s->model->nbodies * sizeof *s->on_bodies);
    rg_constraints_observe(s->constraints);
    *use_diagonal = rg_add_passive(s->constraints, h, s->tau, s->on_bodies, s->form->diagonal);
    return RG_OK;
}

/* ------------------------------------------------------------------ acceleration */

/* What accelerations are asked for: at t, x, u; springs and dampers implicit over h; share of the rows'
   bias. */
typedef struct Question {
    double t;
    const double *x, *u;
    double h, share;
    const RgContactMemory *memory; /* contacts are wanted too, and these were the last; NULL: none */
    bool calms;                    /* velocity products of what turns too far are left out */
} Question;

/* Who is touched in his sleep wakes, and all of his contacts are found too. */
RgStatus rg_stage_collide(RgStepScope *s, double t, const RgContactMemory *memory)
{
    if (s->scene == NULL)
        return RG_OK;
    if (s->given != NULL) {
        s->contacts = *s->given;
        return rg_contact_scene_adopt(s->scene, s->given, memory) ? RG_OK : RG_ERR_MEMORY;
    }
    RgSleep *sleep = s->sleep;
    RgManifoldOptions options = rg_manifold_options_default();
    options.max_points = RG_PATCH_POINTS;
    RgStatus status = rg_contact_scene_place(s->scene, s->form->kin);
    if (s->contact != NULL)
        rg_drive_reach(s->contact->bounded, t, s->h, s->scene);
    RgContactSearch search = {.options = &options,
                              .memory = memory,
                              .h = s->h,
                              .asleep = sleep != NULL ? sleep->asleep : NULL,
                              .crew = s->form->crew};
    do {
        status = status == RG_OK ? rg_contact_scene_find(s->scene, &search, &s->contacts) : status;
    } while (status == RG_OK && sleep != NULL && rg_sleep_touch(sleep, &s->contacts, memory));
    return status;
}

void rg_stage_still(RgStepScope *s, RgState *s1)
{
    if (s->sleep != NULL)
        rg_sleep_still(s->sleep, s1->u);
}

/* Kinetic energy that all but the solver gave, where it is wanted; remembers the velocities of that moment. */
static double force_work(const RgStepScope *s, const RgState *s0, const RgState *s1)
{
    if (!s->account)
        return 0.0;
    memcpy(s->u_free, s1->u, (size_t)s->form->nu * sizeof *s->u_free);
    return rg_form_kinetic(s->form, s1->u) - rg_form_kinetic(s->form, s0->u);
}

/* All rows of the step by one solver. */
static RgStatus solve_rows(RgStepScope *s, const RgState *s0, double h, bool implicit, RgState *s1)
{
    double forces = force_work(s, s0, s1);
    RgRowStep step = {.contact = {s0->t, h, &s0->memory, &s1->memory, s->diagonal},
                      .scene = s->scene,
                      .contacts = &s->contacts,
                      .implicit = implicit,
                      .diagonal = s->diagonal,
                      .u0 = s0->u,
                      .account = s->account};
    RgStatus status = rg_row_solve(s->rows, &step, s1->u);
    s->rows_kept = true;
    const RgSolveReport *r = &s->rows->report;
    s->report->contacts = s->contacts.npoints;
    s->report->contact_work = s->rows->work.total;
    s->report->sweeps = r->iterations;
    s->report->unfinished = !r->converged;
    s->report->residual = s->report->residual_velocity = r->residual.velocity;
    s->report->residual_impulse = r->residual.impulse;
    s->report->explicit_refused = r->not_in_sweeps;
    s->report->guarded = r->guarded;
    s->report->falls = r->falls;
    s->report->islands = r->islands;
    s->report->solved_by = r->falls > 0 && r->by != NULL ? r->by->name : NULL;
    s->report->work = s->rows->work;
    s->report->work.forces = forces;
    return status;
}

RgStatus rg_stage_contact(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    return rg_stage_impulses(s, s0, h, s->implicit_damping, s1);
}

RgStatus rg_stage_impulses(RgStepScope *s, const RgState *s0, double h, bool implicit, RgState *s1)
{
    if (s->contact == NULL)
        return RG_OK;
    if (s->rows != NULL)
        return solve_rows(s, s0, h, implicit, s1);
    double forces = force_work(s, s0, s1);
    RgStatus status =
        rg_contact_solve(s->contact, s->scene, &s->contacts,
                         &(RgContactStep){s0->t, h, &s0->memory, &s1->memory, s->diagonal}, s1->u);
    const RgQuickReport *r = &s->contact->report;
    s->report->contacts = s->contacts.npoints;
    s->report->islands = r->islands;
    s->report->sweeps = r->sweeps;
    s->report->unfinished = r->unfinished;
    s->report->guarded = r->guarded;
    s->report->residual = r->residual;
    s->report->contact_work = s->contact->work;
    if (s->account && status == RG_OK)
        s->report->work = rg_contact_work(s->contact, s->u_free, s1->u, s->diagonal);
    s->report->work.forces = forces;
    return status;
}

/* Accelerations from the forces that act: of the tree, or of the free bodies; then rows. */
static RgStatus solve_accelerations(RgStepScope *s, const Question *ask, bool use_diagonal, double *a)
{
    RgForm *form = s->form;
    bool by_solver = s->rows != NULL && ask->memory != NULL;
    s->diagonal = use_diagonal && !form->kind->joints_are_rows ? form->diagonal : NULL;
    bool rows = s->constraints->rows.room > 0 && !by_solver;
    bool wrenches = s->any_wrench || s->held != NULL || s->model->nloops > 0;
    RgForces forces = {s->gravity, s->tau, wrenches ? s->on_bodies : NULL,
                       use_diagonal ? form->diagonal : NULL,
                       rows || by_solver || s->contacts.npoints > 0 ||
                           (s->contact != NULL && rg_bounded_any(s->contact->bounded))};
    int bad_dof = 0;
    if (!form->kind->dynamics(form, &forces, a, &bad_dof))
        return blame_dof(s, RG_ERR_SINGULAR, bad_dof);
    if (!rows)
        return RG_OK;
    rg_assemble_rows(s->constraints, ask->h, false);
    s->constraints->share = ask->share;
    RgStatus status = rg_solve_bilateral(s->constraints, a);
    s->report->redundant_rows = s->constraints->problem.redundant;
    return status;
}

static RgStatus accelerate(RgStepScope *s, const Question *ask, double *a)
{
    RgForm *form = s->form;
    s->report->evaluations++;

    /* Kinematics and forces. */
    bool use_diagonal;
    form->kind->kinematics(form, ask->x, ask->u);
    RgStatus status = rg_stage_forces(s, ask->t, ask->h, &use_diagonal);
    if (status == RG_OK && ask->memory != NULL && s->sleep != NULL)
        rg_sleep_feel(s->sleep, s->tau, s->any_wrench ? s->on_links : NULL, ask->memory);
    if (status == RG_OK && ask->memory != NULL)
        status = rg_stage_collide(s, ask->t, ask->memory);
    if (status != RG_OK)
        return status;

    bool calm = ask->calms && rg_stage_calm(s, s->h);
    status = solve_accelerations(s, ask, use_diagonal, a);
    if (calm)
        rg_stage_wake_twists(s);
    if (status != RG_OK)
        return status;
    int bad = first_bad(a, form->nu);
    return bad < 0 ? RG_OK : blame_velocity(s, bad);
}

RgStatus rg_stage_acceleration(RgStepScope *s, double t, const double *x, const double *u, double h,
                               double *a)
{
    return accelerate(s, &(Question){t, x, u, h, 1.0, NULL, false}, a);
}

RgStatus rg_stage_touching(RgStepScope *s, const RgState *at, double h, double *a)
{
    return accelerate(s, &(Question){at->t, at->x, at->u, h, 1.0, &at->memory, false}, a);
}

/* The other half is the projection's; without one the rows must be kept by the accelerations alone. */
static double shake_share(const RgStepScope *s)
{
    return s->stabilise == RG_STABILISE_PROJECT ? 0.5 : 1.0;
}

RgStatus rg_stage_shake(RgStepScope *s, const RgState *state, double h, double *a)
{
    Question ask = {state->t, state->x, state->u, h, shake_share(s), &state->memory, true};
    RgStatus status = accelerate(s, &ask, a);
    if (status == RG_OK)
        rg_stage_turning(s, state->u, s->h, a);
    return status;
}

RgStatus rg_stage_shake_smooth(RgStepScope *s, const RgState *state, double *a)
{
    return accelerate(s, &(Question){state->t, state->x, state->u, 0.0, shake_share(s), NULL, false}, a);
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

void rg_stage_move(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    const RgForm *form = s->form;
    double *move = s->memory[0];
    bool split = s->rows_kept && s->rows->moving != NULL;
    for (int k = 0; k < form->nu; k++)
        move[k] = h * s1->u[k];
    if (!split) {
        form->kind->integrate(form, s0->x, move, s1->x);
        rg_stage_carry(s, s1->u, h, s1->x, s1->u);
        return;
    }

    /* Where the velocities would have led, and how much higher the bodies are instead. */
    RgState plain = {.x = s->x_stage, .u = s1->u};
    form->kind->integrate(form, s0->x, move, plain.x);
    for (int k = 0; k < form->nu; k++)
        move[k] = h * s->rows->moving[k];
    form->kind->integrate(form, s0->x, move, s1->x);
    rg_stage_carry(s, s->rows->moving, h, s1->x, s1->u);
    s->report->work.split = rg_stage_measure(s, s1).potential - rg_stage_measure(s, &plain).potential;
}

RgStatus rg_stage_stabilise(RgStepScope *s, RgState *state)
{
    bool kept = s->rows_kept;
    s->rows_kept = false;
    if (!s->has_rows)
        return RG_OK;

    /* Switched off, or done by the solver: only say what is left. */
    if (kept && !s->account)
        return RG_OK;
    if (s->stabilise == RG_STABILISE_NONE || kept) {
        s->form->kind->kinematics(s->form, state->x, state->u);
        rg_constraints_observe(s->constraints);
        rg_assemble_rows(s->constraints, 0.0, true);
        s->report->joint_error = rg_rows_error(&s->constraints->rows);
        return RG_OK;
    }
    bool changed;
    RgMomentum before = rg_stage_measure(s, state);
    RgStatus status = rg_project_state(s->constraints, state->x, state->u, &s->report->joint_error, &changed);
    if (status != RG_OK || !changed)
        return status;
    RgMomentum after = rg_stage_measure(s, state);
    s->report->projected += (after.kinetic - before.kinetic) + (after.potential - before.potential);
    return RG_OK;
}

/* Sleepers stay; who has been quiet long enough falls asleep. */
static void rest(RgStepScope *s, RgState *state)
{
    rg_sleep_hold(s->sleep, s->x_before, state->x, state->u);
    rg_sleep_doze(s->sleep, &s->contacts, s->h, state->u);
    s->report->sleeping = s->sleep->nasleep;
    s->report->slept = s->sleep->slept;
}

RgStatus rg_stage_finish(RgStepScope *s, RgState *state)
{
    int bad = first_bad(state->u, s->form->nu);
    if (bad >= 0)
        return blame_velocity(s, bad);
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
        rest(s, state);
    bad = first_bad(state->x, s->form->nx);
    if (bad < 0)
        return RG_OK;
    int body = s->form->kind->joints_are_rows && bad < 7 * s->model->nbodies ? bad / 7 : 0;
    while (!s->form->kind->joints_are_rows && body + 1 < s->model->nbodies &&
           s->model->bodies[body + 1].q0 <= bad)
        body++;
    return blame_dof(s, RG_ERR_NOT_FINITE, s->model->bodies[body].v0);
}
