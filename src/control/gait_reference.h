/* gait_reference.h - goals of a controller's feet by its gait, and what its joints are to do for them. */
#ifndef RIGOR_GAIT_REFERENCE_H
#define RIGOR_GAIT_REFERENCE_H

#include "control/controller.h"

/* Against gravity, in the axes of the first foot's base. */
RgVec3 rg_gait_up(const RgController *controller, const RgControlView *view);

/* One foot of rg_gait_at. */
void rg_gait_foot(const RgGait *gait, int foot, double t, RgVec3 up, RgVec3 *goal, RgVec3 *velocity);

/* Of a controller with gait and guess. */
RgStatus rg_gait_reference(RgController *controller, const RgControlView *view, double t, RgReference *out);

#endif
