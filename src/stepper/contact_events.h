/*
 * contact_events.h - changes of contacts and limits from one inner step to the next, as events in the step's log.
 *
 * For steppers that locate. Called after the solve at the end of an inner step, once per inner step that is kept. What
 * was reported of a pair is part of the state (RgContactMemory.told): a loaded state goes on with the same events, and
 * rejected trials leave no trace.
 */
#ifndef RIGOR_CONTACT_EVENTS_H
#define RIGOR_CONTACT_EVENTS_H

#include "stepper/stepper.h"

/* What a stepper knows of a contact point beyond its solve. */
typedef enum RgSeparation {
    RG_SEPARATION_none,
    RG_SEPARATION_released, /* when the inner step began: touches only if it presses */
    RG_SEPARATION_left,     /* separates at its end, though it may have pressed before: does not touch */
} RgSeparation;

typedef struct RgContactEventsAsk {
    const RgContactMemory *last;    /* of the state that the inner step began with: what was reported */
    const double *u;                /* nu: velocities on arrival, before forces and impulses of the solve */
    const double *u_begin;          /* nu: at the start of the inner step; NULL: not known */
    double before;                  /* s, with u_begin: length of the inner step before this one, at most */
    double t;                       /* of the events */
    double uncertainty;             /* s: of t */
    double since;                   /* s: length of the inner step */
    double begin;                   /* s: when that began; where it is not t - since, t stands for it */
    RgCut cut;                      /* what it ended for: other changes are uncertain by its whole length */
    double impact_speed;            /* m/s: slower contacts are no impacts */
    const RgSeparation *separation; /* beside the scope's contacts; NULL: not known */
    double near;                    /* m: gaps up to it touch without pressing; 0: the stepper's own gap */
} RgContactEventsAsk;

/* Reports to the scope's log what the solve at this configuration did, by pairs of shapes and by limits; writes
   after->memory.told. The scope's contacts and the contact solver must be as that solve left them, the form's
   kinematics at its positions (velocities do not matter), after->u the velocities it found. RG_ERR_MEMORY: nothing is
   reported. */
RgStatus rg_contact_events_find(RgStepScope *scope, const RgContactEventsAsk *ask, RgState *after);

/* There was no solve, as nothing is near: all reported contacts end. after->memory.told becomes empty. */
void rg_contact_events_none(RgStepScope *scope, const RgContactEventsAsk *ask, RgState *after);

/* Whether a reported limit does not push in the last solve, and its joint leaves it at velocities u (nu). */
bool rg_contact_events_leaves(const RgStepScope *scope, const RgContactMemory *last, const double *u);

#endif
