/*
 * end_contacts.c - contacts and bounded rows at the end of a step of an integrator for smooth motion.
 *
 * The integrator has computed the end of the step without them: x*, u*. Contacts are those at the start x0, and the
 * impulses, solved there, change the velocities at the end:
 *
 *   u1 = u* + M(x0)^-1 J(x0)' z        targets as in every step: no gap closes by more than its width
 *
 * Bodies without an impulse keep x*, to the order of the integrator. A body with an impulse, and all bodies connected
 * to it by joints, loops and couplings, moves along its new velocity, x1 = x0 + h u1: gaps then follow the targets, and
 * bodies at rest stay at rest. Such a step is of first order. Moving up by h u1 adds m g h u1 to the potential energy;
 * a bounce has u1 = e v - g h, which keeps the energy of an elastic ball up to m (g h)^2 / 2.
 *
 * Solvers that take all rows also keep joints and loops in a step with contacts or bounded rows. In all other cases
 * these are kept by the accelerations and the projection, as without contacts.
 */
#include "stepper/stepper.h"

#include <string.h>

/* Indices into scratch.memory, which the integrator no longer uses. */
enum { MOVE, U_FREE };

/* Part of the largest velocity by which a solver's scaling can change a velocity without an impulse. */
#define ROUND_OFF 1e-13

/* Factors the mass matrix and the bilateral rows at the start of the step. */
static RgStatus factor_at_start(RgStepScope *s)
{
    double *tau = s->forces.tau, *a = s->scratch.a;
    memset(tau, 0, (size_t)s->model->nv * sizeof *tau);
    RgForces none = {.tau = tau, .needs_solve = true};
    int bad_dof = 0;
    if (!s->form->kind->dynamics(s->form, &none, a, &bad_dof))
        return RG_ERR_SINGULAR;
    if (rg_contact_has_joint_rows(s->contact) || s->constraints->most == 0)
        return RG_OK;
    rg_assemble_hard_rows(s->constraints);
    return rg_solve_bilateral(s->constraints, 1.0, a);
}

/* Body of entry k of a velocity vector of the form. */
static int body_of_velocity(const RgForm *form, int k)
{
    const RgModel *m = form->model;
    if (!form->kind->joints_are_rows)
        return m->dof_body[k];
    return k < 6 * m->nbodies ? k / 6 : m->dof_body[form->rotor_dof[k - 6 * m->nbodies]];
}

/* Marks the bodies whose velocities were changed, and their articulations. */
static void find_changed_bodies(RgStepScope *s, const double *u)
{
    const RgContactBody *bodies = s->contact->setup.bodies;
    const double *free = s->scratch.memory[U_FREE];
    bool *changed = s->scratch.bodies, *groups = s->scratch.bodies + s->model->nbodies;
    double largest = 0.0;
    memset(changed, 0, 2 * (size_t)s->model->nbodies * sizeof *changed);
    for (int k = 0; k < s->form->nu; k++)
        largest = fmax(largest, fabs(free[k]));
    for (int k = 0; k < s->form->nu; k++) {
        int body = body_of_velocity(s->form, k);
        if (!(fabs(u[k] - free[k]) > ROUND_OFF * largest))
            continue;
        changed[body] = true;
        if (bodies[body].group >= 0)
            groups[bodies[body].group] = true;
    }
    for (int i = 0; i < s->model->nbodies; i++)
        changed[i] = changed[i] || (bodies[i].group >= 0 && groups[bodies[i].group]);
}

/* Sets the positions of the marked bodies: from x0 along u. */
static void move_changed_bodies(RgStepScope *s, const RgState *s0, double h, const double *u, double *x)
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

/* Whether contacts or bounded rows may act in the step. User rows always count: their callback is called once, by the
   solve. */
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
    find_changed_bodies(s, s1->u);
    move_changed_bodies(s, s0, h, s1->u, s1->x);
    const double *moving = s->contact->result.moving;
    if (moving == NULL)
        return RG_OK;

    /* Split impulse: positions move by their own velocities; the difference in potential energy is reported. */
    double plain = rg_stage_measure(s, s1).potential;
    move_changed_bodies(s, s0, h, moving, s1->x);
    s->report->work.split = rg_stage_measure(s, s1).potential - plain;
    return RG_OK;
}
