/*
 * controller_walk.c - walks with the feet in turn, starting with the first of the list, forward and turning, then
 * stands (standing.c; motion of feet and centre of mass: step_plan.c).
 */
#include "control/standing.h"

const RgControllerKind rg_controller_walk = {
    .name = "walk",
    .summary = "balance that steps by turns of its feet: strides, turns, then stands",
    .uses = RG_USES_KP | RG_USES_KD | RG_USES_FEET | RG_USES_DRIVES | RG_USES_BALANCE | RG_USES_STEPS,
    .check = rg_standing_check,
    .memory = rg_standing_memory,
    .prepare = rg_standing_prepare,
    .reference = rg_standing_reference,
    .command = rg_standing_command};
