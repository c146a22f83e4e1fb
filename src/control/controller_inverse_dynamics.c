/*
 * controller_inverse_dynamics.c - inverse dynamics of a robot that stands on its feet: two programs (002, section IV;
 * Zapolsky and Drumwright, "Inverse dynamics with rigid contact and friction", 2016).
 *
 *   desired rates after the step   v_c+ = v + h (a* + kd (v* - v) + kp (q* - q)),   v after impacts;  or without gains
 *                                  v*(t + h)
 *   stage 1   contact impulses by Coulomb's law with a friction pyramid
 *   stage 2   among those with the same effect on the base, the ones with the least efforts
 *   tau       efforts for the desired rates with these impulses       (inverse_contact.c, inverse_stages.c)
 *
 * Without contact it is computed torque. The contact impulses are a prediction of the world's solver: for sticking feet
 * both agree; if feet slip, or land within the step, the robot's motion differs from the prediction. An explicit law.
 * Fails (the last command is held) if stage 1 has no solution.
 */
#include "control/inverse_contact.h"

const RgControllerKind rg_controller_inverse_dynamics = {
    .name = "inverse-dynamics",
    .summary = "efforts for wanted accelerations while feet touch: Coulomb's law, then least efforts",
    RG_INVERSE_CONTROLLER(RG_LAW_COULOMB)};
