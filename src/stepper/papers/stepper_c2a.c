/*
 * stepper_c2a.c - conservative conservative advancement: conservative advancement with control of the error in kinetic
 * energy (Zapolsky, Drumwright 2015, algorithm 2, corrected).
 *
 * An inner step from (x0, u0) tries h, at first the time of the first contact at constant u0 or the rest of the step:
 *
 *   one step      x'  = x0 + h u0             u'  = k(u0 + h a(x', u0))
 *   two halves    xm  = x0 + h/2 u0           um  = k(u0 + h/2 a(xm, u0))
 *                 x'' = xm + h/2 um           u'' = k(um + h/2 a(x'', um))
 *   error         e = |E' - E''|              E: kinetic energies
 *   e too large   h <- 0.9 (allowed / e) h, at least h/10, and again
 *   extrapolated  x1 = x0 + h um              (2 x'' - x' in any coordinates that add)
 *                 u1 = k(2 u'' - u')          second order where the motion is smooth
 *
 * In the trials k has only the contacts that touch at x0, so that both solutions satisfy the same equations; contacts
 * reached at the end act in the last k only. The last k has the contact forces of the second half step as a load, so
 * that the reported forces are those of the step.
 *
 * Allowed error: energy_relative times E'' (plus FORCE_PART of the energy that forces alone would give, since bodies at
 * rest have none), or energy_absolute, whichever is larger. Below h_min an Euler step of h_min is made, as in
 * `advance`, with any error.
 *
 * Safety. The bound s(x0, u0, u' - u'') (eqs. 4, 5) is evaluated for pairs that are clearly apart, as in the paper. The
 * accepted path has constant velocities um, independent of the errors, so this path is followed (advancement.h), and h
 * is shortened to the first contact on it. This replaces lines 12-15 of the printed algorithm, and has the guarantees
 * of `advance`, including that for Zeno sequences. A projection corrects gaps that are too small, also after the
 * extrapolation.
 *
 * Corrections to the printed algorithm: |e|; f of the second half step at its end; h, not the old time, in the last
 * test; 2 u'' - u' passes through the impact map.
 */
#include "stepper/papers/inner_steps.h"
#include "stepper/stepper_table.h"

/* Limit of trials of one inner step; then a step of h_min is made. */
#define MOST_TRIES 60
/* s() is evaluated for pairs farther apart than this multiple of the gap. */
#define CLEARLY_APART 1e3
/* Part of the energy that forces alone would give in the step, for the error tolerance of bodies at rest. */
#define FORCE_PART 1e-4
/* Safety factor of line 23; and smallest ratio of consecutive trials, not in the paper: errors grow with h^2 or faster,
   so the printed rule, valid for small steps, shortens far too much after a long one. */
#define SAFETY 0.9
#define SHORTEST 0.1

/* Indices into scratch.memory, offset by OWN_PLACE: after those that stages use. */
enum { LOAD, ERROR, ARRIVED };
#define OWN_PLACE 3

typedef struct C2a {
    RgInnerSteps steps;
    RgState one, half, two;
    double kinetic_one, kinetic_two;
    double by_forces; /* J: kinetic energy that forces alone would give in the step from rest */
    RgSolverWork work[3];
} C2a;

static bool prepare(RgArena *arena, RgStepScope *c)
{
    C2a *a = RG_ARENA_ALLOC(arena, C2a, 1);
    c->stepper_data = a;
    if (a == NULL)
        return false;
    rg_state_alloc(arena, c->form, &a->one);
    rg_state_alloc(arena, c->form, &a->half);
    rg_state_alloc(arena, c->form, &a->two);
    return rg_inner_steps_alloc(arena, c, &a->steps);
}

static void release(RgStepScope *c)
{
    C2a *a = c->stepper_data;
    if (a == NULL)
        return;
    rg_state_release(c, &a->one);
    rg_state_release(c, &a->half);
    rg_state_release(c, &a->two);
    rg_inner_steps_release(c);
}

/* ------------------------------------------------------------------ trials */

/* One Euler step with the stored contacts: positions, then velocities. */
static RgStatus make_euler_step(RgStepScope *c, C2a *a, const RgState *from, double h, RgState *to)
{
    double *move = c->scratch.memory[0];
    for (int k = 0; k < c->form->nu; k++)
        move[k] = h * from->u[k];
    c->form->kind->integrate(c->form, from->x, move, to->x);
    return rg_inner_step_try(&a->steps, from, h, to);
}

/* One step and two halves, their energies, and the velocity change by the last contacts, extrapolated to h (LOAD). */
static RgStatus try_step(RgStepScope *c, C2a *a, double h)
{
    const RgState *now = a->steps.now;
    double *load = c->scratch.memory[OWN_PLACE + LOAD];
    RgStatus status = make_euler_step(c, a, now, h, &a->one);
    if (status != RG_OK)
        return status;
    a->kinetic_one = rg_form_kinetic(c->form, a->one.u);
    a->by_forces = h * h * rg_form_kinetic(c->form, c->scratch.a);
    a->work[0] = c->report->work;
    if ((status = make_euler_step(c, a, now, 0.5 * h, &a->half)) != RG_OK)
        return status;
    a->work[1] = c->report->work;
    if ((status = make_euler_step(c, a, &a->half, 0.5 * h, &a->two)) != RG_OK)
        return status;
    a->work[2] = c->report->work;
    a->kinetic_two = rg_form_kinetic(c->form, a->two.u);
    for (int k = 0; k < c->form->nu; k++)
        load[k] = 2.0 * (a->two.u[k] - (a->half.u[k] + 0.5 * h * c->scratch.a[k]));
    return RG_OK;
}

/* J: allowed error of the kinetic energy. */
static double allowed(const RgStepScope *c, const C2a *a)
{
    double energy = a->kinetic_two + FORCE_PART * a->by_forces;
    return fmax(c->adapt.energy_relative * energy, c->adapt.energy_absolute);
}

/* Time, at most h, for which no contact is reached in the step just tried. */
static RgStatus find_clear_time(RgStepScope *c, C2a *a, double h, RgAdvance *out)
{
    const RgState *now = a->steps.now;
    double *error = c->scratch.memory[OWN_PLACE + ERROR];
    for (int k = 0; k < c->form->nu; k++)
        error[k] = a->one.u[k] - a->two.u[k];
    RgAdvanceAsk bound = {
        .x = now->x, .u = now->u, .error = error, .horizon = h, .beyond = CLEARLY_APART * c->adapt.gap, .once = true};
    RgAdvanceAsk path = {.x = now->x, .u = a->half.u, .horizon = h};
    RgStatus status = rg_advancement_find(&a->steps.advancement, &bound, out);
    if (status != RG_OK || out->time < h)
        return status;
    return rg_advancement_find(&a->steps.advancement, &path, out);
}

/* ------------------------------------------------------------------ accepted steps */

/* J: twice the rotational energy of a body with angular velocity w (body axes). */
static double spin_energy(const RgForm *form, int body, const double *w)
{
    RgVec3 turn = {w[0], w[1], w[2]};
    if (!form->kind->joints_are_rows)
        return v3_dot(turn, s3_apply(form->model->bodies[body].inertia.I, turn));
    const double *I = form->bodies[body].moment;
    return I[0] * turn.x * turn.x + I[1] * turn.y * turn.y + I[2] * turn.z * turn.z;
}

/* The rotational energy of free bodies is conserved in every step and half step (turning.c), for any angle, but not by
   the extrapolation of their velocities. So w is scaled to the extrapolated energy. */
static void scale_spins(const RgStepScope *c, const C2a *a, double *u)
{
    const RgForm *form = c->form;
    for (int i = 0; i < c->model->nbodies && c->contact != NULL; i++) {
        int at = form->kind->joints_are_rows ? 6 * i : c->model->bodies[i].v0;
        bool centred = form->kind->joints_are_rows || v3_norm2(c->model->bodies[i].inertia.com) == 0.0;
        if (!c->contact->setup.bodies[i].free || !centred)
            continue;
        double one = spin_energy(form, i, a->one.u + at), two = spin_energy(form, i, a->two.u + at);
        double wanted = 2.0 * two - one > 0.0 ? 2.0 * two - one : two, is = spin_energy(form, i, u + at);
        double scale = is > 0.0 ? sqrt(wanted / is) : 1.0;
        for (int k = at; k < at + 3; k++)
            u[k] *= scale;
    }
}

/* Makes the extrapolated step the next state. */
static RgStatus extrapolate(RgStepScope *c, C2a *a, RgInnerStep *step)
{
    RgInnerSteps *s = &a->steps;
    double *arrived = c->scratch.memory[OWN_PLACE + ARRIVED], *load = c->scratch.memory[OWN_PLACE + LOAD];
    bool loaded = c->contact != NULL;
    rg_inner_step_move(s, a->half.u, step->h);
    for (int k = 0; k < c->form->nu; k++)
        arrived[k] = 2.0 * a->two.u[k] - a->one.u[k];
    scale_spins(c, a, arrived);
    for (int k = 0; k < c->form->nu; k++)
        s->next->u[k] = arrived[k] - (loaded ? load[k] : 0.0);
    RgStatus status = rg_inner_step_impact(s, step->h, arrived);

    /* Work: extrapolated from the trials, plus that of the last impact map, less its work of forces. */
    RgSolverWork work = a->work[2];
    rg_work_axpy(2.0, &a->work[1], &work);
    rg_work_axpy(-1.0, &a->work[0], &work);
    work.forces = 2.0 * (a->work[1].forces + a->work[2].forces) - a->work[0].forces;
    if (loaded) {
        rg_work_axpy(1.0, &c->report->work, &work);
        work.forces -= c->report->work.forces;
    }
    c->report->work = work;
    return status == RG_OK ? rg_inner_step_accept(s, a->half.u, arrived, step) : status;
}

static void reject(RgStepScope *c, RgCut why)
{
    rg_step_log_rejected(c->log, why);
    c->report->rejected++;
}

/* s: next trial after a step of h that was not clear. At a new contact its time. If lasting contacts sank by more than
   allowed: um keeps them at the middle of the step, so they sink at first with a speed proportional to h and reach the
   floor at a time proportional to 1/h; the lowest point is proportional to h^2. The h at which it is the floor is twice
   the root of the product. */
static double next_trial(double h, const RgAdvance *safe)
{
    if (safe->cut != RG_CUT_height)
        return safe->time;
    return fmax(safe->time, fmin(SAFETY * h, SAFETY * 2.0 * sqrt(safe->time * h)));
}

/* Shortens the step until error and path are accepted (*good), or it is below h_min (not *good). */
static RgStatus find_step(RgStepScope *c, C2a *a, double left, RgInnerStep *step, bool *good)
{
    RgAdvance safe;
    double most = fmin(left, c->adapt.h_max);
    RgStatus status = rg_advancement_from(&a->steps.advancement, a->steps.now, most, &safe);
    if (status == RG_OK)
        status = rg_inner_step_store_contacts(&a->steps);
    *good = false;
    step->h = safe.time;
    step->cut = safe.cut;
    for (int k = 0; k < MOST_TRIES && status == RG_OK && !*good; k++) {
        if (step->h < c->adapt.h_min && step->h < most)
            return RG_OK;
        if ((status = try_step(c, a, step->h)) != RG_OK)
            break;
        double error = fabs(a->kinetic_one - a->kinetic_two), tolerated = allowed(c, a);
        if (!(error <= tolerated)) {
            step->h *= fmin(SAFETY, fmax(SHORTEST, SAFETY * tolerated / error));
            step->cut = RG_CUT_error;
            reject(c, RG_CUT_error);
            continue;
        }
        if ((status = find_clear_time(c, a, step->h, &safe)) != RG_OK)
            break;
        step->shape_a = safe.shape_a;
        step->shape_b = safe.shape_b;
        step->bound = safe.time;
        step->least_distance = safe.least;
        *good = !(safe.time < step->h);
        if (!*good) {
            step->h = next_trial(step->h, &safe);
            step->cut = safe.cut;
            reject(c, safe.cut);
        }
    }
    return status;
}

static RgStatus inner_step(RgStepScope *c, double left, double *h)
{
    C2a *a = c->stepper_data;
    RgInnerStep step = {.shape_a = -1, .shape_b = -1, .least_distance = INFINITY};
    bool good = false;
    RgStatus status = rg_inner_steps_input(&a->steps);
    if (status == RG_OK)
        status = find_step(c, a, left, &step, &good);
    if (status != RG_OK)
        return status;
    if (!good) {
        step.h = fmin(left, c->adapt.h_min);
        step.cut = RG_CUT_least;
    }
    *h = step.h;
    return good ? extrapolate(c, a, &step) : rg_inner_step_run(&a->steps, &step);
}

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    return rg_inner_steps_advance(c, inner_step, s0, h, s1);
}

const RgStepper rg_stepper_c2a = {
    .name = "c2a",
    .summary = "advancement with control of the kinetic energy's error (000, algorithm 2): second order",
    RG_INNER_STEPPER(prepare, rg_inner_steps_check, release)};
