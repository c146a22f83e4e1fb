/*
 * stabilise.c - projection: the smallest mass-weighted motion that satisfies loop joints, couplings and (maximal form)
 * joints again.
 *
 *   positions    Newton:  x <- x + M^-1 J' A^-1 (-e)   until the errors e are round-off          (Cline, Pai 2003)
 *   velocities   u <- u - M^-1 J' A^-1 J u             the smallest change in the kinetic energy norm
 *
 * Both are internal forces: momentum does not change. If bodies of the maximal form are too far apart for Newton's
 * method (a step in which they turn by radians), they are placed from root to leaf by the positions and rates that
 * their joints still have, and Newton's method continues from there.
 *
 * A jump of the positions (rg_project_jump) changes M(q) of the minimal form, and with it the kinetic energy of the same
 * u. So each body keeps the velocity of its centre and its angular velocity in its own axes, V_i, and u becomes the
 * nearest to them, M u = sum J_i' M_i V_i, at the new positions: momentum is kept, and no kinetic energy gained. In the
 * maximal form M is constant.
 *
 * Near a dead point (a stretched linkage) J loses rank: rows that depend on others to round-off are dropped
 * (solver_direct.c), Newton's method converges linearly and may stall with an error e, since the positions would have to
 * move by the root of e. The best positions are kept then, and the error is reported. Fails if that error is more than
 * STALLED_ERROR: the mechanism cannot be closed.
 */
#include "constraint/tree_solve.h"

#include <string.h>

/* Errors below this (m, rad and their rates) are ignored: round-off of poses a few metres from the origin. */
#define PROJECT_TOLERANCE 1e-12

/* Maximum number of iterations. Newton's method squares the error each time; more iterations mean that it does not
   converge. */
#define PROJECT_ITERATIONS 30

/* m, rad: error at which a projection that makes no progress ends as well as it can; a step of 1 ms at 1 rad/s opens
   loops by as much. */
#define STALLED_ERROR 1e-6

/* Iterations in a row without a smaller error after which there is no progress. */
#define STALLED_ITERATIONS 3

/* Largest step of one iteration, rad or m: keeps a distant start from overshooting the solution. */
#define PROJECT_STEP 0.3

/* Part of the kinetic energy that a projection may add by round-off. */
#define ROUND_OFF 1e-12

/* The mass factor is used again if the error times the motion of the poses since it was computed (rad m, rad^2, m^2) is
   below this: the step then differs by less than a hundredth of the tolerance. */
#define REUSE_FACTOR_LIMIT (0.01 * PROJECT_TOLERANCE)

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* Evaluates kinematics and hard rows at x, u. hold: as in RgRowsAsk. If all rows belong to tree joints they are not
   assembled. Returns the largest position error. */
static double evaluate_rows(RgConstraints *c, const bool *hold, const double *x, const double *u)
{
    RgForm *form = c->form;
    form->kind->kinematics(form, x, u);
    rg_constraints_observe(c);
    if (hold == NULL && c->tree.possible && c->tree.alone) {
        c->rows.n = c->tree_rows = 0;
        return rg_tree_solve_error(c);
    }
    rg_assemble_rows(c, &(RgRowsAsk){.hold = hold});
    return rg_rows_error(&c->rows);
}

/* Assembles the rows if that was not done before, and computes the mass factor at the present kinematics; forces are
   not needed. Returns false if it is singular. */
static bool factor_mass(RgConstraints *c)
{
    RgForm *form = c->form;
    if (c->rows.n == 0)
        rg_assemble_hard_rows(c);
    memset(c->scratch.tau, 0, (size_t)form->model->nv * sizeof *c->scratch.tau);
    RgForces none = {.tau = c->scratch.tau, .needs_solve = true};
    int bad_dof;
    return form->kind->dynamics(form, &none, c->scratch.step, &bad_dof);
}

/* step = M^-1 J' A^-1 (-r), with r the rows' errors or rates. */
static RgStatus rows_correction(RgConstraints *c, const double *r)
{
    RgBilateral *p = &c->problem;
    for (int i = 0; i < p->n; i++)
        p->rhs[i] = -r[i];
    RgStatus status = rg_direct_solve(c->projector, p);
    if (status != RG_OK)
        return status;
    memset(c->scratch.step, 0, (size_t)p->nu * sizeof *c->scratch.step);
    rg_add_response(p, p->z, c->scratch.step);
    return RG_OK;
}

/* Computes the step that removes the position errors. known: the tree's mass factor belongs to poses close enough. */
static RgStatus position_correction(RgConstraints *c, bool factor_is_valid)
{
    if (rg_tree_solve_applies(c) && (factor_is_valid || rg_tree_solve_factor(c))) {
        rg_tree_solve_correction(c, NULL, c->scratch.step);
        return RG_OK;
    }
    if (!factor_mass(c))
        return RG_ERR_SINGULAR;
    rg_project_rows(c, c->scratch.velocity);
    for (int i = 0; i < c->rows.n; i++)
        c->scratch.velocity[i] = c->rows.row[i].error;
    return rows_correction(c, c->scratch.velocity);
}

/* Computes the step that removes the rates of the rows at u. *any: some rates exceed the tolerance. */
static RgStatus velocity_correction(RgConstraints *c, const double *u, bool *any)
{
    double most = PROJECT_TOLERANCE * (1.0 + largest(u, c->form->nu));
    bool fits = rg_tree_solve_applies(c);
    *any = !fits || !(rg_tree_solve_rate(c, u) <= most);
    if (!*any)
        return RG_OK;
    if (fits && rg_tree_solve_factor(c)) {
        rg_tree_solve_correction(c, u, c->scratch.step);
        return RG_OK;
    }
    if (!factor_mass(c))
        return RG_ERR_SINGULAR;
    rg_project_rows(c, c->scratch.velocity);
    for (int i = 0; i < c->rows.n; i++)
        c->scratch.velocity[i] = c->rows.row[i].keeps ? 0.0 : rg_row_times(&c->problem, i, u);
    *any = !(largest(c->scratch.velocity, c->rows.n) <= most);
    return *any ? rows_correction(c, c->scratch.velocity) : RG_OK;
}

/* One step of Newton's method. */
static RgStatus improve_positions(RgConstraints *c, double *x, bool factor_is_valid, double *length)
{
    RgForm *form = c->form;
    RgStatus status = position_correction(c, factor_is_valid);
    if (status != RG_OK)
        return status;
    *length = largest(c->scratch.step, form->nu);
    double longest = *length;
    for (int k = 0; k < form->nu && longest > PROJECT_STEP; k++)
        c->scratch.step[k] *= PROJECT_STEP / longest;
    form->kind->integrate(form, x, c->scratch.step, x);
    return RG_OK;
}

static RgStatus project_positions(RgConstraints *c, const bool *hold, double *x, const double *u, double *error_left,
                                  bool *changed)
{
    size_t bytes = (size_t)c->form->nx * sizeof *x;
    double before = INFINITY, best = INFINITY, moved = INFINITY, length;
    int idle = 0;
    bool ends = false;
    for (int iteration = 0; iteration < PROJECT_ITERATIONS && !ends; iteration++) {
        double error = *error_left = evaluate_rows(c, hold, x, u);
        if (!isfinite(error))
            return RG_ERR_NOT_FINITE;
        bool stalled = error >= 0.5 * before && error < 1e-10;
        if (error <= PROJECT_TOLERANCE || stalled)
            return RG_OK;
        before = error;
        idle = error < best ? 0 : idle + 1;
        if (error < best)
            memcpy(c->scratch.best, x, bytes);
        best = fmin(best, error);
        ends = best <= STALLED_ERROR && idle >= STALLED_ITERATIONS;
        RgStatus status = improve_positions(c, x, moved * error <= REUSE_FACTOR_LIMIT, &length);
        if (status != RG_OK)
            return status;
        moved = isfinite(moved) ? moved + length : length;
        *changed = true;
    }
    memcpy(x, c->scratch.best, bytes);
    *error_left = best;
    return best <= STALLED_ERROR ? RG_OK : RG_ERR_NOT_CONVERGED;
}

/* u <- u + the last correction. A projection never adds kinetic energy, unless velocities are held. If it would, the
   impulses of nearly dependent rows are round-off: these rows are left out, and the correction is computed again. */
static void correct_velocities(RgConstraints *c, bool holds, double *u)
{
    RgForm *form = c->form;
    RgBilateral *p = &c->problem;
    double *step = c->scratch.step, *z = c->scratch.velocity;
    bool as_is = holds || rg_tree_solve_applies(c);
    double before = as_is ? 0.0 : rg_form_kinetic(form, u);
    for (int k = 0; k < form->nu; k++)
        u[k] += step[k];
    if (as_is || rg_form_kinetic(form, u) <= before * (1.0 + ROUND_OFF))
        return;
    for (int k = 0; k < form->nu; k++)
        u[k] -= step[k];
    for (int i = 0; i < p->n; i++)
        z[i] = c->rows.row[i].keeps ? 0.0 : -rg_row_times(p, i, u);
    rg_direct_solve_strong(c->projector, p, z);
    rg_add_response(p, z, u);
}

static RgStatus project_velocities(RgConstraints *c, const bool *hold, const double *x, double *u, double *error,
                                   bool *changed)
{
    bool any;
    *error = evaluate_rows(c, hold, x, u);
    RgStatus status = velocity_correction(c, u, &any);
    if (status != RG_OK || !any)
        return status;
    correct_velocities(c, hold != NULL, u);
    *changed = true;
    return RG_OK;
}

RgStatus rg_project_state(RgConstraints *c, const RgFixedVelocities *hold, double *x, double *u, double *error_left,
                          bool *changed)
{
    const bool *positions = hold != NULL ? hold->positions : NULL, *rates = hold != NULL ? hold->rates : NULL;
    *changed = false;
    RgStatus status = project_positions(c, positions, x, u, error_left, changed);
    if (status == RG_ERR_NOT_CONVERGED && c->form->kind->joints_are_rows) {
        evaluate_rows(c, positions, x, u);
        c->form->kind->from_joints(c->form, c->form->q, c->form->v, x, u);
        status = project_positions(c, positions, x, u, error_left, changed);
    }
    if (status == RG_OK)
        status = project_velocities(c, rates, x, u, error_left, changed);
    return status;
}

RgStatus rg_project_velocities(RgConstraints *c, const double *x, double *u, bool *changed)
{
    double error;
    *changed = false;
    return project_velocities(c, NULL, x, u, &error, changed);
}

/* ------------------------------------------------------------------ positions that jump */

/* Momentum of each body about its centre: p in world axes, angular momentum in body axes. */
static void store_momenta(RgConstraints *c, const double *u)
{
    const RgForm *form = c->form;
    for (int i = 0; i < form->model->nbodies; i++) {
        const RgInertia *in = &form->model->bodies[i].inertia;
        RgMat3 R = form->kin->X_WB[i].R;
        RgMotion V;
        rg_form_twist(form, i, u, &V);
        RgVec3 v = v3_add(V.v, v3_cross(V.w, m3_apply(R, in->com)));
        c->scratch.momenta[i] = (RgForce){s3_apply(in->I, m3_apply_t(R, V.w)), v3_scale(in->mass, v)};
    }
}

/* The velocities nearest, in the kinetic energy norm, to those with the stored momenta. */
static RgStatus carry_momenta(RgConstraints *c, double *u)
{
    RgForm *form = c->form;
    const RgModel *m = form->model;
    for (int k = 0; k < m->nv; k++)
        u[k] *= m->armature[k];
    for (int i = 0; i < m->nbodies; i++) {
        RgForce h = c->scratch.momenta[i];
        RgVec3 arm = m3_apply(form->kin->X_WB[i].R, m->bodies[i].inertia.com);
        RgVec3 n = v3_add(m3_apply(form->kin->X_WB[i].R, h.n), v3_cross(arm, h.f));
        rg_form_push(form, i, (RgForce){n, h.f}, u);
    }
    if (!factor_mass(c))
        return RG_ERR_SINGULAR;
    form->kind->solve(form, u);
    return RG_OK;
}

RgStatus rg_project_jump(RgConstraints *c, double *x, double *u, double *error_left, bool *changed)
{
    RgForm *form = c->form;
    if (form->kind->joints_are_rows)
        return rg_project_state(c, NULL, x, u, error_left, changed);
    *changed = false;
    form->kind->kinematics(form, x, u);
    store_momenta(c, u);
    RgStatus status = project_positions(c, NULL, x, u, error_left, changed);
    if (status == RG_OK && *changed) {
        evaluate_rows(c, NULL, x, u);
        status = carry_momenta(c, u);
    }
    return status == RG_OK ? project_velocities(c, NULL, x, u, error_left, changed) : status;
}
