/*
 * stepper_auto.c - steps with error control: the user gives an accuracy instead of a step length.
 *
 * order 2 (default): located inner steps (auto_located.c): between events smooth motion by Dormand-Prince, in contact
 *   steps of second order compared with two of half the length; events are located.
 * order 1: plain semi-implicit steps (auto_plain.c); contacts act at the ends of steps.
 *
 * Order 2 changes to plain steps, until the end of the outer step, if located steps would be slower or fail: too many
 * events or contacts, overlapping shapes, or a located step that does not converge. Models with shapes that have no
 * proof of distance along a path (located.h) use plain steps only. The choice depends on the state and the length of
 * the outer step only, so a loaded state continues with the same bits.
 *
 * In located steps solver quick has the smallest of its own tolerance, SOLVER_SHARE of the accuracy, and
 * MOST_SOLVER_TOLERANCE; in plain steps its own tolerance.
 */
#include "stepper/auto.h"
#include "stepper/stepper_table.h"

#include <string.h>

/* Tolerance of smooth motion, as a part of the accuracy. */
#define FLIGHT_SHARE 0.3
/* Limit of integrator steps in one flight; beyond it the flight is refused. */
#define FLIGHT_STEPS 1000
/* Part of the outer step: springs with a shorter time scale count as stiff, as in located_trial.c. */
#define SMOOTH_PART 0.02
/* Solver quick in located steps: tolerance as a part of the accuracy, its largest value, and least limit of sweeps. */
#define SOLVER_SHARE 1e-2
#define MOST_SOLVER_TOLERANCE 1e-9
#define SOLVER_SWEEPS 1000

typedef struct Auto {
    RgPlain plain;
    RgFlight flight;
    RgAutoLocated located;
    bool locates;        /* located steps are possible: all shapes have proofs along paths */
    RgState start;       /* state from which plain steps continue */
    RgQuickOptions fine; /* solver quick in located steps */
} Auto;

static bool prepare(RgArena *arena, RgStepScope *s)
{
    Auto *a = RG_ARENA_ALLOC(arena, Auto, 1);
    s->stepper_data = a;
    if (a == NULL || !rg_plain_alloc(arena, s, &a->plain) ||
        !rg_flight_alloc(arena, s, FLIGHT_SHARE * s->adapt.accuracy, FLIGHT_STEPS, &a->flight) ||
        !rg_auto_located_alloc(arena, s, &a->flight, &a->located))
        return false;
    rg_state_alloc(arena, s->form, &a->start);
    return !arena->failed;
}

/* Options of solver quick in located steps. */
static RgQuickOptions fine_solver_options(const RgStepScope *s)
{
    RgQuickOptions quick = s->contact->setup.quick;
    quick.tolerance = fmin(quick.tolerance, fmin(SOLVER_SHARE * s->adapt.accuracy, MOST_SOLVER_TOLERANCE));
    quick.max_sweeps = quick.max_sweeps > SOLVER_SWEEPS ? quick.max_sweeps : SOLVER_SWEEPS;
    return quick;
}

static RgStatus check(RgStepScope *s, RgError *error)
{
    Auto *a = s->stepper_data;
    if (s->contact != NULL)
        a->fine = fine_solver_options(s);
    if (s->adapt.order == 1)
        return RG_OK;
    RgError why = {0};
    RgStatus status = rg_auto_located_check(&a->located, &why);
    a->locates = status == RG_OK;
    if (status == RG_ERR_UNSUPPORTED)
        return RG_OK;
    if (status != RG_OK && error != NULL)
        *error = why;
    return status;
}

static void release(RgStepScope *s)
{
    Auto *a = s->stepper_data;
    if (a == NULL)
        return;
    rg_plain_release(&a->plain);
    rg_auto_located_release(&a->located);
    rg_state_release(s, &a->start);
}

/* Plain steps from a state to time t, without location of limits, and with solver quick's own options. */
static RgStatus step_plainly(RgStepScope *s, const RgState *from, double t, RgState *s1)
{
    Auto *a = s->stepper_data;
    bool always = s->adapt.order == 1 || !a->locates;
    double next = always ? from->h_next : 0.0;
    s->call.located = 0.0;
    s->call.quick = NULL;
    RgStatus status = rg_plain_advance(&a->plain, from, t, &next, s1);
    if (always)
        s1->h_next = next;
    return status;
}

/* Completes a step whose located part has reached s1->t. */
static RgStatus step_rest(RgStepScope *s, const RgState *s0, double end, RgState *s1)
{
    Auto *a = s->stepper_data;
    if (!(s1->t > s0->t))
        return step_plainly(s, s0, end, s1);
    rg_state_transfer(s->form, s1, &a->start);
    a->start.t = s1->t;
    RgSolverWork work = s->report->work;
    RgStatus status = step_plainly(s, &a->start, end, s1);
    rg_work_add(&work, &s->report->work);
    s->report->work = work;
    s->report->contact_work = work.total;
    return status;
}

/* Whether the step is smooth: no shapes can touch, there are no bounded rows, and no spring is too fast for explicit
   integration. */
static bool is_smooth(const RgStepScope *s, const RgState *s0, double h)
{
    const Auto *a = s->stepper_data;
    if (s->scene != NULL || (s->contact != NULL && rg_bounded_any(s->contact->setup.bounded)))
        return false;
    if (!a->located.steps.stiff)
        return true;
    s->form->kind->kinematics(s->form, s0->x, s0->u);
    rg_constraints_observe(s->constraints);
    return rg_springs_mild(&a->located.steps.springs, SMOOTH_PART * h);
}

/* Smooth motion: one flight over the whole step. */
static RgStatus step_smoothly(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    Auto *a = s->stepper_data;
    a->flight.h_next = fmin(s0->h_next, h);
    RgStatus status = rg_flight_integrate(&a->flight, s0, h, false, s1);
    if (status != RG_OK)
        return status;
    s1->h_next = a->flight.h_next;
    rg_contact_memory_clear(&s1->memory);
    if (s->contact != NULL)
        rg_contact_forget(s->contact);
    s1->t = s0->t + h;
    rg_plain_report(&a->plain, s0, s1, h, RG_CUT_whole);
    return RG_OK;
}

static RgStatus step(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    Auto *a = s->stepper_data;
    double end = s0->t + h;
    if (s->adapt.order == 1 || !a->locates)
        return step_plainly(s, s0, end, s1);
    if (is_smooth(s, s0, h)) {
        RgStatus status = step_smoothly(s, s0, h, s1);
        if (status != RG_ERR_NOT_CONVERGED)
            return status;
    }
    s1->h_next = s0->h_next;
    s->call.quick = &a->fine;
    RgStatus status = rg_auto_located_advance(&a->located, s0, end, &s1->h_next, s1);
    if (status != RG_OK || s1->t >= end)
        return status;
    return step_rest(s, s0, end, s1);
}

const RgStepper rg_stepper_auto = {.name = "auto",
                                   .passive = RG_PASSIVE_FLOW,
                                   .summary = "one accuracy in place of a step: error control between located events",
                                   .locates = true,
                                   .prepare = prepare,
                                   .check = check,
                                   .release = release,
                                   .step = step};
