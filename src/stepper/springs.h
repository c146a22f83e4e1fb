/*
 * springs.h - springs and dampers of joints in a step of two half updates: second order, stable for any stiffness.
 */
#ifndef RIGOR_SPRINGS_H
#define RIGOR_SPRINGS_H

#include "stepper/stepper.h"

typedef struct RgSprings {
    RgStepScope *scope;
    RgGivenSprings held;
} RgSprings;

bool rg_springs_alloc(RgArena *arena, RgStepScope *scope, RgSprings *out);

/* Whether any joint has a spring or damper. */
bool rg_springs_any(const RgModel *model);

/* Whether no spring or damper is faster than h, at the form's last kinematics: explicit steps of h are then stable. */
bool rg_springs_mild(const RgSprings *springs, double h);

/* Forces half way through a step of h from x (nx) at velocities U (nu), for its second half. Leaves the form's
   kinematics there. */
const RgGivenSprings *rg_springs_middle(RgSprings *springs, const double *x, const double *U, double h);

#endif
