/*
 * controller_inverse_dynamics.c - inverse dynamics of a robot that stands on its feet: two programs (002, section IV;
 * Zapolsky and Drumwright, "Inverse dynamics with rigid contact and friction", 2016).
 *
 *   wanted rates after the step   v_c+ = v + h (a* + kd (v* - v) + kp (q* - q)),   v after impacts;  or without gains  v*(t + h)
 *   stage 1   contact impulses by Coulomb's law with a friction pyramid: no foot sinks in, pulls, or slips without need
 *   stage 2   of those with the same effect on the base, the ones with the least efforts
 *   tau       what gives the joints their rates beside those impulses       (inverse_contact.c, inverse_stages.c)
 *
 * Without contact it is computed torque. The contact impulses are a guess of what the world's solver will find: where
 * feet stick both agree; where they slip, or land within the step, the robot moves otherwise than predicted. An
 * explicit law. Fails (the last command is held) where the first program cannot be solved.
 */
#include "control/inverse_contact.h"

const RgControllerKind rg_controller_inverse_dynamics = {
    .name = "inverse-dynamics",
    .summary = "efforts for wanted accelerations while feet touch: Coulomb's law, then least efforts",
    .uses = RG_USES_KP | RG_USES_KD | RG_GAINS_OPTIONAL | RG_USES_REFERENCE | RG_USES_FEET | RG_USES_FRICTION,
    .prepare = rg_inverse_prepare,
    .release = rg_inverse_release,
    .command = rg_inverse_command,
    .law = RG_LAW_COULOMB};
