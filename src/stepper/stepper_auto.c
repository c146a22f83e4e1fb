/*
 * stepper_auto.c - one accuracy in place of a step.
 *
 * order 2 (default): located inner steps of a length by error (auto_located.c): between events smooth motion by
 *   Dormand-Prince, in contact steps of second order compared with two of half the length; events are where they are.
 * order 1: plain semi-implicit steps of a length by error (auto_plain.c); contacts act where steps end.
 *
 * Order 2 goes over to plain steps, until the end of the outer step, where it would be dearer or cannot go on: where events
 * are too many or too many points touch, shapes overlap, or a located step does not converge. Models with shapes that
 * paths cannot tell of (located.h) are stepped plainly from the start. Which it is depends on the state and the length of
 * the outer step alone, so a loaded state goes on with the same bits; inner steps of which nothing is proven are told as
 * plain.
 *
 * In located steps solver quick is asked for SOLVER_SHARE of the accuracy, in plain ones for what it was made with.
 */
#include "stepper/auto.h"
#include "stepper/stepper_table.h"

#include <string.h>

/* Parts of the accuracy to which smooth motion, and impulses, are found. */
#define FLIGHT_SHARE 0.3
#define SOLVER_SHARE 1e-2
/* Part of a step that smooth motion may be divided into for the sake of a spring. */
#define SMOOTH_PART 0.02
#define SOLVER_LEAST 1e-9
#define SOLVER_SWEEPS 1000

typedef struct Auto {
    RgPlain plain;
    RgFlight flight;
    RgAutoLocated located;
    bool locates;         /* the shapes can be told of */
    RgState start;        /* where plain steps go on from */
    RgQuickOptions quick; /* as the world was made with; of plain steps */
} Auto;

static bool prepare(RgArena *arena, RgStepScope *s)
{
    Auto *a = RG_TAKE(arena, Auto, 1);
    s->stepper_data = a;
    if (a == NULL || !rg_plain_take(arena, s, &a->plain) ||
        !rg_flight_take(arena, s, FLIGHT_SHARE * s->adapt.accuracy, &a->flight) ||
        !rg_auto_located_take(arena, s, &a->flight, &a->located))
        return false;
    a->start.x = RG_TAKE(arena, double, s->form->nx);
    a->start.u = RG_TAKE(arena, double, s->form->nu);
    return !arena->failed;
}

static RgStatus check(RgStepScope *s, RgError *error)
{
    Auto *a = s->stepper_data;
    if (s->contact != NULL)
        a->quick = s->contact->setup.quick;
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
    rg_contact_memory_free(&a->start.memory, &s->log->allocator);
}

/* Plain steps from a state to t; limits are not located in them. */
static RgStatus step_plainly(RgStepScope *s, const RgState *from, double t, RgState *s1)
{
    Auto *a = s->stepper_data;
    RgBounded *bounded = s->contact != NULL ? s->contact->setup.bounded : NULL;
    bool always = s->adapt.order == 1 || !a->locates;
    double located = bounded != NULL ? bounded->located : 0.0, next = always ? from->h_next : 0.0;
    if (bounded != NULL) {
        bounded->located = 0.0;
        s->contact->setup.quick = a->quick;
    }
    RgStatus status = rg_plain_advance(&a->plain, from, t, &next, s1);
    if (bounded != NULL)
        bounded->located = located;
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
    memcpy(a->start.x, s1->x, (size_t)s->form->nx * sizeof *s1->x);
    memcpy(a->start.u, s1->u, (size_t)s->form->nu * sizeof *s1->u);
    a->start.t = s1->t;
    RgContactMemory memory = a->start.memory;
    a->start.memory = s1->memory;
    s1->memory = memory;
    RgSolverWork work = s->report->work;
    RgStatus status = step_plainly(s, &a->start, end, s1);
    rg_work_add(&work, &s->report->work);
    s->report->work = work;
    s->report->contact_work = work.total;
    return status;
}

static void solve_finely(RgStepScope *s)
{
    const Auto *a = s->stepper_data;
    if (s->contact == NULL)
        return;
    RgQuickOptions *quick = &s->contact->setup.quick;
    quick->tolerance = fmin(a->quick.tolerance, fmin(SOLVER_SHARE * s->adapt.accuracy, SOLVER_LEAST));
    quick->max_sweeps = a->quick.max_sweeps > SOLVER_SWEEPS ? a->quick.max_sweeps : SOLVER_SWEEPS;
}

/* Nothing can ever touch, and no bounded row acts; springs that are much faster than the step are not for explicit methods. */
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
    a->flight.h_next = s0->h_next;
    RgStatus status = rg_flight_go(&a->flight, s0, h, false, s1);
    if (status != RG_OK)
        return status;
    s1->h_next = a->flight.h_next;
    rg_contact_memory_clear(&s1->memory);
    if (s->contact != NULL)
        rg_contact_forget(s->contact);
    s1->t = s0->t + h;
    rg_plain_tell(&a->plain, s0, s1, h, RG_CUT_whole);
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
    solve_finely(s);
    RgStatus status = rg_auto_located_advance(&a->located, s0, end, &s1->h_next, s1);
    if (status != RG_OK || s1->t >= end)
        return status;
    return step_rest(s, s0, end, s1);
}

const RgStepper rg_stepper_auto = {
    .name = "auto",
    .passive = RG_PASSIVE_FLOW,
    .summary = "one accuracy in place of a step: error control between located events",
    .locates = true,
    .prepare = prepare,
    .check = check,
    .release = release,
    .step = step};
