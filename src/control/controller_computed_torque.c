/*
 * controller_computed_torque.c - inverse dynamics without contact: efforts for desired accelerations.
 *
 *   desired:  a_c = a* + kd (v* - v) + kp (q* - q),   or without gains  a_c = (v*(t + h) - v) / h   (002, IV)
 *   M a + b = tau + p - E a,   p - E a: joint springs and dampers, consistent with the stepper (passive_hold.c)
 *
 * c: the joints of this controller; u: all other velocities, with their constant efforts and p only. If there are no
 * others, tau_c = RNEA(q, v, a_c) + E_c a_c - p_c. Otherwise a_u is unknown, and tau_c follows from the mass matrix
 * (hybrid dynamics, Featherstone 2008, section 9.2, by way of W = ((M + E)^-1)_cc):
 *
 *   a_c = W tau_c + ((M + E)^-1 (tau_u + p - b))_c
 *
 * so a floating base and passive joints move freely, and the controlled joints still have the desired accelerations:
 * exact without contact. Passive joints at their limits (passive_stops.c) belong to c while the limit is active: their
 * acceleration is known, and the result is the force of the limit. Ignored: contacts (a robot that stands needs
 * "inverse-dynamics"), loops and couplings (the tree is taken as open), dry friction, wrenches on links. An explicit
 * law: the efforts of the sample are held.
 *
 * In the maximal form the step does not follow the equation above. It is predicted, and p is adjusted so that the
 * equation holds for it (passive_hold.c). With gains v(t + h) = v + h a_c then holds at the end of the step; without
 * gains the positions change by h v*(t + h), as in joint coordinates.
 *
 * Active limits. Let x be the velocities of the passive joints with limits at the end of the hold, f the forces of the
 * limits: f = A x - b with A symmetric positive definite, l <= x <= u, f >= 0 at l, <= 0 at u, 0 between. The solution
 * is unique. Block pivoting changes all wrong joints at once: at most nine iterations in 399,997 of 400,000 random
 * arms, but cycles in three of them (in test_passive_stops.c). So after BLOCK_PIVOTS only the first wrong joint is
 * changed (Murty 1974), which always ends: the last joint changes only if all before it are right, and its force rises
 * with its own x, so it changes at most twice; likewise those before it, so at most 3^n iterations for n joints. Beyond
 * MAX_PIVOTS, which needs seven joints and has never been observed, the sample fails.
 *
 * Cost: one RNEA; with other velocities a sparse factor of M and one solve per joint (and per active limit). Fails if W
 * is singular to working accuracy.
 */
#include "control/passive_hold.h"
#include "control/passive_stops.h"

#include "base/status.h"
#include "dynamics/tree_dynamics.h"
#include "math/dense_factor.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

/* Largest number of iterations of the active set: with block pivoting; in all. */
enum { BLOCK_PIVOTS = 16, MAX_PIVOTS = 1024 };

/* Largest number of predictions of the world's step; relative to the largest effort: accepted residual. */
enum { MAX_PREDICTIONS = 12 };
#define PREDICTION_TOLERANCE 1e-7

/* Round-off of a velocity, relative to the terms of its sum. */
#define ROUND_OFF 1e-12

typedef struct TorqueWork {
    double *a, *tau, *x; /* nv */
    double *all, *best;  /* nv: efforts of all joints; best efforts of the controller predicted so far */
    RgPassiveHold passive;

    /* With other velocities: n velocities have a given acceleration, at most those of c and of the stops. */
    RgPassiveStops stops;
    int *given;     /* n: their indices in the model */
    double *column; /* n x nv: columns of (M + E)^-1, one per row */
    double *W, *y;  /* n x n; n: efforts */
} TorqueWork;

static bool has_gain(const RgControlJoint *joint)
{
    return joint->kp > 0.0 || joint->kd > 0.0;
}

static RgStatus torque_check(const RgModel *model, const RgControllerDef *def, RgError *error)
{
    (void)model;
    for (int k = 1; k < def->njoints; k++)
        if (has_gain(&def->joints[k]) != has_gain(&def->joints[0]))
            return rg_fail(error, RG_ERR_ARGUMENT, NULL, 0, "controller '%.60s': gains of all joints or of none",
                           def->name != NULL ? def->name : def->kind);
    return RG_OK;
}

static bool torque_prepare(RgController *c, const RgModel *model, RgArena *arena)
{
    TorqueWork *work = RG_ARENA_ALLOC(arena, TorqueWork, 1);
    c->work = work;
    if (work == NULL)
        return false;
    work->a = RG_ARENA_ALLOC(arena, double, model->nv);
    work->tau = RG_ARENA_ALLOC(arena, double, model->nv);
    work->x = RG_ARENA_ALLOC(arena, double, model->nv);
    work->all = RG_ARENA_ALLOC(arena, double, model->nv);
    work->best = RG_ARENA_ALLOC(arena, double, model->nv);
    if (c->njoints < model->nv) {
        if (!rg_passive_stops_alloc(arena, model, c, &work->stops))
            return false;
        size_t n = (size_t)c->njoints + (size_t)work->stops.n;
        work->given = RG_ARENA_ALLOC(arena, int, n);
        work->column = RG_ARENA_ALLOC(arena, double, n *(size_t)model->nv);
        work->W = RG_ARENA_ALLOC(arena, double, n *n);
        work->y = RG_ARENA_ALLOC(arena, double, n);
    }
    return rg_passive_hold_alloc(arena, model, &work->passive);
}

static double desired_acceleration(const RgController *c, const RgControlView *view, int k)
{
    if (!c->has_gains)
        return (view->next[k].velocity - view->velocity[k]) / view->h;
    return view->wanted[k].acceleration + c->joints[k].kd * (view->wanted[k].velocity - view->velocity[k]) +
           c->joints[k].kp * (view->wanted[k].position - view->position[k]);
}

/* Makes dof the n-th velocity with a given acceleration. */
static void add_given(TorqueWork *work, const RgControlView *view, int n, int dof)
{
    int nv = view->model->nv;
    double *column = work->column + n * nv;
    work->given[n] = dof;
    memset(column, 0, (size_t)nv * sizeof *column);
    column[dof] = 1.0;
    rg_mass_solve(view->dynamics, column);
}

/* y: efforts of the n given velocities for the accelerations in work->a. */
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

/* Activates a limit that an inactive joint would violate under the n efforts y. Returns whether one was activated. */
static bool activate_limit(const TorqueWork *work, const RgControlView *view, int n, RgPassiveStop *stop)
{
    double a = work->x[stop->dof], terms = fabs(a);
    for (int k = 0; k < n; k++) {
        double term = work->column[k * view->model->nv + stop->dof] * work->y[k];
        a += term;
        terms += fabs(term);
    }
    double slack = ROUND_OFF * (fabs(view->v[stop->dof]) + view->h * terms);
    return rg_passive_stop_activate(stop, view, a, slack);
}

/* Block pivoting: deactivates all limits that pull (their forces are the entries of y from `joints` on); if there are
   none, activates all that would be violated. False: the active set is right. */
static bool pivot_block(TorqueWork *work, const RgControlView *view, int joints, int n)
{
    RgPassiveStops *stops = &work->stops;
    bool left = false, held = false;
    for (int i = 0, k = joints; i < stops->n; i++)
        if (stops->stops[i].side != 0)
            left = rg_passive_stop_deactivate(&stops->stops[i], work->y[k++]) || left;
    for (int i = 0; i < stops->n && !left; i++)
        held = activate_limit(work, view, n, &stops->stops[i]) || held;
    return left || held;
}

/* Murty's rule: changes the first wrong joint only. */
static bool pivot_first(TorqueWork *work, const RgControlView *view, int joints, int n)
{
    bool changed = false;
    for (int i = 0, k = joints; i < work->stops.n && !changed; i++) {
        RgPassiveStop *stop = &work->stops.stops[i];
        changed =
            stop->side != 0 ? rg_passive_stop_deactivate(stop, work->y[k++]) : activate_limit(work, view, n, stop);
    }
    return changed;
}

/* tau = RNEA(q, v, a) + E a - p, if all accelerations are known. */
static RgStatus solve_known(const TorqueWork *work, const RgControlView *view)
{
    RgStatus status = rg_inverse_dynamics(view->dynamics, view->q, view->v, work->a, NULL, work->tau);
    for (int i = 0; i < view->model->nv; i++)
        work->tau[i] += work->passive.stiff[i] * work->a[i] - work->passive.force[i];
    return status;
}

/* Solves the case that all other joints are at the guessed limits. Returns whether the limits push. */
static bool solve_all_at_limits(const TorqueWork *work, const RgControlView *view)
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

/* x = (M + E)^-1 (tau_u + p - b): accelerations without efforts of the controller. */
static RgStatus compute_free(const TorqueWork *work, const RgControlView *view)
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

/* Solves for the efforts y with the present active set; *n: their number. */
static RgStatus solve_active_set(const RgController *c, const RgControlView *view, int *n)
{
    TorqueWork *work = c->work;
    *n = c->njoints;
    for (int i = 0; i < work->stops.n; i++) {
        const RgPassiveStop *stop = &work->stops.stops[i];
        if (stop->side == 0)
            continue;
        work->a[stop->dof] = stop->a;
        add_given(work, view, (*n)++, stop->dof);
    }
    return solve_given(work, *n, view->model->nv);
}

/* Efforts of some joints while the others move freely; work->a holds the desired accelerations, 0 elsewhere. */
static RgStatus solve_hybrid(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    int joints = c->njoints, n = joints;
    if (rg_passive_stops_init(&work->stops, view) == view->model->nv - joints && solve_all_at_limits(work, view))
        return RG_OK;
    RgStatus status = compute_free(work, view);
    for (int k = 0; k < joints && status == RG_OK; k++)
        add_given(work, view, k, c->dofs[k]);
    bool wrong = true;
    for (int i = 0; wrong && status == RG_OK; i++) {
        status = i < MAX_PIVOTS ? solve_active_set(c, view, &n) : RG_ERR_NOT_CONVERGED;
        if (status == RG_OK)
            wrong = i < BLOCK_PIVOTS ? pivot_block(work, view, joints, n) : pivot_first(work, view, joints, n);
    }
    for (int k = 0; k < joints && status == RG_OK; k++)
        work->tau[c->dofs[k]] = work->y[k];
    return status;
}

/* The same with the forces of limits contained in p. */
static RgStatus solve_predicted(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    if (c->njoints == view->model->nv)
        return solve_known(work, view);
    RgStatus status = compute_free(work, view);
    for (int k = 0; k < c->njoints && status == RG_OK; k++)
        add_given(work, view, k, c->dofs[k]);
    if (status == RG_OK)
        status = solve_given(work, c->njoints, view->model->nv);
    for (int k = 0; k < c->njoints && status == RG_OK; k++)
        work->tau[c->dofs[k]] = work->y[k];
    return status;
}

static void set_desired(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    memset(work->a, 0, (size_t)view->model->nv * sizeof *work->a);
    for (int k = 0; k < c->njoints; k++)
        work->a[c->dofs[k]] = desired_acceleration(c, view, k);
}

/* Corrects the efforts if the world's step does not follow the equation of joint coordinates: the step is predicted and
   the law solved again, until its result is as desired, or the residual no longer halves (as with a controlled joint at
   its limit). Keeps the best efforts found. */
static void correct_efforts(const RgController *c, const RgControlView *view)
{
    TorqueWork *work = c->work;
    size_t size = (size_t)view->model->nv * sizeof *work->tau;
    double last = INFINITY;
    RgPrediction ask = {.tau = work->all, .mean = !c->has_gains};
    memcpy(work->best, work->tau, size);
    memcpy(work->all, view->tau, size);
    for (int i = 0; i < MAX_PREDICTIONS; i++) {
        for (int k = 0; k < c->njoints; k++)
            work->all[c->dofs[k]] = work->tau[c->dofs[k]];
        if (rg_passive_hold_predict(view, &ask, &work->passive) != RG_OK || !(ask.residual <= 0.5 * last))
            break;
        memcpy(work->best, work->tau, size);
        last = ask.residual;
        set_desired(c, view);
        if (ask.residual <= PREDICTION_TOLERANCE * ask.scale || solve_predicted(c, view) != RG_OK)
            break;
    }
    memcpy(work->tau, work->best, size);
}

static RgStatus torque_command(RgController *c, const RgControlView *view, RgJointCommand *out)
{
    TorqueWork *work = c->work;
    set_desired(c, view);
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
