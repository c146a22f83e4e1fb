/* gait_reference.h - foot goals of a controller with a gait, and the joint references for them. */
#ifndef RIGOR_GAIT_REFERENCE_H
#define RIGOR_GAIT_REFERENCE_H

#include "control/controller.h"

/* Upward direction (against gravity) in the axes of the first foot's base. */
RgVec3 rg_gait_up(const RgController *controller, const RgControlView *view);

/* rg_gait_at for one foot. */
void rg_gait_foot(const RgGait *gait, int foot, double t, RgVec3 up, RgVec3 *goal, RgVec3 *velocity);

/* References at t of a controller with gait and guess. */
RgStatus rg_gait_reference(RgController *controller, const RgControlView *view, double t, RgReference *out);

#endif
