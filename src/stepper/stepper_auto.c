/*
 * stepper_auto.c - one accuracy in place of a step.
 *
 * order 2 (default): located inner steps of a length by error (auto_located.c): between events smooth motion by
 *   Dormand-Prince, in contact steps of second order compared with two of half the length; events are located.
 * order 1: plain semi-implicit steps of a length by error (auto_plain.c); contacts act where steps end.
 *
 * Order 2 goes over to plain steps, until the end of the outer step, where it would be slower or cannot go on: where
 * events or contacts are too many, shapes overlap, or a located step does not converge. Models with shapes that have no
 * proof of distance along a path (located.h) are stepped plainly from the start. The choice depends on the state and
 * the length of the outer step alone, so a loaded state goes on with the same bits.
 *
 * In located steps solver quick gets SOLVER_SHARE of the accuracy as tolerance, in plain ones what it was made with.
 */
#include "stepper/auto.h"
#include "stepper/stepper_table.h"

#include <string.h>

/* Parts of the accuracy: tolerances of smooth motion and of impulses. */
#define FLIGHT_SHARE 0.3
/* Most steps of the method in one flight; then it is refused. */
#define FLIGHT_STEPS 1000
#define SOLVER_SHARE 1e-2
/* Part of a step that smooth motion may be divided into for the sake of a spring. */
#define SMOOTH_PART 0.02
#define SOLVER_LEAST 1e-9
#define SOLVER_SWEEPS 1000

typedef struct Auto {
    RgPlain plain;
    RgFlight flight;
    RgAutoLocated located;
    bool locates;        /* all shapes have proofs along paths */
    RgState start;       /* where plain steps go on from */
    RgQuickOptions fine; /* solver quick in located steps */
} Auto;

static bool prepare(RgArena *arena, RgStepScope *s)
{
    Auto *a = RG_TAKE(arena, Auto, 1);
    s->stepper_data = a;
    if (a == NULL || !rg_plain_take(arena, s, &a->plain) ||
        !rg_flight_take(arena, s, FLIGHT_SHARE * s->adapt.accuracy, FLIGHT_STEPS, &a->flight) ||
        !rg_auto_located_take(arena, s, &a->flight, &a->located))
        return false;
    rg_state_take(arena, s->form, &a->start);
    return !arena->failed;
}

/* Solver quick in located steps. */
static RgQuickOptions solve_finely(const RgStepScope *s)
{
    RgQuickOptions quick = s->contact->setup.quick;
    quick.tolerance = fmin(quick.tolerance, fmin(SOLVER_SHARE * s->adapt.accuracy, SOLVER_LEAST));
    quick.max_sweeps = quick.max_sweeps > SOLVER_SWEEPS ? quick.max_sweeps : SOLVER_SWEEPS;
    return quick;
}

static RgStatus check(RgStepScope *s, RgError *error)
{
    Auto *a = s->stepper_data;
    if (s->contact != NULL)
        a->fine = solve_finely(s);
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

/* Plain steps from a state to t; limits are not located in them, solver quick is as it was made. */
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

/* The rest of a step whose located part has reached s1->t. */
static RgStatus step_rest(RgStepScope *s, const RgState *s0, double end, RgState *s1)
{
    Auto *a = s->stepper_data;
    if (!(s1->t > s0->t))
        return step_plainly(s, s0, end, s1);
    rg_state_hand_over(s->form, s1, &a->start);
    a->start.t = s1->t;
    RgSolverWork work = s->report->work;
    RgStatus status = step_plainly(s, &a->start, end, s1);
    rg_work_add(&work, &s->report->work);
    s->report->work = work;
    s->report->contact_work = work.total;
    return status;
}

/* Nothing can ever touch, no bounded row acts, and no spring is too fast for explicit methods. */
static bool moves_alone(const RgStepScope *s, const RgState *s0, double h)
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

/* Smooth motion alone: one flight, however many steps the method makes in it. */
static RgStatus step_smoothly(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    Auto *a = s->stepper_data;
    a->flight.h_next = fmin(s0->h_next, h);
    RgStatus status = rg_flight_go(&a->flight, s0, h, false, s1);
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
    if (moves_alone(s, s0, h)) {
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
