/*
 * row_spring_damper.c - springs and dampers of joints, explicit or implicit (taken at the end of the step).
 *
 *   explicit         tau = -k x - d v
 *   implicit over h  tau = -k (x + h v + h^2 v') - d (v + h v')
 *     minimal form   (M + h d + h^2 k) a = ... - k (x + h v) - d v                   a diagonal is added to M
 *     as a row       v' + C z = C (-k (x + h v) - d v),   C = 1 / (h d + h^2 k)      the same equation, z = tau
 *
 * which is the ERP/CFM pair of a spring-damper (004, eq. 12) for accelerations: stable for any k and d. Loop joints use
 * the row in both forms, tree joints in the maximal form. x is the displacement from rest (passive_forces.c).
 *
 *   held             tau = f - l (v' h)                f: force of another moment, l: late damping (constraints.h)
 *
 * which is the same with k = 0, d = l and the given force f: no row where l is 0.
 */
#include "constraint/row_table.h"

/* Displacement of loop joint l from rest. */
static void loop_displacement(const RgConstraints *c, int l, double x[6])
{
    const RgLoop *loop = &c->form->model->loops[l];
    const RgAxisDef *dof = c->form->model->joints[loop->joint].def.dof;
    double zero[7];
    loop->kind->neutral(zero);
    loop->kind->difference(zero, c->loops[l].q, x);
    for (int k = 0; k < loop->kind->nv; k++)
        x[k] -= dof[k].rest;
}

static int count(const RgForm *form)
{
    const RgModel *m = form->model;
    int n = 0;
    for (int k = 0; k < m->nv && form->kind->joints_are_rows; k++)
        n += m->damping[k] > 0.0 || m->stiffness[k] > 0.0;
    for (int l = 0; l < m->nloops; l++)
        for (int k = 0; k < m->loops[l].kind->nv; k++) {
            const RgAxisDef *dof = &m->joints[m->loops[l].joint].def.dof[k];
            n += dof->damping > 0.0 || dof->stiffness > 0.0;
        }
    return n;
}

/* Sets the law of a row. */
static void set_law(RgRow *row, double h, double stiffness, double damping, double x, double v)
{
    row->compliance = 1.0 / (h * damping + h * h * stiffness);
    row->target = row->compliance * (-stiffness * (x + h * v) - damping * v);
}

/* The same for a given spring force; v: rate from which the solver starts. */
static void set_given_law(RgRow *row, const RgRowsAsk *ask, int axis, double v)
{
    row->compliance = 1.0 / (ask->h * ask->held->late[axis]);
    row->target = ask->held->velocities ? (ask->held->rate[axis] - v) / ask->h : 0.0;
}

/* Whether an axis has a row. */
static bool has_row(const RgRowsAsk *ask, int axis, double stiffness, double damping)
{
    return ask->held != NULL ? ask->held->late[axis] > 0.0 : damping > 0.0 || stiffness > 0.0;
}

static void add_body(RgConstraints *c, const RgRowsAsk *ask, int body, RgRows *rows)
{
    const RgForm *form = c->form;
    const RgModel *m = form->model;
    if (!form->kind->joints_are_rows || ask->h <= 0.0)
        return;
    const RgBody *B = &m->bodies[body];
    double x[6];
    rg_body_displacement(m, body, form->q, x);
    for (int i = 0; i < B->nv; i++) {
        int k = B->v0 + i;
        if (!has_row(ask, k, m->stiffness[k], m->damping[k]))
            continue;
        RgRow *row = rg_rows_add(rows);
        row->ndofs = 1;
        row->dof[0] = k;
        row->coefficient[0] = 1.0;
        if (ask->held != NULL)
            set_given_law(row, ask, k, form->v[k]);
        else
            set_law(row, ask->h, m->stiffness[k], m->damping[k], x[i], form->v[k]);
    }
}

static void add_rest(RgConstraints *c, const RgRowsAsk *ask, RgRows *rows)
{
    const RgModel *m = c->form->model;
    if (ask->h <= 0.0)
        return;
    for (int l = 0; l < m->nloops; l++) {
        const RgLoop *loop = &m->loops[l];
        const RgJointState *J = &c->loops[l];
        double x[6];
        loop_displacement(c, l, x);
        for (int k = 0; k < J->nv; k++) {
            const RgAxisDef *dof = &m->joints[loop->joint].def.dof[k];
            if (!has_row(ask, m->nv + 6 * l + k, dof->stiffness, dof->damping))
                continue;
            RgRow *row = rg_rows_add(rows);
            rg_row_between(c->form, row, loop->body_a, loop->body_b, J->W[k], J->origin);
            row->bias = -mv_dot(J->c, J->W[k]);
            if (ask->held != NULL)
                set_given_law(row, ask, m->nv + 6 * l + k, J->v[k]);
            else
                set_law(row, ask->h, dof->stiffness, dof->damping, x[k], J->v[k]);
        }
    }
}

double rg_loop_potential(const RgConstraints *c)
{
    const RgModel *m = c->form->model;
    double sum = 0.0;
    for (int l = 0; l < m->nloops; l++) {
        double x[6];
        loop_displacement(c, l, x);
        for (int k = 0; k < c->loops[l].nv; k++)
            sum += 0.5 * m->joints[m->loops[l].joint].def.dof[k].stiffness * x[k] * x[k];
    }
    return sum;
}

void rg_loop_efforts(const RgConstraints *c, int l, double effort[6])
{
    const RgJointState *J = &c->loops[l];
    const RgAxisDef *dof = c->form->model->joints[c->form->model->loops[l].joint].def.dof;
    double x[6];
    loop_displacement(c, l, x);
    for (int k = 0; k < J->nv; k++)
        effort[k] = -dof[k].stiffness * x[k] - dof[k].damping * J->v[k];
}

RgForce rg_loop_passive(const RgConstraints *c, const RgGivenSprings *held, int l)
{
    const RgJointState *J = &c->loops[l];
    double effort[6];
    rg_loop_efforts(c, l, effort);
    if (held != NULL)
        for (int k = 0; k < J->nv; k++)
            effort[k] = held->force[c->form->model->nv + 6 * l + k];
    RgForce f = fv_zero();
    for (int k = 0; k < J->nv; k++)
        f = fv_axpy(effort[k], J->W[k], f);
    return f;
}

/* Adds the wrench pair of a loop joint's explicit spring and damper. */
static void add_loop_wrench(const RgConstraints *c, const RgGivenSprings *held, int l, RgForce *wrenches)
{
    const RgLoop *loop = &c->form->model->loops[l];
    const RgJointState *J = &c->loops[l];
    RgForce f = rg_loop_passive(c, held, l);
    const RgKin *kin = c->form->kin;
    if (loop->body_b >= 0)
        wrenches[loop->body_b] =
            fv_add(wrenches[loop->body_b], fv_shift(f, v3_sub(kin->X_WB[loop->body_b].p, J->origin)));
    if (loop->body_a >= 0)
        wrenches[loop->body_a] =
            fv_sub(wrenches[loop->body_a], fv_shift(f, v3_sub(kin->X_WB[loop->body_a].p, J->origin)));
}

/* Adds given forces unchanged; in the minimal form late damping goes on the diagonal of M. */
static bool add_given_forces(const RgConstraints *c, double h, const RgGivenSprings *held, double *tau,
                             RgForce *wrenches, double *diagonal)
{
    const RgModel *m = c->form->model;
    bool late = false;
    for (int l = 0; l < m->nloops; l++)
        add_loop_wrench(c, held, l, wrenches);
    for (int k = 0; k < m->nv; k++) {
        tau[k] += held->force[k];
        diagonal[k] = h * held->late[k];
        late = late || diagonal[k] > 0.0;
    }
    return late && !c->form->kind->joints_are_rows;
}

bool rg_add_passive(RgConstraints *c, double h, const RgGivenSprings *held, double *tau, RgForce *wrenches,
                    double *diagonal)
{
    const RgForm *form = c->form;
    const RgModel *m = form->model;
    if (held != NULL)
        return add_given_forces(c, h, held, tau, wrenches, diagonal);
    for (int l = 0; l < m->nloops && h <= 0.0; l++)
        add_loop_wrench(c, held, l, wrenches);
    if (!m->any_damping && !m->any_stiffness)
        return false;
    if (h > 0.0 && form->kind->joints_are_rows)
        return false;
    double *passive = c->scratch.tau;
    rg_tree_passive_forces(m, form->q, form->v, passive);
    for (int k = 0; k < m->nv; k++) {
        tau[k] += passive[k] - h * m->stiffness[k] * form->v[k];
        diagonal[k] = h * m->damping[k] + h * h * m->stiffness[k];
    }
    return h > 0.0;
}

const RgRowKind rg_row_spring_damper = {
    .name = "spring-damper", .count = count, .add_body = add_body, .add_rest = add_rest};
