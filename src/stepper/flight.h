/*
 * flight.h - smooth motion between events, to a tolerance.
 */
#ifndef RIGOR_FLIGHT_H
#define RIGOR_FLIGHT_H

#include "math/ode.h"
#include "stepper/stepper.h"

/* Smooth motion, no contact and no bounded row: Dormand-Prince 8(5,3) in local coordinates. */
typedef struct RgFlight {
    RgOde ode;
    RgStepScope *scope;
    RgState base;     /* where w = 0 */
    double *y;        /* 2 nu */
    double *x_mid;    /* nx: half way, if whole */
    bool whole;       /* the last flight was one step of the method, and x_mid is known */
    double h_next;    /* s: what the method would take next; 0: not known */
    RgStatus failure; /* of the last evaluation that failed in the last flight */
} RgFlight;

bool rg_flight_take(RgArena *arena, RgStepScope *scope, double tolerance, RgFlight *out);

/* x, u of s1 from s0, h later. wants_middle: x_mid is asked for. */
RgStatus rg_flight_go(RgFlight *flight, const RgState *s0, double h, bool wants_middle, RgState *s1);

#endif
