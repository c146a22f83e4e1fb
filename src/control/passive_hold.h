/* passive_hold.h - what springs and dampers of joints do until the next sample, as the world's stepper takes them. */
#ifndef RIGOR_PASSIVE_HOLD_H
#define RIGOR_PASSIVE_HOLD_H

#include "control/controller.h"

/*
 * Mean forces of springs and dampers over the hold, where velocities change at the rates a: force - stiff a (nv each).
 * So
 *
 *   (M + diag(stiff)) a = tau + force - b
 */
typedef struct RgPassiveHold {
    double *force, *stiff;
    double *v1, *needed; /* nv: scratch of rg_passive_hold_predict */
} RgPassiveHold;

bool rg_passive_hold_take(RgArena *arena, const RgModel *model, RgPassiveHold *out);
RgStatus rg_passive_hold_find(const RgControlView *view, RgPassiveHold *out);

/*
 * Whether the world's step may end at other velocities than this equation says. Then the step is asked what it makes of
 * the efforts, and what the equation is short of comes to `force`, limits and dry friction of joints too, so that it is
 * true of these.
 */
typedef struct RgPrediction {
    const double *tau; /* nv: of all joints */
    bool mean;         /* velocities: those by which positions go in the step, else those at its end */
    double off, scale; /* out: the largest effort that was missing; the largest of all */
} RgPrediction;
bool rg_passive_hold_predicts(const RgControlView *view);
RgStatus rg_passive_hold_predict(const RgControlView *view, RgPrediction *ask, RgPassiveHold *hold);

#endif
