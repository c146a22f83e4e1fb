/*
 * springs.h - springs and dampers of joints in a step of two half updates: of second order, and stable however stiff.
 */
#ifndef RIGOR_SPRINGS_H
#define RIGOR_SPRINGS_H

#include "stepper/stepper.h"

typedef struct RgSprings {
    RgStepScope *scope;
    RgHeldSprings held;
} RgSprings;

bool rg_springs_take(RgArena *arena, RgStepScope *scope, RgSprings *out);

/* Whether joints have any. */
bool rg_springs_any(const RgModel *model);

/* Whether explicit methods can take them in steps of h, at the form's last kinematics: none is faster than that. */
bool rg_springs_mild(const RgSprings *springs, double h);

/* Forces half way through a step of h from x (nx) at velocities U (nu), for its second half. The form's kinematics are
   left there. */
const RgHeldSprings *rg_springs_middle(RgSprings *springs, const double *x, const double *U, double h);

#endif
