/*
 * sleep.h - bodies that have come to rest are frozen until something happens to them.
 *
 * What hangs together by joints, loops, couplings or contacts falls asleep and wakes up together.
 */
#ifndef RIGOR_SLEEP_H
#define RIGOR_SLEEP_H

#include "constraint/contact_problem.h"

/* One body. */
typedef struct RgBodyRest {
    double quiet;   /* s for which it has hardly moved */
    int32_t asleep; /* 1: it is */
    int32_t seen;   /* 1: and what acts on it has been noted */
} RgBodyRest;

/* Part of the state. */
typedef struct RgRest {
    RgBodyRest *body;  /* nbodies; NULL: sleeping is off */
    double *tau;       /* nv: what acts on sleepers */
    RgForce *wrenches; /* nlinks */
} RgRest;

/* The rules, and the memory of the stages. */
typedef struct RgSleep {
    double speed; /* m/s: what is slower is quiet */
    double time;  /* s for which all of what hangs together must be quiet */
    const RgContactSetup *setup;
    RgRest *rest; /* of the present step's end */
    bool *asleep; /* nbodies: the same, as flags */
    int nasleep;
    double slept;    /* J of motion taken from those that fell asleep in this step */
    int32_t *parent; /* nbodies: sets of bodies */
    double *span;    /* nbodies: least quiet time of a set */
    double *speed2;  /* nbodies: square of the mean speed of a body's mass */
} RgSleep;

/* NULL, false: no memory. */
RgSleep *rg_sleep_take(RgArena *arena, const RgContactSetup *setup);
bool rg_rest_take(RgArena *arena, const RgModel *model, RgRest *rest);
void rg_rest_copy(const RgModel *model, const RgRest *from, RgRest *to);

/* Everybody is awake, and has just moved. */
void rg_rest_clear(const RgModel *model, RgRest *rest);

/* A step begins with these sleepers. */
void rg_sleep_begin(RgSleep *sleep, const RgRest *last, RgRest *next);

/* What acts now: wakes those for whom it is not what it was; notes it for those who have just fallen asleep.
   wrenches may be NULL: none. memory: contacts of the last step. */
void rg_sleep_feel(RgSleep *sleep, const double *tau, const RgForce *wrenches, const RgContactMemory *memory);

/* Whether that would wake anybody, or notes anything. */
bool rg_sleep_would_feel(const RgSleep *sleep, const RgRest *rest, const double *tau, const RgForce *wrenches);

/* Wakes those that a contact has with one who is awake. True: some were, and their contacts are to be found. */
bool rg_sleep_touch(RgSleep *sleep, const RgContactView *contacts, const RgContactMemory *memory);

/* Wakes a body and what hangs together with it. */
void rg_sleep_wake(RgSleep *sleep, RgRest *rest, int body, const RgContactMemory *memory);

/* u = 0 for sleepers. */
void rg_sleep_still(const RgSleep *sleep, double *u);

/* Sleepers stay where they are: x as before, u = 0. */
void rg_sleep_hold(const RgSleep *sleep, const double *x_before, double *x, double *u);

/* The end of a step of length h, with these contacts: who falls asleep. Their u becomes 0. */
void rg_sleep_doze(RgSleep *sleep, const RgContactView *contacts, double h, double *u);

#endif
