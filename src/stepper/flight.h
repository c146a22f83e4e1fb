/*
 * flight.h - smooth motion with error control, without contacts and bounded rows.
 */
#ifndef RIGOR_FLIGHT_H
#define RIGOR_FLIGHT_H

#include "math/ode.h"
#include "stepper/inner_state.h"

typedef struct RgFlight {
    RgOde ode;
    RgStepScope *scope;
    RgState base;     /* state at which the local coordinates w are 0 */
    double *y;        /* 2 nu: (w, u) */
    double *x_mid;    /* nx: position half way in time, if whole */
    bool whole;       /* the last flight was one step of the integrator, and x_mid is known */
    double h_next;    /* s: first step of the next flight; 0: not known */
    RgStatus failure; /* status of the last failed evaluation in the last flight; RG_OK: none */
} RgFlight;

/* tolerance: relative and absolute, per step of the integrator. most_steps: limit for one flight, rejected ones too. */
bool rg_flight_alloc(RgArena *arena, RgStepScope *scope, double tolerance, int most_steps, RgFlight *out);

/* Integrates x, u from s0 over h into s1. middle: if set, x_mid is computed where possible. */
RgStatus rg_flight_integrate(RgFlight *flight, const RgState *s0, double h, bool middle, RgState *s1);

#endif
