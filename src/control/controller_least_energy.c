/*
 * controller_least_energy.c - inverse dynamics of a robot that stands on its feet as printed: two quadratic programs
 * (002, section IV; Zapolsky and Drumwright 2016).
 *
 *   stage 1   contact impulses z of the least kinetic energy after the step:  N v+ >= -gap/h,  z_N >= 0,  friction in a
 *             pyramid
 *   stage 2   in the null space of stage 1, the ones with the least efforts
 *
 * Stage 1 does not require complementarity: its solution may slip where joints move although friction could hold the
 * foot, and the world's solver then finds other impulses. The accelerations of inverse-dynamics, which uses Coulomb's
 * law, have smaller errors.
 */
#include "control/inverse_contact.h"

const RgControllerKind rg_controller_least_energy = {
    .name = "least-energy",
    .summary = "the same by paper 002's two programs: least energy, then least efforts",
    RG_INVERSE_CONTROLLER(RG_LAW_LEAST_ENERGY)};
