/*
 * velocity_update.h - one velocity update: forces over h at one configuration, then the impulses of contacts and rows.
 *
 *   out->u = solve(from + h a(at))
 *
 * All settings of one solve are arguments.
 */
#ifndef RIGOR_VELOCITY_UPDATE_H
#define RIGOR_VELOCITY_UPDATE_H

#include "stepper/stepper.h"

/* Settings of one solve. */
typedef struct RgUpdateAsk {
    const RgContactView *contacts;   /* given contacts; there is no search */
    const RgVec3 *target_velocities; /* one per point, of B against A, m/s; NULL: those of the contact law */
    bool joints_drift;               /* joint rows target the drift -h Jdot u instead of 0 */
    bool correct;                    /* rows correct position errors (erp) */
    double h;                        /* s: length of the update */
    const RgGivenSprings *springs;   /* forces of springs and dampers; NULL: implicit over h */
} RgUpdateAsk;

typedef struct RgVelocityUpdate {
    const RgState *at;  /* t, x, u: state at which forces are evaluated; memory: warm start */
    const double *from; /* nu: velocities before the update */
    RgUpdateAsk contact;
    double *acceleration; /* nu: given accelerations; NULL: evaluated at `at` */
    bool midpoint;        /* w x I w of free bodies by the midpoint rule (turning.c) */
    bool impact;          /* no forces: impulses only, applied to out->u as given */
} RgVelocityUpdate;

/* Writes u and contact memory of out. u_free (nu; NULL: not requested): velocities before the impulses. The work of the
   solve is in the report. Leaves scope->call.h at the length of the update. */
RgStatus rg_velocity_update(RgStepScope *scope, const RgVelocityUpdate *update, double *u_free, RgState *out);

#endif
