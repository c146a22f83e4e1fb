/*
 * controller_no_slip.c - inverse dynamics of a robot whose feet do not slip, with unlimited friction (002; Zapolsky and
 * Drumwright 2016, no-slip model).
 *
 *   v_c+ = desired rates (as inverse-dynamics),   zero tangential velocity of the feet
 *   0 <= z_N complementary to N v+ + gap/h >= 0
 *
 * The controlled joints are eliminated first. Tangents that depend on them, or contradict each other, are omitted; so
 * are tangents of feet that slide despite friction when the step begins, which no effort can stop within it. Then the
 * impulses of the same effect with the least efforts. Correct if friction suffices; otherwise the feet slip in the
 * world but not in the prediction. The friction setting of the definition has no effect.
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
