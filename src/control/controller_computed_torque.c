/*
 * controller_computed_torque.c - inverse dynamics without contact: the efforts that give the wanted accelerations.
 *
 *   wanted:  a_c = a* + kd (v* - v) + kp (q* - q),   or without gains  a_c = (v*(t + h) - v) / h   (002, section IV)
 *   M a + b = tau + p - E a,   p - E a: springs and dampers of the joints, as the stepper takes them (passive_hold.c)
 *
 * c: the joints of this controller, u: all other velocities, which get their constant efforts and p only. With no others
 * tau_c = RNEA(q, v, a_c) + E_c a_c - p_c. Else a_u is not known, and tau_c follows from what the mass matrix makes of it (hybrid
 * dynamics, Featherstone 2008, section 9.2, by way of W = ((M + E)^-1)_cc):
 *
 *   a_c = W tau_c + ((M + E)^-1 (tau_u + p - b))_c
 *
 * so a floating base and passive joints move as they will, and the controlled joints all the same as wanted: exact in
 * the air. What is left out: contacts (a robot that stands needs "inverse-dynamics"), loops and couplings (the tree is
 * taken as open), dry friction, wrenches on links. An explicit law: efforts are those of the sample, held.
 * Cost: one RNEA; with others a sparse factor of M and one solve a joint. Fails where W is singular to working accuracy.
 */
#include "control/passive_hold.h"

#include "base/status.h"
#include "dynamics/tree_dynamics.h"
#include "math/dense_ldl.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

typedef struct TorqueWork {
    double *a, *tau, *x; /* nv */
    RgPassiveHold passive;
    double *W, *y; /* njoints x njoints, njoints: where there are others */
} TorqueWork;

static bool given(const RgControlJoint *joint)
{
    return joint->kp > 0.0 || joint->kd > 0.0;
}

static RgStatus torque_check(const RgModel *model, const RgControllerDef *def, RgError *error)
{
    (void)model;
    for (int k = 1; k < def->njoints; k++)
        if (given(&def->joints[k]) != given(&def->joints[0]))
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0,
                           "controller '%.60s': gains of all joints or of none",
                           def->name != NULL ? def->name : def->kind);
    return RG_OK;
}

static bool torque_prepare(RgController *c, const RgModel *model, RgArena *arena)
{
    TorqueWork *work = RG_TAKE(arena, TorqueWork, 1);
    c->work = work;
    if (work == NULL)
        return false;
    work->a = RG_TAKE(arena, double, model->nv);
    work->tau = RG_TAKE(arena, double, model->nv);
    work->x = RG_TAKE(arena, double, model->nv);
    if (c->njoints < model->nv) {
        work->W = RG_TAKE(arena, double, (size_t)c->njoints *(size_t)c->njoints);
        work->y = RG_TAKE(arena, double, c->njoints);
    }
    return rg_passive_hold_take(arena, model, &work->passive);
}

static double wanted_acceleration(const RgController *c, const RgControlView *view, int k)
{
    if (!c->has_gains)
        return (view->next[k].velocity - view->velocity[k]) / view->h;
    return view->wanted[k].acceleration + c->joints[k].kd * (view->wanted[k].velocity - view->velocity[k]) +
           c->joints[k].kp * (view->wanted[k].position - view->position[k]);
}

/* Efforts of some joints where the others move as they will; work->a holds what is wanted, 0 elsewhere. */
static RgStatus solve_hybrid(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    int n = c->njoints, nv = view->model->nv;

    /* x = (M + E)^-1 (tau_u + p - b): accelerations with no effort of ours. */
    memset(work->x, 0, (size_t)nv * sizeof *work->x);
    RgStatus status = rg_inverse_dynamics(view->dynamics, view->q, view->v, work->x, NULL, work->tau);
    if (status == RG_OK)
        status = rg_mass_factor_with(view->dynamics, view->q, work->passive.stiff);
    if (status != RG_OK)
        return status;
    for (int i = 0; i < nv; i++)
        work->x[i] = work->passive.force[i] + view->tau[i] - work->tau[i];
    rg_mass_solve(view->dynamics, work->x);
    for (int k = 0; k < n; k++)
        work->y[k] = work->a[c->dofs[k]] - work->x[c->dofs[k]];

    /* W column by column, then tau_c. */
    for (int k = 0; k < n; k++) {
        memset(work->x, 0, (size_t)nv * sizeof *work->x);
        work->x[c->dofs[k]] = 1.0;
        rg_mass_solve(view->dynamics, work->x);
        for (int j = 0; j < n; j++)
            work->W[j * n + k] = work->x[c->dofs[j]];
    }
    if (!rg_dense_ldl_factor(work->W, n))
        return RG_ERR_SINGULAR;
    rg_dense_ldl_solve(work->W, n, work->y);
    for (int k = 0; k < n; k++)
        work->tau[c->dofs[k]] = work->y[k];
    return RG_OK;
}

static RgStatus torque_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    TorqueWork *work = c->work;
    memset(work->a, 0, (size_t)view->model->nv * sizeof *work->a);
    for (int k = 0; k < c->njoints; k++)
        work->a[c->dofs[k]] = wanted_acceleration(c, view, k);
    RgStatus status = rg_passive_hold_find(view, &work->passive);
    if (status != RG_OK)
        return status;
    if (c->njoints < view->model->nv) {
        status = solve_hybrid(c, view);
    } else {
        status = rg_inverse_dynamics(view->dynamics, view->q, view->v, work->a, NULL, work->tau);
        for (int i = 0; i < view->model->nv; i++)
            work->tau[i] += work->passive.stiff[i] * work->a[i] - work->passive.force[i];
    }
    for (int k = 0; status == RG_OK && k < c->njoints; k++)
        out[k] = (RgJointCommand){.effort = work->tau[c->dofs[k]]};
    return status;
}

const RgControllerKind rg_controller_computed_torque = {
    .name = "computed-torque",
    .summary = "inverse dynamics without contact: tau = RNEA(q, v, a* + kd e' + kp e)",
    .uses = RG_USES_KP | RG_USES_KD | RG_GAINS_OPTIONAL | RG_USES_REFERENCE,
    .check = torque_check,
    .prepare = torque_prepare,
    .command = torque_command};
