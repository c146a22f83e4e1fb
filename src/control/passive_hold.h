/* passive_hold.h - effect of joint springs and dampers until the next sample, consistent with the world's stepper. */
#ifndef RIGOR_PASSIVE_HOLD_H
#define RIGOR_PASSIVE_HOLD_H

#include "control/controller.h"

/*
 * Mean forces of springs and dampers over the hold, for constant accelerations a: force - stiff a (nv each). So
 *
 *   (M + diag(stiff)) a = tau + force - b
 */
typedef struct RgPassiveHold {
    double *force, *stiff;
    double *v1, *needed; /* nv: scratch of rg_passive_hold_predict */
} RgPassiveHold;

/* Allocates out; false: out of memory. rg_passive_hold_find computes force and stiff. */
bool rg_passive_hold_alloc(RgArena *arena, const RgModel *model, RgPassiveHold *out);
RgStatus rg_passive_hold_find(const RgControlView *view, RgPassiveHold *out);

/*
 * Prediction of the world's step, where it can end at other velocities than this equation gives
 * (rg_passive_hold_predicts). The residual of the equation at the predicted velocities, which includes limits and dry
 * friction of joints, is added to `force`, so that the equation holds for these velocities.
 */
typedef struct RgPrediction {
    const double *tau;      /* nv: of all joints */
    bool mean;              /* use the mean velocities of the position change in the step, else those at its end */
    double residual, scale; /* out: largest residual; largest effort, N m or N */
} RgPrediction;
bool rg_passive_hold_predicts(const RgControlView *view);
RgStatus rg_passive_hold_predict(const RgControlView *view, RgPrediction *ask, RgPassiveHold *hold);

#endif
