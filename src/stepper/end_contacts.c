/*
 * end_contacts.c - contacts and bounded rows at the end of a step of a method for smooth motion.
 *
 * The method has found where the step would lead without them: x*, u*. Contacts are those of the step's start
 * x0, and the impulses, found there, change the velocities at its end:
 *
 *   u1 = u* + M(x0)^-1 J(x0)' z        targets as in every step: no gap closes by more than it is wide
 *
 * What takes no impulse keeps x*, to the order of the method. A body that does, and all that joints, loops and
 * couplings tie to it, moves along its new velocity, x1 = x0 + h u1: so gaps are kept as the targets say, and what
 * stands stands still. Such a step is of first order (design: Runge-Kutta between contacts, contact at the end of the
 * step). Going up by h u1 costs m g h u1, which a bounce pays at once: u1 = e v - g h keeps the energy of an elastic
 * ball up to m (g h)^2 / 2.
 *
 * Solvers that take all rows keep joints and loops too in a step with contacts or bounded rows; in any other
 * these are kept by the accelerations and the projection, as without contacts.
 */
#include "stepper/stepper.h"

#include <string.h>

/* Places in the scope's memory, free once the method is through. */
enum { MOVE, U_FREE };

/* Part of the largest velocity that a solver's scaling may change any by, without an impulse. */
#define ROUND_OFF 1e-13

/* Factors of the masses and of the bilateral rows at the start of the step. */
static RgStatus factor_at_start(RgStepScope *s)
{
    double *tau = s->forces.tau, *a = s->scratch.a;
    memset(tau, 0, (size_t)s->model->nv * sizeof *tau);
    RgForces none = {.tau = tau, .needs_solve = true};
    int bad_dof = 0;
    if (!s->form->kind->dynamics(s->form, &none, a, &bad_dof))
        return RG_ERR_SINGULAR;
    if (rg_contact_takes_joints(s->contact) || s->constraints->most == 0)
        return RG_OK;
    rg_assemble_hard_rows(s->constraints);
    return rg_solve_bilateral(s->constraints, 1.0, a);
}

static int body_of_velocity(const RgForm *form, int k)
{
    const RgModel *m = form->model;
    if (!form->kind->joints_are_rows)
        return m->dof_body[k];
    return k < 6 * m->nbodies ? k / 6 : m->dof_body[form->rotor_dof[k - 6 * m->nbodies]];
}

/* Bodies whose velocities were changed, and what hangs on them. */
static void find_struck(RgStepScope *s, const double *u)
{
    const RgContactBody *bodies = s->contact->setup.bodies;
    const double *free = s->scratch.memory[U_FREE];
    bool *struck = s->scratch.bodies, *groups = s->scratch.bodies + s->model->nbodies;
    double largest = 0.0;
    memset(struck, 0, 2 * (size_t)s->model->nbodies * sizeof *struck);
    for (int k = 0; k < s->form->nu; k++)
        largest = fmax(largest, fabs(free[k]));
    for (int k = 0; k < s->form->nu; k++) {
        int body = body_of_velocity(s->form, k);
        if (!(fabs(u[k] - free[k]) > ROUND_OFF * largest))
            continue;
        struck[body] = true;
        if (bodies[body].group >= 0)
            groups[bodies[body].group] = true;
    }
    for (int i = 0; i < s->model->nbodies; i++)
        struck[i] = struck[i] || (bodies[i].group >= 0 && groups[bodies[i].group]);
}

/* Positions of the struck bodies, from x0 along u. */
static void move_struck(RgStepScope *s, const RgState *s0, double h, const double *u, double *x)
{
    const RgModel *m = s->model;
    double *move = s->scratch.memory[MOVE], *moved = s->scratch.x;
    for (int k = 0; k < s->form->nu; k++)
        move[k] = h * u[k];
    s->form->kind->integrate(s->form, s0->x, move, moved);
    for (int i = 0; i < m->nbodies; i++) {
        int first = s->form->kind->joints_are_rows ? 7 * i : m->bodies[i].q0;
        int count = s->form->kind->joints_are_rows ? 7 : m->bodies[i].kind->nq;
        if (s->scratch.bodies[i])
            memcpy(x + first, moved + first, (size_t)count * sizeof *x);
    }
}

/* Whether anything may act in the step. A user's rows are asked for once, by the solve. */
static bool anything_acts(RgStepScope *s, double t, double h)
{
    RgBoundedAsk ask = rg_stage_rows_ask(s, t, h);
    return s->contacts.npoints > 0 || s->contact->setup.bounded->user.fn != NULL ||
           rg_contact_has_rows(s->contact, &ask);
}

RgStatus rg_stage_end_contacts(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    if (s->contact == NULL)
        return RG_OK;
    rg_stage_kinematics(s, s0->x, s0->u);
    RgStatus status = rg_stage_collide(s, s0);
    if (status != RG_OK)
        return status;
    rg_constraints_observe(s->constraints);
    if (!anything_acts(s, s0->t, h)) {
        rg_contact_memory_clear(&s1->memory);
        rg_contact_forget(s->contact);
        return RG_OK;
    }
    if ((status = factor_at_start(s)) != RG_OK)
        return status;
    memcpy(s->scratch.memory[U_FREE], s1->u, (size_t)s->form->nu * sizeof *s1->u);
    RgContactAsk ask = rg_stage_ask(s, s0, h);
    ask.smooth = true;
    ask.implicit = false;
    ask.diagonal = NULL;
    if ((status = rg_stage_solve(s, &ask, s1)) != RG_OK)
        return status;
    find_struck(s, s1->u);
    move_struck(s, s0, h, s1->u, s1->x);
    const double *moving = s->contact->result.moving;
    if (moving == NULL)
        return RG_OK;

    /* Split impulse: positions by their own velocities, and how much higher the bodies are for it. */
    double plain = rg_stage_measure(s, s1).potential;
    move_struck(s, s0, h, moving, s1->x);
    s->report->work.split = rg_stage_measure(s, s1).potential - plain;
    return RG_OK;
}
