/*
 * contact_events.h - what contacts and limits do from one inner step to the next, as events in the step's log.
 *
 * For steppers that locate. Called after the solve at the end of an inner step, once per inner step that is kept:
 * what was told of a pair is part of the state (RgContactMemory.told), so that a loaded state goes on with the same
 * events, and tries that are thrown away leave no trace.
 */
#ifndef RIGOR_CONTACT_EVENTS_H
#define RIGOR_CONTACT_EVENTS_H

#include "stepper/stepper.h"

/* What a stepper knows of a contact point beyond its solve. */
typedef enum RgParting {
    RG_PARTING_none,
    RG_PARTING_gone, /* was let go when the inner step began: touches only if it presses */
    RG_PARTING_left, /* leaves at its end, though it may have pressed before: does not touch */
} RgParting;

typedef struct RgContactLook {
    const RgContactMemory
        *last;       /* whose list `told` the last look wrote: of the state the inner step began with */
    const double *u; /* nu: how everything arrived here, before forces and impulses of the solve were added */
    const double *u_begin; /* nu: at the start of the inner step; NULL: not known */
    double before;         /* s, with u_begin: length of the inner step before this one, at most */
    double t;              /* of the events */
    double uncertainty;    /* s: of t */
    double since;          /* s: length of the inner step */
    double begin;          /* s: when that began; where it is not t - since, t stands for it */
    RgCut cut; /* what it ended for: times of changes of other kinds are uncertain by its whole length */
    double impact_speed;      /* m/s: what comes together slower is no impact */
    const RgParting *parting; /* beside the scope's contacts; NULL: nothing is known */
    double near;              /* m: gaps up to it touch without pressing; 0: the stepper's own gap */
} RgContactLook;

/* Tells the scope's log what the solve at this configuration did, by pairs of shapes and by limits; writes
   after->memory.told. The scope's contacts and the contact stage must be as that solve left them, the form's kinematics
   at its positions (velocities do not matter), after->u the velocities it found. RG_ERR_MEMORY: nothing
   was told. */
RgStatus rg_contact_events_look(RgStepScope *scope, const RgContactLook *look, RgState *after);

/* There was no solve, as nothing is near: what was told ends. after->memory.told becomes empty. */
void rg_contact_events_none(RgStepScope *scope, const RgContactLook *look, RgState *after);

/* Whether a limit that was told does not push in the last solve, and its joint leaves it at velocities u (nu). */
bool rg_contact_events_leaves(const RgStepScope *scope, const RgContactMemory *last, const double *u);

#endif
