/* passive_hold.h - what springs and dampers of joints do until the next sample, as the world's stepper takes them. */
#ifndef RIGOR_PASSIVE_HOLD_H
#define RIGOR_PASSIVE_HOLD_H

#include "control/controller.h"

/*
 * Mean forces of springs and dampers over the hold, where velocities change at the rates a: force - stiff a (nv each). So
 *
 *   (M + diag(stiff)) a = tau + force - b
 */
typedef struct RgPassiveHold {
    double *force, *stiff;
} RgPassiveHold;

bool rg_passive_hold_take(RgArena *arena, const RgModel *model, RgPassiveHold *out);
RgStatus rg_passive_hold_find(const RgControlView *view, RgPassiveHold *out);

#endif
