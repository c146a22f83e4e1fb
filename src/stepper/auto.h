/*
 * auto.h - parts of stepper auto: the error of a step; plain and located steps with error control.
 */
#ifndef RIGOR_AUTO_H
#define RIGOR_AUTO_H

#include "stepper/flight.h"
#include "stepper/located.h"

/* ------------------------------------------------------------------ auto_error.c */

/* A body's centre of mass, and its orientation. */
typedef struct RgAutoPlace {
    RgVec3 centre;
    RgMat3 R;
} RgAutoPlace;

/* Places of all bodies at the form's last kinematics. out: nbodies. */
void rg_auto_places(const RgForm *form, RgAutoPlace *out);

/* kg^(1/2) m: distance of two configurations, the root of the integral over all mass of the squared distance. */
double rg_auto_distance(const RgModel *model, const RgAutoPlace *a, const RgAutoPlace *b);

/* kg^(1/2) m: the size of the bodies, the same distance for a turn of all bodies by about a radian about their centres
   of mass. */
double rg_auto_size(const RgModel *model);

/* kg^(1/2) m/s: root of twice the kinetic energy of the velocities u (nu) at the form's last kinematics. */
double rg_auto_speed(const RgForm *form, const double *u);

/* s: length of the next step. h: length of the last step; error: its error (1: just allowed); before: the error of the
   step before; order: the error grows with the length to this power. */
double rg_auto_next_length(double h, double error, double before, int order);

/* ------------------------------------------------------------------ auto_plain.c */

typedef struct RgPlain {
    RgStepScope *scope;
    const RgStepper *method;     /* semi-implicit */
    RgState whole, half, halves; /* one step; two of half the length */
    RgState begin;               /* start of the present inner step */
    RgAutoPlace *places[2];      /* nbodies */
    RgBodyEnd *ends[2];          /* nbodies */
    double size;                 /* rg_auto_size */
    RgSolverWork work;           /* of the two steps of half the length */
} RgPlain;

bool rg_plain_alloc(RgArena *arena, RgStepScope *scope, RgPlain *out);
void rg_plain_release(RgPlain *plain);

/* Steps from s0 to time t into s1 with error control. *h_next: in: length of the first step, 0: not known; out: length
   of the next one. */
RgStatus rg_plain_advance(RgPlain *plain, const RgState *s0, double t, double *h_next, RgState *s1);

/* Reports an inner step without a proof. It is reported as plain if the world has shapes that can touch. */
void rg_plain_report(RgPlain *plain, const RgState *from, const RgState *to, double h, RgCut cut);

/* ------------------------------------------------------------------ auto_located.c */

typedef struct RgAutoLocated {
    RgStepScope *scope;
    RgFlight *flight;
    RgLocated steps;        /* the steps that become the result */
    RgLocated halves;       /* two steps of half the length, for the error estimate */
    RgAutoPlace *places[2]; /* nbodies */
    double *u, *difference; /* nu: velocity at the start, before impacts there; scratch */
    double size, mass;      /* rg_auto_size; kg: sum over all bodies */
} RgAutoLocated;

bool rg_auto_located_alloc(RgArena *arena, RgStepScope *scope, RgFlight *flight, RgAutoLocated *out);
RgStatus rg_auto_located_check(RgAutoLocated *a, RgError *error);
void rg_auto_located_release(RgAutoLocated *a);

/* Located inner steps with error control from s0 to time t into s1; *h_next as in rg_plain_advance. Stops early if
   there are too many events, shapes overlap, or a step does not converge. s1->t is the time reached; if it is s0->t,
   nothing else is written. */
RgStatus rg_auto_located_advance(RgAutoLocated *a, const RgState *s0, double t, double *h_next, RgState *s1);

#endif
