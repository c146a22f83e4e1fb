/*
 * controller_no_slip.c - inverse dynamics of a robot whose feet do not slip, whatever friction that takes (002;
 * Zapolsky and Drumwright 2016, no-slip model).
 *
 *   v_c+ = wanted rates (as inverse-dynamics has them),   tangents of the feet at rest,   0 <= z_N against N v+ + gap/h >= 0
 *
 * Joints come first: they are eliminated, and tangents that depend on them, or contradict each other, are left out; so
 * are those of feet that slide in spite of friction when the step begins, which no effort stops within it. Then the
 * impulses of the same effect with the least efforts. Right where friction suffices; where it does not, the feet slip
 * in the world though not in the plan. friction of the definition has no meaning here.
 */
#include "control/inverse_contact.h"

const RgControllerKind rg_controller_no_slip = {
    .name = "no-slip",
    .summary = "efforts for wanted accelerations while feet touch and do not slip",
    .uses = RG_USES_KP | RG_USES_KD | RG_GAINS_OPTIONAL | RG_USES_REFERENCE | RG_USES_FEET,
    .prepare = rg_inverse_prepare,
    .release = rg_inverse_release,
    .command = rg_inverse_command,
    .law = RG_LAW_NO_SLIP};
