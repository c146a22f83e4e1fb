/*
 * controller_balance.c - standing: the feet stay, the centre of mass is above their middle, the trunk keeps its initial
 * orientation (standing.c).
 */
#include "control/standing.h"

const RgControllerKind rg_controller_balance = {
    .name = "balance",
    .summary = "stands on its feet, the centre of mass over them; drives, and feet that press where balance "
               "asks for",
    .uses = RG_USES_KP | RG_USES_KD | RG_USES_FEET | RG_USES_DRIVES | RG_USES_BALANCE,
    .check = rg_standing_check,
    .memory = rg_standing_memory,
    .prepare = rg_standing_prepare,
    .reference = rg_standing_reference,
    .command = rg_standing_command};
