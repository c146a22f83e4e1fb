/*
 * contact_events.h - changes of contacts and limits from one inner step to the next, as events in the step's log.
 *
 * For steppers that locate events. Called once per accepted inner step, after the solve at its end. The reported state
 * of each pair is part of the simulation state (RgContactMemory.told): a loaded state continues with the same events,
 * and rejected trials change nothing.
 */
#ifndef RIGOR_CONTACT_EVENTS_H
#define RIGOR_CONTACT_EVENTS_H

#include "stepper/stepper.h"

/* Separation of a contact point in an inner step, as found by the stepper. */
typedef enum RgSeparation {
    RG_SEPARATION_none,
    RG_SEPARATION_released, /* released at the start of the inner step: touches only if it presses at the end */
    RG_SEPARATION_left,     /* separates at the end: does not touch, even if it pressed within the step */
} RgSeparation;

typedef struct RgContactEventsAsk {
    const RgContactMemory *last;    /* memory of the state at the start of the inner step: what was reported before */
    const double *u;                /* nu: velocities on arrival, before forces and impulses of the solve */
    const double *u_begin;          /* nu: at the start of the inner step; NULL: not known */
    double before;                  /* s, with u_begin: upper bound of the length of the previous inner step */
    double t;                       /* s: time of the events */
    double uncertainty;             /* s: of t */
    double since;                   /* s: length of the inner step */
    double begin;                   /* s: start of the inner step; if it is not t - since, t is used in its place */
    RgCut cut;                      /* why the inner step ended: all other changes are uncertain by its length */
    double impact_speed;            /* m/s: contacts that close slower are not impacts */
    const RgSeparation *separation; /* one per point of the scope's contacts; NULL: not known */
    double near;                    /* m: gaps up to this touch without pressing; 0: RgAdaptOptions.gap */
} RgContactEventsAsk;

/* Reports the events of the solve at this configuration, for each pair of shapes and each limit, to the scope's log,
   and writes after->memory.told. Requires the scope's contacts and the contact solver as that solve left them, the
   form's kinematics at its positions (with any velocities), and its velocities in after->u. RG_ERR_MEMORY: nothing is
   reported. */
RgStatus rg_contact_events_find(RgStepScope *scope, const RgContactEventsAsk *ask, RgState *after);

/* For inner steps without a solve, because no shapes are near: all reported contacts end, and after->memory.told
   becomes empty. */
void rg_contact_events_end_all(RgStepScope *scope, const RgContactEventsAsk *ask, RgState *after);

/* Whether some reported limit exerts no force in the last solve, and its joint leaves it at velocities u (nu). */
bool rg_contact_events_limit_left(const RgStepScope *scope, const RgContactMemory *last, const double *u);

#endif
