/*
 * stepper_reference.c - smooth motion to a tolerance: Dormand-Prince 8(5,3) with error control in local coordinates
 * (flight.c).
 *
 * The end of the requested step is met exactly. The length of the next inner step is part of the state, so a restored
 * state continues with the same bits. Contacts act at the end of the requested step only, not of inner steps:
 * end_contacts.c.
 */
#include "stepper/flight.h"
#include "stepper/stepper_table.h"

/* Limit of inner steps in a step, against endless loops; beyond it the step is refused. */
#define MOST_STEPS 10000000

static bool prepare(RgArena *arena, RgStepScope *c)
{
    RgFlight *flight = RG_ARENA_ALLOC(arena, RgFlight, 1);
    c->stepper_data = flight;
    return flight != NULL && rg_flight_alloc(arena, c, c->adapt.tolerance, MOST_STEPS, flight);
}

static RgStatus step(RgStepScope *c, const RgState *s0, double h, RgState *s1)
{
    RgFlight *flight = c->stepper_data;
    flight->h_next = s0->h_next;
    RgStatus status = rg_flight_integrate(flight, s0, h, false, s1);
    if (c->form->nu > 0) {
        c->report->substeps = (int)flight->ode.counts.accepted;
        c->report->rejected = (int)flight->ode.counts.rejected;
        c->report->h = flight->ode.h;
    }
    s1->h_next = status == RG_OK ? flight->h_next : s0->h_next;
    return status == RG_OK ? rg_stage_end_contacts(c, s0, h, s1) : status;
}

const RgStepper rg_stepper_reference = {.name = "reference",
                                        .passive = RG_PASSIVE_FLOW,
                                        .summary =
                                            "Dormand-Prince 8(5,3) with error control: the yardstick for smooth motion",
                                        .prepare = prepare,
                                        .step = step};
