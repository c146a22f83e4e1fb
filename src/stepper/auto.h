/*
 * auto.h - parts of stepper auto: the error of a step; plain and located steps of a length by error.
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

/* Of all bodies, as the form's last kinematics has them. out: nbodies. */
void rg_auto_places(const RgForm *form, RgAutoPlace *out);

/* Root of the sum over all mass of the squared distance between two places, kg^(1/2) m. */
double rg_auto_apart(const RgModel *model, const RgAutoPlace *a, const RgAutoPlace *b);

/* kg^(1/2) m: the same for everything turned by a radian about the centres of mass: how large bodies are. */
double rg_auto_size(const RgModel *model);

/* Root of 2 T: kg^(1/2) m/s of a velocity at the form's last kinematics. */
double rg_auto_speed(const RgForm *form, const double *u);

/* Length of the next step from that of the last, its error (1: just allowed) and that of the one before; order: of the
   error over the length. */
double rg_auto_next(double h, double error, double before, int order);

/* ------------------------------------------------------------------ auto_plain.c */

typedef struct RgPlain {
    RgStepScope *scope;
    const RgStepper *method;     /* semi-implicit */
    RgState whole, half, halves; /* one step; two of half the length */
    RgState begin;
    RgAutoPlace *places[2]; /* nbodies */
    RgBodyEnd *ends[2];     /* nbodies */
    double size;            /* rg_auto_size */
    RgSolverWork work;      /* of the two of half the length */
} RgPlain;

bool rg_plain_take(RgArena *arena, RgStepScope *scope, RgPlain *out);
void rg_plain_release(RgPlain *plain);

/* From s0 to t into s1, in steps chosen by error; *h_next: length of the first, and then of the next. */
RgStatus rg_plain_advance(RgPlain *plain, const RgState *s0, double t, double *h_next, RgState *s1);

/* Reports an inner step of which nothing is proven: as plain where anything can touch. */
void rg_plain_report(RgPlain *plain, const RgState *from, const RgState *to, double h, RgCut cut);

/* ------------------------------------------------------------------ auto_located.c */

typedef struct RgAutoLocated {
    RgStepScope *scope;
    RgFlight *flight;
    RgLocated steps;        /* the steps taken */
    RgLocated halves;       /* two of half the length, for comparison */
    RgAutoPlace *places[2]; /* nbodies */
    double *u, *difference; /* nu: velocity before impacts at the start; scratch */
    double size, mass;      /* rg_auto_size; kg of all that moves */
} RgAutoLocated;

bool rg_auto_located_take(RgArena *arena, RgStepScope *scope, RgFlight *flight, RgAutoLocated *out);
RgStatus rg_auto_located_check(RgAutoLocated *a, RgError *error);
void rg_auto_located_release(RgAutoLocated *a);

/* From s0 to t into s1 by located inner steps chosen by their error; *h_next as rg_plain_advance. It stops where events
   are too many, shapes overlap, or a step does not converge: s1->t is the time reached; that of s0: nothing else is
   written. */
RgStatus rg_auto_located_advance(RgAutoLocated *a, const RgState *s0, double t, double *h_next, RgState *s1);

#endif
