/*
 * stepper_rigid.c - located inner steps of the requested length, or up to the next event: no two bodies overlap, and
 * every event is located (paper 001, extended). Flights use Dormand-Prince to FLIGHT_ERROR, so that bodies that tumble
 * for thousands of steps keep their energy.
 */
#include "stepper/flight.h"
#include "stepper/located.h"
#include "stepper/stepper_table.h"

/* Tolerance of a flight within an inner step: relative, and absolute in m, rad, m/s, rad/s. */
#define FLIGHT_ERROR 1e-10
/* Limit of integrator steps in one flight; beyond it the flight is refused. */
#define FLIGHT_STEPS 1000

/* RgLocated is the first member: stepper_data points at it. */
typedef struct Rigid {
    RgLocated steps;
    RgFlight flight;
} Rigid;

/* The first trial has the whole length, independent of earlier flights: a restored state continues with the same bits.
   */
static RgStatus integrate_flight(void *context, const RgState *begin, double h, RgState *end)
{
    RgFlight *flight = context;
    flight->h_next = h;
    return rg_flight_integrate(flight, begin, h, false, end);
}

static bool prepare(RgArena *arena, RgStepScope *s)
{
    Rigid *r = RG_ARENA_ALLOC(arena, Rigid, 1);
    s->stepper_data = r;
    if (r == NULL || !rg_flight_alloc(arena, s, FLIGHT_ERROR, FLIGHT_STEPS, &r->flight) ||
        !rg_located_alloc(arena, s, &r->steps))
        return false;
    r->steps.smooth = (RgSmoothMotion){integrate_flight, &r->flight};
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
