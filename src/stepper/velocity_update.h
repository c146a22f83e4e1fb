/*
 * velocity_update.h - one velocity update: forces over h at one configuration, then the impulses of contacts and rows.
 *
 *   out->u = solve(from + h a(at))
 *
 * Everything that a stepper wants different for one solve is an argument.
 */
#ifndef RIGOR_VELOCITY_UPDATE_H
#define RIGOR_VELOCITY_UPDATE_H

#include "stepper/stepper.h"

/* What one solve is asked for. */
typedef struct RgUpdateAsk {
    const RgContactView *contacts;   /* in place of a search */
    const RgVec3 *target_velocities; /* one a point, B against A; NULL: those of the contact law */
    bool joints_drift;               /* joint rows target the drift -h Jdot u instead of 0 */
    bool correct;                    /* rows correct position errors (erp) */
    double h;                        /* s */
    const RgHeldSprings *springs;    /* forces of springs and dampers; NULL: implicit over h */
} RgUpdateAsk;

typedef struct RgVelocityUpdate {
    const RgState *at;  /* t, x, u: where forces are evaluated; memory: warm start */
    const double *from; /* nu: velocities before */
    RgUpdateAsk contact;
    double *acceleration; /* nu: in place of that at `at`; NULL: not given */
    bool midpoint;        /* free bodies take w x I w by the midpoint rule (turning.c) */
    bool impact;          /* no forces: contacts act on out->u as it is */
} RgVelocityUpdate;

/* Writes u and contact memory of out; u_free (nu; NULL: not requested): velocities before the impulses. The work of the
   solve is in the report. scope->call.h stays what was asked for. */
RgStatus rg_velocity_update(RgStepScope *scope, const RgVelocityUpdate *update, double *u_free, RgState *out);

#endif
