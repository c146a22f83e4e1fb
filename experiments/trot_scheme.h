/*
 * trot_scheme.h - the steps of paper 000's code with the quadruped (algorithm 2, without advancement).
 *
 *   x' = step(x, h)      x'' = step(step(x, h/2), h/2)      x <- 2 x'' - x'      (Richardson, always; quaternions made units)
 *
 *   step:  q1 = q0 + h v0      v* = v0 + h a(q1, v0) (semi-implicit)  or  v0 + h a(q0, v0) (explicit)      v1 = (1 - lambda) k(v*)
 *
 * k is the impact model at the feet that touch or overlap at q1; contacts ahead are not considered. A step solves three
 * impacts. Efforts are computed once, at x, and held constant. Overlaps are not corrected, or (baumgarte alpha, 1/s) at
 * alpha times their depth.
 *
 * Uses two worlds: one without contact, by `semi-implicit-000` or `euler`, for q1 and v*; and one without motors, whose
 * step of 1e-9 s is k. Both exchange joint coordinates, in either form.
 */
#ifndef RIGOR_EXPERIMENT_TROT_SCHEME_H
#define RIGOR_EXPERIMENT_TROT_SCHEME_H

#include "trot.h"

#define SCHEME_ROOM 64 /* numbers of a state */

typedef struct SchemeSetup {
    const char *solver, *coords; /* as of TrotSetup */
    bool explicit_forces, stands;
    bool halves; /* continues from x'' */
    double lambda, baumgarte;
    double raised; /* m: added to the height of the start */
} SchemeSetup;

typedef struct SchemeState {
    double t, q[SCHEME_ROOM], v[SCHEME_ROOM];
} SchemeState;

typedef struct Scheme {
    SchemeSetup setup;
    Trot smooth, impact;
    int nq, nv;
    SchemeState now;
} Scheme;

/* x' and x'' of a trial step, and their v.Mv, J. */
typedef struct SchemeTrial {
    SchemeState one, two;
    double energy_one, energy_two;
} SchemeTrial;

/* False: the experiment has failed, said why. */
bool scheme_begin(Lab *lab, const SchemeSetup *setup, Scheme *scheme);
void scheme_end(Scheme *scheme);

/* False: a step was refused. */
bool scheme_try(Scheme *scheme, double h, SchemeTrial *trial);
/* Accepts the trial. */
void scheme_take(Scheme *scheme, const SchemeTrial *trial);
/* Makes one step without halves. False: refused. */
bool scheme_take_one(Scheme *scheme, double h);

/* The world in the present state, for measurements and films. */
RgWorld *scheme_world(Scheme *scheme);

/* Like trot_until_failure; fails if v.Mv of x' or x'' is too large. */
TrotRun scheme_until_failure(Scheme *scheme, double h, int most, LabFilm *film);

#endif
