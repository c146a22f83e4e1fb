/*
 * stepper_semi_implicit.c - semi-implicit Euler in the two forms that the papers use. First order; in joint
 * coordinates, where M depends on q, energy drifts in proportion to h.
 *
 *   semi-implicit       (ODE, 003, 004)   u1 = u0 + h a(x0, u0),   x1 = x0 + h u1
 *   semi-implicit-000   (000)             x1 = x0 + h u0,          u1 = u0 + h a(x1, u0)
 *
 * Hard rows (loops, couplings, joints of the maximal form) are kept as in SHAKE in the first form (bilateral.c), and at
 * the new position in the second.
 *
 * Contacts are those of the old position in the first form, of the new position in the second: in both the new velocity
 * starts from the positions at which they were found.
 *
 * In the first form, joints whose motion is prescribed by hard drives are eliminated from the unknowns
 * (constraint/prescribed.c). Drives that exceed their effort bounds become unknowns, and the step is solved again.
 *
 * Joint springs and dampers act at the end of the step unless implicit damping is switched off, so they are stable for
 * any gain.
 */
#include "constraint/fields.h"
#include "stepper/stepper_table.h"

/* Whether the solver of contacts has joints among its rows. */
static bool solver_takes_joints(const RgStepScope *c)
{
    return c->contact != NULL && rg_contact_has_joint_rows(c->contact);
}

/* Springs and dampers at the end of the step; joints as rows where the solver takes them. */
static RgDynamicsAsk dynamics_ask(const RgStepScope *c, double h)
{
    return (RgDynamicsAsk){.h = c->implicit_damping ? h : 0.0, .share = 1.0, .free_joints = solver_takes_joints(c)};
}

/* Applies damping fields at the end of the step to free bodies; other bodies have rows for them. Reports the work of
   the fields, except that of rows which the contact solver takes. */
static void apply_fields(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    RgConstraints *rows = c->constraints;
    if (rows->fields == NULL || !rows->fields->any || !c->implicit_damping)
        return;
    c->report->fields = rg_fields_damp(rows->fields, h, s0->u, s1->u);
    if (!solver_takes_joints(c))
        c->report->fields += rg_fields_eliminated_work(rows, h, s0->u, s1->u);
}

/* Reports the work of damping fields whose rows the contact solver has taken. */
static void report_field_work(RgStepScope *c, const RgState *s0, const RgState *s1)
{
    const RgConstraints *rows = c->constraints;
    if (rows->fields != NULL && rows->fields->any && c->implicit_damping && solver_takes_joints(c))
        c->report->fields += rg_fields_row_work(rows, s0->u, s1->u, c->contact->problem.joint_impulses);
}

/* Kinematics, forces and contacts at the start of the step. */
static RgStatus start_step(RgStepScope *c, const RgState *s0, double h)
{
    RgDynamicsAsk ask = dynamics_ask(c, h);
    rg_stage_kinematics(c, s0->x, s0->u);
    RgStatus status = rg_stage_forces(c, s0->t, &ask);
    return status == RG_OK ? rg_stage_collide(c, s0) : status;
}

/* Velocities at the end of the step without contacts and bounded rows. prescribed: joints whose velocities drives
   prescribe; NULL: none. */
static RgStatus update_velocities(RgStepScope *c, const RgState *s0, double h, RgPrescribed *prescribed, RgState *s1)
{
    double *a = c->scratch.a;
    RgDynamicsAsk ask = dynamics_ask(c, h);
    ask.share = rg_shake_share(c);
    ask.guard = true;
    bool any = prescribed != NULL && prescribed->rates.n > 0;
    ask.known = any ? &prescribed->rates : NULL;
    RgStatus status = rg_stage_dynamics(c, &ask, a);
    if (status != RG_OK)
        return status;
    rg_stage_gyroscopic(c, s0->u, c->call.h, a);
    rg_stage_velocity(c, s0, h, a, s1);
    for (int k = 0; any && k < c->form->nu; k++)
        s1->u[k] = prescribed->rates.known[k] ? prescribed->velocity[k] : s1->u[k];
    apply_fields(c, s0, h, s1);
    return RG_OK;
}

RgStatus rg_stage_free_velocity(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    RgStatus status = start_step(c, s0, h);
    return status == RG_OK ? update_velocities(c, s0, h, NULL, s1) : status;
}

static RgStatus velocity_first(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    RgStatus status = start_step(c, s0, h);
    RgContactAsk ask = rg_stage_ask(c, s0, h);
    bool first = true, again = status == RG_OK;
    while (again) {
        ask.prescribed = c->contact != NULL ? rg_contact_prescribe(c->contact, &ask, first) : NULL;
        status = update_velocities(c, s0, h, ask.prescribed, s1);
        if (status == RG_OK)
            status = rg_stage_solve(c, &ask, s1);
        again = status == RG_OK && c->contact != NULL && c->contact->result.again;
        first = false;
    }
    if (status == RG_OK) {
        report_field_work(c, s0, s1);
        rg_stage_advance(c, s0, h, s1);
    }
    rg_form_forget_known(c->form);
    return status;
}

static RgStatus position_first(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    double *move = c->scratch.memory[0], *a = c->scratch.a;
    for (int k = 0; k < c->form->nu; k++)
        move[k] = h * s0->u[k];
    c->form->kind->integrate(c->form, s0->x, move, s1->x);
    RgState at = {.t = s0->t + h, .x = s1->x, .u = s0->u, .memory = s0->memory};
    RgDynamicsAsk dynamics = dynamics_ask(c, h);
    rg_stage_kinematics(c, at.x, at.u);
    RgStatus status = rg_stage_forces(c, at.t, &dynamics);
    if (status == RG_OK)
        status = rg_stage_collide(c, &at);
    if (status == RG_OK)
        status = rg_stage_dynamics(c, &dynamics, a);
    if (status != RG_OK)
        return status;
    rg_stage_velocity(c, s0, h, a, s1);
    apply_fields(c, s0, h, s1);
    RgContactAsk ask = rg_stage_ask(c, &at, h);
    status = rg_stage_solve(c, &ask, s1);
    if (status == RG_OK)
        report_field_work(c, s0, s1);
    const double *moving = c->contact != NULL ? c->contact->result.moving : NULL;
    if (status != RG_OK || moving == NULL)
        return status;

    /* Split impulse: correction of positions that is not part of the velocities. */
    for (int k = 0; k < c->form->nu; k++)
        move[k] = h * (moving[k] - s1->u[k]);
    double before = rg_stage_measure(c, s1).potential;
    c->form->kind->integrate(c->form, s1->x, move, s1->x);
    c->report->work.split = rg_stage_measure(c, s1).potential - before;
    return RG_OK;
}

const RgStepper rg_stepper_semi_implicit = {
    .name = "semi-implicit",
    .passive = RG_PASSIVE_END,
    .summary = "semi-implicit Euler, new velocity moves the position (as ODE): fast, robust",
    .step = velocity_first};

const RgStepper rg_stepper_semi_implicit_000 = {
    .name = "semi-implicit-000",
    .passive = RG_PASSIVE_MOVED,
    .summary = "semi-implicit Euler, forces at the new position with the old velocity (paper 000)",
    .step = position_first};
