/*
 * stepper_auto.c - one accuracy in place of a step.
 *
 * order 1: plain steps under error control (auto_plain.c).
 */
#include "stepper/auto.h"
#include "stepper/stepper_table.h"

typedef struct Auto {
    RgPlain plain;
    RgFlight flight;
} Auto;

/* Part of the accuracy to which smooth motion is found. */
#define FLIGHT_SHARE 0.3

static bool prepare(RgArena *arena, RgStepScope *s)
{
    Auto *a = RG_TAKE(arena, Auto, 1);
    s->stepper_data = a;
    return a != NULL && rg_plain_take(arena, s, &a->plain) &&
           rg_flight_take(arena, s, FLIGHT_SHARE * s->adapt.accuracy, &a->flight);
}

static void release(RgStepScope *s)
{
    Auto *a = s->stepper_data;
    if (a != NULL)
        rg_plain_release(&a->plain);
}

static RgStatus step(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    Auto *a = s->stepper_data;
    double next = s0->h_next;
    RgStatus status;
    if (s->contact == NULL && s->adapt.order > 1) {
        a->flight.h_next = next;
        status = rg_flight_go(&a->flight, s0, h, false, s1);
        next = a->flight.h_next;
    } else {
        status = rg_plain_advance(&a->plain, s0, s0->t + h, &next, s1);
    }
    s1->h_next = next;
    return status;
}

const RgStepper rg_stepper_auto = {
    .name = "auto",
    .summary = "one accuracy in place of a step: error control between located events",
    .locates = true,
    .prepare = prepare,
    .release = release,
    .step = step};
