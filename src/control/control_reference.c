/*
 * control_reference.c - references of a controller's joints at a time: from its gait, its kind, or its trajectory.
 * Zeros if there is none.
 */
#include "control/gait_reference.h"

#include <string.h>

RgStatus rg_controller_reference(RgController *controller, const RgControlView *view, double t, RgReference *out)
{
    if (controller->guess != NULL)
        return rg_gait_reference(controller, view, t, out);
    if (controller->kind->reference != NULL && controller->kind->reference(controller, t, out))
        return RG_OK;
    if (controller->trajectory != NULL)
        rg_trajectory_at(controller->trajectory, t, out);
    else
        memset(out, 0, (size_t)controller->njoints * sizeof *out);
    return RG_OK;
}
