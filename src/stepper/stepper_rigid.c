/*
 * stepper_rigid.c - no two bodies ever overlap, and every event is found (paper 001, and beyond): located inner steps
 * of the length asked for, or up to the next event. Flights are made by Dormand-Prince to FLIGHT_ERROR: bodies that
 * tumble for thousands of steps keep their energy.
 */
#include "stepper/flight.h"
#include "stepper/located.h"
#include "stepper/stepper_table.h"

/* Of a flight within an inner step: relative, and absolute in m, rad, m/s, rad/s. */
#define FLIGHT_ERROR 1e-10
/* Most steps of the method in one flight; then it is refused. */
#define FLIGHT_STEPS 1000

/* RgLocated first: that is what stepper_data points at. */
typedef struct Rigid {
    RgLocated steps;
    RgFlight flight;
} Rigid;

/* The first length tried is the whole one, whatever flew before: a restored state goes on with the same bits. */
static RgStatus fly(void *context, const RgState *begin, double h, RgState *end)
{
    RgFlight *flight = context;
    flight->h_next = h;
    return rg_flight_go(flight, begin, h, false, end);
}

static bool prepare(RgArena *arena, RgStepScope *s)
{
    Rigid *r = RG_TAKE(arena, Rigid, 1);
    s->stepper_data = r;
    if (r == NULL || !rg_flight_take(arena, s, FLIGHT_ERROR, FLIGHT_STEPS, &r->flight) ||
        !rg_located_take(arena, s, &r->steps))
        return false;
    r->steps.smooth = (RgSmoothMotion){fly, &r->flight};
    return true;
}

static RgStatus check(RgStepScope *s, RgError *error)
{
    return rg_located_check(s->stepper_data, error);
}

static void release(RgStepScope *s)
{
    rg_located_release(s->stepper_data);
}

static RgStatus step(RgStepScope *s, const RgState *s0, double h, RgState *s1)
{
    return rg_located_advance(s->stepper_data, s0, h, s1);
}

const RgStepper rg_stepper_rigid = {.name = "rigid",
                                    .passive = RG_PASSIVE_FLOW,
                                    .summary =
                                        "located events: no contact is missed, nothing ever overlaps (paper 001)",
                                    .locates = true,
                                    .prepare = prepare,
                                    .check = check,
                                    .release = release,
                                    .step = step};
