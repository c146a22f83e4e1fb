/* stepper_table.h - the steppers. */
#ifndef RIGOR_STEPPER_TABLE_H
#define RIGOR_STEPPER_TABLE_H

#include "stepper/stepper.h"

#define STEPPER_TABLE(X)                                                                                               \
    X(euler)                                                                                                           \
    X(semi_implicit) X(semi_implicit_000) X(rk4) X(reference) X(advance) X(c2a) X(rigid) X(auto) X(rigid_001)

#define STEPPER_DECLARE(name) extern const RgStepper rg_stepper_##name;
STEPPER_TABLE(STEPPER_DECLARE)
#undef STEPPER_DECLARE

#endif
