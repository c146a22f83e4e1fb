/*
 * flight.h - smooth motion to a tolerance: no contact, no bounded row.
 */
#ifndef RIGOR_FLIGHT_H
#define RIGOR_FLIGHT_H

#include "math/ode.h"
#include "stepper/inner_state.h"

typedef struct RgFlight {
    RgOde ode;
    RgStepScope *scope;
    RgState base;     /* where w = 0 */
    double *y;        /* 2 nu */
    double *x_mid;    /* nx: half way, if whole */
    bool whole;       /* the last flight was one step of the method, and x_mid is known */
    double h_next;    /* s: first step of the next flight; 0: not known */
    RgStatus failure; /* of the last evaluation that failed in the last flight */
} RgFlight;

/* most_steps: of the method in one flight, rejected ones too. */
bool rg_flight_take(RgArena *arena, RgStepScope *scope, double tolerance, int most_steps, RgFlight *out);

/* x, u of s1 from s0, h later. middle: x_mid is requested. */
RgStatus rg_flight_go(RgFlight *flight, const RgState *s0, double h, bool middle, RgState *s1);

#endif
