/*
 * located_trial.c - one trial of an inner step: its end state, and for how long its paths are proven.
 *
 * In contact: with h the step, all contacts that are not released kept at their gaps phi, and b their drift
 * (located_contacts.c):
 *
 *   U    = solve at x0 (u0 + h/2 a(x0, u0))           contacts and bounds act over h/2, towards -h/2 b
 *   x1   = x0 + h U, moved by the least mass-weighted d onto phi(x1) = phi(x0), loops and joints closed
 *   U   <- U + d / h
 *   u1   = solve at x1 (U + h/2 a(x1, 2 U - u0))      then impacts of new contacts, over no time
 *
 * This is RATTLE (Andersen 1983) with contacts, of second order while no contact mode changes. At constant u a corner
 * that a body turns about drifts by h^2 b / 2. The target rates -h b let the contact force compensate this, so d is of
 * third order. 2 U - u0 predicts the velocity at the end for forces that depend on it. If bodies turn far in the step,
 * u1 itself is used, by fixed-point iteration: explicit velocity products would add energy to spinning bodies. Gaps are
 * kept, except those that became too small or too large: these are corrected by a separate motion that does not change
 * velocities.
 *
 * A solver's friction opposes the velocity after the solve. In the first half this is, with b, the velocity in the
 * middle of the step; in the second half it would be that at the end, and the whole step of first order only. So
 * contacts that slide through the step target the velocity half a step earlier, by the acceleration of the first half,
 * and friction opposes the velocity in the middle in both halves. (Tangential targets act in solvers that take rows.)
 *
 * Springs and dampers of joints act half way through the step, in both halves (springs.c).
 *
 * In flight (no contacts, no rows act, no spring or damper is stiff): smooth motion by Runge-Kutta of order 4, or by
 * the integrator of the stepper.
 *
 * Bodies move on curves between the two ends (path/body_path.h), with velocities before impacts: at both ends the rates
 * of persistent gaps are zero.
 */
#include "stepper/located.h"

#include "constraint/bounded_table.h"

#include <string.h>

/* Parts of RgAdaptOptions.gap: gaps below TOO_LOW or above TOO_HIGH are corrected to HEIGHT, which is above the half
   that proofs require. */
#define TOO_LOW 0.375
#define TOO_HIGH 0.95
#define HEIGHT 0.6
/* If the smallest gap at the end is below this part, all contacts are lifted to HEIGHT. */
#define SUNK 0.2

/* A contact is taken to slide through the step if it slides faster than this multiple of the change by a half update.
   */
#define SLIDES 4.0

/* rad: if some body turns farther than this in a step, velocity products at its end are iterated this many times. */
#define FAR_TURN 0.1
#define TURN_ITERATIONS 3

/* Part of a flight: springs with a shorter time scale count as stiff if the integrator has error control, since it
   would divide the flight into too many steps. */
#define SMOOTH_PART 0.02

/* Tolerance of kept gaps, as a part of RgAdaptOptions.gap. */
#define HEIGHT_ERROR 1e-5

static size_t size_of_u(const RgLocated *l)
{
    return (size_t)l->scope->form->nu * sizeof(double);
}

/* ------------------------------------------------------------------ velocity updates */

RgStatus rg_located_solve(RgLocated *l, const RgVelocityUpdate *update, RgState *out)
{
    RgStatus status = rg_velocity_update(l->scope, update, l->states.u_free, out);
    if (status == RG_OK)
        rg_work_add(&l->work, &l->scope->report->work);

    /* Do not warm-start from impact impulses. */
    if (update->contact.h <= RG_LOCATED_IMPACT)
        out->memory.h = 0.0;
    return status;
}

RgVelocityUpdate rg_located_update(RgContactSet *set, const RgState *at, const double *from, double h)
{
    for (int32_t i = 0; i < set->touch.view.npoints; i++)
        set->target[i] = v3_scale(-h, set->drift[i]);
    return (RgVelocityUpdate){
        .at = at, .from = from, .contact = {.contacts = &set->touch.view, .target_velocities = set->target, .h = h}};
}

RgVelocityUpdate rg_located_update_begin(RgLocated *l, double h, RgState *at)
{
    const RgState *begin = &l->states.begin;
    *at = (RgState){.t = begin->t, .x = begin->x, .u = begin->u, .memory = *l->states.last};
    RgVelocityUpdate update = rg_located_update(&l->contacts_begin, at, begin->u, h);
    update.contact.joints_drift = true;
    return update;
}

/* Impact solve at the end from velocities u (nu), over RG_LOCATED_IMPACT. u_free becomes u. */
static RgStatus solve_impact(RgLocated *l, double h, double *u, const RgContactMemory *memory)
{
    RgState at = {.t = l->states.begin.t + h, .x = l->states.end.x, .u = u, .memory = *memory};
    RgVelocityUpdate update = {
        .at = &at, .from = u, .contact = {.contacts = &l->contacts_end.touch.view, .h = RG_LOCATED_IMPACT}};
    RgStatus status = rg_located_solve(l, &update, &l->states.end);
    memcpy(l->states.u_free, u, size_of_u(l));
    return status;
}

/* ------------------------------------------------------------------ persistent contacts */

static double gap_value(const RgKin *kin, const RgGap *gap)
{
    RgPose A = kin_pose(kin, gap->body_a), B = kin_pose(kin, gap->body_b);
    return rg_gap_at(gap, &A, &B).value;
}

/* Makes persistent contacts of the contacts of the start that do not separate at U. Requires the contact solver as the
   update left it. False: out of memory. */
static bool find_persistent(RgLocated *l, const RgVelocityUpdate *update, const double *U)
{
    const RgForm *form = l->scope->form;
    const RgContactSet *set = &l->contacts_begin;
    const double *u0 = l->states.begin.u;
    RgPersistentContacts *persistent = &l->persistent;
    persistent->count = 0;
    if (!rg_persistent_reserve(persistent, &l->scope->log->allocator, set->touch.view.npoints))
        return false;
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        const RgGap *gap = &set->touch.gaps[i];
        if (!set->micro_bounce[i] && (rg_located_opens(l, i, U) || rg_located_lifts(l, update, i, U)))
            continue;
        RgPersistentContact *one = &persistent->list[persistent->count];
        one->slip[0] = rg_gap_slip(form, gap, u0);
        one->slip[1] = rg_gap_slip(form, gap, U);
        one->slips = one->slip[0] > RG_LOCATED_SLIP;
        one->left = false;
        double k = update->contact.h;
        RgVec3 normal, before = rg_gap_velocity(form, gap, u0, &normal);
        RgVec3 change = v3_sub(rg_gap_velocity(form, gap, U, &normal), before);
        one->acceleration = v3_axpy(1.0 / k, change, set->drift[i]);
        one->pressure[0] = v3_dot(set->touch.view.points[i].normal, l->scope->contact->result.point_impulses[i]) / k;
        persistent->gap_constraints[persistent->count++] = rg_gap_equals(*gap, gap_value(form->kin, gap));
    }
    return true;
}

/* Sets gaps that are too small or too large to HEIGHT; false: there are none. The other gaps become inequalities, at
   least min(gap, HEIGHT), since the corners of one face cannot move independently: one height for all is always
   feasible. */
static bool correct_heights(RgPersistentContacts *persistent, double gap)
{
    bool any = false;
    double low = TOO_LOW * gap, high = TOO_HIGH * gap, level = HEIGHT * gap;
    for (int i = 0; i < persistent->count; i++) {
        double wanted = persistent->gap_constraints[i].wanted;
        any = any || !(wanted >= low && wanted <= high);
    }
    for (int i = 0; i < persistent->count && any; i++) {
        RgGapConstraint *one = &persistent->gap_constraints[i];
        double wanted = one->wanted >= low ? fmin(one->wanted, level) : level;
        *one = one->wanted > high ? rg_gap_equals(one->gap, wanted) : rg_gap_at_least(one->gap, wanted);
    }
    return any;
}

/* Projects end.x onto gap constraints. If they contradict each other the best approximation is kept: the proof of the
   paths decides about the trial. */
static RgStatus project_end(RgLocated *l, int first, int count, RgGapProjection *done)
{
    RgStatus status = rg_project_gaps(l->projector, l->persistent.gap_constraints + first, count,
                                      HEIGHT_ERROR * l->scope->adapt.gap, l->states.end.x, done);
    return status == RG_ERR_NOT_CONVERGED ? RG_OK : status;
}

/* Sets an end of the path (0: start, 1: end): velocities u, projected so that persistent gaps do not change if that is
   possible. */
static RgStatus set_path_end(RgLocated *l, int at, const double *u)
{
    double *out = l->path.u[at];
    memcpy(out, u, size_of_u(l));
    RgStatus status = rg_project_gap_rates(l->projector, l->persistent.gap_constraints, l->persistent.count, out);
    rg_body_ends(l->scope->form, out, l->path.ends[at]);
    return status == RG_ERR_NOT_CONVERGED ? RG_OK : status;
}

/* ------------------------------------------------------------------ first half, positions */

static RgStatus first_half(RgLocated *l, double h)
{
    RgState at, *mid = &l->states.mid;
    RgVelocityUpdate update = rg_located_update_begin(l, 0.5 * h, &at);
    RgStatus status = rg_located_solve(l, &update, mid);
    if (status != RG_OK)
        return status;
    return find_persistent(l, &update, mid->u) ? set_path_end(l, 0, l->states.begin.u) : RG_ERR_MEMORY;
}

/* x1 and the velocity U that led there. */
static RgStatus integrate_positions(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    const RgForm *form = s->form;
    RgPersistentContacts *persistent = &l->persistent;
    double *U = l->states.mid.u, *step = s->scratch.memory[0];
    for (int i = 0; i < form->nu; i++)
        step[i] = h * U[i];
    form->kind->integrate(form, l->states.begin.x, step, l->states.end.x);
    if (persistent->count == 0 && !s->constraints->any_hard)
        return RG_OK;
    RgGapProjection done;
    RgStatus status = project_end(l, 0, persistent->count, &done);
    if (status != RG_OK)
        return status;
    for (int i = 0; i < form->nu; i++)
        U[i] += done.step[i] / h;
    if (!correct_heights(persistent, s->adapt.gap))
        return RG_OK;
    status = project_end(l, 0, persistent->count, &done);
    for (int i = 0; i < persistent->count; i++) {
        RgGapConstraint *one = &persistent->gap_constraints[i];
        *one = rg_gap_equals(one->gap, one->wanted);
    }
    return status;
}

/* ------------------------------------------------------------------ contacts at the end */

/* Lifts all contacts at the end to at least HEIGHT. Changes the path, not the velocities. */
static RgStatus lift_contacts(RgLocated *l)
{
    const RgTouchSet *touch = &l->contacts_end.touch;
    int first = l->persistent.count;
    RgGapProjection done;
    if (!rg_persistent_reserve(&l->persistent, &l->scope->log->allocator, first + touch->view.npoints))
        return RG_ERR_MEMORY;
    for (int32_t i = 0; i < touch->view.npoints; i++)
        l->persistent.gap_constraints[first + i] = rg_gap_at_least(touch->gaps[i], HEIGHT * l->scope->adapt.gap);
    return project_end(l, first, touch->view.npoints, &done);
}

/* Finds the contacts at the end of the step; their gaps count as closed in solves. Gaps so small that the next step
   could hardly be proven are lifted, unless shapes overlap because the trial is too long. */
static RgStatus find_contacts_end(RgLocated *l, double *u)
{
    RgStepScope *s = l->scope;
    RgContactSet *set = &l->contacts_end;
    RgState at = {.x = l->states.end.x, .u = u};
    if (s->scene == NULL)
        return RG_OK;
    RgStatus status = rg_contact_set_search(s, &at, s->adapt.gap, set);
    int32_t point;
    double least = status == RG_OK ? rg_contact_set_lowest(set, &point) : INFINITY;
    if (least > 0.0 && least < SUNK * s->adapt.gap) {
        status = lift_contacts(l);
        status = status == RG_OK ? rg_contact_set_search(s, &at, s->adapt.gap, set) : status;
    }
    if (status == RG_OK)
        rg_touch_set_filter(&set->touch, NULL, 0.0);
    return status;
}

/* Impact of new contacts after all other forces of the half step, from end.u on. */
static RgStatus solve_landing(RgLocated *l, double h)
{
    double *u = l->scope->scratch.memory[1];
    memcpy(u, l->states.end.u, size_of_u(l));
    RgStatus status = find_contacts_end(l, u);
    return status == RG_OK ? solve_impact(l, h, u, &l->states.mid.memory) : status;
}

/* ------------------------------------------------------------------ second half */

/* Sets the drift of contacts that slide through the step, so that friction of the second half, over k, opposes the
   velocity in the middle of the step. */
static void set_sliding_targets(RgLocated *l, double k)
{
    RgContactSet *set = &l->contacts_end;
    rg_contact_set_no_drift(set);
    for (int32_t i = 0; i < set->touch.view.npoints; i++) {
        const RgGap *gap = &set->touch.gaps[i];
        const RgPersistentContact *one = rg_persistent_contact(&l->persistent, rg_gap_key(gap));
        RgVec3 n = set->touch.view.points[i].normal;
        if (one == NULL || !one->slips)
            continue;
        RgVec3 across = v3_axpy(-v3_dot(n, one->acceleration), n, one->acceleration);
        if (rg_gap_slip(l->scope->form, gap, l->states.mid.u) > SLIDES * k * v3_norm(across))
            set->drift[i] = v3_scale(-1.0, across);
    }
}

/* rad: largest rotation of a body in h, at the form's velocities. */
static double largest_turn(const RgStepScope *s, double h)
{
    double most = 0.0;
    for (int i = 0; i < s->model->nbodies; i++)
        most = fmax(most, h * v3_norm(s->form->kin->V[i].w));
    return most;
}

/* The second velocity update. If bodies turn far, it is iterated with forces at the resulting velocities. */
static RgStatus solve_second(RgLocated *l, const RgVelocityUpdate *update, double *predicted)
{
    RgSolverWork work = l->work;
    RgStatus status = rg_located_solve(l, update, &l->states.end);
    bool far = largest_turn(l->scope, 2.0 * update->contact.h) > FAR_TURN;
    for (int i = 0; far && i < TURN_ITERATIONS && status == RG_OK; i++) {
        memcpy(predicted, l->states.end.u, size_of_u(l));
        l->work = work;
        status = rg_located_solve(l, update, &l->states.end);
    }
    return status;
}

/* Whether a joint limit exerts a force in the last solve: it may have stopped the joint on arrival. */
static bool limit_pushes(const RgContactSolver *contact)
{
    for (int i = 0; contact != NULL && i < contact->problem.nrows; i++)
        if (contact->problem.rows[i].kind == RG_BOUNDED_limit && contact->problem.rows[i].z > 0.0)
            return true;
    return false;
}

static RgStatus second_half(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    RgLocatedStates *states = &l->states;
    double *predicted = s->scratch.memory[1];
    bool lands = false, solved = false;
    const RgGivenSprings *springs = l->stiff ? rg_springs_middle(&l->springs, states->begin.x, states->mid.u, h) : NULL;
    for (int i = 0; i < s->form->nu; i++)
        predicted[i] = 2.0 * states->mid.u[i] - states->begin.u[i];
    RgStatus status = find_contacts_end(l, predicted);
    if (status != RG_OK)
        return status;
    rg_located_find_landing(l, predicted, &lands);
    set_sliding_targets(l, 0.5 * h);
    RgState at = {.t = states->begin.t + h, .x = states->end.x, .u = predicted, .memory = states->mid.memory};
    RgVelocityUpdate update = rg_located_update(&l->contacts_end, &at, states->mid.u, 0.5 * h);
    update.contact.springs = springs;
    status = solve_second(l, &update, predicted);

    /* If the separation test has made a solve at the end, the second half is solved again. */
    if (status == RG_OK && !l->unproven)
        status = rg_located_find_separating(l, h, &solved);
    if (status == RG_OK && solved) {
        RgSolverWork work = l->work;
        set_sliding_targets(l, 0.5 * h);
        rg_located_update(&l->contacts_end, &at, states->mid.u, 0.5 * h);
        status = rg_located_solve(l, &update, &states->end);
        l->work = work;
    }
    if (status != RG_OK)
        return status;

    /* Velocities on arrival: by all forces including contacts, before impacts and limits stop the bodies. */
    status = set_path_end(l, 1, !lands && limit_pushes(s->contact) ? states->u_free : states->end.u);
    l->impact = lands;
    return status == RG_OK && lands ? solve_landing(l, h) : status;
}

/* ------------------------------------------------------------------ flight */

/* Whether the step is smooth motion: no contacts, no active rows, no stiff springs. */
static bool is_smooth(RgLocated *l, double h)
{
    RgContactSolver *contact = l->scope->contact;
    if (l->contacts_begin.touch.view.npoints > 0 || (contact != NULL && contact->setup.bounded->user.fn != NULL))
        return false;
    rg_constraints_observe(l->scope->constraints);
    if (l->stiff && !rg_springs_mild(&l->springs, l->smooth.go != NULL ? SMOOTH_PART * h : h))
        return false;
    if (contact == NULL)
        return true;
    RgBoundedAsk ask = rg_stage_rows_ask(l->scope, l->states.begin.t, h);
    return !rg_contact_has_rows(contact, &ask);
}

/* Whether a joint has reached its limit at the end of a flight. */
static bool limit_reached(const RgStepScope *s, const RgState *end, double t)
{
    if (s->contact == NULL)
        return false;
    s->form->kind->kinematics(s->form, end->x, end->u);
    rg_constraints_observe(s->constraints);
    RgBoundedAsk ask = rg_stage_rows_ask(s, t, RG_LOCATED_IMPACT);
    return rg_contact_has_rows(s->contact, &ask);
}

/* Smooth motion over h; contacts and limits reached at its end are solved there as impacts. */
static RgStatus integrate_flight(RgLocated *l, double h)
{
    RgStepScope *s = l->scope;
    RgState *begin = &l->states.begin, *end = &l->states.end;
    l->persistent.count = 0;
    rg_body_ends(s->form, begin->u, l->path.ends[0]);
    memcpy(l->path.u[0], begin->u, size_of_u(l));
    RgStatus status =
        l->smooth.go != NULL ? l->smooth.go(l->smooth.context, begin, h, end) : rg_stage_rk4(s, begin, h, end);
    s->call.joints_kept = false;
    if (status == RG_OK)
        status = rg_stage_stabilise(s, end);
    if (status == RG_OK)
        status = find_contacts_end(l, end->u);
    if (status != RG_OK)
        return status;
    memcpy(l->states.u_free, end->u, size_of_u(l));
    memcpy(l->path.u[1], end->u, size_of_u(l));
    rg_body_ends(s->form, end->u, l->path.ends[1]);
    if (l->contacts_end.touch.view.npoints > 0 || limit_reached(s, end, begin->t + h))
        return solve_impact(l, h, l->path.u[1], l->states.last);
    rg_contact_memory_clear(&end->memory);
    if (s->contact != NULL)
        rg_contact_forget(s->contact);
    return RG_OK;
}

/* ------------------------------------------------------------------ the trial */

/* False: some body turns too far for one path. */
static bool make_paths(RgLocatedPath *path, int nbodies, double h)
{
    for (int i = 0; i < nbodies; i++)
        if (!rg_body_path_between(&path->ends[0][i], &path->ends[1][i], h, &path->bodies[i]))
            return false;
    return true;
}

RgStatus rg_located_trial(RgLocated *l, double h, RgTrial *out)
{
    RgStepScope *s = l->scope;
    *out = (RgTrial){.proven = h, .proof = {.time = h, .least = INFINITY, .shape_a = -1, .shape_b = -1}};
    s->form->kind->kinematics(s->form, l->states.begin.x, l->states.begin.u);
    rg_located_axes(s, &l->path, 0);
    l->impact = false;
    RgStatus status = RG_OK;
    out->flew = is_smooth(l, h);
    if (out->flew) {
        status = integrate_flight(l, h);
    } else {
        status = first_half(l, h);
        status = status == RG_OK ? integrate_positions(l, h) : status;
        status = status == RG_OK ? second_half(l, h) : status;
    }
    if (status != RG_OK)
        return status;
    rg_located_axes(s, &l->path, 1);
    out->limit = rg_located_limit(l, h);
    if (!l->unproven && !make_paths(&l->path, s->model->nbodies, h)) {
        out->turns = true;
        out->proven = 0.5 * h;
        return RG_OK;
    }
    if (l->path.proofs != NULL && !l->unproven) {
        RgPathRule rule = {.gap = s->adapt.gap, .level = 0.5 * s->adapt.gap};
        status = rg_scene_path_prove(l->path.proofs, l->path.bodies, h, &rule, &out->proof);
        out->proven = out->proof.time;
    }
    if (status == RG_OK)
        rg_located_compare(l, h, out);
    return status;
}
