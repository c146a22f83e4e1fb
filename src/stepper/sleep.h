/*
 * sleep.h - bodies at rest are frozen until an input or a contact changes.
 *
 * Bodies connected by joints, loops, couplings or contacts fall asleep and wake together.
 */
#ifndef RIGOR_SLEEP_H
#define RIGOR_SLEEP_H

#include "constraint/contact_problem.h"

/* One body. */
typedef struct RgBodyRest {
    double quiet;   /* s: time for which it has been slower than RgSleep.speed */
    int32_t asleep; /* 1: asleep */
    int32_t seen;   /* 1: asleep, and the inputs that act on it are stored */
} RgBodyRest;

/* Part of the state. */
typedef struct RgRest {
    RgBodyRest *body;  /* nbodies; NULL: sleeping is off */
    double *tau;       /* nv: efforts on sleeping bodies when they fell asleep */
    RgForce *wrenches; /* nlinks: wrenches on them */
} RgRest;

/* Parameters and working memory. */
typedef struct RgSleep {
    double speed; /* m/s: slower bodies are quiet */
    double time;  /* s: time for which all bodies of a connected set must be quiet */
    const RgContactSetup *setup;
    RgRest *rest; /* of the state at the end of the present step */
    bool *asleep; /* nbodies: the same, as flags */
    int nasleep;
    double slept;    /* J: kinetic energy removed from the bodies that fell asleep in this step */
    int32_t *parent; /* nbodies: connected sets (base/union_find.h) */
    double *span;    /* nbodies, at the root of a set: its least quiet time, s */
    double *speed2;  /* nbodies: mean square speed of a body's mass, m^2/s^2 */
} RgSleep;

/* NULL, false: out of memory. */
RgSleep *rg_sleep_alloc(RgArena *arena, const RgContactSetup *setup);
bool rg_rest_alloc(RgArena *arena, const RgModel *model, RgRest *rest);
void rg_rest_copy(const RgModel *model, const RgRest *from, RgRest *to);

/* All bodies are awake, with a quiet time of 0. */
void rg_rest_clear(const RgModel *model, RgRest *rest);

/* Begins a step: next becomes a copy of last. */
void rg_sleep_begin(RgSleep *sleep, const RgRest *last, RgRest *next);

/* Wakes sleeping bodies whose efforts tau (nv) or wrenches (nlinks; NULL: none) differ from the stored ones, and stores
   them for bodies that have just fallen asleep. memory: contacts of the last step. */
void rg_sleep_check_inputs(RgSleep *sleep, const double *tau, const RgForce *wrenches, const RgContactMemory *memory);

/* Whether rg_sleep_check_inputs would wake a body or store anything. */
bool rg_sleep_inputs_changed(const RgSleep *sleep, const RgRest *rest, const double *tau, const RgForce *wrenches);

/* Wakes all bodies with a contact in the list: only contacts with an awake body are listed. True: some were woken, and
   their contacts must be searched. */
bool rg_sleep_wake_touched(RgSleep *sleep, const RgContactView *contacts, const RgContactMemory *memory);

/* Wakes a body and all bodies connected to it. */
void rg_sleep_wake(RgSleep *sleep, RgRest *rest, int body, const RgContactMemory *memory);

/* Sets u = 0 for sleeping bodies. */
void rg_sleep_zero_velocities(const RgSleep *sleep, double *u);

/* Keeps sleeping bodies in place: x as before the step, u = 0. */
void rg_sleep_freeze(const RgSleep *sleep, const double *x_before, double *x, double *u);

/* Ends a step of length h with these contacts: bodies that have been quiet long enough fall asleep; their u becomes
   0. */
void rg_sleep_end_step(RgSleep *sleep, const RgContactView *contacts, double h, double *u);

#endif
