/*
 * controller_computed_torque.c - inverse dynamics without contact: efforts for the wanted accelerations.
 *
 *   wanted:  a_c = a* + kd (v* - v) + kp (q* - q),   or without gains  a_c = (v*(t + h) - v) / h   (002, IV)
 *   M a + b = tau + p - E a,   p - E a: springs and dampers of joints, as steppers take them (passive_hold.c)
 *
 * c: the joints of this controller, u: all other velocities, which get their constant efforts and p only.
 * With no others tau_c = RNEA(q, v, a_c) + E_c a_c - p_c. Else a_u is not known, and tau_c follows from
 * what the mass matrix makes of it (hybrid dynamics, Featherstone 2008, section 9.2, by way of
 * W = ((M + E)^-1)_cc):
 *
 *   a_c = W tau_c + ((M + E)^-1 (tau_u + p - b))_c
 *
 * so a floating base and passive joints move as they will, and the controlled joints all the same as
 * wanted: exact in the air. Passive joints at their limits (passive_stops.c) count among c while the limit
 * holds them: their acceleration is known, and what comes out is the limit's force. What is left out:
 * contacts (a robot that stands needs "inverse-dynamics"), loops and couplings (the tree is taken as open),
 * dry friction, wrenches on links. An explicit law: efforts are those of the sample, held.
 *
 * In the maximal form the step is the form's own, not that of the equation above: it is predicted, and p is what makes
 * the equation true of it (passive_hold.c). With gains v(t + h) = v + h a_c is then kept at the end of the step;
 * without them positions go by h v*(t + h), as they do in joint coordinates.
 *
 * Which limits hold. Let x be the velocities of the passive joints with limits at the end of the hold, f
 * the forces of the limits: f = A x - b with A symmetric and positive definite, l <= x <= u, f >= 0 at l,
 * <= 0 at u, 0 between. There is one solution. All wrong joints are changed at once: nine tries at most in
 * 399,997 of 400,000 drawn arms, but circles in three of them (test_passive_stops.c has these). So after
 * TRIES the first wrong one alone is changed (Murty 1974), which always ends: the last joint changes only
 * where all before it are right, when its own force rises with its own x, so that it changes twice at
 * most; those before it likewise, so 3^n tries at most for n joints. Beyond MOST, which needs seven joints
 * and was never met with, the sample fails.
 *
 * Cost: one RNEA; with others a sparse factor of M and one solve a joint (and a joint at its limit). Fails
 * where W is singular to working accuracy.
 */
#include "control/passive_hold.h"
#include "control/passive_stops.h"

#include "base/status.h"
#include "dynamics/tree_dynamics.h"
#include "math/dense_factor.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Tries of which limits hold: that change all joints at once; in all. */
enum { TRIES = 16, MOST = 1024 };

/* Times that the world's step is predicted at most; part of the largest effort that may then be missing. */
enum { ASKED = 12 };
#define ANSWERED 1e-7

/* What round-off may make of a velocity, as a part of the terms it is the sum of. */
#define ROUND_OFF 1e-12

typedef struct TorqueWork {
    double *a, *tau, *x; /* nv */
    double *all, *best;  /* nv: efforts of all, ours and the others' constant ones; the best of those predicted */
    RgPassiveHold passive;

    /* Where there are others: n velocities whose accelerations are given, at most those of c and of the
       stops. */
    RgPassiveStops stops;
    int *given;     /* their number among the model's velocities */
    double *column; /* n x nv: of (M + E)^-1, one a row */
    double *W, *y;  /* n x n; n: the efforts */
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
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': gains of all joints or of none",
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
    work->all = RG_TAKE(arena, double, model->nv);
    work->best = RG_TAKE(arena, double, model->nv);
    if (c->njoints < model->nv) {
        if (!rg_passive_stops_take(arena, model, c, &work->stops))
            return false;
        size_t n = (size_t)c->njoints + (size_t)work->stops.n;
        work->given = RG_TAKE(arena, int, n);
        work->column = RG_TAKE(arena, double, n *(size_t)model->nv);
        work->W = RG_TAKE(arena, double, n *n);
        work->y = RG_TAKE(arena, double, n);
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

/* Velocity dof has a given acceleration, as number n of those. */
static void give(TorqueWork *work, const RgControlView *view, int n, int dof)
{
    int nv = view->model->nv;
    double *column = work->column + n * nv;
    work->given[n] = dof;
    memset(column, 0, (size_t)nv * sizeof *column);
    column[dof] = 1.0;
    rg_mass_solve(view->dynamics, column);
}

/* y: the efforts at the n given velocities, from work->a there. */
static RgStatus solve_given(TorqueWork *work, int n, int nv)
{
    for (int j = 0; j < n; j++) {
        work->y[j] = work->a[work->given[j]] - work->x[work->given[j]];
        for (int k = 0; k < n; k++)
            work->W[j * n + k] = work->column[k * nv + work->given[j]];
    }
    if (!rg_dense_ldl_factor(work->W, n))
        return RG_ERR_SINGULAR;
    rg_dense_ldl_solve(work->W, n, work->y);
    return RG_OK;
}

/* Has its limit hold a free joint that would pass it under the n efforts y. True: it does now. */
static bool hold_back(const TorqueWork *work, const RgControlView *view, int n, RgPassiveStop *stop)
{
    double a = work->x[stop->dof], terms = fabs(a);
    for (int k = 0; k < n; k++) {
        double term = work->column[k * view->model->nv + stop->dof] * work->y[k];
        a += term;
        terms += fabs(term);
    }
    double slack = ROUND_OFF * (fabs(view->v[stop->dof]) + view->h * terms);
    return rg_passive_stop_holds(stop, view, a, slack);
}

/* Joints at their limits: let go where the limit pulls (efforts beyond number joints are theirs), else held
   where they would pass. False: all is as it must be. */
static bool change_stops(TorqueWork *work, const RgControlView *view, int joints, int n)
{
    RgPassiveStops *stops = &work->stops;
    bool left = false, held = false;
    for (int i = 0, k = joints; i < stops->n; i++)
        if (stops->stops[i].side != 0)
            left = rg_passive_stop_leaves(&stops->stops[i], work->y[k++]) || left;
    for (int i = 0; i < stops->n && !left; i++)
        held = hold_back(work, view, n, &stops->stops[i]) || held;
    return left || held;
}

/* The same for the first joint alone that is wrong. */
static bool change_first(TorqueWork *work, const RgControlView *view, int joints, int n)
{
    bool changed = false;
    for (int i = 0, k = joints; i < work->stops.n && !changed; i++) {
        RgPassiveStop *stop = &work->stops.stops[i];
        changed = stop->side != 0 ? rg_passive_stop_leaves(stop, work->y[k++]) : hold_back(work, view, n, stop);
    }
    return changed;
}

/* tau = RNEA(q, v, a) + E a - p: where all accelerations are known. */
static RgStatus solve_known(const TorqueWork *work, const RgControlView *view)
{
    RgStatus status = rg_inverse_dynamics(view->dynamics, view->q, view->v, work->a, NULL, work->tau);
    for (int i = 0; i < view->model->nv; i++)
        work->tau[i] += work->passive.stiff[i] * work->a[i] - work->passive.force[i];
    return status;
}

/* All that is not ours stands at its limits, as guessed, and the limits push. */
static bool solve_standing(const TorqueWork *work, const RgControlView *view)
{
    for (int i = 0; i < work->stops.n; i++)
        work->a[work->stops.stops[i].dof] = work->stops.stops[i].a;
    bool stands = solve_known(work, view) == RG_OK;
    for (int i = 0; i < work->stops.n && stands; i++) {
        const RgPassiveStop *stop = &work->stops.stops[i];
        stands = stop->side * (work->tau[stop->dof] - view->tau[stop->dof]) >= 0.0;
    }
    return stands;
}

/* x = (M + E)^-1 (tau_u + p - b): accelerations with no effort of ours. */
static RgStatus find_free(const TorqueWork *work, const RgControlView *view)
{
    int nv = view->model->nv;
    memset(work->x, 0, (size_t)nv * sizeof *work->x);
    RgStatus status = rg_inverse_dynamics(view->dynamics, view->q, view->v, work->x, NULL, work->tau);
    if (status == RG_OK)
        status = rg_mass_factor_with(view->dynamics, view->q, work->passive.stiff);
    if (status != RG_OK)
        return status;
    for (int i = 0; i < nv; i++)
        work->x[i] = work->passive.force[i] + view->tau[i] - work->tau[i];
    rg_mass_solve(view->dynamics, work->x);
    return RG_OK;
}

/* The efforts y with the limits that are taken to hold; how many there are. */
static RgStatus try_stops(const RgController *c, const RgControlView *view, int *n)
{
    TorqueWork *work = c->work;
    *n = c->njoints;
    for (int i = 0; i < work->stops.n; i++) {
        const RgPassiveStop *stop = &work->stops.stops[i];
        if (stop->side == 0)
            continue;
        work->a[stop->dof] = stop->a;
        give(work, view, (*n)++, stop->dof);
    }
    return solve_given(work, *n, view->model->nv);
}

/* Efforts of some joints where the others move as they will; work->a holds what is wanted, 0 elsewhere. */
static RgStatus solve_hybrid(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    int joints = c->njoints, n = joints;
    if (rg_passive_stops_guess(&work->stops, view) == view->model->nv - joints && solve_standing(work, view))
        return RG_OK;
    RgStatus status = find_free(work, view);
    for (int k = 0; k < joints && status == RG_OK; k++)
        give(work, view, k, c->dofs[k]);
    bool wrong = true;
    for (int i = 0; wrong && status == RG_OK; i++) {
        status = i < MOST ? try_stops(c, view, &n) : RG_ERR_NOT_CONVERGED;
        if (status == RG_OK)
            wrong = i < TRIES ? change_stops(work, view, joints, n) : change_first(work, view, joints, n);
    }
    for (int k = 0; k < joints && status == RG_OK; k++)
        work->tau[c->dofs[k]] = work->y[k];
    return status;
}

/* The same where the forces of limits are among the passive ones. */
static RgStatus solve_predicted(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    if (c->njoints == view->model->nv)
        return solve_known(work, view);
    RgStatus status = find_free(work, view);
    for (int k = 0; k < c->njoints && status == RG_OK; k++)
        give(work, view, k, c->dofs[k]);
    if (status == RG_OK)
        status = solve_given(work, c->njoints, view->model->nv);
    for (int k = 0; k < c->njoints && status == RG_OK; k++)
        work->tau[c->dofs[k]] = work->y[k];
    return status;
}

static void ask_for(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    memset(work->a, 0, (size_t)view->model->nv * sizeof *work->a);
    for (int k = 0; k < c->njoints; k++)
        work->a[c->dofs[k]] = wanted_acceleration(c, view, k);
}

/* Efforts such that the world's step ends at what is wanted (without gains: goes by it), where that is not what joint
   coordinates say: the step is predicted and the law asked again until both agree, or no longer come nearer by half (a
   joint of ours at its limit). What was found last before that stays. */
static void correct_efforts(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    size_t size = (size_t)view->model->nv * sizeof *work->tau;
    double last = INFINITY;
    RgPrediction ask = {.tau = work->all, .mean = !c->has_gains};
    memcpy(work->best, work->tau, size);
    memcpy(work->all, view->tau, size);
    for (int i = 0; i < ASKED; i++) {
        for (int k = 0; k < c->njoints; k++)
            work->all[c->dofs[k]] = work->tau[c->dofs[k]];
        if (rg_passive_hold_predict(view, &ask, &work->passive) != RG_OK || !(ask.off <= 0.5 * last))
            break;
        memcpy(work->best, work->tau, size);
        last = ask.off;
        ask_for(c, view);
        if (ask.off <= ANSWERED * ask.scale || solve_predicted(c, view) != RG_OK)
            break;
    }
    memcpy(work->tau, work->best, size);
}

static RgStatus torque_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    TorqueWork *work = c->work;
    ask_for(c, view);
    RgStatus status = rg_passive_hold_find(view, &work->passive);
    if (status != RG_OK)
        return status;
    status = c->njoints < view->model->nv ? solve_hybrid(c, view) : solve_known(work, view);
    if (status == RG_OK && rg_passive_hold_predicts(view))
        correct_efforts(c, view);
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
